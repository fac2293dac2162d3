"""Turns that are left before their end, and sessions that are closed or come back meanwhile."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from acp_bindings.runtime.aio import connect, connect_stdio, memory_streams
from acp_bindings.runtime.jsonrpc.errors import (
    INTERNAL_ERROR,
    RESOURCE_NOT_FOUND,
    CapabilityError,
    RequestError,
)
from acp_bindings.runtime.session.agent import Sender
from package.jsonrpc.loop import GUARD
from package.jsonrpc.wire import cancel as withdrawal
from package.session.scripted import (
    ALL,
    BLOCKS,
    CANCEL,
    SESSION,
    V1,
    V2,
    Json,
    Script,
    Version,
    agent,
    chunk,
    client,
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
    state,
    text,
    update,
)

REFUSED = {"outcome": {"outcome": "cancelled"}}
ALLOWED = {"outcome": {"outcome": "selected", "optionId": "yes"}}
MUCH = "x" * 100_000  # more than the other side may leave unread
BACK = [(V1, "load"), (V1, "resume"), (V2, "resume")]
each_way_back = pytest.mark.parametrize(
    ("version", "kind"), BACK, ids=[f"{version}-{kind}" for version, kind in BACK]
)


def texts(session: Any) -> list[str]:
    return [message.text for message in session.state.messages]


async def forever() -> None:
    await asyncio.Event().wait()


async def stay(session: Any, turns: list[Any], words: str = "Hi") -> None:
    """Wait at the end of the block."""
    async with session.prompt(words) as turn:
        turns.append(turn)


async def iterate(session: Any, turns: list[Any], words: str = "Hi") -> None:
    """Wait for updates."""
    async with session.prompt(words) as turn:
        turns.append(turn)
        async for _ in turn:
            pass


async def linger(session: Any, turns: list[Any], words: str = "Hi") -> None:
    """Wait for something else in the block."""
    async with session.prompt(words) as turn:
        turns.append(turn)
        await forever()


each_wait = pytest.mark.parametrize("wait", [stay, iterate, linger])


async def finish(version: Version, script: Script, id_: Any, session: Any) -> None:
    """End the one turn that was left, as the agent."""
    script.write(*version.accepted(id_), *version.stopped(id_, "cancelled"))
    await settle()
    assert session.turns == []


# --- an agent that does not read -------------------------------------------------------------


@each_version
@each_wait
def test_a_cancelled_task_does_not_wait_for_an_agent_that_does_not_read(
    version: Version, wait: Callable[..., Coroutine[Any, Any, None]]
) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            turns: list[Any] = []
            working = asyncio.create_task(wait(session, turns, MUCH))
            await settle()
            assert not working.done()
            working.cancel()
            await settle()
            assert working.cancelled()
            assert turns == session.turns
            assert turns[0].is_cancelled
            id_ = await script.prompt(MUCH)
            assert await script.read() == CANCEL
            await finish(version, script, id_, session)

    run(main())


@each_version
def test_an_exception_does_not_wait_for_an_agent_that_does_not_read(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            turns: list[Any] = []

            async def fail() -> None:
                async with session.prompt(MUCH) as turn:
                    turns.append(turn)
                    raise KeyError("mine")

            failing = asyncio.create_task(fail())
            await settle()
            assert failing.done()
            with pytest.raises(KeyError, match="mine"):
                failing.result()
            assert turns[0].is_cancelled
            id_ = await script.prompt(MUCH)
            assert await script.read() == CANCEL
            await finish(version, script, id_, session)

    run(main())


@each_version
def test_a_timeout_does_not_wait_for_an_agent_that_does_not_read(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            turns: list[Any] = []
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(stay(session, turns, MUCH), 0.01)
            assert turns[0].is_cancelled
            id_ = await script.prompt(MUCH)
            assert await script.read() == CANCEL
            await finish(version, script, id_, session)

    run(main())


@each_version
def test_cancelling_by_hand_waits_for_room_and_says_so_once(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt(MUCH) as turn:
                cancelling = asyncio.create_task(turn.cancel())
                await settle()
                assert turn.is_cancelled
                assert not cancelling.done()
                id_ = await script.prompt(MUCH)
                await cancelling
                assert await script.read() == CANCEL
                script.write(*version.accepted(id_), *version.stopped(id_, "cancelled"))
            assert turn.stop_reason == "cancelled"

    run(main())


# Answers `initialize`, and reads on only when it is told to by a signal.
HUNG = """
import json, signal, sys
go_on = [signal.SIGUSR1]
signal.pthread_sigmask(signal.SIG_BLOCK, go_on)
asked = json.loads(sys.stdin.readline())
reply = {"jsonrpc": "2.0", "id": asked["id"], "result": json.loads(sys.argv[1])}
print(json.dumps(reply), flush=True)
signal.sigwait(go_on)
methods = [json.loads(line)["method"] for line in sys.stdin]
with open(sys.argv[2], "w") as file:
    json.dump(methods, file)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
@each_version
def test_a_process_that_does_not_read_is_told_when_it_reads_again(
    version: Version, tmp_path: Any
) -> None:
    import signal

    answer: Json = version.initialized(0, BLOCKS)["result"]
    found = tmp_path / "methods"

    async def main() -> None:
        surface, sessions = version.surface, version.client
        command = [sys.executable, "-c", HUNG, json.dumps(answer), str(found)]
        async with connect_stdio(command, sessions.SessionClient, grace=GUARD) as peer:
            params: Json = {"protocolVersion": version.number}
            if version is V2:
                params["info"] = {"name": "client", "version": "1"}
            asking = surface.decode(surface.InitializeRequest, params)
            await surface.AgentStub(peer).initialize(asking)
            session = sessions.SessionClient.of(peer).session(SESSION)
            working = asyncio.create_task(linger(session, [], MUCH * 30))
            await settle()
            working.cancel()
            await asyncio.wait([working], timeout=GUARD / 2)
            assert working.cancelled()
            stream: Any = peer._stream
            assert stream.process.returncode is None
            stream.process.send_signal(signal.SIGUSR1)
        assert stream.process.returncode == 0

    run(main())
    assert json.loads(found.read_text()) == ["session/prompt", "session/cancel"]


# --- cancelled while waiting in the context itself -------------------------------------------


@each_surface
@each_wait
@pytest.mark.parametrize("is_accepted", [True, False])
def test_a_task_that_is_cancelled_where_it_waits_cancels_the_turn(
    version: Version, wait: Callable[..., Coroutine[Any, Any, None]], is_accepted: bool
) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            turns: list[Any] = []
            working = asyncio.create_task(wait(session, turns))
            id_ = await script.prompt()
            if is_accepted:
                script.write(*version.accepted(id_))
            await settle()
            working.cancel()
            await settle()
            assert working.cancelled()
            assert turns[0].is_cancelled
            assert not turns[0].is_over
            assert await script.read() == CANCEL
            script.write(*([] if is_accepted else version.accepted(id_)))
            script.write(*version.stopped(id_, "cancelled"))
            await settle()
            assert session.turns == []
            assert turns[0].stop_reason == "cancelled"

    run(main())


@each_surface
def test_a_task_that_is_cancelled_while_it_enters_cancels_the_turn(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            turns: list[Any] = []
            working = asyncio.create_task(stay(session, turns))
            await asyncio.sleep(0)  # it has begun to enter, and nothing is sent yet
            (turn,) = session.turns
            working.cancel()
            await settle()
            assert working.cancelled()
            assert turns == []
            assert turn.is_cancelled
            id_ = await script.prompt()
            assert await script.read() == CANCEL
            await finish(version, script, id_, session)

    run(main())


@each_version
def test_a_task_that_was_cancelled_before_it_enters_cancels_the_turn(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            turn = session.prompt("Hi")

            async def enter() -> None:
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
                async with turn:
                    raise AssertionError("it was cancelled")

            with pytest.raises(asyncio.CancelledError):
                await asyncio.create_task(enter())
            assert turn.is_cancelled
            id_ = await script.prompt()
            assert await script.read() == CANCEL
            await finish(version, script, id_, session)

    run(main())


@each_version
def test_a_task_that_is_cancelled_while_it_enters_what_cannot_be_sent_sends_nothing(
    version: Version,
) -> None:
    async def main() -> None:
        async with client(version, takes=[]) as (_, session):
            image = version.surface.ImageContent(data="", mime_type="image/png")
            turn = session.prompt([image])

            async def enter() -> None:
                async with turn:
                    raise AssertionError("it cannot be sent")

            entering = asyncio.create_task(enter())
            await asyncio.sleep(0)
            entering.cancel()
            await settle()
            assert entering.done()
            assert session.turns == []
            with pytest.raises((asyncio.CancelledError, CapabilityError)):
                entering.result()

    run(main())


@each_version
@each_wait
def test_a_task_that_is_cancelled_when_the_connection_has_ended_is_cancelled(
    version: Version, wait: Callable[..., Coroutine[Any, Any, None]]
) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            turns: list[Any] = []
            working = asyncio.create_task(wait(session, turns))
            await script.prompt()
            await settle()
            await script.close()
            working.cancel()
            await settle()
            assert working.cancelled()
            assert session.turns == []

    run(main())


@each_version
def test_two_turns_that_are_left_each_say_so(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            working = [asyncio.create_task(stay(session, [])) for _ in range(2)]
            ids = [await script.prompt(), await script.prompt()]
            for task in working:
                task.cancel()
            await settle()
            assert [await script.read(), await script.read()] == [CANCEL, CANCEL]
            for id_ in ids:
                script.write(failure(id_, -32800))
            await settle()
            assert session.turns == []

    run(main())


# --- the end of the connection ---------------------------------------------------------------


@each_surface
@pytest.mark.parametrize("has_sessions", [True, False])
@pytest.mark.parametrize("way", ["leave", "cancel", "mark_cancelled"])
def test_the_cleanup_of_a_question_to_the_user_is_waited_for(
    version: Version, has_sessions: bool, way: str
) -> None:
    log: list[str] = []

    async def main() -> None:
        async def permission(params: Any) -> None:
            log.append("asked")
            try:
                await forever()
            finally:
                for _ in range(20):
                    await asyncio.sleep(0)
                log.append("cleaned up")

        base = version.client.SessionClient if has_sessions else version.surface.ClientHandler
        near, far = memory_streams()
        script = Script(far)
        made = handler(base, session_request_permission=permission)
        factory = made if has_sessions else lambda peer: made()

        async def use() -> None:
            async with connect(near, factory):
                script.write(version.permission("a"))
                await settle()
                assert log == ["asked"]
                if way == "cancel":
                    await forever()
                if way == "mark_cancelled":
                    script.write(withdrawal("a"))
                    for _ in range(200):
                        await asyncio.sleep(0)
            log.append("left")

        using = asyncio.create_task(use())
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

    run(main())


# --- turns within handlers -------------------------------------------------------------------


def answering(
    version: Version, found: list[Any], again: Callable[[Any, Any], Coroutine[Any, Any, None]]
) -> Callable[[Any], Coroutine[Any, Any, None]]:
    """A handler of updates that does something at the first message of the agent."""

    async def take(params: Any) -> None:
        if isinstance(params.update, version.surface.AgentMessageChunk) and not found:
            found.append("update")
            await again(found, params)

    return take


@each_v2
def test_v2_a_turn_cannot_be_entered_in_the_handler_of_an_update_of_its_session(
    version: Version,
) -> None:
    async def main() -> None:
        found: list[Any] = []

        async def again(found: list[Any], params: Any) -> None:
            turn = sessions[0].prompt("again")
            with pytest.raises(RuntimeError, match=r"peer\.spawn"):
                await turn.__aenter__()
            found.append(list(sessions[0].turns))
            assert not turn.is_over

        take = answering(version, found, again)
        async with client(version, session_update=take) as (script, session):
            sessions = [session]
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), chunk("a"), *version.stopped(id_))
            assert turn.stop_reason == "end_turn"
            assert found == ["update", [turn]]

    run(main())


@each_v2
def test_v2_a_turn_cannot_be_entered_by_a_task_that_such_a_handler_waits_for(
    version: Version,
) -> None:
    async def main() -> None:
        found: list[Any] = []

        async def again(found: list[Any], params: Any) -> None:
            with pytest.raises(RuntimeError):
                await asyncio.create_task(stay(sessions[0], [], "again"))

        take = answering(version, found, again)
        async with client(version, session_update=take) as (script, session):
            sessions = [session]
            script.write(chunk("a"))
            await settle()
            assert found == ["update"]

    run(main())


async def second_turn(version: Version, script: Script, first: Any, session: str) -> None:
    """As the agent, end the first turn and then do the one that the update led to."""
    prompt = [text("again")]
    second = await script.request("session/prompt", sessionId=session, prompt=prompt)
    script.write(*version.stopped(first))
    if version.number == 1:
        script.write(result(second, stopReason="refusal"))
        return
    script.write(result(second, messageId="m2"))
    for members in ({"state": "running"}, {"state": "idle", "stopReason": "refusal"}):
        script.write(update(session, sessionUpdate="state_update", **members))


WAYS = [(version, way) for version in ALL for way in ("spawn", "other", "later")]
WAYS += [(version, "handler") for version in ALL if version.number == 1]


@pytest.mark.parametrize(("version", "way"), WAYS, ids=str)
def test_a_turn_may_be_entered_because_of_an_update(version: Version, way: str) -> None:
    async def main() -> None:
        found: list[Any] = []
        tasks: list[Any] = []
        done = asyncio.Event()
        session_id = "other" if way == "other" else SESSION

        async def prompt(found: list[Any]) -> None:
            async with sessions[0].client.session(session_id).prompt("again") as turn:
                pass
            found.append(turn.stop_reason)
            done.set()

        async def later(found: list[Any]) -> None:
            await settle()
            await prompt(found)

        async def again(found: list[Any], params: Any) -> None:
            if way == "spawn":
                sessions[0].peer.spawn(prompt(found))
            elif way == "later":  # it is over when the task enters the turn
                tasks.append(asyncio.create_task(later(found)))
            else:
                await prompt(found)

        take = answering(version, found, again)
        async with client(version, session_update=take) as (script, session):
            sessions = [session]
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), chunk("a"))
                await second_turn(version, script, id_, session_id)
            await done.wait()
            assert turn.stop_reason == "end_turn"
            assert found == ["update", "refusal"]

    run(main())


@each_v2
def test_v2_a_turn_may_be_entered_in_the_handler_of_a_request_of_its_session(
    version: Version,
) -> None:
    async def main() -> None:
        async def permission(params: Any) -> Any:
            async with sessions[0].prompt("again"):
                pass
            surface = version.surface
            answer = {"outcome": {"outcome": "selected", "optionId": "yes"}}
            return surface.decode(surface.RequestPermissionResponse, answer)

        async with client(version, session_request_permission=permission) as (script, session):
            sessions = [session]
            script.write(chunk("a"), version.permission("p"))
            id_ = await script.prompt("again")
            script.write(*version.accepted(id_), *version.stopped(id_))
            assert await script.read() == result("p", **ALLOWED)

    run(main())


# --- what comes for a session that was closed ------------------------------------------------


async def close(script: Script, session: Any, *behind: Json) -> None:
    """Close a session; the agent says more behind its answer."""
    closing = asyncio.create_task(session.close())
    id_ = await script.request("session/close", sessionId=session.session_id)
    script.write(result(id_), *behind)
    await closing
    await settle()


def opening(version: Version, kind: str, session: str = SESSION) -> Any:
    """The params of a method by which a session comes back, and the same on the wire."""
    members: Json = {"cwd": "/", "sessionId": session}
    if kind == "load":
        members["mcpServers"] = []
    surface = version.surface
    return surface.decode(getattr(surface, f"{kind.title()}SessionRequest"), members), members


def coming(version: Version, kind: str, session: Any) -> asyncio.Task[Any]:
    """Have a session come back."""
    params, _ = opening(version, kind)
    return asyncio.create_task(getattr(version.client.ClientSession, kind)(session.peer, params))


async def asked(script: Script, version: Version, kind: str) -> Any:
    """Read what that asks the agent for; its id."""
    return await script.request(f"session/{kind}", **opening(version, kind)[1])


@each_surface
def test_late_updates_make_no_session(version: Version) -> None:
    async def main() -> None:
        found: list[Any] = []

        async def take(params: Any) -> None:
            found.append(params.update.content.text)

        async with client(version, session_update=take) as (script, session):
            await close(script, session, chunk("late"))
            script.write(chunk("later"))
            await settle()
            assert session.client.sessions == {}
            assert texts(session) == []
            assert found == ["late", "later"]  # the handler may still want to know

    run(main())


@each_version
def test_many_sessions_that_are_closed_leave_nothing(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            sessions = session.client
            await close(script, session)
            for number in range(50):
                id_ = f"s{number}"
                await close(script, sessions.session(id_), chunk("late", session=id_))
            for number in range(50):
                script.write(chunk("later", session=f"s{number}"))
            await settle()
            assert sessions.sessions == {}
            script.write(chunk("a", session="new"))
            await settle()
            assert list(sessions.sessions) == ["new"]

    run(main())


@each_version
def test_a_question_about_a_session_that_was_closed_is_answered_and_leaves_nothing(
    version: Version,
) -> None:
    async def main() -> None:
        async def permission(params: Any) -> Any:
            surface = version.surface
            return surface.decode(surface.RequestPermissionResponse, ALLOWED)

        async with client(version, session_request_permission=permission) as (script, session):
            await close(script, session)
            script.write(version.permission("a"))
            assert await script.read() == result("a", **ALLOWED)
            assert session.client.sessions == {}

    run(main())


@each_version
def test_a_question_about_a_session_that_was_closed_can_be_withdrawn(version: Version) -> None:
    async def main() -> None:
        async def permission(params: Any) -> Any:
            await forever()

        async with client(version, session_request_permission=permission) as (script, session):
            await close(script, session)
            script.write(version.permission("a"))
            await settle()
            script.write(withdrawal("a"))
            assert await script.read() == result("a", **REFUSED)
            assert session.client.sessions == {}

    run(main())


@each_way_back
@pytest.mark.parametrize("times", [1, 2])
def test_a_session_that_was_closed_may_come_back(version: Version, kind: str, times: int) -> None:
    async def main() -> None:
        async with client(version) as (script, before):
            session = before
            for _ in range(times):
                await close(script, session, chunk("late"))
                returning = coming(version, kind, before)
                id_ = await asked(script, version, kind)
                script.write(chunk("re"), result(id_), chunk("play"))
                session = await returning
                await settle()
                assert session.client.sessions == {SESSION: session}
                assert texts(session) == ["replay"]
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), *version.stopped(id_))
            assert turn.stop_reason == "end_turn"

    run(main())


@each_way_back
def test_a_session_that_was_closed_and_does_not_come_back_stays_closed(
    version: Version, kind: str
) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            await close(script, session)
            returning = coming(version, kind, session)
            id_ = await asked(script, version, kind)
            script.write(chunk("re"), failure(id_, RESOURCE_NOT_FOUND), chunk("late"))
            with pytest.raises(RequestError):
                await returning
            await settle()
            assert session.client.sessions == {}

    run(main())


# --- a session that comes back twice, or is closed meanwhile ---------------------------------


TWICE = [
    (version, kind, second) for version, kind in BACK for other, second in BACK if other is version
]


@pytest.mark.parametrize(("version", "kind", "second"), TWICE, ids=str)
@pytest.mark.parametrize("outcome", ["result", "failure", "cancelled"])
def test_a_session_does_not_come_back_twice_at_once(
    version: Version, kind: str, second: str, outcome: str
) -> None:
    async def main() -> None:
        async with client(version) as (script, before):
            first = coming(version, kind, before)
            id_ = await asked(script, version, kind)
            for _ in range(2):
                with pytest.raises(RuntimeError, match="wait for its end"):
                    await coming(version, second, before)
            script.write(chunk("a"))
            await settle()
            if outcome == "result":
                script.write(result(id_), chunk("b"))
                session = await first
                await settle()
                assert texts(session) == ["ab"]
                assert texts(before) == []
            elif outcome == "failure":
                script.write(failure(id_, INTERNAL_ERROR), chunk("b"))
                with pytest.raises(RequestError, match="no"):
                    await first
                session = before
                await settle()
                assert texts(before) == ["b"]
            else:
                first.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await first
                assert await script.read() == withdrawal(id_)
                session = before
            assert session.client.sessions == {SESSION: session}
            third = coming(version, second, before)  # now it may
            script.write(result(await asked(script, version, second)))
            assert (await third).client.sessions == {SESSION: third.result()}

    run(main())


@each_way_back
def test_other_sessions_come_back_at_the_same_time(version: Version, kind: str) -> None:
    async def main() -> None:
        async with client(version) as (script, before):
            come_back = getattr(version.client.ClientSession, kind)
            returning = []
            for name in ("a", "b"):
                params, members = opening(version, kind, name)
                task = asyncio.create_task(come_back(before.peer, params))
                returning.append((task, await script.request(f"session/{kind}", **members)))
            for _, id_ in reversed(returning):
                script.write(result(id_))
            sessions = [await task for task, _ in returning]
            assert before.client.sessions == {SESSION: before, "a": sessions[0], "b": sessions[1]}

    run(main())


@each_way_back
@pytest.mark.parametrize("which", ["before", "new"])
def test_closing_meanwhile_does_not_hide_why_a_session_does_not_come_back(
    version: Version, kind: str, which: str
) -> None:
    async def main() -> None:
        async with client(version) as (script, before):
            returning = coming(version, kind, before)
            id_ = await asked(script, version, kind)
            session = before if which == "before" else before.client.session(SESSION)
            assert (session is before) == (which == "before")
            await close(script, session)
            script.write(failure(id_, RESOURCE_NOT_FOUND, "gone"))
            with pytest.raises(RequestError, match="gone"):
                await returning
            assert before.client.sessions == {}  # the earlier one was closed

    run(main())


@each_way_back
def test_a_session_that_comes_back_behind_its_closing_is_up_to_date(
    version: Version, kind: str
) -> None:
    """The agent takes up the session again when it has closed it."""

    async def main() -> None:
        async with client(version) as (script, before):
            closing = asyncio.create_task(before.close())
            closed = await script.request("session/close", sessionId=SESSION)
            returning = coming(version, kind, before)
            id_ = await asked(script, version, kind)
            script.write(result(closed))
            await closing
            script.write(chunk("re"), result(id_))
            session = await returning
            script.write(chunk("play"))
            await settle()
            assert session.client.sessions == {SESSION: session}
            assert texts(session) == ["replay"]

    run(main())


@each_way_back
def test_a_session_that_is_closed_behind_its_return_is_forgotten(
    version: Version, kind: str
) -> None:
    async def main() -> None:
        async with client(version) as (script, before):
            returning = coming(version, kind, before)
            id_ = await asked(script, version, kind)
            closing = asyncio.create_task(before.client.session(SESSION).close())
            closed = await script.request("session/close", sessionId=SESSION)
            script.write(result(id_), result(closed), chunk("late"))
            await returning
            await closing
            await settle()
            assert before.client.sessions == {}

    run(main())


# --- sending updates -------------------------------------------------------------------------


@each_surface
def test_senders_look_like_methods(version: Version) -> None:
    class_ = version.agent.AgentSession
    kinds = version.surface.AvailableCommandsUpdate.__name__

    async def main() -> None:
        async with agent(version) as (_, session):
            for sender in (class_.available_commands, session.available_commands):
                assert sender.__name__ == "available_commands"
                assert sender.__qualname__ == "AgentSession.available_commands"
                assert kinds in sender.__doc__
            names = [name for name, value in vars(class_).items() if isinstance(value, Sender)]
            assert len(names) > 5
            for name in names:
                assert getattr(session, name).__name__ == name
                assert getattr(session, name).__doc__ == getattr(class_, name).__doc__
            docs = {getattr(session, name).__doc__ for name in names}
            assert len(docs) == len(names)

    run(main())


@each_surface
def test_an_empty_string_is_the_id_of_a_session(version: Version) -> None:
    async def main() -> None:
        async def turn(session: Any, params: Any) -> None:
            assert session.session_id == ""

        async with agent(version, turn) as (script, other):
            served = other.peer.handler
            session = served.open("")
            assert session.session_id == ""
            assert served.session("") is session
            await session.available_commands(available_commands=[])
            assert (await script.read())["params"]["sessionId"] == ""
            script.write(prompt(1, session=""))
            if version.number == 1:
                await ended(version, script, 1)
                return
            assert (await script.read())["id"] == 1
            said = [(await script.read())["params"] for _ in range(3)]
            assert [each["sessionId"] for each in said] == [""] * 3
            assert said[-1]["update"]["state"] == "idle"

    run(main())


@each_surface
def test_without_an_id_a_session_gets_one(version: Version) -> None:
    async def main() -> None:
        async with agent(version) as (_, other):
            served = other.peer.handler
            ids = {served.open().session_id for _ in range(3)} | {served.open(None).session_id}
            assert len(ids) == 4
            assert all(ids)

    run(main())


@each_surface
@pytest.mark.parametrize("way", ["say", "think"])
def test_an_empty_string_is_the_id_of_a_message(version: Version, way: str) -> None:
    async def main() -> None:
        async with agent(version) as (script, session):
            say = getattr(session, way)
            await say("a", message_id="")
            await say("b")  # goes on with it
            await say("c", message_id="other")
            await say("d", message_id="")
            found = [each.get("messageId") for each in await script.updates(4)]
            # In version 1, what goes on with a message need not name it.
            assert found == ["", "" if version.number == 2 else None, "other", ""]
            if version.number == 2:
                said = [(each.message_id, each.text) for each in session.state.messages]
                assert said == [("", "abd"), ("other", "c")]

    run(main())


@each_v2
def test_v2_an_empty_string_is_the_id_of_a_prompt(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(state("running"))
                content = [text("Hi")]
                script.write(update(sessionUpdate="user_message", messageId="", content=content))
                script.write(state("idle", stopReason="end_turn"), result(id_, messageId=""))
            assert turn.stop_reason == "end_turn"

    run(main())
