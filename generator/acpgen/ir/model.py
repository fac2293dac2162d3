"""The intermediate representation of a schema, in terms of the generated Python code.

The intermediate representation consists of frozen dataclasses without logic. `analysis` creates the
objects. `emit`, `diff` and `acpdocs` read them.
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
    """The value null."""

    kind = "null"


@dataclass(frozen=True, slots=True)
class Boolean:
    """A boolean: true or false."""

    kind = "boolean"


@dataclass(frozen=True, slots=True)
class String:
    """A string with an optional minimum length, in characters, and an optional pattern."""

    min_length: int | None = None
    pattern: str | None = None
    # A format such as `uri`. Formats are only annotations and are not checked.
    format: str | None = field(default=None, compare=False)
    kind = "string"


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer with optional inclusive bounds."""

    minimum: int | None = None
    maximum: int | None = None
    # An annotation that is not checked. Formats such as `uint16` are not stored, since the bounds
    # express them.
    format: str | None = field(default=None, compare=False)
    kind = "integer"


@dataclass(frozen=True, slots=True)
class Number:
    """A number with optional inclusive bounds. The format of a number is only an annotation."""

    minimum: float | None = None
    maximum: float | None = None
    format: str | None = field(default=None, compare=False)
    kind = "number"


@dataclass(frozen=True, slots=True)
class Enumeration:
    """A set of allowed string or integer constants. The enumeration can also allow other values."""

    values: tuple[str | int, ...]  # the constants, in schema order
    base: String | Integer  # the shape of a constant
    # The shape of other values that the schema allows, or None if the enumeration is closed.
    other: String | Integer | None
    lenient: bool  # whether the default mode accepts unknown strings in a closed enumeration
    # The schema's description of each constant.
    descriptions: tuple[str | None, ...] = field(default=(), compare=False)
    kind = "enumeration"


@dataclass(frozen=True, slots=True)
class Array:
    """A list with an optional minimum length."""

    items: Shape
    min_items: int | None = None
    kind = "array"


@dataclass(frozen=True, slots=True)
class Dictionary:
    """An object used as a map: its field names are arbitrary, and its values share one shape."""

    values: Shape
    kind = "dictionary"


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a definition, by the name of its class or alias."""

    name: str
    kind = "reference"


@dataclass(frozen=True, slots=True)
class Nullable:
    """A shape or null."""

    shape: Shape
    kind = "nullable"


@dataclass(frozen=True, slots=True)
class UntaggedUnion:
    """A union whose variants are distinguished by JSON type and required fields, not by a tag."""

    arms: tuple[UntaggedArm, ...]  # the variants; the first match is used
    exclusive: bool  # whether a value that matches several variants is an error
    kind = "choice"


@dataclass(frozen=True, slots=True)
class UntaggedArm:
    """A variant of an `UntaggedUnion`."""

    shape: Shape
    types: tuple[str, ...]  # the accepted JSON types; `number` includes integers
    # Fields that the object, or the array's first item, must contain.
    keys: tuple[str, ...]
    absent: tuple[str, ...] = ()  # fields that the object must not contain


# `match` statements on shapes should not contain `case _` so that mypy reports the statements that
# do not handle a new shape.
Scalar: TypeAlias = AnyJson | Null | Boolean | String | Integer | Number | Enumeration
Shape: TypeAlias = Scalar | Array | Dictionary | Reference | Nullable | UntaggedUnion

# --- definitions: named types in the generated code ---------------------------------------------


@dataclass(frozen=True, slots=True)
class Fallback:
    """A repair of an invalid field, as specified by a vendor keyword."""

    absent: bool  # whether the repair drops the field
    value: Any = None  # the JSON value to use instead, unless the field is dropped


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a record."""

    wire: str  # the field's wire name
    name: str  # the field's name in Python
    shape: Shape  # the values that the field accepts
    required: bool
    pointer: str  # the pointer to the field's schema
    # The repair specified by `x-deserialize-default-on-error`, if the field has that keyword.
    on_error: Fallback | None = None
    # The repair specified by `x-deserialize-default-on-null`, if the field has that keyword.
    on_null: Fallback | None = None
    skip_invalid: bool = False  # whether the field has `x-deserialize-skip-invalid-items`
    const: str | None = None  # for a subtype's tag, the value that the constructor sets
    description: str | None = None  # the field's description in the schema


@dataclass(frozen=True, slots=True)
class Alias:
    """A definition that becomes a type alias, such as a scalar or an untagged union."""

    name: str
    pointer: str
    definition: str | None
    description: str | None
    shape: Shape
    needs_annotation: bool = False  # whether the definition can't be inferred from the Python type
    kind = "alias"


@dataclass(frozen=True, slots=True)
class Record:
    """A definition that becomes a class."""

    name: str  # the class name
    pointer: str  # the pointer to the record's schema
    definition: str | None  # the record's name in `$defs`, or None for a variant outside `$defs`
    description: str | None  # the record's description in the schema
    members: tuple[Member, ...]  # all fields, including inherited fields
    base: str | None = None  # the base class
    owner: str | None = None  # for a variant outside `$defs`, the union that encodes it
    absent: tuple[str, ...] = ()  # the wire names of fields that an object must not contain
    discriminator: str | None = None  # the wire name of the field that selects a subtype
    subtypes: tuple[Arm, ...] = ()  # the subtypes, each with the field value that selects it
    kind = "record"


@dataclass(frozen=True, slots=True)
class Arm:
    """A variant of a tagged union: a tag, and the definition that it selects."""

    tag: str
    target: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """The class for a union's objects with a tag that is not in the schema."""

    name: str  # the class name
    known: str  # the alias for all other classes of the union
    pointer: str  # the pointer to the class's schema or, if there is none, the union's schema
    members: tuple[Member, ...]  # the fields, excluding the tag
    choice: UntaggedUnion | None  # an untagged union that the object must also match, if any
    # Whether only the default mode accepts unknown tags, since the schema has no variant for them.
    synthetic: bool
    # Tags that the schema excludes even though no variant uses them. Strict mode rejects them.
    ruled_out: tuple[str, ...] = ()
    # Whether the default mode also rejects the tags in `ruled_out`, because `policy.toml` closes
    # the union.
    refuses_ruled_out: bool = False


@dataclass(frozen=True, slots=True)
class TaggedUnion:
    """A union whose variants are distinguished by the value of one field, the tag."""

    name: str
    pointer: str
    definition: str | None
    description: str | None
    tag: str  # the wire name of the tag
    arms: tuple[Arm, ...]  # the variants with a tag
    # The shape of objects without a known tag, if the schema has a variant for them.
    default: Shape | None
    unknown: Unknown | None  # the class for unknown tags, if the union is open
    owner: str | None = None
    # Whether an object with a known tag that also matches `default` is an error.
    exclusive: bool = False
    kind = "union"


Definition: TypeAlias = Alias | Record | TaggedUnion


CapabilityForm: TypeAlias = Literal["object", "boolean", "value"]


@dataclass(frozen=True, slots=True)
class Capability:
    """A capability that a side must advertise in `initialize` to receive calls to a method."""

    pointer: str  # the JSON pointer to the capability in the initialize params or result
    path: tuple[str, ...]  # the path in Python names
    # The value that advertises the capability: an object, true, or another value that the program
    # must set.
    form: CapabilityForm = "object"


@dataclass(frozen=True, slots=True)
class CapabilityRequirement:
    """A capability required to send a params field, or items of one class in that field."""

    member: str  # the field's Python name
    kind: str | None  # the class of the items, or None if the field itself requires the capability
    capability: Capability


@dataclass(frozen=True, slots=True)
class Method:
    """A request or notification method."""

    wire: str | None  # the method's wire name, or None for extension methods
    name: str  # the name of the Python method in handlers and stubs
    # The side that handles the method: `agent`, `client`, `protocol` for both the agent and the
    # client, or another side such as `proxy`.
    side: str
    kind: str  # `request` or `notification`
    params: str  # the definition of the params
    result: str | None  # the definition of the result, or None for a notification
    capability: Capability | None = None  # the capability required to call the method
    needs: tuple[CapabilityRequirement, ...] = ()  # capabilities required by fields of the params
    page: str | None = None  # the method's page in the specification
    null_id: bool = True  # whether the request's id may be null
    ends_updates: bool = False  # whether the response ends a sequence of updates


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a schema file."""

    label: str  # the name of the source, such as `npm:@agentclientprotocol/sdk@2.4.0`
    path: str  # the path of the file within that source
    sha256: str  # the SHA-256 digest of the file, in hexadecimal
