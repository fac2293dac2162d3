"""Laws for a protocol 1 client with a protocol 2 agent, checked with random conversations.

Every message that arrives is strictly valid (`wire` checks this), every request gets exactly one
response, and the client's state equals the agent's, as far as protocol 1 can express it.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from typing import Any

from acp_bindings import v1, v2
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.package.bridge.v1_client_v2_agent.test_translator import introduced, open_session
from tests.package.bridge.wire import Json

# `make laws` sets a larger number.
CONVERSATIONS = int(os.environ.get("BRIDGE_N", "40"))
IDS = st.sampled_from(["a", "b", "c"])
TEXTS = st.sampled_from(["", "x", "hello ", "\n", "näh"])
STATUSES = {"pending", "in_progress", "completed", "failed"}


def text(value: str) -> Json:
    return {"type": "text", "text": value}


BLOCKS = st.one_of(
    TEXTS.map(text),
    st.just({"type": "image", "data": "", "mimeType": "image/png"}),
    st.just({"type": "resource_link", "name": "n", "uri": "u", "icons": [{"src": "s"}]}),
    st.just({"type": "_smell", "molecules": 3}),
)
CONTENT = st.lists(BLOCKS, max_size=3)
CALL_CONTENT = st.lists(
    st.one_of(
        BLOCKS.map(lambda block: {"type": "content", "content": block}),
        st.just({"type": "terminal", "terminalId": "a"}),
        st.just({"type": "_odd"}),
    ),
    max_size=3,
)


def nullable(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


def update(tag: str, optional: dict[str, Any] | None = None, **members: Any) -> Any:
    """Return a strategy for updates with the given tag and fields."""
    required = {"sessionUpdate": st.just(tag), **members}
    return st.fixed_dictionaries(required, optional=optional or {})


ENTRIES = st.lists(
    st.fixed_dictionaries(
        {
            "content": TEXTS,
            "priority": st.sampled_from(["high", "_odd"]),
            "status": st.sampled_from(["pending", "completed", "cancelled", "_odd"]),
        }
    ),
    max_size=2,
)
UPDATES = st.one_of(
    *(
        update(f"{role}_chunk", messageId=IDS, content=BLOCKS)
        for role in ("agent_message", "agent_thought")
    ),
    *(
        update(role, {"content": nullable(CONTENT)}, messageId=IDS)
        for role in ("agent_message", "agent_thought", "user_message")
    ),
    update(
        "tool_call_update",
        {
            "title": nullable(TEXTS),
            "kind": nullable(st.sampled_from(["read", "_odd"])),
            "status": nullable(st.sampled_from(["completed", "paused", "cancelled"])),
            "content": nullable(CALL_CONTENT),
            "rawInput": st.sampled_from([None, {"k": 1}]),
            "locations": nullable(st.just([{"path": "/a", "line": 1}])),
        },
        toolCallId=IDS,
    ),
    update(
        "tool_call_content_chunk",
        toolCallId=IDS,
        content=BLOCKS.map(lambda b: {"type": "content", "content": b}),
    ),
    update(
        "terminal_update",
        {"command": nullable(TEXTS), "exitStatus": nullable(st.just({"exitCode": 1}))},
        terminalId=IDS,
    ),
    update(
        "terminal_output_chunk",
        terminalId=IDS,
        data=TEXTS.map(lambda t: base64.b64encode(t.encode()).decode()),
    ),
    update(
        "plan_update",
        plan=st.fixed_dictionaries(
            {"type": st.just("items"), "planId": st.just("a"), "entries": ENTRIES}
        ),
    ),
    update("usage_update", used=st.integers(0, 9), size=st.integers(0, 9)),
    update("session_info_update", {"title": nullable(TEXTS)}),
    update("notice", severity=st.just("info"), title=st.just("n")),
    update("_extension", x=st.integers()),
    update("state_update", state=st.sampled_from(["running", "requires_action", "_odd"])),
)
STEPS = st.lists(
    st.one_of(
        UPDATES.map(lambda value: ("update", value)),
        st.sampled_from(["prompt", "accept", "idle", "cancel", "ask", "answer"]).map(
            lambda s: (s, None)
        ),
    ),
    max_size=30,
)


class Conversation:
    """A conversation, played step by step, with the session state of each side."""

    def __init__(self) -> None:
        self.wire = introduced()
        open_session(self.wire)
        self.near = v2.SessionState()
        self.far = v1.SessionState()
        self.prompts: list[int] = []
        self.unaccepted: list[Json] = []
        self.asked: list[int] = []
        self.count = 0

    def play(self, step: str, value: Any) -> None:
        wire = self.wire
        match step:
            case "update":
                self.update(value)
            case "prompt":
                prompt = [text("go")]
                self.prompts.append(
                    wire.client.request("session/prompt", sessionId="s", prompt=prompt)
                )
                self.unaccepted.append(wire.agent.take("session/prompt"))
            case "accept" if self.unaccepted:
                self.count += 1
                message_id = f"u{self.count}"
                wire.agent.answer(self.unaccepted.pop(0), {"messageId": message_id})
                message = {"sessionUpdate": "user_message", "messageId": message_id}
                wire.agent.update(**message, content=[text("go")])
                wire.agent.update(sessionUpdate="state_update", state="running")
            case "idle":
                wire.agent.update(sessionUpdate="state_update", state="idle", stopReason="end_turn")
            case "cancel":
                wire.client.notify("session/cancel", sessionId="s")
            case "ask":
                options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
                self.asked.append(
                    wire.agent.request(
                        "session/request_permission", sessionId="s", title="?", options=options
                    )
                )
            case "answer":
                for question in list(wire.client.received):
                    if question["method"] == "session/request_permission":
                        wire.client.received.remove(question)
                        wire.client.answer(question, {"outcome": {"outcome": "cancelled"}})
            case _:
                pass
        self.see()

    def update(self, value: Json) -> None:
        self.wire.agent.update(**value)
        self.near.apply(v2.decode(v2.SessionUpdate, value))

    def see(self) -> None:
        for seen in self.wire.client.updates():
            self.far.apply(v1.decode(v1.SessionUpdate, seen))

    def finish(self) -> None:
        """Accept all prompts, respond to all permission requests, and end the turn."""
        while self.unaccepted:
            self.play("accept", None)
        for step in ("answer", "idle"):
            self.play(step, None)


@given(STEPS)
@settings(max_examples=CONVERSATIONS)
def test_each_request_gets_one_answer(steps: list[tuple[str, Any]]) -> None:
    conversation = Conversation()
    for step, value in steps:
        conversation.play(step, value)
    conversation.finish()
    assert {*conversation.prompts} <= conversation.wire.client.answers.keys()
    assert {*conversation.asked} <= conversation.wire.agent.answers.keys()


@given(STEPS)
@settings(max_examples=CONVERSATIONS)
def test_client_sees_what_protocol_1_can_say(steps: list[tuple[str, Any]]) -> None:
    conversation = Conversation()
    for step, value in steps:
        if step == "update":
            conversation.play(step, value)
    conversation.finish()
    near, far, wire = conversation.near, conversation.far, conversation.wire
    lost = {loss.reason for loss in wire.losses}
    if not any(" messages; sending the text as a new message" in reason for reason in lost):
        assert texts(far.messages) == texts(near.messages)
    calls = {call_id: shown(call) for call_id, call in far.tool_calls.items()}
    assert calls.keys() == near.tool_calls.keys()
    for call_id, call in near.tool_calls.items():
        title, kind, status = calls[call_id]
        if isinstance(call.title, str) and call.title:
            assert title == call.title
        assert kind == (call.kind if call.kind in ("read", "other") else "other")
        assert status == projected(call.status)
        assert "".join(plain(call.content or ())) in "".join(
            plain(far.tool_calls[call_id].content or ())
        )
    entries = [entry for plan in near.plans.values() for entry in getattr(plan.plan, "entries", ())]
    seen = [(entry.content, entry.status) for plan in far.plans.values() for entry in plan.entries]
    assert seen == [(entry.content, projected_entry(entry.status)) for entry in entries]


def texts(messages: list[Any]) -> dict[tuple[str, str], str]:
    """Return the text of each non-empty message, by role and id."""
    return {(m.role, m.message_id): m.text for m in messages if m.text}


def shown(call: Any) -> tuple[str, str, str]:
    return call.title, call.kind, call.status


def projected(status: Any) -> str:
    if status in STATUSES:
        return str(status)
    return "failed" if status == "cancelled" else "in_progress"


def projected_entry(status: str) -> str:
    if status in ("pending", "in_progress", "completed"):
        return status
    return "completed" if status == "cancelled" else "in_progress"


def plain(content: Any) -> Iterator[str]:
    """Yield the text of each text block in a tool call's content."""
    for item in content:
        block = getattr(item, "content", None)
        if isinstance(block, v1.TextContent | v2.TextContent):
            yield block.text
