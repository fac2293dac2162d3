"""Our agent with the clients of the official SDKs, and our client with their agents.

Each conversation is held once, between two processes; each test looks at one aspect of its
outcome. The combinations are in `combinations.py`, the steps in `conversation.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from acp_bindings.runtime import METHOD_NOT_FOUND, REQUEST_CANCELLED
from acp_bindings.runtime.jsonrpc import classify

from interop.combinations import COMBINATIONS, EXCLUSIONS
from interop.conversation import BIG_TEXT, REFUSAL, STEPS, digest
from interop.running import Outcome
from interop.stage import AGENT, IDLE, OPTIONS, RUNNING, SESSION, updates

_code, _message, _data = REFUSAL
_ERROR = {"code": _code, "message": _message, "data": _data}
# The expected report of each step. Protocol 2 also reports its states.
EXPECTED: dict[str, Callable[[int], Any]] = {
    "initialize": lambda version: {"version": version, "agent": AGENT},
    "session": lambda _: SESSION,
    "updates": lambda version: {
        "updates": (
            updates(1)
            if version == 1
            else [RUNNING, *updates(2), {**IDLE, "stopReason": "end_turn"}]
        ),
        "stop": "end_turn",
    },
    "permission": lambda _: {
        "asked": {
            "title": "Write the file?",
            "tool_call": "call-allowed",
            "options": [option["optionId"] for option in OPTIONS],
        },
        "texts": ["allow"],
        "stop": "end_turn",
    },
    "extension_request": lambda _: {"echo": {"list": [1, 2.5, None, True], "text": "é"}},
    "extension_notification": lambda _: {"notes": [{"text": "from the client"}]},
    "extensions_of_agent": lambda _: {
        "answers": [{"echo": {"number": 7, "null": None}}],
        "notes": [{"text": "from the agent"}],
    },
    "unknown_method": lambda _: {"code": METHOD_NOT_FOUND},
    "unknown_method_of_agent": lambda _: [str(METHOD_NOT_FOUND)],
    "error": lambda _: _ERROR,
    "error_of_client": lambda _: [_ERROR],
    "cancel": lambda _: {"stop": "cancelled", "texts": ["waiting"]},
    "cancel_request": lambda _: {},
    "cancel_request_of_agent": lambda _: {"texts": ["withdrawn"], "stop": "end_turn"},
    "many": lambda _: {"texts": [str(number) for number in range(1000)], "stop": "end_turn"},
    "big": lambda _: {
        "texts": [digest(digest(BIG_TEXT)), digest(BIG_TEXT)],
        "stop": "end_turn",
    },
}


def combinations(check: str, names: Iterable[str] = COMBINATIONS) -> list[Any]:
    """The parameters of a test that runs a check in all combinations; excluded ones must fail."""
    return [
        pytest.param(
            name,
            marks=(
                [pytest.mark.xfail(strict=True, reason=EXCLUSIONS[name, check])]
                if (name, check) in EXCLUSIONS
                else []
            ),
        )
        for name in names
    ]


OUR_CLIENT = [name for name, combination in COMBINATIONS.items() if combination.has_our_client]


@pytest.mark.parametrize(
    ("name", "step"),
    [
        pytest.param(*parameter.values, step, marks=parameter.marks)
        for step in STEPS
        for parameter in combinations(f"step {step}")
    ],
)
def test_step(name: str, step: str, outcome: Outcome) -> None:
    expected = EXPECTED[step](COMBINATIONS[name].version)
    assert outcome.report[step] == expected, outcome.log


@pytest.mark.parametrize("name", combinations("end"))
def test_both_end_well(outcome: Outcome) -> None:
    assert (outcome.client_exit, outcome.agent_exit) == (0, 0), outcome.log


@pytest.mark.parametrize("name", combinations("outlived"))
def test_no_process_is_left(outcome: Outcome) -> None:
    assert outcome.outlived is False


@pytest.mark.parametrize("name", combinations("protocol only"))
def test_nothing_but_protocol_is_on_the_streams(outcome: Outcome) -> None:
    kinds = {classify(message) for message in messages(outcome, "client", "agent")}
    assert kinds == {"request", "notification", "result", "error"}


@pytest.mark.parametrize("name", combinations("size"))
def test_big_messages_are_big_on_the_wire(outcome: Outcome) -> None:
    big = [(entry["from"], entry["size"]) for entry in outcome.transcript if "size" in entry]
    assert [side for side, _ in big] == ["client", "agent"]
    assert all(size > 20 * 1024 * 1024 for _, size in big)


@pytest.mark.parametrize("name", combinations("one answer to each request"))
def test_each_request_has_one_answer(outcome: Outcome) -> None:
    for side, other in (("client", "agent"), ("agent", "client")):
        asked = [m["id"] for m in messages(outcome, side) if classify(m) == "request"]
        answered = [m["id"] for m in messages(outcome, other) if classify(m) in ("result", "error")]
        assert sorted(answered) == sorted(asked)
        assert len(asked) == len(set(asked)) > 2


@pytest.mark.parametrize("name", combinations("cancelled by the client"))
def test_cancelled_request_of_the_client(outcome: Outcome) -> None:
    assert cancelled(outcome, "client", "_interop/wait") == [REQUEST_CANCELLED]


@pytest.mark.parametrize("name", combinations("cancelled by the agent"))
def test_cancelled_request_of_the_agent(outcome: Outcome) -> None:
    method = "session/request_permission"
    assert cancelled(outcome, "agent", method) == [REQUEST_CANCELLED]


@pytest.mark.parametrize("name", combinations("issues", OUR_CLIENT))
def test_our_client_has_nothing_to_repair(outcome: Outcome) -> None:
    assert outcome.report["issues"] == []


@pytest.mark.parametrize("name", combinations("children", OUR_CLIENT))
def test_our_client_has_waited_for_its_agent(outcome: Outcome) -> None:
    assert outcome.report["children"] is False


def test_exclusions_name_what_there_is() -> None:
    checks = {f"step {step}" for step in STEPS} | {
        "cancelled by the client",
        "cancelled by the agent",
        "one answer to each request",
    }
    assert {name for name, _ in EXCLUSIONS} <= set(COMBINATIONS)
    assert {check for _, check in EXCLUSIONS} <= checks


def test_each_step_is_expected_to_come_to_something() -> None:
    assert list(EXPECTED) == list(STEPS)


def messages(outcome: Outcome, *sides: str) -> list[Any]:
    """The messages of the transcript; big ones have no params and no result."""
    found = []
    for entry in outcome.transcript:
        if entry["from"] in sides:
            found.append(json.loads(entry["line"]) if "line" in entry else whole(entry["head"]))
    return found


def whole(head: dict[str, Any]) -> dict[str, Any]:
    """A message with something in place of a result that was left out."""
    return head if "method" in head or "error" in head else {**head, "result": None}


def cancelled(outcome: Outcome, side: str, method: str) -> list[Any]:
    """The answers to the cancelled requests of a method: the code of an error, or the result."""
    asked = messages(outcome, side)
    ids = [
        message["params"]["requestId"]
        for message in asked
        if message.get("method") == "$/cancel_request"
    ]
    wanted = [m["id"] for m in asked if m.get("method") == method and m["id"] in ids]
    other = "agent" if side == "client" else "client"
    return [
        message["error"]["code"] if "error" in message else message["result"]
        for message in messages(outcome, other)
        if "method" not in message and message["id"] in wanted
    ]
