"""Small schemas, what differs between two of them, and packages made from them."""

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from acpgen.build.surface import understand
from acpgen.commands.files import write
from acpgen.commands.generate import generate
from acpgen.diff.changes import Change
from acpgen.diff.compare.definitions import compare
from acpgen.ir.surface import Surface
from package.laws.instances import Choices
from package.laws.instances import generate as draw
from package.laws.schemas import Surface as Drawable

Schema: TypeAlias = dict[str, Any]

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
MAYBE = {"type": ["string", "null"]}
ON_ERROR = {"x-deserialize-default-on-error": True}
ON_NULL = {"x-deserialize-default-on-null": True}
SKIP = {"x-deserialize-skip-invalid-items": True}
DRAWS = 150


def ref(name: str) -> Schema:
    """A reference to a definition."""
    return {"$ref": f"#/$defs/{name}"}


def record(*required: str, **members: Schema) -> Schema:
    """An object with members, of which some are required."""
    return {"type": "object", "properties": members, "required": list(required)}


def listed(*values: str | int, other: Schema | None = None) -> Schema:
    """An enumeration; `other` is what it takes besides its constants."""
    kind = "string" if isinstance(values[0], str) else "integer"
    arms: list[Schema] = [{"const": value, "type": kind} for value in values]
    return {"anyOf": [*arms, other]} if other else {"oneOf": arms}


def tagged(value: str, target: str | None = None, tag: str = "kind") -> Schema:
    """An arm of a union: an object whose tag is `value`."""
    arm = record(tag, **{tag: {"type": "string", "const": value}})
    return {**arm, "allOf": [ref(target)]} if target else arm


def union(*arms: Schema, rest: bool = False, tag: str = "kind") -> Schema:
    """A union of tagged arms and others; `rest`: with an arm for all other tags."""
    made = list(arms)
    if rest:
        cases = [
            record(tag, **{tag: arm["properties"][tag]})
            for arm in arms
            if tag in arm.get("properties", {})
        ]
        made.append({**record(tag, **{tag: STRING}), "not": {"anyOf": cases}})
    return {"anyOf": made}


def method(wire: str, **members: Schema) -> Schema:
    """The params or the result of a method of the agent."""
    return {**record(**members), "x-method": wire, "x-side": "agent"}


def envelopes(
    requests: dict[str, str] | None = None, notifications: tuple[str, ...] = ()
) -> dict[str, Schema]:
    """What the client sends to the agent: results by params of requests, and notifications."""

    def envelope(names: list[str], member: str) -> Schema:
        inner = {"anyOf": [ref(name) for name in names]}
        return {**record(**{member: inner}), "x-docs-ignore": True}

    made: dict[str, Schema] = {}
    if requests:
        made["ClientRequest"] = envelope(list(requests), "params")
        made["AgentResponse"] = envelope(list(requests.values()), "result")
    if notifications:
        made["ClientNotification"] = envelope(list(notifications), "params")
    return made


def save(path: Path, definitions: dict[str, Schema]) -> Path:
    """Write a schema; what makes it one of ACP is put in."""
    present = any("x-method" in schema for schema in definitions.values())
    least = {} if present else {"Request": method("some/method")}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"$defs": {**least, **definitions}}), encoding="utf-8")
    return path


def read(path: Path, definitions: dict[str, Schema]) -> Surface:
    """A schema as the generator understands it."""
    [surface], _ = understand(save(path, definitions), ["v2"])
    return surface


def changes(folder: Path, old: dict[str, Schema], new: dict[str, Schema]) -> list[Change]:
    """What differs between two schemas."""
    return compare(read(folder / "old.json", old), read(folder / "new.json", new))


# --- what really decodes ---------------------------------------------------------------------


def package(folder: Path, name: str, definitions: dict[str, Schema]) -> ModuleType:
    """The types made from a schema; `folder` must be on the path of imports."""
    made = generate(save(folder / f"{name}.json", definitions), ["v2"], types_only=True)
    write(folder / name, made.files, whole=True)
    importlib.invalidate_caches()
    return importlib.import_module(f"{name}.v2")


def instances(name: str, definitions: dict[str, Schema]) -> Iterator[Any]:
    """Valid instances of a definition, the same ones each time."""
    surface = Drawable("small", definitions, tuple(definitions))
    entropy = random.Random(name)
    for _ in range(DRAWS):
        yield draw(surface, name, Choices(entropy.randbytes(64))).value


def refused(module: ModuleType, name: str, values: Iterator[Any]) -> list[Any]:
    """The values that do not decode in default mode."""
    found: list[Any] = []
    for value in values:
        try:
            module.decode(module.TYPES[name], value)
        except module.DecodeError:
            found.append(value)
    return found
