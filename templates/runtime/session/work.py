"""The work of a turn, as a task of its own that does not end the program by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextvars import ContextVar
from typing import Any, TypeVar

from ..aio.tasks import close_unstarted, drop
from ..jsonrpc.logs import logger_of
from ..values.errors import quotation

A = TypeVar("A")  # what the work returns

_log = logger_of(__name__)


class _Exit(Exception):
    """Carries what ends the program, as its cause: the event loop ends at once with such a task."""


# The turn whose work runs the current code. Tasks that the work starts inherit it.
current: ContextVar[Any] = ContextVar("current", default=None)


def require_coroutine(work: object) -> None:
    """Refuse the work of a turn that cannot be awaited.

    Raises:
        TypeError: If it is not a coroutine.
    """
    if not (hasattr(work, "__await__") and hasattr(work, "close")):
        made = type(work).__name__
        raise TypeError(f"the work of a turn is not a coroutine but {made}; pass an async call")


def start(work: Coroutine[Any, Any, A], turn: object) -> asyncio.Task[A]:
    """Start the work of a turn. `error_of` returns its outcome."""
    task = asyncio.create_task(_carry(work, turn))
    task.add_done_callback(lambda _: close_unstarted(work))
    return task


async def _carry(work: Coroutine[Any, Any, A], turn: object) -> A:
    current.set(turn)
    try:
        return await work
    # The turn is ended first, by who waits for the task: it raises this again, see `error_of`.
    except (SystemExit, KeyboardInterrupt) as error:
        raise _Exit from error


async def wait_for(task: asyncio.Task[Any]) -> None:
    """Wait until some work ends. If the waiting task is dropped, the work is dropped as well."""
    try:
        # Not awaited itself: cancelling the waiting task must not cancel the work.
        await asyncio.wait([task])
    except GeneratorExit:
        if not (task.done() or task.get_loop().is_closed()):
            drop(task, "the work of a turn did not end, and is dropped")
        raise


def error_of(task: asyncio.Task[Any]) -> BaseException | None:
    """Return what some work has raised, when it is done; None if it did not, or was cancelled.

    Raises:
        SystemExit: the work has raised it.
        KeyboardInterrupt: the same.
    """
    error = None if task.cancelled() else task.exception()
    if isinstance(error, _Exit) and error.__cause__ is not None:
        raise error.__cause__
    if isinstance(error, GeneratorExit):  # raised again, it would look like the end of the caller
        failure = RuntimeError("the work raised GeneratorExit")
        failure.__cause__ = error
        return failure
    return error


def result_of_cancelled(task: asyncio.Task[Any]) -> Any:
    """Return the result of work that was cancelled; None without one. Log what it has raised."""
    error = error_of(task)
    if error is not None:
        _log.info("work that was cancelled ended with %s", quotation(error))
    return None if task.cancelled() or error is not None else task.result()
