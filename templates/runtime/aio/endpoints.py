"""The two ends of a connection: serve an agent, connect a client."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import IO, Any

from ..jsonrpc.handler import Handler
from ..jsonrpc.limits import DEFAULT, MAX_LINE, Limits
from ..jsonrpc.observing import Loss, Observer
from ..values.errors import Issue
from .peer import Handlers, Peer
from .stdio import check_stdio, open_stdio
from .streams import GRACE, MessageStream, Stream, memory_messages


@asynccontextmanager
async def _closed_on_error(stream: Stream | MessageStream) -> AsyncGenerator[None]:
    """Close the stream if the block fails: a peer calls a factory of the user as it is made."""
    try:
        yield
    except BaseException:
        await stream.close()
        raise


async def serve(
    stream: Stream | MessageStream,
    *agents: Handlers,
    linger: float = 1.0,
    grace: float = GRACE,
    max_line: int = MAX_LINE,
    limits: Limits = DEFAULT,
    on_issue: Callable[[Issue], object] | None = None,
    observe: Observer | None = None,
    debug: bool | None = None,
    bridge: bool = False,
    on_loss: Callable[[Loss], object] | None = None,
) -> None:
    """Serve an agent on a stream until the stream ends, then close it.

    Args:
        stream: the connection to the client.
        agents: a handler for each protocol version to speak; `initialize` picks one. A class, such
            as one that extends `v2.SessionAgent`, is called with the peer to make a handler for
            this connection; an object outlives it. A factory that takes the peer is given by its
            surface: `{v2: factory}`.
        linger: how long handlers may take to finish when the stream has ended, in seconds.
        grace: how long they can take to end when they are then cancelled, in seconds. A handler
            that takes longer is dropped. Afterwards, the sessions end, which can take as long for
            `AgentSession.ended`, and again for their resources.
        max_line: the length of the longest message to accept, in bytes.
        limits: how much to keep for the other side.
        on_issue: called for each issue of decoding, see `decode`. What it raises is logged.
        observe: called for each line that is sent or received, such as by `log_to`. What it raises
            is logged.
        debug: whether to send tracebacks with internal errors, and to log notifications that
            nobody handles; by default, the environment variable ACP_DEBUG decides.
        bridge: whether clients of the other protocol version are served, too. The handler sees its
            own version only; `Peer.bridged` says what the client really speaks. With handlers for
            both versions of the bridge, each client gets that of its version, and there is nothing
            to bridge. Handlers for further versions serve their clients without a bridge.
        on_loss: called for each part of a message that the bridge cannot carry over, on the way to
            the client or from it. The first of each kind is logged. What it raises is logged.

    Raises:
        ImportError: there is to be a bridge, and the package was vendored without.
        TypeError: something is not a handler of agents.
    """
    async with _closed_on_error(stream):
        peer = Peer(
            stream,
            "agent",
            *agents,
            max_line=max_line,
            limits=limits,
            on_issue=on_issue,
            observe=observe,
            debug=debug,
            bridge=bridge,
            on_loss=on_loss,
        )
    await peer.run(linger, grace)


async def serve_stdio(
    *agents: Handlers,
    linger: float = 1.0,
    grace: float = GRACE,
    max_line: int = MAX_LINE,
    limits: Limits = DEFAULT,
    on_issue: Callable[[Issue], object] | None = None,
    observe: Observer | None = None,
    debug: bool | None = None,
    bridge: bool = False,
    on_loss: Callable[[Loss], object] | None = None,
    log_level: int | str | None = logging.NOTSET,
) -> None:
    """Serve an agent on standard input and output until the input ends; see `serve`.

    From then on, `print` and everything else that writes to standard output writes to standard
    error. SIGTERM and SIGHUP end the connection like the end of the input, and then the program,
    unless it handles them itself.

    If the program did not configure `logging`, warnings and errors of this package are written to
    standard error: the first of each kind, with its traceback.

    Handlers cannot keep the program from exiting: if it waits for a task or thread that began
    during the connection, and `linger` and `grace` are over, the process ends with `os._exit`,
    after a log entry that says where that code is. The status is 1, or the status of the signal.

    Args:
        agents: a handler for each protocol version to speak; see `serve`.
        linger: how long handlers can take to finish after the end of the input, in seconds.
        grace: how long they can take to end when they are then cancelled, in seconds.
        max_line: the length of the longest message to accept, in bytes.
        limits: how much to keep for the client.
        on_issue: see `serve`.
        observe: see `serve`.
        debug: see `serve`.
        bridge: see `serve`.
        on_loss: see `serve`.
        log_level: the least severe log entries to write to standard error, such as "DEBUG"; by
            default, the level of the loggers decides, which is WARNING unless the program sets it.
            None to write nothing.

    Raises:
        SystemExit: If a signal ended the connection; the status is 128 and its number. If a handler
            had to be dropped; the status is 1. If the program was started without standard input or
            output, or one of them failed; the status is 1, and a line on standard error says so.
        TypeError: If something is not a handler of agents, or `log_level` is not a level.
        ValueError: If `log_level` is an unknown level.
    """
    # Here, since clients need neither.
    from .exiting import exit_in_time
    from .stderr_log import log_on_stderr

    with log_on_stderr(log_level), exit_in_time(linger, grace, log_level) as on_end:
        stream = await open_stdio(on_end)
        await serve(
            stream,
            *agents,
            linger=linger,
            grace=grace,
            max_line=max_line,
            limits=limits,
            on_issue=on_issue,
            observe=observe,
            debug=debug,
            bridge=bridge,
            on_loss=on_loss,
        )
        check_stdio(stream)


@asynccontextmanager
async def connect(
    stream: Stream | MessageStream,
    *clients: Handlers,
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
    """Connect a client to a stream. Leaving the context closes the stream.

    Args:
        stream: the connection to the agent.
        clients: a handler for each protocol version to speak; the answer to `Peer.initialize` picks
            one. Classes, objects and factories, as for `serve`.
        grace: how long handlers may take to end when the context is left, in seconds. A handler
            that takes longer is dropped.
        max_line: the length of the longest message to accept, in bytes.
        limits: how much to keep for the other side.
        on_issue: called for each issue of decoding, see `decode`. What it raises is logged.
        observe: called for each line that is sent or received, such as by `log_to`. What it raises
            is logged.
        silence: the seconds of silence after which an agent counts as dead if it owes a response,
            or the end of a turn, and has no open request itself; None for never. That is logged,
            and the connection ends.
        debug: see `serve`.
        bridge: whether agents of the other protocol version are driven, too. The handler and the
            stubs keep to their own version; `Peer.bridged` says what the agent really speaks. With
            handlers for both versions, the agent decides which is used, and there is nothing to
            bridge.
            A client of protocol 2 has no files and no terminals. For agents of protocol 1 that ask
            for these, pass a `v1.ClientHandler` instead of True, or its class, which is then called
            without arguments. The agent is told of the methods of `fs` and `terminal` that it has,
            no others are called, and the client is shown the terminals with their output as it
            comes. The handler is also notified of the connection and of its sessions, see
            `Handler.opened`. An object has one connection at a time.
        on_loss: see `serve`.

    Raises:
        ImportError: there is to be a bridge, and the package was vendored without.
        TypeError: something is not a handler of clients.
    """
    async with _closed_on_error(stream):
        peer = Peer(
            stream,
            "client",
            *clients,
            max_line=max_line,
            limits=limits,
            on_issue=on_issue,
            observe=observe,
            silence=silence,
            debug=debug,
            bridge=bridge,
            on_loss=on_loss,
        )
    running = asyncio.create_task(peer.run(grace=grace))
    try:
        await asyncio.sleep(0)  # if cancelled before its first step, the task would close nothing
        yield peer
    finally:
        running.cancel()
        # Being cancelled ends this wait: a handler may be waiting for this very task.
        await asyncio.wait([running])
        if not running.cancelled() and (error := running.exception()) is not None:
            raise error


def checked_command(command: Sequence[str | os.PathLike[str]]) -> tuple[str, ...]:
    """Return the program and its arguments as text.

    Raises:
        TypeError: If the command is a string.
        ValueError: If the command is empty.
    """
    # To type checkers, a string is a sequence of strings like any other.
    if isinstance(command, (str, bytes, os.PathLike)):
        raise TypeError("the command must be a list of the program and its arguments, not a string")
    if not command or not os.fspath(command[0]):
        raise ValueError("the command is empty; pass a list of the program and its arguments")
    return tuple(os.fspath(word) for word in command)


@asynccontextmanager
async def connect_stdio(
    command: Sequence[str | os.PathLike[str]],
    *clients: Handlers,
    stderr: int | IO[Any] | None = None,
    on_stderr: Callable[[str], object] | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    own_group: bool = True,
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
    """Start an agent and connect a client to it. Leaving the context ends the agent.

    The agent is asked to end by closing its input, then terminated, then killed; and so is every
    process that it has started, even if the agent itself has ended, unless such a process has made
    itself a group of its own. Leaving the context waits for that, unless this task is cancelled. It
    takes at most three times `grace` (for the handlers, for the end of the input, and for being
    terminated) and two seconds (for being killed, and for the rest of standard error).

    Args:
        command: the program of the agent and its arguments. The system searches the PATH of `env`
            for it, on Windows also for batch files, such as `npx.cmd` for `npx`.
        clients: see `connect`.
        stderr: where the standard error of the agent goes, as for
            `asyncio.create_subprocess_exec`; by default, to that of this process. With
            `asyncio.subprocess.PIPE`, its last lines are kept for `ConnectionClosed` and
            `Peer.exit`.
        on_stderr: called with each line of the standard error of the agent, without the end of the
            line, while the agent runs; its last lines are kept as well. What it raises is logged.
            Of a line of more than 64 KiB, it gets the end.
        env: the environment of the agent; by default, that of this process.
        cwd: the working directory of the agent; by default, that of this process.
        own_group: whether the agent and what it starts are a process group of their own, which
            ends as a whole, and which the signals of the terminal, such as Ctrl-C, do not reach. On
            POSIX systems, it has a session of its own, too, and so no terminal; on Windows, it is a
            job object. Otherwise, only the agent itself is ended.
        grace: how long handlers may take to end when the context is left; then the agent, when
            its input ends, and again when it is terminated; in seconds.
        max_line: the length of the longest message to accept, in bytes.
        limits: how much to keep for the other side.
        on_issue: see `connect`.
        observe: see `connect`.
        silence: see `connect`.
        debug: see `serve`.
        bridge: see `connect`.
        on_loss: see `serve`.

    Raises:
        ImportError: there is to be a bridge, and the package was vendored without.
        OSError: the agent cannot be started. A FileNotFoundError says where it was searched.
        TypeError: the command is a string, or something is not a handler of clients.
        ValueError: the command is empty; `on_stderr` is set, but `stderr` is redirected; or,
            on Windows, the agent is a batch file and an argument has a line break.
    """
    from .child_process import open_child  # here, since agents need none of it

    stream = await open_child(
        checked_command(command),
        stderr=stderr,
        on_stderr=on_stderr,
        env=env,
        cwd=cwd,
        own_group=own_group,
        grace=grace,
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


@asynccontextmanager
async def connect_memory(
    agents: Handlers | Sequence[Handlers],
    clients: Handlers | Sequence[Handlers],
    *,
    grace: float = GRACE,
    max_line: int = MAX_LINE,
    limits: Limits = DEFAULT,
    on_issue: Callable[[Issue], object] | None = None,
    observe: Observer | None = None,
    debug: bool | None = None,
    bridge: bool | type[Handler] | Handler = False,
    on_loss: Callable[[Loss], object] | None = None,
) -> AsyncGenerator[Peer]:
    """Serve an agent in this process, and connect a client to it; for tests, above all.

    Everything goes through the codec, as over a pipe. Leaving the context ends both, and waits for
    the handlers of the agent as `serve` does.

    Args:
        agents: see `serve`; several in a sequence.
        clients: see `connect`; several in a sequence.
        grace: how long handlers may take to end when they are cancelled, in seconds.
        max_line: the length of the longest message that each side accepts, in bytes.
        limits: how much each side keeps for the other.
        on_issue: called for each issue of decoding, on either side.
        observe: called for each line that the client sends or receives.
        debug: see `serve`; on either side.
        bridge: whether the two may speak different protocol versions; see `connect`. The bridge is
            on the side of the client: its `Peer.bridged` tells what the agent speaks.
        on_loss: see `serve`.
    """
    near, far = memory_messages()
    served = serve(
        far,
        *_each(agents),
        grace=grace,
        max_line=max_line,
        limits=limits,
        on_issue=on_issue,
        debug=debug,
    )
    serving = asyncio.create_task(served)
    try:
        async with connect(
            near,
            *_each(clients),
            grace=grace,
            max_line=max_line,
            limits=limits,
            on_issue=on_issue,
            observe=observe,
            debug=debug,
            bridge=bridge,
            on_loss=on_loss,
        ) as peer:
            yield peer
    finally:
        await serving  # which ends with the stream


def _each(handlers: Handlers | Sequence[Handlers]) -> Sequence[Handlers]:
    return handlers if isinstance(handlers, Sequence) else [handlers]
