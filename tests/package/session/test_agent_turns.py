"""Turns of an agent: their course, their end, and prompts that wait for them."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
from acp_bindings.runtime import (
    INTERNAL_ERROR,
    REQUEST_CANCELLED,
    RESOURCE_NOT_FOUND,
    UNSET,
    ConnectionClosed,
    RequestError,
)
from package.jsonrpc import loop
from package.jsonrpc.wire import ask
from package.jsonrpc.wire import cancel as withdrawal
from package.session.agent_work import Waiting, message, nothing, raising, returning, said
from package.session.scripted import (
    CANCEL,
    SESSION,
    V1,
    V2,
    Json,
    Script,
    Version,
    agent,
    begun,
    each_v2,
    each_version,
    ended,
    failure,
    prompt,
    result,
    run,
    settle,
    text,
)

FAILED = {1: "the handler of 'session/prompt' failed", 2: "a turn failed"}  # in the log


# --- the course of a turn --------------------------------------------------------------------


@each_version
@pytest.mark.parametrize(
    "reason", [None, "end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
)
def test_a_turn_ends_behind_its_updates_with_what_the_work_returned(
    version: Version, reason: str | None
) -> None:
    async def turn(session: Any, params: Any) -> str | None:
        assert session.is_working
        assert params.session_id == session.session_id == SESSION
        for words in ("a", "b", "c"):
            await session.say(words)
        return reason

    async def main() -> None:
        async with agent(version, turn) as (script, session):
            script.write(prompt(1))
            await begun(version, script, 1)
            assert [await said(script) for _ in range(3)] == ["a", "b", "c"]
            await ended(version, script, 1, reason or "end_turn")
            await settle()
            assert not session.is_working

    run(main())


def test_v2_the_response_comes_first_and_the_idle_state_last() -> None:
    async def turn(session: Any, params: Any) -> None:
        await session.think("hm")
        await session.say("yes")

    async def main() -> None:
        async with agent(V2, turn) as (script, _):
            script.write(prompt(7, "a", "b"))
            response = await script.read()
            message_id = response["result"]["messageId"]
            assert message_id
            assert response == result(7, messageId=message_id)
            updates = await script.updates(5)
            thought, answer = updates[2]["messageId"], updates[3]["messageId"]
            assert len({message_id, thought, answer}) == 3
            assert updates == [
                {
                    "sessionUpdate": "user_message",
                    "messageId": message_id,
                    "content": [text("a"), text("b")],
                },
                {"sessionUpdate": "state_update", "state": "running"},
                {
                    "sessionUpdate": "agent_thought_chunk",
                    "messageId": thought,
                    "content": text("hm"),
                },
                {
                    "sessionUpdate": "agent_message_chunk",
                    "messageId": answer,
                    "content": text("yes"),
                },
                {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"},
            ]

    run(main())


def test_v1_only_the_work_sends_updates() -> None:
    async def turn(session: Any, params: Any) -> None:
        await session.say("yes")

    async def main() -> None:
        async with agent(V1, turn) as (script, session):
            script.write(prompt(7, "a", "b"))
            assert await script.updates(1) == [message("yes")]
            assert await script.read() == result(7, stopReason="end_turn")
            known = [(each.role, each.text) for each in session.state.messages]
            assert known == [("user", "ab"), ("agent", "yes")]

    run(main())


@pytest.mark.skipif(sys.version_info < (3, 12), reason="tasks are never eager before Python 3.12")
@each_version
def test_the_order_is_the_same_when_tasks_are_eager(version: Version) -> None:
    async def turn(session: Any, params: Any) -> None:
        await session.say("a")

    async def main() -> None:
        eager: Any = asyncio  # of which a type checker for an older Python knows less
        asyncio.get_running_loop().set_task_factory(eager.eager_task_factory)
        async with agent(version, turn) as (script, _):
            for id_ in range(2):
                script.write(prompt(id_))
                await begun(version, script, id_)
                assert await said(script) == "a"
                await ended(version, script, id_)

    run(main())


@each_version
def test_each_turn_has_ids_of_its_own(version: Version) -> None:
    async def turn(session: Any, params: Any) -> None:
        await session.say("a")

    async def main() -> None:
        async with agent(version, turn) as (script, _):
            ids: set[str] = set()
            for id_ in range(3):
                script.write(prompt(id_))
                ids.add(await begun(version, script, id_))
                (update,) = await script.updates(1)
                ids.add(update.get("messageId", ""))
                await ended(version, script, id_)
            assert len(ids) == (1 if version is V1 else 6)

    run(main())


def test_v1_a_custom_stop_reason_is_refused() -> None:
    async def main() -> None:
        for reason in ("_custom", "custom", "error"):
            async with agent(V1, returning(reason)) as (script, session):
                script.write(prompt(1))
                assert await script.read() == failure(1, INTERNAL_ERROR, "internal error")
                assert not session.is_working

    run(main(), *[FAILED[1]] * 3)


@each_v2
def test_v2_a_custom_stop_reason_begins_with_an_underscore(version: Version) -> None:
    async def main() -> None:
        async with agent(version, returning("_custom")) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            await ended(version, script, 1, "_custom")
        async with agent(version, returning("custom")) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            assert await script.updates(1) == [failed_idle(INTERNAL_ERROR, "internal error")]

    run(main(), FAILED[2])


def failed_idle(code: int, message: str, **more: Json) -> Json:
    """The update in version 2 that reports a failed turn."""
    error = {"code": code, "message": message, **more}
    idle = {"sessionUpdate": "state_update", "state": "idle"}
    return {**idle, "stopReason": "error", "error": error}


async def failing(version: Version, script: Script, id_: Any, code: int, words: str) -> None:
    """Read the messages of an agent at the end of a failed turn."""
    if version is V1:
        assert await script.read() == failure(id_, code, words)
    else:
        assert await script.updates(1) == [failed_idle(code, words)]


@each_version
@pytest.mark.parametrize("data", [UNSET, {"a": [1]}, "text", 5])
def test_a_deliberate_error_ends_the_turn_with_its_data(version: Version, data: Any) -> None:
    async def main() -> None:
        more = {} if data is UNSET else {"data": data}
        async with agent(version, raising(RequestError(-7, "no", data))) as (script, session):
            script.write(prompt(1))
            await begun(version, script, 1)
            if version is V1:
                assert await script.read() == failure(1, -7, **more)
            else:
                assert await script.updates(1) == [failed_idle(-7, "no", **more)]
            await settle()
            assert not session.is_working

    run(main())


@each_version
def test_the_data_of_a_deliberate_error_may_be_no_json(version: Version) -> None:
    async def main() -> None:
        async with agent(version, raising(RequestError(-7, "no", object()))) as (script, session):
            script.write(prompt(1))
            await begun(version, script, 1)
            await settle()
            assert not session.is_working
            script.write(ask(2, "_none"))
            message = await script.read()
            assert message.get("id") != 2, "nothing says that the turn is over"
            if version is V1:
                assert message == failure(1, -7, "no")
            else:
                assert message["params"]["update"] == failed_idle(-7, "no")
            assert (await script.read())["id"] == 2

    loop.run(main())


@each_version
@pytest.mark.parametrize("error", [ValueError("hunter2"), ConnectionClosed("of another one")])
def test_of_any_other_error_only_that_there_was_one_is_said(
    version: Version, error: Exception
) -> None:
    async def main() -> None:
        async with agent(version, raising(error)) as (script, _):
            for id_ in range(2):  # the session goes on
                script.write(prompt(id_))
                await begun(version, script, id_)
                await failing(version, script, id_, INTERNAL_ERROR, "internal error")

    run(main(), *[FAILED[version.number]] * 2)


@each_version
def test_work_that_is_cancelled_by_nobody_has_failed(version: Version) -> None:
    async def main() -> None:
        async with agent(version, raising(asyncio.CancelledError())) as (script, session):
            script.write(prompt(1))
            await begun(version, script, 1)
            words = "the work was cancelled, but not by the client"
            await failing(version, script, 1, INTERNAL_ERROR, words)
            await settle()
            assert not session.is_working

    run(main())


@each_version
def test_an_agent_without_work_says_so(version: Version) -> None:
    work = version.agent.SessionAgent.turn(None, None, None)
    with pytest.raises(RequestError, match=r"^method not found: session/prompt \(-32601\)$"):
        asyncio.run(work)


@each_version
def test_a_prompt_for_no_session_is_an_error(version: Version) -> None:
    async def main() -> None:
        async with agent(version, nothing) as (script, _):
            script.write(prompt(1, session="none"))
            about = {"sessionId": "none"}
            expected = failure(1, RESOURCE_NOT_FOUND, "session not found", data=about)
            assert await script.read() == expected

    run(main())


def test_what_is_no_stop_reason_is_named_with_those_that_are(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        async with agent(V1, returning("_mine")) as (script, _):
            script.write(prompt(1))
            await failing(V1, script, 1, INTERNAL_ERROR, "internal error")

    run(main(), FAILED[1])
    [record] = [each for each in caplog.records if each.exc_info]
    assert record.exc_info is not None
    listed = "cancelled, end_turn, max_tokens, max_turn_requests, refusal"
    assert str(record.exc_info[1]) == f"'_mine' is not a stop reason; return one of {listed}"


# --- held prompts ----------------------------------------------------------------------------


class Gated:
    """Work that announces its beginning, and ends when it is let through."""

    def __init__(self) -> None:
        self.gates: dict[str, asyncio.Event] = {}

    async def __call__(self, session: Any, params: Any) -> None:
        words = params.prompt[0].text
        gate = self.gates[words] = asyncio.Event()
        await session.say(f"begin {words}")
        await gate.wait()
        await session.say(f"end {words}")


@each_version
def test_prompts_during_a_turn_wait_for_its_end_in_order(version: Version) -> None:
    async def main() -> None:
        work = Gated()
        names = ("a", "b", "c")
        async with agent(version, work) as (script, session):
            script.write(*(prompt(name, name) for name in names))
            for index, name in enumerate(names):
                await begun(version, script, name, name)
                assert await said(script) == f"begin {name}"
                await settle()
                assert tuple(work.gates) == names[: index + 1]
                assert session.is_working
                work.gates[name].set()
                assert await said(script) == f"end {name}"
                await ended(version, script, name)
            await settle()
            assert not session.is_working
            users = [each.text for each in session.state.messages if each.role == "user"]
            assert users == list(names)

    run(main())


@each_version
def test_a_failed_turn_lets_the_next_one_begin(version: Version) -> None:
    async def turn(session: Any, params: Any) -> None:
        await settle()
        raise RequestError(-7, "no")

    async def main() -> None:
        async with agent(version, turn) as (script, _):
            script.write(prompt(1), prompt(2))
            for id_ in (1, 2):
                await begun(version, script, id_)
                await failing(version, script, id_, -7, "no")

    run(main())


@each_version
def test_held_prompts_are_cancelled_with_the_turn(version: Version) -> None:
    async def main() -> None:
        work = Waiting()
        async with agent(version, work) as (script, session):
            script.write(*(prompt(name, name) for name in ("a", "b", "c")))
            await begun(version, script, "a", "a")
            await settle()
            script.write(CANCEL)
            await ended(version, script, "a", "cancelled")
            for name in ("b", "c"):
                if version is V1:
                    assert await script.read() == result(name, stopReason="cancelled")
                else:
                    expected = failure(name, REQUEST_CANCELLED, "request cancelled")
                    assert await script.read() == expected
            assert work.begun == work.cancelled == ["a"]
            assert not session.is_working
            users = [each.text for each in session.state.messages if each.role == "user"]
            assert users == ["a"]
            script.write(prompt("d", "d"))
            await begun(version, script, "d", "d")
            await settle()
            assert work.begun == ["a", "d"]
            script.write(CANCEL)
            await ended(version, script, "d", "cancelled")

    run(main())


@each_version
def test_a_prompt_behind_the_cancelling_is_done(version: Version) -> None:
    async def main() -> None:
        work = Waiting()
        async with agent(version, work) as (script, _):
            script.write(prompt("a", "a"), CANCEL, prompt("b", "b"))
            await begun(version, script, "a", "a")
            await ended(version, script, "a", "cancelled")
            await begun(version, script, "b", "b")
            await settle()
            assert work.begun[-1] == "b"
            script.write(CANCEL)
            await ended(version, script, "b", "cancelled")

    run(main())


@each_version
def test_a_held_prompt_can_be_withdrawn(version: Version) -> None:
    async def main() -> None:
        work = Gated()
        async with agent(version, work) as (script, _):
            script.write(prompt("a", "a"), prompt("b", "b"), prompt("c", "c"))
            await begun(version, script, "a", "a")
            assert await said(script) == "begin a"
            script.write(withdrawal("b"))
            assert await script.read() == failure("b", REQUEST_CANCELLED, "request cancelled")
            work.gates["a"].set()
            assert await said(script) == "end a"
            await ended(version, script, "a")
            await begun(version, script, "c", "c")
            assert await said(script) == "begin c"
            work.gates["c"].set()
            assert await said(script) == "end c"
            await ended(version, script, "c")
            assert list(work.gates) == ["a", "c"]

    run(main())
