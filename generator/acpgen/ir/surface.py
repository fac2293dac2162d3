"""A surface: everything that its package is rendered from, and what an extension adds to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from acpgen.ir.model import Definition, Method, Origin
from acpgen.ir.session import ImpliedUpdate, SessionSpec, UpdateRule


@dataclass(frozen=True, slots=True)
class MetaEntries:
    """Typed entries of the `_meta` of one class of the protocol.

    Attributes:
        owner: the class, by its qualified name such as `v2.ToolCall`.
        record: the definition whose members are the entries.
        view: the class that gives access to them.
        base: the view of a class that the owner extends, if that has entries, too.
    """

    owner: str
    record: str
    view: str
    base: str | None


@dataclass(frozen=True, slots=True)
class VariantUnion:
    """A union of the protocol with typed forms of tags that the protocol does not list.

    Attributes:
        union: the definition that has them: they are its arms, and the protocol's union is its
            default.
        base: the union of the protocol, by its qualified name.
        unknown: the class of the protocol for tags that it does not list, also qualified.
        tags: the tags of the variants.
        classes: the classes of the variants.
    """

    union: str
    base: str
    unknown: str
    tags: tuple[str, ...]
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extension:
    """What makes a surface one that extends another.

    Attributes:
        base: the name of the surface that it extends.
        meta: the entries of `_meta`, those of a base class before those of its subclasses.
        variants: the unions with variants.
    """

    base: str
    meta: tuple[MetaEntries, ...] = ()
    variants: tuple[VariantUnion, ...] = ()


@dataclass(frozen=True, slots=True)
class Surface:
    """One protocol version at one stability.

    Attributes:
        name: such as `v1` or `v2_unstable`.
        version: the protocol version.
        stability: `stable` or `unstable`.
        origin: where its schema came from.
        definitions: by the name of their class or alias, in the order of their names.
        methods: ordered by side and name, those of extensions last.
        summaries: our own words for a definition, by its name.
        class_summaries: the same for a class without a definition of its own.
        member_summaries: the same for a member, by its class and wire name.
        value_summaries: the same for a constant, by its enumeration and itself.
        method_summaries: the same for a method, by its wire name.
        updates: what session updates do.
        implied_updates: the session updates that responses imply.
        session_update: the union of session updates, if there is one.
        content_block: the union that messages are made of, if there is one.
        session: the sessions of clients and agents; None if the schema lacks part of them.
        deprecated: former names of classes, each with the present one and the release it came in.
        batches: whether a line may be a batch of messages.
        unread: the text of each part of the schema that strict mode does not enforce, by pointer.
        deprecations: the pointers to deprecated parts of the schema.
        extension: what else it adds to another surface, if it extends one.
        foreign: the definitions of that surface, by qualified name such as `v2.ToolCall`.
        kit: how the kit speaks this protocol version; empty if it does not.
        schemas: the JSON Schema of each definition, with the names of classes in its references.
    """

    name: str
    version: int
    stability: str
    origin: Origin
    definitions: Mapping[str, Definition]
    methods: tuple[Method, ...]
    summaries: Mapping[str, str]
    class_summaries: Mapping[str, str]
    member_summaries: Mapping[tuple[str, str], str]
    value_summaries: Mapping[tuple[str, ...], str]
    method_summaries: Mapping[str, str]
    updates: tuple[UpdateRule, ...]
    implied_updates: tuple[ImpliedUpdate, ...]
    session_update: str | None
    content_block: str | None
    session: SessionSpec | None
    deprecated: Mapping[str, tuple[str, str]]
    batches: bool = False
    unread: Mapping[str, str] = field(default_factory=dict)
    deprecations: frozenset[str] = frozenset()
    extension: Extension | None = None
    foreign: Mapping[str, Definition] = field(default_factory=dict)
    kit: Mapping[str, Any] = field(default_factory=dict)
    schemas: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def known(self) -> Mapping[str, Definition]:
        """All definitions that may be referred to."""
        return {**self.foreign, **self.definitions} if self.foreign else self.definitions

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The pointers to the parts of the schema that strict mode does not enforce."""
        return tuple(self.unread)

    @property
    def schema_name(self) -> str:
        """What docstrings call the schema."""
        return f"ACP v{self.version} schema" if self.extension is None else self.origin.path
