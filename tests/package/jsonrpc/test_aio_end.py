"""The asyncio adapter: the end of a connection."""

from __future__ import annotations

import asyncio
import gc
import sys
import weakref
from typing import Any

import pytest
from acp_bindings.runtime import REQUEST_CANCELLED, ConnectionClosed
from acp_bindings.runtime.aio import MemoryStream, Peer, connect, memory_streams
from package.jsonrpc.aio_sides import (
    ASK,
    CANCEL,
    DONE,
    GIVE_UP,
    TELL,
    Wire,
    agent,
    client,
    echo,
    served,
    stop,
    ticks,
)
from package.jsonrpc.loop import pair, run
from package.jsonrpc.wire import ask, cancel, tell


def test_the_end_of_the_stream_fails_every_call() -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, client()) as peer:
            calls = [asyncio.create_task(peer.request(ASK, None)) for _ in range(10)]
            await ticks()
            far.write(b'{"jsonrpc":"2.0","id":1,"res')
            await far.close()
            results = await asyncio.gather(*calls, return_exceptions=True)
            assert [type(result) for result in results] == [ConnectionClosed] * 10
            with pytest.raises(ConnectionClosed):
                await peer.request(ASK, None)

    run(main())


def test_leaving_the_context_fails_every_call() -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, client()) as peer:
            call = asyncio.create_task(peer.request(ASK, None))
            await ticks()
        with pytest.raises(ConnectionClosed):
            await call
        with pytest.raises(ConnectionClosed):
            await peer.request(ASK, None)
        with pytest.raises(ConnectionClosed):
            await peer.notify(TELL, None)
        await far.close()

    run(main())


def test_a_context_that_is_left_at_once_closes_the_stream() -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, client()):
            pass
        assert await far.read() == b""

    run(main())


def test_an_error_in_the_context_closes_the_stream_and_goes_on() -> None:
    async def fail(stream: MemoryStream) -> None:
        async with connect(stream, client()):
            raise LookupError("mine")

    async def main() -> None:
        near, far = memory_streams()
        with pytest.raises(LookupError, match="mine"):
            await fail(near)
        assert await far.read() == b""

    run(main())


def test_a_call_whose_room_and_answer_never_come_is_closed_without_a_trace() -> None:
    """The end fails the call while it still waits for room in the stream."""

    async def main() -> None:
        near, far = memory_streams(10)
        async with connect(near, client()) as peer:
            call = asyncio.create_task(peer.request(ASK, "x" * 100))
            await ticks()
            await far.close()
            with pytest.raises(ConnectionClosed):
                await call

    run(main())


def test_handlers_have_time_to_finish_after_the_end() -> None:
    log: list[str] = []

    async def main() -> None:
        started, go_on = asyncio.Event(), asyncio.Event()

        async def slow(peer: Peer, method: str, params: Any) -> Any:
            started.set()
            await go_on.wait()
            log.append("finished")

        wire, serving = await served(agent(ext_request=slow), linger=GIVE_UP)
        wire.write(ask(1))
        await started.wait()
        await wire.stream.close()
        await ticks()
        assert not serving.done()
        go_on.set()
        await serving

    run(main())
    assert log == ["finished"]


def test_handlers_that_do_not_finish_are_cancelled() -> None:
    log: list[str] = []

    async def main() -> None:
        started = asyncio.Event()

        async def stuck(peer: Peer, method: str, params: Any) -> Any:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                log.append(method)

        wire, serving = await served(agent(ext_request=stuck, ext_notification=stuck), linger=0)
        wire.write(ask(1), tell())
        await started.wait()
        await ticks()
        await wire.stream.close()
        await serving

    run(main())
    assert sorted(log) == ["_ask", "_tell"]


def test_a_server_that_is_cancelled_answers_what_it_was_doing() -> None:
    async def main() -> None:
        started = asyncio.Event()

        async def stuck(peer: Peer, method: str, params: Any) -> Any:
            started.set()
            await asyncio.Event().wait()

        wire, serving = await served(agent(ext_request=stuck))
        wire.write(ask(1))
        await started.wait()
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving
        (reply,) = await wire.rest()
        assert (reply["id"], reply["error"]["code"]) == (1, REQUEST_CANCELLED)

    run(main())


class Gated(MemoryStream):
    """Takes its time to close."""

    def __init__(self, stream: MemoryStream) -> None:
        super().__init__(stream._incoming, stream._outgoing)
        self.closing, self.may_close, self.closed = (asyncio.Event() for _ in range(3))

    async def close(self) -> None:
        self.closing.set()
        await self.may_close.wait()
        await super().close()
        self.closed.set()


def test_closing_is_seen_to_its_end_when_it_is_interrupted() -> None:
    async def main() -> None:
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

    run(main())


def test_a_handler_may_leave_the_context_of_its_own_peer() -> None:
    async def main() -> None:
        near, far = memory_streams()
        wire = Wire(far)
        left = asyncio.Event()

        async def leave(peer: Peer, method: str, params: Any) -> None:
            try:
                await context.__aexit__(None, None, None)
            finally:
                left.set()

        context = connect(near, client(ext_notification=leave))
        await context.__aenter__()
        wire.write(tell())
        await left.wait()
        assert await wire.rest() == []

    run(main())


def test_what_waits_for_a_notification_is_begun_after_the_end_of_the_stream() -> None:
    async def slow(peer: Peer, params: Any) -> None:
        await ticks()

    async def main() -> None:
        wire, serving = await served(agent(session_cancel=slow, session_prompt=done))
        turn = ask(1, "session/prompt", sessionId="s", prompt=[])
        wire.write(tell("session/cancel", sessionId="s"), turn)
        wire.stream._outgoing.close()
        assert (await wire.read())["result"] == {"stopReason": "end_turn"}
        await serving

    run(main())


def test_no_lane_and_no_account_is_left() -> None:
    async def main() -> None:
        async with pair(agent(session_cancel=echo_nothing, ext_request=echo)) as peer:
            for number in range(100):
                await peer.notify(CANCEL, stop(str(number)))
                await peer.request(ASK, number)
            await ticks()
            assert not peer._calling._calls
            assert not peer._running._unfinished()
            assert not peer._serving.lanes._lanes
            assert not peer._connection.pending

    run(main())


async def echo_nothing(peer: Peer, params: Any) -> None:
    return None


@pytest.mark.skipif(sys.version_info < (3, 12), reason="tasks are never eager before Python 3.12")
def test_tasks_may_be_eager() -> None:
    async def wait(peer: Peer, method: str, params: Any) -> Any:
        if params is None:
            await asyncio.Event().wait()
        return params

    async def main() -> None:
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
        wire, serving = await served(agent(ext_request=wait, session_prompt=done))
        request = {"id": 1, "method": "_ask", "params": 5}
        stopped = tell("session/cancel", sessionId="s")
        turn = ask(3, "session/prompt", sessionId="s", prompt=[])
        wire.write(request, cancel(1), {"id": 2, "method": "_ask"}, cancel(2), stopped, stopped)
        wire.write(turn, stopped)
        replies = {reply["id"]: reply for reply in [await wire.read() for _ in range(3)]}
        assert replies[1]["result"] == 5
        assert replies[2]["error"]["code"] == REQUEST_CANCELLED
        assert replies[3]["result"] == {"stopReason": "end_turn"}
        await wire.stream.close()
        await serving

    run(main())


async def done(peer: Peer, params: Any) -> Any:
    return DONE


def test_what_has_ended_is_forgotten_while_the_connection_lives() -> None:
    """Otherwise, a long connection keeps each turn that it ever had."""

    async def main() -> None:
        async with pair(agent(), client()) as peer:
            done = weakref.ref(peer.spawn(asyncio.sleep(0)))
            await ticks()
            gc.collect()
            assert done() is None

    run(main())
