"""A scripted HTTP/1.1 server, and two servers that behave like other SDKs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import h11

from tests.package.remote.asgi import CONNECTION, SESSION

EVENTS = {"content-type": "text/event-stream"}
NO_HEADERS: Mapping[str, str] = {}
ID = "c-1"


@dataclass
class Request:
    """A received request, with methods for responding to it."""

    method: str
    headers: dict[str, str]
    body: bytes
    writer: asyncio.StreamWriter
    http: h11.Connection
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def message(self) -> Any:
        return json.loads(self.body)

    @property
    def session(self) -> str | None:
        return self.headers.get(SESSION)

    @property
    def is_initialize(self) -> bool:
        return self.method == "POST" and self.message.get("method") == "initialize"

    def _send(self, event: Any) -> None:
        self.writer.write(self.http.send(event) or b"")

    def reply(self, status: int, body: Any = b"", headers: Mapping[str, str] = NO_HEADERS) -> None:
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        names = {"content-length": str(len(body)), **headers}
        self._send(h11.Response(status_code=status, headers=[*names.items()]))
        self._send(h11.Data(data=body))
        self.end()

    def start(self, status: int = 200, headers: Mapping[str, str] = EVENTS) -> None:
        self._send(h11.Response(status_code=status, headers=[*headers.items()]))

    def data(self, data: bytes) -> None:
        self._send(h11.Data(data=data))

    def event(self, message: Any) -> None:
        text = json.dumps(message, ensure_ascii=False).encode()
        self.data(b"data: " + text + b"\n\n")

    def end(self) -> None:
        self._send(h11.EndOfMessage())
        self.ended.set()

    def cut(self) -> None:
        self.writer.transport.abort()
        self.ended.set()


Script = Callable[[Request], Awaitable[None]]


class Server:
    """A scripted server that records the requests that it receives.

    Attributes:
        url: its URL.
        requests: the requests that it received.
        sockets: the number of open connections.
    """

    url = ""

    def __init__(self, script: Script) -> None:
        self.requests: list[Request] = []
        self.sockets = 0
        self._script = script

    @property
    def posted(self) -> list[Any]:
        return [request.message for request in self.requests if request.method == "POST"]

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.sockets += 1
        try:
            while await self._take_one(h11.Connection(h11.SERVER), reader, writer):
                pass
        except (OSError, h11.RemoteProtocolError):
            pass
        finally:
            self.sockets -= 1
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _take_one(
        self, http: h11.Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        head: Any = None
        body = b""
        while True:
            event = http.next_event()
            if event is h11.NEED_DATA:
                data = await reader.read(1 << 16)
                if not data:
                    return False
                http.receive_data(data)
            elif isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                body += event.data
            else:
                break
        headers = {name.decode(): value.decode() for name, value in head.headers}
        request = Request(head.method.decode(), headers, body, writer, http)
        self.requests.append(request)
        gone = asyncio.create_task(reader.read(1))
        script = asyncio.create_task(self._script_of(request))
        ending = asyncio.create_task(request.ended.wait())
        try:
            await asyncio.wait([gone, ending], return_when=asyncio.FIRST_COMPLETED)
            if not request.ended.is_set() and gone.done():
                return False
            await writer.drain()
        finally:
            for task in (gone, script, ending):
                if not task.done() or task is gone:
                    task.cancel()
            await asyncio.wait([gone, script, ending])
        script.result()
        return not writer.transport.is_closing() and not (gone.done() and not gone.cancelled())

    async def _script_of(self, request: Request) -> None:
        await self._script(request)
        await request.ended.wait()


@asynccontextmanager
async def serving(script: Script) -> AsyncGenerator[Server]:
    """Run a scripted server, and check at the end that no client is still connected."""
    server = Server(script)
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(server.take(reader, writer))
        tasks.add(task)

    listening = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/acp"
        yield server
        if tasks:
            _, left = await asyncio.wait(tasks, timeout=5)
            assert not left, "the client has left a socket open"
            for task in tasks:
                task.result()
    finally:
        listening.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def initialized(request: Request, headers: Mapping[str, str] = NO_HEADERS) -> None:
    """Respond to `initialize`."""
    result = {
        "protocolVersion": 2,
        "capabilities": {"session": {}},
        "info": {"name": "scripted", "version": "1"},
    }
    body = {"jsonrpc": "2.0", "id": request.message["id"], "result": result}
    kind = {"content-type": "application/json", CONNECTION: ID}
    request.reply(200, body, {**kind, **headers})


def result(id_: Any, **fields: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "result": fields}


def update(session: str, text: str) -> dict[str, Any]:
    """Return a `session/update` notification that contains text."""
    return {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {"sessionId": session, "text": text},
    }


class Streams:
    """A base class for scripts that handles `initialize`, streams and DELETE requests.

    Attributes:
        streams: the open stream of each session; the key None is the connection's stream.
        known: the ids of loaded sessions, for servers that reject all others.
    """

    def __init__(self) -> None:
        self.streams: dict[str | None, Request] = {}
        self.known: set[str] = set()

    async def __call__(self, request: Request) -> None:
        if request.is_initialize:
            initialized(request)
        elif request.method == "GET":
            await self.get(request)
        elif request.method == "DELETE":
            request.reply(202)
        else:
            await self.post(request, request.message)

    async def get(self, request: Request) -> None:
        request.start()
        self.streams[request.session] = request

    async def post(self, request: Request, message: Any) -> None:
        request.reply(202)


class LikeTypeScript(Streams):
    """A server that requires the session header, like the TypeScript SDK.

    It responds to `session/load` on the connection's stream.
    """

    async def post(self, request: Request, message: Any) -> None:
        session = message.get("params", {}).get("sessionId")
        if session is not None and request.session is None:
            request.reply(400, b"Acp-Session-Id header is required")
            return
        request.reply(202)
        if message.get("method") == "session/load":
            self.streams[None].event(result(message["id"]))  # sent before the replay
            for count in range(3):
                self.streams[session].event(update(session, f"replay {count}"))
        elif message.get("method") == "session/new":
            self.streams[None].event(result(message["id"], sessionId="s"))
        elif "id" in message:
            self.streams[session].event(result(message["id"]))


class LikePython(Streams):
    """A server that rejects sessions that weren't loaded, like the Python SDK.

    It responds to `session/load` on the connection's stream.
    """

    async def get(self, request: Request) -> None:
        if request.session is not None and request.session not in self.known:
            request.reply(404, b"unknown session")
        else:
            await super().get(request)

    async def post(self, request: Request, message: Any) -> None:
        if request.session is not None and request.session not in self.known:
            request.reply(404, b"unknown session")
            return
        request.reply(202)
        session = message.get("params", {}).get("sessionId")
        if message.get("method") == "session/load":
            for count in range(3):
                self.streams[None].event(update(session, f"replay {count}"))
            self.known.add(session)
            self.streams[None].event(result(message["id"]))
        elif "id" in message:
            self.streams[session].event(result(message["id"]))
