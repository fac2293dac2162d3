"""Questions about raw schemas: which JSON types they allow, which member is a union's tag.

Pure functions over parsed JSON; `analysis` combines the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from acpgen.inputs import keywords
from acpgen.inputs.document import REF_PREFIX, JsonObject, direct_subschemas
from acpgen.ir.model import Integer, Number, String

COMBINERS = ("allOf", "anyOf", "oneOf")
JSON_TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
# The keywords that apply to values of one JSON type only.
_APPLY_TO: Mapping[str, frozenset[str]] = {
    "string": frozenset({"minLength", "pattern", "format"}),
    "integer": frozenset({"minimum", "maximum", "format"}),
    "number": frozenset({"minimum", "maximum", "format"}),
    "array": frozenset({"items", "minItems"}),
    "object": frozenset(
        {
            *("properties", "required", "additionalProperties", "unevaluatedProperties", "not"),
            *COMBINERS,
        }
    ),
}
_OF_ONE_TYPE = frozenset[str]().union(*_APPLY_TO.values())

Arms: TypeAlias = list[tuple[str, JsonObject]]


def without_annotations(schema: JsonObject) -> JsonObject:
    """A schema without its annotations and vendor keywords. A format asserts only a range."""
    return {
        key: value
        for key, value in schema.items()
        if not key.startswith("x-")
        and (
            key not in keywords.ANNOTATIONS
            or (key == "format" and value in keywords.INTEGER_RANGES)
        )
    }


def accepts_anything(schema: Any) -> bool:
    """Whether a schema allows every JSON value."""
    if schema is True or schema is False:
        return bool(schema)
    if "type" in schema or "$ref" in schema:  # nearly all
        return False
    inner = without_annotations(schema)
    if inner.keys() == {"allOf"}:
        return all(map(accepts_anything, inner["allOf"]))
    return not inner


def is_null(schema: JsonObject) -> bool:
    """Whether a schema allows only null."""
    return without_annotations(schema) == {"type": "null"}


class Choice(NamedTuple):
    """The `anyOf` or `oneOf` of a schema.

    Attributes:
        at: the pointer to the keyword.
        arms: its schemas with their pointers.
        exclusive: whether exactly one of them must match.
        schema: the schema that has the keyword.
    """

    at: str
    arms: Arms
    exclusive: bool
    schema: JsonObject


def choices(schema: JsonObject, at: str) -> tuple[Choice, ...]:
    """The unions of a schema, of which a value must match each."""
    return tuple(
        Choice(
            f"{at}/{key}",
            [
                (f"{at}/{key}/{index}", arm)
                for index, arm in enumerate(schema[key])
                if arm is not False
            ],
            key == "oneOf",
            schema,
        )
        for key in ("anyOf", "oneOf")
        if key in schema
    )


def unwrap(schema: Any, at: str) -> tuple[Any, str]:
    """The schema that another one stands for, by an `allOf` around it, and its pointer."""
    while isinstance(schema, dict) and "allOf" in schema:
        inner = without_annotations(schema)
        parts = conjuncts(schema, at)
        if inner.keys() != {"allOf"} or len(parts) != 1:
            break
        at, schema = parts[0]
    return schema, at


def conjuncts(schema: JsonObject, at: str) -> Arms:
    """The schemas that a value must match besides what the keywords around them say.

    They are those of `allOf` that say something, and that of `$ref`, with their pointers.
    """
    parts = [
        (f"{at}/allOf/{index}", part)
        for index, part in enumerate(schema.get("allOf", ()))
        if not accepts_anything(part)
    ]
    if "$ref" in schema:
        parts.append((f"{at}/$ref", {"$ref": schema["$ref"]}))
    return parts


def ref_target(schema: JsonObject) -> str | None:
    """The definition that a schema stands for: a lone `$ref`, or an `allOf` around one."""
    if "$ref" not in schema and "allOf" not in schema:
        return None
    inner = without_annotations(schema)
    parts = conjuncts(schema, "")
    if inner.keys() - {"type"} == {"allOf"} and len(parts) == 1:
        return ref_target(parts[0][1])
    if inner.keys() == {"$ref"}:
        return str(inner["$ref"]).removeprefix(REF_PREFIX)
    return None


def is_object(schema: JsonObject, definitions: JsonObject) -> bool:
    """Whether a schema allows only objects, and names their members (so is not a map)."""
    return json_types(schema, definitions) == {"object"} and not is_map(schema)


def is_map(schema: JsonObject) -> bool:
    """Whether a schema describes an object by its values alone, naming no members."""
    schema, _ = unwrap(schema, "")
    inner = without_annotations(schema)
    if inner.get("type") != "object" or inner.keys() & {"$ref", "properties", *COMBINERS}:
        return False
    return "additionalProperties" in inner


def json_types(
    schema: Any, definitions: JsonObject, seen: frozenset[str] = frozenset()
) -> set[str]:
    """The JSON types of the values that a schema allows.

    Args:
        schema: the schema.
        definitions: the `$defs` that its references name.
        seen: definitions being looked at already, so that cyclic references terminate.
    """
    if accepts_anything(schema):
        return set(JSON_TYPES)
    if schema is False:
        return set()
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
        types &= {constant_type(constant) for constant in constants}
    elif "properties" in schema:
        types &= {"object"}
    for part in schema.get("allOf", ()):
        types &= json_types(part, definitions, seen)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            types &= set().union(*(json_types(arm, definitions, seen) for arm in schema[key]))
    return types


def constant_type(constant: Any) -> str:
    """The JSON type of a constant."""
    if constant is None:
        return "null"
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return names.get(type(constant), "object")


def required_keys(schema: Any, definitions: JsonObject) -> tuple[str, ...]:
    """The members that a schema requires of an object, or of each item of an array of objects."""
    types = json_types(schema, definitions)
    if types == {"array"}:
        items = _items(schema, definitions)
        return required_keys(items, definitions) if is_object(items, definitions) else ()
    return _required(schema, definitions) if types == {"object"} else ()


def _items(schema: JsonObject, definitions: JsonObject) -> Any:
    """The schema of an array's items, following references."""
    while (name := ref_target(schema)) is not None:
        schema = definitions[name]
    return unwrap(schema, "")[0].get("items", True)


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


def absent_keys(
    schema: Any, definitions: JsonObject, seen: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """The members that an object must not have; none for other values."""
    if not isinstance(schema, dict) or json_types(schema, definitions) != {"object"}:
        return ()
    keys = [*(forbidden_members(schema) or ())]
    keys += [name for name, member in schema.get("properties", {}).items() if member is False]
    for _, part in conjuncts(schema, ""):
        name = ref_target(part)
        if name is None:
            keys += absent_keys(part, definitions, seen)
        elif name not in seen:
            keys += absent_keys(definitions[name], definitions, seen | {name})
    return tuple(dict.fromkeys(keys))


def split_enumeration(arms: Arms) -> tuple[tuple[str | int, ...], Arms] | None:
    """Split the arms of an enumeration into its constants and the arm for other values, if any.

    Returns:
        None if the arms do not enumerate strings or integers.
    """
    values = [arm["const"] for _, arm in arms if "const" in arm]
    rest = [(at, arm) for at, arm in arms if "const" not in arm]
    if not values or len({type(value) for value in values}) != 1 or len(rest) > 1:
        return None
    base = {str: "string", int: "integer"}.get(type(values[0]))
    beyond = {"enum", "not", *COMBINERS}
    if base is None or any(arm.get("type") != base or arm.keys() & beyond for _, arm in rest):
        return None
    return tuple(values), rest


def string_shape(schema: JsonObject) -> String:
    """A string with the bounds that a schema states."""
    return String(
        min_length=schema.get("minLength") or None,
        pattern=schema.get("pattern"),
        format=schema.get("format"),
    )


def integer_shape(schema: JsonObject) -> Integer:
    """An integer within the range of its format and the bounds that a schema states."""
    stated = schema.get("format")
    low, high = keywords.INTEGER_RANGES.get(stated or "", (None, None))
    return Integer(
        minimum=_tightest(max, low, schema.get("minimum")),
        maximum=_tightest(min, high, schema.get("maximum")),
        format=None if stated in keywords.INTEGER_RANGES else stated,
    )


def number_shape(schema: JsonObject) -> Number:
    """A number with the bounds that a schema states."""
    stated = schema.get("format")
    return Number(
        minimum=schema.get("minimum"),
        maximum=schema.get("maximum"),
        format=None if stated in keywords.FLOATS else stated,
    )


def _tightest(choose: Callable[[list[int]], int], *bounds: int | None) -> int | None:
    given = [bound for bound in bounds if bound is not None]
    return choose(given) if given else None


def restrict_to_type(schema: JsonObject, type_: str) -> JsonObject:
    """A schema for several JSON types, reduced to one of them and the keywords that apply to it."""
    others = _OF_ONE_TYPE - _APPLY_TO.get(type_, frozenset())
    kept = {key: value for key, value in schema.items() if key not in others}
    return {**kept, "type": type_}


# --- tags ------------------------------------------------------------------------------------


class TagError(Exception):
    """Raised when the tag of a union is unclear; the message says what to do."""


def tag_candidates(arm: JsonObject) -> dict[str, str]:
    """The required members that an arm fixes to one string, each with that string."""
    required = arm.get("required", ())
    return {
        name: value
        for name, schema in arm.get("properties", {}).items()
        if name in required and isinstance(value := _constant(schema), str)
    }


def _constant(schema: Any) -> Any:
    """The constant of a schema: its `const`, or an `enum` of one value; None if it has neither."""
    schema, _ = unwrap(schema, "")
    if not isinstance(schema, dict):
        return None
    listed: list[Any] = schema.get("enum", [])
    return listed[0] if len(listed) == 1 else schema.get("const")


def infer_tag(schema: JsonObject, arms: Arms) -> str | None:
    """The member whose constants distinguish the arms of a union; None if no arm has a constant.

    Raises:
        TagError: no member or several members could be the tag, or two arms share a value.
    """
    tagged = [values for _, arm in arms if (values := tag_candidates(arm))]
    if not tagged and "discriminator" in schema:
        raise TagError("the discriminator is not a constant in any arm; add it to each arm")
    if not tagged:
        return None
    common = [name for name in tagged[0] if all(name in values for values in tagged)]
    named = schema.get("discriminator", {}).get("propertyName")
    if named is not None:
        if named not in common:
            raise TagError(f"the discriminator {named!r} is not a constant in every arm; fix it")
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
    """The tags that an arm's `not` excludes; None if this is not the arm for all other tags."""
    excluded = arm.get("not")
    stated = arm.get("properties", {}).get(tag)
    if not isinstance(excluded, dict) or not isinstance(stated, dict):
        return None
    if tag not in arm.get("required", ()):
        return None
    if without_annotations(stated) != {"type": "string"}:
        return None
    found: set[str] = set()
    for case in excluded.get("anyOf", [excluded]):
        value = tag_candidates(case).get(tag) if isinstance(case, dict) else None
        if value is None or not _says_no_more(case, tag):
            return None
        found.add(value)
    return found


def _says_no_more(case: JsonObject, tag: str) -> bool:
    """Whether an object schema says nothing but that the tag is a constant."""
    stated = without_annotations(case)
    constant = without_annotations(stated["properties"][tag])
    return (
        stated.keys() <= {"type", "properties", "required"}
        and list(stated["properties"]) == list(stated["required"]) == [tag]
        and constant.keys() <= {"type", "const", "enum"}
    )


def forbidden_members(schema: JsonObject) -> tuple[str, ...] | None:
    """The members that the `not` of an object rules out; None if it says something else."""
    excluded = schema.get("not")
    if not isinstance(excluded, dict):
        return None
    found: list[str] = []
    for case in excluded.get("anyOf", [excluded]):
        stated = without_annotations(case) if isinstance(case, dict) else {}
        required = stated.get("required", ())
        if stated.keys() - {"type"} != {"required"} or len(required) != 1:
            return None
        if stated.get("type", "object") != "object":
            return None
        found += required
    return tuple(dict.fromkeys(found))


def shadows(earlier: Iterable[str], later: Iterable[str]) -> bool:
    """Whether an arm that requires the members `earlier` matches every object that has `later`.

    Without a tag, the first matching arm wins: an arm that is shadowed is never chosen.
    """
    return set(earlier) <= set(later)


def cyclic(definitions: JsonObject) -> list[str]:
    """The definitions that contain themselves other than through a member of a record."""
    references = {name: set(_contained(schema)) for name, schema in definitions.items()}
    found: list[str] = []  # one of each cycle
    for name in references:
        reached: set[str] = set()
        pending = list(references[name])
        while pending:
            reference = pending.pop()
            if reference not in reached:
                reached.add(reference)
                pending += references[reference]
        if name in reached and not reached & set(found):
            found.append(name)
    return found


def _contained(schema: Any) -> Iterator[str]:
    """The definitions that a schema refers to, except those of its `properties`."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].removeprefix(REF_PREFIX)
        for (key, *_), inner in direct_subschemas(schema):
            if key not in ("$defs", "not", "properties"):
                yield from _contained(inner)
