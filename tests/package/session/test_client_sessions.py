"""A client opens, lists, loads, resumes, closes and deletes sessions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import (
    INTERNAL_ERROR,
    REQUEST_CANCELLED,
    RESOURCE_NOT_FOUND,
    CapabilityError,
    RequestError,
)
from acp_bindings.runtime.aio import connect, memory_streams
from package.jsonrpc.wire import ask, tell
from package.jsonrpc.wire import cancel as withdrawal
from package.session.client_turns import (
    REFUSED,
    Asked,
    bring_back,
    each_way_back,
    opening,
    prompted,
    read_bring_back,
    texts,
)
from package.session.scripted import (
    MESSAGE,
    SESSION,
    V1,
    V1_UNSTABLE,
    V2,
    V2_UNSTABLE,
    Json,
    Script,
    Version,
    call,
    chunk,
    client,
    each_version,
    failure,
    initialize,
    result,
    run,
    settle,
    text,
    update,
)


@each_version
async def test_updates_before_the_response_that_opens_a_session_are_part_of_it(
    version: Version,
) -> None:
    params, members = opening(version, "new")
    async with client(version) as (script, other):
        creating = asyncio.create_task(version.client.ClientSession.create(other.peer, params))
        id_ = await script.request("session/new", **members)
        script.write(chunk("early", session="new"))
        await settle()
        script.write(chunk("er", session="new"), result(id_, sessionId="new"))
        script.write(chunk("!", session="new"))
        session = await creating
        await settle()
        assert session.session_id == "new"
        assert session.response == version.surface.NewSessionResponse(session_id="new")
        assert texts(session) == ["earlyer!"]
        assert other.state.messages == []
        assert session.client.sessions == {SESSION: other, "new": session}


@pytest.mark.parametrize("version", [V1_UNSTABLE, V2_UNSTABLE], ids=str)
async def test_a_fork_is_a_session_of_its_own(version: Version) -> None:
    params, members = opening(version, "fork")
    async with client(version) as (script, other):
        forking = asyncio.create_task(version.client.ClientSession.fork(other.peer, params))
        id_ = await script.request("session/fork", **members)
        script.write(chunk("a", session="new"), result(id_, sessionId="new"))
        session = await forking
        assert session is session.client.sessions["new"]
        assert texts(session) == ["a"]
        assert other.state.messages == []


@each_way_back
async def test_the_state_of_a_session_that_comes_back_begins_anew(
    version: Version, kind: str
) -> None:
    async with client(version) as (script, before):
        script.write(chunk("old"))
        await settle()
        coming = bring_back(version, kind, before)
        id_ = await read_bring_back(script, version, kind)
        script.write(chunk("re", role="user_message"), chunk("play"), result(id_))
        session = await coming
        assert session is before
        assert session.client.sessions == {SESSION: session}
        name = {"load": "LoadSessionResponse", "resume": "ResumeSessionResponse"}[kind]
        assert session.response == getattr(version.surface, name)()
        assert [each.text for each in session.state.messages] == ["re", "play"]
        script.write(chunk("!"))
        await settle()
        assert texts(session) == ["play!"]


@each_way_back
@pytest.mark.parametrize("is_known", [True, False])
async def test_a_session_that_does_not_come_back_stays_as_it_was(
    version: Version, kind: str, is_known: bool
) -> None:
    session_id = SESSION if is_known else "other"
    async with client(version) as (script, before):
        coming = bring_back(version, kind, before, session_id)
        id_ = await read_bring_back(script, version, kind, session_id)
        script.write(failure(id_, RESOURCE_NOT_FOUND))
        with pytest.raises(RequestError) as caught:
            await coming
        assert caught.value.code == RESOURCE_NOT_FOUND
        assert before.client.sessions == {SESSION: before}
        script.write(chunk("a"))
        await settle()
        assert texts(before) == ["a"]


@each_way_back
async def test_giving_up_a_session_that_comes_back_leaves_the_old_one(
    version: Version, kind: str
) -> None:
    async with client(version) as (script, before):
        coming = bring_back(version, kind, before)
        id_ = await read_bring_back(script, version, kind)
        coming.cancel()
        with pytest.raises(asyncio.CancelledError):
            await coming
        assert await script.read() == withdrawal(id_)
        assert before.client.sessions == {SESSION: before}


@each_version
async def test_sessions_are_listed(version: Version) -> None:
    async with client(version) as (script, session):
        surface = version.surface
        asking = version.client.ClientSession.list_sessions(
            session.peer, surface.ListSessionsRequest(cwd="/")
        )
        listing = asyncio.create_task(asking)
        id_ = await script.request("session/list", cwd="/")
        script.write(result(id_, sessions=[{"sessionId": "a", "cwd": "/"}], nextCursor="c"))
        found = await listing
        assert found == surface.ListSessionsResponse(
            sessions=[surface.SessionInfo(session_id="a", cwd="/")], next_cursor="c"
        )


@each_version
@pytest.mark.parametrize("is_known", [True, False])
async def test_a_closed_session_is_forgotten(version: Version, is_known: bool) -> None:
    async with client(version) as (script, session):
        closing = asyncio.create_task(session.close())
        id_ = await script.request("session/close", sessionId=SESSION)
        assert session.client.sessions == {SESSION: session}
        script.write(result(id_) if is_known else failure(id_, RESOURCE_NOT_FOUND))
        await closing
        assert session.client.sessions == {}


@each_version
async def test_closing_may_fail(version: Version) -> None:
    async with client(version) as (script, session):
        closing = asyncio.create_task(session.close())
        id_ = await script.request("session/close", sessionId=SESSION)
        script.write(failure(id_, INTERNAL_ERROR))
        with pytest.raises(RequestError) as caught:
            await closing
        assert caught.value.code == INTERNAL_ERROR
        assert session.client.sessions == {SESSION: session}


@each_version
@pytest.mark.parametrize("says_so", [True, False])
async def test_closing_cancels_what_is_under_way(version: Version, says_so: bool) -> None:
    user = Asked()
    async with client(version, session_request_permission=user) as (script, session):
        async with prompted(version, script, session, version.permission("a")) as (turn, id_):
            script.write(call("t", status="pending"))
            await settle()
            closing = asyncio.create_task(session.close())
            close = await script.request("session/close", sessionId=SESSION)
            assert await script.read() == result("a", **REFUSED)
            assert session.state.tool_calls["t"].status == "cancelled"
            if says_so or version is V1:  # in version 1 the prompt has to be answered
                script.write(*version.stopped(id_, "cancelled"))
            script.write(result(close))
            await closing
        assert turn.stop_reason == "cancelled"
        assert turn.is_cancelled
        assert (turn.ending is None) == (version is V2 and not says_so)
        assert session.turns == []
        assert user.withdrawn == ["t"]


@each_version
@pytest.mark.parametrize("is_accepted", [True, False])
async def test_a_prompt_that_is_answered_behind_the_closing_is_over(
    version: Version, is_accepted: bool
) -> None:
    async with client(version) as (script, session):
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            closing = asyncio.create_task(session.close())
            close = await script.request("session/close", sessionId=SESSION)
            script.write(result(close))
            await closing
            if not is_accepted:
                script.write(failure(id_, REQUEST_CANCELLED))
            elif version is V1:
                script.write(result(id_, stopReason="cancelled"))
            else:
                script.write(result(id_, messageId=MESSAGE))
            await settle()
            is_over = turn.is_over
            if not is_over:  # so that the test ends
                turn._close()
        assert is_over
        assert turn.stop_reason == "cancelled"


async def test_deleting_is_one_call() -> None:
    async with client(V1) as (script, session):
        deleting = asyncio.create_task(session.delete())
        id_ = await script.request("session/delete", sessionId=SESSION)
        script.write(result(id_))
        assert await deleting == v1.DeleteSessionResponse()


@each_version
async def test_sessions_are_kept_apart(version: Version) -> None:
    async with client(version) as (script, one):
        two = one.client.session("two")
        assert one.client.session("two") is two
        async with one.prompt("Hi") as first, two.prompt("Hi") as second:
            id_ = await script.prompt()
            other = await script.request("session/prompt", sessionId="two", prompt=[text("Hi")])
            if version is V2:
                script.write(result(other, messageId="m2"))
                running: Json = {"sessionUpdate": "state_update", "state": "running"}
                script.write(update("two", **running))
            script.write(*version.accepted(id_), chunk("1"), chunk("2", session="two"))
            script.write(chunk("3"), *version.stopped(id_))
            await settle()
            assert first.is_over
            assert not second.is_over
            await second.cancel()
            assert await script.read() == tell("session/cancel", sessionId="two")
            assert (first.is_cancelled, second.is_cancelled) == (False, True)
            if version is V1:
                script.write(result(other, stopReason="cancelled"))
            else:
                idle: Json = {"sessionUpdate": "state_update", "state": "idle"}
                script.write(update("two", **idle, stopReason="cancelled"))
        assert (first.stop_reason, second.stop_reason) == ("end_turn", "cancelled")
        assert (texts(one), texts(two)) == (["13"], ["2"])


@each_version
async def test_sessions_need_the_handler_that_keeps_them(version: Version) -> None:
    near, far = memory_streams()
    script = Script(far)
    surface, sessions = version.surface, version.client

    class Client(surface.ClientHandler):  # type: ignore[misc, name-defined]
        def __init__(self, peer: Any) -> None:
            pass

    new, resumed = opening(version, "new")[0], opening(version, "resume")[0]
    async with connect(near, Client) as peer:
        await initialize(version, script, peer)
        with pytest.raises(TypeError):
            sessions.SessionClient.of(peer)
        with pytest.raises(TypeError):
            await sessions.ClientSession.create(peer, new)
        with pytest.raises(TypeError):
            await sessions.ClientSession.resume(peer, resumed)
    assert await script.rest() == []


@each_version
async def test_sessions_need_an_initialized_connection(version: Version) -> None:
    near, far = memory_streams()
    script, sessions = Script(far), version.client
    new, resumed = opening(version, "new")[0], opening(version, "resume")[0]
    async with connect(near, sessions.SessionClient) as peer:
        with pytest.raises(RuntimeError):
            sessions.SessionClient.of(peer)
        with pytest.raises(RuntimeError):
            await sessions.ClientSession.create(peer, new)
        with pytest.raises(RuntimeError):
            await sessions.ClientSession.resume(peer, resumed)
        await initialize(version, script, peer)
        assert sessions.SessionClient.of(peer) is peer.handler
    assert await script.rest() == []


@pytest.mark.parametrize(
    ("version", "kind"), [(V1, "close"), (V1, "delete"), (V2, "delete")], ids=str
)
async def test_what_the_agent_lacks_is_not_called(version: Version, kind: str) -> None:
    async with client(version, lacks=[kind]) as (_, session):
        with pytest.raises(CapabilityError):
            await getattr(session, kind)()
        assert session.client.sessions == {SESSION: session}


@each_version
async def test_a_handler_may_still_take_updates(version: Version) -> None:
    found: list[Any] = []

    async def take(params: Any) -> None:
        found.append((params, texts(holder[0])))

    async with client(version, session_update=take) as (script, session):
        holder = [session]
        script.write(chunk("a"), chunk("b"))
        await settle()
        seen = [(params.update.content.text, state) for params, state in found]
        assert seen == [("a", ["ab"]), ("b", ["ab"])]  # both had arrived


async def test_other_methods_of_a_handler_are_called() -> None:
    async def echo(method: str, params: Any) -> Any:
        return [method, params]

    async with client(V2, ext_request=echo) as (script, _):
        script.write(ask(1, "_ask", a=1))
        assert await script.read() == {"id": 1, "result": ["_ask", {"a": 1}]}


@each_version
async def test_a_session_cannot_come_back_during_a_turn(version: Version) -> None:
    async with client(version) as (script, session), session.prompt("Hi"):
        id_ = await script.prompt()
        params = version.surface.ResumeSessionRequest(session_id=SESSION, cwd="/")
        with pytest.raises(RuntimeError, match="wait for its end"):
            await version.client.ClientSession.resume(session.peer, params)
        assert session.client.sessions == {SESSION: session}
        script.write(*version.accepted(id_), *version.stopped(id_))


async def test_what_cannot_be_closed_is_not_cancelled() -> None:
    async with client(V1, lacks=["close"]) as (script, session), session.prompt("Hi") as turn:
        id_ = await script.prompt()
        script.write(call("t", status="in_progress"))
        await settle()
        with pytest.raises(CapabilityError):
            await session.close()
        assert session.state.tool_calls["t"].status == "in_progress"
        assert not turn.is_cancelled
        script.write(*V1.accepted(id_), *V1.stopped(id_))
