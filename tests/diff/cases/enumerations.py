"""Constants of enumerations."""

from __future__ import annotations

from diff.cases.case import WIDER, member, named, thing
from diff.small import INTEGER, STRING, listed

ENUMS = {
    "value added in place": member(
        listed("a", "b"), listed("a", "b", "c"), "value Thing.x[c] added BB r-"
    ),
    "value added to an open one": member(
        listed("a", other=STRING), listed("a", "b", other=STRING), "value Thing.x[b] added CC rw"
    ),
    # The default mode keeps unlisted values, as it keeps unlisted variants of a union.
    "value added to a definition": thing(
        listed("a", "b"), listed("a", "b", "c"), "value Thing[c] added CC rw"
    ),
    "value added to what the policy closes": named(
        "PermissionOptionKind",
        listed("a", "b"),
        listed("a", "b", "c"),
        "value PermissionOptionKind[c] added BB r-",
    ),
    "integer added to a closed one": thing(
        listed(1, 2), listed(1, 2, 3), "value Thing[3] added BB r-"
    ),
    "integer added to an open one": thing(
        listed(1, other=INTEGER), listed(1, 2, other=INTEGER), "value Thing[2] added CC rw"
    ),
    "value renamed in place": member(
        listed("a", "b"),
        listed("a", "c"),
        "value Thing.x[b] removed BB -w",
        "value Thing.x[c] added BB r-",
    ),
    "opened in place": member(
        listed("a"), listed("a", other=STRING), "openness Thing.x changed BB r-"
    ),
    "opened definition": thing(
        listed("a"), listed("a", other=STRING), "openness Thing changed CC rw"
    ),
    "closed what the policy closes": named(
        "PermissionOptionKind",
        listed("a", other=STRING),
        listed("a"),
        "openness PermissionOptionKind changed BB -w",
    ),
    "strings to integers": thing(listed("a"), listed(1), "shape Thing changed BB --"),
    "least length of other values": member(
        listed("a", other=STRING),
        listed("a", other={**STRING, "minLength": 1}),
        "type Thing.x changed BC -w",
    ),
    "a string to a closed enumeration": member(STRING, listed("a"), "type Thing.x changed BB -w"),
    "an open enumeration to a string": member(
        listed("a", other=STRING), STRING, "type Thing.x changed CC rw"
    ),
    "value added to items": member(
        {"type": "array", "items": listed("a")}, {"type": "array", "items": listed("a", "b")}, WIDER
    ),
}
