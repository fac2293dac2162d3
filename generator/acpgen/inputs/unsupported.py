"""Find the parts of a schema that the generator would ignore, so that they are refused instead.

Each check looks at how the keywords of one schema object combine; `document` has checked each
keyword on its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from acpgen.diagnostics import pointer
from acpgen.inputs import json_schema
from acpgen.inputs.document import JsonObject
from acpgen.inputs.json_schema import COMBINERS

# Keywords that determine the JSON type of a value, directly or through another schema.
_TYPED = frozenset({"type", "const", "enum", "properties", "$ref", *COMBINERS})
_OF_RECORDS = frozenset({"type", "properties", "required", "additionalProperties", *COMBINERS})
_REPAIRS = "x-deserialize-"

# A pointer, and a message that says what is wrong there and what to do about it.
_Finding: TypeAlias = tuple[str, str]


def find_unsupported(at: str, schema: JsonObject) -> Iterator[_Finding]:
    """Find the parts of one schema object that the generator would ignore.

    Args:
        at: the pointer to the schema object.
        schema: the schema object.

    Yields:
        The pointer of each such part, and a message that says what to do about it.
    """
    assertions = json_schema.without_annotations(schema)
    yield from _combinations(at, assertions)
    yield from _booleans(at, schema)
    yield from _maps(at, schema, assertions)
    yield from _constants(at, assertions)
    yield from _repairs(at, schema)
    if "not" in assertions and not any(
        json_schema.excluded_tags(schema, name) is not None for name in schema.get("properties", ())
    ):
        yield f"{at}/not", "is only supported in an arm for all other tags; express it differently"
    if "pattern" in assertions and not _compiles(assertions["pattern"]):
        yield f"{at}/pattern", "is not a regular expression in Python; write it differently"


def _combinations(at: str, assertions: JsonObject) -> Iterator[_Finding]:
    """Keywords that are ignored because of others beside them."""
    if "$ref" in assertions and len(assertions) > 1:
        others = ", ".join(sorted(assertions.keys() - {"$ref"}))
        yield f"{at}/$ref", f"{others} would be ignored beside it; move the $ref into allOf"
    elif "anyOf" in assertions and "oneOf" in assertions:
        yield f"{at}/oneOf", "would be ignored beside anyOf; move one of them into allOf"
    elif not assertions.keys() & _TYPED and assertions.keys() - {"not"}:
        yield at, "does not state its type; add one"
    elif assertions.keys() & {"anyOf", "oneOf"} and assertions.get("type", "object") != "object":
        for key in sorted(assertions.keys() - {"anyOf", "oneOf", "type"}):
            yield f"{at}/{key}", "would be ignored beside a union; move it into each arm"
    elif "allOf" in assertions:
        for key in sorted(assertions.keys() - _OF_RECORDS - {"not", "unevaluatedProperties"}):
            yield f"{at}/{key}", "would be ignored beside allOf; move it into a schema in allOf"


def _booleans(at: str, schema: JsonObject) -> Iterator[_Finding]:
    """`true` and `false` used as schemas."""
    for key in COMBINERS:
        for index, part in enumerate(schema.get(key, ())):
            if isinstance(part, bool):
                yield f"{at}/{key}/{index}", f"{str(part).lower()} is not an arm; remove it"
    for name, member in schema.get("properties", {}).items():
        if member is False:
            yield f"{at}/properties{pointer(name)}", "forbids the member; remove it"
    if schema.get("items") is False:
        yield f"{at}/items", "an array that must be empty is not supported; allow some items"


def _maps(at: str, schema: JsonObject, assertions: JsonObject) -> Iterator[_Finding]:
    """Schemas for unnamed members, which only a map may have."""
    can_be_map = json_schema.is_map(json_schema.restrict_to_type(schema, "object"))
    is_map = can_be_map and "object" in assertions.get("type", ())
    for key in ("additionalProperties", "unevaluatedProperties"):
        value = assertions.get(key, True)
        is_read = key == "additionalProperties" and is_map
        if value is not False and not json_schema.accepts_anything(value) and not is_read:
            message = "is only supported in a map, without named members; allow any value"
            yield f"{at}/{key}", message
    if is_map and assertions.get("required"):
        yield f"{at}/required", "would be ignored in a map; name the members in properties"


def _constants(at: str, assertions: JsonObject) -> Iterator[_Finding]:
    """Constants beside other assertions, and constants of another type."""
    if not assertions.keys() & {"const", "enum"}:
        return
    for key in sorted(assertions.keys() - {"const", "enum", "format", "type"}):
        yield f"{at}/{key}", "would be ignored beside constants; remove it"
    values = assertions.get("enum", [assertions.get("const")])
    stated = assertions.get("type", [])
    types = {stated} if isinstance(stated, str) else set(stated)
    if types and any(json_schema.constant_type(value) not in types for value in values):
        yield at, "a constant is not of the stated type; fix one of them"
    if "const" in assertions and "enum" in assertions:
        yield f"{at}/enum", "would be ignored beside const; remove one of them"


def _repairs(at: str, schema: JsonObject) -> Iterator[_Finding]:
    """Vendor keywords that repair a member, on a schema that is not a member's."""
    parent = at.rpartition("/")[0]
    # A definition called `properties` is no exception: its own parent ends with `/$defs`.
    if not parent.endswith("/properties"):
        for key in schema:
            if key.startswith(_REPAIRS):
                yield f"{at}/{key}", "is only supported on a member of an object; move it there"


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
