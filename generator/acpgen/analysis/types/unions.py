"""Build unions: find what tells their arms apart, and give every arm a definition."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from acpgen.analysis.context import BuildContext, DefinitionSite, FlatObject, Property
from acpgen.analysis.types.objects import ObjectFlattener
from acpgen.analysis.types.records import RecordBuilder
from acpgen.analysis.types.shapes import ShapeBuilder
from acpgen.inputs import json_schema
from acpgen.inputs.document import JsonObject
from acpgen.inputs.json_schema import Arms
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


class UnionBuilder:
    """Builds the unions of one schema."""

    def __init__(
        self,
        context: BuildContext,
        flattener: ObjectFlattener,
        shapes: ShapeBuilder,
        records: RecordBuilder,
    ) -> None:
        self._context = context
        self._flattener = flattener
        self._shapes = shapes
        self._records = records

    def union(self, site: DefinitionSite, flat: FlatObject) -> Definition | None:
        """The union whose arms are flattened into an object, or are all there is to it.

        Returns:
            An alias for an untagged union, a tagged union, or a record if its own member is the
            tag; None, with a problem, if nothing tells the arms apart.
        """
        tags: list[str | None] = []
        for choice in flat.choices:
            try:
                tags.append(json_schema.infer_tag(choice.schema, choice.arms))
            except json_schema.TagError as error:
                self._context.problem(choice.at, "ambiguous-union", str(error))
                return None
        # Each arm of the first union holds the others: best that of a tag, the easiest to tell.
        first = next((index for index, tag in enumerate(tags) if tag is not None), 0)
        choices = (flat.choices[first], *flat.choices[:first], *flat.choices[first + 1 :])
        flat, tag = replace(flat, choices=choices), tags[first]
        if tag is None:
            return self._untagged(site, flat)
        if any(member.wire == tag for member in flat.properties):
            return self._record_with_subtypes(site, flat, tag)
        return self._tagged(site, flat, tag)

    # --- untagged ----------------------------------------------------------------------------

    def _untagged(self, site: DefinitionSite, flat: FlatObject) -> Alias:
        choice = flat.choices[0]
        arms = [(at, self._arm_target(site, flat, arm, at, None), arm) for at, arm in choice.arms]
        shape: Shape = arms[0][1]  # a lone arm is simply that, so that errors name its members
        if len(arms) > 1:
            shape = self._shapes.untagged_union(arms, choice.exclusive)
        return Alias(site.name, site.at, site.definition, site.description, shape)

    # --- tagged ------------------------------------------------------------------------------

    def _tagged(self, site: DefinitionSite, flat: FlatObject, tag: str) -> TaggedUnion:
        choice = flat.choices[0]
        tagged = [arm for _, arm in choice.arms if _tag_of(arm, tag)]
        selected = Counter(json_schema.ref_target(_without_tag(arm, tag)) for arm in tagged)
        arms: list[Arm] = []
        rest: list[tuple[str, Shape, JsonObject]] = []
        others: Arms = []
        for at, arm in choice.arms:
            value = _tag_of(arm, tag)
            if value is not None:
                is_shared = selected[json_schema.ref_target(_without_tag(arm, tag))] > 1
                target = self._arm_target(site, flat, arm, at, tag, is_shared=is_shared)
                arms.append(Arm(value, target.name))
            elif _is_other(arm, tag):
                others.append((at, arm))
            else:
                rest.append((at, self._arm_target(site, flat, arm, at, None), arm))
        known = {arm.tag for arm in arms}
        for at, arm in others:
            if len(others) > 1 or not known <= set(json_schema.excluded_tags(arm, tag) or ()):
                message = "must rule out the other arms' tags; add them to its `not`"
                self._context.problem(f"{at}/not", "ambiguous-union", message)
        default: Shape | None = None
        if len(rest) == 1:
            default = rest[0][1]
        elif rest:
            default = self._shapes.untagged_union(rest, choice.exclusive)
        return TaggedUnion(
            name=site.name,
            pointer=site.at,
            definition=site.definition,
            description=site.description,
            tag=tag,
            arms=tuple(arms),
            default=default,
            exclusive=choice.exclusive and default is not None,
            unknown=self._unknown(site, flat, tag, others, known, is_closed=default is not None),
            owner=site.owner,
        )

    def _unknown(
        self,
        site: DefinitionSite,
        flat: FlatObject,
        tag: str,
        others: Arms,
        known: set[str],
        *,
        is_closed: bool,
    ) -> Unknown | None:
        """The class for unlisted tags, where the schema or the default mode lets them through."""
        ruled_out: tuple[str, ...] = ()
        choice: UntaggedUnion | None = None
        properties = flat.properties
        at, key = site.at, f"{site.name}/other"
        if others:
            at, arm = others[0]
            ruled_out = tuple(sorted((json_schema.excluded_tags(arm, tag) or set()) - known))
            inner = self._flattener.flatten(_without_tag(arm, tag), at)
            properties = self._flattener.merge([*properties, *inner.properties])
            for found in (*inner.choices, *flat.choices[1:]):
                if choice is not None:
                    message = "a second union in an arm for other tags has no rule; remove it"
                    self._context.unsupported(found.at, message)
                shapes = [
                    (here, self._shapes.shape(each, here, site.name), each)
                    for here, each in found.arms
                ]
                choice = self._shapes.untagged_union(shapes, found.exclusive)
            for _, where in (*inner.absent, *flat.absent):
                message = "a member that must be absent has no rule in an arm for other tags"
                self._context.unsupported(where, f"{message}; remove it")
        elif is_closed or self._context.is_closed(site.name):
            return None
        name = self._context.class_name(key, naming.unknown_class(site.name))
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
        arm: JsonObject,
        at: str,
        tag: str | None,
        *,
        is_shared: bool = False,
    ) -> Reference:
        """The definition that an arm selects: the one it refers to, or one made for it.

        Args:
            site: the union.
            flat: the object that the union is flattened into.
            arm: the schema of the arm.
            at: the pointer to it.
            tag: the member that tells arms apart; None for an arm without a tag.
            is_shared: whether several tags select the definition that the arm refers to.
        """
        bare = _without_tag(arm, tag) if tag else arm
        referred = json_schema.ref_target(bare)
        label = _tag_of(arm, tag) if tag else None
        inner = self._flattener.flatten(bare, at)
        if tag and any(member.wire == tag for member in inner.properties):
            message = f"the tag {tag!r} is also a member of the arm; state it once"
            self._context.unsupported(at, message)
        # An arm that only refers to a definition, in a union with no members of its own.
        is_plain = referred is not None and not (flat.properties or flat.choices[1:] or flat.absent)
        if is_plain and not (is_shared and label is not None):
            return Reference(referred or "")
        name = self._arm_name(site, arm, at, label, is_plain=is_plain)
        whole = FlatObject(
            self._flattener.merge([*flat.properties, *inner.properties]),
            (*inner.choices, *flat.choices[1:]),
            (*flat.absent, *inner.absent),
        )
        owner = site.owner or site.definition or site.name
        made = DefinitionSite(name, at, owner=owner, description=arm.get("description"))
        if is_shared and is_plain:
            if whole.choices:
                message = "several tags select one union; give each its own"
                self._context.unsupported(at, message)
            self._context.add(self._records.record(made, whole, base=referred))
        else:
            self._context.enqueue(made, whole)
        return Reference(name)

    def _arm_name(
        self, site: DefinitionSite, arm: JsonObject, at: str, label: str | None, *, is_plain: bool
    ) -> str:
        """The class of an arm without a definition of its own; `label` is its tag."""
        if is_plain and label is not None:
            return self._context.class_name(f"{site.name}/{label}", naming.tag_class(label))
        label = label or arm.get("title") or ""
        rule = naming.arm_class(label or "".join(arm.get("required", ())[:1]), site.name)
        return self._context.class_name(f"{site.name}/{label or at.rpartition('/')[2]}", rule)

    # --- records whose own member is the tag -------------------------------------------------

    def _record_with_subtypes(self, site: DefinitionSite, flat: FlatObject, tag: str) -> Record:
        """A record whose own member is the tag: an arm is a subtype only if it adds members."""
        plain: list[str] = []
        special: list[tuple[str, str, tuple[Property, ...]]] = []
        is_open = is_optional = False
        excluded: set[str] = set()
        for found in flat.choices[1:]:
            message = "a second union in an object whose member is the tag has no rule; remove it"
            self._context.unsupported(found.at, message)
        for at, arm in flat.choices[0].arms:
            inner = self._flattener.flatten(_without_tag(arm, tag), at)
            value = _tag_of(arm, tag)
            if value is not None and not inner.choices and not inner.absent:
                if inner.properties:
                    special.append((at, value, inner.properties))
                else:
                    plain.append(value)
            elif value is None and not inner.properties and _is_other(arm, tag):
                is_open = True
                excluded |= json_schema.excluded_tags(arm, tag) or set()
            elif value is None and not inner.properties and _may_be_null(arm, tag):
                is_optional = True
            else:
                message = f"an arm that {tag!r} does not select; give it a tag"
                self._context.unsupported(at, message)
        values = (*plain, *(value for _, value, _ in special))
        if is_open and excluded != set(values):
            message = "the arm for other tags must rule out those of all arms, and no others"
            self._context.unsupported(flat.choices[0].at, f"{message}; fix its `not`")
        lenient = not is_open and not self._context.is_closed(site.name)
        other = String() if is_open else None
        tags = Enumeration(values, String(), other, lenient, (None,) * len(values))
        members = tuple(
            (
                replace(
                    member,
                    shape=self._narrowed(member, tags, takes_null=is_optional),
                    required=member.required or not is_optional,
                )
                if member.wire == tag
                else member
            )
            for member in self._records.members(site.name, flat.properties)
        )
        record = Record(
            name=site.name,
            pointer=site.at,
            definition=site.definition,
            description=site.description,
            members=members,
            owner=site.owner,
            absent=tuple(wire for wire, _ in flat.absent),
            discriminator=tag,
        )
        arms = [
            Arm(value, self._subtype(record, at, value, flat.properties, properties))
            for at, value, properties in special
        ]
        return replace(record, subtypes=tuple(arms))

    def _narrowed(self, member: Member, tags: Enumeration, *, takes_null: bool) -> Shape:
        """The shape of the member that is the tag: what it says itself, and what all arms say."""
        match member.shape:
            case AnyJson() | Nullable(String(None, None)):
                return Nullable(tags) if takes_null else tags
            case String(None, None):
                return tags
            case _:
                message = "the member that is the tag must be a string; say the rest in the arms"
                self._context.unsupported(member.pointer, message)
                return tags

    def _subtype(
        self,
        record: Record,
        at: str,
        value: str,
        shared: tuple[Property, ...],
        own: tuple[Property, ...],
    ) -> str:
        """Add the record of an arm that adds members, or states some again; returns its name."""
        rule = naming.arm_class(value, record.name)
        name = self._context.class_name(f"{record.name}/{value}", rule)
        stated = {each.wire: each for each in self._flattener.merge([*shared, *own])}
        inherited = (
            (
                replace(member, const=value, required=False)
                if member.wire == record.discriminator
                else replace(member, required=stated[member.wire].required)
            )
            for member in record.members
        )
        wires = {member.wire for member in record.members}
        added = tuple(each for each in stated.values() if each.wire not in wires)
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


def _tag_of(arm: JsonObject, tag: str) -> str | None:
    return json_schema.tag_candidates(arm).get(tag)


def _is_other(arm: JsonObject, tag: str) -> bool:
    """Whether an arm is for all tags that the others do not have."""
    return json_schema.excluded_tags(arm, tag) is not None


def _without_tag(arm: JsonObject, tag: str) -> JsonObject:
    """An arm without its tag, and without the rule that excludes other arms' tags."""
    is_other = _is_other(arm, tag)
    bare = {
        key: value
        for key, value in arm.items()
        if key != "title" and not (key == "not" and is_other)
    }
    if tag in bare.get("properties", {}):
        bare["properties"] = {
            name: member for name, member in bare["properties"].items() if name != tag
        }
        bare["required"] = [name for name in bare.get("required", ()) if name != tag]
        if not bare["properties"] and not bare["required"]:
            del bare["properties"], bare["required"]
    bare.pop("additionalProperties", None)
    bare.pop("unevaluatedProperties", None)
    return bare


def _may_be_null(arm: JsonObject, tag: str) -> bool:
    """Whether an arm allows the tag to be null or absent, and nothing else."""
    stated = arm.get("properties", {}).get(tag, {})
    return json_schema.is_null(stated) and tag not in arm.get("required", ())
