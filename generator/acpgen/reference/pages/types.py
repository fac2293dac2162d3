"""The pages of types: definitions, and the classes for tags that are not listed."""

from __future__ import annotations

import json
from collections.abc import Iterator

from acpgen.emit.docstrings import documentation
from acpgen.ir.model import (
    Alias,
    Arm,
    Definition,
    Enumeration,
    Member,
    Record,
    TaggedUnion,
    Unknown,
)
from acpgen.ir.queries import takes_null
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe_fallback
from acpgen.reference.content import ArmRow, MemberRow, RichText, TextRun, TypePage, ValueRow
from acpgen.reference.facts.counterparts import Counterparts
from acpgen.reference.facts.examples import Examples
from acpgen.reference.facts.phrases import Phrases
from acpgen.reference.facts.stability import Stability
from acpgen.reference.facts.used_by import uses
from acpgen.reference.links import capability_at, kind_of, member_anchor, type_at


class TypePages:
    """Makes the pages of the types of one surface."""

    def __init__(
        self, surface: Surface, stability: Stability, counterparts: Counterparts | None
    ) -> None:
        self._surface = surface
        self._stability = stability
        self._counterparts = counterparts
        self._phrases = Phrases(surface)
        self._examples = Examples(surface)
        self._uses = uses(surface)
        self._texts = documentation(surface)

    def all(self) -> Iterator[TypePage]:
        """The pages, those of unions followed by their classes for other tags."""
        for definition in self._surface.definitions.values():
            yield self._page(definition)
            if isinstance(definition, TaggedUnion) and definition.unknown is not None:
                yield self._unknown(definition, definition.unknown)

    def _page(self, definition: Definition) -> TypePage:
        name = definition.name
        record = definition if isinstance(definition, Record) else None
        owner = None if isinstance(definition, Alias) else definition.owner
        return TypePage(
            path=type_at(self._surface, name),
            surface=self._surface.name,
            name=name,
            kind=kind_of(definition),
            description=self._description(name),
            pointer=definition.pointer,
            unstable=self._stability.is_unstable(name),
            base=self._phrases.link(record.base) if record and record.base else None,
            owner=self._phrases.link(owner) if owner else None,
            members=self._members(name, record.members) if record else (),
            values=self._values(definition),
            tag=record.discriminator if record else getattr(definition, "tag", None),
            arms=self._arms(definition),
            other=self._other(definition),
            shape=self._phrases.of(definition.shape) if isinstance(definition, Alias) else (),
            uses=tuple(self._uses.get(name, ())),
            example=self._examples.of(name),
            beside=self._counterparts.of_type(self._surface, name) if self._counterparts else None,
        )

    def _unknown(self, union: TaggedUnion, unknown: Unknown) -> TypePage:
        return TypePage(
            path=type_at(self._surface, unknown.name),
            surface=self._surface.name,
            name=unknown.name,
            kind="class for other tags",
            description=self._description(unknown.name),
            pointer=unknown.pointer,
            unstable=self._stability.is_unstable(unknown.name),
            base=None,
            owner=self._phrases.link(union.name),
            members=self._members(unknown.name, unknown.members),
            values=(),
            tag=None,
            arms=(),
            other=(),
            shape=(),
            uses=tuple(self._uses.get(unknown.name, ())),
            example=self._examples.of_unknown(union, unknown),
            beside=None,
        )

    def _description(self, name: str) -> tuple[str, ...]:
        """The paragraphs of a docstring without those that the page has elsewhere."""
        *paragraphs, _ = self._texts[name].split("\n\n")
        return tuple(
            each for each in paragraphs if not each.startswith(("Attributes:\n", "Values:\n"))
        )

    # --- members -----------------------------------------------------------------------------

    def _members(self, owner: str, members: tuple[Member, ...]) -> tuple[MemberRow, ...]:
        return tuple(self._member(owner, member) for member in members)

    def _member(self, owner: str, member: Member) -> MemberRow:
        return MemberRow(
            anchor=member_anchor(member),
            wire=member.wire,
            name=member.name,
            shape=self._phrases.of(member.shape),
            presence=self._presence(member),
            keywords=tuple(_keywords(member)),
            description=member.description or "",
            needs=tuple(self._needs(owner, member)),
            unstable=self._stability.is_unstable(owner, member.wire),
        )

    def _presence(self, member: Member) -> str:
        if member.const is not None:
            return f"always {json.dumps(member.const)}"
        words = "required" if member.required else "optional"
        is_nullable = takes_null(member.shape, self._surface.definitions)
        return f"{words}, nullable" if is_nullable else words

    def _needs(self, owner: str, member: Member) -> Iterator[RichText]:
        """The capabilities that it takes to send a member of params."""
        for method in self._surface.methods:
            for need in method.needs if method.params == owner else ():
                if need.member == member.name:
                    at = capability_at(self._surface, method.side, need.capability)
                    words: RichText = (TextRun(need.capability.pointer, at, code=True),)
                    if need.kind is not None:
                        words += (TextRun(" for "), self._phrases.link(need.kind))
                    yield words

    # --- unions and enumerations -------------------------------------------------------------

    def _values(self, definition: Definition) -> tuple[ValueRow, ...]:
        shape = definition.shape if isinstance(definition, Alias) else None
        if not isinstance(shape, Enumeration):
            return ()
        described = shape.descriptions or (None,) * len(shape.values)
        return tuple(
            ValueRow(
                json.dumps(value),
                words or "",
                self._stability.is_unstable(definition.name, str(value)),
            )
            for value, words in zip(shape.values, described, strict=True)
        )

    def _arms(self, definition: Definition) -> tuple[ArmRow, ...]:
        if isinstance(definition, Alias):
            return ()
        if isinstance(definition, Record):
            return tuple(self._arm(definition.name, arm) for arm in definition.subtypes)
        rows = [self._arm(definition.name, arm) for arm in definition.arms]
        if definition.default is not None:
            rows.append(ArmRow("", self._phrases.of(definition.default), unstable=False))
        return tuple(rows)

    def _arm(self, owner: str, arm: Arm) -> ArmRow:
        unstable = self._stability.is_unstable(owner, arm.tag)
        return ArmRow(arm.tag, (self._phrases.link(arm.target),), unstable)

    def _other(self, definition: Definition) -> RichText:
        """What becomes of a tag or value that is not listed."""
        match definition:
            case TaggedUnion(unknown=Unknown(name=name, synthetic=synthetic)):
                link = TextRun(name, type_at(self._surface, name), code=True)
                if not synthetic:
                    return TextRun("Open: any other tag becomes "), link, TextRun(".")
                words = "Closed by the schema: any other tag becomes "
                more = " in the default mode, which reports it; strict mode refuses it."
                return TextRun(words), link, TextRun(more)
            case TaggedUnion(default=None):
                return (TextRun("Closed: any other tag is an error."),)
            case TaggedUnion(default=default) if default is not None:
                words = "Open: an object with any other tag becomes "
                more = ", as one without a tag does."
                return TextRun(words), *self._phrases.of(default), TextRun(more)
            case Alias(shape=Enumeration(other=None, lenient=lenient)):
                if not lenient:
                    return (TextRun("Closed: any other value is an error."),)
                words = "Closed by the schema: the default mode keeps any other string"
                return (TextRun(f"{words} and reports it; strict mode refuses it."),)
            case Alias(shape=Enumeration(other=shape)) if shape is not None:
                return (
                    TextRun("Open: takes any other "),
                    *self._phrases.of(shape),
                    TextRun(", too."),
                )
            case _:
                return ()


def _keywords(member: Member) -> Iterator[tuple[str, str]]:
    if member.on_error is not None:
        yield "x-deserialize-default-on-error", describe_fallback(member.on_error)
    if member.on_null is not None:
        yield "x-deserialize-default-on-null", describe_fallback(member.on_null)
    if member.skip_invalid:
        yield "x-deserialize-skip-invalid-items", "drops them"
