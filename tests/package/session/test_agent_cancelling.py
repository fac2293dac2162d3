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
from package.session.agent_work import Turn, Waiting, nothing, raising, returning, said
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
    run,
    settle,
)

# --- cancelling ------------------------------------------------------------------------------


OUTCOMES: dict[str, Turn] = {
    "cancelled": raising(asyncio.CancelledError()),
    "an error": raising(ValueError("aborted")),
    "a request error": raising(RequestError(-7, "aborted")),
    "a closed connection": raising(ConnectionClosed("of another one")),
    "nothing": returning(None),
    "another reason": returning("refusal"),
    "no reason": returning("custom"),
}


@each_version
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_cancelled_turn_ends_as_cancelled_whatever_comes_out(
    version: Version, outcome: str
) -> None:
    async def main() -> None:
        work = Waiting(OUTCOMES[outcome])
        async with agent(version, work) as (script, session):
            script.write(prompt(1))
            await begun(version, script, 1)
            await settle()
            assert work.begun == ["Hi"]
            script.write(CANCEL)
            await ended(version, script, 1, "cancelled")
            await settle()
            assert work.cancelled == ["Hi"]
            assert not session.is_working

    run(main())


@each_version
def test_updates_behind_the_cancelling_come_before_the_end(version: Version) -> None:
    async def late(session: Any, params: Any) -> None:
        for words in ("a", "b"):
            await settle()
            await session.say(words)

    async def main() -> None:
        async with agent(version, Waiting(late)) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            await settle()
            script.write(CANCEL)
            assert [await said(script), await said(script)] == ["a", "b"]
            await ended(version, script, 1, "cancelled")

    run(main())


@each_version
def test_the_work_is_cancelled_once(version: Version) -> None:
    async def main() -> None:
        cleaning, gate = asyncio.Event(), asyncio.Event()

        async def late(session: Any, params: Any) -> None:
            cleaning.set()
            await gate.wait()
            await session.say("late")

        async with agent(version, Waiting(late)) as (script, session):
            script.write(prompt(1))
            await begun(version, script, 1)
            await settle()
            script.write(CANCEL, CANCEL)
            await cleaning.wait()
            script.write(CANCEL)
            await settle()
            assert session.is_working
            gate.set()
            assert await said(script) == "late"
            await ended(version, script, 1, "cancelled")

    run(main())


@each_version
def test_a_prompt_can_be_cancelled_in_the_same_piece(version: Version) -> None:
    async def main() -> None:
        work = Waiting()
        async with agent(version, work) as (script, session):
            for id_ in range(3):
                script.write(prompt(id_), CANCEL)
                await begun(version, script, id_)
                await ended(version, script, id_, "cancelled")
            await settle()
            assert work.begun == work.cancelled
            assert not session.is_working

    run(main())


@each_version
def test_cancelling_concerns_only_what_is_there(version: Version) -> None:
    async def main() -> None:
        async with agent(version, nothing) as (script, _):
            script.write(CANCEL, tell("session/cancel", sessionId="none"), prompt(1))
            await begun(version, script, 1)
            await ended(version, script, 1)
            script.write(CANCEL)
            await settle()
            script.write(prompt(2))
            await begun(version, script, 2)
            await ended(version, script, 2)

    run(main())


@each_version
def test_cancelling_concerns_one_session(version: Version) -> None:
    async def main() -> None:
        work = Waiting()
        async with agent(version, work) as (script, session):
            other = session_of(session).open("other")
            assert session_of(session).session("other") is other
            script.write(prompt(1, "one"))
            await begun(version, script, 1, "one")
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

    run(main())


def session_of(session: Any) -> Any:
    """The handler that holds a session."""
    return session.peer.handler


@each_version
def test_what_the_work_had_asked_for_is_withdrawn(version: Version) -> None:
    async def ask_user(session: Any, params: Any) -> None:
        await session.client.session_request_permission(version.question())

    async def main() -> None:
        async with agent(version, ask_user) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            question = await script.read()
            assert question == version.permission(question["id"])
            # Clients answer what was asked after they have said that they cancel.
            refused = result(question["id"], outcome={"outcome": "cancelled"})
            script.write(CANCEL, refused)
            await settle()
            found = [await script.read()]
            if found[0] == withdrawal(question["id"]):
                found.append(await script.read())
            assert found[-1:] == version.stopped(1, "cancelled")

    run(main())


@each_version
def test_an_answer_that_comes_late_does_no_harm(version: Version) -> None:
    async def ask_user(session: Any, params: Any) -> None:
        await session.client.session_request_permission(version.question())

    async def main() -> None:
        async with agent(version, ask_user) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            question = await script.read()
            script.write(CANCEL)
            assert await script.read() == withdrawal(question["id"])
            await ended(version, script, 1, "cancelled")
            script.write(result(question["id"], outcome={"outcome": "cancelled"}))

    run(main())


def test_v1_a_withdrawn_prompt_is_answered_as_such_and_its_work_cancelled() -> None:
    async def late(session: Any, params: Any) -> None:
        await settle()
        await session.say("late")

    async def main() -> None:
        work = Waiting(late)
        async with agent(V1, work) as (script, session):
            script.write(prompt(1))
            await settle()
            script.write(withdrawal(1))
            assert await said(script) == "late"
            assert await script.read() == failure(1, REQUEST_CANCELLED, "request cancelled")
            assert work.cancelled == ["Hi"]
            assert not session.is_working

    run(main())


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_v1_a_withdrawn_prompt_is_answered_the_same_whatever_comes_out(outcome: str) -> None:
    async def main() -> None:
        work = Waiting(OUTCOMES[outcome])
        async with agent(V1, work) as (script, session):
            script.write(prompt(1))
            await settle()
            script.write(withdrawal(1))
            assert await script.read() == failure(1, REQUEST_CANCELLED, "request cancelled")
            assert work.cancelled == ["Hi"]
            assert not session.is_working

    run(main())


def test_v2_an_accepted_prompt_can_no_longer_be_withdrawn() -> None:
    async def main() -> None:
        work = Waiting()
        async with agent(V2, work) as (script, session):
            script.write(prompt(1))
            await begun(V2, script, 1)
            script.write(withdrawal(1))
            await settle()
            assert session.is_working
            assert work.cancelled == []
            script.write(CANCEL)
            await ended(V2, script, 1, "cancelled")

    run(main())


# --- closing, the end of the connection ------------------------------------------------------


@each_version
@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("count", [1, 2])
def test_the_end_of_the_connection_cancels_the_work(
    version: Version, outcome: str, count: int
) -> None:
    async def main() -> None:
        work = Waiting(OUTCOMES[outcome])
        async with agent(version, work) as (script, session):
            script.write(*(prompt(id_, str(id_)) for id_ in range(count)))
            await begun(version, script, 0, "0")
            await settle()
        assert work.begun == work.cancelled == ["0"]
        assert not session.is_working

    run(main())


@each_version
def test_the_end_of_the_connection_right_behind_a_prompt(version: Version) -> None:
    async def main() -> None:
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

    run(main())


@each_version
def test_the_work_hears_of_the_end_of_the_connection(version: Version) -> None:
    async def main() -> None:
        found: list[str] = []

        async def late(session: Any, params: Any) -> None:
            await settle()
            try:
                await session.say("late")
            except ConnectionClosed:
                found.append("closed")
                raise

        async with agent(version, Waiting(late)) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            await settle()
        assert found == ["closed"]

    run(main())


@each_version
def test_work_that_does_not_wait_may_finish_behind_the_end(version: Version) -> None:
    async def main() -> None:
        gate = asyncio.Event()
        finished: list[str] = []

        async def turn(session: Any, params: Any) -> None:
            await gate.wait()
            await settle()
            finished.append("yes")

        async with agent(version, turn, linger=60) as (script, session):
            script.write(prompt(1))
            await begun(version, script, 1)
            await script.close()
            gate.set()
        assert finished == ["yes"]
        assert not session.is_working

    run(main())


@each_version
def test_closing_a_session_cancels_waits_and_then_answers(version: Version) -> None:
    async def late(session: Any, params: Any) -> None:
        await settle()
        await session.say("late")

    async def main() -> None:
        async with agent(version, Waiting(late)) as (script, session):
            script.write(prompt(1))
            await begun(version, script, 1)
            await settle()
            script.write(ask(2, "session/close", sessionId=SESSION))
            assert await said(script) == "late"
            await ended(version, script, 1, "cancelled")
            assert await script.read() == result(2)
            assert session_of(session).sessions == {}
            script.write(prompt(3))
            message = await script.read()
            assert (message["id"], message["error"]["code"]) == (3, RESOURCE_NOT_FOUND)

    run(main())


@each_version
def test_closing_a_session_cancels_what_is_held(version: Version) -> None:
    async def main() -> None:
        work = Waiting()
        async with agent(version, work) as (script, _):
            script.write(prompt(1), prompt(2), ask(3, "session/close", sessionId=SESSION))
            await begun(version, script, 1)
            await ended(version, script, 1, "cancelled")
            if version is V1:
                assert await script.read() == result(2, stopReason="cancelled")
            else:
                assert await script.read() == failure(2, REQUEST_CANCELLED, "request cancelled")
            assert await script.read() == result(3)
            assert work.begun == work.cancelled

    run(main())


@each_version
def test_closing_a_session_in_which_nothing_goes_on(version: Version) -> None:
    async def main() -> None:
        async with agent(version, nothing) as (script, session):
            for id_ in (1, 2):  # closing a session that is gone is no error
                script.write(ask(id_, "session/close", sessionId=SESSION))
                assert await script.read() == result(id_)
            assert session_of(session).sessions == {}

    run(main())


@each_version
def test_sessions_are_opened_by_ids(version: Version) -> None:
    async def main() -> None:
        async with agent(version) as (_, session):
            served = session_of(session)
            one, two = served.open(), served.open()
            assert len({one.session_id, two.session_id, SESSION}) == 3
            assert served.session(one.session_id) is one
            assert served.session(SESSION) is session
            with pytest.raises(RequestError) as caught:
                served.session("none")
            assert caught.value.code == RESOURCE_NOT_FOUND

    run(main())
