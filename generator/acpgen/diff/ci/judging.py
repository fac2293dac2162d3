"""Judge changes by a policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, TypeAlias

from acpgen.common.pointers import pointer
from acpgen.common.problems import Problem
from acpgen.diff.changes import Change
from acpgen.diff.ci.policy import Policy
from acpgen.diff.ci.scanning import Use
from acpgen.diff.ci.uses import Uses
from acpgen.diff.report import Report

Outcome: TypeAlias = Literal["fails", "excepted", "passes"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A change, and whether it fails.

    Attributes:
        change: the change.
        outcome: whether it fails, passes, or would fail but for an exception.
        reason: of an exception that holds or has ended, the reason and the day.
        use: where the project uses it first, if that is known.
    """

    change: Change
    outcome: Outcome
    reason: str = ""
    use: Use | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome of a comparison.

    Attributes:
        report: the changes that were judged.
        verdicts: a verdict on each.
        unused: how many changes are of what the project does not use.
        notes: exceptions that match no change.
    """

    report: Report
    verdicts: tuple[Verdict, ...]
    unused: int
    notes: tuple[Problem, ...]

    @property
    def fails(self) -> bool:
        """Whether any change fails."""
        return any(verdict.outcome == "fails" for verdict in self.verdicts)


def judge(report: Report, policy: Policy, uses: Uses | None, today: date) -> Judgement:
    """Judge the changes of a report.

    Args:
        uses: what the project uses; changes of anything else are left out. None for all.
        today: the day on which exceptions have to hold.
    """
    placed = [(change, uses.of(change) if uses else None) for change in report.changes]
    relevant = [(change, use) for change, use in placed if use or uses is None]
    verdicts = tuple(_judge(change, use, policy, today) for change, use in relevant)
    return Judgement(
        replace(report, changes=tuple(verdict.change for verdict in verdicts)),
        verdicts,
        len(placed) - len(relevant),
        tuple(_unmatched(policy, verdicts)),
    )


def _judge(change: Change, use: Use | None, policy: Policy, today: date) -> Verdict:
    if not policy.forbids(change):
        return Verdict(change, "passes", use=use)
    entries = [entry for entry in policy.exceptions if entry.is_about(change)]
    if not entries:
        return Verdict(change, "fails", use=use)
    entry = max(entries, key=lambda entry: entry.until)
    if entry.until < today:
        reason = f"its exception ended on {entry.until}: {entry.reason}"
        return Verdict(change, "fails", reason, use)
    return Verdict(change, "excepted", f"until {entry.until}: {entry.reason}", use)


def _unmatched(policy: Policy, verdicts: Sequence[Verdict]) -> Iterator[Problem]:
    """Notes about the exceptions that no change needs."""
    needing = [verdict.change for verdict in verdicts if verdict.outcome != "passes"]
    for index, entry in enumerate(policy.exceptions):
        if not any(map(entry.is_about, needing)):
            message = f"no change that fails is {entry.what!r} of {entry.name!r}; remove it"
            yield Problem(policy.file, pointer("exceptions", index), "unmatched", message)
