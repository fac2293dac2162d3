"""One-line summaries of fields."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from acpgen.analysis.build_context import BuildContext
from acpgen.common.pointers import pointer_parts
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.ir.model import Alias, Definition, Member, Record, Reference
from acpgen.ir.queries import unknown_of

# The overlay key for field summaries that apply to any definition.
ANY_DEFINITION = "*"


def summarise_members(
    definitions: Mapping[str, Definition], context: BuildContext, version: str
) -> dict[tuple[str, str], str]:
    """Return the summary of each field in a protocol version, by class and wire name.

    A summary comes from the overlay or, if the overlay has none, from the field's type.
    """
    overlay = context.overlay
    lines: dict[tuple[str, str], str] = {}
    for name, member in members_by_class(definitions):
        path = _entry(overlay, version, name, member)
        if member.const is not None:
            lines[name, member.wire] = f"Always {json.dumps(member.const)}."
        elif path is not None:
            lines[name, member.wire] = overlay.members[path]
            context.matched.add(("members", *path))
        elif (line := _by_type(member, definitions, overlay)) is not None:
            lines[name, member.wire] = line
    return lines


def members_by_class(definitions: Mapping[str, Definition]) -> Iterator[tuple[str, Member]]:
    """Yield the fields of all classes, including classes for unknown tags, each with its class."""
    for definition in definitions.values():
        if isinstance(definition, Record):
            for member in definition.members:
                yield definition.name, member
        unknown = unknown_of(definition)
        if unknown is not None:
            for member in unknown.members:
                yield unknown.name, member


def definition_of(member: Member) -> str:
    """Return the `$defs` name of the definition that contains a field.

    A definition can contain the fields of several classes.
    """
    return pointer_parts(member.pointer)[1]


def _entry(overlay: Overlay, version: str, name: str, member: Member) -> tuple[str, ...] | None:
    """Return the path of a field's overlay entry under its class, its definition or `*`."""
    for owner in (name, definition_of(member), ANY_DEFINITION):
        for path in ((owner, version, member.wire), (owner, member.wire)):
            if path in overlay.members:
                return path
    return None


def _by_type(member: Member, definitions: Mapping[str, Definition], overlay: Overlay) -> str | None:
    """Return the summary of a required field's type if the field is named after the type.

    For example, `sessionId` is named after `SessionId`.
    """
    if not member.required or not isinstance(member.shape, Reference):
        return None
    definition = definitions[member.shape.name]
    name = definition.definition
    if not isinstance(definition, Alias) or name is None:
        return None
    is_named_after = member.wire == name[:1].lower() + name[1:]
    return overlay.summaries.get(name) if is_named_after else None
