"""Descriptions, as plain data, of how the generator interprets definitions, methods and fields."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

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

_Described: TypeAlias = dict[str, Any]


def inspect(
    source: str | None,
    surface: str | None,
    name: str,
    *,
    is_extension: bool = False,
    strict: bool = False,
) -> tuple[_Described, list[Problem]]:
    """Describe a definition, a class, a method, or a field of a record.

    Args:
        source: a schema source that `fetch` accepts, or None for the vendored schema.
        surface: the surface to look in, or None for the first surface that contains the name.
        name: a name, a path to a field, such as `ToolCall.title`, or `SOURCE#NAME`.
        is_extension: whether the source is the schema of an extension.
        strict: whether to treat unchecked parts of the schema as problems.

    Returns:
        The description, and notes about unchecked parts of the schema.

    Raises:
        InputError: If the schema cannot be used or does not contain the name. The message suggests
            similar names.
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
    """Yield each surface to search, with its notes. Surfaces are built only when needed."""
    if surface is not None:
        names = [surface]
    elif schema is not None and schema.is_file():
        names = [newest_surface()]
    else:
        located = [file.surface for file in locate_schemas(schema or paths.SCHEMA, [])]
        # Look in the newest version first, and in its stable surface before the unstable one.
        names = sorted(located, key=lambda name: (-surface_order(name)[0], name))
    for candidate in names:
        [built], notes = understand(schema, [candidate], strict=strict)
        yield built, notes


def _search(
    surfaces: Iterable[tuple[Surface, list[Problem]]], name: str, only: str | None
) -> tuple[_Described, list[Problem]]:
    """Return the description of the first match for a name and the notes about its surface."""
    known: dict[str, None] = {}
    members: dict[str, None] = {}
    for surface, notes in surfaces:
        described = _find(surface, name)
        if described is not None:
            return {"name": name, "surface": surface.name, **described}, notes
        methods = [method.wire for method in surface.methods if method.wire]
        known |= dict.fromkeys([*CodecContext(surface).class_names(), *methods])
        members |= dict.fromkeys(_similar_members(surface, name))
    similar = ", ".join(members or difflib.get_close_matches(name, known)) or "another name"
    elsewhere = ", or omit --surface to look in all surfaces" if only else ""
    message = f"no definition, class or method {name!r}; try {similar}{elsewhere}"
    raise InputError([Problem(only or "the schema", "", "unknown-name", message)])


def _find(surface: Surface, name: str) -> _Described | None:
    """Describe the class, method or field with the given name, if any."""
    if name in CodecContext(surface).class_names():
        return _describe_class(surface, name)
    methods = [method for method in surface.methods if method.wire == name]
    if methods:
        return _describe_methods(surface, name, methods)
    owner, _, step = name.rpartition(".")
    record = _record_at(surface, owner)
    member = _find_member(surface, record, step)
    if record is None or member is None:
        return None
    return {
        "name": f"{owner}.{member.wire}",
        "kind": "member",
        "pointer": f"{record.pointer}/properties/{member.wire}",
        "methods": [],
        "members": _describe_members(surface, record.name, [member]),
        "python": "",
    }


def _describe_methods(surface: Surface, wire: str, methods: list[Method]) -> _Described:
    """Describe the agent and client methods that share the given wire name."""
    return {
        "kind": "method",
        "pointer": surface.definitions[methods[0].params].pointer,
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
    """Return the paths of existing fields with names similar to an unknown field's name."""
    owner, _, step = name.rpartition(".")
    record = _record_at(surface, owner)
    if record is None:
        return []
    members = members_of(surface.definitions, record.name)
    wires = {spelling: member.wire for member in members for spelling in (member.wire, member.name)}
    similar = difflib.get_close_matches(step, wires)
    return [f"{owner}.{wires[spelling]}" for spelling in similar]


def _record_at(surface: Surface, path: str) -> Record | None:
    """Return the record at a dotted path, such as `ToolCall.content`, or None if there is none."""
    first, *steps = path.split(".")
    definition = surface.definitions.get(first)
    for step in steps:
        member = _find_member(surface, definition, step)
        name = target(member.shape) if member is not None else None
        definition = surface.definitions.get(name or "")
    return definition if isinstance(definition, Record) else None


def _find_member(surface: Surface, owner: Definition | None, name: str) -> Member | None:
    """Return the record's field with the given Python or wire name, or None if there is none."""
    members = members_of(surface.definitions, owner.name) if isinstance(owner, Record) else []
    return next((member for member in members if name in (member.wire, member.name)), None)


def _describe_class(surface: Surface, name: str) -> _Described:
    definition = surface.definitions.get(name)
    described = (
        _describe_unknown(surface, name)
        if definition is None
        else _describe_definition(surface, definition)
    )
    return {
        "kind": described.pop("kind"),
        "pointer": described.pop("pointer"),
        "methods": [m.wire for m in surface.methods if m.wire and name in (m.params, m.result)],
        **described,
        "python": _python(surface, name),
    }


def _describe_definition(surface: Surface, definition: Definition) -> _Described:
    view = CodecContext(surface)
    described: _Described = {"pointer": definition.pointer}
    if isinstance(definition, Record):
        described["kind"] = "record"
        described["members"] = _describe_members(surface, definition.name, definition.members)
        if definition.subtypes:
            described["tag"] = definition.discriminator
            described["arms"] = [
                {"tag": arm.tag, "type": arm.target} for arm in definition.subtypes
            ]
    elif isinstance(definition, TaggedUnion):
        described["kind"] = "tagged union"
        described["tag"] = definition.tag
        described["arms"] = [{"tag": arm.tag, "type": arm.target} for arm in definition.arms]
        if definition.default is not None:
            when = None if definition.unknown is not None else "none or other"
            described["arms"].append({"tag": when, "type": view.expected(definition.default)})
        if definition.unknown is not None:
            kept = " (accepted in default mode)" if definition.unknown.synthetic else ""
            described["arms"].append({"tag": f"other{kept}", "type": definition.unknown.name})
        described["classes"] = [entry.name for entry in view.union_encoders(definition)]
    else:
        shape = definition.shape
        described["kind"] = "untagged union" if isinstance(shape, UntaggedUnion) else shape.kind
        described["values"] = view.expected(shape)
        described["classes"] = view.classes(shape)
    return described


def _describe_unknown(surface: Surface, name: str) -> _Described:
    """Describe a union's class for unknown tags."""
    for union in CodecContext(surface).definitions.values():
        unknown = unknown_of(union)
        if isinstance(union, TaggedUnion) and unknown is not None and unknown.name == name:
            described = {
                "kind": "class for other tags",
                "pointer": unknown.pointer,
                "union": union.name,
                "tag": union.tag,
                "kept": unknown.synthetic,
                "members": _describe_members(surface, name, unknown.members),
            }
            if unknown.choice is not None:
                described["alternatives"] = wording.describe(unknown.choice)
            return described
    raise KeyError(name)


def _describe_members(surface: Surface, owner: str, members: Iterable[Member]) -> list[_Described]:
    view = CodecContext(surface)
    described: list[_Described] = []
    for member in members:
        keywords: _Described = {}
        if member.on_error is not None:
            keywords["x-deserialize-default-on-error"] = wording.describe_fallback(member.on_error)
        if member.on_null is not None:
            keywords["x-deserialize-default-on-null"] = wording.describe_fallback(member.on_null)
        if member.skip_invalid:
            keywords["x-deserialize-skip-invalid-items"] = True
        described.append(
            {
                "wire": member.wire,
                "python": member.name,
                "type": view.expected(member.shape),
                "required": member.required,
                "nullable": takes_null(member.shape, view.definitions),
                "keywords": keywords,
                "description": wording.describe_member(surface, owner, member),
            }
        )
    return described


def _python(surface: Surface, name: str) -> str:
    """Return the source code of a generated class or alias."""
    owners = [
        definition.name
        for definition in surface.definitions.values()
        if name == definition.name or name == getattr(unknown_of(definition), "name", None)
    ]
    source = format_module(write_types(surface, paths.TEMPLATES, owners))
    for node in ast.parse(source).body:
        first = node.lineno
        if isinstance(node, ast.ClassDef) and node.name == name:
            first = min([first, *(decorator.lineno for decorator in node.decorator_list)])
        elif not (isinstance(node, ast.AnnAssign) and getattr(node.target, "id", None) == name):
            continue
        return "\n".join(source.splitlines()[first - 1 : node.end_lineno])
    raise KeyError(name)
