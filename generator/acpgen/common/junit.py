"""JUnit XML reports for continuous integration services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from acpgen.common.display import printable

Outcome: TypeAlias = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Case:
    """A test case in a report."""

    group: str  # a dotted path
    name: str
    outcome: Outcome
    message: str = ""  # the reason why the case failed or was skipped, on one line
    kind: str = ""  # the kind of failure
    text: str = ""  # the details of a failure


def as_xml(suites: Mapping[str, Sequence[Case]]) -> str:
    """Return an XML report. `suites` maps the name of each test suite to its cases."""
    root = Element("testsuites")
    for name, cases in suites.items():
        suite = SubElement(root, "testsuite", name=name, tests=str(len(cases)))
        suite.set("failures", str(sum(case.outcome == "failed" for case in cases)))
        suite.set("skipped", str(sum(case.outcome == "skipped" for case in cases)))
        for case in cases:
            added = SubElement(
                suite, "testcase", classname=printable(case.group), name=printable(case.name)
            )
            message = printable(case.message)
            if case.outcome == "failed":
                SubElement(added, "failure", message=message, type=case.kind).text = case.text
            elif case.outcome == "skipped":
                SubElement(added, "skipped", message=message)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
