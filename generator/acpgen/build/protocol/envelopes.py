"""Read the envelopes: which params and results the schema lists, and who sends them.

An envelope is a definition that the schema marks with `x-docs-ignore`. Its name says who sends it
and what it is: `AgentRequest` lists the params of every request that the agent sends (and the
client handles), `AgentResponse` the results of the requests that the agent handles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from acpgen.build.context import BuildContext
from acpgen.diagnostics import pointer
from acpgen.inputs import json_schema
from acpgen.inputs.document import REF_PREFIX, Document, JsonObject
from acpgen.ir import naming

_NAME = re.compile(r"([A-Za-z]+?)(Request|Response|Notification)")
# Who handles what each sender sends. Any other sender, such as a proxy, handles its own methods.
_HANDLED_BY = {"Agent": "client", "Client": "agent", "ProtocolLevel": "protocol"}


@dataclass(frozen=True, slots=True)
class Call:
    """Params that an envelope lists.

    Attributes:
        side: who handles the call.
        kind: `request` or `notification`.
        params: the definition of the params.
        at: the pointer to the envelope.
        null_id: whether the id of the request may be null.
    """

    side: str
    kind: str
    params: str
    at: str
    null_id: bool = True


@dataclass(frozen=True, slots=True)
class Listed:
    """The contents of all envelopes of a schema.

    Attributes:
        calls: the params that they list.
        results: the pointer to the envelope that lists a result, by side and definition.
    """

    calls: tuple[Call, ...]
    results: dict[tuple[str, str], str]

    def names(self) -> set[str]:
        """The definitions that are listed."""
        return {call.params for call in self.calls} | {name for _, name in self.results}


def read_envelopes(document: Document, context: BuildContext) -> Listed:
    """Read all envelopes; contradictions become problems of the context."""
    calls: list[Call] = []
    results: dict[tuple[str, str], str] = {}
    for name, schema in document.definitions.items():
        if not schema.get("x-docs-ignore"):
            continue
        at = pointer("$defs", name)
        match = _NAME.fullmatch(name)
        if match is None:
            message = (
                "is an envelope whose name does not say who sends it; end its name in Request,"
                " Response or Notification"
            )
            context.problem(at, "direction", message)
            continue
        sender, kind = match[1], match[2].lower()
        own_side = naming.snake(sender)
        side = own_side if kind == "response" else _HANDLED_BY.get(sender, own_side)
        if not naming.is_side_name(side):
            message = f"needs a module {side!r}, and every surface has one already; rename it"
            context.problem(at, "name-collision", message)
        if kind == "response":
            results |= {(side, each): at for each in _referred(schema, "result")}
        else:
            null_id = _takes_null_id(schema, document.definitions)
            calls += [Call(side, kind, each, at, null_id) for each in _referred(schema, "params")]
    if calls:
        listed = Listed(tuple(calls), results).names()
        calls += _protocol_calls(document, listed)
    return Listed(tuple(calls), results)


def _protocol_calls(document: Document, listed: set[str]) -> list[Call]:
    """Notifications that either side may send: the root refers to them beside the envelopes."""
    definitions = document.definitions
    root = {key: value for key, value in document.root.items() if key != "$defs"}
    return [
        Call("protocol", "notification", name, "/anyOf")
        for name in dict.fromkeys(_references(root))
        if name not in listed and "x-method" in definitions[name]
    ]


def _takes_null_id(schema: JsonObject, definitions: JsonObject) -> bool:
    """Whether an envelope allows its `id` to be null, or says nothing about it."""
    stated = list(_stated(schema, "id"))
    return not stated or any("null" in json_schema.json_types(each, definitions) for each in stated)


def _referred(schema: JsonObject, member: str) -> list[str]:
    """The definitions that a member of an object, or of its alternatives, refers to."""
    return list(dict.fromkeys(_references(list(_stated(schema, member)))))


def _stated(schema: JsonObject, member: str) -> Iterator[Any]:
    """The schemas of a member of an object, or of its alternatives."""
    for key in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(key, ()):
            yield from _stated(part, member)
    if member in schema.get("properties", {}):
        yield schema["properties"][member]


def _references(schema: Any) -> Iterator[str]:
    """The definitions that a schema refers to, at any depth."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix(REF_PREFIX)
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)
