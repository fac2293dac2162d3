"""Checks whether a receiver's schema accepts everything that a sender's schema allows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

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
    Scalar,
    Shape,
    String,
    TaggedUnion,
    UntaggedArm,
    UntaggedUnion,
)
from acpgen.ir.queries import resolve_alias, strip_null, takes_null, unwrap


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A comparison of a sender's messages with a receiver's schema, in default mode.

    In all methods, `sent` is part of the sender's schema, and `expected` is part of the receiver's
    schema.
    """

    sender: Mapping[str, Definition]
    receiver: Mapping[str, Definition]
    # Maps the sender's names of matched definitions to the receiver's names. References to matched
    # definitions are treated as accepted, since changes to these definitions are reported
    # separately.
    names: Mapping[str, str]
    # The sender's definitions that are being compared, each with the shape assumed to accept it.
    assumed: frozenset[tuple[str, Shape]] = frozenset()

    def accepts(self, sent: Shape, expected: Shape) -> bool:
        """Return whether every value of the sent shape decodes as the expected shape."""
        match sent, expected:
            case _, AnyJson():
                return True
            case Reference(name), _ if (name, expected) in self.assumed:
                return True
            case Reference(name), Reference(other) if self.names.get(name) == other:
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
        """Return whether every value of a definition decodes as another definition.

        Unlike `accepts`, this method also compares the definitions if they match in `names`.
        """
        if isinstance(sent, Alias):
            return self.accepts(sent.shape, Reference(expected.name))
        return self._accepts_objects(sent.name, Reference(expected.name))

    def accepts_arm(self, sent: str, tag: str, value: str, expected: Definition) -> bool:
        """Return whether the receiver accepts all objects of `sent` with the given tag value."""
        for variant in _variants_of(self.sender, Reference(sent)):
            has_tag = tag in variant.tags or tag in variant.members
            if not has_tag or _tag_values(self.sender, variant, tag).allows(value):
                narrowed = variant.with_tag(tag, value)
                if not self._accepts_variant(narrowed, Reference(expected.name)):
                    return False
        return True

    def accepts_unlisted(self, sent: TaggedUnion, expected: TaggedUnion) -> bool:
        """Return whether the receiver accepts all objects of `sent` with an unknown tag."""
        variants = _unlisted_variants(self.sender, sent)
        return all(self._accepts_variant(variant, Reference(expected.name)) for variant in variants)

    def accepts_member(self, sent: Member, expected: Member) -> bool:
        """Return whether the receiver decodes or repairs all values of the sender's field."""
        shape = sent.shape
        if repairs_null(expected):
            shape = strip_null(shape)
        elif takes_null(shape, self.sender) and not self.accepts(Null(), expected.shape):
            return False
        return self.repairs(shape, expected) or self.accepts(shape, expected.shape)

    def repairs(self, sent: Shape, expected: Member) -> bool:
        """Return whether a field repairs all invalid values of a shape, except null.

        Invalid items can be skipped only if both shapes are arrays or both are dictionaries.
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

    def _is_ambiguous(self, sent: UntaggedUnion, expected: UntaggedUnion) -> bool:
        """Return whether a value can match several variants of an exclusive union."""
        types = [type_ for arm in sent.arms for type_ in set(map(_broad_type, arm.types))]
        if not sent.exclusive and len(types) > len(set(types)):
            return True
        distinguished = {arm.keys for arm in sent.arms}
        keys_of_objects = {arm.keys for arm in expected.arms if "object" in arm.types}
        if len(sent.arms) > 1 and any(
            set(mine) < set(yours) for mine in keys_of_objects if mine for yours in distinguished
        ):
            return True  # the variants differ only in fields that the sender requires
        for arm in sent.arms:
            for variant in _variants_of(self.sender, arm.shape):
                named = {keys for keys in keys_of_objects if {*keys} <= variant.members.keys()}
                if len(named) > 1 and not named <= distinguished:
                    return True
        return False

    def _may_be_mistaken(self, sent: Sequence[UntaggedArm], expected: Shape) -> bool:
        """Return whether an object of one variant can have a tag that selects another variant.

        This is possible if only some of the sender's variants define the tag. In objects of the
        other variants, the tag is an unknown field and can have any value.
        """
        shape = resolve_alias(expected, self.receiver)
        union = self.receiver.get(shape.name) if isinstance(shape, Reference) else None
        if not isinstance(union, TaggedUnion):
            return False
        variants = [variant for arm in sent for variant in _variants_of(self.sender, arm.shape)]
        stated = [union.tag in variant.tags or union.tag in variant.members for variant in variants]
        return any(stated) and not all(stated)

    # --- objects -----------------------------------------------------------------------------

    def _accepts_objects(self, sent: str, expected: Shape) -> bool:
        """Return whether the objects of a definition decode as a shape."""
        definition = self.sender.get(sent)
        # To handle recursion, nested parts are compared under the assumption that the objects are
        # accepted.
        inner = replace(self, assumed=self.assumed | {(sent, expected)})
        default = definition.default if isinstance(definition, TaggedUnion) else None
        if (
            default is not None
            and not isinstance(default, Reference)  # `_variants_of` handles references
            and not inner.accepts(default, expected)
        ):
            return False
        variants = _variants_of(self.sender, Reference(sent))
        return all(inner._accepts_variant(variant, expected) for variant in variants)

    def _accepts_variant(self, sent: _Variant, expected: Shape) -> bool:
        """Return whether objects of one variant decode as a shape."""
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

    def _record_accepts(self, sent: _Variant, record: Record) -> bool:
        if any(map(sent.may_have, record.absent)):
            return False
        if record.discriminator is None:
            return self._has_members(sent, record.members)
        values = _tag_values(self.sender, sent, record.discriminator)
        tags = frozenset(arm.tag for arm in record.subtypes)
        is_plain = values.absent or values.exceeds(tags)
        if is_plain and not self._has_members(sent, record.members):
            return False
        return self._arms_accept(sent, record.discriminator, values, record.subtypes)

    def _union_accepts(self, sent: _Variant, union: TaggedUnion) -> bool:
        values = _tag_values(self.sender, sent, union.tag)
        tags = frozenset(arm.tag for arm in union.arms)
        if values.absent and not (union.default and self._accepts_variant(sent, union.default)):
            return False
        if values.exceeds(tags) and not self._accepts_unlisted_tag(sent, values, union):
            return False
        return self._arms_accept(sent, union.tag, values, union.arms)

    def _accepts_unlisted_tag(self, sent: _Variant, values: _TagValues, union: TaggedUnion) -> bool:
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
        self, sent: _Variant, tag: str, values: _TagValues, arms: Sequence[Arm]
    ) -> bool:
        """Return whether all variants that the tag can select accept the objects."""
        return all(
            self._accepts_variant(sent.with_tag(tag, arm.tag), Reference(arm.target))
            for arm in arms
            if values.allows(arm.tag)
        )

    def _has_members(self, sent: _Variant, expected: Sequence[Member]) -> bool:
        return all(self._has_member(sent, member) for member in expected)

    def _has_member(self, sent: _Variant, expected: Member) -> bool:
        """Return whether objects contain a valid value for a field, or are allowed to omit it."""
        values, member = sent.tags.get(expected.wire), sent.members.get(expected.wire)
        if values is not None:
            if values.absent and expected.required:
                return False
            shape = unwrap(expected.shape, self.receiver)
            if expected.on_error is not None or accepts_scalar(String(), shape):
                return True
            return not values.inverted and all(accepts_value(shape, v) for v in values.listed)
        if member is None:
            return not expected.required
        return (member.required or not expected.required) and self.accepts_member(member, expected)


def repairs_null(member: Member) -> bool:
    """Return whether a field repairs null, assuming that its shape does not accept null."""
    return member.on_null is not None or member.on_error is not None


def _may_fit_several(sent: Shape, arms: Sequence[UntaggedArm]) -> bool:
    """Return whether a value of a shape other than a reference can match several variants."""
    if isinstance(sent, AnyJson):
        return len(arms) > 1
    kind = sent.base.kind if isinstance(sent, Enumeration) else sent.kind
    type_ = "object" if kind == "dictionary" else _broad_type(kind)
    return sum(type_ in map(_broad_type, arm.types) for arm in arms) > 1


def _broad_type(type_: str) -> str:
    """Return the JSON type, treating integers as numbers."""
    return "number" if type_ == "integer" else type_


# --- scalars ---------------------------------------------------------------------------------


def accepts_scalar(sent: Scalar, expected: Shape) -> bool:
    """Return whether every value of a scalar decodes as the expected shape in default mode."""
    match sent, expected:
        case (Null(), Null()) | (Boolean(), Boolean()):
            return True
        case Enumeration(values, _, other), _:
            accepts_others = other is None or accepts_scalar(other, expected)
            return accepts_others and all(accepts_value(expected, value) for value in values)
        case String() | Integer(), Enumeration(_, base, other, lenient):
            if lenient and isinstance(base, String) and isinstance(sent, String):
                return True
            return other is not None and accepts_scalar(sent, other)
        case String(), String():
            is_long = (expected.min_length or 0) <= (sent.min_length or 0)
            return is_long and expected.pattern in (None, sent.pattern)
        case Integer() | Number(), Integer() | Number():
            is_kind = isinstance(sent, Integer) or isinstance(expected, Number)
            return is_kind and _is_within(sent, expected)
        case _:
            return False


def accepts_value(shape: Shape, value: str | int) -> bool:
    """Return whether a constant decodes as a scalar shape in default mode."""
    match shape:
        case Enumeration(values, base, other, lenient):
            is_kept = lenient and isinstance(base, String) and isinstance(value, str)
            is_other = other is not None and accepts_value(other, value)
            return value in values or is_kept or is_other
        case String(min_length, pattern):
            if not isinstance(value, str) or len(value) < (min_length or 0):
                return False
            return pattern is None or re.search(pattern, value) is not None
        case Integer() | Number():
            return isinstance(value, int) and _is_within(Integer(value, value), shape)
        case AnyJson():
            return True
        case Null() | Boolean() | Array() | Dictionary():
            return False
        case Reference() | Nullable() | UntaggedUnion():
            return False


def _is_within(sent: Integer | Number, expected: Integer | Number) -> bool:
    """Return whether the bounds of one number lie within the bounds of another."""
    low, high = expected.minimum, expected.maximum
    is_above = low is None or (sent.minimum is not None and sent.minimum >= low)
    is_below = high is None or (sent.maximum is not None and sent.maximum <= high)
    return is_above and is_below


# --- variants of objects ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _TagValues:
    """The possible values of a tag."""

    listed: frozenset[str] = frozenset()
    inverted: bool = False  # whether any string except the listed ones is possible
    absent: bool = False  # whether the tag can be omitted

    def allows(self, value: str) -> bool:
        """Return whether the tag can have the given value."""
        return (value in self.listed) != self.inverted

    def exceeds(self, values: frozenset[str]) -> bool:
        """Return whether the tag can have a value other than the given ones."""
        return self.inverted or not self.listed <= values


@dataclass(frozen=True, slots=True)
class _Variant:
    """Objects with the same fields and the same distinguishing values."""

    members: Mapping[str, Member]  # the fields by wire name
    tags: Mapping[str, _TagValues]  # the values that distinguish the variant, by wire name

    def with_tag(self, tag: str, values: str | _TagValues) -> _Variant:
        """Return the variant with a tag limited to the given value or values."""
        if isinstance(values, str):
            values = _TagValues(frozenset({values}))
        return replace(self, tags={**self.tags, tag: values})

    def may_have(self, wire: str) -> bool:
        """Return whether the objects can contain a field."""
        values = self.tags.get(wire)
        if values is None:
            return wire in self.members
        return values.inverted or bool(values.listed)


def _variants_of(definitions: Mapping[str, Definition], shape: Shape | None) -> Iterator[_Variant]:
    """If a shape refers to an object definition, yield the variants of the definition's objects."""
    inner = resolve_alias(shape, definitions) if shape is not None else None
    definition = definitions.get(inner.name) if isinstance(inner, Reference) else None
    match definition:
        case Record():
            yield from _of_record(definitions, definition)
        case TaggedUnion():
            for arm in definition.arms:
                for variant in _variants_of(definitions, Reference(arm.target)):
                    yield variant.with_tag(definition.tag, arm.tag)
            for variant in _variants_of(definitions, definition.default):
                yield variant.with_tag(definition.tag, _TagValues(absent=True))
            yield from _unlisted_variants(definitions, definition)


def _of_record(definitions: Mapping[str, Definition], record: Record) -> Iterator[_Variant]:
    variant = _Variant({member.wire: member for member in record.members}, {})
    if record.discriminator is None:
        yield variant
        return
    tags = frozenset(arm.tag for arm in record.subtypes)
    values = _tag_values(definitions, variant, record.discriminator)
    listed = values.listed | tags if values.inverted else values.listed - tags
    yield variant.with_tag(record.discriminator, replace(values, listed=listed))
    for arm in record.subtypes:
        for subtype in _variants_of(definitions, Reference(arm.target)):
            yield subtype.with_tag(record.discriminator, arm.tag)


def _unlisted_variants(
    definitions: Mapping[str, Definition], union: TaggedUnion
) -> Iterator[_Variant]:
    """Yield the variants that a union's schema allows for objects with an unknown tag, if any."""
    unknown = union.unknown
    if unknown is None or unknown.synthetic:
        return
    others = frozenset([*(arm.tag for arm in union.arms), *unknown.ruled_out])
    values = _TagValues(others, inverted=True)
    own = {member.wire: member for member in unknown.members}
    if unknown.choice is None:
        yield _Variant(own, {union.tag: values})
        return
    for arm in unknown.choice.arms:
        for variant in _variants_of(definitions, arm.shape):
            yield _Variant({**own, **variant.members}, {union.tag: values})


def _tag_values(definitions: Mapping[str, Definition], variant: _Variant, wire: str) -> _TagValues:
    """Return the values that a tag can have in a variant."""
    if wire in variant.tags:
        return variant.tags[wire]
    member = variant.members.get(wire)
    if member is None:
        return _TagValues(absent=True)
    shape = unwrap(member.shape, definitions)
    if isinstance(shape, Enumeration) and shape.other is None:
        return _TagValues(frozenset(map(str, shape.values)), absent=not member.required)
    return _TagValues(inverted=True, absent=not member.required)
