"""The tool calls of a v2 agent, as a v1 client is shown them.

Version 2 patches tool calls, streams their content and shows terminals beside them. Version 1 has a
first update with a title, later ones that replace complete members, and no null.

Rules:

1. Each update is converted once, as it arrives. Only the members that it changes are shown.
2. Content that grows by chunks would be sent again and again in full. It is kept back until it has
   grown by a quarter, or another update of the session is shown (`flush`). So at most six times the
   final content is sent. Less than `_SMALL` characters are shown immediately.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from ...values.errors import Path
from ...values.unset import UNSET
from ..rules import LOST, JsonValue, without

# What stands for a member that null clears, as far as the older version has something.
_CLEARED: dict[str, JsonValue] = {
    "kind": "other",
    "status": "pending",
    "content": [],
    "locations": [],
}
# The members that an older update cannot clear.
_KEPT = ("title", "name", "rawInput", "rawOutput")
_SMALL = 4096
_AS_TEXT = "protocol 1 clients are shown the terminal's output as text"
_NOT_CLEARED = "protocol 1 updates cannot clear it; it stays unchanged"

# Converts a part of a message, by the name of its definition, its path and the method.
Convert = Callable[[str, JsonValue, Path, str], JsonValue]


class ToolCalls:
    """The tool calls that an older client has been shown.

    Attributes:
        shown: by id, their members as the client knows them.
    """

    def __init__(
        self,
        state: Any,
        encode: Callable[[Any], JsonValue],
        convert: Convert,
        lose: Callable[[Path, str, str], None],
        send: Callable[[JsonValue], None],
        own: Collection[str] = (),
    ) -> None:
        """Start with none. The client shows its `own` terminals, given by their ids, itself."""
        self.shown: dict[str, dict[str, JsonValue]] = {}
        self._state = state
        self._encode = encode
        self._convert = convert
        self._lose = lose
        self._send = send
        self._own = own
        # The content of each call, converted except terminals, since their text still changes.
        self._content: dict[str, list[JsonValue]] = {}
        self._kept_back: dict[str, None] = {}  # calls whose content has grown since it was shown
        self._weights: dict[str, int] = {}  # of the content shown, in characters
        self._growth: dict[str, int] = {}
        self._users: dict[str, set[str]] = {}  # the tool calls that show a terminal

    # --- what arrives --------------------------------------------------------------------------

    def update(self, call_id: str, update: JsonValue, path: Path, method: str) -> None:
        """Show what an update, at a path of the message of a method, has changed."""
        members = self._converted(call_id, update, path, method)
        if call_id in self.shown:
            self._show(call_id, members)
        else:
            self._show_first(call_id, members)

    def grow(self, call_id: str, item: JsonValue, path: Path, method: str) -> None:
        """Append an item, at a path of the message of a method, to the content of a tool call."""
        items = self._convert_content(call_id, [item], [path], method)
        self._content.setdefault(call_id, []).extend(items)
        if call_id not in self.shown:
            self._show_first(call_id, {"content": self._rendered(call_id)} if items else {})
        elif items:
            self._keep_back(call_id, _weight(item))

    def grow_terminal(self, terminal_id: str, size: int) -> bool:
        """Process new output of a terminal, in bytes; return whether a tool call shows it.

        The size is 0 if something other than the output changed.
        """
        users = self._users.get(terminal_id, ())
        for call_id in users:
            self._keep_back(call_id, size)
            if not size:
                self._growth[call_id] += _SMALL  # such as its end: shown soon
        return bool(users)

    def _keep_back(self, call_id: str, growth: int) -> None:
        self._kept_back[call_id] = None
        self._growth[call_id] = self._growth.get(call_id, 0) + growth

    def flush(self, *, everything: bool) -> None:
        """Show content that was kept back, and has grown by enough unless `everything`."""
        for call_id in list(self._kept_back):
            weight, growth = self._weights.get(call_id, 0), self._growth.get(call_id, 0)
            if everything or weight + growth < _SMALL or growth * 4 >= weight:
                self._show(call_id, {"content": self._rendered(call_id)})

    # --- what is shown -------------------------------------------------------------------------

    def _show_first(self, call_id: str, members: JsonValue) -> None:
        call = self._encode(self._state.tool_calls[call_id])
        initial = {name: call[name] for name in ("kind", "status") if name not in members}
        members = {**self._convert("ToolCallUpdate", initial, (), ""), **members}
        title = members.pop("title", None) or members.get("name") or members.get("kind", "other")
        shown = {"toolCallId": call_id, "title": title, **members}
        self.shown[call_id] = shown
        self._send({"sessionUpdate": "tool_call", **shown})

    def _show(self, call_id: str, members: JsonValue) -> None:
        if members:
            self.shown[call_id].update(members)
            self._send({"sessionUpdate": "tool_call_update", "toolCallId": call_id, **members})

    def _converted(
        self, call_id: str, update: JsonValue, path: Path, method: str
    ) -> dict[str, JsonValue]:
        """Return the members of an update as the older version has them, with its own content."""
        given = without(update, "sessionUpdate", "content")
        members: dict[str, JsonValue] = self._convert("ToolCallUpdate", given, path, method)
        del members["toolCallId"]
        known = self.shown.get(call_id, {})
        for name in _KEPT:
            if members.get(name, LOST) is None:
                del members[name]
                if known.get(name) is not None:
                    self._lose((path, name), _NOT_CLEARED, method)
        if "content" in update:
            items: list[JsonValue] = update["content"] or []
            places: list[Path] = [((path, "content"), number) for number in range(len(items))]
            self._content[call_id] = self._convert_content(call_id, items, places, method)
            members["content"] = self._rendered(call_id)
        if "_meta" in members:  # which older clients replace completely
            call = self._encode(self._state.tool_calls[call_id])
            members["_meta"] = call.get("_meta") or {}
        cleared = [name for name, member in members.items() if member is None and name in _CLEARED]
        return members | {name: _CLEARED[name] for name in cleared}

    def _convert_content(
        self, call_id: str, items: Iterable[JsonValue], places: Iterable[Path], method: str
    ) -> list[JsonValue]:
        """Return content in the older version, without terminals and unsupported content."""
        kept: list[JsonValue] = []
        for item, place in zip(items, places, strict=True):
            if item.get("type") == "terminal" and item["terminalId"] in self._own:
                kept.append(item)
            elif item.get("type") == "terminal":
                self._lose((place, "terminalId"), _AS_TEXT, method)
                self._users.setdefault(item["terminalId"], set()).add(call_id)
                kept.append(item)
            elif (converted := self._convert("ToolCallContent", item, place, method)) is not LOST:
                kept.append(converted)
        return kept

    def _rendered(self, call_id: str) -> list[JsonValue]:
        """Return the current content of a tool call; none of it is held back anymore."""
        self._kept_back.pop(call_id, None)
        items: list[JsonValue] = []
        for item in self._content[call_id]:
            if item.get("type") == "terminal" and item["terminalId"] not in self._own:
                text = {"type": "text", "text": self._terminal_text(item["terminalId"])}
                item = {**without(item, "terminalId"), "type": "content", "content": text}
            items.append(item)
        self._weights[call_id] = _weight(items)
        self._growth[call_id] = 0
        return items

    def _terminal_text(self, terminal_id: str) -> str:
        """Return the text of a terminal: its command, its output, and how it ended."""
        terminal = self._state.terminals.get(terminal_id)
        if terminal is None:
            return ""
        lines = [f"$ {terminal.command}\n"] if terminal.command else []
        output = self._state.terminal_output.get(terminal_id, b"")
        lines.append(output.decode("utf-8", "replace"))
        status = terminal.exit_status
        if status:
            code, signal = status.exit_code, status.signal
            how = [] if code is None or code is UNSET else [f"status {code}"]
            how += [f"signal {signal}"] if signal else []
            if how:
                lines.append(f"\n[ended with {', '.join(how)}]")
        return "".join(lines)


def _weight(value: JsonValue) -> int:
    """Return about how many characters a value has as JSON."""
    if value.__class__ is str:
        return len(value)
    if value.__class__ is dict:
        return sum(map(_weight, value.values()))
    return sum(map(_weight, value)) if value.__class__ is list else 1
