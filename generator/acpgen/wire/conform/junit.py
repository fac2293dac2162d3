"""A report as JUnit XML, which services for continuous integration show."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from acpgen.common.display import printable
from acpgen.wire.conform.verdicts import BAD, Report, Verdict


def as_junit(report: Report) -> str:
    """The report as XML: a suite for each protocol version, a case for each requirement."""
    root = Element("testsuites")
    for version in report.versions:
        verdicts = [verdict for verdict in report.verdicts if verdict.version == version]
        failed = sum(verdict.status in BAD for verdict in verdicts)
        skipped = sum(verdict.status not in (*BAD, "passed") for verdict in verdicts)
        suite = SubElement(root, "testsuite", name=f"protocol {version}")
        suite.set("tests", str(len(verdicts)))
        suite.set("failures", str(failed))
        suite.set("skipped", str(skipped))
        for verdict in verdicts:
            _add_case(suite, verdict)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_case(suite: Element, verdict: Verdict) -> None:
    demand = verdict.requirement
    classname = f"{demand.side}.v{verdict.version}.{demand.area}"
    case = SubElement(suite, "testcase", classname=classname, name=demand.id)
    if verdict.status in BAD:
        failure = SubElement(case, "failure", message=demand.words, type=verdict.status)
        failure.text = "\n\n".join(_details(verdict))
    elif verdict.status != "passed":
        SubElement(case, "skipped", message=printable(f"{verdict.status}: {verdict.reason}"))


def _details(verdict: Verdict) -> list[str]:
    page = verdict.requirement.page(verdict.version)
    texts = [
        "\n".join(
            (
                f"sent: {printable(failure.sent)}",
                f"came: {printable(failure.came)}",
                f"expected: {printable(failure.expected)}",
                f"page: {page}",
                *map(printable, failure.wire),
            )
        )
        for failure in verdict.failures
    ]
    return texts or [printable(verdict.reason)]
