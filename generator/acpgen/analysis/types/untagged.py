"""Untagged unions: a value belongs to the first arm that it fits."""

from __future__ import annotations

from collections.abc import Iterable

from acpgen.ir.model import Shape, UntaggedArm, UntaggedUnion
from acpgen.schema.nodes import JSON_TYPES, Node


def untagged_union(arms: Iterable[tuple[Node, Shape]], exclusive: bool) -> UntaggedUnion:
    """An untagged union.

    JSON types and members rule arms out at once. Where several are left, decoding tries them in
    order, strictly.

    Args:
        arms: the schema and the shape of each arm.
        exclusive: whether exactly one arm must fit.
    """
    return UntaggedUnion(tuple(_arm(node, shape) for node, shape in arms), exclusive)


def _arm(node: Node, shape: Shape) -> UntaggedArm:
    types = tuple(name for name in JSON_TYPES if name in node.types)
    return UntaggedArm(shape, types, node.required_keys, node.absent_keys)
