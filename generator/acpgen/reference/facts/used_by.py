"""Where each definition is used: methods, members, unions and aliases that name it."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.ir.model import (
    Alias,
    Array,
    Definition,
    Dictionary,
    Nullable,
    Reference,
    Shape,
    TaggedUnion,
    UntaggedUnion,
)
from acpgen.ir.surface import Surface
from acpgen.ir.wording import title
from acpgen.reference.content import RichText, TextRun
from acpgen.reference.links import member_at, method_at, type_at


def uses(surface: Surface) -> dict[str, list[RichText]]:
    """The uses of each definition that has any, methods first."""
    found: dict[str, list[RichText]] = {}
    for name, words in _all(surface):
        places = found.setdefault(name, [])
        if words not in places:
            places.append(words)
    return found


def _all(surface: Surface) -> Iterator[tuple[str, RichText]]:
    for method in surface.methods:
        link = TextRun(title(method), method_at(surface, method), code=True)
        yield method.params, (TextRun("params of "), link)
        if method.result is not None:
            yield method.result, (TextRun("result of "), link)
    for definition in surface.definitions.values():
        yield from _inside(definition, surface)


def _inside(definition: Definition, surface: Surface) -> Iterator[tuple[str, RichText]]:
    itself = TextRun(definition.name, type_at(surface, definition.name), code=True)
    if isinstance(definition, Alias):
        for name in _references(definition.shape):
            yield name, (itself,)
        return
    if isinstance(definition, TaggedUnion):
        tag, arms = definition.tag, definition.arms
        if definition.unknown is not None:
            yield definition.unknown.name, (
                itself,
                TextRun(", any other "),
                TextRun(tag, code=True),
            )
        for name in _references(definition.default) if definition.default else ():
            yield name, (itself, TextRun(", without a listed "), TextRun(tag, code=True))
    else:
        tag, arms = definition.discriminator or "", definition.subtypes
        for member in definition.members:
            label = f"{definition.name}.{member.wire}"
            place = TextRun(label, member_at(surface, definition.name, member), code=True)
            for name in _references(member.shape):
                yield name, (place,)
    for arm in arms:
        yield arm.target, (itself, TextRun(", "), TextRun(f'{tag} = "{arm.tag}"', code=True))


def _references(shape: Shape) -> Iterator[str]:
    match shape:
        case Reference(name):
            yield name
        case Nullable(inner) | Array(inner) | Dictionary(inner):
            yield from _references(inner)
        case UntaggedUnion(arms):
            for arm in arms:
                yield from _references(arm.shape)
        case _:
            pass
