"""Utilities for tasks: describing their locations and ending them within a time limit.

A task that swallows its cancellation is dropped, which means that no code waits for it anymore.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine, Generator, Iterator, Sequence
from contextlib import suppress
from contextvars import ContextVar
from types import FrameType, coroutine
from typing import Any

from ..jsonrpc.logs import PACKAGE, logger_of
from ..values.deferred import dataclass

# Modules that only call the program's code. The frames of these modules are omitted.
_MACHINERY = ("asyncio", "concurrent", "threading")
# The maximum number of frames that the location of a task lists. The innermost frame is last.
_CALLS = 5


@coroutine
def next_step() -> Generator[None]:
    """Wait for the event loop's next step, like `asyncio.sleep(0)` but with half the calls."""
    yield


async def wait_done(future: asyncio.Future[Any], timeout: float | None = None) -> None:
    """Wait until a future is done, without cancelling it if this task is cancelled.

    Like `asyncio.wait([future], timeout=timeout)`, but with a quarter of the function calls.
    """
    loop = asyncio.get_running_loop()
    woken: asyncio.Future[None] = loop.create_future()

    def wake(_: object) -> None:
        if not woken.done():
            woken.set_result(None)

    future.add_done_callback(wake)
    timer = None if timeout is None else loop.call_later(timeout, wake, None)
    try:
        await woken
    finally:
        future.remove_done_callback(wake)
        if timer is not None:
            timer.cancel()


def place_of(task: asyncio.Task[Any]) -> str:
    """Return the location of a task: the files and lines of its innermost coroutines."""
    frames = (each.cr_frame for each in coroutines_of(task))
    return _described(frame for frame in frames if frame is not None) or "its end"


def place_of_thread(thread: threading.Thread) -> str:
    """Return the location of a thread: the files and lines of its innermost calls."""
    return _described(reversed(list(frames_of(thread)))) or "its end"


def frames_of(thread: threading.Thread) -> Iterator[FrameType]:
    """Yield the frames of a thread, innermost first. A finished thread has no frames."""
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
    frame = frames.get(thread.ident or 0)
    while frame is not None:
        yield frame
        frame = frame.f_back


def coroutines_of(task: asyncio.Task[Any]) -> list[Any]:
    """Return a task's coroutine and the coroutines that it awaits, outermost first."""
    coroutines: list[Any] = [task.get_coro()]
    while getattr(awaited := getattr(coroutines[-1], "cr_await", None), "cr_frame", None):
        coroutines.append(awaited)
    return coroutines


def _described(frames: Iterator[FrameType]) -> str:
    """Return the locations of the program's frames and of the innermost frame, outermost first."""
    every = list(frames)
    own = [frame for frame in every[:-1] if not _is_machinery(frame)]
    return " > ".join(
        f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}"
        for frame in (*own[-_CALLS:], *every[-1:])
    )


def name_of(frame: FrameType) -> tuple[object, str]:
    """Return the module and the function of a frame."""
    return frame.f_globals.get("__name__"), frame.f_code.co_name


def is_of_package(frame: FrameType) -> bool:
    """Return whether a frame runs code of this package."""
    return _is_of(frame, PACKAGE)


def _is_machinery(frame: FrameType) -> bool:
    return is_of_package(frame) or any(_is_of(frame, each) for each in _MACHINERY)


def _is_of(frame: FrameType, module: str) -> bool:
    name = str(frame.f_globals.get("__name__"))
    return name == module or name.startswith(f"{module}.")


# Coroutines that could not be closed.
_undead: list[object] = []

_log = logger_of(__name__)


@dataclass(slots=True)
class Dropped:
    """A task that was dropped.

    Attributes:
        task: the task.
        place: the location of the task when it was dropped.
        is_closed: whether the task's coroutine could be closed.
    """

    task: asyncio.Task[Any]
    place: str
    is_closed: bool = True

    @property
    def is_running(self) -> bool:
        """True if the task or its coroutine might still run code."""
        return not (self.is_closed and self.task.done())


# A list that collects the tasks dropped in a context.
dropped: ContextVar[list[Dropped] | None] = ContextVar("dropped", default=None)


def drop(task: asyncio.Task[Any], problem: str) -> None:
    """Close a task's coroutine and log the `problem` with the task's location."""
    entry = Dropped(task, place_of(task))
    # From now on, the task's exception only reports that its coroutine was closed.
    task.add_done_callback(_retrieve)
    coroutines = coroutines_of(task)
    awaited = getattr(coroutines[-1], "cr_await", None)  # could be an asynchronous generator
    inner: list[Dropped] = []
    token = dropped.set(inner)
    try:
        with suppress(RuntimeError):  # the coroutine ignored GeneratorExit and awaits again
            coroutines[0].close()
    finally:
        dropped.reset(token)
    if left := [each for each in coroutines if getattr(each, "cr_frame", None) is not None]:
        entry.is_closed = False
        _keep([*left, awaited])
    if not inner:  # otherwise, a more precise location was logged already
        ending = "" if entry.is_closed else "; it cannot be stopped"
        text = "%s (at %s)%s"
        _log.error(text, problem, entry.place, ending, extra={"kind": entry.place})
    if (entries := dropped.get()) is not None:
        entries += [entry, *inner]
    task.cancel()


def exit_quietly() -> None:
    """Prepare the current task for raising SystemExit or KeyboardInterrupt.

    The exception passes through the event loop and ends the program, so no code can retrieve it
    from the task.
    """
    task = asyncio.current_task()
    if task is not None:
        task.add_done_callback(_retrieve)


def _retrieve(task: asyncio.Task[Any]) -> None:
    """Retrieve a task's exception, since asyncio logs exceptions that were never retrieved."""
    if not task.cancelled():
        task.exception()


def _keep(coroutines: list[Any]) -> None:
    """Prevent coroutines that could not be closed from being finalized, even at program exit.

    The finalizer would close these coroutines again. A coroutine that retries after every error
    would then loop forever, since each `await` fails immediately without an event loop.
    """
    if not _undead:
        # The interpreter doesn't finalize objects that are referenced by a running daemon thread.
        forever = threading.Lock()
        forever.acquire()
        threading.Thread(target=_hold, args=(_undead, forever), daemon=True).start()
    _undead.extend(coroutines)


def _hold(kept: object, lock: threading.Lock) -> None:
    lock.acquire()


def close_unstarted(coroutine: Coroutine[Any, Any, object]) -> None:
    """Close a finished task's coroutine, in case the task never started it."""
    with suppress(RuntimeError):  # the coroutine was dropped and cannot be closed
        coroutine.close()


async def uninterrupted(work: Coroutine[Any, Any, object]) -> None:
    """Wait for work to finish, and only then raise CancelledError if this task was cancelled."""
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            # If this task is cancelled, `await task` would also cancel the other task.
            await wait_done(task)
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled


class Once:
    """Work that runs only once, even if several tasks request it. All these tasks wait for it."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._is_begun = False

    async def run(self, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Run the work, or wait for it if it has already been started."""
        async with self._lock:
            if not self._is_begun:
                self._is_begun = True
                await work()


async def end_tasks(unfinished: Callable[[], Sequence[asyncio.Task[None]]], grace: float) -> None:
    """Cancel tasks, wait until they finish, and drop tasks that take too long.

    Args:
        unfinished: a function that returns the unfinished tasks. This function is called
            repeatedly, since a task that finishes might start others.
        grace: the maximum time for the tasks to finish, in seconds.
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
        drop(task, f"a handler did not finish within {grace:g} seconds; dropping it")
    await asyncio.sleep(0)  # let the dropped tasks finish
