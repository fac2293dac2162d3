"""Measure the memory that connections and sessions take, and print it in bytes as JSON.

Counted is what Python allocates, at its highest point, less what there was before.
"""

from __future__ import annotations

import asyncio
import gc
import json
import tracemalloc
from collections.abc import Awaitable, Callable
from typing import Any

from acp_bindings import v2
from acp_bindings.runtime.aio import connect, memory_streams
from acp_bindings.v2.client_session import SessionClient

FLOOD = 200_000
SESSIONS = 1_000
CHUNKS = 100_000
# Messages are written in pieces, so that the writer takes little memory itself.
PIECE = 1_000


def message(session: str, text: str) -> bytes:
    content = {"type": "text", "text": text}
    kind = {"sessionUpdate": "agent_message_chunk", "messageId": "m"}
    params = {"sessionId": session, "update": {**kind, "content": content}}
    body = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return json.dumps(body).encode() + b"\n"


class Stuck(v2.ClientHandler):
    """A client whose handler of updates never ends."""

    def __init__(self, peer: Any) -> None:
        self.peer = peer

    async def session_update(self, params: Any) -> None:
        await asyncio.Event().wait()


async def flood() -> None:
    """A peer sends without end to a client whose handler is stuck; reading pauses."""
    near, far = memory_streams()
    async with connect(near, Stuck, grace=0.1):
        for _ in range(FLOOD // PIECE):
            far.write(message("s", "word ") * PIECE)
            try:
                await asyncio.wait_for(far.drain(), 0.5)
            except asyncio.TimeoutError:
                return
    raise AssertionError("the flood was taken")


async def sessions() -> None:
    near, far = memory_streams()
    async with connect(near, SessionClient) as peer:
        client: Any = peer.handler
        for number in range(SESSIONS):
            client.session(str(number))
            far.write(message(str(number), "Hello"))
        await far.drain()
        while not all(each.state.messages for each in client.sessions.values()):
            await asyncio.sleep(0)


async def chunks() -> None:
    near, far = memory_streams()
    async with connect(near, SessionClient) as peer:
        client: Any = peer.handler
        session = client.session("s")
        for _ in range(CHUNKS // PIECE):
            far.write(message("s", "word ") * PIECE)
            await far.drain()
        while not session.state.messages or len(session.state.messages[0].content) < CHUNKS:
            await asyncio.sleep(0)


MEASURED: dict[str, Callable[[], Awaitable[None]]] = {
    f"a flood of {FLOOD:,} messages, of which a stuck handler takes none": flood,
    f"{SESSIONS:,} idle sessions": sessions,
    f"a message of {CHUNKS:,} chunks": chunks,
}


async def measure(act: Callable[[], Awaitable[None]]) -> int:
    gc.collect()
    tracemalloc.start()
    await act()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def main() -> None:
    print(json.dumps({what: asyncio.run(measure(act)) for what, act in MEASURED.items()}))


if __name__ == "__main__":
    main()
