"""Tests of agent turns: progress, results, cancellation, and prompts that wait for a turn."""

from __future__ import annotations

import asyncio
import gc
import io
import warnings
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import (
    INTERNAL_ERROR,
    REQUEST_CANCELLED,
    RESOURCE_NOT_FOUND,
    UNSET,
    ConnectionClosed,
    RequestError,
)
from acp_bindings.runtime.aio import Peer, connect_memory, memory_streams

from tests.package.aio import loop
from tests.package.jsonrpc.wire import ask, initialize, tell
from tests.package.jsonrpc.wire import cancel as withdrawal
from tests.package.session.scripted import (
    CANCEL,
    SESSION,
    V1,
    V2,
    Json,
    Script,
    Turn,
    Version,
    Waiting,
    agent,
    agreeing,
    answer_of,
    begin,
    begun,
    cancelled,
    each_version,
    ended,
    failure,
    handler,
    logs,
    nothing,
    prompt,
    raising,
    result,
    returning,
    said,
    serving,
    settle,
    state,
    whole_turn,
)

FAILED = {1: "the handler for 'session/prompt' failed", 2: "a turn failed"}  # in the log
BACKGROUND = [{"type": "_x"}]


# --- the course of a turn --------------------------------------------------------------------


@each_version
@pytest.mark.parametrize(
    "reason",
    [None, "end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "_custom"],
)
async def test_a_turn_ends_as_its_work_returned(version: Version, reason: str | None) -> None:
    if version is V1 and reason == "_custom":
        reason = None  # protocol 1 has no custom stop reasons

    async def turn(session: Any, params: Any) -> str | None:
        assert session.is_working
        assert params.session_id == session.session_id == SESSION
        for words in ("a", "b", "c"):
            await session.say(words)
        return reason

    async with agent(version, turn) as (script, session):
        script.write(prompt(1, "Hi", "there"))
        await begun(version, script, 1, "Hi", "there")
        assert [await said(script) for _ in range(3)] == ["a", "b", "c"]
        await ended(version, script, 1, reason or "end_turn")
        await settle()
        assert not session.is_working
        known = [(each.role, each.text) for each in session.state.messages]
        assert known == [("user", "Hithere"), ("agent", "abc")]


# --- endings ---------------------------------------------------------------------------------


def whole(version: Version, **members: Any) -> Any:
    if version.number == 1:
        return v1.PromptResponse(**{"stop_reason": "end_turn", **members})
    return v2.IdleStateUpdate(**members)


@each_version
@pytest.mark.parametrize("reason", ["max_tokens", None])
async def test_a_turn_may_return_a_whole_ending(version: Version, reason: str | None) -> None:
    given = {} if reason is None else {"stop_reason": reason}
    async with agent(version, returning(whole(version, meta={"a": 1}, **given))) as (script, _):
        await begin(version, script)
        assert [await script.read()] == version.stopped(1, reason or "end_turn", _meta={"a": 1})


@pytest.mark.parametrize("given", [BACKGROUND, []])
@pytest.mark.parametrize("is_cancelled", [True, False])
async def test_v2_an_ending_keeps_the_background_work(given: Json, is_cancelled: bool) -> None:
    async def turn(session: Any, params: Any) -> Any:
        await session.running(background=[v2.UnknownBackgroundWork("_x", BACKGROUND[0])])
        if is_cancelled:
            await asyncio.Event().wait()
        return whole(V2, **({} if given else {"background": []}))

    async with agent(V2, turn) as (script, _):
        await begin(V2, script)
        assert await script.read() == state("running", background=BACKGROUND)
        if is_cancelled:
            script.write(CANCEL)
        reason = "cancelled" if is_cancelled else "end_turn"
        background = BACKGROUND if is_cancelled else given
        assert await script.read() == state("idle", stopReason=reason, background=background)


@each_version
@pytest.mark.parametrize("reason", ["cancelled", "end_turn", None])
async def test_a_whole_ending_may_say_cancelled(version: Version, reason: str | None) -> None:
    reason = "cancelled" if reason is None and version is V1 else reason
    given = {} if reason is None else {"stop_reason": reason}
    work = Waiting(returning(whole(version, meta={"used": 1}, **given)))
    async with agent(version, work) as (script, _):
        await begin(version, script)
        script.write(CANCEL)
        more = {} if reason == "end_turn" else {"_meta": {"used": 1}}
        assert [await script.read()] == version.stopped(1, "cancelled", **more)


class Promise:
    """An awaitable object that cannot be closed."""

    def __await__(self) -> Any:
        yield


LISTED = "max_tokens, max_turn_requests, refusal"
NO_REASONS: list[tuple[Version, Any, str]] = [
    *(
        (V1, odd, f"'{words}' is not a stop reason; return one of cancelled, end_turn, {LISTED}")
        for words, odd in (("_a", "_a"), ("error", "error"), ("a", whole(V1, stop_reason="a")))
    ),
    (
        V2,
        "a",
        "'a' is not a stop reason; "
        f"return one of cancelled, end_turn, error, {LISTED}, "
        "or a custom reason beginning with '_'",
    ),
    *(
        (version, odd, f"a turn cannot end with {type(odd).__name__}; {advice}")
        for version, ending in ((V1, "PromptResponse"), (V2, "IdleStateUpdate"))
        for advice in [f"return a stop reason such as 'end_turn', a complete {ending}, or None"]
        for odd in list[Any](({"stopReason": "end_turn"}, [], 0, b"end_turn"))
    ),
    *((version, Promise(), "a turn cannot end with Promise; await it") for version in (V1, V2)),
]


@logs(FAILED)
@pytest.mark.parametrize(("version", "returned", "problem"), NO_REASONS)
async def test_what_is_no_ending_is_refused_with_what_to_return(
    version: Version, returned: Any, problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with agent(version, returning(returned)) as (script, session):
        await begin(version, script)
        await failing(version, script, 1, INTERNAL_ERROR, "internal error")
        await settle()
        assert not session.is_working
    [record] = [each for each in caplog.records if each.exc_info]
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == problem


# --- errors ----------------------------------------------------------------------------------


def failed(version: Version, id_: Any, code: int, words: str, **more: Json) -> Json:
    if version is V1:
        return failure(id_, code, words, **more)
    return state("idle", stopReason="error", error={"code": code, "message": words, **more})


async def failing(version: Version, script: Script, id_: Any, code: int, words: str) -> None:
    assert await script.read() == failed(version, id_, code, words)


@each_version
@pytest.mark.parametrize("data", [UNSET, {"a": [1]}, "text", 5])
async def test_a_deliberate_error_ends_the_turn_with_its_data(version: Version, data: Any) -> None:
    more = {} if data is UNSET else {"data": data}
    async with agent(version, raising(RequestError(-7, "no", data))) as (script, session):
        await begin(version, script)
        assert await script.read() == failed(version, 1, -7, "no", **more)
        assert not session.is_working


@logs(
    {
        1: "replacing an error that cannot be sent: object is not a JSON type",
        2: "cannot report the end of a turn in full",
    }
)
@each_version
async def test_the_data_of_a_deliberate_error_may_be_no_json(version: Version) -> None:
    async with agent(version, raising(RequestError(-7, "no", object()))) as (script, session):
        await begin(version, script)
        assert not session.is_working
        script.write(ask(2, "_none"))
        await failing(version, script, 1, -7, "no")
        assert (await script.read())["id"] == 2


@logs(FAILED, FAILED)
@each_version
@pytest.mark.parametrize("error", [ValueError("hunter2"), ConnectionClosed("of another one")])
async def test_of_other_errors_only_that_there_was_one_is_said(
    version: Version, error: Exception
) -> None:
    async with agent(version, raising(error)) as (script, _):
        script.write(prompt(0), prompt(1))  # the second turn begins despite the error
        for id_ in range(2):
            await begun(version, script, id_)
            await failing(version, script, id_, INTERNAL_ERROR, "internal error")


@each_version
async def test_work_that_is_cancelled_by_nobody_has_failed(version: Version) -> None:
    async with agent(version, raising(asyncio.CancelledError())) as (script, session):
        await begin(version, script)
        words = "the work was cancelled, but not by the client"
        await failing(version, script, 1, INTERNAL_ERROR, words)
        assert not session.is_working


@logs(FAILED)
@each_version
async def test_a_turn_ends_with_the_call_that_failed(version: Version) -> None:
    async def turn(session: Any, params: Any) -> None:
        await session.client.session_request_permission(version.question())

    async with agent(version, turn) as (script, _):
        await begin(version, script)
        script.write(failure((await script.read())["id"], -7))
        words = "the call to 'session/request_permission' failed: no (-7)"
        await failing(version, script, 1, INTERNAL_ERROR, words)


@each_version
def test_an_agent_without_work_says_so(version: Version) -> None:
    work = version.agent.SessionAgent.turn(None, None, None)
    with pytest.raises(RequestError, match=r"^method not found: session/prompt \(-32601\)$"):
        asyncio.run(work)


@each_version
async def test_a_prompt_for_no_session_is_an_error(version: Version) -> None:
    async with agent(version, nothing) as (script, _):
        script.write(prompt(1, session="none"))
        about = {"sessionId": "none"}
        expected = failure(1, RESOURCE_NOT_FOUND, "session not found", data=about)
        assert await script.read() == expected


# --- held prompts ----------------------------------------------------------------------------


@each_version
@pytest.mark.parametrize("names", ["abc", "ac"])
async def test_prompts_during_a_turn_wait_unless_withdrawn(version: Version, names: str) -> None:
    gates: dict[str, asyncio.Event] = {}

    async def turn(session: Any, params: Any) -> None:
        words = params.prompt[0].text
        gate = gates[words] = asyncio.Event()
        await session.say(f"begin {words}")
        await gate.wait()
        await session.say(f"end {words}")

    async with agent(version, turn) as (script, session):
        script.write(*(prompt(name, name) for name in "abc"))
        for index, name in enumerate(names):
            await begun(version, script, name, name)
            assert await said(script) == f"begin {name}"
            await settle()
            assert "".join(gates) == names[: index + 1]
            assert session.is_working
            if index == 0 and names == "ac":
                script.write(withdrawal("b"))
                assert await script.read() == failure("b", REQUEST_CANCELLED, "request cancelled")
            gates[name].set()
            assert await said(script) == f"end {name}"
            await ended(version, script, name)
        await settle()
        assert not session.is_working
        users = [each.text for each in session.state.messages if each.role == "user"]
        assert users == list(names)


async def refused(version: Version, script: Script, id_: Any) -> None:
    expected = failure(id_, REQUEST_CANCELLED, "request cancelled")
    if version is V1:
        expected = result(id_, stopReason="cancelled")
    assert await script.read() == expected


@each_version
@pytest.mark.parametrize("is_closed", [True, False])
async def test_held_prompts_are_cancelled_with_the_turn(version: Version, is_closed: bool) -> None:
    work = Waiting()
    async with agent(version, work) as (script, session):
        script.write(*(prompt(name, name) for name in ("a", "b", "c")))
        await begun(version, script, "a", "a")
        await settle()
        script.write(ask(3, "session/close", sessionId=SESSION) if is_closed else CANCEL)
        await ended(version, script, "a", "cancelled")
        for name in ("b", "c"):
            await refused(version, script, name)
        assert work.begun == work.cancelled == ["a"]
        assert not session.is_working
        users = [each.text for each in session.state.messages if each.role == "user"]
        assert users == ["a"]
        if is_closed:
            assert await script.read() == result(3)
            return
        await begin(version, script, "d", "d")
        assert work.begun == ["a", "d"]
        await cancelled(version, script, "d")


@each_version
async def test_a_prompt_behind_the_cancelling_is_done(version: Version) -> None:
    work = Waiting()
    async with agent(version, work) as (script, _):
        script.write(prompt("a", "a"), CANCEL, prompt("b", "b"))
        await begun(version, script, "a", "a")
        await ended(version, script, "a", "cancelled")
        await begun(version, script, "b", "b")
        await settle()
        assert work.begun[-1] == "b"
        await cancelled(version, script, "b")
        await settle()
        assert work.begun == work.cancelled


@each_version
async def test_a_second_prompt_may_be_refused(version: Version) -> None:
    async with agent(version, Waiting()) as (script, session):
        session.agent.queue_prompts = False
        await begin(version, script)
        script.write(prompt(2))
        assert await script.read() == failure(2, -32600, "the session has a running turn")
        await cancelled(version, script)


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


async def say_late(session: Any, params: Any) -> None:
    await settle()
    await session.say("late")


@each_version
@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("how", ["cancel", "withdraw", "close", "disconnect"])
async def test_an_ended_turn_ends_whatever_comes_out(
    version: Version, how: str, outcome: str
) -> None:
    work = Waiting(OUTCOMES[outcome])
    async with agent(version, work) as (script, session):
        await begin(version, script)
        assert work.begun == ["Hi"]
        if how == "cancel":
            await cancelled(version, script)
        elif how == "withdraw" and version is V2:  # too late: the prompt was already accepted
            script.write(withdrawal(1))
            await settle()
            assert work.cancelled == []
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


@each_version
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
async def test_cancelling_concerns_one_session_and_what_is_there(version: Version) -> None:
    work = Waiting()
    async with agent(version, work) as (script, session):
        other = session.agent.open("other")
        await begin(version, script, 1, "one")
        script.write(prompt(2, "two", session="other"))
        await settle()
        assert work.begun == ["one", "two"]
        script.write(CANCEL)
        if version is V2:
            for _ in range(3):  # the other session's response and two updates
                assert (await script.read()).get("id", 2) == 2
        await ended(version, script, 1, "cancelled")
        assert work.cancelled == ["one"]
        assert other.is_working
        script.write(tell("session/cancel", sessionId="other"))
        await script.read()
        await settle()
        assert work.cancelled == ["one", "two"]
        script.write(CANCEL, tell("session/cancel", sessionId="none"))
        await begin(version, script, 3, "three")
        assert other.is_working != session.is_working
        await cancelled(version, script, 3)


@each_version
@pytest.mark.parametrize("is_late", [True, False])
async def test_what_the_work_had_asked_for_is_withdrawn(version: Version, is_late: bool) -> None:
    """After a client cancels a turn, it still responds to the pending requests."""

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
async def test_a_prompt_is_cancelled_while_an_override_awaits(version: Version) -> None:
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
@logs("the handler for 'session/prompt' failed")
async def test_a_prompt_that_an_override_answers_itself_leaves_no_turn(version: Version) -> None:
    async def refuse(params: Any) -> Any:
        raise ValueError("no")

    served = handler(version.agent.SessionAgent, session_prompt=refuse)()
    async with serving(version, served) as script:
        session = served.open(SESSION)
        script.write(prompt(1))
        assert (await script.read())["error"]["code"] == -32603
        assert not session.has_turns


async def test_v1_an_override_may_run_several_turns() -> None:
    class Twice(v1.SessionAgent):
        async def turn(self, session: Any, params: Any) -> None:
            await session.say("a")

        async def session_prompt(self, params: Any) -> Any:
            await super().session_prompt(params)
            return await super().session_prompt(params)

    served = Twice()
    async with serving(V1, served) as script:
        session = served.open(SESSION)
        script.write(prompt(1))
        assert [await said(script), await said(script)] == ["a", "a"]
        await ended(V1, script, 1)
        assert not session.has_turns


# --- the end of the connection ---------------------------------------------------------------


@each_version
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
async def test_closing_a_session_cancels_waits_and_then_answers(version: Version) -> None:
    async with agent(version, Waiting(say_late)) as (script, session):
        await begin(version, script)
        script.write(ask(2, "session/close", sessionId=SESSION))
        assert await said(script) == "late"
        await ended(version, script, 1, "cancelled")
        assert await script.read() == result(2)
        assert session.agent.sessions == {}
        script.write(ask(3, "session/close", sessionId=SESSION))  # a second close isn't an error
        assert await script.read() == result(3)
        script.write(prompt(4))
        message = await script.read()
        assert (message["id"], message["error"]["code"]) == (4, RESOURCE_NOT_FOUND)


# --- turns that are not coroutines -----------------------------------------------------------


@logs(*["the handler for 'session/prompt' failed"] * 2)
@each_version
async def test_a_turn_that_is_not_async_is_named(version: Version, caplog: Any) -> None:
    def turn(self: Any, session: Any, params: Any) -> None: ...

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine = type("Mine", (version.agent.SessionAgent,), {"turn": turn})
    async with serving(version, mine) as script:
        params: Json = {"cwd": "/"} if version is V2 else {"cwd": "/", "mcpServers": []}
        opened = (await answer_of(script, "new", **params))["sessionId"]
        for _ in range(2):  # the failed prompt does not block the next one
            script.write(prompt(1, session=opened))
            assert await script.read() == failure(1, INTERNAL_ERROR, "internal error")
    text = "Mine.turn is not async; write async def turn(self, session, params)"
    assert [str(record.exc_info[1]) for record in caplog.records] == [text] * 2


@each_version
@pytest.mark.parametrize("work", [None, "end_turn", object(), io.StringIO(), Promise()])
async def test_the_work_of_a_turn_must_be_a_coroutine(version: Version, work: Any) -> None:
    session = handler(version.agent.SessionAgent, turn=nothing)().open(SESSION)
    found = type(work).__name__
    with pytest.raises(TypeError, match=f"the work of a turn must be a coroutine, found {found}"):
        await session.run_turn([version.surface.TextContent(text="a")], work)
    assert not session.has_turns


# --- one agent in several event loops --------------------------------------------------------


@each_version
def test_prompts_wait_for_a_turn_in_a_second_event_loop(version: Version) -> None:
    """Each connection runs in its own event loop and sends several prompts at a time."""
    surface = version.surface

    async def turn(session: Any, params: Any) -> None:
        await settle(5)
        await session.say(params.prompt[0].text)

    async def main(*words: str) -> list[str]:
        async with connect_memory(served, surface.SessionClient) as peer:
            await peer.initialize()
            client: Any = peer.handler
            if not served.sessions:
                await surface.ClientSession.create(peer, cwd="/", mcp_servers=[])
            (session_id,) = served.sessions
            session = client.session(session_id)
            turns = [session.prompt(each) for each in words]
            async with turns[0], turns[1], turns[2]:
                for each in turns:
                    await each.wait()
        return [each.text for each in served.sessions[session_id].state.messages]

    served: Any = handler(version.agent.SessionAgent, turn=turn)()
    assert loop.run(main("a", "b", "c"))[-1].endswith("c")
    assert loop.run(main("d", "e", "f"))[-1].endswith("f")


@each_version
def test_prompts_wait_for_a_turn_in_a_second_event_loop_without_a_connection(
    version: Version,
) -> None:
    surface = version.surface
    done: list[str] = []

    async def turn(session: Any, params: Any) -> None:
        await settle(5)
        done.append(params.prompt[0].text)

    async def main(*words: str) -> None:
        prompts = [
            surface.PromptRequest(session_id=SESSION, prompt=[surface.TextContent(text=name)])
            for name in words
        ]
        await asyncio.gather(*map(served.session_prompt, prompts))
        while session.is_working:
            await settle()

    served: Any = handler(version.agent.SessionAgent, turn=turn)()
    session = served.open(SESSION)
    loop.run(main("a", "b"))
    loop.run(main("c", "d"))
    assert done == ["a", "b", "c", "d"]


@each_version
def test_a_turn_that_was_left_in_another_event_loop_is_over(version: Version) -> None:
    surface = version.surface

    async def turn(session: Any, params: Any) -> None:
        if params.prompt[0].text == "a":
            await asyncio.Event().wait()

    def params(words: str) -> Any:
        block = surface.TextContent(text=words)
        return surface.PromptRequest(session_id=SESSION, prompt=[block])

    served: Any = handler(version.agent.SessionAgent, turn=turn)()
    session = served.open(SESSION)
    left = asyncio.new_event_loop()
    prompting = left.create_task(served.session_prompt(params("a")))
    left.run_until_complete(settle())
    assert prompting.done() == (version is V2)
    assert session.is_working

    async def main() -> None:
        session.cancel()
        await served.session_prompt(params("b"))
        await settle()
        assert not session.is_working
        await session.end()

    loop.run(main())
    for each in asyncio.all_tasks(left):
        each.cancel()
    left.run_until_complete(settle())  # the remaining tasks finish without affecting the session
    left.close()


@each_version
def test_a_turn_that_was_left_in_a_closed_event_loop_is_not_reported(
    version: Version, caplog: pytest.LogCaptureFixture
) -> None:
    async def turn(session: Any, params: Any) -> None:
        await asyncio.Event().wait()

    def start() -> None:
        served: Any = handler(version.agent.SessionAgent, turn=turn)()
        served.open(SESSION)
        block = version.surface.TextContent(text="Hi")
        params = version.surface.PromptRequest(session_id=SESSION, prompt=[block])
        left = asyncio.new_event_loop()
        prompting = left.create_task(served.session_prompt(params))
        left.run_until_complete(settle())
        assert prompting.done() == (version is V2)
        left.close()

    start()
    gc.collect()
    assert {record.name for record in caplog.records} == {"asyncio"}  # tasks that are pending


@each_version
def test_an_update_after_the_event_loop_of_the_connection_fails(version: Version) -> None:
    async def connect() -> None:
        async with connect_memory(served, version.surface.SessionClient) as peer:
            await peer.initialize()

    async def update() -> None:
        with pytest.raises(ConnectionClosed, match="the connection's event loop is closed"):
            await session.say("late")

    served: Any = handler(version.agent.SessionAgent, turn=nothing)()
    session = served.open(SESSION)
    loop.run(connect())
    loop.run(update())
