"""Functions that build small schemas, compare them, and generate packages from them."""

from __future__ import annotations

import importlib
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from acpgen.analysis.surface import understand
from acpgen.common.paths import TEMPLATES
from acpgen.diff.changes import Change
from acpgen.diff.compare import compare
from acpgen.emit.package import render_package, render_surface
from acpgen.ir.surface import Surface

from tests.package.laws.instances import Choices
from tests.package.laws.instances import generate as draw
from tests.package.laws.schemas import Surface as Drawable

Schema: TypeAlias = dict[str, Any]

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
MAYBE = {"type": ["string", "null"]}
ON_ERROR = {"x-deserialize-default-on-error": True}
ON_NULL = {"x-deserialize-default-on-null": True}
SKIP = {"x-deserialize-skip-invalid-items": True}
DRAWS = 150


def ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def record(*required: str, **members: Schema) -> Schema:
    """Return an object schema. `required` lists the required fields."""
    return {"type": "object", "properties": members, "required": list(required)}


def listed(*values: str | int, other: Schema | None = None) -> Schema:
    """Return an enumeration. If `other` is given, other values that match it are also valid."""
    kind = "string" if isinstance(values[0], str) else "integer"
    arms: list[Schema] = [{"const": value, "type": kind} for value in values]
    return {"anyOf": [*arms, other]} if other else {"oneOf": arms}


def tagged(value: str, target: str | None = None, tag: str = "kind") -> Schema:
    """Return a variant of a union. Its tag is `value`."""
    arm = record(tag, **{tag: {"type": "string", "const": value}})
    return {**arm, "allOf": [ref(target)]} if target else arm


def union(*arms: Schema, rest: bool = False, tag: str = "kind") -> Schema:
    """Return a union of variants. `rest` adds a variant for all other tags."""
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
    return {**record(**members), "x-method": wire, "x-side": "agent"}


def envelopes(
    requests: dict[str, str] | None = None, notifications: tuple[str, ...] = ()
) -> dict[str, Schema]:
    """Return the envelopes. `requests` maps the params of each agent method to its result."""

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
    """Write a schema. Add a method if the schema has none, since ACP schemas need at least one."""
    has_method = any("x-method" in schema for schema in definitions.values())
    least = {} if has_method else {"Request": method("some/method")}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"$defs": {**least, **definitions}}), encoding="utf-8")
    return path


def build(definitions: dict[str, Schema], *, strict: bool = False) -> Surface:
    with tempfile.TemporaryDirectory() as folder:
        path = save(Path(folder) / "schema.json", definitions)
        [surface], _ = understand(path, ["v2"], strict=strict)
    return surface


def read(definitions: dict[str, Schema], *, strict: bool = False) -> Surface:
    """Return the surface of a schema. Surfaces are cached."""
    key = json.dumps([definitions, strict])
    if key not in _built:
        _built[key] = build(definitions, strict=strict)
    return _built[key]


_built: dict[str, Surface] = {}


def changes(old: dict[str, Schema], new: dict[str, Schema]) -> list[Change]:
    return compare(read(old), read(new))


# --- actual decoding -------------------------------------------------------------------------


class Packages:
    """A cache of generated, importable surfaces that share one runtime."""

    def __init__(self, folder: Path, name: str = "small_surfaces") -> None:
        """Write the runtime.

        Args:
            folder: The directory in which to write the package. It must be on the import path.
            name: The name of the package, which must be unique in this process.
        """
        self._package = folder / name
        self._modules: dict[str, ModuleType] = {}
        self._write(render_package(TEMPLATES, types_only=True))

    def module(self, definitions: dict[str, Schema]) -> ModuleType:
        text = json.dumps(definitions)
        if text not in self._modules:
            name = f"surface_{len(self._modules)}"
            files = render_surface(read(definitions), TEMPLATES, types_only=True)
            self._write({path.replace("v2/", f"{name}/", 1): files[path] for path in files})
            importlib.invalidate_caches()
            self._modules[text] = importlib.import_module(f"{self._package.name}.{name}")
        return self._modules[text]

    def _write(self, files: dict[str, str]) -> None:
        for path, text in files.items():
            target = self._package / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")


def instances(name: str, definitions: dict[str, Schema]) -> Iterator[Any]:
    """Yield random valid instances of a definition. Every run yields the same instances."""
    surface = Drawable("small", definitions, tuple(definitions))
    entropy = random.Random(name)
    for _ in range(DRAWS):
        yield draw(surface, name, Choices(entropy.randbytes(64))).value


def refused(module: ModuleType, name: str, values: Iterator[Any]) -> list[Any]:
    """Return the values that the default mode rejects."""
    found: list[Any] = []
    for value in values:
        try:
            module.decode(module.TYPES[name], value)
        except module.DecodeError:
            found.append(value)
    return found
