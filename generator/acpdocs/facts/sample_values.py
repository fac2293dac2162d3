"""Small sample values for all shapes, taken from `samples.toml` if it contains a suitable value."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from acpgen.common import paths, toml
from acpgen.emit.python import quoting
from acpgen.ir import naming
from acpgen.ir.model import (
    Alias,
    AnyJson,
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
    Scalar,
    Shape,
    String,
    TaggedUnion,
    UntaggedUnion,
)
from acpgen.ir.queries import unwrap
from acpgen.ir.surface import Surface

# For an alias of one of these scalars, samples are looked up first by the field's name and then
# by the alias's name.
_NAMED = String | Integer | Number
# The handshake field that contains the surface's version.
_VERSION = "protocolVersion"
# The maximum number of optional fields in an example. Nested objects contain only required fields.
_OPTIONAL = 2


class NoSampleError(ValueError):
    """Raised if no sample can be derived for a shape, such as a shape that must contain itself."""


class Sample(NamedTuple):
    """A JSON value and the Python expression for it."""

    value: Any
    python: str


class Samples:
    """A factory for samples of a surface's types."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._open: list[str] = []
        table = _table()
        self._values = {**table["values"], _VERSION: surface.version}
        self._optional: dict[str, list[str]] = table["optional"]
        self._arms: dict[str, str] = table["arms"]

    def of_definition(self, name: str, *, extra: bool = False) -> Sample:
        """Build a sample of a definition, with a few optional fields if requested.

        Raises:
            NoSampleError: If no sample can be derived.
        """
        if name in self._open:
            raise NoSampleError(name)
        self._open.append(name)
        try:
            return self._definition(self._surface.definitions[name], extra)
        finally:
            self._open.pop()

    def of_shape(self, shape: Shape, *hints: str) -> Sample:
        """Build a sample of a shape.

        Args:
            shape: the shape.
            hints: the names of the field or definition that has the shape, the most specific first.

        Raises:
            NoSampleError: If no sample can be derived.
        """
        match shape:
            case Reference(name):
                definition = self._surface.definitions[name]
                if isinstance(definition, Alias) and isinstance(definition.shape, _NAMED):
                    return self.of_shape(definition.shape, *hints, name)
                return self.of_definition(name)
            case Nullable(inner):
                return self._first([inner], hints) or Sample(None, "None")
            case Array(items, least):
                item = self._first([items], hints)
                if item is None:
                    if least:
                        raise NoSampleError(hints[-1])
                    return Sample([], "[]")
                count = least or 1
                listed = ", ".join([item.python] * count)
                return Sample([item.value] * count, f"[{listed}]")
            case Dictionary(values):
                entry = self._first([values], hints)
                if entry is None or entry.python == "{}":
                    return Sample({}, "{}")
                return Sample({"key": entry.value}, f'{{"key": {entry.python}}}')
            case UntaggedUnion(arms):
                first = self._first([arm.shape for arm in arms], hints)
                if first is None:
                    raise NoSampleError(hints[-1])
                return first
            case _:
                value = self._scalar(shape, hints)
                return Sample(value, quoting.literal(value))

    def members(self, members: tuple[Member, ...]) -> dict[str, Sample]:
        """Build samples of the required fields, by wire name."""
        return {m.wire: self.of_shape(m.shape, m.wire) for m in members if m.required}

    def _definition(self, definition: Definition, extra: bool) -> Sample:
        match definition:
            case Alias(name=name, shape=shape):
                return self.of_shape(shape, name)
            case Record():
                return self._record(definition, extra)
            case TaggedUnion(tag=tag, arms=arms, default=default):
                for arm in sorted(arms, key=lambda arm: arm.tag != self._arms.get(definition.name)):
                    with suppress(NoSampleError):
                        inner = self.of_definition(arm.target)
                        return Sample({tag: arm.tag, **inner.value}, inner.python)
                if default is None:
                    raise NoSampleError(definition.name)
                return self.of_shape(default, definition.name)

    def _record(self, record: Record, extra: bool) -> Sample:
        value: dict[str, Any] = {}
        arguments: list[str] = []
        shown = self._shown(record) if extra else []
        for member in record.members:
            if member.const is not None:
                value[member.wire] = member.const
            elif member.required or member.wire in shown:
                sample = self._member(record, member)
                value[member.wire] = sample.value
                arguments.append(f"{member.name}={sample.python}")
        return Sample(value, f"{record.name}({', '.join(arguments)})")

    def _shown(self, record: Record) -> list[str]:
        """Return the optional fields to show in an object's example, by default a few scalars."""
        optional = {m.wire: self._plain(m.shape) for m in record.members if not m.required}
        if record.name in self._optional:
            return [wire for wire in optional if wire in self._optional[record.name]]
        scalars = Boolean | Enumeration | Integer | Number | String
        return [wire for wire, shape in optional.items() if isinstance(shape, scalars)][:_OPTIONAL]

    def _member(self, record: Record, member: Member) -> Sample:
        """Build a sample of a field. A discriminator receives a value that selects no subtype."""
        plain = self._plain(member.shape)
        if member.wire == record.discriminator and isinstance(plain, Enumeration):
            taken = {arm.tag for arm in record.subtypes}
            for value in plain.values:
                if value not in taken:
                    return Sample(value, quoting.literal(value))
        return self.of_shape(member.shape, member.wire)

    def _plain(self, shape: Shape) -> Shape:
        return unwrap(shape, self._surface.definitions)

    def _scalar(self, shape: Scalar, hints: tuple[str, ...]) -> Any:
        """Return the first suitable value in the table, or a value derived from the name."""
        inside = [f"{name}.{hint}" for name in reversed(self._open) for hint in hints]
        for hint in (*inside, *hints):
            value = self._values.get(hint)
            if value is not None and _fits(shape, value):
                return value
        return _scalar(shape, hints[-1])

    def _first(self, shapes: list[Shape], hints: tuple[str, ...]) -> Sample | None:
        """Return the first sample that can be built from one of the shapes, or None."""
        for shape in shapes:
            with suppress(NoSampleError):
                return self.of_shape(shape, *hints)
        return None


@cache
def _table() -> dict[str, Any]:
    path = paths.TEMPLATES / "reference" / "samples.toml"
    return toml.loads(path.read_text(encoding="utf-8"))


def _fits(shape: Scalar, value: Any) -> bool:
    """Return whether a value in the table is valid for a scalar."""
    match shape:
        case String(least, pattern):
            return (
                isinstance(value, str)
                and len(value) >= (least or 0)
                and re.search(pattern or "", value) is not None
            )
        case Integer(low, high):
            return isinstance(value, int) and _within(value, low, high) == value
        case Number(low, high):
            return isinstance(value, int | float) and _within(value, low, high) == value
        case Boolean():
            return isinstance(value, bool)
        case _:
            return isinstance(shape, AnyJson)


def _scalar(shape: Scalar, hint: str) -> Any:
    """Return a sample value for a scalar, or a string if any JSON value is allowed."""
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
        case AnyJson():
            return _string(hint, 0, None)


def _string(hint: str, least: int, pattern: str | None) -> str:
    """Derive a sample string from the name of a field or definition."""
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
    """Return the number, or the nearest bound if the number is out of range."""
    if low is not None and value < low:
        return low
    return high if high is not None and value > high else value
