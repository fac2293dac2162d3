"""Test cases for comparisons: two small schemas, and the expected rows of the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from tests.acpgen.diff.small import STRING, Schema, record, tagged

# A row of the report: subject, name, action, the initials of the wire and Python labels, `r` if
# the new side decodes messages from an old peer, and `w` if an old peer accepts messages from the
# new side. Example: "field Thing.x removed CB rw".
Row: TypeAlias = str


@dataclass(frozen=True)
class Case:
    """Two versions of a schema, and the expected rows of the report about them."""

    old: dict[str, Schema]
    new: dict[str, Schema]
    rows: list[Row]
    # The old and the new name of the definition whose instances are decoded. None if the case isn't
    # about types.
    root: tuple[str, str] | None = ("Thing", "Thing")
    # Additional instances of the old definition, which random generation doesn't find.
    also: tuple[Any, ...] = ()
    back: tuple[Any, ...] = ()  # the same for the new definition


def member(old: Schema | None, new: Schema | None, *rows: Row, **others: Schema) -> Case:
    """Return a case that adds, removes or changes the optional field `x` of `Thing`.

    Args:
        old: The old schema of the field, or None if the field is added.
        new: The new schema of the field, or None if the field is removed.
        others: Other definitions, which don't change.
    """
    was = record("a", a=STRING, **({} if old is None else {"x": old}))
    is_now = record("a", a=STRING, **({} if new is None else {"x": new}))
    return Case({"Thing": was, **others}, {"Thing": is_now, **others}, list(rows))


def thing(old: Schema, new: Schema, *rows: Row, **others: Schema) -> Case:
    return Case({"Thing": old, **others}, {"Thing": new, **others}, list(rows))


def named(name: str, old: Schema, new: Schema, *rows: Row, **others: Schema) -> Case:
    """Return a case that changes a definition whose name is listed in policy.toml."""
    return Case({name: old, **others}, {name: new, **others}, list(rows), (name, name))


REPLACED = "type Thing.x changed BB --"
WIDER, NARROWER = "type Thing.x changed BB r-", "type Thing.x changed BB -w"

STRINGS = {"type": "array", "items": STRING}
PARTS = {"Part": record("p", p=STRING), "Other": record("o", o=STRING)}
SOME = (tagged("part", "Part"), tagged("other", "Other"))
