"""What is sent in one step of the event loop is written together, after a first write at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from acp_bindings.runtime.aio import MemoryStream, Peer, connect, memory_streams
from package.jsonrpc.aio_sides import ASK, TELL, client, ticks
from package.jsonrpc.wire import ask, line, tell


class Recorded(MemoryStream):
    """A stream that keeps each write apart."""

    def __init__(self, stream: MemoryStream) -> None:
        super().__init__(stream._incoming, stream._outgoing)
        self.writes: list[list[Any]] = []

    def write(self, data: bytes) -> None:
        """Record the params, or the results, of the messages."""
        messages = [json.loads(text) for text in data.splitlines()]
        self.writes.append([each.get("params", each.get("result")) for each in messages])
        super().write(data)


@asynccontextmanager
async def recorded(**methods: Any) -> AsyncGenerator[tuple[Recorded, MemoryStream, Peer]]:
    """A client over a recorded stream; yields the stream, its other end, and the peer."""
    near, far = memory_streams()
    stream = Recorded(near)
    async with connect(stream, client(**methods)) as peer:
        yield stream, far, peer
    await far.close()


async def test_notifications_of_one_step_are_two_writes() -> None:
    async with recorded() as (stream, _, peer):

        async def tell_one(number: int) -> None:
            await peer.notify(TELL, number)
            assert any(number in write for write in stream.writes), number

        await asyncio.gather(*map(tell_one, range(5)))
        assert stream.writes == [[0], [1, 2, 3, 4]]


async def test_each_step_begins_with_a_write_at_once() -> None:
    async with recorded() as (stream, _, peer):
        for number in range(3):
            await peer.notify(TELL, number)
            await ticks(2)
        assert stream.writes == [[0], [1], [2]]


async def test_posted_notifications_are_sent_in_the_same_step() -> None:
    async with recorded() as (stream, _, peer):
        peer.post(TELL, "a")
        peer.post(TELL, "b")
        assert stream.writes == [["a"]]
        await peer.drain()
        assert stream.writes == [["a"], ["b"]]


async def test_requests_and_replies_of_one_step_are_two_writes_each() -> None:
    gate = asyncio.Event()

    async def answer(peer: Peer, method: str, params: Any) -> Any:
        await gate.wait()
        return params

    async with recorded(ext_request=answer) as (stream, far, peer):
        calls = asyncio.gather(*(peer.request(ASK, number) for number in range(4)))
        await ticks(2)
        assert stream.writes == [[0], [1, 2, 3]]
        far.write(line(*({"id": number + 1, "result": number} for number in range(4))))
        assert await calls == [0, 1, 2, 3]
        stream.writes.clear()
        far.write(line(*(ask(number, x=number) for number in range(4)), tell("_told")))
        await ticks(5)
        assert stream.writes == []
        gate.set()
        await ticks(5)
        assert stream.writes == [[{"x": 0}], [{"x": 1}, {"x": 2}, {"x": 3}]]
