"""Counterparts of types and methods in the other protocol version, and how they differ."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from acpgen.diff.changes import Change
from acpgen.diff.compare import compare
from acpgen.diff.matching import key_of, match
from acpgen.ir.model import Arm, Definition, Method, Record, TaggedUnion
from acpgen.ir.queries import members_of, referred_by
from acpgen.ir.surface import Surface
from acpgen.ir.wording import title

from acpdocs.content import Counterpart, Difference, TextRun
from acpdocs.links import Links

K = TypeVar("K")
_OF_METHODS = ("method", "params", "result", "capability")
# The positions in a change's name where a type's name can end and a part's name begin.
_END = re.compile(r"[.\[]|$")
# The fields that all objects contain.
_COMMON = frozenset({"_meta"})


def compare_versions(surfaces: Sequence[Surface]) -> dict[str, VersionComparison]:
    """Compare the surfaces of adjacent protocol versions at the same stability level.

    Returns:
        The comparisons, by surface name. Each surface is compared with the next version or, if
        there is none, with the previous version.
    """
    comparisons: dict[str, VersionComparison] = {}
    for stability in {surface.stability for surface in surfaces}:
        alike = [surface for surface in surfaces if surface.stability == stability]
        for old, new in pairwise(sorted(alike, key=lambda surface: surface.version)):
            comparisons[old.name] = comparisons[new.name] = VersionComparison(old, new)
    return comparisons


class VersionComparison:
    """A comparison of two surfaces at the same stability level, with the lower version first."""

    def __init__(self, old: Surface, new: Surface) -> None:
        self._old, self._new = old, new
        self._links = {old.name: Links(old), new.name: Links(new)}
        matching = match(old, new)
        self._types, methods = dict(matching.definitions), dict(matching.methods)
        # For each surface, a map from its names to the names in the other surface.
        self._type_twins = {old.name: self._types, new.name: _inverse(self._types)}
        self._method_twins = {old.name: methods, new.name: _inverse(methods)}
        self._changes = _by_owner(compare(old, new))
        self._successors = find_successors(old, new, self._types)
        self._own = {pair: self._type_changes(*pair) for pair in self._types.items()}
        kept = {pair[0]: pair[1] for pair, differences in self._own.items() if not differences}
        self._inside = {
            old.name: _affected(old.definitions, old.definitions.keys() - kept.keys()),
            new.name: _affected(new.definitions, new.definitions.keys() - set(kept.values())),
        }

    def of_type(self, surface: Surface, name: str) -> Counterpart | None:
        """Return the counterpart of a definition, or None for a class without a definition."""
        if name not in surface.definitions:
            return None
        twin = self._type_twins[surface.name].get(name)
        if twin is None:
            successor = self._successors.get(name) if surface is self._old else None
            link = self._links[self._new.name].type(successor) if successor is not None else None
            return self._counterpart(surface, None, successor=link)
        differences = self._own[(name, twin) if surface is self._old else (twin, name)]
        link = self._links[self._other(surface).name].type(twin)
        return self._counterpart(surface, link, differences, name)

    def of_method(self, surface: Surface, method: Method) -> Counterpart:
        """Return the counterpart of a method."""
        other, twin_key = self._other(surface), self._method_twins[surface.name].get(key_of(method))
        twin = next((each for each in other.methods if key_of(each) == twin_key), None)
        if twin is None:
            return self._counterpart(surface, None)
        before, after = (method, twin) if surface is self._old else (twin, method)
        differences = [
            _difference(change, title(after))
            for change in self._changes[title(after)]
            if change.subject in _OF_METHODS
            and (change.subject != "method" or change.action == "renamed")
            and (
                _is_about(change.name, title(after))
                or _is_renaming(change, title(before), title(after))
            )
        ]
        differences += self._changes_inside("params", before.params, after.params)
        differences += self._changes_inside("result", before.result, after.result)
        link = self._links[other.name].method(twin)
        return self._counterpart(surface, link, tuple(differences), method.params, method.result)

    def _counterpart(
        self,
        surface: Surface,
        link: TextRun | None,
        differences: tuple[Difference, ...] = (),
        *names: str | None,
        successor: TextRun | None = None,
    ) -> Counterpart:
        """Return a `Counterpart` with links to the referenced definitions that differ."""
        inside = self._inside[surface.name]
        differing = dict.fromkeys(inner for name in names for inner in inside.get(name or "", ()))
        return Counterpart(
            surfaces=(self._old.name, self._new.name),
            other=self._other(surface).name,
            link=link,
            differences=differences,
            inside=tuple(map(self._links[surface.name].type, differing)),
            successor=successor,
        )

    def _type_changes(self, before: str, after: str) -> tuple[Difference, ...]:
        """Return the differences in a definition and in its class for unknown tags."""
        owners = [after]
        union = self._new.definitions[after]
        if isinstance(union, TaggedUnion) and union.unknown is not None:
            owners.append(union.unknown.name)
        return tuple(
            _difference(change, owner)
            for owner in owners
            for change in self._changes[owner]
            if change.subject not in _OF_METHODS
            and (_is_about(change.name, owner) or _is_renaming(change, before, after))
        )

    def _changes_inside(
        self, label: str, before: str | None, after: str | None
    ) -> Iterator[Difference]:
        """Yield the differences in a method's params or result."""
        if before is None or after is None or self._types.get(before) != after:
            return  # the method's changes already include the use of a different definition
        for difference in self._own[before, after]:
            part = f"{label}.{difference.part}" if difference.part else label
            yield replace(difference, part=part)

    def _other(self, surface: Surface) -> Surface:
        return self._new if surface is self._old else self._old


def _inverse(pairs: Mapping[K, K]) -> dict[K, K]:
    return {after: before for before, after in pairs.items()}


def _by_owner(changes: Iterable[Change]) -> defaultdict[str, list[Change]]:
    """Group changes by the names that they affect: for a rename, the old and the new name."""
    by_name: defaultdict[str, list[Change]] = defaultdict(list)
    for change in changes:
        owners = {change.name[: end.start()] for end in _END.finditer(change.name)}
        if change.action == "renamed" and change.after:
            owners.add(change.after)
        for owner in owners:
            by_name[owner].append(change)
    return by_name


def _is_about(name: str, owner: str) -> bool:
    """Return whether the name of a change refers to a type or method, or to a part of it."""
    return name == owner or name.startswith((f"{owner}.", f"{owner}["))


def _is_renaming(change: Change, before: str, after: str) -> bool:
    return change.action == "renamed" and (change.name, change.after) == (before, after)


def _difference(change: Change, owner: str) -> Difference:
    part = change.name.removeprefix(owner) if _is_about(change.name, owner) else ""
    action = "" if change.action == "changed" else f" {change.action}"
    labels = {"messages": change.wire, "Python": change.python}
    broken = [kind for kind, label in labels.items() if label == "breaking"]
    return Difference(
        part[1:-1] if part.startswith("[") else part.removeprefix("."),
        f"{change.subject}{action}",
        change.before or "",
        change.after or "",
        " and ".join(broken) or "nothing",
    )


def _affected(
    definitions: Mapping[str, Definition], changed: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Map each definition to the affected definitions that it refers to.

    A definition is affected if it changed or if it refers to changed definitions, even indirectly.
    """
    referred = {
        name: tuple(dict.fromkeys(referred_by(definition)))
        for name, definition in definitions.items()
    }
    affected = grown = set(changed)
    while grown:
        grown = {name for name, names in referred.items() if not grown.isdisjoint(names)} - affected
        affected = affected | grown
    return {
        name: tuple(other for other in names if other in affected and other != name)
        for name, names in referred.items()
    }


# --- types that a later version removed ------------------------------------------------------


def find_successors(old: Surface, new: Surface, kept: Mapping[str, str]) -> dict[str, str]:
    """Find a successor for each removed union variant: a new variant with most of the same fields.

    `kept` maps the names of the remaining definitions to their new names.
    """
    successors: dict[str, str] = {}
    for name, new_name in kept.items():
        union, new_union = old.definitions[name], new.definitions[new_name]
        if isinstance(union, TaggedUnion) and isinstance(new_union, TaggedUnion):
            candidates = dict(_members(new.definitions, new_union.arms))
            for lost, members in _members(old.definitions, union.arms):
                shared = {each: len(members & other) for each, other in candidates.items()}
                best = max(shared, key=lambda each: shared[each], default="")
                if lost not in kept and best and 2 * shared[best] > len(members):
                    successors[lost] = best
    return successors


def _members(
    definitions: Mapping[str, Definition], arms: Iterable[Arm]
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the object variants of a union, each with the names of its fields."""
    for arm in arms:
        if isinstance(definitions[arm.target], Record):
            names = frozenset(member.wire for member in members_of(definitions, arm.target))
            yield arm.target, names - _COMMON
