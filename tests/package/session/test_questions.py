"""Questions to the user: which are open, what they say of tool calls, and their answers."""

from __future__ import annotations

from typing import Any

from acp_bindings.runtime import RequestError
from acp_bindings.runtime.session.changes import Change
from package.jsonrpc.wire import ask
from package.session.client_turns import ALLOWED, REFUSED, cancel, forever, prompted, selecting
from package.session.scripted import (
    SESSION,
    V2,
    Version,
    call,
    chunk,
    client,
    each_surface,
    each_version,
    failure,
    logs,
    result,
    settle,
    stray,
)

FORM = {"mode": "form", "message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}


@each_version
async def test_the_answer_of_the_user_is_sent(version: Version) -> None:
    async def allow(params: Any) -> Any:
        assert params == version.question()
        return await selecting(version)(params)

    async with client(version, session_request_permission=allow) as (script, session):
        async with prompted(version, script, session, version.permission("a")) as (_, id_):
            assert await script.read() == result("a", **ALLOWED)
            script.write(*version.stopped(id_))
        script.write(version.permission("b"))
        assert await script.read() == result("b", **ALLOWED)


@each_version
async def test_a_user_who_fails_is_an_error(version: Version) -> None:
    async def fail(params: Any) -> Any:
        raise RequestError(-7, "no", [1])

    async with client(version, session_request_permission=fail) as (script, _):
        script.write(version.permission("a"))
        assert await script.read() == failure("a", -7, data=[1])


@each_version
async def test_a_user_who_answers_the_cancelling_with_an_error_is_not_heard(
    version: Version,
) -> None:
    async def fail(params: Any) -> Any:
        try:
            await forever()
        finally:
            raise ValueError("too late")

    async with client(version, session_request_permission=fail) as (script, session):
        script.write(version.permission("a"))
        await settle()
        await cancel(script, session)
        assert await script.read() == result("a", **REFUSED)


@each_surface
async def test_a_question_is_open_until_it_is_answered(version: Version) -> None:
    changes: list[Change] = []
    async with client(version, session_request_permission=selecting(version)) as (script, session):
        session.state.subscribe(changes.append)
        script.write(version.permission("a", "t"), version.permission("b", "u"))
        assert await script.read() == result("a", **ALLOWED)
        assert await script.read() == result("b", **ALLOWED)
        await settle()
        assert session.questions == {}
    asked = [each for each in changes if each.where == "questions"]
    assert [(each.kind, each.key, each.entry) for each in asked] == [
        ("added", 1, version.question("t")),
        ("added", 2, version.question("u")),
        ("removed", 1, version.question("t")),
        ("removed", 2, version.question("u")),
    ]


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
async def test_the_tool_call_of_a_question_is_in_the_state_at_receipt(version: Version) -> None:
    titles: list[Any] = []

    async def permit(params: Any) -> Any:
        titles.append(session.state.tool_calls["t"].title)
        return await selecting(version)(params)

    async with client(version, session_request_permission=permit) as (script, session):
        request = version.permission("a", "t")
        params = request["params"]
        about = params["toolCall"] if version.number == 1 else params["subject"]["toolCall"]
        about["title"] = "Delete"
        script.write(request)
        assert (await script.read())["id"] == "a"
        assert list(session.state.tool_calls) == ["t"]
    assert titles == ["Delete"]


@each_version
async def test_the_tool_call_of_a_question_keeps_what_is_known(version: Version) -> None:
    async with client(version, session_request_permission=selecting(version)) as (script, session):
        script.write(call("t", title="Known", status="in_progress"), version.permission("a"))
        await script.read()
        known = session.state.tool_calls["t"]
        assert (known.title, known.status) == ("Known", "in_progress")


async def test_a_question_about_something_else_adds_no_tool_call() -> None:
    async with client(V2, session_request_permission=selecting(V2)) as (script, session):
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
    async with client(version, session_request_permission=user) as (script, _):
        for id_ in ("a", "b"):
            script.write(version.permission(id_))
            outcome = {"outcome": "selected", "optionId": "maybe"}
            assert await script.read() == result(id_, outcome=outcome)


@logs(stray("x"))
@each_version
async def test_updates_for_sessions_that_nobody_opened_are_logged_once(version: Version) -> None:
    async with client(version) as (script, _):
        script.write(*(chunk("x", session=name) for name in ("x", "x", "y")))
        await settle()
