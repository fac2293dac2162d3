"""The facts of each definition that tests must cover, derived only from the schema."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

from .instances import Choices, Drawn, Pins, generate
from .schemas import Schema, Surface

VENDOR = (
    "x-deserialize-default-on-error",
    "x-deserialize-skip-invalid-items",
    "x-deserialize-default-on-null",
)
LIMITS = ("minItems", "minLength", "minimum", "maximum")


class Fact(NamedTuple):
    # One of `definition`, `arm`, `enum value`, `member`, `absent`, `required`, `items`, `entries`
    # and `type`, or the name of a keyword.
    kind: str
    pointer: str  # the schema with the fact; for `required`, followed by the field's name
    pins: Pins  # the choices on the path from the definition to this schema


@functools.cache
def facts(surface: Surface, name: str) -> tuple[Fact, ...]:
    pointer = f"#/$defs/{name}"
    root = surface.definitions[name]
    return (Fact("definition", pointer, {}), *_facts(root, pointer, {}))


def _facts(schema: Schema, pointer: str, pins: dict[str, Any]) -> Iterator[Fact]:
    for keyword in (*VENDOR, *LIMITS, "format"):
        if keyword in schema:
            yield Fact(keyword, pointer, pins)
    for keyword in ("anyOf", "oneOf"):
        for index, arm in enumerate(schema.get(keyword, ())):
            at = f"{pointer}/{keyword}/{index}"
            inside = {**pins, f"{pointer}/{keyword}": index}
            yield Fact("enum value" if "const" in arm else "arm", at, inside)
            yield from _facts(arm, at, inside)
    for index, part in enumerate(schema.get("allOf", ())):
        yield from _facts(part, f"{pointer}/allOf/{index}", pins)
    if isinstance(schema.get("type"), list):
        for kind in schema["type"]:
            yield Fact("type", f"{pointer}/type/{kind}", {**pins, f"{pointer}/type": kind})
        # To reach the contents of an array or object, choose that type.
        pins = {**pins, f"{pointer}/type": schema["type"][0]}
    for name in schema.get("required", ()):
        yield Fact("required", f"{pointer}/required/{name}", pins)
    for name, member in schema.get("properties", {}).items():
        at = f"{pointer}/properties/{name}"
        yield Fact("member", at, {**pins, at: True})
        if name not in schema.get("required", ()):
            yield Fact("absent", at, {**pins, at: False})
        yield from _facts(member, at, {**pins, at: True})
    if "items" in schema:
        at = f"{pointer}/items"
        yield Fact("items", at, {**pins, at: True})
        yield from _facts(schema["items"], at, {**pins, at: True})
    if isinstance(schema.get("additionalProperties"), dict):
        at = f"{pointer}/additionalProperties"
        yield Fact("entries", at, {**pins, at: True})
        yield from _facts(schema["additionalProperties"], at, {**pins, at: True})


@functools.cache
def cases(surface: Surface, name: str) -> tuple[Drawn, ...]:
    """Return small instances and a nearly complete one, which together cover every fact."""
    found: dict[str, Drawn] = {}
    rich = bytes(range(4, 256, 5))
    for fact in facts(surface, name):
        drawn = generate(surface, name, None, fact.pins)
        found.setdefault(repr(drawn.value), drawn)
    drawn = generate(surface, name, Choices(rich))
    found.setdefault(repr(drawn.value), drawn)
    return tuple(found.values())
