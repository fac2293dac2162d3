"""The order in which a connection handles messages: a lane of notifications for each session.

Three things wait for handlers, and this ends each wait:

1. A notification waits for the one before it in its lane, until that is handled.
2. A request, a response that ends a sequence of updates, and the end of a turn wait for the
   notifications before them in their lane: until these are handled, or the running handler itself
   waits for the other side, or nothing was handled for twice `PATIENCE`.
3. Reading waits while lanes are full: until they have room, or their running handlers wait for the
   other side, or nothing was handled for a fifth of `PATIENCE`.

No circle of waits lasts, except one that the program makes itself. Time ends any wait of the second
or third kind. A circle of the first kind alone passes through the program: a handler that waits for
a later notification of its own session stops its lane, and nothing else. What waits for longer than
`PATIENCE` is logged, with the place where the handler is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable

from ..jsonrpc.events import Notification
from ..jsonrpc.limits import DEFAULT, Limits
from .lane import PATIENCE, TICKS, Callback, Lane, Waiter

# How many messages a lane counts as, since it takes more memory than those in it.
_LANE = 8
# If all lanes together hold more than these multiples of one session's backlog, reading waits, and
# the connection ends. Here, a backlog of fewer messages than the third number counts as that many.
_CROWDED, _FLOODED, _LEAST = 2, 4, 100


class Lanes:
    """A lane for each session, as long as it has notifications.

    Attributes:
        handle: handles a notification.
    """

    def __init__(
        self, handle: Callable[[Notification], Awaitable[None]], limits: Limits = DEFAULT
    ) -> None:
        self.handle = handle
        self._limits = limits
        self._lanes: dict[Hashable, Lane] = {}
        self._count = self._size = 0  # of what all lanes hold
        self._room: asyncio.Future[None] | None = None  # for which reading waits
        self._timer: asyncio.TimerHandle | None = None

    def put(self, key: Hashable, event: Notification) -> None:
        """Add a notification to the lane of `key`."""
        lane = self._lanes.get(key)
        is_new = lane is None
        if lane is None:
            lane = self._lanes[key] = Lane(self, key)
            self._count += _LANE
        lane.queue.append(event)
        lane.received += 1
        lane.size += event.size
        self._count += 1
        self._size += event.size
        if is_new:
            if self._timer is None:
                self._watch()
            # Last, since an eager task handles the notification at once.
            lane.task = asyncio.create_task(lane.run())

    def after(
        self, key: Hashable, callback: Callback, what: str, method: str = ""
    ) -> Waiter | None:
        """Call back when the notifications now in the lane of `key` are handled.

        Args:
            key: the lane.
            callback: what to call; at once if there is nothing to wait for.
            what: what waits, for the log.
            method: the method of the message that waits, if it is one.

        Returns:
            What waits; None if it was called back.
        """
        lane = self._lanes.get(key)
        if lane is not None and lane.holds_up:
            return lane.wait(callback, what, method)
        callback()
        return None

    def after_all(self, callback: Callback, what: str) -> None:
        """Call back when the notifications now in all lanes are handled."""
        lanes = [lane for lane in self._lanes.values() if lane.holds_up]
        left = len(lanes)

        def count() -> None:
            nonlocal left
            left -= 1
            if left == 0:
                callback()

        for lane in lanes:
            lane.wait(count, what, "")
        if not lanes:
            callback()

    def tasks(self) -> list[asyncio.Task[None]]:
        """Return the tasks of the lanes."""
        return [lane.task for lane in self._lanes.values() if lane.task is not None]

    def close(self) -> None:
        """Drop what is not handled: the tasks have ended, or were dropped."""
        for lane in list(self._lanes.values()):
            lane.end()  # its task was cancelled before its first step, or cannot be ended
        if self._timer is not None:
            self._timer.cancel()

    # --- for the lanes -----------------------------------------------------------------------

    def finished(self, lane: Lane, event: Notification) -> None:
        """Take note that a notification of a lane is handled."""
        self._count -= 1
        self._size -= event.size
        if self._room is not None and not (self._is_full(lane) or self._is_crowded):
            self.wake()

    def remove(self, key: Hashable, lane: Lane) -> None:
        """Take note that a lane has no more notifications."""
        # A lane may end twice, see `close`, and the key may have a new lane by then.
        if self._lanes.get(key) is lane:
            del self._lanes[key]
            self._count -= _LANE

    def wake(self) -> None:
        """Let `wait_for_room` look again."""
        if self._room is not None and not self._room.done():
            self._room.set_result(None)

    # --- reading -----------------------------------------------------------------------------

    @property
    def needs_room(self) -> bool:
        """Whether to call `wait_for_room` before more is received: a lane may be full."""
        # Asked at each receipt, so without looking at each lane: none holds more than all together.
        limits = self._limits
        return self._count > limits.backlog or self._size > limits.backlog_bytes

    @property
    def _is_crowded(self) -> bool:
        return self._exceeds(_CROWDED, self._count, self._size, least=_LEAST)

    def _is_full(self, lane: Lane) -> bool:
        return self._exceeds(1, lane.received - lane.handled, lane.size)

    def _exceeds(self, times: int, count: int, size: int, least: int = 0) -> bool:
        limits = self._limits
        most = times * max(limits.backlog, least)
        return count > most or size > times * limits.backlog_bytes

    async def wait_for_room(self) -> bool:
        """Wait until the lanes have room, or nothing is handled any more.

        Returns:
            False if the lanes hold so much that the connection cannot go on.
        """
        while lanes := self._without_room():
            before = [lane.handled for lane in lanes]
            self._room = asyncio.get_running_loop().create_future()
            # Before Python 3.12, `wait_for` may swallow that it is cancelled.
            has_room, _ = await asyncio.wait([self._room], timeout=PATIENCE / TICKS)
            if has_room:
                continue
            for lane, handled in zip(lanes, before, strict=True):
                if lane.handled == handled:
                    lane.is_stuck = True
                    lane.warn("reading has waited", PATIENCE / TICKS, len(lane.queue))
        self._room = None
        return not self._exceeds(_FLOODED, self._count, self._size, least=_LEAST)

    def _without_room(self) -> list[Lane]:
        """Return the lanes that reading has to wait for: the full ones, or all if it is crowded."""
        lanes = [lane for lane in self._lanes.values() if lane.holds_up and not lane.is_stuck]
        full = [lane for lane in lanes if self._is_full(lane)]
        if full or not self._is_crowded:
            return full
        # The others make no progress: waiting helps only if these lanes alone hold too much.
        count = sum(_LANE + lane.received - lane.handled for lane in lanes)
        size = sum(lane.size for lane in lanes)
        return lanes if self._exceeds(_CROWDED, count, size, least=_LEAST) else []

    # --- time --------------------------------------------------------------------------------

    def _watch(self) -> None:
        """Look at the lanes from time to time, as long as there are any."""
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(PATIENCE / TICKS, self._tick)

    def _tick(self) -> None:
        self._timer = None
        for lane in list(self._lanes.values()):
            lane.tick()
        if self._lanes:
            self._watch()
