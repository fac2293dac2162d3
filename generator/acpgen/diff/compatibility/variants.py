"""The objects that a definition stands for, one kind after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from acpgen.ir.model import (
    Alias,
    Definition,
    Enumeration,
    Member,
    Record,
    Reference,
    Shape,
    TaggedUnion,
    Unknown,
)
from acpgen.ir.queries import unwrap


@dataclass(frozen=True, slots=True)
class TagValues:
    """What a member that tells kinds of objects apart may hold.

    Attributes:
        listed: some strings.
        others: whether it may hold all strings but those.
        absent: whether it may be left out.
    """

    listed: frozenset[str] = frozenset()
    others: bool = False
    absent: bool = False

    def may_be(self, value: str) -> bool:
        """Whether it may hold a string."""
        return (value in self.listed) != self.others

    def go_beyond(self, values: frozenset[str]) -> bool:
        """Whether it may hold any string but these."""
        return self.others or not self.listed <= values


@dataclass(frozen=True, slots=True)
class ObjectVariant:
    """Objects of one kind.

    Attributes:
        members: what they hold, by name in JSON.
        tags: what the members hold that tell them from other kinds.
    """

    members: Mapping[str, Member]
    tags: Mapping[str, TagValues]

    def tagged(self, tag: str, values: TagValues) -> ObjectVariant:
        """Those of them in which a member holds one of some values."""
        return replace(self, tags={**self.tags, tag: values})


def forms(definitions: Mapping[str, Definition], shape: Shape | None) -> Iterator[ObjectVariant]:
    """The objects that a reference leads to; none where it leads to anything else."""
    definition = definitions.get(shape.name) if isinstance(shape, Reference) else None
    match definition:
        case Alias():
            yield from forms(definitions, definition.shape)
        case Record():
            yield from _records(definitions, definition)
        case TaggedUnion():
            for arm in definition.arms:
                for form in forms(definitions, Reference(arm.target)):
                    yield form.tagged(definition.tag, TagValues(frozenset({arm.tag})))
            for form in forms(definitions, definition.default):
                yield form.tagged(definition.tag, TagValues(absent=True))
            yield from other_forms(definitions, definition)


def _records(definitions: Mapping[str, Definition], record: Record) -> Iterator[ObjectVariant]:
    form = ObjectVariant(_by_name(record.members), {})
    if record.discriminator is None:
        yield form
        return
    special = frozenset(arm.tag for arm in record.subtypes)
    values = values_of(definitions, form, record.discriminator)
    if values.others:
        values = replace(values, listed=values.listed | special)
    else:
        values = replace(values, listed=values.listed - special)
    yield form.tagged(record.discriminator, values)
    for arm in record.subtypes:
        for each in forms(definitions, Reference(arm.target)):
            yield each.tagged(record.discriminator, TagValues(frozenset({arm.tag})))


def other_forms(
    definitions: Mapping[str, Definition], union: TaggedUnion
) -> Iterator[ObjectVariant]:
    """The objects of a union with a tag that is not listed, if the schema has such ones."""
    unknown = union.unknown
    if unknown is None or unknown.synthetic:
        return
    values = TagValues(frozenset(arm.tag for arm in union.arms), others=True)
    for members in _alternatives(definitions, unknown):
        yield ObjectVariant(members, {union.tag: values})


def _alternatives(
    definitions: Mapping[str, Definition], unknown: Unknown
) -> Iterator[dict[str, Member]]:
    own = _by_name(unknown.members)
    if unknown.choice is None:
        yield own
        return
    for arm in unknown.choice.arms:
        for form in forms(definitions, arm.shape):
            yield {**own, **form.members}


def values_of(definitions: Mapping[str, Definition], form: ObjectVariant, wire: str) -> TagValues:
    """What objects hold as a member that tells kinds of objects apart."""
    if wire in form.tags:
        return form.tags[wire]
    member = form.members.get(wire)
    if member is None:
        return TagValues(absent=True)
    shape = unwrap(member.shape, definitions)
    if isinstance(shape, Enumeration) and shape.other is None:
        return TagValues(frozenset(map(str, shape.values)), absent=not member.required)
    return TagValues(others=True, absent=not member.required)


def _by_name(members: Sequence[Member]) -> dict[str, Member]:
    return {member.wire: member for member in members}
