"""Changes of tagged unions, and of the arms that specialise a record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import TypeAlias

from acpgen.diff.changes import Change
from acpgen.diff.compare.members import compare_members
from acpgen.diff.compare.shapes import compare_shapes
from acpgen.diff.comparison import Comparison
from acpgen.diff.compatibility.accepts import Acceptance
from acpgen.ir.model import Arm, Definition, Record, Reference, TaggedUnion, Unknown
from acpgen.ir.wording import describe

# What has arms, the member that tells them apart, and the arms.
_Arms: TypeAlias = tuple[Definition, str, tuple[Arm, ...]]


def compare_unions(
    pair: Comparison, name: str, one: TaggedUnion, other: TaggedUnion
) -> Iterator[Change]:
    """What has become of a tagged union."""
    at = other.pointer
    if one.tag != other.tag:
        yield pair.change("tag", name, one.tag, other.tag, at, reads=False, writes=False)
    yield from _openness(pair, name, one, other)
    if one.default is not None and other.default is not None:
        yield from compare_shapes(pair, "default arm", name, one.default, other.default, at)
    elif one.default is not other.default:
        words = ("no arm without a tag", "an arm without a tag")
        was, is_now = one.default is not None, other.default is not None
        yield pair.change(
            "default arm", name, words[was], words[is_now], at, reads=is_now, writes=was
        )
    yield from _arms(pair, name, (one, one.tag, one.arms), (other, other.tag, other.arms))


def compare_special(pair: Comparison, name: str, one: Record, other: Record) -> Iterator[Change]:
    """What has become of the records that are decoded in place of one, by a member's value."""
    before, after = (
        one.discriminator or other.discriminator,
        other.discriminator or one.discriminator,
    )
    if before is None or after is None:
        return
    if before != after:
        reads, writes = pair.forth.becomes(one, other), pair.back.becomes(other, one)
        yield pair.change("tag", name, before, after, other.pointer, reads=reads, writes=writes)
    yield from _arms(pair, name, (one, before, one.subtypes), (other, after, other.subtypes))


def _openness(
    pair: Comparison, name: str, one: TaggedUnion, other: TaggedUnion
) -> Iterator[Change]:
    """What has become of the arm for other tags: what the schema says, and what is done."""
    before, after = one.unknown, other.unknown
    words = ("closed", "open")
    was_open = before is not None and not before.synthetic
    is_open = after is not None and not after.synthetic
    if was_open != is_open or (before is None) != (after is None):
        # What has no tag that is listed may also go to an arm without a tag.
        yield pair.change(
            "openness",
            name,
            words[was_open],
            words[is_open],
            other.pointer,
            reads=_takes_others(pair.forth, one, other),
            writes=_takes_others(pair.back, other, one),
            python="breaking" if (before is None) != (after is None) else "compatible",
        )
    if before is None or after is None or before.synthetic or after.synthetic:
        return  # where a schema has no such arm, no valid message has such a tag
    members = compare_members(pair, after.name, before.members, after.members)
    for change in chain(members, _alternatives(pair, before, after)):
        # Such an object has no attributes but its tag and the JSON.
        yield replace(change, python="internal")


def _takes_others(fitting: Acceptance, one: TaggedUnion, other: TaggedUnion) -> bool:
    """Whether a union takes what another one does with tags that it does not list."""
    if one.unknown is None:
        return True
    if one.unknown.synthetic:
        return other.unknown is not None or other.default is not None
    return fitting.others_fit(one, other)


def _alternatives(pair: Comparison, one: Unknown, other: Unknown) -> Iterator[Change]:
    """What has become of the alternatives of which an object with another tag holds one."""
    subject, name = "alternatives", other.name
    if one.choice is not None and other.choice is not None:
        yield from compare_shapes(pair, subject, name, one.choice, other.choice, other.pointer)
    elif one.choice is not None:
        # What is sent now need not hold any of them.
        yield pair.change(subject, name, describe(one.choice), None, one.pointer, writes=False)
    elif other.choice is not None:
        yield pair.change(subject, name, None, describe(other.choice), other.pointer, reads=False)


def _arms(pair: Comparison, name: str, one: _Arms, other: _Arms) -> Iterator[Change]:
    """What has become of arms."""
    old, old_tag, old_arms = one
    new, new_tag, new_arms = other
    before = {arm.tag: arm.target for arm in old_arms}
    after = {arm.tag: arm.target for arm in new_arms}
    for tag in dict.fromkeys([*before, *after]):
        was, now = before.get(tag), after.get(tag)
        if was is not None and now is not None:
            if pair.names.get(was) == now:
                continue
            reads = pair.forth.fits(Reference(was), Reference(now))
            writes = pair.back.fits(Reference(now), Reference(was))
        else:
            # Without the arm, the tag is one that is not listed, or the record is a plain one.
            reads = _takes_arm(pair.forth, (old, old_tag, was), tag, new)
            writes = _takes_arm(pair.back, (new, new_tag, now), tag, old)
        gone = None if now is not None else pair.old.definitions[before[tag]]
        yield pair.change(
            "arm",
            f"{name}[{tag}]",
            was,
            now,
            (gone or pair.new.definitions[after[tag]]).pointer,
            reads=reads,
            writes=writes,
            # To code that matches, what used to be unknown is now something else.
            python="breaking" if was is None and not writes else None,
        )


def _takes_arm(
    fitting: Acceptance, arm: tuple[Definition, str, str | None], tag: str, other: Definition
) -> bool:
    """Whether objects with a tag are objects of a definition; they are of an arm, if there is."""
    whole, member, target = arm
    if target is None and isinstance(whole, TaggedUnion):
        return True  # there are none, or what others may hold has changed
    return fitting.arm_fits(target or whole.name, member, tag, other)
