"""Our own decisions beside upstream's facts: `schema/overlay/*.toml`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acpgen.diagnostics import InputError, Problem, pointer, shown

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # the same parser, before it joined the standard library

FILES = ("names.toml", "policy.toml", "summaries.toml")


@dataclass(frozen=True, slots=True)
class Overlay:
    """What a person decided.

    Attributes:
        names: class or field name by the place that needs one, such as `StateUpdate/other`; it
            counts where the rules of `naming` give none that is free.
        closed: unions and enumerations that stay closed in the default mode.
        exclusive: untagged unions of which exactly one arm may be named.
        summaries: one-line docstring by `$defs` name.
        methods: one-line docstring by wire name.
    """

    names: dict[str, str] = field(default_factory=dict)
    closed: frozenset[str] = frozenset()
    exclusive: frozenset[str] = frozenset()
    summaries: dict[str, str] = field(default_factory=dict)
    methods: dict[str, str] = field(default_factory=dict)


def load_overlay(folder: Path) -> Overlay:
    """Read the overlay files.

    Raises:
        InputError: a file is missing, is not TOML, or an entry lacks a part.
    """
    names, policy, summaries = (_read(folder / name) for name in FILES)
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
    closed = entries("policy.toml", policy, "closed", "reason")
    exclusive = entries("policy.toml", policy, "exclusive", "reason")
    if problems:
        raise InputError(problems)
    return Overlay(
        names={place: entry["name"] for place, entry in classes.items()},
        closed=frozenset(closed),
        exclusive=frozenset(exclusive),
        summaries=summaries.get("types", {}),
        methods=summaries.get("methods", {}),
    )


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
