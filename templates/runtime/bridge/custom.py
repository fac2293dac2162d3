"""Rules that are code, named by the overlay; see `rules.Code`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from ..values.errors import Path
from .rules import LOST, Conversion, JsonValue

# The line that begins a hunk of a patch.
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")


def id_that_is_not_null(value: JsonValue, path: Path, to: Conversion) -> JsonValue:
    """Convert the id of a request, which may be null in the older version only."""
    if value is None:
        to.lose(path, "null is no id in the other protocol version")
        return LOST
    return value


def env_as_list(value: JsonValue, path: Path, to: Conversion) -> JsonValue:
    """Convert environment variables from a map to a list."""
    return [{"name": name, "value": text} for name, text in value.items()]


def env_as_map(value: JsonValue, path: Path, to: Conversion) -> JsonValue:
    """Convert environment variables from a list to a map."""
    for number, variable in enumerate(value):
        if variable.keys() - {"name", "value"}:
            to.lose((path, number), "a variable has a name and a value there, and nothing else")
    return {variable["name"]: variable["value"] for variable in value}


def plain_answer(value: JsonValue, path: Path, to: Conversion) -> JsonValue:
    """Convert an answer to a form: the older version has scalars and lists of strings."""
    is_list = value.__class__ is list and all(item.__class__ is str for item in value)
    if is_list or value.__class__ in (str, int, float, bool):
        return value
    to.lose(path, "an older agent takes strings, numbers, booleans and lists of strings")
    return LOST


def diff_as_patch(value: JsonValue, path: Path, to: Conversion) -> JsonValue:
    """Convert a file's old and new text to a patch.

    The texts may be parts of the file, so the numbers of lines in the patch count within them.
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
    """Write a patch of one file, as `git diff` does."""
    inner = name.lstrip("/")
    before = "/dev/null" if old is None else f"a/{inner}"
    lines = [f"diff --git a/{inner} b/{inner}\n"]
    lines += ["new file mode 100644\n"] if old is None else []
    texts = (old or "").splitlines(keepends=True), new.splitlines(keepends=True)
    for line in difflib.unified_diff(*texts, before, f"b/{inner}"):
        lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)


def diff_as_texts(value: JsonValue, path: Path, to: Conversion) -> JsonValue:
    """Convert a patch of one file to its old and new text, and anything else to text.

    A patch has the lines around each change, and no others.
    """
    changes, patch = value["changes"], value.get("patch")
    text = patch["text"] if patch is not None and patch["format"] == "git_patch" else None
    sides = None if text is None else _sides(text)
    names = [change["path"] for change in changes if change.get("operation") in ("add", "modify")]
    if sides is None or len(changes) != 1 or not names:
        to.lose(path, "an older diff is of one text file; this one is shown as text")
        return {"type": "content", "content": {"type": "text", "text": _as_text(changes, patch)}}
    old, new = sides
    is_new = changes[0]["operation"] == "add"
    if not is_new:
        to.lose((path, "patch"), "an older diff has no numbers of lines, and only these parts")
    others = {k: v for k, v in value.items() if k not in ("changes", "patch")}
    return {**others, "path": names[0], "newText": new} | ({} if is_new else {"oldText": old})


def _sides(patch: str) -> tuple[str, str] | None:
    """Return what a patch of one file shows of its old and its new text."""
    old: list[str] = []
    new: list[str] = []
    last: tuple[list[str], ...] = ()  # the sides that the last line is on
    for line in _body(patch):
        if line.startswith("\\"):  # the last line has no newline in the file
            for side in last:
                side[-1] = side[-1].rstrip("\n")
            continue
        last = {" ": (old, new), "-": (old,), "+": (new,)}.get(line[:1], ())
        for side in last:
            side.append(line[1:])
    return ("".join(old), "".join(new)) if old or new else None


def _body(patch: str) -> Iterator[str]:
    """Yield the lines of a patch within its hunks."""
    is_inside = False
    for line in patch.splitlines(keepends=True):
        if _HUNK.match(line):
            is_inside = True
        elif line.startswith("diff --git"):
            is_inside = False
        elif is_inside:
            yield line


def _as_text(changes: JsonValue, patch: JsonValue) -> str:
    if patch is not None:
        return str(patch["text"])
    words = [(change.get("operation", "change"), change.get("path", "")) for change in changes]
    return "\n".join(" ".join(pair) for pair in words)
