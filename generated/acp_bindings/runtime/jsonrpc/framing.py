# Made by acpgen 0.1.0 from templates/runtime/jsonrpc/framing.py.
# Do not edit it; make it again with acpgen.

"""Lines out of a stream of bytes, whatever the chunks it comes in."""

from __future__ import annotations


class LineTooLong(Exception):
    """A line beyond the limit; it is dropped as a whole."""


class Lines:
    """Collects bytes and gives out lines, without their ends; costs time linear in the bytes."""

    def __init__(self, max_line: int) -> None:
        self._max = max_line
        # One buffer: of a line that comes in crumbs, a list would take many times its size.
        self._line = bytearray()
        self._size = 0
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes | LineTooLong]:
        """Add bytes.

        Returns:
            The lines that they complete; in the place of one that is too long, an error.
        """
        *complete, rest = data.split(b"\n")
        found: list[bytes | LineTooLong] = []
        for part in complete:
            if not self._size and len(part) <= self._max:  # as a rule: all of a line
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
        """What is left when the stream ends: a line without its end."""
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
