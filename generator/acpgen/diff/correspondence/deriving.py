"""Derive the rules that turn values of one surface into strictly valid values of another.

What is equal in both needs no rule. What differs in a way that leaves no choice gets a rule by
itself, such as an open enumeration that is closed on the other side. For the rest, a person decides
in the overlay; what nobody has decided is a problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from acpgen.diff.compatibility.scalars import accepts_scalar
from acpgen.diff.correspondence.simplifying import without_equal
from acpgen.ir.bridge import Node, Ref, Rule
from acpgen.ir.model import (
    Alias,
    AnyJson,
    Arm,
    Array,
    Boolean,
    Definition,
    Dictionary,
    Enumeration,
    Integer,
    Member,
    Null,
    Nullable,
    Number,
    Record,
    Reference,
    Shape,
    String,
    TaggedUnion,
    UntaggedUnion,
)
from acpgen.ir.queries import resolve_alias, strip_null, takes_null


class Deriver:
    """Derives the rules of one direction.

    Attributes:
        problems: what nobody has decided: the definition, and what is missing.
        used: the decisions that had a use, by definition and key.
    """

    def __init__(
        self,
        sent: Mapping[str, Definition],
        expected: Mapping[str, Definition],
        counterparts: Mapping[str, str],
        decisions: Mapping[str, Mapping[str, Any]],
    ) -> None:
        """Prepare a direction.

        Args:
            sent: the definitions of the side that sends.
            expected: those of the side that receives.
            counterparts: the receiver's names of definitions, by the sender's.
            decisions: what a person has decided, by the sender's names.
        """
        self.problems: list[tuple[str, str]] = []
        self.used: set[tuple[str, str]] = set()
        self._sent = sent
        self._expected = expected
        self._counterparts = counterparts
        self._decisions = decisions
        self._trees: dict[str, Node | None] = {}
        self._name = ""  # of the definition whose rule is being derived

    def derive(self, roots: Iterable[str]) -> dict[str, Node]:
        """Return the rules of these definitions, and of those they refer to."""
        for name in roots:
            self._visit(name)
        return without_equal(self._trees)

    @property
    def compared(self) -> dict[str, str]:
        """The definitions that were compared with a counterpart, and its name."""
        compared = {name: self._counterparts.get(name) for name in sorted(self._trees)}
        return {name: other for name, other in compared.items() if other is not None}

    def check_taken(self, name: str) -> None:
        """Check that code knows all members of a definition that it takes."""
        known = set(self._decided(name, "taken") or ())
        members = {member.wire for member in _members_of(self._sent, name)}
        self._name = name
        for wire in sorted(members - known):
            self._miss(f"member {wire!r} is new; teach the translator, and name it in `taken`")
        for wire in sorted(known - members):
            self._miss(f"there is no member {wire!r}; remove it from `taken`")

    def _visit(self, name: str) -> None:
        if name in self._trees:
            return
        self._trees[name] = None  # assumed equal while its inside is looked at
        before, self._name = self._name, name
        counterpart = self._counterparts.get(name)
        code = self._decided(name, "code")
        if code is not None:
            self._trees[name] = Rule("Code", facts={"function": code}, own=True)
        elif name not in self._sent and counterpart is not None and counterpart in self._expected:
            expected = self._expected[counterpart]
            if isinstance(expected, Alias) and isinstance(expected.shape, Enumeration):
                self._trees[name] = self._of_values(expected.shape)
            else:
                self._miss("names no definition, and its counterpart lists no values")
        elif name not in self._sent or counterpart is None:
            self._miss("has no counterpart; decide on it in `same`, or by `code`")
        else:
            sent, expected = self._sent[name], self._expected[counterpart]
            self._trees[name] = self._of_definitions(sent, expected)
        self._name = before

    def _decided(self, name: str, key: str) -> Any:
        decision = self._decisions.get(name, {}).get(key)
        if decision is not None:
            self.used.add((name, key))
        return decision

    def _miss(self, reason: str) -> None:
        if (self._name, reason) not in self.problems:
            self.problems.append((self._name, reason))

    # --- definitions ---------------------------------------------------------------------------

    def _of_definitions(self, sent: Definition, expected: Definition) -> Node | None:
        arm = self._decided(sent.name, "arm")
        if isinstance(sent, Alias) and isinstance(expected, TaggedUnion) and arm is not None:
            shape = _only(sent.shape)
            sent = self._sent[shape.name] if isinstance(shape, Reference) else sent
        match sent, expected:
            case Alias(), Alias():
                return self._of_shapes(sent.shape, expected.shape)
            case Alias(), _:
                return self._of_shapes(_only(sent.shape), Reference(expected.name))
            case Record(), Record():
                return self._of_records(sent, expected)
            case Record(), TaggedUnion() if arm is not None:
                return self._into_arm(sent, expected, arm)
            case TaggedUnion(), TaggedUnion():
                return self._of_unions(sent, expected)
            case TaggedUnion(), Record() | Alias() if arm is not None:
                return self._out_of_arm(sent, expected, arm)
            case _:
                self._miss("is of another kind on the other side; decide on it by `arm` or `code`")
                return None

    def _into_arm(self, sent: Record, expected: TaggedUnion, tag: str) -> Node | None:
        """The rule for objects that the other side has as an arm of a union."""
        target = self._arm(expected, tag)
        if target is None:
            return None
        return self._of_records(sent, target, added={expected.tag: tag})

    def _out_of_arm(self, sent: TaggedUnion, expected: Definition, tag: str) -> Node | None:
        """The rule for a union of which the other side has one arm alone."""
        shape = _only(expected.shape) if isinstance(expected, Alias) else Reference(expected.name)
        targets = {arm.tag: self._sent.get(arm.target) for arm in sent.arms}
        source = targets.get(tag)
        record = self._expected.get(shape.name) if isinstance(shape, Reference) else None
        if not isinstance(source, Record) or not isinstance(record, Record):
            self._miss(f"has no arm {tag!r} that is an object on both sides")
            return None
        rule = self._of_records(source, record, implied={sent.tag})
        return Rule("Arms", {"arms": {tag: rule}}, {"tag": sent.tag}, own=True)

    def _arm(self, union: TaggedUnion, tag: str) -> Record | None:
        targets = {arm.tag: self._expected.get(arm.target) for arm in union.arms}
        target = targets.get(tag)
        if isinstance(target, Record):
            return target
        self._miss(f"{union.name} has no arm {tag!r} that is an object")
        return None

    # --- objects -------------------------------------------------------------------------------

    def _of_records(
        self,
        sent: Record,
        expected: Record,
        *,
        added: Mapping[str, Any] | None = None,
        implied: Iterable[str] = (),
    ) -> Node | None:
        before, self._name = self._name, sent.name
        renamed: dict[str, str] = self._decided(sent.name, "renamed") or {}
        lost: dict[str, str] = self._decided(sent.name, "lost") or {}
        codes: dict[str, str] = self._decided(sent.name, "code_of") or {}
        added = {**(self._decided(sent.name, "added") or {}), **(added or {})}
        implied = {*(self._decided(sent.name, "implied") or ()), *implied}
        members = {member.wire: member for member in expected.members}
        fields: dict[str, Node] = {}
        not_null: set[str] = set()
        required: set[str] = set()
        for member in sent.members:
            if member.wire in lost or member.wire in implied:
                continue
            target = members.pop(renamed.get(member.wire, member.wire), None)
            if target is None and member.wire == "_meta":
                continue  # it travels as an unknown member
            if target is None:
                self._miss(f"member {member.wire!r} is not on the other side; say why it is `lost`")
                continue
            node, is_null = self._of_members(member, target, codes.get(member.wire))
            if is_null:
                not_null.add(member.wire)
            if node is not None:
                fields[member.wire] = node
            if target.required:
                required.add(member.wire)
                is_there = member.required and not is_null
                if not is_there and target.wire not in added:
                    self._miss(f"the other side requires {target.wire!r}; say what is `added`")
        for wire, target in members.items():
            if target.required and wire not in added and target.const is None:
                self._miss(f"the other side requires {wire!r}; say what is `added`")
        own = {member.wire for member in sent.members}
        foreign = members.keys() - own - added.keys() - {"_meta"}
        self._name = before
        facts: dict[str, Any] = {
            "renamed": renamed,
            "lost": lost,
            "foreign": foreign,
            "not_null": not_null,
            "implied": set(implied),
            "added": added,
        }
        facts = {name: value for name, value in facts.items() if value}
        return Rule("Members", {"fields": fields}, {**facts, "required": required}, bool(facts))

    def _of_members(
        self, sent: Member, expected: Member, code: str | None
    ) -> tuple[Node | None, bool]:
        """The rule of a member, and whether it must not be null on the other side."""
        shape, target = sent.shape, expected.shape
        is_null = takes_null(shape, self._sent) and not takes_null(target, self._expected)
        if code is not None:
            return Rule("Code", facts={"function": code}, own=True), is_null
        node = self._of_shapes(strip_null(shape), strip_null(target))
        is_code = isinstance(node, Ref) and self._decided(node.name, "code") is not None
        return node, is_null and not is_code

    # --- unions --------------------------------------------------------------------------------

    def _of_unions(self, sent: TaggedUnion, expected: TaggedUnion) -> Node | None:
        if sent.tag != expected.tag:
            self._miss(f"its tag is {expected.tag!r} on the other side; decide on it by `code`")
            return None
        lost: dict[str, str] = self._decided(sent.name, "lost") or {}
        default: str | None = self._decided(sent.name, "default")
        translated: list[str] = self._decided(sent.name, "translated") or []
        codes: dict[str, str] = self._decided(sent.name, "code_of") or {}
        targets = {arm.tag: arm for arm in expected.arms}
        arms: dict[str, Node | None] = {}
        for arm in sent.arms:
            if arm.tag in codes:
                arms[arm.tag] = Rule("Code", facts={"function": codes[arm.tag]}, own=True)
            elif arm.tag in lost or arm.tag in translated:
                continue
            elif arm.tag in targets:
                arms[arm.tag] = self._of_arms(arm, targets[arm.tag])
            elif arm.tag == default and expected.default is not None:
                arms[arm.tag] = self._into_default(sent, arm, expected.default)
            else:
                self._miss(f"arm {arm.tag!r} is not on the other side; say why it is `lost`")
        rule = None
        if sent.default is not None:
            rule = self._of_default(sent, expected, default)
        unknown = expected.unknown
        is_open = unknown is not None and not unknown.synthetic
        if unknown is not None and sent.unknown is not None:
            needed = {member.wire for member in unknown.members if member.required}
            is_open &= needed <= {m.wire for m in sent.unknown.members if m.required}
        other = None
        if sent.unknown and unknown and sent.unknown.choice and unknown.choice:
            other = self._of_alternatives(sent.unknown.choice, unknown.choice)
        known = {arm.tag for arm in (*sent.arms, *expected.arms)}
        others = sent.unknown is not None
        facts: dict[str, Any] = {"tag": sent.tag}
        if is_open:
            facts |= {"is_open": True, "known": known}
        own = bool(lost) or (others and not is_open) or bool(known - {arm.tag for arm in sent.arms})
        return Rule("Arms", {"arms": arms, "default": rule, "other": other}, facts, own)

    def _of_arms(self, sent: Arm, expected: Arm) -> Node | None:
        if self._counterparts.get(sent.target) == expected.target:
            self._visit(sent.target)
            return Ref(sent.target)
        source, target = self._sent[sent.target], self._expected[expected.target]
        return self._of_definitions(source, target)

    def _into_default(self, union: TaggedUnion, sent: Arm, expected: Shape) -> Node | None:
        """The rule of an arm that has no tag on the other side."""
        source = self._sent[sent.target]
        target = self._expected.get(expected.name) if isinstance(expected, Reference) else None
        if not isinstance(source, Record) or not isinstance(target, Record):
            self._miss(f"arm {sent.tag!r} is no object on both sides; decide on it by `code`")
            return None
        return self._of_records(source, target, implied={union.tag})

    def _of_default(self, sent: TaggedUnion, expected: TaggedUnion, tag: str | None) -> Node | None:
        """The rule of objects without a tag."""
        shape = sent.default
        assert shape is not None, "the caller has looked"
        if expected.default is not None:
            return self._of_shapes(shape, expected.default)
        source = self._sent.get(shape.name) if isinstance(shape, Reference) else None
        if tag is None or not isinstance(source, Record):
            self._miss("objects without a tag have no `default` on the other side; name their tag")
            return None
        return self._into_arm(source, expected, tag)

    # --- shapes --------------------------------------------------------------------------------

    def _of_shapes(self, sent: Shape, expected: Shape) -> Node | None:
        match sent, expected:
            case _, AnyJson():
                return None
            case Reference(name), Reference(target) if self._counterparts.get(name) == target:
                self._visit(name)
                return Ref(name)
            case Reference(name), _ if self._decided(name, "code") is not None:
                self._visit(name)
                return Ref(name)
            case Reference(name), _ if isinstance(alias := self._sent.get(name), Alias):
                return self._of_shapes(alias.shape, expected)
            case _, Reference() if resolve_alias(expected, self._expected) != expected:
                return self._of_shapes(sent, resolve_alias(expected, self._expected))
            case Reference(name), Reference(target):
                return self._of_definitions(self._sent[name], self._expected[target])
            case Nullable(inner), Nullable(target):
                return self._of_shapes(inner, target)
            case _, Nullable(target):
                return self._of_shapes(sent, target)
            case Array(), Array():
                least = expected.min_items or 0
                is_longer = least > (sent.min_items or 0)
                items = self._of_shapes(sent.items, expected.items)
                return Rule("Items", {"rule": items}, {"least": least}, is_longer)
            case Dictionary(), Dictionary():
                return Rule("Entries", {"rule": self._of_shapes(sent.values, expected.values)})
            case UntaggedUnion(), UntaggedUnion():
                return self._of_alternatives(sent, expected)
            case _, UntaggedUnion(arms):
                return self._of_scalars(sent, [arm.shape for arm in arms])
            case _:
                return self._of_scalars(sent, [expected])

    def _of_alternatives(self, sent: UntaggedUnion, expected: UntaggedUnion) -> Node | None:
        if len(sent.arms) != len(expected.arms):
            return self._of_scalars(sent, [arm.shape for arm in expected.arms])
        pairs = list(zip(sent.arms, expected.arms, strict=True))
        shapes = [(arm.shape, target.shape) for arm, target in pairs]
        if all(isinstance(s, Array) and isinstance(t, Array) for s, t in shapes) and all(
            arm.keys for arm, _ in pairs
        ):
            rules = {
                arm.keys[0]: self._of_shapes(arm.shape.items, target.shape.items)
                for arm, target in pairs
                if isinstance(arm.shape, Array) and isinstance(target.shape, Array)
            }
            least = [_least(target) for _, target in shapes]
            is_longer = min(least) > min(_least(shape) for shape, _ in shapes)
            items = Rule("ByMember", {"rules": rules})
            return Rule("Items", {"rule": items}, {"least": min(least)}, is_longer)
        if all("object" in arm.types and arm.keys for arm, _ in pairs):
            rules = {
                arm.keys[0]: self._of_shapes(s, t)
                for (arm, _), (s, t) in zip(pairs, shapes, strict=True)
            }
            return Rule("ByMember", {"rules": rules})
        for shape, target in shapes:
            if without_equal({"": self._of_shapes(shape, target)}):
                self._miss("its alternatives differ on the other side; decide on it by `code`")
        return None

    def _of_scalars(self, sent: Shape, expected: Iterable[Shape]) -> Node | None:
        targets = [_strict(resolve_alias(shape, self._expected)) for shape in expected]
        scalars = (Null, Boolean, String, Integer, Number, Enumeration)
        if isinstance(sent, Enumeration) and sent.lenient:
            sent = replace(sent, other=sent.other or sent.base)
        if isinstance(sent, scalars) and any(accepts_scalar(sent, target) for target in targets):
            return None
        target = targets[0] if len(targets) == 1 else None
        if isinstance(sent, Enumeration | String) and isinstance(target, Enumeration):
            return self._of_values(target)
        numbers = (Integer, Number)
        if isinstance(sent, numbers) and isinstance(target, numbers) and type(sent) is type(target):
            bounds = {"minimum": target.minimum, "maximum": target.maximum}
            return Rule("Range", facts=bounds, own=True)
        if isinstance(sent, UntaggedUnion):
            alternatives = [arm.shape for arm in sent.arms]
            if all(self._of_one_of(shape, targets) for shape in alternatives):
                return None
        self._miss("some of its values are not valid on the other side; decide on them by `code`")
        return None

    def _of_one_of(self, sent: Shape, targets: Iterable[Shape]) -> bool:
        """Whether every value of a shape is one of some shapes, as far as scalars go."""
        inner = resolve_alias(sent, self._sent)
        for target in targets:
            if isinstance(inner, Array) and isinstance(target, Array):
                if self._of_one_of(
                    inner.items, [_strict(resolve_alias(target.items, self._expected))]
                ):
                    return True
            elif isinstance(inner, (Boolean, String, Integer, Number, Enumeration, Null)):
                if accepts_scalar(inner, target):
                    return True
            elif isinstance(target, AnyJson):
                return True
        return False

    def _of_values(self, expected: Enumeration) -> Node:
        facts: dict[str, Any] = {"listed": set(expected.values)}
        for key in ("instead", "replaced"):
            decided = self._decided(self._name, key)
            if decided is not None:
                facts[key] = decided
        return Rule("Values", facts=facts, own=True)


def _least(shape: Shape) -> int:
    """The least length of an array."""
    return (shape.min_items or 0) if isinstance(shape, Array) else 0


def _strict(shape: Shape) -> Shape:
    return replace(shape, lenient=False) if isinstance(shape, Enumeration) else shape


def _only(shape: Shape) -> Shape:
    """The shape that a union of one alternative stands for."""
    if isinstance(shape, UntaggedUnion) and len(shape.arms) == 1:
        return shape.arms[0].shape
    return shape


def _members_of(definitions: Mapping[str, Definition], name: str) -> Iterator[Member]:
    match definitions.get(name):
        case Record(members=members):
            yield from members
        case TaggedUnion(arms=arms):
            for arm in arms:
                yield from _members_of(definitions, arm.target)
        case _:
            return
