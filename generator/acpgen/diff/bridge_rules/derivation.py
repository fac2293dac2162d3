"""Derives the rules for one direction by comparing all corresponding definitions.

Definitions are assumed to be equal in both versions until a difference is found. Because
definitions can refer to each other, they are compared repeatedly until no new differences are
found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from acpgen.diff.acceptance import Acceptance, accepts_scalar
from acpgen.diff.bridge_rules.decisions import DirectionDecisions
from acpgen.ir.bridge import Call, CustomFunction, Rule
from acpgen.ir.model import (
    Alias,
    AnyJson,
    Array,
    Definition,
    Dictionary,
    Enumeration,
    Integer,
    Member,
    Nullable,
    Number,
    Record,
    Reference,
    Scalar,
    Shape,
    String,
    TaggedUnion,
    Unknown,
    UntaggedArm,
    UntaggedUnion,
)
from acpgen.ir.queries import arms_by_tag, map_inner, map_shapes, resolve_alias, takes_null

# A definition in the sender's version and its counterpart.
Pair = tuple[str, Shape]
# Corresponding variants of two untagged unions, by a field that only these variants require.
_ArmPairs = dict[str, tuple[UntaggedArm, UntaggedArm]]

_NO_TAG = "has objects with a tag in only one version; specify that tag in `tag`"


def derive(
    sent: Mapping[str, Definition],
    expected: Mapping[str, Definition],
    decisions: DirectionDecisions,
    roots: Iterable[Pair],
    absent: Mapping[str, Mapping[str, str]],
) -> tuple[dict[str, Rule], dict[str, Shape]]:
    """Derive the rules for the given definitions and all definitions that they refer to.

    Args:
        sent: the definitions of the sender's version.
        expected: the definitions of the receiver's version.
        decisions: the decisions about this direction.
        roots: the definitions to begin with.
        absent: maps each union to the tags that the receiver's version does not define, each with
            the reason why it is not carried over. If the reason is empty, the bridge's code handles
            the variant before any rules are applied.

    Returns:
        A rule for each definition that differs from its counterpart, and the counterpart of each
        compared definition, both by name. Definitions with the decision `taken` are omitted from
        the counterparts, since the bridge's code handles their parts.
    """
    differing: frozenset[str] = frozenset()
    starts = list(roots)
    # A strict receiver accepts only the known values of enumerations.
    strict = {name: map_shapes(each, _closed) for name, each in expected.items()}
    while True:
        derivation = _Derivation(sent, strict, decisions, absent, differing)
        rules = derivation.run(starts)
        if rules.keys() == differing:
            counterparts = {
                name: shape
                for name, shape in derivation.counterparts.items()
                if decisions.about(sent[name], "taken") is None
            }
            return dict(sorted(rules.items())), counterparts
        differing = frozenset(rules)


def _closed(shape: Shape) -> Shape:
    if isinstance(shape, Enumeration):
        return replace(shape, lenient=False)
    return map_inner(shape, _closed)


@dataclass(slots=True)
class _Derivation:
    """A single comparison of all definitions. The first four fields are arguments of `derive`."""

    sent: Mapping[str, Definition]
    expected: Mapping[str, Definition]
    decisions: DirectionDecisions
    absent: Mapping[str, Mapping[str, str]]
    differing: frozenset[str]  # the definitions that are known to have a rule
    # The counterpart of each compared definition.
    counterparts: dict[str, Shape] = field(default_factory=dict)
    # The definitions that are being compared to derive an inline rule.
    inside: set[Pair] = field(default_factory=set)
    _pending: list[str] = field(default_factory=list)

    def run(self, roots: Iterable[Pair]) -> dict[str, Rule]:
        """Return the rules for the definitions that have been found to differ so far."""
        for name, shape in roots:
            self.refer(name, shape)
        rules: dict[str, Rule] = {}
        while self._pending:
            name = self._pending.pop(0)
            rule = _Comparison(self, self.sent[name]).rule(self.counterparts[name])
            if rule is not None:
                rules[name] = rule
        return rules

    def refer(self, name: str, expected: Shape) -> Rule | None:
        """Return the rule to apply to a reference to a definition.

        Usually, the result is the name of the definition's rule. If `expected` is not the usual
        counterpart of the definition, the rule itself is returned, to be written inline.
        """
        is_usual = name not in self.expected or expected == Reference(name)
        if is_usual and name not in self.counterparts:
            self.counterparts[name] = expected
            self._pending.append(name)
        if self.counterparts.get(name) == expected:
            return name if name in self.differing else None
        if (name, expected) in self.inside:
            return None
        self.inside.add((name, expected))
        rule = _Comparison(self, self.sent[name]).rule(expected)
        self.inside.discard((name, expected))
        return rule


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The comparison of a definition in the sender's version with its counterpart.

    Methods that compare their arguments return the rule that converts values of the first argument
    to valid values of the second, or None if all values are already valid.
    """

    derivation: _Derivation
    current: Definition

    def decided(self, key: str) -> Any:
        """Return a decision about the current definition, or None if there is none."""
        return self.derivation.decisions.about(self.current, key)

    def decided_both_ways(self, expected: Definition, key: str) -> Any:
        """Return a decision about the current definition that applies in both directions."""
        return self.derivation.decisions.both_ways(self.current, expected, key)

    def miss(self, message: str) -> None:
        """Record that a decision about the current definition is missing."""
        self.derivation.decisions.miss(self.current, message)

    def check_names(self, what: str, known: Collection[str], named: Iterable[str]) -> None:
        """Check that the names in decisions about the current definition exist."""
        for name in named:
            if name not in known:
                self.miss(f"no {what} is named {name!r}; remove it from the entry")

    # --- definitions and shapes ----------------------------------------------------------------

    def rule(self, place: Shape) -> Rule | None:
        """Compare the current definition with its counterpart."""
        if self.decided("taken") is not None:
            return None  # the bridge's code handles the parts of this definition
        code: str | None = self.decided("code")
        if code is not None:
            return _code(code)
        sent, side = self.current, self.derivation
        expected = side.expected.get(place.name) if isinstance(place, Reference) else None
        source = _record_of(Reference(sent.name), side.sent)
        target = _record_of(place, side.expected)
        match sent, expected:
            case TaggedUnion(), TaggedUnion():
                return self.unions(sent, expected)
            case _, TaggedUnion() if source is not None:
                return self.enter_union(source, expected)
            case TaggedUnion(), Record() | Alias() if target is not None:
                return self.leave_union(sent, expected, target)
            case (Record() | Alias()), _ if source is not None and target is not None:
                if source.subtypes or target.subtypes:
                    self.miss("has subtypes, which rules cannot convert; specify its `code`")
                return self.records(source, target)
            case Alias(shape=shape), _:
                return self.shapes(shape, place)
            case _:
                self.miss("is of another kind in the other version; specify its `code`")
                return None

    def shapes(self, sent: Shape, expected: Shape) -> Rule | None:
        plain = resolve_alias(expected, self.derivation.expected)
        match sent, plain:
            case _, AnyJson():
                return None
            case Reference(name), _:
                definition = self.derivation.sent[name]
                if isinstance(definition, Alias) and not isinstance(
                    definition.shape, Enumeration | UntaggedUnion | Reference
                ):
                    return self.shapes(definition.shape, expected)  # needs no separate rule
                return self.derivation.refer(name, expected)
            case Nullable(inner), Nullable(target):
                return self.not_null(inner, target)
            case _, Nullable(target):
                return self.shapes(sent, target)
            case Array(), Array():
                least = plain.min_items or 0
                items = self.not_null(sent.items, plain.items)
                is_longer = least > (sent.min_items or 0)
                return _items(items, least) if items is not None or is_longer else None
            case Dictionary(), Dictionary():
                entry = self.not_null(sent.values, plain.values)
                return None if entry is None else Call("Entries", keywords={"rule": entry})
            case (UntaggedUnion(), _) | (_, UntaggedUnion()):
                return self.untagged(sent, plain)
            case (Array() | Dictionary() | Nullable()), _:
                self.miss("has values of another kind in the other version; specify their `code`")
                return None
            case _:
                return self.scalars(sent, plain)

    def not_null(self, sent: Shape, expected: Shape) -> Rule | None:
        """Compare nested values, such as items. A value that a rule converts must not be null."""
        rule = self.shapes(sent, expected)
        if rule is not None and isinstance(resolve_alias(sent, self.derivation.sent), Nullable):
            self.miss("has nullable list or map items that differ; specify their `code`")
        return rule

    def scalars(self, sent: Scalar, expected: Shape) -> Rule | None:
        if isinstance(sent, Enumeration) and sent.lenient:
            sent = replace(sent, other=sent.other or sent.base)  # default mode accepts any value
        if accepts_scalar(sent, expected):
            return None
        match sent, expected:
            case (Enumeration() | String()), Enumeration():
                return self.enumerations(sent, expected)
            case (Integer(), Integer(low, high)) | (Integer() | Number(), Number(low, high)):
                bounds = (("minimum", low), ("maximum", high))
                return Call("Range", (), {name: end for name, end in bounds if end is not None})
            case _:
                self.miss("has values that are invalid in the other version; specify their `code`")
                return None

    def enumerations(self, sent: Enumeration | String, expected: Enumeration) -> Rule:
        instead: str | None = self.decided("instead")
        replaced: Mapping[str, str] = self.decided("replaced") or {}
        if isinstance(sent, Enumeration):
            self.check_names("value", set(map(str, sent.values)), replaced)
        standing = [*replaced.values(), *([] if instead is None else [instead])]
        self.check_names("value in the other version", set(map(str, expected.values)), standing)
        if instead is None and self.decided("left_out") is None:
            self.miss(
                "has values that are unknown in the other version; map them in `instead`, or give "
                "a reason in `left_out`"
            )
        fallback = {} if instead is None else {"instead": instead}
        listed = frozenset(expected.values)
        return Call("Values", (), {"listed": listed, **fallback, **_filled(replaced=replaced)})

    # --- objects -------------------------------------------------------------------------------

    def records(
        self,
        sent: Record,
        expected: Record,
        *,
        tag: tuple[str, str] | None = None,
        implied: frozenset[str] = frozenset(),
        foreign: frozenset[str] = frozenset(),
    ) -> Rule | None:
        """Compare two records.

        Args:
            sent: the record in the sender's version.
            expected: the record in the receiver's version.
            tag: a tag that objects contain only in the receiver's version, with its value.
            implied: tags that objects contain only in the sender's version.
            foreign: additional fields that objects must not contain in the receiver's version.
        """
        at = replace(self, current=sent)
        renamed: Mapping[str, str] = at.decided_both_ways(expected, "renamed") or {}
        lost: Mapping[str, str] = at.decided("lost") or {}
        codes: Mapping[str, str] = at.decided("code_of") or {}
        added: Mapping[str, Any] = at.decided("added") or {}
        tags = dict([tag] if tag else ())
        without = implied | frozenset(at.decided("implied") or ())
        own = {member.wire for member in sent.members}
        targets = {member.wire: member for member in expected.members}
        pairs: list[tuple[Member, Member]] = []
        for member in sent.members:
            if member.wire in lost or member.wire in without:
                continue
            target = targets.get(renamed.get(member.wire, member.wire))
            if target is not None:
                pairs.append((member, target))
            elif member.wire != "_meta":  # `_meta` is always forwarded
                at.miss(
                    f"field {member.wire!r} is missing in the other version; map it in `renamed`, "
                    "or give a reason in `lost`"
                )
        fields: dict[str, Rule] = {}
        for member, target in pairs:
            code = codes.get(member.wire)
            rule = at.members(member, target) if code is None else _code(code)
            if rule is not None:
                fields[member.wire] = rule
        definitions, others = self.derivation.sent, self.derivation.expected
        not_null = {
            member.wire
            for member, target in pairs
            if takes_null(member.shape, definitions) and not takes_null(target.shape, others)
        }
        at.check_names("field", own | implied, [*lost, *codes, *without, *renamed])
        at.check_names("field in the other version", targets, added)
        certain = {*added, *tags, *(target.wire for member, target in pairs if member.required)}
        for wire, target in targets.items():
            if target.required and wire not in certain:
                at.miss(f"the other version requires {wire!r}; set its value in `added`")
        keywords = _filled(
            fields=fields,
            renamed={one.wire: other.wire for one, other in pairs if one.wire != other.wire},
            lost={wire: reason for wire, reason in lost.items() if wire in own},
            # Any object can contain `_meta`, even if the schema does not define it.
            foreign=frozenset({*targets, *foreign, *expected.absent, *tags} - {*own, "_meta"}),
            required=frozenset(
                member.wire
                for member, target in pairs
                if target.required
                and target.wire not in added
                and member.wire in {*fields, *not_null}
            ),
            not_null=frozenset(not_null),
            implied=without,
            added={**tags, **added},
        )
        return Call("Members", keywords=keywords) if keywords else None

    def members(self, sent: Member, expected: Member) -> Rule | None:
        """Compare two fields, ignoring null, which the object's rule handles."""
        shapes = []
        for member, side in ((sent, self.derivation.sent), (expected, self.derivation.expected)):
            inner = resolve_alias(member.shape, side)
            shapes.append(inner.shape if isinstance(inner, Nullable) else member.shape)
        return self.shapes(*shapes)

    # --- tagged unions -------------------------------------------------------------------------

    def enter_union(self, sent: Record | None, expected: TaggedUnion) -> Rule | None:
        """Compare objects with a variant of a union in the other version."""
        tag: str | None = self.decided_both_ways(expected, "tag")
        target = _record_of(_arm(expected, tag), self.derivation.expected)
        if tag is None or sent is None or target is None:
            self.miss(_NO_TAG)
            return None
        return self.records(sent, target, tag=(expected.tag, tag))

    def leave_union(self, sent: TaggedUnion, place: Definition, target: Record) -> Rule | None:
        """Compare a union with its counterpart, which is a single variant without a tag."""
        tag: str | None = self.decided_both_ways(place, "tag")
        source = _record_of(_arm(sent, tag), self.derivation.sent)
        if tag is None or source is None:
            self.miss(_NO_TAG)
            return None
        lost: Mapping[str, str] = self.decided("lost") or {}
        self.check_names("variant", {arm.tag for arm in sent.arms}, lost)
        for arm in sent.arms:
            if arm.tag not in {tag, *lost}:
                self._miss_arm(arm.tag)
        rule = self.records(source, target, implied=frozenset({sent.tag}))
        arms = {"tag": sent.tag, "arms": {tag: rule}}
        return Call("Arms", keywords={**arms, **_filled(lost=lost)})

    def unions(self, sent: TaggedUnion, expected: TaggedUnion) -> Rule | None:
        if sent.tag != expected.tag:
            self.miss(f"has {expected.tag!r} as its tag in the other version; specify its `code`")
            return None
        side = self.derivation
        absent = side.absent.get(sent.name, {})
        lost: dict[str, str] = {**(self.decided("lost") or {})}
        lost |= {name: reason for name, reason in absent.items() if reason}
        tag: str | None = self.decided_both_ways(expected, "tag")
        codes: Mapping[str, str] = self.decided("code_of") or {}
        targets = arms_by_tag(expected)
        own = {arm.tag for arm in sent.arms}
        self.check_names("variant", own, [*lost, *codes])
        arms: dict[str, Rule | None] = {}
        for arm in sent.arms:
            if arm.tag in codes:
                arms[arm.tag] = _code(codes[arm.tag])
            elif (
                arm.tag in lost or side.decisions.about(side.sent[arm.target], "taken") is not None
            ):
                continue
            elif arm.tag in targets:
                arms[arm.tag] = self.shapes(Reference(arm.target), Reference(targets[arm.tag]))
            elif arm.tag == tag and expected.default is not None:
                arms[arm.tag] = self._lose_tag(sent.tag, arm.target, expected.default)
            elif arm.tag not in absent:
                self._miss_arm(arm.tag)
        default = None
        if sent.default is not None and expected.default is not None:
            default = self.shapes(sent.default, expected.default)
        elif sent.default is not None:
            default = self.enter_union(_record_of(sent.default, side.sent), expected)
        other, is_open = self._unlisted(sent, expected, default)
        known = set(own)
        if sent.default is None:
            known |= targets.keys()  # the sender can use these tags with another meaning
        has_others = sent.unknown is not None or sent.default is not None
        is_equal = not (lost or default or other or any(arms.values()))
        if is_equal and known == arms.keys() and (is_open or not has_others):
            return None
        optional = _filled(
            lost=lost,
            default=default,
            is_open=is_open,
            known=frozenset(known) if is_open else None,
            other=other,
        )
        return Call("Arms", keywords={"tag": sent.tag, "arms": arms, **optional})

    def _miss_arm(self, tag: str) -> None:
        self.miss(f"variant {tag!r} is missing in the other version; give a reason in `lost`")

    def _lose_tag(self, tag: str, name: str, expected: Shape) -> Rule | None:
        """Compare a variant with its counterpart, which is an object without a tag."""
        source = _record_of(Reference(name), self.derivation.sent)
        target = _record_of(expected, self.derivation.expected)
        if source is None or target is None:
            self.miss(f"{name} is not an object in at least one version; specify its `code_of`")
            return None
        return self.records(source, target, implied=frozenset({tag}))

    def _unlisted(
        self, union: TaggedUnion, counterpart: TaggedUnion, default: Rule | None
    ) -> tuple[Rule | None, bool]:
        """Compare objects with an unknown tag.

        Return the rule for these objects, and True if the other version accepts the objects.
        """
        sent, expected = union.unknown, counterpart.unknown
        if union.default is not None and (sent is None or sent.synthetic):
            return default, True  # the schema treats these objects like objects without a tag
        if sent is None or expected is None or expected.synthetic:
            return None, False
        if sent.synthetic:  # the fields of these objects are unknown
            return None, not any(member.required for member in expected.members)
        if sent.choice is not None and expected.choice is not None:
            return self.untagged(sent.choice, expected.choice), True
        return self.records(_as_record(union, sent), _as_record(counterpart, expected)), True

    # --- untagged unions -----------------------------------------------------------------------

    def untagged(self, sent: Shape, expected: Shape) -> Rule | None:
        """Compare two shapes, at least one of which is an untagged union."""
        if isinstance(sent, UntaggedUnion) and isinstance(expected, UntaggedUnion):
            pairs = _paired(sent, expected)
            arms = [arm for pair in pairs.values() for arm in pair]
            if arms and all(arm.types == ("object",) for arm in arms):
                return self._objects(pairs, expected.exclusive and not sent.exclusive)
            if arms and all(isinstance(arm.shape, Array) for arm in arms):
                return self._arrays(pairs)
        # Neither shape contains objects that differ, so no definition needs to be compared.
        shapes = [arm.shape for arm in sent.arms] if isinstance(sent, UntaggedUnion) else [sent]
        acceptance = Acceptance(self.derivation.sent, self.derivation.expected, {})
        if not all(acceptance.accepts(shape, expected) for shape in shapes):
            self.miss("has variants that are invalid in the other version; specify their `code`")
        return None

    def _objects(self, pairs: _ArmPairs, is_stricter: bool) -> Rule | None:
        """Compare variants that are objects.

        If `is_stricter` is true, the other version rejects objects that match several variants.
        """
        rules: dict[str, Rule | None] = {}
        for key, (arm, target) in pairs.items():
            record = _record_of(arm.shape, self.derivation.sent)
            expected = _record_of(target.shape, self.derivation.expected)
            if is_stricter and record is not None and expected is not None:
                others = {name for _, other in pairs.values() for name in other.keys}
                foreign = frozenset(others.difference(target.keys))
                rules[key] = self.records(record, expected, foreign=foreign)
            else:
                rules[key] = self.shapes(arm.shape, target.shape)
        return _by_member(rules)

    def _arrays(self, pairs: _ArmPairs) -> Rule | None:
        """Compare variants that are arrays. All items in an array belong to the same variant."""
        rules: dict[str, Rule | None] = {}
        least: list[int] = []
        given: list[int] = []
        for key, (arm, target) in pairs.items():
            assert isinstance(arm.shape, Array), "all variants are arrays"
            assert isinstance(target.shape, Array), "all variants are arrays"
            rules[key] = self.shapes(arm.shape.items, target.shape.items)
            least.append(target.shape.min_items or 0)
            given.append(arm.shape.min_items or 0)
        items = _by_member(rules)
        return _items(items, max(least)) if items or max(least) > min(given) else None


def _by_member(rules: Mapping[str, Rule | None]) -> Rule | None:
    return Call("ByMember", keywords={"rules": rules}) if any(rules.values()) else None


def _code(function: str) -> Rule:
    return Call("Code", (CustomFunction(function),))


def _items(rule: Rule | None, least: int) -> Rule:
    return Call("Items", keywords=_filled(rule=rule, least=least))


def _filled(**keywords: Any) -> dict[str, Any]:
    """Return the keyword arguments that aren't empty, since empty values are the defaults."""
    return {name: value for name, value in keywords.items() if value}


def _record_of(shape: Shape | None, definitions: Mapping[str, Definition]) -> Record | None:
    """Return the record that describes all objects of a shape, or None if there is none."""
    while isinstance(shape, Reference):
        definition = definitions.get(shape.name)
        if isinstance(definition, Record):
            return definition
        shape = definition.shape if isinstance(definition, Alias) else None
    if isinstance(shape, UntaggedUnion) and len(shape.arms) == 1:
        return _record_of(shape.arms[0].shape, definitions)
    return None


def _arm(union: TaggedUnion, tag: str | None) -> Reference | None:
    """Return a reference to the definition that a tag selects, or None if there is none."""
    targets = arms_by_tag(union)
    return Reference(targets[tag]) if tag in targets else None


def _as_record(union: TaggedUnion, unknown: Unknown) -> Record:
    """Return a record for objects with an unknown tag so that their fields can be compared."""
    return Record(unknown.name, unknown.pointer, None, None, unknown.members, owner=union.name)


def _paired(sent: UntaggedUnion, expected: UntaggedUnion) -> _ArmPairs:
    """Pair the variants of two unions by fields that no other variant in the same union requires.

    The result is empty if the unions have different numbers of variants, or if a variant requires
    no such field.
    """
    keys: list[list[str]] = []
    for union in (sent, expected):
        required = Counter(name for arm in union.arms for name in {*arm.keys})
        own = [[name for name in arm.keys if required[name] == 1] for arm in union.arms]
        keys.append([names[0] for names in own if names])
    if not len(sent.arms) == len(expected.arms) == len(keys[0]) == len(keys[1]):
        return {}
    return dict(zip(keys[0], zip(sent.arms, expected.arms, strict=True), strict=True))
