"""What took the place of a type that a later version of the protocol no longer has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from acpgen.ir.model import Arm, Definition, Record, TaggedUnion
from acpgen.ir.queries import members_of
from acpgen.ir.surface import Surface

_COMMON = frozenset({"_meta"})


def find_successors(old: Surface, new: Surface, kept: Mapping[str, str]) -> dict[str, str]:
    """Find the successors of arms that a union no longer has: arms with most of their members.

    Args:
        old: the surface with the lower version.
        new: the surface with the higher version.
        kept: the definitions of the old surface that the new one has, with their new names.
    """
    successors: dict[str, str] = {}
    for name, new_name in kept.items():
        union, new_union = old.definitions[name], new.definitions[new_name]
        if isinstance(union, TaggedUnion) and isinstance(new_union, TaggedUnion):
            candidates = dict(_members(new.definitions, new_union.arms))
            for lost, members in _members(old.definitions, union.arms):
                if lost not in kept and (best := _most_alike(members, candidates)) is not None:
                    successors[lost] = best
    return successors


def _members(
    definitions: Mapping[str, Definition], arms: Iterable[Arm]
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the objects among the arms of a union, each with the names of its members."""
    for arm in arms:
        if isinstance(definitions[arm.target], Record):
            names = frozenset(member.wire for member in members_of(definitions, arm.target))
            yield arm.target, names - _COMMON


def _most_alike(members: frozenset[str], candidates: Mapping[str, frozenset[str]]) -> str | None:
    """The candidate with most of the members; None if none has more than half of them."""
    shared = {name: len(members & other) for name, other in candidates.items()}
    best = max(shared, key=lambda name: shared[name], default=None)
    return best if best is not None and 2 * shared[best] > len(members) else None
