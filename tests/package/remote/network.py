"""A simulated network: tests can break its connections and restart the server behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from tests.package.remote.servers import serving


class Network:
    """A proxy that forwards client connections to a server.

    Attributes:
        url: the URL of the agent.
        app: the application that currently serves the agent.
        is_down: whether new connections are refused.
        opened: the number of connections opened so far.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self.url = ""
        self.app = make()
        self.is_down = False
        self.opened = 0
        self.headers: list[dict[str, str]] = []
        self._make = make
        self._server_port = 0
        self._transports: set[asyncio.BaseTransport] = set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            names = {name.decode(): value.decode() for name, value in scope["headers"]}
            self.headers.append(names)
        await self.app(scope, receive, send)

    def cut(self) -> None:
        """Break all connections."""
        for transport in [*self._transports]:
            transport.abort()  # type: ignore[attr-defined]

    async def restart(self) -> None:
        """Break all connections and replace the application."""
        old, self.app = self.app, self._make()
        self.cut()
        await old.aclose()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_down:
            writer.transport.abort()
            return
        self.opened += 1
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._server_port)
        ends = {writer.transport, far_writer.transport}
        self._transports |= ends

        async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            with suppress(OSError):
                while data := await source.read(1 << 16):
                    sink.write(data)
                    await sink.drain()
            for end in ends:
                end.abort()

        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))
        self._transports -= ends


@asynccontextmanager
async def network(make: Callable[[], Any], server: str = "hypercorn") -> AsyncGenerator[Network]:
    """Serve an application created by `make`, which is called again at each restart."""
    made = Network(make)
    async with serving(made, server) as made._server_port:
        made.headers.clear()  # drop the headers of the readiness check
        entry = await asyncio.start_server(made._forward, "127.0.0.1", 0)
        made.url = f"http://127.0.0.1:{entry.sockets[0].getsockname()[1]}/acp"
        try:
            yield made
        finally:
            entry.close()
            made.cut()
            await made.app.aclose()
