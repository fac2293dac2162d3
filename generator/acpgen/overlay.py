"""Our own decisions beside upstream's facts: `schema/overlay/*.toml`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acpgen.diagnostics import InputError, Problem, pointer, shown

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # the same parser, before it joined the standard library

FILES = (
    "names.toml",
    "policy.toml",
    "summaries.toml",
    "capabilities.toml",
    "pages.toml",
    "updates.toml",
)


@dataclass(frozen=True, slots=True)
class CapabilityEntry:
    """What it takes to call a method, or to send a member of its params.

    Attributes:
        path: where the entry stands: surface, side and method, with `#member` if it is about one.
        member: that member, by its wire name, with `/tag` if it is about items with that tag.
        capability: a JSON pointer into the initialize params (of a client) or result (of an agent).
    """

    path: tuple[str, ...]
    member: str | None
    capability: str


@dataclass(frozen=True, slots=True)
class Overlay:
    """What a person decided.

    Attributes:
        names: class or field name by the place that needs one, such as `StateUpdate/other`; it
            counts where the rules of `naming` give none that is free.
        deprecated: former names of classes, each with the name now and the release that brought it.
        closed: unions and enumerations that stay closed in the default mode.
        exclusive: untagged unions of which exactly one arm may be named.
        directions: definitions whose side is not what their envelope says, on purpose.
        capabilities: what methods need, by surface, side and method.
        updates: what session updates do, by surface and tag.
        pages: pages of the specification, by protocol version (`v1`) and wire name.
        summaries: one-line docstring by `$defs` name.
        methods: one-line docstring by wire name.
    """

    names: dict[str, str] = field(default_factory=dict)
    deprecated: dict[str, tuple[str, str]] = field(default_factory=dict)
    closed: frozenset[str] = frozenset()
    exclusive: frozenset[str] = frozenset()
    directions: frozenset[str] = frozenset()
    capabilities: dict[tuple[str, str, str], tuple[CapabilityEntry, ...]] = field(
        default_factory=dict
    )
    updates: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    pages: dict[tuple[str, str], str] = field(default_factory=dict)
    summaries: dict[str, str] = field(default_factory=dict)
    methods: dict[str, str] = field(default_factory=dict)

    def capabilities_of(
        self, surface: str, side: str, wire: str | None
    ) -> tuple[CapabilityEntry, ...]:
        """The entries for a method; an unstable surface has those of the stable one, too."""
        stable = surface.partition("_")[0]
        return tuple(
            entry
            for name in dict.fromkeys((stable, surface))
            for entry in self.capabilities.get((name, side, wire or ""), ())
        )

    def updates_of(self, surface: str) -> dict[str, tuple[tuple[str, ...], dict[str, Any]]]:
        """The rules for session updates by tag, with their places; see `capabilities_of`."""
        stable = surface.partition("_")[0]
        return {
            tag: ((name, tag), rule)
            for name in dict.fromkeys((stable, surface))
            for tag, rule in self.updates.get(name, {}).items()
        }


def load_overlay(folder: Path) -> Overlay:
    """Read the overlay files.

    Raises:
        InputError: a file is missing, is not TOML, or an entry lacks a part.
    """
    tables = [_read(folder / name) for name in FILES]
    names, policy, summaries, capabilities, pages, updates = tables
    problems: list[Problem] = []

    def entries(file: str, table: dict[str, Any], section: str, *parts: str) -> dict[str, Any]:
        found: dict[str, Any] = table.get(section, {})
        for place, entry in found.items():
            if not isinstance(entry, dict) or set(parts) != entry.keys():
                message = f"needs {' and '.join(parts)}, nothing else; mend the entry"
                at = pointer(section, place)
                problems.append(Problem(shown(folder / file), at, "overlay", message))
        return found

    classes = entries("names.toml", names, "classes", "name", "reason")
    deprecated = entries("names.toml", names, "deprecated", "name", "since")
    closed = entries("policy.toml", policy, "closed", "reason")
    exclusive = entries("policy.toml", policy, "exclusive", "reason")
    directions = entries("policy.toml", policy, "directions", "reason")
    for file, table, depth, kind in (
        ("summaries.toml", summaries, 2, str),
        ("capabilities.toml", capabilities, 3, str),
        ("pages.toml", pages, 2, str),
        ("updates.toml", updates, 2, dict),
    ):
        problems += _misshapen(shown(folder / file), table, depth, kind)
    if problems:
        raise InputError(problems)
    return Overlay(
        names={place: entry["name"] for place, entry in classes.items()},
        deprecated={old: (entry["name"], entry["since"]) for old, entry in deprecated.items()},
        closed=frozenset(closed),
        exclusive=frozenset(exclusive),
        directions=frozenset(directions),
        capabilities=_capabilities(capabilities),
        updates=updates,
        pages={
            (version, wire): page
            for version, listed in pages.items()
            for wire, page in listed.items()
        },
        summaries=summaries.get("types", {}),
        methods=summaries.get("methods", {}),
    )


def _misshapen(
    file: str, value: Any, depth: int, kind: type, path: tuple[str, ...] = ()
) -> Iterator[Problem]:
    """Entries that are not tables down to a depth, and of a kind there."""
    if depth and isinstance(value, dict):
        for name, entry in value.items():
            yield from _misshapen(file, entry, depth - 1, kind, (*path, name))
    elif depth or not isinstance(value, kind):
        wanted = "a string" if kind is str and not depth else "a table"
        yield Problem(file, pointer(*path), "overlay", f"must be {wanted}; mend the entry")


def _capabilities(
    table: dict[str, Any],
) -> dict[tuple[str, str, str], tuple[CapabilityEntry, ...]]:
    found: dict[tuple[str, str, str], tuple[CapabilityEntry, ...]] = {}
    for surface, sides in table.items():
        for side, entries in sides.items():
            for place, capability in entries.items():
                wire, _, member = place.partition("#")
                entry = CapabilityEntry((surface, side, place), member or None, capability)
                found[surface, side, wire] = (*found.get((surface, side, wire), ()), entry)
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return table
    except OSError as error:
        message = f"cannot be read ({error.strerror}); restore it"
        raise InputError([Problem(shown(path), "", "missing-file", message)]) from error
    except ValueError as error:
        raise InputError(
            [Problem(shown(path), "", "overlay", f"not valid TOML ({error}); mend it")]
        ) from error
