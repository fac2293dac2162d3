"""The content of the reference's pages, as plain data. Nothing in it is markup.

A link's target is the path of a Markdown file below `docs`, perhaps with an anchor, or an address
of another site.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class TextRun:
    """A piece of text in one style.

    Attributes:
        target: where it links to, if it is a link.
        code: whether it is a name or a value rather than prose.
    """

    text: str
    target: str | None = None
    code: bool = False


# The groups of types, each short enough for a menu.
MESSAGES = "Params and results"
UNIONS, ARMS = "Unions", "Arms of unions"
OBJECTS = "Other objects"
VALUES = "Enumerations and aliases"
GROUPS = (MESSAGES, UNIONS, ARMS, OBJECTS, VALUES)

RichText: TypeAlias = tuple[TextRun, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """An example value, in JSON and in Python.

    Attributes:
        value: the JSON value.
        json: the value as JSON text.
        python: an expression that builds it from the classes of the surface.
        classes: the classes that the expression uses.
        strict: whether strict mode accepts it, too.
    """

    value: Any
    json: str
    python: str
    classes: tuple[str, ...]
    strict: bool = True


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two protocol versions.

    Attributes:
        part: the part that differs; empty for the type or method itself.
        aspect: the aspect that differs, such as `type` or `presence`.
        before: its value in the lower version.
        after: its value in the higher version.
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
        differences: how the two differ; for a method, also how its params and result do.
        inside: links to the types that it refers to and that differ, or refer to some that do.
        successor: without a counterpart, what took its place in the higher version, if anything.
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
        link: to the page, with what the type or method is called there; None if it has none.
        is_this: whether it is the page that lists it.
        is_renamed: whether it is called something else there.
    """

    surface: str
    link: TextRun | None
    is_this: bool = False
    is_renamed: bool = False


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member of an object.

    Attributes:
        anchor: its anchor on the page.
        presence: `required`, `optional` or `always "…"`; and whether it is nullable.
        repairs: what becomes of bad values.
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
    """An arm of a tagged union.

    Attributes:
        tag: the tag that selects it; empty for the arm without a tag.
        shape: the type that it decodes to.
    """

    tag: str
    shape: RichText
    unstable: bool


@dataclass(frozen=True, slots=True)
class TypePage:
    """A definition or class.

    Attributes:
        group: the types that it is listed with.
        description: its paragraphs.
        base: the class that it extends.
        owner: the union that it is encoded as.
        tag: the name of the member that tells the arms apart.
        unlisted: how unlisted tags or values are treated.
        shape: the shape of an alias.
        used_by: the methods and types that refer to it.
        as_arm: what unions add to it.
        surface_links: its page in each surface.
    """

    path: str
    surface: str
    name: str
    kind: str
    group: str
    signature: Signature
    description: tuple[str, ...]
    pointer: str
    unstable: bool
    base: TextRun | None
    owner: TextRun | None
    members: tuple[MemberRow, ...]
    values: tuple[ValueRow, ...]
    tag: str | None
    arms: tuple[ArmRow, ...]
    unlisted: RichText
    shape: RichText
    used_by: tuple[RichText, ...]
    example: Example | None
    counterpart: Counterpart | None
    as_arm: tuple[RichText, ...] = ()
    surface_links: tuple[SurfaceLink, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """An example of a call.

    Attributes:
        message: the request or notification in JSON.
        response: the response to the request.
        error: a response that refuses it.
        calling: Python that sends the message.
        handling: Python that handles it.
    """

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
        needs: the members of the params that require a capability, each with that capability.
        specification: the address of its page in the specification.
        place: its place in a conversation, in sentences.
        exchange: an example of its messages, and of Python that calls and handles it.
        surface_links: its page in each surface.
    """

    path: str
    surface: str
    title: str
    wire: str | None
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
    surface_links: tuple[SurfaceLink, ...] = ()


@dataclass(frozen=True, slots=True)
class CapabilityRow:
    """A capability that a side may advertise in the handshake.

    Attributes:
        pointer: its path in JSON.
        python: its path in Python.
        needed_by: the methods and members that require it.
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
        title: such as `v1 unstable`.
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

    @property
    def groups(self) -> list[str]:
        """The groups of types."""
        return sorted({page.group for page in self.types}, key=GROUPS.index)

    def group(self, name: str) -> list[TypePage]:
        """The types of a group, in the order of their names."""
        pages = [page for page in self.types if page.group == name]
        return sorted(pages, key=lambda page: page.name.lower())


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a docstring.

    Attributes:
        kind: `text`, `code`, or `list`, perhaps a section such as `Raises`.
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
        links: where the names in it are documented, by name.
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
        anchor: its anchor on the page.
        inherited: the class that a method is inherited from.
        attributes: the attributes of a class, inherited ones included.
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


@dataclass(frozen=True, slots=True)
class Program:
    """An example program.

    Attributes:
        name: the name of its file.
        anchor: its anchor on the page.
        summary: the first line of its docstring; of a page, its first comment.
        language: the language of its code: "python" or "html".
        code: its code.
    """

    name: str
    anchor: str
    summary: str
    language: str
    code: str


@dataclass(frozen=True, slots=True)
class NameRow:
    """A name of the official SDK.

    Attributes:
        sdk: the name or pattern, see `official_sdk.toml`.
        here: the names that replace it, each with links to where the reference documents it.
        note: what differs, or what to do instead.
    """

    sdk: str
    here: tuple[RichText, ...]
    note: str


@dataclass(frozen=True, slots=True)
class NameGroup:
    """Names of the official SDK that belong together.

    Attributes:
        anchor: its anchor on the page.
        text: what holds for all of them; may be empty.
    """

    title: str
    anchor: str
    text: str
    rows: tuple[NameRow, ...]
