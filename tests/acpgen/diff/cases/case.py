"""A case of a comparison: two small schemas, and the rows of the report about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from tests.acpgen.diff.small import STRING, Schema, record, tagged

# Subject, name, action, first letters of the labels (wire, Python), `r` and `w` if the old peer
# still accepts and sends valid messages: "member Thing.x removed CB rw".
Row: TypeAlias = str


@dataclass(frozen=True)
class Case:
    """Two schemas and the rows of their report."""

    old: dict[str, Schema]
    new: dict[str, Schema]
    rows: list[Row]
    # The name of the definition with the decoded instances, before and after; None if the case is
    # not about types
    root: tuple[str, str] | None = ("Thing", "Thing")
    # Instances of the old definition that random generation doesn't find
    also: tuple[Any, ...] = ()
    back: tuple[Any, ...] = ()  # the same for the new definition


def member(old: Schema | None, new: Schema | None, *rows: Row, **others: Schema) -> Case:
    """Return a change to the optional field `x` of `Thing`, or its addition or removal.

    Args:
        old: None if the field is added.
        new: None if the field is removed.
        others: other definitions, which are unchanged.
    """
    was = record("a", a=STRING, **({} if old is None else {"x": old}))
    is_now = record("a", a=STRING, **({} if new is None else {"x": new}))
    return Case({"Thing": was, **others}, {"Thing": is_now, **others}, list(rows))


def thing(old: Schema, new: Schema, *rows: Row, **others: Schema) -> Case:
    return Case({"Thing": old, **others}, {"Thing": new, **others}, list(rows))


def named(name: str, old: Schema, new: Schema, *rows: Row, **others: Schema) -> Case:
    """Return a change to a definition with an entry in policy.toml."""
    return Case({name: old, **others}, {name: new, **others}, list(rows), (name, name))


REPLACED = "type Thing.x changed BB --"
WIDER, NARROWER = "type Thing.x changed BB r-", "type Thing.x changed BB -w"

STRINGS = {"type": "array", "items": STRING}
PARTS = {"Part": record("p", p=STRING), "Other": record("o", o=STRING)}
SOME = (tagged("part", "Part"), tagged("other", "Other"))
