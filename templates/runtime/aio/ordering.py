"""The order in which a connection handles messages: a lane for each session."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Hashable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import partial
from typing import TypeAlias

Job: TypeAlias = Callable[[], Awaitable[None]]
Callback: TypeAlias = Callable[[], None]


class Lane:
    """Runs jobs one after another, such as the handling of the notifications of one session."""

    def __init__(self, on_idle: Callable[[], object]) -> None:
        """Start without jobs.

        Args:
            on_idle: called each time the last job is done.
        """
        self._on_idle = on_idle
        self._jobs: deque[Job] = deque()
        self._deferred: deque[tuple[int, Callback]] = deque()
        self._added = 0
        self._done = 0
        self._blocked = 0
        self.task: asyncio.Task[None] | None = None

    def put(self, job: Job) -> None:
        """Add a job. It starts when those before it are done."""
        self._jobs.append(job)
        self._added += 1
        if self.task is None:
            task = asyncio.create_task(self._run())
            if not task.done():  # as an eager task can be
                self.task = task

    async def _run(self) -> None:
        try:
            while self._jobs:
                _current.set((self, self._done))
                await self._jobs.popleft()()
                self._done += 1
                self._blocked = 0
                while self._release():
                    await asyncio.sleep(0)  # the released callbacks take effect before the next job
        finally:
            self.task = None
            self._on_idle()

    def defer(self, callback: Callback) -> bool:
        """Call back when the jobs added so far are done.

        While a job waits for the other side, neither it nor the jobs behind it are waited for: the
        callback might lead to the very message that the job waits for.

        Returns:
            True if the callback will be called; False if there is nothing to wait for.
        """
        if self.task is None or self._blocked:
            return False
        self._deferred.append((self._added, callback))
        return True

    def is_doing(self, number: int) -> bool:
        """Return whether the job of that number is running."""
        return number == self._done

    @contextmanager
    def blocked(self) -> Generator[None]:
        """Mark the running job as waiting for the other side."""
        job = self._done
        self._blocked += 1
        self._release()
        try:
            yield
        finally:
            if self.is_doing(job):  # otherwise, a task that the job left behind was waiting
                self._blocked -= 1

    def _release(self) -> bool:
        """Call the callbacks that need not wait any longer; return whether there were any."""
        released = False
        while self._deferred and (self._blocked or self._deferred[0][0] <= self._done):
            self._deferred.popleft()[1]()
            released = True
        return released


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
    _current.set(None)


class Lanes:
    """A lane for each key, as long as it has jobs."""

    def __init__(self) -> None:
        self._lanes: dict[Hashable, Lane] = {}

    def put(self, key: Hashable, job: Job) -> None:
        """Add a job to the lane of `key`."""
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = Lane(partial(self._lanes.pop, key))
        lane.put(job)

    def after(self, key: Hashable, callback: Callback) -> None:
        """Call back when the jobs now in the lane of `key` are done; at once if there are none."""
        lane = self._lanes.get(key)
        if lane is None or not lane.defer(callback):
            callback()

    def after_all(self, callback: Callback) -> None:
        """Call back when the jobs now in all lanes are done; at once if there are none."""
        open_lanes = 0

        def done() -> None:
            nonlocal open_lanes
            open_lanes -= 1
            if open_lanes == 0:
                callback()

        open_lanes = sum(lane.defer(done) for lane in self._lanes.values())
        if open_lanes == 0:
            callback()

    def is_within(self, key: Hashable) -> bool:
        """Return whether the current code runs in a job of the lane of `key`."""
        lane, number = _current.get() or (None, 0)
        return lane is not None and lane is self._lanes.get(key) and lane.is_doing(number)

    def tasks(self) -> list[asyncio.Task[None]]:
        """Return the tasks of the lanes that have jobs."""
        return [lane.task for lane in self._lanes.values() if lane.task is not None]
