"""What the pages of the reference hold, as plain data: text of a schema is nothing but text here.

A place is the path of a Markdown file below the folder of the sources, perhaps with an anchor, or
the address of a page of another site.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class TextRun:
    """A piece of text.

    Attributes:
        to: the place that it is a link to.
        code: whether it is a name or a value, not words.
    """

    text: str
    to: str | None = None
    code: bool = False


RichText: TypeAlias = tuple[TextRun, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A value, as Python and as the JSON that it is written as.

    Attributes:
        value: the JSON value.
        json: the same as text.
        python: an expression that makes it from the classes of the surface.
        classes: those that the expression names.
        strict: whether strict mode takes it; only what the default mode keeps is not.
    """

    value: Any
    json: str
    python: str
    classes: tuple[str, ...]
    strict: bool = True


@dataclass(frozen=True, slots=True)
class Difference:
    """A line of the table of what differs between two protocol versions.

    Attributes:
        what: the part that differs; empty if it is the whole.
        subject: what is different about it, such as `type` or `presence`.
        before: what it is in the lower version.
        after: what it is in the higher one.
        breaks: whether it breaks messages, Python code, or nothing.
    """

    what: str
    subject: str
    before: str
    after: str
    breaks: str


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The same thing in the other protocol version.

    Attributes:
        surfaces: the names of the surfaces of the lower and the higher version.
        other: the name of the surface that this page is not of.
        link: to the page there; None if there is no such thing.
    """

    surfaces: tuple[str, str]
    other: str
    link: TextRun | None
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member of an object.

    Attributes:
        anchor: where on the page it stands.
        presence: `required`, `optional` or `preset`, `nullable` with it.
        keywords: what the schema orders to repair, with how.
        needs: the capability that it, or an item of it, needs.
    """

    anchor: str
    wire: str
    name: str
    shape: RichText
    presence: str
    keywords: tuple[tuple[str, str], ...]
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
    """An arm of a union: how it is recognised, and what it becomes."""

    when: str
    becomes: RichText
    unstable: bool


@dataclass(frozen=True, slots=True)
class TypePage:
    """A definition or class.

    Attributes:
        description: paragraphs.
        base: the class that it extends.
        owner: the union that it is written as.
        tag: the member that tells the arms apart.
        other: what becomes of what is not listed.
        shape: of an alias, in words.
        uses: where it is used.
    """

    path: str
    surface: str
    name: str
    kind: str
    description: tuple[str, ...]
    pointer: str
    unstable: bool
    base: TextRun | None
    owner: TextRun | None
    members: tuple[MemberRow, ...]
    values: tuple[ValueRow, ...]
    tag: str | None
    arms: tuple[ArmRow, ...]
    other: RichText
    shape: RichText
    uses: tuple[RichText, ...]
    example: Example | None
    beside: Counterpart | None


@dataclass(frozen=True, slots=True)
class MethodPage:
    """A request or notification.

    Attributes:
        handlers: the Python methods that handle it.
        callers: the Python methods that call it.
        needs: what members of the params need, with the capability.
        message: an example of the JSON-RPC message.
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
    page: str | None
    unstable: bool
    message: str | None
    beside: Counterpart | None


@dataclass(frozen=True, slots=True)
class CapabilityRow:
    """What a side may advertise in the handshake.

    Attributes:
        pointer: to the member in JSON.
        python: the same in Python.
        depth: how many members lead to it, less one.
        needed_by: the methods and members that need it.
    """

    anchor: str
    pointer: str
    python: str
    depth: int
    shape: RichText
    summary: str
    needed_by: tuple[RichText, ...]
    unstable: bool


@dataclass(frozen=True, slots=True)
class SurfacePages:
    """All about one surface.

    Attributes:
        title: such as `v1 unstable`.
        stable: the stable surface of that version, if this is the unstable one.
        methods: by the side that handles them.
        capabilities: by the side that advertises them.
    """

    name: str
    title: str
    version: int
    stability: str
    origin: str
    stable: str | None
    types: tuple[TypePage, ...]
    methods: dict[str, tuple[MethodPage, ...]]
    capabilities: dict[str, tuple[CapabilityRow, ...]]


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a docstring.

    Attributes:
        kind: `text`, `code`, or `list` for a section such as `Raises`.
        text: the paragraph, the code, or the title of the section.
        entries: the names of a section, with what is said about them.
    """

    kind: str
    text: str
    entries: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ApiEntry:
    """A public class or function, or a method of a class.

    Attributes:
        signature: as in the source.
    """

    name: str
    signature: str
    blocks: tuple[Block, ...]
    members: tuple[ApiEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class ApiPage:
    """A module of the package."""

    path: str
    module: str
    blocks: tuple[Block, ...]
    entries: tuple[ApiEntry, ...]
