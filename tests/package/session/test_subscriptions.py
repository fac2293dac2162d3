"""Notice of changes in a session state: enough to follow it without comparing."""

from __future__ import annotations

import asyncio
import copy
import pickle
import random
from importlib import import_module
from typing import Any, get_args, get_origin

import pytest
from acp_bindings.runtime.session import Change
from package.session.agent_work import async_test
from package.session.scripted import (
    ALL,
    V1,
    V2,
    Version,
    call,
    client,
    each_surface,
    each_version,
    settle,
)
from package.session.test_agent_updates import drawn


class Mirror:
    """Follows a state by its changes alone.

    Attributes:
        entries: the entries of each attribute, by key; those without a key by identity.
    """

    def __init__(self) -> None:
        self.entries: dict[str, dict[Any, Any]] = {}
        self.changes: list[Change] = []

    def __call__(self, change: Change) -> None:
        self.changes.append(change)
        entries = self.entries.setdefault(change.where, {})
        key = self._key(change)
        assert (key in entries) == (change.kind != "added")
        if change.kind == "removed":
            del entries[key]
        else:
            entries[key] = copy.deepcopy(change.entry)

    @staticmethod
    def _key(change: Change) -> Any:
        return id(change.entry) if change.where == "messages" else change.key

    def check(self, state: Any) -> None:
        """Compare with the state that it has followed."""
        for name, value in vars(state).items():
            followed = self.entries.get(name, {})
            if name.startswith("_") or name in state._outputs:
                continue
            if name == "messages":
                assert list(followed.values()) == value
            elif isinstance(value, dict):
                assert followed == value, name
            else:
                assert followed.get(None) == value, name
        ruled = [
            *state.messages,
            *(each for name in state._writers for each in listed(state, name)),
        ]
        passed = [item for item in state.timeline if not any(item is each for each in ruled)]
        assert list(self.entries.get("timeline", {}).values()) == passed


def listed(state: Any, collection: str) -> list[Any]:
    return list(getattr(state, collection, {}).values())


def shuffled(version: Version, seed: int) -> list[Any]:
    """Updates of all kinds, of few entries, in random order."""
    entropy = random.Random(seed)
    updates = [update for kind in drawn(version).values() for update in kind[:6]]
    entropy.shuffle(updates)
    return updates


@each_surface
@pytest.mark.parametrize("seed", range(5))
def test_the_changes_tell_everything(version: Version, seed: int) -> None:
    state, mirror = version.client.SessionState(), Mirror()
    state.subscribe(mirror)
    updates = shuffled(version, seed)
    assert len(updates) > 40
    for update in updates:
        before = len(mirror.changes)
        state.apply(update)
        assert len(mirror.changes) - before <= 1
        mirror.check(state)
    kinds = {change.kind for change in mirror.changes}
    assert {"added", "changed"} <= kinds
    places = {change.where for change in mirror.changes}
    assert {"messages", "tool_calls", "usage", "timeline"} <= places


@each_surface
def test_a_state_is_the_same_with_and_without_subscribers(version: Version) -> None:
    silent, told = version.client.SessionState(), version.client.SessionState()
    told.subscribe(lambda change: None)
    for update in shuffled(version, 1):
        silent.apply(copy.deepcopy(update))
        told.apply(copy.deepcopy(update))
    assert silent == told
    assert silent.to_updates() == told.to_updates()


@each_surface
def test_the_items_of_a_timeline_are_of_its_alias(version: Version) -> None:
    state = version.client.SessionState()
    for update in shuffled(version, 2):
        state.apply(update)
    module = import_module(version.client.SessionState.__module__)
    listed = {get_origin(each) or each for each in get_args(module.TimelineEntry)}
    found = {item.__class__ for item in state.timeline}
    assert found <= listed
    # Not drawn: output that is no base64, and updates of a later protocol.
    rare = {"TerminalOutputChunk", "UnknownSessionUpdate"}
    assert {each.__name__ for each in listed - found} <= rare


def changes(version: Version, *updates: Any) -> list[tuple[str, str, Any]]:
    """What a subscriber is told of updates."""
    state, mirror = version.client.SessionState(), Mirror()
    state.subscribe(mirror)
    for update in updates:
        state.apply(update)
    return [(each.kind, each.where, each.key) for each in mirror.changes]


def test_each_kind_of_change() -> None:
    surface = V2.surface
    text = surface.TextContent(text="t")
    chunk = surface.AgentMessageChunk(message_id="m", content=text)
    found = changes(
        V2,
        chunk,
        chunk,
        surface.AgentMessageChunk(message_id="n", content=text),
        surface.ToolCallUpdate(tool_call_id="c", title="a"),
        surface.ToolCallUpdate(tool_call_id="c", title="b"),
        surface.UsageUpdate(used=1, size=2),
        surface.UsageUpdate(used=2, size=2),
        surface.Notice(title="n", severity="info"),
    )
    assert found == [
        ("added", "messages", "m"),
        ("changed", "messages", "m"),
        ("added", "messages", "n"),
        ("added", "tool_calls", "c"),
        ("changed", "tool_calls", "c"),
        ("added", "usage", None),
        ("changed", "usage", None),
        ("added", "timeline", 1),
    ]


def test_v1_messages_need_no_id() -> None:
    surface = V1.surface
    chunk = surface.AgentMessageChunk(content=surface.TextContent(text="t"))
    call = surface.ToolCall(tool_call_id="c", title="t")
    found = changes(V1, chunk, chunk, call, chunk)
    assert [each for each in found if each[1] == "messages"] == [
        ("added", "messages", None),
        ("changed", "messages", None),
        ("added", "messages", None),
    ]


def test_an_entry_that_is_removed_is_told_as_it_was() -> None:
    version = next(each for each in ALL if hasattr(each.surface, "PlanRemoved"))
    surface = version.surface
    plan = surface.decode(
        surface.SessionUpdate,
        {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": []}},
    )
    state, mirror = version.client.SessionState(), Mirror()
    state.subscribe(mirror)
    for update in (plan, surface.PlanRemoved(plan_id="p"), surface.PlanRemoved(plan_id="p")):
        state.apply(update)
    assert [each.kind for each in mirror.changes] == ["added", "removed"]
    assert mirror.changes[1].entry.plan.plan_id == "p"


def test_a_subscription_ends() -> None:
    state, seen = V2.client.SessionState(), []
    usage = V2.surface.UsageUpdate(used=1, size=2)
    end, other = state.subscribe(seen.append), state.subscribe(seen.append)
    state.apply(usage)
    end()
    end()
    state.apply(usage)
    assert len(seen) == 3
    other()
    state.apply(usage)
    assert len(seen) == 3


@pytest.mark.parametrize("kind", [OSError, asyncio.CancelledError, GeneratorExit])
def test_what_a_subscriber_raises_is_logged(
    kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(change: Change) -> None:
        raise kind("no display")

    state, seen = V2.client.SessionState(), []
    state.subscribe(fail)
    state.subscribe(seen.append)
    state.apply(V2.surface.UsageUpdate(used=1, size=2))
    assert len(seen) == 1
    assert "no display" in caplog.text


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_a_subscriber_may_end_the_program(kind: type[BaseException]) -> None:
    def leave(change: Change) -> None:
        raise kind

    state = V2.client.SessionState()
    state.subscribe(leave)
    with pytest.raises(kind):
        state.apply(V2.surface.UsageUpdate(used=1, size=2))


def test_a_copy_has_no_subscribers() -> None:
    state, seen = V2.client.SessionState(), []
    state.subscribe(seen.append)
    for other in (copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert other == state
        other.apply(V2.surface.UsageUpdate(used=1, size=2))
        assert other != state
    assert seen == []


@each_version
@async_test()
async def test_cancelling_tells_of_the_tool_calls_that_it_marks(version: Version) -> None:
    async with client(version) as (script, session):
        started = call("t", title="T", status="in_progress")
        if version is V1:
            started["params"]["update"]["sessionUpdate"] = "tool_call"
        script.write(started)
        await settle()
        mirror = Mirror()
        mirror.entries["tool_calls"] = {"t": None}
        session.state.subscribe(mirror)
        await session.cancel()
        assert (await script.read())["method"] == "session/cancel"
        [change] = mirror.changes
        assert (change.kind, change.where, change.key) == ("changed", "tool_calls", "t")
        assert change.entry.status == "cancelled"
