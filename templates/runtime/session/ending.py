"""The end of an agent's session: it lets its turns finish and frees the session's resources."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

from ..aio.tasks import drop
from ..jsonrpc.logs import logger_of

# The step's name in the log, and the method to await.
Step: TypeAlias = "tuple[str, Callable[[], Coroutine[Any, Any, None]]]"

# How many steps of the event loop an ending takes after its time, before and after it is cancelled.
_STEPS: Final = 100

_log = logger_of(__name__)


class Ending:
    """Steps that run one after another in a task, each for a limited time.

    A step that fails or takes too long does not stop the next one.

    Attributes:
        task: runs the steps, once started; cancelling it does not stop them.
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
        """Make an ending without starting it.

        Args:
            session_id: the session, for the log.
            steps: the steps. The first one waits for turns and has no limit before `hurry`.
            grace: how long each of the others can take, in seconds.
            is_worth_logging: returns whether to log the exception of a step.
            on_end: called when all steps are done.
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
        """Whether its event loop is the running one."""
        return self.task.get_loop() is asyncio.get_running_loop()

    def start(self) -> None:
        """Start with the first step."""
        self.task = asyncio.create_task(self._run())
        self.task.add_done_callback(lambda _: self._on_end(self))

    async def wait(self) -> None:
        """Wait until all steps are done. Cancelling this does not stop them.

        A step that calls this does not wait for itself.
        """
        if asyncio.current_task() is not self._step:
            await asyncio.wait([self.task])

    def hurry(self, grace: float) -> None:
        """Limit the time of this step and the next ones.

        Args:
            grace: how long each of them can take from now on, in seconds.
        """
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
                except asyncio.CancelledError:  # the program ends, which cancels the step as well
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
        """Cancel a step that takes too long, and drop it if that does not end it."""
        # Even without any grace, it runs until it really waits for something.
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
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._grace, _set, expired)


async def _take_steps(task: asyncio.Task[None], *, cancels: bool) -> None:
    """Let the event loop take some steps, until a task is done.

    Args:
        task: the task.
        cancels: whether to cancel it before each step: an exit stack continues with its next
            callback each time.
    """
    for _ in range(_STEPS):
        if task.done():
            return
        if cancels:
            task.cancel()
        await asyncio.sleep(0)


def _set(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
