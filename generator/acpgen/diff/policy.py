"""Policies that determine which changes fail, and their exceptions."""

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

# The possible values of a threshold (the least severe effect that fails), worst first.
_NEVER = "never"
_THRESHOLDS = (*(label for label in LABELS if label != "unknown"), _NEVER)
_ENTRY: dict[str, type] = {"name": str, "what": str, "reason": str, "until": date}


@dataclass(frozen=True, slots=True)
class ExceptionEntry:
    """An exception that allows a change until a given day."""

    name: str  # the name of the change in reports, such as `ToolCall.title`
    what: str  # the description of the change in reports, such as `field removed`
    reason: str
    until: date  # the last day of the exception

    def is_about(self, change: Change) -> bool:
        """Return whether the exception applies to a change."""
        return (self.name, self.what) == (change.name, change.what)


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy that determines which changes fail."""

    # The least severe effect on messages that makes a change fail: a label, or `never`.
    wire: str = "breaking"
    # The least severe effect on Python code that makes a change fail: a label, or `never`.
    python: str = "breaking"
    unknown: bool = True  # whether to treat unknown effects as breaking
    exceptions: tuple[ExceptionEntry, ...] = ()
    file: str = ""  # the file that contains the policy

    def forbids(self, change: Change) -> bool:
        """Return whether a change fails, ignoring exceptions."""
        for label, threshold in ((change.wire, self.wire), (change.python, self.python)):
            if label == "unknown":
                label = "breaking" if self.unknown else "compatible"
            if threshold != _NEVER and _THRESHOLDS.index(label) <= _THRESHOLDS.index(threshold):
                return True
        return False


# --- verdicts --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on whether a change fails."""

    change: Change
    outcome: Outcome  # `excepted` if the change would fail without an exception
    reason: str = ""  # the exception's reason and last day, even if the exception has expired
    use: Use | None = None  # the first use in the project, if known


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on the changes in a report."""

    report: Report
    verdicts: tuple[Verdict, ...]  # one verdict for each change in the report
    unused: int  # the number of changes to parts that the project does not use
    notes: tuple[Problem, ...]  # notes about exceptions that match no failing change

    @property
    def fails(self) -> bool:
        """True if any change fails."""
        return any(verdict.outcome == "fails" for verdict in self.verdicts)


def judge(report: Report, policy: Policy, uses: Uses | None, today: date) -> Judgement:
    """Return the verdicts on the changes in a report.

    If `uses` is given, changes to unused parts are omitted. An exception applies if its last day is
    `today` or later.
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
        reason = f"its exception expired on {entry.until}: {entry.reason}"
        return Verdict(change, "fails", reason, use)
    return Verdict(change, "excepted", f"until {entry.until}: {entry.reason}", use)


def _unmatched(policy: Policy, verdicts: Sequence[Verdict]) -> Iterator[Problem]:
    """Yield notes about exceptions that match no failing change."""
    needing = [verdict.change for verdict in verdicts if verdict.outcome != "passes"]
    for index, entry in enumerate(policy.exceptions):
        if not any(map(entry.is_about, needing)):
            message = f"{entry.name!r} has no failing change {entry.what!r}; remove the exception"
            yield Problem(policy.file, pointer("exceptions", index), "unmatched", message)


# --- files -----------------------------------------------------------------------------------


def read_policy(path: Path) -> Policy:
    """Read a policy.

    Raises:
        InputError: If the file is not valid TOML or contains unknown keys or values. The error
            lists every problem.
    """
    file = display_path(path)
    try:
        table = toml.loads(path.read_text("utf-8"))
    except (UnicodeDecodeError, toml.TOMLDecodeError) as error:
        message = f"is not valid TOML ({error}); fix the file"
        raise InputError([Problem(file, "", "policy", message)]) from error
    problems = [Problem(file, at, "policy", message) for at, message in _check(table)]
    if problems:
        raise InputError(problems)
    entries = tuple(ExceptionEntry(**entry) for entry in table.get("exceptions", ()))
    return Policy(**table.get("fail", {}), exceptions=entries, file=file)


def _check(table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield pointers to unknown keys and invalid values in a policy, with messages."""
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
        yield "/exceptions", "must be tables; write [[exceptions]] before each exception"
        return
    for index, entry in enumerate(exceptions):
        at = pointer("exceptions", index)
        yield from _unknown(at, entry, _ENTRY)
        for key, kind in _ENTRY.items():
            value = entry.get(key)
            if type(value) is not kind or value == "":
                advice = "a date, such as 2030-01-31" if kind is date else "a non-empty string"
                listed = ", ".join(_ENTRY)
                yield at + pointer(key), f"must be {advice}; an exception requires {listed}"


def _unknown(at: str, table: dict[str, Any], known: Iterable[str]) -> Iterator[tuple[str, str]]:
    for key in table.keys() - set(known):
        yield at + pointer(key), f"unknown key; use one of {', '.join(known)}"
