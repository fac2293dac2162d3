"""Members that come and go, are required, or may be null."""

from __future__ import annotations

from diff.cases.case import B, C, Case, I, at_x, member, thing
from diff.small import (
    MAYBE,
    ON_ERROR,
    ON_NULL,
    STRING,
    record,
    ref,
)

PRESENCE = {
    "member added, optional": member(
        None, STRING, ("member", "Thing.x", "added", C, C, True, True)
    ),
    "member added, required": thing(
        record("a", a=STRING),
        record("a", "x", a=STRING, x=STRING),
        ("member", "Thing.x", "added", B, B, False, True),
    ),
    "member removed, optional": member(
        STRING, None, ("member", "Thing.x", "removed", C, B, True, True)
    ),
    "member removed, required": thing(
        record("a", "x", a=STRING, x=STRING),
        record("a", a=STRING),
        ("member", "Thing.x", "removed", B, B, True, False),
    ),
    "member added to an object in place": member(
        record(y=STRING),
        record(y=STRING, z=STRING),
        ("member", "ThingX.z", "added", C, C, True, True),
    ),
    "optional to required": thing(
        record(x=STRING), record("x", x=STRING), at_x("presence", B, B, False, True)
    ),
    "required to optional": thing(
        record("x", x=STRING), record(x=STRING), at_x("presence", B, B, True, False)
    ),
    "optional to required, with a repair of what is bad": thing(
        record(x={"type": "array", "items": STRING, **ON_ERROR}),
        record("x", x={"type": "array", "items": STRING, **ON_ERROR}),
        at_x("presence", B, B, False, True),
    ),
    "member renamed, required": Case(
        {"Thing": record("x", x=ref("Part")), "Part": record(p=STRING)},
        {"Thing": record("y", y=ref("Part")), "Part": record(p=STRING)},
        [("member", "Thing.x", "renamed", B, B, False, False)],
    ),
    "member renamed, optional": Case(
        {"Thing": record(x=ref("Part")), "Part": record(p=STRING)},
        {"Thing": record(y=ref("Part")), "Part": record(p=STRING)},
        [("member", "Thing.x", "renamed", C, B, True, True)],
    ),
    "members of one type renamed, so that none can be told": Case(
        {"Thing": record(x=ref("Part"), y=ref("Part")), "Part": record(p=STRING)},
        {"Thing": record(z=ref("Part")), "Part": record(p=STRING)},
        [
            ("member", "Thing.x", "removed", C, B, True, True),
            ("member", "Thing.y", "removed", C, B, True, True),
            ("member", "Thing.z", "added", C, C, True, True),
        ],
    ),
    "member of a plain type renamed, which nothing says": Case(
        {"Thing": record(x=STRING)},
        {"Thing": record(y=STRING)},
        [
            ("member", "Thing.x", "removed", C, B, True, True),
            ("member", "Thing.y", "added", C, C, True, True),
        ],
    ),
}


NULL = {
    "not null to null": member(STRING, MAYBE, at_x("nullability", B, B, True, False)),
    "null to not null": member(MAYBE, STRING, at_x("nullability", B, B, False, True)),
    "not null to null, where what is bad is repaired": member(
        {**STRING, **ON_ERROR}, {**MAYBE, **ON_ERROR}, at_x("nullability", C, B, True, True)
    ),
    "null to not null, where what is bad is repaired": member(
        {**MAYBE, **ON_ERROR}, {**STRING, **ON_ERROR}, at_x("nullability", C, B, True, True)
    ),
    "null to not null, where null is repaired": member(
        {"type": ["array", "null"], "items": STRING},
        {"type": "array", "items": STRING, **ON_NULL},
        at_x("nullability", C, B, True, True),
        ("x-deserialize-default-on-null", "Thing.x", "changed", C, I, True, True),
    ),
    "any JSON to a string or null": member({}, MAYBE, at_x("type", B, B, False, True)),
    "a string or null to any JSON": member(MAYBE, {}, at_x("type", B, B, True, False)),
    "null by an alias": member(MAYBE, ref("Maybe"), at_x("type", I, I, True, True), Maybe=MAYBE),
}
