"""An ASGI application that serves an agent over WebSocket and HTTP on the same path."""

from __future__ import annotations

import asyncio
from collections.abc import (
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    MutableMapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from ..runtime.aio.endpoints import serve
from ..runtime.aio.peer import Handlers
from ..runtime.aio.streams import GRACE, MessageStream
from ..runtime.jsonrpc.envelope import Message
from ..runtime.jsonrpc.handler import Handler
from ..runtime.jsonrpc.logs import logger_of
from ..runtime.session.agent_sessions import AgentSessions
from ..runtime.values import jsontext
from ..runtime.values.errors import DecodeError
from .routing import (
    CONNECTION_ID,
    EVENTS,
    JSON,
    METHODS,
    SESSION_ID,
    HttpRefused,
    RemoteLimits,
    check_head,
    check_message,
    is_initialize,
)
from .streams import FAILED, GOING_AWAY, PROTOCOL_ERROR, TOO_BIG, ServedMessages
from .trust import Admit, Trust, Visitor

Scope: TypeAlias = "MutableMapping[str, Any]"
Receive: TypeAlias = "Callable[[], Awaitable[MutableMapping[str, Any]]]"
Send: TypeAlias = "Callable[[MutableMapping[str, Any]], Awaitable[None]]"
Headers: TypeAlias = "Iterable[tuple[str, str]]"

# The maximum number of bytes to skip in the body of a rejected request, unless
# `RemoteLimits.message_bytes` is higher.
_SKIPPED = 1 << 20
_DEFAULT = RemoteLimits()
_log = logger_of(__name__)

_STREAMED = (("content-type", EVENTS), ("cache-control", "no-cache"), ("x-accel-buffering", "no"))
_COMMENT = b":\n\n"
# Additional headers for responses with certain statuses.
_ADVICE: dict[int, Headers] = {
    401: (("www-authenticate", "Bearer"),),
    405: (("allow", ", ".join((*METHODS, "OPTIONS"))),),
    503: (("retry-after", "5"),),
}


def remote_app(
    *agents: Handlers,
    token: str | None = None,
    admit: Admit | None = None,
    origins: Iterable[str] = (),
    path: str = "/acp",
    limits: RemoteLimits = _DEFAULT,
    **options: Any,
) -> RemoteApplication:
    """Return an ASGI application that serves an agent over WebSocket and HTTP.

        app = remote_app(MyAgent, token=os.environ["TOKEN"])

    If neither `token` nor `admit` is given, only clients on the same machine are served. The
    addresses of the client and the server must then be loopback addresses, the `Host` header must
    contain a loopback host, and the request must not have been forwarded by a proxy. Requests from
    web pages are served only if the page's origin is listed.

    If the agent is an object, it can have only one connection at a time, and further connections
    are rejected with 503. The sessions of an agent object remain open for the next connection, for
    up to `limits.keep_sessions`.

    Over HTTP/2, hypercorn closes a client's connection with all its streams after
    `keep_alive_max_requests` messages (1,000 by default) and allows only
    `h2_max_concurrent_streams` streams at a time (100 by default). Set the first option to
    `sys.maxsize` and the second to a value above `limits.sessions`.

    Args:
        agents: a handler for each protocol version, as for `serve`. Classes are instantiated for
            each connection.
        token: the bearer token that clients must send in the `Authorization` header. Web pages send
            the token to a WebSocket as the subprotocol `acp.bearer.TOKEN`. Use a long, random token
            of letters, digits, `-` and `_`.
        admit: a function, which can be `async`, that is called with the `Visitor` of each request
            after the token is checked. The function returns information about the user, which
            handlers can access as `peer.user`, or a false value to reject the request with 403. A
            connection serves only requests for which `admit` returns the same value as for the
            first request.
        origins: the origins of the web pages that can use the agent, such as "https://example.org",
            or "*" for all origins.
        path: the path of the application, relative to the path where it is mounted.
        limits: the limits on clients and on the resources used for them.
        options: other arguments of `serve`, such as `bridge`. The `max_line` and `limits` of
            `serve` are set to `limits.message_bytes` and `limits.connection`.

    Raises:
        TypeError: If `origins` is a string.
        ValueError: If the token is empty, or if any web page could use the agent without a token.
    """
    options |= {"max_line": limits.message_bytes, "limits": limits.connection}
    objects = [agent for agent in agents if isinstance(agent, Handler)]
    return RemoteApplication(
        lambda stream: serve(stream, *agents, **options),
        token=token,
        admit=admit,
        origins=origins,
        path=path,
        limits=replace(limits, connections=1) if objects else limits,
        end_idle=partial(_end_sessions, objects),
    )


async def _end_sessions(agents: Sequence[Handler]) -> None:
    """End the sessions that are still open in agents without a connection."""
    kept: list[AgentSessions[Any]] = [each for each in agents if isinstance(each, AgentSessions)]
    for agent in kept:
        for session_id in [*agent.sessions]:
            await agent.end_session(session_id)


class RemoteApplication:
    """An ASGI application that serves each remote client in a separate task."""

    def __init__(
        self,
        talk: Callable[[MessageStream], Awaitable[None]],
        *,
        token: str | None = None,
        admit: Admit | None = None,
        origins: Iterable[str] = (),
        path: str = "/acp",
        limits: RemoteLimits = _DEFAULT,
        end_idle: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        """Create an application that has no connections yet.

        Args:
            talk: a function that is called with a message stream and serves the connection until
                the stream closes.
            token: as for `remote_app`.
            admit: as for `remote_app`.
            origins: as for `remote_app`.
            path: as for `remote_app`.
            limits: as for `remote_app`.
            end_idle: a function that is called after `limits.keep_sessions` seconds without a
                connection.

        Raises:
            TypeError: If `origins` is a string.
            ValueError: If the token is empty, or if any web page could use the agent without a
                token.
        """
        self._talk = talk
        self._trust = Trust(token, admit, origins)
        self._path = path.rstrip("/")
        self._limits = limits
        self._connections: dict[str, ServedMessages] = {}
        self._starting = 0  # the number of connections waiting for the response to `initialize`
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closing = False
        self._end_idle = end_idle
        self._idle_timer: asyncio.TimerHandle | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request. The ASGI server calls this method."""
        if scope["type"] == "http":
            await self._serve_http(_Exchange(scope, receive, send))
        elif scope["type"] == "websocket":
            await self._serve_websocket(scope, receive, send)
        elif scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await self.aclose()
            await send({"type": "lifespan.shutdown.complete"})

    async def aclose(self) -> None:
        """Reject new connections, close all open connections, and wait until they are closed.

        This method is called automatically when the server shuts down. Call the method yourself if
        the application is mounted in a framework that does not forward lifespan events.
        """
        self._is_closing = True
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        for connection in [*self._connections.values()]:
            connection.end(GOING_AWAY)
        # Each task ends when its stream closes, and closing a stream has a time limit.
        if self._tasks:
            await asyncio.wait(self._tasks)

    # --- connections -------------------------------------------------------------------------

    def _open(self, user: Any, *, has_sessions: bool) -> ServedMessages:
        """Open a connection and start a task that serves it when its first message arrives.

        Raises:
            HttpRefused: If there are too many connections.
        """
        limits = self._limits
        if self._is_closing:
            raise HttpRefused(503, "the server is shutting down; try again later")
        if len(self._connections) >= limits.connections or self._starting >= limits.starts:
            raise HttpRefused(503, "too many connections; try again later")
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        connection = ServedMessages(limits, user, has_sessions=has_sessions)
        self._connections[connection.id] = connection
        self._starting += 1
        connection.answer.add_done_callback(self._end_start)
        self._spawn(self._run(connection))
        return connection

    def _end_start(self, answer: object) -> None:
        self._starting -= 1

    async def _run(self, connection: ServedMessages) -> None:
        try:
            if await connection.wait_begun():
                await self._talk(connection)
        except Exception:
            _log.exception("a remote connection failed")
            connection.code = FAILED  # set here, since `talk` might already have closed the stream
        finally:
            try:
                await connection.close()
            finally:
                del self._connections[connection.id]
                if self._end_idle is not None and not self._connections and not self._is_closing:
                    later = asyncio.get_running_loop().call_later
                    end = self._end_idle
                    seconds = self._limits.keep_sessions
                    self._idle_timer = later(seconds, lambda: self._spawn(end()))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _admit(self, scope: Scope, visitor: Visitor) -> Any:
        """Return the information about the user who sent a request.

        Raises:
            HttpRefused: If the request is not admitted.
        """
        # The path includes the path where the application is mounted.
        path: str = scope["path"]
        if path.removeprefix(scope.get("root_path", "")).rstrip("/") != self._path:
            raise HttpRefused(404, "no agent at this path; check the URL")
        return await self._trust.admit(visitor)

    # --- HTTP --------------------------------------------------------------------------------

    async def _serve_http(self, exchange: _Exchange) -> None:
        exchange.cors = self._trust.cors(exchange.visitor, exchange.method)
        try:
            if exchange.method == "OPTIONS":  # browsers send OPTIONS without a token
                self._trust.check_origin(exchange.visitor)
                await exchange.respond(204)
            else:
                await self._serve_request(
                    exchange, await self._admit(exchange.scope, exchange.visitor)
                )
        except HttpRefused as refused:
            body, headers = _error(refused)
            most = max(self._limits.message_bytes, _SKIPPED)
            # If the response arrives before the request is complete, servers and clients abort the
            # other requests on the same HTTP connection.
            if exchange.method == "POST" and not await exchange.skip(most):
                return
            await exchange.respond(refused.status, body, headers)
        except _Left:
            pass

    async def _serve_request(self, exchange: _Exchange, user: Any) -> None:
        headers, method = exchange.visitor.headers, exchange.method
        connection = self._connections.get(headers.get(CONNECTION_ID, ""))
        if connection is not None and (connection.is_over or connection.user != user):
            connection = None
        check_head(method, headers, is_known=connection is not None)
        if connection is None:
            await self._initialize(exchange, self._open(user, has_sessions=True))
        elif method == "POST":
            await connection.wait_for_room()
            connection.put(await self._read(exchange, connection), headers.get(SESSION_ID))
            await exchange.respond(202)
        elif method == "GET":
            await self._listen(exchange, connection, headers.get(SESSION_ID))
        else:
            connection.end()
            await exchange.respond(202)

    async def _initialize(self, exchange: _Exchange, connection: ServedMessages) -> None:
        """Begin a connection and send the agent's response to `initialize`."""
        answer = connection.answer
        try:
            connection.begin(await self._read(exchange, connection))
            await _first_of(exchange.wait_left(), waits=[answer])
        finally:
            if not answer.done():
                connection.end()  # the client did not receive the id and cannot use the connection
        if answer.cancelled():  # also true if the client disconnected and cannot receive the error
            raise HttpRefused(500, "the agent stopped before it responded; see its log")
        connection.expect_listener()
        await exchange.respond(200, answer.result(), [(CONNECTION_ID, connection.id)])

    async def _read(self, exchange: _Exchange, connection: ServedMessages) -> Message:
        """Read the message in a request and add its size to the connection's count.

        Raises:
            HttpRefused: If the message is too large or invalid, or if the connection has ended.
        """
        chunks: list[bytes] = []
        size, limit = 0, self._limits.message_bytes
        has_more = True
        try:
            while has_more:
                chunk, has_more = await exchange.read()
                chunks.append(chunk)
                size += len(chunk)
                connection.count(len(chunk))
                if size > limit:
                    raise HttpRefused(413, f"the message is longer than {limit} bytes")
                if connection.received > self._limits.unread_bytes:
                    raise HttpRefused(
                        429, "the agent has too many unread messages; try again later"
                    )
            message = Message(_on_one_line(b"".join(chunks)))
            check_message(message, exchange.visitor.headers)
            if connection.is_over:
                raise HttpRefused(404, "the connection ended; initialize a new one")
        except BaseException:
            connection.count(-size)
            raise
        return message

    async def _listen(
        self, exchange: _Exchange, connection: ServedMessages, stream: str | None
    ) -> None:
        """Send the messages of a stream until the client or the server closes it."""
        connection.listen(stream)

        async def send() -> None:
            await exchange.begin(200, _STREAMED)
            # Send a comment, since some servers send the headers only together with the first data.
            await exchange.send(_COMMENT)
            while (texts := await connection.wait_texts(stream)) is not None:
                events = b"".join([b"data: %b\n\n" % text for text in texts])
                await exchange.send(events or _COMMENT)
                connection.sent(stream, texts)
            await exchange.send(b"", is_last=True)

        try:
            await _first_of(exchange.wait_left(), send(), waits=[connection.finished])
        finally:
            connection.leave(stream)

    # --- WebSocket ---------------------------------------------------------------------------

    async def _serve_websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()  # `websocket.connect`
        try:
            connection, subprotocol = await self._open_websocket(scope)
        except HttpRefused as refused:
            await _refuse_upgrade(scope, send, refused)
            return
        connection.routing.listen(None)

        async def read() -> None:
            while (event := await receive())["type"] == "websocket.receive":
                text: str | None = event.get("text")
                if text is not None:  # ignore binary frames
                    await self._take_frame(connection, text)

        async def write() -> None:
            while (texts := await connection.wait_texts(None)) is not None:
                for text in texts:
                    await send({"type": "websocket.send", "text": text.decode()})
                connection.sent(None, texts)

        try:
            headers = _encoded([(CONNECTION_ID, connection.id)])
            accept = {"type": "websocket.accept", "subprotocol": subprotocol}
            await send({**accept, "headers": headers})
            if not await _first_of(read(), write(), waits=[connection.finished]):
                closing = send({"type": "websocket.close", "code": connection.code})
                await _first_of(closing, asyncio.sleep(GRACE))
        finally:
            connection.end()
            connection.leave(None)

    async def _open_websocket(self, scope: Scope) -> tuple[ServedMessages, str | None]:
        """Open a connection and return it with the subprotocol to accept.

        This is a separate method so that the visitor's headers are not kept in memory.
        """
        visitor = _visitor_of(scope)
        user = await self._admit(scope, visitor)
        return self._open(user, has_sessions=False), visitor.subprotocol

    async def _take_frame(self, connection: ServedMessages, text: str) -> None:
        message = Message(_on_one_line(text.encode()))
        size = len(message.text)
        if size > self._limits.message_bytes:
            connection.end(TOO_BIG)
        elif connection.is_begun:
            connection.count(size)
            connection.put(message)
        else:
            is_first = False
            with suppress(DecodeError):
                is_first = is_initialize(message)
            if is_first:
                connection.count(size)
                connection.begin(message)
            else:
                connection.end(PROTOCOL_ERROR)
        await connection.wait_for_room()


# --- ASGI ------------------------------------------------------------------------------------


class _Left(Exception):
    """Raised when the client disconnects before its request is complete."""


class _Exchange:
    """An HTTP request and its response."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope = scope
        self.visitor = _visitor_of(scope)
        self.method: str = scope["method"]
        self.cors: Headers = ()
        self._has_more = True
        self._receive = receive
        self._send = send

    async def read(self) -> tuple[bytes, bool]:
        """Return the next part of the body and a flag that is true if more parts follow.

        Raises:
            _Left: If the client has disconnected.
        """
        event = await self._receive()
        if event["type"] != "http.request":
            raise _Left
        self._has_more = event.get("more_body", False)
        return event.get("body", b""), self._has_more

    async def skip(self, most: int) -> bool:
        """Skip the rest of the body, up to a limit, and return whether the client is connected."""
        loop = asyncio.get_running_loop()
        end = loop.time() + GRACE
        try:
            while self._has_more and most > 0:
                body, _ = await asyncio.wait_for(self.read(), end - loop.time())
                most -= len(body)
        except asyncio.TimeoutError:
            pass
        except _Left:
            return False
        return True

    async def wait_left(self) -> None:
        """Wait until the client disconnects."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def begin(self, status: int, headers: Headers) -> None:
        """Send the status and the headers of the response."""
        encoded = _encoded([*headers, *self.cors])
        await self._send({"type": "http.response.start", "status": status, "headers": encoded})

    async def send(self, body: bytes, *, is_last: bool = False) -> None:
        """Send a part of the response body."""
        await self._send({"type": "http.response.body", "body": body, "more_body": not is_last})

    async def respond(self, status: int, body: bytes = b"", headers: Headers = ()) -> None:
        """Send a complete response."""
        kind = [("content-type", JSON)] if body else []
        length = [] if status == 204 else [("content-length", str(len(body)))]
        await self.begin(status, [*kind, *length, *headers])
        await self.send(body, is_last=True)


async def _refuse_upgrade(scope: Scope, send: Send, refused: HttpRefused) -> None:
    """Reject a WebSocket. ASGI servers without the denial response extension send 403."""
    if "websocket.http.response" not in (scope.get("extensions") or {}):
        await send({"type": "websocket.close"})
        return
    body, advice = _error(refused)
    headers = _encoded([("content-type", JSON), ("content-length", str(len(body))), *advice])
    kind = "websocket.http.response"
    await send({"type": f"{kind}.start", "status": refused.status, "headers": headers})
    await send({"type": f"{kind}.body", "body": body})


def _error(refused: HttpRefused) -> tuple[bytes, Headers]:
    """Return the body and the headers of the response to a rejected request."""
    error = {"code": refused.code, "message": refused.reason}
    body = jsontext.write({"jsonrpc": "2.0", "id": None, "error": error})
    return body.encode(), _ADVICE.get(refused.status, ())


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


def _encoded(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]


def _on_one_line(text: bytes) -> bytes:
    return text.replace(b"\n", b" ")  # safe, since newlines in JSON text are only whitespace


async def _first_of(
    first: Awaitable[object], *others: Awaitable[object], waits: Sequence[asyncio.Future[Any]] = ()
) -> bool:
    """Wait until any awaitable or any future in `waits` is done, and then cancel the awaitables.

    Returns:
        True if `first` is done or the client disconnected.

    Raises:
        Exception: If an awaitable raises an exception. An `OSError` is ignored, since it means that
            the client disconnected.
    """
    tasks = [asyncio.ensure_future(work) for work in (first, *others)]
    try:
        await asyncio.wait([*tasks, *waits], return_when=asyncio.FIRST_COMPLETED)
        is_first = tasks[0].done()
    finally:
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception) and not isinstance(result, OSError):
            raise result
    return is_first or any(isinstance(result, OSError) for result in results)
