"""Tests of replays of either side of a recording, which report deviations from the recording."""

from __future__ import annotations

import asyncio
import io
import json
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime.aio import log_to, memory_streams, serve
from acp_bindings.testing import Client, Replay, Wire, tool_call

from tests.package.testing.sides import cleaner, each_version


async def record(types: Any) -> list[str]:
    log = io.StringIO()
    async with Client(cleaner(types), observe=log_to(log)) as client:
        await client.prompt("Clean up")
    return log.getvalue().splitlines()


@each_version
async def test_the_client_of_a_recording_is_played(types: Any) -> None:
    replay = Replay(await record(types), "client")
    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, cleaner(types)))
    await replay.play(near)
    await serving
    replay.check()  # no deviations, even though session and message ids differ


PROMPT = "line 5: session/prompt, /params/prompt/0/text: recorded 'Clean up', got 'Clean it'"


@each_version
@pytest.mark.parametrize(("ignored", "lines"), [([], [PROMPT]), (["/params/prompt"], [])])
async def test_the_agent_of_a_recording_is_played(types: Any, ignored: Any, lines: Any) -> None:
    log = await record(types)
    near, far = memory_streams()
    replay = Replay(log, ignored=ignored)
    playing = asyncio.create_task(replay.play(far))
    async with Client(near, permission=False) as client:
        turn = await client.prompt("Clean it")
        turn.expect(tool_call("rm", status="completed"))  # as recorded
    await playing
    with pytest.raises(AssertionError) as departed:
        replay.check()
    _, *told, permission = str(departed.value).splitlines()
    assert [line.strip() for line in told] == lines
    assert "/result/outcome/optionId: recorded 'yes', got 'no'" in permission


def echoing(types: Any) -> type:
    class Echoing(types.SessionAgent):  # type: ignore[misc]
        async def turn(self, session: Any, params: Any) -> None:
            await session.say(params.prompt[0].text)

    return Echoing


async def prompt_in(client: Client, sessions: list[str], words: list[str]) -> list[str]:
    prompts = zip(sessions, words, strict=True)
    turns = await asyncio.gather(
        *(client.prompt(each, session_id=session) for session, each in prompts)
    )
    return [turn.text for turn in turns]


@pytest.mark.parametrize("is_same_text", [True, False])
async def test_recorded_prompts_may_come_in_another_order(is_same_text: bool) -> None:
    log, words = io.StringIO(), ["Hi", "Hi" if is_same_text else "Ho"]
    async with Client(echoing(v1), observe=log_to(log)) as client:
        sessions = [await client.new_session() for _ in range(2)]
        assert await prompt_in(client, sessions, words) == words
    near, far = memory_streams()
    replay = Replay(log.getvalue().splitlines())
    playing = asyncio.create_task(replay.play(far))
    async with Client(near) as client:
        sessions = [await client.new_session() for _ in range(2)]
        assert await prompt_in(client, sessions[::-1], words[::-1]) == words[::-1]
    await playing
    replay.check()


@each_version
async def test_what_is_missing_is_told(types: Any) -> None:
    near, far = memory_streams()
    replay = Replay(await record(types), timeout=0.05)
    playing = asyncio.create_task(replay.play(far))
    async with Client(near) as client:
        await client.initialize()
        await playing
    with pytest.raises(AssertionError, match=r"line 3: session/new is missing: timed out"):
        replay.check()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{}", "line 1 of the recording was not written by log_to"),
        ("", "the recording contains no initialize request$"),
    ],
)
def test_what_is_no_recording_is_refused(line: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Replay([line])


def entry(direction: str, message: Any = None, **members: Any) -> str:
    line = json.dumps(message) if message is not None else "{oops"
    return json.dumps({"direction": direction, "line": line, "message": message, **members})


INTRODUCTION = [
    entry("received", {"id": 0, "method": "initialize"}),
    entry("sent", {"id": 0, "result": {}}),
]


async def replayed(log: list[str], sent: list[Any]) -> tuple[list[bytes], list[str]]:
    """Replay the agent of a recording to a client that sends messages.

    Return the agent's lines and the differences.
    """
    near, far = memory_streams()
    replay = Replay([*INTRODUCTION, *log], timeout=0.05)
    async with Wire(near) as wire:
        playing = asyncio.create_task(replay.play(far))
        for message in ({"id": "i", "method": "initialize"}, *sent):
            await wire.send(message)
        await playing
        await wire.wait_end()
        lines = [seen.line for seen in wire.passed if seen.direction == "received"]
    assert json.loads(lines[0]) == {"id": "i", "result": {}}
    return lines[1:], [str(departure) for departure in replay.departures]


NOTE = {"method": "_note", "params": {"n": 1}}
ASK = {"id": 1, "method": "_ask", "params": {"aId": "a"}}


@pytest.mark.parametrize(
    ("log", "sent", "lines", "departures"),
    [
        ([entry("sent")], [], [b"{oops"], []),
        ([entry("sent", NOTE), entry("sent")], [], [NOTE, b"{oops"], []),
        ([entry("received", NOTE)], [NOTE], [], []),
        ([entry("received", NOTE, far=True)], [], [], []),
        (
            ["", "  ", entry("received", NOTE)],
            [{**NOTE, "x": 1}],
            [],
            ["line 5: _note, /x: recorded absent, got 1"],
        ),
        (
            [entry("received", NOTE), entry("sent", NOTE)],
            [{"method": "_other"}],
            [],
            [
                "line 3: _note is missing: timed out after 0.05 s waiting for a message",
                "not in the recording: _other",
            ],
        ),
        ([entry("received"), entry("sent", NOTE)], [b"[oops"], [NOTE], []),
        (
            [entry("received", NOTE)],
            [b"[oops"],
            [],
            [
                "line 3: _note is missing: timed out after 0.05 s waiting for a message",
                "not in the recording: a line that isn't a message",
            ],
        ),
        (
            [entry("received")],
            [],
            [],
            [
                "line 3: a line that isn't a message is missing: timed out after 0.05 s"
                " waiting for a message"
            ],
        ),
        (
            [entry("received", ASK), entry("sent", {"id": 1, "result": {"aId": "a", "bId": "a"}})],
            [{**ASK, "id": 9, "params": {"aId": "z"}}],
            [{"id": 9, "result": {"aId": "z", "bId": "a"}}],
            [],
        ),
        (
            [entry("received", ASK), entry("sent", {**ASK, "params": {}})],
            [{**ASK, "id": 9}],
            [{**ASK, "params": {}}],
            [],
        ),
        (
            [entry("sent", ASK), entry("received", {"id": 1, "result": {"aId": "a"}})],
            [{"id": 1, "result": {"aId": "z"}}],
            [ASK],
            ["line 4: the result of request 1, /result/aId: recorded 'a', got 'z'"],
        ),
        (
            [entry("sent", ASK), entry("received", {"id": 1, "error": {"code": 2}})],
            [{"id": 1, "error": {"code": 3}}],
            [ASK],
            ["line 4: the error of request 1, /error/code: recorded 2, got 3"],
        ),
        (
            [entry("received", NOTE), entry("sent", NOTE)],
            [[1], NOTE],
            [NOTE],
            ["not in the recording: a line that isn't a message"],
        ),
        (
            [entry("received", [1]), entry("sent", NOTE)],
            [NOTE, [1]],
            [NOTE],
            ["not in the recording: _note"],
        ),
        # A response never stands for a request.
        (
            [entry("sent", ASK), entry("received", ASK)],
            [{"id": 1, "result": {}}],
            [ASK],
            [
                "line 4: _ask is missing: timed out after 0.05 s waiting for a message",
                "not in the recording: the result of request 1",
            ],
        ),
        # Responses are compared by their ids.
        (
            [
                *(entry("sent", {**ASK, "id": id_}) for id_ in (1, 2)),
                *(entry("received", {"id": id_, "result": id_}) for id_ in (1, 2)),
            ],
            [{"id": 2, "result": 1}, {"id": 1, "result": 2}],
            [ASK, {**ASK, "id": 2}],
            [
                "line 6: the result of request 2, /result: recorded 2, got 1",
                "line 5: the result of request 1, /result: recorded 1, got 2",
            ],
        ),
    ],
)
async def test_a_recording_is_played(
    log: list[str], sent: list[Any], lines: list[Any], departures: list[str]
) -> None:
    played, found = await replayed(log, sent)
    assert [
        each if isinstance(want, bytes) else json.loads(each)
        for each, want in zip(played, lines, strict=True)
    ] == lines
    assert found == departures


async def test_a_recording_can_contain_messages_before_the_first_request() -> None:
    near, far = memory_streams()
    replay = Replay([entry("sent"), entry("sent", NOTE), *INTRODUCTION], timeout=0.05)
    async with Wire(near) as wire:
        playing = asyncio.create_task(replay.play(far))
        assert [(await wire.receive()).message for _ in range(2)] == [None, NOTE]
        await wire.send({"id": "i", "method": "initialize"})
        assert (await wire.receive()).message == {"id": "i", "result": {}}
        await playing
    replay.check()
