"""Which definitions of one schema have become which of another: by name, else by structure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from acpgen.ir.model import (
    Alias,
    Array,
    Definition,
    Dictionary,
    Enumeration,
    Method,
    Nullable,
    Record,
    Reference,
    Shape,
    TaggedUnion,
    UntaggedUnion,
)
from acpgen.ir.queries import unwrap
from acpgen.ir.surface import Surface

# How much of what either of two definitions has they must have in common to be one.
_ALIKE = 0.5
# Members that say nothing about what an object is.
_COMMON = frozenset({"_meta", "sessionId"})
# What tells methods apart: side, name and kind.
Key: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Matching:
    """What has become of definitions, by name, and of methods, by side, name and kind."""

    definitions: Mapping[str, str]
    methods: Mapping[Key, Key]


def match(old: Surface, new: Surface) -> Matching:
    """Say what everything in the old schema is called in the new one, if it is there at all.

    Besides those that have kept their name, a definition has become another one if it stands where
    that one stood (params of a method, an arm of a tag, a member of an object) and is like it, or
    if no other one is made just like it. A method has another name if its params are the same.
    """
    matcher = _Matcher(old, new)
    return Matching(matcher.definitions, matcher.methods)


class _Matcher:
    def __init__(self, old: Surface, new: Surface) -> None:
        self._old = old.definitions
        self._new = new.definitions
        self.definitions = {name: name for name in self._old if name in self._new}
        before = {key_of(method): method for method in old.methods}
        after = {key_of(method): method for method in new.methods}
        self.methods = {key: key for key in before if key in after}
        self._take_methods(before, after)
        self._grow()
        for key, method in before.items():
            twins = [
                other
                for other, candidate in after.items()
                if other not in self.methods.values() and self._is_renamed(method, candidate)
            ]
            rivals = [
                each
                for each, candidate in before.items()
                if each not in self.methods
                and twins
                and self._is_renamed(candidate, after[twins[0]])
            ]
            if key not in self.methods and len(twins) == len(rivals) == 1:
                self.methods[key] = twins[0]
        self._take_methods(before, after)
        for pair in list(self._lookalikes()):
            self._take(*pair)
        self._grow()

    def _take(self, before: str, after: str) -> bool:
        """Pair two definitions, if both are free and alike."""
        is_there = before in self._old and after in self._new
        is_free = before not in self.definitions and after not in self.definitions.values()
        if not is_there or not is_free:
            return False
        if _likeness(self._old[before], self._new[after]) < _ALIKE:
            return False
        self.definitions[before] = after
        return True

    def _take_methods(self, before: Mapping[Key, Method], after: Mapping[Key, Method]) -> None:
        for key, other in self.methods.items():
            self._take(before[key].params, after[other].params)
            self._take(before[key].result or "", after[other].result or "")

    def _grow(self) -> None:
        """Pair what stands in the same places of definitions that are paired."""
        is_growing = True
        while is_growing:
            pairs = [
                pair
                for before, after in list(self.definitions.items())
                for pair in _inside(self._old[before], self._new[after])
            ]
            is_growing = sum(self._take(*pair) for pair in pairs) > 0

    def _is_renamed(self, method: Method, candidate: Method) -> bool:
        if (method.side, method.kind) != (candidate.side, candidate.kind):
            return False
        if self.definitions.get(method.params) == candidate.params:
            return True
        one = _traits(self._old[method.params])
        return one == _traits(self._new[candidate.params]) and len(one - _COMMON) > 0

    def _lookalikes(self) -> Iterator[tuple[str, str]]:
        """Definitions that are made alike, and that no other one of either is made like."""
        gone = [name for name in self._old if name not in self.definitions]
        come = [name for name in self._new if name not in self.definitions.values()]
        for before in gone:
            made = self._make(self._old, before)
            twins = [name for name in come if self._make(self._new, name) == made]
            rivals = [name for name in gone if self._make(self._old, name) == made]
            if len(twins) == len(rivals) == 1 and len(_traits(self._old[before]) - _COMMON) > 1:
                yield before, twins[0]

    def _make(self, definitions: Mapping[str, Definition], name: str) -> frozenset[str]:
        """The traits of a definition; of members, with what kind of JSON each holds."""
        definition = definitions[name]
        if not isinstance(definition, Record):
            return _traits(definition)
        kinds = ((each.wire, unwrap(each.shape, definitions).kind) for each in definition.members)
        return frozenset(f"{wire}: {kind}" for wire, kind in kinds)


def key_of(method: Method) -> Key:
    """What tells methods apart."""
    return method.side, method.wire or "", method.kind


def _inside(before: Definition, after: Definition) -> Iterator[tuple[str, str]]:
    """The definitions that stand in the same places of two others."""
    match before, after:
        case Record(), Record():
            members = {member.wire: member.shape for member in after.members}
            for member in before.members:
                if member.wire in members:
                    yield from _references(member.shape, members[member.wire])
            special = {arm.tag: arm.target for arm in after.subtypes}
            yield from (
                (arm.target, special[arm.tag]) for arm in before.subtypes if arm.tag in special
            )
        case TaggedUnion(), TaggedUnion():
            arms = {arm.tag: arm.target for arm in after.arms}
            yield from ((arm.target, arms[arm.tag]) for arm in before.arms if arm.tag in arms)
        case Alias(), Alias():
            yield from _references(before.shape, after.shape)
        case _:
            pass


def _references(before: Shape, after: Shape) -> Iterator[tuple[str, str]]:
    match before, after:
        case Reference(one), Reference(other):
            yield one, other
        case Nullable(inner), _:
            yield from _references(inner, after)
        case _, Nullable(inner):
            yield from _references(before, inner)
        case (Array(one_item), Array(other_item)):
            yield from _references(one_item, other_item)
        case (Dictionary(one_value), Dictionary(other_value)):
            yield from _references(one_value, other_value)
        case UntaggedUnion(one_arms), UntaggedUnion(other_arms) if len(one_arms) == len(other_arms):
            for one_arm, other_arm in zip(one_arms, other_arms, strict=True):
                yield from _references(one_arm.shape, other_arm.shape)
        case _:
            pass


def _likeness(before: Definition, after: Definition) -> float:
    """What part of their traits two definitions have in common, from 0 to 1."""
    if before.kind != after.kind:
        return 0.0
    one, other = _traits(before) - {"_meta"}, _traits(after) - {"_meta"}
    return len(one & other) / len(one | other) if one | other else 1.0


def _traits(definition: Definition) -> frozenset[str]:
    """What a definition is made of, in names of the JSON."""
    match definition:
        case Record():
            return frozenset(member.wire for member in definition.members)
        case TaggedUnion():
            return frozenset(arm.tag for arm in definition.arms)
        case Alias(shape=Enumeration() as shape):
            return frozenset(map(str, shape.values))
        case _:
            return frozenset({definition.shape.kind})
