"""The names of the official SDK, and what they are in the package: the table, read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from acpgen.common import toml

_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
_FILE = Path(__file__).with_name("official_sdk.toml")


@dataclass(frozen=True, slots=True)
class Row:
    """A name of the SDK; the head of `official_sdk.toml` says more.

    Attributes:
        sdk: the name, or a pattern for several.
        here: the names that stand for it here.
        note: what differs, or what to do if there is no such name.
        until: the last minor version of the SDK that has it; empty if the current one does.
        params: the parameters of a method, in the order of each version.
        call: the same call of a helper here, as a Python expression.
    """

    sdk: str
    here: tuple[str, ...] = ()
    note: str = ""
    until: str = ""
    params: tuple[tuple[str, ...], ...] = ()
    call: str = ""

    def advice(self) -> str:
        """What to do where the name cannot be replaced by a program."""
        names = " or ".join(f"`{name}`" for name in self.here)
        note = _LINK.sub(r"\1 in the guide", self.note)
        return " ".join(part for part in (f"here {names}." if names else "", note) if part)


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of one kind, with a title and what holds for all of them."""

    title: str
    text: str
    rows: tuple[Row, ...]


@cache
def groups() -> tuple[Group, ...]:
    """The whole table."""
    return tuple(
        Group(group["title"], group.get("text", ""), tuple(map(_row, group["rows"])))
        for group in _table()["group"]
    )


@cache
def tags() -> frozenset[str]:
    """The members that tell the arms of unions apart in the SDK, and are none here."""
    return frozenset(_table()["tags"])


def rows() -> list[Row]:
    """The rows of all groups."""
    return [row for group in groups() for row in group.rows]


def find(name: str) -> Row | None:
    """The row of a name: its own, or the first whose pattern matches."""
    exact = _by_name().get(name)
    matching = (row for row in rows() if fnmatchcase(name, row.sdk))
    return exact or next(matching, None)


@cache
def defaults() -> dict[str, str]:
    """The required members that a call may leave out in the SDK, with what it sends then."""
    return dict(_table()["defaults"])


@cache
def _table() -> dict[str, Any]:
    return toml.loads(_FILE.read_text(encoding="utf-8"))


@cache
def _by_name() -> dict[str, Row]:
    # The first module of a name may be left out where its names are told apart without it.
    bare = {row.sdk.partition(".")[2]: row for row in rows() if row.sdk.startswith("helpers.")}
    return bare | {row.sdk: row for row in rows()}


def _row(row: dict[str, Any]) -> Row:
    return Row(
        sdk=row["sdk"],
        here=tuple(row["here"].split(", ")) if "here" in row else (),
        note=row.get("note", ""),
        until=row.get("until", ""),
        params=tuple(tuple(order.split()) for order in row.get("params", ())),
        call=row.get("call", ""),
    )
