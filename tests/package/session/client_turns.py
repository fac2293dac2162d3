"""What users answer and what surrounds a turn, for tests of client sessions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from package.session.scripted import SESSION, V1, V2, Json, Version

ALLOWED = {"outcome": {"outcome": "selected", "optionId": "yes"}}
REFUSED = {"outcome": {"outcome": "cancelled"}}

# The methods by which a session comes back, of each version.
BACK = [(V1, "load"), (V1, "resume"), (V2, "resume")]
each_way_back = pytest.mark.parametrize(
    ("version", "kind"), BACK, ids=[f"{version}-{kind}" for version, kind in BACK]
)


def opening(version: Version, kind: str, session: str = SESSION) -> Any:
    """The params of a method that opens a session, as an object and in JSON."""
    members: Json = {"cwd": "/"}
    if kind != "new":
        members["sessionId"] = session
    if version.number == 1 and kind in ("new", "load"):
        members["mcpServers"] = []
    name = {"new": "New", "load": "Load", "resume": "Resume", "fork": "Fork"}[kind]
    surface = version.surface
    return surface.decode(getattr(surface, f"{name}SessionRequest"), members), members


def texts(session: Any, role: str = "agent") -> list[str]:
    """The texts of the messages of a role."""
    return [message.text for message in session.state.messages if message.role == role]


async def forever() -> Any:
    """Wait until cancelled."""
    await asyncio.Event().wait()


async def stay(session: Any, turns: list[Any], words: str = "Hi") -> None:
    """Wait at the end of the block of a turn."""
    async with session.prompt(words) as turn:
        turns.append(turn)


class Asked:
    """A user who is asked, and does not answer.

    Attributes:
        asked: the ids of the tool calls that the user was asked about.
        withdrawn: those whose question was taken back.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.withdrawn: list[str] = []

    async def __call__(self, params: Any) -> Any:
        about = getattr(params, "tool_call", None) or params.subject.tool_call
        self.asked.append(about.tool_call_id)
        try:
            await forever()
        except asyncio.CancelledError:
            self.withdrawn.append(about.tool_call_id)
            raise
