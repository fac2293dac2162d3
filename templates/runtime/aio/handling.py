"""Handler calls for incoming messages: requests run concurrently, notifications in order.

Each session has a lane, a queue of its notifications. Messages without a session share one lane.
Three kinds of work wait for handlers:

1. A notification waits until the previous notification in its lane is handled.
2. A request, a response that concludes a sequence of updates, and the end of a turn wait for the
   preceding notifications in their lane. The wait ends when these notifications are handled, when
   the running handler itself waits for the peer, or when no notification has been handled for twice
   `PATIENCE`.
3. Reading pauses while lanes are full. Reading resumes when the lanes have room, when their running
   handlers wait for the peer, or when no notification has been handled for a fifth of `PATIENCE`.

Only the program itself can cause a permanent deadlock. The waits in items 2 and 3 time out. The
waits in item 1 form a cycle only if a handler waits for a later notification of the same session.
Such a handler blocks only its own lane. Waits longer than `PATIENCE` are logged with the
location of the handler.

A handler that waits for the peer must not delay messages that the peer waits for. Therefore, all
code in this package that waits for the peer does so inside `waiting()`, which uses a context
variable to mark the lane of the running handler. While a lane is marked, nothing waits for its
handler.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Hashable
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
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
from .tasks import exit_quietly, next_step, place_of

Callback: TypeAlias = Callable[[], None]

# How long work can wait for a handler before the wait is logged, in seconds.
PATIENCE = 5.0
# How many times each lane is checked within `PATIENCE`.
TICKS = 5
# An empty lane is treated like this many messages, since it uses more memory than a message.
_LANE = 8
# Reading pauses if all lanes together contain more than `_CROWDED` times the backlog limit of one
# session. The connection is closed if the lanes contain more than `_FLOODED` times the limit. Both
# thresholds are based on a backlog limit of at least `_LEAST`.
_CROWDED, _FLOODED, _LEAST = 2, 4, 100
# The maximum number of unhandled notification names to store and log. The number is limited, since
# the peer chooses the names.
_UNHANDLED = 100

_log = logger_of(__name__)

# The request handled by the current task, or by the handler that started the task.
handled: ContextVar[Request | None] = ContextVar("handled", default=None)


class Handling:
    """A dispatcher that calls a connection's handler for received messages and sends responses.

    Attributes:
        is_closing: whether the connection is being closed. If so, no more handlers are called.
        lanes: the sessions' lanes, which keep the messages in order.
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
        self._unhandled: set[str] = set()  # the quoted names of logged notifications
        self._unstarted: dict[Request, Waiter] = {}
        self._serving: dict[Request, asyncio.Task[None]] = {}
        self._cancelled: set[Request] = set()

    def is_worth_logging(self, error: BaseException) -> bool:
        """Return whether an error has a cause other than the end of the connection or program."""
        if isinstance(error, (SystemExit, KeyboardInterrupt)):
            return False
        is_over = self._output.is_broken or self.is_closing or self._connection.has_ended
        return not (is_over and isinstance(error, ConnectionClosed))

    def take_request(self, request: Request) -> None:
        """Notify the handler of a received request and schedule the handler call."""
        if self._choice.received is not None:
            _call_received(self._choice.received, request)
        # Params without a session, such as extension params, share the lane with the key None.
        session = getattr(request.params, "session_id", None)
        lane = self.lanes.holding_up(session)
        if lane is None:
            self._start(request)
            return

        def start() -> None:
            del self._unstarted[request]
            self._start(request)

        self._unstarted[request] = lane.wait(start, "the request", request.method.name)

    def take_notification(self, notification: Notification) -> None:
        """Notify the handler of a received notification and schedule the handler call."""
        if self._choice.received is not None:
            _call_received(self._choice.received, notification)
        if self._debug:
            self._log_unhandled(notification.method)
        if notification.method in self._choice.ignored:
            return  # without a handler call, later messages have nothing to wait for
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
            _log.warning("%d notifications have no handler; not logging others", _UNHANDLED)

    def cancel(self, request: Request) -> None:
        """Cancel a request on behalf of its sender. A response is still sent."""
        serving, waiter = self._serving.get(request), self._unstarted.pop(request, None)
        if waiter is not None:
            waiter.cancel()
            self._connection.fail(request, RequestError.request_cancelled())
        elif serving is not None:
            self._cancelled.add(request)
            # The cancellation is deferred, since a task that is cancelled before its first step
            # sends no response.
            asyncio.get_running_loop().call_soon(serving.cancel)

    def tasks(self) -> list[asyncio.Task[None]]:
        """Return the tasks that run the handler."""
        return [*self._serving.values(), *self.lanes.tasks()]

    def close(self) -> None:
        """Release all lanes and send errors for requests that will receive no other response."""
        self.lanes.close()
        for request in [*self._unstarted, *self._serving]:
            self._connection.fail(request, RequestError.request_cancelled())
        self._unstarted.clear()
        self._serving.clear()

    async def _handle(self, event: Notification) -> None:
        # If a handler swallows the cancellation of its lane's task, the lane continues even while
        # the connection is being closed.
        if self.is_closing:
            return
        try:
            handler = self._choice.handler
            assert handler is not None
            await handler.handle(event.method, event.params)
        except (SystemExit, KeyboardInterrupt):
            exit_quietly()
            raise
        except BaseException as error:
            # An awaitable in the handler can also raise CancelledError or GeneratorExit. Unless the
            # connection is being closed, such an exception is an ordinary failure.
            is_ending = isinstance(error, (asyncio.CancelledError, GeneratorExit))
            if is_ending and self.is_closing:
                raise
            if self.is_worth_logging(error):
                _log.exception("the handler for %s failed", quotation(event.method.name))

    def _start(self, request: Request) -> None:
        if self.is_closing:
            self._connection.fail(request, RequestError.request_cancelled())
            return
        task = self._loop.create_task(self._serve(request))
        if not task.done():  # an eager task can already be done
            self._serving[request] = task

    async def _serve(self, request: Request) -> None:
        # A lane might have started this task, but the task doesn't block that lane.
        if _current.get() is not None:
            _current.set(None)
        handled.set(request)
        try:
            try:
                handler = self._choice.handler
                assert handler is not None
                result = await handler.handle(request.method, request.params)
                self._connection.respond(request, result)
            except BaseException as error:
                self._fail(request, error)
                # GeneratorExit means that `end_tasks` is dropping this task. The task must not
                # continue after GeneratorExit, SystemExit or KeyboardInterrupt.
                if isinstance(error, (SystemExit, KeyboardInterrupt, GeneratorExit)):
                    self._output.send_now()
                    if not isinstance(error, GeneratorExit):
                        exit_quietly()
                    raise
            self._output.send()
        except ConnectionClosed:
            pass  # the peer can no longer receive a response
        finally:
            self._serving.pop(request, None)
            if self._cancelled:
                self._cancelled.discard(request)

    def _fail(self, request: Request, error: BaseException) -> None:
        is_cancelled = request in self._cancelled or self.is_closing
        is_theirs = self._connection.has_received(error)
        if is_cancelled and (
            isinstance(error, (asyncio.CancelledError, GeneratorExit))
            # The peer cancelled this request and therefore also the requests that the handler sent
            # to the peer.
            or (is_theirs and getattr(error, "code", None) == REQUEST_CANCELLED)
        ):
            error, is_theirs = RequestError.request_cancelled(), False
        # A RequestError that the handler created is an intended response, not a failure.
        is_own = isinstance(error, RequestError) and not is_theirs
        if not is_own and self.is_worth_logging(error):
            name = quotation(request.method.name)
            _log.error("the handler for %s failed", name, exc_info=error)
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
    except BaseException:  # like `call_back`, but faster
        _log.exception("Handler.received failed for %s", quotation(event.method.name))


# --- order -----------------------------------------------------------------------------------


class Lanes:
    """The lanes of the sessions that have unhandled notifications.

    Attributes:
        handle: a function that handles a notification.
    """

    def __init__(
        self, handle: Callable[[Notification], Awaitable[None]], limits: Limits = DEFAULT
    ) -> None:
        self.handle = handle
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._lanes: dict[Hashable, _Lane] = {}
        self._count = self._size = 0  # totals for all lanes
        self._room: asyncio.Future[None] | None = None  # awaited by `wait_for_room`
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
        if is_new:
            if self._timer is None:
                self._watch()
            # The task is created last, since an eager task handles the notification immediately.
            lane.task = self._loop.create_task(lane.run())

    def holding_up(self, key: Hashable) -> _Lane | None:
        """Return the lane of `key` if later messages must wait for its notifications."""
        lane = self._lanes.get(key)
        return lane if lane is not None and lane.holds_up else None

    def after(self, key: Hashable, callback: Callback, what: str, method: str = "") -> None:
        """Call a function once the notifications currently in a lane are handled.

        If there are no such notifications, the function is called immediately.

        Args:
            key: the key of the lane.
            callback: the function.
            what: a description of the waiting work, for the log.
            method: the method of the waiting message, or an empty string for other work.
        """
        lane = self.holding_up(key)
        if lane is None:
            callback()
        else:
            lane.wait(callback, what, method)

    def after_all(self, callback: Callback, what: str) -> None:
        """Call a function once the notifications currently in all lanes are handled."""
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
        """Drop unhandled messages. Call this method only after all tasks are done or dropped."""
        for lane in list(self._lanes.values()):
            lane.end()  # the lane's task was cancelled before its first step, or cannot be stopped
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
        # A lane can end twice (see `close`), and another lane might already have replaced it.
        if self._lanes.get(key) is lane:
            del self._lanes[key]
            self._count -= _LANE

    def wake(self) -> None:
        """Wake `wait_for_room` so that it checks again."""
        if self._room is not None and not self._room.done():
            self._room.set_result(None)

    @property
    def needs_room(self) -> bool:
        """True if a lane might be full. If so, call `wait_for_room` before reading."""
        # If one lane exceeds a limit, the totals also exceed it, so only the totals are checked.
        return self._count > self._limits.backlog or self._size > self._limits.backlog_bytes

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
        """Wait until the lanes have room or stop making progress.

        Returns:
            True if the connection can continue, or False if the lanes contain too many
            notifications.
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
        return not self._exceeds(_FLOODED, self._count, self._size, least=_LEAST)

    @property
    def holds_reading(self) -> bool:
        """True if `wait_for_room` would wait."""
        return bool(self._without_room())

    def _without_room(self) -> list[_Lane]:
        """Return the lanes to wait for: full lanes, or all lanes if their total is too large."""
        lanes = [lane for lane in self._lanes.values() if lane.holds_up and not lane.is_stuck]
        full = [lane for lane in lanes if self._is_full(lane)]
        if full or not self._is_crowded:
            return full
        # The other lanes make no progress, so waiting is only useful if `lanes` alone exceed the
        # limit.
        count = sum(_LANE + lane.received - lane.handled for lane in lanes)
        size = sum(lane.size for lane in lanes)
        return lanes if self._exceeds(_CROWDED, count, size, least=_LEAST) else []

    def _watch(self) -> None:
        """Check the lanes periodically, as long as any lanes exist."""
        self._timer = self._loop.call_later(PATIENCE / TICKS, self._tick)

    def _tick(self) -> None:
        self._timer = None
        for lane in list(self._lanes.values()):
            lane.tick()
        if self._lanes:
            self._watch()


@dataclass(slots=True, eq=False)
class Waiter:
    """A callback that waits for the preceding notifications in a lane.

    Attributes:
        lane: the lane.
        place: the number of notifications that the lane received before the waiter was created.
        callback: called when these notifications are handled or no longer hold up other work.
        what: a description of the waiting work, for the log.
        method: the method of the waiting message, or an empty string for other work.
    """

    lane: _Lane
    place: int
    callback: Callback
    what: str
    method: str

    def __str__(self) -> str:
        return f"{self.what} {quotation(self.method)}" if self.method else self.what

    def cancel(self) -> None:
        """Stop waiting without calling the callback."""
        self.lane.waiters.pop(self, None)


class _Lane:
    """A queue for one session's notifications, which are handled one after another.

    Attributes:
        received: the number of notifications received.
        handled: the number of notifications handled.
        size: the size of the unhandled notifications, in bytes.
        queue: the notifications whose handlers have not been called yet.
        waiters: the callbacks that wait for notifications, in order.
        is_stuck: whether reading stopped waiting for the running handler after a timeout.
        task: the task that runs the handlers, or None before it is created.
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
        self._blocked = 0  # number of waits for the peer in the running handler
        self._is_given_up = False  # whether other work no longer waits for the running handler
        self._seen = 0  # number of notifications handled before the last check
        self._ticks = 0  # number of consecutive checks that found waiting work but no progress

    @property
    def holds_up(self) -> bool:
        """True if later messages must wait for this lane's notifications."""
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
                task = self.task or asyncio.current_task()  # an eager task isn't in `self.task` yet
                if task is not None and _cancelling(task):  # the handler cancelled the lane's task
                    await _forget_cancellation(task)
                while self.waiters and self._release() and self.queue:
                    await next_step()  # let released waiters run before the next handler
        finally:
            self.end()

    def end(self) -> None:
        """Drop unhandled notifications and release all waiters."""
        if self._running is not None:
            self._finish(self._running)
        while self.queue:
            self._finish(self.queue.popleft())
        if self.waiters:
            self._release()  # releases all waiters, since the lane no longer blocks anything
        self._lanes.remove(self._key, self)

    def _finish(self, event: Notification) -> None:
        self.handled += 1
        self.size -= event.size
        self._running = None
        self._is_given_up = self.is_stuck = False
        self._blocked = 0  # if a wait continues, it belongs to a task that outlives the handler
        self._lanes.finished(self, event)

    def wait(self, callback: Callback, what: str, method: str) -> Waiter:
        """Call a function once the notifications received so far no longer hold up other work."""
        waiter = Waiter(self, self.received, callback, what, method)
        self.waiters[waiter] = None
        return waiter

    def _release(self) -> bool:
        """Call the callbacks that no longer need to wait and return whether there were any."""
        released = False
        while self.waiters:
            waiter = next(iter(self.waiters))
            # Checked each time, since a callback can change the result.
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
        # One of the waiting messages might be the message that this handler is waiting for.
        self._release()
        self._lanes.wake()
        try:
            yield
        finally:
            if number == self.handled:  # otherwise, the handler has already finished
                self._blocked -= 1

    def tick(self) -> None:
        """Log a warning if waiting work makes no progress, and later release the work."""
        is_waiting = bool(self.waiters or self.queue)
        self._ticks = self._ticks + 1 if is_waiting and self._seen == self.handled else 0
        self._seen = self.handled
        # The first tick can come right after the wait begins, so it doesn't count.
        if self._ticks == TICKS + 1:
            first: object = next(iter(self.waiters), None)
            first = first or f"the notification {quotation(self.queue[0].method.name)}"
            self.warn(f"{first} waits", PATIENCE, len(self.waiters) + len(self.queue) - 1)
        elif self._ticks > 2 * TICKS:
            self._is_given_up = True
            self._release()

    def warn(self, problem: str, seconds: float, more: int) -> None:
        """Log that work and `more` other messages are waiting for the running handler."""
        if self._running is None or self.task is None:
            return  # the handler is just starting or finishing
        place = place_of(self.task)
        _log.warning(
            "%s for the handler for %s, which is at %s and has not finished in %g seconds; %d more "
            "messages are waiting; start a task for slow work, and do not wait in a handler for a "
            "later notification of its session",
            problem,
            quotation(self._running.method.name),
            place,
            seconds,
            more,
            extra={"kind": place},
        )


# Python 3.10 does not count cancellations, so in that version, a cancellation also affects the
# lane's next handler.
_cancelling: Callable[[asyncio.Task[Any]], int] = getattr(
    asyncio.Task, "cancelling", lambda task: 0
)


async def _forget_cancellation(task: Any) -> None:
    """Undo the cancellation of the current task, even if CancelledError has not been raised yet."""
    while task.uncancel():
        pass
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(0)


# The lane of the current handler, and the number of notifications that the lane had handled before
# it called the handler. Tasks that a handler starts inherit this value, so their waits are
# treated as the handler's own while the handler is running.
_current: ContextVar[tuple[_Lane, int] | None] = ContextVar("_current", default=None)
_NOTHING = nullcontext()


def waiting() -> AbstractContextManager[None]:
    """Return a context manager to enter while waiting for the peer, in a handler or elsewhere."""
    lane, number = _current.get() or (None, 0)
    # If the handler has finished, nothing waits for the tasks that it started.
    return lane.blocked() if lane is not None and lane.handled == number else _NOTHING
