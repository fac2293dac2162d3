"""Python annotations, defaults and method parameters for fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acpgen.emit.python import quoting
from acpgen.ir.model import (
    AnyJson,
    Array,
    Boolean,
    Definition,
    Dictionary,
    Enumeration,
    Integer,
    Member,
    Null,
    Nullable,
    Number,
    Record,
    Reference,
    Shape,
    String,
    UntaggedUnion,
)
from acpgen.ir.queries import classes_of, find_member, unwrap
from acpgen.ir.surface import Surface

UNKNOWN = "unknown_fields"
UNKNOWN_PARAMETER = f"{UNKNOWN}: dict[str, Any] | None = None"
# The type of unknown strings in an open enumeration.
UNLISTED = "Unlisted"


class Parameters:
    """Parameters for the fields of classes, for use by templates."""

    def __init__(self, surface: Surface) -> None:
        self._definitions = surface.known

    def required(self, name: str, given: str = "", others: Sequence[str] = ()) -> list[str]:
        """Return the parameters for the required fields of a class.

        Args:
            name: the class.
            given: the wire name of a field to omit because its value is already known.
            others: classes with the same fields. The parameters also accept the types of these
                classes' fields.
        """
        members = self._members(name, given)
        return [self._parameter(member, others) for member in members if member.required]

    def optional(self, name: str, given: str = "", others: Sequence[str] = ()) -> list[str]:
        """Return the parameters for the optional fields of a class and for unknown fields."""
        members = self._members(name, given)
        parameters = [self._parameter(member, others) for member in members if not member.required]
        return [*parameters, UNKNOWN_PARAMETER]

    def arguments(self, name: str, given: str = "") -> str:
        """Return the arguments that pass the required and optional parameters to the class."""
        names = [*(member.name for member in self._members(name, given)), UNKNOWN]
        return ", ".join(f"{argument}={argument}" for argument in names)

    def has_meta(self, name: str) -> bool:
        """Return whether a class has the field `_meta`."""
        return find_member(self._definitions, name, "_meta") is not None

    def is_class(self, name: str) -> bool:
        """Return whether a definition is a class and therefore has parameters."""
        return isinstance(self._definitions[name], Record)

    def field(self, name: str, wire: str) -> str:
        """Return the Python name of a field of a record."""
        return next(each.name for each in self._members(name, "") if each.wire == wire)

    def test(self, name: str, wire: str) -> str:
        """Return an expression that checks whether a parameter's value has a field's type."""
        member = find_member(self._definitions, name, wire)
        assert member is not None, (name, wire)
        return f"isinstance({member.name}, {annotation(unwrap(member.shape, self._definitions))})"

    def _parameter(self, member: Member, others: Sequence[str]) -> str:
        named = (find_member(self._definitions, other, member.wire) for other in others)
        same = [member, *filter(None, named)]
        accepted = dict.fromkeys(parameter_annotation(m.shape, self._definitions) for m in same)
        return parameter(member, " | ".join(accepted))

    def _members(self, name: str, given: str) -> list[Member]:
        record = self._definitions[name]
        assert isinstance(record, Record), "only a class has a constructor"
        return constructor_members(record, given)


def constructor_members(record: Record, given: str) -> list[Member]:
    """Return the fields that methods accept to build a record, required fields first.

    `given` is the wire name of a field to omit because its value is already known.
    """
    taken = [member for member in record.members if member.const is None and member.wire != given]
    return sorted(taken, key=lambda member: not member.required)


def default(member: Member) -> str | None:
    """Return the Python default of a field as an expression, or None if it has no default."""
    if member.required:
        return None
    return "UNSET" if member.const is None else quoting.literal(member.const)


def parameter(member: Member, accepted: str) -> str:
    """Return a parameter for a field, with a default if the field is optional."""
    value = default(member)
    return f"{member.name}: {accepted}" + (f" | UnsetType = {value}" if value else "")


def parameter_annotation(shape: Shape, definitions: Mapping[str, Definition]) -> str:
    """Return the Python type of a parameter that accepts values of a shape.

    A list of objects is accepted as a `Sequence`, because a list of only some classes of a union
    does not match `list[Union]`. Other lists must be a `list`, because a string would match
    `Sequence[str]`.
    """
    match shape:
        case Array(items) if classes_of(items, definitions):
            return f"Sequence[{annotation(items)}]"
        case Nullable(inner):
            return f"{parameter_annotation(inner, definitions)} | None"
        case _:
            return annotation(shape)


def annotation(shape: Shape) -> str:
    """Return the Python type for values of a shape."""
    match shape:
        case AnyJson():
            return "Any"
        case Null():
            return "None"
        case Boolean():
            return "bool"
        case String():
            return "str"
        case Integer():
            return "int"
        case Number():
            return "float"
        case Enumeration(values, base, other, lenient):
            listed = f"Literal[{', '.join(map(quoting.literal, values))}]"
            others = UNLISTED if isinstance(base, String) else annotation(base)
            return f"{listed} | {others}" if other or lenient else listed
        case Array(items):
            return f"list[{annotation(items)}]"
        case Dictionary(values):
            return f"dict[str, {annotation(values)}]"
        case Reference(name):
            return name
        case Nullable(inner):
            return f"{annotation(inner)} | None"
        case UntaggedUnion(arms):
            return " | ".join(dict.fromkeys(annotation(arm.shape) for arm in arms))
