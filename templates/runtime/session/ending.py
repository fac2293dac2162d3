"""The end of an agent's session: waits for its turns and frees its resources.

Rules:

1. The steps of an end run one after another. A step that fails or takes too long does not stop the
   next one.
2. The first step waits for the turns, and has no limit before `hurry`. Each other step is cancelled
   after the grace, and dropped if it ignores that. It always runs until it first waits.
3. Cancelling the program, or the caller that waits, does not stop the steps.
4. Resources are exited in reverse order, each in the task that entered it (`Resources`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from typing import Any, Final, TypeAlias, TypeVar

from ..aio.tasks import drop
from ..jsonrpc.logs import logger_of

R = TypeVar("R")  # the result of a context manager
# A step: its name in the log, and the method to await.
Step: TypeAlias = "tuple[str, Callable[[], Coroutine[Any, Any, None]]]"

# How many iterations of the event loop a step gets after its time, before and after its
# cancellation.
_STEPS: Final = 100

_log = logger_of(__name__)


class Ending:
    """Steps that run one after another in a task, each for a limited time.

    Attributes:
        task: the task that runs the steps, once started. Cancelling it does not stop them.
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
        """Make an ending without starting it, with a grace for each step in seconds."""
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
        """True if its event loop is running in this thread."""
        return self.task.get_loop() is asyncio.get_running_loop()

    def start(self) -> None:
        """Start with the first step."""
        self.task = asyncio.create_task(self._run())
        self.task.add_done_callback(lambda _: self._on_end(self))

    async def wait(self) -> None:
        """Wait until all steps are done. If a step calls this, return immediately."""
        if asyncio.current_task() is not self._step:
            await asyncio.wait([self.task])

    def hurry(self, grace: float) -> None:
        """Limit the current step, from now on, and each later step to `grace` seconds."""
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
                except asyncio.CancelledError:  # the program ends, which also cancels the step
                    self._start_timer(self._expired)
            with suppress(asyncio.CancelledError):  # the program ends
                await self._stop(name, task)
            if task.done() and not task.cancelled():
                task.exception()  # asyncio reports an exception that is never retrieved
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
        """Cancel a step that takes too long, and drop it if it continues."""
        # Even with a grace of zero, it runs until it waits for an external event.
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
    """Run a limited number of iterations of the event loop, until a task is done.

    With `cancels`, the task is cancelled before each iteration, since an exit stack continues with
    its next callback each time.
    """
    for _ in range(_STEPS):
        if task.done():
            return
        if cancels:
            task.cancel()
        await asyncio.sleep(0)


class Resources(AsyncExitStack):
    """An exit stack that is filled in one task and closed in another.

    Each asynchronous context manager is entered and exited in a separate task. Some, such as MCP
    clients with task groups, work only if the same task does both.
    """

    def __init__(self) -> None:
        super().__init__()
        self._is_closed = False

    async def enter_async_context(self, cm: AbstractAsyncContextManager[R, Any]) -> R:
        """Enter an asynchronous context manager, to be exited when the stack is closed.

        Raises:
            RuntimeError: If the session ends first.
            Exception: If entering the context manager raises it.
        """
        if self._is_closed:
            raise RuntimeError("the session ended")
        entered: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        leaving = asyncio.Event()
        task = asyncio.create_task(_hold(cm, entered, leaving))
        # Pushed before entering, so that closing the stack also cancels the entering.
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
        await asyncio.wait([task])
    except asyncio.CancelledError:
        task.cancel()
        raise
    is_entered = not entered.cancelled()
    if not task.cancelled() and (error := task.exception()) is not None and is_entered:
        raise error
