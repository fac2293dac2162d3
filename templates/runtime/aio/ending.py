"""Ending tasks: uninterrupted, once, within a time limit, or dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from .dropping import drop


async def uninterrupted(work: Coroutine[Any, Any, object]) -> None:
    """Await work to its end even if this task is cancelled, and then raise the cancellation."""
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            # `wait` leaves the task alone when this one is cancelled; `await task` would not.
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled


class Once:
    """Work that runs once, even if several tasks ask for it; all of them wait until it is over."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._is_begun = False

    async def run(self, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Run the work unless it has run; or wait for the task that runs it."""
        async with self._lock:
            if not self._is_begun:
                self._is_begun = True
                await work()


async def end_tasks(unfinished: Callable[[], Sequence[asyncio.Task[None]]], grace: float) -> None:
    """Cancel tasks, wait until they have ended, and drop those that take too long.

    Args:
        unfinished: returns the tasks that have not ended. The end of one may start another.
        grace: how long they may take, in seconds.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + grace
    cancelled: set[asyncio.Task[None]] = set()
    while tasks := unfinished():
        for task in tasks:
            if task not in cancelled:
                task.cancel()
                cancelled.add(task)
        await asyncio.wait(tasks, timeout=max(0.0, end - loop.time()))
        if loop.time() >= end:
            break
    for task in unfinished():
        drop(task, f"a handler did not end within {grace:g} seconds, and is dropped")
    await asyncio.sleep(0)  # let the dropped ones notice
