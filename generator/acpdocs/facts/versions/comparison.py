"""The counterpart of a type or method in the other protocol version, and the differences."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from acpgen.diff.changes import Change
from acpgen.diff.compare import compare
from acpgen.diff.matching import key_of, match
from acpgen.ir.model import Method, TaggedUnion
from acpgen.ir.surface import Surface
from acpgen.ir.wording import title

from acpdocs.content import Counterpart, Difference, TextRun
from acpdocs.facts.versions.affected import find_affected
from acpdocs.facts.versions.successors import find_successors
from acpdocs.links import method_page, type_page

K = TypeVar("K")
_OF_METHODS = ("method", "params", "result", "capability")
# Where the name of a type may end in that of a change, and the name of a part begin.
_END = re.compile(r"[.\[]|$")


class VersionComparison:
    """Compares two surfaces of one stability, the lower version first."""

    def __init__(self, old: Surface, new: Surface) -> None:
        self._old, self._new = old, new
        self._surfaces = old.name, new.name
        matching = match(old, new)
        self._types = dict(matching.definitions)
        self._methods = dict(matching.methods)
        self._changes = _by_owner(compare(old, new))
        self._successors = find_successors(old, new, self._types)
        self._own = {pair: self._type_changes(*pair) for pair in self._types.items()}
        kept = {
            before: after for (before, after), differences in self._own.items() if not differences
        }
        self._inside = {
            old.name: find_affected(old.definitions, old.definitions.keys() - kept.keys()),
            new.name: find_affected(new.definitions, new.definitions.keys() - set(kept.values())),
        }

    def of_type(self, surface: Surface, name: str) -> Counterpart | None:
        """The counterpart of a definition; None for a class without a definition of its own."""
        if name not in surface.definitions:
            return None
        other = self._other(surface)
        twin = _twin(self._types, name, is_old=surface is self._old)
        if twin is None:
            return Counterpart(
                self._surfaces, other.name, None, successor=self._successor(surface, name)
            )
        before, after = (name, twin) if surface is self._old else (twin, name)
        link = TextRun(twin, type_page(other, twin), code=True)
        inside = self._differing(surface, name)
        return Counterpart(self._surfaces, other.name, link, self._own[before, after], inside)

    def _differing(self, surface: Surface, *names: str | None) -> tuple[TextRun, ...]:
        """Links to what definitions refer to, where that differs."""
        inside = self._inside[surface.name]
        differing = dict.fromkeys(inner for name in names for inner in inside.get(name or "", ()))
        return tuple(TextRun(type_, type_page(surface, type_), code=True) for type_ in differing)

    def _successor(self, surface: Surface, name: str) -> TextRun | None:
        """What took the place of a definition of the lower version."""
        successor = self._successors.get(name) if surface is self._old else None
        return TextRun(successor, type_page(self._new, successor), code=True) if successor else None

    def _type_changes(self, before: str, after: str) -> tuple[Difference, ...]:
        """The differences of a definition, and of its class for unlisted tags."""
        owners = [after]
        union = self._new.definitions[after]
        if isinstance(union, TaggedUnion) and union.unknown is not None:
            owners.append(union.unknown.name)
        return tuple(
            _difference(change, owner)
            for owner in owners
            for change in self._changes[owner]
            if change.subject not in _OF_METHODS
            and (
                _is_about(change.name, owner)
                or (owner == after and _is_renaming(change, before, after))
            )
        )

    def of_method(self, surface: Surface, method: Method) -> Counterpart:
        """The counterpart of a method."""
        other = self._other(surface)
        twin_key = _twin(self._methods, key_of(method), is_old=surface is self._old)
        twin = next(
            (candidate for candidate in other.methods if key_of(candidate) == twin_key), None
        )
        if twin is None:
            return Counterpart(self._surfaces, other.name, None)
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
        link = TextRun(title(twin), method_page(other, twin), code=True)
        inside = self._differing(surface, method.params, method.result)
        return Counterpart(self._surfaces, other.name, link, tuple(differences), inside)

    def _changes_inside(
        self, label: str, before: str | None, after: str | None
    ) -> Iterator[Difference]:
        """Yield the differences of the params or the result of a method."""
        if before is None or after is None or self._types.get(before) != after:
            return  # the method's own changes tell that it is another definition
        for difference in self._own[before, after]:
            yield replace(
                difference, part=f"{label}.{difference.part}" if difference.part else label
            )

    def _other(self, surface: Surface) -> Surface:
        return self._new if surface is self._old else self._old


def compare_versions(surfaces: Sequence[Surface]) -> dict[str, VersionComparison]:
    """Compare adjacent versions of one stability.

    Returns:
        By the name of a surface: how it compares with the next version, or, if it is the last of
        several, with the one before.
    """
    comparisons: dict[str, VersionComparison] = {}
    for stability in {surface.stability for surface in surfaces}:
        alike = [surface for surface in surfaces if surface.stability == stability]
        for old, new in pairwise(sorted(alike, key=lambda surface: surface.version)):
            comparisons[old.name] = comparisons[new.name] = VersionComparison(old, new)
    return comparisons


def _twin(pairs: Mapping[K, K], key: K, *, is_old: bool) -> K | None:
    """The key that matches a key of one version in the other version."""
    if is_old:
        return pairs.get(key)
    return next((before for before, after in pairs.items() if after == key), None)


def _by_owner(changes: Iterable[Change]) -> defaultdict[str, list[Change]]:
    """The changes by each name that they may be about, which is the new one if they rename it."""
    by_name: defaultdict[str, list[Change]] = defaultdict(list)
    for change in changes:
        owners = {change.name[: end.start()] for end in _END.finditer(change.name)}
        if change.action == "renamed" and change.after:
            owners.add(change.after)
        for owner in owners:
            by_name[owner].append(change)
    return by_name


def _is_about(name: str, owner: str) -> bool:
    """Whether a change is about a type or method, or about a part of it."""
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
