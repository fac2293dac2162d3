"""The report on a program: verdicts on requirements, based on the observations of the probes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from acpgen.common.display import printable
from acpgen.common.junit import Case, as_xml
from acpgen.inputs.overlay.requirements import Requirement

# `expected` is a failure listed in the baseline, `stale` a baseline entry without a failure.
Status: TypeAlias = Literal["passed", "failed", "expected", "stale", "skipped", "not reached"]
STATUSES: tuple[Status, ...] = ("passed", "failed", "expected", "stale", "skipped", "not reached")
BAD: tuple[Status, ...] = ("failed", "stale")

# The number of failures to keep for each requirement.
_FAILURES = 3


@dataclass(frozen=True, slots=True)
class Failure:
    """A case in which a requirement was not met."""

    probe: str
    sent: str
    came: str
    expected: str
    wire: tuple[str, ...] = ()  # the last lines: `>` was sent, `<` was printed


# The fields of a failure that reports show.
FAILURE_TEXTS = ("sent", "came", "expected")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a requirement in a protocol version."""

    requirement: Requirement
    version: int
    status: Status
    reason: str = ""  # why it was skipped or not reached, or is expected to fail
    failures: tuple[Failure, ...] = ()


@dataclass(slots=True)
class Ledger:
    """The probes' observations about the requirements in a protocol version, by id.

    A failure counts more than a pass, a pass more than a reason to skip, and that more than a
    reason why the requirement was not reached.
    """

    failures: dict[str, list[Failure]] = field(default_factory=dict[str, list[Failure]])
    passed: set[str] = field(default_factory=set[str])
    skipped: dict[str, str] = field(default_factory=dict[str, str])
    unreached: dict[str, str] = field(default_factory=dict[str, str])
    silent: set[str] = field(default_factory=set[str])
    errors: dict[str, str] = field(default_factory=dict[str, str])
    opened: Counter[str] = field(default_factory=Counter[str])  # the ids of new sessions

    def fail(self, requirement: str, failure: Callable[[], Failure]) -> None:
        """Record a failure unless there are already many, since a flood could cause thousands."""
        failures = self.failures.setdefault(requirement, [])
        if len(failures) < _FAILURES:
            failures.append(failure())

    def verdict(self, requirement: Requirement, version: int) -> Verdict:
        """Return the verdict on a requirement from all observations."""
        name = requirement.id
        if name in self.failures:
            failures = tuple(self.failures[name])
            return Verdict(requirement, version, "failed", failures=failures)
        if name in self.passed:
            return Verdict(requirement, version, "passed")
        if name in self.unreached and name not in self.skipped:
            return Verdict(requirement, version, "not reached", self.unreached[name])
        reason = self.skipped.get(name, "no conversation involved it")
        return Verdict(requirement, version, "skipped", reason)


@dataclass(frozen=True, slots=True)
class Report:
    """The verdicts on a program, by version, in the order of the requirements."""

    command: tuple[str, ...]
    versions: tuple[int, ...]
    unspoken: tuple[int, ...]  # the versions that the program does not speak
    verdicts: tuple[Verdict, ...]
    errors: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def conforms(self) -> bool:
        """True if every failed, stale or unreached requirement was expected."""
        statuses = {verdict.status for verdict in self.verdicts}
        is_judged = not self.errors and statuses.isdisjoint(BAD)
        return is_judged and ("not reached" not in statuses or "expected" in statuses)


def count(verdicts: Iterable[Verdict]) -> Mapping[Status, int]:
    """Return the number of verdicts of each status, zeros included."""
    statuses = [verdict.status for verdict in verdicts]
    return {status: statuses.count(status) for status in STATUSES}


def as_json(report: Report) -> dict[str, Any]:
    """Describe a report as plain JSON."""
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
    """Return XML with a suite for each protocol version, and a case for each requirement."""
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
