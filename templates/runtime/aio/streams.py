"""Streams for `aio`: of bytes or messages, in memory, over asyncio's streams, or over a bridge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
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

# Number of bytes read and processed at a time.
CHUNK = 1 << 18
# Maximum time for the peer to read the rest when a stream is closed, in seconds.
GRACE = 5.0

_log = logger_of(__name__)


class Change:
    """A notification for the tasks that wait for it, which then check what changed.

    An `asyncio.Event` that is set and replaced does the same, but holds 600 bytes even while no
    task waits, which adds up in a server with many idle connections.
    """

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        """Start without waiting tasks."""
        self._waiting: list[asyncio.Future[None]] = []

    async def wait(self) -> None:
        """Wait for the next change."""
        waiting: asyncio.Future[None] = asyncio.Future()
        self._waiting.append(waiting)
        try:
            await waiting
        finally:
            if waiting in self._waiting:  # the wait was cancelled
                self._waiting.remove(waiting)

    def notify(self) -> None:
        """Wake the tasks that wait."""
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            if not each.done():
                each.set_result(None)


class Stream(Protocol):
    """A bidirectional stream of bytes.

    It may also have a method `unsent() -> int`, which returns how many of the written bytes it
    still holds, since the peer has not read them. Without it, all bytes since `drain` last returned
    count as unread (see `Limits.unread_bytes`), even if the peer reads everything, but so slowly
    that there is never room. A second optional method, `hurry(grace: float)`, changes how long the
    peer may take to read the rest when the stream is closed, in seconds.
    """

    async def read(self) -> bytes:
        """Wait for bytes and return them; return no bytes at the end of the stream."""
        ...

    def write(self, data: bytes) -> None:
        """Queue bytes without waiting."""
        ...

    async def drain(self) -> None:
        """Wait until there is room for more bytes.

        Raises:
            OSError: If the peer no longer reads.
        """
        ...

    async def close(self) -> None:
        """Write the queued bytes if the peer reads them, and free all resources.

        Connections call this once.
        """
        ...


@runtime_checkable
class MessageStream(Protocol):
    """A bidirectional stream of messages, such as over a WebSocket.

    The method `hurry` is optional, as for `Stream`. So is an attribute `user`: the user at the
    other end as identified by the transport; see `Peer.user`.
    """

    async def receive(self) -> Sequence[Message]:
        """Wait for messages and return them; return no messages at the end of the stream."""
        ...

    def send(self, messages: Sequence[Message]) -> None:
        """Queue messages without waiting. Messages from a bridge have no envelopes yet."""
        ...

    async def drain(self, session_id: str | None) -> None:
        """Wait until there is room for more messages about a session.

        Args:
            session_id: the session; None for messages without a session.

        Raises:
            OSError: If the peer no longer reads.
        """
        ...

    def unsent(self) -> int:
        """Return the size of the queued messages, in bytes of their text."""
        ...

    async def close(self) -> None:
        """Send the queued messages if the peer receives them, and free all resources.

        Connections call this once.
        """
        ...


class BytesOfMessages:
    """A byte stream over a message stream: each line is a message."""

    def __init__(self, messages: MessageStream) -> None:
        self._messages = messages
        self._rest = b""  # the beginning of a line
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
    """One direction of a pair of streams in memory."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._chunks: list[T] = []
        self.size = 0
        self._is_closed = False
        self._change = Change()

    async def read(self) -> list[T]:
        while not self._chunks and not self._is_closed:
            await self._change.wait()
        chunks, self._chunks = self._chunks, []
        if self.size > self._room:
            self._change.notify()
        self.size = 0
        return chunks

    def write(self, chunks: Sequence[T], size: int) -> None:
        if chunks and not self._is_closed:  # nothing, as no bytes would mean the end
            self._chunks += chunks
            self.size += size
            self._change.notify()

    async def drain(self) -> None:
        while self.size > self._room and not self._is_closed:
            await self._change.wait()
        if self._is_closed:
            raise BrokenPipeError("the other end is closed")

    def close(self) -> None:
        self._is_closed = True
        self._change.notify()


class _MemoryEnd(Generic[T]):
    """Base class of both types of ends in memory."""

    def __init__(self, incoming: _Pipe[T], outgoing: _Pipe[T]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    async def drain(self, session_id: str | None = None) -> None:
        await self._outgoing.drain()

    def unsent(self) -> int:
        return self._outgoing.size

    async def close(self) -> None:
        self._outgoing.close()
        self._incoming.close()


class MemoryStream(_MemoryEnd[bytes]):
    """One end of an in-memory connection; see `memory_streams`."""

    async def read(self) -> bytes:
        return b"".join(await self._incoming.read())

    def write(self, data: bytes) -> None:
        self._outgoing.write([data] if data else [], len(data))


class MemoryMessages(_MemoryEnd[Message]):
    """One end of an in-memory connection; see `memory_messages`."""

    async def receive(self) -> Sequence[Message]:
        return await self._incoming.read()

    def send(self, messages: Sequence[Message]) -> None:
        size = 0
        for message in messages:
            size += len(message.text)
        self._outgoing.write(messages, size)


def memory_messages(room: int = 1 << 16) -> tuple[MemoryMessages, MemoryMessages]:
    """Return the two ends of a connection within this process that transfers messages.

    Args:
        room: how many unread bytes are allowed before `drain` waits.
    """
    there, back = _Pipe[Message](room), _Pipe[Message](room)
    return MemoryMessages(back, there), MemoryMessages(there, back)


def memory_streams(room: int = 1 << 16) -> tuple[MemoryStream, MemoryStream]:
    """Return the two ends of a connection within this process that transfers bytes.

    Args:
        room: how many unread bytes are allowed before `drain` waits.
    """
    there, back = _Pipe[bytes](room), _Pipe[bytes](room)
    return MemoryStream(back, there), MemoryStream(there, back)


# --- asyncio's reader and writer --------------------------------------------------------------


class AsyncioStream:
    """A stream over asyncio's `StreamReader` and `StreamWriter`, such as the pair of a socket.

    reader, writer = await asyncio.open_connection("localhost", 4000)
    await serve(AsyncioStream(reader, writer), MyAgent)
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        source: asyncio.BaseTransport | None = None,
    ) -> None:
        """Take over a reader and a writer.

        Args:
            reader: the incoming bytes.
            writer: the outgoing bytes; closed with the stream.
            source: the transport that feeds the reader, unless the writer uses the same; also
                closed.
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

    def write(self, data: bytes) -> None:
        # Otherwise, asyncio logs each write, and uvloop raises an exception.
        if not self._transport.is_closing():
            self._transport.write(data)

    async def drain(self) -> None:
        transport = self._transport
        if not transport.get_write_buffer_size() and not transport.is_closing():
            return  # the usual case, and faster than `StreamWriter.drain`
        await self._wait_for_room()

    async def _wait_for_room(self) -> None:
        async with self._draining:  # Python 3.10 allows one task at a time
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
        """Change how long the peer may take to read the rest when the stream is closed."""
        self._grace = grace

    def _drop_unread(self) -> None:
        # A closed transport stays open until its data is written, which can take forever.
        if self._transport.get_write_buffer_size():
            self._transport.abort()


class ProgramStream(AsyncioStream):
    """A stream to a program that this process started, which ends with the stream.

    `ChildStream` is the only implementation. It is in another module because its imports are slow
    and agents don't need them.

    Attributes:
        process: the process.
        program: the name of the program, as passed.
        shows_stderr: whether its standard error is written anywhere.
    """

    process: asyncio.subprocess.Process
    program: str
    shows_stderr: bool

    def __str__(self) -> str:
        return f"the agent ({self.program!r}, process {self.process.pid})"

    @property
    def exit(self) -> Exit | None:
        """The exit of the program; None while it runs."""
        raise NotImplementedError

    @property
    def stderr(self) -> tuple[str, ...]:
        """The last lines of its standard error, if captured."""
        raise NotImplementedError

    async def wait_exit(self) -> Exit:
        """Wait briefly for the program to exit and return its exit status."""
        raise NotImplementedError


# --- bridges ----------------------------------------------------------------------------------


class BridgeStream(Stream, Protocol):
    """A stream over a bridge to the peer. `BridgedStream` is the only implementation."""

    @property
    def bridged(self) -> Bridged | None:
        """The peer; None if both sides speak the same version, or before that is known."""
        ...

    @property
    def is_asked(self) -> bool:
        """True if the peer waits for a handler of the bridge."""
        ...

    @property
    def mismatch(self) -> VersionMismatch | None:
        """The error if the agent supports no version of the bridge; None otherwise."""
        ...

    async def drain(self, session_id: str | None = None) -> None:
        """Wait for room, as in `MessageStream`, which can be beyond the bridge."""
        ...

    def begin(self, peer: object, prepare: Callable[[str, Any], None], /) -> None:
        """Start a connection, before anything is received.

        Args:
            peer: the connection, for the handler of the bridge.
            prepare: called with the method and the params of a request before `Bridged.request`
                sends it.

        Raises:
            RuntimeError: If the handler of the bridge has another connection.
        """
        ...

    def defines(self, need: CapabilityRequirement, /) -> bool:
        """Return whether the peer's version defines a capability that params need."""
        ...


def can_bridge(spoken: int, offered: int | None) -> bool:
    """Return whether a bridge connects a protocol version to an agent's version."""
    try:
        return {spoken, offered} <= {*_bridging().VERSIONS}
    except ModuleNotFoundError:
        return False


def _bridging() -> Any:
    """Return the module of the bridge.

    Raises:
        ModuleNotFoundError: If the package was vendored without it.
    """
    # Imported by name, since packages can be vendored without it.
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
    """Put a bridge between a peer and its stream; see `BridgedStream`.

    `versions` are the versions that the peer speaks. If it speaks neither version of the bridge,
    the bridge has no target; if it speaks both, no bridge is needed. In these cases, return None.

    Raises:
        ImportError: If the package has no bridge.
        TypeError: If the bridge cannot have such a handler.
    """
    handler = None if isinstance(bridge, bool) else bridge
    if handler is not None and near == "agent":
        raise TypeError("the bridge of an agent has no handler; pass bridge=True")
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
            "no bridge leads to protocol version %s, only to %s; bridge=%r has no effect",
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
