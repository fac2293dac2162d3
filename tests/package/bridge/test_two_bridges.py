"""Two bridges in a row: there and back, a conversation of protocol 1 says the same."""

from __future__ import annotations

import json
from typing import Any

from acp_bindings import v1
from acp_bindings.bridge import CORRESPONDENCE, Bridge, Loss
from hypothesis import given, settings
from hypothesis import strategies as st
from package.bridge.test_newer_conversations import CALL_UPDATE, UPDATE, WORDS
from package.bridge.wire import Json

CAPABILITIES = {"session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}}}
ABSENT: Json = {"kind": "other", "status": "pending", "content": [], "locations": []}
SAID = st.builds(
    lambda tag, words: {"sessionUpdate": tag, "content": {"type": "text", "text": words}},
    st.sampled_from(["agent_message_chunk", "agent_thought_chunk"]),
    WORDS,
)


class Chain:
    """A client and an agent of protocol 1, and two bridges that speak protocol 2 between them.

    Attributes:
        heard: the messages that have arrived at both sides.
        losses: what protocol 1 could not say again.
    """

    def __init__(self) -> None:
        self.losses: list[Loss] = []
        self._near = Bridge(CORRESPONDENCE, spoken={2}, on_loss=self.losses.append)
        self._far = Bridge(CORRESPONDENCE, shown={2})
        self.heard: dict[str, list[Json]] = {"client": [], "agent": []}

    def say(self, name: str, message: Json) -> None:
        """Send a message of the client or of the agent."""
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        if name == "client":
            self._near.receive(self._near.client, line)
        else:
            self._far.receive(self._far.agent, line)
        near, far = self._near, self._far
        while (there := near.data_to_send(near.agent)) or (back := far.data_to_send(far.client)):
            if there:
                far.receive(far.client, there)
            else:
                near.receive(near.agent, back)
        for end, data in (
            ("client", near.data_to_send(near.client)),
            ("agent", far.data_to_send(far.agent)),
        ):
            self.heard[end] += map(json.loads, data.splitlines())

    def request(self, id_: int, method: str, answer: Json, **params: Any) -> None:
        """Send a request of the client, and the agent's answer."""
        self.say("client", {"id": id_, "method": method, "params": params})
        asked = self.heard["agent"][-1]
        self.say("agent", {"id": asked["id"], "result": answer})


def told(state: Any) -> Any:
    """What a state says, apart from ids of messages and from how text was split."""
    messages: list[tuple[str, str]] = []
    for message in state.messages:
        if messages and messages[-1][0] == message.role:
            messages[-1] = (message.role, messages[-1][1] + message.text)
        elif message.text:
            messages.append((message.role, message.text))
    calls = {key: v1.encode(call) for key, call in state.tool_calls.items()}
    for call in calls.values():  # what is absent means the same as these
        for name, absent in ABSENT.items():
            call[name] = call.get(name) or absent
    plans = [v1.encode(plan) for plan in state.plans.values()]
    slots = [state.usage, state.available_commands, state.info]
    return messages, calls, plans, [slot and without_null(v1.encode(slot)) for slot in slots]


def without_null(members: Json) -> Json:
    return {name: value for name, value in members.items() if value is not None}


def test_ids_of_messages_are_the_same() -> None:
    chain = Chain()
    answer = {"agentCapabilities": {"loadSession": True}, "protocolVersion": 1}
    chain.request(1, "initialize", answer, protocolVersion=1, clientCapabilities=CAPABILITIES)
    params = {"sessionId": "s", "cwd": "/", "mcpServers": []}
    chain.say("client", {"id": 2, "method": "session/load", "params": params})
    loaded = chain.heard["agent"][-1]
    roles = ["user_message", "agent_thought", "agent_message"]
    for role in roles:
        content = {"type": "text", "text": "a"}
        update = {"sessionUpdate": f"{role}_chunk", "messageId": role, "content": content}
        params = {"sessionId": "s", "update": update}
        chain.say("agent", {"method": "session/update", "params": params})
    chain.say("agent", {"id": loaded["id"], "result": {}})
    heard = [
        message["params"]["update"] for message in chain.heard["client"] if "params" in message
    ]
    assert [update["messageId"] for update in heard] == roles
    assert [update["content"]["text"] for update in heard] == ["a"] * 3


def test_equal_replays_have_equal_ids() -> None:
    replays: list[list[Json]] = []
    for _ in range(2):
        chain = Chain()
        answer = {"agentCapabilities": {"loadSession": True}, "protocolVersion": 1}
        chain.request(1, "initialize", answer, protocolVersion=1, clientCapabilities=CAPABILITIES)
        params = {"sessionId": "s", "cwd": "/", "mcpServers": []}
        chain.say("client", {"id": 2, "method": "session/load", "params": params})
        loaded = chain.heard["agent"][-1]
        for tag in ("user_message_chunk", "agent_message_chunk", "user_message_chunk"):
            update = {"sessionUpdate": tag, "content": {"type": "text", "text": "a"}}
            params = {"sessionId": "s", "update": update}
            chain.say("agent", {"method": "session/update", "params": params})
        chain.say("agent", {"id": loaded["id"], "result": {}})
        replays.append([m["params"]["update"] for m in chain.heard["client"] if "params" in m])
    assert replays[0] == replays[1]
    assert len({update["messageId"] for update in replays[0]}) == 3


@given(st.lists(st.one_of(SAID, CALL_UPDATE, UPDATE), max_size=15))
@settings(max_examples=100)
def test_states_of_both_sides_are_the_same(updates: list[Json]) -> None:
    chain = Chain()
    capabilities = {"agentCapabilities": {}, "protocolVersion": 1}
    chain.request(1, "initialize", capabilities, protocolVersion=1, clientCapabilities=CAPABILITIES)
    chain.request(2, "session/new", {"sessionId": "s"}, cwd="/", mcpServers=[])
    prompt = [{"type": "text", "text": "go"}]
    chain.say(
        "client",
        {"id": 3, "method": "session/prompt", "params": {"sessionId": "s", "prompt": prompt}},
    )
    turn = chain.heard["agent"][-1]
    near = v1.SessionState()
    for update in updates:
        is_update = update["sessionUpdate"] == "tool_call_update"
        if is_update and update["toolCallId"] not in near.tool_calls:
            continue  # a tool call without a title gets one on the way
        chain.say(
            "agent", {"method": "session/update", "params": {"sessionId": "s", "update": update}}
        )
        near.apply(v1.decode(v1.SessionUpdate, update))
    chain.say("agent", {"id": turn["id"], "result": {"stopReason": "end_turn"}})
    far = v1.SessionState()
    for message in chain.heard["client"]:
        if message.get("method") == "session/update":
            update = message["params"]["update"]
            far.apply(v1.decode(v1.SessionUpdate, update, strict=True))
    assert told(far) == told(near) or chain.losses
    assert all(loss.pointer.startswith("/update/raw") for loss in chain.losses)
    assert chain.heard["client"][-1]["result"] == {"stopReason": "end_turn"}
