"""Make unions: find what tells their arms apart, and give every arm a definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from acpgen.build.context import BuildContext
from acpgen.build.types.objects import FlatObject, Objects, Property
from acpgen.inputs import json_schema
from acpgen.inputs.document import JsonObject
from acpgen.inputs.json_schema import Arms
from acpgen.ir import naming
from acpgen.ir.model import (
    Alias,
    AnyJson,
    Arm,
    Enumeration,
    Member,
    Nullable,
    Record,
    Reference,
    Shape,
    String,
    TaggedUnion,
    Unknown,
    UntaggedArm,
    UntaggedUnion,
)


@dataclass(frozen=True, slots=True)
class DefinitionSite:
    """Where a definition is being made.

    Attributes:
        name: its class or alias.
        at: where the schema says so.
        definition: the `$defs` name it stands for, if any.
        owner: the union it is encoded as when it has no definition of its own.
        description: what the schema says about it.
    """

    name: str
    at: str
    definition: str | None
    owner: str | None
    description: str | None


class Maker(Protocol):
    """What an arm is made with; `build` provides it."""

    def shape(self, schema: JsonObject, at: str, hint: str) -> Shape:
        """The shape of a schema."""
        ...

    def members(self, owner: str, properties: tuple[Property, ...]) -> tuple[Member, ...]:
        """The members of a record."""
        ...

    def record(
        self, place: DefinitionSite, properties: tuple[Property, ...], base: str | None = None
    ) -> Record:
        """A record, not yet entered in the ledger."""
        ...

    def define_object(self, place: DefinitionSite, form: FlatObject) -> None:
        """Enter the record or union that an object schema stands for."""
        ...


class Unions:
    """Makes the unions of one schema."""

    def __init__(self, ledger: BuildContext, objects: Objects, maker: Maker) -> None:
        self._ledger = ledger
        self._objects = objects
        self._maker = maker

    def define(self, place: DefinitionSite, form: FlatObject) -> None:
        """Enter the union whose arms are flattened into an object, or are all there is to it."""
        try:
            tag = json_schema.infer_tag(form.union, form.arms)
        except json_schema.TagError as error:
            self._ledger.problem(place.at, "ambiguous-union", error.message)
            return
        if tag is None:
            self._untagged(place, form)
        elif any(member.wire == tag for member in form.properties):
            self._specialised(place, form, tag)
        else:
            self._tagged(place, form, tag)

    def _untagged(self, place: DefinitionSite, form: FlatObject) -> None:
        arms = [(at, self._arm_target(place, form, arm, at, None), arm) for at, arm in form.arms]
        shape: Shape = arms[0][1]  # a lone arm is simply that; errors then name its members
        if len(arms) > 1:
            shape = self.choice(place.name, place.at, arms, form.exclusive)
        self._ledger.add(Alias(place.name, place.at, place.definition, place.description, shape))

    def _tagged(self, place: DefinitionSite, form: FlatObject, tag: str) -> None:
        by_target = Counter(
            json_schema.target(_without_tag(arm, tag)) for _, arm in form.arms if _tag_of(arm, tag)
        )
        arms: list[Arm] = []
        rest: list[tuple[str, Shape, JsonObject]] = []
        others: list[tuple[str, JsonObject]] = []
        for at, arm in form.arms:
            value = _tag_of(arm, tag)
            if value is not None:
                shared = by_target[json_schema.target(_without_tag(arm, tag))] > 1
                reference = self._arm_target(place, form, arm, at, tag, shared=shared)
                arms.append(Arm(value, reference.name))
            elif json_schema.excluded_tags(arm, tag) is not None:
                others.append((at, arm))
            else:
                rest.append((at, self._arm_target(place, form, arm, at, None), arm))
        known = {arm.tag for arm in arms}
        for at, arm in others:
            if len(others) > 1 or json_schema.excluded_tags(arm, tag) != known:
                self._ledger.problem(
                    at,
                    "ambiguous-union",
                    "must rule out exactly the other arms' tags; mend its not",
                )
        default: Shape | None = None
        if len(rest) == 1:
            default = rest[0][1]
        elif rest:
            default = self.choice(place.name, place.at, rest, form.exclusive)
        self._ledger.add(
            TaggedUnion(
                name=place.name,
                pointer=place.at,
                definition=place.definition,
                description=place.description,
                tag=tag,
                arms=tuple(arms),
                default=default,
                unknown=self._unknown(place, form, tag, others, closed=default is not None),
                owner=place.owner,
            )
        )

    def _unknown(
        self, place: DefinitionSite, form: FlatObject, tag: str, others: Arms, *, closed: bool
    ) -> Unknown | None:
        """The class for unlisted tags, where the schema or the default mode lets them through."""
        choice: UntaggedUnion | None = None
        properties = form.properties
        at = place.at
        if others:
            at, arm = others[0]
            inner = self._objects.flatten(_without_tag(arm, tag), at)
            properties = self._objects.merge([*properties, *inner.properties])
            if inner.arms:
                targets = [
                    (here, self._maker.shape(each, here, place.name), each)
                    for here, each in inner.arms
                ]
                label = f"{place.name}/other"
                choice = self.choice(label, at, targets, inner.exclusive)
        elif closed or self._ledger.is_closed(place.name):
            return None
        name = self._ledger.class_name(f"{place.name}/other", naming.unknown_class(place.name))
        unknown = Unknown(
            name, at, self._maker.members(name, properties), choice, synthetic=not others
        )
        self._ledger.claim(name, at)
        return unknown

    def _specialised(self, place: DefinitionSite, form: FlatObject, tag: str) -> None:
        """A record whose own member is the tag: an arm is a subclass only if it adds members."""
        plain: list[str] = []
        special: list[tuple[str, str, tuple[Property, ...]]] = []
        opened = optional = False
        for at, arm in form.arms:
            inner = self._objects.flatten(_without_tag(arm, tag), at)
            value = _tag_of(arm, tag)
            if (
                value is None
                and not inner.properties
                and json_schema.excluded_tags(arm, tag) is not None
            ):
                opened = True
            elif value is None and not inner.properties and _may_be_null(arm, tag):
                optional = True
            elif value is None or inner.arms:
                self._ledger.problem(
                    at, "unsupported", f"an arm that {tag!r} does not select; give it a tag"
                )
            elif inner.properties:
                special.append((at, value, inner.properties))
            else:
                plain.append(value)
        values = tuple(value for value in plain) + tuple(value for _, value, _ in special)
        keep = not opened and not self._ledger.is_closed(place.name)
        other = String() if opened else None
        kinds = Enumeration(values, String(), other, keep, (None,) * len(values))
        base = [
            (
                replace(member, shape=Nullable(kinds) if optional else kinds)
                if member.wire == tag
                else member
            )
            for member in self._maker.members(place.name, form.properties)
        ]
        if not optional:
            base = [replace(each, required=each.required or each.wire == tag) for each in base]
        arms: list[Arm] = []
        for at, value, properties in special:
            name = self._ledger.class_name(
                f"{place.name}/{value}", naming.arm_class(value, place.name)
            )
            preset = [
                replace(member, const=value, required=False) if member.wire == tag else member
                for member in base
            ]
            arms.append(Arm(value, name))
            self._ledger.add(
                Record(
                    name=name,
                    pointer=at,
                    definition=None,
                    description=None,
                    members=(*preset, *self._maker.members(name, properties)),
                    base=place.name,
                    owner=place.name,
                )
            )
        self._ledger.add(
            Record(
                name=place.name,
                pointer=place.at,
                definition=place.definition,
                description=place.description,
                members=tuple(base),
                owner=place.owner,
                discriminator=tag,
                subtypes=tuple(arms),
            )
        )

    def _arm_target(
        self,
        place: DefinitionSite,
        form: FlatObject,
        arm: JsonObject,
        at: str,
        tag: str | None,
        *,
        shared: bool = False,
    ) -> Reference:
        """The definition an arm selects: the one it refers to, or one made for it."""
        bare = _without_tag(arm, tag) if tag else arm
        referred = json_schema.target(bare)
        label = _tag_of(arm, tag) if tag else None
        inner = self._objects.flatten(bare, at)
        if tag and any(member.wire == tag for member in inner.properties):
            self._ledger.problem(
                at, "unsupported", f"the tag {tag!r} is also a member of the arm; state it once"
            )
        if referred is not None and not form.properties:
            if not shared or label is None:
                return Reference(referred)
            name = self._ledger.class_name(f"{place.name}/{label}", naming.tag_class(label))
        else:
            label = label or arm.get("title")
            rule = naming.arm_class(label, place.name) if label else ""
            name = self._ledger.class_name(f"{place.name}/{label or at.rpartition('/')[2]}", rule)
        whole = FlatObject(
            self._objects.merge([*form.properties, *inner.properties]),
            inner.arms,
            inner.exclusive,
            inner.union,
        )
        owner = place.owner or place.definition or place.name
        made = DefinitionSite(name, at, None, owner, arm.get("description"))
        if shared and referred is not None and not form.properties:
            if whole.arms:
                self._ledger.problem(
                    at, "unsupported", "several tags select one union; give each its own"
                )
            self._ledger.add(self._maker.record(made, whole.properties, base=referred))
        else:
            self._maker.define_object(made, whole)
        return Reference(name)

    def choice(
        self,
        name: str,
        at: str,
        arms: Sequence[tuple[str, Shape, JsonObject]],
        exclusive: bool,
    ) -> UntaggedUnion:
        """An untagged union, once its arms are known to be told apart."""
        made: list[UntaggedArm] = []
        for _, shape, schema in arms:
            types = json_schema.json_types(schema, self._ledger.schemas)
            ordered = tuple(each for each in json_schema.JSON_TYPES if each in types)
            made.append(
                UntaggedArm(shape, ordered, json_schema.required_keys(schema, self._ledger.schemas))
            )
        for index, later in enumerate(made):
            if isinstance(later.shape, AnyJson):
                continue
            for earlier in made[:index]:
                shared = set(earlier.types) & set(later.types)
                if shared and json_schema.names_overlap(earlier.keys, later.keys):
                    self._ledger.problem(
                        arms[index][0],
                        "ambiguous-union",
                        "cannot be told from an earlier arm by JSON type or required members;"
                        " add a tag",
                    )
                    break
        return UntaggedUnion(tuple(made), exclusive or self._ledger.is_exclusive(name))


def _tag_of(arm: JsonObject, tag: str) -> str | None:
    return json_schema.tag_values(arm).get(tag)


def _without_tag(arm: JsonObject, tag: str) -> JsonObject:
    """An arm without its tag member and without the rule that excludes other arms' tags."""
    bare = {key: value for key, value in arm.items() if key not in ("not", "title")}
    if tag in bare.get("properties", {}):
        bare["properties"] = {name: s for name, s in bare["properties"].items() if name != tag}
        bare["required"] = [name for name in bare.get("required", ()) if name != tag]
        if not bare["properties"] and not bare["required"]:
            del bare["properties"], bare["required"]
            if "allOf" not in bare and "anyOf" not in bare and "oneOf" not in bare:
                bare["properties"] = {}
    bare.pop("additionalProperties", None)
    bare.pop("unevaluatedProperties", None)
    return bare


def _may_be_null(arm: JsonObject, tag: str) -> bool:
    stated = arm.get("properties", {}).get(tag, {})
    return json_schema.is_null(stated) and tag not in arm.get("required", ())
