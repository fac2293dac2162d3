"""Command that plays a script in a separate process: `python -m acp_bindings.testing SCRIPT`."""

from __future__ import annotations

import argparse
import asyncio
import os
import runpy
import sys
from pathlib import Path
from typing import Any

from ..runtime.aio import Stream, log_to
from ..runtime.aio.stdio import open_stdio
from .agent import Agent
from .client import Client
from .replay import Replay

# The time that the process keeps running after its script has closed the connection, in seconds.
_LIVES_ON = 60.0


def main(arguments: list[str] | None = None) -> int:
    """Play a script over standard input and output.

    Returns:
        The exit status: 0 if the peer followed the script, 1 if it didn't, and 2 if the script
        isn't valid.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m {__package__}",
        description="Play an agent or a client over standard input and output.",
        epilog="Exit codes: 0 if the peer followed the script, 1 if it did not, and 2 if the"
        " script is invalid. A script can also exit with other codes.",
    )
    parser.add_argument(
        "script",
        type=Path,
        help="Python file that defines `agent` (an Agent) or `client` (a coroutine function that"
        " accepts a Client), or a recording written by log_to (.jsonl, .log)",
    )
    parser.add_argument("--side", choices=["agent", "client"], default="agent")
    parser.add_argument("--log", type=Path, help="write a recording to this file, as log_to does")
    options = parser.parse_args(arguments)
    return asyncio.run(_play(options.script, options.side, options.log))


async def _play(script: Path, side: Any, log: Path | None) -> int:
    stream = await open_stdio()  # done first, since the script's output must not reach the peer
    observe = None if log is None else log_to(log.open("w", encoding="utf-8"))
    try:
        played = _load(script, side)
    except (OSError, ValueError) as error:
        print(f"{script}: {error}", file=sys.stderr)
        return 2
    try:
        if isinstance(played, Replay):
            played.observe = observe
            await played.play(stream)
            played.check()
        elif isinstance(played, Agent):
            await _play_agent(played, stream, observe)
        else:
            async with Client(stream, observe=observe) as client:
                client.exit = os._exit
                await played(client)
    except AssertionError as error:
        print(f"{script}: {error}", file=sys.stderr)
        return 1
    return 0


async def _play_agent(agent: Agent, stream: Stream, observe: Any) -> None:
    agent.exit = os._exit
    agent.observe = agent.observe or observe
    await agent.play(stream)
    if agent.lives_on:
        await asyncio.sleep(_LIVES_ON)


def _load(script: Path, side: Any) -> Any:
    """Return the agent, client function or replay that a script defines.

    Raises:
        OSError: If the script cannot be read.
        ValueError: If the script isn't valid or defines neither an agent nor a client function.
    """
    if script.suffix != ".py":
        return Replay(script, side)
    names = runpy.run_path(str(script))
    if isinstance(agent := names.get("agent"), Agent):
        return agent
    if callable(client := names.get("client")):
        return client
    raise ValueError("defines neither `agent` (an Agent) nor a coroutine function `client`")


if __name__ == "__main__":
    sys.exit(main())
