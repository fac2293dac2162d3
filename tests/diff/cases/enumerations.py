"""Constants of enumerations."""

from __future__ import annotations

from diff.cases.case import WIDER, B, C, at, at_x, member, named, thing
from diff.small import (
    INTEGER,
    STRING,
    listed,
)

ENUMS = {
    "value added in place": member(
        listed("a", "b"),
        listed("a", "b", "c"),
        ("value", "Thing.x[c]", "added", B, B, True, False),
    ),
    "value removed in place": member(
        listed("a", "b"), listed("a"), ("value", "Thing.x[b]", "removed", B, B, False, True)
    ),
    "value added to an open one": member(
        listed("a", other=STRING),
        listed("a", "b", other=STRING),
        ("value", "Thing.x[b]", "added", C, C, True, True),
    ),
    "value removed from an open one": member(
        listed("a", "b", other=STRING),
        listed("a", other=STRING),
        ("value", "Thing.x[b]", "removed", C, C, True, True),
    ),
    # The default mode keeps unlisted values, as it keeps unlisted variants of a union.
    "value added to a definition": thing(
        listed("a", "b"),
        listed("a", "b", "c"),
        ("value", "Thing[c]", "added", C, C, True, True),
    ),
    "value removed from a definition": thing(
        listed("a", "b"), listed("a"), ("value", "Thing[b]", "removed", C, C, True, True)
    ),
    "value added to what the policy closes": named(
        "PermissionOptionKind",
        listed("a", "b"),
        listed("a", "b", "c"),
        ("value", "PermissionOptionKind[c]", "added", B, B, True, False),
    ),
    "value removed from what the policy closes": named(
        "PermissionOptionKind",
        listed("a", "b"),
        listed("a"),
        ("value", "PermissionOptionKind[b]", "removed", B, B, False, True),
    ),
    "integer added to a closed one": thing(
        listed(1, 2), listed(1, 2, 3), ("value", "Thing[3]", "added", B, B, True, False)
    ),
    "integer added to an open one": thing(
        listed(1, other=INTEGER),
        listed(1, 2, other=INTEGER),
        ("value", "Thing[2]", "added", C, C, True, True),
    ),
    "value renamed in place": member(
        listed("a", "b"),
        listed("a", "c"),
        ("value", "Thing.x[b]", "removed", B, B, False, True),
        ("value", "Thing.x[c]", "added", B, B, True, False),
    ),
    "opened in place": member(
        listed("a"), listed("a", other=STRING), at_x("openness", B, B, True, False)
    ),
    "closed in place": member(
        listed("a", other=STRING), listed("a"), at_x("openness", B, B, False, True)
    ),
    "opened definition": thing(
        listed("a"), listed("a", other=STRING), at("openness", C, C, True, True)
    ),
    "closed definition": thing(
        listed("a", other=STRING), listed("a"), at("openness", C, C, True, True)
    ),
    "closed what the policy closes": named(
        "PermissionOptionKind",
        listed("a", other=STRING),
        listed("a"),
        ("openness", "PermissionOptionKind", "changed", B, B, False, True),
    ),
    "strings to integers": thing(listed("a"), listed(1), at("shape", B, B, False, False)),
    "least length of other values": member(
        listed("a", other=STRING),
        listed("a", other={**STRING, "minLength": 1}),
        at_x("type", B, C, False, True),
    ),
    "a string to a closed enumeration": member(
        STRING, listed("a"), at_x("type", B, B, False, True)
    ),
    "an open enumeration to a string": member(
        listed("a", other=STRING), STRING, at_x("type", C, C, True, True)
    ),
    "value added to items": member(
        {"type": "array", "items": listed("a")},
        {"type": "array", "items": listed("a", "b")},
        WIDER,
    ),
}
