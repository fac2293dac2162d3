"""Ending an agent session: waiting for the session's turns and freeing its resources.

Rules:

1. The steps that end a session run one after another. If a step fails or times out, the next step
   still runs.
2. The first step waits for the turns and has no time limit unless `hurry` is called. Every other
   step is cancelled after the grace period and dropped if it ignores the cancellation. A step
   always runs until its first wait, even if the grace period is zero.
3. The steps continue even if the program, or the caller that waits for them, is cancelled.
4. Context managers are exited in reverse order, each in the task that entered it (`Resources`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from typing import Any, Final, TypeAlias, TypeVar

from ..aio.tasks import drop, wait_done
from ..jsonrpc.logs import logger_of

R = TypeVar("R")  # the result of a context manager
# A step: its name for log messages, and the method to await.
Step: TypeAlias = "tuple[str, Callable[[], Coroutine[Any, Any, None]]]"

# The number of event loop iterations that a step can use after its time limit, and again after its
# cancellation.
_STEPS: Final = 100

_log = logger_of(__name__)


class Ending:
    """Steps that run one after another in a task, each with a time limit.

    Attributes:
        task: the task that runs the steps; missing until `start` is called. If the task is
            cancelled, the steps continue.
    """

    task: asyncio.Task[None]

    def __init__(
        self,
        session_id: str,
        steps: Sequence[Step],
        grace: float,
        is_worth_logging: Callable[[BaseException], bool],
        on_end: Callable[[Ending], None],
    ) -> None:
        """Create an ending without starting it.

        Args:
            session_id: the session's id.
            steps: the steps, in order.
            grace: the time limit for each step, in seconds.
            is_worth_logging: a function that returns whether to log an exception raised by a step.
            on_end: a function to call with this object when all steps are done.
        """
        self._session_id = session_id
        self._steps = steps
        self._grace = grace
        self._is_worth_logging = is_worth_logging
        self._on_end = on_end
        self._has_limit = False
        self._step: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._expired: asyncio.Future[None] | None = None

    @property
    def is_in_this_loop(self) -> bool:
        """True if the steps run in the current event loop."""
        return self.task.get_loop() is asyncio.get_running_loop()

    def start(self) -> None:
        """Start the first step."""
        self.task = asyncio.create_task(self._run())
        self.task.add_done_callback(lambda _: self._on_end(self))

    async def wait(self) -> None:
        """Wait until all steps are done. Return immediately if called by a step."""
        if asyncio.current_task() is not self._step:
            await wait_done(self.task)

    def hurry(self, grace: float) -> None:
        """Limit the remaining time of the current step, and each later step, to `grace` seconds."""
        self._grace = grace
        self._has_limit = True
        if self._expired is not None:
            self._start_timer(self._expired)

    async def _run(self) -> None:
        for name, step in self._steps:
            self._step = task = asyncio.create_task(self._do(name, step))
            self._expired = asyncio.get_running_loop().create_future()
            if self._has_limit:
                self._start_timer(self._expired)
            while not (task.done() or self._expired.done()):
                try:
                    await asyncio.wait([task, self._expired], return_when=asyncio.FIRST_COMPLETED)
                except asyncio.CancelledError:  # the program exits, which also cancels the step
                    self._start_timer(self._expired)
            with suppress(asyncio.CancelledError):  # the program exits
                await self._stop(name, task)
            if task.done() and not task.cancelled():
                task.exception()  # retrieve the exception so that asyncio doesn't log it
            self._has_limit = True
        if self._timer is not None:
            self._timer.cancel()

    async def _do(self, name: str, step: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await step()
        except Exception as error:
            if self._is_worth_logging(error):
                _log.exception("%s of session %r failed", name, self._session_id)

    async def _stop(self, name: str, task: asyncio.Task[None]) -> None:
        """Cancel a step that takes too long. If it ignores the cancellation, drop the step."""
        # Even if the grace period is zero, let the step run until it waits for an external event.
        await _take_steps(task, cancels=False)
        if task.done():
            return
        about = name, self._session_id
        _log.error(
            "%s of session %r took longer than %g seconds; cancelling it", *about, self._grace
        )
        await _take_steps(task, cancels=True)
        if not task.done():
            drop(task, "{} of session {!r} ignored its cancellation; dropping it".format(*about))
            await asyncio.sleep(0)

    def _start_timer(self, expired: asyncio.Future[None]) -> None:
        if self._timer is not None:
            self._timer.cancel()

        def expire() -> None:
            if not expired.done():
                expired.set_result(None)

        self._timer = asyncio.get_running_loop().call_later(self._grace, expire)


async def _take_steps(task: asyncio.Task[None], *, cancels: bool) -> None:
    """Run the event loop until a task is done, but only for a limited number of iterations.

    If `cancels` is true, cancel the task before each iteration, since an exit stack continues with
    its next callback after each cancellation.
    """
    for _ in range(_STEPS):
        if task.done():
            return
        if cancels:
            task.cancel()
        await asyncio.sleep(0)


class Resources(AsyncExitStack):
    """An exit stack that can be filled in one task and closed in another.

    Each asynchronous context manager is entered and exited in its own task. Some context managers,
    such as MCP clients with task groups, must be exited in the task that entered them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._is_closed = False

    async def enter_async_context(self, cm: AbstractAsyncContextManager[R, Any]) -> R:
        """Enter an asynchronous context manager, which is exited when the stack is closed.

        Raises:
            RuntimeError: If the session ends before the context manager is entered.
            Exception: Any exception that is raised when the context manager is entered.
        """
        if self._is_closed:
            raise RuntimeError("the session has ended")
        entered: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        leaving = asyncio.Event()
        task = asyncio.create_task(_hold(cm, entered, leaving))
        # Add the callback first: if the stack is closed while the context manager is being entered,
        # the callback cancels the task.
        self.push_async_callback(_leave, task, entered, leaving)
        ends: list[asyncio.Future[Any]] = [task, entered]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            if entered.cancel():
                task.cancel()
                await wait_done(task)
            raise
        if entered.cancelled():
            raise RuntimeError("the session has ended")
        if not entered.done():
            task.result()  # re-raises the exception from entering the context manager
        return await entered

    async def aclose(self) -> None:
        """Exit all context managers and call all callbacks, in reverse order."""
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
    if entered.cancel():  # not entered yet
        task.cancel()
    try:
        await wait_done(task)
    except asyncio.CancelledError:
        task.cancel()
        raise
    is_entered = not entered.cancelled()
    if not task.cancelled() and (error := task.exception()) is not None and is_entered:
        raise error
