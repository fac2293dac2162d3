"""Session states agree with the plain reference, and do not depend on how text is cut into chunks.

`STATE_N` is the number of lists of updates tried for each kind; they are the same in each run.
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
from package.laws.instances import Choices, generate
from package.laws.mutations import arms
from package.laws.schemas import SURFACES, Json
from package.session.reference import COLLECTIONS, ENTRIES, ROLES, SLOTS, Reference, bare
from package.session.scripted import ALL
from package.session.scripted import text as block
from package.session.states import STATES, each_state

N = int(os.environ.get("STATE_N", "12"))
# Health checks are off on purpose: they would draw more than these runs do.
tried = settings(
    max_examples=N,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
often = settings(tried, max_examples=N * 10)

VERSIONS = {version.name: version.number for version in ALL}
UNKNOWN = "other"
T = TypeVar("T")


# --- what is compared ------------------------------------------------------------------------


def built(name: str, updates: list[Json]) -> Any:
    """The state that results from updates in JSON."""
    surface, make = STATES[name]
    state = make()
    decoded = [surface.decode(surface.SessionUpdate, update) for update in updates]
    for update in decoded:
        state.apply(update)
    # Later updates do not change one that was applied.
    assert [_encoded(name, update) for update in decoded] == updates
    return state


def replayed(name: str, state: Any) -> Any:
    """The state that results from a state's own updates, encoded and decoded."""
    surface, make = STATES[name]
    lines = [surface.dumps(update, surface.SessionUpdate) for update in state.to_updates()]
    again = make()
    for line in lines:
        again.apply(surface.loads(surface.SessionUpdate, line))
    return again


def shown(name: str, state: Any) -> Json:
    """A state as JSON (and bytes)."""
    collections = {kind: getattr(state, kind) for kind in COLLECTIONS if hasattr(state, kind)}
    slots = {slot: getattr(state, slot, None) for slot in SLOTS.values()}
    return {
        "timeline": [_with_kind(name, item, collections) for item in state.timeline],
        "messages": [_message(name, message) for message in state.messages],
        "slots": {
            slot: None if value is None else tidy(bare(_encoded(name, value)))
            for slot, value in slots.items()
        },
        "output": {key: bytes(data) for key, data in getattr(state, "terminal_output", {}).items()},
        **{
            kind: {
                key: tidy(bare(_encoded(name, entry)))
                for key, entry in collections.get(kind, {}).items()
            }
            for kind in COLLECTIONS
        },
    }


def _with_kind(name: str, item: Any, collections: dict[str, Any]) -> tuple[str, Json]:
    if item.__class__ is Message:
        return item.role, _message(name, item)
    for kind, entries in collections.items():
        if any(item is entry for entry in entries.values()):
            return kind, tidy(bare(_encoded(name, item)))
    return "kept", _encoded(name, item)


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
    """The same, by the reference."""
    reference = Reference(VERSIONS[name], updates)
    slots = {slot: reference.slot(slot) for slot in SLOTS.values()}
    return {
        "timeline": [
            (kind, item if kind == "kept" else tidy(item)) for kind, item in reference.timeline()
        ],
        "messages": [tidy(message) for message in reference.messages()],
        "slots": {slot: None if value is None else tidy(value) for slot, value in slots.items()},
        "output": reference.terminal_output(),
        **{
            kind: {key: tidy(entry) for key, entry in reference.collection(kind).items()}
            for kind in COLLECTIONS
        },
    }


def tidy(item: Json) -> Json:
    """The same, without cleared content and metadata."""
    cleared: dict[str, list[Json]] = {"content": [[]], "locations": [[]], "summary": [[]]}
    cleared["_meta"] = [None, {}]
    return {key: value for key, value in item.items() if value not in cleared.get(key, [])}


def in_one(state: Json) -> Json:
    """A state as JSON, after adjacent blocks of its messages that are only text became one."""
    timeline = [
        (kind, _in_one(item) if kind in ROLES.values() else item)
        for kind, item in state["timeline"]
    ]
    return {**state, "timeline": timeline, "messages": [_in_one(m) for m in state["messages"]]}


def _in_one(message: Json) -> Json:
    content: list[Json] = []
    for each in message.get("content", []):
        if content and each.keys() == content[-1].keys() == {"type", "text"}:
            content[-1] = {"type": "text", "text": content[-1]["text"] + each["text"]}
        else:
            content.append(each)
    return tidy({**message, "content": content})


def check(name: str, updates: list[Json]) -> None:
    """Assert that a state and its replay agree with the reference."""
    state = built(name, updates)
    assert shown(name, state) == expected(name, updates)
    again = replayed(name, state)
    assert shown(name, again) == in_one(shown(name, state))
    assert again == state


# --- updates ---------------------------------------------------------------------------------


@functools.cache
def tags(name: str) -> list[str]:
    """Every kind of update, and one for unknown ones."""
    found = [
        arm["properties"]["sessionUpdate"]["const"]
        for arm in arms(SURFACES[name].definitions["SessionUpdate"])
        if "not" not in arm
    ]
    return [*found, UNKNOWN]


def kind_of(name: str, update: Json) -> str:
    """The kind of an update, as in `tags`."""
    tag = update["sessionUpdate"]
    return tag if tag in tags(name) else UNKNOWN


# Few, so that updates share ids. An empty string is an id like any other.
IDS = ("a", "b", "a", "")
MEMBERS = ("toolCallId", "terminalId", "messageId", "planId", "compactionId", "sessionId")
BITS: tuple[Json, ...] = (None, 1, {"x": 1}, {"x": None}, [])
# One draw for a list of updates, as a draw takes longer than an update. It has bytes for them all.
entropy = st.binary(min_size=1024, max_size=1024)


def one_update(choices: Choices, name: str, tag: str) -> Json:
    """An update of a kind, with one of a few ids, so that updates share them."""
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
    """A list with a kind of update in it, many that share its ids, and some of any kind."""
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
    """The same, without what differs from the reference and has a test of its own below."""
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
    # Each kind with an id also occurs a second time with the same id.
    assert [tag for tag in tags(name) if not met[tag]] == [
        tag for tag in tags(name) if tag in ("notice", UNKNOWN)
    ]


@each_state
def test_the_reference_has_a_rule_for_each_kind_of_update(name: str) -> None:
    ruled = {*ROLES, *ENTRIES, *SLOTS}
    assert [tag for tag in tags(name) if tag not in ruled] == ["notice", UNKNOWN]


# --- chunks cut up in other ways -------------------------------------------------------------


# One draw for all cuts of an example: a draw takes longer than a state takes for an update.
chances = st.randoms(use_true_random=True)


def cut(chance: Random, whole: str | bytes) -> list[Any]:
    """The text in pieces, some of which may be empty."""
    places = sorted(chance.choices(range(len(whole) + 1), k=chance.randint(0, 5)))
    return [whole[a:b] for a, b in itertools.pairwise([0, *places, len(whole)])]


def woven(chance: Random, streams: list[list[T]]) -> list[T]:
    """Several streams merged into one, each in its order."""
    turns = [number for number, stream in enumerate(streams) for _ in stream]
    chance.shuffle(turns)
    rests = [iter(stream) for stream in streams]
    return [next(rests[number]) for number in turns]


texts = st.text(max_size=12)
roles = st.sampled_from(["user_message", "agent_message", "agent_thought"])
USAGE = {"sessionUpdate": "usage_update", "used": 1, "size": 2}
CALL = {"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed"}
# A text, the role that says it, and an id or none.
said = st.tuples(roles, st.sampled_from(["a", "b", None]), texts)
named = st.tuples(roles, st.sampled_from("ab"), texts)


def chunk(tag: str, message_id: str | None, text: str) -> Json:
    ids = {} if message_id is None else {"messageId": message_id}
    return {"sessionUpdate": f"{tag}_chunk", "content": block(text), **ids}


def spoken(chance: Random, parts: list[Any]) -> list[Json]:
    """Updates for texts, one after another, each in chunks."""
    updates: list[Json] = []
    for part in parts:
        if isinstance(part, dict):
            updates.append(part)
            continue
        tag, message_id, text = part
        for piece in cut(chance, text):
            updates.append(chunk(tag, message_id, piece))
            # The usage is not in the timeline, so it is not between two chunks either.
            updates += [USAGE] * chance.randint(0, 1)
    return updates


def rendered(name: str, updates: list[Json]) -> list[tuple[str, str | None, str]]:
    """The messages of a state: role, id and text."""
    state = built(name, updates)
    return [(message.role, message.message_id, message.text) for message in state.messages]


@pytest.mark.parametrize("name", ["v1", "v1_unstable"])
def test_v1_messages_do_not_depend_on_how_their_text_is_cut(name: str) -> None:
    anonymous = 0

    @often
    @given(parts=st.lists(said | st.just(CALL), max_size=8), chance=chances)
    def run(parts: list[Any], chance: Random) -> None:
        nonlocal anonymous
        one, other = spoken(chance, parts), spoken(chance, parts)
        found = rendered(name, one)
        assert found == rendered(name, other)
        assert [text for _, _, text in found] == [
            "".join(piece["text"] for piece in message["content"])
            for message in Reference(1, one).messages()
        ]
        kinds = [kind for kind, _ in shown(name, built(name, one))["timeline"]]
        assert kinds == [kind for kind, _ in shown(name, built(name, other))["timeline"]]
        anonymous += sum(message_id is None for _, message_id, _ in found)

    run()
    assert anonymous > 0


@each_state
def test_named_messages_do_not_depend_on_how_their_text_is_cut_and_mixed(name: str) -> None:
    @often
    @given(parts=st.lists(named, max_size=4, unique_by=lambda part: part[:2]), chance=chances)
    def run(parts: list[Any], chance: Random) -> None:
        found = []
        for _ in range(2):
            streams = [spoken(chance, [part]) for part in parts]
            found.append(rendered(name, woven(chance, streams)))
        assert sorted(found[0]) == sorted(found[1])
        assert sorted(found[0]) == sorted((ROLES[tag], key, text) for tag, key, text in parts)

    run()


@pytest.mark.parametrize("name", ["v2", "v2_unstable"])
def test_v2_messages_do_not_depend_on_how_replacements_are_cut(name: str) -> None:
    whole = st.tuples(st.just("whole"), named)
    parts_of_both = st.lists(whole | st.tuples(st.just("chunks"), named), max_size=6)
    replaced = 0

    @often
    @given(parts=parts_of_both, chance=chances)
    def run(parts: list[Any], chance: Random) -> None:
        nonlocal replaced
        wanted: dict[tuple[str, str], str] = {}
        for how, (tag, key, text) in parts:
            before = wanted.get((ROLES[tag], key), "")
            wanted[ROLES[tag], key] = text if how == "whole" else before + text
            replaced += how == "whole" and before != ""
        for _ in range(2):
            updates: list[Json] = []
            for how, (tag, key, text) in parts:
                if how == "whole":
                    content = [block(piece) for piece in cut(chance, text)]
                    updates.append({"sessionUpdate": tag, "messageId": key, "content": content})
                else:
                    updates += spoken(chance, [(tag, key, text)])
            found = {(role, key): text for role, key, text in rendered(name, updates)}
            assert found == wanted

    run()
    assert replaced > 0


def output_chunk(key: str, data: bytes) -> Json:
    encoded = base64.b64encode(data).decode()
    return {"sessionUpdate": "terminal_output_chunk", "terminalId": key, "data": encoded}


def snapshot(key: str, data: bytes | None) -> Json:
    output = None if data is None else {"data": base64.b64encode(data).decode()}
    return {"sessionUpdate": "terminal_update", "terminalId": key, "output": output}


@pytest.mark.parametrize("name", ["v2", "v2_unstable"])
def test_terminal_output_does_not_depend_on_how_its_bytes_are_cut(name: str) -> None:
    bytes_of_text = st.binary(max_size=12) | st.text(max_size=8).map(str.encode)
    # A snapshot (or none) for each terminal, and what comes after it.
    streams = st.fixed_dictionaries(
        {key: st.tuples(st.none() | bytes_of_text, bytes_of_text) for key in "ab"}
    )
    split_letters = 0

    @often
    @given(rounds=st.lists(streams, min_size=1, max_size=3), chance=chances)
    def run(rounds: list[dict[str, tuple[bytes | None, bytes]]], chance: Random) -> None:
        nonlocal split_letters
        wanted = {key: (start or b"") + rest for key, (start, rest) in rounds[-1].items()}
        for _ in range(2):
            updates: list[Json] = []
            for terminals in rounds:
                merged = []
                for key, (start, rest) in terminals.items():
                    pieces = cut(chance, rest)
                    split_letters += any(0x80 <= piece[0] < 0xC0 for piece in pieces if piece)
                    chunks = [output_chunk(key, piece) for piece in pieces]
                    merged.append([snapshot(key, start), *chunks])
                updates += woven(chance, merged)
            state = built(name, updates)
            assert state.terminal_output == wanted
            assert replayed(name, state).terminal_output == wanted

    run()
    assert split_letters > 0


# --- single cases ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["v2", "v2_unstable"])
def test_v2_metadata_of_a_usage_is_no_patch(name: str) -> None:
    usage = {"sessionUpdate": "usage_update", "used": 1, "size": 2}
    check(name, [{**usage, "_meta": {"a": 1}}, usage])


@each_state
def test_an_empty_string_is_an_id_too(name: str) -> None:
    check(
        name,
        [
            chunk("agent_message", "", "1"),
            chunk("agent_message", "b", "2"),
            chunk("agent_message", "", "3"),
        ],
    )


@pytest.mark.parametrize(
    ("tag", "key"), [("subagent_update", "sessionId"), ("session_message", "messageId")]
)
def test_v1_metadata_is_replaced(tag: str, key: str) -> None:
    update = {"sessionUpdate": tag, key: "a"}
    check("v1_unstable", [{**update, "_meta": {"a": 1}}, {**update, "_meta": {"b": 1}}])


@pytest.mark.parametrize("name", ["v2", "v2_unstable"])
def test_v2_background_work_is_not_carried_over_an_unknown_state(name: str) -> None:
    work = [{"type": "tool_call", "toolCallId": "1"}]
    update = {"sessionUpdate": "state_update"}
    running = {**update, "state": "running", "background": work}
    check(name, [running, {**update, "state": "_acme"}, {**update, "state": "idle"}])


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
