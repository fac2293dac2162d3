"""The bridge process, with a client on standard input and output and an agent as a child process.

The conversion and the streams are implemented in the generated package.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import IO, Any

from acp_bindings.runtime.aio import Observer, Stream, log_to
from acp_bindings.runtime.aio.bridging import VERSIONS, BridgedStream
from acp_bindings.runtime.aio.child_process import ChildStream, open_child
from acp_bindings.runtime.aio.stdio import check_stdio, open_stdio
from acp_bindings.runtime.aio.streams import GRACE

from acpwire.processes import Signalled, both_ways, cannot_start, exit_code, signals, warnings_shown
from acpwire.termination import Termination

__all__ = ["VERSIONS", "run"]

# The number of seconds within which an agent must close its output after exiting, or exit after
# closing its output.
_GRACE = 0.5


def run(command: Sequence[str], versions: Collection[int] | None, log: IO[str] | None) -> int:
    """Convert messages until the client or the agent closes the connection or a signal arrives.

    Returns:
        The agent's exit code, or 128 plus the signal number if a signal terminated the agent or
        this process.

    Raises:
        InputError: If the agent cannot be started.
        SystemExit: If standard input or output is closed or fails.
    """
    return asyncio.run(_run(command, versions, None if log is None else log_to(log)))


async def _run(
    command: Sequence[str], versions: Collection[int] | None, observe: Observer | None
) -> int:
    with warnings_shown("bridge"), signals() as signalled:
        try:
            agent = await open_child(command, grace=_GRACE)
        except OSError as error:
            raise cannot_start(command[0], error) from error
        ending = Termination(agent.process.pid)
        try:
            stdio = await open_stdio()
            client = BridgedStream(stdio, "agent", shown=versions, observe=observe)
            try:
                await _carry(client, agent, signalled, ending)
            finally:
                await client.close()  # sends the outstanding responses to the client
            check_stdio(stdio)
        finally:
            await agent.close()
            ending.wait()
    if signalled.done():
        return 128 + signalled.result()
    return exit_code(agent.exit)


async def _carry(
    client: Stream, agent: ChildStream, signalled: Signalled, ending: Termination
) -> None:
    async with both_ways(_pass_on(client, agent), _pass_on(agent, client)) as (there, back):
        ends: list[asyncio.Future[Any]] = [there, back, signalled]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        ending.begin()
        agent.end_input()
        # The agent can send messages until `ending` kills it. Wait for these messages, but no
        # longer than `GRACE`, since the client might not be reading.
        await asyncio.wait([back], timeout=GRACE)


async def _pass_on(source: Stream, sink: Stream) -> None:
    with suppress(OSError):  # the sink's reader exited
        while data := await source.read():
            sink.write(data)
            await sink.drain()
