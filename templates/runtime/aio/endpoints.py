"""The two ends of a connection: serve an agent, connect a client."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from ..jsonrpc.connection import MAX_LINE
from ..jsonrpc.method import Method
from ..values.errors import Issue
from .peer import Factories, Factory, Peer
from .streams import Stream, open_child, open_stdio


@asynccontextmanager
async def _closed_on_error(stream: Stream) -> AsyncGenerator[None]:
    """Close the stream if the block fails: to make a peer calls a factory of the user."""
    try:
        yield
    except BaseException:
        await stream.close()
        raise


async def serve(
    stream: Stream,
    agent: Factories,
    *,
    linger: float = 1.0,
    max_line: int = MAX_LINE,
    on_issue: Callable[[Method[Any, Any], Issue], object] | None = None,
) -> None:
    """Serve an agent on a stream until the stream ends, then close it.

    Args:
        stream: the connection to the client.
        agent: a factory that is called with the peer and returns the handler, such as a class that
            extends `v1.AgentHandler`; or a factory for each protocol version, of which `initialize`
            picks one.
        linger: how long handlers may take to finish when the stream has ended, in seconds.
        max_line: the length of the longest message to accept, in bytes.
        on_issue: called for each issue of decoding, see `decode`. An exception that it raises ends
            the connection.

    Raises:
        TypeError: the handler is one of clients.
    """
    async with _closed_on_error(stream):
        peer = Peer(stream, "agent", agent, max_line=max_line, on_issue=on_issue)
    await peer.run(linger)


async def serve_stdio(
    agent: Factories,
    *,
    linger: float = 1.0,
    max_line: int = MAX_LINE,
    on_issue: Callable[[Method[Any, Any], Issue], object] | None = None,
) -> None:
    """Serve an agent on standard input and output until the input ends; see `serve`.

    From then on, `print` and everything else that writes to standard output writes to standard
    error.
    """
    stream = await open_stdio()
    await serve(stream, agent, linger=linger, max_line=max_line, on_issue=on_issue)


@asynccontextmanager
async def connect(
    stream: Stream,
    client: Factory,
    *,
    max_line: int = MAX_LINE,
    on_issue: Callable[[Method[Any, Any], Issue], object] | None = None,
) -> AsyncGenerator[Peer]:
    """Connect a client to a stream. Leaving the context closes the stream.

    Args:
        stream: the connection to the agent.
        client: a factory that is called with the peer and returns the handler, such as a class that
            extends `v1.ClientHandler`.
        max_line: the length of the longest message to accept, in bytes.
        on_issue: called for each issue of decoding, see `decode`. An exception that it raises ends
            the connection.

    Raises:
        TypeError: the handler is one of agents.
    """
    async with _closed_on_error(stream):
        peer = Peer(stream, "client", client, max_line=max_line, on_issue=on_issue)
    running = asyncio.create_task(peer.run())
    try:
        await asyncio.sleep(0)  # if cancelled before its first step, the task would close nothing
        yield peer
    finally:
        running.cancel()
        # Being cancelled ends this wait: a handler may be waiting for this very task.
        await asyncio.wait([running])
        if not running.cancelled() and (error := running.exception()) is not None:
            raise error


@asynccontextmanager
async def connect_stdio(
    command: Sequence[str | os.PathLike[str]],
    client: Factory,
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    grace: float = 5.0,
    max_line: int = MAX_LINE,
    on_issue: Callable[[Method[Any, Any], Issue], object] | None = None,
) -> AsyncGenerator[Peer]:
    """Start an agent and connect a client to it. Leaving the context ends the agent.

    The agent is asked to end by closing its input, then terminated, then killed. Leaving the
    context waits for its end, unless this task is cancelled.

    Args:
        command: the program of the agent and its arguments.
        client: see `connect`.
        env: the environment of the agent; by default, that of this process.
        cwd: the working directory of the agent; by default, that of this process.
        grace: how long the agent may take to end when its input ends, and again when it is
            terminated, in seconds.
        max_line: the length of the longest message to accept, in bytes.
        on_issue: called for each issue of decoding, see `decode`. An exception that it raises ends
            the connection.

    Raises:
        OSError: the agent cannot be started.
        TypeError: the command is a string, or the handler is one of agents.
    """
    if isinstance(command, str):
        raise TypeError("the command must be a list of the program and its arguments, not a string")
    stream = await open_child(command, env=env, cwd=cwd, grace=grace)
    async with connect(stream, client, max_line=max_line, on_issue=on_issue) as peer:
        yield peer
