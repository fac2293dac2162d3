"""Resources of a session: an exit stack that is closed when the session ends."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any, TypeVar

R = TypeVar("R")  # the result of a context manager


class Resources(AsyncExitStack):
    """An exit stack that is filled in one task and closed in another.

    Each asynchronous context manager is entered and left in a separate task. Some work only if one
    task does both, such as the clients of MCP servers, which have task groups.
    """

    def __init__(self) -> None:
        super().__init__()
        self._is_closed = False

    async def enter_async_context(self, cm: AbstractAsyncContextManager[R, Any]) -> R:
        """Enter an asynchronous context manager, which is left when the stack is closed.

        Args:
            cm: the context manager.

        Returns:
            The value that entering it returns.

        Raises:
            RuntimeError: If the session ends before.
            Exception: If entering the context manager fails with it.
        """
        if self._is_closed:
            raise RuntimeError("the session ended")
        entered: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        leaving = asyncio.Event()
        task = asyncio.create_task(_hold(cm, entered, leaving))
        # Before it is entered, so that closing the stack also ends the entering.
        self.push_async_callback(_leave, task, entered, leaving)
        ends: list[asyncio.Future[Any]] = [task, entered]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            if entered.cancel():
                task.cancel()
                await asyncio.wait([task])
            raise
        if entered.cancelled():
            raise RuntimeError("the session ended")
        if not entered.done():
            task.result()  # raises the exception of entering it
        return await entered

    async def aclose(self) -> None:
        """Leave all context managers and call all callbacks, in the reverse order."""
        self._is_closed = True
        await super().aclose()


async def _hold(
    cm: AbstractAsyncContextManager[R, Any], entered: asyncio.Future[R], leaving: asyncio.Event
) -> None:
    async with cm as value:
        if not entered.cancelled():
            entered.set_result(value)
            await leaving.wait()


async def _leave(
    task: asyncio.Task[None], entered: asyncio.Future[Any], leaving: asyncio.Event
) -> None:
    leaving.set()
    if entered.cancel():  # it is not entered yet
        task.cancel()
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        task.cancel()
        raise
    is_entered = not entered.cancelled()
    if not task.cancelled() and (error := task.exception()) is not None and is_entered:
        raise error
