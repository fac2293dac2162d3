"""What the comparison of two definitions needs: both sides, and what is decided about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from acpgen.diff.correspondence.decisions import DirectionDecisions
from acpgen.ir.bridge import Rule
from acpgen.ir.model import Alias, Definition, Record, Reference, Shape, UntaggedUnion


@dataclass(frozen=True, slots=True)
class Context:
    """The comparison of a definition with what stands in its place on the other side.

    Attributes:
        sent: the definitions of the side that sends.
        expected: those of the side that receives; only what they list is valid.
        decisions: what a person has decided about this direction.
        current: the definition at hand, of the side that sends.
        compare_shapes: returns the rule that turns values of one shape into those of another; None
            if each is valid there as it is.
    """

    sent: Mapping[str, Definition]
    expected: Mapping[str, Definition]
    decisions: DirectionDecisions
    current: Definition
    compare_shapes: Callable[[Context, Shape, Shape], Rule | None]

    def shapes(self, sent: Shape, expected: Shape) -> Rule | None:
        """Return the rule for the values of a shape within the definition at hand."""
        return self.compare_shapes(self, sent, expected)

    def of(self, definition: Definition) -> Context:
        """The comparison of another definition."""
        return replace(self, current=definition)

    def decided(self, key: str) -> Any:
        """Return what is decided about the definition at hand; None if nothing is."""
        return self.decisions.about(self.current, key)

    def decided_both_ways(self, expected: Definition, key: str) -> Any:
        """Return what is decided about it in either direction."""
        return self.decisions.both_ways(self.current, expected, key)

    def check_names(self, what: str, known: Collection[str], named: Iterable[str]) -> None:
        """Check that what decisions about the definition at hand name is there."""
        for name in named:
            if name not in known:
                self.miss(f"there is no {what} {name!r}; remove it from the entry")

    def miss(self, message: str) -> None:
        """Take note that something about the definition at hand is not decided."""
        self.decisions.miss(self.current, message)


def record_of(shape: Shape | None, definitions: Mapping[str, Definition]) -> Record | None:
    """The class of the objects that a shape stands for, if it stands for one class."""
    while isinstance(shape, Reference):
        definition = definitions.get(shape.name)
        if isinstance(definition, Record):
            return definition
        shape = definition.shape if isinstance(definition, Alias) else None
    if isinstance(shape, UntaggedUnion) and len(shape.arms) == 1:
        return record_of(shape.arms[0].shape, definitions)
    return None
