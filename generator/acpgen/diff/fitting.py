"""Whether all values of one shape are values of another: what an old or a new peer accepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acpgen.model import (
    Alias,
    Anything,
    Array,
    Boolean,
    Choice,
    ChoiceArm,
    Definition,
    Dictionary,
    Enumeration,
    Integer,
    Null,
    Nullable,
    Number,
    Record,
    Reference,
    Shape,
    String,
)
from acpgen.nulls import takes_null


@dataclass(frozen=True, slots=True)
class Fitting:
    """From the definitions of one schema to those of another.

    Attributes:
        source: the definitions that references of the first shape go to.
        target: the same for the second shape.
        names: which definition of the target stands for which of the source. Between those, what
            does not fit is a change of its own.
    """

    source: Mapping[str, Definition]
    target: Mapping[str, Definition]
    names: Mapping[str, str]

    def takes_null(self, shape: Shape) -> bool:
        """Whether null is a value of a shape of the source."""
        return takes_null(shape, self.source)

    def fits(self, one: Shape, other: Shape) -> bool:
        """Whether every value of the first shape decodes as the second one, in default mode."""
        match one, other:
            case _, Anything():
                return True
            case Reference(name), Reference(other_name) if self.names.get(name) == other_name:
                return True
            case Reference(name), _ if isinstance(self.source.get(name), Alias):
                return self.fits(self._alias(name).shape, other)
            case Choice(arms, exclusive), Choice(_, True) if not exclusive and _overlap(arms):
                return False  # a value of several arms is refused
            case Choice(arms), _:
                return all(self.fits(arm.shape, other) for arm in arms)
            case Nullable(inner), _:
                return self.fits(Null(), other) and self.fits(inner, other)
            case Null(), Nullable():
                return True
            case _, Nullable(inner):
                return self.fits(one, inner)
            case _, Choice(arms):
                return any(self.fits(one, arm.shape) for arm in arms)
            case Reference(name), Reference(other_name) if self._are_records(name, other_name):
                return self._members_fit(name, other_name)
            case _, Reference(name):
                definition = self.target.get(name)
                return isinstance(definition, Alias) and self.fits(one, definition.shape)
            case Array(item, least), Array(other_item, other_least):
                return (other_least or 0) <= (least or 0) and self.fits(item, other_item)
            case Dictionary(value), Dictionary(other_value):
                return self.fits(value, other_value)
            case _:
                return _scalar_fits(one, other)

    def _alias(self, name: str) -> Alias:
        definition = self.source[name]
        assert isinstance(definition, Alias)
        return definition

    def _are_records(self, name: str, other: str) -> bool:
        return isinstance(self.source.get(name), Record) and isinstance(
            self.target.get(other), Record
        )

    def _members_fit(self, name: str, other: str) -> bool:
        """Whether objects of one record are objects of another that did not come from it."""
        one, wanted = self.source[name], self.target[other]
        assert isinstance(one, Record)
        assert isinstance(wanted, Record)
        # Inside of them the two count as the same, so that this comes to an end.
        inner = Fitting(self.source, self.target, {**self.names, name: other})
        members = {member.wire: member for member in one.members}
        return all(
            (
                (
                    inner.fits(members[each.wire].shape, each.shape)
                    and (members[each.wire].required or not each.required)
                )
                if each.wire in members
                else not each.required
            )
            for each in wanted.members
        )


def _overlap(arms: Sequence[ChoiceArm]) -> bool:
    """Whether a value may be one of several alternatives, as far as its JSON type says."""
    types = [each for arm in arms for each in arm.types]
    return len(types) > len(set(types))


def _scalar_fits(one: Shape, other: Shape) -> bool:
    match one, other:
        case (Null(), Null()) | (Boolean(), Boolean()):
            return True
        case Enumeration(), Enumeration():
            listed = set(one.values) <= set(other.values)
            same_base = one.base.__class__ is other.base.__class__
            if other.other is not None and one.other is not None:
                return same_base and _scalar_fits(one.other, other.other)
            is_open = other.other is not None or other.keep
            return same_base and (is_open or (listed and one.other is None))
        case Enumeration(), _:
            return _scalar_fits(one.base, other)
        case String() | Integer(), Enumeration(_, base, opened, keep):
            is_open = opened is not None or keep
            return is_open and one.__class__ is base.__class__
        case String(least, pattern), String(other_least, other_pattern):
            return (other_least or 0) <= (least or 0) and other_pattern in (None, pattern)
        case Integer() | Number(), Integer() | Number():
            is_kind = isinstance(one, Integer) or isinstance(other, Number)
            return is_kind and _within(one, other)
        case _:
            return False


def _within(one: Integer | Number, other: Integer | Number) -> bool:
    low = other.minimum is None or (one.minimum is not None and one.minimum >= other.minimum)
    high = other.maximum is None or (one.maximum is not None and one.maximum <= other.maximum)
    return low and high
