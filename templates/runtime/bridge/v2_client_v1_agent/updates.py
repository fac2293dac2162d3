"""Conversion of a v1 agent's updates for a v2 client.

Rules:

1. The message id is optional in v1 chunks and required in v2 chunks (`name`).
2. In version 1, a tool call begins with a `tool_call` update, which completely replaces any earlier
   call with the same id. Null has no effect in version 1 but clears a field in version 2
   (`tool_call`).
3. `_meta` is replaced completely in version 1 and merged by key in version 2 (`_replacing_meta`).
4. The single plan of a v1 session gets the id `_PLAN_ID`. A mode is converted to an option
   (`_mode`).
"""

from __future__ import annotations

import base64
from collections.abc import Collection
from typing import Any, Final

from ...session.message import Role
from ...values.errors import Path
from ..exchange import Exchange
from ..rules import LOST, JsonValue, without
from .session import Session

_METHOD = "session/update"
_UPDATE: Path = ((), "update")
_ROLES: Final[dict[str, Role]] = {
    "user_message_chunk": "user",
    "agent_message_chunk": "agent",
    "agent_thought_chunk": "thought",
}
# The id of the single plan of a protocol 1 session.
_PLAN_ID = "plan"
_NULL = "in protocol 2, null removes the key"
_FOREIGN = "the other protocol version defines a field with this name"
# The fields of a tool call that are cleared if another `tool_call` with the same id omits them.
_CLEARABLE = (
    "name",
    "kind",
    "status",
    "content",
    "locations",
    "rawInput",
    "rawOutput",
    "_meta",
)
# The updates that report the session's current state, even during a replay of its history.
_CURRENT = frozenset(
    {
        "available_commands_update",
        "config_option_update",
        "current_mode_update",
        "session_info_update",
        "usage_update",
    }
)


def terminal_update(known: JsonValue, output: str = "") -> JsonValue:
    """Return a terminal update with the known fields and the complete output, if any."""
    update = {"sessionUpdate": "terminal_update", **known}
    return {**update, "output": {"data": as_base64(output)}} if output else update


def as_base64(text: str) -> str:
    """Encode terminal output as base64, as protocol 2 requires."""
    return base64.b64encode(text.encode("utf-8", "replace")).decode()


class Updates:
    """A converter that translates updates to protocol 2 and applies them to the session's state."""

    def __init__(self, exchange: Exchange, older: Any) -> None:
        self._exchange = exchange
        self._older = older
        self._union = older.TYPES["SessionUpdate"]

    def name(self, session: Session, update: Any, data: JsonValue) -> None:
        """Set the message id of a chunk to the id that the client knows.

        The id is set both in the object (`update`) and in the JSON (`data`).
        """
        role = _ROLES.get(data["sessionUpdate"])
        if role is not None:
            message_id = session.name_message(role, data.get("messageId"))
            update.message_id = data["messageId"] = message_id

    def empty(self, session: Session, data: JsonValue) -> JsonValue | None:
        """Return an update that clears a message before its first chunk is replayed.

        If the client already has the message, it must not append the replayed content to the old
        content. `data` is an update with the message id that the client knows. Returns None if the
        update is not the first chunk of a message.
        """
        role = _ROLES.get(data["sessionUpdate"])
        if role is None or session.state.known_message(role, data["messageId"]) is not None:
            return None
        tag = data["sessionUpdate"].removesuffix("_chunk")
        return {"sessionUpdate": tag, "messageId": data["messageId"], "content": []}

    def take(self, session: Session, update: Any, data: JsonValue) -> JsonValue | None:
        """Apply an update to the state and return it as a version 2 update.

        The update is passed both as an object (`update`) and as JSON (`data`), with its message id
        set. Returns None if the update is not sent to the client.
        """
        tag = data["sessionUpdate"]
        if session.turn is not None:
            session.turn.has_begun = True
        converted = self._convert(session, data)
        if tag not in ("current_mode_update", "config_option_update"):
            session.state.apply(update)
        is_history = session.replay == "kept_back" and tag not in _CURRENT
        return None if converted is LOST or is_history else converted

    def retell(self, session: Session, *, is_history_told: bool) -> list[JsonValue]:
        """Return the updates that recreate a session: its history, or only its current state."""
        before: Any = session.state
        told: list[JsonValue] = []
        # A converted update clears fields that the state contains but the update omits. Therefore,
        # the conversion starts with an empty state, which contains only the fields sent again so
        # far.
        session.state = self.new_state()
        if is_history_told:
            terminals = session.terminals.values()
            told += [terminal_update(each.told(), each.output) for each in terminals]
        for update in before.to_updates():
            data = self._older.encode(update, self._union)
            if is_history_told or data["sessionUpdate"] in _CURRENT:
                emptied = self.empty(session, data)
                converted = self._convert(session, data)
                session.state.apply(update)
                told += [each for each in (emptied, converted) if each not in (None, LOST)]
        session.state = before
        return told

    def new_state(self) -> Any:
        """Return the initial state of a session."""
        return self._older.SessionState()

    def insert(self, session: Session, message_id: str, prompt: list[JsonValue]) -> None:
        """Add a prompt to the state, in the form sent to the agent."""
        tag = {"sessionUpdate": "user_message_chunk", "messageId": message_id}
        chunks = [self._older.decode(self._union, {**tag, "content": block}) for block in prompt]
        session.state.insert_message(chunks)

    def set_options(
        self, session: Session, options: list[JsonValue], place: Path, method: str = _METHOD
    ) -> None:
        """Replace the config options.

        Args:
            session: the session.
            options: the options, in their version 1 form.
            place: the path, within the message, of the object that contains the options.
            method: the method of that message.
        """
        session.options.own = self._exchange.convert_items(
            self._exchange.agent,
            "SessionConfigOption",
            options,
            method,
            session.session_id,
            (place, "configOptions"),
        )

    def without_foreign(
        self, session: Session, value: JsonValue, names: Collection[str], method: str
    ) -> dict[str, JsonValue]:
        """Remove and report the fields of params or a result that only version 2 defines.

        `names` lists these fields. Version 1 would treat them as unknown fields.
        """
        for name in [name for name in names if name in value]:
            agent = self._exchange.agent
            self._exchange.lose(agent, method, ((), name), _FOREIGN, session.session_id)
        return without(value, *names)

    def tool_call(
        self, session: Session, call: JsonValue, place: Path, method: str = _METHOD
    ) -> JsonValue:
        """Convert the tool call at `place` in a `method` message to a v2 update.

        Returns `LOST` if the tool call cannot be converted.
        """
        given = {name: value for name, value in call.items() if value is not None}
        # The rule drops all terminals, but the client can show the terminals that it knows about.
        content = given.pop("content", None) if session.terminals else None
        converted = self._part(session, "ToolCallUpdate", given, place, method)
        if converted is not LOST and content is not None:
            items = [
                self._item(session, item, ((place, "content"), number), method)
                for number, item in enumerate(content)
            ]
            converted = {**converted, "content": [item for item in items if item is not LOST]}
        known = session.state.tool_calls.get(call["toolCallId"])
        if converted is not LOST:
            before: dict[str, JsonValue] = {} if known is None else self._older.encode(known)
            converted = self._replacing_meta(session, converted, before, place, method)
            if call.get("sessionUpdate") == "tool_call":
                # A `tool_call` update replaces the previous call completely.
                converted |= {
                    name: None for name in _CLEARABLE if name in before and call.get(name) is None
                }
        return converted

    def _item(self, session: Session, item: JsonValue, place: Path, method: str) -> JsonValue:
        """Convert an item of a tool call's content, or return `LOST` if that is not possible."""
        if item.get("type") == "terminal" and item["terminalId"] in session.terminals:
            return item
        return self._part(session, "ToolCallContent", item, place, method)

    def _convert(self, session: Session, data: JsonValue) -> JsonValue:
        """Convert an update to protocol 2, or return `LOST` if that is not possible."""
        match data["sessionUpdate"]:
            case "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk":
                place = (_UPDATE, "content")
                content = self._part(session, "ContentBlock", data["content"], place)
                return LOST if content is LOST else {**data, "content": content}
            case "tool_call" | "tool_call_update":
                call = self.tool_call(session, data, _UPDATE)
                return LOST if call is LOST else {**call, "sessionUpdate": "tool_call_update"}
            case "plan":
                return self._plan(session, data)
            case "current_mode_update":
                return self._mode(session, data)
            case "config_option_update":
                self.set_options(session, data["configOptions"], _UPDATE)
                return {**data, "configOptions": session.options.shown()}
            case "usage_update":
                converted = self._part(session, "SessionUpdate", data, _UPDATE)
                is_cleared = "cost" not in data and getattr(session.state.usage, "cost", None)
                if converted is not LOST and is_cleared:
                    converted["cost"] = None  # version 2 interprets an omitted field as unchanged
                return converted
            case "session_info_update" | "compaction_update":
                converted = self._part(session, "SessionUpdate", data, _UPDATE)
                known = (
                    session.state.info
                    if data["sessionUpdate"] == "session_info_update"
                    else session.state.compactions.get(data["compactionId"])
                )
                if converted is LOST:
                    return converted
                before: dict[str, JsonValue] = {} if known is None else self._older.encode(known)
                return self._replacing_meta(session, converted, before, _UPDATE, _METHOD)
            case _:
                return self._part(session, "SessionUpdate", data, _UPDATE)

    def _plan(self, session: Session, data: JsonValue) -> JsonValue:
        agent, session_id, path = self._exchange.agent, session.session_id, (_UPDATE, "entries")
        entries = self._exchange.convert_items(
            agent, "PlanEntry", data["entries"], _METHOD, session_id, path
        )
        plan = {"type": "items", "planId": _PLAN_ID, "entries": entries}
        return {**without(data, "entries"), "sessionUpdate": "plan_update", "plan": plan}

    def _mode(self, session: Session, data: JsonValue) -> JsonValue:
        if session.options.choose_mode(data["currentModeId"]):
            options = session.options.shown()
            rest = without(data, "currentModeId")
            return {**rest, "sessionUpdate": "config_option_update", "configOptions": options}
        if session.replay is None:  # otherwise, the response contains the modes
            reason = "the agent did not offer this mode"
            place = (_UPDATE, "currentModeId")
            agent, session_id = self._exchange.agent, session.session_id
            self._exchange.lose(agent, _METHOD, place, reason, session_id)
            known = ("sessionUpdate", "currentModeId")
            self._exchange.lose_others(agent, _METHOD, data, _UPDATE, known, session_id)
        return LOST

    def _part(
        self, session: Session, rule: str, value: JsonValue, place: Path, method: str = _METHOD
    ) -> JsonValue:
        return self._exchange.convert(
            self._exchange.agent, rule, value, method, session.session_id, place
        )

    def _replacing_meta(
        self, session: Session, update: JsonValue, before: JsonValue, place: Path, method: str
    ) -> JsonValue:
        """Return a converted update whose `_meta` completely replaces the `_meta` of `before`.

        In version 2, `_meta` is merged by top-level key, and null removes a key.
        """
        given: dict[str, JsonValue] | None = update.get("_meta")
        known: dict[str, JsonValue] = before.get("_meta") or {}
        if given is None:
            return update
        for name, value in given.items():
            if value is None:
                path = ((place, "_meta"), name)
                agent = self._exchange.agent
                self._exchange.lose(agent, method, path, _NULL, session.session_id)
        if not given:  # an empty object has no effect in version 2
            return {**update, "_meta": None} if known else update
        cleared = {name: None for name in known if name not in given}
        return {**update, "_meta": {**cleared, **given}}
