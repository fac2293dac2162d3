"""Connections over WebSocket and Streamable HTTP, which the package itself does not have.

All are pumps between a stream in memory, which has a line for each message, and a transport that
has messages.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import httpx
from acp_bindings.runtime.aio import Handlers, MemoryStream, Stream, memory_streams, serve
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from websockets.asyncio.client import connect as connect_websocket

CONNECTION, SESSION = "Acp-Connection-Id", "Acp-Session-Id"
# Methods about a session that is open. Their responses come on the stream of that session.
SCOPED = ("prompt", "cancel", "close", "set_mode", "set_config_option")
KEEPALIVE = 15.0

Message = dict[str, Any]


async def messages(stream: Stream) -> AsyncIterator[str]:
    rest = b""
    while data := await stream.read():
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            yield line.decode()


def session_of(message: Message) -> str | None:
    members: Message = message.get("params") or message.get("result") or {}
    return members.get("sessionId")


def is_scoped(message: Message) -> bool:
    folder, _, name = message.get("method", "").partition("/")
    return folder == "session" and name in SCOPED


# --- clients ---------------------------------------------------------------------------------


@asynccontextmanager
async def websocket_stream(url: str) -> AsyncGenerator[Stream]:
    """A stream to an agent over WebSocket."""
    near, far = memory_streams()
    async with connect_websocket(url) as socket:

        async def receive() -> None:
            async for frame in socket:
                if isinstance(frame, str):
                    far.write(frame.encode() + b"\n")
            await far.close()

        async def send() -> None:
            async for message in messages(far):
                await socket.send(message)

        tasks = [asyncio.create_task(receive()), asyncio.create_task(send())]
        try:
            yield near
        finally:
            for task in tasks:
                task.cancel()


class HttpClient:
    """Posts messages, and listens to one stream for the connection and one for each session."""

    def __init__(self, url: str, http: httpx.AsyncClient, far: MemoryStream) -> None:
        self.url = url
        self.http = http
        self.far = far
        self.headers: dict[str, str] = {}
        self.listening: dict[str | None, asyncio.Task[None]] = {}

    async def send(self) -> None:
        try:
            async for line in messages(self.far):
                await self.post(line)
        finally:
            await self.far.close()

    async def post(self, line: str) -> None:
        message = json.loads(line)
        headers = {"Content-Type": "application/json", **self.headers}
        if is_scoped(message):
            headers[SESSION] = message["params"]["sessionId"]
        response = await self.http.post(self.url, content=line, headers=headers)
        response.raise_for_status()
        if response.status_code == 200:
            self.headers.setdefault(CONNECTION, response.headers[CONNECTION])
            self.take(response.text)
            self.listen(None)

    def take(self, line: str) -> None:
        if session_id := session_of(json.loads(line)):
            self.listen(session_id)
        self.far.write(line.encode() + b"\n")

    def listen(self, session_id: str | None) -> None:
        if session_id not in self.listening:
            self.listening[session_id] = asyncio.create_task(self.receive(session_id))

    async def receive(self, session_id: str | None) -> None:
        headers = {"Accept": "text/event-stream", **self.headers}
        if session_id is not None:
            headers[SESSION] = session_id
        async with self.http.stream("GET", self.url, headers=headers) as response:
            async for line in response.aiter_lines():
                if line.startswith("data:"):
                    self.take(line.removeprefix("data:"))
        if session_id is None:
            await self.far.close()
        self.listening.pop(session_id)


@asynccontextmanager
async def http_stream(url: str) -> AsyncGenerator[Stream]:
    """A stream to an agent over Streamable HTTP."""
    near, far = memory_streams()
    async with httpx.AsyncClient(http2=True, timeout=None) as http:
        client = HttpClient(url, http, far)
        sending = asyncio.create_task(client.send())
        try:
            yield near
        finally:
            for task in (sending, *client.listening.values()):
                task.cancel()
            await http.delete(url, headers=client.headers)


# --- the server ------------------------------------------------------------------------------


class HttpConnection:
    """A connection to one client: its agent, and a queue of messages for each of its streams."""

    def __init__(self, agent: Handlers) -> None:
        near, self.far = memory_streams()
        self.queues: dict[str | None, asyncio.Queue[str]] = defaultdict(asyncio.Queue)
        self.initialized: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.routes: dict[str | int | None, str | None] = {}
        work: list[Coroutine[Any, Any, None]] = [serve(near, agent), self.route()]
        self.tasks = [asyncio.create_task(each) for each in work]

    def post(self, message: Message) -> None:
        if "method" in message and "id" in message:
            self.routes[message["id"]] = session_of(message) if is_scoped(message) else None
        self.far.write(json.dumps(message).encode() + b"\n")

    async def route(self) -> None:
        async for line in messages(self.far):
            message = json.loads(line)
            session_id = session_of(message)
            if "method" not in message:
                if session_id is not None:
                    self.queues[session_id] = asyncio.Queue()  # a new session
                session_id = self.routes.pop(message["id"])
            if not self.initialized.done():
                self.initialized.set_result(line)
            else:
                self.queues[session_id if session_id in self.queues else None].put_nowait(line)

    async def events(self, session_id: str | None) -> AsyncIterator[str]:
        while True:
            try:
                line = await asyncio.wait_for(self.queues[session_id].get(), KEEPALIVE)
            except asyncio.TimeoutError:
                yield ": keepalive\n\n"
            else:
                yield f"data: {line}\n\n"

    async def close(self) -> None:
        await self.far.close()
        for task in self.tasks:
            task.cancel()


class HttpServer:
    """The connections of all clients, by id."""

    def __init__(self, agent: Handlers) -> None:
        self.agent = agent
        self.connections: dict[str, HttpConnection] = {}

    async def post(self, request: Request) -> Response:
        message = await request.json()
        if message.get("method") == "initialize":
            id_ = uuid4().hex
            connection = self.connections[id_] = HttpConnection(self.agent)
            connection.post(message)
            answer = json.loads(await connection.initialized)
            return JSONResponse(answer, headers={CONNECTION: id_})
        found = self.find(request)
        if isinstance(found, Response):
            return found
        found.post(message)
        return Response(status_code=202)

    async def get(self, request: Request) -> Response:
        found = self.find(request)
        if isinstance(found, Response):
            return found
        events = found.events(request.headers.get(SESSION))
        return StreamingResponse(events, media_type="text/event-stream")

    async def delete(self, request: Request) -> Response:
        found = self.find(request)
        if isinstance(found, Response):
            return found
        del self.connections[request.headers[CONNECTION]]
        await found.close()
        return Response(status_code=202)

    def find(self, request: Request) -> HttpConnection | Response:
        if CONNECTION not in request.headers:
            return JSONResponse({"error": "Missing connection id"}, 400)
        connection = self.connections.get(request.headers[CONNECTION])
        session_id = request.headers.get(SESSION)
        if connection is None or (session_id is not None and session_id not in connection.queues):
            return JSONResponse({"error": "Unknown connection or session id"}, 404)
        return connection

    async def websocket(self, socket: WebSocket) -> None:
        near, far = memory_streams()
        await socket.accept(headers=[(CONNECTION.lower().encode(), uuid4().hex.encode())])

        async def receive() -> None:
            async for text in socket.iter_text():
                far.write(text.encode() + b"\n")
            await far.close()

        async def send() -> None:
            async for message in messages(far):
                await socket.send_text(message)

        await asyncio.gather(receive(), send(), serve(near, self.agent))


def create_app(agent: Handlers, path: str) -> Starlette:
    """An application that serves an agent of its own to each connection."""
    server = HttpServer(agent)
    routes = [
        Route(path, server.post, methods=["POST"]),
        Route(path, server.get, methods=["GET"]),
        Route(path, server.delete, methods=["DELETE"]),
        WebSocketRoute(path, server.websocket),
    ]
    return Starlette(routes=routes)
