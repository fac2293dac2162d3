"""Scripted agents and clients, expectations, and faults, for testing clients and agents.

    from acp_bindings.testing import Agent, Client, ask_permission, say, tool_call

    async with Client(MyAgent) as client:                  # tests an agent
        turn = await client.prompt("Clean up")
        turn.expect(tool_call("rm", status="completed"), "Done.")

    async with Agent("Hello!").stream() as stream:         # tests a client
        async with connect(stream, MyClient) as peer:
            ...

A `Wire` sends and receives raw lines. A `Party` uses a wire and plays a script for each of the
peer's requests. A script consists of steps (`steps`), faults (`faults`) and updates (`values`),
all of which work in any protocol version. `Agent` and `Client` are the two kinds of party.
`expecting` compares received updates with the expected updates. `replay` plays one side of a
recording. `plugin` contains pytest fixtures. Running this package with `python -m` plays a script
in a separate process.

This package is never imported implicitly, and it requires only the standard library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = [
    "Agent",
    "BlockingClient",
    "Call",
    "Client",
    "Departure",
    "Ended",
    "Party",
    "Prompt",
    "Replay",
    "Silent",
    "Step",
    "Turn",
    "Update",
    "Wire",
    "WireError",
    "accept",
    "again",
    "answer",
    "ask",
    "ask_permission",
    "close",
    "crash",
    "differences",
    "end",
    "expect",
    "fail",
    "garbage",
    "half_line",
    "matches",
    "pause",
    "say",
    "send",
    "silence",
    "step",
    "think",
    "tool_call",
    "update",
    "wait_for_cancel",
    "wrong_id",
]

# The names that each module defines. Modules are loaded on first use, since pytest imports this
# package together with its plugin even if no test uses the package.
_HOMES = {
    "agent": ("Agent", "Prompt"),
    "blocking": ("BlockingClient",),
    "client": ("Client", "Turn"),
    "expecting": ("expect", "differences", "matches"),
    "faults": ("again", "close", "crash", "garbage", "half_line", "silence", "wrong_id"),
    "party": ("Call", "Party", "Step"),
    "replay": ("Departure", "Replay"),
    "steps": (
        "accept",
        "answer",
        "ask",
        "ask_permission",
        "end",
        "fail",
        "pause",
        "send",
        "step",
        "wait_for_cancel",
    ),
    "values": ("Update", "say", "think", "tool_call", "update"),
    "wire": ("Ended", "Silent", "Wire", "WireError"),
}

if TYPE_CHECKING:
    from .agent import Agent, Prompt
    from .blocking import BlockingClient
    from .client import Client, Turn
    from .expecting import differences, expect, matches
    from .faults import again, close, crash, garbage, half_line, silence, wrong_id
    from .party import Call, Party, Step
    from .replay import Departure, Replay
    from .steps import (
        accept,
        answer,
        ask,
        ask_permission,
        end,
        fail,
        pause,
        send,
        step,
        wait_for_cancel,
    )
    from .values import Update, say, think, tool_call, update
    from .wire import Ended, Silent, Wire, WireError
else:

    def __getattr__(name: str) -> Any:
        """Return the object with this name, loading its module on first use."""
        from importlib import import_module

        for home, names in _HOMES.items():
            if name in names:
                value = globals()[name] = getattr(import_module(f".{home}", __name__), name)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
