"""Tests that a session follower's snapshots and updates reproduce the session's state."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.kit.following import Batch, follow
from acp_bindings.runtime.aio import connect_memory

GUARD = 30.0  # timeout for each wait in seconds, so that failing tests don't wait forever
each_surface = pytest.mark.parametrize("surface", [v1, v2], ids=["v1", "v2"])


def chunk(surface: Any, text: str, message_id: str = "m") -> Any:
    return surface.AgentMessageChunk(content=surface.TextContent(text=text), message_id=message_id)


class View:
    """A session follower that applies each batch to its own state."""

    def __init__(self, session: Any, **options: int) -> None:
        self.session = session
        self.batches = follow(session, **options)
        self.new_state = type(session.state)
        self.state = self.new_state()

    async def next(self) -> Batch[Any]:
        batch = await asyncio.wait_for(anext(self.batches), GUARD)
        if batch.is_snapshot:
            self.state = self.new_state()
        for update in batch.updates:
            self.state.apply(update)
        return batch

    async def is_waiting(self) -> bool:
        """Return whether the follower is waiting for another batch."""
        waiting = asyncio.ensure_future(anext(self.batches))
        for _ in range(5):
            await asyncio.sleep(0)
        is_waiting = not waiting.done()
        waiting.cancel()
        await asyncio.wait([waiting])
        return is_waiting


class Opened:
    """A context manager for a session with an agent that does nothing."""

    def __init__(self, surface: Any) -> None:
        class Agent(surface.SessionAgent):  # type: ignore[misc]
            async def turn(self, session: Any, params: Any) -> None: ...

        self.surface = surface
        self.connection: Any = connect_memory(Agent, surface.SessionClient)

    async def __aenter__(self) -> Any:
        peer = await self.connection.__aenter__()
        await peer.initialize()
        return await self.surface.ClientSession.create(peer, cwd="/", mcp_servers=[])

    async def __aexit__(self, *error: Any) -> None:
        await self.connection.__aexit__(*error)


@each_surface
async def test_a_snapshot_and_then_updates_lead_to_the_state(surface: Any) -> None:
    async with Opened(surface) as session:
        session.state.apply(chunk(surface, "before"))
        view = View(session)
        assert (await view.next()).is_snapshot
        session.state.apply(chunk(surface, ", after"))
        session.state.apply(chunk(surface, ", later"))
        batch = await view.next()
        assert not batch.is_snapshot
        assert batch.updates == [chunk(surface, ", after"), chunk(surface, ", later")]
        assert view.state == session.state
        assert view.state.messages[0].text == "before, after, later"


@each_surface
async def test_changes_while_a_view_is_busy_are_neither_lost_nor_repeated(surface: Any) -> None:
    async with Opened(surface) as session:
        view = View(session)
        for number in range(20):
            await view.next()
            session.state.apply(chunk(surface, f"{number} "))
        await view.next()
        assert view.state == session.state
        assert await view.is_waiting()


@pytest.mark.parametrize(("changes", "is_late"), [(3, False), (4, True), (10, True)])
async def test_a_view_that_is_late_gets_a_snapshot(changes: int, is_late: bool) -> None:
    async with Opened(v2) as session:
        view = View(session, backlog=3)
        await view.next()
        for number in range(changes):
            session.state.apply(chunk(v2, str(number)))
        batch = await view.next()
        assert batch.is_snapshot == is_late
        assert len(batch.updates) == (1 if is_late else changes)
        assert view.state == session.state


async def test_changes_without_an_update_lead_to_a_snapshot() -> None:
    async with Opened(v2) as session:
        view = View(session)
        session.state.apply(v2.ToolCallUpdate(tool_call_id="t", status="in_progress"))
        await view.next()
        await session.cancel()  # marks the tool call as cancelled
        assert (await view.next()).is_snapshot
        assert view.state.tool_calls["t"].status == "cancelled"


async def test_a_replay_does_not_double_the_state() -> None:
    async with Opened(v2) as session:
        session.state.apply(chunk(v2, "said"))
        view = View(session)
        await view.next()
        session.state.begin_replay()
        session.state.apply(chunk(v2, "said"))
        session.state.end_replay()
        await view.next()
        assert view.state == session.state
        assert [message.text for message in view.state.messages] == ["said"]


async def test_closing_ends_the_subscription() -> None:
    async with Opened(v2) as session:
        view = View(session)
        await view.next()
        await view.batches.aclose()
        session.state.apply(chunk(v2, "text"))
        assert session.state._subscribers._callbacks == []


@each_surface
async def test_it_ends_when_the_session_is_closed(surface: Any) -> None:
    async with Opened(surface) as session:
        view = View(session)
        await view.next()
        waiting = asyncio.ensure_future(view.next())
        await asyncio.sleep(0)
        session.state.apply(chunk(surface, "last"))
        await session.close()
        await waiting
        with pytest.raises(StopAsyncIteration):
            await view.next()
        assert view.state == session.state
        assert session.state._subscribers._callbacks == []


async def test_a_session_that_is_closed_already_has_one_snapshot() -> None:
    async with Opened(v2) as session:
        session.state.apply(chunk(v2, "said"))
        await session.close()
        view = View(session)
        assert (await view.next()).is_snapshot
        with pytest.raises(StopAsyncIteration):
            await view.next()
        assert view.state == session.state


async def test_closing_while_a_view_is_busy_ends_it_after_the_last_change() -> None:
    async with Opened(v2) as session:
        view = View(session)
        await view.next()
        session.state.apply(chunk(v2, "last"))
        await session.close()
        assert not (await view.next()).is_snapshot
        with pytest.raises(StopAsyncIteration):
            await view.next()
        assert view.state == session.state


@each_surface
async def test_subscribers_are_notified_once_that_a_session_is_closed(surface: Any) -> None:
    async with Opened(surface) as session:
        seen: list[Any] = []
        session.state.subscribe(seen.append)
        await session.close()
        session._mark_closed("again")
        assert [(each.kind, each.where, each.entry) for each in seen] == [
            ("changed", "is_closed", True)
        ]
        assert session.closed_reason == ""
