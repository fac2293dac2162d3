"""Tests of streams with failing methods and of streams that wrap other streams."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from contextvars import ContextVar
from socket import socketpair
from typing import Any, NoReturn

import pytest
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.aio import (
    AsyncioStream,
    MemoryStream,
    Peer,
    connect,
    memory_streams,
    serve,
)
from acp_bindings.runtime.aio.bridging import BridgedStream
from acp_bindings.runtime.aio.child_process import open_child
from acp_bindings.runtime.aio.stdio import FileStream
from acp_bindings.runtime.aio.streams import MemoryMessages, bridged_stream, memory_messages
from acp_bindings.runtime.jsonrpc.connection import Connection
from acp_bindings.runtime.jsonrpc.envelope import Message
from acp_bindings.runtime.jsonrpc.limits import DEFAULT

from tests.package.aio.processes import program
from tests.package.aio.sides import (
    ASK,
    ASK_CLIENT,
    CANCEL,
    TELL,
    Wire,
    agent,
    client,
    echo,
    stop,
    stuck,
    ticks,
)
from tests.package.jsonrpc.wire import ask, initialize, line, tell


class Custom(Exception):
    pass


class Odd(BaseException):
    pass


ERRORS = (OSError, Custom, asyncio.CancelledError, GeneratorExit, Odd, StopIteration)
each_error = pytest.mark.parametrize("error", ERRORS)


class Failing(MemoryStream):
    """A stream with a method that fails after a given number of calls."""

    def __init__(
        self, stream: MemoryStream, method: str, error: type[BaseException], after: int = 0
    ) -> None:
        super().__init__(stream._incoming, stream._outgoing)
        self._method, self._error, self._left = method, error, after

    def _may_fail(self, method: str) -> None:
        if method == self._method:
            self._left -= 1
            if self._left < 0:
                raise self._error("of the stream")

    async def read(self) -> bytes:
        self._may_fail("read")
        return await super().read()

    def write(self, data: bytes) -> None:
        self._may_fail("write")
        super().write(data)

    async def drain(self) -> None:
        self._may_fail("drain")
        await super().drain()

    def unsent(self) -> int:
        self._may_fail("unsent")
        return super().unsent()

    def hurry(self, grace: float) -> None:
        self._may_fail("hurry")

    async def close(self) -> None:
        await super().close()
        self._may_fail("close")


async def outcome(work: Any) -> BaseException | None:
    """Wait for an awaitable and return its exception, or None if it succeeds."""
    task = asyncio.ensure_future(work)
    await asyncio.wait([task])
    return asyncio.CancelledError() if task.cancelled() else task.exception()


@each_error
@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("bridge", [False, True])
async def test_a_write_that_fails_ends_the_connection_of_a_client(
    error: Any, after: int, bridge: bool
) -> None:
    near, far = memory_streams()
    stream = Failing(near, "write", error, after)
    async with connect(stream, client(), bridge=bridge) as peer:
        calls = [asyncio.create_task(outcome(peer.initialize()))]
        if after and not bridge:  # `initialize` was written but gets no response
            await ticks()
            calls.append(asyncio.create_task(outcome(peer.request(ASK, 1))))
            calls.append(asyncio.create_task(outcome(peer.request(ASK, 2))))
        elif after:
            answer = {"protocolVersion": 1}
            await ticks()
            far.write(line({"id": 1, "result": answer}))
            await asyncio.gather(*calls)
            calls = [asyncio.create_task(outcome(peer.request(ASK, 1)))]
        for failure in await asyncio.gather(*calls):
            assert isinstance(failure, ConnectionClosed)
            words = "the peer no longer reads" if error is OSError else "the stream failed: "
            assert words in str(failure)
        await peer.wait_ended()
        with pytest.raises(ConnectionClosed):
            await peer.notify(TELL, None)
        await peer.close()
    assert await far.read() or after == 0


@pytest.mark.parametrize("error", [Custom, asyncio.CancelledError, GeneratorExit, Odd])
async def test_a_write_that_fails_is_logged_once(
    error: Any, caplog: pytest.LogCaptureFixture
) -> None:
    near, _ = memory_streams()
    async with connect(Failing(near, "write", error), client()) as peer:
        assert isinstance(await outcome(peer.initialize()), ConnectionClosed)
    given_up = f"closing the connection: the stream failed: {error('of the stream')!r}"
    assert caplog.messages == [given_up]


async def test_a_handler_that_fails_with_the_write_is_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    near, far = memory_streams()

    async def handle(peer: Peer, method: str, params: Any) -> None:
        await peer.request(ASK_CLIENT, None)

    stream = Failing(far, "write", Custom, 1)
    serving = asyncio.create_task(serve(stream, agent(ext_request=handle), linger=0))
    near.write(line(initialize(1)))
    await near.read()
    near.write(line(ask(1)))
    await serving
    error = Custom("of the stream")
    assert caplog.messages == [f"closing the connection: the stream failed: {error!r}"]


@each_error
@pytest.mark.parametrize("after", [0, 1, 2])
async def test_a_write_that_fails_ends_the_connection_of_an_agent(error: Any, after: int) -> None:
    near, far = memory_streams()
    stream = Failing(far, "write", error, after)
    serving = asyncio.create_task(serve(stream, agent(ext_request=echo), linger=0))
    near.write(line(initialize(1), *(ask(number) for number in range(1, 5))))
    await ticks()
    near.write(line(*(ask(number) for number in range(5, 9))))
    await asyncio.wait([serving])
    assert serving.exception() is None


async def test_a_write_that_fails_at_the_end_of_a_step_ends_the_connection() -> None:
    near, _ = memory_streams()
    async with connect(Failing(near, "write", Custom, 1), client()) as peer:
        calls = [asyncio.create_task(outcome(peer.request(ASK, number))) for number in range(5)]
        for failure in await asyncio.gather(*calls):
            assert isinstance(failure, ConnectionClosed)


@each_error
@pytest.mark.parametrize("after", [0, 1])
async def test_a_drain_that_fails_hangs_nothing(error: Any, after: int) -> None:
    near, far = memory_streams()
    async with connect(Failing(near, "drain", error, after), client()) as peer:
        if after:
            await peer.notify(TELL, None)
        failures = await asyncio.gather(
            outcome(peer.request(ASK, None)), outcome(peer.notify(TELL, None))
        )
        expected = asyncio.CancelledError if error is asyncio.CancelledError else ConnectionClosed
        assert [type(failure) for failure in failures] == [expected] * 2
        if error not in (OSError, asyncio.CancelledError):
            await peer.wait_ended()
        await peer.close()
    assert await far.read()


@each_error
async def test_a_drain_that_fails_while_nothing_waits_for_room_hangs_nothing(error: Any) -> None:
    near, far = memory_streams(room=1)
    stream = Failing(near, "drain", error)
    async with connect(stream, client()) as peer:
        peer.post(TELL, "x" * 200_000)
        await ticks()
        call = asyncio.create_task(outcome(peer.request(ASK, None)))
        await ticks()
        await far.close()
        assert await call is not None
    assert peer._output._watching is None


@each_error
async def test_an_account_of_unsent_bytes_that_fails_ends_the_connection(error: Any) -> None:
    near, _ = memory_streams()
    async with connect(Failing(near, "unsent", error), client()) as peer:
        peer.post(TELL, "x" * 200_000)
        failure = await outcome(peer.drain())
        assert isinstance(failure, ConnectionClosed)
        await peer.wait_ended()


@each_error
@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("bridge", [False, True])
async def test_a_read_that_fails_ends_the_connection(error: Any, after: int, bridge: bool) -> None:
    near, far = memory_streams()
    failures: list[Any] = []

    async def talk() -> None:
        async with connect(Failing(near, "read", error, after), client(), bridge=bridge) as peer:
            call = asyncio.create_task(outcome(peer.initialize()))
            far.write(b"\n")
            failures.append(await call)
            await peer.wait_ended()
            await peer.close()

    raised = await outcome(talk())  # exiting the context raises some of the errors
    assert raised is None or isinstance(raised, (error, RuntimeError))
    [failure] = failures
    assert isinstance(failure, ConnectionClosed)
    if error in (Custom, StopIteration) and not bridge:
        assert "the stream failed: " in str(failure)


@each_error
async def test_an_agent_whose_read_fails_ends(error: Any) -> None:
    near, far = memory_streams()
    serving = asyncio.create_task(serve(Failing(far, "read", error, 1), agent(ext_request=stuck)))
    near.write(line(initialize(1), ask(1)))
    await outcome(serving)
    assert await near.read()  # the responses
    assert await near.read() == b""


class Deaf(MemoryStream):
    """A stream with a `read` method that ignores cancellation."""

    def __init__(self, stream: MemoryStream) -> None:
        super().__init__(stream._incoming, stream._outgoing)

    async def read(self) -> bytes:
        while True:
            with suppress(asyncio.CancelledError):
                return await super().read()


@pytest.mark.parametrize("way", ["close", "no grace", "write"])
async def test_a_read_that_ignores_a_cancel_does_not_hold_up_the_end(way: str) -> None:
    near, _ = memory_streams()
    stream = Deaf(near)
    async with connect(stream, client(), grace=0.01) as peer:
        call = asyncio.create_task(outcome(peer.request(ASK, None)))
        await ticks()
        if way == "write":
            stream.write = lambda data: 1 / 0  # type: ignore[assignment]
            peer.post(TELL, None)
        else:
            await peer.close(0 if way == "no grace" else None)
        assert isinstance(await call, ConnectionClosed)
        await peer.wait_ended()


@each_error
@pytest.mark.parametrize("bridge", [False, True])
async def test_a_close_that_fails_hangs_nothing(error: Any, bridge: bool) -> None:
    near, _ = memory_streams()
    failures: list[Any] = []

    async def talk() -> None:
        async with connect(Failing(near, "close", error), client(), bridge=bridge) as peer:
            call = asyncio.create_task(outcome(peer.initialize()))
            await ticks()
            await peer.close()
            failures.append(await call)

    raised = await outcome(talk())
    assert raised is None or isinstance(raised, (error, RuntimeError))
    [failure] = failures
    assert isinstance(failure, ConnectionClosed)


@each_error
async def test_a_hurry_that_fails_does_not_keep_the_connection_open(
    error: Any, caplog: pytest.LogCaptureFixture
) -> None:
    near, far = memory_streams()
    async with connect(Failing(near, "hurry", error), client()) as peer:
        await peer.close(grace=0)
        assert await far.read() == b""
    assert caplog.messages == ["the stream's `hurry` failed"]


# --- closing more than once ------------------------------------------------------------------


async def pipes() -> FileStream:
    (incoming, source), (sink, outgoing) = os.pipe(), os.pipe()
    os.close(source)
    os.close(sink)
    return FileStream(incoming, outgoing)


async def socket() -> AsyncioStream:
    near, far = socketpair()
    far.close()
    return AsyncioStream(*await asyncio.open_connection(sock=near))


async def child() -> Any:
    return await open_child(program("sys.stdin.read()"))


async def memory() -> MemoryStream:
    return memory_streams()[0]


async def bridged() -> BridgedStream:
    return BridgedStream(await pipes(), "client")


KINDS = (pipes, socket, child, memory, bridged)
each_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The descriptors that were closed with `os.close`."""
    found: list[int] = []
    close = os.close

    def closing(descriptor: int) -> None:
        found.append(descriptor)
        close(descriptor)

    monkeypatch.setattr("acp_bindings.runtime.aio.stdio.os.close", closing)
    return found


@each_kind
@pytest.mark.parametrize("at_once", [False, True])
async def test_each_stream_may_be_closed_more_than_once(
    kind: Any, at_once: bool, closed: list[int]
) -> None:
    stream = await kind()
    closed.clear()
    if at_once:
        await asyncio.gather(*(stream.close() for _ in range(3)))
    else:
        for _ in range(3):
            await stream.close()
    assert len(closed) == len(set(closed))


@each_kind
@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("grace", [None, 0])
async def test_a_peer_that_never_ran_may_be_closed_more_than_once(
    kind: Any, at_once: bool, grace: float | None, closed: list[int]
) -> None:
    peer = Peer(await kind(), "client", client())
    closed.clear()
    if at_once:
        await asyncio.gather(*(peer.close(grace) for _ in range(3)))
    else:
        for _ in range(3):
            await peer.close(grace)
    assert len(closed) == len(set(closed))
    with pytest.raises(ConnectionClosed):
        await peer.request(ASK, None)
    await peer.run()  # ends immediately
    assert len(closed) == len(set(closed))


async def test_a_peer_that_is_closed_before_it_runs_fails_its_calls() -> None:
    near, far = memory_streams()
    peer = Peer(near, "client", client())
    call = asyncio.create_task(outcome(peer.request(ASK, None)))
    await ticks()
    await peer.close()
    assert isinstance(await call, ConnectionClosed)
    await Wire(far).read()


async def test_a_task_of_a_peer_that_never_ran_may_close_it() -> None:
    near, far = memory_streams()
    peer = Peer(near, "client", client())
    task = peer.spawn(peer.close())
    await asyncio.wait([task])
    assert await far.read() == b""


async def test_a_stream_that_is_not_read_may_be_closed_again_after_its_grace() -> None:
    ours, theirs = socketpair()
    stream = AsyncioStream(*await asyncio.open_connection(sock=ours))
    stream.hurry(0.01)
    stream.write(b"x" * 10_000_000)
    await asyncio.gather(stream.close(), stream.close())
    await stream.close()
    theirs.close()


# --- data that streams pass on directly ------------------------------------------------------

ORIGIN: ContextVar[str] = ContextVar("ORIGIN", default="nowhere")


class Wrapper:
    """A stream that delegates to another stream and records the data that it reads."""

    def __init__(self, stream: MemoryStream) -> None:
        self._stream = stream
        self.data: list[bytes] = []

    async def read(self) -> bytes:
        self.data.append(await self._stream.read())
        return self.data[-1]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Kept(MemoryStream):
    """A stream that records the data that it reads."""

    def __init__(self, stream: MemoryStream) -> None:
        super().__init__(stream._incoming, stream._outgoing)
        self.data: list[bytes] = []

    async def read(self) -> bytes:
        self.data.append(await super().read())
        return self.data[-1]


@pytest.mark.parametrize("wrap", [Wrapper, Kept])
async def test_a_stream_that_overrides_reading_reads_everything(wrap: Any) -> None:
    near, far = memory_streams()
    stream, written = wrap(near), [line(tell("_tell", number=number)) for number in range(3)]
    async with connect(stream, client()):
        for data in written:
            far.write(data)
            await ticks()
        await far.close()
        await ticks()
    assert stream.data == [*written, b""]


class DrainedWrapper(Wrapper):
    """A stream that delegates to another stream and counts the calls to `drain`."""

    drains = 0

    async def drain(self) -> None:
        self.drains += 1


class Drained(Kept):
    """A stream that counts the calls to `drain`."""

    drains = 0

    async def drain(self, session_id: str | None = None) -> None:
        self.drains += 1
        await super().drain(session_id)


@pytest.mark.parametrize("wrap", [DrainedWrapper, Drained])
async def test_a_stream_that_overrides_waiting_for_room_is_asked_after_each_message(
    wrap: Any,
) -> None:
    near, _ = memory_streams()
    stream = wrap(near)
    async with connect(stream, client()) as peer:
        initializing = asyncio.create_task(peer.initialize())
        await ticks()
        assert stream.drains == 1
        await peer.close()
        assert isinstance(await outcome(initializing), ConnectionClosed)


class Wide(MemoryStream):
    """A stream that always has room."""

    def __init__(self, stream: MemoryStream) -> None:
        super().__init__(stream._incoming, stream._outgoing)

    def has_room(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("wrap", "size", "has_room"),
    [
        (Kept, 100, True),
        (Kept, 101, False),
        (Drained, 100, False),  # `drain` must be called
        (Wrapper, 100, False),
        (Wide, 101, True),
    ],
)
async def test_a_stream_is_asked_whether_it_has_room(wrap: Any, size: int, has_room: bool) -> None:
    near, far = memory_streams(100)
    async with connect(wrap(near), client()) as peer:
        near.write(b"x" * size)
        assert peer.has_room is has_room
        await far.read()


@pytest.mark.parametrize("kind", ["bytes", "messages"])
async def test_data_that_is_not_taken_remains_unsent(kind: str) -> None:
    near: Any
    far: Any
    near, far = memory_streams(10) if kind == "bytes" else memory_messages(10)
    near.forward(lambda data: False)
    if kind == "bytes":
        far.write(b"x" * 11)
    else:
        far.send([Message(b"x" * 5), Message(b"x" * 6)])
    draining = asyncio.create_task(far.drain())
    await ticks()
    assert far.unsent() == 11
    assert not far.has_room()
    assert not draining.done()
    if kind == "bytes":
        assert await near.read() == b"x" * 11
    else:
        assert [len(message.text) for message in await near.receive()] == [5, 6]
    await draining
    assert far.unsent() == 0
    assert far.has_room()


class DrainedMessages(MemoryMessages):
    """A message stream that records the arguments of `drain`."""

    def __init__(self, stream: MemoryMessages) -> None:
        super().__init__(stream._incoming, stream._outgoing)
        self.sessions: list[str | None] = []

    async def drain(self, session_id: str | None = None) -> None:
        self.sessions.append(session_id)


async def test_a_message_stream_is_asked_for_room_for_a_session() -> None:
    near, _ = memory_messages()
    stream = DrainedMessages(near)
    async with connect(stream, client()) as peer:
        await peer.notify(TELL, None)
        await peer.notify(CANCEL, stop("s"))
    assert stream.sessions == [None, "s"]


@pytest.mark.parametrize(
    ("near", "versions", "is_bridged"),
    [
        ("agent", [1], True),
        ("agent", [2], True),
        ("agent", [1, 2], False),
        ("client", [1], True),
        ("client", [1, 2], False),
        ("client", [1, 3], False),
        ("agent", [1, 3], True),
    ],
)
async def test_a_side_that_speaks_one_version_of_the_bridge_is_bridged(
    near: Any, versions: list[int], is_bridged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    stream, _ = memory_streams()
    made = bridged_stream(stream, near, versions, 1000, DEFAULT, None, None, None, True)
    assert isinstance(made, BridgedStream) is is_bridged
    assert caplog.messages == []


async def sockets() -> tuple[AsyncioStream, AsyncioStream]:
    near, far = [await asyncio.open_connection(sock=each) for each in socketpair()]
    return AsyncioStream(*near), AsyncioStream(*far)


async def memories() -> tuple[MemoryStream, MemoryStream]:
    return memory_streams()


@pytest.mark.parametrize("kind", [sockets, memories])
async def test_small_and_large_data_is_processed_in_order(kind: Any) -> None:
    handled: list[int] = []

    async def handle(peer: Peer, method: str, params: Any) -> None:
        handled.append(params["number"])

    near, far = await kind()
    async with connect(near, client(ext_notification=handle)):
        for number in range(200):
            size = 10_000 if number % 3 == 0 else 1
            far.write(line(tell("_tell", number=number, text="x" * size)))
            if number % 5 == 0:
                await asyncio.sleep(0)
        await asyncio.wait_for(eventually(lambda: len(handled) == 200), 10)
    assert handled == [*range(200)]
    await far.close()


async def eventually(condition: Any) -> None:
    while not condition():
        await asyncio.sleep(0.001)


@pytest.mark.parametrize("kind", [sockets, memories])
async def test_handlers_run_in_the_context_of_their_connection(kind: Any) -> None:
    origins: list[str] = []

    async def answer(peer: Peer, method: str, params: Any) -> None:
        origins.append(ORIGIN.get())

    near, far = await kind()
    ORIGIN.set("here")
    async with connect(near, client(ext_request=answer)):
        ORIGIN.set("there")
        for number in range(2):
            far.write(line(ask(number, "_ask")))
            await far.read()
    assert origins == ["here", "here"]
    await far.close()


@pytest.mark.parametrize("kind", [sockets, memories])
@pytest.mark.parametrize("size", [1, 10_000])
async def test_an_error_while_data_is_processed_ends_the_connection(
    kind: Any, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Connection, data: bytes) -> NoReturn:
        raise RuntimeError("a fault")

    monkeypatch.setattr(Connection, "receive", fail)
    near, far = await kind()
    serving = asyncio.create_task(serve(near, agent()))
    await ticks()
    far.write(b"x" * size)
    with pytest.raises(RuntimeError, match="a fault"):
        await serving
    await far.close()
