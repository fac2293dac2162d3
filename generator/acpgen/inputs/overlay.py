"""Our own decisions beside upstream's facts: `schema/overlay/*.toml`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from acpgen.diagnostics import InputError, Problem, display_path, pointer

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # the same parser, before it joined the standard library

# By file, how deep its entries stand, and what each one is.
_ENTRIES: dict[str, tuple[int, type]] = {
    "names.toml": (2, dict),
    "policy.toml": (2, dict),
    "summaries.toml": (2, str),
    "capabilities.toml": (3, str),
    "pages.toml": (2, str),
    "updates.toml": (2, dict),
}
FILES = tuple(_ENTRIES)
# The sections of a file, with all that an entry there has to say. Those of the other files are
# surfaces and versions, which the schema knows, and what a rule needs depends on what it does.
_SECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "names.toml": {"classes": ("name", "reason"), "deprecated": ("name", "since")},
    "policy.toml": {"closed": ("reason",), "exclusive": ("reason",), "directions": ("reason",)},
    "summaries.toml": {"types": (), "classes": (), "methods": ()},
}
# The parts of entries that are no strings.
_KINDS: dict[str, type] = {"defaults": dict, "carries": list}
_WORDS: dict[type, str] = {str: "a string", dict: "a table", list: "a list of strings"}

# The place of something in a file, and what is wrong with it.
_Misshapen: TypeAlias = tuple[tuple[str, ...], str]


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
        classes: one-line docstring by name, of classes without a definition of their own.
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
    classes: dict[str, str] = field(default_factory=dict)
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
        InputError: a file is missing, is not TOML, or is not of the form that it must have.
    """
    tables = {name: _read(folder / name) for name in FILES}
    problems = [
        Problem(display_path(folder / file), pointer(*path), "overlay", message)
        for file, table in tables.items()
        for path, message in _misshapen(file, table)
    ]
    if problems:
        raise InputError(problems)
    names, policy = tables["names.toml"], tables["policy.toml"]
    summaries, pages = tables["summaries.toml"], tables["pages.toml"]
    deprecated = names.get("deprecated", {})
    return Overlay(
        names={place: entry["name"] for place, entry in names.get("classes", {}).items()},
        deprecated={old: (entry["name"], entry["since"]) for old, entry in deprecated.items()},
        closed=frozenset(policy.get("closed", ())),
        exclusive=frozenset(policy.get("exclusive", ())),
        directions=frozenset(policy.get("directions", ())),
        capabilities=_capabilities(tables["capabilities.toml"]),
        updates=tables["updates.toml"],
        pages={
            (version, wire): page
            for version, listed in pages.items()
            for wire, page in listed.items()
        },
        summaries=summaries.get("types", {}),
        classes=summaries.get("classes", {}),
        methods=summaries.get("methods", {}),
    )


def _misshapen(file: str, table: dict[str, Any]) -> Iterator[_Misshapen]:
    """What in a file is not of the form that it must have."""
    sections = _SECTIONS.get(file, dict.fromkeys(table, ()))
    for section in table.keys() - sections.keys():
        # What it says would count for nothing; a union meant to be closed would be open.
        yield (section,), f"is no section; spell it as one of {', '.join(sections)}"
    depth, kind = _ENTRIES[file]
    known = {name: entries for name, entries in table.items() if name in sections}
    for path, entry in _entries(known, depth):
        wanted = kind if len(path) == depth else dict
        if not isinstance(entry, wanted):
            yield path, f"must be {_WORDS[wanted]}; mend the entry"
        elif isinstance(entry, dict):
            yield from _misshapen_parts(path, entry, sections[path[0]])


def _entries(
    value: Any, depth: int, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """What stands in a table at a depth, or above it and is no table."""
    if depth and isinstance(value, dict):
        for name, entry in value.items():
            yield from _entries(entry, depth - 1, (*path, name))
    else:
        yield path, value


def _misshapen_parts(
    path: tuple[str, ...], entry: dict[str, Any], parts: tuple[str, ...]
) -> Iterator[_Misshapen]:
    """What is wrong with an entry that is a table; no `parts` leave them to who reads them."""
    if parts and set(parts) != entry.keys():
        yield path, f"needs {' and '.join(parts)}, nothing else; mend the entry"
        return
    for part, value in entry.items():
        kind = _KINDS.get(part, str)
        items = value if isinstance(value, list) else ()
        if not isinstance(value, kind) or not all(isinstance(item, str) for item in items):
            yield (*path, part), f"must be {_WORDS[kind]}; mend the entry"


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
        raise InputError([Problem(display_path(path), "", "missing-file", message)]) from error
    except ValueError as error:
        raise InputError(
            [Problem(display_path(path), "", "overlay", f"not valid TOML ({error}); mend it")]
        ) from error
