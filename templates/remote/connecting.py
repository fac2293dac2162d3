"""Client connections to remote agents over WebSocket or HTTP."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from typing import Literal

from ..runtime.aio.endpoints import connect
from ..runtime.aio.peer import Handlers, Peer
from ..runtime.aio.streams import GRACE, MessageStream
from ..runtime.jsonrpc.errors import ConnectionClosed
from ..runtime.jsonrpc.handler import Handler
from ..runtime.jsonrpc.limits import DEFAULT, MAX_LINE, Limits
from ..runtime.jsonrpc.observing import Loss, Observer
from ..runtime.values.errors import Issue
from .endpoint import NOT_ADMITTED, Endpoint, NotAdmitted

Transport = Literal["websocket", "http"]


async def open_remote(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    cookies: MutableMapping[str, str] | None = None,
    tls: ssl.SSLContext | None = None,
    token: str | None = None,
    transport: Transport | None = None,
    max_line: int = MAX_LINE,
) -> MessageStream:
    """Open a message stream to a remote agent; see `connect_remote` for the arguments.

    Raises:
        ImportError: If the extra `remote` is not installed.
        OSError: If the server cannot be reached or rejects the client.
        ValueError: If an argument is invalid.
    """
    try:
        from .http import HttpStream
        from .websocket import Unsupported, open_websocket
        from .wire import Wire
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in ("h11", "h2", "websockets"):
            raise ImportError(
                f"remote agents require {error.name!r}; install acp-bindings[remote]"
            ) from error
        raise
    if transport not in (None, "websocket", "http"):
        raise ValueError(f"unknown transport {transport!r}; pass 'websocket', 'http' or None")
    endpoint = Endpoint(url, headers=headers, cookies=cookies, tls=tls, token=token)
    preface = ""
    if transport != "http":
        try:
            return await open_websocket(endpoint, max_line)
        except Unsupported as error:
            if transport == "websocket":
                kind = NotAdmitted if error.status in NOT_ADMITTED else ConnectionClosed
                raise kind(
                    f"{endpoint} does not support WebSocket: {error}; pass transport='http'"
                ) from error
            preface = f"{endpoint} does not support WebSocket ({error}), and HTTP failed: "
        except ConnectionClosed:
            raise
        except OSError as error:
            raise ConnectionError(f"cannot connect to {endpoint}: {error}") from error
    return HttpStream(Wire(endpoint), max_line, preface)


@asynccontextmanager
async def connect_remote(
    url: str,
    *clients: Handlers,
    headers: Mapping[str, str] | None = None,
    cookies: MutableMapping[str, str] | None = None,
    tls: ssl.SSLContext | None = None,
    token: str | None = None,
    transport: Transport | None = None,
    grace: float = GRACE,
    max_line: int = MAX_LINE,
    limits: Limits = DEFAULT,
    on_issue: Callable[[Issue], object] | None = None,
    observe: Observer | None = None,
    silence: float | None = 3600.0,
    debug: bool | None = None,
    bridge: bool | type[Handler] | Handler = False,
    on_loss: Callable[[Loss], object] | None = None,
) -> AsyncGenerator[Peer]:
    """Connect a client to a remote agent. Leaving the context closes the connection.

    Over HTTP, the first request contains `initialize`. If the server rejects the client,
    `initialize` raises `ConnectionClosed`. Redirects are not followed.

    Args:
        url: the URL of the agent, such as `https://example.org/acp`. The default path is `/acp`.
            The schemes `ws` and `wss` are equivalent to `http` and `https`.
        clients: the handlers, as for `connect`.
        headers: headers to send with each request, for example for authentication.
        cookies: cookies to send with each request. The mapping is updated when the server sets
            cookies. Pass this mapping to the next connection so that a load balancer chooses the
            same server.
        tls: TLS settings, for example a custom certificate authority; by default, the result of
            `ssl.create_default_context`. Do not share an `SSLContext` between connections,
            since each connection changes the ALPN protocols of its context.
        token: a token to send as `Authorization: Bearer`.
        transport: "websocket" or "http"; by default, HTTP is used if the server does not support
            WebSocket. Only WebSocket uses the proxy that is configured in the environment.
        grace: as for `connect`. `grace` also limits how long the server can take to read the
            remaining messages when the connection closes.
        max_line: the maximum length of a message, in bytes. A longer message closes the connection.
        limits: as for `connect`.
        on_issue: as for `connect`.
        observe: as for `connect`.
        silence: as for `connect`.
        debug: as for `serve`.
        bridge: as for `connect`.
        on_loss: as for `serve`.

    Raises:
        ImportError: If the extra `remote` is not installed, or if a bridge is required but the
            package was vendored without one.
        OSError: If the server cannot be reached or rejects the client.
        TypeError: If an object is not a client handler.
        ValueError: If an argument is invalid.
    """
    stream = await open_remote(
        url,
        headers=headers,
        cookies=cookies,
        tls=tls,
        token=token,
        transport=transport,
        max_line=max_line,
    )
    async with connect(
        stream,
        *clients,
        grace=grace,
        max_line=max_line,
        limits=limits,
        on_issue=on_issue,
        observe=observe,
        silence=silence,
        debug=debug,
        bridge=bridge,
        on_loss=on_loss,
    ) as peer:
        yield peer
