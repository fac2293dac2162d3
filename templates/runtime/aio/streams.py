"""Streams of bytes or messages: in memory, over asyncio's streams, or over a bridge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

from ..jsonrpc.envelope import Message
from ..jsonrpc.errors import Exit
from ..jsonrpc.logs import logger_of
from .tasks import Once

if TYPE_CHECKING:
    from ..jsonrpc.errors import VersionMismatch
    from ..jsonrpc.handler import Handler
    from ..jsonrpc.limits import Limits
    from ..jsonrpc.method import CapabilityRequirement
    from ..jsonrpc.observing import Bridged, Loss, Observer
    from ..values.errors import Issue

T = TypeVar("T")

# The number of bytes read and processed at a time.
CHUNK = 1 << 18
# How long the peer may take to read the remaining data when a stream is closed, in seconds.
GRACE = 5.0

_log = logger_of(__name__)


class Wakeup:
    """A condition that wakes all waiting tasks, which then check what changed.

    Replacing an `asyncio.Event` each time it is set would have the same effect but use 600 bytes
    even while no task is waiting. In servers with many idle connections, this memory adds up.
    """

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        """Create a condition that no tasks are waiting for."""
        self._waiting: list[asyncio.Future[None]] = []

    async def wait(self, timeout: float | None = None) -> None:
        """Wait for the next change, for at most `timeout` seconds."""
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[None] = loop.create_future()
        self._waiting.append(waiting)
        timer = None if timeout is None else loop.call_later(timeout, _wake, waiting)
        try:
            await waiting
        finally:
            if waiting in self._waiting:  # the wait was cancelled or timed out
                self._waiting.remove(waiting)
            if timer is not None:
                timer.cancel()

    def notify(self) -> None:
        """Wake the waiting tasks."""
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            _wake(each)


def _wake(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)


class Stream(Protocol):
    """A bidirectional stream of bytes.

    A stream can define two more methods. `unsent() -> int` returns the number of written bytes that
    are still buffered because the peer has not read them. Without this method, all bytes written
    since `drain` last returned are considered unread (see `Limits.unread_bytes`). If the peer reads
    so slowly that the stream never has room, bytes that the peer has already read are also counted.
    `hurry(grace: float)` changes how many seconds the peer may take to read the remaining data when
    the stream is closed.
    """

    async def read(self) -> bytes:
        """Wait for bytes and return them. At the end of the stream, return no bytes."""
        ...

    def write(self, data: bytes) -> None:
        """Queue bytes for writing, without waiting."""
        ...

    async def drain(self) -> None:
        """Wait until the stream has room for more bytes.

        Raises:
            OSError: If the peer no longer reads.
        """
        ...

    async def close(self) -> None:
        """Write the queued bytes if the peer reads them, and release all resources.

        Connections call this method once.
        """
        ...


@runtime_checkable
class MessageStream(Protocol):
    """A bidirectional stream of messages, for example over a WebSocket.

    A stream can also define the method `hurry` (see `Stream`) and an attribute `user`, which
    contains the user identified by the transport (see `Peer.user`).
    """

    async def receive(self) -> Sequence[Message]:
        """Wait for messages and return them. At the end of the stream, return no messages."""
        ...

    def send(self, messages: Sequence[Message]) -> None:
        """Queue messages for sending, without waiting. Messages from a bridge have no envelopes."""
        ...

    async def drain(self, session_id: str | None) -> None:
        """Wait until the stream has room for more messages about a session.

        Args:
            session_id: the session, or None for messages without a session.

        Raises:
            OSError: If the peer no longer reads.
        """
        ...

    def unsent(self) -> int:
        """Return the total size of the queued messages, in bytes."""
        ...

    async def close(self) -> None:
        """Send the queued messages if the peer receives them, and release all resources.

        Connections call this method once.
        """
        ...


class BytesOfMessages:
    """A byte stream over a message stream, where each line is a message."""

    def __init__(self, messages: MessageStream) -> None:
        self._messages = messages
        self._rest = b""  # the beginning of an incomplete line
        hurry: Callable[[float], None] | None = getattr(messages, "hurry", None)
        if hurry is not None:
            self.hurry = hurry

    async def read(self) -> bytes:
        return b"".join([message.text + b"\n" for message in await self._messages.receive()])

    def write(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._messages.send([Message(line) for line in lines if line])

    async def drain(self, session_id: str | None = None) -> None:
        await self._messages.drain(session_id)

    def unsent(self) -> int:
        return self._messages.unsent()

    async def close(self) -> None:
        await self._messages.close()


# --- memory ----------------------------------------------------------------------------------


class _Pipe(Generic[T]):
    """One direction of an in-memory connection."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._chunks: list[T] = []
        self.size = 0
        self._is_closed = False
        self._change = Wakeup()
        self._forward: Callable[[], object] | None = None

    async def read(self) -> list[T]:
        while not self._chunks and not self._is_closed:
            await self._change.wait()
        chunks, self._chunks = self._chunks, []
        if self.size > self._room:
            self._change.notify()
        self.size = 0
        return chunks

    def forward(self, take: Callable[[list[T]], bool]) -> None:
        def forward() -> None:
            chunks, size = self._chunks, self.size
            self._chunks, self.size = [], 0  # replaced first, since `take` might cause a write
            if chunks and not take(chunks):  # `read` might have returned the chunks already
                self._chunks[:0] = chunks
                self.size += size
                self._change.notify()
            elif size > self._room:
                self._change.notify()

        self._forward = partial(asyncio.get_running_loop().call_soon, forward)

    def write(self, chunks: Sequence[T], size: int) -> None:
        if not chunks or self._is_closed:  # an empty write would signal the end
            return
        is_first = not self._chunks
        self._chunks += chunks
        self.size += size
        if self._forward is None:
            self._change.notify()
        elif is_first:  # otherwise, the call is already scheduled
            self._forward()

    def has_room(self) -> bool:
        return self.size <= self._room and not self._is_closed

    async def drain(self) -> None:
        while self.size > self._room and not self._is_closed:
            await self._change.wait()
        if self._is_closed:
            raise BrokenPipeError("the other end is closed")

    def close(self) -> None:
        self._is_closed = True
        self._change.notify()


class _MemoryEnd(Generic[T]):
    """Base class for the ends of in-memory connections."""

    def __init__(self, incoming: _Pipe[T], outgoing: _Pipe[T]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    async def drain(self, session_id: str | None = None) -> None:
        await self._outgoing.drain()

    def has_room(self) -> bool:
        """Return whether `drain` would return immediately; see `AsyncioStream.has_room`."""
        return self._outgoing.has_room()

    def unsent(self) -> int:
        return self._outgoing.size

    async def close(self) -> None:
        self._outgoing.close()
        self._incoming.close()


class MemoryStream(_MemoryEnd[bytes]):
    """One end of an in-memory connection that transfers bytes; see `memory_streams`."""

    async def read(self) -> bytes:
        return b"".join(await self._incoming.read())

    def forward(self, take: Callable[[bytes], bool]) -> None:
        """Forward received data; see `AsyncioStream.forward`."""
        if type(self).read is MemoryStream.read:
            self._incoming.forward(lambda chunks: take(b"".join(chunks)))

    def write(self, data: bytes) -> None:
        self._outgoing.write([data] if data else [], len(data))


class MemoryMessages(_MemoryEnd[Message]):
    """One end of an in-memory connection that transfers messages; see `memory_messages`."""

    async def receive(self) -> Sequence[Message]:
        return await self._incoming.read()

    def forward(self, take: Callable[[Sequence[Message]], bool]) -> None:
        """Forward received messages; see `AsyncioStream.forward`."""
        if type(self).receive is MemoryMessages.receive:
            self._incoming.forward(take)

    def send(self, messages: Sequence[Message]) -> None:
        size = 0
        for message in messages:
            size += len(message.text)
        self._outgoing.write(messages, size)


def memory_messages(room: int = 1 << 16) -> tuple[MemoryMessages, MemoryMessages]:
    """Return the two ends of an in-memory connection that transfers messages.

    Args:
        room: the number of unread bytes above which `drain` waits.
    """
    there, back = _Pipe[Message](room), _Pipe[Message](room)
    return MemoryMessages(back, there), MemoryMessages(there, back)


def memory_streams(room: int = 1 << 16) -> tuple[MemoryStream, MemoryStream]:
    """Return the two ends of an in-memory connection that transfers bytes.

    Args:
        room: the number of unread bytes above which `drain` waits.
    """
    there, back = _Pipe[bytes](room), _Pipe[bytes](room)
    return MemoryStream(back, there), MemoryStream(there, back)


# --- asyncio's reader and writer --------------------------------------------------------------


class AsyncioStream:
    """A stream over asyncio's `StreamReader` and `StreamWriter`, for example for a socket.

    reader, writer = await asyncio.open_connection("localhost", 4000)
    await serve(AsyncioStream(reader, writer), MyAgent)
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        source: asyncio.BaseTransport | None = None,
    ) -> None:
        """Create a stream from a reader and a writer.

        Args:
            reader: the reader for incoming bytes.
            writer: the writer for outgoing bytes, which is closed with the stream.
            source: the reader's transport, which is closed with the stream; by default, the
                writer's transport.
        """
        self._grace = GRACE
        self._reader = reader
        self._writer = writer
        self._transport = writer.transport
        self._source = source or writer.transport
        self._draining = asyncio.Lock()
        self._closing = Once()

    async def read(self) -> bytes:
        return await self._reader.read(CHUNK)

    def forward(self, take: Callable[[bytes], bool]) -> None:
        """Pass received data directly to a connection in order to save an event-loop iteration.

        Subclasses that override `read` don't forward data.

        Args:
            take: called with received data. If `take` returns False, `read` returns the data.
        """
        reader: Any = self._reader
        feed = reader.feed_data

        def feed_data(data: bytes) -> None:
            if not take(data):
                feed(data)

        if type(self).read is AsyncioStream.read:
            reader.feed_data = feed_data

    def write(self, data: bytes) -> None:
        # On a closing transport, asyncio logs each write, and uvloop raises an exception.
        if not self._transport.is_closing():
            self._transport.write(data)

    async def drain(self) -> None:
        if not self.has_room():  # checked first, since `StreamWriter.drain` is slow
            await self._wait_for_room()

    def has_room(self) -> bool:
        """Return whether `drain` would return immediately, so that connections can omit the call.

        For subclasses that override only `drain`, connections always call `drain`.
        """
        transport = self._transport
        return not transport.get_write_buffer_size() and not transport.is_closing()

    async def _wait_for_room(self) -> None:
        async with self._draining:  # in Python 3.10, only one task may wait
            await self._writer.drain()

    def unsent(self) -> int:
        return self._transport.get_write_buffer_size()

    async def close(self) -> None:
        await self._closing.run(self._close)

    async def _close(self) -> None:
        try:
            self._writer.close()
            with suppress(OSError, asyncio.TimeoutError):
                await asyncio.wait_for(self._writer.wait_closed(), self._grace)
        finally:
            self._drop_unread()
            self._source.close()

    def hurry(self, grace: float) -> None:
        """Change how long the peer may take to read remaining data when the stream is closed."""
        self._grace = grace

    def _drop_unread(self) -> None:
        # After `close`, a transport stays open until its data is written, which can take forever.
        if self._transport.get_write_buffer_size():
            self._transport.abort()


class ProgramStream(AsyncioStream):
    """A stream to a program that this process started. Closing the stream stops the program.

    `ChildStream` is the only implementation. `ChildStream` is defined in a separate module, since
    agents don't need it and its imports are slow.

    Attributes:
        process: the process.
        program: the name of the program, as passed by the caller.
        shows_stderr: whether the program's standard error is shown or captured rather than
            discarded.
    """

    process: asyncio.subprocess.Process
    program: str
    shows_stderr: bool

    def __str__(self) -> str:
        return f"the agent ({self.program!r}, process {self.process.pid})"

    @property
    def exit(self) -> Exit | None:
        """The exit status of the program, or None while it is running."""
        raise NotImplementedError

    @property
    def stderr(self) -> tuple[str, ...]:
        """The last lines of the program's standard error, if captured."""
        raise NotImplementedError

    async def wait_exit(self) -> Exit:
        """Wait briefly for the program to exit and return its exit status."""
        raise NotImplementedError


# --- bridges ----------------------------------------------------------------------------------


class BridgeStream(Stream, Protocol):
    """A stream over a bridge to the peer. `BridgedStream` is the only implementation."""

    @property
    def bridged(self) -> Bridged | None:
        """The peer on the far side if the two sides speak different versions, otherwise None."""
        ...

    @property
    def is_asked(self) -> bool:
        """True if the peer is waiting for a response from the bridge's handler."""
        ...

    @property
    def mismatch(self) -> VersionMismatch | None:
        """The error if the agent supports none of the bridge's versions, otherwise None."""
        ...

    async def drain(self, session_id: str | None = None) -> None:
        """Wait until messages about a session can be sent; see `MessageStream.drain`."""
        ...

    def begin(self, peer: object, prepare: Callable[[str, Any], None], /) -> None:
        """Attach a connection before anything is received.

        Args:
            peer: the connection, to be passed to the bridge's handler.
            prepare: called with the method and the params of a request before `Bridged.request`
                sends it.

        Raises:
            RuntimeError: If the bridge's handler already has a connection.
        """
        ...

    def defines(self, need: CapabilityRequirement, /) -> bool:
        """Return whether the peer's version defines a capability that params require."""
        ...


def can_bridge(spoken: int, offered: int | None) -> bool:
    """Return whether a bridge can connect a client's version to an agent's version."""
    try:
        return {spoken, offered} <= {*_bridging().VERSIONS}
    except ModuleNotFoundError:
        return False


def _bridging() -> Any:
    """Return the `bridging` module.

    Raises:
        ModuleNotFoundError: If the package was vendored without the bridge.
    """
    # Imported by name, since packages can be vendored without the module.
    from importlib import import_module

    return import_module(".bridging", __package__)


def bridged_stream(
    stream: Stream,
    near: Literal["agent", "client"],
    versions: Collection[int],
    max_line: int,
    limits: Limits,
    on_issue: Callable[[Issue], object] | None,
    on_loss: Callable[[Loss], object] | None,
    observe: Observer | None,
    bridge: bool | type[Handler] | Handler,
) -> BridgeStream | None:
    """Put a bridge between this side and its stream; see `BridgedStream`.

    `versions` contains the versions that this side speaks. If `versions` contains both versions
    that the bridge connects, no bridge is needed. If `versions` contains neither of them, no bridge
    is possible, and a warning is logged. If no bridge is needed or possible, this function returns
    None.

    Raises:
        ImportError: If the package was vendored without the bridge.
        TypeError: If this side is the agent and a handler is passed.
    """
    handler = None if isinstance(bridge, bool) else bridge
    if handler is not None and near == "agent":
        raise TypeError("agents cannot pass a handler to the bridge; pass bridge=True")
    try:
        bridging = _bridging()
    except ModuleNotFoundError as error:
        package = __name__.removesuffix(".runtime.aio.streams")
        raise ImportError(
            f"{package} was vendored without the bridge; `acpgen vendor DIR --bridge` adds it"
        ) from error
    bridged = [version for version in versions if version in bridging.VERSIONS]
    if not bridged:
        _log.warning(
            "the bridge does not support protocol version %s, only %s; ignoring bridge=%r",
            *(" and ".join(map(str, sorted(each))) for each in (versions, bridging.VERSIONS)),
            bridge,
        )
    if len(bridged) != 1 or (near == "client" and len(versions) != 1):
        return None
    made: BridgeStream = bridging.BridgedStream(
        stream,
        near,
        spoken=versions if near == "agent" else None,
        max_line=max_line,
        limits=limits,
        on_issue=on_issue,
        on_loss=on_loss,
        observe=observe,
        handler=handler,
    )
    return made
