"""The definitions that a definition refers to and that differ between two versions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from acpgen.ir.model import Alias, Definition, Record, TaggedUnion
from acpgen.ir.queries import references


def find_affected(
    definitions: Mapping[str, Definition], changed: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Find what each definition refers to that differs, or refers to something that does.

    Args:
        definitions: the definitions of one version.
        changed: the names of the definitions that differ themselves.

    Returns:
        The names by the name of the definition that refers to them, in its order.
    """
    referred = {
        name: tuple(dict.fromkeys(_referred(definition)))
        for name, definition in definitions.items()
    }
    affected = set(changed)
    grown = affected
    while grown:
        grown = {name for name, names in referred.items() if not grown.isdisjoint(names)} - affected
        affected |= grown
    return {
        name: tuple(other for other in names if other in affected and other != name)
        for name, names in referred.items()
    }


def _referred(definition: Definition) -> Iterator[str]:
    match definition:
        case Alias(shape=shape):
            yield from references(shape)
        case TaggedUnion(arms=arms, default=default):
            yield from (arm.target for arm in arms)
            yield from references(default) if default is not None else ()
        case Record(members=members, subtypes=arms):
            for member in members:
                yield from references(member.shape)
            yield from (arm.target for arm in arms)
