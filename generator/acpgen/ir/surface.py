"""A surface: all data that its package is rendered from, and the additions of an extension."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from acpgen.ir.model import Definition, Method, Origin
from acpgen.ir.session import ImpliedUpdate, SessionSpec, UpdateRule


@dataclass(frozen=True, slots=True)
class MetaEntries:
    """Typed entries of the `_meta` of one class of the protocol."""

    owner: str  # the class, by its qualified name such as `v2.ToolCall`
    record: str  # the definition with the entries as fields
    view: str  # the class that gives access to them
    base: str | None  # the view of a base class of the owner, if that also has entries


@dataclass(frozen=True, slots=True)
class VariantUnion:
    """A union of the protocol with typed forms of tags that the protocol does not define."""

    # The definition with the variants as its arms and the protocol's union as its default.
    union: str
    base: str  # the union of the protocol, by its qualified name
    unknown: str  # the protocol's class for unknown tags, also qualified
    tags: tuple[str, ...]  # the tags of the variants
    classes: tuple[str, ...]  # the classes of the variants


@dataclass(frozen=True, slots=True)
class SurfaceExtension:
    """The additions to another surface."""

    base: str  # the name of the extended surface
    # The entries of `_meta`; base classes come before their subclasses.
    meta: tuple[MetaEntries, ...] = ()
    variants: tuple[VariantUnion, ...] = ()  # the unions with variants


@dataclass(frozen=True, slots=True)
class Surface:
    """One protocol version at one stability."""

    name: str  # such as `v1` or `v2_unstable`
    version: int  # the protocol version
    stability: str  # `stable` or `unstable`
    origin: Origin  # the source of its schema
    # By the name of their class or alias, in order.
    definitions: Mapping[str, Definition]
    methods: tuple[Method, ...]  # ordered by side and name, extensions last
    # The overlay's summaries. Keys: a definition's name; a class name, if it has no definition; a
    # field's class and wire name; a constant's enumeration and value; a method's wire name.
    summaries: Mapping[str, str] = field(default_factory=dict)
    class_summaries: Mapping[str, str] = field(default_factory=dict)
    member_summaries: Mapping[tuple[str, str], str] = field(default_factory=dict)
    value_summaries: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    method_summaries: Mapping[str, str] = field(default_factory=dict)
    updates: tuple[UpdateRule, ...] = ()  # the effects of session updates
    implied_updates: tuple[ImpliedUpdate, ...] = ()  # the session updates that responses imply
    session_update: str | None = None  # the union of session updates, if there is one
    content_block: str | None = None  # the union of message content, if there is one
    # The sessions of clients and agents; None if the schema lacks part of them.
    session: SessionSpec | None = None
    # Former names of classes, each with the present name and the release that introduced it.
    deprecated: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    batches: bool = False  # whether a line may be a batch of messages
    # The text of each part of the schema that strict mode does not enforce, by pointer.
    unread: Mapping[str, str] = field(default_factory=dict)
    deprecations: frozenset[str] = frozenset()  # the pointers to deprecated parts of the schema
    extension: SurfaceExtension | None = None  # the additions to another surface, if any
    # The definitions of that surface, by qualified name such as `v2.ToolCall`.
    foreign: Mapping[str, Definition] = field(default_factory=dict)
    # The settings of the kit for this protocol version; empty if it has no support.
    kit: Mapping[str, Any] = field(default_factory=dict)
    # The JSON Schema of each definition; references use class names.
    schemas: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def known(self) -> Mapping[str, Definition]:
        """All definitions that can be referred to."""
        return {**self.foreign, **self.definitions} if self.foreign else self.definitions

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The pointers to the parts of the schema that strict mode does not enforce."""
        return tuple(self.unread)

    @property
    def schema_name(self) -> str:
        """The name of the schema in docstrings."""
        return f"ACP v{self.version} schema" if self.extension is None else self.origin.path
