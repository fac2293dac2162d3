"""The asyncio adapter: the end of connections."""

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
    GIVE_UP,
    TELL,
    Gate,
    agent,
    client,
    connected,
    done,
    echo,
    served,
    serving,
    stop,
    ticks,
)
from package.jsonrpc.loop import pair
from package.jsonrpc.wire import ask, cancel, tell

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
    """The end fails the call while it still waits for room in the stream."""
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
    """Takes its time to close."""

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
    leaving = asyncio.create_task(context.__aexit__(None, None, None))  # type: ignore[arg-type]
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
    """Otherwise, a long connection keeps each turn that it ever had."""

    async def stopped(peer: Peer, params: Any) -> None: ...

    async with pair(agent(session_cancel=stopped, ext_request=echo)) as peer:
        for number in range(100):
            await peer.notify(CANCEL, stop(str(number)))
            await peer.request(ASK, number)
        spawned = weakref.ref(peer.spawn(asyncio.sleep(0)))
        await ticks()
        assert not peer._calling._calls
        assert not peer._running._unfinished()
        assert not peer._serving.lanes._lanes
        assert not peer._connection.pending
        gc.collect()
        assert spawned() is None


@pytest.mark.skipif(sys.version_info < (3, 12), reason="tasks are never eager before Python 3.12")
async def test_tasks_may_be_eager() -> None:
    async def wait(peer: Peer, method: str, params: Any) -> Any:
        if params is None:
            await asyncio.Event().wait()
        return params

    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    async with serving(agent(ext_request=wait, session_prompt=done)) as wire:
        request = {"id": 1, "method": "_ask", "params": 5}
        wire.write(request, cancel(1), {"id": 2, "method": "_ask"}, cancel(2), STOP, STOP)
        wire.write(TURN, STOP)
        replies = {reply["id"]: reply for reply in [await wire.read() for _ in range(3)]}
        assert replies[1]["result"] == 5
        assert replies[2]["error"]["code"] == REQUEST_CANCELLED
        assert replies[3]["result"] == {"stopReason": "end_turn"}


async def test_writing_nothing_is_not_the_end() -> None:
    near, far = memory_streams()
    far.write(b"")
    far.write(b"data")
    assert await near.read() == b"data"
