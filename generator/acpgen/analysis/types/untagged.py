"""Untagged unions: how their arms are told apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from acpgen.analysis.context import BuildContext
from acpgen.ir.model import AnyJson, Shape, UntaggedArm, UntaggedUnion
from acpgen.schema.nodes import JSON_TYPES, Node

# An arm: its schema and its shape.
Candidate: TypeAlias = tuple[Node, Shape]


def untagged_union(
    candidates: Sequence[Candidate], exclusive: bool, context: BuildContext
) -> UntaggedUnion:
    """An untagged union; arms that cannot be told apart are a problem.

    Args:
        candidates: the arms.
        exclusive: whether exactly one arm must fit.
        context: takes the problems.
    """
    arms: list[UntaggedArm] = []
    for node, shape in candidates:
        types = tuple(name for name in JSON_TYPES if name in node.types)
        arm = UntaggedArm(shape, types, node.required_keys, node.absent_keys)
        if not isinstance(shape, AnyJson) and any(_shadows(earlier, arm) for earlier in arms):
            problem = "cannot be told from an earlier arm by JSON type or required members"
            context.problem(node.at, "ambiguous-union", f"{problem}; add a tag")
        arms.append(arm)
    return UntaggedUnion(tuple(arms), exclusive)


def _shadows(earlier: UntaggedArm, later: UntaggedArm) -> bool:
    """Whether some value of the later arm could be taken for one of the earlier.

    The first arm that fits is taken: an arm whose required members all belong to an earlier one
    is never reached.
    """
    shared = set(earlier.types) & set(later.types)
    is_told_apart = set(earlier.absent) & set(later.keys)
    return bool(shared) and not is_told_apart and set(earlier.keys) <= set(later.keys)
