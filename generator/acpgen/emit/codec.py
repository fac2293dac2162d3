"""A surface as the templates of its types and codec see it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from acpgen.emit import quoting
from acpgen.ir import wording
from acpgen.ir.model import (
    Alias,
    AnyJson,
    Array,
    Boolean,
    Definition,
    Dictionary,
    Enumeration,
    Integer,
    Nullable,
    Record,
    Reference,
    Shape,
    String,
    TaggedUnion,
    Unknown,
    UntaggedUnion,
)
from acpgen.ir.surface import Surface


@dataclass(frozen=True, slots=True)
class EncoderEntry:
    """A class of a union, the tag to write for it, and the encoder for the rest."""

    name: str
    tag: str | None
    encoder: str


@dataclass(frozen=True, slots=True)
class CodecEntry:
    """A row of the table that `decode` and `encode` look types up in.

    Attributes:
        kind: `record`, `union` or `alias`: the function of the runtime that makes the row.
        decoder: the expression of its decoder.
    """

    kind: str
    name: str
    decoder: str
    encoder: str | None


def unknown_of(definition: Definition) -> Unknown | None:
    """The class for unlisted tags, if the definition is a union that has one."""
    return definition.unknown if isinstance(definition, TaggedUnion) else None


class View:
    """A surface as the templates see it: answers to the questions they ask."""

    def __init__(self, surface: Surface) -> None:
        self.surface = surface
        self.definitions = surface.definitions
        self.nested = self._nested()

    # --- definitions -------------------------------------------------------------------------

    def class_names(self) -> list[str]:
        """Every class and alias of `types.py`."""
        unknown = [u.name for d in self.definitions.values() if (u := unknown_of(d))]
        return sorted([*self.definitions, *unknown])

    def is_metadata_only(self, record: Record) -> bool:
        """Whether a record has nothing but an optional `_meta`, free-form or null."""
        if len(record.members) != 1 or record.discriminator is not None:
            return False
        [member] = record.members
        is_free = member.shape == Nullable(Dictionary(AnyJson()))
        is_plain = not member.required and member.on_null is None and member.const is None
        is_absent = member.on_error is None or member.on_error.absent
        names = (member.wire, member.name)
        return names == ("_meta", "meta") and is_free and is_plain and is_absent

    def is_object(self, name: str) -> bool:
        """Whether a definition is always an object with members of its own."""
        definition = self.definitions[name]
        if isinstance(definition, Alias):
            shape = definition.shape
            if isinstance(shape, Reference):
                return self.is_object(shape.name)
            return isinstance(shape, UntaggedUnion) and all(
                isinstance(arm.shape, Reference) and self.is_object(arm.shape.name)
                for arm in shape.arms
            )
        return True

    def _nested(self) -> frozenset[str]:
        """Definitions that a tagged union decodes into, so that they are handed its tag."""
        found: set[str] = set()
        pending: list[str] = []
        for definition in self.definitions.values():
            if isinstance(definition, TaggedUnion):
                pending += [arm.target for arm in definition.arms]
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending += self._targets(self.definitions[name])
        return frozenset(found)

    def _targets(self, definition: Definition) -> list[str]:
        """Definitions that decode the same object as this one does."""
        if isinstance(definition, Alias):
            return self._references(definition.shape)
        arms = definition.subtypes if isinstance(definition, Record) else definition.arms
        names = [arm.target for arm in arms]
        if isinstance(definition, TaggedUnion) and definition.default is not None:
            names += self._references(definition.default)
        return names

    def _references(self, shape: Shape) -> list[str]:
        if isinstance(shape, Reference):
            return [shape.name]
        if isinstance(shape, UntaggedUnion):
            return [name for arm in shape.arms for name in self._references(arm.shape)]
        return []

    def classes(self, shape: Shape) -> list[str]:
        """The classes that the values of a shape, or the items of its arrays, may have."""
        if isinstance(shape, UntaggedUnion):
            return [name for arm in shape.arms for name in self.classes(arm.shape)]
        if isinstance(shape, Array):
            return self.classes(shape.items)
        if isinstance(shape, Nullable):
            return self.classes(shape.shape)
        if not isinstance(shape, Reference):
            return []
        definition = self.definitions[shape.name]
        if isinstance(definition, Alias):
            return self.classes(definition.shape)
        if isinstance(definition, Record):
            return [definition.name, *(arm.target for arm in definition.subtypes)]
        return [leaf.name for leaf in self.leaves(definition)]

    def leaves(self, union: TaggedUnion) -> list[EncoderEntry]:
        """The classes of a tagged union."""
        found: list[EncoderEntry] = []
        for arm in union.arms:
            for name in self.classes(Reference(arm.target)):
                found.append(EncoderEntry(name, arm.tag, f"encode_{arm.target}"))
        if union.default is not None:
            for name in self.classes(union.default):
                found.append(EncoderEntry(name, None, f"_encode_{union.name}_default"))
        if union.unknown is not None:
            found.append(EncoderEntry(union.unknown.name, None, f"_encode_{union.unknown.name}"))
        return found

    def choice_encoders(self, choice: UntaggedUnion) -> list[EncoderEntry]:
        """The classes of an untagged union with their encoders."""
        return [leaf for arm in choice.arms for leaf in self._objects_in(arm.shape)]

    def _objects_in(self, shape: Shape) -> list[EncoderEntry]:
        """The classes of the objects that values of a shape are or hold, with their encoders."""
        match shape:
            case Array(inner) | Dictionary(inner) | Nullable(inner):
                return self._objects_in(inner)
            case UntaggedUnion():
                return self.choice_encoders(shape)
            case Reference(name) if self.is_object(name):
                return [EncoderEntry(each, None, f"encode_{name}") for each in self.classes(shape)]
            case Reference(name):
                definition = self.definitions[name]
                return self._objects_in(definition.shape) if isinstance(definition, Alias) else []
            case _:
                return []

    def is_apart(self, shape: Enumeration) -> bool:
        """Whether what an open enumeration takes besides its constants leaves some of them out."""
        match shape.other:
            case String(least, pattern):
                words = [value for value in shape.values if isinstance(value, str)]
                return any(len(word) < (least or 0) for word in words) or (
                    pattern is not None and any(not re.search(pattern, word) for word in words)
                )
            case Integer(low, high):
                numbers = [value for value in shape.values if isinstance(value, int)]
                return any(
                    (low is not None and number < low) or (high is not None and number > high)
                    for number in numbers
                )
            case _:
                return False

    def exports(self) -> tuple[list[CodecEntry], list[CodecEntry]]:
        """The table's rows: `$defs` names, and classes without a definition of their own."""
        named: list[CodecEntry] = []
        arms: list[CodecEntry] = []
        for name, definition in self.definitions.items():
            encoder = f"encode_{name}" if self.needs_encoder(Reference(name)) else None
            kind = "union" if self.is_object(name) else "alias"
            kind = "record" if isinstance(definition, Record) else kind
            row = CodecEntry(kind, name, f"decode_{name}", encoder)
            if definition.definition is not None:
                named.append(row)
            else:
                arms.append(self._arm_export(row, definition))
            unknown = unknown_of(definition)
            if unknown is not None and isinstance(definition, TaggedUnion):
                owner = definition.owner or name
                arms.append(self._owned("record", unknown.name, owner, [unknown.name]))
        return named, arms

    def _arm_export(self, row: CodecEntry, definition: Definition) -> CodecEntry:
        owner = definition.owner if isinstance(definition, Record | TaggedUnion) else None
        if isinstance(definition, Alias):
            owners = [self.definitions[name] for name in self.classes(definition.shape)]
            owner = next((each.owner for each in owners if isinstance(each, Record)), None)
        if owner is None:
            return row
        return self._owned(row.kind, row.name, owner, self.classes(Reference(row.name)))

    def _owned(self, kind: str, name: str, owner: str, classes: list[str]) -> CodecEntry:
        decoder = f"restrict_to_arm(decode_{owner}, {quoting.literal(name)}, {', '.join(classes)})"
        return CodecEntry(kind, name, decoder, f"encode_{owner}")

    # --- shapes ------------------------------------------------------------------------------

    def resolve(self, shape: Shape) -> Shape:
        """A shape without references to aliases of plain strings and booleans."""
        if isinstance(shape, Nullable):
            return replace(shape, shape=self.resolve(shape.shape))
        if isinstance(shape, Reference):
            definition = self.definitions[shape.name]
            if isinstance(definition, Alias):
                inner = self.resolve(definition.shape)
                if isinstance(inner, Boolean) or inner == String():
                    return inner
        return shape

    def unaliased(self, shape: Shape, items: bool) -> Shape:
        """A shape whose items are at hand, where they are to be judged one by one."""
        while items and isinstance(shape, Reference):
            definition = self.definitions[shape.name]
            if not isinstance(definition, Alias):
                break
            shape = definition.shape
        return shape

    def builtin(self, shape: Shape) -> str | None:
        """The Python class whose values are exactly those of a shape, if there is one."""
        if isinstance(shape, Boolean):
            return "bool"
        if shape == String():
            return "str"
        if isinstance(shape, Dictionary) and shape.values.kind == "anything":
            return "dict"
        return None

    def needs_encoder(self, shape: Shape) -> bool:
        """Whether values of a shape are not JSON already."""
        match shape:
            case Reference(name):
                definition = self.definitions[name]
                return not isinstance(definition, Alias) or self.needs_encoder(definition.shape)
            case Array(items):
                return self.needs_encoder(items)
            case Dictionary(values):
                return self.needs_encoder(values)
            case Nullable(inner):
                return self.needs_encoder(inner)
            case UntaggedUnion(arms):
                return any(self.needs_encoder(arm.shape) for arm in arms)
            case _:
                return False

    def json_types(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """JSON types as the runtime knows them: an integer is a number."""
        return tuple(dict.fromkeys("number" if each == "integer" else each for each in types))

    def has_annotated(self) -> bool:
        """Whether some alias is `Annotated` with its name."""
        return any(isinstance(d, Alias) and d.needs_annotation for d in self.definitions.values())

    def has_unknown(self) -> bool:
        """Whether some union has a class for unlisted tags."""
        return any(unknown_of(each) for each in self.definitions.values())

    def has_optional(self) -> bool:
        """Whether some record has a member that may be absent."""
        records = [each for each in self.definitions.values() if isinstance(each, Record)]
        return any(not member.required for record in records for member in record.members)

    def expected(self, shape: Shape) -> str:
        return wording.describe_expected(shape, self.definitions)

    def counts(self) -> dict[str, Any]:
        """Counts for the table at the end of `generate`."""
        kinds = [definition.kind for definition in self.definitions.values()]
        enums = [
            each
            for each in self.definitions.values()
            if isinstance(each, Alias) and each.shape.kind == "enumeration"
        ]
        unions = kinds.count("union") + sum(
            isinstance(each, Alias) and isinstance(each.shape, UntaggedUnion)
            for each in self.definitions.values()
        )
        methods = len({(m.side, m.wire) for m in self.surface.methods if m.wire})
        return {
            "records": kinds.count("record"),
            "unions": unions,
            "enums": len(enums),
            "methods": methods,
        }
