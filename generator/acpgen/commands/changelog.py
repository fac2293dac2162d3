"""The part of a changelog that says what moving to another schema has changed.

There is one such part, under Unreleased, from the schema before the first move to the one after the
last: moving back leaves nothing behind.
"""

from __future__ import annotations

import re
from pathlib import Path

from acpgen import paths
from acpgen.diagnostics import InputError, Problem, display_path
from acpgen.diff.report import as_markdown, report
from acpgen.diff.revisions import can_be_read, label_of, read_revision

_UNRELEASED = re.compile(r"^## Unreleased *\n", re.M)
_PART = re.compile(r"^### Schema: `(?P<old>[^`\n]*)` → `[^`\n]*`\n.*?(?=^#{2,3} |\Z)", re.M | re.S)


def with_schema_changes(path: Path, source: str, surfaces: list[str]) -> str:
    """A changelog that says what a schema changes, from where the changes of it started.

    Args:
        path: of the changelog.
        source: the schema that is moved to.
        surfaces: those that are wanted of it; empty for all there are.

    Raises:
        InputError: there is no changelog, or no such schema.
    """
    if not path.is_file():
        message = "does not exist; create it, with the heading `## Unreleased`"
        raise InputError([Problem(display_path(path), "", "missing-file", message)])
    text = path.read_text(encoding="utf-8")
    surface = surfaces[0] if len(surfaces) == 1 else None
    after = read_revision(source, surface)
    old, new = base(text), label_of(source, after)
    if old == new:  # back where it started
        return with_part(path, text, None)
    if old is None or not can_be_read(old):
        before = read_revision(str(paths.SCHEMA), surface)
        old = label_of(str(paths.SCHEMA), before)
    else:
        before = read_revision(old, surface)
    found = report((old, new), before, after)
    return with_part(path, text, as_markdown(found, paths.TEMPLATES) if found.changes else None)


def base(text: str) -> str | None:
    """What the part that is there starts from; None if there is none."""
    match = _PART.search(_unreleased(text))
    return match["old"] if match else None


def with_part(path: Path, text: str, part: str | None) -> str:
    """A changelog with another such part.

    Args:
        path: of the changelog, for the error.
        text: the changelog.
        part: its heading and text; None for none.

    Raises:
        InputError: it has no heading Unreleased.
    """
    match = _UNRELEASED.search(text)
    if match is None:
        message = "has no heading `## Unreleased`; add one"
        raise InputError([Problem(display_path(path), "", "missing-heading", message)])
    section = _unreleased(text)
    rest = _PART.sub("", section).strip("\n")
    parts = [each for each in (rest, (part or "").strip("\n")) if each]
    body = "".join(f"\n{each}\n" for each in parts)
    end = text[match.end() + len(section) :]
    return text[: match.end()] + body + (f"\n{end}" if end else "")


def _unreleased(text: str) -> str:
    """What stands under Unreleased."""
    match = _UNRELEASED.search(text)
    if match is None:
        return ""
    following = re.search(r"^## ", text[match.end() :], re.M)
    return text[match.end() :][: following.start() if following else None]
