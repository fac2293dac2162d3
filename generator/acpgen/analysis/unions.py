"""Builds unions: finds the tag of each union and creates definitions for variants."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from acpgen.analysis.build_context import BuildContext, DefinitionSite, FlatObject, Property
from acpgen.analysis.records import RecordBuilder
from acpgen.analysis.shapes import ShapeBuilder, untagged_union
from acpgen.ir import naming
from acpgen.ir.model import (
    Alias,
    AnyJson,
    Arm,
    Definition,
    Enumeration,
    Member,
    Nullable,
    Record,
    Reference,
    Shape,
    String,
    TaggedUnion,
    Unknown,
    UntaggedUnion,
)
from acpgen.schema.nodes import Node


class UnionBuilder:
    """A builder for the unions of one schema."""

    def __init__(self, context: BuildContext) -> None:
        self._context = context
        self._shapes = ShapeBuilder(context)
        self._records = RecordBuilder(context)

    def union(self, site: DefinitionSite, flat: FlatObject) -> Definition:
        """Return the definition of an object that contains unions.

        The result is a record if the tag is one of the object's own fields, a tagged union if only
        the variants define the tag, and an alias if there is no tag.
        """
        tags = [union.tag for union in flat.unions]
        # The other unions are merged into each variant of the first union, so a tagged union, if
        # there is one, must be first.
        first = next((index for index, tag in enumerate(tags) if tag is not None), 0)
        unions = (flat.unions[first], *flat.unions[:first], *flat.unions[first + 1 :])
        flat, tag = replace(flat, unions=unions), tags[first]
        if tag is None:
            return self._untagged(site, flat)
        if any(member.wire == tag for member in flat.properties):
            return self._record_with_subtypes(site, flat, tag)
        return self._tagged(site, flat, tag)

    def _untagged(self, site: DefinitionSite, flat: FlatObject) -> Alias:
        union = flat.unions[0]
        arms = [(arm, self._arm_target(site, flat, arm, None)) for arm in union.arms]
        shape: Shape = arms[0][1]  # unwrap a single variant so that errors name its fields
        if len(arms) > 1:
            shape = untagged_union(arms, union.exclusive)
        return Alias(site.name, site.at, site.definition, site.description, shape)

    # --- tagged ------------------------------------------------------------------------------

    def _tagged(self, site: DefinitionSite, flat: FlatObject, tag: str) -> TaggedUnion:
        union = flat.unions[0]
        selected = Counter(arm.without_tag(tag).target for arm in union.arms if tag in arm.tags)
        arms: list[Arm] = []
        untagged: list[tuple[Node, Shape]] = []
        others: list[Node] = []
        for arm in union.arms:
            if tag in arm.tags:
                is_shared = selected[arm.without_tag(tag).target] > 1
                target = self._arm_target(site, flat, arm, tag, is_shared=is_shared)
                arms.append(Arm(arm.tags[tag], target.name))
            elif arm.is_for_other_tags(tag):
                others.append(arm)
            else:
                untagged.append((arm, self._arm_target(site, flat, arm, None)))
        known = {arm.tag for arm in arms}
        default: Shape | None = None
        if len(untagged) == 1:
            default = untagged[0][1]
        elif untagged:
            default = untagged_union(untagged, union.exclusive)
        return TaggedUnion(
            name=site.name,
            pointer=site.at,
            definition=site.definition,
            description=site.description,
            tag=tag,
            arms=tuple(arms),
            default=default,
            exclusive=union.exclusive and default is not None,
            unknown=self._unknown(site, flat, tag, others, known, is_closed=default is not None),
            owner=site.owner,
        )

    def _unknown(
        self,
        site: DefinitionSite,
        flat: FlatObject,
        tag: str,
        others: list[Node],
        known: set[str],
        *,
        is_closed: bool,
    ) -> Unknown | None:
        """Return the class for unknown tags, or None if no mode accepts them."""
        ruled_out: tuple[str, ...] = ()
        choice: UntaggedUnion | None = None
        properties = flat.properties
        at = site.at
        if others:
            other = others[0]
            at = other.at
            ruled_out = tuple(sorted((other.excluded_tags(tag) or set()) - known))
            inner = self._shapes.flatten(other.without_tag(tag))
            properties = self._shapes.merge([*properties, *inner.properties])
            for stated in (*inner.unions, *flat.unions[1:]):
                if choice is not None:
                    message = "a variant for other tags cannot contain a second union; remove it"
                    self._context.unsupported(stated.at, message)
                arms = [(arm, self._shapes.shape(arm, site.name)) for arm in stated.arms]
                choice = untagged_union(arms, stated.exclusive)
            for _, where in (*inner.absent, *flat.absent):
                message = "a forbidden field is not supported in a variant for other tags"
                self._context.unsupported(where, f"{message}; remove it")
        elif is_closed or self._context.is_closed(site.name):
            return None
        name = self._context.class_name(f"{site.name}/other", naming.unknown_class(site.name))
        members = self._records.members(name, properties)
        self._context.claim(name, at)
        alias = self._context.class_name(f"{site.name}/known", naming.known_alias(site.name))
        self._context.claim(alias, site.at)
        is_refused = bool(ruled_out) and self._context.is_closed(site.name)
        return Unknown(name, alias, at, members, choice, not others, ruled_out, is_refused)

    def _arm_target(
        self,
        site: DefinitionSite,
        flat: FlatObject,
        arm: Node,
        tag: str | None,
        *,
        is_shared: bool = False,
    ) -> Reference:
        """Return a reference to a variant's definition, creating the definition if necessary.

        Args:
            site: the origin of the union.
            flat: the object that contains the union.
            arm: the schema of the variant.
            tag: the name of the tag field, or None for a variant without a tag.
            is_shared: whether several tags select the same definition.
        """
        bare = arm.without_tag(tag) if tag else arm
        label = arm.tags.get(tag) if tag else None
        inner = self._shapes.flatten(bare)
        if tag and any(member.wire == tag for member in inner.properties):
            message = f"the tag {tag!r} is also a field of the variant; define it once"
            self._context.unsupported(arm.at, message)
        # If the variant adds no fields or unions, it can be the referenced definition itself.
        is_alone = not (flat.properties or flat.unions[1:] or flat.absent)
        target = bare.target if is_alone else None
        referred = None if target is None else self._context.class_of(target)
        if referred is not None and not is_shared:
            return Reference(referred)
        name = self._arm_name(site, arm, label, is_plain=referred is not None)
        whole = FlatObject(
            self._shapes.merge([*flat.properties, *inner.properties]),
            (*inner.unions, *flat.unions[1:]),
            (*flat.absent, *inner.absent),
        )
        owner = site.owner or site.name
        place = DefinitionSite(name, arm.at, owner=owner, description=arm.description)
        if is_shared and referred is not None:
            if whole.unions:
                message = "several tags select the same union; define a union for each tag"
                self._context.unsupported(arm.at, message)
            self._context.add(self._records.record(place, whole, base=referred))
        else:
            self._context.enqueue(place, whole)
        return Reference(name)

    def _arm_name(
        self, site: DefinitionSite, arm: Node, label: str | None, *, is_plain: bool
    ) -> str:
        """Return the class name of a variant without a definition. `label` is its tag."""
        if is_plain and label is not None:
            return self._context.class_name(f"{site.name}/{label}", naming.pascal(label))
        label = label or arm.stated.get("title") or ""
        rule = naming.arm_class(label or "".join(arm.required[:1]), site.name)
        return self._context.class_name(f"{site.name}/{label or arm.at.rpartition('/')[2]}", rule)

    # --- records with a tag field -------------------------------------------------------------

    def _record_with_subtypes(self, site: DefinitionSite, flat: FlatObject, tag: str) -> Record:
        """Return a record with a tag field. Its subtypes are the variants that add fields."""
        plain: list[str] = []
        special: list[tuple[str, str, tuple[Property, ...]]] = []
        is_open = is_optional = False
        excluded: set[str] = set()
        for second in flat.unions[1:]:
            message = "a second union is not supported in an object with a tag field; remove it"
            self._context.unsupported(second.at, message)
        for arm in flat.unions[0].arms:
            inner = self._shapes.flatten(arm.without_tag(tag))
            value = arm.tags.get(tag)
            if value is not None and not inner.unions and not inner.absent:
                if inner.properties:
                    special.append((arm.at, value, inner.properties))
                else:
                    plain.append(value)
            elif value is None and not inner.properties and arm.is_for_other_tags(tag):
                is_open = True
                excluded |= arm.excluded_tags(tag) or set()
            elif value is None and not inner.properties and arm.allows_no_tag(tag):
                is_optional = True
            else:
                message = f"the variant has no value for the tag {tag!r}; add one"
                self._context.unsupported(arm.at, message)
        values = (*plain, *(value for _, value, _ in special))
        if is_open and excluded != set(values):
            message = "the variant for other tags must exclude exactly the known tags"
            self._context.unsupported(flat.unions[0].at, f"{message}; fix its `not`")
        lenient = not is_open and not self._context.is_closed(site.name)
        other = String() if is_open else None
        listed = Enumeration(values, String(), other, lenient, (None,) * len(values))
        stated = next(member.schema for member in flat.properties if member.wire == tag)
        alias = self._context.class_name(f"{site.name}/{tag}", naming.pascal(tag))
        self._context.add(Alias(alias, stated.at, None, stated.description, listed))
        record = self._records.record(site, flat)
        members = list(record.members)
        [index] = [index for index, member in enumerate(members) if member.wire == tag]
        members[index] = replace(
            members[index],
            shape=self._narrowed(members[index], Reference(alias), takes_null=is_optional),
            required=members[index].required or not is_optional,
        )
        record = replace(record, members=tuple(members), discriminator=tag)
        arms = [
            Arm(value, self._subtype(record, at, value, [*flat.properties, *own]))
            for at, value, own in special
        ]
        return replace(record, subtypes=tuple(arms))

    def _narrowed(self, member: Member, tags: Reference, *, takes_null: bool) -> Shape:
        """Return the shape of the tag field, restricted to the tags of the variants."""
        match member.shape:
            case AnyJson() | Nullable(String(None, None)):
                return Nullable(tags) if takes_null else tags
            case String(None, None):
                return tags
            case _:
                message = "the tag field must be a plain string; move constraints into the variants"
                self._context.unsupported(member.pointer, message)
                return tags

    def _subtype(self, record: Record, at: str, value: str, properties: list[Property]) -> str:
        """Add the record for a variant that adds or redefines fields, and return its class."""
        rule = naming.arm_class(value, record.name)
        name = self._context.class_name(f"{record.name}/{value}", rule)
        stated = {member.wire: member for member in self._shapes.merge(properties)}
        inherited = (
            (
                replace(member, const=value, required=False)
                if member.wire == record.discriminator
                else replace(member, required=stated[member.wire].required)
            )
            for member in record.members
        )
        wires = {member.wire for member in record.members}
        added = tuple(member for member in stated.values() if member.wire not in wires)
        subtype = Record(
            name=name,
            pointer=at,
            definition=None,
            description=None,
            members=(*inherited, *self._records.members(name, added)),
            base=record.name,
            owner=record.name,
            absent=record.absent,
        )
        self._context.add(subtype)
        return name
