"""The decisions of the overlay: names, rules and texts that no schema states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from acpgen.inputs.overlay.requirements import NONE, Requirements

# The section of `updates.toml` about responses.
SEEDS = "seeds"
# In the place of a capability: the method needs none.
NO_CAPABILITY = NONE


@dataclass(frozen=True, slots=True)
class CapabilityEntry:
    """The capability needed to call a method, or to send a member of its params.

    Attributes:
        path: the keys that lead to the entry in its file: surface, side and method, with `#member`
            for a member.
        member: the wire name of the member, with `/tag` for items with that tag; None for the
            whole method.
        capability: a JSON pointer into the initialize params (of a client) or result (of an agent),
            or `NO_CAPABILITY`.
    """

    path: tuple[str, ...]
    member: str | None
    capability: str


@dataclass(frozen=True, slots=True)
class Overlay:
    """The decisions of the overlay files.

    Attributes:
        names: names of classes, fields and methods, by what is named, such as
            `StateUpdate/other`; used where the rules of `naming` give no valid or free name.
        deprecated: former class names, each with the present name and the release that brought it.
        closed: unions and enumerations that stay closed in the default mode.
        directions: definitions whose side differs on purpose from what their envelope says.
        batches: why a line may be a batch of messages, by protocol version (`v2`); or `none`.
        ends_updates: methods whose response ends a sequence of updates, by protocol version (`v1`)
            and wire name.
        without_default: methods that agents with sessions have to write although the capability to
            have sessions needs them, by protocol version and wire name.
        capabilities: the capabilities that methods need, by surface, side and method.
        updates: the rules for session updates, by surface and tag.
        seeds: what responses say of the state of a session, by surface, method and update.
        pages: pages of the specification, by protocol version (`v1`) and wire name.
        summaries: one-line docstrings by `$defs` name.
        classes: one-line docstrings of classes without a definition, by name.
        members: one-line docstrings by definition or class, protocol version (`v1`) where it is for
            one only, and wire name.
        values: one-line descriptions of constants, by definition and constant.
        methods: one-line docstrings by wire name.
        bridge: what corresponds between two versions; the content of `bridge.toml`.
        requirements: what the specification demands of agents and clients.
        kit: how the kit speaks each protocol version; the content of `kit.toml`.
    """

    names: dict[str, str] = field(default_factory=dict)
    deprecated: dict[str, tuple[str, str]] = field(default_factory=dict)
    closed: tuple[str, ...] = ()
    directions: tuple[str, ...] = ()
    batches: dict[str, str] = field(default_factory=dict)
    ends_updates: frozenset[tuple[str, str]] = frozenset()
    without_default: frozenset[tuple[str, str]] = frozenset()
    capabilities: dict[tuple[str, str, str], tuple[CapabilityEntry, ...]] = field(
        default_factory=dict
    )
    updates: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    seeds: dict[str, dict[str, dict[str, dict[str, str]]]] = field(default_factory=dict)
    pages: dict[tuple[str, str], str] = field(default_factory=dict)
    summaries: dict[str, str] = field(default_factory=dict)
    classes: dict[str, str] = field(default_factory=dict)
    members: dict[tuple[str, ...], str] = field(default_factory=dict)
    values: dict[tuple[str, ...], str] = field(default_factory=dict)
    methods: dict[str, str] = field(default_factory=dict)
    bridge: dict[str, Any] = field(default_factory=dict)
    requirements: Requirements = field(default_factory=Requirements)
    kit: dict[str, dict[str, Any]] = field(default_factory=dict)

    def capabilities_of(
        self, surface: str, side: str, wire: str | None
    ) -> tuple[CapabilityEntry, ...]:
        """Return the entries for a method; an unstable surface inherits those of the stable one."""
        return tuple(
            entry
            for name in _with_stable(surface)
            for entry in self.capabilities.get((name, side, wire or ""), ())
        )

    def updates_of(self, surface: str) -> dict[str, tuple[tuple[str, ...], dict[str, Any]]]:
        """Return the rules for session updates by tag, each with its path; also inherited ones."""
        return {
            tag: ((name, tag), rule)
            for name in _with_stable(surface)
            for tag, rule in self.updates.get(name, {}).items()
        }

    def seeds_of(self, surface: str) -> Iterator[tuple[tuple[str, ...], dict[str, str]]]:
        """Yield the updates that responses imply, each with its path; also inherited ones."""
        for name in _with_stable(surface):
            for wire, updates in self.seeds.get(name, {}).items():
                for tag, members in updates.items():
                    yield (SEEDS, name, wire, tag), members


def _with_stable(surface: str) -> Iterable[str]:
    """Return the surfaces with entries that apply to a surface: the stable one, then itself."""
    return dict.fromkeys((surface.partition("_")[0], surface))
