"""Typed values, generated from the fields and type hints of classes without using decoders.

The schema provides only facts that the hints don't contain: the JSON object of an `Unknown…`, and
whether an enumeration accepts other strings. Numbers are within every range in the schemas, and
strings and lists are not empty, so that every limit is met.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from acp_bindings.runtime import UNSET, Record, Unknown, UnsetType
from acp_bindings.v2 import Unlisted

from .exclusions import FIXED, NOT_BUILT, REFUSED
from .instances import Choices, generate
from .mutations import arms, is_enum, is_open_enum, tag_of
from .schemas import Surface

TEXTS = ("a", "é\udc00", "日本語", 'a"b\\c\n', "x" * 30)
INTS = (1, 2, 100, 7)
FLOATS = (0.5, 1.0, 0.0, 0.25)
# None of these objects has a field that a variant of an untagged union requires.
FREE: tuple[Any, ...] = (
    {"k": [1, 2.5, None]},
    None,
    True,
    "free",
    5,
    0.5,
    [],
    {},
    [{"k": "v"}],
    {"a/b~c": {}},
)


class Builder:
    def __init__(self, surface: Surface, choices: Choices) -> None:
        self.surface = surface
        self.choices = choices

    def definition(self, name: str) -> Any:
        return self.value(self.surface.module.TYPES[name], name, 0)

    def value(self, hint: Any, union: str, depth: int) -> Any:
        """Return a value that matches a type hint and can be encoded as the definition `union`."""
        origin, args = get_origin(hint), get_args(hint)
        if hint is Any:
            return self.choices.of(FREE)
        if hint is None or hint is type(None):
            return None
        if hint is UnsetType:
            return UNSET
        if origin is Annotated:
            return self.value(args[0], union, depth)
        if origin is Literal:
            return self.choices.of(args)
        if origin in (Union, types.UnionType):
            return self._union(args, union, depth)
        if origin is list:
            length = 1 + self.choices.below(2 if depth < 4 else 1)
            return [self.value(args[0], "", depth + 1) for _ in range(length)]
        if origin is dict:
            return {
                self.choices.of(TEXTS): self.value(args[1], "", depth + 1)
                for _ in range(self.choices.below(3 if depth < 4 else 1))
            }
        if hint in _SCALARS:
            return self.choices.of(_SCALARS[hint])
        if issubclass(hint, Unknown):
            return self._unknown(hint, union)
        assert issubclass(hint, Record), hint
        return self._record(hint, depth)

    def _union(self, args: tuple[Any, ...], union: str, depth: int) -> Any:
        weighted = _weighted(self.surface, args)
        if depth > 6 and UnsetType in weighted:
            return UNSET
        return self.value(self.choices.of(weighted), union, depth)

    def _record(self, cls: type, depth: int) -> Any:
        hints = _hints(self.surface, cls)
        made: dict[str, Any] = {}
        for field in dataclasses.fields(cls):
            if field.name == "unknown_fields":
                if self.choices.below(4) == 3:
                    made[field.name] = {"x-new": self.choices.of(FREE)}
            elif (cls.__name__, field.name) in FIXED:
                made[field.name] = FIXED[cls.__name__, field.name]
            else:
                hint = hints[field.name]
                value = self.value(hint, self._definition_of(hint), depth + 1)
                refused = REFUSED.get((cls.__name__, field.name), UNSET)
                made[field.name] = UNSET if value == refused else value
        return cls(**{name: value for name, value in made.items() if value is not UNSET})

    def _definition_of(self, hint: Any) -> str:
        return _names(self.surface).get(id(hint), "")

    def _unknown(self, cls: type[Unknown], union: str) -> Unknown:
        """Return an object that has an unknown tag but matches the definition `union`."""
        homes = _homes_of(self.surface, cls)
        home = homes[0]
        outer = union if union in homes else home
        pins: dict[str, int] = {}
        if outer != home:
            pins |= _pin_arm(self.surface, outer, home)
        schema = self.surface.definitions[home]
        others = [index for index, arm in enumerate(arms(schema)) if "not" in arm]
        pins |= {f"#/$defs/{home}/{_keyword(schema)}": others[0]}
        raw = generate(self.surface, outer, self.choices, pins).value
        tag = tag_of(schema)
        assert tag is not None
        return cls(raw[tag.name], raw)


@functools.cache
def _weighted(surface: Surface, args: tuple[Any, ...]) -> list[Any]:
    """Return the usable hints of a union, with all except UNSET and null listed twice."""
    allowed = [arg for arg in args if not _is_excluded(surface, arg)]
    literals = [arg for arg in allowed if get_origin(arg) is Literal]
    if Unlisted in allowed and not _is_open(surface, get_args(literals[0])):
        allowed.remove(Unlisted)
    return [arg for arg in allowed for _ in range(1 if arg in (UnsetType, _NULL) else 2)]


def _is_excluded(surface: Surface, hint: Any) -> bool:
    return (surface.name, getattr(hint, "__name__", "")) in NOT_BUILT


_NULL = type(None)
_SCALARS: Mapping[Any, tuple[Any, ...]] = {
    str: TEXTS,
    Unlisted: TEXTS,
    int: INTS,
    float: (*FLOATS, 1),
    bool: (True, False),
}


def _homes_of(surface: Surface, cls: type) -> list[str]:
    found = [
        (len(get_args(form)), name)
        for name, form in surface.module.TYPES.items()
        if cls in get_args(form)
    ]
    return [name for _, name in sorted(found)]


def _pin_arm(surface: Surface, outer: str, inner: str) -> dict[str, int]:
    schema = surface.definitions[outer]
    for index, arm in enumerate(arms(schema)):
        if {"$ref": f"#/$defs/{inner}"} in arm.get("allOf", ()):
            return {f"#/$defs/{outer}/{_keyword(schema)}": index}
    raise AssertionError((outer, inner))


def _keyword(schema: dict[str, Any]) -> str:
    return "anyOf" if "anyOf" in schema else "oneOf"


@functools.cache
def _names(surface: Surface) -> dict[int, str]:
    """Map the identity of each type to the name of its first definition."""
    return {id(form): name for name, form in reversed(surface.module.TYPES.items())}


@functools.cache
def _hints(surface: Surface, cls: type) -> dict[str, Any]:
    module = __import__(f"acp_bindings.{surface.name}.types", fromlist=["types"])
    return get_type_hints(cls, vars(module), include_extras=True)


@functools.cache
def _is_open(surface: Surface, values: tuple[Any, ...]) -> bool:
    enums = [
        schema
        for name in surface.names
        if is_enum(schema := surface.definitions[name])
        and {arm["const"] for arm in arms(schema) if "const" in arm} == set(values)
    ]
    return all(is_open_enum(schema) for schema in enums)


def classes(surface: Surface) -> set[type]:
    return {
        each
        for each in vars(surface.module).values()
        if isinstance(each, type)
        and issubclass(each, Record | Unknown)
        and each not in (Record, Unknown)
    }


def all_classes_of(value: Any) -> set[type]:
    found: set[type] = set()
    if isinstance(value, Unknown):
        return {value.__class__}
    if isinstance(value, Record):
        found.add(value.__class__)
        for field in dataclasses.fields(value):
            found |= all_classes_of(getattr(value, field.name))
    elif isinstance(value, list):
        found = {each for item in value for each in all_classes_of(item)}
    elif isinstance(value, dict):
        found = {each for item in value.values() for each in all_classes_of(item)}
    return found
