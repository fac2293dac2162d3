"""Which changes fail: a policy, its exceptions (each with a reason and an end), and verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypeAlias

from acpgen.common import toml
from acpgen.common.display import display_path
from acpgen.common.pointers import pointer
from acpgen.common.problems import InputError, Problem
from acpgen.diff.changes import LABELS, Change
from acpgen.diff.report import Report
from acpgen.diff.used_by import Use, Uses

Outcome: TypeAlias = Literal["fails", "excepted", "passes"]

# The mildest labels that can be set to fail, after the worst; with the last, nothing fails.
_NEVER = "never"
_THRESHOLDS = (*(label for label in LABELS if label != "unknown"), _NEVER)
_ENTRY: dict[str, type] = {"name": str, "what": str, "reason": str, "until": date}


@dataclass(frozen=True, slots=True)
class ExceptionEntry:
    """A change that may fail, until a day.

    Attributes:
        name: the name of the change, as reports show it, such as `ToolCall.title`.
        what: what happened to it, as reports show it, such as `member removed`.
        reason: why it does not matter.
        until: the last day on which it holds.
    """

    name: str
    what: str
    reason: str
    until: date

    def is_about(self, change: Change) -> bool:
        """Return whether this is the change."""
        return (self.name, self.what) == (change.name, change.what)


@dataclass(frozen=True, slots=True)
class Policy:
    """Which changes fail.

    Attributes:
        wire: the mildest effect on messages that fails: a label, or `never`.
        python: the mildest effect on code that fails, likewise.
        unknown: whether an unknown effect counts as breaking, and not as compatible.
        exceptions: the changes that do not.
        file: the file that contains the policy.
    """

    wire: str = "breaking"
    python: str = "breaking"
    unknown: bool = True
    exceptions: tuple[ExceptionEntry, ...] = ()
    file: str = ""

    def forbids(self, change: Change) -> bool:
        """Return whether a change fails, exceptions aside."""
        for label, threshold in ((change.wire, self.wire), (change.python, self.python)):
            if label == "unknown":
                label = "breaking" if self.unknown else "compatible"
            if threshold != _NEVER and _THRESHOLDS.index(label) <= _THRESHOLDS.index(threshold):
                return True
        return False


# --- verdicts --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """A change, and whether it fails.

    Attributes:
        change: the change.
        outcome: whether it fails, passes, or would fail without an exception.
        reason: the reason and the last day of an exception that holds or expired.
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
        unused: the number of changes to parts that the project does not use.
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
    verdicts = tuple(_verdict(change, use, policy, today) for change, use in relevant)
    return Judgement(
        replace(report, changes=tuple(verdict.change for verdict in verdicts)),
        verdicts,
        len(placed) - len(relevant),
        tuple(_unmatched(policy, verdicts)),
    )


def _verdict(change: Change, use: Use | None, policy: Policy, today: date) -> Verdict:
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
    """Yield notes about the exceptions that no change needs."""
    needing = [verdict.change for verdict in verdicts if verdict.outcome != "passes"]
    for index, entry in enumerate(policy.exceptions):
        if not any(map(entry.is_about, needing)):
            message = f"no change that fails is {entry.what!r} of {entry.name!r}; remove it"
            yield Problem(policy.file, pointer("exceptions", index), "unmatched", message)


# --- files -----------------------------------------------------------------------------------


def read_policy(path: Path) -> Policy:
    """Read a policy.

    Raises:
        InputError: it is not valid TOML, or contains something that has no meaning; lists every
            problem.
    """
    file = display_path(path)
    try:
        table = toml.loads(path.read_text("utf-8"))
    except (UnicodeDecodeError, toml.TOMLDecodeError) as error:
        message = f"is not valid TOML ({error}); fix it"
        raise InputError([Problem(file, "", "policy", message)]) from error
    problems = [Problem(file, at, "policy", message) for at, message in _check(table)]
    if problems:
        raise InputError(problems)
    entries = tuple(ExceptionEntry(**entry) for entry in table.get("exceptions", ()))
    return Policy(**table.get("fail", {}), exceptions=entries, file=file)


def _check(table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield pointers to what has no meaning in a policy, with messages."""
    yield from _unknown("", table, ("fail", "exceptions"))
    fail, exceptions = table.get("fail", {}), table.get("exceptions", [])
    if type(fail) is not dict:
        yield "/fail", "must be a table; write [fail]"
    else:
        yield from _unknown("/fail", fail, ("wire", "python", "unknown"))
        for key in ("wire", "python"):
            if key in fail and fail[key] not in _THRESHOLDS:
                yield pointer("fail", key), f"must be one of {', '.join(_THRESHOLDS)}"
        if type(fail.get("unknown", True)) is not bool:
            yield "/fail/unknown", "must be true or false"
    if type(exceptions) is not list or any(type(entry) is not dict for entry in exceptions):
        yield "/exceptions", "must be tables; write [[exceptions]] before each"
        return
    for index, entry in enumerate(exceptions):
        at = pointer("exceptions", index)
        yield from _unknown(at, entry, _ENTRY)
        for key, kind in _ENTRY.items():
            value = entry.get(key)
            if type(value) is not kind or value == "":
                advice = "a day, such as 2030-01-31" if kind is date else "a string"
                yield at + pointer(key), f"must be {advice}; an exception needs {', '.join(_ENTRY)}"


def _unknown(at: str, table: dict[str, Any], known: Iterable[str]) -> Iterator[tuple[str, str]]:
    for key in table.keys() - set(known):
        yield at + pointer(key), f"unknown key; use one of {', '.join(known)}"
