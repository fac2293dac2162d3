"""Folding of consecutive chunks, such as the chunks of an agent message, into one entry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from acp_bindings.runtime.values.surrogates import join_halves

from acpwire.json_values import at
from acpwire.rules.entry import Entry
from acpwire.surfaces import Side

Leaf: TypeAlias = tuple[tuple[str, ...], Any]

# The suffix of chunk tags, and the fields that can contain a chunk's text.
_KIND = "_chunk"
_CONTENT = ("text", "data")
# The maximum nesting depth of the updates to fold.
_DEPTH = 5


def fold(entries: Iterable[Entry]) -> Iterator[tuple[Entry, int]]:
    """Join consecutive chunks that differ only in their content.

    A message on one side of a bridge doesn't interrupt a sequence of chunks on the opposite side.

    Yields:
        An entry and the number of entries that it represents. If the entry represents several
        entries, it is a copy of the first entry with the joined content.
    """
    runs: list[list[Entry]] = []
    last: dict[Side | None, tuple[tuple[Any, ...] | None, list[Entry]]] = {}
    for entry in entries:
        key = _key(entry)
        earlier, run = last.get(entry.bridge, (None, []))
        if key is None or key != earlier:
            run = []
            runs.append(run)
            last[entry.bridge] = key, run
        run.append(entry)
    for run in runs:
        yield (run[0] if len(run) == 1 else _joined(run)), len(run)


def _key(entry: Entry) -> tuple[Any, ...] | None:
    """Return a key shared by chunks that can be joined, or None if the entry is not a chunk."""
    if entry.kind != "notification" or entry.problems or entry.notes:
        return None
    leaves = _leaves(entry.value)
    if leaves is None or _content(leaves) is None:
        return None
    if not any(type(value) is str and value.endswith(_KIND) for _, value in leaves):
        return None
    others = tuple((path, type(value), value) for path, value in leaves if path[-1] not in _CONTENT)
    return (entry.sender, entry.direction, entry.method, others)


def _content(leaves: list[Leaf]) -> tuple[str, ...] | None:
    """Return the path to the chunk's text, or None if there isn't exactly one such path."""
    paths = [path for path, value in leaves if path[-1] in _CONTENT and type(value) is str]
    return paths[0] if len(paths) == 1 else None


def _leaves(value: Any, path: tuple[str, ...] = ()) -> list[Leaf] | None:
    """Return the scalars in nested objects, or None if there is an array or too much nesting."""
    if type(value) is not dict:
        return None if type(value) is list or not path else [(path, value)]
    if len(path) == _DEPTH:
        return None
    leaves_inside: list[Leaf] = []
    for name, item in value.items():
        leaves = _leaves(item, (*path, name)) if name != "_meta" else []
        if leaves is None:
            return None
        leaves_inside += leaves
    return leaves_inside


def _joined(entries: list[Entry]) -> Entry:
    path = _content(_leaves(entries[0].value) or [])
    assert path is not None, "only entries with content can be folded"
    text = join_halves("".join(at(entry.value, *path) for entry in entries))
    return replace(entries[0], value=_with(entries[0].value, path, text))


def _with(value: Any, path: tuple[str, ...], text: str) -> Any:
    if not path:
        return text
    return {**value, path[0]: _with(value[path[0]], path[1:], text)}
