"""A report as JUnit XML, which services for continuous integration show."""

from __future__ import annotations

from acpgen.common.display import printable
from acpgen.common.junit import Case, as_xml

from acpwire.conform.verdicts import BAD, Report, Verdict


def as_junit(report: Report) -> str:
    """The report as XML: a suite for each protocol version, a case for each requirement."""
    suites: dict[str, list[Case]] = {f"protocol {version}": [] for version in report.versions}
    for verdict in report.verdicts:
        suites[f"protocol {verdict.version}"].append(_case(verdict))
    return as_xml(suites)


def _case(verdict: Verdict) -> Case:
    demand, status = verdict.requirement, verdict.status
    group = f"{demand.side}.v{verdict.version}.{demand.area}"
    if status in BAD:
        text = "\n\n".join(_details(verdict))
        return Case(group, demand.id, "failed", demand.words, status, text)
    if status == "passed":
        return Case(group, demand.id, "passed")
    return Case(group, demand.id, "skipped", f"{status}: {verdict.reason}")


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
