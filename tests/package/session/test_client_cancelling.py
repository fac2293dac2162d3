"""A client cancels a turn, and the requests for permission in it."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings.runtime import INTERNAL_ERROR, REQUEST_CANCELLED, RequestError
from package.jsonrpc.wire import cancel as withdrawal
from package.session.client_turns import (
    REFUSED,
    Asked,
    cancel,
    forever,
    prompted,
    texts,
)
from package.session.scripted import (
    CANCEL,
    MESSAGE,
    V1,
    V2,
    Json,
    Version,
    call,
    chunk,
    client,
    each_v2,
    each_version,
    failure,
    result,
    run,
    settle,
    state,
    update,
)


@each_version
def test_cancelling_says_so_first_and_then_answers_what_was_asked(version: Version) -> None:
    async def main() -> None:
        user = Asked()
        async with client(version, session_request_permission=user) as (script, session):
            async with prompted(version, script, session) as (turn, id_):
                script.write(version.permission("a", "t"), version.permission("b", "u"))
                await settle()
                assert user.asked == ["t", "u"]
                await cancel(script, turn)
                assert await script.read() == result("a", **REFUSED)
                assert await script.read() == result("b", **REFUSED)
                await settle()
                assert user.withdrawn == ["t", "u"]
                assert turn.is_cancelled
                assert not turn.is_over
                script.write(*version.stopped(id_, "cancelled"))
            assert turn.stop_reason == turn.known_stop_reason == "cancelled"

    run(main())


@each_version
def test_the_session_can_be_cancelled_itself(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            await cancel(script, session)
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                assert not turn.is_cancelled
                await cancel(script, session)
                assert turn.is_cancelled
                script.write(*version.accepted(id_), *version.stopped(id_, "cancelled"))

    run(main())


STATUSES = {
    "pending": "cancelled",
    "in_progress": "cancelled",
    "dreaming": "cancelled",
    "_paused": "cancelled",
    "completed": "completed",
    "failed": "failed",
}


@each_version
def test_tool_calls_that_are_not_finished_count_as_cancelled_at_once(version: Version) -> None:
    async def main() -> None:
        expected = {**STATUSES, "absent": "cancelled"}
        if version is V2:
            expected |= {"paused": "cancelled", "cancelled": "cancelled"}
        async with client(version) as (script, session), session.prompt("Hi"):
            id_ = await script.prompt()
            script.write(*version.accepted(id_), call("absent"))
            script.write(*(call(each, status=each) for each in expected if each != "absent"))
            await settle()
            await session.cancel()
            calls = session.state.tool_calls
            assert {name: each.status for name, each in calls.items()} == expected
            assert await script.read() == CANCEL
            script.write(*version.stopped(id_, "cancelled"))

    run(main())


@each_version
def test_cancelling_changes_the_state_and_not_the_updates(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            kind = "tool_call" if version is V1 else "tool_call_update"
            begin = update(sessionUpdate=kind, toolCallId="t", title="T", status="in_progress")
            async with prompted(version, script, session, begin) as (turn, id_):
                await settle()
                await cancel(script, turn)
                script.write(*version.stopped(id_, "cancelled"))
                (found,) = [each async for each in turn if hasattr(each, "tool_call_id")]
            assert found.status == "in_progress"
            assert session.state.tool_calls["t"].status == "cancelled"

    run(main())


@each_version
def test_updates_behind_the_cancelling_are_applied_and_yielded(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with prompted(version, script, session, call("t", status="in_progress")) as (
                turn,
                id_,
            ):
                await settle()
                await cancel(script, turn)
                assert session.state.tool_calls["t"].status == "cancelled"
                script.write(call("t", status="completed"), chunk("late"))
                script.write(*version.stopped(id_, "cancelled"))
                found = [each async for each in turn]
            assert [each.status for each in found if hasattr(each, "status")][-1] == "completed"
            assert session.state.tool_calls["t"].status == "completed"
            assert texts(session) == ["late"]

    run(main())


@each_v2
def test_v2_what_goes_on_in_the_background_is_left_alone(version: Version) -> None:
    async def main() -> None:
        user = Asked()
        listed = [
            {"type": "tool_call", "toolCallId": "kept"},
            {"type": "terminal", "terminalId": "x"},
        ]
        async with client(version, session_request_permission=user) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(result(id_, messageId=MESSAGE), state("running", background=listed))
                # The list holds as long as no other one is given.
                script.write(state("requires_action"))
                script.write(call("kept", status="in_progress"), call("t", status="in_progress"))
                script.write(version.permission("a", "kept"), version.permission("b", "t"))
                await settle()
                await cancel(script, turn)
                assert await script.read() == result("b", **REFUSED)
                calls = session.state.tool_calls
                assert (calls["kept"].status, calls["t"].status) == ("in_progress", "cancelled")
                script.write(version.permission("c", "kept"), version.permission("d", "t"))
                assert await script.read() == result("d", **REFUSED)
                await settle()
                assert user.asked == ["kept", "t", "kept"]
                assert user.withdrawn == ["t"]
                script.write(withdrawal("a"), withdrawal("c"))
                assert await script.read() == result("a", **REFUSED)
                assert await script.read() == result("c", **REFUSED)
                script.write(*version.stopped(id_, "cancelled"))
            assert calls["kept"].status == "in_progress"

    run(main())


def test_v2_an_empty_list_says_that_nothing_is_in_the_background() -> None:
    async def main() -> None:
        listed = [{"type": "tool_call", "toolCallId": "t"}]
        async with client(V2) as (script, session), session.prompt("Hi") as turn:
            id_ = await script.prompt()
            script.write(result(id_, messageId=MESSAGE), state("running", background=listed))
            script.write(call("t"), state("running", background=[]))
            await settle()
            await cancel(script, turn)
            assert session.state.tool_calls["t"].status == "cancelled"
            script.write(*V2.stopped(id_, "cancelled"))

    run(main())


@pytest.mark.parametrize("subject", [None, {"type": "command", "command": "ls", "cwd": "/"}])
def test_v2_permissions_about_anything_else_are_answered(subject: Json) -> None:
    async def main() -> None:
        async def never(params: Any) -> Any:
            await forever()

        async with client(V2, session_request_permission=never) as (script, session):
            question = V2.permission("a")
            del question["params"]["subject"]
            if subject is not None:
                question["params"]["subject"] = subject
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*V2.accepted(id_), question)
                await settle()
                await cancel(script, turn)
                assert await script.read() == result("a", **REFUSED)
                script.write({**question, "id": "b"})
                assert await script.read() == result("b", **REFUSED)
                script.write(*V2.stopped(id_, "cancelled"))

    run(main())


def test_v2_permission_for_a_command_in_the_background_stays_open() -> None:
    async def main() -> None:
        async def never(params: Any) -> Any:
            await forever()

        listed = [{"type": "tool_call", "toolCallId": "kept"}]
        question = V2.permission("a")
        question["params"]["subject"] = {
            "type": "command",
            "command": "ls",
            "cwd": "/",
            "toolCallId": "kept",
        }
        async with (
            client(V2, session_request_permission=never) as (script, session),
            session.prompt("Hi") as turn,
        ):
            id_ = await script.prompt()
            script.write(result(id_, messageId=MESSAGE), state("running", background=listed))
            script.write(question)
            await settle()
            await cancel(script, turn)
            await settle()
            script.write(withdrawal("a"))
            assert await script.read() == result("a", **REFUSED)
            script.write(*V2.stopped(id_, "cancelled"))

    run(main())


@each_version
def test_a_permission_asked_for_behind_the_cancelling_is_refused_at_once(
    version: Version,
) -> None:
    async def main() -> None:
        user = Asked()
        async with client(version, session_request_permission=user) as (script, session):
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

    run(main())


@each_version
def test_a_permission_for_a_turn_that_is_not_cancelled_is_asked_for(version: Version) -> None:
    async def main() -> None:
        user = Asked()
        async with client(version, session_request_permission=user) as (script, session):
            async with session.prompt("one") as one:
                first = await script.prompt("one")
                script.write(*version.accepted(first))
                await settle()
                await one.cancel()
                assert await script.read() == CANCEL
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

    run(main())


@each_version
def test_a_cancelled_prompt_may_be_answered_with_the_error_of_cancelling(
    version: Version,
) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                await cancel(script, turn)
                script.write(failure(id_, REQUEST_CANCELLED))
            assert turn.stop_reason == "cancelled"
            assert turn.ending is None
            assert session.turns == []

    run(main())


@each_version
@pytest.mark.parametrize(
    ("code", "is_cancelled"), [(INTERNAL_ERROR, True), (REQUEST_CANCELLED, False)]
)
def test_any_other_error_is_raised(version: Version, code: int, is_cancelled: bool) -> None:
    async def main() -> None:
        async with client(version) as (script, session):

            async def block() -> None:
                async with session.prompt("Hi") as turn:
                    id_ = await script.prompt()
                    if is_cancelled:
                        await cancel(script, turn)
                    script.write(failure(id_, code))

            with pytest.raises(RequestError) as caught:
                await block()
            assert caught.value.code == code

    run(main())


@each_version
def test_cancelling_twice_does_no_harm(version: Version) -> None:
    async def main() -> None:
        user = Asked()
        async with client(version, session_request_permission=user) as (script, session):
            async with prompted(version, script, session, version.permission("a")) as (turn, id_):
                script.write(call("t", status="pending"))
                await settle()
                await turn.cancel()
                await turn.cancel()
                messages = [await script.read() for _ in range(3)]
                assert messages.count(CANCEL) == 2
                assert messages[0] == CANCEL
                assert result("a", **REFUSED) in messages
                script.write(*version.stopped(id_, "cancelled"))
            assert turn.stop_reason == "cancelled"

    run(main())


@each_version
def test_cancelling_a_turn_that_was_not_entered_sends_nothing(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (_, session):
            await session.prompt("Hi").cancel()  # everything that is written must be read

    run(main())


@each_version
def test_cancelling_behind_the_end_sends_nothing(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with prompted(version, script, session, call("t", status="pending")) as (
                turn,
                id_,
            ):
                script.write(*version.stopped(id_))
            await turn.cancel()
            assert not turn.is_cancelled
            assert session.state.tool_calls["t"].status == "pending"

    run(main())


@each_version
def test_an_agent_may_end_a_cancelled_turn_for_another_reason(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), *version.stopped(id_))
                await cancel(script, turn)
            assert turn.stop_reason == "end_turn"
            assert turn.is_cancelled

    run(main())
