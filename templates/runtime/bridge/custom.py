"""Conversion functions that the overlay refers to; see `rules.Code`."""

from __future__ import annotations

import difflib
import json
import re

from ..values.errors import Path
from .rules import LOST, Conversion, JsonValue, filled

# The first line of a hunk in a patch.
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def env_as_list(value: JsonValue, path: Path, to: Conversion) -> JsonValue:
    """Convert environment variables from a map to a list."""
    return [{"name": name, "value": text} for name, text in value.items()]


def env_as_map(value: JsonValue, path: Path, to: Conversion) -> JsonValue:
    """Convert environment variables from a list to a map, keeping the last value for each name."""
    variables: dict[str, JsonValue] = {}
    for number, variable in enumerate(value):
        if variable.keys() - {"name", "value"}:
            to.lose((path, number), "protocol 1 environment variables have only a name and a value")
        if variable["name"] in variables:
            to.lose((path, number), "replaces an earlier variable with the same name")
        variables[variable["name"]] = variable["value"]
    return variables


def plain_answer(value: JsonValue, path: Path, to: Conversion) -> JsonValue:
    """Convert a form value to protocol 1, which supports only scalars and lists of strings."""
    is_list = value.__class__ is list and all(item.__class__ is str for item in value)
    if is_list or value.__class__ in (str, int, float, bool):
        return value
    to.lose(path, "protocol 1 form values are strings, numbers, booleans and lists of strings")
    return LOST


def diff_as_patch(value: JsonValue, path: Path, to: Conversion) -> JsonValue:
    """Convert a file's old and new text to a patch.

    The old and new text can be excerpts of the file, so line numbers in the patch are relative to
    the excerpt.
    """
    name = value["path"]
    old, new = value.get("oldText"), value["newText"]
    operation = "add" if old is None else "modify"
    others = {k: v for k, v in value.items() if k not in ("path", "oldText", "newText")}
    return {
        **others,
        "changes": [{"operation": operation, "path": name}],
        "patch": {"format": "git_patch", "text": _patch(name, old, new)},
    }


def _patch(name: str, old: str | None, new: str) -> str:
    """Return a single-file patch in the format of `git diff`."""
    inner = name.lstrip("/")
    before, after = _quoted(f"a/{inner}"), _quoted(f"b/{inner}")
    lines = [f"diff --git {before} {after}\n"]
    lines += ["new file mode 100644\n"] if old is None else []
    names = "/dev/null" if old is None else before, after
    for line in difflib.unified_diff(_lines(old or ""), _lines(new), *names):
        lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)


def _quoted(name: str) -> str:
    """Format a path as `git diff` does, quoting it if it contains special characters."""
    if not any(char < " " or char in '"\\\x7f' for char in name):
        return name
    return json.dumps(name, ensure_ascii=False)


def _lines(text: str) -> list[str]:
    """Split text after newlines and nowhere else, as `git diff` does."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def diff_as_texts(value: JsonValue, path: Path, to: Conversion) -> JsonValue:
    """Convert a single-file patch to the file's old and new text, and any other diff to plain text.

    The old and new text contain only the changed lines and the context lines of the patch.
    """
    changes, patch = value["changes"], value.get("patch")
    text = patch["text"] if patch is not None and patch["format"] == "git_patch" else None
    sides = None if text is None else _sides(text)
    names = [change["path"] for change in changes if change.get("operation") in ("add", "modify")]
    if sides is None or len(changes) != 1 or not names:
        to.lose(path, "protocol 1 diffs concern exactly one text file; showing this diff as text")
        return {"type": "content", "content": {"type": "text", "text": _as_text(changes, patch)}}
    old, new = sides
    is_new = changes[0]["operation"] == "add" and not old
    for name in filled(changes[0], "operation", "path"):
        to.lose(
            (((path, "changes"), 0), name),
            "protocol 1 diffs have only a path, the old text and the new text",
        )
    if not is_new:
        to.lose(
            (path, "patch"),
            "protocol 1 diffs omit line numbers and text outside the patch",
        )
    else:
        for name in filled(patch, "format", "text"):
            to.lose(
                ((path, "patch"), name),
                "protocol 1 diffs have only a path, the old text and the new text",
            )
    others = {k: v for k, v in value.items() if k not in ("changes", "patch")}
    return {**others, "path": names[0], "newText": new} | ({} if is_new else {"oldText": old})


def _sides(patch: str) -> tuple[str, str] | None:
    """Return the old and new text that a single-file patch contains.

    Return None if the patch is malformed or doesn't contain the text of exactly one file.
    """
    old: list[str] = []
    new: list[str] = []
    last: tuple[list[str], ...] = ()  # the sides of the patch that contain the last line
    before = after = files = 0  # the lines left in the hunk, and the number of files
    for line in _lines(patch):
        if line.startswith("\\"):  # the last line has no newline in the file
            for side in last:
                side[-1] = side[-1].removesuffix("\n")
        elif before or after:
            sign, text = (" ", line) if line == "\n" else (line[:1], line[1:])
            last = {" ": (old, new), "-": (old,), "+": (new,)}.get(sign, ())
            before, after = before - (sign in " -"), after - (sign in " +")
            if not last or min(before, after) < 0:
                return None
            for side in last:
                side.append(text)
        elif hunk := _HUNK.match(line):
            before, after = (1 if count is None else int(count) for count in hunk.groups())
        else:
            files += line.startswith("diff --git")
    is_whole = not before and not after and files < 2
    return ("".join(old), "".join(new)) if is_whole and (old or new) else None


def _as_text(changes: JsonValue, patch: JsonValue) -> str:
    if patch is not None:
        return str(patch["text"])
    return "\n".join(f"{change['operation']} {change.get('path', '')}" for change in changes)
