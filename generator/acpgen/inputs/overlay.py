"""Read the overlay, `schema/overlay/*.toml`: decisions of this project that no schema states."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from jsonschema import ValidationError

from acpgen.diagnostics import InputError, Problem, display_path, pointer
from acpgen.inputs.validation import Validator

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
OVERLAY_SCHEMA = Path(__file__).with_name("overlay.schema.json")
# The section of `updates.toml` about responses.
SEEDS = "seeds"
_TYPES = {"object": "a table", "string": "a string", "array": "a list of strings"}


@dataclass(frozen=True, slots=True)
class CapabilityEntry:
    """The capability needed to call a method, or to send a member of its params.

    Attributes:
        path: the keys that lead to the entry in its file: surface, side and method, with `#member`
            for a member.
        member: the wire name of the member, with `/tag` for items with that tag; None for the
            whole method.
        capability: a JSON pointer into the initialize params (of a client) or result (of an agent).
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
        ends_updates: methods whose response ends a sequence of updates, by protocol version (`v1`)
            and wire name.
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
    """

    names: dict[str, str] = field(default_factory=dict)
    deprecated: dict[str, tuple[str, str]] = field(default_factory=dict)
    closed: tuple[str, ...] = ()
    directions: tuple[str, ...] = ()
    ends_updates: frozenset[tuple[str, str]] = frozenset()
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

    def capabilities_of(
        self, surface: str, side: str, wire: str | None
    ) -> tuple[CapabilityEntry, ...]:
        """The entries for a method; an unstable surface inherits those of the stable one."""
        return tuple(
            entry
            for name in _with_stable(surface)
            for entry in self.capabilities.get((name, side, wire or ""), ())
        )

    def updates_of(self, surface: str) -> dict[str, tuple[tuple[str, ...], dict[str, Any]]]:
        """The rules for session updates by tag, each with its path in the file.

        An unstable surface inherits the rules of the stable one.
        """
        return {
            tag: ((name, tag), rule)
            for name in _with_stable(surface)
            for tag, rule in self.updates.get(name, {}).items()
        }

    def seeds_of(self, surface: str) -> Iterator[tuple[tuple[str, ...], dict[str, str]]]:
        """Yield what responses say of the state of a session, each with its path in the file.

        An unstable surface inherits the entries of the stable one.
        """
        for name in _with_stable(surface):
            for wire, updates in self.seeds.get(name, {}).items():
                for tag, members in updates.items():
                    yield (SEEDS, name, wire, tag), members


def _with_stable(surface: str) -> Iterable[str]:
    """The surfaces whose entries apply to a surface: the stable one first, then itself."""
    return dict.fromkeys((surface.partition("_")[0], surface))


def load_overlay(folder: Path) -> Overlay:
    """Read the overlay files.

    Raises:
        InputError: a file is missing, is not TOML, or does not match `overlay.schema.json`.
    """
    return _parse(folder, tuple(map(_read, (folder / name for name in FILES))))


@lru_cache(maxsize=4)
def _parse(folder: Path, texts: tuple[str, ...]) -> Overlay:
    """The overlay of a folder, from the texts of its files. Cached, since all surfaces share it."""
    tables = {name: _table(folder / name, text) for name, text in zip(FILES, texts, strict=True)}
    problems = [
        Problem(display_path(folder / file), at, "overlay", message)
        for file, table in tables.items()
        for at, message in _check(file, table)
    ]
    if problems:
        raise InputError(problems)
    names, policy = tables["names.toml"], tables["policy.toml"]
    summaries, pages = tables["summaries.toml"], tables["pages.toml"]
    updates = tables["updates.toml"]
    deprecated = names.get("deprecated", {})
    return Overlay(
        names={key: entry["name"] for key, entry in names.get("classes", {}).items()},
        deprecated={old: (entry["name"], entry["since"]) for old, entry in deprecated.items()},
        closed=tuple(policy.get("closed", ())),
        directions=tuple(policy.get("directions", ())),
        ends_updates=frozenset(
            (version, wire)
            for version, listed in policy.get("ends_updates", {}).items()
            for wire in listed
        ),
        capabilities=_capabilities(tables["capabilities.toml"]),
        updates={name: rules for name, rules in updates.items() if name != SEEDS},
        seeds=updates.get(SEEDS, {}),
        pages={
            (version, wire): page
            for version, listed in pages.items()
            for wire, page in listed.items()
        },
        summaries=summaries.get("types", {}),
        classes=summaries.get("classes", {}),
        members=dict(_leaves(summaries.get("members", {}))),
        values=dict(_leaves(summaries.get("values", {}))),
        methods=summaries.get("methods", {}),
    )


def _check(file: str, table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Check a file against its definition; yields a pointer and a message for each problem."""
    schema = json.loads(OVERLAY_SCHEMA.read_text(encoding="utf-8"))
    for error in Validator({**schema, "$ref": f"#/$defs/{file}"}).errors(table):
        yield from _explain(error)


def _explain(error: ValidationError) -> Iterator[tuple[str, str]]:
    """Express a validation error in terms of TOML, with what to do about it."""
    at = pointer(*error.absolute_path)
    instance: Any = error.instance
    schema: Any = error.schema
    if error.validator == "additionalProperties":
        known = schema["properties"]
        kind = "key" if error.absolute_path else "section"
        for name in instance.keys() - known.keys():
            yield at + pointer(name), f"unknown {kind}; use one of {', '.join(known)}"
    elif error.validator == "required":
        needed = schema["required"]
        missing = " and ".join(name for name in needed if name not in instance)
        yield at, f"lacks {missing}; an entry needs {' and '.join(needed)}"
    elif error.validator == "minLength":
        yield at, "is empty; fill it in"
    else:
        yield at, f"must be {_TYPES[schema['type']]}; fix the entry"


def _leaves(table: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the strings of a table and of those in it, each with the keys that lead to it."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from (((key, *path), text) for path, text in _leaves(value))
        else:
            yield (key,), value


def _capabilities(
    table: dict[str, Any],
) -> dict[tuple[str, str, str], tuple[CapabilityEntry, ...]]:
    found: dict[tuple[str, str, str], tuple[CapabilityEntry, ...]] = {}
    for surface, sides in table.items():
        for side, entries in sides.items():
            for key, capability in entries.items():
                wire, _, member = key.partition("#")
                entry = CapabilityEntry((surface, side, key), member or None, capability)
                found[surface, side, wire] = (*found.get((surface, side, wire), ()), entry)
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        message = f"cannot be read ({error.strerror}); restore it"
        raise InputError([Problem(display_path(path), "", "missing-file", message)]) from error
    except UnicodeDecodeError as error:
        raise _not_toml(path, error) from error


def _table(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(path, error) from error


def _not_toml(path: Path, error: ValueError) -> InputError:
    message = f"is not valid TOML ({error}); fix it"
    return InputError([Problem(display_path(path), "", "overlay", message)])
