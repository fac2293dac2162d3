"""Questions to the user: their answers, which are open, and cancelling, which takes them back."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings.runtime import INTERNAL_ERROR, REQUEST_CANCELLED, RequestError
from acp_bindings.runtime.session.changes import Change
from package.jsonrpc.wire import ask
from package.jsonrpc.wire import cancel as withdrawal
from package.session.client_turns import (
    ALLOWED,
    REFUSED,
    Asked,
    asked_about,
    cancel,
    entered,
    forever,
    prompted,
    selecting,
    texts,
    working,
)
from package.session.scripted import (
    CANCEL,
    SESSION,
    V1,
    V2,
    Json,
    Version,
    call,
    chunk,
    client,
    each_surface,
    each_v2,
    each_version,
    failure,
    logs,
    result,
    settle,
    state,
    update,
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


@each_version
async def test_a_user_who_answers_the_cancelling_with_an_error_is_not_heard(
    version: Version,
) -> None:
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


# --- what is logged --------------------------------------------------------------------------


@logs(
    "a request for permission is answered with the option 'maybe', which the agent did not "
    "offer; others are not logged"
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
        await cancel(script, turn)
        assert await script.read() == result("a", **REFUSED)
        assert await script.read() == result("b", **REFUSED)
        await settle()
        assert user.withdrawn == ["t", "u"]
        assert session.questions == {}
        assert turn.is_cancelled
        assert not turn.is_over
        await cancel(script, turn)  # once more, which does no harm
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
async def test_tool_calls_that_are_not_finished_count_as_cancelled_at_once(
    version: Version,
) -> None:
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
        # The list holds as long as no other one is given.
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
async def test_v2_only_permissions_for_the_background_stay_open(
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
    async with working(version, *said, user=wait) as (script, _, turn, id_):
        await settle()
        await cancel(script, turn)
        await settle()
        # Those that are asked behind the cancelling are treated in the same way.
        for name in ("a", "b"):
            if name == "b":
                script.write({**question, "id": name})
            if not is_refused:
                await settle()
                script.write(withdrawal(name))
            assert await script.read() == result(name, **REFUSED)
        assert len(asked) == (1 if is_refused else 2)
        script.write(*version.stopped(id_, "cancelled"))


@each_version
async def test_a_permission_asked_for_behind_the_cancelling_is_refused_at_once(
    version: Version,
) -> None:
    user = Asked()
    async with client(version, user=user) as (script, session):
        async with prompted(version, script, session) as (turn, id_):
            await cancel(script, turn)
            script.write(version.permission("a"))
            assert await script.read() == result("a", **REFUSED)
            script.write(*version.stopped(id_, "cancelled"))
        assert user.asked == []
        # When the turn is over, the user is asked again.
        script.write(version.permission("b"))
        await settle()
        assert user.asked == ["t"]
        script.write(withdrawal("b"))
        assert await script.read() == result("b", **REFUSED)


@each_version
async def test_a_permission_for_a_turn_that_is_not_cancelled_is_asked_for(
    version: Version,
) -> None:
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
async def test_cancelling_before_the_turn_or_behind_its_end_sends_nothing(
    version: Version,
) -> None:
    async with client(version) as (script, session):
        await session.prompt("Hi").cancel()  # everything that is written must be read
        async with prompted(version, script, session, call("t", status="pending")) as (turn, id_):
            script.write(*version.stopped(id_))
        await turn.cancel()
        assert not turn.is_cancelled
        assert session.state.tool_calls["t"].status == "pending"
