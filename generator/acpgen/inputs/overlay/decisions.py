"""Decisions of the overlay: names, rules and texts that are not in any schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from acpgen.inputs.overlay.requirements import NONE, Requirements

# The section of `updates.toml` about responses.
SEEDS = "seeds"
# In place of a capability: the method needs none.
NO_CAPABILITY = NONE


@dataclass(frozen=True, slots=True)
class CapabilityEntry:
    """The capability needed to call a method, or to send a field of its params."""

    # The keys that lead to the entry in its file: surface, side and method (with `#member` for a
    # field).
    path: tuple[str, ...]
    # The wire name of the field, with `/tag` for items with that tag; None for the whole method.
    member: str | None
    # A JSON pointer into the initialize params (of a client) or result (of an agent), or
    # `NO_CAPABILITY`.
    capability: str


@dataclass(frozen=True, slots=True)
class Overlay:
    """The content of the overlay files. A "version" is a protocol version, such as `v1`."""

    # Names of classes, fields and methods by schema path, such as `StateUpdate/other`; used where
    # the rules of `naming` give no valid or free name.
    names: dict[str, str] = field(default_factory=dict)
    # Former class names, each with the present name and the release that introduced it.
    deprecated: dict[str, tuple[str, str]] = field(default_factory=dict)
    closed: tuple[str, ...] = ()  # unions and enumerations that the default mode keeps closed
    directions: tuple[
        str, ...
    ] = ()  # definitions that differ from their envelope's side on purpose
    # The reason why a line may be a batch of messages, or `none`, by version.
    batches: dict[str, str] = field(default_factory=dict)
    # Methods with a response that ends a sequence of updates, by version and wire name.
    ends_updates: frozenset[tuple[str, str]] = frozenset()
    # Methods that agents with sessions must define, although the capability to have sessions
    # requires them, by version and wire name.
    without_default: frozenset[tuple[str, str]] = frozenset()
    # Capabilities that methods need, by surface, side and method.
    capabilities: dict[tuple[str, str, str], tuple[CapabilityEntry, ...]] = field(
        default_factory=dict
    )
    # Rules for session updates, by surface and tag.
    updates: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    # Session state in responses, by surface, method and update.
    seeds: dict[str, dict[str, dict[str, dict[str, str]]]] = field(default_factory=dict)
    # Pages of the specification, by version and wire name.
    pages: dict[tuple[str, str], str] = field(default_factory=dict)
    # One-line docstrings: by `$defs` name; of classes without a definition; of fields by definition
    # or class, version (if only for one) and wire name; of constants by definition; of methods.
    summaries: dict[str, str] = field(default_factory=dict)
    classes: dict[str, str] = field(default_factory=dict)
    members: dict[tuple[str, ...], str] = field(default_factory=dict)
    values: dict[tuple[str, ...], str] = field(default_factory=dict)
    methods: dict[str, str] = field(default_factory=dict)
    bridge: dict[str, Any] = field(default_factory=dict)  # how two versions correspond
    requirements: Requirements = field(default_factory=Requirements)
    kit: dict[str, dict[str, Any]] = field(default_factory=dict)  # how the kit speaks each version

    def capabilities_of(
        self, surface: str, side: str, wire: str | None
    ) -> tuple[CapabilityEntry, ...]:
        """Return the entries for a method; unstable surfaces inherit stable ones."""
        return tuple(
            entry
            for name in _with_stable(surface)
            for entry in self.capabilities.get((name, side, wire or ""), ())
        )

    def updates_of(self, surface: str) -> dict[str, tuple[tuple[str, ...], dict[str, Any]]]:
        """Return the rules for session updates by tag, each with its path; includes inherited."""
        return {
            tag: ((name, tag), rule)
            for name in _with_stable(surface)
            for tag, rule in self.updates.get(name, {}).items()
        }

    def seeds_of(self, surface: str) -> Iterator[tuple[tuple[str, ...], dict[str, str]]]:
        """Yield the updates that responses imply, each with its path; includes inherited ones."""
        for name in _with_stable(surface):
            for wire, updates in self.seeds.get(name, {}).items():
                for tag, members in updates.items():
                    yield (SEEDS, name, wire, tag), members


def _with_stable(surface: str) -> Iterable[str]:
    """Return the surfaces with entries that apply to a surface: the stable one, then itself."""
    return dict.fromkeys((surface.partition("_")[0], surface))
