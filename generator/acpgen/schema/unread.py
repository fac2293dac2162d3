"""Checks that find the parts of a schema that the generator does not support.

In the vendored schema, unsupported parts are errors. In other schemas, unsupported parts are
removed; see `pruning`. Each check examines the keywords of one node.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from jsonschema import Draft202012Validator

from acpgen.common.pointers import pointer
from acpgen.schema import keywords
from acpgen.schema.document import shorten
from acpgen.schema.nodes import Node, json_type

# Keywords that determine the JSON type of a value, directly or through another schema.
_TYPED = frozenset({"type", "const", "enum", "properties", "$ref", *keywords.COMBINERS})
_OF_RECORDS = frozenset(
    {"$ref", "type", "properties", "required", "additionalProperties", *keywords.COMBINERS}
)
_REPAIRS = frozenset(key for key in keywords.VENDOR if key.startswith("x-deserialize-"))

# A pointer, a code, and a message that describes the problem and how to fix it.
Finding: TypeAlias = tuple[str, str, str]


def find_unread(node: Node) -> Iterator[Finding]:
    """Find the unsupported parts of one schema, excluding nested schemas.

    The code is `unknown-keyword` or `unknown-vendor-keyword` for keywords that JSON Schema does not
    define, `misplaced-keyword` for vendor keywords without an effect, and `unsupported` for all
    other parts.
    """
    for check in _CHECKS:
        yield from check(node)


def find_bad_default(node: Node) -> Iterator[Finding]:
    """Find an invalid default. The decoder would use this default in place of an invalid value."""
    if "default" not in node.stated:
        return
    try:
        errors = list(Draft202012Validator(node.document()).iter_errors(node.stated["default"]))
    except RecursionError:
        return  # the schema refers to itself, which `analysis` reports
    for error in errors:
        message = f"{shorten(error.message)}; fix the default"
        yield f"{node.at}/default", "bad-default", message


def _keywords(node: Node) -> Iterator[Finding]:
    """Find unsupported and unknown keywords."""
    for key in node.stated.keys() - keywords.KNOWN:
        if key in keywords.UNREAD:
            code, message = "unsupported", f"{key!r} is not supported; add a rule to the generator"
        else:
            code = "unknown-vendor-keyword" if key.startswith("x-") else "unknown-keyword"
            message = f"unknown keyword {key!r}; add a rule for it to the generator"
        yield node.at + pointer(key), code, message


def _rests(node: Node) -> Iterator[Finding]:
    """Find keywords that apply only to values not covered by a keyword such as `prefixItems`."""
    for key, others in keywords.OF_THE_REST.items():
        if others in node.stated and not node.part(key).accepts_anything:
            message = f"{key} with {others} is not supported; allow any value"
            yield f"{node.at}/{key}", "unsupported", message


def _combinations(node: Node) -> Iterator[Finding]:
    """Find keywords that would be ignored because of adjacent keywords."""
    stated = node.assertions.keys()
    unions = stated & {"anyOf", "oneOf"}
    objects_only = node.assertions.get("type", "object") == "object"
    if not stated & _TYPED:
        for key in sorted(stated - {"not", *keywords.UNREAD}):
            message = f"{key} without a type is not supported; add the type"
            yield f"{node.at}/{key}", "unsupported", message
    elif unions:
        of_objects = _OF_RECORDS | {"not", "unevaluatedProperties"}
        known = of_objects if objects_only else unions | {"type"}
        for key in sorted(stated - {*known, *keywords.UNREAD}):
            message = f"{key} next to a union is not supported; move it into each variant"
            yield f"{node.at}/{key}", "unsupported", message
    elif stated & {"allOf", "$ref"}:
        known = _OF_RECORDS | {"not", "unevaluatedProperties", *keywords.UNREAD}
        for key in sorted(stated - known):
            message = f"{key} next to another schema is not supported; move it into that schema"
            yield f"{node.at}/{key}", "unsupported", message
    if len(unions) > 1 and not (objects_only and "properties" in stated):
        message = "oneOf next to anyOf is supported only in objects; move one of them into allOf"
        yield f"{node.at}/oneOf", "unsupported", message


def _untyped(node: Node) -> Iterator[Finding]:
    """Find `properties` without a type, unless a surrounding schema can specify the type."""
    parent, _, last = node.at.rpartition("/")
    is_part = last.isdecimal() and parent.endswith(("/allOf", "/anyOf", "/oneOf"))
    if not is_part and node.assertions.keys() & _TYPED == {"properties"}:
        message = "properties without a type also allow values that aren't objects; add the type"
        yield f"{node.at}/properties", "unsupported", message


def _booleans(node: Node) -> Iterator[Finding]:
    """Find schemas that allow no value because they contain `false`."""
    for part in node.parts:
        if part.is_never:
            yield part.at, "unsupported", "no value is allowed; remove the schema"
    for union in node.unions:
        if not union.arms:
            yield union.at, "unsupported", "no value is allowed; add a variant"
    if node.items.is_never and "prefixItems" not in node.stated:
        message = "an array that must be empty is not supported; allow some items"
        yield node.items.at, "unsupported", message


def _maps(node: Node) -> Iterator[Finding]:
    """Find schemas for unnamed fields, which are supported only in maps."""
    can_be_object = "object" in node.assertions.get("type", ())
    is_map = can_be_object and node.restricted("object").is_map
    for key in ("additionalProperties", "unevaluatedProperties"):
        if key not in node.stated or keywords.OF_THE_REST.get(key) in node.stated:
            continue
        values = node.part(key)
        is_read = key == "additionalProperties" and is_map and not values.is_never
        if not values.accepts_anything and not is_read:
            closes = "a closed object" if values.is_never else f"{key} next to named fields"
            yield values.at, "unsupported", f"{closes} is not supported; allow any value"
    if is_map and node.assertions.get("required"):
        message = "required in a map is not supported; add the fields to properties"
        yield f"{node.at}/required", "unsupported", message


def _constants(node: Node) -> Iterator[Finding]:
    """Find constants with other assertions, and constants of unsupported or mismatched types."""
    stated = node.assertions.keys()
    if not stated & {"const", "enum"}:
        return
    for key in sorted(stated - {"const", "enum", "format", "type", *keywords.UNREAD}):
        message = f"{key} next to constants is not supported; remove it"
        yield f"{node.at}/{key}", "unsupported", message
    at = f"{node.at}/{'enum' if 'enum' in stated else 'const'}"
    named = node.assertions.get("type", [])
    types = {named} if isinstance(named, str) else set(named)
    of_constants = {json_type(value) for value in node.constants}
    if types and not of_constants <= (types | ({"integer"} if "number" in types else set())):
        yield at, "unsupported", "a constant does not match the type; fix one of them"
    elif of_constants - {"null"} not in ({"string"}, {"integer"}, set()):
        message = "constants must be strings or integers, or null; describe other values by type"
        yield at, "unsupported", message
    if "const" in stated and "enum" in stated:
        message = "enum next to const is not supported; remove one of them"
        yield f"{node.at}/enum", "unsupported", message


def _repairs(node: Node) -> Iterator[Finding]:
    """Find vendor keywords that repair fields but are outside the schema of a field."""
    parent = node.at.rpartition("/")[0]
    # A definition named `properties` isn't mistaken for a field, because its parent is `/$defs`.
    if not parent.endswith("/properties"):
        for key in node.stated.keys() & _REPAIRS:
            message = "has an effect only in the schema of an object's field; move it there"
            yield f"{node.at}/{key}", "misplaced-keyword", message


def _negations(node: Node) -> Iterator[Finding]:
    """Find `not`, unless it excludes tags of other variants or forbids fields."""
    if "not" not in node.stated or node.forbidden_members is not None:
        return
    if not any(node.is_for_other_tags(name) for name in node.properties):
        message = (
            "`not` is supported only to exclude tags of other variants or to forbid a field;"
            " rewrite the schema"
        )
        yield f"{node.at}/not", "unsupported", message


def _patterns(node: Node) -> Iterator[Finding]:
    """Find patterns that aren't valid Python regular expressions."""
    try:
        re.compile(node.assertions.get("pattern", ""))
    except re.error:
        message = "is not a valid Python regular expression; rewrite the pattern"
        yield f"{node.at}/pattern", "unsupported", message


_CHECKS = (
    *(_keywords, _rests, _combinations, _untyped, _booleans, _maps, _constants, _repairs),
    *(_negations, _patterns),
)
