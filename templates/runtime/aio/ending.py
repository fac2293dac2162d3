"""How tasks end: uninterrupted, within a time, or dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from ..jsonrpc.logs import logger_of

_log = logger_of(__name__)


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
        _log.error("a handler did not end within %g seconds, and is dropped: %r", grace, task)
        drop(task)
    await asyncio.sleep(0)  # let the dropped ones notice


def drop(task: asyncio.Task[Any]) -> None:
    """End a task that swallows its cancellation, so that nothing waits for it any more."""
    # What the task reports now is that its coroutine was closed.
    task.add_done_callback(lambda task: task.cancelled() or task.exception())
    coroutine: Any = task.get_coro()
    try:
        coroutine.close()
    except RuntimeError as problem:  # it waits for something else instead of ending
        _log.error("a task cannot be ended: %s", problem)
    task.cancel()
