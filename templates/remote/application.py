"""An agent as an ASGI application, for WebSocket and HTTP on one path."""

from __future__ import annotations

import asyncio
from collections.abc import (
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Mapping,
    MutableMapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeAlias

from ..runtime.aio.endpoints import serve
from ..runtime.aio.handlers import Handlers
from ..runtime.aio.streams import GRACE, MessageStream
from ..runtime.jsonrpc.envelope import Message
from ..runtime.jsonrpc.errors import INVALID_REQUEST
from ..runtime.jsonrpc.handler import Handler
from ..runtime.jsonrpc.logs import logger_of
from ..runtime.jsonrpc.observing import Loss, Observer
from ..runtime.session.agent_sessions import AgentSessions
from ..runtime.values import jsontext
from ..runtime.values.errors import DecodeError, Issue
from .routing import (
    CONNECTION_ID,
    EVENTS,
    JSON,
    METHODS,
    SESSION_ID,
    Refusal,
    RemoteLimits,
    ServerRouting,
    is_initialize,
    refuse_head,
    refuse_message,
)
from .streams import FAILED, GOING_AWAY, POLICY, PROTOCOL_ERROR, TOO_BIG, ServedMessages
from .trust import Admit, Trust, Visitor

Scope: TypeAlias = "MutableMapping[str, Any]"
Receive: TypeAlias = "Callable[[], Awaitable[MutableMapping[str, Any]]]"
Send: TypeAlias = "Callable[[MutableMapping[str, Any]], Awaitable[None]]"
Headers: TypeAlias = "Iterable[tuple[str, str]]"
# Serves one connection until it ends.
Talk: TypeAlias = "Callable[[MessageStream], Awaitable[None]]"

_DEFAULT = RemoteLimits()
_log = logger_of(__name__)

_STREAMED = (("content-type", EVENTS), ("cache-control", "no-cache"), ("x-accel-buffering", "no"))
_COMMENT = b":\n\n"
# What responses of a status have besides their reason.
_ADVICE: Final[Mapping[int, Headers]] = {
    401: (("www-authenticate", "Bearer"),),
    405: (("allow", ", ".join((*METHODS, "OPTIONS"))),),
    503: (("retry-after", "5"),),
}
_BUSY = Refusal(503, "too many connections; try again later")
_CLOSING = Refusal(503, "the server is shutting down")


class RemoteApplication:
    """An ASGI application that serves remote clients, each connection with a task of its own."""

    def __init__(
        self,
        talk: Talk,
        *,
        token: str | None = None,
        admit: Admit | None = None,
        origins: Iterable[str] = (),
        path: str = "/acp",
        limits: RemoteLimits = _DEFAULT,
        idle: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        """Start without connections.

        Args:
            talk: serves a connection, until the stream that it is called with ends.
            token: see `remote_app`.
            admit: see `remote_app`.
            origins: see `remote_app`.
            path: see `remote_app`.
            limits: see `remote_app`.
            idle: called after `limits.keep_sessions` seconds without a connection.

        Raises:
            TypeError: If the origins are a string.
            ValueError: If the token is empty, or any page could use the agent without one.
        """
        self._talk = talk
        self._trust = Trust(token, admit, origins)
        self._path = path.rstrip("/")
        self._limits = limits
        self._connections: dict[str, ServedMessages] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._starting = 0
        self._is_closing = False
        self._when_idle = idle
        self._idle_timer: asyncio.TimerHandle | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, as ASGI servers call it."""
        kind = scope["type"]
        if kind == "http":
            await self._serve_http(_Exchange(scope, receive, send))
        elif kind == "websocket":
            await self._serve_websocket(scope, receive, send)
        elif kind == "lifespan":
            await self._live(receive, send)
        else:
            raise ValueError(f"unknown kind of ASGI scope {kind!r}")

    async def aclose(self) -> None:
        """End all connections and wait until they have ended. More are refused.

        The server's shutdown calls this. Call it if the application is mounted in another one that
        does not pass the server's lifespan on.
        """
        self._is_closing = True
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        for connection in [*self._connections.values()]:
            connection.end(GOING_AWAY)
        # `talk` ends when its stream does, and limits its time.
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            event = await receive()
            if event["type"] == "lifespan.shutdown":
                await self.aclose()
            await send({"type": f"{event['type']}.complete"})
            if event["type"] == "lifespan.shutdown":
                return

    # --- connections -------------------------------------------------------------------------

    def _refuse_opening(self) -> Refusal | None:
        if self._is_closing:
            return _CLOSING
        limits = self._limits
        is_full = len(self._connections) >= limits.connections
        return _BUSY if is_full or self._starting >= limits.starts else None

    def _open(self, user: Any, *, has_sessions: bool) -> ServedMessages:
        """Open a connection, without an agent so far."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        routing = ServerRouting(self._limits, has_sessions=has_sessions)
        connection = ServedMessages(routing, self._limits, user)
        self._connections[connection.id] = connection
        self._starting += 1
        connection.answer.add_done_callback(self._end_starting)
        return connection

    def _end_starting(self, answer: object) -> None:
        self._starting -= 1

    def _start(self, connection: ServedMessages, initialize: Message) -> None:
        """Begin to serve an agent."""
        connection.begin(initialize)
        self._spawn(self._run(connection))

    async def _run(self, connection: ServedMessages) -> None:
        try:
            await self._talk(connection)
        except Exception:
            _log.exception("a remote connection failed")
            connection.end(FAILED)
        finally:
            await self._close(connection)

    async def _close(self, connection: ServedMessages) -> None:
        """Close a connection, after its agent if it has one."""
        try:
            await connection.close()
        finally:
            del self._connections[connection.id]
            if self._when_idle is not None and not self._connections and not self._is_closing:
                loop = asyncio.get_running_loop()
                seconds = self._limits.keep_sessions
                self._idle_timer = loop.call_later(seconds, self._end_idle)

    def _end_idle(self) -> None:
        assert self._when_idle is not None
        self._spawn(self._when_idle())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- HTTP --------------------------------------------------------------------------------

    async def _serve_http(self, exchange: _Exchange) -> None:
        visitor, method = exchange.visitor, exchange.method
        exchange.cors = self._trust.cors(visitor, is_preflight=method == "OPTIONS")
        if not self._is_here(exchange.path):
            await exchange.refuse(404, "there is no agent at this path")
            return
        if method == "OPTIONS":
            status, reason, _ = self._trust.decide_origin(visitor)
            if status == 200:
                await exchange.respond(204)
            else:
                await exchange.refuse(status, reason)
            return
        status, reason, user = await self._trust.decide(visitor)
        if status != 200:
            await exchange.refuse(status, reason)
            return
        headers = visitor.headers
        connection = self._connections.get(headers.get(CONNECTION_ID, ""))
        if connection is not None and (connection.is_over or connection.user != user):
            connection = None
        refusal = refuse_head(method, headers, is_known=connection is not None)
        if refusal is not None:
            await exchange.refuse(*refusal)
        elif connection is None:
            await self._initialize(exchange, user)
        elif method == "POST":
            await self._post(exchange, connection)
        elif method == "GET":
            await self._listen(exchange, connection)
        else:
            connection.end()
            await exchange.respond(202)

    def _is_here(self, path: str) -> bool:
        return path.rstrip("/") == self._path

    async def _initialize(self, exchange: _Exchange, user: Any) -> None:
        """Begin a connection; the response has the agent's."""
        refusal = self._refuse_opening()
        if refusal is not None:
            await exchange.refuse(*refusal)
            return
        connection = self._open(user, has_sessions=True)
        message = None
        try:
            message = await self._read(exchange, connection)
        finally:
            if message is None:
                await self._close(connection)
        if message is None:
            return
        self._start(connection, message)
        answer = connection.answer
        try:
            await _first_of(exchange.wait_left(), waits=[answer])
        finally:
            if not answer.done():
                connection.end()  # the client has left, and nothing else knows the connection
        if answer.cancelled():
            await exchange.refuse(500, "the agent ended before it answered")
            return
        connection.expect_listener()
        await exchange.respond(200, answer.result(), [(CONNECTION_ID, connection.id)])

    async def _post(self, exchange: _Exchange, connection: ServedMessages) -> None:
        await connection.wait_for_room()
        message = await self._read(exchange, connection)
        if message is None:
            return
        connection.put(message, exchange.visitor.headers.get(SESSION_ID))
        await exchange.respond(202)

    async def _read(self, exchange: _Exchange, connection: ServedMessages) -> Message | None:
        """Read the message of a request and count it; if something is wrong, respond."""
        limits = self._limits
        chunks: list[bytes] = []
        size = 0
        refusal: Refusal | None = None
        has_more = True
        while has_more and refusal is None:
            event = await exchange.receive()
            if event["type"] != "http.request":
                break  # the client has left
            chunk: bytes = event.get("body", b"")
            has_more = event.get("more_body", False)
            chunks.append(chunk)
            size += len(chunk)
            connection.count(len(chunk))
            if size > limits.message_bytes:
                refusal = Refusal(413, f"the message has more than {limits.message_bytes} bytes")
            elif connection.received > limits.unread_bytes:
                refusal = Refusal(429, "the agent does not read; try again later")
        if not has_more and refusal is None:
            message = Message(_on_one_line(b"".join(chunks)))
            refusal = refuse_message(message, exchange.visitor.headers)
            if connection.is_over and refusal is None:
                refusal = Refusal(404, "the connection ended; initialize a new one")
            if refusal is None:
                return message
        connection.count(-size)
        if refusal is not None:
            await exchange.refuse(*refusal)
        return None

    async def _listen(self, exchange: _Exchange, connection: ServedMessages) -> None:
        """Send the messages of a stream until either side ends it."""
        stream = exchange.visitor.headers.get(SESSION_ID)
        if connection.routing.listeners > self._limits.sessions:
            await exchange.refuse(429, "the connection has too many listeners")
            return
        if not connection.listen(stream):
            await exchange.refuse(409, "the stream has a listener")
            return
        try:
            sending = self._send_events(exchange, connection, stream)
            await _first_of(exchange.wait_left(), sending, waits=[connection.finished])
        finally:
            connection.leave(stream)

    async def _send_events(
        self, exchange: _Exchange, connection: ServedMessages, stream: str | None
    ) -> None:
        await exchange.begin(200, _STREAMED)
        await exchange.send_body(_COMMENT)  # some servers send the headers with the first bytes
        while (texts := await connection.wait_texts(stream)) is not None:
            events = b"".join([b"data: %b\n\n" % text for text in texts])
            await exchange.send_body(events or _COMMENT)
            connection.sent(stream, texts)
        await exchange.send_body(b"", is_last=True)

    # --- WebSocket ---------------------------------------------------------------------------

    async def _serve_websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        visitor = _visitor_of(scope)
        await receive()  # `websocket.connect`
        status, reason, user = 404, "there is no agent at this path", None
        if self._is_here(_path_of(scope)):
            status, reason, user = await self._trust.decide(visitor)
        refusal = Refusal(status, reason) if status != 200 else self._refuse_opening()
        if refusal is not None:
            await _refuse_upgrade(scope, send, refusal)
            return
        connection = self._open(user, has_sessions=False)
        connection.listen(None)
        is_started = has_left = False
        try:
            headers = _encoded([(CONNECTION_ID, connection.id)])
            accept = {"type": "websocket.accept", "subprotocol": visitor.subprotocol}
            await send({**accept, "headers": headers})
            initialize = await self._read_first(connection, receive)
            if initialize is not None:
                self._start(connection, initialize)
                is_started = True
                reading = self._read_frames(connection, receive)
                writing = self._write_frames(connection, send)
                has_left = await _first_of(reading, writing, waits=[connection.finished])
            if not has_left:
                closing = send({"type": "websocket.close", "code": connection.code})
                await _first_of(closing, asyncio.sleep(GRACE))
        finally:
            connection.end()
            connection.leave(None)
            if not is_started:
                await self._close(connection)

    async def _read_first(self, connection: ServedMessages, receive: Receive) -> Message | None:
        """Wait for the first message; if it is not `initialize`, end the connection."""
        messages: list[Message] = []

        async def read() -> None:
            message = await self._read_frame(connection, receive)
            if message is not None:
                messages.append(message)

        # The answer is cancelled when the connection ends.
        waiting = asyncio.sleep(self._limits.listener_timeout)
        await _first_of(read(), waiting, waits=[connection.answer])
        with suppress(DecodeError):
            if messages and is_initialize(messages[0]):
                return messages[0]
        connection.end(PROTOCOL_ERROR if messages else POLICY)
        return None

    async def _read_frames(self, connection: ServedMessages, receive: Receive) -> None:
        """Read messages until the client leaves."""
        while message := await self._read_frame(connection, receive):
            connection.put(message)
            await connection.wait_for_room()

    async def _read_frame(self, connection: ServedMessages, receive: Receive) -> Message | None:
        """Wait for a message and count it; None if the client has left."""
        while True:
            event = await receive()
            if event["type"] != "websocket.receive":
                return None
            text: str | None = event.get("text")
            if text is None:
                continue  # binary frames have no meaning
            message = Message(_on_one_line(text.encode()))
            if len(message.text) > self._limits.message_bytes:
                connection.end(TOO_BIG)
                await connection.finished
            connection.count(len(message.text))
            return message

    async def _write_frames(self, connection: ServedMessages, send: Send) -> None:
        """Send messages until the connection is closed."""
        while (texts := await connection.wait_texts(None)) is not None:
            for text in texts:
                await send({"type": "websocket.send", "text": text.decode()})
            connection.sent(None, texts)


# --- the agent -------------------------------------------------------------------------------


def remote_app(
    *agents: Handlers,
    token: str | None = None,
    admit: Admit | None = None,
    origins: Iterable[str] = (),
    path: str = "/acp",
    limits: RemoteLimits = _DEFAULT,
    bridge: bool = False,
    linger: float = 1.0,
    grace: float = GRACE,
    on_issue: Callable[[Issue], object] | None = None,
    observe: Observer | None = None,
    debug: bool | None = None,
    on_loss: Callable[[Loss], object] | None = None,
) -> RemoteApplication:
    """Return an ASGI application that serves an agent over WebSocket and HTTP.

        app = remote_app(MyAgent, token=os.environ["TOKEN"])

    Without a token and `admit`, only clients on the same machine are served: the addresses of both
    sides and the `Host` header are loopback, and no proxy has forwarded the request. A page is
    served only if its origin is listed.

    An object as the agent has one connection at a time, more are refused with 503. It keeps its
    sessions for the next connection, but not longer than `limits.keep_sessions`.

    Args:
        agents: a handler for each protocol version to speak; see `serve`. A class is made for each
            connection.
        token: what clients pass as a bearer token, in the header `Authorization`; pages pass it
            to a WebSocket as the subprotocol `acp.bearer.TOKEN`. Make it long and random, from
            letters, digits, `-` and `_`.
        admit: called with the `Visitor` of each request, after the token is checked; it can be
            `async`. Returns what is known of the user, which handlers see as `peer.user`, or a
            false value to refuse with 403. A connection serves requests of an equal user only.
        origins: the origins of the pages that may use the agent, such as "https://example.org";
            "*" for all.
        path: the path of the application, after the path at which it is mounted.
        limits: how much to keep for clients, and how many to serve.
        bridge: see `serve`.
        linger: see `serve`.
        grace: see `serve`.
        on_issue: see `serve`.
        observe: see `serve`.
        debug: see `serve`.
        on_loss: see `serve`.

    Raises:
        TypeError: If the origins are a string.
        ValueError: If the token is empty, or any page could use the agent without one.
    """

    async def talk(stream: MessageStream) -> None:
        await serve(
            stream,
            *agents,
            linger=linger,
            grace=grace,
            max_line=limits.message_bytes,
            limits=limits.connection,
            on_issue=on_issue,
            observe=observe,
            debug=debug,
            bridge=bridge,
            on_loss=on_loss,
        )

    kept = [agent for agent in agents if isinstance(agent, Handler)]
    return RemoteApplication(
        talk,
        token=token,
        admit=admit,
        origins=origins,
        path=path,
        limits=replace(limits, connections=1) if kept else limits,
        idle=partial(_end_sessions, kept) if kept else None,
    )


async def _end_sessions(agents: Sequence[Handler]) -> None:
    """End the sessions that agents keep without a connection."""
    for agent in agents:
        if isinstance(agent, AgentSessions):
            for session_id in [*agent.sessions]:
                await agent.end_session(session_id)


# --- ASGI ------------------------------------------------------------------------------------


class _Exchange:
    """A request over HTTP, and its response."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.visitor = _visitor_of(scope)
        self.path = _path_of(scope)
        self.method: str = scope["method"]
        self.receive = receive
        self.cors: Headers = ()
        self._send = send

    async def wait_left(self) -> None:
        """Wait until the client has left."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    async def begin(self, status: int, headers: Headers) -> None:
        """Begin the response."""
        encoded = _encoded([*headers, *self.cors])
        await self._send({"type": "http.response.start", "status": status, "headers": encoded})

    async def send_body(self, body: bytes, *, is_last: bool = False) -> None:
        """Send a part of the response."""
        await self._send({"type": "http.response.body", "body": body, "more_body": not is_last})

    async def respond(self, status: int, body: bytes = b"", headers: Headers = ()) -> None:
        """Send a whole response."""
        kind = [("content-type", JSON)] if body else []
        length = [] if status == 204 else [("content-length", str(len(body)))]
        await self.begin(status, [*kind, *length, *headers])
        await self.send_body(body, is_last=True)

    async def refuse(self, status: int, reason: str, code: int = INVALID_REQUEST) -> None:
        """Respond with an error."""
        await self.respond(status, _error(reason, code), _ADVICE.get(status, ()))


async def _refuse_upgrade(scope: Scope, send: Send, refusal: Refusal) -> None:
    """Refuse a WebSocket; a server without the extension responds with 403."""
    if "websocket.http.response" not in (scope.get("extensions") or {}):
        await send({"type": "websocket.close"})
        return
    status, reason, code = refusal
    body = _error(reason, code)
    headers = [("content-type", JSON), ("content-length", str(len(body)))]
    encoded = _encoded([*headers, *_ADVICE.get(status, ())])
    start = {"type": "websocket.http.response.start", "status": status, "headers": encoded}
    await send(start)
    await send({"type": "websocket.http.response.body", "body": body, "more_body": False})


def _error(reason: str, code: int) -> bytes:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": reason}}
    return jsontext.write(error).encode()


def _visitor_of(scope: Scope) -> Visitor:
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    client, server = scope.get("client"), scope.get("server")
    return Visitor(
        headers,
        client[0] if client else None,
        server[0] if server else None,
        scope.get("scheme", "http"),
        scope.get("query_string", b"").decode("latin-1"),
        tuple(scope.get("subprotocols") or ()),
    )


def _path_of(scope: Scope) -> str:
    """Return the path after the one at which the application is mounted."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _encoded(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]


def _on_one_line(text: bytes) -> bytes:
    return text.replace(b"\n", b" ")  # within JSON, the end of a line is a blank


async def _first_of(
    first: Awaitable[object], *others: Awaitable[object], waits: Sequence[asyncio.Future[Any]] = ()
) -> bool:
    """Wait until one of some works is done, or a future, and cancel the other works.

    Returns:
        Whether the first work is done, or the client cannot be reached.

    Raises:
        Exception: If a work failed, but not since the client left.
    """
    tasks = [asyncio.ensure_future(work) for work in (first, *others)]
    try:
        await asyncio.wait([*tasks, *waits], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
    has_left = tasks[0].done()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, OSError):
            has_left = True
        elif isinstance(result, Exception):
            raise result
    return has_left
