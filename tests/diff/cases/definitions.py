"""Definitions that come, go or are renamed; vendor keywords."""

from __future__ import annotations

from diff.cases.case import PARTS, REPLACED, SOME, STRINGS, Case, member, thing
from diff.small import ON_ERROR, ON_NULL, SKIP, STRING, record, ref, tagged, union

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
        ["definition Part added IC rw"],
    ),
    "renamed, by the member that holds it": Case(
        {"Thing": record(x=ref("Part")), "Part": record("p", p=STRING)},
        {"Thing": record(x=ref("Piece")), "Piece": record("p", p=STRING)},
        ["definition Part renamed IB rw"],
    ),
    "renamed, by the items of the member that holds them": Case(
        {"Thing": record(x={"type": "array", "items": ref("Part")}), "Part": record("p", p=STRING)},
        {
            "Thing": record(x={"type": ["array", "null"], "items": ref("Piece")}),
            "Piece": record("p", p=STRING),
        },
        ["definition Part renamed IB rw", "nullability Thing.x changed BB r-"],
    ),
    "renamed, by the arm that leads to it": Case(
        {"Thing": union(*SOME), **PARTS},
        {
            "Thing": union(tagged("part", "Piece"), tagged("other", "Other")),
            "Piece": PARTS["Part"],
            "Other": PARTS["Other"],
        },
        ["definition Part renamed IB rw"],
    ),
    "renamed, by its structure": Case(
        {"Thing": record("a", "b", a=STRING, b=STRING)},
        {"Other": record("a", "b", a=STRING, b=STRING)},
        ["definition Thing renamed IB rw"],
        ("Thing", "Other"),
    ),
    "renamed and changed": Case(
        {"Thing": record(x=ref("Part")), "Part": record("p", "q", p=STRING, q=STRING)},
        {
            "Thing": record(x=ref("Piece")),
            "Piece": record("p", "q", "r", p=STRING, q=STRING, r=STRING),
        },
        ["definition Part renamed IB rw", "member Piece.r added BB -w"],
    ),
    "not renamed, for it is another thing": Case(
        {"Thing": record(x=ref("Part")), "Part": record("p", p=STRING)},
        {"Thing": record(x=ref("Piece")), "Piece": record("q", q=STRING)},
        ["definition Part removed IB rw", "definition Piece added IC rw", REPLACED],
    ),
    "not renamed, for there are two like it": Case(
        {"Thing": STRING, "Part": record("p", "q", p=STRING, q=STRING)},
        {
            "Thing": STRING,
            "Piece": record("p", "q", p=STRING, q=STRING),
            "Bit": record("p", "q", p=STRING, q=STRING),
        },
        [
            "definition Bit added IC rw",
            "definition Part removed IB rw",
            "definition Piece added IC rw",
        ],
    ),
}


KEYWORDS = {
    "default on error added": member(
        STRING, {**STRING, **ON_ERROR}, "x-deserialize-default-on-error Thing.x changed CI rw"
    ),
    "default on error is another one": member(
        {**STRING, **ON_ERROR, "default": "one"},
        {**STRING, **ON_ERROR, "default": "two"},
        "x-deserialize-default-on-error Thing.x changed CI rw",
    ),
    "default on null added": member(
        STRINGS, {**STRINGS, **ON_NULL}, "x-deserialize-default-on-null Thing.x changed CI rw"
    ),
    "skip invalid items added": member(
        STRINGS, {**STRINGS, **SKIP}, "x-deserialize-skip-invalid-items Thing.x changed CI rw"
    ),
}
