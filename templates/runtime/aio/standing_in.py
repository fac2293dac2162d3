"""Runs the handler that stands in for the client of a bridge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ..bridge.stand_in import StandIn
from ..jsonrpc.errors import RequestError
from ..jsonrpc.events import Request
from ..jsonrpc.handler import Handler
from ..jsonrpc.logs import logger_of
from .ending import end_tasks

_log = logger_of(__name__)


class StandingIn:
    """The requests that the handler works on, side by side.

    They are open requests of the agent, so the limits of its connection are theirs.
    """

    def __init__(self, stand_in: StandIn, handler: Handler, on_answer: Callable[[], None]) -> None:
        """Start without requests.

        Args:
            stand_in: hands them out, and takes the answers.
            handler: the handler.
            on_answer: called after each answer.
        """
        self._stand_in = stand_in
        self._handler = handler
        self._on_answer = on_answer
        self._tasks: dict[Request, asyncio.Task[None]] = {}
        self._cancelled: set[Request] = set()

    @property
    def is_busy(self) -> bool:
        """Whether the handler works on something."""
        return bool(self._tasks)

    def take(self) -> None:
        """Begin with the requests that have come, and cancel those that are cancelled."""
        for event in self._stand_in.take_events():
            if isinstance(event, Request):
                task = asyncio.create_task(self._serve(event))
                if not task.done():  # as an eager task can be
                    self._tasks[event] = task
                continue
            for request in event.requests:
                if request in self._tasks and request not in self._cancelled:
                    self._cancelled.add(request)
                    # Not now: a task that is cancelled before its first step does not answer.
                    asyncio.get_running_loop().call_soon(self._tasks[request].cancel)

    async def close(self, grace: float) -> None:
        """Cancel what the handler works on, and drop what has not ended within that time."""
        self._cancelled.update(self._tasks)
        await end_tasks(lambda: list(self._tasks.values()), grace)

    async def _serve(self, request: Request) -> None:
        try:
            result = await self._handler.handle(request.method, request.params)
            self._stand_in.respond(request, result)
        except BaseException as error:
            self._fail(request, error)
            # GeneratorExit: `end_tasks` drops this task. None of these leaves a later step.
            if isinstance(error, (SystemExit, KeyboardInterrupt, GeneratorExit)):
                raise
        finally:
            self._tasks.pop(request, None)
            self._cancelled.discard(request)
            self._on_answer()

    def _fail(self, request: Request, error: BaseException) -> None:
        is_ending = isinstance(error, (asyncio.CancelledError, GeneratorExit))
        if is_ending and request in self._cancelled:
            error = RequestError.request_cancelled()
        elif not isinstance(error, RequestError):
            _log.error("the handler of %s failed", request.method.name, exc_info=error)
            error = RequestError.internal_error()
        self._stand_in.fail(request, error)
