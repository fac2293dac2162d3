# Made by acpgen 0.1.0 from templates/runtime/lanes.py.
# Do not edit it; make it again with `acpgen generate`.

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


class Lane:
    """Jobs that are done one after another, such as handling the notifications of one session."""

    def __init__(self, on_idle: Callable[[], object]) -> None:
        """Start without a job; `on_idle` is called each time that there is none left."""
        self._on_idle = on_idle
        self._jobs: deque[Job] = deque()
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
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

    def settled(self) -> asyncio.Future[None] | None:
        """A future for when the jobs that are here now are done; None if there is no need to wait.

        A job that waits for the other side is not waited for, nor are those behind it: what the
        other side has to say first might be the very thing that is held up.
        """
        if self.task is None or self._blocked:
            return None
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append((self._added, future))
        return future

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
        """Let those go on who need not wait any longer; whether there were any."""
        waiters, self._waiters = self._waiters, []
        for count, future in waiters:
            if count > self._done and not self._blocked:
                self._waiters.append((count, future))
            elif not future.done():
                future.set_result(None)
        return len(self._waiters) < len(waiters)


# The lane in one of whose jobs this code runs, and the number of that job.
_current: ContextVar[tuple[Lane, int] | None] = ContextVar("_current", default=None)


def waiting() -> AbstractContextManager[None]:
    """To be entered while waiting for the other side, in a job or elsewhere."""
    lane, number = _current.get() or (None, 0)
    # A task that a job left behind when it was done holds nothing up.
    return lane.blocked() if lane is not None and lane.is_doing(number) else _NOTHING


_NOTHING = nullcontext()


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

    def settled(self, key: Hashable) -> asyncio.Future[None] | None:
        """What to wait for until the jobs now in the lane of `key` are done; often nothing."""
        lane = self._lanes.get(key)
        return lane.settled() if lane is not None else None

    def all_settled(self) -> list[asyncio.Future[None]]:
        """What to wait for until the jobs now in all lanes are done; often nothing."""
        return [future for lane in self._lanes.values() if (future := lane.settled())]

    def tasks(self) -> list[asyncio.Task[None]]:
        """The tasks of the lanes that have something to do."""
        return [lane.task for lane in self._lanes.values() if lane.task is not None]
