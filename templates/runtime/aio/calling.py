"""Outgoing requests: each waits for its response, and all fail when the connection ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from ..jsonrpc.connection import Connection
from ..jsonrpc.errors import INTERNAL_ERROR, ConnectionClosed, RequestError, VersionMismatch
from ..jsonrpc.events import Failure, OnResponse, Response
from ..jsonrpc.logs import call_back, logger_of
from ..values.deferred import dataclass
from ..values.unset import UNSET
from .handling import Lanes, waiting
from .output import Output
from .streams import ProgramStream, can_bridge

# How long a call that could not be sent waits for the exit status of the program.
_PATIENCE = 3.0

_log = logger_of(__name__)


@dataclass(slots=True)
class _Call:
    """An outgoing request that waits for its response or has a waiting caller."""

    future: asyncio.Future[Any]
    session: str | None
    on_response: OnResponse | None
    is_answered: bool = False


class Calling:
    """Waits for the responses to the requests that a connection queued."""

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
        self._may_bridge = may_bridge  # the program could have passed bridge=True, but did not
        self._loop = asyncio.get_running_loop()
        self._calls: dict[int, _Call] = {}

    @property
    def is_waiting(self) -> bool:
        """True if a caller waits for a response."""
        calls = self._calls.values()
        return not all(call.is_answered or call.future.done() for call in calls)

    async def wait(
        self,
        id_: int,
        session: str | None = None,
        on_response: OnResponse | None = None,
        timeout: float | None = None,
        *,
        about: str | None = None,
    ) -> Any:
        """Send a queued request and wait for its result; see `Peer.request`.

        Args:
            id_: its id.
            session: the session whose updates end with the response; None if there is none.
            on_response: called when the response arrives.
            timeout: how long to wait, in seconds.
            about: the session that its params name; None if they name none.

        Raises:
            TimeoutError: If the response did not arrive in time; the request is cancelled.
        """
        future: asyncio.Future[Any] = self._loop.create_future()
        call = self._calls[id_] = _Call(future, session, on_response)
        try:
            with waiting():
                self._output.send()
                try:
                    await self._output.drain(about)
                except ConnectionClosed:
                    if self._program is not None:  # the exit status says more
                        await asyncio.wait([future], timeout=_PATIENCE)
                    if not future.done():  # otherwise, the response arrived meanwhile
                        raise
                if timeout is not None:
                    # Before Python 3.12, `wait_for` can swallow its cancellation.
                    await asyncio.wait([future], timeout=timeout)
                    if not future.done():
                        raise asyncio.TimeoutError  # caught here, and by `Peer.initialize`
                return await future
        except BaseException as error:
            if not future.cancel() and not future.cancelled():
                future.exception()  # otherwise, asyncio reports that it was never retrieved
            # The call stays open: the peer still responds, and then `on_response` is called.
            if isinstance(error, (asyncio.CancelledError, asyncio.TimeoutError)):
                given_up = self._connection.cancel(id_)
                self._output.send()
                if given_up is not None:
                    self.settle(given_up)
            raise
        finally:
            if call.is_answered:  # otherwise, `on_response` is called later
                self._calls.pop(id_, None)

    def settle(self, event: Response | Failure) -> None:
        """Pass a response or a failure to the request that it belongs to."""
        id_: Any = event.id
        call = self._calls[id_]
        call.is_answered = True
        if isinstance(event, Failure):
            self._on_failure()
            self._advise(event.error)
        # Called immediately: processing later messages can depend on what the callback records.
        if call.on_response is not None:
            call_back(call.on_response, event, what="the callback of a response", log=_log)
        if call.future.done():  # the caller no longer waits
            del self._calls[id_]
        elif call.session is None:
            _resolve(call.future, event)
        else:  # the handlers of earlier updates must finish before the caller continues
            resolve = partial(_resolve, call.future, event)
            self._lanes.after(call.session, resolve, "the response to", event.method.name)

    def _advise(self, error: Exception) -> None:
        """Add advice to an error: pass a bridge, or read the agent's standard error."""
        if isinstance(error, VersionMismatch):
            if self._may_bridge and can_bridge(error.spoken, error.offered):
                error.advice = "pass bridge=True to connect to agents that speak another version"
        elif isinstance(error, RequestError) and error.code == INTERNAL_ERROR:
            # The error has no details.
            is_bare = error.data is UNSET or error.data is None
            is_shown = self._program is not None and self._program.shows_stderr
            if is_shown and is_bare and error.message.lower() == "internal error":
                error.advice = "see the agent's standard error"

    def close(self) -> None:
        """Fail the requests that callers still wait for, since the connection ended."""
        for call in self._calls.values():
            if not call.future.done():
                call.future.set_exception(self._connection.closed_error())


def require_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Reject calls from a thread or event loop other than the peer's, which are not safe.

    Raises:
        RuntimeError: If this is another thread or event loop.
        ConnectionClosed: If the event loop is closed, and with it the connection.
    """
    try:
        is_here = asyncio.get_running_loop() is loop
    except RuntimeError:  # a thread without an event loop
        is_here = False
    if not is_here and loop.is_closed():
        raise ConnectionClosed("the connection ended with its event loop")
    if not is_here:
        raise RuntimeError(
            "peer used outside its event loop; pass the coroutine to "
            "asyncio.run_coroutine_threadsafe with the loop of the peer"
        )


def _resolve(future: asyncio.Future[Any], event: Response | Failure) -> None:
    if future.done():
        return
    if isinstance(event, Response):
        future.set_result(event.result)
    else:
        future.set_exception(event.error)
