"""Tests of session states: change notifications, equality, and the cost of updates.

`test_reference` tests the effects of updates on a state.
"""

from __future__ import annotations

import asyncio
import copy
import json
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, get_args, get_origin

import pytest
from acp_bindings import v2
from acp_bindings.runtime.session import Change, Message
from acp_bindings.v2.session import SessionState

from tests.package.session.scripted import (
    ALL,
    V2,
    V2_UNSTABLE,
    Version,
    call,
    cancel,
    client,
    each_surface,
    each_v1,
    prompted,
    settle,
)
from tests.package.session.test_agent_updates import drawn

TEXT = v2.TextContent


def chunk(version: Version, words: str, message_id: str | None = "m") -> Any:
    surface = version.surface
    ids = {} if message_id is None else {"message_id": message_id}
    return surface.AgentMessageChunk(content=surface.TextContent(text=words), **ids)


def usage(used: int) -> Any:
    return v2.UsageUpdate(used=used, size=9)


# --- changes ---------------------------------------------------------------------------------


class Mirror:
    """A copy of a state, built only from its changes.

    Attributes:
        entries: the entries of each attribute, by key. Messages are stored by identity instead.
    """

    def __init__(self) -> None:
        self.entries: dict[str, dict[Any, Any]] = {}
        self.changes: list[Change] = []

    def __call__(self, change: Change) -> None:
        self.changes.append(change)
        entries = self.entries.setdefault(change.where, {})
        key = id(change.entry) if change.where == "messages" else change.key
        assert (key in entries) == (change.kind != "added")
        if change.kind == "removed":
            del entries[key]
        else:
            entries[key] = copy.deepcopy(change.entry)

    def check(self, state: Any) -> None:
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
        collections = (getattr(state, name, {}) for name in state._replayers)
        ruled = [*state.messages, *(item for each in collections for item in each.values())]
        passed = [item for item in state.timeline if not any(item is each for each in ruled)]
        assert list(self.entries.get("timeline", {}).values()) == passed


def shuffled(version: Version, seed: int) -> list[Any]:
    entropy = random.Random(seed)
    updates = [update for kind in drawn(version).values() for update in kind[:6]]
    entropy.shuffle(updates)
    return updates


@each_surface
@pytest.mark.parametrize("seed", range(5))
def test_the_changes_tell_everything_and_change_nothing(version: Version, seed: int) -> None:
    silent, state, mirror = version.client.SessionState(), version.client.SessionState(), Mirror()
    state.subscribe(mirror)
    updates = shuffled(version, seed)
    assert len(updates) > 40
    for update in updates:
        is_applied = silent.apply(copy.deepcopy(update))
        before = len(mirror.changes)
        assert state.apply(update) is is_applied
        assert all(each.update is update for each in mirror.changes[before:])
        assert len(mirror.changes) - before <= 1
        mirror.check(state)
    assert {"added", "changed"} <= {change.kind for change in mirror.changes}
    places = {change.where for change in mirror.changes}
    assert {"messages", "tool_calls", "usage", "timeline"} <= places
    assert silent == state
    # The timeline contains items of all classes in its type alias, except variants that aren't
    # generated: output that isn't valid base64, and updates from a later protocol version.
    module = import_module(version.client.SessionState.__module__)
    listed = {get_origin(each) or each for each in get_args(module.TimelineEntry)}
    found = {item.__class__ for item in state.timeline}
    assert found <= listed
    rare = {"TerminalOutputChunk", "UnknownSessionUpdate"}
    assert {each.__name__ for each in listed - found} <= rare


def named(changes: list[Change]) -> list[tuple[str, str, Any]]:
    return [(each.kind, each.where, each.key) for each in changes]


@each_v1
def test_v1_chunks_without_an_id_change_the_message_that_they_continue(version: Version) -> None:
    state, mirror = version.client.SessionState(), Mirror()
    state.subscribe(mirror)
    for message_id in ("m", None, None):
        state.apply(chunk(version, "a", message_id))
    thought = version.surface.AgentThoughtChunk(content=version.surface.TextContent(text="t"))
    for update in (thought, thought, chunk(version, "b", None), chunk(version, "c", None)):
        state.apply(update)
    added, changed = "added", "changed"
    first = [(added, "m"), (changed, "m"), (changed, "m")]
    rest = [(added, None), (changed, None), (added, None), (changed, None)]
    assert [(each.kind, each.key) for each in mirror.changes] == [*first, *rest]
    assert all(each.key == each.entry.message_id for each in mirror.changes)


@each_v1
def test_v1_a_named_message_keeps_its_place(version: Version) -> None:
    state, mirror = version.client.SessionState(), Mirror()
    state.subscribe(mirror)
    first = state.insert_message([chunk(version, each, None) for each in "ab"])
    second = state.insert_message([chunk(version, "c", None)])
    state.name_message(first, "m", usage(1))
    state.name_message(second, "m", usage(1))  # the first message already has this id
    state.apply(chunk(version, "!"))
    state.apply(chunk(version, "d", None))
    assert [(each.message_id, each.text) for each in state.messages] == [
        ("m", "ab!"),
        (None, "c"),
        (None, "d"),
    ]
    assert state.timeline == state.messages
    mirror.check(state)
    [named] = [each for each in mirror.changes if each.update == usage(1)]
    assert (named.kind, named.where, named.key, named.entry) == ("changed", "messages", "m", first)
    state.name_message(first, None)
    assert state.known_message("agent", "m") is None
    before = len(mirror.changes)
    state.name_message(Message("agent"), "x")  # of another state
    assert len(mirror.changes) == before


def test_a_removed_plan_is_told() -> None:
    surface = V2_UNSTABLE.surface
    state, mirror = V2_UNSTABLE.client.SessionState(), Mirror()
    state.subscribe(mirror)
    plan = surface.PlanUpdate(plan=surface.PlanItems(plan_id="p", entries=[]))
    for update in (plan, *[surface.PlanRemoved(plan_id="p")] * 2):
        state.apply(update)
    assert named(mirror.changes) == [("added", "plans", "p"), ("removed", "plans", "p")]
    assert mirror.changes[-1].entry == plan


def test_a_subscription_ends() -> None:
    state = SessionState()
    seen: list[Change] = []
    end, other = state.subscribe(seen.append), state.subscribe(seen.append)
    state.apply(usage(1))
    end()
    end()
    state.apply(usage(1))
    assert len(seen) == 3
    other()
    state.apply(usage(1))
    assert len(seen) == 3


def test_a_subscription_can_end_while_another_is_notified() -> None:
    state = SessionState()
    seen: list[Change] = []
    state.subscribe(lambda change: end())
    end = state.subscribe(seen.append)
    state.apply(usage(1))
    assert seen == []


@pytest.mark.parametrize("kind", [OSError, asyncio.CancelledError, GeneratorExit])
def test_errors_of_subscribers_are_logged(
    kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(change: Change) -> None:
        raise kind("no display")

    state = SessionState()
    seen: list[Change] = []
    state.subscribe(fail)
    state.subscribe(seen.append)
    state.apply(usage(1))
    assert len(seen) == 1
    assert "no display" in caplog.text


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_a_subscriber_may_end_the_program(kind: type[BaseException]) -> None:
    def leave(change: Change) -> None:
        raise kind

    state = SessionState()
    state.subscribe(leave)
    with pytest.raises(kind):
        state.apply(usage(1))


def test_a_copy_has_no_subscribers() -> None:
    state = SessionState()
    seen: list[Change] = []
    state.subscribe(seen.append)
    for other in (copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert other == state
        other.apply(usage(1))
        assert other != state
    assert seen == []


@each_surface
async def test_marks_of_cancelling_are_told_and_written_as_allowed(version: Version) -> None:
    surface = version.surface
    started = call("t", title="T", status="in_progress")
    if version.number == 1:
        started["params"]["update"]["sessionUpdate"] = "tool_call"
    async with (
        client(version) as (script, session),
        prompted(version, script, session, started) as (turn, id_),
    ):
        await settle()
        changes: list[Change] = []
        session.state.subscribe(changes.append)
        await cancel(script, turn)
        assert named(changes) == [("changed", "tool_calls", "t")]
        assert changes[0].entry.status == "cancelled"
        updates = session.state.to_updates()
        written = [surface.encode(each, surface.SessionUpdate) for each in updates]
        for each in written:
            surface.decode(surface.SessionUpdate, each, strict=True)
        [status] = [each["status"] for each in written if "toolCallId" in each]
        assert status == ("failed" if version.number == 1 else "cancelled")
        assert session.state.tool_calls["t"].status == "cancelled"
        script.write(*version.stopped(id_, "cancelled"))


# --- equality --------------------------------------------------------------------------------


def built(version: Version, *updates: Any) -> Any:
    state = version.client.SessionState()
    for update in updates:
        state.apply(update)
    return state


@each_surface
def test_states_differ_by_order_text_and_surface(version: Version) -> None:
    one, two = (version.surface.ToolCallUpdate(tool_call_id=each) for each in "12")
    assert built(version, one, two) == built(version, one, two)
    assert built(version, one, two) != built(version, two, one)
    assert built(version, one) != built(version)
    in_parts = built(version, chunk(version, "a"), chunk(version, "b"))
    assert in_parts == built(version, chunk(version, "ab"))
    assert in_parts != built(version, chunk(version, "abc"))
    assert in_parts.messages[0] != "ab"
    assert built(version) != "state"
    assert [built(version) == built(other) for other in ALL].count(True) == 1
    with pytest.raises(TypeError):
        hash(built(version))


# --- the work of an update -------------------------------------------------------------------


class Counting(list[Any]):
    steps = 0

    def __iter__(self) -> Any:
        Counting.steps += len(self)
        return super().__iter__()


@each_surface
def test_a_long_stream_never_walks_over_what_is_there(version: Version) -> None:
    state = built(version, chunk(version, "a"))
    state.messages[0].content = Counting(state.messages[0].content)
    update = chunk(version, "b")
    Counting.steps = 0
    for _ in range(100_000):
        state.apply(update)
    assert Counting.steps == 0
    assert len(state.messages[0].content) == 100_001
    assert len(state.timeline) == 1


class Counted:
    reads = 0

    @property
    def text(self) -> str:
        Counted.reads += 1
        return "a"


def test_reading_the_text_after_each_chunk_reads_each_block_once() -> None:
    message = Message[Any]("agent")
    Counted.reads = 0
    for number in range(1, 501):
        message.content.append(Counted())
        assert message.text == message.text == "a" * number
    assert Counted.reads == 500


def message(*words: str) -> Message[Any]:
    made = Message[Any]("agent", "m", [TEXT(text=each) for each in words])
    assert made.text == "".join(words)
    return made


EDITS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "replace": lambda content: [TEXT(text=each) for each in "xyz"],
    "clear": lambda content: [],
    "exchange the first": lambda content: [TEXT(text="x"), *content[1:]],
    "exchange the last": lambda content: [*content[:-1], TEXT(text="x")],
    "cut the front": lambda content: [*content[1:], TEXT(text="x")],
    "insert": lambda content: [content[0], TEXT(text="x"), *content[1:]],
    "turn round": lambda content: content[::-1],
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("size", [2, 3, 100])
@pytest.mark.parametrize("is_new_list", [True, False])
def test_the_text_follows_an_edited_list(edit: str, size: int, is_new_list: bool) -> None:
    edited = message(*map(str, range(size)))
    content = EDITS[edit](edited.content)
    if is_new_list:
        edited.content = content
    else:
        edited.content[:] = content
    assert edited.text == "".join(each.text for each in edited.content)
    edited.content.append(TEXT(text="!"))
    assert edited.text == "".join(each.text for each in edited.content)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_a_copy_has_a_text_of_its_own(copied: Callable[[Any], Any]) -> None:
    one = message("a")
    other = copied(one)
    one.content.append(TEXT(text="b"))
    assert one.text == "ab"
    other.content.append(TEXT(text="c"))
    for each in (one, other, one):
        assert each.text == "".join(block.text for block in each.content)


def test_blocks_without_text_add_none() -> None:
    image = v2.ImageContent(data="", mime_type="image/png")
    content = [TEXT(text="a"), image, v2.UnknownContentBlock("_x", {"type": "_x"})]
    assert Message[Any]("agent", None, content).text == "a"


# --- halves of characters --------------------------------------------------------------------

HIGH, LOW = "\ud83d", "\ude00"
PARTS = {
    "a pair": ([f"a{HIGH}", f"{LOW}b"], "a😀b"),
    "a pair alone": ([HIGH, LOW], "😀"),
    "a pair around nothing": ([HIGH, "", LOW], "😀"),
    "two pairs": ([HIGH, LOW + HIGH, LOW], "😀😀"),
    "another order": ([LOW, HIGH], LOW + HIGH),
    "two first halves": ([HIGH, HIGH, LOW], f"{HIGH}😀"),
    "two second halves": ([HIGH, LOW, LOW], f"😀{LOW}"),
    "text between": ([HIGH, "x", LOW], f"{HIGH}x{LOW}"),
    "a whole character between": ([HIGH, "😀", LOW], f"{HIGH}😀{LOW}"),
    "bytes of a file name": (["a\udce9", "b"], "a\udce9b"),
    "no half": (["é", "😀", ""], "é😀"),
}
each_parts = pytest.mark.parametrize(("parts", "whole"), PARTS.values(), ids=PARTS)


@each_parts
@each_surface
def test_chunks_join_halves_of_characters(version: Version, parts: list[str], whole: str) -> None:
    state = version.client.SessionState()
    for number, part in enumerate(parts, 1):
        state.apply(chunk(version, part))
        (made,) = state.messages
        # Reading the text between two chunks must not affect the result.
        assert made.text == _read("".join(parts[:number]))
    assert made.text == whole
    (replayed,) = state.to_updates()
    content = version.surface.encode(replayed, version.surface.SessionUpdate)["content"]
    assert content in ({"type": "text", "text": whole}, [{"type": "text", "text": whole}])
    at_once = version.client.SessionState()
    at_once.apply(chunk(version, whole))
    assert at_once.messages == state.messages


def _read(text: str) -> str:
    """Return the text after a round trip through JSON."""
    return str(json.loads(json.dumps(text)))


@each_parts
def test_the_text_is_joined_whenever_it_is_read(parts: list[str], whole: str) -> None:
    blocks = [TEXT(text=each) for each in parts]
    assert Message[Any]("agent", None, blocks).text == whole
    for first in range(len(parts)):
        message = Message[Any]("agent", None, blocks[:first])
        assert message.text == _read("".join(parts[:first]))
        message.content += blocks[first:]
        assert message.text == whole


@pytest.mark.parametrize("is_read", [True, False])
def test_the_block_that_begins_a_character_gets_the_rest_of_it(is_read: bool) -> None:
    parts = ["a" + HIGH, LOW + HIGH, LOW, "b", HIGH, "c", LOW]
    blocks = [TEXT(text=each, meta={"a": number}) for number, each in enumerate(parts)]
    state = v2.SessionState()
    for block in blocks:
        state.apply(v2.AgentMessageChunk(message_id="m", content=block))
        assert not is_read or state.messages[0].text
    (made,) = state.messages
    assert [each.text for each in made.content] == ["a😀", "😀", "", "b", HIGH, "c", LOW]
    assert [each.meta for each in made.content] == [each.meta for each in blocks]
    assert [each.text for each in blocks] == parts  # the program's updates are unchanged
    assert made.text == f"a😀😀b{HIGH}c{LOW}"


def test_halves_do_not_cause_each_block_to_be_read_again() -> None:
    message = Message[Any]("agent")
    Counted.reads = 0
    for number in range(300):
        message.append(Counted())
        message.append(TEXT(text=HIGH))
        message.append(TEXT(text=LOW))
        assert message.text == "a😀" * (number + 1)
    assert Counted.reads == 2 * 300  # each block is read once when appended and once for the text


def test_a_half_is_joined_with_blocks_that_have_a_text_only() -> None:
    image = v2.ImageContent(data="", mime_type="image/png")
    message = Message[Any]("agent", None, [TEXT(text=HIGH), image])
    message.append(TEXT(text=LOW))
    assert [each.text for each in message.content if each is not image] == [HIGH, LOW]
    empty = Message[Any]("agent")
    empty.append(TEXT(text=LOW))
    assert empty.text == LOW


# --- patches ---------------------------------------------------------------------------------


def patch_of_call(**members: Any) -> v2.ToolCallUpdate:
    return v2.ToolCallUpdate(tool_call_id="t", **members)


def patch_of_message(**members: Any) -> v2.AgentMessage:
    return v2.AgentMessage(message_id="m", **members)


each_patch = pytest.mark.parametrize("make", [patch_of_call, patch_of_message])


@each_patch
def test_a_patch_copies_nothing_that_is_there(make: Callable[..., Any]) -> None:
    state = built(V2, make(meta={"a": 1}, unknown_fields={"x": 1}))
    [patched] = state.timeline
    meta, unknown = patched.meta, patched.unknown_fields
    state.apply(make(meta={"b": 2}, unknown_fields={"y": 2}))
    assert patched.meta is meta
    assert patched.unknown_fields is unknown
    assert (meta, unknown) == ({"a": 1, "b": 2}, {"x": 1, "y": 2})


@each_patch
def test_a_patch_changes_no_update_that_anyone_has(make: Callable[..., Any]) -> None:
    state = SessionState()
    given = [
        make(),
        make(meta={"a": 1, "b": None}, unknown_fields={"x": 1}),
        make(meta={"b": 2, "a": None}, unknown_fields={"x": 2, "y": 2}),
        make(meta=None, unknown_fields={"z": 3}),
        make(meta={"c": 3}),
        make(meta={"d": 4}, unknown_fields={"x": None}),
    ]
    before = copy.deepcopy(given)
    taken: list[Any] = []
    copies: list[Any] = []
    for update in given:
        state.apply(update)
        taken.append(state.to_updates())
        copies.append(copy.deepcopy(taken[-1]))
    assert given == before
    assert taken == copies
    patched: Any = state.timeline[0]
    assert patched.meta == {"c": 3, "d": 4}
    assert patched.unknown_fields == {"x": None, "y": 2, "z": 3}


# --- debug mode: None in the constructor of an update that changes an entry clears a member ---


def warned(code: str, debug: str) -> list[str]:
    """Run a line of code in a new process and return the warnings that it issues."""
    program = (
        "import warnings\n"
        "from acp_bindings import v1, v2\n"
        "import acp_bindings.v1.session, acp_bindings.v2.session\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        f"    {code}\n"
        "for each in caught:\n"
        "    print(each.filename, each.message)\n"
    )
    command = [sys.executable, "-c", program]
    environment = {**os.environ, "ACP_DEBUG": debug}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            "v2.ToolCallUpdate(tool_call_id='t', title=None)",
            "ToolCallUpdate(title=None) clears title",
        ),
        ("v1.SessionInfoUpdate(title=None)", "SessionInfoUpdate(title=None) clears title"),
        (
            "v2.AgentMessage(message_id='m', content=None)",
            "AgentMessage(content=None) clears content",
        ),
        ("v2.TerminalUpdate(terminal_id='t', cwd=None)", "TerminalUpdate(cwd=None) clears cwd"),
        ("v2.ToolCallUpdate(tool_call_id='t')", None),
        ("v2.ToolCallUpdate(tool_call_id='t', title='a', unknown_fields=None)", None),
        ("v1.ToolCallUpdate(tool_call_id='t', title=None)", None),  # clears nothing in protocol 1
        ("v2.TextContent(text='a', meta=None)", None),
        ("v2.decode(v2.ToolCallUpdate, {'toolCallId': 't', 'title': None})", None),
    ],
)
def test_none_that_clears_a_member_is_told(code: str, told: str | None) -> None:
    expected = [] if told is None else [f"<string> {told}; pass UNSET to keep it"]
    assert warned(code, "1") == expected


def test_without_debug_mode_nothing_is_told() -> None:
    assert warned("v2.ToolCallUpdate(tool_call_id='t', title=None)", "0") == []
