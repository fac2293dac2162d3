"""Queries about shapes and definitions: unwrapping, walking, field lookup.

The first parameter is the shape or, for a query about a named definition, the mapping of all
definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from acpgen.ir.model import (
    Alias,
    AnyJson,
    Array,
    Boolean,
    Definition,
    Dictionary,
    Enumeration,
    Integer,
    Member,
    Method,
    Null,
    Nullable,
    Number,
    Record,
    Reference,
    Shape,
    String,
    TaggedUnion,
    Unknown,
    UntaggedUnion,
)

# --- unwrapping ------------------------------------------------------------------------------


def strip_null(shape: Shape) -> Shape:
    """Return the shape inside a `Nullable`, or any other shape unchanged."""
    return shape.shape if isinstance(shape, Nullable) else shape


def resolve_alias(shape: Shape, definitions: Mapping[str, Definition]) -> Shape:
    """Follow references to aliases and return the first shape that isn't an alias reference."""
    while isinstance(shape, Reference):
        definition = definitions.get(shape.name)
        if not isinstance(definition, Alias):
            break
        shape = definition.shape
    return shape


def unwrap(shape: Shape, definitions: Mapping[str, Definition]) -> Shape:
    """Follow aliases and strip null until the shape is neither an alias nor nullable."""
    while (inner := strip_null(resolve_alias(shape, definitions))) != shape:
        shape = inner
    return shape


def target(shape: Shape) -> str | None:
    """Return the name of the definition that a shape or its non-null part refers to, if any."""
    inner = strip_null(shape)
    return inner.name if isinstance(inner, Reference) else None


# --- walking ---------------------------------------------------------------------------------


def inner_shapes(shape: Shape) -> tuple[Shape, ...]:
    """Return the shapes directly inside a shape: items, values, variants."""
    shapes: list[Shape] = []

    def note(inner: Shape) -> Shape:
        shapes.append(inner)
        return inner

    map_inner(shape, note)
    return tuple(shapes)


def map_inner(shape: Shape, change: Callable[[Shape], Shape]) -> Shape:
    """Return a copy of a shape with `change` applied to each shape directly inside it."""
    match shape:
        case Nullable(inner):
            return Nullable(change(inner))
        case Array(items):
            return replace(shape, items=change(items))
        case Dictionary(values):
            return Dictionary(change(values))
        case UntaggedUnion(arms):
            changed = tuple(replace(arm, shape=change(arm.shape)) for arm in arms)
            return replace(shape, arms=changed)
        case AnyJson() | Null() | Boolean() | String() | Integer() | Number() | Enumeration():
            return shape
        case Reference():
            return shape


def map_shapes(definition: Definition, change: Callable[[Shape], Shape]) -> Definition:
    """Return a copy of a definition with `change` applied to the shapes that it contains."""

    def members(before: Iterable[Member]) -> tuple[Member, ...]:
        return tuple(replace(member, shape=change(member.shape)) for member in before)

    match definition:
        case Record():
            return replace(definition, members=members(definition.members))
        case Alias():
            return replace(definition, shape=change(definition.shape))
        case TaggedUnion(default=default, unknown=unknown):
            if unknown is not None:
                unknown = replace(unknown, members=members(unknown.members))
            return replace(definition, default=default and change(default), unknown=unknown)


def walk(shape: Shape) -> Iterator[Shape]:
    """Yield a shape and all shapes inside it, outermost first, without following references."""
    yield shape
    for inner in inner_shapes(shape):
        yield from walk(inner)


def references(shape: Shape) -> Iterator[str]:
    """Yield the names of all definitions that a shape refers to, in order."""
    return (inner.name for inner in walk(shape) if isinstance(inner, Reference))


def referred_by(definition: Definition) -> Iterator[str]:
    """Yield the names of all definitions that a definition refers to, in order."""
    match definition:
        case Alias(shape=shape):
            yield from references(shape)
        case TaggedUnion(arms=arms, default=default):
            yield from (arm.target for arm in arms)
            yield from references(default) if default is not None else ()
        case Record(members=members, subtypes=arms):
            for member in members:
                yield from references(member.shape)
            yield from (arm.target for arm in arms)


def alternatives(shape: Shape) -> Iterator[Shape]:
    """Yield the variants of an untagged union and its nested unions, or any other shape itself."""
    if isinstance(shape, UntaggedUnion):
        for arm in shape.arms:
            yield from alternatives(arm.shape)
    else:
        yield shape


# --- predicates and classes ------------------------------------------------------------------


def takes_null(shape: Shape, definitions: Mapping[str, Definition]) -> bool:
    """Return whether a shape allows null, either directly or through an alias."""
    match shape:
        case AnyJson() | Null() | Nullable():
            return True
        case UntaggedUnion(arms):
            return any(takes_null(arm.shape, definitions) for arm in arms)
        case Reference(name):
            definition = definitions.get(name)
            return isinstance(definition, Alias) and takes_null(definition.shape, definitions)
        case Boolean() | String() | Integer() | Number() | Enumeration() | Array() | Dictionary():
            return False


def classes_of(shape: Shape, definitions: Mapping[str, Definition]) -> list[str]:
    """Return the classes of a shape's values, and of their items if they are lists or maps."""

    def inside(shapes: Iterable[Shape]) -> list[str]:
        return [name for inner in shapes for name in classes_of(inner, definitions)]

    match definitions[shape.name] if isinstance(shape, Reference) else shape:
        case Alias(shape=aliased):
            return classes_of(aliased, definitions)
        case Record(name=name, subtypes=subtypes):
            return [name, *(arm.target for arm in subtypes)]
        case TaggedUnion(arms=arms, default=default, unknown=unknown):
            others = [] if default is None else [default]
            classes = inside([*(Reference(arm.target) for arm in arms), *others])
            return [*classes, unknown.name] if unknown is not None else classes
        case _:
            return inside(inner_shapes(shape))


# --- definitions and their fields ------------------------------------------------------------


def unknown_of(definition: Definition) -> Unknown | None:
    """Return the class for a union's unknown tags, or None if there is no such class."""
    return definition.unknown if isinstance(definition, TaggedUnion) else None


def arms_by_tag(definition: Definition | None) -> dict[str, str]:
    """Return the variants of a tagged union or the subtypes of a record, by tag."""
    match definition:
        case TaggedUnion(arms=arms) | Record(subtypes=arms):
            return {arm.tag: arm.target for arm in arms}
        case _:
            return {}


def find_definition(definitions: Mapping[str, Definition], name: str | None) -> Definition | None:
    """Return the definition with the given name, or None if the name is None or undefined."""
    return None if name is None else definitions.get(name)


def members_of(definitions: Mapping[str, Definition], name: str | None) -> list[Member]:
    """Return the fields of a record, or the fields shared by all known variants of a union."""
    definition = find_definition(definitions, name)
    if isinstance(definition, Record):
        return list(definition.members)
    if not isinstance(definition, TaggedUnion):
        return []
    first, *others = [members_of(definitions, arm.target) for arm in definition.arms]
    names = [{member.wire for member in members} for members in others]
    return [member for member in first if all(member.wire in wires for wires in names)]


def always_there(shape: Shape, definitions: Mapping[str, Definition]) -> list[str]:
    """Return the wire names of the fields that every value of a shape contains.

    The list is empty if some values aren't objects.
    """
    match definitions[shape.name] if isinstance(shape, Reference) else shape:
        case Record(members=members, subtypes=()):
            return [member.wire for member in members if member.required]
        case TaggedUnion(tag=tag, default=None):
            return [tag]
        case TaggedUnion(arms=arms, default=other, unknown=None) if other is not None:
            inside = [always_there(Reference(arm.target), definitions) for arm in arms]
            names = always_there(other, definitions)
            return [name for name in names if all(name in inner for inner in inside)]
        case _:
            return []


def find_member(
    definitions: Mapping[str, Definition], name: str | None, wire: str
) -> Member | None:
    """Return the field of a definition by its wire name, or None if there is no such field."""
    members = members_of(definitions, name)
    return next((member for member in members if member.wire == wire), None)


def own_members(record: Record, definitions: Mapping[str, Definition]) -> tuple[Member, ...]:
    """Return the fields that a record does not inherit unchanged from its base class."""
    base = find_definition(definitions, record.base)
    inherited = base.members if isinstance(base, Record) else ()
    return tuple(member for member in record.members if member not in inherited)


def members_along(
    definitions: Mapping[str, Definition], name: str, path: str
) -> tuple[Member, ...] | None:
    """Return the fields along a slash-separated path of wire names, or None if any is missing."""
    members: list[Member] = []
    current: str | None = name
    for wire in path.split("/"):
        member = find_member(definitions, current, wire)
        if member is None:
            return None
        members.append(member)
        current = target(member.shape)
    return tuple(members)


def handshake(methods: Iterable[Method]) -> Method | None:
    """Return the agent's `initialize` method, if there is one."""
    initialize = ("agent", "initialize")
    return next((method for method in methods if (method.side, method.wire) == initialize), None)


def class_of(definitions: Mapping[str, Definition], name: str, wire: str, tag: str) -> str | None:
    """Return the class of the items that have a given tag in a list field.

    The result is None if there is no such field or if its items have no such tag.
    """
    member = find_member(definitions, name, wire)
    if member is None or not isinstance(member.shape, Array):
        return None
    union = find_definition(definitions, target(member.shape.items))
    return arms_by_tag(union).get(tag) if isinstance(union, TaggedUnion) else None
