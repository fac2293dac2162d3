"""Questions asked of raw schemas: what is an enumeration, which member is a tag, what fits where.

Pure functions over the parsed JSON; `build` puts the answers together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from acpgen.inputs.document import INTEGER_RANGES, REF_PREFIX, JsonObject
from acpgen.ir.model import Integer, Number, String

ANNOTATIONS = frozenset({"$schema", "default", "description", "discriminator", "title"})
JSON_TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")

Arms: TypeAlias = list[tuple[str, JsonObject]]


def substance(schema: JsonObject) -> JsonObject:
    """A schema without its annotations and vendor keywords."""
    return {
        key: value
        for key, value in schema.items()
        if key not in ANNOTATIONS and not key.startswith("x-")
    }


def is_anything(schema: Any) -> bool:
    """Whether a schema constrains nothing."""
    return schema is True or not substance(schema)


def is_null(schema: JsonObject) -> bool:
    """Whether a schema allows null and nothing else."""
    return substance(schema) == {"type": "null"}


def alternatives(schema: JsonObject, at: str) -> tuple[Arms, bool]:
    """The arms of `anyOf` or `oneOf` with their pointers, and whether exactly one must fit."""
    for key in ("anyOf", "oneOf"):
        if key in schema:
            arms = [(f"{at}/{key}/{index}", arm) for index, arm in enumerate(schema[key])]
            return arms, key == "oneOf"
    return [], False


def target(schema: JsonObject) -> str | None:
    """The definition a schema merely refers to, by `$ref` or an `allOf` around one."""
    inner = substance(schema)
    inner.pop("type", None) if "allOf" in inner else None
    if inner.keys() == {"allOf"} and len(inner["allOf"]) == 1:
        return target(inner["allOf"][0])
    if inner.keys() == {"$ref"}:
        return str(inner["$ref"]).removeprefix(REF_PREFIX)
    return None


def is_object(schema: JsonObject, definitions: JsonObject) -> bool:
    """Whether every value a schema allows is an object with members of its own (not a map)."""
    return json_types(schema, definitions) == {"object"} and not is_map(schema)


def is_map(schema: JsonObject) -> bool:
    """Whether a schema describes an object by its values only, not by the names of its members."""
    inner = substance(schema)
    if inner.get("type") != "object" or inner.keys() & {"properties", "anyOf", "oneOf", "allOf"}:
        return False
    return "additionalProperties" in inner


def json_types(
    schema: Any, definitions: JsonObject, seen: frozenset[str] = frozenset()
) -> set[str]:
    """The JSON types of the values a schema may allow."""
    if schema is True or not substance(schema):
        return set(JSON_TYPES)
    types = set(JSON_TYPES)
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(REF_PREFIX)
        if name not in seen:
            types &= json_types(definitions[name], definitions, seen | {name})
    if "type" in schema:
        named = schema["type"]
        types &= {named} if isinstance(named, str) else set(named)
    elif "const" in schema or "enum" in schema:
        constants = schema.get("enum", [schema.get("const")])
        types &= {type_of(constant) for constant in constants}
    elif "properties" in schema:
        types &= {"object"}
    for part in schema.get("allOf", ()):
        types &= json_types(part, definitions, seen)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            types &= set().union(*(json_types(arm, definitions, seen) for arm in schema[key]))
    return types


def type_of(constant: Any) -> str:
    """The JSON type of a constant."""
    if constant is None:
        return "null"
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return names.get(type(constant), "object")


def required_keys(schema: Any, definitions: JsonObject) -> tuple[str, ...]:
    """Members that tell values apart: those of an object; of an array, those of its items."""
    types = json_types(schema, definitions)
    if types == {"array"}:
        items = _items(schema, definitions)
        return required_keys(items, definitions) if is_object(items, definitions) else ()
    return _required(schema, definitions) if types == {"object"} else ()


def _items(schema: JsonObject, definitions: JsonObject) -> Any:
    """What the items of an array are, wherever the schema says so."""
    while (name := target(schema)) is not None:
        schema = definitions[name]
    return schema.get("items", True)


def _required(
    schema: JsonObject, definitions: JsonObject, seen: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    keys: list[str] = []
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(REF_PREFIX)
        if name not in seen:
            keys += _required(definitions[name], definitions, seen | {name})
    for part in schema.get("allOf", ()):
        keys += _required(part, definitions, seen)
    keys += schema.get("required", ())
    return tuple(dict.fromkeys(keys))


def constants(arms: Arms) -> tuple[tuple[str | int, ...], list[tuple[str, JsonObject]]] | None:
    """Split the arms of an enumeration into its constants and what else it allows.

    Returns:
        None if the arms are not an enumeration of strings or of integers.
    """
    values = [arm["const"] for _, arm in arms if "const" in arm]
    rest = [(at, arm) for at, arm in arms if "const" not in arm]
    if not values or len({type(value) for value in values}) != 1 or len(rest) > 1:
        return None
    base = {str: "string", int: "integer"}.get(type(values[0]))
    if base is None or any(arm.get("type") != base or "enum" in arm for _, arm in rest):
        return None
    return tuple(values), rest


def string_shape(schema: JsonObject) -> String:
    """A string with the bounds a schema gives it."""
    return String(min_length=schema.get("minLength") or None, pattern=schema.get("pattern"))


def integer_shape(schema: JsonObject) -> Integer:
    """An integer within its format's range and the bounds a schema gives it."""
    low, high = INTEGER_RANGES.get(schema.get("format", ""), (None, None))
    return Integer(
        minimum=_tightest(max, low, schema.get("minimum")),
        maximum=_tightest(min, high, schema.get("maximum")),
    )


def number_shape(schema: JsonObject) -> Number:
    """A number with the bounds a schema gives it."""
    return Number(minimum=schema.get("minimum"), maximum=schema.get("maximum"))


def _tightest(choose: Any, *bounds: int | None) -> int | None:
    given = [bound for bound in bounds if bound is not None]
    return choose(given) if given else None


# --- tags ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TagError(Exception):
    """Raised when a union's tag cannot be told; the message says what to do."""

    message: str


def tag_values(arm: JsonObject) -> dict[str, str]:
    """The members an arm fixes to a string it requires: its possible tags."""
    required = arm.get("required", ())
    return {
        name: value
        for name, schema in arm.get("properties", {}).items()
        if name in required and isinstance(value := _constant(schema), str)
    }


def _constant(schema: Any) -> Any:
    """The only value that a schema allows, if it lists one."""
    if not isinstance(schema, dict):
        return None
    listed: list[Any] = schema.get("enum", [])
    return listed[0] if len(listed) == 1 else schema.get("const")


def infer_tag(schema: JsonObject, arms: Arms) -> str | None:
    """The member whose constants tell the arms of a union apart; None if no arm has one.

    Raises:
        TagError: the tag is none or several of the members, or two arms share a value.
    """
    tagged = [values for _, arm in arms if (values := tag_values(arm))]
    if not tagged and "discriminator" in schema:
        raise TagError("the discriminator is no constant of an arm itself; state it in the arms")
    if not tagged:
        return None
    common = [name for name in tagged[0] if all(name in values for values in tagged)]
    named = schema.get("discriminator", {}).get("propertyName")
    if named is not None:
        if named not in common:
            raise TagError(f"the discriminator {named!r} is not a constant of every arm; mend it")
        common = [named]
    if len(common) != 1:
        found = ", ".join(map(repr, common)) or "none"
        raise TagError(f"cannot tell which member is the tag (found {found}); name a discriminator")
    chosen = [values[common[0]] for values in tagged]
    twice = sorted({value for value in chosen if chosen.count(value) > 1})
    if twice:
        raise TagError(f"several arms have the tag {twice[0]!r}; give each its own")
    return common[0]


def excluded_tags(arm: JsonObject, tag: str) -> set[str] | None:
    """The tag values an arm's `not` rules out; None if it is not an arm for all other tags."""
    excluded = arm.get("not")
    stated = arm.get("properties", {}).get(tag)
    if not isinstance(excluded, dict) or not isinstance(stated, dict):
        return None
    if substance(stated) != {"type": "string"}:
        return None
    ruled_out: set[str] = set()
    for case in excluded.get("anyOf", [excluded]):
        value = tag_values(case).get(tag) if isinstance(case, dict) else None
        if value is None or len(case["properties"]) != 1:
            return None
        ruled_out.add(value)
    return ruled_out


def names_overlap(first: Iterable[str], second: Iterable[str]) -> bool:
    """Whether an object with all of the second's required members has all of the first's, too."""
    return set(first) <= set(second)


def same_value(schema: Any) -> Iterator[str]:
    """The definitions that must accept the very value, or its items, that a schema accepts."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref":
                yield value.removeprefix(REF_PREFIX)
            elif key in ("allOf", "anyOf", "oneOf"):
                for part in value:
                    yield from same_value(part)
            elif key in ("items", "additionalProperties"):
                yield from same_value(value)


def cyclic(definitions: JsonObject) -> list[str]:
    """Definitions that lead back to themselves without the member of a record in between."""
    after = {name: set(same_value(schema)) for name, schema in definitions.items()}
    found: list[str] = []
    for name in after:
        reached: set[str] = set()
        pending = list(after[name])
        while pending:
            each = pending.pop()
            if each not in reached:
                reached.add(each)
                pending += after[each]
        if name in reached:
            found.append(name)
    return found
