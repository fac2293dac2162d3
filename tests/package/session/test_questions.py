"""Questions to the user: which are open, what they say of tool calls, and odd answers."""

from __future__ import annotations

import asyncio
from typing import Any

from acp_bindings.runtime.session.changes import Change
from package.jsonrpc.wire import ask
from package.session.client_turns import REFUSED, cancel, prompted
from package.session.scripted import (
    SESSION,
    V1,
    V2,
    Version,
    call,
    chunk,
    client,
    each_surface,
    each_version,
    result,
    run,
    settle,
    stray,
)

FORM = {"mode": "form", "message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}


def answering(version: Version, option: str = "yes") -> Any:
    """The answer that selects an option."""
    outcome = {"outcome": {"outcome": "selected", "optionId": option}}
    return version.surface.decode(version.surface.RequestPermissionResponse, outcome)


@each_surface
def test_a_question_is_open_until_it_is_answered(version: Version) -> None:
    changes: list[Change] = []

    async def main() -> None:
        answered = asyncio.Event()

        async def permit(params: Any) -> Any:
            await answered.wait()
            return answering(version)

        async with client(version, session_request_permission=permit) as (script, session):
            script.write(version.permission("a", "t"), version.permission("b", "u"))
            session.state.subscribe(changes.append)
            await settle()
            asked = list(session.questions.values())
            assert asked == [version.question("t"), version.question("u")]
            answered.set()
            await settle()
            assert session.questions == {}
            assert {(await script.read())["id"] for _ in "ab"} == {"a", "b"}

    run(main())
    asked = [each for each in changes if each.where == "questions"]
    assert [(each.kind, each.key) for each in asked] == [
        ("added", 1),
        ("added", 2),
        ("removed", 1),
        ("removed", 2),
    ]
    assert asked[0].entry is asked[2].entry


@each_version
def test_a_question_that_is_withdrawn_is_not_open(version: Version) -> None:
    async def main() -> None:
        async def permit(params: Any) -> Any:
            await asyncio.Event().wait()

        async with (
            client(version, session_request_permission=permit) as (script, session),
            prompted(version, script, session, version.permission("a")) as (turn, id_),
        ):
            await settle()
            assert len(session.questions) == 1
            await cancel(script, turn)
            await settle()
            assert session.questions == {}
            assert await script.read() == result("a", **REFUSED)
            script.write(*version.stopped(id_, "cancelled"))

    run(main())


@each_surface
def test_an_elicitation_that_names_the_session_is_a_question(version: Version) -> None:
    async def main() -> None:
        answered = asyncio.Event()

        async def elicit(params: Any) -> Any:
            await answered.wait()
            return version.surface.DeclineCreateElicitationResponse()

        async with client(version, elicitation_create=elicit) as (script, session):
            script.write(ask("a", "elicitation/create", **FORM, sessionId=SESSION))
            script.write(ask("b", "elicitation/create", **FORM, requestId=1))
            await settle()
            [question] = session.questions.values()
            assert question.message == "Who?"
            answered.set()
            for _ in "ab":
                assert (await script.read())["result"] == {"action": "decline"}
            assert session.questions == {}

    run(main())


@each_surface
def test_the_tool_call_of_a_question_is_in_the_state_at_receipt(version: Version) -> None:
    statuses: list[Any] = []

    async def main() -> None:
        async def permit(params: Any) -> Any:
            statuses.append(session.state.tool_calls["t"].title)
            return answering(version)

        async with client(version, session_request_permission=permit) as (script, session):
            request = version.permission("a", "t")
            params = request["params"]
            about = params["toolCall"] if version.number == 1 else params["subject"]["toolCall"]
            about["title"] = "Delete"
            script.write(request)
            assert (await script.read())["id"] == "a"
            assert list(session.state.tool_calls) == ["t"]

    run(main())
    assert statuses == ["Delete"]


@each_version
def test_the_tool_call_of_a_question_keeps_what_is_known(version: Version) -> None:
    async def main() -> None:
        async def permit(params: Any) -> Any:
            return answering(version)

        async with client(version, session_request_permission=permit) as (script, session):
            script.write(call("t", title="Known", status="in_progress"), version.permission("a"))
            await script.read()
            known = session.state.tool_calls["t"]
            assert (known.title, known.status) == ("Known", "in_progress")

    run(main())


def test_a_question_about_something_else_adds_no_tool_call() -> None:
    async def main() -> None:
        async def permit(params: Any) -> Any:
            return answering(V2)

        async with client(V2, session_request_permission=permit) as (script, session):
            request = V2.permission("a")
            del request["params"]["subject"]
            script.write(request)
            await script.read()
            assert session.state == V2.client.SessionState()

    run(main())


# --- what is logged --------------------------------------------------------------------------


@each_version
def test_an_option_that_was_not_offered_is_logged_once(version: Version) -> None:
    async def main() -> None:
        async def permit(params: Any) -> Any:
            return answering(version, "maybe")

        async with client(version, session_request_permission=permit) as (script, _):
            for id_ in ("a", "b"):
                script.write(version.permission(id_))
                outcome = (await script.read())["result"]["outcome"]
                assert outcome == {"outcome": "selected", "optionId": "maybe"}

    run(
        main(),
        "a request for permission is answered with the option 'maybe', which the agent did not "
        "offer; others are not logged",
    )


@each_version
def test_updates_for_sessions_that_nobody_opened_are_logged_once(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, _):
            script.write(*(chunk("x", session=name) for name in ("x", "x", "y")))
            await settle()

    run(main(), stray("x"))


def test_updates_for_a_session_that_is_being_opened_are_not_logged() -> None:
    async def main() -> None:
        async with client(V1) as (script, session):
            create = V1.client.ClientSession.create(session.peer, cwd="/", mcp_servers=[])
            creating = asyncio.create_task(create)
            id_ = await script.request("session/new", cwd="/", mcpServers=[])
            script.write(chunk("x", session="new"), result(id_, sessionId="new"))
            await creating
            script.write(chunk("y", session="new"))
            await settle()

    run(main())
