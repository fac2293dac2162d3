"""The output of a connection, which batches writes to the stream."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ..jsonrpc.connection import Connection
from ..jsonrpc.errors import ConnectionClosed
from .streams import BridgeStream, MessageStream, Stream

# If this many bytes were written since the stream last had room, it is watched for room.
_WATCHED = 1 << 16
# With no more unread bytes than this, `drain` does not wait: asyncio's default low-water mark.
ROOM = 1 << 14


class Output:
    """Writes the queued messages of a connection.

    The first messages after a receipt are written immediately. Later ones are written together at
    the end of the event loop step.

    Attributes:
        is_broken: whether a write failed because the peer no longer reads.
        is_scheduled: whether queued messages wait for the end of this step.
        is_watched: whether much was written since the stream last had room, so that `unread` should
            be checked; always True for a stream of messages, which has sizes of its own.
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
        # Called once if the stream fails, to end the connection: messages can be lost, and their
        # responses would never arrive.
        self._on_failure = on_failure
        self._failure: BaseException | None = None
        self._written = 0  # bytes since the stream last had room
        self._loop = asyncio.get_running_loop()
        self._connection = connection
        self._queue = connection.queue
        # The stream, typed as one of these.
        self._messages: Any = stream
        self._bytes = None if isinstance(stream, MessageStream) else stream
        self._drain: Callable[..., Awaitable[None]] = stream.drain
        self._has_sessions = has_sessions  # whether `drain` accepts a session
        self._unsent: Callable[[], int] | None = getattr(stream, "unsent", None)
        self._has_written = False  # since the last receipt, or the last step without messages
        self.is_scheduled = False
        self.is_watched = self._bytes is None
        self._watching: asyncio.Task[None] | None = None

    @property
    def unread(self) -> int:
        """The number of written bytes that the peer has not read.

        If the stream does not report this: the number written since it last had room.
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

    def begin_step(self) -> None:
        """Write the queued and the next messages immediately, since messages were received."""
        self._has_written = self.is_scheduled
        if self._queue:
            self.send()

    def send(self) -> None:
        """Write the queued messages now; or, after earlier writes, at the end of this step."""
        if not self._has_written:
            self._has_written = self.send_now()
        elif not self.is_scheduled:
            self.is_scheduled = True
            self._loop.call_soon(self._end_step)

    def _end_step(self) -> None:
        self.is_scheduled = False
        self._has_written = self.send_now()
        # While messages keep coming, each step ends with one write. After a step without messages,
        # the next message is written immediately.
        if self._has_written:
            self.is_scheduled = True
            self._loop.call_soon(self._end_step)

    def send_now(self) -> bool:
        """Write the queued messages now; return whether there were any."""
        queue = self._queue
        if not queue:
            return False
        queued = queue[:]
        del queue[:]
        if self._failure is not None:
            return False
        try:
            if self._bytes is None:
                self._messages.send(queued)
                return True
            data = b"".join(queued)
            self._bytes.write(data)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:  # even CancelledError: nothing is awaited here
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
        """Notice when the stream has room, even if no task waits for it."""
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
            session_id: the session that the next messages are about; None for others.

        Raises:
            ConnectionClosed: If the peer no longer reads, or the stream failed.
        """
        if self._failure is None:
            try:
                await (self._drain(session_id) if self._has_sessions else self._drain())
            except OSError as error:
                self.is_broken = True
                if isinstance(error, ConnectionClosed):
                    raise  # raised by `ChildStream`, and says how the agent ended
                raise ConnectionClosed("the peer no longer reads") from error
            except (SystemExit, KeyboardInterrupt, asyncio.CancelledError):
                raise
            except BaseException as error:
                self._fail(error)
        if self._failure is not None:
            raise self._connection.closed_error() from self._failure
        self._written = 0
