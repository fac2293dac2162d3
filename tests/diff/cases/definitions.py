"""Definitions that come, go or are renamed; vendor keywords."""

from __future__ import annotations

from diff.cases.case import PARTS, REPLACED, SOME, STRINGS, B, C, Case, I, Row, at_x, member, thing
from diff.small import (
    ON_ERROR,
    ON_NULL,
    SKIP,
    STRING,
    record,
    ref,
    tagged,
    union,
)

DEFINITIONS = {
    "nothing": thing(record(a=STRING), record(a=STRING)),
    "words only": thing(
        {**record(a=STRING), "description": "one"}, {**record(a=STRING), "description": "other"}
    ),
    "order of members": thing(record(a=STRING, b=STRING), record(b=STRING, a=STRING)),
    "order of definitions": Case(
        {"Thing": record(a=STRING), "Part": STRING}, {"Part": STRING, "Thing": record(a=STRING)}, []
    ),
    "added": Case(
        {"Thing": STRING},
        {"Thing": STRING, "Part": record(p=STRING)},
        [("definition", "Part", "added", I, C, True, True)],
    ),
    "removed": Case(
        {"Thing": STRING, "Part": record(p=STRING)},
        {"Thing": STRING},
        [("definition", "Part", "removed", I, B, True, True)],
    ),
    "renamed, by the member that holds it": Case(
        {"Thing": record(x=ref("Part")), "Part": record("p", p=STRING)},
        {"Thing": record(x=ref("Piece")), "Piece": record("p", p=STRING)},
        [("definition", "Part", "renamed", I, B, True, True)],
    ),
    "renamed, by the items of the member that holds them": Case(
        {
            "Thing": record(x={"type": "array", "items": ref("Part")}),
            "Part": record("p", p=STRING),
        },
        {
            "Thing": record(x={"type": ["array", "null"], "items": ref("Piece")}),
            "Piece": record("p", p=STRING),
        },
        [
            ("definition", "Part", "renamed", I, B, True, True),
            at_x("nullability", B, B, True, False),
        ],
    ),
    "renamed, by the arm that leads to it": Case(
        {"Thing": union(*SOME), **PARTS},
        {
            "Thing": union(tagged("part", "Piece"), tagged("other", "Other")),
            "Piece": PARTS["Part"],
            "Other": PARTS["Other"],
        },
        [("definition", "Part", "renamed", I, B, True, True)],
    ),
    "renamed, by its structure": Case(
        {"Thing": record("a", "b", a=STRING, b=STRING)},
        {"Other": record("a", "b", a=STRING, b=STRING)},
        [("definition", "Thing", "renamed", I, B, True, True)],
        ("Thing", "Other"),
    ),
    "renamed and changed": Case(
        {"Thing": record(x=ref("Part")), "Part": record("p", "q", p=STRING, q=STRING)},
        {
            "Thing": record(x=ref("Piece")),
            "Piece": record("p", "q", "r", p=STRING, q=STRING, r=STRING),
        },
        [
            ("definition", "Part", "renamed", I, B, True, True),
            ("member", "Piece.r", "added", B, B, False, True),
        ],
    ),
    "not renamed, for it is another thing": Case(
        {"Thing": record(x=ref("Part")), "Part": record("p", p=STRING)},
        {"Thing": record(x=ref("Piece")), "Piece": record("q", q=STRING)},
        [
            ("definition", "Part", "removed", I, B, True, True),
            ("definition", "Piece", "added", I, C, True, True),
            REPLACED,
        ],
    ),
    "not renamed, for there are two like it": Case(
        {"Thing": STRING, "Part": record("p", "q", p=STRING, q=STRING)},
        {
            "Thing": STRING,
            "Piece": record("p", "q", p=STRING, q=STRING),
            "Bit": record("p", "q", p=STRING, q=STRING),
        },
        [
            ("definition", "Bit", "added", I, C, True, True),
            ("definition", "Part", "removed", I, B, True, True),
            ("definition", "Piece", "added", I, C, True, True),
        ],
    ),
}


def keyword(name: str) -> Row:
    """The row of a change to a vendor keyword, which affects neither valid messages nor code."""
    return (f"x-deserialize-{name}", "Thing.x", "changed", C, I, True, True)


KEYWORDS = {
    "default on error added": member(STRING, {**STRING, **ON_ERROR}, keyword("default-on-error")),
    "default on error removed": member({**STRING, **ON_ERROR}, STRING, keyword("default-on-error")),
    "default on error is another one": member(
        {**STRING, **ON_ERROR, "default": "one"},
        {**STRING, **ON_ERROR, "default": "two"},
        keyword("default-on-error"),
    ),
    "default on null added": member(STRINGS, {**STRINGS, **ON_NULL}, keyword("default-on-null")),
    "default on null removed": member({**STRINGS, **ON_NULL}, STRINGS, keyword("default-on-null")),
    "skip invalid items added": member(STRINGS, {**STRINGS, **SKIP}, keyword("skip-invalid-items")),
    "skip invalid items removed": member(
        {**STRINGS, **SKIP}, STRINGS, keyword("skip-invalid-items")
    ),
}
