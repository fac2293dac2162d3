"""Compare tagged unions, and the subtypes that tags select for records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from acpgen.diff.acceptance import Acceptance
from acpgen.diff.changes import Change
from acpgen.diff.compare.members import compare_members
from acpgen.diff.compare.shapes import compare_shapes
from acpgen.diff.comparison import Comparison
from acpgen.ir.model import Definition, Record, TaggedUnion, Unknown
from acpgen.ir.queries import arms_by_tag
from acpgen.ir.wording import describe


def compare_unions(
    comparison: Comparison, name: str, old: TaggedUnion, new: TaggedUnion
) -> Iterator[Change]:
    """Compare two tagged unions."""
    pointer = new.pointer
    if old.tag != new.tag:
        yield comparison.change("tag", name, old.tag, new.tag, pointer, reads=False, writes=False)
    yield from _openness(comparison, name, old, new)
    if old.default is not None and new.default is not None:
        yield from compare_shapes(
            comparison, "default arm", name, old.default, new.default, pointer
        )
    elif (old.default is None) != (new.default is None):
        states = ("no arm without a tag", "an arm without a tag")
        reads, writes = new.default is not None, old.default is not None
        yield comparison.change(
            "default arm",
            name,
            states[old.default is not None],
            states[new.default is not None],
            pointer,
            reads=reads,
            writes=writes,
        )
    if old.exclusive != new.exclusive:
        modes = ("the first arm counts", "exactly one arm must match")
        yield comparison.change(
            "exclusivity",
            name,
            modes[old.exclusive],
            modes[new.exclusive],
            pointer,
            reads=not new.exclusive,
            writes=not old.exclusive,
        )
    ruled_out = [union.unknown.ruled_out if union.unknown else () for union in (old, new)]
    if ruled_out[0] != ruled_out[1]:
        before, after = (", ".join(tags) or "none" for tags in ruled_out)
        is_refused = new.unknown is not None and new.unknown.refuses_ruled_out
        was_refused = old.unknown is not None and old.unknown.refuses_ruled_out
        yield comparison.change(
            "tags ruled out",
            name,
            before,
            after,
            pointer,
            reads=not is_refused or set(ruled_out[1]) <= set(ruled_out[0]),
            writes=not was_refused or set(ruled_out[0]) <= set(ruled_out[1]),
            python="compatible",
        )
    yield from _arms(comparison, name, _Tagged(old, old.tag), _Tagged(new, new.tag))


def compare_subtypes(
    comparison: Comparison, name: str, old: Record, new: Record
) -> Iterator[Change]:
    """Compare the records that the value of a member selects in place of a record."""
    old_tag = old.discriminator or new.discriminator
    new_tag = new.discriminator or old.discriminator
    if old_tag is None or new_tag is None:
        return
    if old_tag != new_tag:
        yield comparison.change(
            "tag",
            name,
            old_tag,
            new_tag,
            new.pointer,
            reads=comparison.old_to_new.accepts_definition(old, new),
            writes=comparison.new_to_old.accepts_definition(new, old),
        )
    yield from _arms(comparison, name, _Tagged(old, old_tag), _Tagged(new, new_tag))


# --- unlisted tags ---------------------------------------------------------------------------


def _openness(
    comparison: Comparison, name: str, old: TaggedUnion, new: TaggedUnion
) -> Iterator[Change]:
    """Compare how unlisted tags are treated, by the schema and in default mode."""
    states = ("closed", "open")
    old_stated, new_stated = _stated_unknown(old), _stated_unknown(new)
    is_same_class = (old.unknown is None) == (new.unknown is None)
    if (old_stated is None) != (new_stated is None) or not is_same_class:
        yield comparison.change(
            "openness",
            name,
            states[old_stated is not None],
            states[new_stated is not None],
            new.pointer,
            reads=_accepts_unlisted(comparison.old_to_new, old, new),
            writes=_accepts_unlisted(comparison.new_to_old, new, old),
            python="compatible" if is_same_class else "breaking",
        )
    if old_stated is None or new_stated is None:
        return  # no valid message of that side has an unlisted tag
    members = compare_members(comparison, new_stated.name, old_stated.members, new_stated.members)
    for change in chain(members, _alternatives(comparison, old_stated, new_stated)):
        # The class for unlisted tags has no attributes except the tag and the JSON.
        yield replace(change, python="internal")


def _stated_unknown(union: TaggedUnion) -> Unknown | None:
    """The arm for unlisted tags, if the schema itself has one."""
    unknown = union.unknown
    return None if unknown is None or unknown.synthetic else unknown


def _accepts_unlisted(acceptance: Acceptance, sent: TaggedUnion, expected: TaggedUnion) -> bool:
    """Whether one union accepts the unlisted tags that another does."""
    if sent.unknown is None:
        return True
    if sent.unknown.synthetic:
        # An arm without a tag takes unlisted tags, too.
        return expected.unknown is not None or expected.default is not None
    return acceptance.accepts_unlisted(sent, expected)


def _alternatives(comparison: Comparison, old: Unknown, new: Unknown) -> Iterator[Change]:
    """Compare the alternatives that an object with an unlisted tag must match one of."""
    subject, name = "alternatives", new.name
    if old.choice is not None and new.choice is not None:
        yield from compare_shapes(comparison, subject, name, old.choice, new.choice, new.pointer)
    elif old.choice is not None:
        before = describe(old.choice)
        yield comparison.change(subject, name, before, None, old.pointer, writes=False)
    elif new.choice is not None:
        after = describe(new.choice)
        yield comparison.change(subject, name, None, after, new.pointer, reads=False)


# --- arms ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Tagged:
    """A definition with arms, and the member whose value selects one of them."""

    definition: Definition
    tag: str


def _arms(comparison: Comparison, name: str, old: _Tagged, new: _Tagged) -> Iterator[Change]:
    old_arms, new_arms = arms_by_tag(old.definition), arms_by_tag(new.definition)
    for tag in dict.fromkeys([*old_arms, *new_arms]):
        before, after = old_arms.get(tag), new_arms.get(tag)
        if before and after and comparison.new_names.get(before) == after:
            continue
        # Without the arm, a union finds the tag unlisted, and a record takes it itself.
        reads = _accepts_arm(comparison.old_to_new, old, before, tag, new.definition)
        writes = _accepts_arm(comparison.new_to_old, new, after, tag, old.definition)
        if after is not None:
            pointer = comparison.new.definitions[after].pointer
        else:
            pointer = comparison.old.definitions[old_arms[tag]].pointer
        yield comparison.change(
            "arm",
            f"{name}[{tag}]",
            before,
            after,
            pointer,
            reads=reads,
            writes=writes,
            # Where a `match` found the class for unlisted tags, it now finds a known one.
            python="breaking" if before is None and not writes else None,
        )


def _accepts_arm(
    acceptance: Acceptance, sent: _Tagged, arm: str | None, tag: str, expected: Definition
) -> bool:
    """Whether a definition accepts the objects of another one that have a tag."""
    if arm is None and isinstance(sent.definition, TaggedUnion):
        return True  # it sends none, or only as unlisted tags, which are compared separately
    return acceptance.accepts_arm(arm or sent.definition.name, sent.tag, tag, expected)
