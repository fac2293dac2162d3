"""Functions that exchange one JSON message per line over asyncio's pipes, without validation."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, BinaryIO

Message = dict[str, Any]


class _Reader(asyncio.Protocol):
    def __init__(self, take: Callable[[Message], None], ended: asyncio.Future[None]) -> None:
        self._take = take
        self._ended = ended
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(json.loads(line))

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended.set_result(None)


async def open_output(outgoing: BinaryIO) -> Callable[[Message], None]:
    """Return a function that sends a message."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_write_pipe(asyncio.Protocol, outgoing)

    def send(message: Message) -> None:
        transport.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    return send


async def open_input(incoming: BinaryIO, take: Callable[[Message], None]) -> asyncio.Future[None]:
    """Call a function for each message, and return a future for the end of the input."""
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    await loop.connect_read_pipe(lambda: _Reader(take, ended), incoming)
    return ended
