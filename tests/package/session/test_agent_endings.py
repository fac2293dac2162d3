"""Whole endings of an agent's turns, and sessions of a class of one's own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime.aio import Peer, memory_streams, serve
from acp_bindings.v1 import agent_session as live1
from acp_bindings.v2 import agent_session as live2
from package.jsonrpc.wire import ask
from package.session.agent_work import Waiting, returning
from package.session.scripted import (
    CANCEL,
    V1,
    V2,
    Script,
    Version,
    agent,
    begun,
    each_version,
    failure,
    idle,
    prompt,
    result,
    run,
    settle,
    state,
)
from package.session.test_agent_turns import FAILED

# --- endings ---------------------------------------------------------------------------------


def whole(version: Version, **members: Any) -> Any:
    """A whole ending."""
    if version.number == 1:
        return v1.PromptResponse(**{"stop_reason": "end_turn", **members})
    return v2.IdleStateUpdate(**members)


@each_version
def test_a_turn_may_return_a_whole_ending(version: Version) -> None:
    ending = whole(version, stop_reason="max_tokens", meta={"a": 1})

    async def main() -> None:
        async with agent(version, returning(ending)) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            expected = version.stopped(1, "max_tokens", _meta={"a": 1})
            assert await script.read() == expected[0]

    run(main())


def test_v2_an_ending_without_a_reason_is_the_natural_one() -> None:
    async def main() -> None:
        async with agent(V2, returning(whole(V2, meta={"a": 1}))) as (script, _):
            script.write(prompt(1))
            await begun(V2, script, 1)
            assert await script.read() == state("idle", stopReason="end_turn", _meta={"a": 1})

    run(main())


@pytest.mark.parametrize(
    ("given", "reported"),
    [({}, {"background": [{"type": "_x"}]}), ({"background": []}, {"background": []})],
)
def test_v2_an_ending_keeps_the_background_work(given: Any, reported: Any) -> None:
    async def turn(session: Any, params: Any) -> Any:
        await session.running(background=[v2.UnknownBackgroundWork("_x", {"type": "_x"})])
        return whole(V2, **given)

    async def main() -> None:
        async with agent(V2, turn) as (script, _):
            script.write(prompt(1))
            await begun(V2, script, 1)
            await script.read()
            assert await script.read() == state("idle", stopReason="end_turn", **reported)

    run(main())


@each_version
def test_a_cancelled_turn_ends_as_cancelled_whatever_ending_it_returns(version: Version) -> None:
    async def main() -> None:
        work = Waiting(returning(whole(version, stop_reason="end_turn")))
        async with agent(version, work) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            await settle()
            script.write(CANCEL)
            assert await script.read() == version.stopped(1, "cancelled")[0]

    run(main())


@each_version
@pytest.mark.parametrize("reason", ["cancelled", None])
def test_a_whole_ending_of_a_cancelled_turn_is_kept(version: Version, reason: str | None) -> None:
    given = {"stop_reason": reason} if reason or version is V1 else {}

    async def main() -> None:
        work = Waiting(returning(whole(version, meta={"used": 1}, **given)))
        async with agent(version, work) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            await settle()
            script.write(CANCEL)
            assert await script.read() == version.stopped(1, "cancelled", _meta={"used": 1})[0]

    run(main())


@each_version
@pytest.mark.parametrize("odd", [{"stopReason": "end_turn"}, [], 0, b"end_turn"])
def test_what_is_no_ending_is_refused_with_what_to_return(
    version: Version, odd: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        async with agent(version, returning(odd)) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            await script.read()

    run(main(), FAILED[version.number])
    [record] = [each for each in caplog.records if each.exc_info]
    assert record.exc_info is not None
    name = "PromptResponse" if version is V1 else "IdleStateUpdate"
    assert str(record.exc_info[1]) == (
        f"a turn cannot end with {type(odd).__name__}: return a stop reason such as 'end_turn', "
        f"a whole {name}, or None"
    )


def test_v1_an_ending_with_an_unlisted_reason_is_an_error() -> None:
    async def main() -> None:
        async with agent(V1, returning(whole(V1, stop_reason="tired"))) as (script, _):
            script.write(prompt(1))
            assert await script.read() == failure(1, -32603, "internal error")

    run(main(), "the handler of 'session/prompt' failed")


# --- sessions of one's own -------------------------------------------------------------------


class Session1(live1.AgentSession):
    """A session with data of its own."""

    def __init__(self, agent: live1.SessionAgent[Any], session_id: v1.SessionId) -> None:
        super().__init__(agent, session_id)
        self.count = 0


class Session2(live2.AgentSession):
    """A session with data of its own."""

    count = 0


class Agent1(live1.SessionAgent[Session1]):
    """Counts its turns, in each session."""

    async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
        return v1.InitializeResponse(protocol_version=1)

    async def turn(self, session: Session1, params: v1.PromptRequest) -> None:
        session.count += 1
        await session.say(str(session.count))


class Agent2(live2.SessionAgent[Session2]):
    """Counts its turns, in each session."""

    async def turn(self, session: Session2, params: v2.PromptRequest) -> None:
        session.count += 1


class Mixin:
    """Something else to extend."""


class Later(Mixin, Agent1):
    """An agent that extends another."""


def made(factory: Any) -> Any:
    """A session that an agent opens."""

    async def main() -> Any:
        _, far = memory_streams()
        peer = Peer(far, "agent", factory)
        served: Any = peer.handler
        session = served.open("s")
        assert served.session("s") is session
        return session

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("factory", "expected"),
    [
        (Agent1, Session1),
        (Agent2, Session2),
        (Later, Session1),
        (live1.SessionAgent, live1.AgentSession),
        (live2.SessionAgent, live2.AgentSession),
        (live2.SessionAgent[Session2], Session2),
    ],
)
def test_sessions_are_of_the_class_that_is_named(factory: Any, expected: type) -> None:
    assert type(made(factory)) is expected


def test_a_session_of_ones_own_keeps_data_between_turns() -> None:
    async def main() -> None:
        near, far = memory_streams()
        script = Script(near)
        serving = asyncio.create_task(serve(far, Agent1))
        await script.initialize(1)
        script.write(ask(1, "session/new", cwd="/", mcpServers=[]))
        opened = (await script.read())["result"]["sessionId"]
        for number in ("1", "2"):
            script.write(prompt(number, session=opened))
            update = (await script.read())["params"]["update"]
            assert update["content"]["text"] == number
            assert await script.read() == result(number, stopReason="end_turn")
        await script.close()
        await serving

    run(main())


@pytest.mark.parametrize("named", [int, "Session1", live2.AgentSession])
def test_only_a_class_of_sessions_can_be_named(named: Any) -> None:
    base: Any = live1.SessionAgent

    class Mistaken(base[named]):  # type: ignore[misc]
        turn = staticmethod(idle)

    with pytest.raises(TypeError, match="must name a class that extends AgentSession"):
        made(Mistaken)
