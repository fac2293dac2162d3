"""The entry points: serve an agent, or connect a client."""

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
    """Close the stream if the block fails, since `Peer` calls the user's factories."""
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
        agents: a handler for each protocol version to support; `initialize` selects one. A class,
            such as a subclass of `v2.SessionAgent`, is called with the `Peer` to make a handler for
            this connection. An object outlives the connection. Pass a factory, which also gets the
            `Peer`, with its surface: `{v2: factory}`.
        linger: how long handlers may take to finish after the end of the stream, in seconds.
        grace: how long they can take to end after their cancellation, in seconds. A handler that
            takes longer is dropped. Afterwards, the sessions end, which can take as long for
            `AgentSession.ended`, and again for their resources.
        max_line: the length of the longest message to accept, in bytes.
        limits: how much to store for the client.
        on_issue: called for each decoding issue; see `decode`. Its exceptions are logged.
        observe: called for each line that is sent or received, such as by `log_to`. Its exceptions
            are logged.
        debug: whether to send tracebacks with internal errors, and to log notifications without a
            handler; by default, the environment variable ACP_DEBUG decides.
        bridge: whether to also serve clients of the other protocol version. The handler sees only
            its own version; `Peer.bridged` says which version the client really speaks. With
            handlers for both versions of the bridge, each client gets the handler of its version,
            and nothing is bridged. Handlers for further versions serve their clients without a
            bridge.
        on_loss: called for each part of a message that the bridge cannot carry over, in either
            direction. The first of each kind is logged. Its exceptions are logged.

    Raises:
        ImportError: If a bridge is requested, but the package was vendored without it.
        TypeError: If an argument is not an agent handler.
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
    unless it handles these signals itself.

    If the program did not configure `logging`, warnings and errors of this package are written to
    standard error: the first of each kind, with its traceback.

    Handlers cannot keep the program from exiting. If it still waits for a task or thread that
    began during the connection when `linger` and `grace` are over, the process exits with
    `os._exit`, after a log entry with the location of that code. The status is 1, or the status of
    the signal.

    Args:
        agents: a handler for each protocol version to support; see `serve`.
        linger: how long handlers can take to finish after the end of the input, in seconds.
        grace: how long they can take to end after their cancellation, in seconds.
        max_line: the length of the longest message to accept, in bytes.
        limits: how much to store for the client.
        on_issue: see `serve`.
        observe: see `serve`.
        debug: see `serve`.
        bridge: see `serve`.
        on_loss: see `serve`.
        log_level: the least severe log entries to write to standard error, such as "DEBUG"; by
            default, the level of the loggers decides, which is WARNING unless the program sets it.
            With None, nothing is written.

    Raises:
        SystemExit: If a signal ended the connection; the status is 128 and its number. If a handler
            had to be dropped; the status is 1. If the program was started without standard input or
            output, or one of them failed; the status is 1, and a line on standard error says so.
        TypeError: If an argument is not an agent handler, or `log_level` is not a level.
        ValueError: If `log_level` is an unknown level.
    """
    # Imported here, since clients need neither.
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
        clients: a handler for each protocol version to support; the response to `Peer.initialize`
            selects one. Classes, objects and factories, as for `serve`.
        grace: how long handlers may take to end when the context exits, in seconds. A handler that
            takes longer is dropped.
        max_line: the length of the longest message to accept, in bytes.
        limits: how much to store for the agent.
        on_issue: called for each decoding issue; see `decode`. Its exceptions are logged.
        observe: called for each line that is sent or received, such as by `log_to`. Its exceptions
            are logged.
        silence: the seconds of silence after which an agent counts as dead if a response or the
            end of a turn is pending and the agent has no open request itself; None for never. This
            is logged, and the connection ends.
        debug: see `serve`.
        bridge: whether to also support agents of the other protocol version. The handler and the
            stubs keep using their own version; `Peer.bridged` says which version the agent really
            speaks. With handlers for both versions, the agent's version decides which one is used,
            and nothing is bridged.
            Protocol 2 clients have no files and no terminals. For protocol 1 agents that request
            these, pass a `v1.ClientHandler` instead of True, or its class, which is then called
            without arguments. The bridge advertises the methods of `fs` and `terminal` that it
            defines and calls no others. The client sees the terminals and their output as it
            arrives. The handler is also notified of the connection and its sessions; see
            `Handler.opened`. An object has one connection at a time.
        on_loss: see `serve`.

    Raises:
        ImportError: If a bridge is requested, but the package was vendored without it.
        TypeError: If an argument is not a client handler.
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
        # A cancellation ends this wait: a handler may be waiting for this very task.
        await asyncio.wait([running])
        if not running.cancelled() and (error := running.exception()) is not None:
            raise error


def checked_command(command: Sequence[str | os.PathLike[str]]) -> tuple[str, ...]:
    """Return the program and its arguments as text.

    Raises:
        TypeError: If the command is a string.
        ValueError: If the command is empty.
    """
    # Type checkers accept a string as a sequence of strings.
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

    To end the agent, its input is closed; then it is terminated, then killed. The same happens to
    every process that it started, even if the agent itself has exited, unless such a process
    created its own group. Leaving the context waits for that, unless this task is cancelled. It
    takes at most three times `grace` (for the handlers, for the end of the input, and for
    termination) and two seconds (for killing, and for the rest of standard error).

    Args:
        command: the agent program and its arguments. The system searches the PATH of `env` for it,
            on Windows also for batch files, such as `npx.cmd` for `npx`.
        clients: see `connect`.
        stderr: where the agent's standard error goes, as for `asyncio.create_subprocess_exec`; by
            default, to the standard error of this process. With `asyncio.subprocess.PIPE`, its last
            lines are kept for `ConnectionClosed` and `Peer.exit`.
        on_stderr: called with each line of the agent's standard error, without the line end, while
            the agent runs. The last lines are also kept. Its exceptions are logged. If a line
            exceeds 64 KiB, only its end is passed.
        env: the environment of the agent; by default, the environment of this process.
        cwd: the working directory of the agent; by default, the directory of this process.
        own_group: whether the agent and the processes that it starts form a separate process
            group, which ends as a whole and does not receive the signals of the terminal, such as
            Ctrl-C. On POSIX systems, it also has a separate session, and so no terminal; on
            Windows, it is a job object. Otherwise, only the agent itself is ended.
        grace: how long handlers may take to end when the context exits; then the agent, after the
            end of its input, and again after its termination; in seconds.
        max_line: the length of the longest message to accept, in bytes.
        limits: how much to store for the agent.
        on_issue: see `connect`.
        observe: see `connect`.
        silence: see `connect`.
        debug: see `serve`.
        bridge: see `connect`.
        on_loss: see `serve`.

    Raises:
        ImportError: If a bridge is requested, but the package was vendored without it.
        OSError: If the agent cannot be started. A FileNotFoundError lists the searched directories.
        TypeError: If the command is a string, or an argument is not a client handler.
        ValueError: If the command is empty; `on_stderr` is set, but `stderr` is redirected; or, on
            Windows, the agent is a batch file and an argument has a line break.
    """
    from .child_process import open_child  # imported here, since agents don't need it

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
    """Serve an agent in this process and connect a client to it, mainly for tests.

    Everything goes through the codec, as over a pipe. Leaving the context ends both and waits for
    the handlers of the agent as `serve` does.

    Args:
        agents: see `serve`; pass several as a sequence.
        clients: see `connect`; pass several as a sequence.
        grace: how long handlers may take to end after their cancellation, in seconds.
        max_line: the length of the longest message that each side accepts, in bytes.
        limits: how much each side stores for the other.
        on_issue: called for each decoding issue on either side.
        observe: called for each line that the client sends or receives.
        debug: see `serve`; applies to both sides.
        bridge: whether the two may speak different protocol versions; see `connect`. The client has
            the bridge: its `Peer.bridged` says which version the agent speaks.
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
        await serving  # ends with the stream


def _each(handlers: Handlers | Sequence[Handlers]) -> Sequence[Handlers]:
    return handlers if isinstance(handlers, Sequence) else [handlers]
