"""Whether every value of one shape is a value of another: what an old or a new peer accepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from acpgen.diff.compatibility.scalars import accepts_scalar, accepts_value
from acpgen.diff.compatibility.variants import (
    ObjectVariant,
    TagValues,
    tag_values,
    unlisted_variants,
    variants_of,
)
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
    UntaggedArm,
    UntaggedUnion,
)
from acpgen.ir.queries import resolve_alias, strip_null, takes_null, unwrap


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Whether a receiver accepts what a sender may send, in default mode.

    In all methods `sent` is of the sender's schema, `expected` of the receiver's.

    Attributes:
        sender: the definitions of the sender.
        receiver: the definitions of the receiver.
        names: the receiver's names of matched definitions, by the sender's. A matched definition
            counts as accepted where it is referred to: its differences are changes of their own.
        assumed: definitions of the sender, each with a shape that counts as accepting it while its
            inside is compared.
    """

    sender: Mapping[str, Definition]
    receiver: Mapping[str, Definition]
    names: Mapping[str, str]
    assumed: frozenset[tuple[str, Shape]] = frozenset()

    def accepts(self, sent: Shape, expected: Shape) -> bool:
        """Whether every value of one shape decodes as another."""
        match sent, expected:
            case _, AnyJson():
                return True
            case Reference(name), _ if self._is_assumed(name, expected):
                return True
            case Reference(name), _ if isinstance(alias := self.sender.get(name), Alias):
                return self.accepts(alias.shape, expected)
            case UntaggedUnion(arms), _:
                if isinstance(expected, UntaggedUnion) and expected.exclusive:
                    if self._is_ambiguous(sent, expected):
                        return False
                    expected = replace(expected, exclusive=False)
                if self._may_be_mistaken(arms, expected):
                    return False
                return all(self.accepts(arm.shape, expected) for arm in arms)
            case Nullable(inner), _:
                return self.accepts(Null(), expected) and self.accepts(inner, expected)
            case Null(), Nullable():
                return True
            case _, Nullable(inner):
                return self.accepts(sent, inner)
            case Reference(name), _:
                return self._accepts_objects(name, expected)
            case _, UntaggedUnion(arms, exclusive):
                if exclusive and _may_fit_several(sent, arms):
                    return False
                return any(self.accepts(sent, arm.shape) for arm in arms)
            case _, Reference():
                alias_shape = resolve_alias(expected, self.receiver)
                return alias_shape != expected and self.accepts(sent, alias_shape)
            case Array(), Array():
                is_long = (expected.min_items or 0) <= (sent.min_items or 0)
                return is_long and self.accepts(sent.items, expected.items)
            case Dictionary(), Dictionary():
                return self.accepts(sent.values, expected.values)
            case (Array() | Dictionary()), _:
                return False
            case _:
                return accepts_scalar(sent, expected)

    def accepts_definition(self, sent: Definition, expected: Definition) -> bool:
        """Whether every value of one definition decodes as another, even if the two match."""
        if isinstance(sent, Alias):
            return self.accepts(sent.shape, Reference(expected.name))
        return self._accepts_objects(sent.name, Reference(expected.name))

    def accepts_arm(self, sent: str, tag: str, value: str, expected: Definition) -> bool:
        """Whether the objects of a definition that have a value as their tag are accepted."""
        for variant in variants_of(self.sender, Reference(sent)):
            has_tag = tag in variant.tags or tag in variant.members
            if not has_tag or tag_values(self.sender, variant, tag).allows(value):
                narrowed = variant.with_tag(tag, TagValues.only(value))
                if not self._accepts_variant(narrowed, Reference(expected.name)):
                    return False
        return True

    def accepts_unlisted(self, sent: TaggedUnion, expected: TaggedUnion) -> bool:
        """Whether the objects of a union that have an unlisted tag are accepted."""
        variants = unlisted_variants(self.sender, sent)
        return all(self._accepts_variant(variant, Reference(expected.name)) for variant in variants)

    def accepts_member(self, sent: Member, expected: Member) -> bool:
        """Whether the values of one member decode as another, or are repaired there."""
        shape = sent.shape
        if repairs_null(expected):
            shape = strip_null(shape)
        elif takes_null(shape, self.sender) and not self.accepts(Null(), expected.shape):
            return False
        return self.repairs(shape, expected) or self.accepts(shape, expected.shape)

    def repairs(self, sent: Shape, expected: Member) -> bool:
        """Whether a member repairs all invalid values of a shape, except null.

        Invalid items can be skipped only if both sides have items.
        """
        if expected.on_error is not None:
            return True
        if not expected.skip_invalid:
            return False
        match unwrap(sent, self.sender), unwrap(expected.shape, self.receiver):
            case Array(), Array(_, least):
                return not least
            case Dictionary(), Dictionary():
                return True
            case _:
                return False

    def _is_assumed(self, sent: str, expected: Shape) -> bool:
        if isinstance(expected, Reference) and self.names.get(sent) == expected.name:
            return True
        return (sent, expected) in self.assumed

    def _is_ambiguous(self, sent: UntaggedUnion, expected: UntaggedUnion) -> bool:
        """Whether a value may name several alternatives where only one is allowed."""
        if not sent.exclusive and _overlap(sent.arms):
            return True
        distinguished = {arm.keys for arm in sent.arms}
        keys_of_objects = {arm.keys for arm in expected.arms if "object" in arm.types}
        if len(sent.arms) > 1 and any(
            set(mine) < set(yours) for mine in keys_of_objects if mine for yours in distinguished
        ):
            return True  # what only the sender requires has told these alternatives apart
        for arm in sent.arms:
            for variant in variants_of(self.sender, arm.shape):
                named = {keys for keys in keys_of_objects if {*keys} <= variant.members.keys()}
                if len(named) > 1 and not named <= distinguished:
                    return True
        return False

    def _may_be_mistaken(self, sent: Sequence[UntaggedArm], expected: Shape) -> bool:
        """Whether an object of one alternative may be taken for another one by its tag.

        To an alternative that does not state the tag, it is an unknown member.
        """
        shape = resolve_alias(expected, self.receiver)
        union = self.receiver.get(shape.name) if isinstance(shape, Reference) else None
        if not isinstance(union, TaggedUnion):
            return False
        variants = [variant for arm in sent for variant in variants_of(self.sender, arm.shape)]
        stated = [union.tag in variant.tags or union.tag in variant.members for variant in variants]
        return any(stated) and not all(stated)

    # --- objects -----------------------------------------------------------------------------

    def _accepts_objects(self, sent: str, expected: Shape) -> bool:
        """Whether the objects of a definition decode as a shape."""
        definition = self.sender.get(sent)
        # Assume the objects accepted while comparing their insides, so that cycles terminate.
        inner = replace(self, assumed=self.assumed | {(sent, expected)})
        default = definition.default if isinstance(definition, TaggedUnion) else None
        if (
            default is not None
            and not isinstance(default, Reference)  # which `variants_of` follows
            and not inner.accepts(default, expected)
        ):
            return False
        variants = variants_of(self.sender, Reference(sent))
        return all(inner._accepts_variant(variant, expected) for variant in variants)

    def _accepts_variant(self, sent: ObjectVariant, expected: Shape) -> bool:
        """Whether objects of one variant decode as a shape."""
        match resolve_alias(expected, self.receiver):
            case AnyJson() | Dictionary(AnyJson()):
                return True
            case Nullable(inner):
                return self._accepts_variant(sent, inner)
            case UntaggedUnion(arms, exclusive):
                named = [arm for arm in arms if {*arm.keys} <= {*sent.members, *sent.tags}]
                if exclusive and sum("object" in arm.types for arm in named) > 1:
                    return False
                return any(self._accepts_variant(sent, arm.shape) for arm in arms)
            case Reference(name):
                definition = self.receiver.get(name)
                if isinstance(definition, Record):
                    return self._record_accepts(sent, definition)
                return isinstance(definition, TaggedUnion) and self._union_accepts(sent, definition)
            case Null() | Boolean() | String() | Integer() | Number() | Enumeration():
                return False
            case Array() | Dictionary():
                return False

    def _record_accepts(self, sent: ObjectVariant, record: Record) -> bool:
        if any(_may_have(sent, wire) for wire in record.absent):
            return False
        if record.discriminator is None:
            return self._has_members(sent, record.members)
        values = tag_values(self.sender, sent, record.discriminator)
        tags = frozenset(arm.tag for arm in record.subtypes)
        is_plain = values.absent or values.exceeds(tags)
        if is_plain and not self._has_members(sent, record.members):
            return False
        return self._arms_accept(sent, record.discriminator, values, record.subtypes)

    def _union_accepts(self, sent: ObjectVariant, union: TaggedUnion) -> bool:
        values = tag_values(self.sender, sent, union.tag)
        tags = frozenset(arm.tag for arm in union.arms)
        if values.absent and not (union.default and self._accepts_variant(sent, union.default)):
            return False
        if values.exceeds(tags) and not self._accepts_unlisted_tag(sent, values, union):
            return False
        return self._arms_accept(sent, union.tag, values, union.arms)

    def _accepts_unlisted_tag(
        self, sent: ObjectVariant, values: TagValues, union: TaggedUnion
    ) -> bool:
        unknown = union.unknown
        if unknown is None:
            return union.default is not None and self._accepts_variant(sent, union.default)
        is_ruled_out = any(map(values.allows, unknown.ruled_out))
        if is_ruled_out and unknown.refuses_ruled_out and union.default is None:
            return False
        if not self._has_members(sent, unknown.members):
            return False
        return unknown.choice is None or self._accepts_variant(sent, unknown.choice)

    def _arms_accept(
        self, sent: ObjectVariant, tag: str, values: TagValues, arms: Sequence[Arm]
    ) -> bool:
        """Whether each arm that the values of the tag select accepts the objects."""
        return all(
            self._accepts_variant(
                sent.with_tag(tag, TagValues.only(arm.tag)), Reference(arm.target)
            )
            for arm in arms
            if values.allows(arm.tag)
        )

    def _has_members(self, sent: ObjectVariant, expected: Sequence[Member]) -> bool:
        return all(self._has_member(sent, member) for member in expected)

    def _has_member(self, sent: ObjectVariant, expected: Member) -> bool:
        """Whether objects have a valid value for a member, or may leave it out."""
        values = sent.tags.get(expected.wire)
        if values is not None:
            if values.absent and expected.required:
                return False
            return expected.on_error is not None or self._accepts_tag(values, expected.shape)
        member = sent.members.get(expected.wire)
        if member is None:
            return not expected.required
        return (member.required or not expected.required) and self.accepts_member(member, expected)

    def _accepts_tag(self, sent: TagValues, expected: Shape) -> bool:
        shape = unwrap(expected, self.receiver)
        if accepts_scalar(String(), shape):
            return True
        return not sent.inverted and all(accepts_value(shape, value) for value in sent.listed)


def repairs_null(member: Member) -> bool:
    """Whether a member repairs null where its shape does not take it."""
    return member.on_null is not None or member.on_error is not None


def _overlap(arms: Sequence[UntaggedArm]) -> bool:
    """Whether a value may be of several alternatives, judged by JSON type alone."""
    types = [type_ for arm in arms for type_ in set(map(_broad_type, arm.types))]
    return len(types) > len(set(types))


def _may_fit_several(sent: Shape, arms: Sequence[UntaggedArm]) -> bool:
    """Whether a value that is not an object of a definition may be of several alternatives."""
    if isinstance(sent, AnyJson):
        return len(arms) > 1
    kind = sent.base.kind if isinstance(sent, Enumeration) else sent.kind
    type_ = "object" if kind == "dictionary" else _broad_type(kind)
    return sum(type_ in map(_broad_type, arm.types) for arm in arms) > 1


def _broad_type(type_: str) -> str:
    """The JSON type, in which an integer counts as a number."""
    return "number" if type_ == "integer" else type_


def _may_have(sent: ObjectVariant, wire: str) -> bool:
    """Whether the objects of a variant may have a member."""
    if wire in sent.tags:
        return sent.tags[wire].inverted or bool(sent.tags[wire].listed)
    return wire in sent.members
