"""Entry points for serving an agent and for connecting a client."""

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
from .tasks import wait_done


@asynccontextmanager
async def _closed_on_error(stream: Stream | MessageStream) -> AsyncGenerator[None]:
    """Close the stream if the block fails. `Peer` calls the program's factories, which can fail."""
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
    """Serve an agent on a stream until the stream ends, then close the stream.

    Args:
        stream: the connection to the client.
        agents: a handler for each supported protocol version; `initialize` selects one. A class,
            such as a subclass of `v2.SessionAgent`, is called to create a handler for this
            connection, with the `Peer` if its `__init__` accepts an argument. An object is used as
            is and outlives the connection. To pass a factory, specify its surface: `{v2: factory}`.
            A factory is always called with the `Peer`.
        linger: how long handlers may take to finish after the end of the stream, in seconds.
        grace: how long handlers may take to finish after they are cancelled, in seconds. Handlers
            that take longer are dropped. Then the sessions end. The same limit applies separately
            to `AgentSession.ended` and to the release of the sessions' resources.
        max_line: the length of the longest message to accept, in bytes.
        limits: limits on the data stored for the client.
        on_issue: called for each decoding issue; see `decode`. The callback's exceptions are
            logged.
        observe: called for each line sent or received; `log_to` returns such a function. The
            callback's exceptions are logged.
        debug: whether to send tracebacks with internal errors and to log notifications without a
            handler; by default, this depends on the environment variable ACP_DEBUG.
        bridge: whether to also serve clients that speak the other protocol version. The handler
            uses only its own version; `Peer.bridged` specifies the version that the client speaks.
            If there are handlers for both versions that the bridge connects, each client is served
            by the handler for its version, and no bridge is used. Handlers for additional versions
            serve their clients without a bridge.
        on_loss: called for each part of a message that the bridge cannot carry over, in either
            direction. The first loss of each kind is logged. The callback's exceptions are logged.

    Raises:
        ImportError: If a bridge is requested but the package was vendored without it.
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

    Once serving begins, everything that `print` and other code write to standard output is
    redirected to standard error. SIGTERM and SIGHUP close the connection, as the end of the input
    does, and then terminate the program, unless the program handles these signals itself.

    If the program did not configure `logging`, this package's warnings and errors are written to
    standard error. Only the first entry of each kind is written, with its traceback.

    Handlers cannot prevent the program from exiting. If, after `linger` and `grace`, the program
    is still waiting for a task or thread that was started during the connection, the location of
    the task or thread is logged and the process exits with `os._exit`. The exit status is 1 or,
    after a signal, 128 plus the signal number.

    Args:
        agents: a handler for each supported protocol version; see `serve`.
        linger: how long handlers may take to finish after the end of the input, in seconds.
        grace: how long handlers may take to finish after they are cancelled, in seconds.
        max_line: the length of the longest message to accept, in bytes.
        limits: limits on the data stored for the client.
        on_issue: see `serve`.
        observe: see `serve`.
        debug: see `serve`.
        bridge: see `serve`.
        on_loss: see `serve`.
        log_level: the minimum level of log entries to write to standard error, such as "DEBUG"; by
            default, the level of the loggers, which is WARNING unless the program sets another
            level. None disables this output.

    Raises:
        SystemExit: If a signal closed the connection, if a handler had to be dropped, or if
            standard input or output failed or was missing at the start. The status is 128 plus the
            signal number or, without a signal, 1. Failures of standard input or output are also
            reported on standard error.
        TypeError: If an argument is not an agent handler, or if `log_level` is neither a string nor
            an integer.
        ValueError: If `log_level` is not the name of a level.
    """
    # Imported here, since clients don't need these modules.
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
        clients: a handler for each supported protocol version. The agent's response to
            `Peer.initialize` selects one. Classes, objects and factories are accepted, as in
            `serve`.
        grace: how long handlers may take to finish when the context exits, in seconds. Handlers
            that take longer are dropped.
        max_line: the length of the longest message to accept, in bytes.
        limits: limits on the data stored for the agent.
        on_issue: called for each decoding issue; see `decode`. The callback's exceptions are
            logged.
        observe: called for each line sent or received; `log_to` returns such a function. The
            callback's exceptions are logged.
        silence: an inactivity timeout, in seconds, or None for no timeout. The agent is considered
            dead if it sends nothing for this long while a response or the end of a turn is pending
            and the agent itself has no open request. In this case, an error is logged and the
            connection is closed.
        debug: see `serve`.
        bridge: whether to also support agents that speak the other protocol version. The handler
            and the stubs still use their own version; `Peer.bridged` specifies the version that the
            agent speaks. If there are handlers for both versions, the agent's version selects the
            handler, and no bridge is used.
            Protocol 2 doesn't define client methods for files and terminals. For protocol 1 agents
            that use these methods, pass a `v1.ClientHandler` object or class instead of True. A
            class is called without arguments. The bridge advertises only the `fs` and `terminal`
            methods that the handler defines, and calls no others. The client receives updates
            about the terminals, including new output. The handler is also notified of the
            connection and its sessions; see `Handler.opened`. An object can have only one
            connection at a time.
        on_loss: see `serve`.

    Raises:
        ImportError: If a bridge is requested but the package was vendored without it.
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
        await asyncio.sleep(0)  # a task cancelled before its first step would not close the stream
        yield peer
    finally:
        running.cancel()
        # A cancellation must end this wait, since a handler might be waiting for this task.
        await wait_done(running)
        if not running.cancelled() and (error := running.exception()) is not None:
            raise error


def checked_command(command: Sequence[str | os.PathLike[str]]) -> tuple[str, ...]:
    """Check a command and return the program and its arguments as strings.

    Raises:
        TypeError: If the command is a string.
        ValueError: If the command is empty.
    """
    # Checked here, since type checkers accept a string as a sequence of strings.
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
    """Start an agent and connect a client to it. Leaving the context stops the agent.

    The agent is stopped by closing its input. If the agent doesn't exit, it is terminated and, if
    necessary, killed. The same applies to all processes that the agent started, even if the agent
    itself has exited. Processes that created their own group are not affected. Leaving the context
    waits for all the other processes to exit, unless this task is cancelled. The wait takes at
    most three times `grace` (for the handlers, after closing the input, and after termination)
    plus two seconds (to kill the processes and to read the rest of standard error).

    Args:
        command: the agent program and its arguments. The program is looked up in the PATH of
            `env`. On Windows, the search includes batch files, such as `npx.cmd` for `npx`.
        clients: see `connect`.
        stderr: the destination of the agent's standard error, as for
            `asyncio.create_subprocess_exec`; by default, the standard error of this process. With
            `asyncio.subprocess.PIPE`, the last lines are retained for `ConnectionClosed` and
            `Peer.exit`.
        on_stderr: called with each line of the agent's standard error, without the line ending, as
            soon as it arrives. The last lines are also retained. If a line exceeds 64 KiB, only its
            end is passed. The callback's exceptions are logged.
        env: the agent's environment; by default, the environment of this process.
        cwd: the agent's working directory; by default, the working directory of this process.
        own_group: whether to run the agent and the processes that it starts in a separate process
            group, which is stopped as a unit and receives no signals from the terminal, such as
            Ctrl-C. On POSIX systems, the group is also a separate session without a controlling
            terminal. On Windows, the group is a job object. If false, only the agent itself is
            stopped.
        grace: a time limit in seconds, which applies three times: to handlers when the context
            exits, to the agent after its input is closed, and to the agent after it is terminated.
        max_line: the length of the longest message to accept, in bytes.
        limits: limits on the data stored for the agent.
        on_issue: see `connect`.
        observe: see `connect`.
        silence: see `connect`.
        debug: see `serve`.
        bridge: see `connect`.
        on_loss: see `serve`.

    Raises:
        ImportError: If a bridge is requested but the package was vendored without it.
        OSError: If the agent cannot be started. A FileNotFoundError lists the searched directories.
        TypeError: If the command is a string, or if an argument is not a client handler.
        ValueError: If the command is empty, if `on_stderr` is set although `stderr` is redirected,
            or if, on Windows, the agent is a batch file and an argument contains a line break.
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

    All messages are encoded and decoded, as over a pipe. Leaving the context stops both sides and
    waits for the agent's handlers, as `serve` does.

    Args:
        agents: see `serve`; pass several handlers as a sequence.
        clients: see `connect`; pass several handlers as a sequence.
        grace: how long handlers may take to finish after they are cancelled, in seconds.
        max_line: the length of the longest message that each side accepts, in bytes.
        limits: limits on the data that each side stores for its peer.
        on_issue: called for each decoding issue on either side.
        observe: called for each line that the client sends or receives.
        debug: see `serve`. The setting applies to both sides.
        bridge: whether the two sides may speak different protocol versions; see `connect`. The
            bridge is on the client's side, so the client's `Peer.bridged` specifies the version
            that the agent speaks.
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
        await serving  # finishes when the stream ends


def _each(handlers: Handlers | Sequence[Handlers]) -> Sequence[Handlers]:
    return handlers if isinstance(handlers, Sequence) else [handlers]
