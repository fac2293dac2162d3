"""What a connection keeps for the other side has limits, and closing it has an end."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import ConnectionClosed, LimitExceeded, RequestError
from acp_bindings.runtime.aio import MemoryStream, Peer, connect, memory_streams, serve
from acp_bindings.runtime.jsonrpc import Limits
from package.jsonrpc.aio_sides import ASK, GIVE_UP, TELL, Wire, agent, client, echo, ticks
from package.jsonrpc.loop import handler, pair, run
from package.jsonrpc.wire import ask, batch, initialize, line, tell

BIG = 1 << 16


async def end_of(stream: Any) -> bytes:
    """Read to the end."""
    found = b""
    while data := await stream.read():
        found += data
    return found


# --- floods ----------------------------------------------------------------------------------


def test_reading_pauses_while_handlers_are_slow() -> None:
    async def main() -> None:
        go_on = asyncio.Event()
        handled: list[Any] = []

        async def slow(peer: Peer, method: str, params: Any) -> None:
            await go_on.wait()
            handled.append(params)

        near, far = memory_streams(1)
        limits = Limits(backlog=10)
        async with connect(near, client(ext_notification=slow), limits=limits):
            sent = 0
            for sent in range(1000):
                far.write(line(tell("_tell", number=sent)))
                try:
                    await asyncio.wait_for(far.drain(), 0.05)
                except asyncio.TimeoutError:
                    break
            assert 10 <= sent <= 20
            go_on.set()
            await far.drain()
            while len(handled) <= sent:
                await asyncio.sleep(0)
            assert [params["number"] for params in handled] == list(range(sent + 1))

    run(main())


def test_messages_are_counted_by_their_size_too() -> None:
    async def main() -> None:
        go_on = asyncio.Event()

        async def slow(peer: Peer, method: str, params: Any) -> None:
            await go_on.wait()

        near, far = memory_streams(1)
        limits = Limits(backlog_bytes=3 * BIG)
        async with connect(near, client(ext_notification=slow), limits=limits):
            for _ in range(3):
                far.write(line(tell("_tell", text="x" * BIG)))
                await far.drain()
            far.write(line(tell("_tell")))
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(far.drain(), 0.05)
            go_on.set()
            await far.drain()

    run(main())


def test_reading_goes_on_while_a_handler_waits_for_the_other_side() -> None:
    async def main() -> None:
        answers: list[Any] = []

        async def ask_back(peer: Peer, method: str, params: Any) -> None:
            answers.append(await peer.request(ASK, params))

        near, far = memory_streams()
        limits = Limits(backlog=10)
        async with connect(near, client(ext_notification=ask_back), limits=limits):
            far.write(line(*(tell("_tell", number=number) for number in range(15))))
            for number in range(15):
                await far.read()
                far.write(line({"id": number + 1, "result": number}))
            while len(answers) < 15:
                await asyncio.sleep(0)
            assert answers == list(range(15))

    run(main())


def test_a_flood_behind_such_a_handler_ends_the_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        failed: list[BaseException] = []

        async def ask_back(peer: Peer, method: str, params: Any) -> None:
            try:
                await peer.request(ASK, params)
            except ConnectionClosed as error:
                failed.append(error)

        near, far = memory_streams()
        limits = Limits(backlog=10)
        async with connect(near, client(ext_notification=ask_back), limits=limits) as peer:
            far.write(line(*(tell("_tell", number=number) for number in range(500))))
            await end_of(far)
            await peer.wait_ended()
            assert failed

    run(main())
    assert "the connection is given up: too many notifications wait for handlers" in caplog.text


def test_a_side_that_does_not_read_its_answers_loses_the_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        near, far = memory_streams()
        limits = Limits(unread_bytes=4 * BIG)
        serving = asyncio.create_task(serve(far, agent(ext_request=echo), limits=limits))
        for number in range(100):
            near.write(line(ask(number, "_echo", text="x" * BIG)))
            await ticks()
        await serving

    run(main())
    assert "the connection is given up: the other side does not read" in caplog.text


def test_answers_that_are_read_are_not_counted() -> None:
    async def main() -> None:
        async with pair(agent(ext_request=echo), limits=Limits(unread_bytes=4 * BIG)) as peer:
            for _ in range(20):
                await peer.request(ASK, "x" * BIG)

    run(main())


class Busy(MemoryStream):
    """A stream that always has something to write, and so never room."""

    def __init__(self, stream: MemoryStream) -> None:
        super().__init__(stream._incoming, stream._outgoing)

    async def drain(self) -> None:
        """Wait without an end."""
        await asyncio.sleep(GIVE_UP)


class Plain:
    """A stream that cannot tell what it has not sent."""

    def __init__(self, stream: MemoryStream) -> None:
        self.read, self.write = stream.read, stream.write
        self.drain, self.close = stream.drain, stream.close


async def answered(stream: Any, wire: Wire) -> int:
    """How many of several answers arrive, each while the next one is already asked for."""
    limits = Limits(unread_bytes=4 * BIG)
    serving = asyncio.create_task(serve(stream, agent(ext_request=echo), limits=limits))
    wire.write(initialize(1), ask(1, "_echo", text="x" * BIG))
    await wire.read()
    for number in range(2, 22):
        wire.write(ask(number, "_echo", text="x" * BIG))
        await wire.read()
    await wire.stream.close()
    await serving
    return number


def test_a_side_that_reads_everything_keeps_the_connection_though_there_is_never_room() -> None:
    async def main() -> None:
        near, far = memory_streams()
        assert await answered(Busy(far), Wire(near)) == 21

    run(main())


def test_of_a_stream_that_cannot_tell_what_was_written_since_there_was_room_counts() -> None:
    async def main() -> None:
        near, far = memory_streams()
        assert await answered(Plain(far), Wire(near)) == 21
        near, far = memory_streams()
        with pytest.raises(AssertionError, match="the stream has ended"):
            await answered(Plain(Busy(far)), Wire(near))

    run(main())


# --- requests --------------------------------------------------------------------------------


def test_too_many_open_requests_are_refused_and_others_are_answered() -> None:
    async def main() -> None:
        go_on = asyncio.Event()

        async def wait(peer: Peer, method: str, params: Any) -> Any:
            await go_on.wait()
            return params

        async with pair(agent(ext_request=wait), limits=Limits(requests=2)) as peer:
            calls = [asyncio.create_task(peer.request(ASK, number)) for number in range(3)]
            with pytest.raises(RequestError, match="too many requests: 2 requests with"):
                await calls[2]
            go_on.set()
            assert await asyncio.gather(*calls[:2]) == [0, 1]
            assert await peer.request(ASK, 3) == 3

    run(main())


def test_requests_that_are_too_large_together_are_refused() -> None:
    async def main() -> None:
        go_on = asyncio.Event()

        async def wait(peer: Peer, method: str, params: Any) -> Any:
            await go_on.wait()
            return len(params)

        async with pair(agent(ext_request=wait), limits=Limits(requests_bytes=2 * BIG)) as peer:
            calls = [asyncio.create_task(peer.request(ASK, "x" * BIG)) for _ in range(3)]
            with pytest.raises(RequestError, match="too many requests: 2 requests with 1311"):
                await calls[2]
            go_on.set()
            assert await asyncio.gather(*calls[:2]) == [BIG, BIG]
            assert await peer.request(ASK, "x" * BIG) == BIG

    run(main())


def test_too_many_calls_raise() -> None:
    async def main() -> None:
        near, far = memory_streams()
        limits = Limits(calls=2)
        async with connect(near, handler(v1.ClientHandler), limits=limits) as peer:
            calls = [asyncio.create_task(peer.request(ASK, None)) for _ in range(2)]
            await ticks()
            with pytest.raises(LimitExceeded, match="2 requests have no response yet"):
                await peer.request(ASK, None)
            await far.close()
            found = await asyncio.gather(*calls, return_exceptions=True)
            assert [type(each) for each in found] == [ConnectionClosed] * 2

    run(main())


def test_a_large_batch_is_refused_as_a_whole(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        from acp_bindings import v2

        near, far = memory_streams()
        async with connect(near, handler(v2.ClientHandler)):
            far.write(b"[" + b",".join([b"1"] * 300_000) + b"]\n")
            answer = await far.read()
            assert answer.count(b"\n") == 1
            assert len(answer) < 200
            far.write(batch(ask(1), ask(2)))
            assert (await far.read()).count(b"-32601") == 2

    run(main())
    assert "a batch of 300000 messages" in caplog.text


# --- the log ---------------------------------------------------------------------------------


def test_noise_is_logged_once_and_then_counted(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, handler(v1.ClientHandler)) as peer:
            far.write(b"[INFO] started\n" * 50_000 + line(*[tell("nope\nnope")] * 5))
            await far.close()
            await peer.wait_ended()

    with caplog.at_level(logging.WARNING):
        run(main())
    assert [record.getMessage() for record in caplog.records] == [
        "ignored a message: not JSON: no value at character 1: '[INFO] started'",
        r"ignored a message: unknown notification 'nope\nnope'",
        "49999 more messages like this one: ignored a message: not JSON: no value at character 1: "
        "'[INFO] started'",
        r"4 more messages like this one: ignored a message: unknown notification 'nope\nnope'",
    ]


def test_stray_text_is_not_answered() -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, handler(v1.ClientHandler)):
            far.write(b"[INFO] started\n[12:30:01] ready\n{'a': 1}\nTraceback\n")
            await ticks()
        assert await end_of(far) == b""

    run(main())


def test_names_with_line_breaks_stay_on_one_line(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(peer: Peer, method: str, params: Any) -> None:
        raise ValueError("no")

    async def main() -> None:
        async with pair(agent(ext_notification=fail, ext_request=fail)) as peer:
            await peer.notify(TELL.named("_a\nFAKE entry"), None)
            with pytest.raises(RequestError):
                await peer.request(ASK.named("_b\nFAKE entry"), None)

    run(main())
    assert len(caplog.records) == 2
    assert not any("\n" in record.getMessage() for record in caplog.records)


# --- the end ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["request", "notification", "spawned"])
def test_a_handler_that_swallows_its_cancellation_is_dropped(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    log: list[str] = []

    async def stubborn() -> None:
        try:
            while True:
                try:
                    await asyncio.sleep(3600)
                except asyncio.CancelledError:
                    log.append("swallowed")
        finally:
            log.append("ended")

    async def handle(peer: Peer, method: str, params: Any) -> None:
        if kind == "spawned":
            peer.spawn(stubborn())
        else:
            await stubborn()

    async def main() -> None:
        made = agent(ext_request=handle, ext_notification=handle)
        near, far = memory_streams()
        serving = asyncio.create_task(serve(far, made, linger=0, grace=0.05))
        near.write(line(ask(1) if kind == "request" else tell()))
        await ticks()
        await near.close()
        await serving

    run(main())
    assert log == ["swallowed", "ended"]
    assert "did not end within 0.05 seconds, and is dropped" in caplog.text


def test_a_handler_that_cleans_up_in_time_is_not_dropped() -> None:
    log: list[str] = []

    async def careful(peer: Peer, method: str, params: Any) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0.05)
            log.append("clean")

    async def main() -> None:
        near, far = memory_streams()
        serving = asyncio.create_task(serve(far, agent(ext_request=careful), linger=0))
        near.write(line(ask(1)))
        await ticks()
        await near.close()
        await serving

    run(main())
    assert log == ["clean"]
