"""The content of the reference's pages, as plain data without markup.

A link's target is the path of a Markdown file below `docs`, optionally with an anchor, or the URL
of another site.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import Formatter
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class TextRun:
    """A piece of text in one style.

    Attributes:
        target: the target of a link.
        code: whether it is a name or a value rather than prose.
    """

    text: str
    target: str | None = None
    code: bool = False


RichText: TypeAlias = tuple[TextRun, ...]


def sentence(words: str, **gaps: TextRun | RichText) -> RichText:
    """Fill placeholders in a text: `{method}` is replaced by the value with that name."""
    runs: list[TextRun] = []
    for text, name, _, _ in Formatter().parse(words):
        runs += [TextRun(text)] if text else []
        if name is not None:
            filling = gaps[name]
            runs += [filling] if isinstance(filling, TextRun) else filling
    return tuple(runs)


# The groups of types, each short enough for a menu.
MESSAGES = "Params and results"
UNIONS, ARMS = "Unions", "Variants of unions"
OBJECTS = "Other objects"
VALUES = "Enumerations and aliases"
GROUPS = (MESSAGES, UNIONS, ARMS, OBJECTS, VALUES)


@dataclass(frozen=True, slots=True)
class Example:
    """An example value, in JSON and in Python.

    Attributes:
        python: an expression that builds the value from the classes of the surface.
        classes: the classes that the expression uses.
        strict: whether strict mode also accepts it.
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
        part: the part that differs; empty for the type or method itself.
        aspect: the aspect that differs, such as `type` or `presence`.
        breaks: whether it breaks messages, Python code, both, or nothing.
    """

    part: str
    aspect: str
    before: str
    after: str
    breaks: str


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A type or method in the other protocol version.

    Attributes:
        surfaces: the names of the two surfaces, the lower version first.
        other: the surface of the counterpart.
        link: to its page; None if the other version has none.
        differences: the differences. A method includes the differences of its params and result.
        inside: links to the types that it refers to and that differ, or refer to some that do.
        successor: without a counterpart, the type that replaced it in the higher version, if any.
    """

    surfaces: tuple[str, str]
    other: str
    link: TextRun | None
    differences: tuple[Difference, ...] = ()
    inside: tuple[TextRun, ...] = ()
    successor: TextRun | None = None


@dataclass(frozen=True, slots=True)
class SurfaceLink:
    """A page of another surface about the same type or method.

    Attributes:
        surface: the title of the surface.
        link: to the page, with the name there; None if the surface has none.
        is_this: whether it is the page that lists it.
        is_renamed: whether it has a different name there.
    """

    surface: str
    link: TextRun | None
    is_this: bool
    is_renamed: bool


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A field of an object.

    Attributes:
        presence: `required`, `optional` or `always "…"`; and whether it is nullable.
        needs: the capabilities that sending it, or an item of it, requires.
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
    """A variant of a tagged union; the tag is empty for the variant without a tag."""

    tag: str
    shape: RichText
    unstable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TypePage:
    """A definition or class.

    Attributes:
        group: the types that it is listed with.
        description: its paragraphs.
        owner: the union that it is encoded as.
        tag: the name of the field that distinguishes the variants.
        unlisted: how unlisted tags or values are treated.
        shape: the shape of an alias.
        as_arm: the tags that unions add to it.
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
    """An example of a call: messages in JSON, and Python that sends and that handles them."""

    message: str
    response: str | None
    error: str | None
    calling: str
    handling: str


@dataclass(frozen=True, slots=True)
class MethodPage:
    """A request or notification.

    Attributes:
        handlers: the Python methods that handle it.
        callers: the Python methods that call it.
        needs: the fields of the params that require a capability, each with that capability.
        specification: the URL of its page in the specification.
        place: its place in a conversation, in sentences.
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
        pointer: its path in JSON.
        python: its path in Python.
        needed_by: the methods and fields that require it.
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
    """All pages about one surface.

    Attributes:
        package: the package that has its names, such as `acp_bindings.v1_unstable`.
        stable: for an unstable surface, the stable one of the same version.
        methods: the methods, by the side that handles them.
        capabilities: the capabilities, by the side that advertises them.
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
        """Return the types of each group, in the order of their names."""
        pages = sorted(self.types, key=lambda page: page.name.lower())
        grouped = {group: [page for page in pages if page.group == group] for group in GROUPS}
        return {group: types for group, types in grouped.items() if types}


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a docstring.

    Attributes:
        kind: `text`, `code`, or `list`, which can be a section such as `Raises`.
        text: the paragraph, the code, or the title of the section; empty for a plain list.
        entries: the items of a list, each with the name that it describes, if any.
    """

    kind: str
    text: str
    entries: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Signature:
    """The declaration of a class, function or constant.

    Attributes:
        code: as in the source.
        links: the pages of the names in it.
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
        members: the methods and properties of a class, inherited ones included.
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
    """A module of the package.

    Attributes:
        exported: the names that it exports from modules with their own pages, with their summaries.
    """

    path: str
    module: str
    blocks: tuple[Block, ...]
    entries: tuple[ApiEntry, ...]
    exported: tuple[tuple[TextRun, str], ...] = ()
