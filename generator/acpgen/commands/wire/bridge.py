"""Run a bridge as a process: a client at standard input and output, an agent that this one starts.

The bridge is that of the generated package, and so are its streams; commands import it late.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, TypeAlias

from acp_bindings.runtime.aio import Exit, Observer, Stream, log_to
from acp_bindings.runtime.aio.bridging import VERSIONS, BridgedStream
from acp_bindings.runtime.aio.child import ChildStream, open_child
from acp_bindings.runtime.aio.stdio import check_stdio, open_stdio
from acp_bindings.runtime.aio.streams import GRACE

from acpgen.commands.wire.ending import Ending
from acpgen.commands.wire.programs import cannot_start

__all__ = ["VERSIONS", "run"]

# How long an agent's output can stay open after its exit, and how long the agent can run after the
# end of its output, in seconds.
_GRACE = 0.5
# The signals that end the bridge, and the agent with it. The next one ends it at once.
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")

Signalled: TypeAlias = "asyncio.Future[int]"


def run(command: Sequence[str], versions: Collection[int] | None, log: IO[str] | None) -> int:
    """Convert a conversation until one side ends, or a signal arrives.

    Returns:
        The exit code: that of the agent; if a signal has ended the agent or the bridge, 128 and the
        number of the signal.

    Raises:
        InputError: the agent cannot be started.
        SystemExit: If standard input or output is closed or fails.
    """
    return asyncio.run(_run(command, versions, None if log is None else log_to(log)))


async def _run(
    command: Sequence[str], versions: Collection[int] | None, observe: Observer | None
) -> int:
    with _warnings_shown(), _signals() as signalled:
        try:
            agent = await open_child(command, grace=_GRACE)
        except OSError as error:
            raise cannot_start(command[0], error) from error
        ending = Ending(agent.process.pid)
        try:
            stdio = await open_stdio()
            client = BridgedStream(stdio, "agent", shown=versions, observe=observe)
            try:
                await _carry(client, agent, signalled, ending)
            finally:
                await client.close()  # which answers what the client still waits for
            check_stdio(stdio)
        finally:
            await agent.close()
            ending.wait()
    if signalled.done():
        return 128 + signalled.result()
    return exit_code(agent.exit)


def exit_code(exit: Exit | None) -> int:
    """The exit code of a program as shells have it."""
    if exit is None:
        return 1
    if exit.signal is None:
        return exit.code or 0
    number = getattr(signal, exit.signal, None) or exit.signal.removeprefix("signal ")
    return 128 + int(number)


async def _carry(client: Stream, agent: ChildStream, signalled: Signalled, ending: Ending) -> None:
    """Pass everything on until one side ends, or a signal arrives."""
    there = asyncio.create_task(_pass_on(client, agent))
    back = asyncio.create_task(_pass_on(agent, client))
    ends: list[asyncio.Future[Any]] = [there, back, signalled]
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        ending.begin()
        agent.end_input()
        # The agent can still send messages until `ending` kills it. The client might not read them.
        await asyncio.wait([back], timeout=GRACE)
    finally:
        there.cancel()
        back.cancel()
        await asyncio.wait([there, back])


async def _pass_on(source: Stream, sink: Stream) -> None:
    """Pass bytes on until their end, or until nobody takes them any more."""
    with suppress(OSError):
        while data := await source.read():
            sink.write(data)
            await sink.drain()


@contextmanager
def _signals() -> Iterator[Signalled]:
    """Wait for the signals that end a program."""
    loop = asyncio.get_running_loop()
    signalled: Signalled = loop.create_future()
    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]

    def restore() -> None:
        while numbers:
            loop.remove_signal_handler(numbers.pop())

    def end(number: int) -> None:
        restore()
        signalled.set_result(number)

    for number in numbers[:]:
        try:
            loop.add_signal_handler(number, end, number)
        except (NotImplementedError, RuntimeError, ValueError):  # not on every system or loop
            numbers.remove(number)
    try:
        yield signalled
    finally:
        restore()


@contextmanager
def _warnings_shown() -> Iterator[None]:
    """Print what the package logs, such as losses, on standard error: a line for each."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("acpgen bridge: %(message)s"))
    logger = logging.getLogger("acp_bindings")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
