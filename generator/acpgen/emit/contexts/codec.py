"""A surface as the templates of its types and codec see it."""

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
    """How a class is encoded as a value of a union.

    Attributes:
        name: the class.
        tag: the tag to write for it, if any.
        encoder: the encoder of everything else.
        writer: its writer of text; None to encode first and then write.
    """

    name: str
    tag: str | None
    encoder: str
    writer: str | None = None


class CodecContext:
    """Answers the questions that templates ask about types.

    Attributes:
        definitions: the definitions that may be referred to, by name.
        own: the definitions of the surface itself.
        nested: the definitions whose decoders a tagged union calls, so that they are given the tags
            that it has read.
        inside: the definitions that members refer to, so that objects of any class may stand there.
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
        """Every class and alias of `types.py`."""
        unknown = map(unknown_of, self.own.values())
        return sorted([*self.own, *(union.name for union in unknown if union is not None)])

    def record_names(self) -> list[str]:
        """The classes of records: they can be extended."""
        return [name for name, item in self.own.items() if isinstance(item, Record)]

    def public_names(self) -> list[str]:
        """Every name of `types.py`: the classes and aliases, and the aliases of the known arms."""
        unknown = map(unknown_of, self.own.values())
        return sorted(
            [*self.class_names(), *(union.known for union in unknown if union is not None)]
        )

    def renamed(self) -> dict[str, str]:
        """Return the definitions with another class name, by that name."""
        return {
            name: each.definition
            for name, each in self.own.items()
            if each.definition not in (None, name)
        }

    def classes(self, shape: Shape) -> list[str]:
        """The classes of the objects that values of a shape are, or hold in arrays and maps."""
        return classes_of(shape, self.definitions)

    def is_metadata_only(self, record: Record) -> bool:
        """Whether a record has nothing but an optional `_meta`, free-form or null."""
        if len(record.members) != 1 or record.discriminator is not None or record.absent:
            return False
        [member] = record.members
        is_free = member.shape == Nullable(_FREE_FORM)
        is_plain = not member.required and member.on_null is None and member.const is None
        is_absent = member.on_error is None or member.on_error.absent
        names = (member.wire, member.name)
        return names == ("_meta", "meta") and is_free and is_plain and is_absent

    def is_object(self, name: str) -> bool:
        """Whether all values of a definition are objects with members of their own."""
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
        names: set[str] = set()
        for definition in definitions.values():
            if isinstance(definition, Record):
                shapes = [member.shape for member in definition.members]
            else:
                shapes = [definition.shape] if isinstance(definition, Alias) else []
            names.update(name for shape in shapes for name in references(shape))
        return frozenset(names)

    def _same_object(self, definition: Definition) -> list[str]:
        """The definitions that may decode the same object as this one."""
        shapes = [Reference(name) for name in arms_by_tag(definition).values()]
        default = definition.default if isinstance(definition, TaggedUnion) else None
        shape = definition.shape if isinstance(definition, Alias) else default
        inner = alternatives(shape) if shape is not None else ()
        return [shape.name for shape in (*shapes, *inner) if isinstance(shape, Reference)]

    # --- functions ---------------------------------------------------------------------------

    def decoder(self, name: str) -> str:
        """The expression of a definition's decoder."""
        return quoting.in_codec(name, "decode") if name in self._foreign else f"decode_{name}"

    def arm_decoder(self, name: str) -> str:
        """The expression of a decoder that a union may call with the tags that it has read."""
        # The decoder of another surface takes them only if a union there passes some.
        is_told = name in self.nested and name in self._foreign.keys() - self._foreign_nested
        return f"beside_tags({self.decoder(name)})" if is_told else self.decoder(name)

    def encoder(self, name: str) -> str:
        """The expression of a definition's encoder."""
        return quoting.in_codec(name, "encode") if name in self._foreign else f"encode_{name}"

    # --- encoders ----------------------------------------------------------------------------

    def union_encoders(self, union: TaggedUnion) -> list[EncoderEntry]:
        """The classes of a tagged union with their encoders."""
        entries = [
            EncoderEntry(name, arm.tag, self.encoder(arm.target), self._arm_writer(arm.target))
            for arm in union.arms
            for name in self.classes(Reference(arm.target))
        ]
        if union.default is not None:
            encoder = f"_encode_{union.name}_default"
            entries += [EncoderEntry(name, None, encoder) for name in self.classes(union.default)]
        if union.unknown is not None:
            entries.append(EncoderEntry(union.unknown.name, None, _unknown_encoder(union)))
        return entries

    def untagged_encoders(self, shape: Shape) -> list[EncoderEntry]:
        """The classes of the objects that values of a shape are or hold, with their encoders."""
        if isinstance(shape, Reference):
            if self.is_object(shape.name):
                encoder = self.encoder(shape.name)
                return [EncoderEntry(name, None, encoder) for name in self.classes(shape)]
            shape = resolve_alias(shape, self.definitions)
        return [entry for inner in inner_shapes(shape) for entry in self.untagged_encoders(inner)]

    def needs_encoder(self, shape: Shape) -> bool:
        """Whether some value of a shape is not JSON already."""
        if isinstance(shape, Reference):
            definition = self.definitions[shape.name]
            return not isinstance(definition, Alias) or self.needs_encoder(definition.shape)
        return any(self.needs_encoder(inner) for inner in inner_shapes(shape))

    def encodes(self, shape: Shape) -> bool:
        """Return whether a shape is encoded: some values are not JSON yet, or hold constants."""
        return self.needs_encoder(shape) or self._holds_constants(shape)

    def encoded_members(self, record: Record) -> list[Member]:
        """Return the members of a record with values that are encoded."""
        return [item for item in record.members if self.encodes(item.shape) and not item.const]

    def _holds_constants(self, shape: Shape) -> bool:
        """Return whether values of a shape are or contain constants of an open enumeration."""
        match shape:
            case Reference(name):
                definition = self.definitions[name]
                inner = definition.shape if isinstance(definition, Alias) else None
                return inner is not None and (
                    self.is_open_text(inner) or self._holds_constants(inner)
                )
            case UntaggedUnion():  # a value that one variant does not list can be valid for another
                return False
            case _:
                return any(self._holds_constants(inner) for inner in inner_shapes(shape))

    # --- writers -----------------------------------------------------------------------------

    def is_direct(self, shape: Shape) -> bool:
        """Whether the writer by itself writes nothing but values of a shape, without a decoder."""
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
        """Whether the encoder of a shape itself makes sure that decoding gives the value back."""
        inner = self.without_alias(shape)
        return inner != shape and isinstance(inner, UntaggedUnion) and self.needs_encoder(inner)

    def constants(self, shape: Enumeration) -> str:
        """The kind of all values of an enumeration: `string`, `integer` or `mixed`."""
        kinds = {"string" if isinstance(value, str) else "integer" for value in shape.values}
        kinds.add(shape.base.kind)
        return kinds.pop() if len(kinds) == 1 else "mixed"

    def leading(self, record: Record) -> list[Member]:
        """The members that begin the text of each object of a record, before the first optional."""

        def leads(member: Member) -> bool:
            return member.const is not None or (member.required and self.is_direct(member.shape))

        return list(takewhile(leads, record.members))

    def head(self, union: TaggedUnion, tag: str | None = None) -> str:
        """The text before the first member of an arm; within another union, without the brace."""
        brace = "" if union.name in self.nested else "{"
        if tag is None:
            return brace
        return f"{brace}{quoting.json_text(union.tag)}:{quoting.json_text(tag)},"

    def writer(self, name: str) -> str:
        """The expression of the writer of a record or tagged union."""
        return quoting.in_codec(name, "write") if name in self._foreign else f"write_{name}"

    def _writer(self, name: str) -> str | None:
        """The writer of a record or tagged union; None for all else."""
        return None if isinstance(self.definitions[name], Alias) else self.writer(name)

    def _arm_writer(self, name: str) -> str | None:
        """A writer that a union may call with the tags before the members, if there is one."""
        return None if name in self._foreign.keys() - self._foreign_nested else self._writer(name)

    # --- shapes ------------------------------------------------------------------------------

    def resolve(self, shape: Shape) -> Shape:
        """A shape without references to aliases whose values are just strings, or booleans."""
        if isinstance(shape, Nullable):
            return replace(shape, shape=self.resolve(shape.shape))
        inner = resolve_alias(shape, self.definitions)
        return inner if self.builtin(inner) in ("bool", "str") else shape

    def without_alias(self, shape: Shape) -> Shape:
        """A shape with aliases followed, so that its items can be decoded one by one."""
        return resolve_alias(shape, self.definitions)

    def builtin(self, shape: Shape) -> str | None:
        """The Python class whose instances are exactly the values of a shape, if there is one."""
        if isinstance(shape, Boolean):
            return "bool"
        if shape == String():
            return "str"
        return "dict" if shape == _FREE_FORM else None

    def is_plain_strings(self, shape: Array) -> bool:
        """Whether any strings are the items of an array, and any number of them."""
        return not shape.min_items and self.builtin(self.resolve(shape.items)) == "str"

    def needed(self, shape: Shape) -> str | None:
        """What all values of a shape have, as an expression: a member of that name, or a class."""
        inner = self.without_alias(shape)
        if isinstance(inner, Enumeration) and inner.other in (None, String()):
            return "str" if self.constants(inner) == "string" else None
        names = always_there(inner, self.definitions)
        return quoting.literal(names[0]) if names else None

    def is_own(self, name: str) -> bool:
        """Whether a definition is one of the surface itself."""
        return name not in self._foreign

    def is_closed_text(self, shape: Shape) -> bool:
        """Whether a shape is an enumeration of strings that takes no other value."""
        if not isinstance(shape, Enumeration) or self.constants(shape) != "string":
            return False
        return shape.other is None and not shape.lenient

    def is_open_text(self, shape: Shape) -> bool:
        """Return whether a shape is an enumeration that accepts any string, by schema or mode."""
        if not isinstance(shape, Enumeration) or self.constants(shape) != "string":
            return False
        return shape.other == String() or shape.lenient

    def is_text(self, shape: Shape) -> bool:
        """Return whether a shape is an enumeration with a table of its constants."""
        return self.is_closed_text(shape) or self.is_open_text(shape)

    def texts(self, shape: Enumeration) -> dict[str, str]:
        """Return the JSON text of each constant of an enumeration of strings."""
        return {str(value): quoting.json_text(str(value)) for value in shape.values}

    def rejects_constants(self, shape: Enumeration) -> bool:
        """Whether the shape for other values of an open enumeration rejects some constants."""
        match shape.other:
            case String(least, pattern):
                texts = [value for value in shape.values if isinstance(value, str)]
                return any(
                    len(text) < (least or 0) or (pattern and not re.search(pattern, text))
                    for text in texts
                )
            case Integer(low, high):
                numbers = [value for value in shape.values if isinstance(value, int)]
                return any(
                    (low is not None and number < low) or (high is not None and number > high)
                    for number in numbers
                )
            case None:
                return False

    def json_types(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """JSON types as the runtime knows them: an integer is a number."""
        return tuple(dict.fromkeys("number" if kind == "integer" else kind for kind in types))

    def expected(self, shape: Shape) -> str:
        """The JSON that a shape accepts, in the words of error messages."""
        return wording.describe_expected(shape, self.definitions)

    def in_python(self, shape: Array | Dictionary) -> str:
        """What an array or a map is in Python, in the words of error messages."""
        if isinstance(shape, Array):
            return f"a list of {wording.describe(shape.items, limits=False)}"
        return f"a dict of {wording.describe(shape.values, limits=False)}"

    def expected_tag(self, union: TaggedUnion) -> str:
        """The tags that a union allows besides those that its arm for others rules out."""
        known = [arm.tag for arm in union.arms]
        ruled_out = union.unknown.ruled_out if union.unknown else ()
        return f"{' or '.join(known)}, or none of {', '.join(ruled_out)}"

    # --- counts ------------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """The numbers of records, unions, enumerations and methods."""
        aliases = [item for item in self.own.values() if isinstance(item, Alias)]
        kinds = Counter(definition.kind for definition in self.own.values())
        untagged = sum(isinstance(alias.shape, UntaggedUnion) for alias in aliases)
        return {
            "records": kinds["record"],
            "unions": kinds["union"] + untagged,
            "enums": sum(isinstance(alias.shape, Enumeration) for alias in aliases),
            "methods": len({(m.side, m.wire) for m in self._methods if m.wire}),
        }


def _unknown_encoder(union: TaggedUnion) -> str:
    """The expression of the encoder of objects with unlisted tags."""
    assert union.unknown is not None, "the union is open"
    is_checked = union.unknown.members or union.unknown.choice
    check = f", check=_check_{union.unknown.name}" if is_checked else ""
    return f"partial(encode_unknown, tag={quoting.literal(union.tag)}, known=_{union.name}{check})"
