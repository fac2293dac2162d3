"""The agent and the editor over WebSockets.

python websocket.py serve 8765
python websocket.py connect ws://localhost:8765
"""

import asyncio
import os
import sys
from collections import deque
from contextlib import suppress
from socket import create_server

from acp_bindings import v1, v2
from acp_bindings.runtime.aio import connect, serve
from acp_bindings.runtime.jsonrpc import MAX_LINE
from acp_bindings.v2 import kit
from agent_with_tools import AgentV1, AgentV2
from editor import ClientV1, ClientV2, converse
from screen import Screen
from websockets import ConnectionClosed
from websockets.asyncio.client import connect as open_socket
from websockets.asyncio.connection import Connection
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as listen


class WebSocketStream:
    """A `Stream` over a WebSocket: a line of the stream is a text message of the WebSocket."""

    def __init__(self, socket: Connection) -> None:
        self._socket = socket
        self._lines: deque[bytes] = deque()
        self._rest = b""  # of a line that is not complete
        self._sending: asyncio.Task[None] | None = None
        self._is_broken = False

    async def read(self) -> bytes:
        try:
            message = await self._socket.recv(decode=False)
        except ConnectionClosed:
            return b""
        return message.replace(b"\n", b" ") + b"\n"  # within JSON, line ends are spaces

    def write(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._lines.extend(lines)
        if self._sending is None and self._lines:
            self._sending = asyncio.create_task(self._send())

    async def _send(self) -> None:
        try:
            while self._lines:
                await self._socket.send(self._lines.popleft(), text=True)
        except ConnectionClosed:
            self._is_broken = True
        finally:
            self._sending = None

    async def drain(self) -> None:
        if self._sending is not None:
            await asyncio.wait([self._sending])
        if self._is_broken:
            raise BrokenPipeError("the WebSocket is closed")

    async def close(self) -> None:
        with suppress(OSError, asyncio.TimeoutError):
            await asyncio.wait_for(self.drain(), 5)
        await self._socket.close()


async def serve_agent(socket: ServerConnection) -> None:
    await serve(WebSocketStream(socket), AgentV1, AgentV2)


async def main(role: str, where: str, protocol: int = 2) -> int:
    if role == "serve":
        # A browser names the origin of its page; without one, it is a program that connects.
        with create_server(("127.0.0.1", int(where))) as port:
            print(f"ws://127.0.0.1:{port.getsockname()[1]}", flush=True)
            async with listen(serve_agent, sock=port, origins=[None], max_size=MAX_LINE):
                await asyncio.Event().wait()  # for ever
    async with open_socket(where, max_size=MAX_LINE) as socket:
        screen = Screen()
        clients: list[ClientV1 | ClientV2] = [ClientV1(), ClientV2()]
        for client in clients:
            client.permissions = kit.Permissions(ask=screen.choose)
        async with connect(WebSocketStream(socket), *clients[:protocol]) as peer:
            await peer.initialize()
            session_class = v1.ClientSession if peer.surface is v1 else v2.ClientSession
            session = await session_class.create(peer, cwd=os.getcwd(), mcp_servers=[])
            return await converse(session, screen)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))))
