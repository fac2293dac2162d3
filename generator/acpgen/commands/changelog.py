"""Changelog notes about the changes from one schema to another.

The notes form a section under Unreleased that covers all schema changes since the last release.
Moving back to the schema of the last release removes the section.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from acpgen.commands.undecided import find_undecided
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem
from acpgen.diff.report import report
from acpgen.diff.report_formats import as_markdown
from acpgen.diff.revisions import label_of, read_revision
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.sources.fetch import is_revision
from acpgen.ir.surface import Surface

_UNRELEASED = re.compile(r"^## Unreleased *\n", re.M)
_PART = re.compile(r"^### Schema: `(?P<old>[^`\n]*)` → `[^`\n]*`\n.*?(?=^#{2,3} |\Z)", re.M | re.S)


@dataclass(frozen=True, slots=True)
class Move:
    """The updated text of a changelog, and notes about manual decisions."""

    text: str
    undecided: list[Problem]


def note_move(path: Path, source: str, surfaces: list[str]) -> Move:
    """Return a changelog's text, updated for a move to another schema, without writing it.

    Raises:
        InputError: If the changelog does not exist or has no Unreleased heading, or if the schema
            cannot be used.
    """
    if not path.is_file():
        message = "does not exist; create it with the heading `## Unreleased`"
        raise InputError([Problem(display_path(path), "", "missing-file", message)])
    text = path.read_text(encoding="utf-8")
    after = _read(source, surfaces)
    old, new = first_schema(text), label_of(source, after)
    if old == new:  # a move back to the released schema
        return Move(with_part(path, text, None), [])
    if old is None or is_revision(old):
        before = _read(str(paths.SCHEMA), surfaces)
        old = label_of(str(paths.SCHEMA), before)
    else:
        before = _read(old, surfaces)
    differences = report((old, new), before, after)
    part = as_markdown(differences) if differences.changes else None
    requirements = load_overlay(paths.SCHEMA / "overlay").requirements
    return Move(with_part(path, text, part), find_undecided(before, after, requirements))


def _read(name: str, surfaces: list[str]) -> dict[str, Surface]:
    """Read the given surfaces of a revision, or all surfaces if the list is empty.

    Missing surfaces are omitted. If only one surface is given, however, it must exist.
    """
    present = read_revision(name, surfaces if len(surfaces) == 1 else []).surfaces
    return {key: surface for key, surface in present.items() if not surfaces or key in surfaces}


def first_schema(text: str) -> str | None:
    """Return the old schema named in the section on schema changes, or None if there is none."""
    match = _PART.search(_unreleased(text))
    return match["old"] if match else None


def with_part(path: Path, text: str, part: str | None) -> str:
    """Return a changelog's text with its section on schema changes replaced or removed.

    Raises:
        InputError: If the changelog has no Unreleased heading.
    """
    match = _UNRELEASED.search(text)
    if match is None:
        message = "has no heading `## Unreleased`; add one"
        raise InputError([Problem(display_path(path), "", "missing-heading", message)])
    section = _unreleased(text)
    remaining = _PART.sub("", section).strip("\n")
    parts = [block for block in (remaining, (part or "").strip("\n")) if block]
    body = "".join(f"\n{block}\n" for block in parts)
    end = text[match.end() + len(section) :]
    return text[: match.end()] + body + (f"\n{end}" if end else "")


def _unreleased(text: str) -> str:
    """Return the text under the Unreleased heading, or an empty string if there is none."""
    match = _UNRELEASED.search(text)
    if match is None:
        return ""
    following = re.search(r"^## ", text[match.end() :], re.M)
    return text[match.end() :][: following.start() if following else None]
