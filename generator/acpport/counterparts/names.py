"""The table in `official_sdk.toml`, which maps SDK names to their counterparts in the package."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from acpgen.common import toml

_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")


@dataclass(frozen=True, slots=True)
class Row:
    """The row for an SDK name or a pattern. A comment in `official_sdk.toml` describes the keys."""

    sdk: str
    here: tuple[str, ...]
    note: str
    until: str
    params: tuple[tuple[str, ...], ...]
    call: str

    def advice(self) -> str:
        """Return the advice for code that cannot be converted automatically."""
        names = " or ".join(f"`{name}`" for name in self.here)
        note = _LINK.sub(r"\1 in the guide", self.note)
        return " ".join(part for part in (f"use {names}." if names else "", note) if part)


@cache
def rows() -> tuple[Row, ...]:
    """Return all rows of the table."""
    return tuple(
        Row(
            sdk=row["sdk"],
            here=tuple(row["here"].split(", ")) if "here" in row else (),
            note=row.get("note", ""),
            until=row.get("until", ""),
            params=tuple(tuple(order.split()) for order in row.get("params", ())),
            call=row.get("call", ""),
        )
        for group in _table()["group"]
        for row in group["rows"]
    )


def find(name: str) -> Row | None:
    """Return the row for a name, or else the first row with a matching pattern."""
    matching = (row for row in rows() if fnmatchcase(name, row.sdk))
    return _by_name().get(name) or next(matching, None)


@cache
def tags() -> frozenset[str]:
    """Return the names of the union tags, which are fields in the SDK but not in this package."""
    return frozenset(_table()["tags"])


@cache
def defaults() -> dict[str, str]:
    """Return the values that the SDK sends for required fields if a call omits them."""
    return dict(_table()["defaults"])


@cache
def _table() -> dict[str, Any]:
    file = Path(__file__).with_name("official_sdk.toml")
    return toml.loads(file.read_text(encoding="utf-8"))


@cache
def _by_name() -> dict[str, Row]:
    # Names in `helpers` can also be written without their module.
    bare = {row.sdk.partition(".")[2]: row for row in rows() if row.sdk.startswith("helpers.")}
    return bare | {row.sdk: row for row in rows()}
