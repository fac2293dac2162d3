"""What `acpgen inspect` shows: how one definition was understood, as plain data."""

from __future__ import annotations

import ast
from typing import Any

from acpgen import text
from acpgen.layout import write_types
from acpgen.model import Alias, Choice, Fallback, Member, Record, Surface, TaggedUnion
from acpgen.pipeline import TEMPLATES
from acpgen.render import format_source
from acpgen.view import View


def describe(surface: Surface, name: str) -> dict[str, Any]:
    """One definition: its kind, members or arms, classes, and the Python that came out.

    Raises:
        KeyError: the surface has no definition or class of that name.
    """
    view = View(surface)
    definition = surface.definitions[name]
    found: dict[str, Any] = {
        "name": name,
        "surface": surface.name,
        "kind": _kind(definition),
        "pointer": definition.pointer,
        "methods": [m.wire for m in surface.methods if m.wire and name in (m.params, m.result)],
    }
    if isinstance(definition, Record):
        found["members"] = [_member(member, view) for member in definition.members]
        if definition.special:
            found["tag"] = definition.special_by
            found["arms"] = [{"tag": arm.tag, "type": arm.target} for arm in definition.special]
    elif isinstance(definition, TaggedUnion):
        found["tag"] = definition.tag
        found["arms"] = [{"tag": arm.tag, "type": arm.target} for arm in definition.arms]
        if definition.default is not None:
            found["arms"].append({"tag": None, "type": view.expected(definition.default)})
        if definition.unknown is not None:
            kept = " (kept by the default mode)" if definition.unknown.kept else ""
            found["arms"].append({"tag": f"other{kept}", "type": definition.unknown.name})
        found["classes"] = [leaf.name for leaf in view.leaves(definition)]
    else:
        found["values"] = view.expected(definition.shape)
        found["classes"] = view.classes(definition.shape)
    found["python"] = _python(surface, name)
    return found


def _kind(definition: Alias | Record | TaggedUnion) -> str:
    if isinstance(definition, TaggedUnion):
        return "tagged union"
    if isinstance(definition, Record):
        return "record"
    return "untagged union" if isinstance(definition.shape, Choice) else definition.shape.kind


def _member(member: Member, view: View) -> dict[str, Any]:
    keywords: dict[str, Any] = {}
    if member.on_error is not None:
        keywords["x-deserialize-default-on-error"] = _fallback(member.on_error)
    if member.on_null is not None:
        keywords["x-deserialize-default-on-null"] = _fallback(member.on_null)
    if member.skip_invalid:
        keywords["x-deserialize-skip-invalid-items"] = True
    return {
        "wire": member.wire,
        "python": member.name,
        "type": view.expected(member.shape),
        "required": member.required,
        "nullable": member.shape.kind in ("nullable", "anything", "null"),
        "keywords": keywords,
    }


def _fallback(fallback: Fallback) -> str:
    return "absent" if fallback.absent else text.literal(fallback.value)


def _python(surface: Surface, name: str) -> str:
    source = format_source(write_types(surface, "", TEMPLATES))
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            return "\n".join(source.splitlines()[first - 1 : node.end_lineno])
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", None) == name:
            return "\n".join(source.splitlines()[node.lineno - 1 : node.end_lineno])
    raise KeyError(name)
