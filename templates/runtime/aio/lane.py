"""A lane: the notifications of one session, and the handler that runs; see `ordering`.

A handler that waits for the other side must not hold up what the other side waits for. So all code
here that waits for the other side does so inside `waiting()`. Through a context variable, this
tells the lane of the running handler that nothing needs to wait for it meanwhile.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Hashable
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeAlias

from ..jsonrpc.events import Notification
from ..jsonrpc.logs import logger_of
from ..values.deferred import dataclass
from ..values.errors import quotation
from .places import place_of

Callback: TypeAlias = Callable[[], None]

# How long something may wait for a handler before that is logged, in seconds.
PATIENCE = 5.0
# How often a lane is looked at in that time.
TICKS = 5

_log = logger_of(__name__)


if TYPE_CHECKING:
    from typing import Protocol  # here: a class of it takes long to make

    class Holder(Protocol):
        """What a lane reports to: the `Lanes` that it belongs to."""

        @property
        def handle(self) -> Callable[[Notification], Awaitable[None]]:
            """Handles a notification."""
            ...

        def finished(self, lane: Lane, event: Notification) -> None:
            """Take note that a notification of a lane is handled."""
            ...

        def remove(self, key: Hashable, lane: Lane) -> None:
            """Take note that a lane has no more notifications."""
            ...

        def wake(self) -> None:
            """Take note that a lane may not hold up anything any more."""
            ...


@dataclass(slots=True, eq=False)
class Waiter:
    """A callback that waits for the notifications before it.

    Attributes:
        lane: their lane.
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

    def __init__(self, lanes: Holder, key: Hashable) -> None:
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
        self._release()  # all of them, since the lane holds up nothing any more
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
            # Asked each time, since a callback may change it.
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
        # Now nothing has to wait for it: what it waits for may be behind its own notification.
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
        # One tick more than the time has, since the first may come as soon as the wait begins.
        if self._ticks == TICKS + 1:
            first: object = next(iter(self.waiters), None)
            first = first or f"the notification {quotation(self.queue[0].method.name)}"
            self.warn(f"{first} waits", PATIENCE, len(self.waiters) + len(self.queue) - 1)
        elif self._ticks > 2 * TICKS:
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
        place = place_of(self.task)
        _log.warning(
            "%s for the handler of %s, which is at %s and has not finished in %g seconds; %d more "
            "messages wait. Start a task for what takes long, and do not wait in a handler for a "
            "later notification of its session",
            problem,
            quotation(self._running.method.name),
            place,
            seconds,
            more,
            extra={"kind": place},
        )


async def _forget_cancellation(task: Any) -> None:
    """Take back that a task was cancelled, whether it has been told yet or not."""
    while task.uncancel():
        pass
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(0)


# The lane and the number of the notification whose handler the current code belongs to. Tasks that
# the handler starts inherit it: while the handler runs, their waits count as its own.
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
