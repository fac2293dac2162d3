"""The content of the overlay: names, rules and summaries that the schemas do not contain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from acpgen.inputs.overlay.requirements import NONE, Requirements

# The section of `updates.toml` about responses.
IMPLIED_UPDATES = "implied_updates"
# Used instead of a capability if the method or field requires no capability.
NO_CAPABILITY = NONE


@dataclass(frozen=True, slots=True)
class CapabilityEntry:
    """The capability required to call a method or to send a field of its params."""

    # The path of the entry in its file: surface, side and method, with `#member` for a field.
    path: tuple[str, ...]
    # The wire name of the field, with `/tag` for items with that tag. None if the capability is
    # required to call the method.
    member: str | None
    # A JSON pointer into the initialize params (of a client) or result (of an agent), or
    # `NO_CAPABILITY`.
    capability: str


@dataclass(frozen=True, slots=True)
class Overlay:
    """The content of the overlay files.

    In comments, "version" means a protocol version, such as `v1`.
    """

    # Names of classes, fields and methods, by schema path such as `StateUpdate/other`. These names
    # are used if the default name is invalid or taken.
    names: dict[str, str] = field(default_factory=dict)
    # Former class names, each with the current name and the release that introduced it.
    deprecated: dict[str, tuple[str, str]] = field(default_factory=dict)
    closed: tuple[str, ...] = ()  # unions and enumerations that are closed in the default mode
    # Definitions whose `x-side` intentionally differs from their envelope's side.
    directions: tuple[str, ...] = ()
    # The reason why a line can be a batch of messages, or `none` if it cannot, by version.
    batches: dict[str, str] = field(default_factory=dict)
    # Methods whose response ends a sequence of updates, by version and wire name.
    ends_updates: frozenset[tuple[str, str]] = frozenset()
    # Methods that agents with sessions must define because they have no default implementation, by
    # version and wire name.
    without_default: frozenset[tuple[str, str]] = frozenset()
    # Capabilities that methods require, by surface, side and method.
    capabilities: dict[tuple[str, str, str], tuple[CapabilityEntry, ...]] = field(
        default_factory=dict
    )
    # Rules for session updates, by surface and tag.
    updates: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    # Paths to session state in params and responses, by surface, method, update and field.
    implied_updates: dict[str, dict[str, dict[str, dict[str, str]]]] = field(default_factory=dict)
    # Pages of the specification, by version and wire name.
    pages: dict[tuple[str, str], str] = field(default_factory=dict)
    # One-line summaries of definitions, by name in `$defs`.
    summaries: dict[str, str] = field(default_factory=dict)
    # One-line summaries of classes that are not definitions, by name.
    classes: dict[str, str] = field(default_factory=dict)
    # One-line summaries of fields, by definition or class, version (optional) and wire name.
    members: dict[tuple[str, ...], str] = field(default_factory=dict)
    # One-line summaries of constants, by definition and value.
    values: dict[tuple[str, ...], str] = field(default_factory=dict)
    # One-line summaries of methods, by wire name.
    methods: dict[str, str] = field(default_factory=dict)
    # Rules for the differences between two versions.
    bridge: dict[str, Any] = field(default_factory=dict)
    requirements: Requirements = field(default_factory=Requirements)
    kit: dict[str, dict[str, Any]] = field(default_factory=dict)  # settings of the kit, by version

    def capabilities_of(
        self, surface: str, side: str, wire: str | None
    ) -> tuple[CapabilityEntry, ...]:
        """Return the entries for a method, including those inherited from the stable surface."""
        return tuple(
            entry
            for name in _with_stable(surface)
            for entry in self.capabilities.get((name, side, wire or ""), ())
        )

    def updates_of(self, surface: str) -> dict[str, tuple[tuple[str, ...], dict[str, Any]]]:
        """Return the rules for session updates by tag, each with its path in the overlay.

        The result includes the rules inherited from the stable surface.
        """
        return {
            tag: ((name, tag), rule)
            for name in _with_stable(surface)
            for tag, rule in self.updates.get(name, {}).items()
        }

    def implied_updates_of(self, surface: str) -> Iterator[tuple[tuple[str, ...], dict[str, str]]]:
        """Yield the updates that responses imply, each with its path in the overlay.

        The result includes the updates inherited from the stable surface.
        """
        for name in _with_stable(surface):
            for wire, updates in self.implied_updates.get(name, {}).items():
                for tag, members in updates.items():
                    yield (IMPLIED_UPDATES, name, wire, tag), members


def _with_stable(surface: str) -> Iterable[str]:
    """Return the surfaces whose entries apply to a surface: its stable surface and itself."""
    return dict.fromkeys((surface.partition("_")[0], surface))
