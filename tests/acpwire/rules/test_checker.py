"""Tests of `acpgen trace`: senders, paired responses, protocol versions, and problems."""

from __future__ import annotations

import json
from typing import Any

import pytest
from acpwire.recording.reading import read_lines
from acpwire.rules.checker import Conversation, follow

from tests.acpwire.rules.opened import OPENED
from tests.package.jsonrpc.wire import ask, batch, initialize, line, tell
from tests.support.traced import ABLE, agreed, answer, bare, notes, problems

CHUNK = {
    "sessionUpdate": "agent_message_chunk",
    "messageId": "m",
    "content": {"type": "text", "text": "Hi"},
}
PERMISSION = {
    "sessionId": "s",
    "toolCall": {"toolCallId": "t"},
    "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}],
}


def logged(*messages: tuple[str, Any], surface: str | None = None) -> Conversation:
    """Check a recording of messages with the given directions, one message per second."""
    entries = [
        {"time": 100.0 + index, "direction": direction, "message": {"jsonrpc": "2.0", **message}}
        for index, (direction, message) in enumerate(messages)
    ]
    return follow(read_lines(json.dumps(entry).encode() + b"\n" for entry in entries), surface)


def recorded(*entries: dict[str, Any]) -> Conversation:
    """Check the entries of a recording: events, and messages with a direction."""
    lines = (json.dumps({"time": 1.0, **entry}).encode() + b"\n" for entry in entries)
    return follow(read_lines(lines))


def sent(message: dict[str, Any]) -> dict[str, Any]:
    return {"direction": "sent", "message": {"jsonrpc": "2.0", **message}}


def requirements(conversation: Conversation) -> list[tuple[int, str]]:
    return [
        (entry.line, each.requirement) for entry in conversation.entries for each in entry.problems
    ]


def senders(conversation: Conversation) -> list[str | None]:
    return [entry.sender for entry in conversation.entries]


# --- senders -----------------------------------------------------------------------------------


def test_methods_tell_who_sends_and_responses_go_the_other_way() -> None:
    found = bare(
        *agreed(1),
        ask(1, "session/new", cwd="/", mcpServers=[]),
        answer(1, sessionId="s"),
        tell("session/update", sessionId="s", update=CHUNK),
        ask(7, "session/request_permission", **PERMISSION),
        answer(7, outcome={"outcome": "selected", "optionId": "yes"}),
    )
    assert senders(found) == ["client", "agent", "client", "agent", "agent", "agent", "client"]
    assert problems(found) == notes(found) == []


@pytest.mark.parametrize("recorder", ["client", "agent"])
def test_initialize_tells_who_kept_a_log(recorder: str) -> None:
    to, back = ("sent", "received") if recorder == "client" else ("received", "sent")
    found = logged((to, tell("_first")), *zip((to, back), agreed(1), strict=True))
    assert senders(found) == ["client", "client", "agent"]


def test_without_initialize_a_method_of_one_side_tells_who_kept_a_log() -> None:
    found = logged(("sent", ask(1, "_a")), ("sent", tell("session/update", sessionId="s")))
    assert senders(found) == ["agent", "agent"]


def test_what_cannot_be_known_is_not_guessed() -> None:
    found = logged(("sent", ask(1, "_a")), ("received", answer(1)), ("sent", answer(1)))
    assert senders(found) == [None, None, None]
    assert [entry.method for entry in found.entries] == ["_a", "_a", None]
    assert problems(found) == [(3, "/id", "no request has the id 1")]
    found = bare(ask(1, "_a"), answer(1), tell("$/cancel_request", requestId=1))
    assert senders(found) == [None, None, None]
    assert found.entries[1].request is found.entries[0]


def test_methods_of_the_wrong_side_are_problems() -> None:
    pairs = zip(("sent", "received"), agreed(1), strict=True)
    found = logged(*pairs, ("received", ask(1, "session/list")))
    assert problems(found) == [(3, "/method", "the client does not handle session/list")]


# --- pairs -------------------------------------------------------------------------------------


def test_both_sides_may_use_an_id_at_once() -> None:
    found = logged(
        *zip(("sent", "received"), agreed(1), strict=True),
        ("sent", ask(1, "session/prompt", sessionId="s", prompt=[])),
        ("received", ask(1, "session/request_permission", **PERMISSION)),
        ("sent", answer(1, outcome={"outcome": "cancelled"})),
        ("received", answer(1, stopReason="cancelled")),
    )
    assert problems(found) == []
    assert [entry.method for entry in found.entries[4:]] == [
        "session/request_permission",
        "session/prompt",
    ]
    assert [entry.seconds for entry in found.entries[4:]] == [1, 3]
    assert found.unanswered == []


def test_without_directions_the_results_tell_two_requests_with_one_id_apart() -> None:
    found = bare(
        *agreed(1),
        ask(1, "session/prompt", sessionId="s", prompt=[]),
        ask(1, "session/request_permission", **PERMISSION),
        answer(1, outcome={"outcome": "cancelled"}),
        answer(1, stopReason="cancelled"),
    )
    assert problems(found) == []
    assert senders(found)[4:] == ["client", "agent"]


def test_without_directions_an_error_may_be_for_either_of_two_requests() -> None:
    failure = {"id": 1, "error": {"code": -32603, "message": "no"}}
    found = bare(
        *agreed(1),
        ask(1, "session/prompt", sessionId="s", prompt=[]),
        ask(1, "session/request_permission", **PERMISSION),
        failure,
        failure,
        failure,
    )
    assert senders(found)[4:] == [None, None, None]
    assert [entry.method for entry in found.entries[4:]] == [None, None, None]
    assert problems(found) == [(7, "/id", "request 1 already has a response, on line 5")]
    assert found.unanswered == []
    both = "session/prompt on line 3 or session/request_permission on line 4"
    assert notes(found) == [
        (5, f"responds to {both}; both have this id, so the response is ambiguous"),
        (6, "responds to one of several requests that shared this id"),
    ]


def test_an_id_that_is_in_use_and_an_answer_too_many_are_problems() -> None:
    found = bare(
        *agreed(1),
        ask(1, "session/list"),
        ask(1, "logout"),
        answer(1, sessions=[]),
        answer(1),
        answer(1),
    )
    text = "1 is the id of session/list on line 3, which has no response yet"
    late = "request 1 already has a response, on line 6"
    assert problems(found) == [(4, "/id", text), (7, "/id", late)]
    assert [entry.method for entry in found.entries[4:]] == ["session/list", "logout", None]


@pytest.mark.parametrize(("asked", "answered"), [(1, "1"), ("1", 1)])
def test_ids_that_look_alike_are_not_the_same(asked: Any, answered: Any) -> None:
    found = bare(*agreed(1), ask(asked, "session/list"), answer(answered, sessions=[]))
    message = f"no request has the id {json.dumps(answered)}; {json.dumps(asked)} is a different id"
    assert problems(found) == [(4, "/id", message)]
    assert found.unanswered == [found.entries[2]]


def test_numbers_that_are_equal_are_the_same_id() -> None:
    found = bare(*agreed(1), ask(1, "session/list"), answer(1.0, sessions=[]))
    assert problems(found) == []
    assert found.unanswered == []


def test_a_second_initialize_begins_a_new_connection() -> None:
    found = bare(*agreed(1), ask(1, "session/list"), *agreed(2), ask(1, "session/list"))
    assert problems(found) == []
    assert notes(found) == [
        (3, "has no response"),
        (4, "begins a new connection; earlier requests will get no response"),
        (6, "has no response"),
    ]
    assert [entry.surface for entry in found.entries] == ["v1"] * 3 + ["v2"] * 3


def test_an_error_for_what_could_not_be_read_is_no_problem() -> None:
    found = bare(*agreed(2), {"id": None, "error": {"code": -32700, "message": "?"}})
    assert problems(found) == []
    assert notes(found) == [(3, "responds to a message that could not be read")]


def test_a_result_for_what_could_not_be_read_is_a_problem() -> None:
    found = bare(*agreed(1), {"id": None, "result": {}})
    assert problems(found) == [(3, "/id", "no request has the id null")]


def test_an_error_may_name_the_id_of_an_invalid_message() -> None:
    refusal = {"id": "a", "error": {"code": -32600, "message": "?"}}
    found = bare(*agreed(2), {"id": "a", "method": 7}, refusal, refusal)
    assert requirements(found) == [(3, "message-shape"), (5, "response-ids")]


# --- versions ----------------------------------------------------------------------------------


def test_the_response_decides_on_the_version() -> None:
    call = ask(1, "session/load", sessionId="s", cwd="/", mcpServers=[])
    found = bare(initialize(2), answer(0, protocolVersion=1, **ABLE[1]), call)
    assert [entry.surface for entry in found.entries] == ["v2", "v1", "v1"]
    assert problems(found) == []
    [(number, pointer, _)] = problems(bare(*agreed(2), call))
    assert (number, pointer) == (3, "/method")


def test_what_only_the_unstable_surface_has_is_no_problem() -> None:
    call = ask(1, "session/fork", sessionId="s", cwd="/")
    found = bare(*agreed(2), call)
    assert found.entries[2].surface == "v2_unstable"
    assert problems(found) == []
    found = bare(*agreed(2), call, surface="v2")
    assert problems(found) == [(3, "/method", "no such method in v2; v2_unstable defines it")]


@pytest.mark.parametrize("version", [1, 2])
def test_what_only_the_unstable_surface_lists_is_no_problem(version: int) -> None:
    update = {"sessionUpdate": "plan_removed", "planId": "p"}
    call = tell("session/update", sessionId="s", update=update)
    found = bare(*agreed(version), call)
    assert found.entries[2].surface == f"v{version}_unstable"
    assert problems(found) == notes(found) == []


def test_values_that_the_schema_does_not_list_begin_with_an_underscore() -> None:
    def updated(tag: str, version: int, surface: str | None = None) -> Conversation:
        update = {"sessionUpdate": tag, "planId": "p"}
        call = tell("session/update", sessionId="s", update=update)
        return bare(*agreed(version), call, surface=surface)

    def text(value: str) -> str:
        return f'the schema does not list "{value}"; custom values begin with an underscore'

    misspelt = updated("agent_mesage", 2)
    assert problems(misspelt) == [(3, "/params/update", text("agent_mesage"))]
    assert misspelt.entries[2].problems[0].requirement == "custom-values"
    assert problems(updated("_acme/x", 2)) == problems(updated("plan_removed", 2)) == []
    assert problems(updated("plan_removed", 2, "v2"))[0][2] == text("plan_removed")
    # The protocol 1 schema doesn't allow unknown types of updates.
    assert problems(updated("plan_removed", 1, "v1"))[0][:2] == (3, "/params/update/sessionUpdate")


@pytest.mark.parametrize("version", [2, "2"])
def test_an_agent_that_repeats_the_version_is_checked_against_its_own(version: Any) -> None:
    update = {"sessionUpdate": "current_mode_update", "currentModeId": "m"}
    told = tell("session/update", sessionId="s", update=update)
    messages = initialize(2), answer(0, protocolVersion=version, **ABLE[1]), told
    found = bare(*messages)
    assert found.entries[2].surface == "v1"
    assert {number for number, _, _ in problems(found)} == {2}
    note = (2, "from now on, messages are checked against version 1")
    assert notes(found) == [note]
    chosen = bare(*messages, surface="v2")
    assert chosen.entries[2].surface == "v2"
    assert note not in notes(chosen)


def test_a_version_as_a_string_is_a_problem_and_counts() -> None:
    found = bare(initialize("1"), answer(0, protocolVersion=1, **ABLE[1]))
    assert [entry.version for entry in found.entries] == [1, 1]
    [(number, pointer, _), *_] = problems(found)
    assert (number, pointer) == (1, "/params/protocolVersion")


def test_a_version_without_a_surface_is_noted_and_nothing_is_checked() -> None:
    found = bare(*agreed(3), ask(1, "session/later"), answer(1, a=1))
    text = "unknown protocol version; the following messages are not checked"
    assert notes(found) == [(2, text)]
    assert problems(found) == []


def test_before_initialize_a_message_may_be_of_either_version() -> None:
    found = bare(ask(1, "session/set_mode", sessionId="s", modeId="m"), ask(2, "auth/logout"))
    assert problems(found) == []
    assert (1, "arrives before initialize") in notes(found)
    found = bare(ask(1, "session/list", cwd=3))
    assert [pointer for _, pointer, _ in problems(found)] == ["/params/cwd", "/params/cwd"]
    messages = [message for _, _, message in problems(found)]
    assert [message.partition(":")[0] for message in messages] == ["v1", "v2"]


def test_extensions_are_fine_and_unknown_methods_are_not() -> None:
    found = bare(*agreed(2), tell("_acme/x", a=1), tell("session/updat"), tell("nope"))
    assert problems(found) == [
        (4, "/method", "no such method; did you mean session/update?"),
        (5, "/method", "no such method"),
    ]


@pytest.mark.parametrize("way", ["sent", "received"])
def test_the_session_in_an_extension_call_is_not_checked(way: str) -> None:
    opened = zip(("sent", "received") * 2, OPENED[1], strict=True)
    assert problems(logged(*opened, (way, tell("_acme/x", sessionId="other")))) == []


def test_only_the_result_of_initialize_corrects_the_version() -> None:
    asked = ask(1, "session/new", cwd="/", mcpServers=[])
    assert notes(bare(*agreed(1), asked, agreed(2)[1] | {"id": 1})) == []


def test_requests_and_notifications_are_not_the_same() -> None:
    found = bare(*agreed(2), tell("session/prompt"), ask(1, "session/update"))
    assert problems(found) == [
        (3, "/method", "session/prompt is a request, found a notification"),
        (4, "/method", "session/update is a notification, found a request"),
    ]
    assert senders(found)[2:] == ["client", "agent"]


# --- the schema --------------------------------------------------------------------------------


def test_params_are_checked_as_strict_mode_does() -> None:
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": 4, "status": 5}
    found = bare(*agreed(2), tell("session/update", sessionId="s", update=update))
    assert sorted(problems(found)) == [
        (3, "/params/update/status", "expected string or null, found integer: 5"),
        (3, "/params/update/title", "expected string or null, found integer: 4"),
    ]


def test_results_are_checked_as_strict_mode_does() -> None:
    found = bare(*agreed(1), ask(1, "session/prompt", sessionId="s", prompt=[]), answer(1))
    [(number, pointer, message)] = problems(found)
    assert (number, pointer) == (4, "/result/stopReason")
    assert message.startswith("expected ")
    assert message.endswith("found nothing")


def test_params_may_be_missing_where_they_need_no_members() -> None:
    message = {"id": 1, "method": "session/list"}
    found = bare(*agreed(2), message, answer(1, sessions=[]), {**message, "params": None})
    assert problems(found) == []


def test_a_null_result_is_noted_where_it_needs_no_members() -> None:
    found = bare(*agreed(1), ask(1, "logout"), {"id": 1, "result": None})
    assert (problems(found), notes(found)) == ([], [(4, "the result is null instead of an object")])
    found = bare(*agreed(1), ask(1, "session/list"), {"id": 1, "result": None})
    assert problems(found) == [(4, "/result", "expected object, found null")]


def test_a_null_beside_the_result_or_the_error_is_noted() -> None:
    found = bare(*agreed(1), ask(1, "logout"), {"id": 1, "result": {}, "error": None})
    note = [(4, "the error is null instead of absent")]
    assert (problems(found), notes(found), found.entries[-1].is_error) == ([], note, False)
    body = {"code": -32603, "message": "no"}
    found = bare(*agreed(1), ask(1, "logout"), {"id": 1, "result": None, "error": body})
    note = [(4, "the result is null instead of absent")]
    assert (problems(found), notes(found), found.entries[-1].is_error) == ([], note, True)


def test_version_2_has_no_requests_with_null_as_id() -> None:
    call = ask(None, "session/list")
    assert problems(bare(*agreed(1), call, answer(None, sessions=[]))) == []
    refused = bare(*agreed(2), call, answer(None, sessions=[]))
    assert problems(refused) == [(3, "/id", "expected string or integer, found null")]
    assert requirements(refused) == [(3, "message-shape")]


# --- batches -----------------------------------------------------------------------------------


def test_batches_are_single_messages_of_one_line() -> None:
    data = line(*agreed(2)) + batch(ask(1, "session/list"), 5, ask(2, "auth/logout"))
    data += batch(answer(2), answer(1, sessions=[]))
    found = follow(read_lines(data.splitlines(keepends=True)))
    assert [entry.line for entry in found.entries] == [1, 2, 3, 3, 3, 4, 4]
    assert [entry.method for entry in found.entries[5:]] == ["auth/logout", "session/list"]
    assert problems(found) == [(3, "", "expected a JSON-RPC message, found integer")]


def test_version_1_has_no_batches() -> None:
    data = line(*agreed(1)) + batch(ask(1, "session/list"), ask(2, "logout")) + b"[]\n"
    found = follow(read_lines(data.splitlines(keepends=True)))
    assert problems(found) == [
        (3, "", "a batch, which protocol version 1 does not support"),
        (4, "", "expected messages, found an empty batch"),
    ]
    assert requirements(found) == [(3, "json-lines"), (4, "json-lines")]


def test_problem_with_a_batch_comes_before_those_with_its_messages() -> None:
    data = line(*agreed(1)) + batch(ask(1, "session/new"), ask(2, "logout"))
    found = follow(read_lines(data.splitlines(keepends=True)))
    assert requirements(found)[:2] == [(3, "json-lines"), (3, "valid-params")]


# --- events --------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["client", "agent"])
def test_started_event_names_the_side_that_records(side: str) -> None:
    found = recorded({"event": "started", "side": side, "command": ["a"]}, sent(tell("_a")))
    assert senders(found) == [None, side]
    assert found.entries[0].value == "the recording begins: a"
    other = recorded({"event": "started", "side": "editor"}, sent(tell("_a")))
    assert senders(other) == [None, None]


def test_order_is_checked_from_the_started_event_on() -> None:
    started = {"event": "started", "side": "client"}
    list_ = ask(1, "session/list")
    found = recorded(started, sent(list_))
    assert problems(found) == [(2, "/method", "arrives before initialize")]
    assert requirements(found) == [(2, "initialize-first")]
    found = recorded(started, sent(initialize(2)), sent(list_))
    assert problems(found) == [(3, "/method", "arrives before the response to initialize")]
    assert requirements(found) == [(3, "initialize-first")]
    hello, response = agreed(2)
    received = {"direction": "received", "message": {"jsonrpc": "2.0", **response}}
    found = recorded(started, sent(hello), received, sent({**hello, "id": 9}))
    assert problems(found) == [(4, "/method", "initializes a second time")]
    assert requirements(found) == [(4, "initialize-first")]
    assert problems(recorded(started, sent(hello), received, sent(list_))) == []


@pytest.mark.parametrize("event", ["continued", "skipped"])
def test_missing_messages_are_not_problems(event: str) -> None:
    received = {"direction": "received", "message": {"jsonrpc": "2.0", **answer(7)}}
    started = {"event": "started", "side": "client"}
    hello = [sent(each) for each in agreed(2)[:1]]
    assert requirements(recorded(started, *hello, received)) == [(3, "response-ids")]
    found = recorded(started, *hello, {"event": event, "bytes": 9}, received)
    assert problems(found) == []
    assert [entry.line for entry in found.unanswered] == []


def test_lines_after_repeated_lines_can_refer_to_missing_messages() -> None:
    received = {"direction": "received", "message": {"jsonrpc": "2.0", **answer(7)}}
    continued = {"event": "continued", "file": "a.1", "repeated": 1, "side": "client"}
    assert requirements(recorded(continued, sent(initialize(2)), received)) == []
    again = sent(ask(1, "session/list"))
    twice = {**received, "message": {**received["message"], "id": 1}}
    found = recorded(continued, sent(initialize(2)), again, twice, twice)
    assert requirements(found) == [(4, "valid-results"), (5, "response-ids")]


def test_events_about_problems_are_not_shown() -> None:
    found = recorded({"event": "problem", "line": 1, "text": "t"}, {"event": "ended", "exit": 3})
    assert [entry.value for entry in found.entries] == ["the recording ends: exit code 3"]
