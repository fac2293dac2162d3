"""Tests that two bridges in a row change a conversation only by the losses that they report."""

from __future__ import annotations

import json
import os
from typing import Any

from acp_bindings import v1, v2
from acp_bindings.bridge import CORRESPONDENCE, Bridge, Loss
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.package.bridge.v1_client_v2_agent.test_laws import UPDATES
from tests.package.bridge.v2_client_v1_agent.test_conversations import CALL_UPDATE, UPDATE, WORDS
from tests.package.bridge.wire import Json

# The number of random conversations. Set BRIDGE_N to change it, for example to 3000.
CONVERSATIONS = int(os.environ.get("BRIDGE_N", "100"))
INFO: Json = {"name": "someone", "version": "1"}
RUNNING: Json = {"sessionUpdate": "state_update", "state": "running"}
IDLE: Json = {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}
CAPABILITIES = {"session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}}}
ABSENT: Json = {"kind": "other", "status": "pending", "content": [], "locations": []}
SAID = st.builds(
    lambda tag, words: {"sessionUpdate": tag, "content": {"type": "text", "text": words}},
    st.sampled_from(["agent_message_chunk", "agent_thought_chunk"]),
    WORDS,
)

META = st.dictionaries(st.sampled_from("ab"), st.none() | st.integers(0, 9), max_size=2)


def with_meta(updates: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    """Return a strategy that adds `_meta` to some of the updates."""
    return st.builds(
        lambda update, meta: update if meta is None else {**update, "_meta": meta},
        updates,
        st.none() | META,
    )


class Chain:
    """A client and an agent for the same version, connected through two bridges.

    The bridges exchange messages in the other version.

    Attributes:
        heard: the messages that have arrived at each end, under the keys `client` and `agent`.
        losses: the losses that the client's bridge reported.
        all_losses: the losses that either bridge reported.
    """

    def __init__(self, version: int = 1) -> None:
        self.losses: list[Loss] = []
        self.all_losses: list[Loss] = []
        other = {3 - version}
        self._near = Bridge(CORRESPONDENCE, spoken=other, on_loss=self._lose)
        self._far = Bridge(CORRESPONDENCE, shown=other, on_loss=self.all_losses.append)
        self.heard: dict[str, list[Json]] = {"client": [], "agent": []}

    def _lose(self, loss: Loss) -> None:
        self.losses.append(loss)
        self.all_losses.append(loss)

    def say(self, name: str, message: Json) -> None:
        """Send a message from the client or the agent and forward it through both bridges."""
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
        """Send a request from the client and the response from the agent."""
        self.say("client", {"id": id_, "method": method, "params": params})
        asked = self.heard["agent"][-1]
        self.say("agent", {"id": asked["id"], "result": answer})


def content_of(state: Any) -> dict[str, Any]:
    """Return the content of a state, ignoring message ids and how text is split into messages."""
    surface = v1 if isinstance(state, v1.SessionState) else v2
    messages: list[tuple[str, str]] = []
    for message in state.messages:
        if messages and messages[-1][0] == message.role:
            messages[-1] = (message.role, messages[-1][1] + message.text)
        elif message.text:
            messages.append((message.role, message.text))
    calls = {key: surface.encode(call) for key, call in state.tool_calls.items()}
    for call in calls.values():  # absent and empty fields have the same meaning
        for name, absent in ABSENT.items():
            call[name] = call.get(name) or absent
        if not call.get("_meta"):
            call.pop("_meta", None)
    return {
        "messages": messages,
        "calls": calls,
        "plans": [entries(surface.encode(plan)) for plan in state.plans.values()],
        "usage": said(surface, state.usage),
        "commands": said(surface, state.available_commands),
        "info": said(surface, state.info),
        "compactions": [said(surface, each) for each in state.compactions.values()],
    }


def entries(plan: Json) -> Json:
    return plan.get("plan", plan)["entries"]


def test_ids_of_messages_are_the_same() -> None:
    chain = Chain(1)
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
        chain = Chain(1)
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


def said(surface: Any, value: Any) -> Json:
    """Return an entry as JSON, without null and empty fields."""
    members = surface.encode(value) if value else {}
    return {name: member for name, member in members.items() if member not in (None, [], {})}


def gets_title(update: Json, state: Any) -> bool:
    """Return whether an update begins a tool call to which the bridge must add a title."""
    is_new = update.get("toolCallId", "") not in ["", *state.tool_calls]
    return is_new and not update.get("title")


# Maps a word in an update's tag to the part of the state that the update changes.
PARTS = {
    "message": "messages",
    "thought": "messages",
    "tool": "calls",
    "terminal": "calls",
    "plan": "plans",
    "usage": "usage",
    "commands": "commands",
    "info": "info",
    "compaction": "compactions",
}


class Comparison:
    """A comparison of the session states at the two ends of a chain."""

    def __init__(self, version: int, agent: Json) -> None:
        """Open a session.

        Args:
            version: the protocol version of both ends.
            agent: the agent's result for `initialize`, without the version.
        """
        self.chain = Chain(version)
        self.near: Any = (v1, v2)[version - 1].SessionState()
        self.lossy: set[str] = set()
        self._surface: Any = (v1, v2)[version - 1]
        client = {"clientCapabilities": CAPABILITIES} if version == 1 else {"info": INFO}
        answer = {"protocolVersion": version, **agent}
        self.chain.request(1, "initialize", answer, protocolVersion=version, **client)
        servers = {"mcpServers": []} if version == 1 else {}
        self.chain.request(2, "session/new", {"sessionId": "s"}, cwd="/", **servers)
        self.chain.all_losses.clear()

    def prompt(self) -> Json:
        """Send a prompt and return it as the agent receives it."""
        params = {"sessionId": "s", "prompt": [{"type": "text", "text": "go"}]}
        self.chain.say("client", {"id": 3, "method": "session/prompt", "params": params})
        return self.chain.heard["agent"][-1]

    def update(self, update: Json) -> None:
        """Send an update from the agent. If it causes losses, record which parts they affect."""
        params = {"sessionId": "s", "update": update}
        before = len(self.chain.all_losses)
        self.chain.say("agent", {"method": "session/update", "params": params})
        self.near.apply(self._surface.decode(self._surface.SessionUpdate, update))
        if len(self.chain.all_losses) > before:
            words = update["sessionUpdate"].split("_")
            self.lossy |= {PARTS[word] for word in words if word in PARTS}
            # The bridge reports the loss of held-back terminal output only when the agent becomes
            # idle.
            if any("terminal" in loss.reason for loss in self.chain.all_losses[before:]):
                self.lossy.add("calls")

    def differing(self) -> set[str]:
        """Return the parts of the state that differ between the two ends."""
        far = self._surface.SessionState()
        for message in self.chain.heard["client"]:
            if message.get("method") == "session/update":
                update = message["params"]["update"]
                far.apply(self._surface.decode(self._surface.SessionUpdate, update, strict=True))
        there, here = content_of(self.near), content_of(far)
        return {part for part in there if there[part] != here[part]}


@given(st.lists(with_meta(st.one_of(SAID, CALL_UPDATE, UPDATE)), max_size=15))
@settings(max_examples=CONVERSATIONS)
def test_states_of_protocol_1_are_the_same_at_both_ends(updates: list[Json]) -> None:
    talk = Comparison(1, {"agentCapabilities": {}})
    turn = talk.prompt()
    for update in updates:
        if not gets_title(update, talk.near):
            talk.update(update)
    talk.chain.say("agent", {"id": turn["id"], "result": {"stopReason": "end_turn"}})
    assert talk.differing() <= talk.lossy
    assert all(loss.pointer.startswith("/update/raw") for loss in talk.chain.losses)
    assert talk.chain.heard["client"][-1]["result"] == {"stopReason": "end_turn"}


@given(st.lists(with_meta(UPDATES), max_size=15))
@settings(max_examples=CONVERSATIONS)
def test_states_of_protocol_2_are_the_same_at_both_ends(updates: list[Json]) -> None:
    talk = Comparison(2, {"info": INFO, "capabilities": {"session": {}}})
    turn = talk.prompt()
    talk.chain.say("agent", {"id": turn["id"], "result": {"messageId": "u"}})
    content = [{"type": "text", "text": "go"}]
    talk.update({"sessionUpdate": "user_message", "messageId": "u", "content": content})
    calls = [
        {"sessionUpdate": "tool_call_update", "toolCallId": each, "title": "T"} for each in "abc"
    ]
    for update in [RUNNING, *calls, *updates, IDLE]:
        if not gets_title(update, talk.near):
            talk.update(update)
    assert talk.differing() <= talk.lossy
