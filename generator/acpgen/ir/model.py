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
    """A string, with a least length in characters or a pattern where the schema gives one."""

    min_length: int | None = None
    pattern: str | None = None
    # An annotation: what the string is meant to be, such as `uri`.
    format: str | None = field(default=None, compare=False)
    kind = "string"


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer within inclusive bounds."""

    minimum: int | None = None
    maximum: int | None = None
    # An annotation. `uint16` and its like are not kept: the bounds say the same.
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
    """Named strings or integers."""

    values: tuple[str | int, ...]  # the constants the schema lists, in its order
    base: String | Integer  # the shape of a constant
    # What the schema itself allows besides the constants; None when it is closed.
    other: String | Integer | None
    lenient: bool  # whether the default mode keeps a string that a closed enumeration does not list
    # What the schema says about each constant.
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
    """An untagged union: told apart by JSON type and by required members."""

    arms: tuple[UntaggedArm, ...]  # the alternatives, in order; the first that fits is taken
    exclusive: bool  # whether a value that names more than one of them is an error
    kind = "choice"


@dataclass(frozen=True, slots=True)
class UntaggedArm:
    """One alternative of an `UntaggedUnion`."""

    shape: Shape  # what it decodes to
    types: tuple[str, ...]  # the JSON types it takes (`integer` counts as `number` too)
    # Members that must be present: of the object, or of the array's first item.
    keys: tuple[str, ...]
    absent: tuple[str, ...] = ()  # members that the object must not have


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
    """One member of a record."""

    wire: str  # its wire name
    name: str  # its name in Python
    shape: Shape  # the values it accepts
    required: bool  # whether the object must have it
    pointer: str  # the pointer to its schema
    # The fallback of `x-deserialize-default-on-error`, if it has that keyword.
    on_error: Fallback | None = None
    # The fallback of `x-deserialize-default-on-null`, if it has that keyword.
    on_null: Fallback | None = None
    skip_invalid: bool = False  # whether it has `x-deserialize-skip-invalid-items`
    const: str | None = None  # a constant that the constructor fills in: the tag of a subtype
    description: str | None = None  # the schema's words for it


@dataclass(frozen=True, slots=True)
class Alias:
    """A definition that is a Python type alias: a scalar, an enumeration, an untagged union."""

    name: str
    pointer: str
    definition: str | None
    description: str | None
    shape: Shape
    needs_annotation: bool = False  # whether its Python form alone does not identify the definition
    kind = "alias"


@dataclass(frozen=True, slots=True)
class Record:
    """A definition that is a class."""

    name: str  # the class
    pointer: str  # the pointer to its schema
    definition: str | None  # the `$defs` name it stands for; None for an arm without one
    description: str | None  # the schema's words for it
    members: tuple[Member, ...]  # all members, inherited ones included
    base: str | None = None  # the class it extends
    owner: str | None = None  # the union that an arm without a definition of its own is encoded as
    absent: tuple[str, ...] = ()  # the wire names of the members that it must not have
    discriminator: str | None = None  # the wire name of the member whose value selects a subtype
    subtypes: tuple[Arm, ...] = ()  # the records that are decoded instead, by that value
    kind = "record"


@dataclass(frozen=True, slots=True)
class Arm:
    """An alternative of a tagged union: the value of the tag, and the definition it selects."""

    tag: str
    target: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """The class for objects whose tag the schema does not list."""

    name: str  # the class
    known: str  # the alias of the other classes of its union
    pointer: str  # the pointer to its schema, or to that of the union
    members: tuple[Member, ...]  # the members that such an object has besides its tag
    choice: UntaggedUnion | None  # alternatives of which it must be one, if the schema says so
    # Whether the schema has no such arm, and only the default mode keeps the object.
    synthetic: bool
    # Tags that the schema rules out although no arm has them; only the default mode keeps such an
    # object.
    ruled_out: tuple[str, ...] = ()
    # Whether policy closes the union, so that the default mode does not.
    refuses_ruled_out: bool = False


@dataclass(frozen=True, slots=True)
class TaggedUnion:
    """A union told apart by the value of one member, its tag."""

    name: str
    pointer: str
    definition: str | None
    description: str | None
    tag: str  # the wire name of that member
    arms: tuple[Arm, ...]  # the alternatives with a tag
    # The shape of an object without a listed tag, if the schema has such an arm.
    default: Shape | None
    unknown: Unknown | None  # the class for unlisted tags, if the union is open
    owner: str | None = None
    exclusive: bool = False  # whether an object with a listed tag must not match the default, too
    kind = "union"


Definition: TypeAlias = Alias | Record | TaggedUnion


CapabilityForm: TypeAlias = Literal["object", "boolean", "value"]


@dataclass(frozen=True, slots=True)
class Capability:
    """Something that the side handling a method must have advertised in `initialize`."""

    pointer: str  # leads to it in the JSON of the initialize params or result
    path: tuple[str, ...]  # leads to it by Python names
    # What advertises it: an object, true, or a value that only the program knows.
    form: CapabilityForm = "object"


@dataclass(frozen=True, slots=True)
class CapabilityRequirement:
    """The capability that a member of params, or its items of one class, require."""

    member: str  # its name in Python
    kind: str | None  # the class of those items; None if the member itself needs the capability
    capability: Capability


@dataclass(frozen=True, slots=True)
class Method:
    """A request or notification."""

    wire: str | None  # its wire name; None for the methods of extensions
    name: str  # the name of the Python method of handlers and stubs
    # Who handles it: `agent`, `client`, `protocol` for either, or another such as `proxy`.
    side: str
    kind: str  # `request` or `notification`
    params: str  # the definition of its params
    result: str | None  # the definition of its result; None for a notification
    capability: Capability | None = None  # what it takes to call it
    needs: tuple[CapabilityRequirement, ...] = ()  # what it takes to send members of the params
    page: str | None = None  # the page of the specification about it
    null_id: bool = True  # whether the id of the request may be null
    ends_updates: bool = False  # whether its response ends a sequence of updates


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a schema file came from."""

    label: str  # what to call that place, such as `npm:@agentclientprotocol/sdk@2.4.0`
    path: str  # the file within that source
    sha256: str  # of the file that was read, in hexadecimal
