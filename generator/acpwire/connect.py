"""`acpgen connect`: connects a client on standard input and output to an agent at a URL.

The transports are implemented in the generated package and imported on first use.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from acp_bindings.runtime.aio import Stream
from acp_bindings.runtime.aio.stdio import check_stdio, open_stdio
from acp_bindings.runtime.aio.streams import GRACE, MessageStream
from acp_bindings.runtime.jsonrpc.errors import PARSE_ERROR
from acp_bindings.runtime.jsonrpc.limits import MAX_LINE
from acp_bindings.runtime.jsonrpc.messages import has_outcome
from acpgen.common.problems import InputError, Problem

from acpwire.message_lines import Unreadable, error_response, read_lines, write_lines
from acpwire.processes import Signalled, both_ways, is_url, report, signals, warnings_shown

Transport: TypeAlias = Literal["websocket", "http"]

# The exit code if the connection is lost or the server closes it.
LOST = 1


@dataclass(frozen=True, slots=True)
class Remote:
    """The location of a remote agent and the settings for connecting to it."""

    url: str
    headers: Mapping[str, str]  # sent with each request
    token: str | None  # a bearer token, if the server requires one
    transport: Transport | None  # None to use WebSocket if possible, otherwise HTTP
    ca: Path | None  # the certificate authorities to trust, instead of the system's
    reconnects: bool  # whether to reconnect if the connection is lost


def run(remote: Remote) -> int:
    """Forward messages until the input ends, the connection closes, or a signal arrives.

    Returns:
        The exit code: 0 if the input ended, `LOST` if the connection closed, or 128 plus the signal
        number.

    Raises:
        InputError: If the URL or the certificates cannot be used, or if the connection cannot be
            opened.
        SystemExit: If standard input or output is closed or fails.
    """
    check_url(remote.url)
    return asyncio.run(_run(remote))


def check_url(url: str) -> None:
    """Raise an `InputError` if a URL is not valid or contains a secret."""
    try:
        parts = urlsplit(url)
        is_usable = is_url(url) and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_usable = False
    if not is_usable:
        problem = "is not the URL of a remote agent; use a URL such as https://example.org/acp"
        raise InputError([Problem(url, "", "usage", problem)])
    if "@" in parts.netloc:
        url = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        problem = "credentials in the URL are visible to other users; pass a token or a --header"
        raise InputError([Problem(url, "", "usage", problem)])


async def _run(remote: Remote) -> int:
    with warnings_shown("connect"), signals() as signalled:
        messages = await _open_unless(remote, signalled)
        if messages is None:
            return 128 + signalled.result()
        reason = None
        try:
            stdio = await open_stdio()
            try:
                reason = await _carry(stdio, messages, signalled)
            finally:
                await stdio.close()
        finally:
            await messages.close()
        check_stdio(stdio)
    if signalled.done():
        return 128 + signalled.result()
    if reason is None:
        return 0
    # The query and the fragment can contain secrets.
    url = urlsplit(remote.url)._replace(query="", fragment="").geturl()
    report("connect", f"{url}: {reason}")
    return LOST


async def _open_unless(remote: Remote, signalled: Signalled) -> MessageStream | None:
    """Open the connection and return it, or return None if a signal arrives first."""
    cookies: dict[str, str] = {}  # sent again when the client reconnects
    tls = None if remote.ca is None else _trusting(remote.ca)
    connect = partial(_open, remote, tls, cookies)
    opening = asyncio.create_task(connect())
    ends: list[asyncio.Future[Any]] = [opening, signalled]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    if opening.done():
        messages = _opened(opening)
        if not remote.reconnects:
            return messages
        from acpwire.reconnecting import ReconnectingStream

        return ReconnectingStream(messages, connect, partial(report, "connect"))
    opening.cancel()
    await asyncio.wait([opening])
    if not opening.cancelled() and opening.exception() is None:
        await opening.result().close()
    return None


def _opened(opening: asyncio.Task[MessageStream]) -> MessageStream:
    try:
        return opening.result()
    except (ImportError, ValueError) as error:
        code = "missing" if isinstance(error, ImportError) else "usage"
        raise InputError([Problem("acpgen connect", "", code, str(error))]) from error
    except OSError as error:
        raise InputError([Problem("acpgen connect", "", "io", str(error))]) from error


async def _open(
    remote: Remote, tls: ssl.SSLContext | None, cookies: dict[str, str]
) -> MessageStream:
    from acp_bindings.remote.connecting import open_remote

    return await open_remote(
        remote.url,
        headers=remote.headers,
        cookies=cookies,
        token=remote.token,
        tls=tls,
        transport=remote.transport,
        max_line=MAX_LINE,
    )


def _trusting(ca: Path) -> ssl.SSLContext:
    ca.open("rb").close()  # unlike the next call, raises errors that contain the path
    try:
        return ssl.create_default_context(cafile=ca)
    except ssl.SSLError as error:
        reason = f"contains no PEM certificates ({error.reason}); pass a file of CA certificates"
        raise InputError([Problem(str(ca), "", "certificate", reason)]) from error


async def _carry(stdio: Stream, messages: MessageStream, signalled: Signalled) -> str | None:
    """Forward messages until either side closes or a signal arrives.

    Return the reason if the connection failed or the server closed it; otherwise, return None.
    """

    async def refuse(found: Unreadable) -> None:
        ids = [part.get("id") for part in found.parts if not has_outcome(part)]
        if found.parts and not ids:
            report("connect", f"dropped a response that is not JSON: {found.problem}")
            return
        kind = "parse error" if found.code == PARSE_ERROR else "invalid request"
        for id_ in ids or [None]:
            stdio.write(error_response(id_, found.code, f"{kind}: {found.problem}") + b"\n")
        await stdio.drain()

    from acp_bindings.remote.websocket import WebSocketStream

    # Messages are parsed by the HTTP transport and by streams that reconnect.
    parses = not isinstance(messages, WebSocketStream)
    reading = read_lines(
        stdio, messages, refuse, parses=parses, allows_batches=not parses, max_line=MAX_LINE
    )
    async with both_ways(reading, write_lines(messages, stdio)) as (there, back):
        ends: list[asyncio.Future[Any]] = [there, back, signalled]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        reason = _reason(there, back)
        # `close` sends queued messages. Messages that arrive meanwhile are written to `stdio`.
        await messages.close()
        await asyncio.wait([back], timeout=GRACE)
    for task in (there, back):
        if not task.cancelled():
            task.exception()  # otherwise, asyncio logs that the exception was never retrieved
    return reason


def _reason(there: asyncio.Task[None], back: asyncio.Task[bool]) -> str | None:
    """Return the reason why the connection closed, or None if it is still open."""
    for task in (there, back):
        error = task.exception() if task.done() else None
        if isinstance(error, OSError):
            return str(error)
        if error is not None:
            raise error
    if not there.done() and back.done() and back.result():
        return "the server closed the connection"
    return None
