"""Verdicts on requirements, from what the probes have seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from acpgen.inputs.overlay.requirements import Requirement

# `expected` is a failure that the baseline has, `stale` an entry of it that has no failure.
Status: TypeAlias = Literal["passed", "failed", "expected", "stale", "skipped", "not reached"]
STATUSES: tuple[Status, ...] = ("passed", "failed", "expected", "stale", "skipped", "not reached")
BAD: tuple[Status, ...] = ("failed", "stale")

# How many failures of a requirement are kept.
_FAILURES = 3


@dataclass(frozen=True, slots=True)
class Failure:
    """One time that a requirement was not met."""

    probe: str
    sent: str
    came: str
    expected: str
    wire: tuple[str, ...] = ()  # the last lines: `>` was sent, `<` was printed


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
    """What the probes say about the requirements in a protocol version, by id.

    A failure counts more than a pass, a pass more than a reason to skip, and that more than a
    reason why nothing could be said.
    """

    failures: dict[str, list[Failure]] = field(default_factory=dict[str, list[Failure]])
    passed: set[str] = field(default_factory=set[str])
    skipped: dict[str, str] = field(default_factory=dict[str, str])
    unreached: dict[str, str] = field(default_factory=dict[str, str])
    silent: set[str] = field(default_factory=set[str])
    errors: dict[str, str] = field(default_factory=dict[str, str])
    opened: Counter[str] = field(default_factory=Counter[str])  # the ids of new sessions

    def fail(self, requirement: str, failure: Callable[[], Failure]) -> None:
        """Note a failure, unless there are many: a flood would bring thousands."""
        failures = self.failures.setdefault(requirement, [])
        if len(failures) < _FAILURES:
            failures.append(failure())

    def verdict(self, requirement: Requirement, version: int) -> Verdict:
        """Sum up what was said about a requirement."""
        name = requirement.id
        if name in self.failures:
            failures = tuple(self.failures[name])
            return Verdict(requirement, version, "failed", failures=failures)
        if name in self.passed:
            return Verdict(requirement, version, "passed")
        if name in self.unreached and name not in self.skipped:
            return Verdict(requirement, version, "not reached", self.unreached[name])
        reason = self.skipped.get(name, "nothing in the conversations was about it")
        return Verdict(requirement, version, "skipped", reason)


@dataclass(frozen=True, slots=True)
class Report:
    """The verdicts on a program, by version, in the order of the requirements."""

    command: tuple[str, ...]
    versions: tuple[int, ...]
    unspoken: tuple[int, ...]  # the versions that it does not speak
    verdicts: tuple[Verdict, ...]
    errors: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def conforms(self) -> bool:
        """Whether every failed, stale or unreached requirement was expected."""
        statuses = {verdict.status for verdict in self.verdicts}
        is_judged = not self.errors and statuses.isdisjoint(BAD)
        return is_judged and ("not reached" not in statuses or "expected" in statuses)


def count(verdicts: Iterable[Verdict]) -> Mapping[Status, int]:
    """The number of verdicts of each status, zeros included."""
    statuses = [verdict.status for verdict in verdicts]
    return {status: statuses.count(status) for status in STATUSES}
