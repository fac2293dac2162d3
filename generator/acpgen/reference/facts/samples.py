"""Small values of every shape, made from what the schema says alone: the same ones each time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from acpgen.emit import quoting
from acpgen.ir import naming
from acpgen.ir.model import (
    Alias,
    Array,
    Boolean,
    Definition,
    Dictionary,
    Enumeration,
    Integer,
    Member,
    Null,
    Nullable,
    Number,
    Record,
    Reference,
    Shape,
    String,
    TaggedUnion,
    UntaggedUnion,
)
from acpgen.ir.surface import Surface

# How many optional members an object of an example has, at most; nothing below it has any.
_OPTIONAL = 2


class NoSampleError(ValueError):
    """A shape whose values cannot be guessed, or that holds itself without an end."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A JSON value, and the Python expression for it."""

    value: Any
    python: str


class Samples:
    """Makes samples of one surface."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._open: list[str] = []

    def of_definition(self, name: str, *, extra: bool = False) -> Sample:
        """A sample of a definition.

        Args:
            extra: whether an object gets a few optional members, too.

        Raises:
            NoSampleError: there is none.
        """
        if name in self._open:
            raise NoSampleError(name)
        self._open.append(name)
        try:
            return self._definition(self._surface.definitions[name], extra)
        finally:
            self._open.pop()

    def of_shape(self, shape: Shape, hint: str) -> Sample:
        """A sample of a shape; `hint` is the name of what holds it."""
        match shape:
            case Reference(name):
                definition = self._surface.definitions[name]
                if isinstance(definition, Alias) and isinstance(definition.shape, String):
                    return self.of_shape(definition.shape, name)
                return self.of_definition(name)
            case Nullable(inner):
                return self._or_else(inner, hint, Sample(None, "None"))
            case Array(items, least):
                nothing = None if least else Sample([], "[]")
                item = self._or_else(items, hint, nothing)
                if item is nothing:
                    return item
                count = least or 1
                listed = ", ".join([item.python] * count)
                return Sample([item.value] * count, f"[{listed}]")
            case Dictionary(values):
                entry = self._or_else(values, hint, Sample({}, "{}"))
                if entry.python == "{}":
                    return entry
                return Sample({"key": entry.value}, f'{{"key": {entry.python}}}')
            case UntaggedUnion(arms):
                return self._first([arm.shape for arm in arms], hint)
            case _:
                value = _scalar(shape, hint)
                return Sample(value, quoting.literal(value))

    def members(self, members: tuple[Member, ...]) -> dict[str, Sample]:
        """Samples of the members that must be there, by name in Python."""
        return {m.name: self.of_shape(m.shape, m.wire) for m in members if m.required}

    def _definition(self, definition: Definition, extra: bool) -> Sample:
        match definition:
            case Alias(name=name, shape=shape):
                return self.of_shape(shape, name)
            case Record():
                return self._record(definition, extra)
            case TaggedUnion(tag=tag, arms=arms, default=default):
                for arm in arms:
                    try:
                        inner = self.of_definition(arm.target)
                    except NoSampleError:
                        continue
                    return Sample({tag: arm.tag, **inner.value}, inner.python)
                if default is None:
                    raise NoSampleError(definition.name)
                return self.of_shape(default, definition.name)

    def _record(self, record: Record, extra: bool) -> Sample:
        value: dict[str, Any] = {}
        arguments: list[str] = []
        left = _OPTIONAL if extra else 0
        for member in record.members:
            if member.const is not None:
                value[member.wire] = member.const
            elif member.required or (left and self._is_simple(member.shape)):
                left -= not member.required
                sample = self._member(record, member)
                value[member.wire] = sample.value
                arguments.append(f"{member.name}={sample.python}")
        return Sample(value, f"{record.name}({', '.join(arguments)})")

    def _member(self, record: Record, member: Member) -> Sample:
        """A sample of a member that does not make the record another class."""
        if member.wire == record.discriminator:
            taken = {arm.tag for arm in record.subtypes}
            for value in self._listed(member.shape):
                if value not in taken:
                    return Sample(value, quoting.literal(value))
        return self.of_shape(member.shape, member.wire)

    def _listed(self, shape: Shape) -> tuple[str | int, ...]:
        """The constants of an enumeration; none of any other shape."""
        plain = self._plain(shape)
        return plain.values if isinstance(plain, Enumeration) else ()

    def _is_simple(self, shape: Shape) -> bool:
        """Whether an optional member is worth showing: it is a scalar that says something."""
        return isinstance(self._plain(shape), Boolean | Enumeration | Integer | Number | String)

    def _plain(self, shape: Shape) -> Shape:
        """A shape without null and aliases."""
        if isinstance(shape, Nullable):
            return self._plain(shape.shape)
        if isinstance(shape, Reference):
            definition = self._surface.definitions[shape.name]
            if isinstance(definition, Alias):
                return self._plain(definition.shape)
        return shape

    def _or_else(self, shape: Shape, hint: str, otherwise: Sample | None) -> Sample:
        try:
            return self.of_shape(shape, hint)
        except NoSampleError:
            if otherwise is None:
                raise
            return otherwise

    def _first(self, shapes: list[Shape], hint: str) -> Sample:
        """A sample of the first shape that has one."""
        for shape in shapes:
            try:
                return self.of_shape(shape, hint)
            except NoSampleError:
                continue
        raise NoSampleError(hint)


def _scalar(shape: Shape, hint: str) -> Any:
    match shape:
        case Null():
            return None
        case Boolean():
            return True
        case String(least, pattern):
            return _string(hint, least or 0, pattern)
        case Integer(low, high):
            return _within(1, low, high)
        case Number(low, high):
            return _within(0.5, low, high)
        case Enumeration(values):
            return values[0]
        case _:
            return _string(hint, 0, None)


def _string(hint: str, least: int, pattern: str | None) -> str:
    """Words from the name of what holds the string."""
    words = naming.snake(hint).replace("_", "-") or "text"
    candidates = [words, words.replace("-", ""), "1", "a" * max(least, 1), "A", "a-1", ""]
    try:
        fits = re.compile(pattern or "").search
    except re.error:
        raise NoSampleError(hint) from None
    for candidate in candidates:
        if len(candidate) >= least and fits(candidate):
            return candidate
    raise NoSampleError(hint)


def _within(value: float, low: float | None, high: float | None) -> float:
    if low is not None and value < low:
        return low
    return high if high is not None and value > high else value
