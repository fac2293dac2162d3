"""Few writes: what is sent in one step of the event loop goes out together."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from acp_bindings import v1
from acp_bindings.runtime.aio import MemoryStream, Peer, connect, memory_streams
from package.jsonrpc.loop import handler, run
from package.jsonrpc.wire import ask, line, tell

TELL = v1.EXTENSIONS[("agent", "notification")].named("_tell")
ASK = v1.EXTENSIONS[("agent", "request")].named("_ask")


class Recorded(MemoryStream):
    """A stream that keeps each write apart."""

    def __init__(self, stream: MemoryStream) -> None:
        super().__init__(stream._incoming, stream._outgoing)
        self.writes: list[list[Any]] = []

    def write(self, data: bytes) -> None:
        """Record the params, results or errors of the messages."""
        messages = [json.loads(text) for text in data.splitlines()]
        kinds = ("params", "result", "error")
        self.writes.append([each[k] for each in messages for k in kinds if k in each])
        super().write(data)


@asynccontextmanager
async def connected(**methods: Any) -> AsyncGenerator[tuple[Recorded, MemoryStream, Peer]]:
    """A client over a recorded stream; yields the stream, its other end, and the peer."""
    near, far = memory_streams()
    stream = Recorded(near)
    async with connect(stream, handler(v1.ClientHandler, **methods)) as peer:
        yield stream, far, peer
    await far.close()


def test_notifications_of_one_step_are_two_writes() -> None:
    async def main() -> None:
        async with connected() as (stream, _, peer):
            await asyncio.gather(*(peer.notify(TELL, number) for number in range(5)))
            assert stream.writes == [[0], [1, 2, 3, 4]]

    run(main())


def test_what_has_been_notified_is_written() -> None:
    async def main() -> None:
        async with connected() as (stream, _, peer):

            async def tell_one(number: int) -> None:
                await peer.notify(TELL, number)
                assert any(number in write for write in stream.writes), number

            await asyncio.gather(*map(tell_one, range(5)))

    run(main())


def test_each_step_begins_with_a_write_at_once() -> None:
    async def main() -> None:
        async with connected() as (stream, _, peer):
            for number in range(3):
                await peer.notify(TELL, number)
                await asyncio.sleep(0)
                await asyncio.sleep(0)
            assert stream.writes == [[0], [1], [2]]

    run(main())


def test_posted_notifications_are_sent_in_the_same_step() -> None:
    async def main() -> None:
        async with connected() as (stream, _, peer):
            peer.post(TELL, "a")
            peer.post(TELL, "b")
            assert stream.writes == [["a"]]
            await peer.drain()
            assert stream.writes == [["a"], ["b"]]

    run(main())


def test_requests_of_one_step_are_two_writes() -> None:
    async def main() -> None:
        async with connected() as (stream, far, peer):
            calls = asyncio.gather(*(peer.request(ASK, number) for number in range(4)))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert stream.writes == [[0], [1, 2, 3]]
            far.write(line(*({"id": number + 1, "result": number} for number in range(4))))
            assert await calls == [0, 1, 2, 3]

    run(main())


def test_replies_of_one_step_are_two_writes() -> None:
    async def main() -> None:
        gate = asyncio.Event()

        async def answer(peer: Peer, method: str, params: Any) -> Any:
            await gate.wait()
            return params

        async with connected(ext_request=answer) as (stream, far, _):
            far.write(line(*(ask(number, x=number) for number in range(4)), tell("_told")))
            for _step in range(5):
                await asyncio.sleep(0)
            assert stream.writes == []
            gate.set()
            for _step in range(5):
                await asyncio.sleep(0)
            assert stream.writes == [[{"x": 0}], [{"x": 1}, {"x": 2}, {"x": 3}]]

    run(main())
