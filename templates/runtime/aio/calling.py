"""Outgoing requests, which wait for their responses or fail when the connection closes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from ..jsonrpc.connection import Connection
from ..jsonrpc.envelope import session_id_of
from ..jsonrpc.errors import INTERNAL_ERROR, ConnectionClosed, RequestError, VersionMismatch
from ..jsonrpc.events import Failure, OnResponse, Response
from ..jsonrpc.logs import call_back, logger_of
from ..values.deferred import dataclass
from ..values.unset import UNSET
from .handling import Lanes, waiting
from .output import Output
from .streams import ProgramStream, can_bridge
from .tasks import wait_done

# If a request could not be sent, it waits for the program's exit status for this many seconds.
PATIENCE = 3.0

_log = logger_of(__name__)


@dataclass(slots=True)
class _Call:
    """An outgoing request that has no response yet, or whose caller is still waiting.

    Attributes:
        on_response: called when the response arrives.
        future: the result that the caller is waiting for, or None if no caller is waiting.
        session: the session with updates to handle before the caller receives the response, or
            None.
        is_answered: whether the response arrived.
    """

    on_response: OnResponse | None
    future: asyncio.Future[Any] | None = None
    session: str | None = None
    is_answered: bool = False


class Calling:
    """The outgoing requests of a connection, and the callers that wait for responses."""

    def __init__(
        self,
        connection: Connection,
        output: Output,
        program: ProgramStream | None,
        lanes: Lanes,
        on_failure: Callable[[], None],
        *,
        may_bridge: bool,
    ) -> None:
        self._connection = connection
        self._output = output
        self._program = program
        self._lanes = lanes
        self._on_failure = on_failure
        self._may_bridge = may_bridge  # whether the program could have passed bridge=True
        self._loop = asyncio.get_running_loop()
        self._calls: dict[int, _Call] = {}

    @property
    def is_waiting(self) -> bool:
        """True if a caller is waiting for a response."""
        return any(
            not call.is_answered and call.future is not None and not call.future.done()
            for call in self._calls.values()
        )

    def send(self, id_: int, on_response: OnResponse) -> None:
        """Send a queued request without waiting for its response."""
        self._calls[id_] = _Call(on_response)
        self._output.send()

    def cancel(self, id_: int) -> None:
        """Cancel a request. The peer still responds to it, and then `on_response` is called."""
        given_up = self._connection.cancel(id_)
        self._output.send()
        if given_up is not None:
            self.settle(given_up)

    async def wait(
        self,
        id_: int,
        session: str | None = None,
        on_response: OnResponse | None = None,
        params: object = None,
        timeout: float | None = None,
    ) -> Any:
        """Send a queued request and wait for its result; see `Peer.request`.

        Args:
            id_: the request id.
            session: the session with updates to handle before the response is returned, or None.
            on_response: called when the response arrives.
            params: the request params.
            timeout: how long to wait, in seconds.

        Raises:
            TimeoutError: If the response does not arrive in time. The request is then cancelled.
        """
        future: asyncio.Future[Any] = self._loop.create_future()
        call = self._calls[id_] = _Call(on_response, future, session)
        try:
            with waiting():
                self._output.send()
                try:
                    if not self._output.has_room:
                        await self._output.drain(session_id_of(params))
                except ConnectionClosed:
                    if self._program is not None:  # wait for the more informative exit status
                        await wait_done(future, PATIENCE)
                    if not future.done():  # otherwise, the response arrived in the meantime
                        raise
                if timeout is not None:
                    # Before Python 3.12, `wait_for` can swallow its cancellation.
                    await wait_done(future, timeout)
                    if not future.done():
                        raise asyncio.TimeoutError  # caught below and by `Peer.initialize`
                return await future
        except BaseException as error:
            if not future.cancel() and not future.cancelled():
                future.exception()  # otherwise, asyncio logs an exception that was never retrieved
            if isinstance(error, (asyncio.CancelledError, asyncio.TimeoutError)):
                self.cancel(id_)
            raise
        finally:
            if call.is_answered:  # otherwise, `on_response` is called later
                self._calls.pop(id_, None)

    def settle(self, event: Response | Failure) -> None:
        """Complete the request that a response or failure belongs to."""
        id_: Any = event.id
        call = self._calls[id_]
        call.is_answered = True
        if isinstance(event, Failure):
            self._on_failure()
            self._advise(event.error)
        # Called immediately, since processing later messages can depend on the callback's effects.
        if call.on_response is not None:
            call_back(call.on_response, event, what="the on_response callback", log=_log)
        if call.future is None or call.future.done():  # no caller is waiting
            del self._calls[id_]
        elif call.session is None:
            _resolve(call.future, event)
        else:  # the caller continues only after earlier updates have been handled
            resolve = partial(_resolve, call.future, event)
            self._lanes.after(call.session, resolve, "the response to", event.method.name)

    def _advise(self, error: Exception) -> None:
        """Add advice to an error: to enable a bridge, or to read the agent's standard error."""
        if isinstance(error, VersionMismatch):
            if self._may_bridge and can_bridge(error.spoken, error.offered):
                error.advice = "pass bridge=True to connect to agents that speak another version"
        elif isinstance(error, RequestError) and error.code == INTERNAL_ERROR:
            is_bare = error.data is UNSET or error.data is None
            is_shown = self._program is not None and self._program.shows_stderr
            if is_shown and is_bare and error.message.lower() == "internal error":
                error.advice = "see the agent's standard error"

    def close(self) -> None:
        """Fail the requests that callers are still waiting for, since the connection has closed."""
        for call in self._calls.values():
            if call.future is not None and not call.future.done():
                call.future.set_exception(self._connection.closed_error())


def require_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Reject unsafe calls from a thread or event loop other than the peer's.

    Raises:
        RuntimeError: If this function runs in another thread or event loop.
        ConnectionClosed: If the event loop, and therefore the connection, is closed.
    """
    try:
        is_here = asyncio.get_running_loop() is loop
    except RuntimeError:  # a thread without an event loop
        is_here = False
    if not is_here and loop.is_closed():
        raise ConnectionClosed("the connection's event loop is closed")
    if not is_here:
        raise RuntimeError(
            "peer used outside its event loop; pass the coroutine and the peer's loop to "
            "`asyncio.run_coroutine_threadsafe`"
        )


def _resolve(future: asyncio.Future[Any], event: Response | Failure) -> None:
    if future.done():
        return
    if isinstance(event, Response):
        future.set_result(event.result)
    else:
        future.set_exception(event.error)
