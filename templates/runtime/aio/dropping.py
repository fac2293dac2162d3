"""Dropping tasks that swallow their cancellation, so that no code waits for them anymore."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

from ..jsonrpc.logs import logger_of
from ..values.deferred import dataclass
from .places import coroutines_of, place_of

# Coroutines that cannot be closed.
_undead: list[object] = []

_log = logger_of(__name__)


@dataclass(slots=True)
class Dropped:
    """A task that was dropped.

    Attributes:
        task: the task.
        place: where it was.
        is_closed: whether its coroutine could be closed.
    """

    task: asyncio.Task[Any]
    place: str
    is_closed: bool = True

    @property
    def is_running(self) -> bool:
        """Whether the task or its coroutine can still do something."""
        return not (self.is_closed and self.task.done())


# Takes the tasks that are dropped in a context.
dropped: ContextVar[list[Dropped] | None] = ContextVar("dropped", default=None)


def drop(task: asyncio.Task[Any], problem: str) -> None:
    """Close the coroutine of a task, and log where it was.

    Args:
        task: the task.
        problem: the beginning of the log entry.
    """
    entry = Dropped(task, place_of(task))
    # Now the task only reports that its coroutine was closed.
    task.add_done_callback(lambda task: task.cancelled() or task.exception())
    coroutines = coroutines_of(task)
    awaited = getattr(coroutines[-1], "cr_await", None)  # could be an asynchronous generator
    inner: list[Dropped] = []
    token = dropped.set(inner)
    try:
        coroutines[0].close()
    except RuntimeError:  # it waits for something else instead of ending
        entry.is_closed = False
    finally:
        dropped.reset(token)
    if left := [each for each in coroutines if getattr(each, "cr_frame", None) is not None]:
        entry.is_closed = False
        _keep([*left, awaited])
    if not inner:  # otherwise, it waited for work with a more precise location
        ending = "" if entry.is_closed else "; it cannot be ended"
        text = "%s: it is at %s%s"
        _log.error(text, problem, entry.place, ending, extra={"kind": entry.place})
    if (entries := dropped.get()) is not None:
        entries += [entry, *inner]
    task.cancel()


def _keep(coroutines: list[Any]) -> None:
    """Keep coroutines that cannot be closed from being finalized, even when the program exits.

    That would close them again. Without an event loop, endless retries would never wait.
    """
    if not _undead:
        # The interpreter doesn't finalize objects that a thread holds until exit.
        forever = threading.Lock()
        forever.acquire()
        threading.Thread(target=_hold, args=(_undead, forever), daemon=True).start()
    _undead.extend(coroutines)


def _hold(kept: object, lock: threading.Lock) -> None:
    lock.acquire()


def close_unstarted(coroutine: Coroutine[Any, Any, object]) -> None:
    """Close the coroutine of a finished task, in case the task never started it."""
    with suppress(RuntimeError):  # it was dropped and cannot be closed
        coroutine.close()
