"""The updates of a v1 agent, as a v2 client gets them.

Rules:

1. v1 chunks need not name their message, v2 chunks must (`name`).
2. A v1 tool call begins with an update of a separate kind, which replaces an earlier one
   completely. In version 1, null changes nothing; in version 2, it clears a member (`tool_call`).
3. Version 1 replaces `_meta` completely, version 2 by key (`_replacing_meta`).
4. The one plan of a v1 session gets the id `_PLAN_ID`. A mode is an option (`_mode`).
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
# The id of the one plan that a session of the older version has.
_PLAN_ID = "plan"
_NULL = "null removes the key in the newer version"
_FOREIGN = "the other protocol version has such a member, with a meaning"
# The members of a tool call that a second `tool_call` with its id clears by leaving them out.
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
# What tells of the session as it is now, also while the agent tells its history again.
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
    """Return an update of a terminal: its members with the id, and all output unless empty."""
    update = {"sessionUpdate": "terminal_update", **known}
    return {**update, "output": {"data": as_base64(output)}} if output else update


def as_base64(text: str) -> str:
    """Return text as the newer version has output."""
    return base64.b64encode(text.encode("utf-8", "replace")).decode()


class Updates:
    """Applies updates to the state of their session, and returns them in the newer version."""

    def __init__(self, exchange: Exchange, older: Any) -> None:
        self._exchange = exchange
        self._older = older
        self._union = older.TYPES["SessionUpdate"]

    def name(self, session: Session, update: Any, data: JsonValue) -> None:
        """Give a chunk of a message, in both forms, the id that the client knows the message by."""
        role = _ROLES.get(data["sessionUpdate"])
        if role is not None:
            message_id = session.name_message(role, data.get("messageId"))
            update.message_id = data["messageId"] = message_id

    def empty(self, session: Session, data: JsonValue) -> JsonValue | None:
        """Return the update that empties a message, before the first chunk of it in a replay.

        A client that has the message gets its content again, and must not add it to the old one.
        None if `data`, with the id that the client knows, isn't the first chunk of a message.
        """
        role = _ROLES.get(data["sessionUpdate"])
        if role is None or session.state.known_message(role, data["messageId"]) is not None:
            return None
        tag = data["sessionUpdate"].removesuffix("_chunk")
        return {"sessionUpdate": tag, "messageId": data["messageId"], "content": []}

    def take(self, session: Session, update: Any, data: JsonValue) -> JsonValue | None:
        """Apply an update, in both forms and with its id, to the state; return it for the client.

        None if the client is not shown it.
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
        session.state = self.new_state()  # nothing is cleared that was not told yet
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
        """Return the state of a session without updates."""
        return self._older.SessionState()

    def insert(self, session: Session, message_id: str, prompt: list[JsonValue]) -> None:
        """Add a prompt to the state, as the agent gets it."""
        tag = {"sessionUpdate": "user_message_chunk", "messageId": message_id}
        chunks = [self._older.decode(self._union, {**tag, "content": block}) for block in prompt]
        session.state.insert_message(chunks)

    def set_options(
        self, session: Session, options: list[JsonValue], place: Path, method: str = _METHOD
    ) -> None:
        """Replace the config options, a member at a path of the message of a method."""
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
        """Return params or a result without the named members, which only version 2 defines."""
        for name in [name for name in names if name in value]:
            agent = self._exchange.agent
            self._exchange.lose(agent, method, ((), name), _FOREIGN, session.session_id)
        return without(value, *names)

    def tool_call(
        self, session: Session, call: JsonValue, place: Path, method: str = _METHOD
    ) -> JsonValue:
        """Return the v2 update of a tool call, at a path of the message of a method, or `LOST`."""
        given = {name: value for name, value in call.items() if value is not None}
        # The rule loses all terminals, but those that the client was told of can be shown.
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
                # It replaces the previous one completely.
                converted |= {
                    name: None for name in _CLEARABLE if name in before and call.get(name) is None
                }
        return converted

    def _item(self, session: Session, item: JsonValue, place: Path, method: str) -> JsonValue:
        """Return an item of a tool call's content, or `LOST`."""
        if item.get("type") == "terminal" and item["terminalId"] in session.terminals:
            return item
        return self._part(session, "ToolCallContent", item, place, method)

    def _convert(self, session: Session, data: JsonValue) -> JsonValue:
        """Return an update in the newer version, or `LOST`."""
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
                    converted["cost"] = None  # an absent one would stay as it was
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
        if session.replay is None:  # otherwise, the response has the modes
            reason = "the agent has offered no such mode"
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
        """Return a converted update with a `_meta` that replaces the one in `before`.

        Version 2 merges `_meta` by top-level key, where null removes a key.
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
        if not given:  # an empty object has no effect in the newer version
            return {**update, "_meta": None} if known else update
        cleared = {name: None for name in known if name not in given}
        return {**update, "_meta": {**cleared, **given}}
