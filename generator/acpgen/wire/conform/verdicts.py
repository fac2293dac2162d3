"""Verdicts on requirements, from what the probes have seen."""

from __future__ import annotations

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
    """One time that a requirement was not met.

    Attributes:
        probe: the name of the probe that has seen it.
        sent: what was sent.
        came: what came.
        expected: what should have come.
        wire: the lines before it, the last one last: `>` was sent, `<` was printed.
    """

    probe: str
    sent: str
    came: str
    expected: str
    wire: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to say about a requirement in a protocol version.

    Attributes:
        requirement: the requirement.
        version: the protocol version.
        status: whether it is met.
        reason: why it was skipped or not reached; of a baseline, why it is expected to fail.
        failures: how it failed.
    """

    requirement: Requirement
    version: int
    status: Status
    reason: str = ""
    failures: tuple[Failure, ...] = ()


@dataclass(slots=True)
class Ledger:
    """What the probes say about the requirements in a protocol version, by id.

    A failure counts more than a pass, a pass more than a reason to skip, and that more than a
    reason why nothing could be said.

    Attributes:
        failures: how requirements were not met.
        passed: the requirements that were met at some time.
        skipped: why there is nothing to judge a requirement by.
        unreached: why a requirement could not be judged.
        silent: the methods that the program has let wait for a response.
        errors: the probes that ended with an error of the judge, each with the error.
    """

    failures: dict[str, list[Failure]] = field(default_factory=dict[str, list[Failure]])
    passed: set[str] = field(default_factory=set[str])
    skipped: dict[str, str] = field(default_factory=dict[str, str])
    unreached: dict[str, str] = field(default_factory=dict[str, str])
    silent: set[str] = field(default_factory=set[str])
    errors: dict[str, str] = field(default_factory=dict[str, str])

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
    """The verdicts on a program.

    Attributes:
        command: the program and its arguments.
        versions: the protocol versions that it was judged in.
        unspoken: the versions that it does not speak.
        verdicts: the verdicts, by version, in the order of the requirements.
        errors: the probes that ended with an error of the judge, each with the error.
    """

    command: tuple[str, ...]
    versions: tuple[int, ...]
    unspoken: tuple[int, ...]
    verdicts: tuple[Verdict, ...]
    errors: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def conforms(self) -> bool:
        """Whether nothing failed that was not expected to, and no expectation is stale.

        What was not reached has to have a reason, too: a failure that was expected.
        """
        statuses = {verdict.status for verdict in self.verdicts}
        is_judged = not self.errors and statuses.isdisjoint(BAD)
        return is_judged and ("not reached" not in statuses or "expected" in statuses)


def count(verdicts: Iterable[Verdict]) -> Mapping[Status, int]:
    """The number of verdicts of each status, zeros included."""
    statuses = [verdict.status for verdict in verdicts]
    return {status: statuses.count(status) for status in STATUSES}
