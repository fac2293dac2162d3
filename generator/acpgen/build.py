"""Turn a checked schema document into the intermediate representation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from acpgen import naming, shapes
from acpgen.diagnostics import InputError, Problem, pointer
from acpgen.load import Document, JsonObject
from acpgen.model import (
    Alias,
    Anything,
    Arm,
    Array,
    Boolean,
    Choice,
    ChoiceArm,
    Definition,
    Dictionary,
    Enumeration,
    Fallback,
    Integer,
    Member,
    MethodUse,
    Null,
    Nullable,
    Number,
    Record,
    Reference,
    Shape,
    String,
    Surface,
    TaggedUnion,
    Unknown,
)
from acpgen.overlay import Overlay
from acpgen.shapes import Arms

ABSENT = Fallback(absent=True)


@dataclass(frozen=True, slots=True)
class Built:
    """A surface, and which entries of the overlay it had a use for."""

    surface: Surface
    matched: frozenset[tuple[str, str]]


def build(document: Document, overlay: Overlay, surface: str) -> Built:
    """Build one surface.

    Args:
        document: a schema that `load` accepted.
        overlay: our decisions.
        surface: its name: `v1`, `v2_unstable` and so on.

    Raises:
        InputError: with every problem found.
    """
    builder = _Builder(document, overlay)
    builder.run()
    if builder.problems:
        raise InputError(builder.problems)
    version, _, stability = surface.removeprefix("v").partition("_")
    methods = tuple(
        MethodUse(name, schema["x-method"], schema["x-side"])
        for name, schema in document.definitions.items()
        if "x-method" in schema
    )
    built = Surface(
        name=surface,
        version=int(version),
        stability=stability or "stable",
        origin=document.origin,
        definitions=dict(sorted(_mark_distinct(builder.built).items())),
        methods=methods,
        summaries=overlay.summaries,
    )
    return Built(built, frozenset(builder.matched))


@dataclass(frozen=True, slots=True)
class _Property:
    """A member as the schema states it, before it has a shape."""

    wire: str
    schema: Any
    required: bool
    at: str


@dataclass(frozen=True, slots=True)
class _Form:
    """An object schema taken apart: its own members, and the union flattened into it."""

    properties: tuple[_Property, ...]
    arms: Arms
    exclusive: bool
    union: JsonObject  # the schema that holds the arms


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a definition is being made: its class name, and what it stands for."""

    name: str
    at: str
    definition: str | None
    owner: str | None
    description: str | None


class _Builder:
    def __init__(self, document: Document, overlay: Overlay) -> None:
        self.file = document.file
        self.schemas = document.definitions
        self.overlay = overlay
        self.built: dict[str, Definition] = {}
        self.problems: list[Problem] = []
        self.matched: set[tuple[str, str]] = set()
        self.definition_names = {
            name for name, schema in self.schemas.items() if not schema.get("x-docs-ignore")
        }

    # --- bookkeeping -------------------------------------------------------------------------

    def problem(self, at: str, code: str, message: str) -> None:
        self.problems.append(Problem(self.file, at, code, message))

    def policy(self, section: str, name: str) -> bool:
        """Whether `policy.toml` has an entry; asking for it marks it as matched."""
        entries = self.overlay.closed if section == "closed" else self.overlay.exclusive
        if name in entries:
            self.matched.add((section, name))
        return name in entries

    def name(self, place: str, rule: str, usable: bool) -> str:
        """The name the rules give, or the overlay's where that one cannot be used."""
        if place not in self.overlay.names:
            return rule
        self.matched.add(("classes", place))
        return rule if usable else self.overlay.names[place]

    def class_name(self, place: str, rule: str) -> str:
        """The class of an arm."""
        taken = rule in self.definition_names or rule in self.built
        return self.name(place, rule, naming.is_class_name(rule) and not taken)

    def field_name(self, place: str, rule: str, taken: set[str]) -> str:
        """The field of a member."""
        return self.name(place, rule, naming.is_member_name(rule) and rule not in taken)

    def add(self, definition: Definition) -> None:
        name = definition.name
        if not naming.is_class_name(name):
            self.problem(
                definition.pointer,
                "bad-name",
                f"{name!r} cannot be a class here; rename it or name it in names.toml",
            )
        elif name in self.built or (
            definition.definition is None and name in self.definition_names
        ):
            other = self.built.get(name)
            where = other.pointer if other else pointer("$defs", name)
            self.problem(
                definition.pointer,
                "name-collision",
                f"{name!r} is already the class of {where}; name one of them in names.toml",
            )
        else:
            self.built[name] = definition

    # --- definitions -------------------------------------------------------------------------

    def run(self) -> None:
        for name in shapes.cyclic(self.schemas):
            self.problem(pointer("$defs", name), "unsupported", "refers to itself; break the cycle")
        if self.problems:
            return
        for name in sorted(self.definition_names):
            schema = self.schemas[name]
            at = pointer("$defs", name)
            place = _Place(name, at, name, None, schema.get("description"))
            self.define(place, schema)

    def define(self, place: _Place, schema: JsonObject) -> None:
        """Make the definition of a schema that has a name."""
        arms, _ = shapes.alternatives(schema, place.at)
        is_record = shapes.is_object(schema, self.schemas) and shapes.target(schema) is None
        if is_record or (arms and "properties" in schema):
            self.define_object(place, self.take_apart(schema, place.at))
            return
        self.add(
            Alias(
                name=place.name,
                pointer=place.at,
                definition=place.definition,
                description=place.description,
                shape=self.shape(schema, place.at, place.name, named=True),
            )
        )

    def define_object(self, place: _Place, form: _Form) -> None:
        """Make a record, or the union whose arms are flattened into it."""
        if not form.arms:
            self.add(self.record(place, form.properties))
            return
        try:
            tag = shapes.infer_tag(form.union, form.arms)
        except shapes.TagError as error:
            self.problem(place.at, "ambiguous-union", error.message)
            return
        if tag is None:
            self.untagged(place, form)
        elif any(member.wire == tag for member in form.properties):
            self.specialised(place, form, tag)
        else:
            self.tagged(place, form, tag)

    def take_apart(self, schema: JsonObject, at: str) -> _Form:
        """Gather the members of an object from `properties` and from what `allOf` refers to."""
        required = set(schema.get("required", ()))
        own = schema.get("properties", {})
        properties = [
            _Property(wire, member, wire in required, f"{at}/properties{pointer(wire)}")
            for wire, member in own.items()
        ]
        arms, exclusive = shapes.alternatives(schema, at)
        union = schema
        for index, part in enumerate(schema.get("allOf", ())):
            inner = self.follow(part, f"{at}/allOf/{index}")
            properties += inner.properties
            if inner.arms and arms:
                self.problem(at, "unsupported", "two unions flattened into one object; split it")
            elif inner.arms:
                arms, exclusive, union = inner.arms, inner.exclusive, inner.union
        missing = required - {member.wire for member in properties}
        properties += [_Property(wire, {}, True, f"{at}/required") for wire in sorted(missing)]
        return _Form(self.merge(properties), arms, exclusive, union)

    def follow(self, schema: JsonObject, at: str) -> _Form:
        """Take apart the object a schema refers to."""
        seen: set[str] = set()
        while (name := shapes.target(schema)) is not None:
            if name in seen:
                self.problem(at, "unsupported", f"{name!r} refers to itself; break the cycle")
                return _Form((), [], False, {})
            seen.add(name)
            schema, at = self.schemas[name], pointer("$defs", name)
        if not shapes.is_object(schema, self.schemas):
            self.problem(at, "unsupported", "must be an object to be merged into another one")
            return _Form((), [], False, {})
        return self.take_apart(schema, at)

    def merge(self, properties: list[_Property]) -> tuple[_Property, ...]:
        """One property per name; two statements about one name must agree."""
        merged: dict[str, _Property] = {}
        for member in properties:
            earlier = merged.get(member.wire)
            if earlier is None or shapes.is_anything(earlier.schema):
                required = member.required or bool(earlier and earlier.required)
                merged[member.wire] = replace(member, required=required)
            elif not shapes.is_anything(member.schema) and shapes.substance(
                member.schema
            ) != shapes.substance(earlier.schema):
                self.problem(
                    member.at,
                    "unsupported",
                    f"{member.wire!r} is also stated at {earlier.at}, differently; state it once",
                )
            else:
                merged[member.wire] = replace(earlier, required=earlier.required or member.required)
        return tuple(merged.values())

    # --- records -----------------------------------------------------------------------------

    def record(self, place: _Place, properties: tuple[_Property, ...], **extra: Any) -> Record:
        return Record(
            name=place.name,
            pointer=place.at,
            definition=place.definition,
            description=place.description,
            members=self.members(place.name, properties),
            owner=place.owner,
            **extra,
        )

    def members(self, owner: str, properties: tuple[_Property, ...]) -> tuple[Member, ...]:
        members: list[Member] = []
        for stated in properties:
            members.append(self.member(owner, stated, {member.name for member in members}))
        for name, count in Counter(member.name for member in members).items():
            if count > 1:
                wires = [member.wire for member in members if member.name == name]
                self.problem(
                    members[0].pointer,
                    "name-collision",
                    f"members {', '.join(map(repr, wires))} of {owner} are both {name!r} in Python;"
                    " name one of them in names.toml",
                )
        return tuple(sorted(members, key=lambda member: not member.required))

    def member(self, owner: str, stated: _Property, taken: set[str]) -> Member:
        schema = stated.schema if isinstance(stated.schema, dict) else {}
        name = self.field_name(f"{owner}.{stated.wire}", naming.member_name(stated.wire), taken)
        if not naming.is_member_name(name):
            self.problem(
                stated.at,
                "bad-name",
                f"member {stated.wire!r} cannot be a field; name it in names.toml as"
                f" {owner}.{stated.wire}",
            )
        shape = self.shape(schema, stated.at, naming.inline_class(owner, stated.wire))
        nullable = "null" in shapes.json_types(schema, self.schemas)
        on_error = on_null = None
        if schema.get("x-deserialize-default-on-error"):
            on_error = self.error_fallback(schema, stated.required, nullable)
        if schema.get("x-deserialize-default-on-null") and not nullable:
            on_null = self.empty(schema)
        return Member(
            wire=stated.wire,
            name=name,
            shape=shape,
            required=stated.required,
            pointer=stated.at,
            on_error=on_error,
            on_null=on_null,
            skip_invalid=bool(schema.get("x-deserialize-skip-invalid-items")),
            description=schema.get("description"),
        )

    def error_fallback(self, schema: JsonObject, required: bool, nullable: bool) -> Fallback | None:
        """What `x-deserialize-default-on-error` puts in the place of a bad value."""
        if "default" in schema:
            return Fallback(absent=False, value=schema["default"])
        if nullable:
            return Fallback(absent=False) if required else ABSENT
        return self.empty(schema) or (None if required else ABSENT)

    def empty(self, schema: JsonObject) -> Fallback | None:
        """The empty value of an array or a map."""
        types = shapes.json_types(schema, self.schemas) - {"null"}
        if types == {"array"}:
            return Fallback(absent=False, value=[])
        while (name := shapes.target(schema)) is not None:
            schema = self.schemas[name]
        return Fallback(absent=False, value={}) if shapes.is_map(schema) else None

    # --- unions ------------------------------------------------------------------------------

    def untagged(self, place: _Place, form: _Form) -> None:
        arms = [(at, self.arm_target(place, form, arm, at, None), arm) for at, arm in form.arms]
        shape = self.choice(place.name, place.at, arms, form.exclusive)
        self.add(Alias(place.name, place.at, place.definition, place.description, shape))

    def tagged(self, place: _Place, form: _Form, tag: str) -> None:
        by_target = Counter(
            shapes.target(_without_tag(arm, tag)) for _, arm in form.arms if _tag_of(arm, tag)
        )
        arms: list[Arm] = []
        rest: list[tuple[str, Shape, JsonObject]] = []
        others: list[tuple[str, JsonObject]] = []
        for at, arm in form.arms:
            value = _tag_of(arm, tag)
            if value is not None:
                shared = by_target[shapes.target(_without_tag(arm, tag))] > 1
                reference = self.arm_target(place, form, arm, at, tag, shared=shared)
                arms.append(Arm(value, reference.name))
            elif shapes.excluded_tags(arm, tag) is not None:
                others.append((at, arm))
            else:
                rest.append((at, self.arm_target(place, form, arm, at, None), arm))
        known = {arm.tag for arm in arms}
        for at, arm in others:
            if len(others) > 1 or shapes.excluded_tags(arm, tag) != known:
                self.problem(
                    at,
                    "ambiguous-union",
                    "must rule out exactly the other arms' tags; mend its not",
                )
        default: Shape | None = None
        if len(rest) == 1:
            default = rest[0][1]
        elif rest:
            default = self.choice(place.name, place.at, rest, form.exclusive)
        self.add(
            TaggedUnion(
                name=place.name,
                pointer=place.at,
                definition=place.definition,
                description=place.description,
                tag=tag,
                arms=tuple(arms),
                default=default,
                unknown=self.unknown(place, form, tag, others, closed=default is not None),
                owner=place.owner,
            )
        )

    def unknown(
        self, place: _Place, form: _Form, tag: str, others: Arms, *, closed: bool
    ) -> Unknown | None:
        """The class for unlisted tags, where the schema or the default mode lets them through."""
        choice: Choice | None = None
        properties = form.properties
        at = place.at
        if others:
            at, arm = others[0]
            inner = self.take_apart(_without_tag(arm, tag), at)
            properties = self.merge([*properties, *inner.properties])
            if inner.arms:
                targets = [
                    (here, self.shape(each, here, place.name), each) for here, each in inner.arms
                ]
                label = f"{place.name}/other"
                choice = self.choice(label, at, targets, inner.exclusive)
        elif closed or self.policy("closed", place.name):
            return None
        name = self.class_name(f"{place.name}/other", naming.unknown_class(place.name))
        unknown = Unknown(name, at, self.members(name, properties), choice, kept=not others)
        self.claim(name, at)
        return unknown

    def claim(self, name: str, at: str) -> None:
        """Reserve the name of a class that is no definition of its own."""
        taken = self.built.get(name)
        if name in self.definition_names or taken is not None:
            where = taken.pointer if taken else pointer("$defs", name)
            self.problem(
                at,
                "name-collision",
                f"{name!r} is already the class of {where}; name one of them in names.toml",
            )
        elif not naming.is_class_name(name):
            self.problem(at, "bad-name", f"{name!r} cannot be a class; name it in names.toml")

    def specialised(self, place: _Place, form: _Form, tag: str) -> None:
        """A record whose own member is the tag: an arm is a subclass only if it adds members."""
        plain: list[str] = []
        special: list[tuple[str, str, tuple[_Property, ...]]] = []
        opened = optional = False
        for at, arm in form.arms:
            inner = self.take_apart(_without_tag(arm, tag), at)
            value = _tag_of(arm, tag)
            if (
                value is None
                and not inner.properties
                and shapes.excluded_tags(arm, tag) is not None
            ):
                opened = True
            elif value is None and not inner.properties and _may_be_null(arm, tag):
                optional = True
            elif value is None or inner.arms:
                self.problem(
                    at, "unsupported", f"an arm that {tag!r} does not select; give it a tag"
                )
            elif inner.properties:
                special.append((at, value, inner.properties))
            else:
                plain.append(value)
        values = tuple(value for value in plain) + tuple(value for _, value, _ in special)
        keep = not opened and not self.policy("closed", place.name)
        other = String() if opened else None
        kinds = Enumeration(values, String(), other, keep, (None,) * len(values))
        base = [
            (
                replace(member, shape=Nullable(kinds) if optional else kinds)
                if member.wire == tag
                else member
            )
            for member in self.members(place.name, form.properties)
        ]
        if not optional:
            base = [replace(each, required=each.required or each.wire == tag) for each in base]
        arms: list[Arm] = []
        for at, value, properties in special:
            name = self.class_name(f"{place.name}/{value}", naming.arm_class(value, place.name))
            preset = [
                replace(member, preset=value, required=False) if member.wire == tag else member
                for member in base
            ]
            arms.append(Arm(value, name))
            self.add(
                Record(
                    name=name,
                    pointer=at,
                    definition=None,
                    description=None,
                    members=(*preset, *self.members(name, properties)),
                    base=place.name,
                    owner=place.name,
                )
            )
        self.add(
            Record(
                name=place.name,
                pointer=place.at,
                definition=place.definition,
                description=place.description,
                members=tuple(base),
                owner=place.owner,
                special_by=tag,
                special=tuple(arms),
            )
        )

    def arm_target(
        self,
        place: _Place,
        form: _Form,
        arm: JsonObject,
        at: str,
        tag: str | None,
        *,
        shared: bool = False,
    ) -> Reference:
        """The definition an arm selects: the one it refers to, or one made for it."""
        bare = _without_tag(arm, tag) if tag else arm
        referred = shapes.target(bare)
        label = _tag_of(arm, tag) if tag else None
        if referred is not None and not form.properties:
            if not shared or label is None:
                return Reference(referred)
            name = self.class_name(f"{place.name}/{label}", naming.tag_class(label))
        else:
            label = label or arm.get("title")
            rule = naming.arm_class(label, place.name) if label else ""
            name = self.class_name(f"{place.name}/{label or at.rpartition('/')[2]}", rule)
        inner = self.take_apart(bare, at)
        if tag and any(member.wire == tag for member in inner.properties):
            self.problem(
                at, "unsupported", f"the tag {tag!r} is also a member of the arm; rename one"
            )
        whole = _Form(
            self.merge([*form.properties, *inner.properties]),
            inner.arms,
            inner.exclusive,
            inner.union,
        )
        owner = place.owner or place.definition or place.name
        made = _Place(name, at, None, owner, arm.get("description"))
        if shared and referred is not None and not form.properties:
            if whole.arms:
                self.problem(at, "unsupported", "several tags select one union; give each its own")
            self.add(self.record(made, whole.properties, base=referred))
        else:
            self.define_object(made, whole)
        return Reference(name)

    def choice(
        self,
        name: str,
        at: str,
        arms: Sequence[tuple[str, Shape, JsonObject]],
        exclusive: bool,
    ) -> Choice:
        """An untagged union, once its arms are known to be told apart."""
        made: list[ChoiceArm] = []
        for _, shape, schema in arms:
            types = shapes.json_types(schema, self.schemas)
            ordered = tuple(each for each in shapes.JSON_TYPES if each in types)
            made.append(ChoiceArm(shape, ordered, shapes.required_keys(schema, self.schemas)))
        for index, later in enumerate(made):
            if isinstance(later.shape, Anything):
                continue
            for earlier in made[:index]:
                shared = set(earlier.types) & set(later.types)
                if shared and shapes.names_overlap(earlier.keys, later.keys):
                    self.problem(
                        arms[index][0],
                        "ambiguous-union",
                        "cannot be told from an earlier arm by JSON type or required members;"
                        " add a tag",
                    )
                    break
        return Choice(tuple(made), exclusive or self.policy("exclusive", name))

    # --- shapes ------------------------------------------------------------------------------

    def shape(self, schema: Any, at: str, hint: str, *, named: bool = False) -> Shape:
        """The shape of a schema; an object defined in place becomes a definition named `hint`."""
        if shapes.is_anything(schema):
            return Anything()
        target = shapes.target(schema)
        if target is not None:
            if target not in self.definition_names:
                self.problem(at, "unsupported", f"refers to the envelope {target!r}; it is no type")
            return Reference(target)
        arms, exclusive = shapes.alternatives(schema, at)
        if arms and "properties" not in schema:
            return self.union_shape(schema, at, hint, arms, exclusive, named)
        if "const" in schema or "enum" in schema:
            return self.listed(schema, at, hint, named)
        types = schema.get("type", "object")
        if isinstance(types, list):
            inner = [{**schema, "type": each} for each in types if each != "null"]
            if not inner:
                return Null()
            if len(inner) > 1:
                made = [(at, self.shape(each, at, hint), each) for each in inner]
                shape: Shape = self.choice(hint, at, made, exclusive=False)
            else:
                shape = self.shape(inner[0], at, hint)
            return Nullable(shape) if "null" in types else shape
        return self.typed(types, schema, at, hint)

    def typed(self, type_: str, schema: JsonObject, at: str, hint: str) -> Shape:
        """The shape of a schema with one JSON type."""
        if type_ == "string":
            return shapes.string_shape(schema)
        if type_ == "integer":
            return shapes.integer_shape(schema)
        if type_ == "number":
            return shapes.number_shape(schema)
        if type_ == "boolean":
            return Boolean()
        if type_ == "null":
            return Null()
        if type_ == "array":
            items = self.shape(schema.get("items", {}), f"{at}/items", hint + "Item")
            return Array(items, schema.get("minItems") or None)
        if "properties" in schema or "allOf" in schema:
            self.define_object(_Place(hint, at, None, None, None), self.take_apart(schema, at))
            return Reference(hint)
        values = schema.get("additionalProperties", True)
        return Dictionary(self.shape(values, f"{at}/additionalProperties", hint + "Value"))

    def listed(self, schema: JsonObject, at: str, hint: str, named: bool) -> Shape:
        """An enumeration written as `enum` or a single `const`."""
        values = schema.get("enum", [schema.get("const")])
        types = {type(value) for value in values}
        if types not in ({str}, {int}):
            self.problem(at, "unsupported", "constants must be all strings or all integers")
            return Anything()
        base = String() if types == {str} else Integer()
        keep = named and types == {str} and not self.policy("closed", hint)
        return Enumeration(tuple(values), base, None, keep, (None,) * len(values))

    def union_shape(
        self, schema: JsonObject, at: str, hint: str, arms: Arms, exclusive: bool, named: bool
    ) -> Shape:
        """The shape of a schema that is only `anyOf` or `oneOf`."""
        rest = [(here, arm) for here, arm in arms if not shapes.is_null(arm)]
        nullable = len(rest) < len(arms)
        shape: Shape
        found = shapes.constants(rest)
        if found is not None:
            shape = self.enumeration(rest, found[0], found[1], hint, named)
        elif len(rest) == 1 and not (named and shapes.tag_values(rest[0][1])):
            shape = self.shape(rest[0][1], rest[0][0], hint)
        elif all(shapes.is_object(arm, self.schemas) for _, arm in rest):
            self.define_object(
                _Place(hint, at, None, None, schema.get("description")),
                _Form((), rest, exclusive, schema),
            )
            shape = Reference(hint)
        else:
            made = []
            for here, arm in rest:
                label = naming.arm_class(arm.get("title", ""), hint)
                made.append((here, self.shape(arm, here, label), arm))
            shape = self.choice(hint, at, made, exclusive)
        return Nullable(shape) if nullable else shape

    def enumeration(
        self, arms: Arms, values: tuple[str | int, ...], rest: Arms, hint: str, named: bool
    ) -> Enumeration:
        base: String | Integer = String() if isinstance(values[0], str) else Integer()
        other: String | Integer | None = None
        if rest:
            schema = rest[0][1]
            other = (
                shapes.string_shape(schema)
                if isinstance(base, String)
                else shapes.integer_shape(schema)
            )
        keep = bool(
            other is None and named and isinstance(base, String) and not self.policy("closed", hint)
        )
        descriptions = tuple(arm.get("description") for _, arm in arms if "const" in arm)
        return Enumeration(values, base, other, keep, descriptions)


def _tag_of(arm: JsonObject, tag: str) -> str | None:
    return shapes.tag_values(arm).get(tag)


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
    return shapes.is_null(stated) and tag not in arm.get("required", ())


def _mark_distinct(definitions: Mapping[str, Definition]) -> dict[str, Definition]:
    """Mark aliases whose Python form is not enough to find them again: see `Alias.distinct`."""
    shapes_by_form: dict[Any, set[Shape]] = {}
    for definition in definitions.values():
        if isinstance(definition, Alias):
            shapes_by_form.setdefault(python_form(definition.shape), set()).add(definition.shape)
    marked: dict[str, Definition] = {}
    for name, definition in definitions.items():
        if isinstance(definition, Alias):
            shape = definition.shape
            scalar = isinstance(shape, String | Integer | Number)
            constrained = scalar and shape != python_form(shape)
            clash = len(shapes_by_form[python_form(shape)]) > 1
            definition = replace(definition, distinct=constrained or clash)
        marked[name] = definition
    return marked


def python_form(shape: Shape) -> Shape:
    """A shape without what its Python type does not show: bounds, openness, exclusiveness."""
    match shape:
        case String():
            return String()
        case Integer():
            return Integer()
        case Number():
            return Number()
        case Enumeration(values, _, other, keep):
            return Enumeration(values, String(), String() if other or keep else None, False)
        case Array(items):
            return Array(python_form(items))
        case Dictionary(values):
            return Dictionary(python_form(values))
        case Nullable(inner):
            return Nullable(python_form(inner))
        case Choice(arms):
            forms = (ChoiceArm(python_form(arm.shape), (), ()) for arm in arms)
            return Choice(tuple(forms), False)
        case _:
            return shape
