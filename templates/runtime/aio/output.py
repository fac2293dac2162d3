"""A connection's output, which batches writes to the stream."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ..jsonrpc.connection import Connection
from ..jsonrpc.errors import ConnectionClosed
from .streams import BridgeStream, MessageStream, Stream

# If more than this many bytes have been written since the stream last had room, a task waits for
# room.
_WATCHED = 1 << 16
# If no more than this many bytes are unread, `drain` does not wait. This is asyncio's default
# low-water mark.
ROOM = 1 << 14


class Output:
    """A writer for the queued messages of a connection.

    After something is received, the first messages to be sent are written immediately. Later
    messages are written together at the end of the event loop iteration, called a step here. After
    that, the next messages are again written immediately.

    Attributes:
        is_broken: whether the stream has failed or the peer no longer reads.
        is_scheduled: whether queued messages will be written at the end of this step.
        is_watched: whether `unread` must be checked because many bytes have been written since the
            stream last had room. For a message stream, which counts the bytes itself, this is
            always true.
    """

    def __init__(
        self,
        connection: Connection,
        stream: Stream | MessageStream | BridgeStream,
        on_failure: Callable[[BaseException], object],
        *,
        has_sessions: bool,
    ) -> None:
        self.is_broken = False
        # Called once if the stream fails, to close the connection. Otherwise, callers would wait
        # forever for responses to messages that were lost.
        self._on_failure = on_failure
        self._failure: BaseException | None = None
        self._written = 0  # number of bytes written since the stream last had room
        self._loop = asyncio.get_running_loop()
        self._connection = connection
        self._queue = connection.queue
        # The stream, as a message stream or as a byte stream.
        self._messages: Any = stream
        self._bytes = None if isinstance(stream, MessageStream) else stream
        self._drain: Callable[..., Awaitable[None]] = stream.drain
        self._stream_has_room = _has_room_of(type(stream))
        self._has_sessions = has_sessions  # whether `drain` accepts a session id
        self._unsent: Callable[[], int] | None = getattr(stream, "unsent", None)
        # True if messages have been written since something was last received, or since queued
        # messages were last written at the end of a step.
        self._has_written = False
        self.is_scheduled = False
        self.is_watched = self._bytes is None
        self._watching: asyncio.Task[None] | None = None

    @property
    def unread(self) -> int:
        """The number of written bytes that the peer has not read.

        If the stream does not report this number, all bytes written since the stream last had room
        are counted.
        """
        if self._unsent is None or self._failure is not None:
            return self._written
        try:
            return self._unsent()
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            self._fail(error)
            return self._written

    @property
    def has_room(self) -> bool:
        """True if `drain` would neither wait nor raise an exception."""
        if self._stream_has_room is None or self._failure is not None:
            return False
        return self._stream_has_room(self._messages)

    def begin_step(self) -> None:
        """Begin a step after something is received, and write any queued messages."""
        self._has_written = self.is_scheduled
        if self._queue:
            self.send()

    def send(self) -> None:
        """Write the queued messages.

        If messages were already written in this step, write at the end of the step instead.
        """
        if not self._has_written:
            self._has_written = self.send_now()
        elif not self.is_scheduled:
            self.is_scheduled = True
            self._loop.call_soon(self._end_step)

    def _end_step(self) -> None:
        self.is_scheduled = self._has_written = False
        self.send_now()

    def send_now(self) -> bool:
        """Write the queued messages now and return whether there were any."""
        queue = self._queue
        if not queue:
            return False
        if self._failure is not None:
            queue.clear()
            return False
        try:
            if self._bytes is None:
                messages = queue.copy()
                queue.clear()
                self._messages.send(messages)
                return True
            data = b"".join(queue)
            queue.clear()
            self._bytes.write(data)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:  # including CancelledError, since nothing is awaited here
            self._fail(error)
            return False
        self._written += len(data)
        if self._written > _WATCHED and not self.is_watched:
            self.is_watched = True
            self._watching = asyncio.create_task(self._watch())
        return True

    def _fail(self, error: BaseException) -> None:
        self.is_broken = True
        if self._failure is None:
            self._failure = error
            self._on_failure(error)

    async def _watch(self) -> None:
        """Detect when the stream has room, even if no other task is waiting for room."""
        try:
            await self.drain()
        except ConnectionClosed:
            pass
        finally:
            self._watching, self.is_watched = None, False

    def close(self) -> None:
        """Stop watching the stream."""
        if self._watching is not None:
            self._watching.cancel()

    async def drain(self, session_id: str | None = None) -> None:
        """Wait for room in the stream.

        Args:
            session_id: the session that the next messages are about, or None if they are not about
                a session.

        Raises:
            ConnectionClosed: If the peer no longer reads, or if the stream has failed.
        """
        if self._failure is None:
            try:
                await (self._drain(session_id) if self._has_sessions else self._drain())
            except OSError as error:
                self.is_broken = True
                if isinstance(error, ConnectionClosed):
                    raise  # `ChildStream` raised the error with the agent's exit status
                raise ConnectionClosed("the peer no longer reads") from error
            except (SystemExit, KeyboardInterrupt, asyncio.CancelledError):
                raise
            except BaseException as error:
                self._fail(error)
        if self._failure is not None:
            raise self._connection.closed_error() from self._failure
        self._written = 0


def _has_room_of(cls: type) -> Callable[[Any], bool] | None:
    """Return a stream's `has_room` method, unless a subclass overrides only `drain`.

    The method is looked up in the class, since an object that wraps a stream might delegate it.
    """
    for base in cls.__mro__:
        if "drain" in vars(base) or "has_room" in vars(base):
            has_room: Callable[[Any], bool] | None = vars(base).get("has_room")
            return has_room
    return None
