"""Compare two shapes."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.diff.acceptance import accepts_value
from acpgen.diff.changes import Change
from acpgen.diff.comparison import Comparison
from acpgen.ir.model import (
    Alias,
    Boolean,
    Enumeration,
    Integer,
    Nullable,
    Number,
    Reference,
    Shape,
    String,
)
from acpgen.ir.queries import map_inner, strip_null
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe

_SCALARS = (Boolean, Enumeration, Integer, Number, String)


def compare_shapes(
    comparison: Comparison,
    subject: str,
    name: str,
    old: Shape,
    new: Shape,
    pointer: str,
    *,
    old_repairs: bool = False,
    new_repairs: bool = False,
) -> Iterator[Change]:
    """Compare two shapes of one thing.

    Args:
        subject: what the shape is to that thing, such as the `type` of a member.
        name: the thing.
        old_repairs: whether old peers repair invalid values there.
        new_repairs: whether the new side repairs them.
    """
    old_type, new_type = _python_type(old, comparison.old), _python_type(new, comparison.new)
    before, after = describe(old), describe(new)
    if (
        isinstance(old_type, Enumeration)
        and isinstance(new_type, Enumeration)
        and old_type.base.kind == new_type.base.kind
    ):
        if not _are_matched(comparison, old, new):
            yield from _enumerations(
                comparison, name, old_type, new_type, pointer, old_repairs, new_repairs
            )
            if not isinstance(old, Enumeration) or not isinstance(new, Enumeration):
                yield comparison.change(
                    subject, name, before, after, pointer, wire="internal", python="internal"
                )
        return
    reads = comparison.old_to_new.accepts(old, new)
    writes = comparison.new_to_old.accepts(new, old)
    if reads and writes:
        if after in (before, describe(old, names=comparison.new_names)):
            return  # a new name of the definition it refers to is a change of its own
        if describe(old_type) == describe(new_type):
            # Only the name of an alias comes, goes or differs: the Python type stays the same.
            yield comparison.change(
                subject, name, before, after, pointer, wire="internal", python="internal"
            )
            return
    is_same = describe(old_type, limits=False) == describe(new_type, limits=False)
    is_compatible = is_same or _is_open_to_string(old_type, new_type)
    yield comparison.change(
        subject,
        name,
        before,
        after,
        pointer,
        reads=reads or new_repairs,
        writes=writes or old_repairs,
        python="compatible" if is_compatible else "breaking",
    )


def _are_matched(comparison: Comparison, old: Shape, new: Shape) -> bool:
    """Whether both refer to definitions that match, whose changes are reported for these."""
    if not isinstance(old, Reference) or not isinstance(new, Reference):
        return False
    return comparison.new_names.get(old.name) == new.name


def _enumerations(
    comparison: Comparison,
    name: str,
    old: Enumeration,
    new: Enumeration,
    pointer: str,
    old_repairs: bool,
    new_repairs: bool,
) -> Iterator[Change]:
    yield from _other_values(comparison, name, old, new, pointer, old_repairs, new_repairs)
    for value in old.values:
        if value not in new.values:
            reads = accepts_value(new, value)
            # Type checkers treat a string that is no longer listed as a misspelt constant.
            is_allowed = reads and not isinstance(value, str)
            yield comparison.change(
                "value",
                f"{name}[{value}]",
                str(value),
                None,
                pointer,
                reads=reads or new_repairs,
                python="compatible" if is_allowed else "breaking",
            )
    for value in new.values:
        if value not in old.values:
            writes = accepts_value(old, value)
            yield comparison.change(
                "value",
                f"{name}[{value}]",
                None,
                str(value),
                pointer,
                writes=writes or old_repairs,
                python="compatible" if writes else "breaking",
            )


def _other_values(
    comparison: Comparison,
    name: str,
    old: Enumeration,
    new: Enumeration,
    pointer: str,
    old_repairs: bool,
    new_repairs: bool,
) -> Iterator[Change]:
    """Compare what two enumerations accept besides their constants."""
    if old.other is not None and new.other is not None:
        yield from compare_shapes(
            comparison,
            "type",
            name,
            old.other,
            new.other,
            pointer,
            old_repairs=old_repairs,
            new_repairs=new_repairs,
        )
    elif (old.other is None) != (new.other is None):
        states = ("closed", "open")
        old_keeps, new_keeps = (shape.other is not None or shape.lenient for shape in (old, new))
        accepts_old = old.other is None or comparison.old_to_new.accepts(old.other, new)
        accepts_new = new.other is None or comparison.new_to_old.accepts(new.other, old)
        yield comparison.change(
            "openness",
            name,
            states[old.other is not None],
            states[new.other is not None],
            pointer,
            reads=new_repairs or accepts_old,
            writes=old_repairs or accepts_new,
            python="compatible" if old_keeps == new_keeps else "breaking",
        )


def _python_type(shape: Shape, surface: Surface) -> Shape:
    """A shape as Python code sees it: an alias of a scalar is that scalar."""
    match shape:
        case Reference(name) if isinstance(alias := surface.definitions.get(name), Alias):
            return alias.shape if isinstance(strip_null(alias.shape), _SCALARS) else shape
        case Nullable(inner):
            return Nullable(strip_null(_python_type(inner, surface)))
        case _:
            return map_inner(shape, lambda inner: _python_type(inner, surface))


def _is_open_to_string(old: Shape, new: Shape) -> bool:
    """Whether an open enumeration became any string: code that knows its values still works."""
    if not isinstance(old, Enumeration) or not isinstance(new, String):
        return False
    return isinstance(old.base, String) and (old.other is not None or old.lenient)
