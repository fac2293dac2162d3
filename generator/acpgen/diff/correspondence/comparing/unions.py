"""Rules for unions that a tag tells apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acpgen.diff.correspondence.comparing.choices import compare_choices
from acpgen.diff.correspondence.comparing.context import Context, record_of
from acpgen.diff.correspondence.comparing.records import compare_records
from acpgen.ir.bridge import Arms, Code, Members, Rule
from acpgen.ir.model import Definition, Record, Reference, TaggedUnion, Unknown

_NO_TAG = "has objects with a tag on one side only; name that tag in `tag`"


def compare_unions(
    context: Context, expected: TaggedUnion, absent: Mapping[str, str]
) -> Rule | None:
    """Return the rule for the union at hand.

    Args:
        context: the comparison of that union.
        expected: the union on the other side.
        absent: tags of arms that the other side lacks, each with the reason why it is lost; without
            one, code takes it, and no rule gets it.
    """
    sent = context.current
    assert isinstance(sent, TaggedUnion), "the caller has looked"
    if sent.tag != expected.tag:
        context.miss(f"has {expected.tag!r} as its tag on the other side; name its `code`")
        return None
    return _Unions(context, sent, expected, absent).rule()


def enter_union(context: Context, sent: Record, expected: TaggedUnion) -> Rule | None:
    """Return the rule for objects that are one arm of a union on the other side."""
    tag: str | None = context.decided_both_ways(expected, "tag")
    target = record_of(_arm(expected, tag), context.expected)
    if tag is None or target is None:
        context.miss(_NO_TAG)
        return None
    return compare_records(context.of(sent), target, tag=(expected.tag, tag))


def leave_union(context: Context, expected: Definition, target: Record) -> Rule | None:
    """Return the rule for the union at hand, of which the other side has one arm alone.

    Args:
        context: the comparison of that union.
        expected: what stands in its place.
        target: the class of the objects that it stands for.
    """
    sent = context.current
    assert isinstance(sent, TaggedUnion), "the caller has looked"
    tag: str | None = context.decided_both_ways(expected, "tag")
    source = record_of(_arm(sent, tag), context.sent)
    if tag is None or source is None:
        context.miss(_NO_TAG)
        return None
    lost: Mapping[str, str] = context.decided("lost") or {}
    context.check_names("arm", {arm.tag for arm in sent.arms}, lost)
    for arm in sent.arms:
        if arm.tag not in {tag, *lost}:
            context.miss(f"arm {arm.tag!r} is not on the other side; say why it is `lost`")
    rule = compare_records(context.of(source), target, implied=frozenset({sent.tag}))
    return Arms(sent.tag, {tag: rule}, lost)


@dataclass(frozen=True, slots=True)
class _Unions:
    """The comparison of two unions with the same tag."""

    context: Context
    sent: TaggedUnion
    expected: TaggedUnion
    absent: Mapping[str, str]

    def rule(self) -> Rule | None:
        lost: dict[str, str] = {**(self.context.decided("lost") or {})}
        lost |= {name: reason for name, reason in self.absent.items() if reason}
        tag: str | None = self.context.decided_both_ways(self.expected, "tag")
        codes: Mapping[str, str] = self.context.decided("code_of") or {}
        targets = {arm.tag: arm.target for arm in self.expected.arms}
        own = {arm.tag for arm in self.sent.arms}
        self.context.check_names("arm", own, [*lost, *codes])
        arms: dict[str, Rule | None] = {}
        for arm in self.sent.arms:
            if arm.tag in codes:
                arms[arm.tag] = Code(codes[arm.tag])
            elif arm.tag in lost or self._is_taken(arm.target):
                continue
            elif arm.tag in targets:
                target = Reference(targets[arm.tag])
                arms[arm.tag] = self.context.shapes(Reference(arm.target), target)
            elif arm.tag == tag and self.expected.default is not None:
                arms[arm.tag] = self._lose_tag(arm.target)
            elif arm.tag not in self.absent:
                self.context.miss(f"arm {arm.tag!r} is not on the other side; say why it is `lost`")
        default = self._default(tag)
        other, is_open = self._other(default)
        known = set(own)
        if self.sent.default is None:
            known |= targets.keys()  # no object here has such a tag with the other side's meaning
        is_equal = not (lost or default or other or any(arms.values()))
        if is_equal and known == arms.keys() and (is_open or not self._has_others):
            return None
        return Arms(
            self.sent.tag,
            arms,
            lost,
            default,
            is_open,
            frozenset(known) if is_open else frozenset(),
            other,
        )

    @property
    def _has_others(self) -> bool:
        """Whether objects may have a tag that is not listed."""
        return self.sent.unknown is not None or self.sent.default is not None

    def _is_taken(self, name: str) -> bool:
        """Whether code takes a definition apart, so that no rule makes a valid value of it."""
        definition = self.context.sent[name]
        return self.context.decisions.about(definition, "taken") is not None

    def _lose_tag(self, name: str) -> Members | None:
        """The rule of an arm that has no tag on the other side."""
        source = record_of(Reference(name), self.context.sent)
        target = record_of(self.expected.default, self.context.expected)
        if source is None or target is None:
            self.context.miss(f"{name} is no object on both sides; name its `code_of`")
            return None
        implied = frozenset({self.sent.tag})
        return compare_records(self.context.of(source), target, implied=implied)

    def _default(self, tag: str | None) -> Rule | None:
        """The rule of objects without a tag."""
        if self.sent.default is None:
            return None
        if self.expected.default is not None:
            return self.context.shapes(self.sent.default, self.expected.default)
        source = record_of(self.sent.default, self.context.sent)
        target = record_of(_arm(self.expected, tag), self.context.expected)
        if tag is None or source is None or target is None:
            self.context.miss(_NO_TAG)
            return None
        return compare_records(self.context.of(source), target, tag=(self.expected.tag, tag))

    def _other(self, default: Rule | None) -> tuple[Rule | None, bool]:
        """The rule of objects with an unlisted tag, and whether the other side has them at all."""
        sent, expected = self.sent.unknown, self.expected.unknown
        if self.sent.default is not None and (sent is None or sent.synthetic):
            return default, True  # they are those without a tag, as far as a schema goes
        if sent is None or expected is None or expected.synthetic:
            return None, False
        if sent.synthetic:  # nothing is known of their members
            return None, not any(member.required for member in expected.members)
        if sent.choice is not None and expected.choice is not None:
            return compare_choices(self.context, sent.choice, expected.choice), True
        unlisted = self.context.of(_as_record(self.sent, sent))
        return compare_records(unlisted, _as_record(self.expected, expected)), True


def _arm(union: TaggedUnion, tag: str | None) -> Reference | None:
    """What a tag selects."""
    targets = {arm.tag: arm.target for arm in union.arms}
    return Reference(targets[tag]) if tag in targets else None


def _as_record(union: TaggedUnion, unknown: Unknown) -> Record:
    """The objects with an unlisted tag, as a class whose members are checked."""
    return Record(unknown.name, unknown.pointer, None, None, unknown.members, owner=union.name)
