"""Uses of each definition: the methods, members, unions and aliases that refer to it."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.ir.model import Alias, Arm, Definition, Record, TaggedUnion
from acpgen.ir.queries import references
from acpgen.ir.surface import Surface
from acpgen.ir.wording import title

from acpdocs.content import RichText, TextRun
from acpdocs.links import member_target, method_page, type_page


def find_uses(surface: Surface) -> dict[str, list[RichText]]:
    """Find the uses of each definition, methods first."""
    uses_of: dict[str, list[RichText]] = {}
    for name, use in _uses(surface):
        uses = uses_of.setdefault(name, [])
        if use not in uses:
            uses.append(use)
    return uses_of


def _uses(surface: Surface) -> Iterator[tuple[str, RichText]]:
    for method in surface.methods:
        link = TextRun(title(method), method_page(surface, method), code=True)
        yield method.params, (TextRun("params of "), link)
        if method.result is not None:
            yield method.result, (TextRun("result of "), link)
    for definition in surface.definitions.values():
        yield from _uses_in(definition, surface)


def _uses_in(definition: Definition, surface: Surface) -> Iterator[tuple[str, RichText]]:
    """Yield the definitions that a definition refers to, each with the place of the reference."""
    itself = TextRun(definition.name, type_page(surface, definition.name), code=True)
    match definition:
        case Alias(shape=shape):
            for name in references(shape):
                yield name, (itself,)
        case TaggedUnion(tag=tag, arms=arms, default=default, unknown=unknown):
            key = TextRun(tag, code=True)
            if unknown is not None:
                yield unknown.name, (itself, TextRun(", any other "), key)
            for name in references(default) if default is not None else ():
                yield name, (itself, TextRun(", without a listed "), key)
            yield from _uses_in_arms(itself, tag, arms)
        case Record(members=members, discriminator=tag, subtypes=arms):
            for member in members:
                label = f"{definition.name}.{member.wire}"
                link = TextRun(label, member_target(surface, definition.name, member), code=True)
                for name in references(member.shape):
                    yield name, (link,)
            yield from _uses_in_arms(itself, tag or "", arms)


def _uses_in_arms(
    union: TextRun, tag: str, arms: tuple[Arm, ...]
) -> Iterator[tuple[str, RichText]]:
    for arm in arms:
        yield arm.target, (union, TextRun(", "), TextRun(f'{tag} = "{arm.tag}"', code=True))
