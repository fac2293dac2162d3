"""Find the parts of a schema that no rule of the generator reads.

In the vendored schema they are errors; of another schema they are pruned, see `pruning`. Each check
looks at how the keywords of one schema object combine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from acpgen.common.pointers import pointer
from acpgen.inputs import json_schema, keywords
from acpgen.inputs.document import JsonObject
from acpgen.inputs.json_schema import COMBINERS

# Keywords that determine the JSON type of a value, directly or through another schema.
_TYPED = frozenset({"type", "const", "enum", "properties", "$ref", *COMBINERS})
_OF_RECORDS = frozenset(
    {"$ref", "type", "properties", "required", "additionalProperties", *COMBINERS}
)
_REPAIRS = frozenset(key for key in keywords.VENDOR if key.startswith("x-deserialize-"))

# A pointer, a code, and a message that says what is wrong there and what to do about it.
Finding: TypeAlias = tuple[str, str, str]


def find_unsupported(at: str, schema: JsonObject) -> Iterator[Finding]:
    """Find the parts of one schema object that no rule reads.

    Args:
        at: the pointer to the schema object.
        schema: the schema object.

    Yields:
        The pointer of each such part; a code; and a message that says what to do about it. The
        code is `unknown-keyword` or `unknown-vendor-keyword` for keywords that JSON Schema does not
        know, `misplaced-keyword` for vendor keywords without an effect, and else `unsupported`.
    """
    assertions = json_schema.without_annotations(schema)
    for key in schema:
        if key not in keywords.KNOWN:
            yield _unread(at, key)
    yield from _rests(at, assertions)
    yield from _combinations(at, assertions)
    yield from _untyped(at, assertions)
    yield from _booleans(at, schema)
    yield from _maps(at, schema, assertions)
    yield from _constants(at, assertions)
    yield from _repairs(at, schema)
    yield from _negations(at, schema)
    if "pattern" in assertions and not _compiles(assertions["pattern"]):
        message = "is not a regular expression in Python; write it differently"
        yield f"{at}/pattern", "unsupported", message


def _unread(at: str, key: str) -> Finding:
    """A keyword that no rule reads."""
    where = at + pointer(key)
    if key in keywords.UNREAD:
        return where, "unsupported", f"no rule reads {key!r}; add one to the generator"
    code = "unknown-vendor-keyword" if key.startswith("x-") else "unknown-keyword"
    return where, code, f"unknown keyword {key!r}; add a rule for it to the generator"


def _rests(at: str, assertions: JsonObject) -> Iterator[Finding]:
    """Schemas for what others leave, such as `items` after `prefixItems`."""
    for key, others in keywords.OF_THE_REST.items():
        if others in assertions and not json_schema.accepts_anything(assertions.get(key, True)):
            message = f"{key} beside {others} has no rule; allow any value"
            yield f"{at}/{key}", "unsupported", message


def _combinations(at: str, assertions: JsonObject) -> Iterator[Finding]:
    """Keywords that are ignored because of others beside them."""
    unions = assertions.keys() & {"anyOf", "oneOf"}
    objects_only = assertions.get("type", "object") == "object"
    if not assertions.keys() & _TYPED and assertions.keys() - {"not", *keywords.UNREAD}:
        for key in sorted(assertions.keys() - {"not", *keywords.UNREAD}):
            yield f"{at}/{key}", "unsupported", f"{key} without a type has no rule; add the type"
    elif unions:
        of_objects = _OF_RECORDS | {"not", "unevaluatedProperties"}
        known = of_objects if objects_only else unions | {"type"}
        for key in sorted(assertions.keys() - {*known, *keywords.UNREAD}):
            message = f"{key} beside a union has no rule; move it into each arm"
            yield f"{at}/{key}", "unsupported", message
    elif assertions.keys() & {"allOf", "$ref"}:
        known = _OF_RECORDS | {"not", "unevaluatedProperties", *keywords.UNREAD}
        for key in sorted(assertions.keys() - known):
            message = f"{key} beside another schema has no rule; move it into that schema"
            yield f"{at}/{key}", "unsupported", message
    if len(unions) > 1 and not (objects_only and "properties" in assertions):
        message = "oneOf beside anyOf has no rule but in an object; move one of them into allOf"
        yield f"{at}/oneOf", "unsupported", message


def _untyped(at: str, assertions: JsonObject) -> Iterator[Finding]:
    """Members of what need not be an object, where no schema around it says that it is one."""
    parent, _, last = at.rpartition("/")
    is_part = last.isdecimal() and parent.endswith(("/allOf", "/anyOf", "/oneOf"))
    if not is_part and assertions.keys() & _TYPED == {"properties"}:
        message = "properties without a type say nothing about other values; add the type"
        yield f"{at}/properties", "unsupported", message


def _booleans(at: str, schema: JsonObject) -> Iterator[Finding]:
    """`false` as a schema: no value is allowed."""
    for index, part in enumerate(schema.get("allOf", ())):
        if part is False:
            yield f"{at}/allOf/{index}", "unsupported", "no value is allowed; remove it"
    for key in ("anyOf", "oneOf"):
        if key in schema and not any(part is not False for part in schema[key]):
            yield f"{at}/{key}", "unsupported", "no value is allowed; add an arm"
    if schema.get("items") is False and "prefixItems" not in schema:
        message = "an array that must be empty has no rule; allow some items"
        yield f"{at}/items", "unsupported", message


def _maps(at: str, schema: JsonObject, assertions: JsonObject) -> Iterator[Finding]:
    """Schemas for unnamed members, which only a map may have."""
    can_be_object = "object" in assertions.get("type", ())
    is_map = can_be_object and json_schema.is_map(json_schema.restrict_to_type(schema, "object"))
    for key in ("additionalProperties", "unevaluatedProperties"):
        if keywords.OF_THE_REST.get(key) in assertions:
            continue
        value = assertions.get(key, True)
        is_read = key == "additionalProperties" and is_map and value is not False
        if not json_schema.accepts_anything(value) and not is_read:
            closes = "a closed object" if value is False else f"{key} beside named members"
            yield f"{at}/{key}", "unsupported", f"{closes} has no rule; allow any value"
    if is_map and assertions.get("required"):
        message = "required in a map has no rule; name the members in properties"
        yield f"{at}/required", "unsupported", message


def _constants(at: str, assertions: JsonObject) -> Iterator[Finding]:
    """Constants beside other assertions, and constants of other types."""
    if not assertions.keys() & {"const", "enum"}:
        return
    for key in sorted(assertions.keys() - {"const", "enum", "format", "type", *keywords.UNREAD}):
        yield f"{at}/{key}", "unsupported", f"{key} beside constants has no rule; remove it"
    key = "enum" if "enum" in assertions else "const"
    values = assertions["enum"] if key == "enum" else [assertions["const"]]
    stated = assertions.get("type", [])
    types = {stated} if isinstance(stated, str) else set(stated)
    found = {json_schema.constant_type(value) for value in values}
    if types and not found <= (types | ({"integer"} if "number" in types else set())):
        message = "a constant is not of the stated type; fix one of them"
        yield f"{at}/{key}", "unsupported", message
    elif found - {"null"} not in ({"string"}, {"integer"}, set()):
        message = "constants must be strings or integers, and null; describe the others by type"
        yield f"{at}/{key}", "unsupported", message
    if "const" in assertions and "enum" in assertions:
        yield f"{at}/enum", "unsupported", "enum beside const has no rule; remove one of them"


def _repairs(at: str, schema: JsonObject) -> Iterator[Finding]:
    """Vendor keywords that repair a member, on a schema that is not a member's."""
    parent = at.rpartition("/")[0]
    # A definition called `properties` is no exception: its own parent ends with `/$defs`.
    if not parent.endswith("/properties"):
        for key in schema:
            if key in _REPAIRS:
                message = "repairs nothing but a member of an object; move it there"
                yield f"{at}/{key}", "misplaced-keyword", message


def _negations(at: str, schema: JsonObject) -> Iterator[Finding]:
    """`not` other than for tags that other arms have, and for members that must be absent."""
    if "not" not in schema:
        return
    tags = (json_schema.excluded_tags(schema, name) for name in schema.get("properties", ()))
    if json_schema.forbidden_members(schema) is None and all(each is None for each in tags):
        message = (
            "`not` has no rule but for the tags of other arms, or a member that must be absent;"
            " express it differently"
        )
        yield f"{at}/not", "unsupported", message


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
