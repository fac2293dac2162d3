"""Changes of what a JSON value may look like."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.diff.changes import Change
from acpgen.diff.pair import Pair
from acpgen.diff.wording import word
from acpgen.model import (
    Alias,
    Boolean,
    Enumeration,
    Integer,
    Nullable,
    Number,
    Reference,
    Shape,
    String,
    Surface,
)

_SCALARS = (Boolean, Integer, Number, String)


def compare_shapes(
    pair: Pair,
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
    if isinstance(one, Enumeration) and isinstance(other, Enumeration):
        yield from _enumerations(pair, name, one, other, at)
        return
    forth, back = pair.forth.fits(one, other), pair.back.fits(other, one)
    before, after = word(one), word(other)
    if forth and back and after in (before, word(one, names=pair.names)):
        return  # that what it refers to has another name now is a change of its own
    bases = _base(one, pair.old), _base(other, pair.new)
    if forth and back and word(bases[0]) == word(bases[1]):
        # It only has a name now, or another one: to Python, too, it is what it was.
        yield pair.change(subject, name, before, after, at, wire="internal", python="internal")
        return
    is_same = word(bases[0], limits=False) == word(bases[1], limits=False)
    yield pair.change(
        subject,
        name,
        before,
        after,
        at,
        reads=forth or mended[1],
        writes=back or mended[0],
        python="compatible" if is_same or _is_just_text(one, other) else "breaking",
    )


def _enumerations(
    pair: Pair, name: str, one: Enumeration, other: Enumeration, at: str
) -> Iterator[Change]:
    was_open, is_open = one.other is not None, other.other is not None
    took, takes = was_open or one.keep, is_open or other.keep
    if was_open != is_open:
        words = ("closed", "open")
        yield pair.change(
            "openness",
            name,
            words[was_open],
            words[is_open],
            at,
            reads=takes,
            writes=took,
            python="compatible" if took == takes else "breaking",
        )
    elif one.other is not None and other.other is not None:
        yield from compare_shapes(pair, "type", name, one.other, other.other, at)
    if one.base.__class__ is not other.base.__class__:
        yield pair.change("type", name, word(one), word(other), at, reads=False, writes=False)
        return
    for value in one.values:
        if value not in other.values:
            yield pair.change(
                "value",
                f"{name}[{value}]",
                str(value),
                None,
                at,
                reads=takes,
                python="compatible" if takes else "breaking",
            )
    for value in other.values:
        if value not in one.values:
            yield pair.change(
                "value",
                f"{name}[{value}]",
                None,
                str(value),
                at,
                writes=took,
                python="compatible" if took else "breaking",
            )


def _base(shape: Shape, surface: Surface) -> Shape:
    """What a shape is to Python code: an alias of a scalar is nothing but that scalar."""
    alias = surface.definitions.get(shape.name) if isinstance(shape, Reference) else None
    if not isinstance(alias, Alias):
        return shape
    inner = alias.shape.shape if isinstance(alias.shape, Nullable) else alias.shape
    return alias.shape if isinstance(inner, _SCALARS) else shape


def _is_just_text(one: Shape, other: Shape) -> bool:
    """Whether an open enumeration has become any string: code that knows its values goes on."""
    if not isinstance(one, Enumeration) or not isinstance(other, String):
        return False
    return isinstance(one.base, String) and (one.other is not None or one.keep)
