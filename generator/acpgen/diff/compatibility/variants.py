"""The variants of objects that a definition allows, told apart by the values of tags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from acpgen.ir.model import (
    Definition,
    Enumeration,
    Member,
    Record,
    Reference,
    Shape,
    TaggedUnion,
    Unknown,
)
from acpgen.ir.queries import resolve_alias, unwrap


@dataclass(frozen=True, slots=True)
class TagValues:
    """The values that a tag may have.

    Attributes:
        listed: strings.
        inverted: whether the tag may be any string except the listed ones, not one of them.
        absent: whether the tag may be left out.
    """

    listed: frozenset[str] = frozenset()
    inverted: bool = False
    absent: bool = False

    @classmethod
    def only(cls, value: str) -> TagValues:
        """One value and no other."""
        return cls(frozenset({value}))

    def allows(self, value: str) -> bool:
        """Whether the tag may be a string."""
        return (value in self.listed) != self.inverted

    def exceeds(self, values: frozenset[str]) -> bool:
        """Whether the tag may be any string besides these."""
        return self.inverted or not self.listed <= values


@dataclass(frozen=True, slots=True)
class ObjectVariant:
    """One variant of an object.

    Attributes:
        members: its members, by name in JSON.
        tags: the values that distinguish it from other variants, by the name of the tag.
    """

    members: Mapping[str, Member]
    tags: Mapping[str, TagValues]

    def with_tag(self, tag: str, values: TagValues) -> ObjectVariant:
        """The same variant, with the values of a tag narrowed to these."""
        return replace(self, tags={**self.tags, tag: values})


def variants_of(
    definitions: Mapping[str, Definition], shape: Shape | None
) -> Iterator[ObjectVariant]:
    """The variants of the objects that a reference leads to; none for any other shape."""
    inner = resolve_alias(shape, definitions) if shape is not None else None
    definition = definitions.get(inner.name) if isinstance(inner, Reference) else None
    match definition:
        case Record():
            yield from _of_record(definitions, definition)
        case TaggedUnion():
            for arm in definition.arms:
                for variant in variants_of(definitions, Reference(arm.target)):
                    yield variant.with_tag(definition.tag, TagValues.only(arm.tag))
            for variant in variants_of(definitions, definition.default):
                yield variant.with_tag(definition.tag, TagValues(absent=True))
            yield from unlisted_variants(definitions, definition)


def _of_record(definitions: Mapping[str, Definition], record: Record) -> Iterator[ObjectVariant]:
    variant = ObjectVariant(_by_name(record.members), {})
    if record.discriminator is None:
        yield variant
        return
    tags = frozenset(arm.tag for arm in record.subtypes)
    values = tag_values(definitions, variant, record.discriminator)
    listed = values.listed | tags if values.inverted else values.listed - tags
    yield variant.with_tag(record.discriminator, replace(values, listed=listed))
    for arm in record.subtypes:
        for subtype in variants_of(definitions, Reference(arm.target)):
            yield subtype.with_tag(record.discriminator, TagValues.only(arm.tag))


def unlisted_variants(
    definitions: Mapping[str, Definition], union: TaggedUnion
) -> Iterator[ObjectVariant]:
    """The variants of a union with an unlisted tag, if the schema has an arm for them."""
    unknown = union.unknown
    if unknown is None or unknown.synthetic:
        return
    others = frozenset([*(arm.tag for arm in union.arms), *unknown.ruled_out])
    values = TagValues(others, inverted=True)
    for members in _alternative_members(definitions, unknown):
        yield ObjectVariant(members, {union.tag: values})


def _alternative_members(
    definitions: Mapping[str, Definition], unknown: Unknown
) -> Iterator[dict[str, Member]]:
    own = _by_name(unknown.members)
    if unknown.choice is None:
        yield own
        return
    for arm in unknown.choice.arms:
        for variant in variants_of(definitions, arm.shape):
            yield {**own, **variant.members}


def tag_values(
    definitions: Mapping[str, Definition], variant: ObjectVariant, wire: str
) -> TagValues:
    """The values of a member of a variant, as far as they can distinguish variants."""
    if wire in variant.tags:
        return variant.tags[wire]
    member = variant.members.get(wire)
    if member is None:
        return TagValues(absent=True)
    shape = unwrap(member.shape, definitions)
    if isinstance(shape, Enumeration) and shape.other is None:
        return TagValues(frozenset(map(str, shape.values)), absent=not member.required)
    return TagValues(inverted=True, absent=not member.required)


def _by_name(members: Sequence[Member]) -> dict[str, Member]:
    return {member.wire: member for member in members}
