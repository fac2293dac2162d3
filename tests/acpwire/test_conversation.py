"""Tests of `Conversation`, which tracks a client's and an agent's open requests and sessions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from acp_bindings.runtime.jsonrpc.envelope import Message
from acpwire.conversation import Conversation, Restoration

CAPABILITIES = {
    1: {"agentCapabilities": {"loadSession": True, "sessionCapabilities": {"resume": {}}}},
    2: {"capabilities": {"session": {}}},
}
TEXT = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hi"}}
RUNNING = {"sessionUpdate": "state_update", "state": "running"}
WAITING = {"sessionUpdate": "state_update", "state": "requires_action"}
IDLE = {"sessionUpdate": "state_update", "state": "idle"}


class Talk:
    """A wrapper around `Conversation` that accepts and returns messages as decoded JSON."""

    def __init__(self, version: int = 1, **initialized: Any) -> None:
        self.conversation = Conversation()
        self.version = version
        self.initialized = initialized or CAPABILITIES[version]
        self.call("initialize", {"protocolVersion": version}, self.result)

    @property
    def result(self) -> dict[str, Any]:
        return {"protocolVersion": self.version, **self.initialized}

    def send(self, **message: Any) -> Any:
        passed = self.conversation.from_client(_message(message))
        return None if passed is None else json.loads(passed.text)

    def get(self, **message: Any) -> list[Any]:
        return [json.loads(each.text) for each in self.conversation.from_agent(_message(message))]

    def call(self, method: str, params: dict[str, Any], result: Any = None, **answer: Any) -> None:
        self.send(id=0, method=method, params=params)
        self.get(id=0, **(answer or {"result": {} if result is None else result}))

    def open(self, session_id: str = "s", **params: Any) -> None:
        params = {"cwd": "/", "mcpServers": [], **params}
        self.call("session/new", params, {"sessionId": session_id})

    def update(self, update: Any, session_id: str = "s") -> list[Any]:
        return self.get(method="session/update", params={"sessionId": session_id, "update": update})

    def lose(self) -> list[Any]:
        return [json.loads(each.text) for each in self.conversation.interrupt("cut")]

    def restored(self, **initialized: Any) -> list[tuple[str, str | None, Any]]:
        """Return the open sessions, each with the method and params that restore it."""
        self.conversation.accept({**self.result, **initialized})
        return [
            (id_, each and each.method.name, each and each.params)
            for id_, each in self.conversation.restorations()
        ]


def _message(fields: dict[str, Any]) -> Message:
    return Message(json.dumps({"jsonrpc": "2.0", **fields}).encode())


# --- the end of a connection -------------------------------------------------------------------


def test_requests_without_a_response_fail() -> None:
    talk = Talk()
    talk.open()
    talk.send(id="p", method="session/prompt", params={"sessionId": "s", "prompt": []})
    [error] = talk.lose()
    assert error["id"] == "p"
    assert error["error"] == {"code": -32603, "message": "lost the connection to the agent: cut"}
    assert talk.lose() == []


def test_a_request_fails_that_was_sent_before_the_agent_initialized() -> None:
    conversation = Conversation()
    conversation.from_client(_message({"id": 0, "method": "initialize", "params": {}}))
    [error] = conversation.interrupt("cut")
    assert json.loads(error.text)["id"] == 0


def test_notifications_need_no_end() -> None:
    talk = Talk()
    talk.send(method="session/cancel", params={"sessionId": "s"})
    assert talk.lose() == []


def test_the_agents_requests_are_cancelled_and_responses_to_them_discarded() -> None:
    talk = Talk()
    talk.get(id=7, method="session/request_permission", params={"sessionId": "s"})
    [cancelled] = talk.lose()
    assert cancelled["method"] == "$/cancel_request"
    assert cancelled["params"] == {"requestId": 7}
    assert talk.send(id=7, result={"outcome": {"outcome": "cancelled"}}) is None
    assert talk.lose() == []


def test_an_id_that_the_client_still_handles_is_replaced() -> None:
    talk = Talk()
    talk.get(id=7, method="session/request_permission", params={})
    talk.lose()
    [request] = talk.get(id=7, method="session/request_permission", params={"n": 2})
    assert request["id"] != 7
    assert request["params"] == {"n": 2}
    [cancelled] = talk.get(method="$/cancel_request", params={"requestId": 7})
    assert cancelled["params"] == {"requestId": request["id"]}
    assert talk.send(id=7, result={}) is None
    assert talk.send(id=request["id"], result={"n": 2})["id"] == 7
    [reused] = talk.get(id=7, method="session/request_permission", params={})
    assert reused["id"] == 7


@pytest.mark.parametrize("update", [RUNNING, WAITING])
def test_a_turn_that_an_update_would_end_ends(update: Any) -> None:
    talk = Talk(2)
    talk.open("s")
    talk.open("t")
    assert len(talk.update(update, "t")) == 1
    [ended] = talk.lose()
    assert ended["method"] == "session/update"
    assert ended["params"] == {"sessionId": "t", "update": IDLE}
    assert talk.lose() == []


def test_a_turn_ends_that_has_not_reported_its_state() -> None:
    talk = Talk(2)
    talk.open()
    talk.call("session/prompt", {"sessionId": "s", "prompt": []}, {"messageId": "m"})
    assert [each["params"]["update"] for each in talk.lose()] == [IDLE]


def test_a_request_other_than_a_prompt_begins_no_turn() -> None:
    talk = Talk(2)
    talk.open()
    params = {"sessionId": "s", "configId": "model", "value": "fast"}
    talk.call("session/set_config_option", params, {"configOptions": []})
    assert talk.lose() == []


@pytest.mark.parametrize("update", [{**IDLE, "stopReason": "end_turn"}, None])
def test_a_turn_that_has_ended_does_not_end_again(update: Any) -> None:
    talk = Talk(2)
    talk.open()
    talk.update(RUNNING)
    if update is None:
        talk.call("session/close", {"sessionId": "s"})
    else:
        talk.update(update)
    assert talk.lose() == []


# --- sessions ----------------------------------------------------------------------------------


def test_an_open_session_is_resumed_with_the_params_that_opened_it() -> None:
    talk = Talk()
    servers = [{"name": "files", "command": "/bin/files", "args": [], "env": []}]
    talk.open("s", mcpServers=servers, additionalDirectories=["/b"], _meta={"a": 1}, other=2)
    params = {
        "sessionId": "s",
        "cwd": "/",
        "mcpServers": servers,
        "additionalDirectories": ["/b"],
        "_meta": {"a": 1},
    }
    assert talk.restored() == [("s", "session/resume", params)]


def test_a_session_that_was_resumed_with_its_history_is_resumed_without() -> None:
    talk = Talk(2)
    params = {"sessionId": "s", "cwd": "/", "replayFrom": {"type": "start"}}
    talk.call("session/resume", params)
    assert talk.restored() == [("s", "session/resume", {"sessionId": "s", "cwd": "/"})]


def test_the_session_made_by_a_fork_is_restored_as_well() -> None:
    talk = Talk()
    talk.open("s")
    talk.call("session/fork", {"sessionId": "s", "cwd": "/f"}, {"sessionId": "f"})
    assert [(id_, params["cwd"]) for id_, _, params in talk.restored()] == [("s", "/"), ("f", "/f")]


@pytest.mark.parametrize("method", ["session/close", "session/delete"])
def test_a_session_that_ended_is_not_restored(method: str) -> None:
    talk = Talk()
    talk.open("s")
    talk.open("t")
    talk.call(method, {"sessionId": "s"})
    talk.call(method, {"sessionId": "t"}, error={"code": -32603, "message": "no"})
    assert [id_ for id_, _, _ in talk.restored()] == ["t"]


def test_a_session_is_not_restored_if_opening_it_failed() -> None:
    talk = Talk()
    params = {"sessionId": "s", "cwd": "/", "mcpServers": []}
    talk.call("session/load", params, error={"code": -32602, "message": "unknown session"})
    assert talk.restored() == []


@pytest.mark.parametrize("method", ["session/new", "_vendor/open"])
def test_a_response_that_opens_no_known_session_changes_nothing(method: str) -> None:
    talk = Talk()
    talk.call(method, {"cwd": "/"})
    talk.call("_vendor/open", {"cwd": "/"}, {"sessionId": "s"})
    assert talk.restored() == []


def test_sessions_that_the_agent_did_not_restore_are_forgotten() -> None:
    talk = Talk()
    talk.open("s")
    talk.conversation.forget("s")
    assert talk.restored() == []


def test_the_capabilities_of_the_next_agent_decide() -> None:
    talk = Talk()
    talk.open()
    [(_, method, _)] = talk.restored(agentCapabilities={"loadSession": True})
    assert method == "session/load"
    assert talk.restored(agentCapabilities={}) == [("s", None, None)]


def test_the_oldest_of_too_many_sessions_is_forgotten() -> None:
    talk = Talk()
    for number in range(1_001):
        talk.open(str(number))
    talk.open("1")
    ids = [id_ for id_, _, _ in talk.restored()]
    assert (len(ids), ids[0], ids[-1]) == (1_000, "2", "1")


def test_another_version_is_refused() -> None:
    talk = Talk()
    with pytest.raises(ValueError, match="changed from protocol 1 to 2"):
        talk.conversation.accept({"protocolVersion": 2})


def test_a_version_without_a_surface_has_no_sessions() -> None:
    talk = Talk(7, capabilities={})
    talk.open()
    assert talk.conversation.is_initialized
    assert talk.restored() == []


# --- restoring ---------------------------------------------------------------------------------


def restoration(talk: Talk) -> Restoration:
    [(_, found)] = talk.conversation.restorations()
    assert found is not None
    return found


def test_history_is_hidden_only_while_a_session_is_loaded() -> None:
    talk = Talk(agentCapabilities={"loadSession": True})
    talk.open()
    loading = restoration(talk)
    talk.conversation.begin(loading)
    assert talk.update(TEXT) == []
    assert len(talk.update(TEXT, "other")) == 1
    assert talk.conversation.finish(loading, None) == []
    assert len(talk.update(TEXT)) == 1


def test_updates_are_passed_on_while_a_session_is_resumed() -> None:
    talk = Talk()
    talk.open()
    talk.conversation.begin(restoration(talk))
    assert len(talk.update(TEXT)) == 1


def test_the_state_in_the_response_becomes_updates() -> None:
    talk = Talk()
    talk.open()
    modes = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]}
    [update] = talk.conversation.finish(restoration(talk), {"modes": modes})
    expected = {"sessionUpdate": "current_mode_update", "currentModeId": "ask"}
    assert json.loads(update.text)["params"] == {"sessionId": "s", "update": expected}


def test_the_last_successful_sign_in_is_known() -> None:
    talk = Talk()
    talk.call("authenticate", {"methodId": "key"})
    talk.call("authenticate", {"methodId": "web"}, error={"code": -32603, "message": "no"})
    assert talk.conversation.sign_in == ("authenticate", {"methodId": "key"})


@pytest.mark.parametrize(
    ("version", "sign_in", "sign_out"),
    [(1, "authenticate", "logout"), (2, "auth/login", "auth/logout")],
)
def test_a_user_who_signed_out_is_not_signed_in_again(
    version: int, sign_in: str, sign_out: str
) -> None:
    talk = Talk(version)
    talk.call(sign_in, {"methodId": "key"})
    assert talk.conversation.sign_in is not None
    talk.call(sign_out, {})
    assert talk.conversation.sign_in is None


# --- other messages ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [b"[]", b"7", b"{", b'{"id": [1], "result": {}}', b'{"method": 5}', b'{"id": 3, "method": 5}'],
)
def test_messages_that_are_not_valid_are_passed_on(text: bytes) -> None:
    conversation = Talk().conversation
    passed = conversation.from_agent(Message(text))
    assert [each.text for each in passed] == [text]
    if text != b"{":
        assert conversation.from_client(Message(text)) is not None
