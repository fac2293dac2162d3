"""The explanations of failures in reports, as listed in `explanations.toml`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from acpgen.common import toml
from acpgen.inputs.overlay.requirements import RequiredOf
from acpwire.conform.report import Failure, Report

# Prefixes of explanations from `acpwire.rules` and of explanations for lines that are not JSON.
_OF_RULES = ("a message without this problem: ", "a JSON object in UTF-8, ")
# Prefixes of strings that quote the program's output or explain why there is none.
_OUTPUT = ("{", "[{", "nothing in ", "the program ", "too much output: ")


def explanations_of(side: RequiredOf) -> dict[str, list[str]]:
    """Return the expected explanations for a side's requirements, by requirement id."""
    table = toml.loads(Path(__file__).with_name("explanations.toml").read_text("utf-8"))
    return {name: list(texts) for name, texts in table[side].items()}


def explanations_in(reports: Iterable[Report]) -> dict[str, list[str]]:
    """Return the explanations for each requirement, except explanations from `acpwire.rules`."""
    found: dict[str, set[str]] = {}
    for report in reports:
        for verdict in report.verdicts:
            for failure in verdict.failures:
                if not failure.expected.startswith(_OF_RULES):
                    found.setdefault(verdict.requirement.id, set()).add(_explained(failure))
    return {name: sorted(texts) for name, texts in sorted(found.items())}


def _explained(failure: Failure) -> str:
    if failure.received.startswith(_OUTPUT):
        return failure.expected
    return f"{failure.expected}; received: {failure.received}"
