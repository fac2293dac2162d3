"""Tests of messages that a client sends after `initialize` without waiting for the response."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.bridge import CORRESPONDENCE, Bridge
from acp_bindings.runtime.jsonrpc import Ignored, Limits, Refused

from tests.package.bridge.test_bridged_streams import INTRODUCED, bridged, received
from tests.package.jsonrpc.wire import ask, initialize, line, tell

Json = dict[str, Any]

NEW = {"cwd": "/", "mcpServers": []}
BEHIND = [
    ask(2, "session/new", **NEW),
    tell("session/cancel", sessionId="s"),
    ask(3, "_extra", a=1),
    ask(4, "session/list"),
]
METHODS = ["session/new", "session/cancel", "_extra", "session/list"]
EXTRA = ask(2, "_extra", a="x" * 300)
TOO_MANY = "too many messages are waiting for the response to initialize"
both = pytest.mark.parametrize("version", [1, 2])
translated = pytest.mark.parametrize(("version", "spoken"), [(1, 2), (2, 1)])


def messages(data: bytes) -> list[Any]:
    return [json.loads(text) for text in data.splitlines()]


def to_agent(bridge: Bridge) -> list[Any]:
    return messages(bridge.data_to_send(bridge.agent))


def to_client(bridge: Bridge) -> list[Any]:
    return messages(bridge.data_to_send(bridge.client))


def introduced(spoken: int, request: Json) -> bytes:
    return line({"id": request["id"], "result": INTRODUCED[spoken]})


def pieces(data: bytes) -> Iterator[list[bytes]]:
    """Yield ways to split input: not at all, after each line, and into pieces of 7 bytes."""
    yield [data]
    yield data.splitlines(keepends=True)
    yield [data[start : start + 7] for start in range(0, len(data), 7)]


@translated
def test_they_follow_in_order_when_it_is_answered(version: int, spoken: int) -> None:
    for parts in pieces(line(initialize(version, 1), *BEHIND)):
        bridge = Bridge(CORRESPONDENCE)
        for part in parts:
            bridge.receive(bridge.client, part)
        [asked] = to_agent(bridge)
        assert to_client(bridge) == []
        bridge.receive(bridge.agent, introduced(spoken, asked))
        wanted = METHODS if version == 1 else METHODS[:3]  # the bridge handles `session/list`
        assert [each["method"] for each in to_agent(bridge)] == wanted
        answers = to_client(bridge)
        assert [each["id"] for each in answers] == ([1] if version == 1 else [1, 4])
        assert "result" in answers[0]


@both
def test_they_pass_unchanged_where_nothing_is_translated(version: int) -> None:
    behind = line(*BEHIND).replace(b'"params"', b'  "params"')
    for parts in pieces(line(initialize(version, 1)) + behind + b'{"id": 9'):
        bridge = Bridge(CORRESPONDENCE)
        for part in parts:
            bridge.receive(bridge.client, part)
        [asked] = to_agent(bridge)
        bridge.receive(bridge.agent, introduced(version, asked))
        passed = bridge.data_to_send(bridge.agent)
        bridge.receive(bridge.client, b"}\n")
        assert passed + bridge.data_to_send(bridge.agent) == behind + b'{"id": 9}\n'


def test_they_pass_unchanged_in_a_version_that_only_the_agent_speaks() -> None:
    sent = line(initialize(3, 1), *BEHIND).replace(b'"params"', b'  "params"')
    bridge = Bridge(CORRESPONDENCE, spoken=(1, 2, 3))
    bridge.receive(bridge.client, sent)
    assert bridge.is_translating is False
    assert bridge.data_to_send(bridge.agent) == sent


@both
def test_they_are_refused_when_it_fails(version: int) -> None:
    bridge = Bridge(CORRESPONDENCE)
    bridge.receive(bridge.client, line(initialize(version, 1), *BEHIND))
    [asked] = to_agent(bridge)
    bridge.receive(bridge.agent, line({"id": asked["id"], "error": {"code": -1, "message": "no"}}))
    answers = to_client(bridge)
    assert answers[0]["error"] == {"code": -1, "message": "no"}
    assert [each["id"] for each in answers] == [1, 2, 3, 4]
    assert all("initialize comes first" in each["error"]["message"] for each in answers[1:])
    assert to_agent(bridge) == []
    assert not bridge.is_holding


@both
def test_they_are_refused_when_the_agent_ends(version: int) -> None:
    bridge = Bridge(CORRESPONDENCE)
    bridge.receive(bridge.client, line(initialize(version, 1), *BEHIND))
    bridge.receive_eof(bridge.agent)
    answers = to_client(bridge)
    assert [(each["id"], "error" in each) for each in answers] == [(n, True) for n in (1, 2, 3, 4)]


@translated
@pytest.mark.parametrize("newline", [b"\n", b""])
def test_the_end_of_the_input_waits_too(version: int, spoken: int, newline: bytes) -> None:
    bridge = Bridge(CORRESPONDENCE)
    behind = line(*BEHIND[:1]).rstrip(b"\n") + newline
    bridge.receive(bridge.client, line(initialize(version, 1)) + behind)
    bridge.receive_eof(bridge.client, answered=False)
    [asked] = to_agent(bridge)
    assert bridge.is_holding
    bridge.receive(bridge.agent, introduced(spoken, asked))
    [new] = to_agent(bridge)
    assert new["method"] == "session/new"
    assert not bridge.is_holding
    bridge.receive(bridge.agent, line({"id": new["id"], "result": {"sessionId": "s"}}))
    assert [each["id"] for each in to_client(bridge)] == [1, 2]


@both
def test_a_last_line_without_a_newline_passes(version: int) -> None:
    bridge = Bridge(CORRESPONDENCE)
    bridge.receive(bridge.client, line(initialize(version, 1)) + b'{"id": 2}')
    bridge.receive_eof(bridge.client, answered=False)
    [asked] = to_agent(bridge)
    bridge.receive(bridge.agent, introduced(version, asked))
    assert bridge.data_to_send(bridge.agent) == b'{"id": 2}'


def test_a_second_attempt_is_followed_by_what_waits() -> None:
    """If the agent rejects the first version, the bridge requests another one."""
    bridge = Bridge(CORRESPONDENCE)
    bridge.receive(bridge.client, line(initialize(2, 1), *BEHIND[:1]))
    [asked] = to_agent(bridge)
    refusal = {"code": -32022, "message": "unsupported protocol version"}
    bridge.receive(bridge.agent, line({"id": asked["id"], "error": refusal}))
    [again] = to_agent(bridge)
    assert again["params"]["protocolVersion"] == 1
    bridge.receive(bridge.agent, introduced(1, again))
    assert [each["method"] for each in to_agent(bridge)] == ["session/new"]


@translated
@pytest.mark.parametrize("limits", [Limits(requests=2), Limits(requests_bytes=len(line(EXTRA)))])
def test_their_number_is_limited(version: int, spoken: int, limits: Limits) -> None:
    rejected: list[Refused | Ignored] = []
    bridge = Bridge(CORRESPONDENCE, limits=limits, on_rejection=rejected.append)
    waiting = [{**EXTRA, "id": n} for n in range(2, 9)]
    bridge.receive(bridge.client, line(initialize(version, 1), *waiting, BEHIND[1]))
    [asked] = to_agent(bridge)
    answers = to_client(bridge)
    assert [each["id"] for each in answers] == [4, 5, 6, 7, 8]
    assert {each["error"]["message"] for each in answers} == {TOO_MANY}
    assert [event.reason for event in rejected if isinstance(event, Ignored)] == [
        f"'session/cancel': {TOO_MANY}"
    ]
    bridge.receive(bridge.agent, introduced(spoken, asked))
    assert [each["method"] for each in to_agent(bridge)] == ["_extra", "_extra"]


@translated
def test_notifications_over_the_limit_are_ignored_without_a_callback(
    version: int, spoken: int
) -> None:
    bridge = Bridge(CORRESPONDENCE, limits=Limits(requests=1))
    bridge.receive(bridge.client, line(initialize(version, 1), ask(2, "_extra"), BEHIND[1]))
    [asked] = to_agent(bridge)
    assert to_client(bridge) == []
    bridge.receive(bridge.agent, introduced(spoken, asked))
    assert [each["method"] for each in to_agent(bridge)] == ["_extra"]


@translated
def test_a_line_that_is_too_long_is_refused_alone(version: int, spoken: int) -> None:
    bridge = Bridge(CORRESPONDENCE, max_line=300)
    long, after = line(ask(5, "_extra", a="x" * 1000)), line(BEHIND[0])
    sent = line(initialize(version, 1), BEHIND[0]) + long + line(BEHIND[2])
    for start in range(0, len(sent), 100):
        bridge.receive(bridge.client, sent[start : start + 100])
    [asked] = to_agent(bridge)
    assert ["error" in each for each in to_client(bridge)] == [True]
    bridge.receive(bridge.client, long[:500])
    to_client(bridge)
    bridge.receive(bridge.agent, introduced(spoken, asked))
    bridge.receive(bridge.client, long[500:] + after)
    methods = [each["method"] for each in to_agent(bridge)]
    assert methods == ["session/new", "_extra", "session/new"]


@translated
def test_a_line_of_the_maximum_length_waits(version: int, spoken: int) -> None:
    long = line(ask(2, "_extra", a="x" * 1000))
    bridge = Bridge(CORRESPONDENCE, max_line=len(long) - 1)
    for part in (line(initialize(version, 1)) + long[:-1], long[-1:]):
        bridge.receive(bridge.client, part)
    assert to_client(bridge) == []
    [asked] = to_agent(bridge)
    bridge.receive(bridge.agent, introduced(spoken, asked))
    assert [each["method"] for each in to_agent(bridge)] == ["_extra"]


# --- over streams ------------------------------------------------------------------------------


AGENT = """
import asyncio
from acp_bindings import {surface} as surface
from acp_bindings.runtime.aio import serve_stdio
class Agent(surface.SessionAgent):
    async def initialize(self, params):
        await asyncio.sleep(0.1)
        return await super().initialize(params)
    async def turn(self, session, params):
        pass
asyncio.run(serve_stdio(Agent{options}))
"""


@pytest.mark.parametrize(
    "command", [[], ["-m", "acpgen", "bridge", "--", sys.executable]], ids=["in", "between"]
)
@pytest.mark.parametrize(("version", "surface"), [(1, "v2"), (2, "v1")])
def test_a_file_is_answered_to_its_end(
    version: int, surface: str, command: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "input"
    file.write_bytes(line(initialize(version, 1), BEHIND[0], ask(3, "session/new", **NEW)))
    program = AGENT.format(surface=surface, options="" if command else ", bridge=True")
    with file.open("rb") as given:
        run = subprocess.run(
            [sys.executable, *command, "-c", program], stdin=given, capture_output=True, check=True
        )
    answers = {reply["id"]: reply["result"] for reply in messages(run.stdout)}
    assert answers[1]["protocolVersion"] == version
    assert answers[2]["sessionId"] != answers[3]["sessionId"]


async def test_the_end_of_the_input_reaches_the_agent_after_what_waits() -> None:
    async with bridged() as (stream, wire):
        wire.write(initialize(1, 1), BEHIND[0])
        await wire.stream.close()
        [asked] = await received(stream)
        reading = asyncio.create_task(stream.read())
        stream.write(line({"id": asked["id"], "result": INTRODUCED[2]}))
        assert [each["method"] for each in messages(await reading)] == ["session/new"]
        assert await stream.read() == b""


@pytest.mark.logs("rejected a message (id 2): invalid request: initialize comes first (-32600)")
async def test_the_end_of_the_input_does_not_wait_for_ever() -> None:
    async with bridged() as (stream, wire):
        stream.hurry(0.01)
        wire.write(initialize(1, 1), BEHIND[0])
        await wire.stream.close()
        await received(stream)
        assert await stream.read() == b""
