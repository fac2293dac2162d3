"""Matches two surfaces' definitions and methods by name, location or structure."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from acpgen.ir.model import (
    Alias,
    Definition,
    Enumeration,
    Method,
    Record,
    Reference,
    Shape,
    TaggedUnion,
)
from acpgen.ir.queries import arms_by_tag, inner_shapes, strip_null, unwrap
from acpgen.ir.surface import Surface

# The fraction of traits that two definitions must share to match.
_MIN_SIMILARITY = 0.5
# Fields that many objects contain. Sharing these fields does not make two objects similar.
_COMMON = frozenset({"_meta", "sessionId"})
# The side, wire name and kind that identify a method.
MethodKey: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Matching:
    """Old definitions and methods with their new counterparts."""

    definitions: Mapping[str, str]  # maps old names to new names
    methods: Mapping[MethodKey, MethodKey]  # maps old keys to new keys


def match(old: Surface, new: Surface) -> Matching:
    """Match definitions and methods in the old surface to their counterparts in the new surface.

    Definitions with the same name match. If a definition's name no longer exists, the definition
    matches a similar new definition in the same position, such as a method's params, the variant
    with the same tag, or an object's field. Otherwise, the definition matches the only new
    definition with the same structure. If a method's name no longer exists, the method matches a
    new method if that is the only new method with the same params.
    """
    matcher = _Matcher(old, new)
    matcher.match_params_and_results()
    matcher.match_nested()
    matcher.match_renamed_methods()
    matcher.match_params_and_results()
    matcher.match_same_structures()
    matcher.match_nested()
    return Matching(matcher.definitions, matcher.methods)


def key_of(method: Method) -> MethodKey:
    """Return the key that identifies a method."""
    return method.side, method.wire or "", method.kind


class _Matcher:
    def __init__(self, old: Surface, new: Surface) -> None:
        self._old = old.definitions
        self._new = new.definitions
        self._old_methods = {key_of(method): method for method in old.methods}
        self._new_methods = {key_of(method): method for method in new.methods}
        self.definitions = {name: name for name in self._old if name in self._new}
        self.methods = {key: key for key in self._old_methods if key in self._new_methods}

    def _try_match(self, old: str, new: str) -> bool:
        """Match two definitions if both exist, are unmatched and are similar."""
        exist = old in self._old and new in self._new
        unmatched = old not in self.definitions and new not in self.definitions.values()
        if not exist or not unmatched:
            return False
        if _similarity(self._old[old], self._new[new]) < _MIN_SIMILARITY:
            return False
        self.definitions[old] = new
        return True

    def match_params_and_results(self) -> None:
        """Match the params and results of methods that are already matched."""
        for old_key, new_key in self.methods.items():
            old, new = self._old_methods[old_key], self._new_methods[new_key]
            self._try_match(old.params, new.params)
            self._try_match(old.result or "", new.result or "")

    def match_nested(self) -> None:
        """Match definitions that are referenced in the same positions by matched definitions.

        Repeat the comparison until no new definitions match.
        """
        is_growing = True
        while is_growing:
            candidates = [
                names
                for old, new in self.definitions.items()
                for names in _nested_references(self._old[old], self._new[new])
            ]
            matched = [self._try_match(*names) for names in candidates]
            is_growing = any(matched)

    def match_renamed_methods(self) -> None:
        """Match each removed method to an added method if the choice is unambiguous."""
        for key in self._old_methods:
            removed = [old for old in self._old_methods if old not in self.methods]
            added = [new for new in self._new_methods if new not in self.methods.values()]
            candidates = [new for new in added if key in removed and self._is_renamed(key, new)]
            if len(candidates) == 1:
                rivals = [old for old in removed if self._is_renamed(old, candidates[0])]
                if len(rivals) == 1:
                    self.methods[key] = candidates[0]

    def _is_renamed(self, old_key: MethodKey, new_key: MethodKey) -> bool:
        old, new = self._old_methods[old_key], self._new_methods[new_key]
        if (old.side, old.kind) != (new.side, new.kind):
            return False
        if self.definitions.get(old.params) == new.params:
            return True
        traits = _traits(self._old[old.params])
        return traits == _traits(self._new[new.params]) and len(traits - _COMMON) > 0

    def match_same_structures(self) -> None:
        """Match definitions whose structure is unique among the unmatched definitions."""
        removed = _by_structure(self._old, self.definitions.keys())
        added = _by_structure(self._new, set(self.definitions.values()))
        for structure, names in removed.items():
            candidates = added.get(structure, [])
            is_telling = len(_traits(self._old[names[0]]) - _COMMON) > 1
            if len(names) == len(candidates) == 1 and is_telling:
                self._try_match(names[0], candidates[0])


def _nested_references(old: Definition, new: Definition) -> Iterator[tuple[str, str]]:
    """Yield pairs of names that two definitions of the same kind refer to in the same positions."""
    if isinstance(old, Alias) and isinstance(new, Alias):
        yield from _paired_references(old.shape, new.shape)
    if isinstance(old, Record) and isinstance(new, Record):
        shapes = {member.wire: member.shape for member in new.members}
        for member in old.members:
            if member.wire in shapes:
                yield from _paired_references(member.shape, shapes[member.wire])
    if old.kind == new.kind:
        new_arms = arms_by_tag(new)
        for tag, target in arms_by_tag(old).items():
            if tag in new_arms:
                yield target, new_arms[tag]


def _paired_references(old: Shape, new: Shape) -> Iterator[tuple[str, str]]:
    """Yield pairs of names that two shapes refer to in the same positions, ignoring null."""
    old, new = strip_null(old), strip_null(new)
    if isinstance(old, Reference) and isinstance(new, Reference):
        yield old.name, new.name
    elif old.kind == new.kind:
        old_inner, new_inner = inner_shapes(old), inner_shapes(new)
        if len(old_inner) == len(new_inner):
            for shapes in zip(old_inner, new_inner, strict=True):
                yield from _paired_references(*shapes)


def _similarity(old: Definition, new: Definition) -> float:
    """Return the fraction of traits that two definitions share, from 0 to 1."""
    if old.kind != new.kind:
        return 0.0
    old_traits, new_traits = _traits(old) - {"_meta"}, _traits(new) - {"_meta"}
    every = old_traits | new_traits
    return len(old_traits & new_traits) / len(every) if every else 1.0


def _traits(definition: Definition) -> frozenset[str]:
    """Return the JSON names that characterize a definition: fields, tags or constants."""
    match definition:
        case Record():
            return frozenset(member.wire for member in definition.members)
        case TaggedUnion():
            return frozenset(arm.tag for arm in definition.arms)
        case Alias(shape=Enumeration() as shape):
            return frozenset(map(str, shape.values))
        case _:
            return frozenset({definition.shape.kind})


def _by_structure(
    definitions: Mapping[str, Definition], matched: Container[str]
) -> dict[frozenset[str], list[str]]:
    """Group unmatched definitions by their traits and, for records, the kind of each field."""
    groups: dict[frozenset[str], list[str]] = {}
    for name, definition in definitions.items():
        if name in matched:
            continue
        structure = _traits(definition)
        if isinstance(definition, Record):
            kinds = ((m.wire, unwrap(m.shape, definitions).kind) for m in definition.members)
            structure = frozenset(f"{wire}: {kind}" for wire, kind in kinds)
        groups.setdefault(structure, []).append(name)
    return groups
