"""Enumerations: constants that a schema lists, as `enum`, as `const`, or as alternatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from acpgen.analysis.types import scalars
from acpgen.ir.model import Enumeration, Integer, Null, Nullable, Shape, String
from acpgen.schema import keywords
from acpgen.schema.nodes import Node


class Alternatives(NamedTuple):
    """The arms of a union that enumerates constants.

    Attributes:
        listed: the arms that list constants.
        rest: the arm for other values, if there is one.
    """

    listed: tuple[Node, ...]
    rest: Node | None

    @property
    def values(self) -> tuple[Any, ...]:
        """The constants, each once."""
        return tuple(dict.fromkeys(value for arm in self.listed for value in arm.constants))


def find_alternatives(arms: Sequence[Node]) -> Alternatives | None:
    """The arms of a union, if they enumerate strings or integers."""
    listed = tuple(arm for arm in arms if arm.constants)
    others = [arm for arm in arms if not arm.constants]
    classes = {type(value) for arm in listed for value in arm.constants}
    if len(classes) != 1 or len(others) > 1:
        return None
    base = {str: "string", int: "integer"}.get(classes.pop())
    beyond = {"not", *keywords.COMBINERS}
    for arm in others:
        if arm.stated.get("type") != base or arm.stated.keys() & beyond:
            return None
    return None if base is None else Alternatives(listed, others[0] if others else None)


def from_alternatives(alternatives: Alternatives, keeps_others: Callable[[], bool]) -> Enumeration:
    """An enumeration written as alternatives of constants.

    Args:
        alternatives: its arms.
        keeps_others: tells whether the default mode keeps strings that the schema does not allow.
    """
    values, rest = alternatives.values, alternatives.rest
    is_text = isinstance(values[0], str)
    other: String | Integer | None = None
    if rest is not None:
        other = scalars.string(rest) if is_text else scalars.integer(rest)
    described = {arm.constant: arm.description for arm in alternatives.listed}
    return Enumeration(
        values=values,
        base=String() if is_text else Integer(),
        other=other,
        lenient=is_text and other is None and keeps_others(),
        descriptions=tuple(described.get(value) for value in values),
    )


def from_list(node: Node, keeps_others: Callable[[], bool]) -> Shape:
    """An enumeration written as `enum` or a single `const`; see `from_alternatives`."""
    values = tuple(value for value in node.constants if value is not None)
    if not values:
        return Null()
    is_text = isinstance(values[0], str)
    base = String() if is_text else Integer()
    shape = Enumeration(values, base, None, is_text and keeps_others(), (None,) * len(values))
    return Nullable(shape) if len(values) < len(node.constants) else shape
