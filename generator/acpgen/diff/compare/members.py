"""Changes of the members of an object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from acpgen.diff.changes import Change, Label
from acpgen.diff.compare.shapes import compare_shapes
from acpgen.diff.comparison import Comparison
from acpgen.ir.model import Fallback, Member, Nullable, Reference, Shape
from acpgen.ir.wording import describe, describe_fallback


def compare_members(
    pair: Comparison, owner: str, one: Sequence[Member], other: Sequence[Member]
) -> Iterator[Change]:
    """Changes of the members of what is called `owner`."""
    before = {member.wire: member for member in one}
    after = {member.wire: member for member in other}
    renamed = dict(_renamed(pair, before, after))
    for wire, member in before.items():
        name = f"{owner}.{wire}"
        if wire in after:
            yield from _member(pair, name, member, after[wire])
        elif wire in renamed:
            now = after[renamed[wire]]
            yield pair.change(
                "member",
                name,
                wire,
                now.wire,
                now.pointer,
                renamed=True,
                # Under its other name, it is an unknown member to whoever reads it.
                reads=not now.required,
                writes=not member.required,
            )
            # What either side does not know by its name cannot be wrong there.
            for change in _member(pair, f"{owner}.{now.wire}", member, now):
                if change.subject != "presence":
                    label: Label = "internal" if change.wire == "internal" else "compatible"
                    yield replace(change, reads=True, writes=True, wire=label)
        else:
            # Who reads the message keeps it among the unknown fields; who needs it fails.
            at, writes = member.pointer, not member.required
            yield pair.change("member", name, _words(member), None, at, writes=writes)
    for wire, member in after.items():
        if wire not in before and wire not in renamed.values():
            yield pair.change(
                "member",
                f"{owner}.{wire}",
                None,
                _words(member),
                member.pointer,
                reads=not member.required,
                python="breaking" if member.required else "compatible",
            )


def _renamed(
    pair: Comparison, before: Mapping[str, Member], after: Mapping[str, Member]
) -> Iterator[tuple[str, str]]:
    """Members that are gone, and the only new ones that hold the very same definition."""
    gone = [member for wire, member in before.items() if wire not in after]
    come = [member for wire, member in after.items() if wire not in before]
    for member in gone:
        target = pair.names.get(_referred(member.shape) or "")
        twins = [each for each in come if target and _referred(each.shape) == target]
        rivals = [each for each in gone if _referred(each.shape) == _referred(member.shape)]
        if len(twins) == len(rivals) == 1:
            yield member.wire, twins[0].wire


def _member(pair: Comparison, name: str, one: Member, other: Member) -> Iterator[Change]:
    at = other.pointer
    if one.required != other.required:
        # To Python: what was optional may be left out by code, what was required is read by code.
        words = ("optional", "required")
        before, after = words[one.required], words[other.required]
        reads, writes = one.required, other.required
        yield pair.change("presence", name, before, after, at, reads=reads, writes=writes)
    was, is_now = pair.forth.takes_null(one.shape), pair.back.takes_null(other.shape)
    if was != is_now:
        words = ("not null", "or null")
        reads = not was or _mends_null(other)
        writes = not is_now or _mends_null(one)
        yield pair.change(
            "nullability", name, words[was], words[is_now], at, reads=reads, writes=writes
        )
    shapes = one.shape, other.shape
    if was != is_now or all(isinstance(shape, Nullable) for shape in shapes):
        shapes = _inner(one.shape), _inner(other.shape)
    mended = pair.back.mends(other.shape, one), pair.forth.mends(one.shape, other)
    yield from compare_shapes(pair, "type", name, *shapes, at, mended=mended)
    yield from _keywords(pair, name, one, other)


def _keywords(pair: Comparison, name: str, one: Member, other: Member) -> Iterator[Change]:
    """What has become of the repairs that the vendor keywords order."""
    words = ("not set", "set")
    for keyword, before, after in (
        ("default-on-error", _repair(one.on_error), _repair(other.on_error)),
        ("default-on-null", _repair(one.on_null), _repair(other.on_null)),
        ("skip-invalid-items", words[one.skip_invalid], words[other.skip_invalid]),
    ):
        if before != after:
            subject = f"x-deserialize-{keyword}"
            yield pair.change(subject, name, before, after, other.pointer, python="internal")


def _repair(fallback: Fallback | None) -> str:
    return "not set" if fallback is None else describe_fallback(fallback)


def _mends_null(member: Member) -> bool:
    """Whether null is repaired where it is not allowed."""
    return member.on_null is not None or member.on_error is not None


def _words(member: Member) -> str:
    return f"{'required' if member.required else 'optional'} {describe(member.shape)}"


def _inner(shape: Shape) -> Shape:
    return shape.shape if isinstance(shape, Nullable) else shape


def _referred(shape: Shape) -> str | None:
    inner = _inner(shape)
    return inner.name if isinstance(inner, Reference) else None
