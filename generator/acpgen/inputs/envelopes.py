"""Find the envelopes of a schema: the definitions that only say how messages are framed.

Their names differ between revisions, and `x-docs-ignore` also marks plain types. An envelope is
known by what it refers to and by what refers to it:

- It is a JSON-RPC message (an object with `params`, `result` or `error`), a union of such messages,
  or a union of nothing but references: a list of params or results.
- Only the document itself and other envelopes refer to it.
- The schema marks it with `x-docs-ignore`, or it leads to definitions with a method.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from acpgen.inputs import json_schema
from acpgen.inputs.document import REF_PREFIX, JsonObject

_MESSAGE = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})
_CONTENT = frozenset({"params", "result", "error"})


def find_envelopes(definitions: JsonObject) -> frozenset[str]:
    """Return the names of the definitions that are envelopes."""
    found = {
        name
        for name, schema in definitions.items()
        if "x-method" not in schema and (is_message(schema) or is_list(schema))
    }
    uses = {name: set(references(schema)) for name, schema in definitions.items()}
    while True:
        used = {target for name in uses.keys() - found for target in uses[name]}
        if not found & used:
            break
        found -= used
    return frozenset(
        name
        for name in found
        if definitions[name].get("x-docs-ignore") or _leads_to_method(name, definitions, found)
    )


def is_message(schema: JsonObject) -> bool:
    """Whether a schema is a JSON-RPC message, or a union of such messages."""
    names = schema.get("properties", {}).keys()
    arms = [arm for choice in json_schema.choices(schema, "") for _, arm in choice.arms]
    if not names <= _MESSAGE or (not names and not arms):
        return False
    return bool(names & _CONTENT) or (
        bool(arms) and all(isinstance(arm, dict) and is_message(arm) for arm in arms)
    )


def is_list(schema: JsonObject) -> bool:
    """Whether a schema is a union of references, perhaps beside arms that name no members."""
    if schema.get("properties"):
        return False
    arms = [arm for choice in json_schema.choices(schema, "") for _, arm in choice.arms]
    named = [arm for arm in arms if json_schema.ref_target(arm) is not None]
    rest = [arm for arm in arms if json_schema.ref_target(arm) is None]
    return bool(named) and all(
        is_list(arm) or not json_schema.without_annotations(arm).keys() - {"type"} for arm in rest
    )


def references(schema: Any) -> Iterator[str]:
    """The definitions that a schema refers to, at any depth, in their order."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix(REF_PREFIX)
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def _leads_to_method(name: str, definitions: JsonObject, envelopes: set[str]) -> bool:
    pending, seen = [name], {name}
    while pending:
        for target in references(definitions[pending.pop()]):
            if "x-method" in definitions[target]:
                return True
            if target in envelopes and target not in seen:
                seen.add(target)
                pending.append(target)
    return False
