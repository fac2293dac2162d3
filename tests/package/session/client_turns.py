"""Opening sessions, prompting, cancelling and asking the user, for tests of client sessions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from package.session.scripted import (
    CANCEL,
    SESSION,
    V1,
    V2,
    Json,
    Script,
    Version,
    client,
    result,
    settle,
)

# Answers to a request for permission.
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


def named(members: Json) -> Json:
    """The members of a request that opens a session, by their names in Python."""
    names = {"sessionId": "session_id", "mcpServers": "mcp_servers"}
    return {names.get(name, name): value for name, value in members.items()}


def bring_back(
    version: Version, kind: str, session: Any, session_id: str = SESSION
) -> asyncio.Task[Any]:
    """Start bringing back a session, on the connection of this one."""
    _, members = opening(version, kind, session_id)
    come_back = getattr(version.client.ClientSession, kind)
    return asyncio.create_task(come_back(session.peer, **named(members)))


async def read_bring_back(
    script: Script, version: Version, kind: str, session_id: str = SESSION
) -> Any:
    """Read the request that brings a session back. Return its id."""
    _, members = opening(version, kind, session_id)
    return await script.request(f"session/{kind}", **members)


async def coming_back(
    script: Script, version: Version, kind: str, session: Any, session_id: str = SESSION
) -> tuple[asyncio.Task[Any], Any]:
    """Start bringing back a session, and read the request. Return the task and the request's id."""
    coming = bring_back(version, kind, session, session_id)
    return coming, await read_bring_back(script, version, kind, session_id)


async def entered(script: Script, session: Any) -> tuple[Any, Any]:
    """A turn that is entered, whose prompt the agent has read; and the id of the prompt."""
    turn = await session.prompt("Hi").__aenter__()
    return turn, await script.prompt()


def texts(session: Any, role: str = "agent") -> list[str]:
    """The texts of the messages of a role."""
    return [message.text for message in session.state.messages if message.role == role]


async def forever() -> Any:
    """Wait until cancelled."""
    await asyncio.Event().wait()


@asynccontextmanager
async def prompted(
    version: Version, script: Script, session: Any, *said: Json
) -> AsyncGenerator[tuple[Any, Any]]:
    """A turn whose prompt the agent accepts, and says more; yields it and the id of the prompt."""
    async with session.prompt("Hi") as turn:
        id_ = await script.prompt()
        script.write(*version.accepted(id_), *said)
        yield turn, id_


@asynccontextmanager
async def working(
    version: Version, *said: Json, **options: Any
) -> AsyncGenerator[tuple[Script, Any, Any, Any]]:
    """The same with a client that has these options; yields the script and the session, too."""
    async with (
        client(version, **options) as (script, session),
        prompted(version, script, session, *said) as (turn, id_),
    ):
        yield script, session, turn, id_


async def close(script: Script, session: Any, *behind: Json) -> None:
    """Close a session; the agent sends more messages after its answer."""
    closing = asyncio.create_task(session.close())
    id_ = await script.request("session/close", sessionId=session.session_id)
    script.write(result(id_), *behind)
    await closing
    await settle()


async def cancel(script: Script, turn: Any) -> None:
    """Cancel a turn, or a session. That is the next thing that the agent reads."""
    await turn.cancel()
    assert await script.read() == CANCEL


def selecting(version: Version, option: str = "yes") -> Callable[[Any], Coroutine[Any, Any, Any]]:
    """A user who selects this option, whatever the question is."""
    outcome = {"outcome": {"outcome": "selected", "optionId": option}}

    async def select(params: Any) -> Any:
        return version.surface.decode(version.surface.RequestPermissionResponse, outcome)

    return select


def asked_about(params: Any) -> str:
    """The id of the tool call that a question is about."""
    about = getattr(params, "tool_call", None) or params.subject.tool_call
    tool_call_id: str = about.tool_call_id
    return tool_call_id


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
        self.asked.append(asked_about(params))
        try:
            await forever()
        except asyncio.CancelledError:
            self.withdrawn.append(asked_about(params))
            raise
