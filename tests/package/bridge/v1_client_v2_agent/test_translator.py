"""Tests of the translation between a protocol 1 client and a protocol 2 agent."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from acp_bindings.runtime.jsonrpc.limits import Limits

from tests.package.bridge.wire import Json, Wire

TEXT = {"type": "text", "text": "hi"}
SMELL = {"type": "smell", "molecules": ["x"]}
MODES: Json = {
    "configId": "m",
    "name": "Mode",
    "category": "mode",
    "type": "select",
    "currentValue": "ask",
    "options": [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}],
}
YES = {"optionId": "y", "name": "Yes", "kind": "allow_once"}


@pytest.fixture
def wire() -> Wire:
    """A bridge with both ends initialized."""
    return introduced()


def introduced(capabilities: Json | None = None, **options: Any) -> Wire:
    wire = Wire(**options)
    wire.client.request("initialize", protocolVersion=1, clientCapabilities=capabilities or {})
    info = {"name": "agent", "version": "1"}
    answer = {"protocolVersion": 2, "info": info, "capabilities": {"session": {}}}
    wire.agent.answer(wire.agent.take("initialize"), answer)
    wire.collect()
    return wire


def open_session(wire: Wire, **members: Any) -> Json:
    """Open the session `s` and return the response that the client receives."""
    id_ = wire.client.request("session/new", cwd="/", mcpServers=[])
    wire.agent.answer(wire.agent.take("session/new"), {"sessionId": "s", **members})
    return wire.client.answers[id_]


def prompt(wire: Wire, *, inserted: bool = True) -> int:
    """Send a prompt, accept it as the agent, and return the request id."""
    id_ = wire.client.request("session/prompt", sessionId="s", prompt=[TEXT])
    wire.agent.answer(wire.agent.take("session/prompt"), {"messageId": "u"})
    if inserted:
        wire.agent.update(sessionUpdate="user_message", messageId="u", content=[TEXT])
        wire.agent.update(sessionUpdate="state_update", state="running")
    return id_


def idle(wire: Wire, reason: str = "end_turn", **members: Any) -> None:
    state = {"sessionUpdate": "state_update", "state": "idle", "stopReason": reason}
    wire.agent.update(**state, **members)


# --- initialize -------------------------------------------------------------------------------


def test_agent_gets_the_members_of_both_versions() -> None:
    wire = Wire()
    wire.client.request("initialize", protocolVersion=1, clientInfo={"name": "c", "version": "1"})
    params = wire.agent.take("initialize")["params"]
    assert params["clientInfo"] == params["info"] == {"name": "c", "version": "1"}
    assert params["protocolVersion"] == 1


def test_agent_that_refuses_the_version_is_asked_for_its_own() -> None:
    wire = Wire()
    wire.client.request("initialize", protocolVersion=1)
    wire.agent.refuse(wire.agent.take("initialize"), -32022)
    assert wire.agent.take("initialize")["params"]["protocolVersion"] == 2


def test_capabilities_are_regrouped() -> None:
    wire = Wire()
    auth = {"auth": {"terminal": True}, "elicitation": {"form": {}}, "fs": {"readTextFile": True}}
    id_ = wire.client.request("initialize", protocolVersion=1, clientCapabilities=auth)
    asked = wire.agent.take("initialize")
    assert asked["params"]["capabilities"] == {
        "auth": {"terminal": {}},
        "elicitation": {"form": {}},
    }
    session = {"prompt": {"image": {}}, "mcp": {"http": {}, "stdio": {}}, "delete": {}}
    answer = {
        "protocolVersion": 2,
        "info": {"name": "a", "version": "1"},
        "capabilities": {"session": session},
        "authMethods": [{"type": "agent", "methodId": "k", "name": "Key"}],
    }
    wire.agent.answer(asked, answer)
    assert wire.client.answers[id_] == {
        "protocolVersion": 1,
        "agentInfo": {"name": "a", "version": "1"},
        "agentCapabilities": {
            "loadSession": True,
            "promptCapabilities": {"image": True, "audio": False, "embeddedContext": False},
            "mcpCapabilities": {"http": True, "sse": False},
            "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}},
            "auth": {"logout": {}},
        },
        "authMethods": [{"id": "k", "name": "Key"}],
    }
    assert wire.lost() == ["/clientCapabilities/fs"]


def test_what_both_speak_passes_byte_for_byte() -> None:
    wire = Wire()
    files = {"fs": {"readTextFile": True}}
    wire.client.request("initialize", protocolVersion=1, clientCapabilities=files)
    wire.agent.answer(wire.agent.take("initialize"), {"protocolVersion": 1})
    assert wire.bridge.is_translating is False
    assert wire.losses == []
    odd = b'{"odd" :1}\n garbage'
    wire.bridge.receive(wire.bridge.client, odd)
    assert wire.bridge.data_to_send(wire.bridge.agent) == odd


# --- sessions -----------------------------------------------------------------------------------


def test_modes_and_commands_of_a_new_session(wire: Wire) -> None:
    command = {"type": "command", "name": "c", "description": "d"}
    result = open_session(wire, configOptions=[MODES], availableCommands=[command])
    modes = [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]
    assert result["modes"] == {"currentModeId": "ask", "availableModes": modes}
    assert [option["id"] for option in result["configOptions"]] == ["m"]
    [commands] = wire.client.updates()
    assert commands["availableCommands"] == [{"name": "c", "description": "d"}]


def test_option_for_modes_is_a_selection_of_that_category() -> None:
    wire = introduced({"session": {"configOptions": {"boolean": {}}}})
    boolean = {"configId": "b", "name": "B", "type": "boolean", "currentValue": True}
    options = [{**MODES, "category": "model"}, {**boolean, "category": "mode"}]
    assert "modes" not in open_session(wire, configOptions=options)
    assert open_session(wire, configOptions=[*options, MODES])["modes"]["currentModeId"] == "ask"


@pytest.mark.parametrize(
    ("capabilities", "shown"),
    [
        (None, []),
        ({"session": None}, []),
        ({"session": {"configOptions": {}}}, []),
        ({"session": {"configOptions": {"boolean": {}}}}, ["b"]),
    ],
)
def test_boolean_options_are_only_for_clients_that_advertise_them(
    capabilities: Json | None, shown: list[str]
) -> None:
    wire = introduced(capabilities)
    option = {"configId": "b", "name": "B", "type": "boolean", "currentValue": True}
    result = open_session(wire, configOptions=[option])
    assert [option["id"] for option in result["configOptions"]] == shown
    lost = [(loss.method, loss.pointer) for loss in wire.losses]
    assert lost == ([] if shown else [("session/new", "/configOptions/0")])


def test_option_that_the_client_sets(wire: Wire) -> None:
    open_session(wire, configOptions=[MODES])
    id_ = wire.client.request(
        "session/set_config_option", sessionId="s", configId="m", value="code"
    )
    request = wire.agent.take("session/set_config_option")
    assert request["params"] == {"sessionId": "s", "configId": "m", "type": "id", "value": "code"}
    wire.agent.answer(request, {"configOptions": [{**MODES, "currentValue": "code"}]})
    [option] = wire.client.answers[id_]["configOptions"]
    assert (option["id"], option["currentValue"]) == ("m", "code")
    assert wire.client.updates() == [
        {"sessionUpdate": "current_mode_update", "currentModeId": "code"}
    ]


def test_option_of_a_closed_session_is_set_but_not_shown(wire: Wire) -> None:
    open_session(wire, configOptions=[MODES])
    close_session(wire, "s")
    id_ = wire.client.request(
        "session/set_config_option", sessionId="s", configId="m", value="code"
    )
    wire.agent.answer(wire.agent.take("session/set_config_option"), {"configOptions": [MODES]})
    assert wire.client.answers[id_] == {"configOptions": []}
    [loss] = wire.losses
    assert (loss.method, loss.reason) == ("session/set_config_option", "the session is closed")


def test_mode_that_the_agent_sets_instead_is_shown(wire: Wire) -> None:
    open_session(wire, configOptions=[MODES])
    wire.client.request("session/set_mode", sessionId="s", modeId="code")
    wire.agent.answer(wire.agent.take("session/set_config_option"), {"configOptions": [MODES]})
    [_, mode] = wire.client.updates()
    assert mode == {"sessionUpdate": "current_mode_update", "currentModeId": "ask"}


def test_mode_that_the_client_sets(wire: Wire) -> None:
    open_session(wire, configOptions=[MODES])
    id_ = wire.client.request("session/set_mode", sessionId="s", modeId="code")
    request = wire.agent.take("session/set_config_option")
    assert request["params"] == {"sessionId": "s", "configId": "m", "type": "id", "value": "code"}
    wire.agent.answer(request, {"configOptions": [{**MODES, "currentValue": "code"}]})
    assert wire.client.answers[id_] == {}
    assert [u["sessionUpdate"] for u in wire.client.updates()] == ["config_option_update"]


def test_mode_that_the_agent_sets(wire: Wire) -> None:
    open_session(wire, configOptions=[MODES])
    options = [{**MODES, "currentValue": "code"}]
    wire.agent.update(sessionUpdate="config_option_update", configOptions=options)
    _, mode = wire.client.updates()
    assert mode == {"sessionUpdate": "current_mode_update", "currentModeId": "code"}


def test_load_is_a_resume_whose_replay_comes_first(wire: Wire) -> None:
    server = {"type": "sse", "name": "m", "url": "u", "headers": []}
    id_ = wire.client.request("session/load", sessionId="s", cwd="/", mcpServers=[server])
    [loss] = wire.losses
    assert (loss.pointer, loss.session_id) == ("/mcpServers/0", "s")
    request = wire.agent.take("session/resume")
    assert request["params"]["replayFrom"] == {"type": "start"}
    wire.agent.update(sessionUpdate="user_message", messageId="u", content=[TEXT])
    wire.agent.answer(request, {"configOptions": [MODES], "availableCommands": []})
    commands = {"sessionUpdate": "available_commands_update", "availableCommands": []}
    [message, last] = wire.client.updates()
    assert message["sessionUpdate"] == "user_message_chunk"
    assert last == commands
    assert wire.client.answers[id_]["modes"]["currentModeId"] == "ask"
    assert "availableCommands" not in wire.client.answers[id_]


def test_prompt_after_a_load_is_not_repeated(wire: Wire) -> None:
    wire.client.request("session/load", sessionId="s", cwd="/", mcpServers=[])
    wire.agent.answer(wire.agent.take("session/resume"), {})
    prompt(wire)
    assert wire.client.updates() == []


def test_load_that_fails_leaves_the_session_as_it_was(wire: Wire) -> None:
    open_session(wire)
    assert update_of(wire, "s") != []
    id_ = wire.client.request("session/load", sessionId="s", cwd="/", mcpServers=[])
    wire.agent.refuse(wire.agent.take("session/resume"))
    assert wire.client.answers[id_] == {"code": -32603, "message": "no"}
    assert update_of(wire, "s") == []  # the client already has this message


def test_load_in_a_turn_is_told_by_the_bridge(wire: Wire) -> None:
    open_session(wire)
    prompt(wire)
    wire.agent.update(sessionUpdate="agent_message_chunk", messageId="a", content=TEXT)
    wire.agent.update(sessionUpdate="config_option_update", configOptions=[])
    wire.client.updates()
    wire.client.request("session/load", sessionId="s", cwd="/", mcpServers=[])
    assert "replayFrom" not in wire.agent.take("session/resume")["params"]
    sent = list(wire.client.received)
    assert [set(message["params"]) for message in sent] == [{"sessionId", "update"}] * 3
    tags = [update["sessionUpdate"] for update in wire.client.updates()]
    assert tags == ["user_message_chunk", "agent_message_chunk", "config_option_update"]


def test_load_in_a_turn_shows_all_output(wire: Wire) -> None:
    open_session(wire)
    prompt(wire)
    text = {"type": "content", "content": {"type": "text", "text": "x" * 5000}}
    call(wire, title="Run", content=[text, {"type": "terminal", "terminalId": "T"}])
    print_out(wire, b"some")
    wire.client.updates()
    wire.client.request("session/load", sessionId="s", cwd="/", mcpServers=[])
    assert wire.client.updates()[-1]["content"][1]["content"] == {"type": "text", "text": "some"}


@pytest.mark.parametrize(
    "update",
    [
        {"sessionUpdate": "plan_update", "plan": {"type": "_tree", "planId": "p"}},
        {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "in_progress"},
    ],
    ids=lambda update: update["sessionUpdate"],
)
def test_load_in_a_turn_reports_again_what_is_not_shown(wire: Wire, update: Json) -> None:
    open_session(wire)
    prompt(wire)
    wire.agent.update(**update)
    assert wire.lost() == ["/update"]
    wire.client.request("session/load", sessionId="s", cwd="/", mcpServers=[])
    assert wire.lost() == ["/update"]


def test_sessions_are_listed_by_the_agent(wire: Wire) -> None:
    id_ = wire.client.request("session/list", cwd="/w")
    request = wire.agent.take("session/list")
    assert request["params"] == {"cwd": "/w"}
    result = {"sessions": [{"sessionId": "x", "cwd": "/w"}], "nextCursor": "2"}
    wire.agent.answer(request, result)
    assert wire.client.answers[id_] == result


@pytest.mark.parametrize("method", ["session/new", "session/load", "session/resume"])
def test_a_closed_session_can_be_opened_again(wire: Wire, method: str) -> None:
    open_session(wire)
    close_session(wire, "s")
    named = {} if method == "session/new" else {"sessionId": "s"}
    id_ = wire.client.request(method, cwd="/", mcpServers=[], **named)
    wire.agent.answer(wire.agent.take(), {} if named else {"sessionId": "s"})
    assert wire.client.answers[id_] == ({} if named else {"sessionId": "s"})
    assert update_of(wire, "s") != []


def test_a_closed_session_accepts_no_prompt(wire: Wire) -> None:
    open_session(wire)
    close_session(wire, "s")
    id_ = wire.client.request("session/prompt", sessionId="s", prompt=[TEXT])
    assert wire.client.answers[id_] == {"code": -32002, "message": "the session is closed"}
    assert wire.agent.received == []


def test_updates_of_a_closed_session_are_dropped(wire: Wire) -> None:
    open_session(wire)
    wire.client.request("session/close", sessionId="s")
    wire.agent.answer(wire.agent.take("session/close"), {})
    wire.agent.update(sessionUpdate="agent_message_chunk", messageId="a", content=TEXT)
    assert wire.client.updates() == []
    assert len(wire.losses) == 1


# --- turns --------------------------------------------------------------------------------------


def test_empty_prompt_is_refused_with_the_method(wire: Wire) -> None:
    open_session(wire)
    id_ = wire.client.request("session/prompt", sessionId="s", prompt=[])
    refusal = wire.client.answers[id_]
    assert refusal["code"] == -32602
    assert refusal["message"].startswith("session/prompt: ")


def test_idle_before_the_message_is_inserted_ends_nothing(wire: Wire) -> None:
    open_session(wire)
    id_ = prompt(wire, inserted=False)
    idle(wire)
    assert id_ not in wire.client.answers


@pytest.mark.parametrize(
    "work",
    [
        {"sessionUpdate": "agent_message_chunk", "messageId": "a", "content": TEXT},
        {"sessionUpdate": "agent_thought_chunk", "messageId": "a", "content": TEXT},
        {"sessionUpdate": "state_update", "state": "running"},
        {"sessionUpdate": "state_update", "state": "requires_action"},
    ],
    ids=["message", "thought", "running", "requires_action"],
)
def test_idle_after_work_ends_a_prompt_that_is_never_inserted(wire: Wire, work: Json) -> None:
    open_session(wire)
    id_ = prompt(wire, inserted=False)
    wire.agent.update(**work)
    idle(wire)
    assert wire.client.answers[id_] == {"stopReason": "end_turn"}


def test_message_before_the_response_is_an_echo(wire: Wire) -> None:
    open_session(wire)
    id_ = wire.client.request("session/prompt", sessionId="s", prompt=[TEXT])
    wire.agent.update(sessionUpdate="user_message", messageId="u", content=[TEXT])
    idle(wire)
    wire.agent.answer(wire.agent.take("session/prompt"), {"messageId": "u"})
    assert wire.client.answers[id_] == {"stopReason": "end_turn"}
    assert wire.client.updates() == []


@pytest.mark.parametrize("inserted", [True, False])
def test_message_of_another_client_is_shown(wire: Wire, inserted: bool) -> None:
    open_session(wire)
    prompt(wire, inserted=inserted)
    for content in ({"type": "text", "text": "other"}, TEXT):  # the second repeats the prompt's
        wire.agent.update(sessionUpdate="user_message", messageId="x", content=[content])
        assert [u["content"] for u in wire.client.updates()] == [content]


@pytest.mark.parametrize(
    ("chunk", "whole", "added"),
    [
        ("a\ud83d", "a😀b", "\ude00b"),
        ("a\ud83d", "a\ud83db", "b"),
        ("a", "a\ud83d", "\ud83d"),
        ("\ud83d", "\ud83d\ud83d", "\ud83d"),
    ],
    ids=ascii,
)
def test_message_grows_by_the_rest_of_a_character(
    wire: Wire, chunk: str, whole: str, added: str
) -> None:
    open_session(wire)
    prompt(wire)
    for text in (chunk, whole):
        content = [{"type": "text", "text": text}]
        wire.agent.update(sessionUpdate="agent_message", messageId="a", content=content)
    assert [u["content"]["text"] for u in wire.client.updates()] == [chunk, added]
    assert wire.losses == []


@pytest.mark.parametrize(
    ("chunk", "whole"), [("a\ud83d", "a𝄞"), ("a\ud83d", "a"), ("😀", "\ud83d")]
)
def test_message_that_ends_with_another_character_is_sent_again(
    wire: Wire, chunk: str, whole: str
) -> None:
    open_session(wire)
    prompt(wire)
    for text in (chunk, whole):
        content = [{"type": "text", "text": text}]
        wire.agent.update(sessionUpdate="agent_message", messageId="a", content=content)
    assert [u["content"]["text"] for u in wire.client.updates()] == [chunk, whole]
    assert len(wire.losses) == 1


def test_failed_turn_is_an_error(wire: Wire) -> None:
    open_session(wire)
    id_ = prompt(wire)
    error = {"code": -32000, "message": "sign in", "data": {"a": 1}}
    idle(wire, "error", error=error)
    assert wire.client.answers[id_] == error
    assert wire.losses == []


def test_failed_turn_without_an_error_is_an_internal_error(wire: Wire) -> None:
    open_session(wire)
    id_ = prompt(wire)
    idle(wire, "error")
    assert wire.client.answers[id_] == {"code": -32603, "message": "failed"}


@pytest.mark.parametrize("members", [{}, {"error": None}, {"_meta": None}])
def test_turn_without_a_stop_reason_ends_normally(wire: Wire, members: Json) -> None:
    open_session(wire)
    id_ = prompt(wire)
    wire.agent.update(sessionUpdate="state_update", state="idle", **members)
    assert wire.client.answers[id_] == {"stopReason": "end_turn"}


def test_stop_reason_that_the_older_version_lacks(wire: Wire) -> None:
    open_session(wire)
    id_ = prompt(wire)
    idle(wire, "_lunch")
    assert wire.client.answers[id_] == {"stopReason": "end_turn", "_meta": {"stopReason": "_lunch"}}
    assert wire.lost() == ["/update/stopReason"]


def test_cancelled_prompt_that_was_never_inserted_ends_with_the_work(wire: Wire) -> None:
    open_session(wire)
    id_ = prompt(wire, inserted=False)
    wire.client.notify("session/cancel", sessionId="s")
    assert wire.agent.take("session/cancel")["params"] == {"sessionId": "s"}
    idle(wire, "cancelled")
    assert wire.client.answers[id_] == {"stopReason": "cancelled"}


def test_prompt_that_waits_is_cancelled_with_the_session(wire: Wire) -> None:
    open_session(wire)
    prompt(wire)
    id_ = wire.client.request("session/prompt", sessionId="s", prompt=[TEXT])
    waiting = wire.agent.take("session/prompt")
    wire.client.notify("session/cancel", sessionId="s")
    assert wire.agent.take("$/cancel_request")["params"] == {"requestId": waiting["id"]}
    wire.agent.refuse(waiting, -32800)
    assert wire.client.answers[id_] == {"stopReason": "cancelled"}


def test_prompt_that_is_accepted_after_its_cancellation_is_cancelled_again(wire: Wire) -> None:
    open_session(wire)
    id_ = wire.client.request("session/prompt", sessionId="s", prompt=[TEXT])
    wire.client.notify("session/cancel", sessionId="s")
    assert wire.agent.take("session/cancel")["params"] == {"sessionId": "s"}
    wire.agent.answer(wire.agent.take("session/prompt"), {"messageId": "u"})
    assert wire.agent.take("session/cancel")["params"] == {"sessionId": "s"}
    idle(wire, "cancelled")
    assert wire.client.answers[id_] == {"stopReason": "cancelled"}


def test_idle_report_for_a_prompt_that_fails_is_a_loss(wire: Wire) -> None:
    open_session(wire)
    id_ = wire.client.request("session/prompt", sessionId="s", prompt=[TEXT])
    idle(wire)
    assert wire.losses == []
    wire.agent.refuse(wire.agent.take("session/prompt"), -32000)
    assert wire.client.answers[id_]["code"] == -32000
    assert wire.lost() == ["/update/stopReason"]


@pytest.mark.parametrize("inserted", [True, False])
def test_prompt_that_is_cancelled_as_a_request_cancels_its_session(
    wire: Wire, inserted: bool
) -> None:
    open_session(wire)
    id_ = prompt(wire, inserted=inserted)
    wire.client.notify("$/cancel_request", requestId=id_)
    assert wire.agent.take("session/cancel")["params"] == {"sessionId": "s"}
    idle(wire, "cancelled")
    assert wire.client.answers[id_] == {"stopReason": "cancelled"}


def test_close_ends_the_turn(wire: Wire) -> None:
    open_session(wire)
    id_ = prompt(wire)
    wire.client.request("session/close", sessionId="s")
    wire.agent.answer(wire.agent.take("session/close"), {})
    assert wire.client.answers[id_] == {"stopReason": "cancelled"}


def test_close_shows_all_output_and_reports_the_rest(wire: Wire) -> None:
    open_session(wire)
    prompt(wire)
    call(wire, title="Run", content=[{"type": "terminal", "terminalId": "T"}])
    for size in (4000, 100):
        print_out(wire, b"x" * size)
    output = {"sessionUpdate": "terminal_output_chunk", "terminalId": "unseen", "data": "aGk="}
    wire.agent.update(**output)
    wire.losses.clear()
    close_session(wire, "s")
    assert output_of(wire) == [4000, 4100]
    assert wire.lost() == ["/update"]


def test_response_comes_after_all_output(wire: Wire) -> None:
    open_session(wire, configOptions=[MODES])
    call(wire, title="Run", content=[{"type": "terminal", "terminalId": "T"}])
    for size in (4000, 100):
        print_out(wire, b"x" * size)
    assert output_of(wire) == [4000]
    wire.client.request("session/set_config_option", sessionId="s", configId="m", value="ask")
    wire.agent.answer(wire.agent.take("session/set_config_option"), {"configOptions": [MODES]})
    assert output_of(wire) == [4100]


def test_end_of_the_agent_answers_the_prompt(wire: Wire) -> None:
    open_session(wire)
    id_ = prompt(wire)
    wire.bridge.receive_eof(wire.bridge.agent)
    wire.collect()
    error = {"code": -32603, "message": "the agent exited"}
    assert wire.client.answers[id_] == error


def test_end_of_the_agent_shows_all_output_and_reports_the_rest(wire: Wire) -> None:
    open_session(wire)
    call(wire, title="Run", content=[{"type": "terminal", "terminalId": "T"}])
    prompt(wire, inserted=False)
    idle(wire)
    for size in (4000, 100):
        print_out(wire, b"x" * size)
    output = {"sessionUpdate": "terminal_output_chunk", "terminalId": "unseen", "data": "aGk="}
    wire.agent.update(**output)
    wire.losses.clear()
    wire.bridge.receive_eof(wire.bridge.agent)
    wire.collect()
    assert output_of(wire) == [4000, 4100]
    assert wire.lost() == ["/update", "/update/stopReason"]


def test_end_of_the_client_answers_the_question(wire: Wire) -> None:
    open_session(wire)
    prompt(wire)
    id_ = ask(wire, title="May I?")
    wire.bridge.receive_eof(wire.bridge.client)
    wire.collect()
    assert wire.agent.answers[id_]["code"] == -32603
    assert wire.agent.take("session/cancel")["params"] == {"sessionId": "s"}


# --- messages -----------------------------------------------------------------------------------


def say(wire: Wire, *texts: str, id_: str = "a") -> None:
    """Send a complete agent message with a text block for each string."""
    content = [{"type": "text", "text": text} for text in texts]
    wire.agent.update(sessionUpdate="agent_message", messageId=id_, content=content)


def shown(wire: Wire) -> list[tuple[str, str]]:
    return [(update["messageId"], update["content"]["text"]) for update in wire.client.updates()]


def test_of_a_whole_message_what_is_missing_is_sent(wire: Wire) -> None:
    content = {"type": "text", "text": "Hel"}
    wire.agent.update(sessionUpdate="agent_message_chunk", messageId="a", content=content)
    say(wire, "Hello")
    say(wire, "Hello", " world")
    say(wire, "Hello world")
    assert shown(wire) == [("a", "Hel"), ("a", "lo"), ("a", " world")]
    assert not wire.losses


def test_message_that_is_rewritten_is_another_one(wire: Wire) -> None:
    say(wire, "Hello")
    say(wire, "Bye")
    assert shown(wire) == [("a", "Hello"), ("a~2", "Bye")]
    assert wire.lost() == ["/update/content"]


IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
OTHER_IMAGE = {**IMAGE, "data": "aG8="}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([IMAGE, TEXT], [OTHER_IMAGE, TEXT]),
        ([IMAGE, OTHER_IMAGE], [IMAGE]),
        ([IMAGE], [TEXT]),
        ([TEXT], [IMAGE]),
    ],
)
def test_message_whose_blocks_change_is_another_one(
    wire: Wire, before: list[Json], after: list[Json]
) -> None:
    for content in (before, after):
        wire.agent.update(sessionUpdate="agent_message", messageId="a", content=content)
    shown = [(update["messageId"], update["content"]) for update in wire.client.updates()]
    assert shown == [("a", block) for block in before] + [("a~2", block) for block in after]
    assert wire.lost() == ["/update/content"]


def test_unknown_block_is_lost(wire: Wire) -> None:
    wire.agent.update(sessionUpdate="agent_message", messageId="a", content=[SMELL, TEXT])
    assert shown(wire) == [("a", "hi")]
    assert wire.lost() == ["/update/content/0"]


# --- tool calls -----------------------------------------------------------------------------------


def call(wire: Wire, **members: Any) -> list[Json]:
    """Send a tool call update and return the updates that reach the client."""
    wire.agent.update(sessionUpdate="tool_call_update", toolCallId="t", **members)
    return wire.client.updates()


def test_first_update_is_a_tool_call_with_a_title(wire: Wire) -> None:
    first = call(wire, name="grep")
    assert first == [
        {
            "sessionUpdate": "tool_call",
            "toolCallId": "t",
            "title": "grep",
            "name": "grep",
            "kind": "other",
            "status": "pending",
        }
    ]


@pytest.mark.parametrize(
    ("member", "value", "cleared"),
    [
        ("kind", "read", "other"),
        ("status", "completed", "pending"),
        ("locations", [{"path": "/a"}], []),
        ("content", [{"type": "content", "content": {"type": "text", "text": "a"}}], []),
    ],
)
def test_null_becomes_the_empty_value(wire: Wire, member: str, value: Any, cleared: Any) -> None:
    call(wire, title="Search", **{member: value})
    [update] = call(wire, **{member: None})
    assert update[member] == cleared


def test_title_cannot_be_cleared(wire: Wire) -> None:
    call(wire, title="Search")
    assert call(wire, title=None) == []
    assert wire.lost() == ["/update/title"]


def print_out(wire: Wire, data: bytes) -> None:
    text = base64.b64encode(data).decode()
    wire.agent.update(sessionUpdate="terminal_output_chunk", terminalId="T", data=text)


def output_of(wire: Wire) -> list[int]:
    """Remove the updates that have arrived and return the sizes of the output in them."""
    tags = ("tool_call", "tool_call_update")
    updates = [update for update in wire.client.updates() if update["sessionUpdate"] in tags]
    return [len(update["content"][0]["content"]["text"]) for update in updates]


@pytest.mark.parametrize(
    ("status", "ending"),
    [
        ({"exitCode": 0}, "\n[ended with status 0]"),
        ({"exitCode": None, "signal": "KILL"}, "\n[ended with signal KILL]"),
        ({"signal": "KILL"}, "\n[ended with signal KILL]"),
        ({"exitCode": 1, "signal": "KILL"}, "\n[ended with status 1, signal KILL]"),
        ({}, ""),
    ],
)
def test_terminal_is_text_of_its_tool_call(wire: Wire, status: Json, ending: str) -> None:
    wire.agent.update(sessionUpdate="terminal_update", terminalId="T", command="ls")
    call(wire, title="Run", content=[{"type": "terminal", "terminalId": "T"}])
    print_out(wire, b"a.txt\n")
    wire.agent.update(sessionUpdate="terminal_update", terminalId="T", exitStatus=status)
    *_, last = wire.client.updates()
    assert last["content"][0]["content"]["text"] == f"$ ls\na.txt\n{ending}"
    assert wire.lost() == ["/update/content/0/terminalId"]


def test_output_that_grows_is_sent_a_few_times(wire: Wire) -> None:
    call(wire, title="Run", content=[{"type": "terminal", "terminalId": "T"}])
    line = b"x" * 999 + b"\n"
    for _ in range(300):
        print_out(wire, line)
    idle(wire)
    updates = wire.client.updates()
    texts = [update["content"][0]["content"]["text"] for update in updates if "content" in update]
    assert len(texts[-1]) == 300_000
    assert sum(map(len, texts)) < 6 * 300_000


def test_small_output_is_sent_at_once_and_large_output_when_it_has_grown(wire: Wire) -> None:
    call(wire, title="Run", content=[{"type": "terminal", "terminalId": "T"}])
    shown: list[int] = []
    for size in (3900, 150, 100, 700, 400):
        print_out(wire, b"x" * size)
        texts = [each["content"][0]["content"]["text"] for each in wire.client.updates()]
        shown.append(len(texts[0]) if texts else 0)
    assert shown == [3900, 4050, 0, 0, 5250]


@pytest.mark.parametrize(("size", "is_shown"), [(183, True), (186, False)])
def test_content_below_the_limit_is_sent_at_once(wire: Wire, size: int, is_shown: bool) -> None:
    call(wire, title="Run", content=[{"type": "terminal", "terminalId": "T"}])
    print_out(wire, b"x" * (4096 - 186 - len("contenttext")))
    wire.client.updates()
    print_out(wire, b"x" * size)
    assert bool(wire.client.updates()) is is_shown


def test_exit_is_shown_at_once(wire: Wire) -> None:
    call(wire, title="Run", content=[{"type": "terminal", "terminalId": "T"}])
    print_out(wire, b"x" * 10_000)
    wire.client.updates()
    wire.agent.update(sessionUpdate="terminal_update", terminalId="T", exitStatus={"exitCode": 2})
    [update] = wire.client.updates()
    assert update["content"][0]["content"]["text"].endswith("x\n[ended with status 2]")


def test_terminal_that_no_tool_call_shows_is_lost(wire: Wire) -> None:
    print_out(wire, b"x")
    wire.agent.update(sessionUpdate="state_update", state="idle")
    assert wire.lost() == ["/update"]


# --- plans ----------------------------------------------------------------------------------------


def plan(wire: Wire, id_: str, *contents: str) -> list[str]:
    entries = [{"content": c, "priority": "high", "status": "pending"} for c in contents]
    items = {"type": "items", "planId": id_, "entries": entries}
    wire.agent.update(sessionUpdate="plan_update", plan=items)
    [update] = wire.client.updates()
    return [entry["content"] for entry in update["entries"]]


def test_several_plans_are_one_with_headings(wire: Wire) -> None:
    plan(wire, "p", "one")
    assert plan(wire, "q", "two") == ["p:", "one", "q:", "two"]
    assert wire.lost() == ["/update/plan"]


# --- questions ------------------------------------------------------------------------------------


def ask(wire: Wire, **members: Any) -> int:
    members = {"options": [YES], **members}
    return wire.agent.request("session/request_permission", sessionId="s", **members)


def test_title_of_a_question_is_that_of_its_tool_call_meanwhile(wire: Wire) -> None:
    call(wire, title="Search")
    subject = {"type": "tool_call", "toolCall": {"toolCallId": "t", "status": "pending"}}
    id_ = ask(wire, title="May I?", description="It takes long.", subject=subject)
    question = wire.client.take("session/request_permission")
    asked = question["params"]["toolCall"]
    assert asked["title"] == "May I?"
    assert asked["content"][0]["content"]["text"] == "It takes long."
    wire.client.updates()
    answer = {"outcome": {"outcome": "selected", "optionId": "y"}}
    wire.client.answer(question, answer)
    assert wire.agent.answers[id_] == answer
    [restored] = wire.client.updates()
    assert (restored["title"], restored["content"]) == ("Search", [])


def test_question_that_outlives_its_turn_changes_nothing_after_it(wire: Wire) -> None:
    call(wire, title="Search")
    id_ = prompt(wire)
    ask(wire, title="May I?", subject={"type": "tool_call", "toolCall": {"toolCallId": "t"}})
    question = wire.client.take("session/request_permission")
    wire.client.notify("session/cancel", sessionId="s")
    wire.client.updates()
    idle(wire, "cancelled")
    assert [update["title"] for update in wire.client.updates()] == ["Search"]
    assert wire.client.answers[id_] == {"stopReason": "cancelled"}
    wire.client.answer(question, {"outcome": {"outcome": "cancelled"}})
    assert wire.client.updates() == []


def test_question_comes_after_all_output(wire: Wire) -> None:
    open_session(wire)
    call(wire, title="Run", content=[{"type": "terminal", "terminalId": "T"}])
    for size in (4000, 100):
        print_out(wire, b"x" * size)
    assert output_of(wire) == [4000]
    ask(wire, title="May I?")
    update, *_, question = wire.client.received
    assert len(update["params"]["update"]["content"][0]["content"]["text"]) == 4100
    assert question["method"] == "session/request_permission"


def test_question_in_a_closed_session_is_refused(wire: Wire) -> None:
    open_session(wire)
    close_session(wire, "s")
    error = {"code": -32002, "message": "the session is closed"}
    assert wire.agent.answers[ask(wire, title="May I?")] == error


@pytest.mark.parametrize("state", ["running", "requires_action"])
@pytest.mark.parametrize("prompted", [False, True])
def test_states_are_lost_except_running_in_a_turn(wire: Wire, state: str, prompted: bool) -> None:
    open_session(wire)
    if prompted:
        prompt(wire)
    wire.agent.update(sessionUpdate="state_update", state=state)
    is_lost = state != "running" or not prompted
    assert wire.lost() == ["/update/state"] * is_lost


def test_question_without_a_tool_call_fails_with_its_turn(wire: Wire) -> None:
    open_session(wire)
    prompt(wire)
    ask(wire, title="May I?")
    wire.client.updates()
    idle(wire)
    assert [update["status"] for update in wire.client.updates()] == ["failed"]


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        (None, "other"),
        ({"type": "command", "command": "rm x", "cwd": "/"}, "execute"),
        ({"type": "smell"}, "other"),
    ],
)
def test_question_without_a_tool_call_gets_one(wire: Wire, subject: Json | None, kind: str) -> None:
    id_ = ask(wire, title="May I?", **({} if subject is None else {"subject": subject}))
    question = wire.client.take("session/request_permission")
    call_id = question["params"]["toolCall"]["toolCallId"]
    call = {"toolCallId": call_id, "title": "May I?", "kind": kind, "status": "pending"}
    assert wire.client.updates() == [{"sessionUpdate": "tool_call", **call}]
    text = {"type": "text", "text": "$ rm x\nin /"}
    content = [{"type": "content", "content": text}] if kind == "execute" else []
    assert question["params"]["toolCall"].get("content", []) == content
    wire.client.answer(question, {"outcome": {"outcome": "cancelled"}})
    assert wire.agent.answers[id_] == {"outcome": {"outcome": "cancelled"}}
    [last] = wire.client.updates()
    assert (last["toolCallId"], last["status"]) == (call_id, "completed")


def test_question_without_a_tool_call_fails_with_the_response(wire: Wire) -> None:
    id_ = ask(wire, title="May I?")
    wire.client.updates()
    wire.client.refuse(wire.client.take("session/request_permission"))
    assert wire.agent.answers[id_] == {"code": -32603, "message": "no"}
    [last] = wire.client.updates()
    call = {"sessionUpdate": "tool_call_update", "toolCallId": "permission-1"}
    assert last == {**call, "status": "failed"}


def test_option_of_an_unknown_kind_is_left_out(wire: Wire) -> None:
    odd = {"optionId": "o", "name": "Odd", "kind": "_odd"}
    ask(wire, title="May I?", options=[odd, YES])
    assert wire.client.take("session/request_permission")["params"]["options"] == [YES]
    assert wire.lost() == ["/options/0/kind", "/options/0"]


def test_question_without_options_left_is_refused(wire: Wire) -> None:
    id_ = ask(wire, title="May I?", options=[{"optionId": "o", "name": "Odd", "kind": "_odd"}])
    assert wire.agent.answers[id_]["code"] == -32602


def test_request_that_an_elicitation_names_has_its_own_id(wire: Wire) -> None:
    wire.client.request("session/prompt", sessionId="s", prompt=[])  # does not reach the agent
    opening = wire.client.request("session/new", cwd="/", mcpServers=[])
    request = wire.agent.take("session/new")
    assert request["id"] != opening
    form: Json = {"mode": "form", "requestedSchema": {"type": "object", "properties": {}}}
    form |= {"message": "?", "requestId": request["id"]}
    id_ = wire.agent.request("elicitation/create", **form)
    question = wire.client.take("elicitation/create")
    assert question["params"] == {**form, "requestId": opening}
    answer = {"action": "accept", "content": {"name": "x"}}
    wire.client.answer(question, answer)
    assert wire.agent.answers[id_] == answer
    wire.agent.answer(request, {"sessionId": "s"})
    id_ = wire.agent.request("elicitation/create", **form)
    error = {"code": -32602, "message": "the request already has a response"}
    assert wire.agent.answers[id_] == error


def test_cancelled_request_still_waits_for_its_response(wire: Wire) -> None:
    id_ = wire.client.request("_x")
    wire.client.notify("$/cancel_request", requestId=id_)
    asked = wire.agent.take("_x")
    assert wire.agent.take("$/cancel_request")["params"] == {"requestId": asked["id"]}
    assert id_ not in wire.client.answers
    wire.agent.answer(asked, {"b": 2})
    assert wire.client.answers[id_] == {"b": 2}


def test_extensions_pass_in_both_directions(wire: Wire) -> None:
    id_ = wire.client.request("_x", a=[1])
    wire.agent.answer(wire.agent.take("_x"), {"b": 2})
    assert wire.client.answers[id_] == {"b": 2}
    wire.agent.notify("_y", c=3)
    assert wire.client.take("_y")["params"] == {"c": 3}


# --- content --------------------------------------------------------------------------------------


def test_usage_without_cost_keeps_the_cost(wire: Wire) -> None:
    cost = {"amount": 1, "currency": "EUR"}
    wire.agent.update(sessionUpdate="usage_update", used=1, size=9, cost=cost)
    wire.agent.update(sessionUpdate="usage_update", used=2, size=9)
    wire.agent.update(sessionUpdate="usage_update", used=3, size=9, cost=None)
    costs = [update.get("cost") for update in wire.client.updates()]
    assert costs == [cost, cost, None]


@pytest.mark.parametrize(
    "update",
    [
        {"sessionUpdate": "session_info_update"},
        {"sessionUpdate": "tool_call_update", "toolCallId": "t"},
    ],
    ids=lambda update: update["sessionUpdate"],
)
def test_meta_is_sent_as_a_whole(wire: Wire, update: Json) -> None:
    for meta in ({"a": 1}, {"b": 2}, {"a": None}, None):
        wire.agent.update(**update, _meta=meta)
    metas = [update["_meta"] for update in wire.client.updates()]
    assert metas == [{"a": 1}, {"a": 1, "b": 2}, {"b": 2}, {}]


@pytest.mark.parametrize(
    ("capability", "update"),
    [
        ("notices", {"sessionUpdate": "notice", "severity": "warning", "title": "careful"}),
        (
            "compaction",
            {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "in_progress"},
        ),
    ],
)
def test_updates_that_the_client_advertises_are_shown(capability: str, update: Json) -> None:
    wire = introduced({"session": {capability: {}}})
    open_session(wire)
    wire.agent.update(**update)
    assert wire.client.updates() == [update]
    assert wire.losses == []


def test_message_that_differs_from_the_prompt_is_shown(wire: Wire) -> None:
    open_session(wire)
    prompt(wire, inserted=False)
    expanded = {"type": "text", "text": "hi there"}
    wire.agent.update(sessionUpdate="user_message", messageId="u", content=[expanded])
    assert [update["content"] for update in wire.client.updates()] == [expanded]


def test_chunks_that_differ_from_the_prompt_are_shown(wire: Wire) -> None:
    open_session(wire)
    prompt(wire, inserted=False)
    for text in ("h", "ello"):
        content = {"type": "text", "text": text}
        wire.agent.update(sessionUpdate="user_message_chunk", messageId="u", content=content)
    assert [update["content"]["text"] for update in wire.client.updates()] == ["h", "ello"]


def test_end_of_a_turn_that_the_agent_began_is_reported(wire: Wire) -> None:
    open_session(wire)
    idle(wire, "error", error={"code": 1, "message": "no"})
    assert wire.lost() == ["/update/stopReason", "/update/error"]


def test_end_of_a_prompted_turn_is_not_reported(wire: Wire) -> None:
    open_session(wire)
    id_ = prompt(wire)
    idle(wire, _meta={"k": 1}, **{"x-unknown": 2})
    expected = {"stopReason": "end_turn", "_meta": {"k": 1}, "x-unknown": 2}
    assert wire.client.answers[id_] == expected
    assert wire.losses == []


def test_output_that_ends_within_a_character_goes_on(wire: Wire) -> None:
    call(wire, title="Run", content=[{"type": "terminal", "terminalId": "T"}])
    wire.losses.clear()
    for part in (b"\xc3", b"\xa4"):
        print_out(wire, part)
    idle(wire)
    assert "/update/data" not in wire.lost()


def test_output_that_is_replaced_within_a_character_is_not_reported(wire: Wire) -> None:
    call(wire, title="Run", content=[{"type": "terminal", "terminalId": "T"}])
    wire.losses.clear()
    print_out(wire, b"\xc3")
    output = {"data": base64.b64encode(b"a").decode()}
    wire.agent.update(sessionUpdate="terminal_update", terminalId="T", output=output)
    assert wire.losses == []


def test_output_after_an_invalid_character_is_not_reported(wire: Wire) -> None:
    call(wire, title="Run", content=[{"type": "terminal", "terminalId": "T"}])
    wire.losses.clear()
    for part, lost in ((b"\xc3", []), (b"a", ["/update/data"]), (b"b", [])):
        print_out(wire, part)
        assert wire.lost() == lost


@pytest.mark.parametrize("data", ["***", "aGk=\n", " aGk=", "aGk", "ä"])
def test_output_that_is_not_base64_is_reported(wire: Wire, data: str) -> None:
    wire.agent.update(sessionUpdate="terminal_output_chunk", terminalId="T", data=data)
    assert [loss.pointer for loss in wire.losses] == ["/update"]
    assert wire.losses[0].reason.startswith("invalid data")


def test_content_that_grows_is_reported_once(wire: Wire) -> None:
    smell = {"type": "content", "content": {"type": "smell"}}
    text = {"type": "content", "content": TEXT}
    call(wire, title="Run", content=[smell])
    for _ in range(3):
        chunk = {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "t", "content": text}
        wire.agent.update(**chunk)
        wire.agent.update(sessionUpdate="session_info_update")
    assert wire.lost() == ["/update/content/0/content", "/update/content/0"]


META = {"_meta": {"k": 1}}


@pytest.mark.parametrize(
    ("update", "lost"),
    [
        (
            {"sessionUpdate": "agent_message_chunk", "messageId": "a", "content": SMELL},
            ["/update/content", "/update/_meta"],
        ),
        (
            {"sessionUpdate": "agent_message", "messageId": "a", "content": []},
            ["/update"],
        ),
        (
            {
                "sessionUpdate": "tool_call_content_chunk",
                "toolCallId": "t",
                "content": {"type": "content", "content": TEXT},
            },
            ["/update/_meta"],
        ),
        (
            {
                "sessionUpdate": "terminal_update",
                "terminalId": "T",
                "cwd": "/",
                "output": {"data": "aGk=", "x": 1},
                "exitStatus": {"exitCode": 0, "x": 1},
            },
            ["/update/_meta", "/update/cwd", "/update/output/x", "/update/exitStatus/x"],
        ),
    ],
    ids=lambda each: each["sessionUpdate"] if isinstance(each, dict) else "",
)
def test_fields_without_a_counterpart_are_reported(
    wire: Wire, update: Json, lost: list[str]
) -> None:
    call(wire, title="Run", content=[{"type": "terminal", "terminalId": "T"}])
    wire.lost()
    wire.agent.update(**update, **META)
    assert sorted(wire.lost()) == sorted(lost)


def test_other_fields_of_a_message_that_is_complete_are_reported(wire: Wire) -> None:
    for meta in ({}, META):
        wire.agent.update(sessionUpdate="agent_message", messageId="a", content=[TEXT], **meta)
    assert shown(wire) == [("a", "hi")]
    assert wire.lost() == ["/update/_meta"]


def test_other_fields_of_an_echo_are_reported(wire: Wire) -> None:
    open_session(wire)
    prompt(wire, inserted=False)
    echo = {"sessionUpdate": "user_message", "messageId": "u", "content": [TEXT], **META}
    wire.agent.notify("session/update", sessionId="s", update=echo, **META)
    assert wire.client.updates() == []
    assert wire.lost() == ["/_meta", "/update/_meta"]


# --- limits --------------------------------------------------------------------------------------


def update_of(wire: Wire, session_id: str) -> list[Json]:
    """Send the agent message `m` in a session and return the updates that reach the client."""
    said = {"sessionUpdate": "agent_message", "messageId": "m", "content": [TEXT]}
    wire.agent.notify("session/update", sessionId=session_id, update=said)
    return wire.client.updates()


def test_of_too_many_sessions_the_oldest_without_a_prompt_is_forgotten() -> None:
    wire = introduced(limits=Limits(sessions=2))
    open_session(wire)
    id_ = prompt(wire)
    wire.client.updates()
    assert update_of(wire, "t") != []
    assert update_of(wire, "t") == []  # the client already has this message
    assert update_of(wire, "u") != []
    assert update_of(wire, "t") != []  # it was forgotten
    idle(wire)
    assert wire.client.answers[id_] == {"stopReason": "end_turn"}


def test_a_session_with_the_limit_of_sessions_is_kept() -> None:
    wire = introduced(limits=Limits(sessions=2))
    for session_id in ("t", "u"):
        assert update_of(wire, session_id) != []
    assert update_of(wire, "t") == update_of(wire, "u") == []


def close_session(wire: Wire, session_id: str) -> None:
    wire.client.request("session/close", sessionId=session_id)
    wire.agent.answer(wire.agent.take("session/close"), {})


def test_of_too_many_closed_sessions_the_oldest_can_be_named_again() -> None:
    wire = introduced(limits=Limits(closed_sessions=2))
    for session_id in ("t", "u", "v"):
        close_session(wire, session_id)
    wire.losses.clear()
    assert update_of(wire, "u") == update_of(wire, "v") == []
    assert {loss.reason for loss in wire.losses} == {"the session is closed"}
    assert update_of(wire, "t") != []


def test_an_idle_report_is_kept_for_a_prompt_only_up_to_a_limit() -> None:
    wire = introduced()
    open_session(wire)
    id_ = wire.client.request("session/prompt", sessionId="s", prompt=[TEXT])
    for _ in range(100):
        idle(wire, _meta={"k": 1})
    assert wire.losses == []
    idle(wire)
    assert [loss.pointer for loss in wire.losses] == ["/update/_meta", "/update/stopReason"]
    wire.agent.answer(wire.agent.take("session/prompt"), {"messageId": "u"})
    assert id_ not in wire.client.answers


def test_terminals_that_the_client_runs_are_forgotten_with_their_session() -> None:
    wire = introduced({"terminal": True}, limits=Limits(sessions=1))
    for end in (lambda: update_of(wire, "other"), lambda: close_session(wire, "s")):
        open_session(wire)
        params = {"sessionId": "s", "command": "ls"}
        wire.bridge.call(wire.bridge.client, "terminal/create", params, print, print)
        wire.collect()
        wire.client.answer(wire.client.take("terminal/create"), {"terminalId": "T"})
        terminal = {"type": "terminal", "terminalId": "T"}
        assert call(wire, title="Run", content=[terminal])[0]["content"] == [terminal]
        end()
        open_session(wire)
        assert call(wire, title="Run", content=[terminal])[0]["content"][0]["type"] == "content"


def test_terminals_that_no_tool_call_shows_are_kept_up_to_a_limit() -> None:
    wire = introduced()
    open_session(wire)
    output = {"sessionUpdate": "terminal_output_chunk", "data": "aGk="}
    for number in range(1000):
        wire.agent.update(**output, terminalId=str(number))
    wire.agent.update(**output, terminalId="0")
    assert wire.losses == []
    wire.agent.update(**output, terminalId="last")
    assert len(wire.losses) == 1000
