"""The standard error of a program: its last lines, and each line for who wants them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from ..jsonrpc.logs import call_back, logger_of
from .streams import CHUNK

# How much is kept: lines, and characters of each.
_LINES, _WIDTH = 10, 500
# How long a line may be, in bytes. Of a longer one, the end is taken.
_LONGEST = 1 << 16

_log = logger_of(__name__)


class LastLines:
    """Reads lines until their end, keeps the last ones, and passes all of them on."""

    def __init__(self, on_line: Callable[[str], object] | None = None) -> None:
        """Start without lines.

        Args:
            on_line: called with each line, without its end. What it raises is logged.
        """
        self._on_line = on_line
        self._kept: deque[str] = deque(maxlen=_LINES)

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines, cut to some length."""
        return tuple(self._kept)

    async def read(self, reader: asyncio.StreamReader) -> None:
        """Read to the end. A program would block on output that nobody reads."""
        unfinished = b""
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                *lines, unfinished = (unfinished + data).split(b"\n")
                for line in lines:
                    self._take(line)
                unfinished = unfinished[-_LONGEST:]
        if unfinished:
            self._take(unfinished)

    def _take(self, line: bytes) -> None:
        text = line.removesuffix(b"\r")[-_LONGEST:].decode("utf-8", "replace")
        self._kept.append(text[-_WIDTH:])
        if self._on_line is not None:
            call_back(self._on_line, text, what="the callback of standard error", log=_log)
