"""Session states: the effect of each kind of update, and writing a state back as updates."""

from __future__ import annotations

import base64
import copy
import random
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2
from acp_bindings.runtime import UNSET
from acp_bindings.runtime.session import Message
from acp_bindings.runtime.session.state import State
from acp_bindings.v1.session import SessionState as V1State
from acp_bindings.v2.session import SessionState as V2State
from acp_bindings.v2_unstable.session import SessionState as V2UnstableState
from package.laws.instances import Choices, generate
from package.laws.mutations import arms
from package.laws.schemas import SURFACES, Json
from package.session.scripted import text
from package.session.states import STATES, each_state


def built(name: str, *updates: Json) -> Any:
    """The state that results from updates in JSON."""
    surface, make = STATES[name]
    state = make()
    for update in updates:
        state.apply(surface.decode(surface.SessionUpdate, update))
    return state


def chunk(role: str, words: str, message_id: str | None = None) -> Json:
    named = {} if message_id is None else {"messageId": message_id}
    return {"sessionUpdate": f"{role}_chunk", "content": text(words), **named}


def texts(message: Message[Any]) -> list[str]:
    return [block.text for block in message.content]


# --- all surfaces ----------------------------------------------------------------------------


@each_state
def test_every_update_of_the_schema_has_a_rule_or_is_kept_on_purpose(name: str) -> None:
    surface, make = STATES[name]
    definitions = SURFACES[name].definitions
    tags = {
        arm["properties"]["sessionUpdate"]["const"]
        for arm in arms(definitions["SessionUpdate"])
        if "not" not in arm
    }
    assert len(tags) >= 14
    classes = set(surface.SessionUpdate.__args__)
    without = {cls.__name__ for cls in classes - make._rules.keys()}
    assert without == {"Notice", "UnknownSessionUpdate"}


IDS = ("toolCallId", "terminalId", "messageId", "planId", "compactionId", "sessionId")


def with_few_ids(value: Json, pick: Any) -> Json:
    """The same, with few ids, so that updates share them."""
    if isinstance(value, list):
        return [with_few_ids(item, pick) for item in value]
    if isinstance(value, dict):
        return {
            key: (
                pick(("a", "b"))
                if key in IDS and isinstance(item, str)
                else with_few_ids(item, pick)
            )
            for key, item in value.items()
        }
    return value


@each_state
def test_a_state_is_what_its_updates_make(name: str) -> None:
    surface, make = STATES[name]
    kinds = set()
    for seed in range(100):
        chance = random.Random(seed)
        state = make()
        for _ in range(30):
            drawn = generate(SURFACES[name], "SessionUpdate", Choices(chance.randbytes(200)))
            update = surface.decode(surface.SessionUpdate, with_few_ids(drawn.value, chance.choice))
            before = copy.deepcopy(update)
            state.apply(update)
            assert update == before
            kinds.add(update.__class__)
        updates = state.to_updates()
        again = make()
        for update in updates:
            written = surface.dumps(update, surface.SessionUpdate)
            again.apply(surface.loads(surface.SessionUpdate, written))
        assert again == state, seed
        assert again.to_updates() == updates, seed
    assert len(kinds) >= len(make._rules)


@each_state
def test_what_is_unknown_stands_in_the_timeline(name: str) -> None:
    unknown = {"sessionUpdate": "_acme/progress", "percent": 40}
    state = built(name, chunk("agent_message", "a", "m"), unknown, chunk("agent_message", "b", "m"))
    assert [item.__class__.__name__ for item in state.timeline] == [
        "Message",
        "UnknownSessionUpdate",
    ]
    assert state.timeline[1].raw == unknown
    assert state.messages[0].text == "ab"


@each_state
def test_states_with_another_order_differ(name: str) -> None:
    one = {"sessionUpdate": "tool_call_update", "toolCallId": "1"}
    two = {"sessionUpdate": "tool_call_update", "toolCallId": "2"}
    assert built(name, one, two) == built(name, one, two)
    assert built(name, one, two) != built(name, two, one)
    assert built(name, one) != built(name)


def test_states_of_other_surfaces_differ() -> None:
    assert V1State() != V2State()
    assert V1State() != "state"
    with pytest.raises(TypeError):
        hash(V1State())


class Counting(list[Any]):
    """A list that counts the items copied or compared."""

    steps = 0

    def __iter__(self) -> Any:
        Counting.steps += len(self)
        return super().__iter__()


@each_state
def test_a_long_stream_never_walks_over_what_is_there(name: str) -> None:
    surface, _ = STATES[name]
    state: State[Any, Any] = built(name, chunk("agent_message", "a", "m"))
    state.messages[0].content = Counting(state.messages[0].content)
    update = surface.decode(surface.SessionUpdate, chunk("agent_message", "b", "m"))
    Counting.steps = 0
    for _ in range(100_000):
        state.apply(update)
    assert Counting.steps == 0
    assert len(state.messages[0].content) == 100_001
    assert len(state.timeline) == 1


# --- version 1 -------------------------------------------------------------------------------


def test_v1_chunks_join_by_role_and_adjacency() -> None:
    call = {"sessionUpdate": "tool_call", "toolCallId": "1", "title": "t"}
    state = built(
        "v1",
        chunk("user_message", "ask"),
        chunk("agent_message", "an"),
        chunk("agent_message", "swer"),
        chunk("agent_thought", "hm"),
        chunk("agent_message", "more"),
        call,
        chunk("agent_message", "end"),
    )
    found = [(message.role, texts(message)) for message in state.messages]
    assert found == [
        ("user", ["ask"]),
        ("agent", ["an", "swer"]),
        ("thought", ["hm"]),
        ("agent", ["more"]),
        ("agent", ["end"]),
    ]
    assert state.timeline[4] is state.tool_calls["1"]


def test_v1_chunks_join_by_id_where_there_is_one() -> None:
    state = built(
        "v1",
        chunk("agent_message", "a", "m1"),
        chunk("agent_message", "b", "m2"),
        chunk("agent_message", "c", "m1"),
        {**chunk("agent_message", "d"), "messageId": None},
    )
    assert [(m.message_id, m.text) for m in state.messages] == [("m1", "ac"), ("m2", "bd")]


def test_v1_tool_call_is_created_and_changed_by_what_updates_carry() -> None:
    location = {"path": "/a"}
    state = built(
        "v1",
        {"sessionUpdate": "tool_call", "toolCallId": "1", "title": "t", "locations": [location]},
        {"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed"},
        {"sessionUpdate": "tool_call_update", "toolCallId": "1", "title": None, "kind": None},
    )
    call = state.tool_calls["1"]
    assert (call.title, call.status, call.kind) == ("t", "completed", UNSET)
    assert [each.path for each in call.locations] == ["/a"]
    assert state.to_updates() == [
        v1.ToolCall(tool_call_id="1", title="t", status="completed", locations=call.locations)
    ]


def test_v1_update_of_an_unknown_tool_call_is_kept_as_one() -> None:
    state = built(
        "v1", {"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "failed"}
    )
    assert state.to_updates() == [v1.ToolCallUpdate(tool_call_id="1", status="failed")]


@pytest.mark.parametrize("name", ["v1", "v1_unstable"])
def test_the_plan_of_v1_stands_in_the_timeline_where_it_began(name: str) -> None:
    entry = {"content": "c", "priority": "high", "status": "pending"}
    state = built(
        name,
        {"sessionUpdate": "plan", "entries": [entry, entry]},
        {"sessionUpdate": "agent_message_chunk", "content": text("a")},
        {"sessionUpdate": "plan", "entries": [entry]},
    )
    assert list(state.plans) == [None]
    assert len(state.plans[None].entries) == 1
    assert state.timeline == [state.plans[None], state.messages[0]]


def test_plans_with_and_without_an_id_stand_side_by_side() -> None:
    plan = {"type": "items", "planId": "", "entries": []}
    state = built(
        "v1_unstable",
        {"sessionUpdate": "plan", "entries": []},
        {"sessionUpdate": "plan_update", "plan": plan},
    )
    assert list(state.plans) == [None, ""]
    again = built("v1_unstable")
    for update in state.to_updates():
        again.apply(update)
    assert again == state
    state.apply(v1_unstable.PlanRemoved(plan_id=""))
    assert state.timeline == [v1_unstable.Plan(entries=[])]


def test_v1_mode_commands_and_usage_are_the_last_ones() -> None:
    state = built(
        "v1",
        {"sessionUpdate": "current_mode_update", "currentModeId": "ask"},
        {"sessionUpdate": "current_mode_update", "currentModeId": "code"},
        {"sessionUpdate": "available_commands_update", "availableCommands": []},
        {"sessionUpdate": "config_option_update", "configOptions": []},
        {"sessionUpdate": "usage_update", "used": 1, "size": 2},
    )
    assert state.current_mode.current_mode_id == "code"
    assert state.available_commands.available_commands == []
    assert state.config_options.config_options == []
    assert (state.usage.used, state.usage.size) == (1, 2)
    assert state.timeline == []
    assert len(state.to_updates()) == 4


def test_v1_session_info_is_patched_and_null_clears() -> None:
    state = built(
        "v1",
        {"sessionUpdate": "session_info_update", "title": "t", "updatedAt": "2026-01-01T00:00:00Z"},
        {"sessionUpdate": "session_info_update", "updatedAt": None},
    )
    assert state.info == v1.SessionInfoUpdate(title="t")


# --- version 2 -------------------------------------------------------------------------------


def message(content: Json = UNSET, **more: Json) -> Json:
    given_content = {} if content is UNSET else {"content": content}
    return {"sessionUpdate": "agent_message", "messageId": "m", **given_content, **more}


def test_v2_message_replaces_chunks_and_later_ones_append() -> None:
    updates = [message([text("A")]), chunk("agent_message", "B", "m")]
    assert built("v2", *updates).messages[0].text == "AB"
    updates += [message([text("C")]), chunk("agent_message", "D", "m")]
    state = built("v2", *updates)
    assert texts(state.messages[0]) == ["C", "D"]
    [update] = state.to_updates()
    assert update == v2.AgentMessage(message_id="m", content=[v2.TextContent(text="CD")])


@pytest.mark.parametrize("cleared", [[], None])
def test_v2_message_content_can_be_cleared(cleared: Json) -> None:
    state = built("v2", message([text("A")]), message(cleared))
    assert state.messages[0].content == []


def test_v2_message_without_content_leaves_it() -> None:
    state = built("v2", message([text("A")], _meta={"a": 1}), message(_meta={"b": 2}))
    assert state.messages[0].text == "A"
    assert state.messages[0].meta == {"a": 1, "b": 2}


def test_v2_meta_is_patched_by_key() -> None:
    state = built(
        "v2",
        {"sessionUpdate": "tool_call_update", "toolCallId": "1", "_meta": {"a": 1, "b": {"c": 1}}},
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "1",
            "_meta": {"a": None, "b": {"d": 2}},
        },
    )
    assert state.tool_calls["1"].meta == {"b": {"d": 2}}
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "1", "_meta": None}
    state.apply(v2.decode(v2.SessionUpdate, update))
    assert state.tool_calls["1"].meta is UNSET


def test_v2_tool_call_starts_and_clears_to_its_defaults() -> None:
    call = {"sessionUpdate": "tool_call_update", "toolCallId": "1"}
    state = built("v2", call)
    assert (state.tool_calls["1"].kind, state.tool_calls["1"].status) == ("other", "pending")
    state = built("v2", {**call, "kind": "read", "status": "completed", "title": "t"})
    assert (state.tool_calls["1"].kind, state.tool_calls["1"].title) == ("read", "t")
    clear = {**call, "kind": None, "status": None, "title": None}
    state.apply(v2.decode(v2.SessionUpdate, clear))
    cleared = state.tool_calls["1"]
    assert (cleared.kind, cleared.status, cleared.title) == ("other", "pending", UNSET)


def test_v2_tool_call_content_is_appended_and_replaced() -> None:
    item = {"type": "content", "content": text("x")}
    call = {"sessionUpdate": "tool_call_update", "toolCallId": "1"}
    piece = {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "1", "content": item}
    state = built("v2", piece, piece)
    assert len(state.tool_calls["1"].content) == 2
    whole = v2.decode(v2.SessionUpdate, {**call, "content": [item]})
    state.apply(whole)
    state.apply(v2.decode(v2.SessionUpdate, piece))
    assert len(state.tool_calls["1"].content) == 2
    assert len(whole.content) == 1


def output(data: bytes) -> Json:
    encoded = base64.b64encode(data).decode()
    return {"sessionUpdate": "terminal_output_chunk", "terminalId": "t", "data": encoded}


def test_v2_terminal_output_is_exact_to_the_byte() -> None:
    letters = "é日本".encode()
    state = built("v2", *(output(letters[index : index + 1]) for index in range(len(letters))))
    assert state.terminal_output["t"] == letters
    assert state.terminal_output["t"].decode() == "é日本"
    snapshot = {"data": base64.b64encode(b"\xff\x00").decode()}
    replaced = {"sessionUpdate": "terminal_update", "terminalId": "t", "output": snapshot}
    state.apply(v2.decode(v2.SessionUpdate, replaced))
    state.apply(v2.decode(v2.SessionUpdate, output(b"!")))
    assert state.terminal_output["t"] == b"\xff\x00!"
    [update] = state.to_updates()
    assert base64.b64decode(update.output.data) == b"\xff\x00!"
    cleared = {
        "sessionUpdate": "terminal_update",
        "terminalId": "t",
        "output": None,
        "command": "c",
    }
    state.apply(v2.decode(v2.SessionUpdate, cleared))
    assert state.terminal_output == {}
    assert state.to_updates() == [v2.TerminalUpdate(terminal_id="t", command="c")]


def test_v2_output_that_is_no_base64_is_kept_as_it_came() -> None:
    bad = {"sessionUpdate": "terminal_output_chunk", "terminalId": "t", "data": "?"}
    state = built("v2", bad)
    assert state.terminal_output == {}
    assert [v2.encode(each, v2.SessionUpdate) for each in state.timeline] == [bad]


def test_v2_plans_are_replaced_by_id_whatever_their_kind() -> None:
    items = {"type": "items", "planId": "p", "entries": []}
    other = {"type": "_chart", "planId": "p", "nodes": 3}
    state = built(
        "v2",
        {"sessionUpdate": "plan_update", "plan": items},
        {"sessionUpdate": "plan_update", "plan": {**items, "planId": "q"}},
        {"sessionUpdate": "plan_update", "plan": other},
    )
    assert list(state.plans) == ["p", "q"]
    assert state.plans["p"].plan.raw == other
    assert len(state.timeline) == 2


def test_v2_removed_plan_is_gone() -> None:
    items = {"type": "items", "planId": "p", "entries": []}
    state = built(
        "v2_unstable",
        {"sessionUpdate": "plan_update", "plan": items},
        {"sessionUpdate": "plan_removed", "planId": "p"},
    )
    assert state == V2UnstableState()


def test_v2_state_is_the_last_one_and_remembers_background_work() -> None:
    work = [{"type": "tool_call", "toolCallId": "1"}]
    running = {"sessionUpdate": "state_update", "state": "running", "background": work}
    idle = {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}
    state = built("v2", running, idle)
    assert isinstance(state.state, v2.IdleStateUpdate)
    assert state.state.stop_reason == "end_turn"
    assert len(state.state.background) == 1
    state = built("v2", running, {**idle, "background": []})
    assert state.state.background == []


def test_v2_usage_keeps_the_cost_until_it_is_cleared() -> None:
    usage = {"sessionUpdate": "usage_update", "used": 1, "size": 9}
    cost = {"amount": 0.5, "currency": "EUR"}
    state = built("v2", {**usage, "cost": cost}, {**usage, "used": 2})
    assert (state.usage.used, state.usage.cost.amount) == (2, 0.5)
    state.apply(v2.decode(v2.SessionUpdate, {**usage, "cost": None}))
    assert state.usage.cost is UNSET


def test_v2_compaction_keeps_its_place_and_its_chunks() -> None:
    piece = {"sessionUpdate": "compaction_summary_chunk", "compactionId": "c", "content": text("s")}
    done = {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "completed"}
    state = built("v2", piece, chunk("agent_message", "x", "m"), piece, done)
    assert state.timeline[0] is state.compactions["c"]
    assert (state.compactions["c"].status, len(state.compactions["c"].summary)) == ("completed", 2)


def test_notices_are_kept_in_the_timeline() -> None:
    notice = {"sessionUpdate": "notice", "severity": "warning", "title": "t"}
    state = built("v2", notice, notice)
    assert state.timeline == [v2.Notice(severity="warning", title="t")] * 2


def test_unknown_members_of_patches_are_kept() -> None:
    call = {"sessionUpdate": "tool_call_update", "toolCallId": "1"}
    state = built("v2", {**call, "x": 1}, {**call, "y": 2})
    assert state.tool_calls["1"].unknown_fields == {"x": 1, "y": 2}
    assert built("v2", message(z=None)).messages[0].unknown_fields == {"z": None}
