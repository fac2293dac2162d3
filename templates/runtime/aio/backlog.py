"""The received messages that wait for handlers, and when to receive more."""

from __future__ import annotations

import asyncio

from ..jsonrpc.limits import Limits


class Backlog:
    """Counts messages from their receipt until their handlers are done.

    Attributes:
        blocked: how many handlers wait for the other side, and so for further messages.
    """

    def __init__(self, limits: Limits) -> None:
        self.blocked = 0
        self._limits = limits
        self._count = 0
        self._bytes = 0
        self._change: asyncio.Event | None = None

    def add(self, size: int) -> None:
        """Count a message of that many bytes."""
        self._count += 1
        self._bytes += size

    def remove(self, size: int) -> None:
        """Count a message of that many bytes as done."""
        self._count -= 1
        self._bytes -= size
        self.wake()

    def wake(self) -> None:
        """Let `wait_for_room` look again."""
        if self._change is not None:
            self._change.set()

    def _exceeds(self, factor: int) -> bool:
        count, size = self._limits.backlog, self._limits.backlog_bytes
        return self._count > factor * count or self._bytes > factor * size

    @property
    def is_flooded(self) -> bool:
        """Whether so much waits that the connection cannot go on."""
        return self._exceeds(2)

    async def wait_for_room(self) -> None:
        """Wait until more can be received: there is room, or a handler waits for the other side."""
        while self._exceeds(1) and not self.blocked:
            self._change = asyncio.Event()
            await self._change.wait()
        self._change = None
