"""Differences between the laws and the schema, each with its reason.

`AMENDMENTS` lists the unions in which law 5 rejects values that the schema allows, because the tag
determines the variant. Law 3 is tested against the amended schema, so it remains an "if and only
if" statement.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from .schemas import SURFACES, CompiledOracle, Json, Schema, Surface, amended, at

V1 = ("v1", "v1_unstable")
# The surfaces of all later versions.
LATER = tuple(name for name in SURFACES if name not in V1)


@dataclass(frozen=True)
class Amendment:
    """A location in a schema where strict decoding rejects values that the schema allows."""

    surfaces: tuple[str, ...]  # where it applies
    pointer: str  # the schema to which a `not` is added, as a pointer relative to `#/$defs/`
    refused: Schema  # the schema in the added `not`
    reason: str  # why
    name: str  # the name of the definition to check `witness` against
    witness: Json  # a value that the schema allows but the law rejects


def _tag(name: str, *values: str) -> Schema:
    return {"required": [name], "properties": {name: {"enum": list(values)}}}


AMENDMENTS = (
    Amendment(
        V1,
        "AuthMethod/anyOf/1",
        _tag("type", "terminal"),
        "Law 5: the untagged agent arm would take a terminal method with bad terminal members.",
        "AuthMethod",
        {"type": "terminal", "id": "a", "name": "b", "args": 5},
    ),
    Amendment(
        ("v1",),
        "McpServer/anyOf/2",
        _tag("type", "http", "sse"),
        "Law 5: the untagged stdio arm would take a server with a tag and stdio's members.",
        "McpServer",
        {"type": "http", "name": "a", "command": "b", "args": [], "env": []},
    ),
    Amendment(
        ("v1_unstable",),
        "McpServer/anyOf/3",
        _tag("type", "http", "sse", "acp"),
        "Law 5: the untagged stdio arm would take a server with a tag and stdio's members.",
        "McpServer",
        {"type": "acp", "name": "a", "command": "b", "args": [], "env": []},
    ),
    Amendment(
        V1,
        "SetSessionConfigOptionRequest/anyOf/1",
        _tag("type", "boolean"),
        "Law 5: the untagged value id arm would take a boolean option with a string value.",
        "SetSessionConfigOptionRequest",
        {"type": "boolean", "sessionId": "s", "configId": "c", "value": "true"},
    ),
    Amendment(
        V1 + LATER,
        "MultiSelectItems/anyOf/2",
        _tag("type", "string"),
        "Law 5: the untagged titled arm would take string items without their enum.",
        "MultiSelectItems",
        {"type": "string", "anyOf": [{"const": "a", "title": "b"}]},
    ),
)

# Unions and string enumerations that are closed in the schema and in the default mode.
CLOSED_ON_PURPOSE: Mapping[str, str] = {
    "RequestPermissionOutcome": "An outcome that is not listed is no decision.",
    "PermissionOptionKind": "A kind that is not listed could allow or reject.",
    "ElicitationSchemaType": "It says what the rest of the form means.",
}

# Law 6: maps each definition to a description and to the classes that represent grants.
AUTHORITY: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "RequestPermissionOutcome": ("permission outcome", ("SelectedPermissionOutcome",)),
    "CreateElicitationResponse": ("elicitation action", ("AcceptCreateElicitationResponse",)),
    "McpServer": (
        "transport selector",
        ("McpServerHttp", "McpServerSse", "McpServerAcp", "McpServerStdio"),
    ),
    "AuthMethod": ("auth selector", ("AuthMethodAgent", "AuthMethodTerminal")),
}

# Law 2: classes whose values the schema rejects. No values of these classes are generated.
KEPT_IN_V1 = (
    "The schema closes this union: the class holds what only the default mode keeps (law 4)."
)
NOT_BUILT: Mapping[tuple[str, str], str] = {
    **{
        (surface, f"Unknown{union}"): KEPT_IN_V1
        for surface in V1
        for union in ("ContentBlock", "SessionConfigOption", "SessionUpdate", "ToolCallContent")
    },
    ("v1_unstable", "UnknownPlanUpdateContent"): KEPT_IN_V1,
}

# Law 2: fields with a fixed value, by class and field. The hints of these fields allow other
# values, because the hints are inherited from the base class.
FIXED: Mapping[tuple[str, str], object] = {("ErrorIdleStateUpdate", "stop_reason"): "error"}

# Law 2: values that a field's hint allows but its class rejects, because another class represents
# them.
REFUSED: Mapping[tuple[str, str], object] = {("IdleStateUpdate", "stop_reason"): "error"}


def amend(surface: Surface, definitions: dict[str, Schema]) -> None:
    for entry in AMENDMENTS:
        if surface.name in entry.surfaces:
            schema = at(definitions, entry.pointer)
            schema.setdefault("allOf", []).append({"not": entry.refused})


@functools.cache
def law(surface: Surface) -> CompiledOracle:
    return amended(surface, functools.partial(amend, surface))
