"""The vendored schemas and the oracles that decide whether JSON is valid.

`CompiledOracle` uses `jsonschema-rs`, which is a hundred times as fast as `jsonschema`. Tests
compare the two oracles. `Oracle` uses `jsonschema`, for schemas with patterns in Python's syntax.
"""

from __future__ import annotations

import copy
import functools
import importlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeAlias

import jsonschema_rs
from jsonschema import Draft202012Validator, ValidationError, validators

from tests.support.paths import SCHEMA

Json: TypeAlias = Any
Schema: TypeAlias = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
INT_RANGES = {
    f"{sign}int{bits}": (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for bits in (8, 16, 32, 64)
    for sign in ("", "u")
}


class Shown:
    """A base class for objects that hypothesis prints using their `repr`, not field by field."""

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))


@dataclass(frozen=True, eq=False, repr=False)
class Surface(Shown):
    name: str  # of the package
    definitions: dict[str, Schema]  # every entry of `$defs`, as in the file
    names: tuple[str, ...]  # the names of all definitions except envelopes

    def __repr__(self) -> str:
        return self.name

    @functools.cached_property
    def module(self) -> ModuleType:
        return importlib.import_module(f"acp_bindings.{self.name}")


def _load(name: str, file: str) -> Surface:
    definitions = json.loads((SCHEMA / file).read_text(encoding="utf-8"))["$defs"]
    names = tuple(n for n, schema in definitions.items() if not schema.get("x-docs-ignore"))
    return Surface(name, definitions, names)


SURFACES = {
    f"{folder.name}{stability}": _load(f"{folder.name}{stability}", f"{folder.name}/{file}")
    for folder in sorted(SCHEMA.glob("v*"), key=lambda folder: int(folder.name[1:]))
    for stability, file in (("", "schema.json"), ("_unstable", "schema.unstable.json"))
    if (folder / file).is_file()
}
TYPES = [(surface, name) for surface in SURFACES.values() for name in surface.names]


def _is_repeated(surface: Surface, name: str) -> bool:
    """Return whether the unstable surface of the same version has the same definition."""
    unstable = SURFACES.get(f"{surface.name}_unstable")
    return unstable is not None and unstable.definitions.get(name) == surface.definitions[name]


# A definition that is identical in a stable and an unstable surface is tested only once.
DISTINCT = [(surface, name) for surface, name in TYPES if not _is_repeated(surface, name)]


# --- the oracles -----------------------------------------------------------------------------


class CompiledOracle:
    """A validator of JSON values according to Draft 2020-12, including integer formats."""

    def __init__(self, definitions: dict[str, Schema]) -> None:
        self._definitions = definitions

    @functools.cached_property
    def _validator(self) -> Any:
        """A validator for objects with one field, named after the definition of its value."""
        definitions = with_ranges(self._definitions)
        members = {name: {"$ref": f"#/$defs/{name}"} for name in definitions}
        schema = {"$schema": DIALECT, "$defs": definitions, "properties": members}
        return jsonschema_rs.validator_for(schema)

    def is_valid(self, name: str, value: Json) -> bool:
        try:
            return self._validator.is_valid({name: value})
        except UnicodeEncodeError:  # the library doesn't support unpaired surrogates
            text = json.dumps({name: value}, ensure_ascii=False).encode("utf-8", "replace")
            return self._validator.is_valid(json.loads(text))


def with_ranges(definitions: dict[str, Schema]) -> dict[str, Schema]:
    """Return a copy that also expresses integer formats as ranges, which validators check."""
    # A copy through JSON is ten times as fast as `copy.deepcopy`.
    made: dict[str, Schema] = json.loads(json.dumps(definitions))
    pending: list[Any] = list(made.values())
    while pending:
        schema = pending.pop()
        if isinstance(schema, list):
            pending += schema
        elif isinstance(schema, dict):
            pending += schema.values()
            named = schema.get("format")  # can also be the schema of a field named "format"
            is_format = isinstance(named, str) and named in INT_RANGES
            if is_format and "integer" in schema.get("type", "integer"):
                low, high = INT_RANGES[named]
                schema["minimum"] = max(low, schema.get("minimum", low))
                schema["maximum"] = min(high, schema.get("maximum", high))
    return made


class Oracle:
    """A validator of JSON values that supports any schema.

    Keywords are checked by the functions of `jsonschema`, except keywords that apply another
    schema. These keywords use validators that are created once and stop at the first error.
    """

    def __init__(self, definitions: dict[str, Schema]) -> None:
        self._definitions = definitions
        self._validators: dict[int, Any] = {}
        fits = self._fits
        extend: Any = validators.extend
        self._class = extend(
            Draft202012Validator,
            {
                "$ref": _keyword(lambda ref, value, _: fits(at(definitions, ref), value)),
                "allOf": _keyword(lambda arms, value, _: all(fits(arm, value) for arm in arms)),
                "anyOf": _keyword(lambda arms, value, _: any(fits(arm, value) for arm in arms)),
                "oneOf": _keyword(
                    lambda arms, value, _: sum(fits(arm, value) for arm in arms) == 1
                ),
                "not": _keyword(lambda other, value, _: not fits(other, value)),
                "properties": _keyword(
                    lambda members, value, _: not isinstance(value, dict)
                    or all(fits(sub, value[n]) for n, sub in members.items() if n in value)
                ),
                "items": _keyword(
                    lambda sub, value, schema: not isinstance(value, list)
                    or all(fits(sub, each) for each in value[len(schema.get("prefixItems", ())) :])
                ),
                "format": _keyword(_is_in_range),
            },
        )

    def is_valid(self, name: str, value: Json) -> bool:
        return self._fits(self._definitions[name], value)

    def _fits(self, schema: Schema, value: Json) -> bool:
        validator = self._validators.get(id(schema))
        if validator is None:
            root = {"$defs": self._definitions}
            validator = self._class(root).evolve(schema=schema)
            self._validators[id(schema)] = validator
        return bool(validator.is_valid(value))


def _keyword(holds: Callable[[Any, Json, Schema], bool]) -> Callable[..., Iterator[Any]]:
    def check(_: Any, given: Any, value: Json, schema: Schema) -> Iterator[ValidationError]:
        if not holds(given, value, schema):
            yield ValidationError("not so")

    return check


def _is_in_range(name: Any, value: Json, schema: Schema) -> bool:
    if name not in INT_RANGES or not Draft202012Validator.TYPE_CHECKER.is_type(value, "integer"):
        return True
    low, high = INT_RANGES[name]
    return bool(low <= value <= high)


@functools.cache
def oracle(surface: Surface) -> CompiledOracle:
    return CompiledOracle(surface.definitions)


def amended(surface: Surface, amend: Callable[[dict[str, Schema]], None]) -> CompiledOracle:
    definitions = copy.deepcopy(surface.definitions)
    amend(definitions)
    return CompiledOracle(definitions)


def at(definitions: dict[str, Schema], pointer: str) -> Any:
    found: Any = definitions
    for part in pointer.removeprefix("#/$defs/").split("/"):
        found = found[int(part)] if isinstance(found, list) else found[part]
    return found
