"""A recorded conversation of our two sides, and what comes of it when it arrives in pieces."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from acp_bindings import v1, v2
from acp_bindings.runtime.aio import MemoryStream, Peer, connect, memory_streams, serve
from acp_bindings.runtime.jsonrpc import Connection, Failure, Notification, Request, Response
from chaos.drive_client import Client1, Client2
from chaos.peers import INFO, agent_class

SURFACES: dict[int, ModuleType] = {1: v1, 2: v2}
CLIENTS: dict[int, Any] = {1: Client1, 2: Client2}
# Steps of the event loop in which everything happens that a few bytes lead to.
STEPS = 12
SESSION = "s1"
# Lines between the messages, which have no effect on the conversation.
BETWEEN = [
    b"",
    b"[INFO] \xff",
    b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "no"}}',
    b'{"jsonrpc": "2.0", "method": "_note", "params": {"n": "\\ud83d"}}\r',
]


class Recorder:
    """A stream that keeps what is read from another one."""

    def __init__(self, stream: MemoryStream) -> None:
        self.data = b""
        self._stream = stream

    async def read(self) -> bytes:
        data = await self._stream.read()
        self.data += data
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@dataclass
class Outcome:
    """What came of a conversation on one side."""

    results: list[Any] = field(default_factory=list)
    updates: list[Any] = field(default_factory=list)
    handled: list[Any] = field(default_factory=list)
    notes: list[Any] = field(default_factory=list)
    state: str = ""
    replies: list[str] = field(default_factory=list)


def _initialize(surface: ModuleType) -> Any:
    params = {"protocolVersion": surface.SCHEMA.protocol_version, "info": INFO}
    return surface.decode(surface.InitializeRequest, params)


async def converse(peer: Peer, surface: ModuleType, *, ask: bool) -> Outcome:
    outcome, stub = Outcome(), surface.AgentStub(peer)
    client: Any = peer.handler
    session = client.session(SESSION)
    listing = surface.METHODS["agent"]["session/list"]
    calls = [
        asyncio.create_task(stub.initialize(_initialize(surface))),
        asyncio.create_task(stub.session_new(surface.NewSessionRequest(cwd="/", mcp_servers=[]))),
    ]
    await asyncio.sleep(0)
    order = {"label": "a", "count": 3, "pad": 'ä€😀"\\\u2028', "ask": ask}
    async with session.prompt(json.dumps(order)) as turn:
        for number in range(2):
            await stub.ext_notification("_note", {"n": number})
        calls += [
            asyncio.create_task(stub.ext_request("_flood", {"count": 2})),
            asyncio.create_task(stub.ext_request("_echo", {"pad": "ä😀"})),
            asyncio.create_task(peer.request(listing, surface.ListSessionsRequest())),  # refused
        ]
        async for update in turn:
            outcome.updates.append(repr(update))
    outcome.results = [repr(each) for each in await asyncio.gather(*calls, return_exceptions=True)]
    outcome.results += [repr(turn.response), turn.stop_reason]
    outcome.handled = client.handled[SESSION]
    outcome.notes = client.notes
    outcome.state = repr(session.state)
    return outcome


async def record(version: int, *, ask: bool) -> tuple[bytes, bytes]:
    near, far = memory_streams()
    to_client, to_agent = Recorder(near), Recorder(far)
    serving = asyncio.create_task(serve(to_agent, agent_class(version)))
    async with connect(to_client, CLIENTS[version]) as peer:
        await converse(peer, SURFACES[version], ask=ask)
    await serving
    return with_garbage(to_agent.data), with_garbage(to_client.data)


def with_garbage(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    for number, line in enumerate(BETWEEN):
        lines.insert(1 + 2 * number, line + b"\n")
    return b"".join(lines)


def messages(data: bytes) -> list[str]:
    """Return messages in an order that does not depend on when tasks run."""
    return sorted(json.dumps(json.loads(line)) for line in data.splitlines())


async def settle(stream: MemoryStream) -> bytes:
    """Let everything happen that can, and return what was written."""
    data = b""
    for _ in range(STEPS):
        await asyncio.sleep(0)
    with suppress(asyncio.TimeoutError):
        data = await asyncio.wait_for(stream.read(), 0)
    return data


async def client_outcome(version: int, pieces: Sequence[bytes]) -> Outcome:
    """Let a client read pieces as the answer to everything that it sends."""
    near, far = memory_streams()
    async with connect(near, CLIENTS[version]) as peer:
        conversation = asyncio.create_task(converse(peer, SURFACES[version], ask=True))
        for _ in range(5 * STEPS):  # until everything is sent
            await asyncio.sleep(0)
        for piece in pieces:
            far.write(piece)
            for _ in range(STEPS):
                await asyncio.sleep(0)
        outcome = await asyncio.wait_for(conversation, 10)
    outcome.replies = messages(await far.read())
    return outcome


async def agent_outcome(version: int, pieces: Sequence[bytes]) -> Outcome:
    near, far = memory_streams(1 << 20)
    agents: list[Any] = []
    class_ = agent_class(version)

    def make(peer: Peer) -> Any:
        agents.append(class_(peer))
        return agents[0]

    serving = asyncio.create_task(serve(far, {SURFACES[version]: make}))
    for piece in pieces:
        near.write(piece)
        for _ in range(STEPS):
            await asyncio.sleep(0)
    near._outgoing.close()  # the agent can still write
    await asyncio.wait_for(serving, 10)
    outcome = Outcome(notes=agents[0].notes)
    outcome.state = repr(agents[0].sessions[SESSION].state)
    outcome.replies = messages(await near.read())
    return outcome


def events(side: Any, version: int, pieces: Sequence[bytes]) -> tuple[list[Any], bytes]:
    """Return the events of a connection that receives pieces, and what it sends of its own."""
    surface = SURFACES[version]
    connection = Connection(side, surface, initialize_first=True)
    if side == "client":
        _ask_all(connection, surface)
    connection.data_to_send()
    found = [_described(each) for piece in pieces for each in connection.receive(piece)]
    found += [_described(each) for each in connection.receive_eof()]
    return found, connection.data_to_send()


def _ask_all(connection: Connection, surface: ModuleType) -> None:
    text = surface.TextContent(text="")
    connection.request(surface.METHODS["agent"]["initialize"], _initialize(surface))
    new = surface.NewSessionRequest(cwd="/", mcp_servers=[])
    connection.request(surface.METHODS["agent"]["session/new"], new)
    prompt = surface.PromptRequest(session_id=SESSION, prompt=[text])
    connection.request(surface.METHODS["agent"]["session/prompt"], prompt)
    for _ in range(2):
        connection.request(surface.EXTENSIONS[("agent", "request")].named("_x"), {})
    connection.request(surface.METHODS["agent"]["session/list"], surface.ListSessionsRequest())


def _described(event: Any) -> Any:
    if isinstance(event, (Request, Notification)):
        return type(event).__name__, event.method.name, repr(event.params), event.size
    if isinstance(event, Response):
        return "Response", event.id, repr(event.result)
    if isinstance(event, Failure):
        return "Failure", event.id, repr(event.error)
    return repr(event)
