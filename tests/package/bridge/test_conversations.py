"""Tests that bridge each version of the specification's example turn to the other version.

The goldens list each message as its sender sends it and as its receiver receives it, in order.
Pass `--update-goldens` to rewrite them. `wire` checks that each message is strictly valid.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2

from tests.package.bridge.wire import Json, Side, Wire
from tests.support.paths import DATA

GOLDENS = Path(__file__).with_name("goldens")


class Transcript:
    """A record of all messages, each as sent and as received."""

    def __init__(self, wire: Wire) -> None:
        self.lines: list[str] = []
        self.heard: dict[str, list[Json]] = {"client": [], "agent": []}
        wire.on_message = self.hear

    def say(self, name: str, message: Json) -> None:
        self.lines.append(f"{name}: {brief(message)}")

    def hear(self, name: str, message: Json) -> None:
        self.heard[name].append(message)
        self.lines.append(f"    to the {name}: {brief(message)}")

    def __str__(self) -> str:
        """Return the transcript with sequential numbers in place of random ids."""
        text = "\n".join(self.lines) + "\n"
        for number, drawn in enumerate(dict.fromkeys(re.findall("[0-9a-f]{32}", text)), 1):
            text = text.replace(drawn, f"id-{number}")
        return text


def brief(message: Json) -> str:
    """Return a message as one line of JSON, without the `jsonrpc` field."""
    rest = {name: value for name, value in message.items() if name != "jsonrpc"}
    return json.dumps(rest, ensure_ascii=False)


def updates_of(seed: str) -> tuple[list[Json], list[Json]]:
    """Return the prompt and the repaired updates from an example in the specification."""
    messages = json.loads((DATA / "seeds" / f"{seed}.json").read_text("utf-8"))
    prompt = next(m["payload"]["prompt"] for m in messages if m["method"] == "session/prompt")
    updates = [m["payload"]["update"] for m in messages if m["method"] == "session/update"]
    return prompt, [repaired(update) for update in updates]


def repaired(update: Json) -> Json:
    """Rename the field `id` of an update's plan to `planId`, its name in the schema."""
    plan = update.get("plan")
    if plan is None or "id" not in plan:
        return update
    entries = {name: value for name, value in plan.items() if name != "id"}
    return {**update, "plan": {**entries, "planId": plan["id"]}}


def open_session(wire: Wire, versions: tuple[int, int]) -> Transcript:
    """Initialize both sides, open the session `s`, and start a transcript."""
    client, agent = versions
    info = {"name": "someone", "version": "1"}
    first: Any = {1: {"clientInfo": info}, 2: {"info": info, "capabilities": {}}}[client]
    wire.client.request("initialize", protocolVersion=client, **first)
    accepting = {"promptCapabilities": {"embeddedContext": True}}
    capabilities: Any = {
        1: {"agentInfo": info, "agentCapabilities": accepting},
        2: {"info": info, "capabilities": {"session": {}}},
    }
    wire.agent.answer(wire.agent.take(), {"protocolVersion": agent, **capabilities[agent]})
    wire.client.request("session/new", cwd="/home", mcpServers=[])
    wire.agent.answer(wire.agent.take(), {"sessionId": "s"})
    wire.client.updates()
    transcript = Transcript(wire)
    for name, side in (("client", wire.client), ("agent", wire.agent)):
        side.on_send = lambda message, name=name: transcript.say(name, message)
    return transcript


def compare(golden: str, transcript: Transcript, request: pytest.FixtureRequest) -> None:
    path = GOLDENS / golden
    if request.config.getoption("--update-goldens"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(str(transcript), "utf-8")
    assert str(transcript) == path.read_text("utf-8")


def ask(agent: Side, client: Side, question: Json) -> None:
    """Request permission as the agent and grant it as the client."""
    agent.request("session/request_permission", sessionId="s", **question)
    asked = client.take("session/request_permission")
    client.answer(asked, {"outcome": {"outcome": "selected", "optionId": "y"}})


YES = {"optionId": "y", "name": "Yes", "kind": "allow_once"}


def test_turn_of_protocol_2_for_a_client_of_protocol_1(request: pytest.FixtureRequest) -> None:
    wire = Wire()
    transcript = open_session(wire, (1, 2))
    prompt, updates = updates_of("v2")
    id_ = wire.client.request("session/prompt", sessionId="s", prompt=prompt)
    wire.agent.answer(wire.agent.take("session/prompt"), {"messageId": "msg_user_8f7a1"})
    near = v2.SessionState()
    for update in [
        *updates[:1],
        {"sessionUpdate": "state_update", "state": "running"},
        *updates[1:],
    ]:
        wire.agent.update(**update)
        near.apply(v2.decode(v2.SessionUpdate, update))
        if update.get("title") == "Checking the module":
            call = {"toolCallId": "call_001", "status": "pending"}
            subject = {"type": "tool_call", "toolCall": call}
            question = {"title": "Check it?", "subject": subject, "options": [YES]}
            ask(wire.agent, wire.client, question)
    wire.agent.update(sessionUpdate="state_update", state="idle", stopReason="end_turn")
    assert wire.client.answers[id_] == {"stopReason": "end_turn"}
    far = v1.SessionState()
    for update in wire.client.updates():
        far.apply(v1.decode(v1.SessionUpdate, update))
    said = [(m.role, m.text) for m in near.messages if m.role != "user"]
    assert [(message.role, message.text) for message in far.messages] == said
    assert far.tool_calls["call_001"].status == near.tool_calls["call_001"].status == "completed"
    assert not wire.losses
    compare("older_client.txt", transcript, request)


def test_turn_of_protocol_1_for_a_client_of_protocol_2(request: pytest.FixtureRequest) -> None:
    wire = Wire()
    transcript = open_session(wire, (2, 1))
    prompt, updates = updates_of("v1")
    wire.client.request("session/prompt", sessionId="s", prompt=prompt)
    turn = wire.agent.take("session/prompt")
    near = v1.SessionState()
    for update in updates:
        wire.agent.update(**update)
        near.apply(v1.decode(v1.SessionUpdate, update))
        if update["sessionUpdate"] == "tool_call":
            call = {"toolCallId": "call_001", "status": "pending"}
            ask(wire.agent, wire.client, {"toolCall": call, "options": [YES]})
    wire.agent.answer(turn, {"stopReason": "end_turn"})
    far = v2.SessionState()
    for update in wire.client.updates():
        far.apply(v2.decode(v2.SessionUpdate, update))
    said = [(message.role, message.text) for message in near.messages]
    assert [(m.role, m.text) for m in far.messages if m.role != "user"] == said
    assert far.tool_calls["call_001"].status == near.tool_calls["call_001"].status == "completed"
    assert v2.encode(far.state)["stopReason"] == "end_turn"
    assert not wire.losses
    compare("newer_client.txt", transcript, request)
