"""The requests of this side: each waits for its response, and all fail when the connection ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias, cast

from ..jsonrpc.connection import Connection
from ..jsonrpc.errors import INTERNAL_ERROR, ConnectionClosed, RequestError, VersionMismatch
from ..jsonrpc.events import Failure, Response
from ..jsonrpc.logs import call_back, logger_of
from ..values.deferred import dataclass
from ..values.unset import UNSET
from .handling import Lanes, waiting
from .output import Output
from .streams import ProgramStream, can_bridge

# Takes the response to a request, or its failure.
OnResponse: TypeAlias = Callable[[Response | Failure], None]

# How long a call that could not be sent waits to be told how the program has ended.
_PATIENCE = 3.0

_log = logger_of(__name__)


@dataclass(slots=True)
class _Call:
    """A request of this side whose caller waits, or that waits for its response."""

    future: asyncio.Future[Any]
    session: str | None
    on_response: OnResponse | None
    is_answered: bool = False


class Calling:
    """Waits for the responses to the requests that a connection has queued."""

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
        self._may_bridge = may_bridge  # the program could have passed bridge=True, and did not
        self._loop = asyncio.get_running_loop()
        self._calls: dict[int, _Call] = {}

    @property
    def is_waiting(self) -> bool:
        """Whether somebody waits for a response."""
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
        """Send a request that is queued, and wait for its result; see `Peer.request`.

        Args:
            id_: its id.
            session: the session whose updates the response ends; None if it ends none.
            on_response: called when the response arrives.
            timeout: how long to wait, in seconds.
            about: the session that its params name; None without one.

        Raises:
            TimeoutError: the response has not arrived; the request is cancelled.
        """
        future: asyncio.Future[Any] = self._loop.create_future()
        call = self._calls[id_] = _Call(future, session, on_response)
        try:
            with waiting():
                self._output.send()
                try:
                    await self._output.drain(about)
                except ConnectionClosed:
                    if self._program is not None:  # how it has ended tells more
                        await asyncio.wait([future], timeout=_PATIENCE)
                    if not future.done():  # otherwise, the response has arrived meanwhile
                        raise
                if timeout is not None:
                    # Before Python 3.12, `wait_for` may swallow that it is cancelled.
                    await asyncio.wait([future], timeout=timeout)
                    if not future.done():
                        raise asyncio.TimeoutError  # caught here, and by `Peer.initialize`
                return await future
        except (asyncio.CancelledError, asyncio.TimeoutError):
            # The call stays open: the other side still answers, and `on_response` is told.
            given_up = self._connection.cancel(id_)
            self._output.send()
            if given_up is not None:
                self.settle(given_up)
            raise
        finally:
            if call.is_answered:  # otherwise, its `on_response` is still to be called
                self._calls.pop(id_, None)
            if not future.cancel() and not future.cancelled():
                future.exception()  # asyncio reports an exception that is never retrieved

    def settle(self, event: Response | Failure) -> None:
        """Pass a response, or a failure, to the request that it belongs to."""
        id_ = cast(int, event.id)
        call = self._calls[id_]
        call.is_answered = True
        if isinstance(event, Failure):
            self._on_failure()
            self._advise(event.error)
        # At once, whoever waits: what arrives next may build on what this callback notes.
        if call.on_response is not None:
            call_back(call.on_response, event, what="the callback of a response", log=_log)
        if call.future.done():  # nobody waits any more
            del self._calls[id_]
        elif call.session is None:
            _resolve(call.future, event)
        else:  # the caller must find the updates before the response handled
            resolve = partial(_resolve, call.future, event)
            self._lanes.after(call.session, resolve, "the response to", event.method.name)

    def _advise(self, error: Exception) -> None:
        """Add advice to an error: a bridge, or the agent's standard error."""
        if isinstance(error, VersionMismatch):
            if self._may_bridge and can_bridge(error.spoken, error.offered):
                error.advice = "pass bridge=True to connect to agents that speak another version"
        elif isinstance(error, RequestError) and error.code == INTERNAL_ERROR:
            # It only says that there was one.
            is_bare = error.data is UNSET or error.data is None
            is_shown = self._program is not None and self._program.shows_stderr
            if is_shown and is_bare and error.message.lower() == "internal error":
                error.advice = "see the agent's standard error"

    def close(self) -> None:
        """Fail the requests for which somebody still waits: the connection has ended."""
        for call in self._calls.values():
            if not call.future.done():
                call.future.set_exception(self._connection.closed_error())


def require_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Refuse a call from another thread or event loop than that of a peer, where nothing is safe.

    Raises:
        RuntimeError: tells how to call from there.
        ConnectionClosed: If that event loop is closed, and the connection with it.
    """
    try:
        is_here = asyncio.get_running_loop() is loop
    except RuntimeError:  # of a thread without an event loop
        is_here = False
    if not is_here and loop.is_closed():
        raise ConnectionClosed("the connection ended with its event loop")
    if not is_here:
        raise RuntimeError(
            "a peer is used in its own event loop: from elsewhere, pass the coroutine to "
            "asyncio.run_coroutine_threadsafe with that loop"
        )


def _resolve(future: asyncio.Future[Any], event: Response | Failure) -> None:
    if future.done():
        return
    if isinstance(event, Response):
        future.set_result(event.result)
    else:
        future.set_exception(event.error)
