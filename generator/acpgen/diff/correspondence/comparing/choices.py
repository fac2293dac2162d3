"""Rules for unions without a tag: told apart by JSON type, or by the members of objects."""

from __future__ import annotations

from collections.abc import Sequence

from acpgen.diff.compatibility.accepts import Acceptance
from acpgen.diff.correspondence.comparing.context import Context, record_of
from acpgen.diff.correspondence.comparing.records import compare_records
from acpgen.ir.bridge import ByMember, Items, Rule
from acpgen.ir.model import Array, Shape, UntaggedArm, UntaggedUnion


def compare_choices(context: Context, sent: Shape, expected: Shape) -> Rule | None:
    """Return the rule for two shapes of which at least one is an untagged union."""
    pairs = _pairs(sent, expected)
    if pairs and isinstance(sent, UntaggedUnion) and isinstance(expected, UntaggedUnion):
        if all(arm.types == ("object",) for pair in pairs for arm in pair):
            return _objects(context, pairs, expected.exclusive and not sent.exclusive)
        if all(isinstance(arm.shape, Array) for pair in pairs for arm in pair):
            return _arrays(context, pairs)
    # Neither has objects that differ, so that no definition has to be looked into.
    arms = [arm.shape for arm in sent.arms] if isinstance(sent, UntaggedUnion) else [sent]
    if not all(
        Acceptance(context.sent, context.expected, {}).accepts(arm, expected) for arm in arms
    ):
        context.miss("has alternatives that are not valid on the other side; name their `code`")
    return None


def _pairs(sent: Shape, expected: Shape) -> list[tuple[UntaggedArm, UntaggedArm]]:
    """The alternatives of two unions, if each can be told by a member, in the same order."""
    if not isinstance(sent, UntaggedUnion) or not isinstance(expected, UntaggedUnion):
        return []
    if len(sent.arms) != len(expected.arms):
        return []
    if None in (_key(arm, union.arms) for union in (sent, expected) for arm in union.arms):
        return []
    return list(zip(sent.arms, expected.arms, strict=True))


def _key(arm: UntaggedArm, arms: Sequence[UntaggedArm]) -> str | None:
    """A member that an alternative requires, and none of the others; None if it has none."""
    others = {name for other in arms if other is not arm for name in other.keys}
    return next((name for name in arm.keys if name not in others), None)


def _objects(
    context: Context, pairs: Sequence[tuple[UntaggedArm, UntaggedArm]], is_stricter: bool
) -> Rule | None:
    """Return the rule for objects.

    Args:
        context: the comparison.
        pairs: the alternatives.
        is_stricter: whether the other side refuses objects that are of several alternatives.
    """
    rules: dict[str, Rule | None] = {}
    for arm, target in pairs:
        key = _key(arm, [arm for arm, _ in pairs])
        assert key is not None, "they were paired for it"
        record = record_of(arm.shape, context.sent)
        expected = record_of(target.shape, context.expected)
        others = {name for _, other in pairs for name in other.keys} - {*target.keys}
        if is_stricter and record is not None and expected is not None:
            rules[key] = compare_records(context.of(record), expected, foreign=frozenset(others))
        else:
            rules[key] = context.shapes(arm.shape, target.shape)
    return ByMember(rules) if any(rules.values()) else None


def _arrays(context: Context, pairs: Sequence[tuple[UntaggedArm, UntaggedArm]]) -> Rule | None:
    """Return the rule for arrays whose items are of one alternative."""
    rules: dict[str, Rule | None] = {}
    least: list[int] = []
    given: list[int] = []
    for arm, target in pairs:
        key = _key(arm, [arm for arm, _ in pairs])
        assert key is not None, "they were paired for it"
        assert isinstance(arm.shape, Array), "all of them are"
        assert isinstance(target.shape, Array), "all of them are"
        rules[key] = context.shapes(arm.shape.items, target.shape.items)
        least.append(target.shape.min_items or 0)
        given.append(arm.shape.min_items or 0)
    items = ByMember(rules) if any(rules.values()) else None
    return Items(items, max(least)) if items or max(least) > min(given) else None
