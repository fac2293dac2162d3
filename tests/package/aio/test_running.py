"""Tests of the asyncio adapter: closing connections, and limits on memory, waiting and logging."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.aio import MemoryStream, Peer, connect, memory_streams, serve
from acp_bindings.runtime.aio.streams import CHUNK, MemoryMessages, memory_messages
from acp_bindings.runtime.jsonrpc import Connection, Limits
from acp_bindings.runtime.jsonrpc.envelope import Message

from tests.package.aio.loop import pair
from tests.package.aio.sides import (
    ASK,
    CANCEL,
    GIVE_UP,
    TELL,
    Gate,
    Wire,
    agent,
    client,
    connected,
    done,
    echo,
    served,
    serving,
    stop,
    stuck,
    ticks,
)
from tests.package.jsonrpc.wire import ask, initialize, line, tell

STOP = tell("session/cancel", sessionId="s")
TURN = ask(3, "session/prompt", sessionId="s", prompt=[])


async def test_the_end_of_the_stream_fails_every_call() -> None:
    async with connected() as (peer, wire):
        calls = [asyncio.create_task(peer.request(ASK, None)) for _ in range(10)]
        await ticks()
        wire.stream.write(b'{"jsonrpc":"2.0","id":1,"res')
        await wire.stream.close()
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(result) for result in results] == [ConnectionClosed] * 10
        with pytest.raises(ConnectionClosed):
            await peer.request(ASK, None)


async def test_the_end_is_known_while_a_handler_still_works() -> None:
    gate = Gate()
    async with connected(client(ext_request=gate)) as (peer, wire):
        wire.write(ask(1))
        await gate.started.wait()
        ended = asyncio.create_task(peer.wait_ended())
        await wire.stream.close()
        await ticks()  # no virtual time passes, and the handler has one second to finish
        assert ended.done()
        assert not gate.cancelled.is_set()
        gate.go_on.set()


@pytest.mark.parametrize("closes", [0, 2])
async def test_leaving_the_context_fails_every_call(closes: int) -> None:
    async with connected() as (peer, _):
        call = asyncio.create_task(peer.request(ASK, None))
        await ticks()
        for _ in range(closes):
            await peer.close()
    for failing in (call, peer.request(ASK, None), peer.notify(TELL, None)):
        with pytest.raises(ConnectionClosed):
            await failing


@pytest.mark.parametrize("fails", [False, True])
async def test_a_context_that_is_left_closes_the_stream(fails: bool) -> None:
    near, far = memory_streams()
    found = []
    try:
        async with connect(near, client()):
            if fails:
                raise LookupError("mine")
    except LookupError as error:
        found.append(str(error))
    assert found == ["mine"] * fails
    assert await far.read() == b""


async def test_a_call_whose_room_and_answer_never_come_is_closed_without_a_trace() -> None:
    """A call that is waiting for room in the stream fails when the connection is closed."""
    async with connected(room=10) as (peer, wire):
        call = asyncio.create_task(peer.request(ASK, "x" * 100))
        await ticks()
        await wire.stream.close()
        with pytest.raises(ConnectionClosed):
            await call


async def test_handlers_have_time_to_finish_after_the_end() -> None:
    gate = Gate()
    wire, task = await served(agent(ext_request=gate), linger=GIVE_UP)
    wire.write(ask(1))
    await gate.started.wait()
    await wire.stream.close()
    await ticks()
    assert not task.done()
    gate.go_on.set()
    await task
    assert len(gate.handled) == 1


class Gated(MemoryStream):
    """A stream that is slow to close."""

    def __init__(self, stream: MemoryStream) -> None:
        super().__init__(stream._incoming, stream._outgoing)
        self.closing, self.may_close, self.closed = (asyncio.Event() for _ in range(3))

    async def close(self) -> None:
        self.closing.set()
        await self.may_close.wait()
        await super().close()
        self.closed.set()


async def test_closing_is_seen_to_its_end_when_it_is_interrupted() -> None:
    near, far = memory_streams()
    stream = Gated(near)
    context = connect(stream, client())
    await context.__aenter__()
    await far.close()
    await stream.closing.wait()
    leaving = asyncio.create_task(context.__aexit__(None, None, None))
    await ticks()
    assert not leaving.done()
    stream.may_close.set()
    await leaving
    assert stream.closed.is_set()


async def test_what_waits_for_a_notification_is_begun_after_the_end_of_the_stream() -> None:
    async def slow(peer: Peer, params: Any) -> None:
        await ticks()

    async with serving(agent(session_cancel=slow, session_prompt=done)) as wire:
        wire.write(STOP, TURN)
        wire.stream._outgoing.close()
        assert (await wire.read())["result"] == {"stopReason": "end_turn"}


async def test_no_lane_no_account_and_no_task_is_left() -> None:
    """A long-lived connection must not retain data about each completed turn."""

    async def stopped(peer: Peer, params: Any) -> None: ...

    async with pair(agent(session_cancel=stopped, ext_request=echo)) as peer:
        for number in range(100):
            await peer.notify(CANCEL, stop(str(number)))
            await peer.request(ASK, number)
        spawned = weakref.ref(peer.spawn(asyncio.sleep(0)))
        await ticks()
        assert not peer._calling._calls
        assert not peer._running._unfinished()
        assert not peer._handling.lanes._lanes
        assert not peer._connection.pending
        gc.collect()
        assert spawned() is None


async def test_writing_nothing_is_not_the_end() -> None:
    near, far = memory_streams()
    far.write(b"")
    far.write(b"data")
    assert await near.read() == b"data"


BIG = 1 << 16


def numbered(count: int) -> bytes:
    return line(*(tell("_tell", number=number) for number in range(count)))


# --- floods ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "size", "most"),
    [(Limits(backlog=10), 0, 20), (Limits(backlog_bytes=10 * BIG), BIG, 12)],
)
async def test_reading_pauses_while_handlers_are_slow(limits: Limits, size: int, most: int) -> None:
    gate = Gate()
    async with connected(client(ext_notification=gate), room=1, limits=limits) as (_, wire):
        sent = 0
        for sent in range(1000):
            wire.write(tell("_tell", number=sent, text="x" * size))
            try:
                await asyncio.wait_for(wire.stream.drain(), 0.05)
            except asyncio.TimeoutError:
                break
        assert 10 <= sent <= most
        gate.go_on.set()
        await wire.stream.drain()
        while len(gate.handled) <= sent:
            await asyncio.sleep(0)
        assert [params["number"] for params in gate.handled] == list(range(sent + 1))


async def test_reading_goes_on_while_a_handler_waits_for_the_other_side() -> None:
    answers: list[Any] = []

    async def ask_back(peer: Peer, method: str, params: Any) -> None:
        answers.append(await peer.request(ASK, params))

    async with connected(client(ext_notification=ask_back), limits=Limits(backlog=10)) as (_, wire):
        wire.stream.write(numbered(15))
        for number in range(15):
            wire.write({"id": (await wire.read())["id"], "result": number})
        while len(answers) < 15:
            await asyncio.sleep(0)
        assert answers == list(range(15))


async def test_a_flood_behind_such_a_handler_ends_the_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    failed: list[BaseException] = []

    async def ask_back(peer: Peer, method: str, params: Any) -> None:
        try:
            await peer.request(ASK, params)
        except ConnectionClosed as error:
            failed.append(error)

    made = client(ext_notification=ask_back)
    async with connected(made, limits=Limits(backlog=10)) as (peer, wire):
        wire.stream.write(numbered(500))
        await wire.rest()
        await peer.wait_ended()
        assert failed
    assert "closing the connection: too many notifications are waiting for handlers" in caplog.text


@pytest.mark.parametrize(("number", "ends"), [(392, False), (393, True)])
async def test_four_hundred_may_wait_behind_such_handlers(
    number: int, ends: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """A session with waiting messages is treated like eight additional messages."""

    async def ask_back(peer: Peer, method: str, params: Any) -> None:
        with contextlib.suppress(ConnectionClosed):
            await peer.request(ASK, params)

    async with connected(client(ext_notification=ask_back), limits=Limits(backlog=10)) as (_, wire):
        wire.stream.write(numbered(number))
        await ticks()
    assert ("closing the connection" in caplog.text) is ends


async def test_a_side_that_does_not_read_its_answers_loses_the_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    near, far = memory_streams()
    limits = Limits(unread_bytes=4 * BIG)
    task = asyncio.create_task(serve(far, agent(ext_request=echo), limits=limits))
    for number in range(100):
        near.write(line(ask(number, "_echo", text="x" * BIG)))
        await ticks()
    await task
    assert "closing the connection: the peer left" in caplog.text


class Busy(MemoryStream):
    """A stream with a buffer that is always full."""

    def __init__(self, stream: MemoryStream) -> None:
        super().__init__(stream._incoming, stream._outgoing)

    async def drain(self) -> None:
        """Wait forever."""
        await asyncio.sleep(GIVE_UP)


class Plain:
    """A stream that does not report its unsent bytes."""

    def __init__(self, stream: MemoryStream) -> None:
        self.read, self.write = stream.read, stream.write
        self.drain, self.close = stream.drain, stream.close


async def answered(stream: Any, wire: Wire) -> int:
    """Send requests so that one is always pending, and return the number of the last request."""
    limits = Limits(unread_bytes=4 * BIG)
    task = asyncio.create_task(serve(stream, agent(ext_request=echo), limits=limits))
    wire.write(initialize(1), ask(1, "_echo", text="x" * BIG))
    await wire.read()
    for number in range(2, 22):
        wire.write(ask(number, "_echo", text="x" * BIG))
        await wire.read()
    await wire.stream.close()
    await task
    return number


@pytest.mark.parametrize("wrap", [lambda stream: stream, Busy, Plain])
async def test_a_side_that_reads_everything_keeps_the_connection(wrap: Any) -> None:
    near, far = memory_streams()
    assert await answered(wrap(far), Wire(near)) == 21


async def test_of_a_stream_that_cannot_tell_what_was_written_since_there_was_room_counts() -> None:
    near, far = memory_streams()
    with pytest.raises(AssertionError, match="the stream has ended"):
        await answered(Plain(Busy(far)), Wire(near))


# --- data that streams forward ---------------------------------------------------------------


class Forwarding(MemoryStream):
    """A stream with a `take` attribute, the function that processes forwarded data."""

    def __init__(self, stream: MemoryStream) -> None:
        super().__init__(stream._incoming, stream._outgoing)

    def forward(self, take: Callable[[bytes], bool]) -> None:
        self.take = take


class ForwardingMessages(MemoryMessages):
    """A message stream with a `take` attribute, the function that processes forwarded messages."""

    def __init__(self, stream: MemoryMessages) -> None:
        super().__init__(stream._incoming, stream._outgoing)

    def forward(self, take: Callable[[Sequence[Message]], bool]) -> None:
        self.take = take


@pytest.mark.parametrize(
    ("pieces", "taken"),
    [
        ([numbered(2), numbered(1)], [True, True]),
        ([numbered(3), numbered(1)], [True, False]),  # more messages probably follow
        ([b" " * 4096], [True]),
        ([b" " * 4097, b" "], [False, False]),  # all later data must be processed later
        ([numbered(2)] * 8, [True] * 7 + [False]),  # above the limit for notifications
    ],
)
async def test_forwarded_bytes_are_processed_immediately_if_there_are_few(
    pieces: list[bytes], taken: list[bool]
) -> None:
    near, far = memory_streams()
    stream = Forwarding(near)
    async with connect(stream, client(ext_notification=stuck), limits=Limits(backlog=20)):
        await ticks()
        assert [stream.take(piece) for piece in pieces] == taken
        await far.close()


@pytest.mark.parametrize(("count", "taken"), [(16, True), (17, False)])
async def test_forwarded_messages_are_processed_immediately_if_there_are_few(
    count: int, taken: bool
) -> None:
    near, far = memory_messages()
    stream = ForwardingMessages(near)
    async with connect(stream, client()):
        await ticks()
        assert stream.take([Message(line(tell())[:-1])] * count) is taken
        await far.close()


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [([CHUNK + 1], [1]), ([CHUNK - 1, 1], [2]), ([CHUNK, 1], [1, 1]), ([1, CHUNK, 1], [1, 1, 1])],
)
async def test_many_bytes_of_messages_are_processed_one_message_at_a_time(
    sizes: list[int], groups: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    processed: list[int] = []

    def receive(self: Connection, messages: Sequence[Message]) -> list[Any]:
        processed.append(len(messages))
        return []

    monkeypatch.setattr(Connection, "receive_messages", receive)
    near, far = memory_messages()
    async with connect(ForwardingMessages(near), client()):
        far.send([Message(b"x" * size) for size in sizes])
        await ticks()
        await far.close()
    assert processed == groups


# --- the log ---------------------------------------------------------------------------------


async def test_noise_is_not_answered_and_logged_once_and_then_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        async with connected() as (_, wire):
            wire.stream.write(b"[INFO] started\n" * 50_000 + line(*[tell("nope\nnope")] * 5))
            wire.stream._outgoing.close()
            assert await wire.rest() == []
    noise = "ignored a message: not JSON: no value at character 1: '[INFO] started'"
    unknown = r"ignored a message: unknown notification 'nope\nnope'"
    assert caplog.messages == [
        noise,
        unknown,
        f"49999 more messages like this one: {noise}",
        f"4 more messages like this one: {unknown}",
    ]


# --- the end ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["request", "notification", "spawned"])
async def test_a_handler_that_swallows_its_cancellation_is_dropped(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    log: list[str] = []

    async def stubborn() -> None:
        try:
            while True:
                try:
                    await asyncio.sleep(GIVE_UP)
                except asyncio.CancelledError:
                    log.append("swallowed")
        finally:
            log.append("ended")

    async def handle(peer: Peer, method: str, params: Any) -> None:
        if kind == "spawned":
            peer.spawn(stubborn())
        else:
            await stubborn()

    made = agent(ext_request=handle, ext_notification=handle)
    async with serving(made, linger=0, grace=0.05) as wire:
        wire.write(ask(1) if kind == "request" else tell())
        await ticks()
    await ticks()
    assert log == ["swallowed", "ended"]
    [message] = caplog.messages
    said, _, place = message.partition(" (at ")
    assert said == "a handler did not finish within 0.05 seconds; dropping it"
    assert " in stubborn > " in place
    assert place.endswith(" in sleep)")
