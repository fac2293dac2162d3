"""A policy: which changes fail, and the exceptions, each with a reason and an end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from acpgen.common import toml
from acpgen.common.display import display_path
from acpgen.common.pointers import pointer
from acpgen.common.problems import InputError, Problem
from acpgen.diff.changes import LABELS, Change, Label

# The mildest labels that may be set to fail, after the worst; with the last, nothing fails.
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
        """Whether this is the change."""
        return (self.name, self.what) == (change.name, change.what)


@dataclass(frozen=True, slots=True)
class Policy:
    """Which changes fail.

    Attributes:
        wire: the mildest effect on messages that fails: a label, or `never`.
        python: the mildest effect on code that fails, likewise.
        unknown: whether an unknown effect counts as breaking, and not as compatible.
        exceptions: the changes that do not.
        file: the file that says so.
    """

    wire: str = "breaking"
    python: str = "breaking"
    unknown: bool = True
    exceptions: tuple[ExceptionEntry, ...] = ()
    file: str = ""

    def forbids(self, change: Change) -> bool:
        """Whether a change fails, exceptions aside."""
        return self._fails(change.wire, self.wire) or self._fails(change.python, self.python)

    def _fails(self, label: Label, threshold: str) -> bool:
        if label == "unknown":
            label = "breaking" if self.unknown else "compatible"
        return _reaches(label, threshold)


def _reaches(label: Label, threshold: str) -> bool:
    return threshold != _NEVER and _THRESHOLDS.index(label) <= _THRESHOLDS.index(threshold)


def read_policy(path: Path) -> Policy:
    """Read a policy.

    Raises:
        InputError: it is no TOML, or says something that has no meaning; lists every problem.
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
    """What has no meaning in a policy: pointers and messages."""
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
