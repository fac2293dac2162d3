"""Tests that session states match a reference and do not depend on how text is split into chunks.

The environment variable `STATE_N` sets the number of update lists to try for each kind of update.
All runs try the same lists.
"""

from __future__ import annotations

import base64
import functools
import itertools
import os
from collections import Counter
from random import Random
from typing import Any, TypeVar

import pytest
from acp_bindings.runtime.session import Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.package.laws.instances import Choices, generate
from tests.package.laws.mutations import arms
from tests.package.laws.schemas import SURFACES, Json
from tests.package.session.reference import COLLECTIONS, ENTRIES, ROLES, SLOTS, Reference, bare
from tests.package.session.scripted import ALL
from tests.package.session.scripted import text as block

N = int(os.environ.get("STATE_N", "12"))
# Health checks are off because they would draw more examples than these runs do.
tried = settings(
    max_examples=N,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
often = settings(tried, max_examples=N * 10)

VERSIONS = {version.name: version.number for version in ALL}
# The surface and the session state class of each version, by version name.
STATES: dict[str, tuple[Any, Any]] = {
    version.name: (version.surface, version.client.SessionState) for version in ALL
}
each_state = pytest.mark.parametrize("name", STATES)
UNKNOWN = "other"
T = TypeVar("T")


# --- compared parts --------------------------------------------------------------------------


def built(name: str, updates: list[Json]) -> Any:
    surface, make = STATES[name]
    state = make()
    decoded = [surface.decode(surface.SessionUpdate, update) for update in updates]
    for update in decoded:
        state.apply(update)
    # Applying an update must not change the updates that were applied before it.
    assert [_encoded(name, update) for update in decoded] == updates
    return state


def shown(name: str, state: Any) -> Json:
    collections = {kind: getattr(state, kind) for kind in COLLECTIONS if hasattr(state, kind)}
    places = {
        id(entry): (kind, key)
        for kind, entries in collections.items()
        for key, entry in entries.items()
    }
    timeline: list[tuple[str, Any, Json]] = []
    for item in state.timeline:
        if item.__class__ is Message:
            timeline.append((item.role, item.message_id, _message(name, item)))
        elif id(item) in places:
            timeline.append((*places[id(item)], tidy(bare(_encoded(name, item)))))
        else:
            timeline.append(("kept", None, _encoded(name, item)))
    for kind, entries in collections.items():
        assert list(entries) == [key for each, key, _ in timeline if each == kind]
    messages = [item for item in state.timeline if item.__class__ is Message]
    assert all(one is other for one, other in zip(state.messages, messages, strict=True))
    slots = {slot: getattr(state, slot, None) for slot in SLOTS.values()}
    return {
        "timeline": timeline,
        "slots": {
            slot: tidy(bare(_encoded(name, value)))
            for slot, value in slots.items()
            if value is not None
        },
        "output": {key: bytes(data) for key, data in getattr(state, "terminal_output", {}).items()},
    }


def _message(name: str, message: Any) -> Json:
    surface, _ = STATES[name]
    written = {
        "role": message.role,
        "messageId": message.message_id,
        "content": [surface.encode(block, surface.ContentBlock) for block in message.content],
        "_meta": message.meta,
        **(message.unknown_fields or {}),
    }
    return tidy(written)


def _encoded(name: str, update: Any) -> Json:
    surface, _ = STATES[name]
    return surface.encode(update, surface.SessionUpdate)


def expected(name: str, updates: list[Json]) -> Json:
    reference = Reference(VERSIONS[name], updates)
    return {
        "timeline": [
            (kind, key, item if kind == "kept" else tidy(item))
            for kind, key, item in reference.timeline()
        ],
        "slots": {slot: tidy(value) for slot, value in reference.slots().items()},
        "output": reference.terminal_output(),
    }


def tidy(item: Json) -> Json:
    """Return an item without cleared content and metadata."""
    cleared: dict[str, list[Json]] = {"content": [[]], "locations": [[]], "summary": [[]]}
    cleared["_meta"] = [None, {}]
    return {key: value for key, value in item.items() if value not in cleared.get(key, [])}


def in_one(state: Json) -> Json:
    """Return a state with adjacent plain text blocks joined in each message."""
    timeline = [
        (kind, key, _in_one(item) if kind in ROLES.values() else item)
        for kind, key, item in state["timeline"]
    ]
    return {**state, "timeline": timeline}


def _in_one(message: Json) -> Json:
    content: list[Json] = []
    for each in message.get("content", []):
        if content and each.keys() == content[-1].keys() == {"type", "text"}:
            content[-1] = {"type": "text", "text": content[-1]["text"] + each["text"]}
        else:
            content.append(each)
    return tidy({**message, "content": content})


def check(name: str, updates: list[Json]) -> Json:
    """Assert that a state and its replay match the reference. Return the replay's state."""
    surface, make = STATES[name]
    state = built(name, updates)
    assert shown(name, state) == expected(name, updates)
    written = state.to_updates()
    again = make()
    for update in written:
        line = surface.dumps(update, surface.SessionUpdate)
        again.apply(surface.loads(surface.SessionUpdate, line))
    joined = in_one(shown(name, state))
    assert shown(name, again) == joined
    assert again == state
    assert again.to_updates() == written
    # In protocol 1, each block of a message is one update. Otherwise, each entry is one update.
    counts = [
        len(item["content"]) if kind in ROLES.values() and VERSIONS[name] == 1 else 1
        for kind, _, item in joined["timeline"]
    ]
    assert len(written) == sum(counts) + len(joined["slots"])
    return joined


# --- updates ---------------------------------------------------------------------------------


@functools.cache
def tags(name: str) -> list[str]:
    found = [
        arm["properties"]["sessionUpdate"]["const"]
        for arm in arms(SURFACES[name].definitions["SessionUpdate"])
        if "not" not in arm
    ]
    return [*found, UNKNOWN]


def kind_of(name: str, update: Json) -> str:
    tag = update["sessionUpdate"]
    return tag if tag in tags(name) else UNKNOWN


# There are only a few ids, so that updates share them. The empty string is a valid id.
IDS = ("a", "b", "a", "")
MEMBERS = ("toolCallId", "terminalId", "messageId", "planId", "compactionId", "sessionId")
BITS: tuple[Json, ...] = (None, 1, {"x": 1}, {"x": None}, [])
# Drawing is slow, so a single draw provides the bytes for an entire list of updates.
entropy = st.binary(min_size=1024, max_size=1024)


def one_update(choices: Choices, name: str, tag: str) -> Json:
    if tag == UNKNOWN:
        return {"sessionUpdate": "_acme/progress", **metadata(choices)}
    definition = SURFACES[name].definitions["SessionUpdate"]
    union = "anyOf" if "anyOf" in definition else "oneOf"
    pins = {f"#/$defs/SessionUpdate/{union}": tags(name).index(tag)}
    update = dict(generate(SURFACES[name], "SessionUpdate", choices, pins).value)
    if isinstance(update.get("_meta"), dict):
        update["_meta"] = metadata(choices)
    for key in MEMBERS:
        if isinstance(update.get(key), str):
            update[key] = choices.of(IDS)
    if tag == "plan_update":
        update["plan"] = {**update["plan"], "planId": choices.of(IDS)}
    if tag == "terminal_output_chunk":
        update["data"] = some_base64(choices)
    if update.get("output"):
        update["output"] = {**update["output"], "data": some_base64(choices)}
    return update


def metadata(choices: Choices) -> Json:
    return {choices.of("kl"): choices.of(BITS) for _ in range(choices.below(3))}


def some_base64(choices: Choices) -> str:
    data = bytes(choices.below(256) for _ in range(choices.below(5)))
    return base64.b64encode(data).decode()


def some_updates(choices: Choices, name: str, tag: str) -> list[Json]:
    """Return random updates: some with this tag, many of related kinds, and a few of any kind."""
    kin = [other for other in tags(name) if _kin(other) == _kin(tag)]
    others = [choices.of(tags(name)) for _ in range(choices.below(3))]
    stock = [tag, *kin, *kin, *others]
    picked = [choices.of(stock) for _ in range(3 + choices.below(7))]
    picked.insert(choices.below(len(picked) + 1), tag)
    updates = [one_update(choices, name, each) for each in picked]
    return without_differences(name, updates)


def _kin(tag: str) -> str:
    return ENTRIES[tag][0] if tag in ENTRIES else ROLES.get(tag, tag)


def without_differences(name: str, updates: list[Json]) -> list[Json]:
    """Return the updates, changed to avoid a difference that is tested below."""
    has_removal = any(update["sessionUpdate"] == "plan_removed" for update in updates)
    made = [dict(update) for update in updates]
    for update in made:
        if update["sessionUpdate"] in ROLES and update.get("messageId") is None and has_removal:
            update["messageId"] = "a"
    return made


# --- states and the reference ----------------------------------------------------------------


@each_state
def test_a_state_and_its_replay_are_what_the_reference_says(name: str) -> None:
    seen: Counter[str] = Counter()
    met: Counter[str] = Counter()
    for tag in tags(name):
        lists = entropy.map(lambda data, tag=tag: some_updates(Choices(data), name, tag))

        @tried
        @given(updates=lists)
        def run(updates: list[Json]) -> None:
            check(name, updates)
            subjects = Reference(VERSIONS[name], updates).subjects()
            for number, update in enumerate(updates):
                seen[kind_of(name, update)] += 1
                met[kind_of(name, update)] += subjects[number] in subjects[:number]

        run()
    assert [tag for tag in tags(name) if not seen[tag]] == []
    # For each kind of update with an id, at least one example contained the same id twice.
    assert [tag for tag in tags(name) if not met[tag]] == [
        tag for tag in tags(name) if tag in ("notice", UNKNOWN)
    ]


@each_state
def test_the_reference_has_a_rule_for_each_kind_of_update(name: str) -> None:
    ruled = {*ROLES, *ENTRIES, *SLOTS}
    unruled = [tag for tag in tags(name) if tag not in ruled]
    assert unruled == ["notice", UNKNOWN], "write rules in tests/package/session/reference.py"


# --- chunks cut up in other ways -------------------------------------------------------------


# Drawing is slow, so a single draw determines all cuts of an example.
chances = st.randoms(use_true_random=True)
USAGE = {"sessionUpdate": "usage_update", "used": 1, "size": 2}
CALL = {"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed"}
roles = st.sampled_from(["user_message", "agent_message", "agent_thought"])
texts = st.text(max_size=12)
outputs = st.binary(max_size=12) | st.text(max_size=8).map(str.encode)
# The possible parts of an example, by protocol version. Each part is either `CALL` or a tuple: how
# the content is sent (in chunks or whole), the start of the tag, the id, and the content.
PARTS: dict[int, st.SearchStrategy[Any]] = {
    1: st.just(CALL) | st.tuples(st.just("chunk"), roles, st.sampled_from(["a", "b", None]), texts),
    2: st.tuples(st.sampled_from(["chunk", "whole"]), roles, st.sampled_from("ab"), texts)
    | st.tuples(
        st.sampled_from(["chunk", "whole"]), st.just("terminal"), st.sampled_from("ab"), outputs
    ),
}


def cut(chance: Random, whole: str | bytes) -> list[Any]:
    places = sorted(chance.choices(range(len(whole) + 1), k=chance.randint(0, 3)))
    return [whole[a:b] for a, b in itertools.pairwise([0, *places, len(whole)])]


def woven(chance: Random, streams: list[list[T]]) -> list[T]:
    turns = [number for number, stream in enumerate(streams) for _ in stream]
    chance.shuffle(turns)
    rests = [iter(stream) for stream in streams]
    return [next(rests[number]) for number in turns]


def chunk(tag: str, message_id: str | None, text: str) -> Json:
    ids = {} if message_id is None else {"messageId": message_id}
    return {"sessionUpdate": f"{tag}_chunk", "content": block(text), **ids}


def output(key: str, data: bytes, tag: str = "terminal_output_chunk") -> Json:
    given = {"data": base64.b64encode(data).decode()}
    members = given if tag == "terminal_output_chunk" else {"output": given}
    return {"sessionUpdate": tag, "terminalId": key, **members}


def in_pieces(chance: Random, part: Any) -> list[Json]:
    if isinstance(part, dict):
        return [part]
    how, tag, key, whole = part
    if how == "whole" and tag == "terminal":
        return [output(key, whole, "terminal_update")]
    pieces = cut(chance, whole)
    if how == "whole":
        content = [block(piece) for piece in pieces]
        return [{"sessionUpdate": tag, "messageId": key, "content": content}]
    make = output if tag == "terminal" else functools.partial(chunk, tag)
    # A usage update isn't in the timeline, so it doesn't separate the chunks around it.
    chunks = [[make(key, piece), *[USAGE] * chance.randint(0, 1)] for piece in pieces]
    return [update for each in chunks for update in each]


@each_state
def test_a_state_does_not_depend_on_how_texts_and_bytes_are_cut(name: str) -> None:
    split_letters = False

    @often
    @given(parts=st.lists(PARTS[VERSIONS[name]], max_size=6), chance=chances)
    def run(parts: list[Any], chance: Random) -> None:
        nonlocal split_letters
        found = []
        for _ in range(2):
            streams = [in_pieces(chance, part) for part in parts]
            updates = [USAGE, *itertools.chain(*streams)]
            found.append(check(name, updates))
            sent = [base64.b64decode(each["data"]) for each in updates if "data" in each]
            split_letters |= any(0x80 <= data[0] < 0xC0 for data in sent if data)
        assert found[0] == found[1]
        check(name, woven(chance, streams))

    run()
    assert split_letters == (VERSIONS[name] == 2)


# --- single cases ----------------------------------------------------------------------------


def say(text: str, **members: Json) -> Json:
    return {**chunk("agent_message", "m", ""), "content": {**block(text), **members}}


RUNNING = {
    "sessionUpdate": "state_update",
    "state": "running",
    "background": [{"type": "tool_call", "toolCallId": "1"}],
}
SUBAGENT = {"sessionUpdate": "subagent_update", "sessionId": "a"}
SENT = {"sessionUpdate": "session_message", "messageId": "a"}
SINGLE: dict[str, tuple[str, list[Json]]] = {
    "text that says more stays apart": (
        "",
        [say("a"), say("b", _meta={"key": 1}), say("c", more=1), say("d"), say("e")],
    ),
    "metadata of version 1 is replaced": (
        "v1_unstable",
        [{**update, "_meta": {key: 1}} for key in "ab" for update in (SUBAGENT, SENT)],
    ),
    "metadata of a usage is no patch": ("v2", [{**USAGE, "_meta": {"a": 1}}, USAGE]),
    "background work is not carried over an unknown state": (
        "v2",
        [RUNNING, {**RUNNING, "state": "_acme"}, {**RUNNING, "state": "idle", "background": None}],
    ),
}


@each_state
@pytest.mark.parametrize("case", SINGLE)
def test_single_cases(name: str, case: str) -> None:
    surfaces, updates = SINGLE[case]
    if name.startswith(surfaces):
        check(name, updates)


@pytest.mark.parametrize("name", ["v2", "v2_unstable"])
@pytest.mark.parametrize(
    "update",
    [
        {"sessionUpdate": "terminal_output_chunk", "terminalId": "t", "data": "?"},
        {"sessionUpdate": "terminal_update", "terminalId": "t", "output": {"data": "?"}},
    ],
)
def test_v2_output_that_is_no_base64_is_kept_as_it_came(name: str, update: Json) -> None:
    state = built(name, [update])
    assert [_encoded(name, each) for each in state.timeline] == [update]
    assert state.terminal_output == {}


# --- where states differ from the reference --------------------------------------------------

differs = pytest.mark.xfail(
    strict=True,
    reason="protocol 1 has no update that keeps messages without ids apart, so that their replay"
    " joins them when what stood between them is removed",
)


@differs
def test_v1_messages_stay_apart_when_a_plan_between_them_is_removed() -> None:
    plan = {"type": "items", "planId": "p", "entries": []}
    check(
        "v1_unstable",
        [
            chunk("agent_message", None, "1"),
            {"sessionUpdate": "plan_update", "plan": plan},
            chunk("agent_message", None, "2"),
            {"sessionUpdate": "plan_removed", "planId": "p"},
        ],
    )
