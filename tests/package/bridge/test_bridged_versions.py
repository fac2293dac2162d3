"""Tests of protocol version selection over a bridge, including repeated initialization."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.bridge import CORRESPONDENCE
from acp_bindings.runtime import RequestError, VersionMismatch
from acp_bindings.runtime.aio import Peer
from acp_bindings.runtime.bridge.bridge import Bridge
from acp_bindings.runtime.values.errors import Issue

from tests.package.aio.sides import Wire, begin, connected
from tests.package.jsonrpc.test_versions import ANSWERS, INFO, REPEATED, late, receive
from tests.package.jsonrpc.wire import ask, initialize, line

CLIENTS: dict[int, Any] = {1: v1.SessionClient, 2: v2.SessionClient}
SURFACES: dict[int, Any] = {1: v1, 2: v2}
each_client = pytest.mark.parametrize("version", CLIENTS)


async def play_turn(wire: Wire) -> None:
    """Act as a protocol 1 agent for one session and one turn."""
    request = await wire.read()
    assert request["method"] == "session/new"
    wire.write({"id": request["id"], "result": {"sessionId": "s"}})
    request = await wire.read()
    assert request["method"] == "session/prompt"
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "hi"}}
    told = {"method": "session/update", "params": {"sessionId": "s", "update": chunk}}
    wire.write(told, {"id": request["id"], "result": {"stopReason": "end_turn"}})


async def hear(peer: Peer) -> str:
    """Prompt the agent in a new session and return its message."""
    if peer.surface is v1:
        session: Any = await v1.ClientSession.create(peer, cwd="/", mcp_servers=[])
    else:
        session = await v2.ClientSession.create(peer, cwd="/")
    async with session.prompt("hello") as turn:
        await turn.wait()
    return str(session.state.messages[-1].text)


@each_client
@pytest.mark.parametrize("result", REPEATED.values(), ids=REPEATED)
async def test_an_agent_that_repeats_the_version_is_spoken_to_in_its_own(
    version: int, result: Any
) -> None:
    """A protocol 1 agent can claim version 2, even if the client requests version 1."""
    result = {**result, "authMethods": []}  # protocol 2 requires logout for sign-in methods
    issues: list[Issue] = []
    async with connected(CLIENTS[version], bridge=True, on_issue=issues.append) as (peer, wire):
        call, id_ = await begin(wire, peer.initialize())
        wire.write({"id": id_, "result": result})
        assert isinstance(await call, SURFACES[version].InitializeResponse)
        if version == 1:
            assert peer.bridged is None
        else:
            assert peer.bridged is not None
            assert peer.bridged.version == 1
            assert isinstance(peer.bridged.advertised, v1.InitializeResponse)
        assert [issue.raw for issue in issues if issue.action == "accepted"] == [2]
        playing = asyncio.create_task(play_turn(wire))
        assert await hear(peer) == "hi"
        await playing


@each_client
@pytest.mark.parametrize("named", ["1", "2"])
async def test_an_agent_may_name_its_version_as_a_string(version: int, named: str) -> None:
    issues: list[Any] = []
    on_issue = issues.append
    async with connected(CLIENTS[version], bridge=True, on_issue=on_issue) as (peer, wire):
        call, id_ = await begin(wire, peer.initialize())
        wire.write({"id": id_, "result": {"protocolVersion": named, "info": INFO}})
        assert (await call).protocol_version == version
        assert {(issue.action, issue.raw) for issue in issues} == {("accepted", named)}
        bridged = None if peer.bridged is None else peer.bridged.version
        assert bridged == (None if int(named) == version else int(named))


def test_a_client_may_request_its_version_as_a_string() -> None:
    bridge = Bridge(CORRESPONDENCE, spoken=(2,))
    bridge.receive(bridge.client, line(initialize("1")))
    [asked] = messages(bridge.data_to_send(bridge.agent))
    assert asked["params"]["protocolVersion"] == 2
    bridge.receive(bridge.agent, line({"id": asked["id"], "result": ANSWERS[2]}))
    [answer] = messages(bridge.data_to_send(bridge.client))
    assert answer["result"]["protocolVersion"] == 1


def messages(data: bytes) -> list[Any]:
    return [json.loads(text) for text in data.splitlines()]


@each_client
@pytest.mark.parametrize(
    ("result", "offered", "words"),
    [
        (
            {"protocolVersion": 7},
            7,
            "the agent offers protocol version 7, but this connection speaks",
        ),
        ({"protocolVersion": "x"}, None, "the agent offers no protocol version: .* found 'x'"),
        ({}, None, "the agent offers no protocol version: .* found nothing"),
        (
            {"protocolVersion": 2, "info": 5},
            2,
            "its response is not valid in that version: .* at /info",
        ),
    ],
    ids=["7", "x", "none", "damaged"],
)
async def test_a_mismatch_reaches_the_client(
    version: int, result: Any, offered: int | None, words: str
) -> None:
    async with connected(CLIENTS[version], bridge=True) as (peer, wire):
        call, id_ = await begin(wire, peer.initialize())
        wire.write({"id": id_, "result": result})
        with pytest.raises(VersionMismatch, match=words) as caught:
            await call
        assert (caught.value.offered, caught.value.spoken) == (offered, version)
        assert "bridge" not in str(caught.value)
        assert peer.bridged is None
        call, id_ = await begin(wire, peer.initialize())  # the client can try again
        wire.write({"id": id_, "error": {"code": -32603, "message": "not ready"}})
        with pytest.raises(RequestError, match="not ready"):
            await call


# --- a client that introduces itself again ---------------------------------------------------


@each_client
@pytest.mark.parametrize("answered", [1, 2])
@pytest.mark.parametrize("when", ["before", "while", "never"])
async def test_a_client_that_gave_up_may_introduce_itself_again(
    version: int, answered: int, when: str
) -> None:
    async with connected(CLIENTS[version], bridge=True) as (peer, wire):
        await late(peer, wire)
        if when == "before":
            wire.write({"id": 1, "result": ANSWERS[answered]})
            await receive(peer)
        call = asyncio.create_task(peer.initialize())
        if when != "before":
            await asyncio.sleep(0.01)
            wire.write({"id": 1, "result": ANSWERS[answered]})
        assert (await call).protocol_version == version
        if when == "never" and answered != version:
            again = await peer.initialize()  # the bridge responds
            assert again.protocol_version == version


def test_an_introduction_that_repeats_another_has_its_answer() -> None:
    bridge = Bridge(CORRESPONDENCE)
    bridge.receive(bridge.client, line(initialize(2, 1), initialize(2, 2)))
    [asked] = messages(bridge.data_to_send(bridge.agent))
    assert bridge.data_to_send(bridge.client) == b""
    bridge.receive(bridge.agent, line({"id": asked["id"], "result": ANSWERS[1]}))
    answers = messages(bridge.data_to_send(bridge.client))
    assert sorted(answer["id"] for answer in answers) == [1, 2]
    bridge.receive(bridge.client, line(initialize(2, 3)))
    [answer] = messages(bridge.data_to_send(bridge.client))
    assert answer["id"] == 3
    assert [answer["result"]] * 2 == [each["result"] for each in answers]


def test_an_introduction_that_repeats_another_fails_with_it() -> None:
    bridge = Bridge(CORRESPONDENCE)
    bridge.receive(bridge.client, line(initialize(2, 1), initialize(2, 2)))
    [asked] = messages(bridge.data_to_send(bridge.agent))
    error = {"code": -32603, "message": "no"}
    bridge.receive(bridge.agent, line({"id": asked["id"], "error": error}))
    answers = messages(bridge.data_to_send(bridge.client))
    assert {answer["id"]: answer["error"]["message"] for answer in answers} == {1: "no", 2: "no"}
    bridge.receive(bridge.client, line(initialize(1, 3)))  # a new attempt, for another version
    [asked] = messages(bridge.data_to_send(bridge.agent))
    assert asked["params"]["protocolVersion"] == 1


@pytest.mark.parametrize("is_agreed", [False, True])
def test_another_introduction_is_refused(is_agreed: bool) -> None:
    bridge = Bridge(CORRESPONDENCE)
    bridge.receive(bridge.client, line(initialize(2, 1)))
    if is_agreed:
        bridge.receive(bridge.agent, line({"id": 1, "result": ANSWERS[1]}))
    bridge.data_to_send(bridge.client)
    other = {**initialize(2)["params"], "_meta": {"a": 1}}
    bridge.receive(bridge.client, line(ask(2, "initialize", **other)))
    [answer] = messages(bridge.data_to_send(bridge.client))
    assert answer["error"]["message"] == "already initialized"
