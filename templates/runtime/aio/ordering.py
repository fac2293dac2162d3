"""The order in which a connection handles messages: a lane for each session."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Hashable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeAlias

from ..jsonrpc.limits import DEFAULT, Limits
from ..values.deferred import dataclass
from ..values.errors import quotation
from .backlog import Backlog

Callback: TypeAlias = Callable[[], None]

# How long a message may wait for a handler before that is logged, in seconds.
PATIENCE = 5.0

_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Job:
    """The handling of one message.

    Attributes:
        run: handles it.
        name: the method of the message, for the log.
        size: the length of the message in bytes.
    """

    run: Callable[[], Awaitable[None]]
    name: str = ""
    size: int = 0


@dataclass(slots=True, eq=False)
class _Deferred:
    """A callback that waits for the jobs before it.

    Attributes:
        number: how many jobs were added before it.
        callback: is called when they are done.
        what: what waits, for the log.
        method: the method of the message that waits, if it is one.
    """

    number: int
    callback: Callback
    what: str
    method: str

    def __str__(self) -> str:
        return f"{self.what} {quotation(self.method)}" if self.method else self.what


class Lane:
    """Runs jobs one after another, such as the handling of the notifications of one session."""

    def __init__(self, on_idle: Callable[[], object], backlog: Backlog) -> None:
        """Start without jobs.

        Args:
            on_idle: called each time the last job is done.
            backlog: counts the jobs.
        """
        self._on_idle = on_idle
        self._backlog = backlog
        self._jobs: deque[Job] = deque()
        self._deferred: deque[_Deferred] = deque()
        self._added = 0
        self._done = 0
        self._blocked = 0
        self._running = ""  # the name of the job that runs
        self._warning: asyncio.TimerHandle | None = None
        self.task: asyncio.Task[None] | None = None

    def put(self, job: Job) -> None:
        """Add a job. It starts when those before it are done."""
        self._jobs.append(job)
        self._backlog.add(job.size)
        self._added += 1
        if self.task is None:
            task = asyncio.create_task(self._run())
            if not task.done():  # as an eager task can be
                self.task = task

    async def _run(self) -> None:
        job: Job | None = None
        try:
            while self._jobs:
                _current.set((self, self._done))
                job = self._jobs.popleft()
                self._running = job.name
                await job.run()
                self._backlog.remove(job.size)
                job = None
                self._done += 1
                if self._blocked:  # by tasks that the job has left behind
                    self._unblock(self._blocked)
                while self._deferred and self._release():
                    await asyncio.sleep(0)  # the released callbacks take effect before the next job
        finally:
            if job is not None:
                self._backlog.remove(job.size)
                self._done += 1
            if self._blocked:
                self._unblock(self._blocked)
            if self._warning is not None:
                self._calm()
            self.task = None
            self._on_idle()

    def defer(self, callback: Callback, what: str, method: str = "") -> bool:
        """Call back when the jobs added so far are done.

        While a job waits for the other side, neither it nor the jobs behind it are waited for: the
        callback might lead to the very message that the job waits for.

        Args:
            callback: what to call.
            what: what waits, for the log.
            method: the method of the message that waits, if it is one.

        Returns:
            True if the callback will be called; False if there is nothing to wait for.
        """
        if self.task is None or self._blocked:
            return False
        self._deferred.append(_Deferred(self._added, callback, what, method))
        if self._warning is None:
            loop = asyncio.get_running_loop()
            self._warning = loop.call_later(PATIENCE, self._warn)
        return True

    def is_doing(self, number: int) -> bool:
        """Return whether the job of that number is running."""
        return number == self._done

    @contextmanager
    def blocked(self) -> Generator[None]:
        """Mark the running job as waiting for the other side."""
        job = self._done
        self._blocked += 1
        self._backlog.blocked += 1
        self._backlog.wake()
        self._release()
        try:
            yield
        finally:
            if self.is_doing(job):  # otherwise, a task that the job left behind was waiting
                self._unblock(1)

    def _unblock(self, count: int) -> None:
        self._blocked -= count
        self._backlog.blocked -= count

    def _release(self) -> bool:
        """Call the callbacks that need not wait any longer; return whether there were any."""
        released = False
        while self._deferred and (self._blocked or self._deferred[0].number <= self._done):
            self._deferred.popleft().callback()
            released = True
        if not self._deferred:
            self._calm()
        return released

    # --- the log -----------------------------------------------------------------------------

    def _calm(self) -> None:
        if self._warning is not None:
            self._warning.cancel()
            self._warning = None

    def _warn(self) -> None:
        """Tell of a handler that keeps a message waiting: it may wait for that very message."""
        assert self.task is not None, "only a running lane has deferred callbacks"
        _log.warning(
            "%s waits for the handler of %s, which has not finished in %g seconds (it is at %s); "
            "%d more messages wait. A handler must not wait for a task that waits for the other "
            "side about the same session",
            self._deferred[0],
            quotation(self._running),
            PATIENCE,
            place_of(self.task),
            len(self._deferred) - 1 + len(self._jobs),
        )


def place_of(task: asyncio.Task[Any]) -> str:
    """Return where a task waits: the file, line and function of its innermost coroutine."""
    awaitable: Any = task.get_coro()
    place = "its start"
    while (frame := getattr(awaitable, "cr_frame", None)) is not None:
        code = frame.f_code
        place = f"{code.co_filename}:{frame.f_lineno} in {code.co_name}"
        awaitable = awaitable.cr_await
    return place


# The lane and the number of the job in which the current code runs.
_current: ContextVar[tuple[Lane, int] | None] = ContextVar("_current", default=None)


def waiting() -> AbstractContextManager[None]:
    """Return a context to enter while waiting for the other side, in a job or elsewhere."""
    lane, number = _current.get() or (None, 0)
    # A task that a finished job left behind blocks nothing.
    return lane.blocked() if lane is not None and lane.is_doing(number) else _NOTHING


_NOTHING = nullcontext()


def detach() -> None:
    """Detach the current task from the job that started it."""
    if _current.get() is not None:
        _current.set(None)


class Lanes:
    """A lane for each key, as long as it has jobs.

    Attributes:
        backlog: counts the jobs of all lanes.
    """

    def __init__(self, limits: Limits = DEFAULT) -> None:
        self.backlog = Backlog(limits)
        self._lanes: dict[Hashable, Lane] = {}

    def put(self, key: Hashable, job: Job) -> None:
        """Add a job to the lane of `key`."""
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = Lane(partial(self._lanes.pop, key), self.backlog)
        lane.put(job)

    def after(self, key: Hashable, callback: Callback, what: str, method: str = "") -> None:
        """Call back when the jobs now in the lane of `key` are done; at once if there are none.

        Args:
            key: the lane.
            callback: what to call.
            what: what waits, for the log.
            method: the method of the message that waits, if it is one.
        """
        lane = self._lanes.get(key)
        if lane is None or not lane.defer(callback, what, method):
            callback()

    def after_all(self, callback: Callback, what: str) -> None:
        """Call back when the jobs now in all lanes are done; at once if there are none."""
        open_lanes = 0

        def done() -> None:
            nonlocal open_lanes
            open_lanes -= 1
            if open_lanes == 0:
                callback()

        open_lanes = sum(lane.defer(done, what) for lane in self._lanes.values())
        if open_lanes == 0:
            callback()

    def tasks(self) -> list[asyncio.Task[None]]:
        """Return the tasks of the lanes that have jobs."""
        return [lane.task for lane in self._lanes.values() if lane.task is not None]
