"""The intermediate representation: a schema in the terms of the output.

Frozen dataclasses without logic: `analysis` creates them; `emit`, `diff` and `reference` read them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

# --- shapes: sets of JSON values ----------------------------------------------------------------


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
    """A string, with a minimum length in characters or a pattern if the schema gives one."""

    min_length: int | None = None
    pattern: str | None = None
    # An annotation: the kind of string, such as `uri`.
    format: str | None = field(default=None, compare=False)
    kind = "string"


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer within inclusive bounds."""

    minimum: int | None = None
    maximum: int | None = None
    # An annotation. `uint16` and similar formats are not kept: the bounds express them.
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

    values: tuple[str | int, ...]  # the constants in the order of the schema
    base: String | Integer  # the shape of a constant
    # The other values that the schema itself allows; None when it is closed.
    other: String | Integer | None
    lenient: bool  # whether the default mode keeps unknown strings of a closed enumeration
    # The schema's description of each constant.
    descriptions: tuple[str | None, ...] = field(default=(), compare=False)
    kind = "enumeration"


@dataclass(frozen=True, slots=True)
class Array:
    """A list with a minimum length, `min_items`."""

    items: Shape
    min_items: int | None = None
    kind = "array"


@dataclass(frozen=True, slots=True)
class Dictionary:
    """An object used as a map: arbitrary names, with values of one shape."""

    values: Shape
    kind = "dictionary"


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to another definition by the name of its class or alias."""

    name: str
    kind = "reference"


@dataclass(frozen=True, slots=True)
class Nullable:
    """A shape or null."""

    shape: Shape
    kind = "nullable"


@dataclass(frozen=True, slots=True)
class UntaggedUnion:
    """An untagged union: its variants are distinguished by JSON type and required fields."""

    arms: tuple[UntaggedArm, ...]  # the variants in order; the first match is taken
    exclusive: bool  # whether a value that matches more than one of them is an error
    kind = "choice"


@dataclass(frozen=True, slots=True)
class UntaggedArm:
    """A variant of an `UntaggedUnion`."""

    shape: Shape
    types: tuple[str, ...]  # the JSON types it accepts (`integer` also counts as `number`)
    # Fields that must be present in the object, or in the array's first item.
    keys: tuple[str, ...]
    absent: tuple[str, ...] = ()  # fields that must not be present in the object


# Code over shapes has no silent `case _`, so that mypy finds the places a new kind affects.
Scalar: TypeAlias = AnyJson | Null | Boolean | String | Integer | Number | Enumeration
Shape: TypeAlias = Scalar | Array | Dictionary | Reference | Nullable | UntaggedUnion

# --- definitions: everything with a name in the output ------------------------------------------


@dataclass(frozen=True, slots=True)
class Fallback:
    """The repair that a vendor keyword prescribes: drop the field, or use a JSON value."""

    absent: bool
    value: Any = None


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a record."""

    wire: str  # its wire name
    name: str  # its name in Python
    shape: Shape  # the values it accepts
    required: bool
    pointer: str  # the pointer to its schema
    # The fallback of `x-deserialize-default-on-error`, if the field has that keyword.
    on_error: Fallback | None = None
    # The fallback of `x-deserialize-default-on-null`, if the field has that keyword.
    on_null: Fallback | None = None
    skip_invalid: bool = False  # whether it has `x-deserialize-skip-invalid-items`
    const: str | None = None  # a constant that the constructor fills in: the tag of a subtype
    description: str | None = None  # its description in the schema


@dataclass(frozen=True, slots=True)
class Alias:
    """A definition that is a Python type alias: a scalar, an enumeration, an untagged union."""

    name: str
    pointer: str
    definition: str | None
    description: str | None
    shape: Shape
    needs_annotation: bool = False  # whether its Python form does not identify the definition
    kind = "alias"


@dataclass(frozen=True, slots=True)
class Record:
    """A definition that is a class."""

    name: str  # the class
    pointer: str  # the pointer to its schema
    definition: str | None  # its name in `$defs`; None for a variant without one
    description: str | None  # its description in the schema
    members: tuple[Member, ...]  # all fields, including inherited ones
    base: str | None = None  # the base class
    owner: str | None = None  # for a variant without a definition, the union that encodes it
    absent: tuple[str, ...] = ()  # the wire names of fields that it must not have
    discriminator: str | None = None  # the wire name of the field that selects a subtype
    subtypes: tuple[Arm, ...] = ()  # the records that are decoded instead, by that field's value
    kind = "record"


@dataclass(frozen=True, slots=True)
class Arm:
    """A variant of a tagged union: the value of the tag, and the definition it selects."""

    tag: str
    target: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """The class for objects with a tag that is not in the schema."""

    name: str  # the class
    known: str  # the alias of the other classes of its union
    pointer: str  # the pointer to its schema, or to that of the union
    members: tuple[Member, ...]  # the fields of such an object besides its tag
    choice: UntaggedUnion | None  # variants, one of which it must match, if the schema says so
    # Whether the schema has no such variant, and only the default mode keeps the object.
    synthetic: bool
    # Tags that the schema excludes although no variant has them; only the default mode keeps such
    # an object.
    ruled_out: tuple[str, ...] = ()
    # Whether a decision in the overlay closes the union in the default mode.
    refuses_ruled_out: bool = False


@dataclass(frozen=True, slots=True)
class TaggedUnion:
    """A union whose variants are distinguished by the value of one field, the tag."""

    name: str
    pointer: str
    definition: str | None
    description: str | None
    tag: str  # the wire name of that field
    arms: tuple[Arm, ...]  # the variants with a tag
    # The shape of an object without a known tag, if the schema has such a variant.
    default: Shape | None
    unknown: Unknown | None  # the class for unknown tags, if the union is open
    owner: str | None = None
    exclusive: bool = False  # whether an object with a known tag must not also match the default
    kind = "union"


Definition: TypeAlias = Alias | Record | TaggedUnion


CapabilityForm: TypeAlias = Literal["object", "boolean", "value"]


@dataclass(frozen=True, slots=True)
class Capability:
    """A capability that the side handling a method must have advertised in `initialize`."""

    pointer: str  # the JSON pointer to it in the initialize params or result
    path: tuple[str, ...]  # the path to it by Python names
    # The value that advertises it: an object, true, or a value that only the program knows.
    form: CapabilityForm = "object"


@dataclass(frozen=True, slots=True)
class CapabilityRequirement:
    """The capability required by a field of params, or by its items of one class."""

    member: str  # its name in Python
    kind: str | None  # the class of those items; None if the field itself needs the capability
    capability: Capability


@dataclass(frozen=True, slots=True)
class Method:
    """A request or notification."""

    wire: str | None  # its wire name; None for the methods of extensions
    name: str  # the name of the Python method of handlers and stubs
    # The side that handles it: `agent`, `client`, `protocol` for both, or another such as `proxy`.
    side: str
    kind: str  # `request` or `notification`
    params: str  # the definition of its params
    result: str | None  # the definition of its result; None for a notification
    capability: Capability | None = None  # the capability required to call it
    needs: tuple[CapabilityRequirement, ...] = ()  # capabilities required by fields of the params
    page: str | None = None  # its page of the specification
    null_id: bool = True  # whether the id of the request may be null
    ends_updates: bool = False  # whether its response ends a sequence of updates


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a schema file."""

    label: str  # the name of the source, such as `npm:@agentclientprotocol/sdk@2.4.0`
    path: str  # the file within that source
    sha256: str  # the digest of the file that was read, in hexadecimal
