"""Text that goes into code: quoting, docstrings, and shapes put into words.

Nothing that comes from a schema reaches a generated file except through here: a schema's strings
must never become code.
"""

from __future__ import annotations

import textwrap
from typing import Any

from acpgen.model import (
    Alias,
    Anything,
    Array,
    Boolean,
    Choice,
    Dictionary,
    Enumeration,
    Integer,
    Null,
    Nullable,
    Number,
    Record,
    Reference,
    Shape,
    String,
    Surface,
    TaggedUnion,
    Unknown,
)

WIDTH = 96


def literal(value: Any) -> str:
    """A JSON value as a Python literal of ASCII characters."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(literal, value))
        if isinstance(value, tuple):
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        return f"[{inner}]"
    quoted = ascii(value)
    if isinstance(value, str) and not {'"', "'", "\\"} & set(quoted[1:-1]):
        return f'"{quoted[1:-1]}"'  # as black writes it, which saves black the work
    return quoted


def comment(value: str) -> str:
    """Text for a comment: one line, printable."""
    return _visible(" ".join(value.split()))


def docstring(text: str) -> str:
    """A docstring literal that reads as the text does, whatever it holds."""
    lines: list[str] = []
    for paragraph in text.strip().split("\n"):
        lines += textwrap.wrap(_visible(paragraph), WIDTH, break_on_hyphens=False) or [""]
    body = "\n    ".join(line.rstrip() for line in lines)
    body = body.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if body.endswith('"'):
        body = body[:-1] + '\\"'
    if len(lines) > 1:
        body += "\n    "
    return f'"""{body}"""'


def _visible(text: str) -> str:
    """Spell out characters that do not print; a file with them might not even compile."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text.replace("\t", " ")
    )


def expected(shape: Shape, surface: Surface) -> str:
    """A shape in the words of an error message."""
    match shape:
        case Anything():
            return "any JSON"
        case Null():
            return "null"
        case Boolean():
            return "boolean"
        case String():
            return "string"
        case Integer():
            return "integer"
        case Number():
            return "number"
        case Enumeration(values, _, None, _):
            return "one of " + ", ".join(map(str, values)) if len(values) > 1 else str(values[0])
        case Enumeration(_, base):
            return expected(base, surface)
        case Array():
            return "array"
        case Dictionary():
            return "object"
        case Nullable(inner):
            return f"{expected(inner, surface)} or null"
        case Choice(arms, exclusive):
            words = list(dict.fromkeys(_arm(arm.shape, arm.keys, surface) for arm in arms))
            return ("exactly one of: " if exclusive else "") + " or ".join(words)
        case Reference(name):
            definition = surface.definitions[name]
            return (
                expected(definition.shape, surface) if isinstance(definition, Alias) else "object"
            )


def _arm(shape: Shape, keys: tuple[str, ...], surface: Surface) -> str:
    words = expected(shape, surface)
    named = " and ".join(keys)
    if not keys:
        return words
    return f"{words} of objects with {named}" if words == "array" else f"{words} with {named}"


# --- docstrings of definitions ---------------------------------------------------------------


def documentation(surface: Surface) -> dict[str, str]:
    """The docstring of each class and alias: what it is, where it goes, where it is from."""
    methods: dict[str, list[str]] = {}
    for use in surface.methods:
        methods.setdefault(use.definition, []).append(use.method)
    tags = _tags(surface)
    texts: dict[str, str] = {}
    for name, definition in surface.definitions.items():
        wires = [*methods.get(definition.definition or "", ()), *tags.get(name, ())]
        summary = definition.description or surface.summaries.get(definition.definition or "")
        texts[name] = _compose(
            summary or _fallback(definition, surface), wires, definition.pointer, surface
        )
        if isinstance(definition, TaggedUnion) and definition.unknown is not None:
            unknown = definition.unknown
            reason = (
                "the schema has no such arm, the default mode keeps it"
                if unknown.kept
                else "a custom one, or one of a later protocol"
            )
            texts[unknown.name] = _compose(
                f"A {name} whose {definition.tag} is none that the schema lists: {reason}.",
                [],
                unknown.pointer,
                surface,
            )
    return texts


def _tags(surface: Surface) -> dict[str, list[str]]:
    """By definition: the unions it is an arm of, with the tag."""
    found: dict[str, list[str]] = {}
    for union in surface.definitions.values():
        if isinstance(union, TaggedUnion):
            for arm in union.arms:
                found.setdefault(arm.target, []).append(f'{union.name}, {union.tag} = "{arm.tag}"')
        elif isinstance(union, Record):
            for arm in union.special:
                member = union.special_by
                found.setdefault(arm.target, []).append(f'{union.name}, {member} = "{arm.tag}"')
    return found


def _fallback(definition: Alias | Record | TaggedUnion, surface: Surface) -> str:
    if isinstance(definition, Record) and definition.base is not None:
        base = surface.definitions[definition.base]
        inherited = base.description or surface.summaries.get(base.definition or "")
        return inherited or f"A {definition.base}."
    if definition.definition is None:
        owner = getattr(definition, "owner", None)
        return f"One form of {owner}." if owner else "An object that is defined where it is used."
    return f"The schema's {definition.definition}."


def _compose(summary: str, wires: list[str], pointer: str, surface: Surface) -> str:
    wire = f"Wire: {'; '.join(wires)}. " if wires else ""
    source = f"Source: ACP v{surface.version} schema, {pointer.lstrip('/')}."
    return f"{summary.strip()}\n\n{wire}{source}"


def unknown_of(definition: Any) -> Unknown | None:
    """The class for unlisted tags, if the definition is a union that has one."""
    return definition.unknown if isinstance(definition, TaggedUnion) else None
