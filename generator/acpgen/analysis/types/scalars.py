"""Strings, integers and numbers, with the bounds that a schema states."""

from __future__ import annotations

from collections.abc import Callable

from acpgen.ir.model import Integer, Number, String
from acpgen.schema import keywords
from acpgen.schema.nodes import Node


def string(node: Node) -> String:
    """A string with the bounds that a schema states."""
    return String(
        min_length=node.stated.get("minLength") or None,
        pattern=node.stated.get("pattern"),
        format=node.stated.get("format"),
    )


def integer(node: Node) -> Integer:
    """An integer within the range of its format and the bounds that a schema states."""
    stated = node.stated.get("format")
    low, high = keywords.INTEGER_RANGES.get(stated or "", (None, None))
    return Integer(
        minimum=_tightest(max, low, node.stated.get("minimum")),
        maximum=_tightest(min, high, node.stated.get("maximum")),
        format=None if stated in keywords.INTEGER_RANGES else stated,
    )


def number(node: Node) -> Number:
    """A number with the bounds that a schema states."""
    stated = node.stated.get("format")
    return Number(
        minimum=node.stated.get("minimum"),
        maximum=node.stated.get("maximum"),
        format=None if stated in keywords.FLOATS else stated,
    )


def _tightest(choose: Callable[[list[int]], int], *bounds: int | None) -> int | None:
    stated = [bound for bound in bounds if bound is not None]
    return choose(stated) if stated else None
