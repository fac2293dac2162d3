"""Tasks and threads that handlers leave running after their connection ends."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import Any
from weakref import WeakSet

from .dropping import Dropped, dropped
from .places import frames_of, name_of, place_of, place_of_thread


class Leftovers:
    """The tasks and threads that began during a connection and still run.

    Attributes:
        dropped: the tasks that were dropped.
    """

    def __init__(self) -> None:
        """Begin. Tasks and threads that already run are not included."""
        self.dropped: list[Dropped] = []
        self._loop = asyncio.get_running_loop()
        self._tasks_before = WeakSet(asyncio.all_tasks())
        self._threads_before = WeakSet(_busy_threads())
        self._tasks: list[asyncio.Task[Any]] = []
        self._threads: list[threading.Thread] = []
        self._token = dropped.set(self.dropped)

    def collect(self) -> None:
        """End. Tasks and threads that began meanwhile are included."""
        dropped.reset(self._token)
        known = {*self._tasks_before, *(each.task for each in self.dropped)}
        tasks = asyncio.all_tasks(self._loop) - known
        self._tasks = [task for task in tasks if self._began_here(task)]
        self._threads = list(_busy_threads() - set(self._threads_before))
        if self._threads and not self._loop.is_closed():
            from concurrent.futures import ThreadPoolExecutor  # here, since few programs need it

            # `asyncio.run` waits for the old one in the event loop, as any program could.
            with suppress(NotImplementedError):
                self._loop.set_default_executor(ThreadPoolExecutor())

    def _began_here(self, task: asyncio.Task[Any]) -> bool:
        """Return whether a handler started a task, directly or indirectly."""
        get_context = getattr(task, "get_context", None)
        # Before Python 3.12, this is unknown. All tasks that began meanwhile count.
        return get_context is None or get_context().get(dropped) is self.dropped

    def places(self) -> list[str]:
        """Return the locations of the work that still runs."""
        return [
            *(f"a task at {each.place}" for each in self.dropped if each.is_running),
            *(f"a task at {place_of(task)}" for task in self._tasks if not task.done()),
            *(f"a thread at {place_of_thread(each)}" for each in self._threads if _is_busy(each)),
        ]


def _busy_threads() -> set[threading.Thread]:
    """Return the threads that the interpreter waits for and that have something to do."""
    every = set(threading.enumerate()) - {threading.main_thread(), threading.current_thread()}
    return {thread for thread in every if not thread.daemon and _is_busy(thread)}


def _is_busy(thread: threading.Thread) -> bool:
    innermost = next(frames_of(thread), None)
    # A thread of an executor waits for work at this place. It ends with the interpreter.
    return innermost is not None and name_of(innermost) != ("concurrent.futures.thread", "_worker")
