"""Describe how the generator understood one definition, method or member, as plain data."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from acpgen.analysis.extension import read_source
from acpgen.analysis.surface import understand
from acpgen.common import paths
from acpgen.common.problems import InputError, Problem
from acpgen.emit.contexts.codec import CodecContext
from acpgen.emit.python.formatting import format_module
from acpgen.emit.types import write_types
from acpgen.inputs.sources.fetch import fetch
from acpgen.inputs.sources.files import locate_schemas, newest_surface, surface_order
from acpgen.ir import wording
from acpgen.ir.model import Definition, Member, Method, Record, TaggedUnion, UntaggedUnion
from acpgen.ir.queries import members_of, takes_null, target, unknown_of
from acpgen.ir.surface import Surface


def inspect(
    source: str | None,
    surface: str | None,
    name: str,
    *,
    is_extension: bool = False,
    strict: bool = False,
) -> tuple[dict[str, Any], list[Problem]]:
    """Describe a definition, a class, a method, or a member of a record.

    Args:
        source: the schema, as `fetch` takes it; None for the vendored schema.
        surface: the surface to look in; None for the first one that has the name.
        name: of a definition, a class or a method; a path to a member, such as `ToolCall.title`; or
            `SOURCE#NAME` with one of these.
        is_extension: whether the schema is that of an extension of the surface.
        strict: whether parts of the schema that would not be checked are errors.

    Returns:
        The description, and notes about what is not checked.

    Raises:
        InputError: the schema cannot be used, or has no such name; suggests similar ones.
    """
    if source is None and "#" in name:
        before, _, name = name.rpartition("#")
        source = before or None
        name = name.removeprefix("/$defs/")
    if source is None:
        described, notes = _search(_built(None, surface, strict), name, surface)
    elif is_extension:
        read = read_source(
            source, surface or newest_surface(), strict=strict, allow_unprefixed=True
        )
        described, notes = _search([(read.surface, list(read.notes))], name, surface)
    else:
        with fetch(source) as fetched:
            described, notes = _search(_built(fetched.path, surface, strict), name, surface)
        notes = fetched.renamed(notes)
    return described, [note for note in notes if note.code == "unchecked"]


def _built(
    schema: Path | None, surface: str | None, strict: bool
) -> Iterator[tuple[Surface, list[Problem]]]:
    """Build the surfaces to look in, one after the other, each with its notes."""
    if surface is not None:
        names = [surface]
    elif schema is not None and schema.is_file():
        names = [newest_surface()]
    else:
        located = [file.surface for file in locate_schemas(schema or paths.SCHEMA, [])]
        # The newest version first, and its stable surface before the unstable one.
        names = sorted(located, key=lambda name: (-surface_order(name)[0], name))
    for candidate in names:
        [built], notes = understand(schema, [candidate], strict=strict)
        yield built, notes


def _search(
    surfaces: Iterable[tuple[Surface, list[Problem]]], name: str, only: str | None
) -> tuple[dict[str, Any], list[Problem]]:
    """Describe what has a name on the first surface that has it, with that surface's notes."""
    known: dict[str, None] = {}
    members: dict[str, None] = {}
    for surface, notes in surfaces:
        described = _find(surface, name)
        if described is not None:
            return described, notes
        methods = [method.wire for method in surface.methods if method.wire]
        known |= dict.fromkeys([*CodecContext(surface).class_names(), *methods])
        members |= dict.fromkeys(_similar_members(surface, name))
    similar = ", ".join(members or difflib.get_close_matches(name, known)) or "another name"
    elsewhere = ", or omit --surface to look in all" if only else ""
    message = f"no definition, class or method {name!r}; try {similar}{elsewhere}"
    raise InputError([Problem(only or "the schema", "", "unknown-name", message)])


def _find(surface: Surface, name: str) -> dict[str, Any] | None:
    """Describe what has a name on a surface; None if nothing has."""
    if name in CodecContext(surface).class_names():
        return _describe(surface, name)
    methods = [method for method in surface.methods if method.wire == name]
    if methods:
        return _methods(surface, name, methods)
    owner, _, member = name.rpartition(".")
    return _describe_member(surface, owner, member)


def _methods(surface: Surface, wire: str, methods: list[Method]) -> dict[str, Any]:
    """Describe the methods with a wire name; several sides can have one."""
    params = surface.definitions[methods[0].params]
    return {
        "name": wire,
        "surface": surface.name,
        "kind": "method",
        "pointer": params.pointer,
        "summary": surface.method_summaries.get(wire, ""),
        "methods": [],
        "calls": [
            {
                "side": method.side,
                "kind": method.kind,
                "python": method.name,
                "params": method.params,
                "result": method.result,
                "capability": method.capability.pointer if method.capability else None,
                "page": method.page,
            }
            for method in methods
        ],
        "python": "",
    }


def _similar_members(surface: Surface, name: str) -> list[str]:
    """The paths to members that are similar to a path to none, if it leads to a record."""
    owner, _, step = name.rpartition(".")
    record = _record_at(surface, owner)
    if record is None:
        return []
    members = members_of(surface.definitions, record.name)
    wires = {spelling: member.wire for member in members for spelling in (member.wire, member.name)}
    similar = difflib.get_close_matches(step, wires)
    return [f"{owner}.{wires[spelling]}" for spelling in similar]


def _record_at(surface: Surface, path: str) -> Record | None:
    """The record that a path leads to: a name, and those of members; None if it is none."""
    first, *steps = path.split(".")
    definition = surface.definitions.get(first)
    for step in steps:
        member = _find_member(surface, definition, step)
        name = target(member.shape) if member is not None else None
        definition = surface.definitions.get(name or "")
    return definition if isinstance(definition, Record) else None


def _find_member(surface: Surface, owner: Definition | None, name: str) -> Member | None:
    """The member of a record that has a name, in Python or on the wire."""
    members = members_of(surface.definitions, owner.name) if isinstance(owner, Record) else []
    return next((member for member in members if name in (member.wire, member.name)), None)


def _describe_member(surface: Surface, owner: str, name: str) -> dict[str, Any] | None:
    """Describe a member by the path to its record and its name, in Python or on the wire."""
    record = _record_at(surface, owner)
    member = _find_member(surface, record, name)
    if record is None or member is None:
        return None
    return {
        "name": f"{owner}.{member.wire}",
        "surface": surface.name,
        "kind": "member",
        "pointer": f"{record.pointer}/properties/{member.wire}",
        "methods": [],
        "members": [_member(surface, CodecContext(surface), record.name, member)],
        "python": "",
    }


def _describe(surface: Surface, name: str) -> dict[str, Any]:
    view = CodecContext(surface)
    definition = surface.definitions.get(name)
    if definition is None:
        kind, pointer, more = _unknown(surface, view, name)
    else:
        kind, pointer = _kind(definition), definition.pointer
        more = _definition(surface, view, definition)
    return {
        "name": name,
        "surface": surface.name,
        "kind": kind,
        "pointer": pointer,
        "methods": [m.wire for m in surface.methods if m.wire and name in (m.params, m.result)],
        **more,
        "python": _python(surface, name),
    }


def _definition(surface: Surface, view: CodecContext, definition: Definition) -> dict[str, Any]:
    described: dict[str, Any] = {}
    if isinstance(definition, Record):
        described["members"] = [
            _member(surface, view, definition.name, member) for member in definition.members
        ]
        if definition.subtypes:
            described["tag"] = definition.discriminator
            described["arms"] = [
                {"tag": arm.tag, "type": arm.target} for arm in definition.subtypes
            ]
    elif isinstance(definition, TaggedUnion):
        described["tag"] = definition.tag
        described["arms"] = [{"tag": arm.tag, "type": arm.target} for arm in definition.arms]
        if definition.default is not None:
            when = None if definition.unknown is not None else "none or other"
            described["arms"].append({"tag": when, "type": view.expected(definition.default)})
        if definition.unknown is not None:
            kept = " (kept by the default mode)" if definition.unknown.synthetic else ""
            described["arms"].append({"tag": f"other{kept}", "type": definition.unknown.name})
        described["classes"] = [entry.name for entry in view.union_encoders(definition)]
    else:
        described["values"] = view.expected(definition.shape)
        described["classes"] = view.classes(definition.shape)
    return described


def _unknown(surface: Surface, view: CodecContext, name: str) -> tuple[str, str, dict[str, Any]]:
    """Describe the class of a union for unlisted tags."""
    for union in view.definitions.values():
        unknown = unknown_of(union)
        if isinstance(union, TaggedUnion) and unknown is not None and unknown.name == name:
            described: dict[str, Any] = {
                "union": union.name,
                "tag": union.tag,
                "kept": unknown.synthetic,
            }
            described["members"] = [
                _member(surface, view, name, member) for member in unknown.members
            ]
            if unknown.choice is not None:
                described["alternatives"] = wording.describe(unknown.choice)
            return "class for other tags", unknown.pointer, described
    raise KeyError(name)


def _kind(definition: Definition) -> str:
    if isinstance(definition, TaggedUnion):
        return "tagged union"
    if isinstance(definition, Record):
        return "record"
    return (
        "untagged union" if isinstance(definition.shape, UntaggedUnion) else definition.shape.kind
    )


def _member(surface: Surface, view: CodecContext, owner: str, member: Member) -> dict[str, Any]:
    keywords: dict[str, Any] = {}
    if member.on_error is not None:
        keywords["x-deserialize-default-on-error"] = wording.describe_fallback(member.on_error)
    if member.on_null is not None:
        keywords["x-deserialize-default-on-null"] = wording.describe_fallback(member.on_null)
    if member.skip_invalid:
        keywords["x-deserialize-skip-invalid-items"] = True
    return {
        "wire": member.wire,
        "python": member.name,
        "type": view.expected(member.shape),
        "required": member.required,
        "nullable": takes_null(member.shape, view.definitions),
        "keywords": keywords,
        "description": wording.describe_member(surface, owner, member),
    }


def _python(surface: Surface, name: str) -> str:
    owners = [
        definition.name
        for definition in surface.definitions.values()
        if name in _classes(definition)
    ]
    source = format_module(write_types(surface, paths.TEMPLATES, owners))
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            return "\n".join(source.splitlines()[first - 1 : node.end_lineno])
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", None) == name:
            return "\n".join(source.splitlines()[node.lineno - 1 : node.end_lineno])
    raise KeyError(name)


def _classes(definition: Definition) -> tuple[str, ...]:
    """The names of a definition's classes: its own, and that for other tags."""
    unknown = unknown_of(definition)
    return (definition.name, unknown.name) if unknown is not None else (definition.name,)
