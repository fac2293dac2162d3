"""The table in which `decode` and `encode` of a surface look types up."""

from __future__ import annotations

from dataclasses import dataclass

from acpgen.emit import quoting
from acpgen.emit.context import CodecContext
from acpgen.ir.model import Alias, Definition, Record, Reference, TaggedUnion
from acpgen.ir.queries import unknown_of


@dataclass(frozen=True, slots=True)
class CodecEntry:
    """A row of the table in which `decode` and `encode` look types up.

    Attributes:
        kind: the function of the runtime that makes the row: `record`, `union` or `alias`.
        name: the class or alias.
        decoder: the expression of its decoder.
        encoder: the name of its encoder; None if its values are JSON already.
        writer: the name of its writer, if it has one, and what follows.
    """

    kind: str
    name: str
    decoder: str
    encoder: str | None
    writer: str | None = None


def entries(view: CodecContext) -> tuple[list[CodecEntry], list[CodecEntry]]:
    """The rows for `$defs` names, and those for classes without a definition of their own."""
    named: list[CodecEntry] = []
    arms: list[CodecEntry] = []
    for name, definition in view.own.items():
        row = _entry(view, name, definition)
        if definition.definition is not None:
            named.append(row)
        else:
            arms.append(_arm_entry(view, row, definition))
        unknown = unknown_of(definition)
        if isinstance(definition, TaggedUnion) and unknown is not None:
            owner = definition.owner or name
            arms.append(_arm(unknown.name, owner, [unknown.name]))
    return named, arms


def _entry(view: CodecContext, name: str, definition: Definition) -> CodecEntry:
    encoder = f"encode_{name}" if view.needs_encoder(Reference(name)) else None
    writer: str | None
    match definition:
        case Record():
            kind, writer = "record", view.writer(name)
        case TaggedUnion():
            kind, writer = "union", f"{view.writer(name)}, _{name}_encoders"
        case Alias() if view.is_object(name):
            kind, writer = "union", f"through({encoder}, decode_{name})"
        case Alias():
            kind, writer = "alias", None
    return CodecEntry(kind, name, f"decode_{name}", encoder, writer)


def _arm_entry(view: CodecContext, row: CodecEntry, definition: Definition) -> CodecEntry:
    """The row of a class that is decoded and encoded as an arm of its union."""
    if isinstance(definition, Alias):
        # The class for unlisted tags is no definition.
        found = [view.definitions.get(name) for name in view.classes(definition.shape)]
        owner = next((each.owner for each in found if isinstance(each, Record)), None)
    else:
        owner = definition.owner
    if owner is None:
        return row
    return _arm(row.name, owner, view.classes(Reference(row.name)))


def _arm(name: str, owner: str, classes: list[str]) -> CodecEntry:
    """The row of what is no definition, but an arm of a union."""
    listed = "" if classes == [name] else f", {', '.join(classes)}"
    decoder = f"{quoting.literal(owner)}, decode_{owner}"
    return CodecEntry("arm", name, decoder, f"encode_{owner}{listed}")
