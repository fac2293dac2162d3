"""Pages about types: definitions, and classes for unknown tags."""

from __future__ import annotations

import json
from collections.abc import Iterator

from acpgen.emit.contexts.annotations_and_defaults import UNLISTED
from acpgen.emit.contexts.docstrings import documentation
from acpgen.ir.model import (
    Alias,
    Arm,
    Definition,
    Enumeration,
    Member,
    Record,
    String,
    TaggedUnion,
    Unknown,
    UntaggedUnion,
)
from acpgen.ir.queries import takes_null
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe_fallback, describe_member, describe_values

from acpdocs.content import (
    ARMS,
    MESSAGES,
    OBJECTS,
    UNIONS,
    VALUES,
    ArmRow,
    MemberRow,
    RichText,
    TextRun,
    TypePage,
    ValueRow,
    sentence,
)
from acpdocs.facts.declarations import Declarations
from acpdocs.facts.examples import Examples
from acpdocs.facts.other_surfaces import OtherSurfaces
from acpdocs.facts.uses import find_uses
from acpdocs.links import Links, member_anchor, type_page


class TypePages:
    """The pages about a surface's types."""

    def __init__(self, surface: Surface, others: OtherSurfaces) -> None:
        self._surface = surface
        self._others = others
        self._links = Links(surface)
        self._declarations = Declarations(surface)
        self._examples = Examples(surface)
        self._uses = find_uses(surface)
        self._texts = documentation(surface)
        definitions = surface.definitions.values()
        self._unions = [union for union in definitions if isinstance(union, TaggedUnion)]
        self._arms_of_unions = {arm.target for union in self._unions for arm in union.arms}
        self._messages = {name for m in surface.methods for name in (m.params, m.result)}

    def all(self) -> Iterator[TypePage]:
        """Yield the pages, with each union followed by its class for unknown tags."""
        for name, definition in self._surface.definitions.items():
            if name in self._surface.foreign:
                continue
            yield self._page(definition)
            if isinstance(definition, TaggedUnion) and definition.unknown is not None:
                yield self._unknown(definition, definition.unknown)

    def _page(self, definition: Definition) -> TypePage:
        name = definition.name
        record = definition if isinstance(definition, Record) else None
        alias = definition if isinstance(definition, Alias) else None
        owner = None if isinstance(definition, Alias) else definition.owner
        return TypePage(
            path=type_page(self._surface, name),
            name=name,
            kind=_kind(definition),
            group=self._group(definition),
            signature=self._declarations.of(definition),
            description=self._description(name),
            pointer=definition.pointer,
            unstable=self._others.is_unstable(name),
            base=self._links.type(record.base) if record and record.base else None,
            owner=self._links.type(owner) if owner else None,
            members=self._members(name, record.members) if record else (),
            values=tuple(self._values(alias)) if alias else (),
            tag=_tag(definition),
            arms=tuple(self._arms(definition)),
            unlisted=self._unlisted(definition),
            shape=self._links.shape(alias.shape) if alias else (),
            used_by=tuple(self._uses.get(name, ())),
            example=self._examples.of(name),
            as_arm=tuple(self._as_arm(record)) if record else (),
            counterpart=self._others.type_counterpart(name),
            surface_links=self._others.type_links(name),
        )

    def _unknown(self, union: TaggedUnion, unknown: Unknown) -> TypePage:
        return TypePage(
            path=type_page(self._surface, unknown.name),
            name=unknown.name,
            kind="class for other tags",
            group=ARMS,
            signature=self._declarations.of_unknown(unknown.name),
            description=self._description(unknown.name),
            pointer=unknown.pointer,
            unstable=self._others.is_unstable(unknown.name),
            owner=self._links.type(union.name),
            members=self._members(unknown.name, unknown.members),
            used_by=tuple(self._uses.get(unknown.name, ())),
            example=self._examples.of_unknown(union, unknown),
            surface_links=self._others.type_links(unknown.name),
        )

    def _group(self, definition: Definition) -> str:
        """Return the group in which a definition is listed."""
        if definition.name in self._messages:
            return MESSAGES
        if isinstance(definition, TaggedUnion):
            return UNIONS
        if definition.name in self._arms_of_unions:
            return ARMS
        return VALUES if isinstance(definition, Alias) else OBJECTS

    def _description(self, name: str) -> tuple[str, ...]:
        """Return the paragraphs of a docstring, except sections that the page shows separately."""
        *paragraphs, _ = self._texts[name].split("\n\n")
        shown = ("Attributes:\n", "Values:\n")
        return tuple(each for each in paragraphs if not each.startswith(shown))

    # --- members -----------------------------------------------------------------------------

    def _members(self, owner: str, members: tuple[Member, ...]) -> tuple[MemberRow, ...]:
        return tuple(
            MemberRow(
                anchor=member_anchor(member),
                wire=member.wire,
                name=member.name,
                shape=self._links.shape(member.shape),
                presence=self._presence(member),
                repairs=tuple(_repairs(member)),
                description=describe_member(self._surface, owner, member),
                needs=tuple(self._needs(owner, member)),
                unstable=self._others.is_unstable(owner, member.wire),
            )
            for member in members
        )

    def _presence(self, member: Member) -> str:
        if member.const is not None:
            return f"always {json.dumps(member.const)}"
        presence = "required" if member.required else "optional"
        is_nullable = takes_null(member.shape, self._surface.definitions)
        return f"{presence}, nullable" if is_nullable else presence

    def _needs(self, owner: str, member: Member) -> Iterator[RichText]:
        """Yield the capabilities required for sending a params field."""
        for method in self._surface.methods:
            for need in method.needs if method.params == owner else ():
                if need.member == member.name:
                    text: RichText = (self._links.capability(method.side, need.capability),)
                    if need.kind is not None:
                        text += (TextRun(" for "), self._links.type(need.kind))
                    yield text

    # --- unions and enumerations -------------------------------------------------------------

    def _values(self, alias: Alias) -> Iterator[ValueRow]:
        if isinstance(alias.shape, Enumeration):
            described = describe_values(self._surface, alias.name, alias.shape)
            for value, description in zip(alias.shape.values, described, strict=True):
                unstable = self._others.is_unstable(alias.name, str(value))
                yield ValueRow(json.dumps(value), description, unstable)

    def _arms(self, definition: Definition) -> Iterator[ArmRow]:
        arms: tuple[Arm, ...] = ()
        if isinstance(definition, Record):
            arms = definition.subtypes
        elif isinstance(definition, TaggedUnion):
            arms = definition.arms
        for arm in arms:
            unstable = self._others.is_unstable(definition.name, arm.tag)
            yield ArmRow(arm.tag, (self._links.type(arm.target),), unstable)
        if isinstance(definition, TaggedUnion) and definition.default is not None:
            yield ArmRow("", self._links.shape(definition.default), unstable=False)

    def _as_arm(self, record: Record) -> Iterator[RichText]:
        """Yield the tags that unions add to a record that is one of their variants."""
        own = {member.wire for member in record.members}
        for union in self._unions if record.owner is None else ():
            for arm in union.arms:
                if arm.target == record.name and union.tag not in own:
                    pair = TextRun(f"{json.dumps(union.tag)}: {json.dumps(arm.tag)}", code=True)
                    yield pair, TextRun(" as a variant of "), self._links.type(union.name)

    def _unlisted(self, definition: Definition) -> RichText:
        """Describe how unknown tags or values are handled."""
        in_python = " In Python, its type is {unlisted}."
        unlisted = TextRun(UNLISTED, code=True)
        match definition:
            case TaggedUnion(unknown=Unknown(name=name, known=known, synthetic=synthetic)):
                words = (
                    "Open: any other tag is decoded as {other}. {known} is the union without it."
                )
                if synthetic:
                    words = (
                        "Closed by the schema. Default mode decodes any other tag as {other} and"
                        " reports it; strict mode rejects it. {known} is the union without it."
                    )
                other = self._links.type(name)
                return sentence(words, other=other, known=TextRun(known, code=True))
            case TaggedUnion(default=None):
                return sentence("Closed: any other tag is an error.")
            case TaggedUnion(default=default) if default is not None:
                words = "Open: an object with any other tag is decoded as {other}"
                words += ", like an object without a tag."
                return sentence(words, other=self._links.shape(default))
            case Alias(shape=Enumeration(other=None, lenient=False)):
                return sentence("Closed: any other value is an error.")
            case Alias(shape=Enumeration(other=None)):
                words = (
                    "Closed by the schema. Default mode accepts any other string and reports it;"
                    f" strict mode rejects it.{in_python}"
                )
                return sentence(words, unlisted=unlisted)
            case Alias(shape=Enumeration(other=shape)) if shape is not None:
                words = "Open: any other {other} is also valid."
                words += in_python if isinstance(shape, String) else ""
                return sentence(words, other=self._links.shape(shape), unlisted=unlisted)
            case _:
                return ()


def _kind(definition: Definition) -> str:
    match definition:
        case TaggedUnion():
            return "tagged union"
        case Record():
            return "object"
        case Alias(shape=Enumeration()):
            return "enumeration"
        case Alias(shape=UntaggedUnion()):
            return "untagged union"
        case _:
            return "alias"


def _tag(definition: Definition) -> str | None:
    """Return the field that distinguishes the variants, if any."""
    match definition:
        case Record(discriminator=tag) | TaggedUnion(tag=tag):
            return tag
        case _:
            return None


def _repairs(member: Member) -> Iterator[str]:
    """Yield the repairs that a field's vendor keywords specify for invalid values."""
    if member.on_error is not None:
        yield f"{describe_fallback(member.on_error)} if invalid"
    if member.on_null is not None:
        yield f"{describe_fallback(member.on_null)} if null"
    if member.skip_invalid:
        yield "without invalid items"
