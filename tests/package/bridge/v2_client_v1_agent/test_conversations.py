"""Tests with random conversations between a protocol 2 client and a protocol 1 agent.

Both sides must build the same state from the updates, regardless of the order of events.
"""

from __future__ import annotations

import copy
import os
from typing import Any

from acp_bindings import v1, v2
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.package.bridge.wire import Json, Wire

MODES: Json = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}
OPTIONS = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
WORDS = st.sampled_from(["a", "b ", "ü", "\n"])
IDS = st.sampled_from(["t1", "t2"])
TEXT = st.builds(lambda words: {"type": "text", "text": words}, WORDS)


def objects(required: dict[str, Any], **optional: Any) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries(required, optional=optional)


def of(tag: str, required: dict[str, Any], **optional: Any) -> st.SearchStrategy[Json]:
    return objects({"sessionUpdate": st.just(tag), **required}, **optional)


CONTENT = st.lists(st.builds(lambda block: {"type": "content", "content": block}, TEXT), max_size=2)
CALL = {
    "kind": st.sampled_from(["read", "edit"]),
    "status": st.sampled_from(["pending", "in_progress", "completed", "failed"]),
    "content": CONTENT,
    "rawInput": st.sampled_from([1, "x", {"a": 1}]),
    "locations": st.lists(st.just({"path": "/a", "line": 1}), max_size=1),
}
NULLABLE = {name: st.none() | values for name, values in CALL.items()}
ENTRY = objects(
    {
        "content": WORDS,
        "priority": st.sampled_from(["high", "low"]),
        "status": st.sampled_from(["pending", "completed"]),
    }
)
OPTION = objects(
    {
        "id": st.just("fast"),
        "name": WORDS,
        "type": st.just("boolean"),
        "currentValue": st.booleans(),
    }
)
COST = objects({"amount": st.integers(0, 9), "currency": st.just("EUR")})
COMMAND = objects({"name": WORDS, "description": WORDS}, input=st.just({"hint": "h"}))
CALL_UPDATE = st.one_of(
    of("tool_call", {"toolCallId": IDS, "title": WORDS}, **CALL),
    of("tool_call_update", {"toolCallId": IDS}, title=st.none() | WORDS, **NULLABLE),
)
UPDATE = st.one_of(
    of("plan", {"entries": st.lists(ENTRY, max_size=2)}),
    of("usage_update", {"used": st.integers(0, 9), "size": st.just(9)}, cost=COST),
    of("session_info_update", {}, title=st.none() | WORDS),
    of("available_commands_update", {"availableCommands": st.lists(COMMAND, max_size=2)}),
    of("current_mode_update", {"currentModeId": st.sampled_from(["ask", "code"])}),
    of("config_option_update", {"configOptions": st.lists(OPTION, max_size=1)}),
    of("notice", {"severity": st.just("info"), "title": st.just("N")}),
    of("compaction_update", {"compactionId": st.just("c"), "status": st.just("in_progress")}),
    of("compaction_summary_chunk", {"compactionId": st.just("c"), "content": TEXT}),
)
OUTCOME = st.sampled_from(
    [{"outcome": "selected", "optionId": "y"}, {"outcome": "cancelled"}, {"outcome": "_later"}]
)
STEP = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(["agent_message", "agent_thought"]), WORDS),
    st.tuples(st.just("say"), st.sampled_from(["agent_message", "agent_thought"]), WORDS),
    st.tuples(st.just("update"), UPDATE),
    st.tuples(st.just("update"), CALL_UPDATE),
    st.tuples(st.just("prompt"), st.lists(TEXT, min_size=1, max_size=2)),
    st.tuples(st.just("stop"), st.sampled_from(["end_turn", "refusal", "cancelled"])),
    st.tuples(st.just("fail"), st.sampled_from([-32603, -32800, -32000])),
    st.tuples(st.just("echo")),
    st.tuples(st.just("ask"), IDS, st.none() | WORDS),
    st.tuples(st.just("answer"), OUTCOME),
    st.tuples(st.just("refuse")),
    st.tuples(st.just("cancel")),
    st.tuples(st.just("cancel_request")),
    st.tuples(st.just("set_mode"), st.sampled_from(["ask", "code"])),
    st.tuples(st.just("resume"), st.booleans()),
)
LATE = st.one_of(
    st.tuples(st.just("say"), st.just("agent_message"), WORDS),
    st.tuples(st.just("prompt"), st.lists(TEXT, min_size=1, max_size=2)),
    st.tuples(st.just("stop"), st.just("cancelled")),
    st.tuples(st.just("fail"), st.just(-32603)),
    st.tuples(st.just("ask"), IDS, WORDS),
    st.tuples(st.just("answer"), OUTCOME),
)
LAST = st.one_of(
    st.just(("nothing",)),
    st.just(("close",)),
    st.tuples(st.just("end"), st.sampled_from(["agent", "client"])),
)


class Conversation:
    """A conversation, and the session state that each side has built."""

    def __init__(self, *, is_named: bool, capabilities: Json) -> None:
        """Open a session.

        Args:
            is_named: whether the agent's messages have ids.
            capabilities: the agent's capabilities.
        """
        self.wire = Wire()
        self.older: Any = v1.SessionState()
        self.newer: Any = v2.SessionState()
        self._is_named = is_named
        self._turns: list[Json] = []  # the prompt that the agent is working on, if any
        self._is_cancelled = False
        self._questions: list[Json] = []
        self._waiting: list[Json] = []  # the permission requests of this turn
        self._asked: list[int] = []
        self._prompts: list[int] = []
        self._idles = 0
        self._sent = 0
        info = {"name": "client", "version": "1"}
        self._request("initialize", protocolVersion=2, info=info)
        answer = {"protocolVersion": 1, "agentCapabilities": capabilities}
        self.wire.agent.answer(self.wire.agent.take(), answer)
        self._open("session/new", {"sessionId": "s", "modes": MODES}, cwd="/w")
        self.read()

    def take(self, step: tuple[Any, ...]) -> None:
        """Perform a step if it is currently possible."""
        name, *arguments = step
        getattr(self, f"do_{name}")(*arguments)
        self.read()

    def _request(self, method: str, **params: Any) -> int:
        self._sent += 1
        return self.wire.client.request(method, **params)

    def _open(self, method: str, answer: Json, **params: Any) -> None:
        id_ = self._request(method, **params)
        openers = ("session/new", "session/load", "session/resume")
        for asked in [m for m in self.wire.agent.received if m["method"] in openers]:
            if asked["method"] == "session/load":
                self._tell_again()
            self.wire.agent.answer(self.wire.agent.take(asked["method"]), answer)
            result = v1.decode(
                v1.METHODS["agent"]["session/new"].result, {"sessionId": "s", **answer}
            )
            self.older.apply_response("session/new", None, result)
        self.read()
        result = v2.decode(v2.METHODS["agent"][method].result, self.wire.client.answers[id_])
        self.newer.apply_response(method, None, result)

    # --- actions of the agent --------------------------------------------------------------------

    def _tell_again(self) -> None:
        for update in self.older.to_updates():
            self.wire.agent.update(**v1.encode(update, v1.SessionUpdate))

    def do_say(self, role: str, words: str) -> None:
        named = {"messageId": "m"} if self._is_named else {}
        content = {"type": "text", "text": words}
        self.do_update({"sessionUpdate": f"{role}_chunk", "content": content, **named})

    def do_update(self, update: Json) -> None:
        self.wire.agent.update(**update)
        self.older.apply(v1.decode(v1.SessionUpdate, update))

    def do_echo(self) -> None:
        for turn in self._turns[:1]:
            for block in turn["params"]["prompt"]:
                self.wire.agent.update(sessionUpdate="user_message_chunk", content=block)
            turn["params"]["prompt"] = []

    def do_stop(self, reason: str) -> None:
        for turn in self._turns[:1]:
            self._turns.remove(turn)
            self.wire.agent.answer(turn, {"stopReason": reason})

    def do_fail(self, code: int) -> None:
        for turn in self._turns[:1]:
            self._turns.remove(turn)
            self.wire.agent.refuse(turn, code)

    def do_ask(self, call_id: str, title: str | None) -> None:
        call = {"toolCallId": call_id, "title": title}
        params = {"sessionId": "s", "toolCall": call, "options": OPTIONS}
        self._asked.append(self.wire.agent.request("session/request_permission", **params))
        self.older.apply(v1.decode(v1.ToolCallUpdate, call))

    # --- actions of the client -------------------------------------------------------------------

    def do_prompt(self, blocks: list[Json]) -> None:
        self._prompts.append(self._request("session/prompt", sessionId="s", prompt=blocks))

    def do_answer(self, outcome: Json) -> None:
        for question in self._questions[:1]:
            self._questions.remove(question)
            self.wire.client.answer(question, {"outcome": outcome})

    def do_refuse(self) -> None:
        for question in self._questions[:1]:
            self._questions.remove(question)
            self.wire.client.refuse(question)

    def do_cancel(self) -> None:
        self.wire.client.notify("session/cancel", sessionId="s")
        self._is_cancelled = True

    def do_cancel_request(self) -> None:
        for id_ in self._prompts[-1:]:
            self.wire.client.notify("$/cancel_request", requestId=id_)

    def do_set_mode(self, mode: str) -> None:
        params = {"configId": "mode", "type": "id", "value": mode}
        id_ = self._request("session/set_config_option", sessionId="s", **params)
        self.wire.agent.answer(self.wire.agent.take("session/set_mode"), {})
        self.older.apply(v1.CurrentModeUpdate(current_mode_id=mode))
        method = "session/set_config_option"
        result = v2.decode(v2.METHODS["agent"][method].result, self.wire.client.answers[id_])
        self.newer.apply_response(method, None, result)

    def do_resume(self, is_replayed: bool) -> None:
        if is_replayed:
            self.newer = v2.SessionState()
        start = {"replayFrom": {"type": "start"}} if is_replayed else {}
        self._open("session/resume", {"modes": self._modes()}, sessionId="s", cwd="/w", **start)

    def _modes(self) -> Json:
        return {**MODES, "currentModeId": self.older.current_mode.current_mode_id}

    def do_close(self) -> None:
        self._request("session/close", sessionId="s")

    def do_end(self, side: str) -> None:
        end = getattr(self.wire.bridge, side)
        self.wire.bridge.receive_eof(end)
        self.wire.collect()

    def do_nothing(self) -> None:
        pass

    # --- arriving messages -----------------------------------------------------------------------

    def read(self) -> None:
        """Process the messages that have arrived at either side."""
        for message in list(self.wire.client.received):
            self.wire.client.received.remove(message)
            if message["method"] == "session/update":
                update = v2.decode(v2.SessionUpdate, message["params"]["update"])
                self.newer.apply(update)
                self._idles += "stopReason" in message["params"]["update"]
            elif message["method"] == "session/request_permission":
                self._questions.append(message)
                self._waiting += [message] if self._turns else []
                call = message["params"]["subject"]["toolCall"]
                self.newer.apply(v2.decode(v2.ToolCallUpdate, call))
        for message in [m for m in self.wire.agent.received if m["method"] == "session/prompt"]:
            self.wire.agent.received.remove(message)
            assert self._turns == [], "one prompt at a time"
            self._turns.append(message)
            self._is_cancelled = False
            self._waiting.clear()
            for block in message["params"]["prompt"]:
                chunk = {"sessionUpdate": "user_message_chunk", "content": block}
                self.older.apply(v1.decode(v1.SessionUpdate, chunk))

    # --- invariants ------------------------------------------------------------------------------

    def check_states(self) -> None:
        """Check that the states of both sides agree, as far as both versions can express them."""
        older, newer = self.older, self.newer
        assert _texts(newer) == _texts(older)
        assert _calls(newer, v2) == _calls(older, v1)
        assert [plan.plan.entries for plan in newer.plans.values()] == [
            [_as_newer(entry) for entry in plan.entries] for plan in older.plans.values()
        ]
        assert _mode(newer) == older.current_mode.current_mode_id
        for name in ("used", "size"):
            assert getattr(newer.usage, name, None) == getattr(older.usage, name, None)
        assert _cost(newer) == _cost(older)
        assert (getattr(newer.info, "title", None) or None) == (
            getattr(older.info, "title", None) or None
        )
        assert _names(newer) == _names(older)
        assert _options(newer) == _options(older)
        assert _notices(newer) == _notices(older)
        assert [v2.encode(c) for c in newer.compactions.values()] == [
            v1.encode(c) for c in older.compactions.values()
        ]
        if newer.state is not None and not self._is_cancelled:
            assert v2.encode(newer.state, v2.SessionUpdate)["state"] == self._activity()

    def _activity(self) -> str:
        if not self._turns:
            return "idle"
        is_asked = any(question in self._questions for question in self._waiting)
        return "requires_action" if is_asked else "running"

    def check_silence(self, steps: list[tuple[Any, ...]]) -> None:
        """Take steps after a session is closed, and check that the client's state is unchanged."""
        before = copy.deepcopy(self.newer)
        for step in steps:
            self.take(step)
        assert self.newer == before

    def check_end(self) -> None:
        """Check that no request is pending after the agent's exit."""
        self.wire.bridge.receive_eof(self.wire.bridge.agent)
        self.wire.collect()
        for question in self._questions:
            self.wire.client.answer(question, {"outcome": {"outcome": "cancelled"}})
        self.read()
        answers = self.wire.client.answers
        assert len(answers) == self._sent
        accepted = [id_ for id_ in self._prompts if "messageId" in answers[id_]]
        assert self._idles == len(accepted)


def _texts(state: Any) -> list[tuple[str, str]]:
    """Return each message's role and text, joining consecutive messages with the same role."""
    texts: list[tuple[str, str]] = []
    for message in state.messages:
        if texts and texts[-1][0] == message.role:
            texts[-1] = (message.role, texts[-1][1] + message.text)
        else:
            texts.append((message.role, message.text))
    return texts


def _calls(state: Any, surface: Any) -> dict[str, Json]:
    defaults = {"kind": "other", "status": "pending"}
    encoded = {id_: surface.encode(call) for id_, call in state.tool_calls.items()}
    return {
        id_: defaults | {name: value for name, value in call.items() if value not in (None, [])}
        for id_, call in encoded.items()
    }


def _as_newer(entry: Any) -> Any:
    return v2.decode(v2.PlanEntry, v1.encode(entry))


def _mode(newer: Any) -> str | None:
    options = newer.config_options.config_options
    return next(option.current_value for option in options if option.config_id == "mode")


def _options(state: Any) -> list[tuple[str, bool]]:
    options = state.config_options.config_options if state.config_options else []
    return [(o.name, o.current_value) for o in options if isinstance(o.current_value, bool)]


def _cost(state: Any) -> Any:
    cost = getattr(state.usage, "cost", None)
    return cost.amount if cost else None


def _names(state: Any) -> list[str]:
    commands = state.available_commands
    return [command.name for command in commands.available_commands] if commands else []


def _notices(state: Any) -> int:
    return sum(isinstance(entry, (v1.Notice, v2.Notice)) for entry in state.timeline)


@settings(max_examples=int(os.environ.get("BRIDGE_N", "100")), deadline=None)
@given(
    steps=st.lists(STEP, min_size=5, max_size=60),
    last=LAST,
    late=st.lists(LATE, max_size=10),
    is_named=st.booleans(),
    capabilities=objects(
        {},
        loadSession=st.booleans(),
        sessionCapabilities=st.sampled_from([{}, {"resume": {}}]),
    ),
)
def test_both_sides_know_the_same(
    steps: list[tuple[Any, ...]],
    last: tuple[Any, ...],
    late: list[tuple[Any, ...]],
    is_named: bool,
    capabilities: Json,
) -> None:
    conversation = Conversation(is_named=is_named, capabilities=capabilities)
    for step in steps:
        conversation.take(step)
        conversation.check_states()
    conversation.take(last)
    if last == ("close",):
        conversation.check_silence(late)
    conversation.check_end()
