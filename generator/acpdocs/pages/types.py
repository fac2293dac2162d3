"""The pages of types: definitions, and the classes for unlisted tags."""

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
)
from acpdocs.facts.declarations import Declarations
from acpdocs.facts.examples.values import Examples
from acpdocs.facts.phrases import Phrases
from acpdocs.facts.uses import find_uses
from acpdocs.facts.versions.comparison import VersionComparison
from acpdocs.facts.versions.stability import Stability
from acpdocs.facts.versions.surface_links import SurfaceLinks
from acpdocs.links import capability_target, kind_of, member_anchor, type_page

_IN_PYTHON: RichText = (
    TextRun(" In Python, its type is "),
    TextRun(UNLISTED, code=True),
    TextRun("."),
)


class TypePages:
    """Builds the pages of the types of one surface."""

    def __init__(
        self,
        surface: Surface,
        stability: Stability,
        comparison: VersionComparison | None,
        surface_links: SurfaceLinks,
    ) -> None:
        self._surface = surface
        self._stability = stability
        self._comparison = comparison
        self._surface_links = surface_links
        self._phrases = Phrases(surface)
        self._declarations = Declarations(surface)
        self._examples = Examples(surface)
        self._uses = find_uses(surface)
        self._texts = documentation(surface)
        self._arms_of_unions = {
            arm.target
            for definition in surface.definitions.values()
            if isinstance(definition, TaggedUnion)
            for arm in definition.arms
        }
        self._messages = {name for m in surface.methods for name in (m.params, m.result)}

    def all(self) -> Iterator[TypePage]:
        """Yield the pages; a union is followed by its class for unlisted tags."""
        for name, definition in self._surface.definitions.items():
            if name in self._surface.foreign:
                continue
            yield self._page(definition)
            if isinstance(definition, TaggedUnion) and definition.unknown is not None:
                yield self._unknown(definition, definition.unknown)

    def _page(self, definition: Definition) -> TypePage:
        name = definition.name
        record = definition if isinstance(definition, Record) else None
        owner = None if isinstance(definition, Alias) else definition.owner
        return TypePage(
            path=type_page(self._surface, name),
            surface=self._surface.name,
            name=name,
            kind=kind_of(definition),
            group=self._group(definition),
            signature=self._declarations.of(definition),
            description=self._description(name),
            pointer=definition.pointer,
            unstable=self._stability.is_unstable(name),
            base=self._phrases.link(record.base) if record and record.base else None,
            owner=self._phrases.link(owner) if owner else None,
            members=self._members(name, record.members) if record else (),
            values=self._values(definition),
            tag=_tag(definition),
            arms=self._arms(definition),
            unlisted=self._unlisted(definition),
            shape=self._phrases.of(definition.shape) if isinstance(definition, Alias) else (),
            used_by=tuple(self._uses.get(name, ())),
            example=self._examples.of(name),
            as_arm=tuple(self._as_arm(definition)),
            counterpart=(
                self._comparison.of_type(self._surface, name) if self._comparison else None
            ),
            surface_links=self._surface_links.of_type(name),
        )

    def _unknown(self, union: TaggedUnion, unknown: Unknown) -> TypePage:
        return TypePage(
            path=type_page(self._surface, unknown.name),
            surface=self._surface.name,
            name=unknown.name,
            kind="class for other tags",
            group=ARMS,
            signature=self._declarations.of_unknown(unknown.name),
            description=self._description(unknown.name),
            pointer=unknown.pointer,
            unstable=self._stability.is_unstable(unknown.name),
            base=None,
            owner=self._phrases.link(union.name),
            members=self._members(unknown.name, unknown.members),
            values=(),
            tag=None,
            arms=(),
            unlisted=(),
            shape=(),
            used_by=tuple(self._uses.get(unknown.name, ())),
            example=self._examples.of_unknown(union, unknown),
            counterpart=None,
            surface_links=self._surface_links.of_type(unknown.name),
        )

    def _group(self, definition: Definition) -> str:
        """The types that a definition is listed with, so that no list is too long to read."""
        if definition.name in self._messages:
            return MESSAGES
        if isinstance(definition, TaggedUnion):
            return UNIONS
        if definition.name in self._arms_of_unions:
            return ARMS
        return VALUES if isinstance(definition, Alias) else OBJECTS

    def _description(self, name: str) -> tuple[str, ...]:
        """The paragraphs of a docstring, without the sections that the page shows elsewhere."""
        *paragraphs, _ = self._texts[name].split("\n\n")
        return tuple(
            paragraph
            for paragraph in paragraphs
            if not paragraph.startswith(("Attributes:\n", "Values:\n"))
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
            repairs=tuple(_repairs(member)),
            description=describe_member(self._surface, owner, member),
            needs=tuple(self._needs(owner, member)),
            unstable=self._stability.is_unstable(owner, member.wire),
        )

    def _presence(self, member: Member) -> str:
        if member.const is not None:
            return f"always {json.dumps(member.const)}"
        presence = "required" if member.required else "optional"
        is_nullable = takes_null(member.shape, self._surface.definitions)
        return f"{presence}, nullable" if is_nullable else presence

    def _needs(self, owner: str, member: Member) -> Iterator[RichText]:
        """Yield the capabilities that sending a member of params requires."""
        for method in self._surface.methods:
            for need in method.needs if method.params == owner else ():
                if need.member == member.name:
                    link = capability_target(self._surface, method.side, need.capability)
                    text: RichText = (TextRun(need.capability.pointer, link, code=True),)
                    if need.kind is not None:
                        text += (TextRun(" for "), self._phrases.link(need.kind))
                    yield text

    # --- unions and enumerations -------------------------------------------------------------

    def _values(self, definition: Definition) -> tuple[ValueRow, ...]:
        shape = definition.shape if isinstance(definition, Alias) else None
        if not isinstance(shape, Enumeration):
            return ()
        described = describe_values(self._surface, definition.name, shape)
        return tuple(
            ValueRow(
                json.dumps(value),
                description,
                self._stability.is_unstable(definition.name, str(value)),
            )
            for value, description in zip(shape.values, described, strict=True)
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

    def _as_arm(self, definition: Definition) -> Iterator[RichText]:
        """Yield what each union adds to its arm, which the definition of the arm does not have."""
        if not isinstance(definition, Record) or definition.owner is not None:
            return
        own = {member.wire for member in definition.members}
        definitions = self._surface.definitions.values()
        for union in (
            definition for definition in definitions if isinstance(definition, TaggedUnion)
        ):
            for arm in union.arms:
                if arm.target == definition.name and union.tag not in own:
                    pair = f"{json.dumps(union.tag)}: {json.dumps(arm.tag)}"
                    link = self._phrases.link(union.name)
                    yield (TextRun(pair, code=True), TextRun(" as an arm of "), link)

    def _unlisted(self, definition: Definition) -> RichText:
        """How a tag or value that is not listed is treated."""
        match definition:
            case TaggedUnion(unknown=Unknown(name=name, known=known, synthetic=synthetic)):
                link = TextRun(name, type_page(self._surface, name), code=True)
                without = TextRun(known, code=True), TextRun(" is the union without it.")
                if not synthetic:
                    return TextRun("Open: any other tag becomes "), link, TextRun(". "), *without
                return (
                    TextRun("Closed by the schema: any other tag becomes "),
                    link,
                    TextRun(" in the default mode, which reports it; strict mode refuses it. "),
                    *without,
                )
            case TaggedUnion(default=None):
                return (TextRun("Closed: any other tag is an error."),)
            case TaggedUnion(default=default) if default is not None:
                return (
                    TextRun("Open: an object with any other tag becomes "),
                    *self._phrases.of(default),
                    TextRun(", like an object without a tag."),
                )
            case Alias(shape=Enumeration(other=None, lenient=lenient)):
                if not lenient:
                    return (TextRun("Closed: any other value is an error."),)
                start = "Closed by the schema: the default mode keeps any other string "
                return TextRun(f"{start}and reports it; strict mode refuses it."), *_IN_PYTHON
            case Alias(shape=Enumeration(other=shape)) if shape is not None:
                return (
                    TextRun("Open: any other "),
                    *self._phrases.of(shape),
                    TextRun(" is valid, too."),
                    *(_IN_PYTHON if isinstance(shape, String) else ()),
                )
            case _:
                return ()


def _tag(definition: Definition) -> str | None:
    """The member that tells the arms apart, if there are any."""
    match definition:
        case Record(discriminator=tag) | TaggedUnion(tag=tag):
            return tag
        case _:
            return None


def _repairs(member: Member) -> Iterator[str]:
    """Yield what becomes of bad values of a member, as its vendor keywords ask for."""
    if member.on_error is not None:
        yield f"{describe_fallback(member.on_error)} if invalid"
    if member.on_null is not None:
        yield f"{describe_fallback(member.on_null)} if null"
    if member.skip_invalid:
        yield "without invalid items"
