"""Surfaces: the data from which packages are rendered, including the additions of extensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from acpgen.ir.model import Definition, Method, Origin
from acpgen.ir.session import ImpliedUpdate, SessionSpec, UpdateRule


@dataclass(frozen=True, slots=True)
class MetaEntries:
    """Typed `_meta` entries of one protocol class."""

    owner: str  # the qualified name of the class, such as `v2.ToolCall`
    record: str  # the definition whose fields are the entries
    view: str  # the class that provides access to the entries
    base: str | None  # the view of `owner`'s base class, if that class also has entries


@dataclass(frozen=True, slots=True)
class VariantUnion:
    """A protocol union with additional variants, for tags that the protocol does not define."""

    # The name of a definition whose variants are the additional variants and whose default is the
    # protocol union.
    union: str
    base: str  # the qualified name of the protocol union
    unknown: str  # the qualified name of the protocol's class for unknown tags
    tags: tuple[str, ...]  # the tags of the additional variants
    classes: tuple[str, ...]  # the classes of the additional variants


@dataclass(frozen=True, slots=True)
class SurfaceExtension:
    """The additions that an extension makes to another surface."""

    base: str  # the name of the extended surface
    # The `_meta` entries by class. Base classes precede their subclasses.
    meta: tuple[MetaEntries, ...]
    variants: tuple[VariantUnion, ...]  # the unions with additional variants


@dataclass(frozen=True, slots=True)
class Surface:
    """A protocol version in its stable or unstable form."""

    name: str  # such as `v1` or `v2_unstable`
    version: int  # the protocol version
    stability: str  # `stable` or `unstable`
    origin: Origin  # the source of the surface's schema
    # The definitions by the name of their class or alias, in alphabetical order.
    definitions: Mapping[str, Definition]
    methods: tuple[Method, ...]  # ordered by side and name, extensions last
    # The overlay's summaries. The keys of these mappings are, in this order: a definition's name;
    # the name of a class without a definition; a field's class and wire name; a constant's
    # enumeration and value; a method's wire name.
    summaries: Mapping[str, str] = field(default_factory=dict)
    class_summaries: Mapping[str, str] = field(default_factory=dict)
    member_summaries: Mapping[tuple[str, str], str] = field(default_factory=dict)
    value_summaries: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    method_summaries: Mapping[str, str] = field(default_factory=dict)
    updates: tuple[UpdateRule, ...] = ()  # the effects of session updates
    implied_updates: tuple[ImpliedUpdate, ...] = ()  # the session updates that responses imply
    session_update: str | None = None  # the union of session updates, if there is one
    content_block: str | None = None  # the union of message content, if there is one
    # The data for client and agent sessions, or None if a part that sessions need is not in the
    # schema.
    session: SessionSpec | None = None
    # Former class names, each with the current name and the release that introduced it.
    deprecated: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    batches: bool = False  # whether a line may be a batch of messages
    # The parts of the schema that strict mode does not enforce, as JSON text by pointer.
    unread: Mapping[str, str] = field(default_factory=dict)
    deprecations: frozenset[str] = frozenset()  # the pointers to deprecated parts of the schema
    extension: SurfaceExtension | None = None  # the additions to another surface, if any
    # The definitions of the extended surface, by qualified name such as `v2.ToolCall`.
    foreign: Mapping[str, Definition] = field(default_factory=dict)
    # The `kit.toml` settings for this protocol version, or none if the kit does not support it.
    kit: Mapping[str, Any] = field(default_factory=dict)
    # The JSON Schema of each definition, with class names in references.
    schemas: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def known(self) -> Mapping[str, Definition]:
        """The definitions of this surface and of the surface that it extends, if any."""
        return {**self.foreign, **self.definitions}

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The pointers to the parts of the schema that strict mode does not enforce."""
        return tuple(self.unread)

    @property
    def schema_name(self) -> str:
        """The schema's name for use in docstrings."""
        return f"ACP v{self.version} schema" if self.extension is None else self.origin.path
