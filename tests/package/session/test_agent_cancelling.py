"""Turns of an agent that are cancelled, closed with their session, or end with the connection."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings.runtime import (
    REQUEST_CANCELLED,
    RESOURCE_NOT_FOUND,
    ConnectionClosed,
    RequestError,
)
from acp_bindings.runtime.aio import Peer, memory_streams
from package.jsonrpc.wire import ask, initialize, tell
from package.jsonrpc.wire import cancel as withdrawal
from package.session.agent_work import (
    Turn,
    Waiting,
    async_test,
    begin,
    cancelled,
    nothing,
    raising,
    returning,
    said,
    serving,
    whole_turn,
)
from package.session.scripted import (
    CANCEL,
    SESSION,
    V1,
    V2,
    Script,
    Version,
    agent,
    agreeing,
    begun,
    each_version,
    ended,
    failure,
    handler,
    prompt,
    result,
    settle,
)

OUTCOMES: dict[str, Turn] = {
    "cancelled": raising(asyncio.CancelledError()),
    "an error": raising(ValueError("aborted")),
    "a request error": raising(RequestError(-7, "aborted")),
    "a closed connection": raising(ConnectionClosed("of another one")),
    "nothing": returning(None),
    "another reason": returning("refusal"),
    "no reason": returning("custom"),
}


async def say_late(session: Any, params: Any) -> None:
    await settle()
    await session.say("late")


# --- cancelling ------------------------------------------------------------------------------


@each_version
@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("how", ["cancel", "withdraw", "close", "disconnect"])
@async_test()
async def test_a_turn_that_is_ended_ends_the_same_whatever_comes_out(
    version: Version, how: str, outcome: str
) -> None:
    if version is V2 and how == "withdraw":
        return  # see below
    work = Waiting(OUTCOMES[outcome])
    async with agent(version, work) as (script, session):
        await begin(version, script)
        assert work.begun == ["Hi"]
        if how == "cancel":
            await cancelled(version, script)
        elif how == "withdraw":
            script.write(withdrawal(1))
            assert await script.read() == failure(1, REQUEST_CANCELLED, "request cancelled")
        elif how == "close":
            script.write(ask(2, "session/close", sessionId=SESSION))
            await ended(version, script, 1, "cancelled")
            assert await script.read() == result(2)
        else:
            script.write(prompt(3))  # which never begins
    assert work.begun == work.cancelled == ["Hi"]
    assert not session.is_working


@async_test()
async def test_v2_an_accepted_prompt_can_no_longer_be_withdrawn() -> None:
    work = Waiting()
    async with agent(V2, work) as (script, session):
        await begin(V2, script)
        script.write(withdrawal(1))
        await settle()
        assert session.is_working
        assert work.cancelled == []
        await cancelled(V2, script)


@async_test()
async def test_v1_a_withdrawn_prompt_is_answered_behind_its_updates() -> None:
    async with agent(V1, Waiting(say_late)) as (script, _):
        await begin(V1, script)
        script.write(withdrawal(1))
        assert await said(script) == "late"
        assert await script.read() == failure(1, REQUEST_CANCELLED, "request cancelled")


@each_version
@async_test()
async def test_the_work_is_cancelled_once_and_may_send_updates(version: Version) -> None:
    cleaning, gate = asyncio.Event(), asyncio.Event()

    async def late(session: Any, params: Any) -> None:
        cleaning.set()
        await gate.wait()
        await session.say("late")

    async with agent(version, Waiting(late)) as (script, session):
        await begin(version, script)
        script.write(CANCEL, CANCEL)
        await cleaning.wait()
        script.write(CANCEL)
        await settle()
        assert session.is_working
        gate.set()
        assert await said(script) == "late"
        await ended(version, script, 1, "cancelled")


@each_version
@async_test()
async def test_a_prompt_can_be_cancelled_in_the_same_piece(version: Version) -> None:
    work = Waiting()
    async with agent(version, work) as (script, session):
        for id_ in range(3):
            script.write(prompt(id_), CANCEL)
            await begun(version, script, id_)
            await ended(version, script, id_, "cancelled")
        await settle()
        assert work.begun == work.cancelled
        assert not session.is_working


@each_version
@async_test()
async def test_cancelling_concerns_only_what_is_there(version: Version) -> None:
    async with agent(version, nothing) as (script, _):
        script.write(CANCEL, tell("session/cancel", sessionId="none"))
        await whole_turn(version, script, 1)
        script.write(CANCEL)
        await settle()
        await whole_turn(version, script, 2)


@each_version
@async_test()
async def test_cancelling_concerns_one_session(version: Version) -> None:
    work = Waiting()
    async with agent(version, work) as (script, session):
        other = session.agent.open("other")
        await begin(version, script, 1, "one")
        script.write(prompt(2, "two", session="other"))
        await settle()
        assert work.begun == ["one", "two"]
        script.write(CANCEL)
        if version is V2:
            for _ in range(3):  # of the other session: the response, and two updates
                assert (await script.read()).get("id", 2) == 2
        await ended(version, script, 1, "cancelled")
        assert work.cancelled == ["one"]
        assert other.is_working
        script.write(tell("session/cancel", sessionId="other"))
        await script.read()
        await settle()
        assert work.cancelled == ["one", "two"]


@each_version
@pytest.mark.parametrize("is_late", [True, False])
@async_test()
async def test_what_the_work_had_asked_for_is_withdrawn(version: Version, is_late: bool) -> None:
    """Clients answer what was asked after they have said that they cancel."""

    async def ask_user(session: Any, params: Any) -> None:
        await session.client.session_request_permission(version.question())

    async with agent(version, ask_user) as (script, _):
        await begin(version, script)
        question = await script.read()
        assert question == version.permission(question["id"])
        refused = result(question["id"], outcome={"outcome": "cancelled"})
        script.write(CANCEL, *([] if is_late else [refused]))
        await settle()
        message = await script.read()
        assert not is_late or message == withdrawal(question["id"])
        if message == withdrawal(question["id"]):
            message = await script.read()
        assert [message] == version.stopped(1, "cancelled")
        if is_late:
            script.write(refused)


# --- prompts that are not a turn yet ---------------------------------------------------------


@each_version
@async_test()
async def test_a_prompt_is_cancelled_while_an_override_awaits_before_the_turn(
    version: Version,
) -> None:
    worked: list[Any] = []
    go_on = asyncio.Event()

    class Slow(version.agent.SessionAgent):  # type: ignore[misc,name-defined]
        async def turn(self, session: Any, params: Any) -> None:
            worked.append(session)

        async def session_prompt(self, params: Any) -> Any:
            await go_on.wait()
            return await super().session_prompt(params)

    served = Slow()
    async with serving(version, served) as script:
        session = served.open(SESSION)
        script.write(prompt(1))
        await settle()
        script.write(CANCEL)
        await settle()
        go_on.set()
        if version.number == 1:
            await ended(version, script, 1, "cancelled")
        else:
            assert (await script.read())["error"]["code"] == REQUEST_CANCELLED
        await whole_turn(version, script, 2)
        assert worked == [session]
        assert not session.has_turns


@each_version
@async_test("the handler of 'session/prompt' failed")
async def test_a_prompt_that_an_override_answers_itself_leaves_no_turn(version: Version) -> None:
    async def refuse(params: Any) -> Any:
        raise ValueError("no")

    served = handler(version.agent.SessionAgent, session_prompt=refuse)()
    async with serving(version, served) as script:
        session = served.open(SESSION)
        script.write(prompt(1))
        assert (await script.read())["error"]["code"] == -32603
        assert not session.has_turns


# --- the end of the connection ---------------------------------------------------------------


@each_version
@async_test()
async def test_the_end_of_the_connection_right_behind_a_prompt(version: Version) -> None:
    work = Waiting()
    near, far = memory_streams()
    script = Script(near)
    base = version.agent.SessionAgent
    made = handler(base, turn=work, initialize=agreeing(version))
    peer = Peer(far, "agent", made)
    served: Any = peer.handler
    session = served.open(SESSION)
    script.write(initialize(version.number, "initialize"), prompt(1), prompt(2))
    await script.close()
    await peer.run(0)
    assert work.begun == work.cancelled
    assert not session.is_working


@each_version
@async_test()
async def test_the_work_hears_of_the_end_of_the_connection(version: Version) -> None:
    found: list[str] = []

    async def late(session: Any, params: Any) -> None:
        with pytest.raises(ConnectionClosed):
            await say_late(session, params)
        found.append("closed")

    async with agent(version, Waiting(late)) as (script, _):
        await begin(version, script)
    assert found == ["closed"]


@each_version
@async_test()
async def test_work_that_does_not_wait_may_finish_behind_the_end(version: Version) -> None:
    gate = asyncio.Event()
    finished: list[str] = []

    async def turn(session: Any, params: Any) -> None:
        await gate.wait()
        await settle()
        finished.append("yes")

    async with agent(version, turn, linger=60) as (script, session):
        await begin(version, script)
        await script.close()
        gate.set()
    assert finished == ["yes"]
    assert not session.is_working


# --- closing ---------------------------------------------------------------------------------


@each_version
@async_test()
async def test_closing_a_session_cancels_waits_and_then_answers(version: Version) -> None:
    async with agent(version, Waiting(say_late)) as (script, session):
        await begin(version, script)
        script.write(ask(2, "session/close", sessionId=SESSION))
        assert await said(script) == "late"
        await ended(version, script, 1, "cancelled")
        assert await script.read() == result(2)
        assert session.agent.sessions == {}
        script.write(ask(3, "session/close", sessionId=SESSION))  # that it is gone is no error
        assert await script.read() == result(3)
        script.write(prompt(4))
        message = await script.read()
        assert (message["id"], message["error"]["code"]) == (4, RESOURCE_NOT_FOUND)
