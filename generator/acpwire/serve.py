"""`acpgen serve`: gives remote clients access to a local agent program.

Clients use WebSocket or HTTP, and agents use standard input and output. Each connection has its own
agent process. The generated package provides the ASGI application. The server is hypercorn, which
the extra `serve` installs.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import socket
import ssl
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path

from acp_bindings.remote import RemoteApplication, RemoteLimits
from acp_bindings.runtime.aio.child_process import ChildStream, open_child
from acp_bindings.runtime.aio.streams import MessageStream
from acp_bindings.runtime.aio.tasks import uninterrupted
from acp_bindings.runtime.jsonrpc.envelope import Message
from acp_bindings.runtime.jsonrpc.errors import INTERNAL_ERROR
from acp_bindings.runtime.jsonrpc.messages import has_outcome
from acp_bindings.runtime.values.errors import quotation
from acpgen.common.extras import install_command
from acpgen.common.problems import InputError, Problem

from acpwire.credentials import VARIABLE
from acpwire.message_lines import Unreadable, error_response, read_lines, write_lines
from acpwire.processes import both_ways, cannot_start, exit_code, report, signals, warnings_shown
from acpwire.termination import Termination

# The time in seconds that an agent is given to exit after the end of its input, and again after
# SIGTERM.
_GRACE = 0.5
# The TCP keepalive settings for detecting clients that no longer exist. TCP keepalive replaces
# hypercorn's WebSocket pings, which would keep each closed WebSocket in memory for a while.
_KEEP_ALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 20, "TCP_KEEPCNT": 3}
# The number of HTTP/2 streams that a client can use in addition to its session streams.
_SPARE = 16


@dataclass(frozen=True, slots=True)
class Address:
    """An address to listen on."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """True if only this machine can reach the address."""
        if self.host.lower() == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def netloc(self) -> str:
        """The host and port as written in a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Service:
    """An agent to serve, with the server's settings."""

    command: Sequence[str]  # the agent program and its arguments
    address: Address  # the address to listen on (port 0 selects a free port)
    path: str  # the path of the agent's URL
    token: str | None  # the token that clients must send, or None to accept clients without a token
    is_open: bool  # whether to accept clients on other machines without a token
    origins: Sequence[str]  # the origins of web pages that can connect
    certificate: tuple[Path, Path] | None  # the files of a certificate and its key, for TLS
    max_connections: int  # the maximum number of agent processes


def parse_address(text: str) -> Address:
    """Parse an address such as 127.0.0.1:8080 or [::1]:8080.

    Raises:
        ValueError: If the text is not an address with a port.
    """
    host, colon, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        colon = ""
    if not (colon and host and port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise ValueError(f"{text!r} is not an address; use a value such as 127.0.0.1:8080")
    return Address(host, int(port))


def run(service: Service, on_ready: Callable[[str], object]) -> int:
    """Serve an agent until a signal arrives.

    Args:
        service: the agent to serve.
        on_ready: called with the URL when clients can connect.

    Returns:
        The exit code, which is 128 plus the signal number.

    Raises:
        InputError: If the agent, the address or the certificate cannot be used, or if hypercorn is
            not installed.
    """
    if find_spec("hypercorn") is None:
        message = f"requires hypercorn; run {install_command('serve')}"
        raise InputError([Problem("acpgen serve", "", "missing", message)])
    if shutil.which(service.command[0]) is None:
        raise cannot_start(service.command[0], OSError("no such program; check its path"))
    if service.certificate is not None:
        _check_certificate(*service.certificate)
    with _listen(service.address) as listening:
        return asyncio.run(_run(service, listening, on_ready))


def _check_certificate(certificate: Path, key: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    for path in (certificate, key):
        # Unlike errors from `load_cert_chain`, errors from `open` contain the path.
        path.open("rb").close()
    try:
        context.load_cert_chain(certificate, key, password="")  # without prompting for a password
    except ssl.SSLError as error:
        reason = f"cannot be used with {key} ({error.reason}); pass a certificate and its PEM key"
        raise InputError([Problem(str(certificate), "", "certificate", reason)]) from error


def _listen(address: Address) -> socket.socket:
    try:
        places = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, _, _, _, place = places[0]
        # Unlike `bind`, `create_server` can reuse a recently stopped server's address on every
        # system.
        listening = socket.create_server((place[0], place[1]), family=family)
    except OSError as error:
        found = str(error.strerror or error).partition(" (while")[0]
        reason = f"cannot listen on this address ({found}); pass a different --listen address"
        raise InputError([Problem(address.netloc, "", "io", reason)]) from error
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # connections inherit it
    for name, value in _KEEP_ALIVE.items():
        if hasattr(socket, name):
            listening.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return listening


async def _run(
    service: Service, listening: socket.socket, on_ready: Callable[[str], object]
) -> int:
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    limits = replace(RemoteLimits(), connections=service.max_connections)
    agents = Agents(service.command, limits)
    try:
        application = RemoteApplication(
            agents.talk,
            token=service.token,
            admit=(lambda visitor: True) if service.is_open else None,
            origins=service.origins,
            path=service.path,
            limits=limits,
        )
    except ValueError as error:
        raise InputError([Problem("acpgen serve", "", "usage", str(error))]) from error
    scheme = "http" if service.certificate is None else "https"
    address = replace(service.address, port=listening.getsockname()[1])
    config = Config()
    config.bind = [f"fd://{listening.detach()}"]
    config.loglevel = "WARNING"
    config.include_server_header = False
    config.websocket_max_message_size = limits.message_bytes
    # A client uses one HTTP/2 stream for each session and sends one request for each message.
    config.h2_max_concurrent_streams = limits.sessions + _SPARE
    config.keep_alive_max_requests = sys.maxsize
    if service.certificate is not None:
        config.certfile, config.keyfile = map(str, service.certificate)
    with warnings_shown("serve"), signals() as signalled:

        async def shutdown() -> None:
            on_ready(f"{scheme}://{address.netloc}{service.path}")
            await signalled
            await application.aclose()  # otherwise, hypercorn would wait for open connections
            # asyncio would log the tasks of sockets that clients have not closed.
            asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)

        await serve(application, config, shutdown_trigger=shutdown)  # type: ignore[arg-type]
    return 128 + signalled.result()


class Agents:
    """The agent processes, one for each connection."""

    def __init__(self, command: Sequence[str], limits: RemoteLimits) -> None:
        self._command = command
        self._limits = limits
        self._numbers = itertools.count(1)
        # Hide the token from the agent and the programs that it runs.
        self._environment = {name: os.environ[name] for name in os.environ if name != VARIABLE}

    async def talk(self, messages: MessageStream) -> None:
        """Start an agent for a connection, and forward messages until either side closes it."""
        number = next(self._numbers)

        def log(text: str) -> None:
            report("serve", f"[{number}] {text}")

        try:
            agent = await open_child(
                self._command, on_stderr=log, env=self._environment, grace=_GRACE
            )
        except OSError as error:
            log(f"the agent cannot be started: {error.strerror or error}")
            await _refuse(messages, "the agent cannot be started")
            return
        ending: Termination | None = None
        try:
            ending = await asyncio.to_thread(Termination, agent.process.pid)
            await self._carry(messages, agent, log)
        finally:
            await uninterrupted(_end(agent, ending))
        if agent.exit is not None and (code := exit_code(agent.exit)):
            log(f"the agent exited with code {code}")

    async def _carry(
        self, messages: MessageStream, agent: ChildStream, log: Callable[[str], None]
    ) -> None:
        async def replace_or_drop(found: Unreadable) -> None:
            text = f"the agent's response is not JSON: {found.problem}"
            for id_ in [part.get("id") for part in found.parts if has_outcome(part)]:
                messages.send([Message(error_response(id_, INTERNAL_ERROR, text))])
            line = quotation(found.line.decode("utf-8", "replace"))
            log(f"not a message ({found.problem}); dropped: {line}")

        reading = read_lines(
            agent,
            messages,
            replace_or_drop,
            parses=True,
            max_line=self._limits.message_bytes,
            drain=partial(wait_for_room, messages, self._limits),
        )
        async with both_ways(write_lines(messages, agent), reading) as (there, back):
            await asyncio.wait([there, back], return_when=asyncio.FIRST_COMPLETED)
            if there.done() and there.exception() is None and not there.result():
                # The agent closed its input. Read the agent's last lines.
                await asyncio.wait([back], timeout=_GRACE)
        for task in (there, back):
            error = None if task.cancelled() else task.exception()
            if isinstance(error, OSError):
                log(f"the connection closed: {error}")
            elif error is not None:
                raise error


async def wait_for_room(
    messages: MessageStream, limits: RemoteLimits, session_id: str | None
) -> None:
    """Wait while the client has too much unread data.

    All sessions share the agent's standard output, so waiting for one session's listener delays
    all other sessions. Therefore, this function waits only if a lot of data is unread.

    Raises:
        OSError: If the client reads nothing for `limits.listener_timeout` seconds.
    """
    while (unsent := messages.unsent()) > limits.unread_bytes // 4:
        try:
            await asyncio.wait_for(messages.drain(session_id), limits.listener_timeout)
        except asyncio.TimeoutError:
            if messages.unsent() >= unsent:
                raise OSError("the client stopped reading") from None
        else:
            return


async def _refuse(messages: MessageStream, reason: str) -> None:
    """Reject the requests in the client's first messages by responding to each with an error."""
    for message in await messages.receive():
        envelope = message.read_envelope()
        if envelope.id is not None and not envelope.is_response:
            messages.send([Message(error_response(envelope.id, INTERNAL_ERROR, reason))])


async def _end(agent: ChildStream, ending: Termination | None) -> None:
    if ending is not None:
        await asyncio.to_thread(ending.begin)
    await agent.close()
    if ending is not None:
        await asyncio.to_thread(ending.wait)
