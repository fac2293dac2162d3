"""Describe how the generator understood one definition, as plain data."""

from __future__ import annotations

import ast
import difflib
from typing import Any

from acpgen import paths
from acpgen.build.extension import read_source
from acpgen.build.surface import understand
from acpgen.diagnostics import InputError, Problem
from acpgen.emit.codec import View
from acpgen.emit.style import format_module
from acpgen.emit.types import write_types
from acpgen.inputs.fetch import fetch
from acpgen.ir import wording
from acpgen.ir.model import Definition, Member, Record, TaggedUnion, UntaggedUnion
from acpgen.ir.queries import takes_null, unknown_of
from acpgen.ir.surface import Surface


def inspect(
    source: str | None,
    surface: str,
    name: str,
    *,
    is_extension: bool = False,
    strict: bool = False,
) -> tuple[dict[str, Any], list[Problem]]:
    """Describe a definition or class: its kind, members or arms, classes and Python code.

    Args:
        source: the schema, as `fetch` takes it; None for the vendored schema.
        is_extension: whether the schema is that of an extension of the surface.
        strict: whether parts of the schema that would not be checked are errors.

    Returns:
        The description, and notes about what is not checked.

    Raises:
        InputError: the schema cannot be used, or has no such name; suggests similar ones.
    """
    if source is not None and is_extension:
        read = read_source(source, surface, strict=strict, allow_unprefixed=True)
        built, notes = read.surface, list(read.notes)
    elif source is None:
        [built], notes = understand(None, [surface], strict=strict)
    else:
        with fetch(source) as fetched:
            [built], notes = understand(fetched.path, [surface], strict=strict)
        notes = fetched.renamed(notes)
    known = View(built).class_names()
    if name not in known:
        similar = ", ".join(difflib.get_close_matches(name, known)) or "another name"
        message = f"no definition or class {name!r}; try {similar}"
        raise InputError([Problem(surface, "", "unknown-name", message)])
    return _describe(built, name), [note for note in notes if note.code == "unchecked"]


def _describe(surface: Surface, name: str) -> dict[str, Any]:
    view = View(surface)
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


def _definition(surface: Surface, view: View, definition: Definition) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if isinstance(definition, Record):
        found["members"] = [
            _member(surface, view, definition.name, member) for member in definition.members
        ]
        if definition.subtypes:
            found["tag"] = definition.discriminator
            found["arms"] = [{"tag": arm.tag, "type": arm.target} for arm in definition.subtypes]
    elif isinstance(definition, TaggedUnion):
        found["tag"] = definition.tag
        found["arms"] = [{"tag": arm.tag, "type": arm.target} for arm in definition.arms]
        if definition.default is not None:
            when = None if definition.unknown is not None else "none or other"
            found["arms"].append({"tag": when, "type": view.expected(definition.default)})
        if definition.unknown is not None:
            kept = " (kept by the default mode)" if definition.unknown.synthetic else ""
            found["arms"].append({"tag": f"other{kept}", "type": definition.unknown.name})
        found["classes"] = [entry.name for entry in view.union_encoders(definition)]
    else:
        found["values"] = view.expected(definition.shape)
        found["classes"] = view.classes(definition.shape)
    return found


def _unknown(surface: Surface, view: View, name: str) -> tuple[str, str, dict[str, Any]]:
    """Describe the class of a union for unlisted tags."""
    for union in view.definitions.values():
        unknown = unknown_of(union)
        if isinstance(union, TaggedUnion) and unknown is not None and unknown.name == name:
            found: dict[str, Any] = {
                "union": union.name,
                "tag": union.tag,
                "kept": unknown.synthetic,
            }
            found["members"] = [_member(surface, view, name, member) for member in unknown.members]
            if unknown.choice is not None:
                found["alternatives"] = wording.describe(unknown.choice)
            return "class for other tags", unknown.pointer, found
    raise KeyError(name)


def _kind(definition: Definition) -> str:
    if isinstance(definition, TaggedUnion):
        return "tagged union"
    if isinstance(definition, Record):
        return "record"
    return (
        "untagged union" if isinstance(definition.shape, UntaggedUnion) else definition.shape.kind
    )


def _member(surface: Surface, view: View, owner: str, member: Member) -> dict[str, Any]:
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
    source = format_module(write_types(surface, paths.TEMPLATES))
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            return "\n".join(source.splitlines()[first - 1 : node.end_lineno])
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", None) == name:
            return "\n".join(source.splitlines()[node.lineno - 1 : node.end_lineno])
    raise KeyError(name)
