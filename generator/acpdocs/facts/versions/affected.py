"""The definitions that a definition refers to and that differ between two versions."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from acpgen.ir.model import Definition
from acpgen.ir.queries import referred_by


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
        name: tuple(dict.fromkeys(referred_by(definition)))
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
