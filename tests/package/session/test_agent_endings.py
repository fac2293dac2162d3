"""Tests that ending an agent's session calls `ended` once and closes the session's resources."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import pytest
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Peer, connect_memory, memory_streams, serve

from tests.package.jsonrpc.wire import ask, cancel
from tests.package.session.scripted import (
    V1,
    V1_UNSTABLE,
    V2,
    Json,
    Script,
    Version,
    Waiting,
    each_surface,
    each_version,
    failure,
    handler,
    logs,
    nothing,
    opening,
    prompt,
    result,
    settle,
)

Ended = Callable[[Any], Coroutine[Any, Any, None]]
GRACE = 0.02
FAILED = "`ended` of session 'a' failed"
SLOW = "`ended` of session 'a' took longer than 0.02 seconds; cancelling it"


async def nothing_more(session: Any) -> None: ...


class Ends:
    """A record of ended sessions (`a` for the session a) and of their closed resources (`a*`)."""

    def __init__(self, ended: Ended = nothing_more) -> None:
        self.seen: list[str] = []
        self._ended = ended

    def sessions(self, version: Version) -> type:
        """Return a session class that adds the ids of ended sessions to `seen`."""
        ends = self

        class Session(version.agent.AgentSession):  # type: ignore[name-defined, misc]
            async def ended(self) -> None:
                assert not self.is_working
                ends.seen.append(self.session_id)
                await ends._ended(self)

        return Session

    @asynccontextmanager
    async def own(self, session: Any) -> AsyncGenerator[str]:
        """Open a resource for a session, and record when the resource is closed."""
        try:
            yield session.session_id
        finally:
            self.seen.append(f"{session.session_id}*")

    def agent(self, version: Version, **methods: Any) -> type:
        """Return an agent class that opens the sessions a, b and so on, each with a resource."""
        ends = self

        class Agent(version.agent.SessionAgent[self.sessions(version)]):  # type: ignore[misc]
            async def turn(self, session: Any, params: Any) -> Any:
                return await methods.get("turn", nothing)(session, params)

            async def session_new(self, params: Any) -> Any:
                session = self.open("abcdef"[self._opened])
                await session.exit_stack.enter_async_context(ends.own(session))
                return version.surface.NewSessionResponse(session_id=session.session_id)

            async def session_resume(self, params: Any) -> Any:
                session = self.session(params.session_id)
                await session.exit_stack.enter_async_context(ends.own(session))
                return version.surface.ResumeSessionResponse()

        others = {name: method for name, method in methods.items() if name != "turn"}
        return type("Mine", (Agent,), others)


@asynccontextmanager
async def served(
    version: Version, agent: Any, *, count: int = 1, grace: float = GRACE, **options: Any
) -> AsyncGenerator[tuple[Script, Any]]:
    """Serve an agent and open `count` sessions. Yield the client's script and the agent's peer."""
    near, far = memory_streams()
    script = Script(near)
    peer = Peer(far, "agent", agent)
    running = asyncio.create_task(peer.run(0, grace))
    await script.initialize(version.number)
    for number in range(count):
        script.write(ask(number, "session/new", **opening(version, "new")[1]))
        await script.read()
    try:
        yield script, peer
    finally:
        await script.close()
        await running


def close(session: str = "a", id_: Any = "close", method: str = "close") -> Json:
    return ask(id_, f"session/{method}", sessionId=session)


# --- events that end a session ---------------------------------------------------------------


@each_surface
async def test_closing_a_session_ends_it(version: Version) -> None:
    ends = Ends()
    async with served(version, ends.agent(version), count=2) as (script, _):
        script.write(close(), close(id_="again"))
        assert {(await script.read())["id"] for _ in range(2)} == {"close", "again"}
        assert ends.seen == ["a", "a*"]
    assert ends.seen == ["a", "a*", "b", "b*"]


@each_surface
@pytest.mark.parametrize("forgets", [False, True])
async def test_deleting_an_open_session_ends_it(version: Version, forgets: bool) -> None:
    async def delete(self: Any, params: Any) -> None:
        if forgets:
            self.sessions.pop(params.session_id, None)

    ends = Ends()
    agent = ends.agent(version, session_delete=delete)
    async with served(version, agent) as (script, _):
        script.write(close(method="delete"))
        assert await script.read() == result("close")
        assert ends.seen == ["a", "a*"]
        script.write(close("unknown", method="delete"))
        assert await script.read() == result("close")


@each_version
async def test_a_session_ends_with_its_connection(version: Version) -> None:
    ends = Ends()
    async with served(version, ends.agent(version), count=3) as (_, peer):
        pass
    assert sorted(ends.seen) == ["a", "a*", "b", "b*", "c", "c*"]
    assert peer.handler.sessions == {}


@each_version
async def test_an_agent_can_end_a_session_without_a_connection(version: Version) -> None:
    ends = Ends()
    agent = ends.agent(version)()
    session = agent.open("a")
    await session.exit_stack.enter_async_context(ends.own(session))
    await agent.end_session("a")
    await agent.end_session("a")
    await session.end()
    assert ends.seen == ["a", "a*"]
    assert agent.sessions == {}


async def test_an_end_leaves_no_timers() -> None:
    loop: Any = asyncio.get_running_loop()
    before = set(loop._scheduled)
    ends = Ends()
    agent = ends.agent(V1)()
    session = agent.open("a")
    await session.exit_stack.enter_async_context(ends.own(session))
    await agent.end_session("a")
    assert ends.seen == ["a", "a*"]
    assert [timer for timer in set(loop._scheduled) - before if not timer.cancelled()] == []


@each_version
async def test_a_session_ends_if_it_cannot_be_opened(version: Version) -> None:
    async def fail(self: Any, params: Any) -> Any:
        session = self.open("a")
        await session.exit_stack.enter_async_context(ends.own(session))
        raise RequestError(-7, "no")

    ends = Ends()
    agent = ends.agent(version, session_new=fail)
    async with served(version, agent, count=0) as (script, _):
        script.write(ask(1, "session/new", **opening(version, "new")[1]))
        assert await script.read() == failure(1, -7, "no")
        await settle()
        assert ends.seen == ["a", "a*"]
    assert ends.seen == ["a", "a*"]


@each_version
async def test_what_is_entered_too_late_is_closed(version: Version) -> None:
    """The session is closed while its handler is still entering a context."""
    closed: list[str] = []

    @asynccontextmanager
    async def slow() -> AsyncGenerator[None]:
        try:
            await asyncio.Event().wait()
            yield
        finally:
            closed.append("slow")

    async def new(self: Any, params: Any) -> Any:
        session = self.open("a")
        with pytest.raises(RuntimeError, match="the session has ended"):
            await session.exit_stack.enter_async_context(slow())
        with pytest.raises(RuntimeError, match="the session 'a' has ended"):
            _ = session.exit_stack
        raise RequestError(-7, "no")

    ends = Ends()
    async with served(version, ends.agent(version, session_new=new), count=0) as (script, peer):
        script.write(ask(1, "session/new", **opening(version, "new")[1]))
        await settle()
        await peer.handler.end_session("a")
        assert closed == ["slow"]
        assert await script.read() == failure(1, -7, "no")
    assert ends.seen == ["a"]


@each_version
async def test_cancelling_a_close_does_not_stop_the_end(version: Version) -> None:
    async def wait(session: Any) -> None:
        await gate.wait()
        ends.seen.append("done")

    gate = asyncio.Event()
    ends = Ends(wait)
    async with served(version, ends.agent(version), grace=9) as (script, _):
        script.write(close())
        await settle()
        script.write(cancel("close"))
        await script.read()
        assert ends.seen == ["a"]
        gate.set()
    assert ends.seen == ["a", "done", "a*"]


@each_version
async def test_an_end_goes_on_when_the_connection_ends(version: Version) -> None:
    async def wait(session: Any) -> None:
        await asyncio.sleep(0.001)
        ends.seen.append("done")

    ends = Ends(wait)
    async with served(version, ends.agent(version), grace=9) as (script, _):
        script.write(close())
        await settle()
    assert ends.seen == ["a", "done", "a*"]


@each_version
async def test_turns_are_over_before_a_session_ends(version: Version) -> None:
    async def stop(session: Any, params: Any) -> None:
        await asyncio.sleep(0.001)
        ends.seen.append("turn")

    for how in ("close", "connection", "end_session in the turn"):

        async def turn(session: Any, params: Any, how: str = how) -> None:
            if how == "end_session in the turn":
                await session.agent.end_session("a")
            await Waiting(stop)(session, params)

        ends = Ends()
        async with served(version, ends.agent(version, turn=turn), grace=9) as (script, _):
            script.write(prompt(1, session="a"), prompt(2, session="a"))
            await settle()
            if how == "close":
                script.write(close())
                while "close" not in str((await script.read()).get("id")):
                    pass
        turns = [] if how == "end_session in the turn" else ["turn"]
        assert ends.seen == [*turns, "a", "a*"]


@each_version
async def test_a_turn_that_begins_after_the_end_is_cancelled(version: Version) -> None:
    async def late(self: Any, params: Any) -> Any:
        session = self.session(params.session_id)
        await gate.wait()
        return await session.run_turn(params.prompt, self.turn(session, params))

    async def turn(session: Any, params: Any) -> None:
        ends.seen.append("turn")

    gate = asyncio.Event()
    ends = Ends()
    agent = ends.agent(version, turn=turn, session_prompt=late)
    async with served(version, agent) as (script, _):
        script.write(prompt(1, session="a"))
        await settle()
        script.write(close())
        assert await script.read() == result("close")
        gate.set()
        answer = await script.read()
        assert "cancelled" in str(answer)
    assert ends.seen == ["a", "a*"]


@each_version
async def test_ended_can_end_its_session_again(version: Version) -> None:
    async def again(session: Any) -> None:
        await session.agent.end_session(session.session_id)
        await session.end()

    ends = Ends(again)
    async with served(version, ends.agent(version)) as (script, _):
        script.write(close())
        assert await script.read() == result("close")
        assert ends.seen == ["a", "a*"]


@each_version
async def test_ended_can_end_other_sessions(version: Version) -> None:
    async def spread(session: Any) -> None:
        if session.session_id == "a":
            await session.agent.end_session("b")

    ends = Ends(spread)
    async with served(version, ends.agent(version), count=2) as (script, _):
        script.write(close())
        assert await script.read() == result("close")
    assert sorted(ends.seen) == ["a", "a*", "b", "b*"]


# --- trouble ---------------------------------------------------------------------------------


@logs(FAILED)
@each_version
async def test_an_error_is_logged_and_the_rest_is_closed(version: Version) -> None:
    async def fail(session: Any) -> None:
        raise ValueError("no")

    ends = Ends(fail)
    async with served(version, ends.agent(version)) as (script, _):
        script.write(close())
        assert await script.read() == result("close")
    assert ends.seen == ["a", "a*"]


@logs(SLOW)
@each_version
@pytest.mark.parametrize("how", ["close", "connection"])
async def test_a_slow_end_is_cancelled_and_the_rest_is_closed(version: Version, how: str) -> None:
    async def wait(session: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ends.seen.append("cancelled")

    ends = Ends(wait)
    async with served(version, ends.agent(version)) as (script, _):
        if how == "close":
            script.write(close())
            assert await script.read() == result("close")
    assert ends.seen == ["a", "cancelled", "a*"]


@logs(SLOW, "`ended` of session 'a' ignored its cancellation; dropping it")
@each_version
async def test_an_end_that_ignores_its_cancellation_is_dropped(version: Version) -> None:
    async def wait(session: Any) -> None:
        while True:
            try:
                await asyncio.sleep(1)
            except asyncio.CancelledError:
                if len(ends.seen) > 200:
                    raise
                ends.seen.append("ignored")

    ends = Ends(wait)
    async with served(version, ends.agent(version)):
        pass
    assert ends.seen[-1] == "a*"


@logs("the work of a turn did not end; dropping it")
@each_version
async def test_work_that_ignores_the_end_of_its_connection_is_dropped(version: Version) -> None:
    async def turn(session: Any, params: Any) -> None:
        while not gate.is_set():
            with suppress(asyncio.CancelledError):
                await gate.wait()

    gate = asyncio.Event()
    ends = Ends()
    async with served(version, ends.agent(version, turn=turn)) as (script, _):
        script.write(prompt(1, session="a"))
        await settle()
    assert ends.seen == ["a", "a*"]
    gate.set()


@logs("a turn of session 'a' took longer than 0.02 seconds; cancelling it")
@each_version
@pytest.mark.parametrize("keeps", [False, True])
async def test_a_turn_that_goes_on_does_not_stop_the_end(version: Version, keeps: bool) -> None:
    """The connection didn't start the turn's task, so it doesn't end the task."""

    async def work() -> None:
        while not gate.is_set():
            with suppress(asyncio.CancelledError):
                await gate.wait()

    gate = asyncio.Event()
    closed: list[str] = []
    agent: Any = handler(version.agent.SessionAgent, turn=nothing)()
    agent.keep_sessions = keeps
    session = agent.open("a")
    session.exit_stack.callback(closed.append, "a")
    turn = asyncio.create_task(session.run_turn([], work()))
    await settle()
    async with served(version, agent, count=0):
        pass
    assert closed == ["a"]
    gate.set()
    await turn


@each_version
async def test_closing_a_connection_at_once_still_calls_ended(version: Version) -> None:
    ends = Ends()
    async with served(version, ends.agent(version)) as (_, peer):
        await peer.close(0)
    assert ends.seen == ["a", "a*"]


@logs("the exit stack of session 'a' failed")
@each_version
async def test_each_owned_resource_is_closed(version: Version) -> None:
    @asynccontextmanager
    async def failing() -> AsyncGenerator[None]:
        yield
        raise ValueError("no")

    async def new(self: Any, params: Any) -> Any:
        session = self.open("a")
        stack = session.exit_stack
        assert stack is session.exit_stack
        assert await stack.enter_async_context(ends.own(session)) == "a"
        await stack.enter_async_context(failing())
        stack.callback(ends.seen.append, "callback")
        return version.surface.NewSessionResponse(session_id="a")

    ends = Ends()
    async with served(version, ends.agent(version, session_new=new)):
        pass
    assert ends.seen == ["a", "callback", "a*"]


@logs("the exit stack of session 'a' took longer than 0.02 seconds; cancelling it")
@each_version
async def test_a_resource_that_does_not_close_does_not_stop_others(version: Version) -> None:
    @asynccontextmanager
    async def hanging() -> AsyncGenerator[None]:
        yield
        await asyncio.Event().wait()

    async def new(self: Any, params: Any) -> Any:
        session = self.open("a")
        await session.exit_stack.enter_async_context(ends.own(session))
        await session.exit_stack.enter_async_context(hanging())
        await session.exit_stack.enter_async_context(hanging())
        return version.surface.NewSessionResponse(session_id="a")

    ends = Ends()
    async with served(version, ends.agent(version, session_new=new)):
        pass
    assert ends.seen == ["a", "a*"]


@each_version
async def test_what_cannot_be_entered_fails_where_it_is_entered(version: Version) -> None:
    @asynccontextmanager
    async def failing() -> AsyncGenerator[None]:
        raise ValueError("no")
        yield

    session = Ends().agent(version)().open("a")
    with pytest.raises(ValueError, match="no"):
        await session.exit_stack.enter_async_context(failing())
    with pytest.raises((TypeError, AttributeError)):
        await session.exit_stack.enter_async_context(object())
    await session.end()


@each_version
async def test_entering_can_be_cancelled(version: Version) -> None:
    @asynccontextmanager
    async def slow() -> AsyncGenerator[None]:
        try:
            await asyncio.Event().wait()
            yield
        finally:
            left.append("slow")

    left: list[str] = []
    session = Ends().agent(version)().open("a")
    entering = asyncio.create_task(session.exit_stack.enter_async_context(slow()))
    await settle()
    entering.cancel()
    with pytest.raises(asyncio.CancelledError):
        await entering
    assert left == ["slow"]
    await session.end()


@each_version
async def test_task_groups_are_left_by_the_task_that_entered_them(version: Version) -> None:
    """MCP clients use anyio task groups, which can only be left by the task that entered them."""

    @asynccontextmanager
    async def server(session: Any) -> AsyncGenerator[None]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.sleep_forever)
            yield
            tasks.cancel_scope.cancel()
        ends.seen.append("server")

    async def new(self: Any, params: Any) -> Any:
        session = self.open("a")
        await session.exit_stack.enter_async_context(server(session))
        return version.surface.NewSessionResponse(session_id="a")

    ends = Ends()
    async with served(version, ends.agent(version, session_new=new)):
        pass
    assert ends.seen == ["a", "server"]


# --- sessions that are kept ------------------------------------------------------------------


@each_version
@pytest.mark.parametrize("keeps", [None, True])
async def test_an_agent_object_keeps_its_sessions(version: Version, keeps: bool | None) -> None:
    ends = Ends()
    agent = ends.agent(version)()
    agent.keep_sessions = keeps
    for number in range(2):
        async with served(version, agent, count=1 - number) as (script, _):
            if number:
                script.write(ask("q", "session/resume", **opening(version, "resume", "a")[1]))
                assert await script.read() == result("q")
        assert ends.seen == ["a*"] * (number + 1)  # each connection closes the resource
    assert list(agent.sessions) == ["a"]
    async with served(version, agent, count=0) as (script, _):
        script.write(close())
        assert await script.read() == result("close")
    assert ends.seen == ["a*", "a*", "a"]


@each_version
@pytest.mark.parametrize("keeps", [False, True])
async def test_an_agent_says_whether_it_keeps_its_sessions(version: Version, keeps: bool) -> None:
    ends = Ends()
    agent = ends.agent(version)
    agent.keep_sessions = keeps  # type: ignore[attr-defined]
    shared = agent()
    for given in (shared, {version.surface: lambda peer: shared}):
        ends.seen.clear()
        async with served(version, given):
            pass
        assert len(shared.sessions) == (2 - (given is shared) if keeps else 0)
        assert len(ends.seen) == (1 if keeps else 2)


@each_version
async def test_a_session_whose_opening_fails_is_not_kept(version: Version) -> None:
    async def wait(self: Any, params: Any) -> Any:
        session = self.open("a")
        await session.exit_stack.enter_async_context(ends.own(session))
        await asyncio.Event().wait()

    ends = Ends()
    agent = ends.agent(version, session_new=wait)()
    async with served(version, agent, count=0) as (script, _):
        script.write(ask(1, "session/new", **opening(version, "new")[1]))
        await settle()
    assert ends.seen == ["a", "a*"]
    assert agent.sessions == {}


# --- ends of connections -------------------------------------------------------


@each_version
async def test_a_session_ends_before_serve_returns(version: Version) -> None:
    async def slow(session: Any) -> None:
        await asyncio.sleep(0.001)
        ends.seen.append("done")

    for how in ("eof", "cancelled", "closed by the agent"):
        ends = Ends(slow)
        near, far = memory_streams()
        script = Script(near)
        agent = ends.agent(version)
        serving = asyncio.create_task(serve(far, agent, linger=0, grace=9))
        await script.initialize(version.number)
        script.write(ask(1, "session/new", **opening(version, "new")[1]))
        await script.read()
        if how == "eof":
            await script.close()
        elif how == "cancelled":
            serving.cancel()
        else:
            script.write(ask(2, "_close"))

            async def stop(self: Any, method: str, params: Any) -> None:
                await self.peer.close()

            agent.ext_request = stop  # type: ignore[attr-defined]
        await asyncio.wait([serving])
        assert ends.seen == ["a", "done", "a*"], how
        await script.close()


def test_a_session_ends_when_the_program_ends() -> None:
    async def turn(session: Any, params: Any) -> None:
        raise SystemExit(3)

    ends = Ends()

    async def main() -> None:
        async with served(V1, ends.agent(V1, turn=turn)) as (script, _):
            script.write(prompt(1, session="a"))
            await asyncio.Event().wait()

    with pytest.raises(SystemExit):
        asyncio.run(main())
    assert sorted(ends.seen) == ["a", "a*"]


def test_an_ended_that_ends_the_program_reports_nothing_else(caplog: Any) -> None:
    async def leave(session: Any) -> None:
        raise SystemExit(3)

    ends = Ends(leave)

    async def main() -> None:
        async with served(V1, ends.agent(V1)):
            pass

    with pytest.raises(SystemExit):
        asyncio.run(main())
    gc.collect()
    assert ends.seen == ["a", "a*"]
    assert caplog.messages == []


async def test_many_sessions_end_side_by_side() -> None:
    async def slow(session: Any) -> None:
        running.append(session)
        await settle(5)
        most.append(len(running))
        running.remove(session)

    running: list[Any] = []
    most: list[int] = []
    ends = Ends(slow)
    agent = ends.agent(V2)
    async with served(V2, agent, count=5, grace=9):
        pass
    assert max(most) == 5


async def test_sessions_without_anything_to_end_need_no_task() -> None:
    agent: Any = handler(V2.surface.SessionAgent, turn=nothing)()
    agent.keep_sessions = False
    async with connect_memory(agent, V2.surface.SessionClient) as peer:
        await peer.initialize()
        sessions = [agent.open() for _ in range(10)]
    assert agent.sessions == {}
    for session in sessions:
        with pytest.raises(RuntimeError, match="ended"):
            _ = session.exit_stack


@logs("`ended` of session 'a' failed")
async def test_an_ended_that_is_not_async_is_explained(caplog: Any) -> None:
    class Session(V1.surface.AgentSession):  # type: ignore[name-defined, misc]
        def ended(self) -> None: ...

    class Agent(V1.surface.SessionAgent[Session]):  # type: ignore[name-defined, misc]
        turn = staticmethod(nothing)

    agent = Agent()
    agent.open("a")
    await agent.end_session("a")
    [record] = caplog.records
    text = f"{Session.__qualname__}.ended is not async; write async def ended(self)"
    assert str(record.exc_info[1]) == text


async def test_unstable_closing_ends_a_session_too() -> None:
    """The session ends even though the agent's `session/close` handler does nothing."""

    async def close_it(self: Any, params: Any) -> None: ...

    ends = Ends()
    agent = ends.agent(V1_UNSTABLE, session_close=close_it)
    async with served(V1_UNSTABLE, agent) as (script, _):
        script.write(close())
        assert await script.read() == result("close")
        assert ends.seen == ["a", "a*"]
