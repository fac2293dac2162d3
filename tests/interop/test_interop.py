"""Test conversations: our agent with SDK clients, and our client with SDK agents.

Each conversation runs once, between two processes, and each test checks one aspect of its outcome.
`combinations.py` lists the combinations, and `conversation.py` defines the steps.
"""

from __future__ import annotations

import functools
import json
from typing import Any

from acp_bindings.runtime import METHOD_NOT_FOUND, REQUEST_CANCELLED
from acp_bindings.runtime.jsonrpc import classify

from tests.interop.combinations import COMBINATIONS, Combination
from tests.interop.conversation import BIG_TEXT, REFUSAL, STEPS, digest
from tests.interop.running import Outcome
from tests.interop.stage import AGENT, IDLE, OPTIONS, RUNNING, SESSION, updates
from tests.interop.turns.outcomes import without_ids

ERROR = dict(zip(("code", "message", "data"), REFUSAL, strict=True))


def expected(combination: Combination) -> dict[str, Any]:
    """Return the expected report of each step. In protocol 2, the report also contains states."""
    version = combination.version
    done = {"stop": "end_turn"}
    asked = {
        "title": "Write the file?",
        "tool_call": "call-allowed",
        "options": [option["optionId"] for option in OPTIONS],
    }
    states = ([], []) if version == 1 else ([RUNNING], [{**IDLE, "stopReason": "end_turn"}])
    report = {
        "initialize": {"version": version, "agent": AGENT},
        "session": SESSION,
        "updates": {"updates": [*states[0], *updates(version), *states[1]], **done},
        "permission": {"asked": asked, "texts": ["allow"], **done},
        "extension_request": {"echo": {"list": [1, 2.5, None, True], "text": "é"}},
        "extension_notification": {"notes": [{"text": "from the client"}]},
        "extensions_of_agent": {
            "answers": [{"echo": {"number": 7, "null": None}}],
            "notes": [{"text": "from the agent"}],
        },
        "unknown_method": {"code": METHOD_NOT_FOUND},
        "unknown_method_of_agent": [str(METHOD_NOT_FOUND)],
        "error": ERROR,
        "error_of_client": [ERROR],
        "cancel": {"stop": "cancelled", "texts": ["waiting"]},
        "cancel_request": {},
        "cancel_request_of_agent": {"texts": ["withdrawn"], **done},
        "many": {"texts": [str(number) for number in range(1000)], **done},
        "big": {"texts": big_texts(), **done},
    }
    if combination.is_bridged and version == 2:
        told = {"sessionUpdate": "user_message", "content": [{"type": "text", "text": "updates"}]}
        shown = [told, RUNNING, *updates(2, plan_id="plan"), states[1][0]]
        report["updates"] = {"updates": shown, **done}
        report["error"] = {"stop": "error"}  # the prompt was already accepted
    return report


@functools.cache
def big_texts() -> list[str]:
    return [digest(digest(BIG_TEXT)), digest(BIG_TEXT)]


def test_steps(name: str, outcome: Outcome) -> None:
    combination = COMBINATIONS[name]
    found = {step: outcome.report[step] for step in STEPS}
    wanted = expected(combination)
    if combination.is_bridged:  # the bridge or the agent chooses the message ids
        for each in (found, wanted):
            each["updates"]["updates"] = without_ids(each["updates"]["updates"])
    for step in STEPS:
        assert found[step] == wanted[step], (step, outcome.log)


def test_both_end_well(outcome: Outcome) -> None:
    assert (outcome.client_exit, outcome.agent_exit) == (0, 0), outcome.log
    assert outcome.outlived is False
    # Only our client reports issues and remaining child processes.
    assert outcome.report.get("issues", []) == []
    assert outcome.report.get("children", False) is False


def test_nothing_but_protocol_is_on_the_streams(outcome: Outcome) -> None:
    kinds = {classify(message) for message in messages(outcome, "client", "agent")}
    assert kinds == {"request", "notification", "result", "error"}


def test_big_messages_are_big_on_the_wire(outcome: Outcome) -> None:
    big = [(entry["from"], entry["size"]) for entry in outcome.transcript if "size" in entry]
    assert [side for side, _ in big] == ["client", "agent"]
    assert all(size > 256 * 1024 for _, size in big)


def test_each_request_has_one_answer(outcome: Outcome) -> None:
    for side, other in (("client", "agent"), ("agent", "client")):
        asked = [m["id"] for m in messages(outcome, side) if classify(m) == "request"]
        answered = [m["id"] for m in messages(outcome, other) if classify(m) in ("result", "error")]
        assert sorted(answered) == sorted(asked)
        assert len(asked) == len(set(asked)) > 2


def test_cancelled_request_of_the_client(outcome: Outcome) -> None:
    assert cancelled(outcome, "client", "_interop/wait") == [REQUEST_CANCELLED]


def test_cancelled_request_of_the_agent(outcome: Outcome) -> None:
    method = "session/request_permission"
    assert cancelled(outcome, "agent", method) == [REQUEST_CANCELLED]


def messages(outcome: Outcome, *sides: str) -> list[Any]:
    """Return the messages in a transcript, without the params and results of long messages."""
    found = []
    for entry in outcome.transcript:
        if entry["from"] in sides:
            message = json.loads(entry["line"]) if "line" in entry else entry["head"]
            is_whole = "method" in message or "error" in message or "result" in message
            found.append(message if is_whole else {**message, "result": None})
    return found


def cancelled(outcome: Outcome, side: str, method: str) -> list[Any]:
    """Return the error code or the result of each cancelled request for a method."""
    asked = messages(outcome, side)
    ids = [m["params"]["requestId"] for m in asked if m.get("method") == "$/cancel_request"]
    wanted = [m["id"] for m in asked if m.get("method") == method and m["id"] in ids]
    other = "agent" if side == "client" else "client"
    return [
        message["error"]["code"] if "error" in message else message["result"]
        for message in messages(outcome, other)
        if "method" not in message and message["id"] in wanted
    ]
