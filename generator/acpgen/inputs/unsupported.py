"""What a schema says in a way that nothing here reads: it must not pass unseen.

Each check looks at one schema object, at its keywords together; `load` has looked at each alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from acpgen.diagnostics import pointer
from acpgen.inputs import json_schema
from acpgen.inputs.document import JsonObject

_COMBINERS = ("allOf", "anyOf", "oneOf")
# What says of which JSON type a value is, itself or by way of another schema.
_TYPED = frozenset({"type", "const", "enum", "properties", "$ref", *_COMBINERS})
_OF_RECORDS = frozenset({"type", "properties", "required", "additionalProperties", *_COMBINERS})
# The keywords that say something about values of a type only.
_ABOUT: Mapping[str, frozenset[str]] = {
    "string": frozenset({"minLength", "pattern", "format", "contentEncoding"}),
    "integer": frozenset({"minimum", "maximum", "format"}),
    "number": frozenset({"minimum", "maximum", "format"}),
    "array": frozenset({"items", "minItems"}),
    "object": frozenset(
        {"properties", "required", "additionalProperties", "unevaluatedProperties", *_COMBINERS}
    ),
}
_REPAIRS = "x-deserialize-"


def of_type(schema: JsonObject, type_: str) -> JsonObject:
    """A schema for several types, for one of them only."""
    others = frozenset[str]().union(*_ABOUT.values()) - _ABOUT.get(type_, frozenset())
    kept = {key: value for key, value in schema.items() if key not in others}
    return {**kept, "type": type_}


def find_unread(at: str, schema: JsonObject) -> Iterator[tuple[str, str]]:
    """Pointers to what would go unread, each with what to do about it."""
    said = json_schema.substance(schema)
    yield from _beside(at, said)
    yield from _booleans(at, schema)
    yield from _maps(at, schema, said)
    yield from _constants(at, said)
    yield from _repairs(at, schema)
    if "not" in said and not any(
        json_schema.excluded_tags(schema, name) is not None for name in schema.get("properties", ())
    ):
        yield f"{at}/not", "is only read in an arm for all other tags; say it otherwise"
    if "pattern" in said and not _compiles(said["pattern"]):
        yield f"{at}/pattern", "is no regular expression of Python, too; write it otherwise"


def _beside(at: str, said: JsonObject) -> Iterator[tuple[str, str]]:
    """Keywords that are not read beside others."""
    if "$ref" in said and len(said) > 1:
        others = ", ".join(sorted(said.keys() - {"$ref"}))
        yield f"{at}/$ref", f"beside it, {others} would not be read; put it into allOf"
    elif "anyOf" in said and "oneOf" in said:
        yield f"{at}/oneOf", "is not read beside anyOf; put one of them into allOf"
    elif not said.keys() & _TYPED and said.keys() - {"not"}:
        yield at, "says nothing about its type; add one"
    elif said.keys() & {"anyOf", "oneOf"} and said.get("type", "object") != "object":
        for key in sorted(said.keys() - {"anyOf", "oneOf", "type"}):
            yield f"{at}/{key}", "is not read beside alternatives; put it into each of them"
    elif "allOf" in said:
        for key in sorted(said.keys() - _OF_RECORDS - {"not", "unevaluatedProperties"}):
            yield f"{at}/{key}", "is not read beside allOf; say it where that leads to"


def _booleans(at: str, schema: JsonObject) -> Iterator[tuple[str, str]]:
    """`true` and `false` in the place of schemas."""
    for key in _COMBINERS:
        for index, part in enumerate(schema.get(key, ())):
            if isinstance(part, bool):
                yield f"{at}/{key}/{index}", f"{str(part).lower()} is no alternative; remove it"
    for name, member in schema.get("properties", {}).items():
        if member is False:
            yield f"{at}/properties{pointer(name)}", "a member that may not be there; leave it out"
    if schema.get("items") is False:
        yield f"{at}/items", "a list that must be empty is not supported; allow some items"


def _maps(at: str, schema: JsonObject, said: JsonObject) -> Iterator[tuple[str, str]]:
    """Values of members that are not named."""
    is_map = json_schema.is_map(of_type(schema, "object")) and "object" in said.get("type", ())
    for key in ("additionalProperties", "unevaluatedProperties"):
        value = said.get(key, True)
        is_read = key == "additionalProperties" and is_map
        if value is not False and not json_schema.is_anything(value) and not is_read:
            yield f"{at}/{key}", "is only read in a map, without named members; allow any value"
    if is_map and said.get("required"):
        yield f"{at}/required", "is not read in a map; name the members in properties"


def _constants(at: str, said: JsonObject) -> Iterator[tuple[str, str]]:
    if not said.keys() & {"const", "enum"}:
        return
    for key in sorted(said.keys() - {"const", "enum", "format", "type"}):
        yield f"{at}/{key}", "is not read beside constants; leave it out"
    values = said.get("enum", [said.get("const")])
    named = said.get("type", [])
    types = {named} if isinstance(named, str) else set(named)
    if types and any(json_schema.type_of(value) not in types for value in values):
        yield at, "a constant is not of the type that is named; mend one of them"
    if "const" in said and "enum" in said:
        yield f"{at}/enum", "is not read beside const; leave one of them out"


def _repairs(at: str, schema: JsonObject) -> Iterator[tuple[str, str]]:
    """Orders to repair what is no member, which has no place to be repaired in."""
    parent = at.rpartition("/")[0]
    # The parent of a definition called `properties` ends with `$defs`.
    if not parent.endswith("/properties"):
        for key in schema:
            if key.startswith(_REPAIRS):
                yield f"{at}/{key}", "is only read at a member of an object; move it there"


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
