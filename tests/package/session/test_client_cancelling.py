"""Tests of permission requests to a client: responses, pending requests, and cancellation."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from acp_bindings.runtime import (
    INTERNAL_ERROR,
    REQUEST_CANCELLED,
    ConnectionClosed,
    EncodeError,
    RequestError,
)
from acp_bindings.runtime.aio import Peer, connect, connect_stdio, memory_streams
from acp_bindings.runtime.session import Change

from tests.package.aio.processes import NEVER, program, running
from tests.package.jsonrpc.wire import ask
from tests.package.jsonrpc.wire import cancel as withdrawal
from tests.package.session.scripted import (
    ALLOWED,
    BLOCKS,
    CANCEL,
    REFUSED,
    SESSION,
    V1,
    V2,
    Asked,
    Json,
    Script,
    Version,
    asked_about,
    call,
    cancel,
    chunk,
    client,
    close,
    coming_back,
    each_surface,
    each_v2,
    each_version,
    entered,
    failure,
    forever,
    handler,
    initialize,
    logs,
    prompted,
    result,
    selecting,
    settle,
    state,
    texts,
    update,
    used,
    working,
)

FORM = {"mode": "form", "message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}


@each_surface
async def test_a_question_is_open_until_its_answer_is_sent(version: Version) -> None:
    changes: list[Change] = []
    asked: list[Any] = []

    async def allow(params: Any) -> Any:
        asked.append(params)
        assert params in session.questions.values()
        assert asked_about(params) in session.state.tool_calls  # at receipt
        await settle()
        assert params in session.questions.values()
        return await selecting(version)(params)

    async with client(version, user=allow) as (script, session):
        session.state.subscribe(changes.append)
        async with prompted(version, script, session, version.permission("a")) as (_, id_):
            script.write(version.permission("b", "u"))
            assert await script.read() == result("a", **ALLOWED)
            assert await script.read() == result("b", **ALLOWED)
            script.write(*version.stopped(id_))
        assert session.questions == {}
    assert asked == [version.question("t"), version.question("u")]
    told = [(each.kind, each.key, each.entry) for each in changes if each.where == "questions"]
    assert told == [
        *(("added", number, each) for number, each in enumerate(asked, 1)),
        *(("removed", number, each) for number, each in enumerate(asked, 1)),
    ]


@logs(
    "TestHandler rejects every permission request; define session_request_permission to ask the"
    " user"
)
@each_version
async def test_default_answers_are_not_announced(version: Version) -> None:
    changes: list[Change] = []
    async with client(version) as (script, session):
        session.state.subscribe(changes.append)
        script.write(version.permission("a"))
        assert await script.read() == result("a", **REFUSED)
    assert [each.where for each in changes] == ["tool_calls"]


@each_surface
@pytest.mark.parametrize("way", ["failure", "awaited"])
async def test_permissions_answered_without_waiting_are_not_announced(
    version: Version, way: str
) -> None:
    changes: list[Change] = []

    async def answer(params: Any) -> Any:
        if way == "failure":
            raise RequestError(-7, "no")
        return await selecting(version)(params)

    async with client(version, user=answer) as (script, session):
        session.state.subscribe(changes.append)
        for id_ in "ab":
            script.write(version.permission(id_))
            answered = failure(id_, -7) if way == "failure" else result(id_, **ALLOWED)
            assert await script.read() == answered
    assert {each.where for each in changes} == {"tool_calls"}


@each_version
async def test_permissions_are_announced_if_their_answer_waits(
    version: Version,
) -> None:
    changes: list[Change] = []

    async def answer(params: Any) -> Any:
        if asked_about(params) != "t":
            await settle()
        return await selecting(version)(params)

    async with client(version, user=answer) as (script, session):
        session.state.subscribe(changes.append)
        script.write(version.permission("a", "t"), version.permission("b", "u"))
        assert await script.read() == result("a", **ALLOWED)
        assert await script.read() == result("b", **ALLOWED)
    announced = [(each.kind, each.entry) for each in changes if each.where == "questions"]
    assert announced == [("added", version.question("u")), ("removed", version.question("u"))]


@each_version
async def test_elicitations_answered_without_waiting_are_not_announced(version: Version) -> None:
    changes: list[Change] = []

    async def elicit(params: Any) -> Any:
        return version.surface.DeclineCreateElicitationResponse()

    async with client(version, elicitation_create=elicit) as (script, session):
        session.state.subscribe(changes.append)
        script.write(ask("a", "elicitation/create", **FORM, sessionId=SESSION))
        assert await script.read() == result("a", action="decline")
    assert changes == []


@each_version
async def test_permissions_cancelled_before_their_handler_waits_are_not_announced(
    version: Version,
) -> None:
    changes: list[Change] = []

    async def cancel_first(params: Any) -> Any:
        session.send_cancel()
        return await forever()

    async with client(version, user=cancel_first) as (script, session):
        session.state.subscribe(changes.append)
        async with prompted(version, script, session) as (_, id_):
            script.write(version.permission("a"))
            assert await script.read() == CANCEL
            assert await script.read() == result("a", **REFUSED)
            script.write(*version.stopped(id_, "cancelled"))
    assert "questions" not in {each.where for each in changes}


@each_version
async def test_an_answer_in_the_step_in_which_its_request_is_cancelled_is_too_late(
    version: Version,
) -> None:
    async def cancel_first(params: Any) -> Any:
        await settle()
        session.send_cancel()
        return await selecting(version)(params)

    async with (
        client(version, user=cancel_first) as (script, session),
        prompted(version, script, session) as (_, id_),
    ):
        script.write(version.permission("a"))
        assert await script.read() == CANCEL
        assert await script.read() == result("a", **REFUSED)
        script.write(*version.stopped(id_, "cancelled"))


@each_version
async def test_a_user_who_fails_is_an_error(version: Version) -> None:
    async def fail(params: Any) -> Any:
        raise RequestError(-7, "no", [1])

    async with client(version, user=fail) as (script, _):
        script.write(version.permission("a"))
        assert await script.read() == failure("a", -7, data=[1])


@each_version
async def test_a_user_who_answers_cancelling_by_an_error_is_unheard(version: Version) -> None:
    async def fail(params: Any) -> Any:
        try:
            await forever()
        finally:
            raise ValueError("too late")

    async with client(version, user=fail) as (script, session):
        script.write(version.permission("a"))
        await settle()
        await cancel(script, session)
        assert await script.read() == result("a", **REFUSED)


@each_surface
async def test_an_elicitation_that_names_the_session_is_a_question(version: Version) -> None:
    open_: list[list[str]] = []

    async def elicit(params: Any) -> Any:
        await settle()
        open_.append([each.message for each in session.questions.values()])
        return version.surface.DeclineCreateElicitationResponse()

    async with client(version, elicitation_create=elicit) as (script, session):
        for of in ({"sessionId": SESSION}, {"requestId": 1}):
            script.write(ask("a", "elicitation/create", **FORM, **of))
            assert await script.read() == result("a", action="decline")
        assert open_ == [["Who?"], []]
        assert session.questions == {}


@each_surface
async def test_a_handler_finds_the_number_of_its_question(version: Version) -> None:
    found: list[tuple[int, list[int]]] = []
    asked: list[Any] = []

    async def allow(params: Any) -> Any:
        asked.append(params)
        found.append((session.question_number(params), list(session.questions)))
        await settle()  # now both requests are pending
        return await selecting(version)(params)

    async with client(version, user=allow) as (script, session):
        script.write(version.permission("a"), version.permission("b"))  # equal params
        await script.read()
        await script.read()
    assert [number for number, _ in found] == [1, 2]
    assert all(number in numbers for number, numbers in found)
    problem = (
        "the request is not pending in this session; pass the params that its handler received"
    )
    with pytest.raises(ValueError, match=f"^{problem}$"):
        session.question_number(asked[0])


@each_version
async def test_a_question_adds_to_what_is_known_of_its_tool_call(version: Version) -> None:
    async with client(version, user=selecting(version)) as (script, session):
        request = version.permission("a")
        params = request["params"]
        about = params["toolCall"] if version is V1 else params["subject"]["toolCall"]
        about["title"] = "Delete"
        script.write(call("t", title="Known", status="in_progress"), request)
        await script.read()
        known = session.state.tool_calls["t"]
        assert (known.title, known.status) == ("Delete", "in_progress")


async def test_a_question_about_something_else_adds_no_tool_call() -> None:
    async with client(V2, user=selecting(V2)) as (script, session):
        request = V2.permission("a")
        del request["params"]["subject"]
        script.write(request)
        await script.read()
        assert session.state == V2.client.SessionState()


# --- log entries -----------------------------------------------------------------------------


@logs(
    "the response to a permission request selects the option 'maybe', which the agent did not "
    "offer; further occurrences are not logged"
)
@each_version
async def test_an_option_that_was_not_offered_is_logged_once(version: Version) -> None:
    user = selecting(version, "maybe")
    async with client(version, user=user) as (script, _):
        for id_ in ("a", "b"):
            script.write(version.permission(id_))
            outcome = {"outcome": "selected", "optionId": "maybe"}
            assert await script.read() == result(id_, outcome=outcome)


# --- cancelling ------------------------------------------------------------------------------


@each_version
async def test_cancelling_says_so_first_and_then_answers_what_was_asked(version: Version) -> None:
    user = Asked()
    asked = version.permission("a", "t"), version.permission("b", "u")
    async with working(version, *asked, user=user) as (script, session, turn, id_):
        await settle()
        assert user.asked == ["t", "u"]
        assert len(session.questions) == 2
        session.send_cancel()
        await cancel(script, turn)
        assert await script.read() == CANCEL
        assert await script.read() == result("a", **REFUSED)
        assert await script.read() == result("b", **REFUSED)
        await settle()
        assert user.withdrawn == ["t", "u"]
        assert session.questions == {}
        assert turn.is_cancelled
        assert not turn.is_over
        await cancel(script, turn)  # cancelling twice is harmless
        script.write(*version.stopped(id_, "cancelled"))
    assert turn.stop_reason == turn.known_stop_reason == "cancelled"


@each_version
async def test_the_session_can_be_cancelled_itself(version: Version) -> None:
    async with client(version) as (script, session):
        await cancel(script, session)
        async with prompted(version, script, session) as (turn, id_):
            assert not turn.is_cancelled
            await cancel(script, session)
            assert turn.is_cancelled
            script.write(*version.stopped(id_, "cancelled"))


@each_version
async def test_unfinished_tool_calls_count_as_cancelled_at_once(version: Version) -> None:
    cancelled = ["pending", "in_progress", "dreaming", "_paused", "absent"]
    expected = {
        **dict.fromkeys(cancelled, "cancelled"),
        "completed": "completed",
        "failed": "failed",
    }
    if version is V2:
        expected |= {"paused": "cancelled", "cancelled": "cancelled"}
    calls = [call(each, status=each) for each in expected if each != "absent"]
    async with working(version, call("absent"), *calls) as (script, session, _, id_):
        await settle()
        await session.cancel()
        found = session.state.tool_calls
        assert {name: each.status for name, each in found.items()} == expected
        assert await script.read() == CANCEL
        script.write(*version.stopped(id_, "cancelled"))


@each_version
async def test_cancelling_changes_the_state_and_not_the_updates(version: Version) -> None:
    kind = "tool_call" if version is V1 else "tool_call_update"
    begin = update(sessionUpdate=kind, toolCallId="t", title="T", status="in_progress")
    async with working(version, begin) as (script, session, turn, id_):
        await settle()
        await cancel(script, turn)
        assert session.state.tool_calls["t"].status == "cancelled"
        script.write(call("t", status="completed"), chunk("late"))
        script.write(*version.stopped(id_, "cancelled"))
        found = [each async for each in turn if hasattr(each, "tool_call_id")]
        assert [each.status for each in found] == ["in_progress", "completed"]
        assert session.state.tool_calls["t"].status == "completed"
        assert texts(session) == ["late"]


@each_v2
async def test_v2_what_goes_on_in_the_background_is_left_alone(version: Version) -> None:
    listed = [{"type": "tool_call", "toolCallId": "kept"}, {"type": "terminal", "terminalId": "x"}]
    async with working(version) as (script, session, turn, id_):
        # A list of background work stays valid until the agent sends another list.
        script.write(state("running", background=listed), state("requires_action"))
        script.write(call("kept", status="in_progress"), call("t", status="in_progress"))
        await settle()
        await cancel(script, turn)
        calls = session.state.tool_calls
        assert (calls["kept"].status, calls["t"].status) == ("in_progress", "cancelled")
        script.write(state("running", background=[]))
        await settle()
        await cancel(script, turn)
        assert calls["kept"].status == "cancelled"
        script.write(*version.stopped(id_, "cancelled"))


COMMAND = {"type": "command", "command": "ls", "cwd": "/"}
SUBJECTS: list[tuple[Json, bool]] = [
    (None, True),
    (COMMAND, True),
    ({**COMMAND, "toolCallId": "t"}, True),
    ({**COMMAND, "toolCallId": "kept"}, False),
    ({"type": "tool_call", "toolCall": {"toolCallId": "t"}}, True),
    ({"type": "tool_call", "toolCall": {"toolCallId": "kept"}}, False),
]


@each_v2
@pytest.mark.parametrize(("subject", "is_refused"), SUBJECTS)
async def test_v2_background_permissions_stay_open(
    version: Version, subject: Json, is_refused: bool
) -> None:
    asked: list[str] = []

    async def wait(params: Any) -> None:
        asked.append("asked")
        await forever()

    question = version.permission("a")
    del question["params"]["subject"]
    if subject is not None:
        question["params"]["subject"] = subject
    listed = [{"type": "tool_call", "toolCallId": "kept"}]
    said = state("running", background=listed), question
    async with working(version, *said, user=wait) as (script, session, turn, id_):
        await settle()
        await cancel(script, turn)
        await settle()
        # Requests that arrive after the cancellation also get the outcome `cancelled`.
        for name in ("a", "b"):
            if name == "b":
                script.write({**question, "id": name})
            if not is_refused:
                await settle()
                assert len(session.questions) == 1
                script.write(withdrawal(name))
            assert await script.read() == result(name, **REFUSED)
        assert len(asked) == (1 if is_refused else 2)
        script.write(*version.stopped(id_, "cancelled"))


@each_v2
async def test_v2_background_permissions_are_withdrawn_when_the_session_is_closed(
    version: Version,
) -> None:
    user = Asked()
    listed = [{"type": "tool_call", "toolCallId": "t"}]
    async with client(version, user=user) as (script, session):
        script.write(state("running", background=listed), version.permission("a"))
        await settle()
        await close(script, session)
        assert await script.read() == result("a", **REFUSED)
        assert session.questions == {}


@each_version
async def test_a_permission_asked_for_behind_the_cancelling_is_refused(version: Version) -> None:
    user = Asked()
    async with client(version, user=user) as (script, session):
        async with prompted(version, script, session) as (turn, id_):
            await cancel(script, turn)
            script.write(version.permission("a"))
            assert await script.read() == result("a", **REFUSED)
            script.write(*version.stopped(id_, "cancelled"))
        assert user.asked == []
        # After the end of the turn, the user handles requests again.
        script.write(version.permission("b"))
        await settle()
        assert user.asked == ["t"]
        script.write(withdrawal("b"))
        assert await script.read() == result("b", **REFUSED)


# The ways to end a turn on the client's side before the agent ends it.
ABANDONED = ["abandon", "timeout", "error"]


async def end_here(script: Script, turn: Any, how: str) -> None:
    """End a turn on the client's side and read the cancel notification."""
    if how == "error":
        await turn.__aexit__(KeyError, KeyError("mine"), None)
        assert await script.read() == CANCEL
        return
    if how == "timeout":
        with pytest.raises(TimeoutError):
            await turn.wait(timeout=0)
    turn.abandon()
    assert await script.read() == CANCEL


@each_surface
@pytest.mark.parametrize("how", ABANDONED)
async def test_permissions_of_an_abandoned_turn_are_refused(version: Version, how: str) -> None:
    user = Asked()
    async with client(version, user=user) as (script, session):
        turn, id_ = await entered(script, session)
        script.write(*version.accepted(id_))
        await settle()
        await end_here(script, turn, how)
        if how != "error" and version.number == 1:
            assert await script.read() == withdrawal(id_)
        for number in "ab":
            script.write(chunk("still at work"), version.permission(number))
            assert await script.read() == result(number, **REFUSED)
        assert user.asked == []
        # The agent ended the turn, so later requests are not part of it.
        script.write(*version.stopped(id_, "cancelled"), version.permission("c"))
        await settle()
        assert user.asked == ["t"]
        assert session.abandoned == []
        script.write(withdrawal("c"))
        assert await script.read() == result("c", **REFUSED)


@each_version
@pytest.mark.parametrize("outcome", ["accepted", "refused"])
async def test_a_turn_abandoned_before_the_response_is_ended_by_the_agent(
    version: Version, outcome: str
) -> None:
    user = Asked()
    async with client(version, user=user) as (script, session):
        turn, id_ = await entered(script, session)
        turn.abandon()
        assert [await script.read() for _ in range(2)] == [CANCEL, withdrawal(id_)]
        script.write(version.permission("a"))
        assert await script.read() == result("a", **REFUSED)
        ends = [*version.accepted(id_), *version.stopped(id_, "cancelled")]
        script.write(*(ends if outcome == "accepted" else [failure(id_, REQUEST_CANCELLED)]))
        await settle()
        assert session.abandoned == []
        assert (turn.stop_reason, turn.ending) == (None, None)


@each_version
async def test_a_turn_is_sent_in_the_step_that_enters_it(version: Version) -> None:
    async with client(version) as (script, session):
        turn = session.prompt("Hi")
        entering = asyncio.create_task(turn.__aenter__())
        await asyncio.sleep(0)
        assert entering.done()  # no other task ran before the prompt was sent
        turn.abandon()
        id_ = await script.prompt()
        assert [await script.read() for _ in range(2)] == [CANCEL, withdrawal(id_)]
        assert (session.turns, session.abandoned) == ([], [turn])


class Deaf:
    """A stream to an agent that still writes but might no longer read."""

    def __init__(self, stream: Any) -> None:
        self.reads = True
        self._stream = stream
        self.read, self.write, self.close = stream.read, stream.write, stream.close

    async def drain(self) -> None:
        if not self.reads:
            raise BrokenPipeError


@each_version
async def test_a_turn_fails_if_the_agent_no_longer_reads(version: Version) -> None:
    near, far = memory_streams()
    script, stream = Script(far), Deaf(near)
    async with connect(stream, version.client.SessionClient) as peer:
        await initialize(version, script, peer)
        session = version.client.SessionClient.of(peer).session(SESSION)
        stream.reads = False
        with pytest.raises(ConnectionClosed, match="no longer reads"):
            async with session.prompt("Hi") as turn:
                pass
        assert turn.is_over
        assert session.turns == []
        await script.prompt()


@each_version
async def test_a_turn_that_cannot_be_sent_leaves_nothing(version: Version) -> None:
    async with client(version) as (_, session):  # the script receives nothing
        turn = session.prompt(version.surface.TextContent(text=5))
        with pytest.raises(EncodeError):
            await turn.__aenter__()
        turn.abandon()
        assert (session.turns, session.abandoned, session.state.messages) == ([], [], [])


@each_v2
async def test_v2_background_permissions_of_an_abandoned_turn_are_asked_for(
    version: Version,
) -> None:
    user = Asked()
    listed = [{"type": "tool_call", "toolCallId": "t"}]
    async with client(version, user=user) as (script, session):
        turn, id_ = await entered(script, session)
        script.write(*version.accepted(id_), state("running", background=listed))
        await settle()
        turn.abandon()
        assert await script.read() == CANCEL
        script.write(version.permission("a", "t"), version.permission("b", "u"))
        assert await script.read() == result("b", **REFUSED)
        assert user.asked == ["t"]
        script.write(withdrawal("a"))
        assert await script.read() == result("a", **REFUSED)
        script.write(*version.stopped(id_, "cancelled"))


@each_version
async def test_a_permission_after_an_abandoned_turn_may_be_of_the_next(version: Version) -> None:
    user = Asked()
    async with client(version, user=user) as (script, session):
        first, one = await entered(script, session)
        script.write(*version.accepted(one))
        await settle()
        await end_here(script, first, "abandon")
        if version is V1:
            assert await script.read() == withdrawal(one)
        async with session.prompt("two") as second:
            two = await script.prompt("two")
            script.write(version.permission("a"))
            await settle()
            assert user.asked == ["t"]
            await cancel(script, second)
            assert await script.read() == result("a", **REFUSED)
            script.write(version.permission("b"))
            assert await script.read() == result("b", **REFUSED)
            script.write(*version.stopped(one, "cancelled"))
            script.write(*version.accepted(two), *version.stopped(two, "cancelled"))
        assert (first.stop_reason, second.stop_reason) == (None, "cancelled")
        assert session.abandoned == []


@each_version
@pytest.mark.parametrize("has_turn", [True, False])
async def test_permissions_of_a_session_closed_in_a_turn_are_refused(
    version: Version, has_turn: bool
) -> None:
    user = Asked()
    async with client(version, user=user) as (script, session):
        if has_turn:
            turn, id_ = await entered(script, session)
            script.write(*version.accepted(id_))
            await settle()
        await close(script, session)
        script.write(version.permission("a"))
        await settle()
        assert user.asked == ([] if has_turn else ["t"])
        if has_turn:
            assert await script.read() == result("a", **REFUSED)
            script.write(*version.stopped(id_, "cancelled"))
            await settle()
            assert turn.is_over
        else:
            script.write(withdrawal("a"))
            assert await script.read() == result("a", **REFUSED)


@each_version
async def test_permissions_of_a_session_closed_again_without_a_turn_are_asked_for(
    version: Version,
) -> None:
    user = Asked()
    async with client(version, user=user) as (script, session):
        _, id_ = await entered(script, session)
        script.write(*version.accepted(id_))
        await settle()
        await close(script, session)
        script.write(*version.stopped(id_, "cancelled"))
        coming, id_ = await coming_back(script, version, "resume", session)
        script.write(result(id_))
        await close(script, await coming)
        script.write(version.permission("a"))
        await settle()
        assert user.asked == ["t"]
        script.write(withdrawal("a"))
        assert await script.read() == result("a", **REFUSED)


@each_version
async def test_a_permission_for_another_turn_is_asked_for(version: Version) -> None:
    user = Asked()
    async with client(version, user=user) as (script, session):
        async with session.prompt("one") as one:
            first = await script.prompt("one")
            script.write(*version.accepted(first))
            await settle()
            await cancel(script, one)
            async with session.prompt("two") as two:
                second = await script.prompt("two")
                script.write(version.permission("a"))
                await settle()
                assert user.asked == ["t"]
                script.write(withdrawal("a"))
                assert await script.read() == result("a", **REFUSED)
                script.write(*version.stopped(first, "cancelled"))
                await settle()
                script.write(*version.accepted(second), *version.stopped(second))
        assert (one.stop_reason, two.stop_reason) == ("cancelled", "end_turn")
        assert (one.is_cancelled, two.is_cancelled) == (True, False)


@each_version
@pytest.mark.parametrize(
    ("code", "is_cancelled", "is_raised"),
    [
        (REQUEST_CANCELLED, True, False),
        (REQUEST_CANCELLED, False, True),
        (INTERNAL_ERROR, True, True),
    ],
)
async def test_only_the_error_of_cancelling_is_the_end_of_a_cancelled_turn(
    version: Version, code: int, is_cancelled: bool, is_raised: bool
) -> None:
    async with client(version) as (script, session):
        turn, id_ = await entered(script, session)
        if is_cancelled:
            await cancel(script, turn)
        script.write(failure(id_, code))
        if is_raised:
            with pytest.raises(RequestError) as caught:
                await turn.__aexit__(None, None, None)
            assert caught.value.code == code
        else:
            await turn.__aexit__(None, None, None)
            assert turn.stop_reason == "cancelled"
            assert turn.ending is None
        assert session.turns == []


@each_version
async def test_cancelling_outside_of_the_turn_sends_nothing(version: Version) -> None:
    async with client(version) as (script, session):
        await session.prompt("Hi").cancel()  # if this sent a message, the test would fail
        async with prompted(version, script, session, call("t", status="pending")) as (turn, id_):
            script.write(*version.stopped(id_))
        await turn.cancel()
        assert not turn.is_cancelled
        assert session.state.tool_calls["t"].status == "pending"


# --- turns that a client leaves or stops: cancelled tasks, exceptions, an agent that does not read

MUCH = "x" * 100_000  # more than the buffers can hold while the peer is not reading
Wait = Callable[[Any], Coroutine[Any, Any, None]]


async def leave(turn: Any) -> None:
    """Do nothing: when the `async with` block exits, it waits for the end of the turn."""


async def iterate(turn: Any) -> None:
    async for _ in turn:
        pass


async def linger(turn: Any) -> None:
    await forever()


async def fail(turn: Any) -> None:
    raise KeyError("mine")


each_wait = pytest.mark.parametrize("wait", [leave, iterate, linger])


async def use(session: Any, turns: list[Any], wait: Wait, words: str = "Hi") -> None:
    async with session.prompt(words) as turn:
        turns.append(turn)
        await wait(turn)


async def end_left_turn(version: Version, script: Script, session: Any, words: str = "Hi") -> None:
    id_ = await script.prompt(words)
    assert await script.read() == CANCEL
    script.write(*version.accepted(id_), *version.stopped(id_, "cancelled"))
    await settle()
    assert session.turns == []


@each_surface
@each_wait
@pytest.mark.parametrize("how_far", ["not read", "read", "accepted"])
async def test_a_task_that_is_cancelled_where_it_waits_cancels_the_turn_and_ends_at_once(
    version: Version, wait: Wait, how_far: str
) -> None:
    words = MUCH if how_far == "not read" else "Hi"
    async with client(version) as (script, session):
        turns: list[Any] = []
        task = asyncio.create_task(use(session, turns, wait, words))
        id_: Any = None
        if how_far != "not read":
            id_ = await script.prompt()
        if how_far == "accepted":
            script.write(*version.accepted(id_))
        await settle()
        assert not task.done()
        task.cancel()
        await settle()
        assert task.cancelled()
        assert turns == session.turns
        assert turns[0].is_cancelled
        assert not turns[0].is_over
        if how_far == "not read":
            id_ = await script.prompt(words)
        assert await script.read() == CANCEL
        if how_far != "accepted":
            script.write(*version.accepted(id_))
        script.write(*version.stopped(id_, "cancelled"))
        await settle()
        assert session.turns == []
        assert turns[0].stop_reason == "cancelled"


@each_version
@pytest.mark.parametrize(("wait", "error"), [(fail, KeyError), (leave, asyncio.TimeoutError)])
async def test_an_exception_does_not_wait_for_an_agent_that_does_not_read(
    version: Version, wait: Wait, error: type[Exception]
) -> None:
    async with client(version) as (script, session):
        turns: list[Any] = []
        with pytest.raises(error):
            await asyncio.wait_for(use(session, turns, wait, MUCH), 0.01)
        assert turns[0].is_cancelled
        await end_left_turn(version, script, session, MUCH)


@each_version
async def test_cancelling_by_hand_waits_for_room_and_says_so_once(version: Version) -> None:
    async with client(version) as (script, session):
        async with session.prompt(MUCH) as turn:
            cancelling = asyncio.create_task(turn.cancel())
            await settle()
            assert turn.is_cancelled
            assert not cancelling.done()
            await end_left_turn(version, script, session, MUCH)
            await cancelling
        assert turn.stop_reason == "cancelled"


@each_surface
@pytest.mark.parametrize("is_before", [True, False])
async def test_a_task_cancelled_on_entry_cancels_the_turn(
    version: Version, is_before: bool
) -> None:
    async with client(version) as (script, session):
        turn = session.prompt("Hi")

        async def enter() -> None:
            if is_before:
                task.cancel()
            async with turn:
                await asyncio.sleep(0)  # the first wait since the prompt was sent
                raise AssertionError("it was cancelled")

        task = asyncio.create_task(enter())
        await asyncio.sleep(0)
        assert session.turns == [turn]
        if not is_before:
            task.cancel()
        await settle()
        assert task.cancelled()
        assert turn.is_cancelled
        await end_left_turn(version, script, session)


@each_version
@each_wait
async def test_a_task_cancelled_behind_the_connection_ends(version: Version, wait: Wait) -> None:
    async with client(version) as (script, session):
        task = asyncio.create_task(use(session, [], wait))
        await script.prompt()
        await settle()
        await script.close()
        task.cancel()
        await settle()
        assert task.cancelled()
        assert session.turns == []


# --- the end of the connection ---------------------------------------------------------------


@each_surface
@pytest.mark.parametrize("has_sessions", [True, False])
@pytest.mark.parametrize("way", ["leave", "cancel", "withdraw"])
async def test_the_cleanup_of_a_question_is_awaited(
    version: Version, has_sessions: bool, way: str
) -> None:
    log: list[str] = []

    async def permission(params: Any) -> None:
        log.append("asked")
        try:
            await forever()
        finally:
            await settle(20)
            log.append("cleaned up")

    async def ask() -> None:
        async with connect(near, handler(base, session_request_permission=permission)):
            script.write(version.permission("a"))
            await settle()
            if way == "cancel":
                await forever()
            if way == "withdraw":
                script.write(withdrawal("a"))
                await settle(200)
        log.append("left")

    base = version.client.SessionClient if has_sessions else version.surface.ClientHandler
    near, far = memory_streams()
    script = Script(far)
    using = asyncio.create_task(ask())
    await settle()
    if way == "cancel":
        using.cancel()
    await asyncio.wait([using])
    assert using.cancelled() == (way == "cancel")
    assert log == ["asked", "cleaned up"] + ["left"] * (way != "cancel")
    (answer,) = await script.rest()
    if has_sessions:
        assert answer == result("a", **REFUSED)
    else:
        assert (answer["id"], answer["error"]["code"]) == ("a", -32800)


# --- stopping the agent ----------------------------------------------------------------------


@each_surface
async def test_an_agent_that_stops_is_left_alone(version: Version) -> None:
    async with working(version) as (script, session, turn, id_):
        await settle()
        stopping = asyncio.create_task(turn.stop(NEVER))
        assert await script.read() == CANCEL
        script.write(*version.stopped(id_, "cancelled"))
        await stopping
        assert turn.stop_reason == "cancelled"
        await turn.stop()  # stopping twice has no effect
        assert session.peer.how_ended == ""


@each_version
async def test_the_error_of_the_turn_is_not_raised(version: Version) -> None:
    async with client(version) as (script, session):
        turn, id_ = await entered(script, session)
        stopping = asyncio.create_task(turn.stop(NEVER))
        assert await script.read() == CANCEL
        script.write(failure(id_, -32603))
        await stopping
        assert turn.is_over


@each_version
async def test_an_agent_that_has_stopped_is_not_ended_for_a_slow_handler(version: Version) -> None:
    go_on = asyncio.Event()

    async def slow(params: Any) -> None:
        await go_on.wait()

    async with client(version, session_update=slow) as (script, session):
        async with prompted(version, script, session, used(1)) as (turn, id_):
            script.write(*version.stopped(id_))
            await settle()
            assert turn.is_over
            await turn.stop(0.001)
            go_on.set()
        assert turn.stop_reason == "end_turn"


@each_version
@pytest.mark.parametrize("words", ["Hi", MUCH], ids=["read", "unread"])
async def test_an_agent_that_goes_on_loses_the_connection(version: Version, words: str) -> None:
    async with client(version) as (script, session):
        async with session.prompt(words) as turn:
            if words != MUCH:
                await script.prompt(words)
            await turn.stop(0.001)
            assert turn.is_over
            assert turn.is_cancelled
            with pytest.raises(ConnectionClosed):
                await session.prompt("Hi").__aenter__()
        await script.rest()
        script._data = b""


async def initialized(version: Version, peer: Peer) -> Any:
    params = {"protocolVersion": version.number, "info": {"name": "c", "version": "1"}}
    await peer.initialize(version.surface.decode(version.surface.InitializeRequest, params))
    return version.client.SessionClient.of(peer).session(SESSION)


# A program that responds to `initialize` and to no other request.
DEAF = """
deafen()
answer(json.loads(sys.argv[1]))
with open(sys.argv[2], "w") as file:
    json.dump(pids(deaf=True), file)
for line in sys.stdin:
    pass
time.sleep(3600)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
@each_version
async def test_the_processes_of_an_agent_that_goes_on_end(version: Version, tmp_path: Any) -> None:
    answer = version.initialized(0, BLOCKS)["result"]
    path = tmp_path / "pids"
    command = [*program(DEAF), json.dumps(answer), str(path)]
    async with connect_stdio(command, version.client.SessionClient, grace=0.05) as peer:
        session = await initialized(version, peer)
        async with session.prompt("Hi") as turn:
            while not path.exists() or not path.read_text().endswith("]"):
                await asyncio.sleep(0.005)
            await turn.stop(0.01)
            pids = json.loads(path.read_text())
            assert len(pids) == 3
            assert not running(pids)
        assert peer.exit is not None
        assert peer.exit.signal == "SIGKILL"


@each_version
async def test_a_handler_may_stop_its_turn(version: Version) -> None:
    sessions: list[Any] = []
    stopped: list[str | None] = []

    async def stop(params: Any) -> None:
        for turn in list(sessions[0].turns):
            await turn.stop(NEVER)
            stopped.append(turn.stop_reason)

    async with client(version, session_update=stop) as (script, session):
        sessions.append(session)
        async with session.prompt("Hi"):
            id_ = await script.prompt()
            script.write(*(version.accepted(id_) or [used(1)]))
            assert await script.read() == CANCEL
            script.write(*version.stopped(id_, "cancelled"))
    assert stopped == ["cancelled"]
