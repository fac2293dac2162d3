"""Tests of agents that record changes to their sessions and restore sessions from the records."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Observation, connect_memory

from tests.package.session.scripted import settle

SURFACES = pytest.mark.parametrize("surface", [v1, v2], ids=["v1", "v2"])


def recording(surface: Any, records: list[Any], fails: Any = lambda update: False) -> Any:
    """Return an agent class that records updates and raises an error if `fails` returns true."""

    class Agent(surface.SessionAgent):  # type: ignore[misc]
        def recorded(self, session: Any, update: Any) -> None:
            if fails(update):
                raise OSError("disk full")
            records.append(update)

        async def turn(self, session: Any, params: Any) -> None:
            await session.say("hello")

    return Agent


def new(surface: Any, peer: Any) -> Any:
    servers = {"mcp_servers": []} if surface is v1 else {}
    return surface.ClientSession.create(peer, cwd="/w", **servers)


@SURFACES
async def test_records_rebuild_the_state(surface: Any) -> None:
    records: list[Any] = []
    agents: list[Any] = []

    class Agent(recording(surface, records)):  # type: ignore[misc]
        def __init__(self, peer: Any) -> None:
            super().__init__(peer)
            agents.append(self)

    async with connect_memory(Agent, surface.SessionClient) as peer:
        await peer.initialize()
        session = await new(surface, peer)
        async with session.prompt("Hi") as turn:
            await turn.wait(timeout=20)
        [kept] = agents[0].sessions.values()
        state = surface.SessionState()
        for update in records:
            state.apply(update)
        assert state == kept.state
        assert [message.role for message in state.messages] == ["user", "agent"]


@SURFACES
async def test_an_update_is_recorded_before_it_is_sent(surface: Any) -> None:
    events: list[str] = []

    class Agent(recording(surface, [])):  # type: ignore[misc]
        def recorded(self, session: Any, update: Any) -> None:
            if isinstance(update, surface.AgentMessageChunk):
                events.append("recorded")

        async def turn(self, session: Any, params: Any) -> None:
            await session.say("one")

    def observe(seen: Observation) -> None:
        if seen.direction == "received" and b"agent_message_chunk" in seen.line:
            events.append("sent")

    async with connect_memory(Agent, surface.SessionClient, observe=observe) as peer:
        await peer.initialize()
        session = await new(surface, peer)
        async with session.prompt("Hi") as turn:
            await turn.wait(timeout=20)
    assert events == ["recorded", "sent"]


@pytest.mark.logs("the handler for 'session/prompt' failed")
async def test_v1_turns_end_with_an_error_if_an_update_cannot_be_recorded() -> None:
    def fails(update: Any) -> bool:
        return isinstance(update, v1.AgentMessageChunk)

    async with connect_memory(recording(v1, [], fails), v1.SessionClient) as peer:
        await peer.initialize()
        session = await new(v1, peer)
        with pytest.raises(RequestError, match="internal error"):
            async with session.prompt("Hi") as turn:
                await turn.wait(timeout=20)
        assert [message.role for message in session.state.messages] == ["user"]


@pytest.mark.logs("a turn failed")
async def test_v2_turns_end_with_an_error_if_an_update_cannot_be_recorded() -> None:
    def fails(update: Any) -> bool:
        return isinstance(update, v2.AgentMessageChunk)

    async with connect_memory(recording(v2, [], fails), v2.SessionClient) as peer:
        await peer.initialize()
        session = await new(v2, peer)
        async with session.prompt("Hi") as turn:
            await turn.wait(timeout=20)
        assert turn.stop_reason == "error"
        assert [message.role for message in session.state.messages] == ["user"]


@pytest.mark.logs("a turn failed", "'recorded' failed")
async def test_v2_turns_end_with_an_error_if_their_end_cannot_be_recorded() -> None:
    def fails(update: Any) -> bool:
        return isinstance(update, v2.IdleStateUpdate)

    async with connect_memory(recording(v2, [], fails), v2.SessionClient) as peer:
        await peer.initialize()
        session = await new(v2, peer)
        async with session.prompt("Hi") as turn:
            await turn.wait(timeout=20)
        assert turn.stop_reason == "error"


@pytest.mark.logs("'update' failed to send the end of a turn; sending it directly")
async def test_v2_an_end_that_is_sent_directly_is_recorded_once() -> None:
    records: list[Any] = []

    class Session(v2.AgentSession):
        async def update(self, update: Any, *, meta: Any = None) -> None:
            if isinstance(update, v2.IdleStateUpdate):
                raise OSError("no end")
            await super().update(update, meta=meta)

        def recorded(self, update: Any) -> None:
            records.append(update)

    class Agent(v2.SessionAgent[Session]):
        async def turn(self, session: Session, params: Any) -> None:
            await session.say("hello")

    async with connect_memory(Agent, v2.SessionClient) as peer:
        await peer.initialize()
        session = await new(v2, peer)
        async with session.prompt("Hi") as turn:
            await turn.wait(timeout=20)
        assert turn.stop_reason == "end_turn"
    assert sum(isinstance(update, v2.IdleStateUpdate) for update in records) == 1


@SURFACES
@pytest.mark.logs("the handler for 'session/prompt' failed")
async def test_prompts_that_cannot_be_recorded_begin_no_work(surface: Any) -> None:
    texts: list[str] = []
    message = v1.UserMessageChunk if surface is v1 else v2.UserMessage

    def fails(update: Any) -> bool:
        return isinstance(update, message) and "no" in str(update)

    class Agent(recording(surface, [], fails)):  # type: ignore[misc]
        async def turn(self, session: Any, params: Any) -> None:
            texts.append(params.prompt[0].text)

    async with connect_memory(Agent, surface.SessionClient) as peer:
        await peer.initialize()
        session = await new(surface, peer)
        for text in ("one", "no", "two"):
            with pytest.raises(RequestError) if text == "no" else nullcontext():
                async with session.prompt(text) as turn:
                    await turn.wait(timeout=20)
    assert texts == ["one", "two"]


@SURFACES
async def test_values_of_responses_are_recorded(surface: Any) -> None:
    records: list[Any] = []
    select: Any = {"id": "o"} if surface is v1 else {"config_id": "o"}
    option = surface.SelectSessionConfigOption(
        name="O",
        current_value="a",
        options=[surface.SessionConfigSelectOption(value="a", name="A")],
        **select,
    )

    class Agent(recording(surface, records)):  # type: ignore[misc]
        async def session_new(self, params: Any) -> Any:
            session = self.open()
            return surface.NewSessionResponse(
                session_id=session.session_id, config_options=[option]
            )

    async with connect_memory(Agent, surface.SessionClient) as peer:
        await peer.initialize()
        await new(surface, peer)
    [update] = records
    assert [each.name for each in update.config_options] == ["O"]


@pytest.mark.logs("the handler for 'session/new' failed")
async def test_a_response_that_cannot_be_recorded_is_an_error() -> None:
    class Agent(recording(v1, [], lambda update: True)):  # type: ignore[misc]
        async def session_new(self, params: Any) -> Any:
            modes = v1.SessionModeState(current_mode_id="a", available_modes=[])
            return v1.NewSessionResponse(session_id=self.open().session_id, modes=modes)

    async with connect_memory(Agent, v1.SessionClient) as peer:
        await peer.initialize()
        with pytest.raises(RequestError, match="internal error"):
            await new(v1, peer)


@pytest.mark.parametrize("surface", [v1, v2])
async def test_sessions_record_too(surface: Any) -> None:
    records: list[Any] = []

    class Session(surface.AgentSession):  # type: ignore[misc]
        def recorded(self, update: Any) -> None:
            records.append(update)

    class Agent(surface.SessionAgent[Session]):  # type: ignore[misc]
        async def turn(self, session: Any, params: Any) -> None: ...

    await Agent().open("s").say("hello")
    assert [update.content.text for update in records] == ["hello"]


async def test_a_coroutine_cannot_record() -> None:
    class Agent(v2.SessionAgent):
        async def recorded(self, session: Any, update: Any) -> None:  # type: ignore[override]
            raise AssertionError

        async def turn(self, session: Any, params: Any) -> None: ...

    problem = "recorded is async or returns a value; use def and return nothing"
    with pytest.raises(TypeError, match=f"^{problem}$"):
        await Agent().open("s").say("hello")


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("is_state", [False, True])
async def test_restored_sessions_are_open_before_an_override_without_super(
    is_async: bool, is_state: bool
) -> None:
    chunk = v1.AgentMessageChunk(content=v1.TextContent(text="before"))
    state = v1.SessionState()
    state.apply(chunk)
    stored: Any = state if is_state else [chunk]
    seen: list[Any] = []

    class Agent(recording(v1, seen)):  # type: ignore[misc]
        if is_async:

            async def restore(self, session_id: str) -> Any:
                return stored if session_id == "old" else None

        else:

            def restore(self, session_id: str) -> Any:
                return stored if session_id == "old" else None

        async def session_load(self, params: Any) -> Any:
            await self.session(params.session_id).replay()
            return v1.LoadSessionResponse()

    async with connect_memory(Agent, v1.SessionClient) as peer:
        await peer.initialize()
        session = await v1.ClientSession.load(peer, session_id="old", cwd="/w", mcp_servers=[])
        assert [message.text for message in session.state.messages] == ["before"]
        assert seen == []  # replayed changes are not recorded again
        with pytest.raises(RequestError, match="session not found"):
            await v1.ClientSession.load(peer, session_id="other", cwd="/w", mcp_servers=[])


async def test_the_default_resume_finds_restored_sessions() -> None:
    class Agent(recording(v2, [])):  # type: ignore[misc]
        def restore(self, session_id: str) -> Any:
            return [v2.AgentMessageChunk(message_id="m", content=v2.TextContent(text="before"))]

    async with connect_memory(Agent, v2.SessionClient) as peer:
        await peer.initialize()
        start = v2.ReplayFromStart()
        session = await v2.ClientSession.resume(peer, session_id="old", cwd="/w", replay_from=start)
        assert [message.text for message in session.state.messages] == ["before"]


@pytest.mark.logs("the handler for 'session/load' failed")
async def test_a_state_of_another_version_is_refused() -> None:
    class Agent(recording(v1, [])):  # type: ignore[misc]
        def restore(self, session_id: str) -> Any:
            return v2.SessionState()

        async def session_load(self, params: Any) -> Any:
            raise AssertionError

    async with connect_memory(Agent, v1.SessionClient) as peer:
        await peer.initialize()
        with pytest.raises(RequestError, match="internal error"):
            await v1.ClientSession.load(peer, session_id="old", cwd="/w", mcp_servers=[])


# --- whether a session can come back, and whether a turn is cancelled ---------------------------


class Restoring(v2.SessionAgent):
    def restore(self, session_id: str) -> Any:
        return []

    async def turn(self, session: Any, params: Any) -> None: ...


class Forgetful(v2.SessionAgent):
    async def turn(self, session: Any, params: Any) -> None: ...


@pytest.mark.parametrize(
    ("cls", "is_given", "expected"),
    [
        (Forgetful, False, (True, False)),
        (Restoring, False, (True, True)),
        (Forgetful, True, (False, True)),
    ],
)
async def test_a_session_reports_whether_it_may_return(
    cls: Any, is_given: bool, expected: tuple[bool, bool]
) -> None:
    agents: list[Any] = []

    class Agent(cls):  # type: ignore[misc]
        def connected(self, peer: Any) -> Any:
            agents.append(self)
            return super().connected(peer)

    async with connect_memory(Agent() if is_given else Agent, v2.SessionClient) as peer:
        await peer.initialize()
        await new(v2, peer)
        [session] = agents[0].sessions.values()
        assert (session.is_over, session.may_return) == (False, True)
    assert (session.is_over, session.may_return) == expected


async def test_a_closed_session_does_not_return() -> None:
    agent = Restoring()
    async with connect_memory(agent, v2.SessionClient) as peer:
        await peer.initialize()
        session = await new(v2, peer)
        own = agent.session(session.session_id)
        await session.close()
    assert (own.is_over, own.may_return) == (True, False)


@SURFACES
async def test_a_turn_knows_that_it_is_cancelled(surface: Any) -> None:
    seen: list[bool] = []
    started = asyncio.Event()

    class Agent(surface.SessionAgent):  # type: ignore[misc]
        async def turn(self, session: Any, params: Any) -> None:
            seen.append(session.is_cancelled)
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                seen.append(session.is_cancelled)

    agent = Agent()
    async with connect_memory(agent, surface.SessionClient) as peer:
        await peer.initialize()
        session = await new(surface, peer)
        async with session.prompt("Hi") as turn:
            await started.wait()
            await turn.cancel()
            await turn.wait(timeout=20)
        await settle()
        seen.append(agent.session(session.session_id).is_cancelled)
    assert seen == [False, True, False]
