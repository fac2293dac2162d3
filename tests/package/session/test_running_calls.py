"""Tests of the running tool calls in a client's session."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings.runtime import REQUEST_CANCELLED
from acp_bindings.runtime.session import Change

from tests.package.jsonrpc.wire import cancel as withdrawal
from tests.package.session.scripted import (
    CANCEL,
    MESSAGE,
    REFUSED,
    V1,
    V2,
    Asked,
    Version,
    call,
    cancel,
    chunk,
    client,
    close,
    coming_back,
    each_surface,
    each_v2,
    each_version,
    each_way_back,
    entered,
    failure,
    prompted,
    result,
    settle,
    state,
    working,
)

UNFINISHED = ["pending", "in_progress", "_paused"]
FINISHED = ["completed", "failed"]


def running(session: Any) -> list[str]:
    return [each for each in session.state.tool_calls if session.is_running(each)]


@each_surface
async def test_unfinished_calls_run_until_their_turn_ends(version: Version) -> None:
    said = [call(status, status=status) for status in [*UNFINISHED, *FINISHED]]
    async with client(version) as (script, session):
        changes: list[tuple[Change, bool]] = []
        async with prompted(version, script, session, *said, call("absent")) as (_, id_):
            await settle()
            assert running(session) == [*UNFINISHED, "absent"]
            session.state.subscribe(
                lambda change: changes.append((change, session.is_running(change.key)))
            )
            script.write(*version.stopped(id_))
        assert running(session) == []
        assert [session.state.tool_calls[each].status for each in UNFINISHED] == UNFINISHED
        stopped = [each for each in changes if each[0].where == "tool_calls"]
        assert [(each.kind, each.key, each.update, runs) for each, runs in stopped] == [
            ("changed", name, None, False) for name in sorted([*UNFINISHED, "absent"])
        ]
        assert not session.is_running("unknown")


@each_version
async def test_calls_left_by_a_turn_run_again_if_another_turn_reports_them(
    version: Version,
) -> None:
    async with client(version) as (script, session):
        said = call("old", status="pending"), call("t", status="pending")
        async with prompted(version, script, session, *said) as (_, id_):
            script.write(*version.stopped(id_))
        script.write(call("late", status="in_progress"))
        await settle()
        assert running(session) == []
        async with prompted(version, script, session, call("t", title="Again")) as (_, id_):
            await settle()
            assert running(session) == ["t"]
            script.write(call("t", status="completed"))
            await settle()
            assert running(session) == []
            script.write(*version.stopped(id_))


@each_version
async def test_a_finished_call_is_not_changed_by_the_end_of_its_turn(version: Version) -> None:
    changes: list[Change] = []
    async with client(version) as (script, session):
        said = call("t", status="in_progress"), call("t", status="completed")
        async with prompted(version, script, session, *said) as (_, id_):
            await settle()
            session.state.subscribe(changes.append)
            script.write(*version.stopped(id_))
    assert "tool_calls" not in {each.where for each in changes}


@each_surface
@pytest.mark.parametrize("end", ["error", "connection"])
async def test_calls_do_not_run_after_a_failure(version: Version, end: str) -> None:
    async with client(version) as (script, session):
        turn, id_ = await entered(script, session)
        accepted = version.accepted(id_) if end == "connection" else []
        script.write(*accepted, call("t", status="in_progress"))
        await settle()
        assert running(session) == ["t"]
        changes: list[Change] = []
        session.state.subscribe(changes.append)
        if end == "error":
            script.write(failure(id_, -32603))
        else:
            await script.close()
            await session.peer.wait_ended()
        await settle()
        assert turn.is_over
        assert running(session) == []
        assert [each.key for each in changes] == ["t"]


@each_version
async def test_cancelled_calls_do_not_run_unless_the_agent_reports_them(version: Version) -> None:
    async with working(version, call("t"), call("u")) as (script, session, turn, id_):
        await settle()
        await cancel(script, turn)
        assert running(session) == []
        script.write(call("t", status="in_progress"))
        await settle()
        assert running(session) == ["t"]
        script.write(*version.stopped(id_, "cancelled"))
        await turn.wait()
        assert running(session) == []


async def test_v1_calls_of_an_abandoned_turn_do_not_run() -> None:
    async with client(V1) as (script, session):
        turn, id_ = await entered(script, session)
        turn.abandon()
        assert await script.read() == CANCEL
        assert await script.read() == withdrawal(id_)
        script.write(call("t", status="in_progress"))
        await settle()
        assert running(session) == []
        script.write(*V1.stopped(id_))


async def test_v1_calls_belong_to_the_turn_that_began_first() -> None:
    async with client(V1) as (script, session):
        turns = [await session.prompt(each).__aenter__() for each in ("One", "Two")]
        one, two = await script.prompt("One"), await script.prompt("Two")
        script.write(call("a", status="pending"), call("b", status="pending"))
        await settle()
        assert running(session) == ["a", "b"]
        script.write(*V1.stopped(one))
        await turns[0].wait()
        assert running(session) == []
        script.write(call("b", status="in_progress"))
        await settle()
        assert running(session) == ["b"]
        script.write(*V1.stopped(two))
        await turns[1].wait()
        assert running(session) == []


async def test_v1_calls_run_on_if_a_later_prompt_is_refused() -> None:
    async with client(V1) as (script, session), session.prompt("One") as turn:
        one = await script.prompt("One")
        script.write(call("a", status="pending"))
        second = await session.prompt("Two").__aenter__()
        script.write(failure(await script.prompt("Two"), -32600))
        await settle()
        assert second.is_over
        assert running(session) == ["a"]
        script.write(*V1.stopped(one))
        await turn.wait()
        assert running(session) == []


@each_v2
async def test_v2_background_calls_run_until_they_are_not_listed(version: Version) -> None:
    listed = [{"type": "tool_call", "toolCallId": "t"}, {"type": "terminal", "terminalId": "x"}]
    changes: list[Change] = []
    async with client(version) as (script, session):
        said = call("t", status="in_progress"), call("u", status="in_progress")
        async with prompted(version, script, session, *said) as (_, id_):
            script.write(*version.stopped(id_, background=listed))
        assert running(session) == ["t"]
        session.state.subscribe(changes.append)
        script.write(state("idle", background=[]))
        await settle()
        assert running(session) == []
        assert [each.key for each in changes if each.where == "tool_calls"] == ["t"]


@each_v2
async def test_v2_calls_run_while_the_agent_is_busy_with_another_prompt(version: Version) -> None:
    async with client(version) as (script, session):
        for _ in range(2):
            script.write(state("running"), call("t", status="in_progress"))
            await settle()
            assert running(session) == ["t"]
            script.write(state("idle", stopReason="end_turn"))
            await settle()
            assert running(session) == []
            script.write(state("running"), state("requires_action"))
            await settle()
            assert running(session) == []  # the agent has not reported the call again


@each_v2
async def test_v2_calls_end_with_the_report_and_not_with_the_next_prompt(version: Version) -> None:
    async with client(version) as (script, session):
        turns = [await session.prompt(each).__aenter__() for each in ("One", "Two")]
        first, second = await script.prompt("One"), await script.prompt("Two")
        script.write(*version.accepted(first), call("t", status="in_progress"))
        await settle()
        assert running(session) == ["t"]
        script.write(*version.stopped(first))
        await turns[0].wait()
        assert running(session) == []
        script.write(*version.accepted(second, MESSAGE + "2"), *version.stopped(second))
        await turns[1].wait()


@each_way_back
async def test_calls_of_a_session_that_comes_back_do_not_run(version: Version, kind: str) -> None:
    async with client(version) as (script, session):
        loading, id_ = await coming_back(script, version, kind, session)
        script.write(call("t", status="pending"), call("u", status="in_progress"), result(id_))
        await loading
        assert running(session) == []
        async with prompted(version, script, session, call("u", title="U")) as (_, prompt_id):
            await settle()
            assert running(session) == ["u"]
            script.write(*version.stopped(prompt_id))


@each_v2
async def test_v2_calls_of_a_session_that_comes_back_run_while_the_agent_is_busy(
    version: Version,
) -> None:
    async with client(version) as (script, session):
        loading, id_ = await coming_back(script, version, "resume", session)
        script.write(call("t", status="pending"), call("u", status="completed"))
        script.write(state("running"), result(id_))
        await loading
        assert running(session) == ["t"]
        script.write(state("idle"))
        await settle()
        assert running(session) == []


@each_version
async def test_calls_of_a_closed_session_do_not_run(version: Version) -> None:
    async with client(version) as (script, session):
        turn, id_ = await entered(script, session)
        listed = [{"type": "tool_call", "toolCallId": "t"}]
        script.write(*([state("running", background=listed)] if version is V2 else []))
        script.write(call("t", status="in_progress"))
        await settle()
        assert running(session) == ["t"]
        await close(script, session)
        assert running(session) == []
        script.write(failure(id_, REQUEST_CANCELLED))
        await settle()
        assert turn.is_over


@each_version
async def test_a_call_that_permission_is_asked_for_runs(version: Version) -> None:
    user = Asked()
    async with working(version, version.permission("p"), user=user) as (script, session, _, id_):
        await settle()
        assert running(session) == ["t"]
        script.write(withdrawal("p"))
        assert await script.read() == result("p", **REFUSED)
        script.write(*version.stopped(id_))


async def test_a_client_without_state_knows_the_last_call() -> None:
    async with client(V1) as (script, session):
        session.client.keep_state = False
        async with prompted(V1, script, session) as (_, id_):
            script.write(*(call(str(number), status="pending") for number in range(100)))
            await settle()
            assert running(session) == ["99"]
            script.write(chunk("a"))
            await settle()
            assert not session.is_running("99")
            script.write(*V1.stopped(id_))
