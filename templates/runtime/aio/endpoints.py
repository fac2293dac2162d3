"""Both ends of a connection: serve an agent, connect a client."""

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
    """For the making of a peer, which calls the user's factory."""
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
    """Be an agent on a stream until it ends.

    Args:
        agent: makes the handler, such as a class that extends `v1.AgentHandler` and takes the
            peer; or such factories by protocol version, of which `initialize` picks one.
        linger: how many seconds handlers have to finish when the stream has ended.
        max_line: the longest message to accept, in bytes.
        on_issue: called for each difference that the default mode of decoding made. What it raises
            ends the connection.
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
    """Be an agent on standard input and output until the input ends; see `serve`.

    Nothing else reaches standard output from then on: what is printed goes to standard error.
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
    """Be a client on a stream, which is closed at the end.

    Args:
        client: makes the handler, such as a class that extends `v1.ClientHandler` and takes the
            peer.
        max_line: the longest message to accept, in bytes.
        on_issue: called for each difference that the default mode of decoding made. What it raises
            ends the connection.
    """
    async with _closed_on_error(stream):
        peer = Peer(stream, "client", client, max_line=max_line, on_issue=on_issue)
    running = asyncio.create_task(peer.run())
    try:
        await asyncio.sleep(0)  # a task that is cancelled before its first step closes nothing
        yield peer
    finally:
        running.cancel()
        # Not beyond being cancelled: what is waited for may be waiting for this very task.
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
    """Start an agent and be its client; at the end it is ended, and waited for if nothing cancels.

    Args:
        command: the agent's program and its arguments.
        client: see `connect`.
        env: the agent's environment; by default, that of this process.
        cwd: the agent's working directory.
        grace: how many seconds it may take to end when its input ends, and again when it is
            terminated, before it is killed.
        max_line: the longest message to accept, in bytes.
        on_issue: called for each difference that the default mode of decoding made. What it raises
            ends the connection.

    Raises:
        OSError: the agent cannot be started.
        TypeError: the command is one string.
    """
    if isinstance(command, str):
        raise TypeError("a command is a list: the program and its arguments, not one string")
    stream = await open_child(command, env=env, cwd=cwd, grace=grace)
    async with connect(stream, client, max_line=max_line, on_issue=on_issue) as peer:
        yield peer
