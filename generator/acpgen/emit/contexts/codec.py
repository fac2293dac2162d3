"""The types of a surface, for use by the templates of `types.py` and `codec.py`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import takewhile

from acpgen.emit.python import quoting
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
    Member,
    Null,
    Nullable,
    Number,
    Record,
    Reference,
    Shape,
    String,
    TaggedUnion,
    UntaggedUnion,
)
from acpgen.ir.queries import (
    alternatives,
    always_there,
    arms_by_tag,
    classes_of,
    inner_shapes,
    references,
    resolve_alias,
    unknown_of,
)
from acpgen.ir.surface import Surface

_FREE_FORM = Dictionary(AnyJson())


@dataclass(frozen=True, slots=True)
class EncoderEntry:
    """A class in a union, and the functions that encode its instances."""

    name: str  # the class
    tag: str | None  # the tag to encode, if any
    encoder: str  # the expression for the encoder of the object without its tag
    writer: str | None = None  # the function that writes JSON text, or None if the encoder is used


@dataclass(frozen=True, slots=True)
class CodecEntry:
    """A row of the table that `decode` and `encode` use to look up types."""

    kind: str  # the runtime function that creates the row: `record`, `alias` or `arm`
    name: str  # the class or alias
    decoder: str  # the expression for the decoder
    encoder: str | None  # the name of the encoder, or None if the values are already JSON
    writer: str | None = None  # the expression for the writer, if there is one


class CodecContext:
    """Queries about types, for use by templates.

    Attributes:
        definitions: the definitions to which the surface can refer, by name.
        own: the definitions of the surface itself.
        nested: the definitions whose decoders are called by tagged unions and accept the tags that
            the unions have already read.
        inside: the definitions to which fields refer. Their writers must accept objects of any
            class, since a field can contain an object of the wrong class.
    """

    def __init__(self, surface: Surface) -> None:
        self.definitions = surface.known
        self.own = surface.definitions
        self._foreign = surface.foreign
        self._foreign_nested = self._nested(surface.foreign)
        self._foreign_inside = self._inside(surface.foreign)
        self.nested = self._nested(surface.known)
        self.inside = self._inside(surface.known)
        self._methods = surface.methods

    # --- definitions -------------------------------------------------------------------------

    def class_names(self) -> list[str]:
        """Return the classes and aliases in `types.py`, except aliases for known variants."""
        unknown = [unknown_of(definition) for definition in self.own.values()]
        return sorted([*self.own, *(union.name for union in unknown if union is not None)])

    def public_names(self) -> list[str]:
        """Return the names of all classes and aliases in `types.py`."""
        unknown = [unknown_of(definition) for definition in self.own.values()]
        known = [union.known for union in unknown if union is not None]
        return sorted([*self.class_names(), *known])

    def record_names(self) -> list[str]:
        """Return the classes of records, which users can extend."""
        return [name for name, item in self.own.items() if isinstance(item, Record)]

    def renamed(self) -> dict[str, str]:
        """Return the definitions whose names differ from their class names, by class name."""
        return {
            name: each.definition
            for name, each in self.own.items()
            if each.definition not in (None, name)
        }

    def classes(self, shape: Shape) -> list[str]:
        """Return the classes of a shape's values, and of their items if they are lists or maps."""
        return classes_of(shape, self.definitions)

    def is_metadata_only(self, record: Record) -> bool:
        """Return whether the only field of a record is an optional, nullable, free-form `_meta`."""
        if len(record.members) != 1 or record.discriminator is not None or record.absent:
            return False
        [member] = record.members
        is_free = member.shape == Nullable(_FREE_FORM)
        is_plain = not member.required and member.on_null is None and member.const is None
        is_absent = member.on_error is None or member.on_error.absent
        names = (member.wire, member.name)
        return names == ("_meta", "meta") and is_free and is_plain and is_absent

    def is_object(self, name: str) -> bool:
        """Return whether all values of a definition are instances of generated classes."""
        definition = self.definitions[name]
        if not isinstance(definition, Alias):
            return True
        shapes = list(alternatives(definition.shape))
        return all(isinstance(shape, Reference) and self.is_object(shape.name) for shape in shapes)

    def _nested(self, definitions: Mapping[str, Definition]) -> frozenset[str]:
        unions = [item for item in definitions.values() if isinstance(item, TaggedUnion)]
        pending = [arm.target for union in unions for arm in union.arms]
        reached: set[str] = set()
        while pending:
            name = pending.pop()
            if name not in reached:
                reached.add(name)
                pending += self._same_object(self.definitions[name])
        return frozenset(reached)

    def _inside(self, definitions: Mapping[str, Definition]) -> frozenset[str]:
        shapes: list[Shape] = []
        for definition in definitions.values():
            match definition:
                case Record(members=members):
                    shapes += [member.shape for member in members]
                case Alias(shape=shape):
                    shapes.append(shape)
                case TaggedUnion():
                    pass
        return frozenset(name for shape in shapes for name in references(shape))

    def _same_object(self, definition: Definition) -> list[str]:
        """Return the definitions to which a definition can delegate the decoding of an object."""
        shapes = [Reference(name) for name in arms_by_tag(definition).values()]
        default = definition.default if isinstance(definition, TaggedUnion) else None
        shape = definition.shape if isinstance(definition, Alias) else default
        inner = alternatives(shape) if shape is not None else ()
        return [shape.name for shape in (*shapes, *inner) if isinstance(shape, Reference)]

    # --- functions ---------------------------------------------------------------------------

    def decoder(self, name: str) -> str:
        """Return the expression for a definition's decoder."""
        return self._function("decode", name)

    def encoder(self, name: str) -> str:
        """Return the expression for a definition's encoder."""
        return self._function("encode", name)

    def writer(self, name: str) -> str:
        """Return the expression for the writer of a record or tagged union."""
        return self._function("write", name)

    def _function(self, kind: str, name: str) -> str:
        return f"{kind}_{name}" if self.is_own(name) else quoting.in_codec(name, kind)

    def arm_decoder(self, name: str) -> str:
        """Return the expression for a variant's decoder, which accepts the union's tags."""
        is_told = name in self.nested and not self._accepts_tags(name)
        return f"beside_tags({self.decoder(name)})" if is_told else self.decoder(name)

    def _accepts_tags(self, name: str) -> bool:
        """Return whether the functions for a definition accept the tags of a union.

        Functions of another surface accept tags only if the definition is a variant there.
        """
        return self.is_own(name) or name in self._foreign_nested

    # --- encoders ----------------------------------------------------------------------------

    def union_encoders(self, union: TaggedUnion) -> list[EncoderEntry]:
        """Return the classes of a tagged union with their encoders."""
        entries: list[EncoderEntry] = []
        for arm in union.arms:
            is_alias = isinstance(self.definitions[arm.target], Alias)
            has_writer = self._accepts_tags(arm.target) and not is_alias
            writer = self.writer(arm.target) if has_writer else None
            encoder, classes = self.encoder(arm.target), self.classes(Reference(arm.target))
            entries += [EncoderEntry(name, arm.tag, encoder, writer) for name in classes]
        if union.default is not None:
            encoder = f"_encode_{union.name}_default"
            entries += [EncoderEntry(name, None, encoder) for name in self.classes(union.default)]
        if union.unknown is not None:
            name = union.unknown.name
            is_checked = union.unknown.members or union.unknown.choice
            check = f", check=_check_{name}" if is_checked else ""
            arguments = f"tag={quoting.literal(union.tag)}, known=_{union.name}{check}"
            entries.append(EncoderEntry(name, None, f"partial(encode_unknown, {arguments})"))
        return entries

    def untagged_encoders(self, shape: Shape) -> list[EncoderEntry]:
        """Return the classes of a shape's values, including nested values, with their encoders."""
        if isinstance(shape, Reference):
            if self.is_object(shape.name):
                encoder = self.encoder(shape.name)
                return [EncoderEntry(name, None, encoder) for name in self.classes(shape)]
            shape = resolve_alias(shape, self.definitions)
        return [entry for inner in inner_shapes(shape) for entry in self.untagged_encoders(inner)]

    def needs_encoder(self, shape: Shape) -> bool:
        """Return whether some values of a shape are not already JSON values."""
        if isinstance(shape, Reference):
            definition = self.definitions[shape.name]
            return not isinstance(definition, Alias) or self.needs_encoder(definition.shape)
        return any(self.needs_encoder(inner) for inner in inner_shapes(shape))

    def encodes(self, shape: Shape) -> bool:
        """Return whether some values of a shape need an encoder or contain constants."""
        return self.needs_encoder(shape) or self._holds_constants(shape)

    def encoded_members(self, record: Record) -> list[Member]:
        """Return a record's fields whose values must be encoded."""
        return [item for item in record.members if self.encodes(item.shape) and not item.const]

    def _holds_constants(self, shape: Shape) -> bool:
        """Return whether values of a shape are or contain constants of an open enumeration."""
        match shape:
            case Reference(name):
                definition = self.definitions[name]
                if not isinstance(definition, Alias):
                    return False
                return self.is_open_text(definition.shape) or self._holds_constants(
                    definition.shape
                )
            case UntaggedUnion():  # a value unknown to one variant can be valid for another
                return False
            case _:
                return any(self._holds_constants(inner) for inner in inner_shapes(shape))

    # --- writers -----------------------------------------------------------------------------

    def is_direct(self, shape: Shape) -> bool:
        """Return whether a shape's writer rejects all invalid values without using a decoder."""
        match shape:
            case Reference(name):
                definition = self.definitions[name]
                if isinstance(definition, Alias):
                    is_closed = self.is_own(name) and self.is_closed_text(definition.shape)
                    return is_closed or self.is_direct(definition.shape)
                return self.is_own(name) or name in self._foreign_inside
            case UntaggedUnion() | Null():
                return False
            case String() | Number():
                return shape in (String(), Number())
            case Enumeration(other=other, lenient=lenient):
                return self.constants(shape) == "string" and (lenient or other == String())
            case _:
                return all(self.is_direct(inner) for inner in inner_shapes(shape))

    def is_unshadowed(self, shape: Shape) -> bool:
        """Return whether a shape's encoder checks that its result decodes to the original value."""
        inner = self.without_alias(shape)
        return inner != shape and isinstance(inner, UntaggedUnion) and self.needs_encoder(inner)

    def constants(self, shape: Enumeration) -> str:
        """Return the kind of all values of an enumeration: `string`, `integer` or `mixed`."""
        kinds = {"string" if isinstance(value, str) else "integer" for value in shape.values}
        kinds.add(shape.base.kind)
        return kinds.pop() if len(kinds) == 1 else "mixed"

    def leading(self, record: Record) -> list[Member]:
        """Return the fields that always come first in the JSON text of a record."""

        def leads(member: Member) -> bool:
            return member.const is not None or (member.required and self.is_direct(member.shape))

        return list(takewhile(leads, record.members))

    def head(self, union: TaggedUnion, tag: str | None = None) -> str:
        """Return the text before a variant's first field.

        The text has no opening brace if another union contains this union.
        """
        brace = "" if union.name in self.nested else "{"
        if tag is None:
            return brace
        return f"{brace}{quoting.json_text(union.tag)}:{quoting.json_text(tag)},"

    # --- shapes ------------------------------------------------------------------------------

    def resolve(self, shape: Shape) -> Shape:
        """Return a shape with aliases for plain strings and booleans resolved."""
        if isinstance(shape, Nullable):
            return replace(shape, shape=self.resolve(shape.shape))
        inner = resolve_alias(shape, self.definitions)
        return inner if self.builtin(inner) in ("bool", "str") else shape

    def without_alias(self, shape: Shape) -> Shape:
        """Resolve aliases so that the items of an array can be decoded individually."""
        return resolve_alias(shape, self.definitions)

    def builtin(self, shape: Shape) -> str | None:
        """Return the built-in class whose instances are exactly a shape's values, if any."""
        if isinstance(shape, Boolean):
            return "bool"
        if shape == String():
            return "str"
        return "dict" if shape == _FREE_FORM else None

    def is_plain_strings(self, shape: Array) -> bool:
        """Return whether an array accepts any number of arbitrary strings."""
        return not shape.min_items and self.builtin(self.resolve(shape.items)) == "str"

    def needed(self, shape: Shape) -> str | None:
        """Return an expression for a class or field that all values of a shape share, if any."""
        inner = self.without_alias(shape)
        if isinstance(inner, Enumeration) and inner.other in (None, String()):
            return "str" if self.constants(inner) == "string" else None
        names = always_there(inner, self.definitions)
        return quoting.literal(names[0]) if names else None

    def is_own(self, name: str) -> bool:
        """Return whether a definition belongs to the surface itself."""
        return name not in self._foreign

    def is_outer_union(self, shape: Shape) -> bool:
        """Return whether a shape is a tagged union of this surface that no other union contains."""
        if not isinstance(shape, Reference) or not self.is_own(shape.name):
            return False
        is_union = isinstance(self.definitions[shape.name], TaggedUnion)
        return is_union and shape.name not in self.nested

    def is_closed_text(self, shape: Shape) -> bool:
        """Return whether a shape is a closed enumeration of strings."""
        if not isinstance(shape, Enumeration) or self.constants(shape) != "string":
            return False
        return shape.other is None and not shape.lenient

    def is_open_text(self, shape: Shape) -> bool:
        """Return whether a shape is an enumeration that accepts any string in the default mode."""
        if not isinstance(shape, Enumeration) or self.constants(shape) != "string":
            return False
        return shape.other == String() or shape.lenient

    def texts(self, shape: Enumeration) -> dict[str, str]:
        """Map each constant in a string enumeration to its JSON text."""
        return {str(value): quoting.json_text(str(value)) for value in shape.values}

    def rejects_constants(self, shape: Enumeration) -> bool:
        """Return whether an enumeration's shape for unlisted values rejects any listed value."""

        def is_rejected(value: str | int) -> bool:
            match shape.other, value:
                case String(least, pattern), str():
                    return len(value) < (least or 0) or bool(
                        pattern and not re.search(pattern, value)
                    )
                case Integer(low, high), int():
                    return (low is not None and value < low) or (high is not None and value > high)
                case _:
                    return False

        return any(map(is_rejected, shape.values))

    def json_types(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """Convert JSON types to the types that the runtime uses, where integers are numbers."""
        return tuple(dict.fromkeys("number" if kind == "integer" else kind for kind in types))

    def expected(self, shape: Shape) -> str:
        """Describe the JSON that a shape accepts, for use in error messages."""
        return wording.describe_expected(shape, self.definitions)

    def in_python(self, shape: Array | Dictionary) -> str:
        """Describe the Python type of an array or a map, for use in error messages."""
        kind, inner = ("list", shape.items) if isinstance(shape, Array) else ("dict", shape.values)
        return f"a {kind} of {wording.describe(inner, limits=False)}"

    def expected_tag(self, union: TaggedUnion) -> str:
        """Describe the tags that a union accepts, for use in error messages."""
        known = [arm.tag for arm in union.arms]
        ruled_out = union.unknown.ruled_out if union.unknown else ()
        return f"{' or '.join(known)}, or none of {', '.join(ruled_out)}"

    # --- counts ------------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """Count the records, unions, enumerations and methods."""
        aliases = [item for item in self.own.values() if isinstance(item, Alias)]
        kinds = Counter(definition.kind for definition in self.own.values())
        untagged = sum(isinstance(alias.shape, UntaggedUnion) for alias in aliases)
        return {
            "records": kinds["record"],
            "unions": kinds["union"] + untagged,
            "enums": sum(isinstance(alias.shape, Enumeration) for alias in aliases),
            "methods": len({(m.side, m.wire) for m in self._methods if m.wire}),
        }

    # --- the table ---------------------------------------------------------------------------

    def entries(self) -> tuple[list[CodecEntry], list[CodecEntry]]:
        """Return the rows for definitions and the rows for classes without a definition."""
        named: list[CodecEntry] = []
        arms: list[CodecEntry] = []
        for name, definition in self.own.items():
            if definition.definition is not None:
                named.append(self._entry(name, definition))
            else:
                owner, classes = self._owner(definition), self.classes(Reference(name))
                row = _arm_entry(name, owner, classes) if owner else self._entry(name, definition)
                arms.append(row)
            unknown = unknown_of(definition)
            if isinstance(definition, TaggedUnion) and unknown is not None:
                arms.append(_arm_entry(unknown.name, definition.owner or name, [unknown.name]))
        return named, arms

    def _entry(self, name: str, definition: Definition) -> CodecEntry:
        encoder = f"encode_{name}" if self.encodes(Reference(name)) else None
        writer: str | None = f"write_{name}"
        if isinstance(definition, Alias):
            if self.is_object(name):
                writer = f"through({encoder}, decode_{name})"
            elif not self.is_open_text(definition.shape):
                writer = None
        kind = "record" if isinstance(definition, Record) else "alias"
        return CodecEntry(kind, name, f"decode_{name}", encoder, writer)

    def _owner(self, definition: Definition) -> str | None:
        """Return the union that decodes and encodes a definition as a variant, if any."""
        if not isinstance(definition, Alias):
            return definition.owner
        # The class for unknown tags is not a definition.
        classes = [self.definitions.get(name) for name in self.classes(definition.shape)]
        return next((each.owner for each in classes if isinstance(each, Record)), None)


def _arm_entry(name: str, owner: str, classes: list[str]) -> CodecEntry:
    """Return the row for a variant without a definition."""
    listed = "" if classes == [name] else f", {', '.join(classes)}"
    decoder = f"{quoting.literal(owner)}, decode_{owner}"
    return CodecEntry("arm", name, decoder, f"encode_{owner}{listed}")
