"""Messages with unique marks, generated from a surface's IR, so that they follow schema changes.

Together, the values generated for a shape contain every variant of every union, every constant,
every field, and null wherever it is allowed. Every object has a mark in `_meta` and another in an
unknown field. Every free-form string that isn't an identifier is a mark. Each mark is also
valid base64, so that it can represent binary data.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from itertools import count

from acpgen.analysis.surface import understand
from acpgen.ir.model import (
    Alias,
    AnyJson,
    Array,
    Boolean,
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

from tests.package.bridge.wire import Json

UNKNOWN = "x-unknown"
CUSTOM = "_custom"  # a tag or a constant that no schema lists
_MARK = re.compile("mark[0-9]{8}")
_NUMBERS = count()
# Generated values, by surface, settings and definition. They are cached because generating them
# takes longer than sending a message.
_MADE: dict[tuple[object, ...], list[Json]] = {}


@functools.cache
def surfaces() -> Mapping[str, Surface]:
    """Return the IR of each vendored surface, by name."""
    understood, _ = understand(None, ["v1", "v1_unstable", "v2", "v2_unstable"])
    return {surface.name: surface for surface in understood}


def _new_mark() -> str:
    return f"mark{next(_NUMBERS):08}"


class Maker:
    """A generator of marked values for the definitions of a surface.

    Attributes:
        identifiers: the fixed values of certain definitions, such as session ids, by definition.
    """

    def __init__(
        self, surface: Surface, identifiers: Mapping[str, Json], *, is_custom: bool = True
    ) -> None:
        """Start without values.

        Args:
            surface: the surface.
            identifiers: see above.
            is_custom: whether to also generate variants and constants that the schema doesn't list.
        """
        self.identifiers = identifiers
        self._is_custom = is_custom
        self._surface = surface.name
        self._definitions = surface.definitions
        self._inside: list[str] = []  # the enclosing definitions, to detect recursion

    def values(self, name: str) -> list[Json]:
        """Return values that together cover all forms of a definition.

        Repeated calls return the same values. `with_new_marks` makes copies with unique marks.
        """
        key = (self._surface, self._is_custom, name, *sorted(self.identifiers.items()))
        if key not in _MADE:
            _MADE[key] = self._of(Reference(name))
        return _MADE[key]

    def _of(self, shape: Shape) -> list[Json]:
        match shape:
            case AnyJson():
                return [{"any": _new_mark()}]
            case Null():
                return [None]
            case Boolean():
                return [True, False]
            case String():
                return [_new_mark()]
            case Integer(minimum=minimum):
                return [max(minimum or 1, 1)]
            case Number():
                return [0.5]
            case Enumeration(values=values, other=other):
                return [
                    *values,
                    *([CUSTOM] if self._is_custom and isinstance(other, String) else []),
                ]
            case Array(items=items):
                return [self._of(items)]
            case Dictionary(values=inner):
                return [{f"key{i}": value for i, value in enumerate(self._of(inner))}]
            case Nullable(shape=inner):
                return [*self._of(inner), None]
            case UntaggedUnion(arms=arms):
                return [value for arm in arms for value in self._of(arm.shape)]
            case Reference(name=name):
                return self._of_definition(name)

    def _of_definition(self, name: str) -> list[Json]:
        definition = self._definitions[name]
        if name in self.identifiers:
            return [self.identifiers[name]]
        if name in self._inside:
            return []  # end the recursion: the list is empty
        self._inside.append(name)
        try:
            match definition:
                case Alias(shape=String()):
                    return [name]
                case Alias(shape=shape):
                    return self._of(shape)
                case Record():
                    return self._of_record(definition)
                case TaggedUnion():
                    return list(self._of_union(definition))
        finally:
            self._inside.remove(name)

    def _of_record(self, record: Record) -> list[Json]:
        own = self._objects(record.members)
        return [
            *own,
            *(value for arm in record.subtypes for value in self._of_definition(arm.target)),
        ]

    def _of_union(self, union: TaggedUnion) -> Iterator[Json]:
        for arm in union.arms:
            for value in self._of_definition(arm.target):
                yield {union.tag: arm.tag, **value}
        if union.default is not None:
            yield from self._of(union.default)
        if union.unknown is not None and self._is_custom:
            choices = [{}] if union.unknown.choice is None else self._of(union.unknown.choice)
            for own in self._objects(union.unknown.members):
                yield from ({union.tag: CUSTOM, **own, **chosen} for chosen in choices)

    def _objects(self, members: tuple[Member, ...]) -> list[Json]:
        """Return objects that together contain every generated value of every field."""
        columns = {member.wire: self._of_member(member) for member in members}
        columns.pop("_meta", None)
        made: list[Json] = []
        for number in range(max([1, *map(len, columns.values())])):
            values = {wire: column[number % len(column)] for wire, column in columns.items()}
            made.append({**values, "_meta": {"own": _new_mark()}, UNKNOWN: _new_mark()})
        return made

    def _of_member(self, member: Member) -> list[Json]:
        return [member.const] if member.const is not None else self._of(member.shape)


def with_new_marks(value: Json) -> Json:
    """Return a copy of a value in which every mark is replaced by a new one."""
    if isinstance(value, dict):
        return {name: with_new_marks(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_new_marks(inner) for inner in value]
    return _new_mark() if isinstance(value, str) and _MARK.fullmatch(value) else value


def marks(value: Json, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Yield each mark in a value with its JSON pointer."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from marks(inner, f"{pointer}/{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from marks(inner, f"{pointer}/{number}")
    elif isinstance(value, str) and _MARK.fullmatch(value):
        yield value, pointer
