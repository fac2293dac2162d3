"""Near misses: instances that differ from valid instances by one labeled change.

The oracle decides whether the result is valid. Most results are invalid, but some are deliberately
valid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from .instances import Drawn, Node, Path
from .schemas import Json, Schema, Shown, Surface

MISSING: Any = object()
# Values of each JSON type, to replace values of other types.
WRONG: tuple[tuple[str, str, Json], ...] = (
    ("null", "null", None),
    ("true", "boolean", True),
    ("zero", "integer", 0),
    ("fraction", "number", 1.5),
    ("digits", "string", "5"),
    ("empty array", "array", []),
    ("array of null", "array", [None]),
    ("empty object", "object", {}),
)
NOT_TAGS: tuple[Json, ...] = (5, None, ["text"], {}, True)
UNKNOWN = ("_extension", "future_variant", "")


class Tag(NamedTuple):
    name: str  # the name of the field with the tag
    known: tuple[str, ...]  # its values
    is_open: bool  # whether the schema has a variant for other tags
    has_default: bool  # whether the schema has a variant without a tag


def arms(schema: Schema) -> list[Schema]:
    found: list[Schema] = schema.get("anyOf") or schema.get("oneOf") or []
    return found


def tag_of(schema: Schema) -> Tag | None:
    known: list[str] = []
    name = ""
    for arm in arms(schema):
        for member, sub in arm.get("properties", {}).items():
            if "const" in sub:
                name = member
                known.append(sub["const"])
    if not name:
        return None
    others = [arm for arm in arms(schema) if "not" in arm]
    plain = len(arms(schema)) - len(known) - len(others)
    return Tag(name, tuple(known), bool(others), plain > 0)


def is_enum(schema: Schema) -> bool:
    return any("const" in arm for arm in arms(schema))


def is_open_enum(schema: Schema) -> bool:
    return not all("const" in arm for arm in arms(schema))


@dataclass(frozen=True, repr=False)
class Mutation(Shown):
    label: str  # a description of the mistake
    pointer: str  # the pointer to the schema that the mutation violates
    drawn: Drawn  # the instance before
    path: Path  # the location of the new value
    new: Json  # the new value, or MISSING to remove the old value
    insert: bool = False  # whether to insert before the current item instead of replacing it

    @property
    def value(self) -> Json:
        return put(self.drawn.value, self.path, self.new, self.insert)

    def __repr__(self) -> str:
        return f"{self.drawn!r} -> {self.label} at {self.path}: {self.value!r}"


def get(value: Json, path: Path) -> Json:
    for part in path:
        value = value[part]
    return value


def put(value: Json, path: Path, new: Json, insert: bool = False) -> Json:
    """Return a copy of a value with `new` at a path, or without the path if `new` is MISSING."""
    if not path:
        return new
    made = value.copy()
    first, rest = path[0], path[1:]
    if rest:
        made[first] = put(value[first], rest, new, insert)
    elif insert:
        made.insert(first, new)
    elif new is MISSING:
        del made[first]
    else:
        made[first] = new
    return made


def mutations(drawn: Drawn, only_own: bool = False) -> Iterator[Mutation]:
    """Yield near misses of an instance, optionally excluding changes to referenced definitions."""
    own = f"#/$defs/{drawn.name}"
    for path, node in drawn.nodes.items():
        fragments = {
            pointer: schema
            for pointer, schema in node.fragments.items()
            if not only_own or pointer == own or pointer.startswith(f"{own}/")
        }
        if fragments:
            for label, pointer, below, new, insert in _changes(drawn, path, node, fragments):
                yield Mutation(label, pointer, drawn, (*path, *below), new, insert)


def systematic(surface: Surface, name: str, drawn: Iterator[Drawn]) -> Iterator[Mutation]:
    """Yield near misses of instances, excluding changes to referenced definitions.

    Each near miss is yielded once for each combination of variants that the instances use.
    """
    seen: set[tuple[str, str, str, str]] = set()
    for each in drawn:
        for mutation in mutations(each, only_own=True):
            arms_there = repr(each.nodes[()].arms)
            key = (mutation.label, mutation.pointer, repr(mutation.new), arms_there)
            if key not in seen:
                seen.add(key)
                yield mutation


_Change = tuple[str, str, Path, Json, bool]


def _changes(
    drawn: Drawn, path: Path, node: Node, fragments: dict[str, Schema]
) -> Iterator[_Change]:
    value = get(drawn.value, path)
    first = next(iter(fragments))
    for label, new in _wrong_types(node):
        yield label, first, (), new, False
    for pointer, schema in fragments.items():
        for label, new in _by_keyword(node, schema):
            yield label, pointer, (), new, False
        if value.__class__ is dict:
            for name in schema.get("required", ()):
                yield "missing required", f"{pointer}/required/{name}", (name,), MISSING, False
            tag = tag_of(schema)
            if tag is not None:
                yield from ((*change, False) for change in _by_tag(pointer, tag, value))
            for name in _members_of_arms(drawn.surface, schema):
                if name not in value:
                    yield "member of another arm", pointer, (name,), "x", False
                    yield "member of another arm", pointer, (name,), None, False
        if value.__class__ is list and "items" in schema:
            # No array allows null items, and only free-form arrays allow numbers.
            if "x-deserialize-skip-invalid-items" in schema:
                yield "breaks x-deserialize-skip-invalid-items", pointer, (0,), None, True
            yield "bad item", f"{pointer}/items", (0,), None, True
            yield "bad item", f"{pointer}/items", (0,), 5, True
            if value:
                yield "bad item", f"{pointer}/items", (len(value) - 1,), {}, False
    if value.__class__ is dict:
        yield "extra member", first, ("x-new",), {"a": [1]}, False


def _wrong_types(node: Node) -> Iterator[tuple[str, Json]]:
    types = node.types
    for label, kind, new in WRONG:
        if types and kind not in types and not (kind == "integer" and "number" in types):
            yield f"{label} for {' or '.join(types)}", new


def _by_keyword(node: Node, schema: Schema) -> Iterator[tuple[str, Json]]:
    kind = "integer" if "integer" in node.types else "number"
    if kind in node.types:
        low, high = node.bounds(kind)
        step = 1 if kind == "integer" else 0.5
        if {"format", "minimum"} & schema.keys() and low > float("-inf"):
            yield "below the range", low - step
        if {"format", "maximum"} & schema.keys() and high < float("inf"):
            yield "above the range", high + step
            yield "above the range", float(high) * 2 + 2
    if "minLength" in schema:
        yield "below minLength", "x" * (schema["minLength"] - 1)
    if schema.get("minItems"):
        yield "below minItems", []
    if "x-deserialize-default-on-error" in schema and node.types:
        wrong = (new for _, kind, new in WRONG[1:] if kind not in node.types)
        yield "breaks x-deserialize-default-on-error", next(wrong)
    if "x-deserialize-default-on-null" in schema:
        yield "breaks x-deserialize-default-on-null", None
    if is_enum(schema):
        for unknown in UNKNOWN if "string" in node.types else (99, -32768):
            yield "unknown enum value", unknown


def _by_tag(pointer: str, tag: Tag, value: Json) -> Iterator[tuple[str, str, Path, Json]]:
    at: Path = (tag.name,)
    for unknown in UNKNOWN:
        yield "unknown tag", pointer, at, unknown
    for odd in NOT_TAGS:
        yield "tag not a string", pointer, at, odd
    if tag.name in value:
        yield "tag missing", pointer, at, MISSING
    for known in tag.known:
        if known != value.get(tag.name):
            yield "another known tag", pointer, at, known


def _members_of_arms(surface: Surface, schema: Schema) -> list[str]:
    found: dict[str, None] = {}
    pending = list(arms(schema))
    while pending:
        arm = pending.pop()
        found.update(dict.fromkeys(arm.get("properties", {})))
        pending.extend(arm.get("allOf", ()))
        if "$ref" in arm:
            pending.append(surface.definitions[arm["$ref"].removeprefix("#/$defs/")])
    return sorted(found)[:12]
