"""Changes of tagged unions, and of the arms that specialise a record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from acpgen.diff.changes import Change
from acpgen.diff.members import compare_members
from acpgen.diff.pair import Pair
from acpgen.diff.shapes import compare_shapes
from acpgen.diff.wording import word
from acpgen.model import Arm, Record, Reference, TaggedUnion, Unknown


def compare_unions(pair: Pair, name: str, one: TaggedUnion, other: TaggedUnion) -> Iterator[Change]:
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
    was_open, is_open = one.unknown is not None, other.unknown is not None
    yield from _arms(pair, name, one.arms, other.arms, reads=is_open, writes=was_open)


def compare_special(pair: Pair, name: str, one: Record, other: Record) -> Iterator[Change]:
    """What has become of the records that are decoded in place of one, by a member's value."""
    if one.special_by and other.special_by and one.special_by != other.special_by:
        yield pair.change("tag", name, one.special_by, other.special_by, other.pointer)
    # An object that is none of them is the record itself.
    yield from _arms(pair, name, one.special, other.special, reads=True, writes=True)


def _openness(pair: Pair, name: str, one: TaggedUnion, other: TaggedUnion) -> Iterator[Change]:
    """What has become of the arm for other tags: what the schema says, and what is done."""
    before, after = one.unknown, other.unknown
    words = ("closed", "open")
    was_open = before is not None and not before.kept
    is_open = after is not None and not after.kept
    if was_open != is_open or (before is None) != (after is None):
        # What has no tag that is listed may also go to an arm without a tag.
        yield pair.change(
            "openness",
            name,
            words[was_open],
            words[is_open],
            other.pointer,
            reads=after is not None or other.default is not None,
            writes=before is not None or one.default is not None,
            python="breaking" if (before is None) != (after is None) else "compatible",
        )
    if before is None or after is None or before.kept or after.kept:
        return  # where a schema has no such arm, no valid message has such a tag
    members = compare_members(pair, after.name, before.members, after.members)
    for change in chain(members, _alternatives(pair, before, after)):
        # Such an object has no attributes but its tag and the JSON.
        yield replace(change, python="internal")


def _alternatives(pair: Pair, one: Unknown, other: Unknown) -> Iterator[Change]:
    """What has become of the alternatives of which an object with another tag holds one."""
    subject, name = "alternatives", other.name
    if one.choice is not None and other.choice is not None:
        yield from compare_shapes(pair, subject, name, one.choice, other.choice, other.pointer)
    elif one.choice is not None:
        # What is sent now need not hold any of them.
        yield pair.change(subject, name, word(one.choice), None, one.pointer, writes=False)
    elif other.choice is not None:
        yield pair.change(subject, name, None, word(other.choice), other.pointer, reads=False)


def _arms(
    pair: Pair,
    name: str,
    one: Sequence[Arm],
    other: Sequence[Arm],
    *,
    reads: bool,
    writes: bool,
) -> Iterator[Change]:
    """What has become of arms; `reads`, `writes`: whether tags that are not listed are taken."""
    before = {arm.tag: arm.target for arm in one}
    after = {arm.tag: arm.target for arm in other}
    for tag, target in before.items():
        at = pair.old.definitions[target].pointer
        if tag not in after:
            yield pair.change("arm", f"{name}[{tag}]", target, None, at, reads=reads)
        elif pair.names.get(target) != after[tag]:
            now = after[tag]
            yield pair.change(
                "arm",
                f"{name}[{tag}]",
                target,
                now,
                pair.new.definitions[now].pointer,
                reads=pair.forth.fits(Reference(target), Reference(now)),
                writes=pair.back.fits(Reference(now), Reference(target)),
            )
    for tag, target in after.items():
        if tag not in before:
            # To code that matches, what used to be unknown is now something else.
            yield pair.change(
                "arm",
                f"{name}[{tag}]",
                None,
                target,
                pair.new.definitions[target].pointer,
                writes=writes,
                python="compatible" if writes else "breaking",
            )
