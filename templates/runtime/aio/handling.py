"""Handling: calls the handler for incoming messages, with requests concurrent, the rest in order.

Each session has a lane, the queue of its notifications. Messages without a session share one lane.
Three kinds of work wait for handlers, and each wait ends:

1. A notification waits for the one before it in its lane, until that is handled.
2. A request, a response that ends a sequence of updates, and the end of a turn wait for the
   notifications before them in their lane: until these are handled, or the running handler itself
   waits for the peer, or no notification was handled for twice `PATIENCE`.
3. Reading waits while lanes are full: until they have room, or their running handlers wait for the
   peer, or no notification was handled for a fifth of `PATIENCE`.

Only the program itself can create a lasting deadlock. Any wait of the second or third kind times
out. A cycle of waits of the first kind passes through the program: a handler that waits for a later
notification of the same session blocks its lane, but no others. Waits of more than `PATIENCE` are
logged with the location of the handler.

A handler that waits for the peer must not delay messages that the peer waits for. So all code here
that waits for the peer does so inside `waiting()`. Through a context variable, this informs the
lane of the running handler that nothing needs to wait for it meanwhile.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Hashable
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeAlias

from ..jsonrpc.connection import Connection
from ..jsonrpc.debugging import explained, is_handled
from ..jsonrpc.errors import REQUEST_CANCELLED, ConnectionClosed, RequestError
from ..jsonrpc.events import Notification, Request
from ..jsonrpc.limits import DEFAULT, Limits
from ..jsonrpc.logs import logger_of
from ..jsonrpc.method import Method
from ..values.deferred import dataclass
from ..values.errors import quotation
from .handler_choice import Choice
from .output import Output
from .tasks import next_step, place_of

Callback: TypeAlias = Callable[[], None]

# How long work may wait for a handler before that is logged, in seconds.
PATIENCE = 5.0
# How often a lane is checked in that time.
TICKS = 5
# How many messages a lane itself counts as, since it uses more memory than its messages.
_LANE = 8
# If all lanes together hold more than these multiples of one session's backlog, reading waits, and
# the connection ends, respectively. The third number is the smallest backlog to assume here.
_CROWDED, _FLOODED, _LEAST = 2, 4, 100
# How many names of unhandled notifications are stored and logged: the peer chooses them.
_UNHANDLED = 100

_log = logger_of(__name__)

# The request handled by the current task, or by the handler that started the task.
handled: ContextVar[Request | None] = ContextVar("handled", default=None)


class Handling:
    """Calls the handler of a connection for received messages, and sends its responses.

    Attributes:
        is_closing: whether the connection is being closed, so that nothing new starts.
        lanes: the lanes of the sessions, which keep the messages in order.
    """

    def __init__(
        self,
        connection: Connection,
        output: Output,
        limits: Limits,
        choice: Choice,
        on_failure: Callable[[], None],
        *,
        debug: bool,
    ) -> None:
        self.is_closing = False
        self.lanes = Lanes(self._handle, limits)
        self._connection = connection
        self._output = output
        self._choice = choice
        self._on_failure = on_failure  # called after each error response
        self._debug = debug
        self._loop = asyncio.get_running_loop()
        self._unhandled: set[str] = set()  # the logged notifications, quoted
        self._unstarted: dict[Request, Waiter] = {}
        self._serving: dict[Request, asyncio.Task[None]] = {}
        self._cancelled: set[Request] = set()

    def is_worth_logging(self, error: BaseException) -> bool:
        """Return whether an error says more than that this connection ended."""
        is_over = self._output.is_broken or self.is_closing or self._connection.has_ended
        return not (is_over and isinstance(error, ConnectionClosed))

    def take_request(self, request: Request) -> None:
        """Notify the handler of a received request, and call it when the request is due."""
        if self._choice.received is not None:
            _call_received(self._choice.received, request)
        # None for params without a session, such as extension params: these share a lane.
        session = getattr(request.params, "session_id", None)
        start = partial(self._start, request)
        waiter = self.lanes.after(session, start, "the request", request.method.name)
        if waiter is not None:
            self._unstarted[request] = waiter

    def take_notification(self, notification: Notification) -> None:
        """Notify the handler of a received notification, and call it when it is due."""
        if self._choice.received is not None:
            _call_received(self._choice.received, notification)
        if self._debug:
            self._log_unhandled(notification.method)
        self.lanes.put(getattr(notification.params, "session_id", None), notification)

    def _log_unhandled(self, method: Method[Any, Any]) -> None:
        handler = self._choice.handler
        if handler is None or is_handled(handler, method):
            return
        name = quotation(method.name)
        if name in self._unhandled or len(self._unhandled) >= _UNHANDLED:
            return
        self._unhandled.add(name)
        cls = handler.__class__.__qualname__
        text = "no handler for %s: %s does not define %s"
        _log.warning(text, name, cls, method.handler, extra={"kind": name})
        if len(self._unhandled) == _UNHANDLED:
            _log.warning("%d notifications have no handler; logging no others", _UNHANDLED)

    def cancel(self, request: Request) -> None:
        """Cancel a request for its sender. It still gets its response."""
        serving, waiter = self._serving.get(request), self._unstarted.pop(request, None)
        if waiter is not None:
            waiter.cancel()
            self._connection.fail(request, RequestError.request_cancelled())
        elif serving is not None and request not in self._cancelled:
            self._cancelled.add(request)
            # Deferred: a task that is cancelled before its first step does not respond.
            asyncio.get_running_loop().call_soon(serving.cancel)

    def tasks(self) -> list[asyncio.Task[None]]:
        """Return the tasks that run the handler."""
        return [*self._serving.values(), *self.lanes.tasks()]

    def close(self) -> None:
        """Release all lanes, and respond to the requests that no task responds to anymore."""
        self.lanes.close()
        for request in [*self._unstarted, *self._serving]:
            self._connection.fail(request, RequestError.request_cancelled())
        self._unstarted.clear()
        self._serving.clear()

    async def _handle(self, event: Notification) -> None:
        # The lane continues if a handler swallowed the cancellation that was meant to end it.
        if self.is_closing:
            return
        try:
            handler = self._choice.handler
            assert handler is not None
            await handler.handle(event.method, event.params)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            # These exceptions can also come from an awaitable of the handler.
            is_ending = isinstance(error, (asyncio.CancelledError, GeneratorExit))
            if is_ending and self.is_closing:
                raise
            if self.is_worth_logging(error):
                _log.exception("the handler of %s failed", quotation(event.method.name))

    def _start(self, request: Request) -> None:
        self._unstarted.pop(request, None)
        if self.is_closing:
            self._connection.fail(request, RequestError.request_cancelled())
            return
        task = self._loop.create_task(self._serve(request))
        if not task.done():  # as an eager task can be
            self._serving[request] = task

    async def _serve(self, request: Request) -> None:
        if _current.get() is not None:
            _current.set(None)  # it may have been started in a lane, but it blocks none
        handled.set(request)
        try:
            try:
                handler = self._choice.handler
                assert handler is not None
                result = await handler.handle(request.method, request.params)
                self._connection.respond(request, result)
            except BaseException as error:
                self._fail(request, error)
                # GeneratorExit: `end_tasks` drops this task. None of these allows a later step.
                if isinstance(error, (SystemExit, KeyboardInterrupt, GeneratorExit)):
                    self._output.send_now()
                    raise
            self._output.send()
        except ConnectionClosed:
            pass  # no peer to respond to
        finally:
            self._serving.pop(request, None)
            if self._cancelled:
                self._cancelled.discard(request)

    def _fail(self, request: Request, error: BaseException) -> None:
        is_cancelled = request in self._cancelled or self.is_closing
        is_theirs = self._connection.has_received(error)
        if is_cancelled and (
            isinstance(error, (asyncio.CancelledError, GeneratorExit))
            # By cancelling this request, the peer also cancelled the handler's own requests.
            or (is_theirs and getattr(error, "code", None) == REQUEST_CANCELLED)
        ):
            error, is_theirs = RequestError.request_cancelled(), False
        # A RequestError that the handler created is its response, not a failure.
        is_own = isinstance(error, RequestError) and not is_theirs
        if not is_own and self.is_worth_logging(error):
            name = quotation(request.method.name)
            _log.error("the handler of %s failed", name, exc_info=error)
            if self._debug and not is_theirs:
                error = explained(error)
        self._connection.fail(request, error)
        self._on_failure()


def _call_received(
    received: Callable[[Method[Any, Any], Any], None], event: Request | Notification
) -> None:
    try:
        received(event.method, event.params)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException:  # see `call_back`, which is slower
        _log.exception("%s cannot be processed at receipt", quotation(event.method.name))


# --- order -----------------------------------------------------------------------------------


class Lanes:
    """The lanes of the sessions that have notifications.

    Attributes:
        handle: handles a notification.
        needs_room: whether to call `wait_for_room` before more is received: a lane may be full.
    """

    def __init__(
        self, handle: Callable[[Notification], Awaitable[None]], limits: Limits = DEFAULT
    ) -> None:
        self.handle = handle
        self.needs_room = False
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._lanes: dict[Hashable, _Lane] = {}
        self._count = self._size = 0  # totals of all lanes
        self._room: asyncio.Future[None] | None = None  # what `wait_for_room` awaits
        self._timer: asyncio.TimerHandle | None = None

    def put(self, key: Hashable, event: Notification) -> None:
        """Add a notification to the lane of `key`."""
        lane = self._lanes.get(key)
        is_new = lane is None
        if lane is None:
            lane = self._lanes[key] = _Lane(self, key)
            self._count += _LANE
        lane.queue.append(event)
        lane.received += 1
        lane.size += event.size
        self._count += 1
        self._size += event.size
        # No lane is checked by itself: none holds more than all together.
        if self._count > self._limits.backlog or self._size > self._limits.backlog_bytes:
            self.needs_room = True
        if is_new:
            if self._timer is None:
                self._watch()
            # Last, since an eager task handles the notification immediately.
            lane.task = self._loop.create_task(lane.run())

    def after(
        self, key: Hashable, callback: Callback, what: str, method: str = ""
    ) -> Waiter | None:
        """Call a function when the notifications now in a lane are handled, or immediately.

        Args:
            key: the key of the lane.
            callback: the function.
            what: the name of the waiting work in the log.
            method: its method, if it is a message.

        Returns:
            The waiter; None if the function was already called.
        """
        lane = self._lanes.get(key)
        if lane is not None and lane.holds_up:
            return lane.wait(callback, what, method)
        callback()
        return None

    def after_all(self, callback: Callback, what: str) -> None:
        """Call a function when the notifications now in all lanes are handled."""
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
        """Drop unhandled messages: the tasks have ended, or were dropped."""
        for lane in list(self._lanes.values()):
            lane.end()  # its task was cancelled before its first step, or cannot be ended
        if self._timer is not None:
            self._timer.cancel()

    def finished(self, lane: _Lane, event: Notification) -> None:
        """Record that a notification of a lane was handled."""
        self._count -= 1
        self._size -= event.size
        if self._room is not None and not (self._is_full(lane) or self._is_crowded):
            self.wake()

    def remove(self, key: Hashable, lane: _Lane) -> None:
        """Remove a lane that has no more notifications."""
        # A lane can end twice, see `close`, and the key can have a new lane by then.
        if self._lanes.get(key) is lane:
            del self._lanes[key]
            self._count -= _LANE

    def wake(self) -> None:
        """Wake `wait_for_room` so that it checks again."""
        if self._room is not None and not self._room.done():
            self._room.set_result(None)

    @property
    def _is_crowded(self) -> bool:
        return self._exceeds(_CROWDED, self._count, self._size, least=_LEAST)

    def _is_full(self, lane: _Lane) -> bool:
        return self._exceeds(1, lane.received - lane.handled, lane.size)

    def _exceeds(self, times: int, count: int, size: int, least: int = 0) -> bool:
        limits = self._limits
        most = times * max(limits.backlog, least)
        return count > most or size > times * limits.backlog_bytes

    async def wait_for_room(self) -> bool:
        """Wait until the lanes have room, or no longer make progress.

        Returns:
            False if the lanes hold so much that the connection must end.
        """
        while lanes := self._without_room():
            before = [lane.handled for lane in lanes]
            self._room = self._loop.create_future()
            # Before Python 3.12, `wait_for` can swallow its cancellation.
            has_room, _ = await asyncio.wait([self._room], timeout=PATIENCE / TICKS)
            if has_room:
                continue
            for lane, count in zip(lanes, before, strict=True):
                if lane.handled == count:
                    lane.is_stuck = True
                    lane.warn("reading waited", PATIENCE / TICKS, len(lane.queue))
        self._room = None
        self.needs_room = self._exceeds(1, self._count, self._size)
        return not self._exceeds(_FLOODED, self._count, self._size, least=_LEAST)

    def _without_room(self) -> list[_Lane]:
        """Return the lanes to wait for: the full ones, or all if they hold too much together."""
        lanes = [lane for lane in self._lanes.values() if lane.holds_up and not lane.is_stuck]
        full = [lane for lane in lanes if self._is_full(lane)]
        if full or not self._is_crowded:
            return full
        # The others make no progress: waiting helps only if these lanes hold too much themselves.
        count = sum(_LANE + lane.received - lane.handled for lane in lanes)
        size = sum(lane.size for lane in lanes)
        return lanes if self._exceeds(_CROWDED, count, size, least=_LEAST) else []

    def _watch(self) -> None:
        """Check the lanes periodically, as long as there are any."""
        self._timer = self._loop.call_later(PATIENCE / TICKS, self._tick)

    def _tick(self) -> None:
        self._timer = None
        for lane in list(self._lanes.values()):
            lane.tick()
        if self._lanes:
            self._watch()


@dataclass(slots=True, eq=False)
class Waiter:
    """A callback that waits for the notifications before it.

    Attributes:
        lane: their lane.
        place: how many notifications the lane had received before.
        callback: called when they are handled, or no longer block.
        what: the name of the waiting work in the log.
        method: the method of the waiting message, if it is a message.
    """

    lane: _Lane
    place: int
    callback: Callback
    what: str
    method: str

    def __str__(self) -> str:
        return f"{self.what} {quotation(self.method)}" if self.method else self.what

    def cancel(self) -> None:
        """Stop waiting, without a callback."""
        self.lane.waiters.pop(self, None)


class _Lane:
    """The queue of the notifications of one session, which are handled one after another.

    Attributes:
        received: how many notifications it received.
        handled: how many of these are handled.
        size: the bytes of the others.
        queue: the notifications whose handlers have not started.
        waiters: the callbacks that wait for them, in order.
        is_stuck: whether reading timed out waiting for the running handler.
        task: the task that runs the handlers; None before it is created.
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
        self._blocked = 0  # waits of the running handler for the peer
        self._is_given_up = False  # the running handler no longer blocks others
        self._seen = 0  # how many were handled at the last check
        self._ticks = 0  # consecutive checks with work waiting and no progress

    @property
    def holds_up(self) -> bool:
        """True if later messages must wait for its notifications."""
        return not (self._blocked or self._is_given_up or self.received == self.handled)

    async def run(self) -> None:
        """Handle the notifications until the queue is empty."""
        handle = self._lanes.handle
        try:
            while self.queue:
                _current.set((self, self.handled))
                event = self._running = self.queue.popleft()
                await handle(event)
                self._finish(event)
                task = self.task or asyncio.current_task()  # an eager task is not stored yet
                if task is not None and _cancelling(task):  # by its handler
                    await _forget_cancellation(task)
                while self.waiters and self._release():
                    await next_step()  # let released waiters run before the next handler
        finally:
            self.end()

    def end(self) -> None:
        """Drop unhandled notifications, and release all waiters."""
        if self._running is not None:
            self._finish(self._running)
        while self.queue:
            self._finish(self.queue.popleft())
        if self.waiters:
            self._release()  # all of them, since the lane no longer blocks anything
        self._lanes.remove(self._key, self)

    def _finish(self, event: Notification) -> None:
        self.handled += 1
        self.size -= event.size
        self._running = None
        self._is_given_up = self.is_stuck = False
        self._blocked = 0  # any wait that continues was left behind by the handler
        self._lanes.finished(self, event)

    def wait(self, callback: Callback, what: str, method: str) -> Waiter:
        """Call a function when the notifications received so far are handled, or block nothing."""
        waiter = Waiter(self, self.received, callback, what, method)
        self.waiters[waiter] = None
        return waiter

    def _release(self) -> bool:
        """Call the callbacks that no longer need to wait; return whether there were any."""
        released = False
        while self.waiters:
            waiter = next(iter(self.waiters))
            # Checked each time, since a callback can change it.
            if self.holds_up and waiter.place > self.handled:
                break
            del self.waiters[waiter]
            waiter.callback()
            released = True
        return released

    @contextmanager
    def blocked(self) -> Generator[None]:
        """Mark the running handler as waiting for the peer."""
        number = self.handled
        self._blocked += 1
        # From now on, nothing waits for it: its own notification can precede what it waits for.
        self._release()
        self._lanes.wake()
        try:
            yield
        finally:
            if number == self.handled:  # otherwise, a task that it left behind was waiting
                self._blocked -= 1

    def tick(self) -> None:
        """Check for waits without progress: log them first, then release them."""
        is_waiting = bool(self.waiters or self.queue)
        self._ticks = self._ticks + 1 if is_waiting and self._seen == self.handled else 0
        self._seen = self.handled
        # One more tick than fits into the time, since the first can follow the wait immediately.
        if self._ticks == TICKS + 1:
            first: object = next(iter(self.waiters), None)
            first = first or f"the notification {quotation(self.queue[0].method.name)}"
            self.warn(f"{first} waits", PATIENCE, len(self.waiters) + len(self.queue) - 1)
        elif self._ticks > 2 * TICKS:
            self._is_given_up = True
            self._release()

    def warn(self, problem: str, seconds: float, more: int) -> None:
        """Log that something and `more` other messages wait for the running handler."""
        if self._running is None or self.task is None:
            return  # it starts or ends in this very step
        place = place_of(self.task)
        _log.warning(
            "%s for the handler of %s, which is at %s and has not finished in %g seconds; %d more "
            "messages wait. Start a task for slow work, and do not wait in a handler for a later "
            "notification of its session",
            problem,
            quotation(self._running.method.name),
            place,
            seconds,
            more,
            extra={"kind": place},
        )


# Python 3.10 does not count cancellations: there, the next handler is also cancelled.
_cancelling: Callable[[asyncio.Task[Any]], int] = getattr(
    asyncio.Task, "cancelling", lambda task: 0
)


async def _forget_cancellation(task: Any) -> None:
    """Undo the cancellation of a task, whether or not it has been delivered."""
    while task.uncancel():
        pass
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(0)


# The lane and the number of the notification whose handler the current code belongs to. Tasks that
# the handler starts inherit it: while the handler runs, their waits count as its waits.
_current: ContextVar[tuple[_Lane, int] | None] = ContextVar("_current", default=None)
_NOTHING = nullcontext()


def waiting() -> AbstractContextManager[None]:
    """Return a context to enter while waiting for the peer, in a handler or elsewhere."""
    lane, number = _current.get() or (None, 0)
    # A task that a finished handler left behind blocks nothing.
    return lane.blocked() if lane is not None and lane.handled == number else _NOTHING
