"""The order in which a connection handles messages: a lane of notifications for each session.

Three things wait for handlers, and this ends each wait:

1. A notification waits for the one before it in its lane, until that is handled.
2. A request, a response that ends a sequence of updates, and the end of a turn wait for the
   notifications before them in their lane: until these are handled, or the running handler itself
   waits for the other side, or nothing was handled for twice `PATIENCE`.
3. Reading waits while lanes are full: until they have room, or their running handlers wait for the
   other side, or nothing was handled for a fifth of `PATIENCE`.

No circle of waits lasts. One with a wait of the second or third kind breaks there, since time ends
it. One of the first kind alone leads from a notification to its handler, and from there into the
program: a handler that waits for a later notification of its own session stops its lane, and
nothing else. What waits for longer than `PATIENCE` is logged, with the place where the handler is.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Hashable
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from typing import Any, TypeAlias

from ..jsonrpc.events import Notification
from ..jsonrpc.limits import DEFAULT, Limits
from ..jsonrpc.logs import logger_of
from ..values.deferred import dataclass
from ..values.errors import quotation

Callback: TypeAlias = Callable[[], None]

# How long something may wait for a handler before that is logged, in seconds.
PATIENCE = 5.0
# How often the lanes are looked at in that time.
_TICKS = 5
# How many messages a lane counts as, since it takes more memory than those in it.
_LANE = 8
# Of all lanes together, how many times the backlog of one session: reading waits, the connection
# ends. A backlog that is set to less counts as this many messages here.
_CROWDED, _FLOODED, _LEAST = 2, 4, 100

_log = logger_of(__name__)


@dataclass(slots=True, eq=False)
class Waiter:
    """A callback that waits for the notifications before it.

    Attributes:
        lane: the lane of these.
        place: how many notifications the lane had received before.
        callback: is called when they are handled, or are not waited for any longer.
        what: what waits, for the log.
        method: the method of the message that waits, if it is one.
    """

    lane: Lane
    place: int
    callback: Callback
    what: str
    method: str

    def __str__(self) -> str:
        return f"{self.what} {quotation(self.method)}" if self.method else self.what

    def cancel(self) -> None:
        """Wait no longer, and do not call back."""
        self.lane.waiters.pop(self, None)


class Lane:
    """Handles the notifications of one session, one after another.

    Attributes:
        received: how many notifications it has received.
        handled: how many of these are handled.
        size: the bytes of the others.
        queue: those whose handlers have not begun.
        waiters: what waits for them, in order.
        is_stuck: whether reading has waited for the running handler in vain.
        task: runs the handlers; None if that has not begun.
    """

    def __init__(self, lanes: Lanes, key: Hashable) -> None:
        self.received = self.handled = self.size = 0
        self.queue: deque[Notification] = deque()
        self.waiters: dict[Waiter, None] = {}
        self.is_stuck = False
        self.task: asyncio.Task[None] | None = None
        self._lanes = lanes
        self._key = key
        self._running: Notification | None = None
        self._blocked = 0  # waits of the running handler for the other side
        self._is_given_up = False  # the running handler is not waited for any longer
        self._seen = 0  # how many were handled when the lane was last looked at
        self._ticks = 0  # how often something waited then, and nothing had been handled

    @property
    def holds_up(self) -> bool:
        """Whether what comes behind its notifications has to wait for them."""
        return not (self._blocked or self._is_given_up or self.received == self.handled)

    async def run(self) -> None:
        """Handle the notifications until there are no more."""
        handle, task = self._lanes.handle, asyncio.current_task()
        # Python 3.10 cannot tell: there, the next handler is cancelled, too.
        is_cancelled: Callable[[], int] = getattr(task, "cancelling", int)
        try:
            while self.queue:
                _current.set((self, self.handled))
                event = self._running = self.queue.popleft()
                await handle(event)
                self._finish(event)
                if is_cancelled():  # by its handler; others need the task
                    await _forget_cancellation(task)
                while self.waiters and self._release():
                    await asyncio.sleep(0)  # what was released takes effect before the next handler
        finally:
            self.end()

    def end(self) -> None:
        """Drop what is not handled, and let go of everything that waits for it."""
        if self._running is not None:
            self._finish(self._running)
        while self.queue:
            self._finish(self.queue.popleft())
        self._release()
        self._lanes.remove(self._key, self)

    def _finish(self, event: Notification) -> None:
        self.handled += 1
        self.size -= event.size
        self._running = None
        self._is_given_up = self.is_stuck = False
        self._blocked = 0  # what waits now was left behind by the handler
        self._lanes.finished(self, event)

    def wait(self, callback: Callback, what: str, method: str) -> Waiter:
        """Call back when the notifications received so far are handled, or hold up nothing."""
        waiter = Waiter(self, self.received, callback, what, method)
        self.waiters[waiter] = None
        return waiter

    def _release(self) -> bool:
        """Call the callbacks that need not wait any longer; return whether there were any."""
        released = False
        while self.waiters:
            waiter = next(iter(self.waiters))
            if self.holds_up and waiter.place > self.handled:
                break
            del self.waiters[waiter]
            waiter.callback()
            released = True
        return released

    # --- handlers that wait ------------------------------------------------------------------

    def is_handling(self, number: int) -> bool:
        """Return whether the notification of that number is being handled."""
        return number == self.handled

    @contextmanager
    def blocked(self) -> Generator[None]:
        """Mark the running handler as waiting for the other side."""
        number = self.handled
        self._blocked += 1
        self._release()
        self._lanes.wake()
        try:
            yield
        finally:
            if self.is_handling(number):  # otherwise, a task that it left behind was waiting
                self._blocked -= 1

    def tick(self) -> None:
        """Notice whether something waits while nothing is handled: log it, then give it up."""
        is_waiting = bool(self.waiters or self.queue)
        self._ticks = self._ticks + 1 if is_waiting and self._seen == self.handled else 0
        self._seen = self.handled
        if self._ticks == _TICKS + 1:
            first: object = next(iter(self.waiters), None)
            first = first or f"the notification {quotation(self.queue[0].method.name)}"
            self.warn(f"{first} waits", PATIENCE, len(self.waiters) + len(self.queue) - 1)
        elif self._ticks > 2 * _TICKS:
            self._is_given_up = True
            self._release()

    def warn(self, problem: str, seconds: float, more: int) -> None:
        """Log that something waits for the running handler.

        Args:
            problem: what waits.
            seconds: for how long.
            more: how many other messages wait.
        """
        if self._running is None or self.task is None:
            return  # it begins or ends in this very step
        _log.warning(
            "%s for the handler of %s, which is at %s and has not finished in %g seconds; %d more "
            "messages wait. Start a task for what takes long, and do not wait in a handler for a "
            "later notification of its session",
            problem,
            quotation(self._running.method.name),
            place_of(self.task),
            seconds,
            more,
        )


async def _forget_cancellation(task: Any) -> None:
    """Take back that a task was cancelled, whether it has been told yet or not."""
    while task.uncancel():
        pass
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(0)


def place_of(task: asyncio.Task[Any]) -> str:
    """Return where a task waits: the file, line and function of its innermost coroutine."""
    awaitable: Any = task.get_coro()
    place = "its start"
    while (frame := getattr(awaitable, "cr_frame", None)) is not None:
        code = frame.f_code
        place = f"{code.co_filename}:{frame.f_lineno} in {code.co_name}"
        awaitable = awaitable.cr_await
    return place


# The lane and the number of the notification whose handler the current code belongs to.
_current: ContextVar[tuple[Lane, int] | None] = ContextVar("_current", default=None)


def waiting() -> AbstractContextManager[None]:
    """Return a context to enter while waiting for the other side, in a handler or elsewhere."""
    lane, number = _current.get() or (None, 0)
    # A task that a finished handler left behind blocks nothing.
    return lane.blocked() if lane is not None and lane.is_handling(number) else _NOTHING


_NOTHING = nullcontext()


def detach() -> None:
    """Detach the current task from the handler that started it."""
    if _current.get() is not None:
        _current.set(None)


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
            has_room, _ = await asyncio.wait([self._room], timeout=PATIENCE / _TICKS)
            if has_room:
                continue
            for lane, handled in zip(lanes, before, strict=True):
                if lane.handled == handled:
                    lane.is_stuck = True
                    lane.warn("reading has waited", PATIENCE / _TICKS, len(lane.queue))
        self._room = None
        return not self._exceeds(_FLOODED, self._count, self._size, least=_LEAST)

    def _without_room(self) -> list[Lane]:
        """Return the lanes that reading has to wait for: the full ones, or all if it is crowded."""
        lanes = [lane for lane in self._lanes.values() if lane.holds_up and not lane.is_stuck]
        full = [lane for lane in lanes if self._is_full(lane)]
        if full or not self._is_crowded:
            return full
        count = sum(_LANE + lane.received - lane.handled for lane in lanes)
        size = sum(lane.size for lane in lanes)
        return lanes if self._exceeds(_CROWDED, count, size, least=_LEAST) else []

    # --- time --------------------------------------------------------------------------------

    def _watch(self) -> None:
        """Look at the lanes from time to time, as long as there are any."""
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(PATIENCE / _TICKS, self._tick)

    def _tick(self) -> None:
        self._timer = None
        for lane in list(self._lanes.values()):
            lane.tick()
        if self._lanes:
            self._watch()
