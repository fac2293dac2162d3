"""`V1View`: the updates of a v2 agent as shown to a v1 client.

Rules:

1. Every update is applied to the session's state, even if none of it is shown.
2. Updates are shown in the order in which they arrive. Growing content can be held back, but all of
   it is shown before any other update (`take`, see `tool_calls`).
3. The only possible change to a v1 message is to append content. A message that changes in any
   other way is sent again with a new id (`_take_message`).
4. Every part that is not shown is reported as a loss. Terminals that no tool call shows are
   reported when the agent becomes idle or when their number exceeds `_UNSEEN` (`tell_unseen`).
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Collection, Mapping
from typing import Any, ClassVar

from ...session.message import Role, joined
from ...session.reducers import from_base64
from ...values.errors import Path
from ...values.surrogates import remainder
from ..exchange import Exchange
from ..rules import LOST, JsonValue, filled, without
from .tool_calls import ToolCalls

# The path of the update in the params of `session/update`.
UPDATE: Path = ((), "update")
# The types of updates that extend content. Such updates can be held back.
GROWING = frozenset({"tool_call_content_chunk", "terminal_output_chunk", "terminal_update"})
_METHOD = "session/update"
# The type of the protocol 1 updates for message chunks, by role.
_CHUNKS: dict[Role, str] = {
    "user": "user_message_chunk",
    "agent": "agent_message_chunk",
    "thought": "agent_thought_chunk",
}
_UNSEEN = 1000
_NO_PLACE = "protocol 1 has no corresponding field in the shown content"
_NOT_BASE64 = "invalid data: the output is not base64; omitting the update"
_NOT_TEXT = "the output is not UTF-8; showing replacement characters"
_REWRITTEN = "protocol 1 cannot edit messages; sending the text as a new message"


class V1View:
    """A session as shown to a protocol 1 client.

    Attributes:
        state: the state of the session.
        calls: the session's tool calls.
        options: the config options, in their protocol 2 form.
        mode: the id of the mode that the client considers current, or None.
        questions: for each pending permission request, a callback that restores its tool call. The
            callback accepts the final status to send for a tool call that the bridge created.
    """

    # The names of the methods that handle updates, by update type.
    _takers: ClassVar[Mapping[str, str]] = {
        "user_message": "_take_message",
        "user_message_chunk": "_take_chunk",
        "agent_message": "_take_message",
        "agent_message_chunk": "_take_chunk",
        "agent_thought": "_take_message",
        "agent_thought_chunk": "_take_chunk",
        "state_update": "_take_state",
        "tool_call_update": "_take_call",
        "tool_call_content_chunk": "_take_call_chunk",
        "terminal_update": "_take_terminal",
        "terminal_output_chunk": "_take_output",
        "plan_update": "_take_plan",
        "config_option_update": "_take_options",
        "available_commands_update": "_take_equal",
        "session_info_update": "_take_equal",
        "usage_update": "_take_equal",
        "notice": "_take_wanted",
        "compaction_update": "_take_wanted",
        "compaction_summary_chunk": "_take_wanted",
    }

    def __init__(
        self,
        session_id: str,
        newer: Any,
        exchange: Exchange,
        wants: Callable[[str], bool],
        own: Collection[str] = (),
    ) -> None:
        self.state: Any = newer.SessionState()
        self.calls = ToolCalls(
            self.state, newer.encode, self._convert, self._lose_part, self._show, own
        )
        self.options: list[JsonValue] = []
        self.mode: JsonValue = None
        self.questions: list[Callable[[str], None]] = []
        self._session_id = session_id
        self._encode: Callable[..., JsonValue] = newer.encode
        self._block = newer.TYPES["ContentBlock"]
        self._exchange = exchange
        self._wants = wants
        self._own = own
        self._around: dict[str, JsonValue] = {}  # other fields of the current update's message
        self._is_shown = False  # whether an update was sent to the client for that message
        self._plans: dict[str, list[JsonValue]] = {}  # the entries shown for each plan
        self._decoders: dict[str, codecs.IncrementalDecoder] = {}  # output decoders, by terminal
        # The version numbers of messages that were sent again.
        self._versions: dict[tuple[Role, str], int] = {}
        self._unseen: dict[str, None] = {}  # terminals that no tool call shows

    def take(self, update: Any, params: JsonValue) -> None:
        """Show an update. `params` contains the params of the notification as JSON."""
        data = params["update"]
        tag = data["sessionUpdate"]
        if tag not in GROWING:
            self.calls.flush(everything=True)
        self._around = without(params, "update")
        self._is_shown = False
        take = self._takers.get(tag)
        if take is not None:
            getattr(self, take)(update, data)
        else:
            self.state.apply(update)
            self._lose_part((), f"protocol 1 does not support updates of type {tag!r}")
        if not self._is_shown:
            self._lose_around(params)
        self._around = {}

    def hide(self, update: Any, params: JsonValue) -> None:
        """Apply a user message or chunk that is not shown because it repeats a prompt."""
        self.state.apply(update)
        self._lose_around(params)
        self._lose_others(params["update"], UPDATE, "sessionUpdate", "messageId", "content")

    def show_hidden(self, params: JsonValue) -> None:
        """Show a chunk that was hidden when it arrived."""
        self._around = without(params, "update")
        self._show_chunk(params["update"])
        self._around = {}

    def _convert(self, rule: str, value: JsonValue, path: Path, method: str = _METHOD) -> JsonValue:
        exchange = self._exchange
        return exchange.convert(exchange.agent, rule, value, method, self._session_id, path)

    def _lose_part(self, path: Path, reason: str, method: str = _METHOD) -> None:
        exchange = self._exchange
        exchange.lose(exchange.agent, method, path or UPDATE, reason, self._session_id)

    def _lose_others(self, value: JsonValue, path: Path, *known: str) -> None:
        """Report the fields of an object that are not shown because they are not in `known`."""
        for name in filled(value or {}, *known):
            self._lose_part((path, name), _NO_PLACE)

    def _lose_around(self, params: JsonValue) -> None:
        """Report the fields of a notification other than its update."""
        self._lose_others(params, (), "sessionId", "update")

    def _show(self, update: JsonValue) -> None:
        """Send an update."""
        self._is_shown = True
        params = {"sessionId": self._session_id, **self._around, "update": update}
        self._exchange.notify(self._exchange.client, _METHOD, params)

    def show_again(self, message: JsonValue) -> None:
        """Send an update that does not correspond to a message from the agent."""
        self._around = {}
        self._show(message)

    # --- messages ------------------------------------------------------------------------------

    def _take_chunk(self, update: Any, data: JsonValue) -> None:
        self.state.apply(update)
        self._show_chunk(data)

    def _show_chunk(self, data: JsonValue) -> None:
        content = self._convert("ContentBlock", data["content"], (UPDATE, "content"))
        if content is LOST:
            self._lose_others(data, UPDATE, "sessionUpdate", "messageId", "content")
        else:
            role = _ROLES[data["sessionUpdate"]]
            message_id = self._message_id(role, data["messageId"])
            self._show({**data, "content": content, "messageId": message_id})

    def _take_message(self, update: Any, data: JsonValue) -> None:
        role, message_id = _ROLES[data["sessionUpdate"]], data["messageId"]
        known = self.state.known_message(role, message_id)
        before = [] if known is None else joined(known.content)
        self.state.apply(update)
        after = joined(self.state.known_message(role, message_id).content)
        added = _added(before, after)
        if added is None:
            self._lose_part((UPDATE, "content"), _REWRITTEN)
            self._versions[role, message_id] = self._versions.get((role, message_id), 1) + 1
            added = after
        chunk = without(data, "content", "sessionUpdate")
        chunk["messageId"] = self._message_id(role, message_id)
        for number, block in enumerate(added):
            place = ((UPDATE, "content"), number)
            content = self._convert("ContentBlock", self._encode(block, self._block), place)
            if content is not LOST:
                self._show({"sessionUpdate": _CHUNKS[role], **chunk, "content": content})
        if not self._is_shown and known is None:
            self._lose_part((), "a message without content is not shown")
        elif not self._is_shown:
            self._lose_others(chunk, UPDATE, "messageId")

    def _message_id(self, role: Role, message_id: str) -> str:
        """Return the client's id for a message. The id changes when the message is sent again."""
        version = self._versions.get((role, message_id))
        return message_id if version is None else f"{message_id}~{version}"

    # --- tool calls and terminals ----------------------------------------------------------------

    def _take_call(self, update: Any, data: JsonValue) -> None:
        self.state.apply(update)
        self.calls.update(data["toolCallId"], data, UPDATE, _METHOD)

    def _take_call_chunk(self, update: Any, data: JsonValue) -> None:
        self.state.apply(update)
        self._lose_others(data, UPDATE, "sessionUpdate", "toolCallId", "content")
        self.calls.grow(data["toolCallId"], data["content"], (UPDATE, "content"), _METHOD)

    def _take_terminal(self, update: Any, data: JsonValue) -> None:
        self.state.apply(update)
        if data["terminalId"] in self._own:
            return
        output = data.get("output")
        if output is not None and from_base64(output["data"]) is None:
            self._lose_part((), _NOT_BASE64)
            return
        for name in filled(data, "sessionUpdate", "terminalId", "command", "output", "exitStatus"):
            self._lose_part(
                (UPDATE, name), "protocol 1 clients receive only the text of a terminal"
            )
        self._lose_others(output, (UPDATE, "output"), "data")
        self._lose_others(data.get("exitStatus"), (UPDATE, "exitStatus"), "exitCode", "signal")
        terminal_id = data["terminalId"]
        if "output" in data:
            self._decoders.pop(terminal_id, None)
        if output is not None:
            self._check_text(terminal_id, output["data"], ((UPDATE, "output"), "data"))
        self._grow_terminal(terminal_id, 0)

    def _take_output(self, update: Any, data: JsonValue) -> None:
        self.state.apply(update)
        if data["terminalId"] in self._own:
            return
        if from_base64(data["data"]) is None:
            self._lose_part((), _NOT_BASE64)
            return
        self._lose_others(data, UPDATE, "sessionUpdate", "terminalId", "data")
        self._check_text(data["terminalId"], data["data"], (UPDATE, "data"))
        self._grow_terminal(data["terminalId"], len(data["data"]) * 3 // 4)  # the data is base64

    def _check_text(self, terminal_id: str, output: str, path: Path) -> None:
        """Report base64-encoded output that is not valid UTF-8."""
        decoder = self._decoders.setdefault(terminal_id, _new_decoder())
        try:
            decoder.decode(from_base64(output) or b"")
        except UnicodeDecodeError:
            decoder.reset()
            self._lose_part(path, _NOT_TEXT)

    def _grow_terminal(self, terminal_id: str, size: int) -> None:
        if self.calls.grow_terminal(terminal_id, size):
            self._unseen.pop(terminal_id, None)
            return
        if terminal_id not in self._unseen:
            if len(self._unseen) == _UNSEEN:
                self.tell_unseen()
            self._unseen[terminal_id] = None

    def tell_unseen(self) -> None:
        """Report terminals that no tool call shows and output that ends in a partial character."""
        for terminal_id in self._unseen:
            if not self.calls.grow_terminal(terminal_id, 0):
                self._lose_part(
                    (), "protocol 1 clients show terminals only in the content of a tool call"
                )
        self._unseen.clear()
        for decoder in self._decoders.values():
            if decoder.getstate()[0]:  # an incomplete character
                self._lose_part((UPDATE, "data"), _NOT_TEXT)
        self._decoders.clear()

    # --- plans, options and other updates --------------------------------------------------------

    def _take_plan(self, update: Any, data: JsonValue) -> None:
        self.state.apply(update)
        plan, path = data["plan"], (UPDATE, "plan")
        if plan["type"] != "items":
            reason = f"protocol 1 does not support plans of type {plan['type']!r}"
            self._lose_part((), reason)
            return
        self._lose_others(plan, path, "type", "planId", "entries")
        self._plans[plan["planId"]] = [
            self._convert("PlanEntry", entry, ((path, "entries"), number))
            for number, entry in enumerate(plan["entries"])
        ]
        entries: list[JsonValue] = []
        for plan_id, own in self._plans.items():
            entries += [_heading(plan_id, own), *own] if len(self._plans) > 1 else own
        if len(self._plans) > 1:
            reason = "protocol 1 has a single plan; showing all plans in it, each under a heading"
            self._lose_part(path, reason)
        others = without(data, "sessionUpdate", "plan")
        self._show({"sessionUpdate": "plan", "entries": entries, **others})

    def _take_options(self, update: Any, data: JsonValue) -> None:
        self.state.apply(update)
        options = self.set_options(data["configOptions"], _METHOD, (UPDATE, "configOptions"))
        self._show({**data, "configOptions": options})
        self.show_mode()

    def set_options(self, options: list[JsonValue], method: str, path: Path) -> list[JsonValue]:
        """Replace the config options and return the options that the client supports.

        Args:
            options: the options, in their protocol 2 form.
            method: the method of the message that contains the options.
            path: the path of the options in that message.
        """
        self.options = options
        shown: list[JsonValue] = []
        for number, option in enumerate(options):
            place = (path, number)
            if option.get("type") == "boolean" and not self._wants("configOptions/boolean"):
                reason = "the client does not advertise boolean options"
                self._lose_part(place, reason, method)
                continue
            converted = self._convert("SessionConfigOption", option, place, method)
            if converted is not LOST:
                shown.append(converted)
        return shown

    def modes(self) -> JsonValue:
        """Return the session's modes in protocol 1, or None if no option represents modes."""
        option = self.mode_option()
        if option is None:
            return None
        self.mode = option["currentValue"]
        modes = [
            {"id": choice["value"], **without(choice, "value")}
            for entry in option["options"]  # a choice, or a group of choices
            for choice in entry.get("options", [entry])
        ]
        return {"currentModeId": self.mode, "availableModes": modes}

    def mode_option(self) -> JsonValue:
        """Return the option that represents the session's mode, if any."""
        for option in self.options:
            if option.get("category") == "mode" and option.get("type") == "select":
                return option
        return None

    def show_mode(self) -> None:
        """Send the current mode to the client if the mode has changed."""
        option = self.mode_option()
        if option is not None and option["currentValue"] != self.mode:
            self.mode = option["currentValue"]
            self.show_again({"sessionUpdate": "current_mode_update", "currentModeId": self.mode})

    def show_commands(self, commands: list[JsonValue], method: str) -> None:
        """Send the client the commands from a method's response."""
        shown = self._exchange.convert_items(
            self._exchange.agent,
            "AvailableCommand",
            commands,
            method,
            self._session_id,
            ((), "availableCommands"),
        )
        self.show_again({"sessionUpdate": "available_commands_update", "availableCommands": shown})

    def _take_state(self, update: Any, data: JsonValue) -> None:
        self.state.apply(update)
        if data.get("background"):
            reason = "protocol 1 cannot report background work"
            self._lose_part((UPDATE, "background"), reason)
        if data["state"] == "idle":
            self.tell_unseen()  # the other fields are sent in the response to the prompt
        else:
            self._lose_others(data, UPDATE, "sessionUpdate", "state", "background")

    def _take_wanted(self, update: Any, data: JsonValue) -> None:
        capability = "notices" if data["sessionUpdate"] == "notice" else "compaction"
        if self._wants(capability):
            self._take_equal(update, data)
        else:
            self.state.apply(update)
            self._lose_part((), f"the client does not advertise {capability!r}")

    def _take_equal(self, update: Any, data: JsonValue) -> None:
        """Show an update that needs no special conversion."""
        self.state.apply(update)
        converted = self._convert("SessionUpdate", data, UPDATE)
        if converted is not LOST:
            self._show({**converted, **self._kept(data)})

    def _kept(self, data: JsonValue) -> dict[str, JsonValue]:
        """Return the complete values of fields that an update changes only partially.

        v1 clients replace the complete value of such a field.
        """
        match data["sessionUpdate"]:
            case "usage_update":
                known = self._encode(self.state.usage)
                return {"cost": known["cost"]} if "cost" in known else {}
            case "session_info_update" if "_meta" in data:
                known = self._encode(self.state.info)
            case "compaction_update" if "_meta" in data:
                known = self._encode(self.state.compactions[data["compactionId"]])
            case _:
                return {}
        return {"_meta": known.get("_meta", {})}


_new_decoder = codecs.getincrementaldecoder("utf-8")
_ROLES: dict[str, Role] = {
    "user_message": "user",
    "user_message_chunk": "user",
    "agent_message": "agent",
    "agent_message_chunk": "agent",
    "agent_thought": "thought",
    "agent_thought_chunk": "thought",
}


def _added(before: list[Any], after: list[Any]) -> list[Any] | None:
    """Return the blocks added to a message, or None if existing blocks changed.

    Text appended to the last block is returned as a block.
    """
    if not before:
        return after
    *whole, last = before
    if after[: len(whole)] != whole or len(after) < len(before):
        return None
    same, rest = after[len(whole)], after[len(before) :]
    if same == last:
        return rest
    before_text: object = getattr(last, "text", None)
    text: object = getattr(same, "text", None)
    if not isinstance(before_text, str) or not isinstance(text, str):
        return None
    added_text = remainder(text, before_text)
    if added_text is None:
        return None
    added = type(same)(text=added_text)
    return [added, *rest] if joined([last, added]) == [same] else None


def _heading(plan_id: str, entries: list[JsonValue]) -> JsonValue:
    """Return a plan entry that serves as a heading for one of several plans."""
    is_done = all(entry["status"] == "completed" for entry in entries)
    status = "completed" if is_done else "in_progress"
    return {"content": f"{plan_id}:", "priority": "medium", "status": status}
