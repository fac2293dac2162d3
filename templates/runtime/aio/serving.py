"""Runs the handler of a connection: requests side by side, notifications in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any

from ..jsonrpc.connection import Connection
from ..jsonrpc.debugging import explained, is_handled
from ..jsonrpc.errors import REQUEST_CANCELLED, ConnectionClosed, RequestError
from ..jsonrpc.events import Notification, Request
from ..jsonrpc.handler import Handler
from ..jsonrpc.limits import Limits
from ..jsonrpc.logs import logger_of
from ..jsonrpc.method import Method
from ..values.errors import quotation
from .lane import Waiter, detach
from .ordering import Lanes
from .output import Output

# How many names of unhandled notifications are kept and logged: the peer chooses them.
_UNHANDLED = 100

_log = logger_of(__name__)

# The request that the current task handles, or that the handler which started the task handles.
handled: ContextVar[Request | None] = ContextVar("handled", default=None)


class Serving:
    """Calls a handler for received messages, and sends its responses.

    Attributes:
        is_closing: whether the connection is being closed: nothing new starts.
        lanes: the order of the messages.
    """

    def __init__(
        self,
        connection: Connection,
        output: Output,
        limits: Limits,
        handler: Callable[[], Handler],
        on_failure: Callable[[], None],
        *,
        debug: bool,
    ) -> None:
        """Start without messages.

        Args:
            connection: takes the responses.
            output: sends them.
            limits: how many messages may wait.
            handler: returns the handler, once a message has arrived for it.
            on_failure: called after each error response.
            debug: whether to send tracebacks, and to log notifications without a handler.
        """
        self.is_closing = False
        self.lanes = Lanes(self._handle, limits)
        self._connection = connection
        self._output = output
        self._handler = handler
        self._on_failure = on_failure
        self._debug = debug
        self._unhandled: set[str] = set()  # the notifications that were logged, quoted
        self._unstarted: dict[Request, Waiter] = {}
        self._serving: dict[Request, asyncio.Task[None]] = {}
        self._cancelled: set[Request] = set()

    def is_worth_logging(self, error: BaseException) -> bool:
        """Return whether an error tells more than that this connection has ended."""
        is_over = self._output.is_broken or self.is_closing or self._connection.has_ended
        return not (is_over and isinstance(error, ConnectionClosed))

    def take(self, event: Request | Notification) -> None:
        """Tell the handler that a message has arrived, and call it when its turn has come."""
        method, params = event.method, event.params
        try:
            self._handler().received(method, params)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException:  # see `call_back`, which is slower
            _log.exception("%s cannot be processed at receipt", quotation(method.name))
        # None for what names no session, as in JSON of extensions: these share a lane.
        session = getattr(params, "session_id", None)
        if isinstance(event, Notification):
            if self._debug:
                self._tell_unhandled(method)
            self.lanes.put(session, event)
            return
        start = partial(self._start, event)
        waiter = self.lanes.after(session, start, "the request", method.name)
        if waiter is not None:
            self._unstarted[event] = waiter

    def _tell_unhandled(self, method: Method[Any, Any]) -> None:
        if len(self._unhandled) >= _UNHANDLED:
            return
        handler, name = self._handler(), quotation(method.name)
        if name not in self._unhandled and not is_handled(handler, method):
            self._unhandled.add(name)
            cls = handler.__class__.__qualname__
            text = "no handler for %s: %s has no %s"
            _log.warning(text, name, cls, method.handler, extra={"kind": name})
            if len(self._unhandled) == _UNHANDLED:
                _log.warning("%d notifications have no handler; logging no others", _UNHANDLED)

    def cancel(self, request: Request) -> None:
        """Cancel a request, as its sender asks for. It still gets its response."""
        serving, waiter = self._serving.get(request), self._unstarted.pop(request, None)
        if waiter is not None:
            waiter.cancel()
            self._connection.fail(request, RequestError.request_cancelled())
        elif serving is not None and request not in self._cancelled:
            self._cancelled.add(request)
            # Not now: a task that is cancelled before its first step does not respond.
            asyncio.get_running_loop().call_soon(serving.cancel)

    def tasks(self) -> list[asyncio.Task[None]]:
        """Return the tasks that run the handler."""
        return [*self._serving.values(), *self.lanes.tasks()]

    def close(self) -> None:
        """Let go of all lanes, and respond to the requests that no task responds to any more."""
        self.lanes.close()
        for request in [*self._unstarted, *self._serving]:
            self._connection.fail(request, RequestError.request_cancelled())
        self._unstarted.clear()
        self._serving.clear()

    async def _handle(self, event: Notification) -> None:
        # The lane goes on if a handler has swallowed the cancellation that was meant to end it.
        if self.is_closing:
            return
        try:
            await self._handler().handle(event.method, event.params)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            # A handler may also raise these because of what it awaits.
            is_ending = isinstance(error, (asyncio.CancelledError, GeneratorExit))
            if is_ending and self.is_closing:
                raise
            if self.is_worth_logging(error):
                _log.exception("the handler of %s failed", quotation(event.method.name))

    def _start(self, request: Request) -> None:
        self._unstarted.pop(request, None)
        if self.is_closing:
            self._connection.fail(request, RequestError.request_cancelled())
            return
        task = asyncio.create_task(self._serve(request))
        if not task.done():  # as an eager task can be
            self._serving[request] = task

    async def _serve(self, request: Request) -> None:
        detach()  # it may have been started in a lane, but holds up none
        handled.set(request)
        try:
            try:
                result = await self._handler().handle(request.method, request.params)
                self._connection.respond(request, result)
            except BaseException as error:
                self._fail(request, error)
                # GeneratorExit: `end_tasks` drops this task. None of these leaves a later step.
                if isinstance(error, (SystemExit, KeyboardInterrupt, GeneratorExit)):
                    self._output.send_now()
                    raise
            self._output.send()
        except ConnectionClosed:
            pass  # nobody is left to respond to
        finally:
            self._serving.pop(request, None)
            self._cancelled.discard(request)

    def _fail(self, request: Request, error: BaseException) -> None:
        is_cancelled = request in self._cancelled or self.is_closing
        is_theirs = self._connection.has_received(error)
        if is_cancelled and (
            isinstance(error, (asyncio.CancelledError, GeneratorExit))
            # With the request, the other side has cancelled what the handler asked it for.
            or (is_theirs and getattr(error, "code", None) == REQUEST_CANCELLED)
        ):
            error, is_theirs = RequestError.request_cancelled(), False
        # A RequestError that the handler made is its answer, and no failure.
        is_own = isinstance(error, RequestError) and not is_theirs
        if not is_own and self.is_worth_logging(error):
            name = quotation(request.method.name)
            _log.error("the handler of %s failed", name, exc_info=error)
            if self._debug and not is_theirs:
                error = explained(error)
        self._connection.fail(request, error)
        self._on_failure()
