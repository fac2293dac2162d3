"""Framing: splits a stream of bytes into lines, each of which is a message."""

from __future__ import annotations


class LineTooLong(Exception):
    """A line that exceeds the limit, and is dropped."""


class Lines:
    """Collects bytes and returns lines, in time linear in the number of bytes."""

    def __init__(self, max_line: int) -> None:
        self._max = max_line
        # One buffer: a list of the chunks of a line would take many times its size if they are
        # tiny.
        self._line = bytearray()
        self._size = 0
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes | LineTooLong]:
        """Add bytes.

        Returns:
            The lines that they complete, without line ends; an error for each line that is too
            long.
        """
        *complete, rest = data.split(b"\n")
        found: list[bytes | LineTooLong] = []
        for part in complete:
            if not self._size and len(part) <= self._max:  # the usual case: a whole line
                found.append(part)
                continue
            self._add(part, found)
            if not self._dropping:
                found.append(bytes(self._line))
            self._reset()
        if rest:
            self._add(rest, found)
        return found

    def rest(self) -> bytes:
        """Return what is left at the end of the stream: a line without a line end."""
        line = bytes(self._line)
        self._reset()
        return line

    def _add(self, part: bytes, found: list[bytes | LineTooLong]) -> None:
        self._size += len(part)
        if self._dropping:
            return
        if self._size > self._max:
            found.append(LineTooLong(f"a line of more than {self._max} bytes"))
            self._line.clear()
            self._dropping = True
        else:
            self._line += part

    def _reset(self) -> None:
        self._line.clear()
        self._size = 0
        self._dropping = False
