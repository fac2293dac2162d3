"""Read a recording while it is written, across the files that it goes on in."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

_CHUNK = 1 << 20
# How often to look for more, in seconds: nothing tells when a file grows.
_PAUSE = 0.1


class TailLine(NamedTuple):
    """A complete line of a recording."""

    number: int  # in its file, from 1
    raw: bytes  # with its end
    follows: bool  # whether its file continues the one before without a gap


def tail(path: Path) -> Iterator[TailLine]:
    """Read all lines of a file, which need not exist yet, and all later lines, forever."""
    current, follows = path, False
    while True:
        file = _opened(current)
        with file:
            for number, raw in _lines(file, path):
                yield TailLine(number, raw, follows)
            following = _successor(path, file)
        current, follows = following or path, following is not None


def _opened(path: Path) -> BinaryIO:
    """Open a file as soon as it exists."""
    while True:
        try:
            return path.open("rb")
        except FileNotFoundError:
            time.sleep(_PAUSE)


def _lines(file: BinaryIO, path: Path) -> Iterator[tuple[int, bytes]]:
    """Read the lines of a file until another one has its name, and nothing is added any more."""
    number, begun = 0, bytearray()
    is_last = False  # whether the file was found to have lost its name
    while True:
        data = file.read(_CHUNK)
        if data:
            *ends, rest = data.split(b"\n")
            for end in ends:
                number += 1
                yield number, bytes(begun) + end + b"\n"
                begun.clear()
            begun += rest
        elif is_last:
            return
        elif not _is_named(file, path):
            is_last = True  # what was written before that is there by now
        else:
            time.sleep(_PAUSE)


def _is_named(file: BinaryIO, path: Path) -> bool:
    """Whether a file that is read to its end is still what a path names, and was not emptied."""
    status = os.fstat(file.fileno())
    if status.st_size < file.tell():
        return False
    try:
        return os.path.samestat(status, path.stat())
    except FileNotFoundError:  # between two names
        return True


def _successor(path: Path, file: BinaryIO) -> Path | None:
    """The file that a recording went on in after another one; None if that cannot be known."""
    status = os.fstat(file.fileno())
    newer, number = path, 1
    while True:
        older = path.with_name(f"{path.name}.{number}")
        try:
            if os.path.samestat(status, older.stat()):
                return newer
        except FileNotFoundError:
            return None
        newer, number = older, number + 1
