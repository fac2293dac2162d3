"""Tests of bridges between a peer and its stream: forwarding, delayed messages, and closing."""

from __future__ import annotations

import asyncio
import json
import sys
import warnings
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, ClassVar, Literal

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import ConnectionClosed, RequestError
from acp_bindings.runtime.aio import (
    Observation,
    Peer,
    connect,
    connect_memory,
    connect_stdio,
    memory_streams,
    serve,
)
from acp_bindings.runtime.aio.bridging import BridgedStream
from acp_bindings.runtime.jsonrpc import Limits
from acp_bindings.runtime.jsonrpc.observing import Loss
from acp_bindings.testing import Client

from tests.package.aio.sides import Wire, ticks
from tests.package.jsonrpc.wire import ask, initialize, line, tell

REFUSED = (
    "rejected a message (id 1): unsupported protocol version (-32022): {'requested': 1,"
    " 'supported': [2]}"
)
LOSS = Loss("session/update", "/update", "the client does not advertise 'notices'", "agent", "s")
INTRODUCED = {
    1: {"protocolVersion": 1},
    2: {
        "protocolVersion": 2,
        "info": {"name": "t", "version": "1"},
        "capabilities": {"session": {}},
    },
}
PROMPT = {"sessionId": "s", "prompt": [{"type": "text", "text": "Hi"}]}


class Talker(v2.SessionAgent):
    """A protocol 2 agent that echoes prompts."""

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        await session.say("You said: ")
        for block in params.prompt:
            await session.say(block)


class OlderTalker(v1.SessionAgent):
    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
        await session.say("the older one")


class Watcher(v2.SessionAgent):
    """An agent that responds with the client's version and name, as the bridge reports them."""

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        bridged = self.peer.bridged
        assert bridged is not None
        await session.say(f"{bridged.version} {bridged.advertised.client_info.name}")


class Noticing(v2.SessionAgent):
    """An agent that sends a notice, which protocol 1 doesn't support."""

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        await session.notice(severity="warning", title="careful")


async def said(peer: Peer) -> str:
    """Prompt the agent as a protocol 1 client and return the text of its messages."""
    await peer.initialize()
    session = await v1.ClientSession.create(peer, cwd="/", mcp_servers=[])
    async with session.prompt("Hi") as turn:
        await turn.wait(timeout=20)
    answers = [message for message in session.state.messages if message.role == "agent"]
    blocks: list[Any] = [block for message in answers for block in message.content]
    return "".join(block.text for block in blocks)


@asynccontextmanager
async def bridged(
    near: Literal["agent", "client"] = "agent", *, room: int = 1 << 16, **options: Any
) -> AsyncGenerator[tuple[BridgedStream, Wire]]:
    """Yield a bridged stream and the other end of its underlying stream."""
    here, there = memory_streams(room)
    stream = BridgedStream(here, near, **options)
    yield stream, Wire(there)
    await stream.close()


async def received(stream: BridgedStream) -> list[Any]:
    """Read from the stream once and return the messages."""
    return [json.loads(each) for each in (await stream.read()).splitlines()]


async def agree(stream: BridgedStream, wire: Wire, version: int) -> None:
    """Initialize a protocol 1 client on `wire` with an agent of the given version on `stream`."""
    wire.write(initialize(1))
    [request] = await received(stream)
    stream.write(line({"id": request["id"], "result": INTRODUCED[version]}))
    assert (await wire.read())["result"]["protocolVersion"] == 1


# --- peers -------------------------------------------------------------------------------------


async def test_an_older_client_is_served_by_a_newer_agent() -> None:
    async with Client(Talker, version=1, capabilities={}, bridge=True) as client:
        (await client.prompt("Hello")).expect("You said: ", "Hello", exactly=True)


async def test_an_agent_learns_what_the_client_is() -> None:
    async with Client(Watcher, version=1, capabilities={}, bridge=True) as client:
        (await client.prompt("Who am I?")).expect("1 scripted")


@pytest.mark.logs(REFUSED)
async def test_a_client_learns_what_the_agent_is() -> None:
    async with connect_memory(Talker, v1.SessionClient, bridge=True) as peer:
        assert peer.bridged is None
        await said(peer)
        assert peer.bridged is not None
        assert peer.bridged.version == 2
        assert isinstance(peer.bridged.advertised, v2.InitializeResponse)


async def test_where_both_speak_the_same_version_nothing_is_bridged() -> None:
    async with connect_memory(OlderTalker, v1.SessionClient, bridge=True) as peer:
        assert await said(peer) == "the older one"
        assert peer.bridged is None


async def test_of_agents_of_both_versions_each_client_gets_its_own() -> None:
    async with Client([OlderTalker, Talker], version=1, capabilities={}, bridge=True) as client:
        (await client.prompt("Hi")).expect("the older one")


@pytest.mark.logs(REFUSED, "session/update of the agent at '/update': " + LOSS.reason)
async def test_losses_are_told() -> None:
    found: list[Loss] = []
    options: Any = {"bridge": True, "on_loss": found.append}
    async with connect_memory(Noticing, v1.SessionClient, **options) as peer:
        await said(peer)
    assert [replace(loss, session_id="s") for loss in found] == [LOSS]


async def observed(agent: Any) -> list[Observation]:
    """Run a turn of the agent for a protocol 1 client and return the observations."""
    seen: list[Observation] = []
    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, agent, bridge=True, observe=seen.append))
    async with Client(near, version=1, capabilities={}) as client:
        await client.prompt("Hi")
    await serving
    return seen


async def test_an_observer_sees_both_sides() -> None:
    asked = {
        each.is_far: each.message["params"]["protocolVersion"]
        for each in await observed(Talker)
        if each.message.get("method") == "initialize" and each.direction == "received"
    }
    assert asked == {True: 1, False: 2}


async def test_without_a_difference_an_observer_sees_the_far_side_introduce_itself_only() -> None:
    seen = await observed(OlderTalker)
    assert [each.direction for each in seen if each.is_far] == ["received", "sent"]


# --- bytes -------------------------------------------------------------------------------------


async def test_a_message_in_pieces_arrives_whole() -> None:
    async with bridged() as (stream, wire):
        for byte in line(initialize(1)):
            wire.stream.write(bytes([byte]))
            await asyncio.sleep(0)
        [request] = await received(stream)
        assert request["method"] == "initialize"


async def test_a_line_that_was_begun_before_the_versions_were_known_passes_whole() -> None:
    async with bridged() as (stream, wire):
        note = line(tell("_note", n=1))
        wire.stream.write(line(initialize(1)) + note[:9])
        [request] = await received(stream)
        stream.write(line({"id": request["id"], "result": INTRODUCED[1]}))
        wire.stream.write(note[9:])
        assert await stream.read() == note


async def test_same_versions_pass_byte_for_byte() -> None:
    async with bridged() as (stream, wire):
        await agree(stream, wire, 1)
        odd = b'{"jsonrpc":"2.0" , "method":"_odd","params":[1.0]}\nno JSON\n'
        wire.stream.write(odd)
        assert await stream.read() == odd
        stream.write(odd)
        assert await wire.stream.read() == odd


@pytest.mark.logs("rejected a message (id 7): method not found: session/unknown (-32601)")
async def test_what_the_bridge_answers_itself_wakes_a_reader() -> None:
    async with bridged() as (stream, wire):
        await agree(stream, wire, 2)
        reading = asyncio.create_task(received(stream))
        await ticks()
        stream.write(line(ask(7, "session/unknown")))
        [answer] = await asyncio.wait_for(reading, 20)
        assert (answer["id"], answer["error"]["code"]) == (7, -32601)


@pytest.mark.logs("ignored a message: not JSON: no value at character 0: 'what'")
async def test_what_the_far_side_sends_in_vain_is_logged() -> None:
    async with bridged("client") as (stream, wire):
        stream.write(line(initialize(1)))
        await wire.read()
        reading = asyncio.create_task(stream.read())
        wire.stream.write(b"what\n")
        await ticks()
        reading.cancel()


# --- room --------------------------------------------------------------------------------------


async def test_nothing_is_read_ahead_of_the_near_side() -> None:
    async with bridged(room=10) as (stream, wire):
        await agree(stream, wire, 1)
        reading = asyncio.create_task(stream.read())
        await ticks()
        for _ in range(3):
            wire.write(tell("_note", text="x" * 100))
            await ticks()
        assert await reading
        assert wire.stream.unsent() > 100
        while wire.stream.unsent():
            await stream.read()


async def test_room_is_that_of_the_stream_below() -> None:
    async with bridged(room=10) as (stream, wire):
        await agree(stream, wire, 1)
        stream.write(line(tell("_note", text="x" * 100)))
        draining = asyncio.create_task(stream.drain())
        await ticks()
        assert not draining.done()
        assert stream.unsent() > 100
        await wire.read()
        await draining
        assert stream.unsent() == 0


@pytest.mark.logs(
    "rejected a message (id 1): method not found: session/unknown (-32601)",
    "closing the connection: the peer left 1047 bytes unread",
    "10 more messages like this one: rejected a message (id 1): method not found: session/unknown"
    " (-32601)",
)
async def test_a_far_side_that_reads_no_answers_is_given_up() -> None:
    async with bridged(limits=Limits(unread_bytes=1_000)) as (stream, wire):
        await agree(stream, wire, 2)
        reading = asyncio.create_task(stream.read())
        for number in range(100):
            wire.write(ask(number + 1, "session/unknown"))
            await asyncio.sleep(0)
        assert await asyncio.wait_for(reading, 20) == b""


# --- ends --------------------------------------------------------------------------------------


async def test_the_end_of_the_far_side_comes_after_what_it_has_sent() -> None:
    async with bridged() as (stream, wire):
        await agree(stream, wire, 2)
        wire.write(tell("_note", n=1))
        wire.stream.write(line(tell("_note", n=2))[:-1])  # the end of the stream completes the line
        await wire.stream.close()
        notes = [message["params"] for message in await received(stream)]
        notes += [message["params"] for message in await received(stream)]
        assert (notes, await stream.read()) == ([{"n": 1}, {"n": 2}], b"")


async def test_calls_that_the_end_leaves_open_fail_as_without_a_bridge() -> None:
    near, far = memory_streams()
    async with connect(near, v1.SessionClient, bridge=True) as peer:
        call = asyncio.create_task(peer.initialize())
        wire = Wire(far)
        await wire.read()
        await wire.stream.close()
        with pytest.raises(ConnectionClosed):
            await call


async def test_closing_answers_what_the_far_side_waits_for() -> None:
    async with bridged() as (stream, wire):
        await agree(stream, wire, 2)
        wire.write(ask(5, "session/prompt", **PROMPT))
        await received(stream)
        await stream.close()
        answer = json.loads(await wire.stream.read())
        assert (answer["id"], answer["error"]["code"]) == (5, -32603)
        assert await stream.read() == await wire.stream.read() == b""


async def test_the_stream_below_is_hurried() -> None:
    graces: list[float] = []
    here, _ = memory_streams()
    stream = BridgedStream(here, "agent")
    stream.hurry(1.0)  # without effect, since this stream cannot be hurried
    here.hurry = graces.append  # type: ignore[attr-defined]
    stream.hurry(2.0)
    assert graces == [2.0]
    await stream.close()


async def test_closing_ends_a_read_that_waits() -> None:
    async with bridged() as (stream, _):
        reading = asyncio.create_task(stream.read())
        await ticks()
        await stream.close()
        assert await asyncio.wait_for(reading, 20) == b""


async def test_a_program_beyond_a_bridge_is_known_as_without() -> None:
    command = [
        sys.executable,
        "-c",
        "import sys; sys.stdin.readline(); print('last words', file=sys.stderr); sys.exit(3)",
    ]
    async with connect_stdio(
        command, v1.SessionClient, bridge=True, stderr=asyncio.subprocess.PIPE
    ) as peer:
        assert peer.process is not None
        with pytest.raises(ConnectionClosed, match="exited with status 3") as failed:
            await peer.initialize()
        assert failed.value.exit == peer.exit
        assert peer.exit is not None
        assert peer.exit.stderr == ("last words",)
        assert "exited with status 3" in peer.how_ended


async def test_after_the_end_of_the_far_side_the_end_is_the_only_answer() -> None:
    async with bridged() as (stream, wire):
        await agree(stream, wire, 2)
        reading = asyncio.create_task(stream.read())
        await wire.stream.close()
        await ticks(3)
        stream.write(line(ask(7, "_ask")))
        assert await reading == b""


async def test_own_calls_have_the_limit_of_calls_and_not_that_of_requests() -> None:
    async with bridged(limits=Limits(requests=1)) as (stream, wire):
        await agree(stream, wire, 2)
        for number in (7, 8):
            stream.write(line(ask(number, "_ask")))
        assert [(await wire.read())["method"] for _ in range(2)] == ["_ask", "_ask"]


# --- params that the agent states not to support --------------------------------------------------

HTTP = {"type": "http", "name": "a", "url": "http://a", "headers": []}
STDIO = {"type": "stdio", "name": "a", "command": "/a", "args": [], "env": []}
IMAGE = {"type": "image", "data": "", "mimeType": "image/png"}
NOTHING = {
    v1: v1.AgentCapabilities(
        mcp_capabilities=v1.McpCapabilities(http=False),
        prompt_capabilities=v1.PromptCapabilities(image=False),
    ),
    v2: v2.AgentCapabilities(
        session=v2.SessionCapabilities(
            mcp=v2.McpCapabilities(http=None, stdio=None),
            prompt=v2.PromptCapabilities(image=None),
        )
    ),
}


def bare(surface: Any) -> Any:
    """Return an agent class that declares no support for MCP servers or images."""

    async def opened(self: Any, params: Any) -> Any:
        return surface.NewSessionResponse(session_id="s")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about missing methods
        members = {"capabilities": NOTHING[surface], "session_new": opened}
        return type("Bare", (surface.AgentHandler,), members)


async def code(agent: Any, client: Any, method: str, params: Any) -> int | None:
    """Send a request through the agent's bridge. Return the error code, or None if it succeeds."""
    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, bare(agent), bridge=True))
    async with connect(near, client.ClientHandler) as peer:
        await peer.initialize()
        try:
            await peer.request(method, params)
            return None
        except RequestError as error:
            return error.code
        finally:
            await peer.close()
            await serving


NEW, PROMPTED = {"cwd": "/", "mcpServers": [HTTP]}, {"sessionId": "s", "prompt": [IMAGE]}


def refused(capability: str) -> Any:
    """Return a marker that expects a log message about rejected params."""
    problem = f"invalid params: the agent did not advertise {capability} (-32602)"
    return pytest.mark.logs(
        f"rejected a message (id 2): {problem}: {{'capability': '{capability}'}}"
    )


HTTP_SERVERS, STDIO_SERVERS, IMAGES = (
    refused(f"/capabilities/session/{name}") for name in ("mcp/http", "mcp/stdio", "prompt/image")
)


@pytest.mark.parametrize(
    ("agent", "client", "method", "params"),
    [
        pytest.param(v2, v1, "session/new", NEW, marks=HTTP_SERVERS),
        pytest.param(v2, v1, "session/prompt", PROMPTED, marks=IMAGES),
        (v1, v2, "session/new", NEW),  # rejected by the bridge
        # Both sides speak the same version, so the bridge does nothing.
        pytest.param(v2, v2, "session/new", {**NEW, "mcpServers": [STDIO]}, marks=STDIO_SERVERS),
    ],
)
async def test_params_that_the_agent_states_not_to_support_are_refused(
    agent: Any, client: Any, method: str, params: Any
) -> None:
    assert await code(agent, client, method, params) == -32602


UNADVERTISED = pytest.mark.logs(
    "session/new of the client at '/mcpServers': the servers are sent anyway: the agent does not "
    "advertise /capabilities/session/mcp/stdio"
)


@UNADVERTISED
async def test_params_that_every_agent_of_the_older_version_supports_are_not_refused() -> None:
    server = {name: value for name, value in STDIO.items() if name != "type"}
    assert await code(v2, v1, "session/new", {"cwd": "/", "mcpServers": [server]}) is None


@UNADVERTISED
async def test_a_session_keeps_servers_that_its_agent_does_not_advertise() -> None:
    losses: list[Any] = []
    served = v2.SessionAgent()
    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, served, bridge=True, on_loss=losses.append))
    async with connect(near, v1.SessionClient) as peer:
        await peer.initialize()
        server = v1.McpServerStdio(name="a", command="/a", args=[], env=[])
        session = await v1.ClientSession.create(peer, cwd="/", mcp_servers=[server])
        [kept] = served.sessions[session.session_id].mcp_servers
        assert (kept.name, kept.command) == ("a", "/a")
    await serving
    assert [loss.method for loss in losses] == ["session/new"]
    assert losses[0].pointer == "/mcpServers"
    assert losses[0].reason.endswith("/capabilities/session/mcp/stdio")


# --- signing in ----------------------------------------------------------------------------------


class Locked(v1.SessionAgent):
    """An agent that opens sessions only after a sign-in and doesn't support signing out."""

    auth_methods: ClassVar = [v1.AuthMethodAgent(id="key", name="Key")]
    is_open = False

    async def authenticate(self, params: v1.AuthenticateRequest) -> None:
        assert params.method_id == "key"
        self.is_open = True

    async def session_new(self, params: v1.NewSessionRequest) -> v1.NewSessionResponse:
        if not self.is_open:
            raise RequestError.auth_required()
        return await super().session_new(params)

    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
        await session.say("open")


@pytest.mark.logs(
    "initialize of the agent at '/authMethods': the agent supports login but not"
    " logout, which protocol 2 requires",
    "auth/logout of the client: the agent does not support logout: the agent does not"
    " advertise /agentCapabilities/auth/logout",
)
async def test_a_client_signs_in_to_an_agent_that_cannot_sign_out() -> None:
    losses: list[Loss] = []
    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, Locked, bridge=True, on_loss=losses.append))
    async with connect(near, v2.SessionClient) as peer:
        shown = await peer.initialize()
        [method] = shown.auth_methods
        with pytest.raises(RequestError) as refused:
            await v2.ClientSession.create(peer, cwd="/")
        assert refused.value.code == -32000
        await v2.AgentStub(peer).auth_login(v2.LoginAuthRequest(method_id=method.method_id))
        session = await v2.ClientSession.create(peer, cwd="/")
        async with session.prompt("Hi") as turn:
            await turn.wait()
        assert session.state.messages[-1].text == "open"
        with pytest.raises(RequestError, match="/agentCapabilities/auth/logout"):
            await v2.AgentStub(peer).auth_logout(v2.LogoutAuthRequest())
    await serving
    assert [loss.pointer for loss in losses if loss.method == "initialize"] == ["/authMethods"]
