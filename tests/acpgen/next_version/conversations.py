"""Sessions with an agent for protocols 1, 2 and 3. A test runs them in a copy of the project.

The arguments are the file for a recording and the names of the functions to run. The output is a
JSON object that maps the name of each function to its traceback, or to an empty string if the
function succeeded.
"""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

from acp_bindings import v1, v2, v3
from acp_bindings.runtime.aio import Exit, Stream, connect, log_to, memory_streams, serve
from acp_bindings.testing import Agent, Client, say, tool_call, update
from acpgen.common import paths
from acpgen.inputs.overlay.reading import load_overlay
from acpwire.conform.judging import Task, judge
from acpwire.conform.probes_of_agents import PlayedClient
from acpwire.conform.wire import Wire, wire_over

SURFACES: dict[int, Any] = {1: v1, 2: v2, 3: v3}


class AgentV1(v1.SessionAgent):
    info = v1.Implementation(name="agent", version="1")

    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
        await session.say("one")


class AgentV2(v2.SessionAgent):
    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        await session.say("two")


class AgentV3(v3.SessionAgent):
    async def turn(self, session: v3.AgentSession, params: v3.PromptRequest) -> str:
        await session.say("three")
        await session.summarize("in short")
        return "paused"

    async def session_pin(self, params: v3.PinSessionRequest) -> v3.PinSessionResponse:
        return v3.PinSessionResponse()


AGENTS = (AgentV1, AgentV2, AgentV3)
WORDS = {1: "one", 2: "two", 3: "three"}


async def talk(version: int, *agents: Any, bridge: bool = False) -> Any:
    """Run a turn with a client for the given version, and return the session and the turn."""
    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, *agents, bridge=bridge))
    surface = SURFACES[version]
    async with connect(near, surface.SessionClient) as peer:
        await peer.initialize()
        more = {"mcp_servers": []} if version == 1 else {}
        session = await surface.ClientSession.create(peer, cwd="/", **more)
        async with session.prompt("Hi") as turn:
            await turn.wait()
    await serving
    return session, turn


async def negotiation() -> None:
    """Check that each client talks to the agent for its protocol version."""
    for version, word in WORDS.items():
        session, turn = await talk(version, *AGENTS)
        assert [message.role for message in session.state.messages][:2] == ["user", "agent"]
        assert session.state.messages[1].text == word
        assert turn.stop_reason == ("paused" if version == 3 else "end_turn")
    messages = (await talk(3, *AGENTS))[0].state.messages
    assert [(message.role, message.text) for message in messages] == [
        ("user", "Hi"),
        ("agent", "three"),
        ("summary", "in short"),
    ]


async def bridge() -> None:
    """Check that the bridge replaces missing agents for protocols 1 and 2, but not 3."""
    for version, word in ((1, "two"), (2, "two"), (3, "three")):
        session, _ = await talk(version, AgentV2, AgentV3, bridge=True)
        assert session.state.messages[1].text == word, version
    session, _ = await talk(3, AgentV3, bridge=True)
    assert session.state.messages[1].text == "three"
    for version, word in ((1, "one"), (2, "one"), (3, "three")):
        session, _ = await talk(version, AgentV1, AgentV3, bridge=True)
        assert session.state.messages[1].text == word, version
    for version, word in ((1, "one"), (2, "two"), (3, "three")):
        session, _ = await talk(version, *AGENTS, bridge=True)
        assert session.state.messages[1].text == word, version


async def bridged_clients() -> None:
    """Check that the bridge doesn't prevent a protocol 3 client from using protocol 3."""
    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, *AGENTS))
    async with connect(near, v3.SessionClient, bridge=True) as peer:
        await peer.initialize()
        session = await v3.ClientSession.create(peer, cwd="/")
        async with session.prompt("Hi") as turn:
            await turn.wait()
        assert turn.stop_reason == "paused"
    await serving


async def echo() -> None:
    """Check that a prompt appears once, whether the agent echoes it as a message or as a chunk."""

    class Echoing(AgentV3):
        async def turn(self, session: v3.AgentSession, params: v3.PromptRequest) -> str:
            if "whole" in str(params.prompt):
                await session.user_message(message_id="m", content=params.prompt)
            else:
                await session.user_message_chunk(message_id="m", content=params.prompt[0])
            return await super().turn(session, params)

    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, Echoing))
    async with connect(near, v3.SessionClient) as peer:
        await peer.initialize()
        for prompt in ("whole", "chunk"):
            session = await v3.ClientSession.create(peer, cwd="/")
            async with session.prompt(prompt) as turn:
                await turn.wait()
            [first] = [each for each in session.state.messages if each.role == "user"]
            assert (first.text, first.message_id) == (prompt, "m")
    await serving


async def reply(stream: Stream, message: Any) -> Any:
    """Send a message and return the response."""
    stream.write(json.dumps(message).encode() + b"\n")
    received = b""
    while not received.endswith(b"\n"):
        received += await stream.read()
    return json.loads(received)


async def batches() -> None:
    """Check that protocol 3 doesn't support batches, although it is derived from protocol 2."""
    assert [surface.BATCHES for surface in SURFACES.values()] == [False, True, False]
    batch = [{"jsonrpc": "2.0", "id": 9, "method": "session/list", "params": {}}]
    for version, surface in SURFACES.items():
        near, far = memory_streams()
        serving = asyncio.create_task(serve(far, *AGENTS))
        info = {"name": "client", "version": "1"}
        names = {"info": info} if version > 1 else {}
        params = {"protocolVersion": version, **names}
        first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        replies = [await reply(near, message) for message in (first, batch)]
        assert isinstance(replies[1], list) is surface.BATCHES, replies
        await near.close()
        await serving


async def scripts() -> None:
    """Check that the test client supports every protocol version of the package."""
    for version, word in WORDS.items():
        async with Client(AGENTS, version=version) as client:
            turn = await client.prompt("Hi")
            assert client.version == version
            assert turn.text == word
            assert turn.stop_reason == ("paused" if version == 3 else "end_turn")
            assert turn.typed()
    async with Client(AGENTS) as client:
        await client.initialize()
        assert client.version == 3
        session_id = await client.new_session()
        assert await client.request("session/pin", {"sessionId": session_id}) == {}
    for version, surface in SURFACES.items():
        turns = [say("Hello"), tool_call("t", title="Look")]
        if version == 3:
            block = {"type": "text", "text": "short"}
            turns.append(update("agent_summary_chunk", content=block))
        agent = Agent(turns)
        async with agent.stream() as stream, connect(stream, surface.SessionClient) as peer:
            await peer.initialize()
            more = {"mcp_servers": []} if version == 1 else {}
            session = await surface.ClientSession.create(peer, cwd="/", **more)
            async with session.prompt("Hi") as turn:
                await turn.wait()
            assert agent.version == version
            assert turn.stop_reason == "end_turn"
            roles = ["user", "agent", *(["summary"] if version == 3 else [])]
            assert [message.role for message in session.state.messages] == roles
            assert list(session.state.tool_calls) == ["t"]


class Program:
    """A replacement for an agent process. The agent runs in this process."""

    exit: Exit | None = None

    def __init__(self) -> None:
        self.process = self
        near, far = memory_streams()
        self.read, self.write, self.close = near.read, near.write, near.close
        self._serving = asyncio.create_task(serve(far, *AGENTS))

    def end_input(self) -> None:
        self._closing = asyncio.create_task(self.close())

    def send_signal(self, signal: int) -> None:
        self._serving.cancel()

    async def wait_exit(self) -> Exit:
        await asyncio.wait([self._serving])
        self.exit = Exit(0)
        return self.exit


@asynccontextmanager
async def open_here(command: Sequence[str], timeout: float) -> AsyncGenerator[Wire]:
    program: Any = Program()
    async with wire_over(program, program, timeout) as wire:
        yield wire


async def judged() -> None:
    """Check that an agent for all protocol versions meets the requirements of each version."""
    task = Task(("agent",), 5, open=open_here)
    requirements = load_overlay(paths.SCHEMA / "overlay").requirements.of("agent")
    report = await judge(PlayedClient, task, requirements, list(SURFACES))
    assert report.errors == {}
    assert [each for each in report.verdicts if each.status == "failed"] == []
    passed = {each.version for each in report.verdicts if each.status == "passed"}
    assert passed == set(SURFACES)


async def record(log: str) -> None:
    """Record a protocol 3 session."""
    with open(log, "w", encoding="utf-8") as file:
        near, far = memory_streams()
        serving = asyncio.create_task(serve(far, *AGENTS))
        async with connect(near, v3.SessionClient, observe=log_to(file)) as peer:
            await peer.initialize()
            session = await v3.ClientSession.create(peer, cwd="/")
            async with session.prompt("Hi") as turn:
                await turn.wait()
            await session.pin()
        await serving


def failure(conversation: Callable[[], Coroutine[Any, Any, None]]) -> str:
    """Run a check, and return the traceback if it fails or an empty string if it succeeds."""
    try:
        asyncio.run(asyncio.wait_for(conversation(), 60))
    except Exception:
        return traceback.format_exc()
    return ""


if __name__ == "__main__":
    log, *names = sys.argv[1:]
    print(json.dumps({name: failure(globals()[name]) for name in names}))
    asyncio.run(asyncio.wait_for(record(log), 60))
