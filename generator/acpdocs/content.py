"""The content of the reference's pages, as plain data without markup.

The target of a link is the path of a Markdown file in `docs`, optionally with an anchor, or the URL
of a page on another site.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import Formatter
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class TextRun:
    """A piece of text in a single style.

    Attributes:
        target: the target of the link, or None if the text is not a link.
        code: whether the text is a name or a value rather than prose.
    """

    text: str
    target: str | None = None
    code: bool = False


RichText: TypeAlias = tuple[TextRun, ...]


def sentence(words: str, **gaps: TextRun | RichText) -> RichText:
    """Replace placeholders in text, such as `{method}`, with the values passed by name."""
    runs: list[TextRun] = []
    for text, name, _, _ in Formatter().parse(words):
        runs += [TextRun(text)] if text else []
        if name is not None:
            filling = gaps[name]
            runs += [filling] if isinstance(filling, TextRun) else filling
    return tuple(runs)


# The groups of types in the menu. Grouping keeps each menu short.
MESSAGES = "Params and results"
UNIONS, ARMS = "Unions", "Variants of unions"
OBJECTS = "Other objects"
VALUES = "Enumerations and aliases"
GROUPS = (MESSAGES, UNIONS, ARMS, OBJECTS, VALUES)


@dataclass(frozen=True, slots=True)
class Example:
    """An example value, in JSON and in Python.

    Attributes:
        python: an expression that builds the value from the surface's classes.
        classes: the classes that the expression uses.
        strict: whether strict mode also accepts the value.
    """

    value: Any
    json: str
    python: str
    classes: tuple[str, ...]
    strict: bool = True


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between two protocol versions.

    Attributes:
        part: the part that differs, or an empty string for the type or method itself.
        aspect: the aspect that differs, such as `type` or `presence`.
        breaks: the interfaces that the difference breaks: `messages`, `Python`,
            `messages and Python` or `nothing`.
    """

    part: str
    aspect: str
    before: str
    after: str
    breaks: str


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The counterpart of a type or method in the other protocol version.

    Attributes:
        surfaces: the names of the two surfaces, the lower version first.
        other: the surface of the counterpart.
        link: a link to the counterpart's page, or None if there is no counterpart.
        differences: the differences, including differences in the params and result of a method.
        inside: links to referenced types that differ, or that refer to types that differ.
        successor: for a type without a counterpart, the type that replaces it in the higher
            version, if any.
    """

    surfaces: tuple[str, str]
    other: str
    link: TextRun | None
    differences: tuple[Difference, ...]
    inside: tuple[TextRun, ...]
    successor: TextRun | None


@dataclass(frozen=True, slots=True)
class SurfaceLink:
    """A link to the page about a type or method in a surface.

    Attributes:
        surface: the title of the surface.
        link: a link to the page, with the name used there, or None if there is no such page.
        is_this: whether the link points to the page that contains the link.
        is_renamed: whether the type or method has a different name in the surface.
    """

    surface: str
    link: TextRun | None
    is_this: bool
    is_renamed: bool


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A field of an object.

    Attributes:
        presence: `required`, `optional` or `always "…"`, and whether the field is nullable.
        needs: the capabilities required for sending the field or one of its items.
    """

    anchor: str
    wire: str
    name: str
    shape: RichText
    presence: str
    repairs: tuple[str, ...]
    description: str
    needs: tuple[RichText, ...]
    unstable: bool


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A constant of an enumeration."""

    value: str
    description: str
    unstable: bool


@dataclass(frozen=True, slots=True)
class ArmRow:
    """A variant of a tagged union. The tag is empty for the variant without a tag."""

    tag: str
    shape: RichText
    unstable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TypePage:
    """The page about a definition or class.

    Attributes:
        group: the group in which the type is listed.
        description: the paragraphs of the type's description.
        owner: for a variant without its own definition, the union that defines it.
        tag: the name of the field that distinguishes the variants.
        unlisted: a description of how unknown tags or values are handled.
        shape: the shape of an alias.
        as_arm: if the type is a variant of one or more unions, the tag that each union adds to it.
    """

    path: str
    name: str
    kind: str
    group: str
    signature: Signature
    description: tuple[str, ...]
    pointer: str
    unstable: bool
    used_by: tuple[RichText, ...]
    example: Example | None
    surface_links: tuple[SurfaceLink, ...]
    base: TextRun | None = None
    owner: TextRun | None = None
    members: tuple[MemberRow, ...] = ()
    values: tuple[ValueRow, ...] = ()
    tag: str | None = None
    arms: tuple[ArmRow, ...] = ()
    unlisted: RichText = ()
    shape: RichText = ()
    counterpart: Counterpart | None = None
    as_arm: tuple[RichText, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """An example of a call: the messages in JSON, and Python code that sends and handles them."""

    message: str
    response: str | None
    error: str | None
    calling: str
    handling: str


@dataclass(frozen=True, slots=True)
class MethodPage:
    """The page about a request or notification.

    Attributes:
        handlers: the Python methods that handle the message.
        callers: the Python methods that send the message.
        needs: the params fields that require a capability, each with the capability.
        specification: the URL of the method's page in the specification.
        place: sentences that describe when the message is sent.
    """

    path: str
    title: str
    side: str
    kind: str
    summary: str
    handlers: tuple[str, ...]
    callers: tuple[str, ...]
    params: TextRun
    result: TextRun | None
    capability: TextRun | None
    needs: tuple[tuple[RichText, TextRun], ...]
    specification: str | None
    unstable: bool
    place: tuple[RichText, ...]
    exchange: Exchange | None
    counterpart: Counterpart | None
    surface_links: tuple[SurfaceLink, ...]


@dataclass(frozen=True, slots=True)
class CapabilityRow:
    """A capability that a side can advertise in the handshake.

    Attributes:
        pointer: the JSON pointer to the capability.
        python: the capability's dotted path in Python.
        needed_by: the methods and fields that require the capability.
    """

    anchor: str
    pointer: str
    python: str
    shape: RichText
    summary: str
    needed_by: tuple[RichText, ...]
    unstable: bool


@dataclass(frozen=True, slots=True)
class SurfacePages:
    """All pages about a surface.

    Attributes:
        package: the package that exports the surface's names, such as `acp_bindings.v1_unstable`.
        stable: for an unstable surface, the stable surface of the same version.
        methods: the methods, grouped by the side that handles them.
        capabilities: the capabilities, grouped by the side that advertises them.
    """

    name: str
    title: str
    package: str
    version: int
    stability: str
    origin: str
    stable: str | None
    types: tuple[TypePage, ...]
    methods: dict[str, tuple[MethodPage, ...]]
    capabilities: dict[str, tuple[CapabilityRow, ...]]

    def groups(self) -> dict[str, list[TypePage]]:
        """Return the types in each group, sorted by name."""
        pages = sorted(self.types, key=lambda page: page.name.lower())
        grouped = {group: [page for page in pages if page.group == group] for group in GROUPS}
        return {group: types for group, types in grouped.items() if types}


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a docstring.

    Attributes:
        kind: `text`, `code` or `list`. Sections such as `Raises` are of kind `list`.
        text: the paragraph, the code, or the section's title. Empty for a plain list.
        entries: the items of a list, each with the name that it describes or an empty string.
    """

    kind: str
    text: str
    entries: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Signature:
    """The declaration of a class, function or constant.

    Attributes:
        code: the declaration as it appears in the source.
        links: the pages about names in the code, by name.
    """

    code: str
    links: dict[str, str]


@dataclass(frozen=True, slots=True)
class AttributeRow:
    """A public attribute of a class."""

    name: str
    type: Signature
    description: str


@dataclass(frozen=True, slots=True)
class ApiEntry:
    """A public class, function or constant, or a method or property of a class.

    Attributes:
        inherited: the class that a method is inherited from.
        members: the methods and properties of a class, including inherited ones.
    """

    name: str
    anchor: str
    signature: Signature
    blocks: tuple[Block, ...]
    inherited: TextRun | None = None
    attributes: tuple[AttributeRow, ...] = ()
    members: tuple[ApiEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class ApiPage:
    """The page about a module of the package.

    Attributes:
        exported: links, with summaries, to exported names that are documented on the pages of
            other modules.
    """

    path: str
    module: str
    blocks: tuple[Block, ...]
    entries: tuple[ApiEntry, ...]
    exported: tuple[tuple[TextRun, str], ...]
