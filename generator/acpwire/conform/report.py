"""The report on a program: a verdict on each requirement, based on the probes' observations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from acpgen.common.display import printable
from acpgen.common.junit import Case, as_xml
from acpgen.inputs.overlay.requirements import Requirement

# An `expected` verdict is a failure listed in the baseline. A `stale` verdict is a pass that the
# baseline lists as a failure.
Status: TypeAlias = Literal["passed", "failed", "expected", "stale", "skipped", "not reached"]
STATUSES: tuple[Status, ...] = ("passed", "failed", "expected", "stale", "skipped", "not reached")
BAD: tuple[Status, ...] = ("failed", "stale")

# The maximum number of failures to keep for each requirement.
_FAILURES = 3


@dataclass(frozen=True, slots=True)
class Failure:
    """A program's failure to meet a requirement."""

    probe: str
    sent: str
    received: str
    expected: str
    wire: tuple[str, ...] = ()  # the last lines: `>` marks sent lines, and `<` marks received lines


# The fields of a failure to show in reports.
FAILURE_TEXTS = ("sent", "received", "expected")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a requirement in a protocol version."""

    requirement: Requirement
    version: int
    status: Status
    reason: str = ""  # the reason for statuses other than `passed` and `failed`
    failures: tuple[Failure, ...] = ()


@dataclass(slots=True)
class Ledger:
    """The probes' observations in a protocol version, by requirement id.

    If there are several kinds of observations about a requirement, they take precedence in this
    order: failures, passes, reasons to skip the requirement, and reasons why it was not reached.
    """

    failures: dict[str, list[Failure]] = field(default_factory=dict[str, list[Failure]])
    passed: set[str] = field(default_factory=set[str])
    skipped: dict[str, str] = field(default_factory=dict[str, str])
    unreached: dict[str, str] = field(default_factory=dict[str, str])
    silent: set[str] = field(default_factory=set[str])
    errors: dict[str, str] = field(default_factory=dict[str, str])
    # For each session id, the number of results in which the program returned the id.
    opened: Counter[str] = field(default_factory=Counter[str])

    def fail(self, requirement: str, failure: Callable[[], Failure]) -> None:
        """Record a failure unless the requirement already has `_FAILURES` failures."""
        failures = self.failures.setdefault(requirement, [])
        if len(failures) < _FAILURES:
            failures.append(failure())

    def verdict(self, requirement: Requirement, version: int) -> Verdict:
        """Return the verdict that results from all observations about a requirement."""
        name = requirement.id
        if name in self.failures:
            failures = tuple(self.failures[name])
            return Verdict(requirement, version, "failed", failures=failures)
        if name in self.passed:
            return Verdict(requirement, version, "passed")
        if name in self.unreached and name not in self.skipped:
            return Verdict(requirement, version, "not reached", self.unreached[name])
        reason = self.skipped.get(name, "not tested by any probe")
        return Verdict(requirement, version, "skipped", reason)


@dataclass(frozen=True, slots=True)
class Report:
    """The verdicts on a program, sorted by version and requirement."""

    command: tuple[str, ...]
    versions: tuple[int, ...]
    unspoken: tuple[int, ...]  # the versions that the program does not support
    verdicts: tuple[Verdict, ...]
    errors: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def conforms(self) -> bool:
        """True if the program passes, apart from expected failures and their consequences.

        Requirements that were not reached are treated as failures only if no failures are expected,
        because an expected failure might have prevented the probes from reaching them.
        """
        statuses = {verdict.status for verdict in self.verdicts}
        is_judged = not self.errors and statuses.isdisjoint(BAD)
        return is_judged and ("not reached" not in statuses or "expected" in statuses)


def count(verdicts: Iterable[Verdict]) -> Mapping[Status, int]:
    """Return the number of verdicts with each status, including zeros."""
    statuses = [verdict.status for verdict in verdicts]
    return {status: statuses.count(status) for status in STATUSES}


def as_json(report: Report) -> dict[str, Any]:
    """Describe a report as JSON values."""
    return {
        "command": list(report.command),
        "protocols": list(report.versions),
        "notSpoken": list(report.unspoken),
        "conforms": report.conforms,
        "errors": dict(report.errors),
        "counts": dict(count(report.verdicts)),
        "verdicts": [
            {
                "protocol": verdict.version,
                "area": verdict.requirement.area,
                "id": verdict.requirement.id,
                "level": verdict.requirement.level,
                "words": verdict.requirement.words,
                "page": verdict.requirement.page(verdict.version),
                "status": verdict.status,
                "reason": verdict.reason or None,
                "failures": [asdict(failure) for failure in verdict.failures],
            }
            for verdict in report.verdicts
        ],
    }


def as_junit(report: Report) -> str:
    """Return JUnit XML with a suite for each protocol version and a case for each requirement."""
    suites: dict[str, list[Case]] = {f"protocol {version}": [] for version in report.versions}
    for verdict in report.verdicts:
        suites[f"protocol {verdict.version}"].append(_case(verdict))
    return as_xml(suites)


def _case(verdict: Verdict) -> Case:
    demand, status = verdict.requirement, verdict.status
    group = f"{demand.side}.v{verdict.version}.{demand.area}"
    if status == "passed":
        return Case(group, demand.id, "passed")
    if status not in BAD:
        return Case(group, demand.id, "skipped", f"{status}: {verdict.reason}")
    texts = []
    for failure in verdict.failures:
        found = [f"{name}: {printable(getattr(failure, name))}" for name in FAILURE_TEXTS]
        page = f"page: {demand.page(verdict.version)}"
        texts.append("\n".join((*found, page, *map(printable, failure.wire))))
    text = "\n\n".join(texts or [printable(verdict.reason)])
    return Case(group, demand.id, "failed", demand.words, status, text)
