"""JSON instances drawn from a schema, with the schemas that apply to each of their parts.

An instance is a function of a byte string: each choice consumes one or two bytes. A zero byte
selects the simplest choice and replaces missing bytes. Therefore, hypothesis draws and shrinks only
one value. `pins` fix the choices at certain schema pointers, so that an instance reaches a
particular part of the schema.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .schemas import INT_RANGES, Json, Schema, Shown, Surface, oracle

Path: TypeAlias = tuple[str | int, ...]
# Maps schema pointers to choices: the variant of a union, whether an optional field is present, or
# whether a container is non-empty. A pointer with "/type" appended selects one of several types.
Pins: TypeAlias = Mapping[str, Any]

ENTROPY = 256
DEEP = 6
STRINGS = (
    "a", "", "text", "é", "日本語", "😀\ud83d", "a/b~c", '"\\\n\t', "\x00\x1f", "\u2028", "null",
    "5", "true", "https://example.com/?q=1#f", " padded ", "x" * 40, "EUR",
)  # fmt: skip
KEYS = ("k", "a/b~c", "", "é\udc00", "_vendor", "type")
EXTRA_NAMES = ("x-extra", "_vendor", "", "a/b~c", "naïve", "futureMember")
UNKNOWN_TAGS = ("_extension", "future_variant", "", "_", "Text", "日本", "0")
NUMBERS: tuple[float, ...] = (
    0, 1, 0.5, 1.0, -1, -0.0, -1.5, 2**53 + 1, 1e300, 5e-324, 0.1, 10**30, -(2**63), 2**63,
)  # fmt: skip


class Choices:
    def __init__(self, data: bytes = b"") -> None:
        self._data = data
        self._next = 0

    def below(self, count: int) -> int:
        """Return a number below `count`, consuming one byte, or two if `count` is over 256."""
        end = self._next + 1 + (count > 256)
        taken = self._data[self._next : end]
        self._next = end
        return int.from_bytes(taken, "big") % count

    def of(self, values: Any) -> Any:
        """Return one of the values, or the first value if no bytes are left."""
        return values[self.below(len(values))]


@dataclass
class Node:
    # Every schema that applies to the value, by pointer.
    fragments: dict[str, Schema] = field(default_factory=dict)
    arms: list[str] = field(default_factory=list)  # the pointers of the chosen union variants
    forbidden: set[str] = field(default_factory=set)  # strings that the value must not equal

    @functools.cached_property  # cached, so don't read it before all fragments are added
    def types(self) -> tuple[str, ...]:
        """The JSON types that the value can have, or an empty tuple if any type is allowed."""
        found: tuple[str, ...] | None = None
        for schema in self.fragments.values():
            if "type" in schema:
                listed = schema["type"]
                listed = (listed,) if isinstance(listed, str) else tuple(listed)
                found = tuple(t for t in found or listed if t in listed)
        return found or ()

    @property
    def required(self) -> list[str]:
        return list(
            dict.fromkeys(m for s in self.fragments.values() for m in s.get("required", ()))
        )

    @property
    def members(self) -> dict[str, dict[str, Schema]]:
        found: dict[str, dict[str, Schema]] = {}
        for pointer, schema in self.fragments.items():
            for name, sub in schema.get("properties", {}).items():
                found.setdefault(name, {})[f"{pointer}/properties/{name}"] = sub
        return found

    def find(self, keyword: str) -> list[Any]:
        return [schema[keyword] for schema in self.fragments.values() if keyword in schema]

    def bounds(self, kind: str) -> tuple[float, float]:
        low, high = -math.inf, math.inf
        for name in self.find("format") if kind == "integer" else ():
            if name in INT_RANGES:
                low, high = INT_RANGES[name]
        return max([low, *self.find("minimum")]), min([high, *self.find("maximum")])


@dataclass(repr=False)
class Drawn(Shown):
    surface: Surface
    name: str
    value: Json
    nodes: dict[Path, Node] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"{self.surface.name} {self.name} {self.value!r}"


def generate(
    surface: Surface, name: str, choices: Choices | None = None, pins: Pins | None = None
) -> Drawn:
    generator = _Generator(surface.definitions, choices or Choices(), pins or {})
    value = generator.value({f"#/$defs/{name}": surface.definitions[name]}, ())
    drawn = Drawn(surface, name, value, generator.nodes)
    assert oracle(surface).is_valid(name, value), f"the generator is wrong: {drawn}"
    return drawn


def anything(choices: Choices, depth: int = 0) -> Json:
    kind = choices.below(8 if depth < 3 else 5)
    if kind == 0:
        return None
    if kind == 1:
        return choices.of(STRINGS)
    if kind == 2:
        return choices.of(NUMBERS)
    if kind in (3, 4):
        return kind == 3
    if kind == 5:
        return [anything(choices, depth + 1) for _ in range(choices.below(3))]
    return {choices.of(KEYS): anything(choices, depth + 1) for _ in range(choices.below(3))}


class _Generator:
    def __init__(self, definitions: dict[str, Schema], choices: Choices, pins: Pins) -> None:
        self.definitions = definitions
        self.choices = choices
        self.pins = pins
        self.nodes: dict[Path, Node] = {}

    def value(
        self, schemas: dict[str, Schema], path: Path, forbidden: set[str] | None = None
    ) -> Json:
        node = self.nodes[path] = Node(forbidden=forbidden or set())
        for pointer, schema in schemas.items():
            self._collect(node, pointer, schema, deep=len(path) > DEEP)
        for const in node.find("const"):
            return const
        for listed in node.find("enum"):
            return self.choices.of(listed)
        types = node.types
        if not types:
            return anything(self.choices)
        kind = types[0] if len(types) == 1 else self._type(node, types, deep=len(path) > DEEP)
        make = getattr(self, f"_{kind}")
        return make(node, path)

    def _collect(self, node: Node, pointer: str, schema: Schema, deep: bool) -> None:
        node.fragments[pointer] = schema
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            self._collect(node, schema["$ref"], self.definitions[name], deep)
        for index, sub in enumerate(schema.get("allOf", ())):
            self._collect(node, f"{pointer}/allOf/{index}", sub, deep)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                arms = schema[keyword]
                at = f"{pointer}/{keyword}"
                if at in self.pins:
                    index = self.pins[at]
                elif deep:
                    index = len(arms) - 1 if arms[-1].get("type") == "null" else 0
                else:
                    index = self.choices.below(len(arms))
                node.arms.append(f"{at}/{index}")
                self._collect(node, f"{at}/{index}", arms[index], deep)

    def _type(self, node: Node, types: tuple[str, ...], deep: bool) -> str:
        for pointer in node.fragments:
            if f"{pointer}/type" in self.pins:
                return str(self.pins[f"{pointer}/type"])
        if deep and "null" in types:
            return "null"
        return str(self.choices.of(types))

    def _null(self, node: Node, path: Path) -> None:
        return None

    def _boolean(self, node: Node, path: Path) -> bool:
        return bool(self.choices.below(2))

    def _string(self, node: Node, path: Path) -> str:
        if node.forbidden:
            return str(self.choices.of([tag for tag in UNKNOWN_TAGS if tag not in node.forbidden]))
        shortest = max([0, *node.find("minLength")])
        fitting = [s for s in STRINGS if len(s) >= shortest]
        for pattern in node.find("pattern"):
            fitting = [s for s in fitting if re.search(pattern, s)]
        return str(self.choices.of(fitting))

    def _integer(self, node: Node, path: Path) -> Any:
        low, high = node.bounds("integer")
        wanted = [1, 0, low, high, 1.0, 2**53 + 1, -1, 10, -7.0, 65535, 2.0**53]
        return self.choices.of([n for n in wanted if low <= n <= high and math.isfinite(n)])

    def _number(self, node: Node, path: Path) -> Any:
        low, high = node.bounds("number")
        return self.choices.of([n for n in NUMBERS if low <= n <= high])

    def _array(self, node: Node, path: Path) -> list[Json]:
        least = max([0, *node.find("minItems")])
        filled = any(self.pins.get(f"{pointer}/items") for pointer in node.fragments)
        most = 1 if len(path) > DEEP else 4
        length = max(least, int(filled), self.choices.below(most))
        schemas = {f"{p}/items": s["items"] for p, s in node.fragments.items() if "items" in s}
        return [self.value(schemas, (*path, index)) for index in range(length)]

    def _object(self, node: Node, path: Path) -> dict[str, Json]:
        made: dict[str, Json] = {}
        required = node.required
        forbidden = _forbidden(node)
        members = node.members
        for name, schemas in members.items():
            if name in required or self._is_there(schemas, path):
                made[name] = self.value(schemas, (*path, name), forbidden.get(name))
        entries = {
            f"{pointer}/additionalProperties": schema["additionalProperties"]
            for pointer, schema in node.fragments.items()
            if isinstance(schema.get("additionalProperties"), dict)
        }
        filled = any(self.pins.get(pointer) for pointer in entries)
        for _ in range(max(int(filled), self.choices.below(8) - 5)):
            name = self.choices.of(EXTRA_NAMES)
            if name not in members and name not in made:
                is_map = bool(entries)
                made[name] = (
                    self.value(entries, (*path, name)) if is_map else anything(self.choices, 1)
                )
        return made

    def _is_there(self, schemas: dict[str, Schema], path: Path) -> bool:
        for pointer in schemas:
            if pointer in self.pins:
                return bool(self.pins[pointer])
        return len(path) <= DEEP and self.choices.below(5) > 1


def _forbidden(node: Node) -> dict[str, set[str]]:
    """Map each tag field to the known tags that an object with an unknown tag must not have."""
    found: dict[str, set[str]] = {}
    for schema in node.find("not"):
        for arm in schema["anyOf"]:
            for name, sub in arm["properties"].items():
                found.setdefault(name, set()).add(sub["const"])
    return found
