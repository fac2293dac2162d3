"""State and turns follow the messages as they arrive; handlers run after that."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings.runtime import LimitExceeded
from acp_bindings.runtime.jsonrpc import Limits
from package.session.agent_work import async_test
from package.session.client_turns import ALLOWED, prompted, read_bring_back, texts
from package.session.scripted import (
    SESSION,
    V1,
    V2,
    Version,
    chunk,
    client,
    each_version,
    result,
    settle,
    stray,
    update,
)

TOOL_CALL = {"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "Dig"}


@each_version
@async_test()
async def test_no_update_is_lost_while_a_handler_calls_the_agent(version: Version) -> None:
    """The updates behind it belong to the turn, too: the state has them when the turn ends."""
    handled: list[str] = []

    async def ask_back(params: Any) -> None:
        said = getattr(params.update, "content", None)
        if said and said.text == "1":
            await version.surface.AgentStub(session.peer).ext_request("_ask", None)
        handled.extend([said.text] if said else [])

    async with client(version, session_update=ask_back) as (script, session):
        async with prompted(version, script, session, chunk("1"), chunk("2")) as (turn, id_):
            asked = await script.read()
            assert asked["method"] == "_ask"
            script.write(chunk("3"), *version.stopped(id_))
            await settle()
            assert turn.is_over
            assert texts(session) == ["123"]
            script.write(result(asked["id"]))
        said = [u.content.text for u in [u async for u in turn] if hasattr(u, "content")]
        assert said == ["1", "2", "3"]
        await settle()
        assert handled == ["1", "2", "3"]


@pytest.mark.parametrize("kind", ["load", "resume"])
@async_test()
async def test_no_update_of_a_loaded_session_is_lost_while_a_handler_calls_the_agent(
    kind: str,
) -> None:
    async def ask_back(params: Any) -> None:
        if params.update.content.text == "1":
            await V1.surface.AgentStub(sessions[0].peer).ext_request("_ask", None)

    async with client(V1, session_update=ask_back) as (script, session):
        sessions = [session]
        params: Any = getattr(V1.surface, f"{kind.capitalize()}SessionRequest")
        members = {"mcp_servers": []} if kind == "load" else {}
        call = getattr(V1.client.ClientSession, kind)
        opening = asyncio.create_task(
            call(session.peer, params(session_id="again", cwd="/", **members))
        )
        id_ = await read_bring_back(script, V1, kind, "again")
        script.write(chunk("1", session="again"), chunk("2", session="again"), result(id_))
        asked = await script.read()
        script.write(result(asked["id"]))
        assert texts(await opening) == ["12"]


@each_version
@async_test()
async def test_a_permission_request_finds_its_tool_call_although_a_handler_is_slow(
    version: Version,
) -> None:
    found: list[bool] = []

    async def slow(params: Any) -> None:
        await version.surface.AgentStub(session.peer).ext_request("_ask", None)

    async def permit(params: Any) -> Any:
        found.append("t" in session.state.tool_calls)
        return version.surface.decode(version.surface.RequestPermissionResponse, ALLOWED)

    methods = {"session_update": slow, "session_request_permission": permit}
    async with client(version, **methods) as (script, session):
        kind = "tool_call" if version.number == 1 else "tool_call_update"
        call = {**TOOL_CALL, "sessionUpdate": kind}
        script.write(chunk("1"), update(**call), version.permission(7))
        first = await script.read()
        answer = await script.read()
        assert {first.get("method"), answer.get("method")} == {"_ask", None}
        for asked in (first, answer):
            if "method" in asked:
                script.write(result(asked["id"]))
        second = await script.read()
        script.write(result(second["id"]))
        await settle()
    assert found == [True]


@each_version
@async_test(stray("other"))
async def test_updates_behind_the_response_belong_to_no_turn(version: Version) -> None:
    """Not even while another session is active."""

    go_on = asyncio.Event()

    async def slow(params: Any) -> None:
        if params.session_id != SESSION:
            await go_on.wait()

    async with client(version, session_update=slow) as (script, session):
        elsewhere = chunk("other", session="other")
        async with prompted(version, script, session, elsewhere) as (turn, id_):
            script.write(chunk("in"), *version.stopped(id_), chunk("out"))
        go_on.set()
        said = [u.content.text for u in [u async for u in turn] if hasattr(u, "content")]
        assert said == ["in"]


@each_version
@async_test()
async def test_the_end_of_a_turn_waits_for_the_handlers_of_its_updates(version: Version) -> None:
    handled: list[str] = []

    async def slow(params: Any) -> None:
        await settle()
        handled.append(getattr(getattr(params.update, "content", None), "text", "state"))

    async with client(version, session_update=slow) as (script, session):
        async with prompted(version, script, session, chunk("a")) as (turn, id_):
            script.write(chunk("b"), *version.stopped(id_))
            await asyncio.sleep(0.001)
            assert turn.is_over
        assert [each for each in handled if each != "state"] == ["a", "b"]


@each_version
@async_test(stray("other"))
async def test_a_slow_handler_of_one_session_delays_no_turn_of_another(version: Version) -> None:
    go_on = asyncio.Event()

    async def slow(params: Any) -> None:
        if params.session_id != SESSION:
            await go_on.wait()

    async with client(version, session_update=slow) as (script, session):
        elsewhere = chunk("other", session="other")
        async with prompted(version, script, session, elsewhere) as (turn, id_):
            script.write(*version.stopped(id_))
        assert turn.stop_reason == "end_turn"
        go_on.set()


# --- escapes ---------------------------------------------------------------------------------


@each_version
@async_test()
async def test_a_wait_for_a_turn_can_be_limited(version: Version) -> None:
    async with client(version) as (script, session):
        async with prompted(version, script, session) as (turn, id_):
            with pytest.raises(TimeoutError, match=r"within 0\.01 seconds"):
                await turn.wait(timeout=0.01)
            assert not turn.is_over
            assert turn.quiet_for > 0
            script.write(*version.stopped(id_))
            await turn.wait(timeout=60)
        assert turn.stop_reason == "end_turn"


@async_test()
async def test_a_wait_for_a_turn_that_was_not_entered_is_refused() -> None:
    async with client(V2) as (_, session):
        turn = session.prompt("Hi")
        with pytest.raises(RuntimeError, match="enter the turn"):
            await turn.wait()


@each_version
@async_test()
async def test_an_abandoned_turn_is_over_at_once(version: Version) -> None:
    async with client(version) as (script, session):
        turn = session.prompt("Hi")
        async with turn:
            id_ = await script.prompt()
            turn.abandon()
            assert turn.is_over
        assert turn.is_cancelled
        assert turn.stop_reason is None
        assert turn.ending is None
        assert session.turns == []
        read = [await script.read() for _ in range(2)]
        assert [each["method"] for each in read] == ["session/cancel", "$/cancel_request"]
        script.write(*version.accepted(id_), *version.stopped(id_, "cancelled"))
        await settle()
        assert turn.stop_reason is None


@async_test()
async def test_a_turn_that_was_not_entered_is_not_abandoned() -> None:
    async with client(V2) as (_, session):
        turn = session.prompt("Hi")
        turn.abandon()
        assert not turn.is_over


@async_test()
async def test_quiet_begins_again_with_each_update() -> None:
    async with (
        client(V2) as (script, session),
        prompted(V2, script, session) as (turn, id_),
    ):
        await asyncio.sleep(0.02)
        before = turn.quiet_for
        script.write(chunk("a"))
        await settle()
        assert turn.quiet_for < before
        script.write(*V2.stopped(id_))


@async_test()
async def test_updates_that_nobody_reads_have_a_limit() -> None:
    async with client(V2) as (script, session):
        session.peer.limits = Limits(backlog=3)
        async with prompted(V2, script, session) as (turn, id_):
            script.write(*(chunk(str(number)) for number in range(5)), *V2.stopped(id_))
            await settle()
            with pytest.raises(LimitExceeded, match="updates were dropped"):
                await anext(turn)
            said = [u.content.text for u in [u async for u in turn] if hasattr(u, "content")]
        assert said == ["3", "4"]
        assert texts(session) == ["01234"]


@async_test(stray("stray 0"))
async def test_sessions_that_only_stray_updates_name_have_a_limit() -> None:
    async with client(V2) as (script, session):
        session.peer.limits = Limits(stray_sessions=2)
        script.write(*(chunk("x", session=f"stray {number}") for number in range(5)))
        await settle()
        assert list(session.client.sessions) == [SESSION, "stray 3", "stray 4"]
        kept = session.client.session("stray 3")
        script.write(*(chunk("x", session=f"late {number}") for number in range(5)))
        await settle()
        assert session.client.sessions["stray 3"] is kept
