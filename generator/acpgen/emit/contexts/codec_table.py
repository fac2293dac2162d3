"""The table in which `decode` and `encode` of a surface look types up."""

from __future__ import annotations

from dataclasses import dataclass

from acpgen.emit.contexts.codec import CodecContext
from acpgen.emit.python import quoting
from acpgen.ir.model import Alias, Definition, Record, Reference, TaggedUnion
from acpgen.ir.queries import unknown_of


@dataclass(frozen=True, slots=True)
class CodecEntry:
    """A row of the table in which `decode` and `encode` look types up.

    Attributes:
        kind: the function of the runtime that makes the row: `record`, `alias` or `arm`.
        name: the class or alias.
        decoder: the expression of its decoder.
        encoder: the name of its encoder; None if its values are JSON already.
        writer: the expression of its writer, if it has one.
    """

    kind: str
    name: str
    decoder: str
    encoder: str | None
    writer: str | None = None


def entries(codec: CodecContext) -> tuple[list[CodecEntry], list[CodecEntry]]:
    """The rows for `$defs` names, and those for classes without a definition of their own."""
    named: list[CodecEntry] = []
    arms: list[CodecEntry] = []
    for name, definition in codec.own.items():
        row = _entry(codec, name, definition)
        if definition.definition is not None:
            named.append(row)
        else:
            arms.append(_arm_entry(codec, row, definition))
        unknown = unknown_of(definition)
        if isinstance(definition, TaggedUnion) and unknown is not None:
            owner = definition.owner or name
            arms.append(_arm(unknown.name, owner, [unknown.name]))
    return named, arms


def _entry(codec: CodecContext, name: str, definition: Definition) -> CodecEntry:
    encoder = f"encode_{name}" if codec.encodes(Reference(name)) else None
    writer: str | None
    match definition:
        case Record():
            kind, writer = "record", codec.writer(name)
        case TaggedUnion():
            kind, writer = "alias", codec.writer(name)
        case Alias() if codec.is_object(name):
            kind, writer = "alias", f"through({encoder}, decode_{name})"
        case Alias(shape=shape):
            kind, writer = "alias", f"write_{name}" if codec.is_open_text(shape) else None
    return CodecEntry(kind, name, f"decode_{name}", encoder, writer)


def _arm_entry(codec: CodecContext, row: CodecEntry, definition: Definition) -> CodecEntry:
    """The row of a class that is decoded and encoded as an arm of its union."""
    if isinstance(definition, Alias):
        # The class for unlisted tags is no definition.
        definitions = [codec.definitions.get(name) for name in codec.classes(definition.shape)]
        owner = next((class_.owner for class_ in definitions if isinstance(class_, Record)), None)
    else:
        owner = definition.owner
    if owner is None:
        return row
    return _arm(row.name, owner, codec.classes(Reference(row.name)))


def _arm(name: str, owner: str, classes: list[str]) -> CodecEntry:
    """The row of an arm of a union that is no definition."""
    listed = "" if classes == [name] else f", {', '.join(classes)}"
    decoder = f"{quoting.literal(owner)}, decode_{owner}"
    return CodecEntry("arm", name, decoder, f"encode_{owner}{listed}")
