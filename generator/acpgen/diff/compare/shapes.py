"""Changes of what a JSON value may look like."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.diff.changes import Change
from acpgen.diff.comparison import Comparison
from acpgen.diff.compatibility.accepts import takes_value
from acpgen.ir.model import (
    Alias,
    Array,
    Boolean,
    Dictionary,
    Enumeration,
    Integer,
    Nullable,
    Number,
    Reference,
    Shape,
    String,
)
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe

_SCALARS = (Boolean, Enumeration, Integer, Number, String)


def compare_shapes(
    pair: Comparison,
    subject: str,
    name: str,
    one: Shape,
    other: Shape,
    at: str,
    *,
    mended: tuple[bool, bool] = (False, False),
) -> Iterator[Change]:
    """What has become of a shape.

    Args:
        subject: what it is the shape of, such as `type` of a member.
        name: what has the shape.
        mended: whether the old and the new side repair what is bad there.
    """
    forth, back = pair.forth.fits(one, other), pair.back.fits(other, one)
    before, after = describe(one), describe(other)
    was, now = _base(one, pair.old), _base(other, pair.new)
    if isinstance(was, Enumeration) and isinstance(now, Enumeration) and _are_alike(was, now):
        if not _is_paired(pair, one, other):
            yield from _enumerations(pair, name, was, now, at, mended)
            if one.kind == other.kind == "enumeration":
                return
            yield pair.change(subject, name, before, after, at, wire="internal", python="internal")
        return
    if forth and back and after in (before, describe(one, names=pair.names)):
        return  # that what it refers to has another name now is a change of its own
    if forth and back and describe(was) == describe(now):
        # It only has a name now, or another one: to Python, too, it is what it was.
        yield pair.change(subject, name, before, after, at, wire="internal", python="internal")
        return
    is_same = describe(was, limits=False) == describe(now, limits=False)
    yield pair.change(
        subject,
        name,
        before,
        after,
        at,
        reads=forth or mended[1],
        writes=back or mended[0],
        python="compatible" if is_same or _is_just_text(was, now) else "breaking",
    )


def _are_alike(one: Enumeration, other: Enumeration) -> bool:
    """Whether both list constants of one kind: strings, or integers."""
    return one.base.kind == other.base.kind


def _is_paired(pair: Comparison, one: Shape, other: Shape) -> bool:
    """Whether both are references to definitions that are compared with each other."""
    if not isinstance(one, Reference) or not isinstance(other, Reference):
        return False
    return pair.names.get(one.name) == other.name


def _enumerations(
    pair: Comparison,
    name: str,
    one: Enumeration,
    other: Enumeration,
    at: str,
    mended: tuple[bool, bool],
) -> Iterator[Change]:
    was_open, is_open = one.other is not None, other.other is not None
    took, takes = was_open or one.lenient, is_open or other.lenient
    if was_open != is_open:
        words = ("closed", "open")
        yield pair.change(
            "openness",
            name,
            words[was_open],
            words[is_open],
            at,
            reads=mended[1] or one.other is None or pair.forth.fits(one.other, other),
            writes=mended[0] or other.other is None or pair.back.fits(other.other, one),
            python="compatible" if took == takes else "breaking",
        )
    elif one.other is not None and other.other is not None:
        yield from compare_shapes(pair, "type", name, one.other, other.other, at, mended=mended)
    for value in one.values:
        if value not in other.values:
            reads = takes_value(other, value)
            yield pair.change(
                "value",
                f"{name}[{value}]",
                str(value),
                None,
                at,
                reads=reads or mended[1],
                python="compatible" if reads else "breaking",
            )
    for value in other.values:
        if value not in one.values:
            writes = takes_value(one, value)
            yield pair.change(
                "value",
                f"{name}[{value}]",
                None,
                str(value),
                at,
                writes=writes or mended[0],
                python="compatible" if writes else "breaking",
            )


def _base(shape: Shape, surface: Surface) -> Shape:
    """What a shape is to Python code: an alias of a scalar is nothing but that scalar."""
    match shape:
        case Reference(name) if isinstance(alias := surface.definitions.get(name), Alias):
            inner = alias.shape.shape if isinstance(alias.shape, Nullable) else alias.shape
            return alias.shape if isinstance(inner, _SCALARS) else shape
        case Nullable(inner):
            base = _base(inner, surface)
            return base if isinstance(base, Nullable) else Nullable(base)
        case Array(items, least):
            return Array(_base(items, surface), least)
        case Dictionary(values):
            return Dictionary(_base(values, surface))
        case _:
            return shape


def _is_just_text(one: Shape, other: Shape) -> bool:
    """Whether an open enumeration has become any string: code that knows its values goes on."""
    if not isinstance(one, Enumeration) or not isinstance(other, String):
        return False
    return isinstance(one.base, String) and (one.other is not None or one.lenient)
