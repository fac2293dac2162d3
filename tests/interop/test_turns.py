"""The conversations of a prompt turn, had live over stdio: prompts, output, tools, cancelling.

They are had by our client with our agent, by our client with an agent of the official TypeScript
SDK, and by a client of that with our agent, in both protocol versions. Each conversation has a
session of its own, whose id is its name. Each program is started once and then once more, as a
second client that comes back to a session; each test looks at one thing in what came of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.v1.session import SessionState as SessionStateV1
from acp_bindings.v2.session import SessionState as SessionStateV2

from interop.combinations import Combination
from interop.environments import Unavailable, command, locked, required
from interop.running import Outcome, _run

_OURS = ("ours", "interop.turns.our_client"), ("ours", "interop.turns.our_agent")
COMBINATIONS = {
    each.name: each
    for version in (1, 2)
    for each in (
        Combination(f"ours-v{version}", version, *_OURS),
        Combination(
            f"typescript-agent-v{version}",
            version,
            _OURS[0],
            ("node", f"turns_agent_v{version}.mjs"),
        ),
        Combination(
            f"typescript-client-v{version}",
            version,
            ("node", f"turns_client_v{version}.mjs"),
            _OURS[1],
        ),
    )
}
CONVERSATIONS = (
    "user_message",
    "output",
    "stop_end_turn",
    "stop_max_tokens",
    "stop_max_turn_requests",
    "stop_refusal",
    "stop_cancelled",
    "tool_granted",
    "tool_rejected",
    "continued",
    "cancel",
    "cancel_question",
    "replay",
)
CONVERSATIONS_V2 = ("stop__acme_limit", "requires_action", "unprompted", "message_ids")
SURFACES: dict[int, Any] = {1: v1, 2: v2}
STATES: dict[int, Any] = {1: SessionStateV1, 2: SessionStateV2}
# The official SDK sends whatever it is told to.
CONVERSATIONS_OF_OUR_CLIENT = ("unsupported_content",)
STOP_REASONS = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")
ROLES = ("user", "agent", "thought")

ALL = list(COMBINATIONS)
V1 = [name for name, each in COMBINATIONS.items() if each.version == 1]
V2 = [name for name, each in COMBINATIONS.items() if each.version == 2]
OUR_CLIENT = [name for name, each in COMBINATIONS.items() if each.has_our_client]
OUR_CLIENT_V2 = [name for name in OUR_CLIENT if name in V2]


# --- what came of it -------------------------------------------------------------------------


@dataclass
class Turns:
    """What came of all conversations of a combination.

    Attributes:
        version: the protocol version.
        first: of those of the first client.
        second: of that of the second client, which came back to the session `replay`.
    """

    version: int
    first: Outcome
    second: Outcome

    def __getitem__(self, conversation: str) -> dict[str, Any]:
        """The report on a conversation of the first client."""
        report = self.first.report[conversation]
        assert "failed" not in report, report
        found: dict[str, Any] = report
        return found

    def updates(self, conversation: str) -> list[Any]:
        """The updates that the client saw, without the message ids, which are up to the agent."""
        return without_ids(self[conversation]["updates"])

    def stops(self, conversation: str) -> list[Any]:
        """Why the turns stopped."""
        return [turn["stop"] for turn in self[conversation]["turns"]]

    def framed(self, prompt: list[Any], *updates: Any, stop: str = "end_turn") -> list[Any]:
        """All updates of a turn: in protocol 2, the message and the states are among them."""
        if self.version == 1:
            return list(updates)
        accepted = {"sessionUpdate": "user_message", "content": prompt}
        return [accepted, state("running"), *updates, state("idle", stopReason=stop)]

    def tool_call(self, title: str, kind: str, status: str, call: str = "call_1") -> dict[str, Any]:
        """The first update on a tool call."""
        return {
            "sessionUpdate": "tool_call" if self.version == 1 else "tool_call_update",
            "toolCallId": call,
            "title": title,
            "kind": kind,
            "status": status,
        }


def have(combination: Combination) -> Turns:
    """Have all conversations; whatever goes wrong is part of what comes of it."""
    try:
        client = [*command(*combination.client), str(combination.version)]
        agent = command(*combination.agent)
    except Unavailable as reason:
        missing = Outcome(unavailable=str(reason))
        return Turns(combination.version, missing, missing)
    with TemporaryDirectory() as name:
        folder = Path(name)
        first = _run([*client, "converse"], agent, folder)
        for left in ("report.json", "transcript.jsonl"):
            (folder / left).unlink(missing_ok=True)
        return Turns(combination.version, first, _run([*client, "attach"], agent, folder))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of the test run have in common."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "turns"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def turns(name: str, folder: Path) -> Turns:
    """What came of the conversations, which the first test that asks for it has had."""
    path = folder / f"{name}.json"
    with locked(folder / f"{name}.lock"):
        if not path.exists():
            path.write_text(json.dumps(asdict(have(COMBINATIONS[name]))), "utf-8")
    saved = json.loads(path.read_text("utf-8"))
    turns = Turns(saved["version"], Outcome(**saved["first"]), Outcome(**saved["second"]))
    for outcome in (turns.first, turns.second):
        if outcome.unavailable:
            (pytest.fail if required() else pytest.skip)(f"{name}: {outcome.unavailable}")
        if outcome.problem:
            pytest.fail(f"{name}: {outcome.problem}\n{outcome.log}")
    return turns


def among(names: Iterable[str]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a test for these combinations."""
    return pytest.mark.parametrize("name", list(names))


def text(words: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": words}


def message(words: str) -> dict[str, Any]:
    """A part of the agent's answer."""
    return {"sessionUpdate": "agent_message_chunk", "content": text(words)}


def state(name: str, **members: Any) -> dict[str, Any]:
    """An update on what the agent is doing."""
    return {"sessionUpdate": "state_update", "state": name, **members}


def output(*words: str) -> list[Any]:
    """What a tool has put out."""
    return [{"type": "content", "content": text(each)} for each in words]


def news(call: str, status: str, *words: str) -> dict[str, Any]:
    """A later update on a tool call."""
    update = {"sessionUpdate": "tool_call_update", "toolCallId": call, "status": status}
    return {**update, "content": output(*words)} if words else update


def without_ids(updates: list[Any]) -> list[Any]:
    """Updates without the ids of messages."""
    return [{k: v for k, v in update.items() if k != "messageId"} for update in updates]


# --- what was said ---------------------------------------------------------------------------


def lines(outcome: Outcome) -> Iterator[tuple[str, dict[str, Any]]]:
    """Who sent which message, in their order."""
    for entry in outcome.transcript:
        yield entry["from"], json.loads(entry["line"])


def sent(outcome: Outcome, method: str, session: str) -> list[dict[str, Any]]:
    """The requests or notifications of a method in a session."""
    return [
        line
        for _, line in lines(outcome)
        if line.get("method") == method and line["params"].get("sessionId") == session
    ]


def answers(outcome: Outcome, method: str, session: str) -> list[dict[str, Any]]:
    """What the requests of a method in a session were answered, without id and version."""
    asked = {
        (side, line["id"])
        for side, line in lines(outcome)
        if line.get("method") == method and line["params"].get("sessionId") == session
    }
    return [
        {key: value for key, value in line.items() if key not in ("jsonrpc", "id")}
        for side, line in lines(outcome)
        if "method" not in line
        and ("client" if side == "agent" else "agent", line.get("id")) in asked
    ]


def told(version: int, outcome: Outcome, session: str, until: str = "") -> Any:
    """The state that the transcript of a session comes to.

    Args:
        version: the protocol version.
        outcome: what has the transcript.
        session: the id of the session.
        until: the method of a request before which to stop.
    """
    v = SURFACES[version]
    made = STATES[version]()
    for _, line in lines(outcome):
        if line.get("params", {}).get("sessionId") != session:
            continue
        if line["method"] == until:
            break
        if line["method"] == "session/update":
            made.apply(v.decode(v.SessionUpdate, line["params"]["update"], strict=True))
        elif line["method"] == "session/prompt" and version == 1:
            for block in line["params"]["prompt"]:
                content = v.decode(v.ContentBlock, block, strict=True)
                made.apply(v.UserMessageChunk(content=content))
    return made


def position(outcome: Outcome, wanted: Callable[[dict[str, Any]], bool]) -> int:
    """Where in the transcript a message is."""
    return next(number for number, (_, line) in enumerate(lines(outcome)) if wanted(line))


# --- every combination, every conversation ---------------------------------------------------


def test_there_are_six_combinations() -> None:
    assert ALL == [
        "ours-v1",
        "typescript-agent-v1",
        "typescript-client-v1",
        "ours-v2",
        "typescript-agent-v2",
        "typescript-client-v2",
    ]


@among(ALL)
def test_every_combination_has_had_every_conversation(name: str, turns: Turns) -> None:
    expected = {*CONVERSATIONS}
    if turns.version == 2:
        expected |= {*CONVERSATIONS_V2}
    if name in OUR_CLIENT:
        expected |= {*CONVERSATIONS_OF_OUR_CLIENT}
    reports = {key: value for key, value in turns.first.report.items() if isinstance(value, dict)}
    assert set(reports) == expected
    assert [key for key, value in reports.items() if "failed" in value] == []
    assert [key for key, value in reports.items() if not value["turns"]] == [
        key for key in CONVERSATIONS_OF_OUR_CLIENT if key in expected
    ]
    assert "failed" not in turns.second.report["replay"]


@among(ALL)
def test_both_sides_end_well(turns: Turns) -> None:
    for outcome in (turns.first, turns.second):
        assert (outcome.client_exit, outcome.agent_exit) == (0, 0), outcome.log
        assert outcome.outlived is False
        assert outcome.log == ""


@among(OUR_CLIENT)
def test_our_client_has_nothing_to_repair(turns: Turns) -> None:
    assert turns.first.report["issues"] == []
    assert turns.second.report["issues"] == []


@among(ALL)
def test_what_is_sent_is_of_the_published_schema(turns: Turns) -> None:
    v = SURFACES[turns.version]
    kinds = {
        "session/prompt": v.PromptRequest,
        "session/request_permission": v.RequestPermissionRequest,
    }
    for outcome in (turns.first, turns.second):
        for _, line in lines(outcome):
            method, params = line.get("method"), line.get("params", {})
            if method == "session/update":
                decoded = v.decode(v.SessionUpdate, params["update"], strict=True)
                assert not isinstance(decoded, v.UnknownSessionUpdate)
            elif method in kinds:
                decoded = v.decode(kinds[method], params, strict=True)
                assert not decoded.unknown_fields


@among(ALL)
def test_nothing_is_sent_in_the_words_of_the_drafts(turns: Turns) -> None:
    words = {word for _, line in lines(turns.first) for word in strings(line)}
    assert "sessionUpdate" in words
    drafts = {"embedded_resource", "arguments", "success", "state_change", "stop_reason"}
    assert not words & drafts


def strings(value: Any) -> Iterator[str]:
    """All names and texts in a JSON value."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, str):
        yield value


# --- the user's message ----------------------------------------------------------------------

FILE = "for item in items:\n    print(item)\n"
QUESTION = [
    text("What is wrong here?"),
    {
        "type": "resource",
        "resource": {"uri": "file:///project/main.py", "mimeType": "text/x-python", "text": FILE},
    },
]


@among(ALL)
def test_prompt_with_text_and_a_resource_reaches_the_agent(turns: Turns) -> None:
    [request] = sent(turns.first, "session/prompt", "user_message")
    assert request["params"] == {"sessionId": "user_message", "prompt": QUESTION}
    assert turns.updates("user_message") == turns.framed(
        QUESTION,
        message("You wrote: What is wrong here?"),
        message(f"file:///project/main.py is text/x-python: {FILE}"),
    )


@among(V2)
def test_accepted_user_message_is_reported_with_the_id_in_the_response(turns: Turns) -> None:
    conversation = turns["user_message"]
    [turn] = conversation["turns"]
    assert conversation["updates"][0] == {
        "sessionUpdate": "user_message",
        "messageId": turn["response"]["messageId"],
        "content": QUESTION,
    }


@among(OUR_CLIENT)
def test_user_message_is_part_of_the_local_state_once(turns: Turns) -> None:
    messages = turns["user_message"]["end"]["messages"]
    said = [content for role, _, content in messages if role == "user"]
    assert said == [["What is wrong here?", FILE]]


@among(OUR_CLIENT)
def test_content_that_the_agent_does_not_take_is_not_sent(turns: Turns) -> None:
    method, capability = turns["unsupported_content"]["refused"]
    assert method.startswith("session/prompt")
    assert capability.endswith("/image")
    assert sent(turns.first, "session/prompt", "unsupported_content") == []


# --- the agent's output ----------------------------------------------------------------------

GO = [text("Go ahead.")]
ENTRIES = [
    {"content": "Read the file", "priority": "high", "status": "in_progress"},
    {"content": "Look for mistakes", "priority": "medium", "status": "pending"},
    {"content": "Suggest a repair", "priority": "low", "status": "pending"},
]
USAGE = {"used": 53000, "size": 200000, "cost": {"amount": 0.045, "currency": "USD"}}


@among(V1)
def test_v1_plan_message_chunks_and_tool_call_arrive_in_order(turns: Turns) -> None:
    assert turns["output"]["updates"] == [
        {"sessionUpdate": "plan", "entries": ENTRIES},
        message("I will read it."),
        message(" It is short."),
        turns.tool_call("Check the file", "other", "pending"),
    ]


@among(V2)
def test_v2_plan_messages_thought_tool_call_and_usage_arrive_in_order(turns: Turns) -> None:
    accepted, running, *updates, idle = turns["output"]["updates"]
    assert [accepted["content"], running, idle] == [
        GO,
        state("running"),
        state("idle", stopReason="end_turn"),
    ]
    assert updates == [
        {
            "sessionUpdate": "plan_update",
            "plan": {"type": "items", "planId": "plan_1", "entries": ENTRIES},
        },
        {
            "sessionUpdate": "agent_message",
            "messageId": "answer",
            "content": [text("I will read it.")],
        },
        {**message(" It is short."), "messageId": "answer"},
        {
            "sessionUpdate": "agent_thought",
            "messageId": "thought",
            "content": [text("Is that a loop?")],
        },
        turns.tool_call("Check the file", "other", "pending"),
        {"sessionUpdate": "usage_update", **USAGE},
    ]


@among(OUR_CLIENT)
def test_output_is_part_of_the_local_state(turns: Turns) -> None:
    end = turns["output"]["end"]
    spoken = [[role, content] for role, _, content in end["messages"]]
    answer = ["agent", ["I will read it.", " It is short."]]
    if turns.version == 1:
        assert spoken == [["user", ["Go ahead."]], answer]
    else:
        assert spoken == [["user", ["Go ahead."]], answer, ["thought", ["Is that a loop?"]]]
    assert end["tool_calls"] == {"call_1": ["pending", []]}


@among(OUR_CLIENT_V2)
def test_v2_turn_knows_the_usage_that_was_reported(turns: Turns) -> None:
    [turn] = turns["output"]["turns"]
    usage = dict(turn["usage"])
    usage.pop("sessionUpdate", None)
    assert usage == USAGE


@among(OUR_CLIENT)
@pytest.mark.parametrize("conversation", ["user_message", "output", "tool_granted", "cancel"])
def test_turn_hands_on_every_update_in_order(turns: Turns, conversation: str) -> None:
    [turn] = turns[conversation]["turns"]
    assert turn["updates"] == turns[conversation]["updates"]


# --- completion ------------------------------------------------------------------------------


@among(ALL)
@pytest.mark.parametrize("reason", STOP_REASONS)
def test_turn_ends_with_the_stop_reason(turns: Turns, reason: str) -> None:
    assert turns.stops(f"stop_{reason}") == [reason]


@among(V1)
@pytest.mark.parametrize("reason", STOP_REASONS)
def test_v1_response_to_the_prompt_carries_the_stop_reason(turns: Turns, reason: str) -> None:
    name = f"stop_{reason}"
    assert answers(turns.first, "session/prompt", name) == [{"result": {"stopReason": reason}}]


@among(V2)
@pytest.mark.parametrize("reason", [*STOP_REASONS, "_acme_limit"])
def test_v2_response_accepts_the_prompt_and_an_idle_update_ends_the_turn(
    turns: Turns, reason: str
) -> None:
    [answer] = answers(turns.first, "session/prompt", f"stop_{reason}")
    assert list(answer["result"]) == ["messageId"]
    updates = turns.updates(f"stop_{reason}")
    said = [message("Working.")] if reason == "cancelled" else []
    assert updates == turns.framed(GO, *said, stop=reason)


@among(V2)
def test_v2_custom_stop_reason_ends_the_turn(turns: Turns) -> None:
    assert turns.stops("stop__acme_limit") == ["_acme_limit"]


@among(OUR_CLIENT)
def test_client_tells_known_stop_reasons_from_custom_ones(turns: Turns) -> None:
    reasons = [*STOP_REASONS] + (["_acme_limit"] if turns.version == 2 else [])
    known = [turns[f"stop_{reason}"]["turns"][0]["known_stop"] for reason in reasons]
    assert known == [*STOP_REASONS] + ([None] if turns.version == 2 else [])


# --- tools -----------------------------------------------------------------------------------

OPTIONS = [
    {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
]


@among(ALL)
@pytest.mark.parametrize("conversation", ["tool_granted", "tool_rejected"])
def test_permission_is_asked_for_the_tool_call(turns: Turns, conversation: str) -> None:
    [question] = turns[conversation]["questions"]
    params = question["params"]
    assert params["options"] == OPTIONS
    if turns.version == 1:
        assert params["toolCall"] == {"toolCallId": "call_1", "title": "Check the file?"}
    else:
        assert params["title"] == "Check the file?"
        assert params["subject"] == {"type": "tool_call", "toolCall": {"toolCallId": "call_1"}}


@among(ALL)
def test_granted_tool_runs_reports_progress_and_completes_with_content(turns: Turns) -> None:
    assert answers(turns.first, "session/request_permission", "tool_granted") == [
        {"result": {"outcome": {"outcome": "selected", "optionId": "allow"}}}
    ]
    chunks = [
        {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "call_1", "content": content}
        for content in output("Half of it", "All of it")
    ]
    assert turns.updates("tool_granted") == turns.framed(
        GO,
        turns.tool_call("Check the file", "execute", "pending"),
        news("call_1", "in_progress"),
        *(chunks if turns.version == 2 else []),
        news("call_1", "completed", "No mistakes"),
        message("It is fine."),
    )


@among(ALL)
def test_tool_begins_only_after_the_permission_is_granted(turns: Turns) -> None:
    [request] = sent(turns.first, "session/request_permission", "tool_granted")
    answered = position(
        turns.first,
        lambda line: "method" not in line
        and line.get("id") == request["id"]
        and "outcome" in line.get("result", {}),
    )
    begun = position(
        turns.first,
        lambda line: line.get("params", {}).get("sessionId") == "tool_granted"
        and line["params"].get("update", {}).get("status") == "in_progress",
    )
    assert answered < begun


@among(ALL)
def test_rejected_tool_does_not_run_and_the_turn_goes_on(turns: Turns) -> None:
    assert answers(turns.first, "session/request_permission", "tool_rejected") == [
        {"result": {"outcome": {"outcome": "selected", "optionId": "reject"}}}
    ]
    assert turns.updates("tool_rejected") == turns.framed(
        GO,
        turns.tool_call("Check the file", "execute", "pending"),
        news("call_1", "failed"),
        message("Then not."),
    )
    assert turns.stops("tool_rejected") == ["end_turn"]


@among(OUR_CLIENT)
def test_local_state_follows_the_status_of_the_tool_call(turns: Turns) -> None:
    assert statuses(turns["tool_granted"]) == ["pending", "in_progress", "completed"]
    assert statuses(turns["tool_rejected"]) == ["pending", "failed"]


@among(OUR_CLIENT_V2)
def test_v2_content_chunks_are_appended_and_content_of_an_update_replaces_them(
    turns: Turns,
) -> None:
    contents = [
        looked["tool_calls"]["call_1"][1]
        for update, looked in zip(
            turns["tool_granted"]["updates"], turns["tool_granted"]["states"], strict=True
        )
        if "toolCallId" in update
    ]
    assert contents == [
        [],
        [],
        ["Half of it"],
        ["Half of it", "All of it"],
        ["No mistakes"],
    ]


def statuses(conversation: dict[str, Any]) -> list[str]:
    """What the status of the tool call was, without repetitions."""
    found: list[str] = []
    for looked in conversation["states"]:
        for status, _ in looked["tool_calls"].values():
            if found[-1:] != [status]:
                found.append(status)
    return found


# --- the next prompt -------------------------------------------------------------------------


@among(ALL)
def test_next_prompt_in_the_session_builds_on_the_first(turns: Turns) -> None:
    assert turns.stops("continued") == ["end_turn", "end_turn"]
    assert turns.updates("continued") == [
        *turns.framed([text("My name is Ada.")], message("Noted.")),
        *turns.framed(
            [text("What did I say at first?")], message("Your first words: My name is Ada.")
        ),
    ]


@among(OUR_CLIENT)
def test_local_state_has_both_turns_in_order(turns: Turns) -> None:
    messages = turns["continued"]["end"]["messages"]
    assert [[role, *content] for role, _, content in messages] == [
        ["user", "My name is Ada."],
        ["agent", "Noted."],
        ["user", "What did I say at first?"],
        ["agent", "Your first words: My name is Ada."],
    ]


# --- cancelling ------------------------------------------------------------------------------

LATE = [news("call_run", "failed", "Stopped after 3 tests"), message("The answer is cancelled.")]


@among(ALL)
def test_cancel_is_sent_once_while_a_tool_runs_and_a_permission_is_pending(turns: Turns) -> None:
    [cancel] = sent(turns.first, "session/cancel", "cancel")
    assert "id" not in cancel
    [request] = sent(turns.first, "session/request_permission", "cancel")
    assert position(turns.first, lambda line: line == request) < position(
        turns.first, lambda line: line == cancel
    )
    before = turns.updates("cancel")[: -len(turns["cancel"]["late"])]
    asked_for = turns.framed(
        [text("Run the tests, then clean up.")],
        turns.tool_call("Run the tests", "execute", "in_progress", "call_run"),
        turns.tool_call("Clean up", "delete", "pending", "call_remove"),
    )
    assert before == asked_for[: len(before)]
    assert before[-1] == turns.tool_call("Clean up", "delete", "pending", "call_remove")


@among(OUR_CLIENT)
def test_cancelling_marks_unfinished_tool_calls_as_cancelled_at_once(turns: Turns) -> None:
    conversation = turns["cancel"]
    assert conversation["before_cancel"]["tool_calls"] == {
        "call_run": ["in_progress", []],
        "call_remove": ["pending", []],
    }
    assert conversation["after_cancel"]["tool_calls"] == {
        "call_run": ["cancelled", []],
        "call_remove": ["cancelled", []],
    }


@among(ALL)
def test_cancelling_answers_the_pending_permission_request_with_the_cancelled_outcome(
    turns: Turns,
) -> None:
    assert answers(turns.first, "session/request_permission", "cancel") == [
        {"result": {"outcome": {"outcome": "cancelled"}}}
    ]


@among(ALL)
def test_agent_gets_the_cancelled_outcome_before_the_turn_ends(turns: Turns) -> None:
    assert message("The answer is cancelled.") in turns.updates("cancel")


@among(OUR_CLIENT)
def test_cancelling_takes_the_question_back_from_the_user(turns: Turns) -> None:
    [question] = turns["cancel"]["questions"]
    assert question["withdrawn"] is True


@among(ALL)
def test_updates_after_the_cancel_still_arrive(turns: Turns) -> None:
    late = without_ids(turns["cancel"]["late"])
    ended = [state("idle", stopReason="cancelled")] if turns.version == 2 else []
    assert late == [*LATE, *ended]


@among(OUR_CLIENT)
def test_updates_after_the_cancel_are_applied_to_the_local_state(turns: Turns) -> None:
    end = turns["cancel"]["end"]
    assert end["tool_calls"] == {
        "call_run": ["failed", ["Stopped after 3 tests"]],
        "call_remove": ["cancelled", []],
    }
    assert end["messages"][-1][2] == ["The answer is cancelled."]


@among(ALL)
def test_cancelled_turn_ends_with_that_stop_reason_though_the_work_raised(turns: Turns) -> None:
    assert turns.stops("cancel") == ["cancelled"]
    [answer] = answers(turns.first, "session/prompt", "cancel")
    assert "error" not in answer
    if turns.version == 1:
        assert answer == {"result": {"stopReason": "cancelled"}}
    else:
        assert turns.updates("cancel")[-1] == state("idle", stopReason="cancelled")


@among(V1)
def test_v1_late_updates_are_sent_before_the_response(turns: Turns) -> None:
    [prompt] = sent(turns.first, "session/prompt", "cancel")
    answered = position(
        turns.first, lambda line: "stopReason" in line.get("result", {}) and same_id(line, prompt)
    )
    last = sent(turns.first, "session/update", "cancel")[-1]
    assert position(turns.first, lambda line: line == last) < answered


def same_id(line: dict[str, Any], request: dict[str, Any]) -> bool:
    """Whether a message answers a request, if it is from the other side."""
    return bool(line.get("id") == request["id"])


@among(ALL)
def test_permission_that_the_work_itself_waits_for_is_answered_once_when_cancelled(
    turns: Turns,
) -> None:
    assert answers(turns.first, "session/request_permission", "cancel_question") == [
        {"result": {"outcome": {"outcome": "cancelled"}}}
    ]
    assert turns.stops("cancel_question") == ["cancelled"]
    assert turns.updates("cancel_question") == turns.framed(
        [text("Run the tests, then clean up.")],
        turns.tool_call("Clean up", "delete", "pending"),
        stop="cancelled",
    )


# --- outside of turns ------------------------------------------------------------------------

GREETING = [
    state("running"),
    message("Good morning."),
    state("idle", stopReason="end_turn"),
]
MAIL = [state("running"), message("There is mail."), state("idle", stopReason="end_turn")]


@among(V2)
def test_v2_agent_speaks_up_before_and_after_a_prompt(turns: Turns) -> None:
    answer = turns.framed([text("Hello.")], message("Hello to you."))
    assert turns.updates("unprompted") == [*GREETING, *answer, *MAIL]
    assert turns.stops("unprompted") == ["end_turn"]


@among(OUR_CLIENT_V2)
def test_v2_turn_has_none_of_the_updates_outside_of_it(turns: Turns) -> None:
    [turn] = turns["unprompted"]["turns"]
    assert without_ids(turn["updates"]) == turns.framed([text("Hello.")], message("Hello to you."))


@among(OUR_CLIENT_V2)
def test_v2_updates_outside_of_turns_change_the_local_state(turns: Turns) -> None:
    states = turns["unprompted"]["states"]
    said = "running", "running", "idle", "idle", "running", "running", "idle"
    assert [looked["activity"] for looked in states] == [*said, "running", "running", "idle"]
    assert states[2]["messages"][0][2] == ["Good morning."]
    assert "There is mail." in states[-1]["messages"][-1][2]


@among(V2)
def test_v2_what_is_said_outside_of_a_turn_is_a_message_of_its_own(turns: Turns) -> None:
    updates = turns["unprompted"]["updates"]
    ids = [u["messageId"] for u in updates if u["sessionUpdate"] == "agent_message_chunk"]
    assert len(set(ids)) == 3


@among(V2)
def test_v2_agent_requires_action_while_it_waits_for_permission(turns: Turns) -> None:
    assert turns.updates("requires_action") == turns.framed(
        GO,
        turns.tool_call("Check the file", "execute", "pending"),
        state("requires_action"),
        state("running"),
        news("call_1", "completed", "No mistakes"),
    )
    said = [
        line["params"].get("update", line["method"])
        for _, line in lines(turns.first)
        if line.get("params", {}).get("sessionId") == "requires_action"
    ]
    asked = said.index("session/request_permission")
    assert said[asked - 1 : asked + 2] == [
        state("requires_action"),
        "session/request_permission",
        state("running"),
    ]
    assert turns.stops("requires_action") == ["end_turn"]


@among(OUR_CLIENT_V2)
def test_v2_local_state_requires_action_when_the_user_is_asked(turns: Turns) -> None:
    [question] = turns["requires_action"]["questions"]
    assert question["state"]["activity"] == "requires_action"
    assert turns["requires_action"]["end"]["activity"] == "idle"


# --- message ids -----------------------------------------------------------------------------

KINDS = {"user": "user_message", "agent": "agent_message", "thought": "agent_thought"}


def steps(role: str) -> list[dict[str, Any]]:
    """The updates of a message, one after the other."""
    whole = {"sessionUpdate": KINDS[role], "messageId": f"{role}_1"}
    part = {"sessionUpdate": f"{KINDS[role]}_chunk", "messageId": f"{role}_1"}
    return [
        {**whole, "content": [text("A")]},
        {**part, "content": text("B")},
        {**whole, "_meta": {"seen": True}},
        {**whole, "content": [text("C")]},
        {**part, "content": text("D")},
        {**whole, "content": []},
        {**part, "content": text("E")},
        {**whole, "content": None},
        {**part, "content": text("F")},
        {**part, "messageId": f"{role}_2", "content": text("G")},
    ]


def contents(turns: Turns, role: str) -> list[dict[str, list[str]]]:
    """The contents of the messages of a role after each of these updates, by message id."""
    conversation = turns["message_ids"]
    return [
        {name: content for its, name, content in looked["messages"] if its == role}
        for update, looked in zip(conversation["updates"], conversation["states"], strict=True)
        if update.get("messageId") in (f"{role}_1", f"{role}_2")
    ]


@among(V2)
@pytest.mark.parametrize("role", ROLES)
def test_v2_message_updates_tell_absent_content_from_empty_and_null(
    turns: Turns, role: str
) -> None:
    updates = [
        update
        for update in turns["message_ids"]["updates"]
        if update.get("messageId") in (f"{role}_1", f"{role}_2")
    ]
    assert updates == steps(role)


@among(OUR_CLIENT_V2)
@pytest.mark.parametrize("role", ROLES)
def test_v2_chunk_is_appended_to_whatever_content_is_current(turns: Turns, role: str) -> None:
    found = [each[f"{role}_1"] for each in contents(turns, role)]
    assert [found[number] for number in (1, 4, 6, 8)] == [["A", "B"], ["C", "D"], ["E"], ["F"]]


@among(OUR_CLIENT_V2)
@pytest.mark.parametrize("role", ROLES)
def test_v2_message_update_without_content_leaves_the_content(turns: Turns, role: str) -> None:
    assert contents(turns, role)[2][f"{role}_1"] == ["A", "B"]
    assert turns["message_ids"]["end"]["meta"][f"{role}_1"] == {"seen": True}


@among(OUR_CLIENT_V2)
@pytest.mark.parametrize("role", ROLES)
def test_v2_message_update_with_content_replaces_all_content_and_chunks(
    turns: Turns, role: str
) -> None:
    assert contents(turns, role)[3][f"{role}_1"] == ["C"]


@among(OUR_CLIENT_V2)
@pytest.mark.parametrize("role", ROLES)
def test_v2_empty_content_and_null_clear_the_message(turns: Turns, role: str) -> None:
    found = [each[f"{role}_1"] for each in contents(turns, role)]
    assert [found[5], found[7]] == [[], []]


@among(OUR_CLIENT_V2)
@pytest.mark.parametrize("role", ROLES)
def test_v2_changed_message_id_begins_a_new_message(turns: Turns, role: str) -> None:
    found = contents(turns, role)[-1]
    assert {key: found[key] for key in (f"{role}_1", f"{role}_2")} == {
        f"{role}_1": ["F"],
        f"{role}_2": ["G"],
    }


# --- coming back -----------------------------------------------------------------------------


@among(ALL)
def test_second_client_is_told_an_equal_state(turns: Turns) -> None:
    before = told(turns.version, turns.first, "replay")
    after = told(turns.version, turns.second, "replay", until="session/prompt")
    assert len(before.messages) > 4
    assert after == before


@among(OUR_CLIENT)
def test_state_of_the_second_client_equals_that_of_the_first(turns: Turns) -> None:
    assert turns.second.report["replay"]["came_with"] == turns["replay"]["state"]
    v = SURFACES[turns.version]
    made = STATES[turns.version]()
    for update in turns.second.report["replay"]["came_with"]:
        made.apply(v.decode(v.SessionUpdate, update))
    assert made == told(turns.version, turns.first, "replay")


@among(ALL)
def test_replay_comes_before_the_response(turns: Turns) -> None:
    method = "session/load" if turns.version == 1 else "session/resume"
    [request] = sent(turns.second, method, "replay")
    if turns.version == 2:
        assert request["params"]["replayFrom"] == {"type": "start"}
    answered = position(turns.second, lambda line: "method" not in line and same_id(line, request))
    asked = position(turns.second, lambda line: line == request)
    updates = [
        line["params"]["update"] for _, line in list(lines(turns.second))[asked + 1 : answered]
    ]
    assert updates == turns.second.report["replay"]["replayed"]
    assert updates


@among(V2)
def test_v2_replay_says_what_the_agent_is_doing_now(turns: Turns) -> None:
    states = [u for u in turns.second.report["replay"]["replayed"] if "state" in u]
    assert states[-1] == state("idle", stopReason="end_turn")


@among(ALL)
def test_session_goes_on_where_it_was_when_the_second_client_prompts(turns: Turns) -> None:
    report = turns.second.report["replay"]
    assert [turn["stop"] for turn in report["turns"]] == ["end_turn"]
    assert without_ids(report["updates"][len(report["replayed"]) :]) == turns.framed(
        [text("One more thing.")], message("That was message 3.")
    )
