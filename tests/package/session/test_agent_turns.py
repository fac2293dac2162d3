"""Sessions of an agent against a scripted client: turns, cancelling, updates."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET, EncodeError
from acp_bindings.runtime.aio import Peer, memory_streams
from acp_bindings.runtime.jsonrpc.errors import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    REQUEST_CANCELLED,
    RESOURCE_NOT_FOUND,
    ConnectionClosed,
    RequestError,
)
from acp_bindings.runtime.session.agent import Sender
from package.jsonrpc import loop
from package.jsonrpc.wire import ask, tell
from package.jsonrpc.wire import cancel as withdrawal
from package.laws.instances import Choices, generate
from package.laws.schemas import SURFACES
from package.session.scripted import (
    ALL,
    CANCEL,
    SESSION,
    V1,
    V2,
    V2_UNSTABLE,
    Json,
    Script,
    Version,
    agent,
    begun,
    each_surface,
    each_v2,
    each_version,
    ended,
    failure,
    handler,
    prompt,
    result,
    run,
    settle,
    text,
)

FAILED = {1: "the handler of session/prompt failed", 2: "a turn failed"}  # in the log
Turn = Callable[[Any, Any], Coroutine[Any, Any, str | None]]


async def nothing(session: Any, params: Any) -> str | None:
    """The work of a turn that ends at once."""
    return None


def returning(value: str | None) -> Turn:
    """Work that returns this."""

    async def turn(session: Any, params: Any) -> str | None:
        return value

    return turn


def raising(error: BaseException) -> Turn:
    """Work that raises this."""

    async def turn(session: Any, params: Any) -> str | None:
        raise error

    return turn


class Waiting:
    """Work that waits until it is cancelled, and then does something else.

    Attributes:
        begun: the texts of the prompts that were begun.
        cancelled: those whose work was cancelled.
    """

    def __init__(self, then: Turn | None = None) -> None:
        self.begun: list[str] = []
        self.cancelled: list[str] = []
        self._then = then

    async def __call__(self, session: Any, params: Any) -> str | None:
        words = params.prompt[0].text
        self.begun.append(words)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.append(words)
            if self._then is None:
                raise
            return await self._then(session, params)
        return None


def message(words: str) -> Json:
    """What an update holds that is a part of the answer, but for its id."""
    return {"sessionUpdate": "agent_message_chunk", "content": text(words)}


async def said(script: Script) -> str:
    """Read an update that is a part of the answer; its text."""
    (found,) = await script.updates(1)
    found.pop("messageId", None)
    words: str = found["content"]["text"]
    assert found == message(words)
    return words


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
    """The update of version 2 that says that a turn has failed."""
    error = {"code": code, "message": message, **more}
    idle = {"sessionUpdate": "state_update", "state": "idle"}
    return {**idle, "stopReason": "error", "error": error}


async def failing(version: Version, script: Script, id_: Any, code: int, words: str) -> None:
    """Read what an agent says at the end of a turn that has failed."""
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
    async def main() -> None:
        async with agent(version) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            words = "method not found: session/prompt"
            await failing(version, script, 1, METHOD_NOT_FOUND, words)

    run(main())


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
    """The handler that keeps a session."""
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
            # As clients do it: what is asked is answered behind the cancelling.
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


# --- held prompts ----------------------------------------------------------------------------


class Gated:
    """Work that says that it has begun, and ends when it is let through."""

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
        peer = Peer(far, "agent", handler(version.agent.SessionAgent, turn=work))
        served: Any = peer.handler
        session = served.open(SESSION)
        script.write(prompt(1), prompt(2))
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
            for id_ in (1, 2):  # that there is none is no error
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


# --- senders ---------------------------------------------------------------------------------


def senders(version: Version) -> dict[str, Any]:
    """The senders of a surface by name."""
    members = vars(version.agent.AgentSession).items()
    return {name: each for name, each in members if isinstance(each, Sender)}


def drawn(version: Version) -> dict[type, list[Any]]:
    """Updates of each class, drawn from the schema."""
    surface = version.surface
    found: dict[type, list[Any]] = {}
    for first in range(256):
        for second in (0, 1, 2, 3, 5):
            choices = Choices(bytes((first, second, 4, 4, second, 4)))
            value = generate(SURFACES[version.name], "SessionUpdate", choices).value
            update = surface.decode(surface.SessionUpdate, value)
            found.setdefault(update.__class__, []).append(update)
    return found


DRAWN = {version: drawn(version) for version in ALL}
SENDERS = [(version, name) for version in ALL for name in senders(version)]
each_sender = pytest.mark.parametrize(
    ("version", "name"), SENDERS, ids=[f"{version}-{name}" for version, name in SENDERS]
)


@each_surface
def test_every_kind_of_update_has_a_sender(version: Version) -> None:
    surface = version.surface
    classes = {each.update for each in senders(version).values()}
    chunks = {surface.AgentMessageChunk, surface.AgentThoughtChunk}  # `say` and `think`
    unknown = {each for each in DRAWN[version] if each.__name__.startswith(("Unknown", "Unrec"))}
    named = {each for each in unknown if each.__name__ == "UnknownStateUpdate"}
    unknown -= named if version is V2_UNSTABLE else set()
    errors = {getattr(surface, "ErrorIdleStateUpdate", None)}
    assert classes == set(DRAWN[version]) - chunks - unknown - errors
    assert not classes & chunks


@each_sender
def test_a_sender_sends_the_update_that_it_is_named_after(version: Version, name: str) -> None:
    surface = version.surface

    async def main() -> None:
        async with agent(version) as (script, session):
            updates = DRAWN[version][senders(version)[name].update]
            assert len(updates) >= 3
            for update in updates[:20]:
                members = {each: getattr(update, each) for each in update.__dataclass_fields__}
                await getattr(session, name)(**members)
                (found,) = await script.updates(1)
                assert found == surface.encode(update, surface.SessionUpdate)
                tag = found["sessionUpdate"]
                assert name in (tag, tag.removesuffix("_update"), found.get("state"))
                if tag == "state_update":
                    assert found["state"] == name
            expected = version.client.SessionState()
            for update in updates[:20]:
                expected.apply(update)
            assert session.state == expected

    run(main())


@each_surface
def test_senders_know_their_class_and_are_no_fields(version: Version) -> None:
    for name, sender in senders(version).items():
        assert getattr(version.agent.AgentSession, name) is sender


@each_surface
def test_updates_may_also_be_sent_whole(version: Version) -> None:
    async def main() -> None:
        async with agent(version) as (script, session):
            raw = {"sessionUpdate": "_vendor", "a": [1]}
            await session.update(version.surface.decode(version.surface.SessionUpdate, raw))
            assert await script.updates(1) == [raw]

    run(main())


@each_version
def test_an_update_that_cannot_be_sent_is_not_part_of_the_state(version: Version) -> None:
    async def main() -> None:
        async with agent(version) as (script, session):
            wrong = version.surface.TextContent(text="a", meta={"a": object()})
            with pytest.raises(EncodeError):
                await session.say(wrong)
            assert session.state.messages == []
            await session.say("a")
            assert await said(script) == "a"

    run(main())


@each_version
def test_updates_may_be_sent_outside_of_turns(version: Version) -> None:
    async def main() -> None:
        async with agent(version, nothing) as (script, session):
            await session.say("before")
            assert await said(script) == "before"
            await session.session_info(title="t")
            info = {"sessionUpdate": "session_info_update", "title": "t"}
            assert await script.updates(1) == [info]
            script.write(prompt(1))
            await begun(version, script, 1)
            await ended(version, script, 1)
            await session.say("behind")
            assert await said(script) == "behind"

    run(main())


def test_v2_work_may_go_on_outside_of_turns() -> None:
    async def main() -> None:
        async with agent(V2) as (script, session):
            await session.running()
            await session.say("a")
            await session.requires_action()
            await session.idle(stop_reason="_done")
            update = {"sessionUpdate": "state_update"}
            first, answer, third, last = await script.updates(4)
            assert first == {**update, "state": "running"}
            assert answer["content"] == text("a")
            assert third == {**update, "state": "requires_action"}
            assert last == {**update, "state": "idle", "stopReason": "_done"}
            assert not session.is_working

    run(main())


@each_version
def test_updates_on_a_connection_that_has_ended(version: Version) -> None:
    async def main() -> None:
        async with agent(version) as (script, session):
            await script.close()
            await session.peer.wait_ended()
            with pytest.raises(ConnectionClosed):
                await session.say("a")

    run(main())


# --- messages --------------------------------------------------------------------------------

WAYS = {"say": "agent_message_chunk", "think": "agent_thought_chunk"}


@each_surface
@pytest.mark.parametrize("way", WAYS)
def test_what_is_said_is_text_or_a_block(version: Version, way: str) -> None:
    async def main() -> None:
        link = version.surface.ResourceLink(name="n", uri="file:///f")
        async with agent(version) as (script, session):
            send = getattr(session, way)
            await send("a")
            await send(link)
            await send("", message_id="m")
            updates = await script.updates(3)
            assert {each["sessionUpdate"] for each in updates} == {WAYS[way]}
            block = {"type": "resource_link", "name": "n", "uri": "file:///f"}
            assert [each["content"] for each in updates] == [text("a"), block, text("")]
            ids = [each.get("messageId") for each in updates]
            assert ids[2] == "m"
            if version.number == 1:
                assert ids[:2] == [None, None]
            else:
                assert ids[0] == ids[1] not in (None, "", "m")

    run(main())


async def ids_of(version: Version, *calls: tuple[str, Json]) -> list[str]:
    """The ids of the messages that calls on a session lead to."""
    async with agent(version) as (script, session):
        found = []
        for way, members in calls:
            await getattr(session, way)(**members)
            (update,) = await script.updates(1)
            if way in WAYS:
                found.append(update["messageId"])
        return found


SAY: tuple[str, Json] = ("say", {"content": "a"})
THINK: tuple[str, Json] = ("think", {"content": "a"})
USAGE: tuple[str, Json] = ("usage", {"used": 1, "size": 2})
INFO: tuple[str, Json] = ("session_info", {"title": "t"})
CALL: tuple[str, Json] = ("tool_call", {"tool_call_id": "t"})
RUNNING: tuple[str, Json] = ("running", {})
USER: tuple[str, Json] = ("user_message", {"message_id": "u"})


def named(message_id: str) -> tuple[str, Json]:
    return ("say", {"content": "a", "message_id": message_id})


@each_v2
@pytest.mark.parametrize(
    ("calls", "shape"),
    [
        ([SAY, SAY, SAY], "aaa"),
        ([THINK, THINK], "aa"),
        ([THINK, SAY], "ab"),
        ([THINK, THINK, SAY, SAY, THINK], "aabbc"),
        ([SAY, USAGE, SAY, INFO, RUNNING, SAY], "aaa"),
        ([SAY, CALL, SAY], "ab"),
        ([SAY, USER, SAY], "ab"),
        ([CALL, SAY, CALL, SAY], "aa"),
        ([named("m"), SAY, SAY], "mmm"),
        ([SAY, named("m"), SAY], "amm"),
        ([named("m"), named("n"), SAY], "mnn"),
        ([named("m"), THINK, SAY], "mab"),
    ],
)
def test_v2_adjacent_chunks_of_a_kind_are_one_message(
    version: Version, calls: list[tuple[str, Json]], shape: str
) -> None:
    async def main() -> None:
        found = await ids_of(version, *calls)
        given = {"m": "m", "n": "n"}
        fresh = [each for each in found if each not in given]
        letters = dict(zip(dict.fromkeys(fresh), "abc", strict=False))
        assert "".join((given | letters)[each] for each in found) == shape

    run(main())


def test_v2_a_chunk_continues_the_last_entry_of_the_timeline() -> None:
    async def main() -> None:
        assert (await ids_of(V2, named("m"), named("n"), named("m"), SAY))[-1] == "n"
        assert (await ids_of(V2, named("m"), THINK, named("m"), SAY))[-1] not in ("m", None)

    run(main())


# --- background work -------------------------------------------------------------------------


def test_v2_each_state_says_again_what_goes_on_in_the_background() -> None:
    background = [v2.BackgroundToolCall(tool_call_id="t")]
    listed = [{"type": "tool_call", "toolCallId": "t"}]

    async def turn(session: Any, params: Any) -> None:
        if params.prompt[0].text == "none":
            await session.running(background=[])
        if params.prompt[0].text == "fail":
            raise RequestError(-7, "no")

    async def main() -> None:
        async with agent(V2, turn) as (script, session):

            async def states(id_: int, words: str, count: int) -> list[Json]:
                script.write(prompt(id_, words))
                assert (await script.read())["id"] == id_
                assert (await script.updates(1))[0]["sessionUpdate"] == "user_message"
                found = await script.updates(count)
                assert {each.pop("sessionUpdate") for each in found} == {"state_update"}
                return found

            assert await states(1, "Hi", 2) == [
                {"state": "running"},
                {"state": "idle", "stopReason": "end_turn"},
            ]
            await session.idle(background=background)
            await script.updates(1)
            assert await states(2, "Hi", 2) == [
                {"state": "running", "background": listed},
                {"state": "idle", "stopReason": "end_turn", "background": listed},
            ]
            assert await states(3, "fail", 2) == [
                {"state": "running", "background": listed},
                {
                    "state": "idle",
                    "stopReason": "error",
                    "error": {"code": -7, "message": "no"},
                    "background": listed,
                },
            ]
            assert await states(4, "none", 3) == [
                {"state": "running", "background": listed},
                {"state": "running", "background": []},
                {"state": "idle", "stopReason": "end_turn", "background": []},
            ]

    run(main())


def test_v2_what_goes_on_in_the_background_is_said_at_the_end_of_a_cancelled_turn() -> None:
    async def turn(session: Any, params: Any) -> None:
        await session.running(background=[v2.BackgroundToolCall(tool_call_id="t")])
        await session.requires_action()
        await asyncio.Event().wait()

    async def main() -> None:
        async with agent(V2, turn) as (script, _):
            script.write(prompt(1))
            await begun(V2, script, 1)
            await script.updates(2)
            await settle()
            script.write(CANCEL)
            (idle,) = await script.updates(1)
            listed = [{"type": "tool_call", "toolCallId": "t"}]
            assert (idle["stopReason"], idle["background"]) == ("cancelled", listed)

    run(main())


# --- replay ----------------------------------------------------------------------------------


@each_version
def test_a_replay_rebuilds_the_state(version: Version) -> None:
    surface = version.surface

    async def turn(session: Any, params: Any) -> str:
        await session.think("hm")
        await session.think("...")
        await session.say("yes")
        await session.say(surface.ResourceLink(name="n", uri="file:///f"))
        await session.tool_call(tool_call_id="t", title="T", status="in_progress")
        update = {"tool_call_id": "t", "status": "completed"}
        await (session.tool_call_update if version is V1 else session.tool_call)(**update)
        await session.usage(used=1, size=2)
        return "refusal"

    async def main() -> None:
        async with agent(version, turn) as (script, session):
            for id_ in range(2):
                script.write(prompt(id_, "a", "b"))
                await begun(version, script, id_, "a", "b")
                await script.updates(7)
                await ended(version, script, id_, "refusal")
            await settle()
            await session.replay()
            expected = session.state.to_updates()
            found = await script.updates(len(expected))
            rebuilt = version.client.SessionState()
            for update in found:
                rebuilt.apply(surface.decode(surface.SessionUpdate, update))
            assert rebuilt == session.state
            assert [each["sessionUpdate"] for each in found].count("state_update") == (
                0 if version is V1 else 1
            )

    run(main())


def test_v1_the_replay_of_a_new_session_is_empty() -> None:
    async def main() -> None:
        async with agent(V1) as (_, session):
            await session.replay()

    run(main())


@each_v2
def test_v2_a_replay_always_says_what_goes_on(version: Version) -> None:
    async def main() -> None:
        async with agent(version) as (script, session):
            update = {"sessionUpdate": "state_update"}
            for _ in range(2):
                await session.replay()
                assert await script.updates(1) == [{**update, "state": "idle"}]
            await session.running()
            await session.replay()
            assert await script.updates(2) == [{**update, "state": "running"}] * 2

    run(main())


@each_v2
def test_v2_a_replay_during_a_turn_says_that_it_is_running(version: Version) -> None:
    async def main() -> None:
        async with agent(version, Waiting()) as (script, session):
            script.write(prompt(1))
            message_id = await begun(version, script, 1)
            await session.replay()
            user, busy = await script.updates(2)
            assert user == {
                "sessionUpdate": "user_message",
                "messageId": message_id,
                "content": [text("Hi")],
            }
            assert busy == {"sessionUpdate": "state_update", "state": "running"}
            script.write(CANCEL)
            await ended(version, script, 1, "cancelled")

    run(main())


@each_version
def test_a_replay_is_not_mixed_up_with_what_is_said_meanwhile(version: Version) -> None:
    surface = version.surface

    async def main() -> None:
        gate = asyncio.Event()

        async def turn(session: Any, params: Any) -> None:
            await session.say("a")
            await gate.wait()
            for _ in range(10):
                await session.say("b")

        async with agent(version, turn) as (script, session):
            for number in range(10):
                await session.user_message_chunk(
                    message_id=f"u{number}", content=surface.TextContent(text="q")
                )
            await script.updates(10)
            script.write(prompt(1))
            await begun(version, script, 1)
            assert await said(script) == "a"
            rebuilt = version.client.SessionState()
            gate.set()
            await session.replay()
            await settle()
            while not rebuilt_ends(version, update := await script.read()):
                params = update["params"]["update"]
                rebuilt.apply(surface.decode(surface.SessionUpdate, params))
            if version is V2:
                params = update["params"]["update"]
                rebuilt.apply(surface.decode(surface.SessionUpdate, params))
            assert rebuilt.messages[-1].text == "abbbbbbbbbb"
            assert rebuilt == session.state

    def rebuilt_ends(version: Version, message: Json) -> bool:
        if version is V1:
            return "id" in message
        return bool(message["params"]["update"].get("state") == "idle")

    run(main())


def test_v1_a_session_that_is_loaded_is_replayed_before_the_response() -> None:
    async def main() -> None:
        near, far = memory_streams()
        script = Script(near)

        class Agent(V1.agent.SessionAgent):  # type: ignore[misc, name-defined]
            async def session_load(self, params: Any) -> Any:
                await self.session(params.session_id).replay()
                return v1.LoadSessionResponse()

        peer = Peer(far, "agent", Agent)
        served: Any = peer.handler
        running = asyncio.create_task(peer.run(0))
        await served.open(SESSION).say("a")
        assert await script.updates(1) == [message("a")]
        script.write(ask(1, "session/load", sessionId=SESSION, cwd="/", mcpServers=[]))
        assert await script.updates(1) == [message("a")]
        assert await script.read() == result(1)
        await script.close()
        await running

    run(main())
