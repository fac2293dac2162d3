"""An ASGI server without sockets, for handwritten requests and recorded events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

LOCAL: Mapping[str, str] = {"host": "127.0.0.1:8080"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": 2,
        "capabilities": {},
        "info": {"name": "test", "version": "1"},
    },
}
CONNECTION, SESSION = "acp-connection-id", "acp-session-id"


def request(id_: int | str, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


@dataclass
class Response:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def reason(self) -> str:
        return str(self.json()["error"]["message"])


class Call:
    """A call to an ASGI application, with queues for the events in both directions."""

    def __init__(self, app: Any, kind: str, given: Mapping[str, Any]) -> None:
        headers: Mapping[str, str] = given.get("headers", {})
        self.scope = {
            "type": kind,
            "path": "/acp",
            "root_path": "",
            "query_string": b"",
            "scheme": "http",
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 8080),
            "extensions": {"websocket.http.response": {}},
            **given,
            "headers": [(n.encode(), v.encode()) for n, v in {**LOCAL, **headers}.items() if v],
        }
        self.incoming: asyncio.Queue[Any] = asyncio.Queue()
        self.outgoing: asyncio.Queue[Any] = asyncio.Queue()
        self.writable = asyncio.Event()  # cleared while the client does not read
        self.writable.set()
        self.task = asyncio.create_task(app(self.scope, self.incoming.get, self._send))

    async def _send(self, event: Any) -> None:
        await self.writable.wait()
        self.outgoing.put_nowait(event)

    async def next(self) -> Any:
        """Return the application's next event, or None if the application has returned."""
        getting = asyncio.ensure_future(self.outgoing.get())
        await asyncio.wait([getting, self.task], return_when=asyncio.FIRST_COMPLETED)
        if getting.done():
            return getting.result()
        getting.cancel()
        self.task.result()
        return None if self.outgoing.empty() else self.outgoing.get_nowait()


class Listener(Call):
    """An open GET request that receives a stream of messages."""

    rest = b""

    async def status(self) -> int:
        start = await self.next()
        self.headers = {n.decode(): v.decode() for n, v in start["headers"]}
        return int(start["status"])

    async def event(self, *, comments: bool = False) -> Any:
        """Return the next message, or None at the end of the stream."""
        while b"\n\n" not in self.rest:
            part = await self.next()
            if part is None or not part["more_body"]:
                return None
            self.rest += part["body"]
        event, _, self.rest = self.rest.partition(b"\n\n")
        if not event.startswith(b":"):
            assert event.startswith(b"data: ")
            return json.loads(event[6:])
        return event if comments else await self.event()

    async def leave(self) -> None:
        self.incoming.put_nowait({"type": "http.disconnect"})
        await self.task


class Socket(Call):
    """A WebSocket."""

    def __init__(self, app: Any, given: Mapping[str, Any]) -> None:
        super().__init__(app, "websocket", {"scheme": "ws", **given})
        self.incoming.put_nowait({"type": "websocket.connect"})

    def say(self, message: Any) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        self.incoming.put_nowait({"type": "websocket.receive", "text": text})

    async def hear(self) -> Any:
        """Return the next message, or the close code."""
        event = await self.next()
        if event["type"] == "websocket.send":
            return json.loads(event["text"])
        assert event["type"] == "websocket.close", event
        return event["code"]

    async def leave(self) -> None:
        self.incoming.put_nowait({"type": "websocket.disconnect", "code": 1006})
        await self.task


class Client:
    """A client that sends requests to an application, with the id of its connection."""

    def __init__(self, app: Any, **scope: Any) -> None:
        self.app = app
        self.scope = scope
        self.id = ""
        self.listeners: list[Listener] = []

    def _given(self, headers: Mapping[str, str], scope: Mapping[str, Any]) -> dict[str, Any]:
        own = {CONNECTION: self.id} if self.id else {}
        return {
            **self.scope,
            **scope,
            "headers": {**self.scope.get("headers", {}), **own, **headers},
        }

    async def send(
        self, method: str, body: Any = b"", headers: Mapping[str, str] = {}, **scope: Any
    ) -> Response:
        kind = {"content-type": "application/json"} if method == "POST" else {}
        given = self._given({**kind, **headers}, {"method": method, **scope})
        call = Call(self.app, "http", given)
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        for start in range(0, len(body) or 1, 1 << 20):
            part = body[start : start + (1 << 20)]
            has_more = start + len(part) < len(body)
            call.incoming.put_nowait({"type": "http.request", "body": part, "more_body": has_more})
        start, parts = await call.next(), b""
        while part := await call.next():
            parts += part["body"]
        names = {name.decode(): value.decode() for name, value in start["headers"]}
        return Response(start["status"], names, parts)

    async def post(self, message: Any, headers: Mapping[str, str] = {}, **scope: Any) -> Response:
        return await self.send("POST", message, headers, **scope)

    async def initialize(self, message: Any = INITIALIZE) -> Any:
        """Send `initialize`, store the connection's id, and return the result."""
        response = await self.post(message)
        assert response.status == 200, response
        self.id = response.headers[CONNECTION]
        return response.json()["result"]

    async def listen(self, session_id: str = "", **scope: Any) -> Listener:
        headers = {"accept": "text/event-stream", SESSION: session_id}
        listener = Listener(self.app, "http", self._given(headers, {"method": "GET", **scope}))
        listener.incoming.put_nowait({"type": "http.request", "body": b"", "more_body": False})
        self.listeners.append(listener)
        assert await listener.status() == 200
        assert await listener.event(comments=True) == b":"  # sent with the headers
        return listener

    def socket(self, **scope: Any) -> Socket:
        return Socket(self.app, self._given(scope.pop("headers", {}), scope))

    async def open(self, listener: Listener, id_: int | str = 1) -> str:
        """Open a session and return its id."""
        created = await self.post(request(id_, "session/new", cwd="/", mcpServers=[]))
        assert created.status == 202
        response = await listener.event()
        assert response["id"] == id_
        return str(response["result"]["sessionId"])


def prompt(id_: int | str, session_id: str, text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return request(id_, "session/prompt", sessionId=session_id, prompt=content)


@asynccontextmanager
async def closing(app: Any) -> AsyncGenerator[Any]:
    """Close an application when the block exits."""
    try:
        yield app
    finally:
        await app.aclose()
