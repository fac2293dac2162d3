"""The life cycle of a connection over asyncio: receiving messages and shutting down.

Incoming calls go to `Handling`, responses to `Calling`, and invalid messages to the log. The
shutdown consists of these steps:

1. For up to `linger` seconds, the last notifications are handled and requests can finish.
2. The handlers are cancelled. Handlers that are still running after `grace` seconds are dropped.
3. Incoming requests that are still pending receive errors, and the sessions end.
4. Outgoing calls that are still waiting for a response fail.
5. The stream is closed.

If an agent with pending requests is silent for too long, the connection is closed (`Silence`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextvars import copy_context
from functools import partial
from typing import Any

from ..jsonrpc.connection import Connection
from ..jsonrpc.envelope import Message
from ..jsonrpc.errors import ConnectionClosed, Exit
from ..jsonrpc.events import (
    Cancellation,
    Event,
    Failure,
    Ignored,
    Notification,
    Refused,
    Request,
    Response,
)
from ..jsonrpc.limits import Limits
from ..jsonrpc.logs import call_back, logger_of
from ..values.errors import quotation
from .calling import Calling
from .handler_choice import Choice
from .handling import Handling
from .output import Output
from .rejections import Rejections
from .session_lives import SessionLives
from .streams import CHUNK, GRACE, MessageStream, ProgramStream, Stream, Wakeup
from .tasks import Once, end_tasks, uninterrupted, wait_done

# The number of times that the inactivity timer checks for silence within its limit. Silence is
# therefore measured to within a quarter of the limit.
_LOOKS = 4

# Data that a stream forwards is processed immediately if it contains at most this many bytes or
# messages. Limits are checked before each piece of data, so small pieces exceed them only slightly.
_FEW_BYTES, _FEW_MESSAGES = 1 << 12, 1 << 4
# If more than this many messages arrived together, the next data is read in another step of the
# event loop, since more messages can arrive in the meantime. Reading and answering many messages
# together saves more time than the step takes. An update and the response after it often arrive
# together.
_TOGETHER = 2

_log = logger_of(__name__)


class Running:
    """A running connection, which receives messages until it is closed or the stream ends.

    Attributes:
        has_ended: whether the input has ended and all notifications have been handled.
        at_end: functions to call and await after all handlers have ended and before the stream
            closes.
    """

    def __init__(
        self,
        stream: Stream | MessageStream,
        program: ProgramStream | None,
        connection: Connection,
        output: Output,
        choice: Choice,
        handling: Handling,
        calling: Calling,
        silence: Silence | None,
        lives: SessionLives | None,
        limits: Limits,
        on_refusal: Callable[[], None],
    ) -> None:
        self.has_ended = False
        self.at_end: list[Callable[[], Coroutine[Any, Any, None]]] = []
        self._stream = stream
        self._receive_piece: Callable[[Any], list[Event]] = connection.receive
        self._pieces_of: Callable[[Any], Iterable[Any]] = _chunks_of
        self._most = _FEW_BYTES
        if isinstance(stream, MessageStream):
            self._receive_piece, self._pieces_of = connection.receive_messages, _groups_of
            self._most = _FEW_MESSAGES
            self._read: Callable[[], Coroutine[Any, Any, Any]] = stream.receive
        else:
            self._read = stream.read
        self._program = program
        self._connection = connection
        self._output = output
        self._choice = choice
        self._handling = handling
        self._lanes = handling.lanes
        self._calling = calling
        self._silence = silence
        self._lives = lives
        self._limits = limits
        self._on_refusal = on_refusal  # called after a message is rejected
        self._rejections = Rejections()
        self._stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._closing = Once()
        self._is_closed = False
        self._change = Wakeup()  # notified when `has_ended` or `_is_closed` changes
        self._receiving: asyncio.Task[None] | None = None
        # Whether received data can be processed before `read` returns.
        self._is_reading = False
        self._together = 0  # the number of messages in the last received data
        self._is_disconnected = False
        self._run_grace = GRACE  # the `grace` argument of `run`
        self._grace: float | None = None  # the `grace` argument of `close`

    @property
    def grace(self) -> float:
        """The time limit for cancelled handlers to finish, in seconds."""
        return self._run_grace if self._grace is None else self._grace

    async def run(self, linger: float, grace: float) -> None:
        """Receive messages until the stream ends; see `Peer.run`."""
        self._run_grace = grace
        try:
            if self._stopped.done():
                return
            self._receiving = asyncio.create_task(self._receive())
            # The receiving task isn't awaited directly. `_stop` cancels the receiving task, which
            # must not look like a cancellation of the current task. The wait also ends with
            # `_stopped`, since `read` of a custom stream might ignore its cancellation.
            ends: list[asyncio.Future[None]] = [self._receiving, self._stopped]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if self._stopped.done():
                self._stopped.result()  # raises the error that stopped receiving, if any
                return
            if self._receiving.cancelled():
                return
            self._receiving.result()
            program = self._program
            # Determine the exit status before the calls fail so that their errors contain it.
            self._take_end(None if program is None else await program.wait_exit())
            self._lanes.after_all(self._end, "the end of the connection")
            loop = asyncio.get_running_loop()
            end = loop.time() + linger
            # When one handler finishes, another one might start.
            while (unfinished := self._unfinished()) and (left := end - loop.time()) > 0:
                await asyncio.wait(unfinished, timeout=left)
        finally:
            self._stop()
            # `connect` cancels this task to disconnect, but an agent's process must still be
            # stopped.
            await uninterrupted(self._closing.run(self._close))

    async def wait_ended(self) -> None:
        """Wait until no more messages can arrive and all received messages have been handled."""
        while not self.has_ended:
            await self._change.wait()

    def _end(self) -> None:
        self.has_ended = True
        self._change.notify()

    async def close(self, grace: float | None) -> None:
        """Close the connection immediately; see `Peer.close`."""
        if grace is not None:
            self._grace = grace
            hurry: Callable[[float], None] | None = getattr(self._stream, "hurry", None)
            if hurry is not None:
                call_back(hurry, grace, what="the stream's `hurry`", log=_log)
        self._stop()
        if self._receiving is None:  # nothing else closes the connection if `run` was not called
            # A separate task is needed, since closing cancels the connection's tasks, which can
            # include the current task.
            closing = asyncio.create_task(self._closing.run(self._close))
            await wait_done(closing)
            closing.result()
            return
        if grace is not None and self._receiving.done() and not self._handling.is_closing:
            self._handling.is_closing = True
            await end_tasks(self._unfinished, grace)  # `run` is waiting for these tasks
        # The task that executes `run` closes the connection. A handler that waits here is then
        # cancelled.
        while not self._is_closed:
            await self._change.wait()

    def give_up(self, how: str) -> None:
        """Close a connection that cannot continue.

        Args:
            how: a description of how the connection ended, for errors.
        """
        _log_end(how)
        self._connection.how_ended = how  # set before the calls fail, since their errors contain it
        self._stop()

    def fail(self, error: BaseException) -> None:
        """Close the connection because its stream failed.

        Args:
            error: the exception that the stream raised.
        """
        if isinstance(error, OSError):  # treated as an ordinary end, like a failed read
            how = f"the peer no longer reads: {error}"
        else:
            how = f"the stream failed: {quotation(error)}"
            _log.error("closing the connection: %s", how, exc_info=error)
        self._connection.how_ended = how
        self._stop()

    def _stop(self, error: Exception | None = None) -> None:
        """Stop receiving so that `run` closes the connection and raises the error, if any."""
        self._is_reading = False
        if not self._stopped.done():
            if error is None:
                self._stopped.set_result(None)
            else:
                self._stopped.set_exception(error)
        if self._receiving is not None:
            self._receiving.cancel()

    # --- receiving ---------------------------------------------------------------------------

    async def _receive(self) -> None:
        silence = self._silence
        # Use the class's attribute, since an object that wraps a stream might delegate attributes.
        forward: Any = getattr(type(self._stream), "forward", None)
        if forward is not None:
            # Handlers run in this task's context, even if another task causes the call.
            run: Any = copy_context().run
            forward(self._stream, partial(run, self._take_small))
        while True:
            if silence is not None:
                silence.reads += 1
            self._is_reading = True
            try:
                data = await self._read()
            except OSError as error:  # a normal end, for example after a connection reset
                if isinstance(error, ConnectionClosed):  # the transport provides the reason
                    self._connection.how_ended = str(error)
                    self._connection.error_of_end = type(error)
                return
            except Exception as error:
                self._connection.how_ended = f"the stream failed: {quotation(error)}"
                raise
            finally:
                self._is_reading = False
                if silence is not None:
                    silence.reads += 1
            if not data:
                return
            # Process the data in chunks so that a flood exceeds the limit by at most one chunk.
            for piece in self._pieces_of(data):
                self._process(piece)
                if self._unread > self._limits.unread_bytes:
                    _log_end(f"the peer left {self._unread} bytes unread")
                    return  # handlers can still finish, as at the end of the stream
                if self._lanes.needs_room and not await self._lanes.wait_for_room():
                    _log_end("too many notifications are waiting for handlers")
                    return

    def _take_small(self, data: Any) -> bool:
        """Process data that a stream forwards while `_receive` waits in `read`.

        Returns:
            False if `_receive` must process this data and all later data, since many messages
            arrive together or a limit is exceeded.
        """
        is_small = len(data) <= self._most and self._together <= _TOGETHER
        is_within_limits = self._unread <= self._limits.unread_bytes and not self._lanes.needs_room
        self._is_reading &= is_small and is_within_limits
        if not self._is_reading:
            return False
        if self._silence is not None:
            self._silence.reads += 2
        try:
            self._process(data)
        except Exception as error:
            self._stop(error)
        return True

    def _process(self, piece: Any) -> None:
        events = self._receive_piece(piece)
        self._together = len(events)
        self._take(events)

    @property
    def _unread(self) -> int:
        # Querying the stream takes time, so it is queried only after large writes.
        return self._output.unread if self._output.is_watched else 0

    def _take(self, events: list[Event]) -> None:
        for event in events:
            match event:
                case Notification():
                    self._handling.take_notification(event)
                case Request():
                    self._handling.take_request(event)
                case Response() | Failure():
                    self._calling.settle(event)
                case Cancellation():
                    for request in event.requests:
                        self._handling.cancel(request)
                case Refused():
                    self._rejections.report(event)
                    self._on_refusal()
                case Ignored():
                    self._rejections.report(event)
        # Begin the output step last so that the responses to all these messages are written
        # together.
        self._output.begin_step()

    # --- the end -----------------------------------------------------------------------------

    def _take_end(self, exit: Exit | None = None) -> None:
        self._take(self._connection.receive_eof("" if exit is None else str(exit), exit))
        handler = self._choice.handler
        if handler is not None and not self._is_disconnected:
            self._is_disconnected = True
            if self._lives is not None:
                self._lives.disconnect()
                return
            call_back(handler.disconnected, what="disconnected", log=_log)

    async def _close(self) -> None:
        self._handling.is_closing = True
        if self._silence is not None:
            self._silence.close()
        grace = self.grace
        try:
            self._take_end()  # has no effect if the end was already processed
            await end_tasks(self._unfinished, grace)
            if self._receiving is not None:
                # The wait is limited, since `read` of a custom stream can ignore its cancellation.
                await wait_done(self._receiving, grace)
            # Tasks that were cancelled before their first step have sent no responses.
            self._handling.close()
            for work in self.at_end:
                await work()
            if self._lives is not None:
                await self._lives.end(grace)
        finally:
            # Even if something fails here, tasks must not wait forever for a response or for the
            # end of the connection.
            self._calling.close()
            self._end()
            try:
                self._rejections.close()
                self._output.send_now()
                self._output.close()
                self._connection.close()
            finally:
                try:
                    await self._stream.close()
                finally:
                    self._is_closed = True
                    self._change.notify()

    def _unfinished(self) -> list[asyncio.Task[None]]:
        tasks = (*self._handling.tasks(), *self._choice.tasks)
        return [task for task in tasks if not task.done()]


def _chunks_of(data: bytes) -> Iterable[bytes]:
    if len(data) <= CHUNK:
        return (data,)
    return (data[start : start + CHUNK] for start in range(0, len(data), CHUNK))


def _groups_of(messages: Sequence[Message]) -> Iterable[Sequence[Message]]:
    if len(messages) == 1 or sum([len(message.text) for message in messages]) <= CHUNK:
        return (messages,)
    return ([message] for message in messages)


def _log_end(problem: str) -> None:
    _log.error("closing the connection: %s", problem)


# --- silence ---------------------------------------------------------------------------------


class Silence:
    """An inactivity timer that runs while events from the peer are expected.

    Resetting the timer for each message would add overhead. Instead, the timer periodically checks
    whether anything was read since the last check.

    Attributes:
        reads: a counter that is incremented when a read begins and when it ends. The counter is odd
            while a read is waiting for the peer, and it remains constant as long as nothing
            arrives.
        is_idle: whether the timer is stopped and `begin` can start it.
    """

    def __init__(
        self,
        limit: float,
        owes: Callable[[], bool],
        waits: Callable[[], bool],
        on_silence: Callable[[], None],
    ) -> None:
        """Create a stopped timer that calls `on_silence` after `limit` seconds of silence."""
        self.reads = 0
        self.is_idle = True
        self._pause = limit / _LOOKS
        self._owes = owes
        self._waits = waits
        self._on_silence = on_silence
        self._last_reads = 0
        self._quiet = 0  # number of consecutive checks that found silence
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Start the timer, since an event from the peer is expected."""
        self.is_idle = False
        self._restart(quiet=0)

    def _restart(self, quiet: int) -> None:
        self._quiet = quiet
        self._last_reads = self.reads
        self._timer = asyncio.get_running_loop().call_later(self._pause, self._look)

    def _look(self) -> None:
        # Slow handlers can prevent reading. That time is not treated as silence.
        is_silent = self.reads % 2 == 1 and self.reads == self._last_reads
        if not self._owes():
            self._timer, self.is_idle = None, True
        elif not is_silent or self._waits():
            self._restart(quiet=0)
        elif self._quiet + 1 < _LOOKS:
            self._restart(self._quiet + 1)
        else:
            self._on_silence()

    def close(self) -> None:
        """Stop the timer permanently."""
        self.is_idle = False
        if self._timer is not None:
            self._timer.cancel()
