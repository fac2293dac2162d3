"""The uses of each definition: the methods, fields, unions and aliases that refer to it."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.ir.model import Alias, Record, TaggedUnion
from acpgen.ir.queries import references
from acpgen.ir.surface import Surface

from acpdocs.content import RichText, TextRun
from acpdocs.links import Links


def find_uses(surface: Surface) -> dict[str, list[RichText]]:
    """Return the uses of each definition, methods first."""
    uses: dict[str, dict[RichText, None]] = {}
    for name, use in _uses(surface):
        uses.setdefault(name, {})[use] = None
    return {name: list(found) for name, found in uses.items()}


def _uses(surface: Surface) -> Iterator[tuple[str, RichText]]:
    """Yield the referenced definitions, each with a description of the reference."""
    links = Links(surface)
    for method in surface.methods:
        yield method.params, (TextRun("params of "), links.method(method))
        if method.result is not None:
            yield method.result, (TextRun("result of "), links.method(method))
    for definition in surface.definitions.values():
        itself = links.type(definition.name)
        match definition:
            case Alias(shape=shape):
                for name in references(shape):
                    yield name, (itself,)
                continue
            case TaggedUnion(tag=tag, arms=arms, default=default, unknown=unknown):
                key = TextRun(tag, code=True)
                if unknown is not None:
                    yield unknown.name, (itself, TextRun(", any other "), key)
                for name in references(default) if default is not None else ():
                    yield name, (itself, TextRun(", without a known "), key)
            case Record(members=members, discriminator=tag, subtypes=arms):
                for member in members:
                    text = f"{definition.name}.{member.wire}"
                    for name in references(member.shape):
                        yield name, (links.member(definition.name, member, text),)
        for arm in arms:
            selected = TextRun(f'{tag or ""} = "{arm.tag}"', code=True)
            yield arm.target, (itself, TextRun(", "), selected)
