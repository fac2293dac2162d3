"""The intermediate representation: what a schema says, in the terms the output is written in.

Frozen dataclasses without logic: `analysis` makes them; `emit`, `diff` and `reference` read them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

# --- shapes: the JSON values that something accepts ---------------------------------------------


@dataclass(frozen=True, slots=True)
class AnyJson:
    """Any JSON value."""

    kind = "anything"


@dataclass(frozen=True, slots=True)
class Null:
    """Only null."""

    kind = "null"


@dataclass(frozen=True, slots=True)
class Boolean:
    """true or false."""

    kind = "boolean"


@dataclass(frozen=True, slots=True)
class String:
    """A string, with a least length in characters or a pattern where the schema gives one.

    Attributes:
        format: an annotation: what the string is meant to be, such as `uri`.
    """

    min_length: int | None = None
    pattern: str | None = None
    format: str | None = field(default=None, compare=False)
    kind = "string"


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer within inclusive bounds.

    Attributes:
        format: an annotation. `uint16` and its like are not kept: the bounds say the same.
    """

    minimum: int | None = None
    maximum: int | None = None
    format: str | None = field(default=None, compare=False)
    kind = "integer"


@dataclass(frozen=True, slots=True)
class Number:
    """A number within inclusive bounds; its format is an annotation."""

    minimum: float | None = None
    maximum: float | None = None
    format: str | None = field(default=None, compare=False)
    kind = "number"


@dataclass(frozen=True, slots=True)
class Enumeration:
    """Named strings or integers.

    Attributes:
        values: the constants the schema lists, in its order.
        base: the shape of a constant.
        other: what the schema itself allows besides the constants; None when it is closed.
        lenient: whether the default mode keeps a string that a closed enumeration does not list.
        descriptions: what the schema says about each constant.
    """

    values: tuple[str | int, ...]
    base: String | Integer
    other: String | Integer | None
    lenient: bool
    descriptions: tuple[str | None, ...] = field(default=(), compare=False)
    kind = "enumeration"


@dataclass(frozen=True, slots=True)
class Array:
    """A list; `min_items` is its least length."""

    items: Shape
    min_items: int | None = None
    kind = "array"


@dataclass(frozen=True, slots=True)
class Dictionary:
    """An object used as a map: any names, values of one shape."""

    values: Shape
    kind = "dictionary"


@dataclass(frozen=True, slots=True)
class Reference:
    """Another definition, by the name of its class or alias."""

    name: str
    kind = "reference"


@dataclass(frozen=True, slots=True)
class Nullable:
    """The shape, or null."""

    shape: Shape
    kind = "nullable"


@dataclass(frozen=True, slots=True)
class UntaggedUnion:
    """An untagged union: told apart by JSON type and by required members.

    Attributes:
        arms: the alternatives, in order; the first that fits is taken.
        exclusive: whether a value that names more than one of them is an error.
    """

    arms: tuple[UntaggedArm, ...]
    exclusive: bool
    kind = "choice"


@dataclass(frozen=True, slots=True)
class UntaggedArm:
    """One alternative of an `UntaggedUnion`.

    Attributes:
        shape: what it decodes to.
        types: the JSON types it takes (`integer` counts as `number` too).
        keys: members that must be present: of the object, or of the array's first item.
        absent: members that the object must not have.
    """

    shape: Shape
    types: tuple[str, ...]
    keys: tuple[str, ...]
    absent: tuple[str, ...] = ()


# Code over shapes has no silent `case _`, so that mypy points to what a new kind still needs.
Scalar: TypeAlias = AnyJson | Null | Boolean | String | Integer | Number | Enumeration
Shape: TypeAlias = Scalar | Array | Dictionary | Reference | Nullable | UntaggedUnion

# --- definitions: everything with a name in the output ------------------------------------------


@dataclass(frozen=True, slots=True)
class Fallback:
    """The repair that a vendor keyword orders: the member becomes absent, or a JSON value."""

    absent: bool
    value: Any = None


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a record.

    Attributes:
        wire: its wire name.
        name: its name in Python.
        shape: the values it accepts.
        required: whether the object must have it.
        on_error: the fallback of `x-deserialize-default-on-error`, if it has that keyword.
        on_null: the fallback of `x-deserialize-default-on-null`, if it has that keyword.
        skip_invalid: whether it has `x-deserialize-skip-invalid-items`.
        const: a constant that the constructor fills in: the tag of a subtype.
        description: the schema's words for it.
        pointer: the pointer to its schema.
    """

    wire: str
    name: str
    shape: Shape
    required: bool
    pointer: str
    on_error: Fallback | None = None
    on_null: Fallback | None = None
    skip_invalid: bool = False
    const: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Alias:
    """A definition that is a Python type alias: a scalar, an enumeration, an untagged union.

    Attributes:
        needs_annotation: whether its Python form alone does not identify the definition.
    """

    name: str
    pointer: str
    definition: str | None
    description: str | None
    shape: Shape
    needs_annotation: bool = False
    kind = "alias"


@dataclass(frozen=True, slots=True)
class Record:
    """A definition that is a class.

    Attributes:
        name: the class.
        pointer: the pointer to its schema.
        definition: the `$defs` name it stands for; None for an arm without one.
        description: the schema's words for it.
        members: all members, inherited ones included.
        base: the class it extends.
        owner: the union that an arm without a definition of its own is encoded as.
        absent: the wire names of the members that it must not have.
        discriminator: the wire name of the member whose value selects a subtype.
        subtypes: the records that are decoded instead, by that value.
    """

    name: str
    pointer: str
    definition: str | None
    description: str | None
    members: tuple[Member, ...]
    base: str | None = None
    owner: str | None = None
    absent: tuple[str, ...] = ()
    discriminator: str | None = None
    subtypes: tuple[Arm, ...] = ()
    kind = "record"


@dataclass(frozen=True, slots=True)
class Arm:
    """An alternative of a tagged union: the value of the tag, and the definition it selects."""

    tag: str
    target: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """The class for objects whose tag the schema does not list.

    Attributes:
        name: the class.
        known: the alias of the other classes of its union.
        pointer: the pointer to its schema, or to that of the union.
        members: the members that such an object has besides its tag.
        choice: alternatives of which it must be one, if the schema says so.
        synthetic: whether the schema has no such arm, and only the default mode keeps the object.
        ruled_out: tags that the schema rules out although no arm has them; only the default mode
            keeps such an object.
        refuses_ruled_out: whether policy closes the union, so that the default mode does not.
    """

    name: str
    known: str
    pointer: str
    members: tuple[Member, ...]
    choice: UntaggedUnion | None
    synthetic: bool
    ruled_out: tuple[str, ...] = ()
    refuses_ruled_out: bool = False


@dataclass(frozen=True, slots=True)
class TaggedUnion:
    """A union told apart by the value of one member, its tag.

    Attributes:
        tag: the wire name of that member.
        arms: the alternatives with a tag.
        default: the shape of an object without a listed tag, if the schema has such an arm.
        exclusive: whether an object with a listed tag must not match the default, too.
        unknown: the class for unlisted tags, if the union is open.
    """

    name: str
    pointer: str
    definition: str | None
    description: str | None
    tag: str
    arms: tuple[Arm, ...]
    default: Shape | None
    unknown: Unknown | None
    owner: str | None = None
    exclusive: bool = False
    kind = "union"


Definition: TypeAlias = Alias | Record | TaggedUnion


CapabilityForm: TypeAlias = Literal["object", "boolean", "value"]


@dataclass(frozen=True, slots=True)
class Capability:
    """Something that the side handling a method must have advertised in `initialize`.

    Attributes:
        pointer: leads to it in the JSON of the initialize params or result.
        path: leads to it by Python names.
        form: what advertises it: an object, true, or a value that only the program knows.
    """

    pointer: str
    path: tuple[str, ...]
    form: CapabilityForm = "object"


@dataclass(frozen=True, slots=True)
class CapabilityRequirement:
    """The capability that a member of params, or its items of one class, require.

    Attributes:
        member: its name in Python.
        kind: the class of those items; None if the member itself needs the capability.
    """

    member: str
    kind: str | None
    capability: Capability


@dataclass(frozen=True, slots=True)
class Method:
    """A request or notification.

    Attributes:
        wire: its wire name; None for the methods of extensions.
        name: the name of the Python method of handlers and stubs.
        side: who handles it: `agent`, `client`, `protocol` for either, or another such as `proxy`.
        kind: `request` or `notification`.
        params: the definition of its params.
        result: the definition of its result; None for a notification.
        capability: what it takes to call it.
        needs: what it takes to send members of the params.
        page: the page of the specification about it.
        null_id: whether the id of the request may be null.
        ends_updates: whether its response ends a sequence of updates.
    """

    wire: str | None
    name: str
    side: str
    kind: str
    params: str
    result: str | None
    capability: Capability | None = None
    needs: tuple[CapabilityRequirement, ...] = ()
    page: str | None = None
    null_id: bool = True
    ends_updates: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a schema file came from.

    Attributes:
        label: what to call that place, such as `npm:@agentclientprotocol/sdk@2.4.0`.
        path: the file within that source.
        sha256: of the file that was read, in hexadecimal.
    """

    label: str
    path: str
    sha256: str
