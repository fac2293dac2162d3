"""The two ends of a connection: serve an agent, connect a client."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import IO, Any

from ..jsonrpc.handler import Handler
from ..jsonrpc.limits import DEFAULT, MAX_LINE, Limits
from ..jsonrpc.observing import Loss, Observer
from ..values.errors import Issue
from .handlers import Handlers
from .peer import Peer
from .stdio import open_stdio
from .streams import GRACE, Stream, memory_streams


@asynccontextmanager
async def _closed_on_error(stream: Stream) -> AsyncGenerator[None]:
    """Close the stream if the block fails: a peer calls a factory of the user as it is made."""
    try:
        yield
    except BaseException:
        await stream.close()
        raise


@contextmanager
def _ended_by_signals() -> Generator[None]:
    """Cancel this task at the signals that end a program, so that its `finally` blocks run."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None, "this runs in a coroutine"
    handled: list[int] = []
    received: list[int] = []

    def restore() -> None:
        while handled:
            loop.remove_signal_handler(handled.pop())

    def end(number: int) -> None:
        received.append(number)
        restore()  # another signal ends the program at once
        task.cancel()

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Windows has no SIGHUP. A program that handles a signal itself keeps its handler.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            # Not every event loop can do it, and none can outside the main thread.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, end, number)
                handled.append(number)
    try:
        yield
    except asyncio.CancelledError:
        if received:
            raise SystemExit(128 + received[0]) from None  # as shells report such an end
        raise
    finally:
        restore()


async def serve(
    stream: Stream,
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
        grace: how long they may take to end when they are then cancelled, in seconds. A handler
            that takes longer is dropped. Afterwards, the sessions end, which can take as long for
            `AgentSession.ended`, and again for what they own.
        max_line: the length of the longest message to accept, in bytes.
        limits: how much to keep for the other side.
        on_issue: called for each issue of decoding, see `decode`. What it raises is logged.
        observe: called for each line that is sent or received, such as by `log_to`. What it raises
            is logged.
        debug: whether to send tracebacks with internal errors, and to log notifications that
            nobody handles; by default, the environment variable ACP_DEBUG decides.
        bridge: whether clients of the other protocol version are served, too. The handler sees its
            own version only; `Peer.bridged` says what the client really speaks. With handlers for
            both versions, each client gets that of its version, and there is nothing to bridge.
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
) -> None:
    """Serve an agent on standard input and output until the input ends; see `serve`.

    From then on, `print` and everything else that writes to standard output writes to standard
    error. SIGTERM and SIGHUP end the connection like the end of the input, and then the program,
    unless it handles them itself.

    Raises:
        SystemExit: a signal has ended the connection; the status is 128 and its number. Or the
            program was started without standard input or output; the status is 1, and a line on
            standard error says so.
    """
    with _ended_by_signals():
        await serve(
            await open_stdio(),
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


@asynccontextmanager
async def connect(
    stream: Stream,
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
            no others are called, and the client is shown the terminals.
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
        command: the program of the agent and its arguments.
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
        on_issue: called for each issue of decoding, see `decode`. What it raises is logged.
        observe: called for each line that is sent or received, such as by `log_to`. What it raises
            is logged.
        silence: see `connect`.
        debug: see `serve`.
        bridge: see `connect`.
        on_loss: see `serve`.

    Raises:
        ImportError: there is to be a bridge, and the package was vendored without.
        OSError: the agent cannot be started.
        TypeError: the command is a string, or something is not a handler of clients.
        ValueError: there is an `on_stderr`, and `stderr` leads elsewhere.
    """
    if isinstance(command, str):  # to type checkers, a sequence of strings like any other
        raise TypeError("the command must be a list of the program and its arguments, not a string")
    from .child import open_child  # here, since agents need none of it

    stream = await open_child(
        command,
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
    near, far = memory_streams()
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
