"""The life of a connection over asyncio: it receives until the end, and then ends everything.

What arrives goes three ways: the calls of the other side to `Handling`, responses to `Calling`, and
what is wrong to the log. The end comes in steps, and each waits for the one before, but not
forever:

1. The last notifications are handled, and requests finish, for as long as `linger`.
2. The handlers are cancelled. Those that do not end within `grace` are dropped.
3. Requests without a response are refused, and the sessions end.
4. The calls that still wait fail.
5. The stream is closed.

An agent that owes something and says nothing for too long counts as ended (`Silence`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
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
from .streams import CHUNK, GRACE, Change, MessageStream, ProgramStream, Stream
from .tasks import Once, end_tasks, uninterrupted

# How often the timer looks within the limit: silence is measured to a quarter of it.
_LOOKS = 4

_log = logger_of(__name__)


class Running:
    """Receives from a stream until it ends, or the connection is closed.

    Attributes:
        ended: set when the other side has ended, and its notifications have been handled.
        at_end: what to await after all handlers end and before the stream is closed.
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
        if isinstance(stream, MessageStream):
            self._receive_piece, self._pieces_of = connection.receive_messages, _groups_of
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
        self._on_refusal = on_refusal  # called when a message was refused
        self._rejections = Rejections()
        self._stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._closing = Once()
        self._is_closed = False
        self._change = Change()  # of these two
        self._receiving: asyncio.Task[None] | None = None
        self._is_disconnected = False
        self._run_grace = GRACE  # the argument of `run`
        self._grace: float | None = None  # what `close` was told

    @property
    def grace(self) -> float:
        """The time that handlers have to end, in seconds."""
        return self._run_grace if self._grace is None else self._grace

    async def run(self, linger: float, grace: float) -> None:
        """Receive until the end; see `Peer.run`."""
        self._run_grace = grace
        try:
            if self._stopped.done():
                return
            self._receiving = asyncio.create_task(self._receive())
            # Not awaited itself: `_stop` cancels it, which must not count as cancelling this task.
            # This doesn't wait for it only: a custom stream might ignore a cancellation.
            ends: list[asyncio.Future[None]] = [self._receiving, self._stopped]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if self._stopped.done() or self._receiving.cancelled():
                return
            self._receiving.result()
            program = self._program
            # Before the calls fail, so that their errors can say how the program has ended.
            self._take_end(None if program is None else await program.wait_exit())
            self._lanes.after_all(self._end, "the end of the connection")
            loop = asyncio.get_running_loop()
            end = loop.time() + linger
            # The end of one handler may start another.
            while (unfinished := self._unfinished()) and (left := end - loop.time()) > 0:
                await asyncio.wait(unfinished, timeout=left)
        finally:
            self._stop()
            # `connect` cancels this task to disconnect; an agent's process must end all the same.
            await uninterrupted(self._closing.run(self._close))

    async def wait_ended(self) -> None:
        """Wait until everything received was handled, and nothing more arrives."""
        while not self.has_ended:
            await self._change.wait()

    def _end(self) -> None:
        self.has_ended = True
        self._change.notify()

    async def close(self, grace: float | None) -> None:
        """End the connection at once; see `Peer.close`."""
        if grace is not None:
            self._grace = grace
            hurry: Callable[[float], None] | None = getattr(self._stream, "hurry", None)
            if hurry is not None:
                call_back(hurry, grace, what="the stream's `hurry`", log=_log)
        self._stop()
        if self._receiving is None:  # `run` was not called, so it does not close
            # A separate task: this one can be a task of the connection, which closing cancels.
            closing = asyncio.create_task(self._closing.run(self._close))
            await asyncio.wait([closing])
            closing.result()
            return
        if grace is not None and self._receiving.done() and not self._handling.is_closing:
            self._handling.is_closing = True
            await end_tasks(self._unfinished, grace)  # which `run` lets finish
        # The task of `run` closes. A handler that waits here is itself cancelled by that.
        while not self._is_closed:
            await self._change.wait()

    def give_up(self, how: str) -> None:
        """End the connection, which cannot go on.

        Args:
            how: how the other side counts as ended.
        """
        _log_end(how)
        self._connection.how_ended = how  # before the calls fail: their errors say it
        self._stop()

    def fail(self, error: BaseException) -> None:
        """End the connection because its stream failed.

        Args:
            error: the exception that the stream raised.
        """
        if isinstance(error, OSError):  # an end like any other, as for reading
            how = f"the peer no longer reads: {error}"
        else:
            how = f"the stream failed: {quotation(error)}"
            _log.error("the connection is given up: %s", how, exc_info=error)
        self._connection.how_ended = how
        self._stop()

    def _stop(self) -> None:
        """Stop receiving; `run` then closes."""
        if not self._stopped.done():
            self._stopped.set_result(None)
        if self._receiving is not None:
            self._receiving.cancel()

    # --- receiving ---------------------------------------------------------------------------

    async def _receive(self) -> None:
        silence = self._silence
        while True:
            if silence is not None:
                silence.reads += 1
            try:
                data = await self._read()
            except OSError as error:  # such as a reset connection: an end like any other
                if isinstance(error, ConnectionClosed):  # its transport says how
                    self._connection.how_ended = str(error)
                    self._connection.error_of_end = type(error)
                return
            except Exception as error:
                self._connection.how_ended = f"the stream failed: {quotation(error)}"
                raise
            finally:
                if silence is not None:
                    silence.reads += 1
            if not data:
                return
            # In pieces, so that a flood cannot exceed the limit by more than one of them.
            for piece in self._pieces_of(data):
                self._take(self._receive_piece(piece))
                # To ask the stream takes time, so it is asked only if much was written.
                unread = self._output.unread if self._output.is_watched else 0
                if unread > self._limits.unread_bytes:
                    _log_end(f"the other side does not read {unread} bytes")
                    return  # as at the end of the stream: handlers may still finish
                if self._lanes.needs_room and not await self._lanes.wait_for_room():
                    _log_end("too many notifications wait for handlers")
                    return

    def _take(self, events: list[Event]) -> None:
        for event in events:
            match event:
                case Notification() | Request():
                    self._handling.take(event)
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
        # Only now: the replies to all that was received together are written together.
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
            self._take_end()  # again does no harm; if `run` was cancelled, it is the first time
            await end_tasks(self._unfinished, grace)
            if self._receiving is not None:
                # With a limit: the stream is the program's, and its `read` may ignore a cancel.
                await asyncio.wait([self._receiving], timeout=grace)
            # A task that is cancelled before its first step does not respond.
            self._handling.close()
            for work in self.at_end:
                await work()
            if self._lives is not None:
                await self._lives.end(grace)
        finally:
            # Whatever fails here, nobody may wait for ever: for a response, for the end, to close.
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
    size = sum([len(message.text) for message in messages])
    return (messages,) if size <= CHUNK else ([message] for message in messages)


def _log_end(problem: str) -> None:
    _log.error("the connection is given up: %s", problem)


# --- silence ---------------------------------------------------------------------------------


class Silence:
    """Measures how long nothing has arrived while something is owed.

    A timer looks at what has happened since it looked last, so that messages cost nothing. It runs
    on while something is owed.

    Attributes:
        reads: counts both when reading begins and when it ends: so it is odd while reading waits
            for the other side, and stays the same as long as nothing arrives.
        is_idle: whether `begin` starts the timer.
    """

    def __init__(
        self,
        limit: float,
        owes: Callable[[], bool],
        waits: Callable[[], bool],
        on_silence: Callable[[], None],
    ) -> None:
        """Start without a timer; `on_silence` is called after `limit` seconds of silence."""
        self.reads = 0
        self.is_idle = True
        self._pause = limit / _LOOKS
        self._owes = owes
        self._waits = waits
        self._on_silence = on_silence
        self._last_reads = 0
        self._quiet = 0  # how many looks in a row have found silence
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Start the timer: from now on, something is owed."""
        self.is_idle = False
        self._restart(quiet=0)

    def _restart(self, quiet: int) -> None:
        self._quiet = quiet
        self._last_reads = self.reads
        self._timer = asyncio.get_running_loop().call_later(self._pause, self._look)

    def _look(self) -> None:
        # Time in which this side does not read, because its handlers are slow, does not count.
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
        """Stop the timer, for good."""
        self.is_idle = False
        if self._timer is not None:
            self._timer.cancel()
