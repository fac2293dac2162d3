"""Leave out of rules what changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acpgen.ir.bridge import Node, Ref, Rule


def without_equal(trees: Mapping[str, Node | None]) -> dict[str, Node]:
    """Return the rules that change something, without the parts that do not.

    A rule that names itself is equal unless something else in it is not: so the definitions that
    are known to change something are the least set for which that is true.

    Args:
        trees: the rules of definitions, by name; None for what is equal.
    """
    ruled: set[str] = set()
    while added := {
        name
        for name, tree in trees.items()
        if name not in ruled and _simplified(tree, ruled) is not None
    }:
        ruled |= added
    rules = {name: _simplified(trees[name], ruled) for name in sorted(ruled)}
    return {name: node for name, node in rules.items() if node is not None}


def _simplified(node: Node | None, ruled: set[str]) -> Node | None:
    """A rule without parts that change nothing; None if it changes nothing itself."""
    match node:
        case None:
            return None
        case Ref(name):
            return node if name in ruled else None
        case Rule(kind, parts, facts, own):
            inner = {name: _simplified_part(part, ruled) for name, part in parts.items()}
            changes = own or any(map(_has_rule, inner.values()))
            return Rule(kind, inner, facts, own) if changes else None


def _simplified_part(part: Any, ruled: set[str]) -> Any:
    if isinstance(part, Mapping):
        return {name: _simplified(node, ruled) for name, node in part.items()}
    return _simplified(part, ruled)


def _has_rule(part: Any) -> bool:
    if isinstance(part, Mapping):
        return any(node is not None for node in part.values())
    return part is not None
