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
        if self._change is not None:
            self._change.set()

    def wake(self) -> None:
        """Let `wait_for_room` look again."""
        if self._change is not None:
            self._change.set()

    @property
    def is_full(self) -> bool:
        """Whether nothing more can be received for now."""
        limits = self._limits
        return self._count > limits.backlog or self._bytes > limits.backlog_bytes

    @property
    def is_flooded(self) -> bool:
        """Whether so much waits that the connection cannot go on."""
        limits = self._limits
        return self._count > 2 * limits.backlog or self._bytes > 2 * limits.backlog_bytes

    async def wait_for_room(self) -> None:
        """Wait until more can be received: there is room, or a handler waits for the other side."""
        while self.is_full and not self.blocked:
            self._change = asyncio.Event()
            await self._change.wait()
        self._change = None
