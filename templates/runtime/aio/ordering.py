"""The order in which an asyncio connection hands on what it receives."""

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
    """Jobs that are done one after another, such as handling the notifications of one session."""

    def __init__(self, on_idle: Callable[[], object]) -> None:
        """Start without a job; `on_idle` is called each time that there is none left."""
        self._on_idle = on_idle
        self._jobs: deque[Job] = deque()
        self._deferred: deque[tuple[int, Callback]] = deque()
        self._added = 0
        self._done = 0
        self._blocked = 0
        self.task: asyncio.Task[None] | None = None

    def put(self, job: Job) -> None:
        """Add a job, to be started when those before it are done."""
        self._jobs.append(job)
        self._added += 1
        if self.task is None:
            task = asyncio.create_task(self._run())
            if not task.done():  # an eager one can be
                self.task = task

    async def _run(self) -> None:
        try:
            while self._jobs:
                _current.set((self, self._done))
                await self._jobs.popleft()()
                self._done += 1
                self._blocked = 0
                while self._release():
                    await asyncio.sleep(0)  # what waited for this job comes before the next one
        finally:
            self.task = None
            self._on_idle()

    def defer(self, callback: Callback) -> bool:
        """Have something called when the jobs that are here now are done.

        A job that waits for the other side is not waited for, nor are those behind it: what the
        other side has to say first might be the very thing that is held up.

        Returns:
            Whether it will be; False if there is nothing to wait for.
        """
        if self.task is None or self._blocked:
            return False
        self._deferred.append((self._added, callback))
        return True

    def is_doing(self, number: int) -> bool:
        """Whether the job of that number is the one under way."""
        return number == self._done

    @contextmanager
    def blocked(self) -> Generator[None]:
        """While the job under way waits for the other side."""
        job = self._done
        self._blocked += 1
        self._release()
        try:
            yield
        finally:
            if self.is_doing(job):  # or else a task that it left behind was waiting
                self._blocked -= 1

    def _release(self) -> bool:
        """Call back what need not wait any longer; whether there was anything."""
        released = False
        while self._deferred and (self._blocked or self._deferred[0][0] <= self._done):
            self._deferred.popleft()[1]()
            released = True
        return released


# The lane in one of whose jobs this code runs, and the number of that job.
_current: ContextVar[tuple[Lane, int] | None] = ContextVar("_current", default=None)


def waiting() -> AbstractContextManager[None]:
    """To be entered while waiting for the other side, in a job or elsewhere."""
    lane, number = _current.get() or (None, 0)
    # A task that a job left behind when it was done holds nothing up.
    return lane.blocked() if lane is not None and lane.is_doing(number) else _NOTHING


_NOTHING = nullcontext()


def detach() -> None:
    """Say that the task this is called in is part of no job, whatever it was started from."""
    _current.set(None)


class Lanes:
    """A lane for each key, as long as there is something to do in it."""

    def __init__(self) -> None:
        self._lanes: dict[Hashable, Lane] = {}

    def put(self, key: Hashable, job: Job) -> None:
        """Add a job to the lane of `key`."""
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = Lane(partial(self._lanes.pop, key))
        lane.put(job)

    def after(self, key: Hashable, callback: Callback) -> None:
        """Call when the jobs now in the lane of `key` are done; often at once."""
        lane = self._lanes.get(key)
        if lane is None or not lane.defer(callback):
            callback()

    def after_all(self, callback: Callback) -> None:
        """Call when the jobs now in all lanes are done; often at once."""
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
        """Whether this code runs in a job of the lane of `key`."""
        lane, number = _current.get() or (None, 0)
        return lane is not None and lane is self._lanes.get(key) and lane.is_doing(number)

    def tasks(self) -> list[asyncio.Task[None]]:
        """The tasks of the lanes that have something to do."""
        return [lane.task for lane in self._lanes.values() if lane.task is not None]
