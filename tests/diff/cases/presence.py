"""Members that come and go, are required, or may be null."""

from __future__ import annotations

from diff.cases.case import Case, member, thing
from diff.small import MAYBE, ON_ERROR, ON_NULL, STRING, record, ref

PRESENCE = {
    "member added, optional": member(None, STRING, "member Thing.x added CC rw"),
    "member added, required": thing(
        record("a", a=STRING), record("a", "x", a=STRING, x=STRING), "member Thing.x added BB -w"
    ),
    "member added to an object in place": member(
        record(y=STRING), record(y=STRING, z=STRING), "member ThingX.z added CC rw"
    ),
    "optional to required": thing(
        record(x=STRING), record("x", x=STRING), "presence Thing.x changed BB -w"
    ),
    "optional to required, with a repair of what is bad": thing(
        record(x={"type": "array", "items": STRING, **ON_ERROR}),
        record("x", x={"type": "array", "items": STRING, **ON_ERROR}),
        "presence Thing.x changed BB -w",
    ),
    "member renamed, required": Case(
        {"Thing": record("x", x=ref("Part")), "Part": record(p=STRING)},
        {"Thing": record("y", y=ref("Part")), "Part": record(p=STRING)},
        ["member Thing.x renamed BB --"],
    ),
    "member renamed, optional": Case(
        {"Thing": record(x=ref("Part")), "Part": record(p=STRING)},
        {"Thing": record(y=ref("Part")), "Part": record(p=STRING)},
        ["member Thing.x renamed CB rw"],
    ),
    "members of one type renamed, so that none can be told": Case(
        {"Thing": record(x=ref("Part"), y=ref("Part")), "Part": record(p=STRING)},
        {"Thing": record(z=ref("Part")), "Part": record(p=STRING)},
        [
            "member Thing.x removed CB rw",
            "member Thing.y removed CB rw",
            "member Thing.z added CC rw",
        ],
    ),
    "member of a plain type renamed, which nothing says": Case(
        {"Thing": record(x=STRING)},
        {"Thing": record(y=STRING)},
        ["member Thing.x removed CB rw", "member Thing.y added CC rw"],
    ),
}


NULL = {
    "not null to null": member(STRING, MAYBE, "nullability Thing.x changed BB r-"),
    "not null to null, where what is bad is repaired": member(
        {**STRING, **ON_ERROR}, {**MAYBE, **ON_ERROR}, "nullability Thing.x changed CB rw"
    ),
    "null to not null, where null is repaired": member(
        {"type": ["array", "null"], "items": STRING},
        {"type": "array", "items": STRING, **ON_NULL},
        "nullability Thing.x changed CB rw",
        "x-deserialize-default-on-null Thing.x changed CI rw",
    ),
    "any JSON to a string or null": member({}, MAYBE, "type Thing.x changed BB -w"),
    "null by an alias": member(MAYBE, ref("Maybe"), "type Thing.x changed II rw", Maybe=MAYBE),
}
