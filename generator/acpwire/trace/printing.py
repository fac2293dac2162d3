"""The printed form of a recording: for each message, a line with an excerpt and its problems.

Text from the recording is not interpreted as markup, and its control characters are escaped.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from acpgen.cli.output import terminal
from acpgen.common.display import printable
from acpgen.common.pointers import located
from rich.text import Text

from acpwire.json_values import ID, TEXT, quote, quote_id, shorten
from acpwire.rules.checker import Conversation
from acpwire.rules.entry import Entry
from acpwire.trace.folding import fold
from acpwire.trace.following import Following, counts

_SIDES = {"client": "cyan", "agent": "magenta", "bridge": "green", None: "dim"}
# The maximum numbers of problems and notes per message, and the maximum lengths of names and
# pointers.
_PROBLEMS = 8
_NAME = 80
_POINTER = 300
# The maximum number of scalars in an excerpt, and the maximum depth of their nesting.
_SCALARS, _DEPTH = 6, 5
_ID_ENDING = "Id"
_WORD = re.compile(r"[A-Za-z0-9_./:+-]+")
_TAG = re.compile(r"_?[a-z][a-z0-9_/]*")


def show(conversation: Conversation) -> None:
    """Print all entries and their counts."""
    times = [entry.time for entry in conversation.entries if entry.time is not None]
    start = times[0] if times else None
    for entry, count in fold(conversation.entries):
        _show(entry, count, start)
    _show_counts(counts(conversation))


def show_live(following: Following, source: Path | Iterable[bytes]) -> None:
    """Print entries as they are recorded until the recording ends or the user presses Ctrl-C.

    Finally, print the counts. Chunks are not joined because joining would delay them.
    """
    start: float | None = None
    with suppress(KeyboardInterrupt):
        for entry in following.entries(source):
            start = entry.time if start is None else start
            _show(entry, 1, start)
            sys.stdout.flush()
    for entry in following.end():
        text = printable(f"note: {entry} has no response")
        terminal.folded(Text("  "), Text(text, "yellow"))
    _show_counts(following.counts)


def _show_counts(numbers: Mapping[str, int]) -> None:
    words = ", ".join(
        f"{number} {name.removesuffix('s') if number == 1 else name}"
        for name, number in numbers.items()
    )
    terminal.folded(Text(), Text(words, "bold red" if numbers["problems"] else "bold green"))


def _show(entry: Entry, count: int, start: float | None) -> None:
    # A continued recording repeats some earlier lines, with times before its start.
    time = "" if entry.time is None or start is None else f"{max(0, entry.time - start):.3f}"
    head = Text("" if start is None else f"{time:>8}  ", "dim")
    terminal.folded(head, _line(entry, count))
    indent = Text(" " * max(len(head), 2))
    for finding in entry.problems[:_PROBLEMS]:
        pointer = shorten(finding.pointer, _POINTER)
        place = located(str(entry.line), pointer)
        text = f"problem at {place}: {finding.message} ({finding.requirement})"
        terminal.folded(indent, Text(printable(text), "red"))
    if len(entry.problems) > _PROBLEMS:
        text = f"{len(entry.problems) - _PROBLEMS} more problems on line {entry.line}"
        terminal.folded(indent, Text(text, "red"))
    for note in entry.notes[:_PROBLEMS]:
        terminal.folded(indent, Text(printable(f"note: {note}"), "yellow"))


def _line(entry: Entry, count: int) -> Text:
    if entry.kind == "event":
        return Text(printable(entry.value), "bold")
    line = _who(entry)
    if entry.kind in ("invalid", "unreadable"):
        line.append(f"  {entry.kind}", "red")
        shown = f"  {shorten(entry.value, _NAME)}" if entry.value else ""
        return line.append(printable(shown), "dim")
    if entry.kind == "response":
        line.append("  error of " if entry.is_error else "  result of ", "dim")
    else:
        line.append("  ")
    line.append(printable(shorten(entry.method or "?", _NAME)), "bold")
    if entry.kind != "notification":
        line.append(printable(f" #{quote_id(entry.id)}"), "dim")
    if (seconds := entry.seconds) is not None:
        duration = f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
        line.append(f" after {duration}", "green")
    if count > 1:
        line.append(f" {count} times", "green")
    if entry.surface and entry.surface.endswith("_unstable"):
        line.append(" (unstable)", "yellow")
    return _append_excerpt(line, entry)


def _who(entry: Entry) -> Text:
    if entry.sender is None and entry.direction:
        return Text.assemble((f"? {entry.direction}", "dim"))
    sender, receiver = entry.name(entry.sender), entry.name(entry.receiver)
    arrow = (" → ", "dim")
    who = Text.assemble((sender or "?", _SIDES[sender]), arrow, (receiver or "?", _SIDES[receiver]))
    if entry.bridge is not None and entry.version is not None:
        who.append(f" v{entry.version}", "dim")
    return who


def _append_excerpt(line: Text, entry: Entry) -> Text:
    if entry.is_error and type(entry.value) is dict:
        code, message = entry.value.get("code"), entry.value.get("message")
        return line.append(printable(f"  {quote(code)} {quote(message)}"), "yellow")
    if entry.value is None and entry.kind != "response":
        return line
    for index, (name, value) in enumerate(excerpt(entry.value)):
        line.append(" " if index else "  ")
        line.append(printable(f"{name}=") if name else "", "dim").append(printable(value))
    return line


class Part(NamedTuple):
    """A scalar in an excerpt."""

    name: str  # the field name, or an empty string to show only the value
    value: str  # the value as text


def excerpt(value: Any) -> list[Part]:
    """Return a few scalars that summarize a JSON value.

    Scalars are chosen by position: an object's own scalars come before the scalars of nested
    objects. If the first field of a nested object contains a single word, such as a tag, the word
    is shown without the field name.
    """
    parts: list[Part] = []
    for part in _scalars(value, depth=0):
        if parts and parts[-1] == ("", part.name):  # such as the tag `text` before `text="Hello"`
            parts.pop()
        elif len(parts) == _SCALARS:
            return [*parts, Part("", "…")]
        parts.append(part)
    return parts


def _scalars(value: Any, *, depth: int) -> Iterator[Part]:
    if depth > _DEPTH:
        return
    if type(value) is list:
        for first in value[:1]:
            yield from _scalars(first, depth=depth + 1)
        if len(value) > 1:
            yield Part("", f"(+{len(value) - 1})")
    elif type(value) is dict:
        members = [(name, item) for name, item in value.items() if name != "_meta"]
        for index, (name, item) in enumerate(members):
            if type(item) not in (dict, list):
                is_first = depth > 0 and index == 0 and not name.endswith(_ID_ENDING)
                is_tag = is_first and type(item) is str and _TAG.fullmatch(item)
                yield Part("" if is_tag else shorten(name, TEXT), _value(name, item))
        for _, item in members:
            if type(item) in (dict, list):
                yield from _scalars(item, depth=depth + 1)
    else:
        yield Part("", quote(value))


def _value(name: str, value: Any) -> str:
    if type(value) is str and name.endswith(_ID_ENDING):
        return shorten(value, ID)
    if type(value) is str and _WORD.fullmatch(value):
        return shorten(value, TEXT)
    return quote(value)
