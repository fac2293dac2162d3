"""Whether all values of one shape are values of another: what an old or a new peer accepts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from acpgen.diff.compatibility.variants import (
    ObjectVariant,
    TagValues,
    forms,
    other_forms,
    values_of,
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
from acpgen.ir.queries import takes_null, unwrap


@dataclass(frozen=True, slots=True)
class Acceptance:
    """From the definitions of one schema to those of another.

    Attributes:
        source: the definitions that references of the first shape go to.
        target: the same for the second shape.
        names: which definition of the target stands for which of the source. Between those, what
            does not fit is a change of its own.
        assumed: other definitions that are taken to fit, while that is being found out.
    """

    source: Mapping[str, Definition]
    target: Mapping[str, Definition]
    names: Mapping[str, str]
    assumed: frozenset[tuple[str, str]] = frozenset()

    def takes_null(self, shape: Shape) -> bool:
        """Whether null is a value of a shape of the source."""
        return takes_null(shape, self.source)

    def fits(self, one: Shape, other: Shape) -> bool:
        """Whether every value of the first shape decodes as the second one, in default mode."""
        match one, other:
            case _, AnyJson():
                return True
            case Reference(name), Reference(other_name) if self._counts(name, other_name):
                return True
            case Reference(name), _ if isinstance(alias := self.source.get(name), Alias):
                return self.fits(alias.shape, other)
            case UntaggedUnion() as choice, UntaggedUnion(_, True) if self._may_be_several(
                choice, other
            ):
                return False  # which is refused
            case UntaggedUnion(arms), _:
                return all(self.fits(arm.shape, other) for arm in arms)
            case Nullable(inner), _:
                return self.fits(Null(), other) and self.fits(inner, other)
            case Null(), Nullable():
                return True
            case Reference(name), _:
                return self._objects_fit(name, other)
            case _, Nullable(inner):
                return self.fits(one, inner)
            case _, UntaggedUnion(arms):
                return any(self.fits(one, arm.shape) for arm in arms)
            case _, Reference(name):
                definition = self.target.get(name)
                return isinstance(definition, Alias) and self.fits(one, definition.shape)
            case Array(item, least), Array(other_item, other_least):
                return (other_least or 0) <= (least or 0) and self.fits(item, other_item)
            case Dictionary(value), Dictionary(other_value):
                return self.fits(value, other_value)
            case _:
                return _scalar_fits(one, other)

    def becomes(self, one: Definition, other: Definition) -> bool:
        """Whether every value of a definition decodes as another, which it may stand for."""
        if isinstance(one, Alias):
            return self.fits(one.shape, Reference(other.name))
        return self._objects_fit(one.name, Reference(other.name))

    def arm_fits(self, target: str, tag: str, value: str, other: Definition) -> bool:
        """Whether objects of a definition whose tag has a value decode as another definition."""
        for form in forms(self.source, Reference(target)):
            has_tag = tag in form.tags or tag in form.members
            if not has_tag or values_of(self.source, form, tag).may_be(value):
                narrowed = form.tagged(tag, TagValues(frozenset({value})))
                if not self._takes(narrowed, Reference(other.name)):
                    return False
        return True

    def others_fit(self, union: TaggedUnion, other: TaggedUnion) -> bool:
        """Whether objects with a tag that a union does not list decode as another union."""
        found = other_forms(self.source, union)
        return all(self._takes(form, Reference(other.name)) for form in found)

    def member_fits(self, one: Member, other: Member) -> bool:
        """Whether what a member holds decodes as another member, which may repair it."""
        shape, mends_null = one.shape, other.on_null is not None or other.on_error is not None
        if not mends_null and self.takes_null(shape) and not self.fits(Null(), other.shape):
            return False
        if mends_null and isinstance(shape, Nullable):
            shape = shape.shape
        return self.mends(shape, other) or self.fits(shape, other.shape)

    def mends(self, one: Shape, other: Member) -> bool:
        """Whether a member repairs what is bad about values of another shape, other than null.

        Entries can only be left out where there are such.
        """
        if other.on_error is not None:
            return True
        mine, wanted = unwrap(one, self.source), unwrap(other.shape, self.target)
        match mine, wanted:
            case (Array(), Array(_, least)) if other.skip_invalid:
                return not least
            case (Dictionary(), Dictionary()) if other.skip_invalid:
                return True
            case _:
                return False

    def _may_be_several(self, one: UntaggedUnion, other: UntaggedUnion) -> bool:
        """Whether a value of one of some alternatives may name several of others."""
        if not one.exclusive and _overlap(one.arms):
            return True
        told_apart = {arm.keys for arm in one.arms}
        for arm in one.arms:
            for form in forms(self.source, arm.shape):
                named = {each.keys for each in other.arms if {*each.keys} <= form.members.keys()}
                if len(named) > 1 and not named <= told_apart:
                    return True
        return False

    def _counts(self, name: str, other: str) -> bool:
        return self.names.get(name) == other or (name, other) in self.assumed

    # --- objects -----------------------------------------------------------------------------

    def _objects_fit(self, name: str, other: Shape) -> bool:
        """Whether the objects of a definition decode as a shape."""
        definition = self.source.get(name)
        inner = self
        if isinstance(other, Reference):
            # Inside of them the two count as the same, so that this comes to an end.
            inner = replace(self, assumed=self.assumed | {(name, other.name)})
        default = definition.default if isinstance(definition, TaggedUnion) else None
        is_plain = default is not None and not isinstance(default, Reference)
        if default is not None and is_plain and not inner.fits(default, other):
            return False
        return all(inner._takes(form, other) for form in forms(self.source, Reference(name)))

    def _takes(self, form: ObjectVariant, shape: Shape) -> bool:
        """Whether objects decode as a shape."""
        match shape:
            case AnyJson() | Dictionary(AnyJson()):
                return True
            case Nullable(inner):
                return self._takes(form, inner)
            case UntaggedUnion(arms):
                return any(self._takes(form, arm.shape) for arm in arms)
            case Reference(name):
                definition = self.target.get(name)
                match definition:
                    case Alias():
                        return self._takes(form, definition.shape)
                    case Record():
                        return self._record_takes(form, definition)
                    case TaggedUnion():
                        return self._union_takes(form, definition)
        return False

    def _record_takes(self, form: ObjectVariant, record: Record) -> bool:
        tag = record.discriminator
        if tag is None:
            return self._members_fit(form, record.members)
        values = values_of(self.source, form, tag)
        listed = frozenset(arm.tag for arm in record.subtypes)
        is_plain = values.absent or values.go_beyond(listed)
        if is_plain and not self._members_fit(form, record.members):
            return False
        return self._arms_take(form, tag, values, record.subtypes)

    def _union_takes(self, form: ObjectVariant, union: TaggedUnion) -> bool:
        values = values_of(self.source, form, union.tag)
        listed = frozenset(arm.tag for arm in union.arms)
        if values.absent and not (union.default and self._takes(form, union.default)):
            return False
        if values.go_beyond(listed) and not self._others_take(form, union):
            return False
        return self._arms_take(form, union.tag, values, union.arms)

    def _others_take(self, form: ObjectVariant, union: TaggedUnion) -> bool:
        """Whether objects with a tag that is not listed decode as a union."""
        unknown = union.unknown
        if unknown is None:
            return union.default is not None and self._takes(form, union.default)
        if not self._members_fit(form, unknown.members):
            return False
        return unknown.choice is None or self._takes(form, unknown.choice)

    def _arms_take(
        self, form: ObjectVariant, tag: str, values: TagValues, arms: Sequence[Arm]
    ) -> bool:
        return all(
            self._takes(form.tagged(tag, TagValues(frozenset({arm.tag}))), Reference(arm.target))
            for arm in arms
            if values.may_be(arm.tag)
        )

    def _members_fit(self, form: ObjectVariant, wanted: Sequence[Member]) -> bool:
        return all(self._has(form, each) for each in wanted)

    def _has(self, form: ObjectVariant, wanted: Member) -> bool:
        """Whether objects hold what is wanted of a member, or leave out what they may."""
        values = form.tags.get(wanted.wire)
        if values is not None:
            shape = unwrap(wanted.shape, self.target)
            listed = not values.others and all(takes_value(shape, each) for each in values.listed)
            fits = wanted.on_error is not None or listed or _scalar_fits(String(), shape)
            return fits and not (values.absent and wanted.required)
        member = form.members.get(wanted.wire)
        if member is None:
            return not wanted.required
        return (member.required or not wanted.required) and self.member_fits(member, wanted)


def _overlap(arms: Sequence[UntaggedArm]) -> bool:
    """Whether a value may be one of several alternatives, as far as its JSON type says."""
    types = [each for arm in arms for each in arm.types]
    return len(types) > len(set(types))


def _scalar_fits(one: Shape, other: Shape) -> bool:
    match one, other:
        case (Null(), Null()) | (Boolean(), Boolean()):
            return True
        case Enumeration(values, _, opened), _:
            rest = opened is None or _scalar_fits(opened, other)
            return rest and all(takes_value(other, value) for value in values)
        case String() | Integer(), Enumeration(_, base, opened, keep):
            if keep and isinstance(base, String) and isinstance(one, String):
                return True
            return opened is not None and _scalar_fits(one, opened)
        case String(least, pattern), String(other_least, other_pattern):
            return (other_least or 0) <= (least or 0) and other_pattern in (None, pattern)
        case Integer() | Number(), Integer() | Number():
            is_kind = isinstance(one, Integer) or isinstance(other, Number)
            return is_kind and _within(one, other)
        case _:
            return False


def takes_value(shape: Shape, value: str | int) -> bool:
    """Whether a constant is a value of a scalar shape, in default mode."""
    match shape:
        case Enumeration(values, base, opened, keep):
            is_kept = keep and isinstance(base, String) and isinstance(value, str)
            is_other = opened is not None and takes_value(opened, value)
            return value in values or is_kept or is_other
        case String():
            return isinstance(value, str) and _matches(shape, value)
        case Integer() | Number():
            return isinstance(value, int) and _within(Integer(value, value), shape)
        case _:
            return isinstance(shape, AnyJson)


def _matches(shape: String, value: str) -> bool:
    is_long = len(value) >= (shape.min_length or 0)
    return is_long and (shape.pattern is None or re.search(shape.pattern, value) is not None)


def _within(one: Integer | Number, other: Integer | Number) -> bool:
    low = other.minimum is None or (one.minimum is not None and one.minimum >= other.minimum)
    high = other.maximum is None or (one.maximum is not None and one.maximum <= other.maximum)
    return low and high
