"""Rules that convert JSON from one protocol version to the other.

The generated tables contain a rule for each definition whose values differ between the versions.
Definitions without a rule are identical in both versions, so their values are forwarded unchanged.
The values passed to a rule have already been decoded according to the sender's version, so their
types are valid. A value that the other version cannot express is converted to `LOST` and reported
to `Conversion.lose`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from ..values.deferred import dataclass
from ..values.errors import Path

if TYPE_CHECKING:
    from ..jsonrpc.method import Capability


class _Lost(enum.Enum):
    LOST = "LOST"


class _Empty(dict[Any, Any]):
    """An empty, hashable dict, which dataclasses accept as a default."""

    __hash__ = object.__hash__  # type: ignore[assignment]


# The result of converting a value that the other version cannot express.
LOST: Final = _Lost.LOST
_NONE: Final = _Empty()
JsonValue: TypeAlias = Any
# Values that are equivalent to an absent field.
_WITHOUT_CONTENT: Final[tuple[Any, ...]] = (None, [], {})


def object_at(value: JsonValue, name: str) -> dict[str, JsonValue]:
    """Return the object in a field of `value`, or {} if the field is absent or null."""
    inner: dict[str, JsonValue] | None = value.get(name)
    return {} if inner is None else inner


def without(value: JsonValue, *names: str) -> dict[str, JsonValue]:
    """Return an object without the named fields."""
    members: dict[str, JsonValue] = value
    return {name: member for name, member in members.items() if name not in names}


def filled(value: JsonValue, *besides: str) -> list[str]:
    """Return the names of an object's non-empty fields, except the names in `besides`."""
    members: dict[str, JsonValue] = value
    return [
        name
        for name, member in members.items()
        if name not in besides and member not in _WITHOUT_CONTENT
    ]


class Rule(Protocol):
    """A rule that converts the values of one definition or one field."""

    def convert(self, value: JsonValue, path: Path, to: Conversion) -> JsonValue:
        """Convert a value to the other version.

        Args:
            value: the value to convert, which is not modified.
            path: the value's path in the message.
            to: the conversion of the message, which reports losses.

        Returns:
            The converted value, or `LOST`.
        """
        ...


_FOREIGN = "the other protocol version defines a field with this name"

# A rule, or the name of a definition in the table.
Named: TypeAlias = "Rule | str"
Table: TypeAlias = Mapping[str, Named]


class Conversion:
    """The conversion of one message."""

    def __init__(self, table: Table, lose: Callable[[Path, str], None]) -> None:
        self._table = table
        self.lose = lose

    def convert(self, rule: Named, value: JsonValue, path: Path = ()) -> JsonValue:
        """Convert a value with a rule. Values of definitions without a rule are unchanged."""
        while isinstance(rule, str):
            if rule not in self._table:
                return value
            rule = self._table[rule]
        return rule.convert(value, path, self)


@dataclass(frozen=True, slots=True)
class Members:
    """The rule for an object. By default, the object's fields are unchanged.

    Attributes:
        fields: the rules for fields, by name.
        renamed: a mapping from this version's field names to the other version's field names, where
            they differ.
        lost: the fields that the other version does not define, each with the reason to report.
        foreign: the fields that only the other version defines. In this version, a field with such
            a name is an unknown field, which is dropped.
        required: the fields that the other version requires, by their names in this version. If one
            of these fields is lost, the entire object is lost.
        not_null: the fields that can be null only in this version. A null is omitted.
        implied: the fields, such as tags, that the other version neither defines nor needs. These
            fields are dropped without a report.
        added: the fields that the other version requires, each with the value to use if the field
            is absent.
    """

    fields: Mapping[str, Named] = _NONE
    renamed: Mapping[str, str] = _NONE
    lost: Mapping[str, str] = _NONE
    foreign: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()
    not_null: frozenset[str] = frozenset()
    implied: frozenset[str] = frozenset()
    added: Mapping[str, JsonValue] = _NONE

    def convert(self, value: JsonValue, path: Path, to: Conversion) -> JsonValue:
        converted: dict[str, JsonValue] = dict(self.added)
        for name, member in value.items():
            if name in self.implied:
                continue
            if name in self.lost:
                if member not in _WITHOUT_CONTENT:
                    to.lose((path, name), self.lost[name])
                continue
            if name in self.foreign:
                if self.added.get(name, LOST) != member:
                    to.lose((path, name), _FOREIGN)
                continue
            if member is None and name in self.not_null:
                if name not in self.required:
                    continue
                to.lose((path, name), "the other protocol version does not allow null")
                to.lose(path, f"the other protocol version requires {name!r}")
                return LOST
            rule = self.fields.get(name)
            if rule is not None and member is not None:
                member = to.convert(rule, member, (path, name))
            if member is LOST:
                if name in self.required:
                    to.lose(path, f"the other protocol version requires {name!r}")
                    return LOST
                continue
            converted[self.renamed.get(name, name)] = member
        return converted


@dataclass(frozen=True, slots=True)
class Values:
    """The rule for an open enumeration that is closed in the other version.

    Attributes:
        listed: the values that the other version defines.
        instead: the replacement for values that are in neither `listed` nor `replaced`, or `LOST`
            to omit such values.
        replaced: the replacements for specific values.
    """

    listed: frozenset[JsonValue]
    instead: JsonValue = LOST
    replaced: Mapping[JsonValue, JsonValue] = _NONE

    def convert(self, value: JsonValue, path: Path, to: Conversion) -> JsonValue:
        if value in self.listed:
            return value
        instead = self.replaced.get(value, self.instead)
        action = "omitting it" if instead is LOST else f"replacing it with {instead!r}"
        to.lose(path, f"the other protocol version does not define {value!r}; {action}")
        return instead


@dataclass(frozen=True, slots=True)
class Range:
    """The rule for a number with a narrower range in the other version.

    Attributes:
        minimum: the minimum in the other version, or None if there is no minimum.
        maximum: the maximum in the other version, or None if there is no maximum.
    """

    minimum: float | None = None
    maximum: float | None = None

    def convert(self, value: JsonValue, path: Path, to: Conversion) -> JsonValue:
        is_above = self.minimum is None or value >= self.minimum
        if is_above and (self.maximum is None or value <= self.maximum):
            return value
        to.lose(path, f"{value} is out of range in the other protocol version; omitting it")
        return LOST


@dataclass(frozen=True, slots=True)
class Items:
    """The rule for an array.

    Attributes:
        rule: the rule for the items, or None if the items are identical in both versions. Lost
            items are omitted.
        least: the minimum number of items in the other version.
    """

    rule: Named | None = None
    least: int = 0

    def convert(self, value: JsonValue, path: Path, to: Conversion) -> JsonValue:
        kept = value
        if self.rule is not None:
            items = [
                to.convert(self.rule, item, (path, number)) for number, item in enumerate(value)
            ]
            kept = [item for item in items if item is not LOST]
        if len(kept) < self.least:
            to.lose(path, f"the other protocol version requires at least {self.least} items")
            return LOST
        return kept


@dataclass(frozen=True, slots=True)
class Entries:
    """The rule for an object that is a map with arbitrary keys.

    Attributes:
        rule: the rule for the values. Entries with lost values are omitted.
    """

    rule: Named

    def convert(self, value: JsonValue, path: Path, to: Conversion) -> JsonValue:
        entries = {name: to.convert(self.rule, item, (path, name)) for name, item in value.items()}
        return {name: entry for name, entry in entries.items() if entry is not LOST}


@dataclass(frozen=True, slots=True)
class Arms:
    """The rule for a tagged union of objects.

    Attributes:
        tag: the field that contains the tag.
        arms: the rule for each variant that the other version defines, by tag. The rule is None if
            the variant is identical in both versions.
        lost: the variants that the other version does not define, each with the reason to report.
        default: the rule for objects without the tag, or None to leave such objects unchanged.
        is_open: whether the other version accepts objects with a tag that neither version defines.
        known: the tags that at least one of the versions defines.
        other: the rule for objects with a tag that neither version defines, or None to leave such
            objects unchanged.
    """

    tag: str
    arms: Mapping[str, Named | None]
    lost: Mapping[str, str] = _NONE
    default: Named | None = None
    is_open: bool = False
    known: frozenset[str] = frozenset()
    other: Named | None = None

    def convert(self, value: JsonValue, path: Path, to: Conversion) -> JsonValue:
        if self.tag not in value:
            return value if self.default is None else to.convert(self.default, value, path)
        tag = value[self.tag]
        if tag in self.arms:
            rule = self.arms[tag]
            return value if rule is None else to.convert(rule, value, path)
        if self.is_open and tag not in self.known:
            return value if self.other is None else to.convert(self.other, value, path)
        unlisted = f"the other protocol version does not define {self.tag} {tag!r}"
        to.lose(path, self.lost.get(tag, unlisted))
        return LOST


@dataclass(frozen=True, slots=True)
class ByMember:
    """The rule for a union of objects that are distinguished by their required fields.

    Attributes:
        rules: the rule for each variant, by the variant's required field. The rule is None if the
            variant is identical in both versions. The first of these fields that an object
            contains selects the rule.
        default: the rule for objects without any of these fields, or None to leave such objects
            unchanged.
    """

    rules: Mapping[str, Named | None]
    default: Named | None = None

    def convert(self, value: JsonValue, path: Path, to: Conversion) -> JsonValue:
        names = (name for name in self.rules if name in value)
        rule = self.rules.get(next(names, ""), self.default)
        return value if rule is None else to.convert(rule, value, path)


@dataclass(frozen=True, slots=True)
class Code:
    """A rule that calls a function.

    Attributes:
        function: the function to call with the arguments of `Rule.convert`.
    """

    function: Callable[[JsonValue, Path, Conversion], JsonValue]

    def convert(self, value: JsonValue, path: Path, to: Conversion) -> JsonValue:
        return self.function(value, path, to)


@dataclass(frozen=True, slots=True)
class Route:
    """The conversion of a method.

    Attributes:
        side: the side that handles the method.
        kind: `request` or `notification`.
        older: the method's name in the older version, or None if only the newer version defines it.
        newer: the method's name in the newer version, or None if only the older version defines it.
        how: `carried` if the rules for the params and result are sufficient, `translated` if code
            converts the method, or `absent` if the other version has no counterpart.
        params: the names of the params' definitions in the older and the newer version, with an
            empty string for a version that has no such definition.
        result: the names of the result's definitions, as for `params`, or None for a notification.
        reason: the reason why the method has no counterpart or must be translated by code.
    """

    side: str
    kind: str
    older: str | None
    newer: str | None
    how: Literal["carried", "translated", "absent"]
    params: tuple[str, str]
    result: tuple[str, str] | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Update:
    """The conversion of a session update type.

    Attributes:
        how: see `Route`.
        reason: the reason why the type has no counterpart or must be translated by code.
    """

    how: Literal["carried", "translated", "absent"]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Promise:
    """A message or message part for which only the receiver's version requires a capability.

    The sender's version allows the message regardless of the receiver's capabilities.

    Attributes:
        key: `method`, `method#field`, `method#field/tag`, or `definition/tag` for a variant.
        side: the side that receives the message.
        method: the method's name in the sender's version, or an empty string for a variant.
        member: the Python name of the field in the params, or an empty string for a complete
            message or a variant.
        kind: the class name of the field's items that require the capability, or an empty string if
            the field itself requires it.
        capability: the capability that the receiver must advertise.
        how: what happens if the receiver does not advertise the capability. `passed`: the message
            is sent anyway; `replaced`: the bridge handles the message; `refused`: the request gets
            an error; `translated`: the translator handles the message.
        reason: a sentence with the same information as `how`, for `on_loss`.
    """

    key: str
    side: str
    method: str
    member: str
    kind: str
    capability: Capability
    how: Literal["passed", "replaced", "refused", "translated"]
    reason: str

    @property
    def path(self) -> Path:
        """The path of the field in the params, or an empty path for a complete message."""
        _, _, place = self.key.partition("#")
        return ((), place.partition("/")[0]) if place else ()

    def is_used(self, params: object) -> bool:
        """Return whether the params contain the field or items that require the capability.

        Args:
            params: the params, decoded according to the sender's version.
        """
        if not self.member:
            return True
        value: Any = getattr(params, self.member, None)
        if not self.kind:
            return bool(value)
        return any(item.__class__.__name__ == self.kind for item in value or ())
