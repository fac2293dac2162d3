"""A case of a comparison: two small schemas, and the rows of the report about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diff.small import STRING, Schema, record, tagged

B, C, I = "breaking", "compatible", "internal"  # noqa: E741

# Subject, name, action, wire, python, reads, writes.
Row = tuple[str, str, str, str, str, bool, bool]


@dataclass(frozen=True)
class Case:
    """Two schemas and the rows of their report.

    Attributes:
        root: the name of the definition whose instances are decoded, before and after. None if the
            case is not about types.
        also: instances of the old definition that drawing at random does not find.
        back: likewise, of the new one.
    """

    old: dict[str, Schema]
    new: dict[str, Schema]
    rows: list[Row]
    root: tuple[str, str] | None = ("Thing", "Thing")
    also: tuple[Any, ...] = ()
    back: tuple[Any, ...] = ()


def member(old: Schema | None, new: Schema | None, *rows: Row, **others: Schema) -> Case:
    """A change to the optional member `x` of `Thing`, or its addition or removal.

    Args:
        old: None if the member is added.
        new: None if it is removed.
        others: other definitions, which stay as they are.
    """
    was = record("a", a=STRING, **({} if old is None else {"x": old}))
    is_now = record("a", a=STRING, **({} if new is None else {"x": new}))
    return Case({"Thing": was, **others}, {"Thing": is_now, **others}, list(rows))


def thing(old: Schema, new: Schema, *rows: Row, **others: Schema) -> Case:
    """A change to the definition `Thing`."""
    return Case({"Thing": old, **others}, {"Thing": new, **others}, list(rows))


def named(name: str, old: Schema, new: Schema, *rows: Row, **others: Schema) -> Case:
    """A change to a definition that has an entry in the overlay's policy."""
    return Case({name: old, **others}, {name: new, **others}, list(rows), (name, name))


def at_x(subject: str, wire: str, python: str, reads: bool, writes: bool) -> Row:
    """The row of a change to the member `x`."""
    return (subject, "Thing.x", "changed", wire, python, reads, writes)


def at(subject: str, wire: str, python: str, reads: bool, writes: bool) -> Row:
    """The row of a change to the definition `Thing`."""
    return (subject, "Thing", "changed", wire, python, reads, writes)


REPLACED = at_x("type", B, B, False, False)
WIDER, NARROWER = at_x("type", B, B, True, False), at_x("type", B, B, False, True)

STRINGS = {"type": "array", "items": STRING}
PARTS = {"Part": record("p", p=STRING), "Other": record("o", o=STRING)}
SOME = (tagged("part", "Part"), tagged("other", "Other"))
