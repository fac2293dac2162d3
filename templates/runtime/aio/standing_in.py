"""Runs the handler that stands in for the client of a bridge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from weakref import WeakValueDictionary

from ..bridge.stand_in import Closed, Opened, StandIn
from ..jsonrpc.errors import RequestError
from ..jsonrpc.events import Request
from ..jsonrpc.handler import Handler
from ..jsonrpc.logs import logger_of
from .ending import end_tasks
from .lives import Lives

# The shortest and the longest time between two looks at the output of terminals, in seconds. The
# time doubles while there is no new output.
_SOON, _LATE = 0.05, 1.0

_log = logger_of(__name__)

# What runs each handler, by its identity. Sessions of two connections can have equal ids, so a
# handler would mistake the sessions of one connection for those of the other.
_running: WeakValueDictionary[int, StandingIn] = WeakValueDictionary()


class StandingIn:
    """The requests that the handler works on, side by side.

    They are open requests of the agent, so the limits of its connection are theirs.
    """

    def __init__(
        self,
        stand_in: StandIn,
        handler: Handler,
        on_answer: Callable[[], None],
    ) -> None:
        """Start without requests.

        Args:
            stand_in: hands them out, and takes the answers.
            handler: the handler.
            on_answer: called after each answer.
        """
        self._stand_in = stand_in
        self._handler = handler
        self._on_answer = on_answer
        self._lives = Lives(lambda: handler)
        self._tasks: dict[Request, asyncio.Task[None]] = {}
        self._cancelled: set[Request] = set()
        self._looking: asyncio.Task[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether the handler works on something."""
        return bool(self._tasks)

    def connect(self, peer: object) -> None:
        """Notify the handler of its connection.

        Raises:
            RuntimeError: If the handler has another connection.
            Exception: If `connected` raises it.
        """
        if id(self._handler) in _running:
            name = type(self._handler).__qualname__
            raise RuntimeError(
                f"the {name} at bridge= has a connection; pass its class to have several"
            )
        self._lives.connect(peer)
        _running[id(self._handler)] = self

    def take(self) -> None:
        """Begin with the requests that have come, and cancel those that are cancelled."""
        for event in self._stand_in.take_events():
            if isinstance(event, Request):
                task = asyncio.create_task(self._serve(event))
                if not task.done():  # as an eager task can be
                    self._tasks[event] = task
                continue
            if isinstance(event, Opened):
                self._lives.open(event.session_id, event.cwd, event.additional_directories)
                continue
            if isinstance(event, Closed):
                self._lives.close(event.session_id)
                continue
            for request in event.requests:
                if request in self._tasks and request not in self._cancelled:
                    self._cancelled.add(request)
                    # Not now: a task that is cancelled before its first step does not answer.
                    asyncio.get_running_loop().call_soon(self._tasks[request].cancel)
        if self._stand_in.watched and self._looking is None:
            self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """Ask for new output of terminals, until none is watched."""
        wait, shown = _SOON, self._stand_in.shown
        try:
            while self._stand_in.watched:
                await asyncio.sleep(wait)
                self._stand_in.look()
                self.take()
                is_new = self._stand_in.shown != shown
                wait, shown = _SOON if is_new else min(2 * wait, _LATE), self._stand_in.shown
        finally:
            self._looking = None

    async def close(self, grace: float) -> None:
        """Cancel what the handler works on, drop what does not end in that time, and let it go."""
        if self._looking is not None:
            self._looking.cancel()
        self._cancelled.update(self._tasks)
        await end_tasks(lambda: list(self._tasks.values()), grace)
        if _running.get(id(self._handler)) is self:
            try:
                await self._lives.end(grace)
                self._lives.disconnect()
                await self._lives.end(grace)
            finally:
                del _running[id(self._handler)]

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
