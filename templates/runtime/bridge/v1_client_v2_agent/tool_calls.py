"""Conversion of a v2 agent's tool calls for a v1 client.

In version 2, updates patch tool calls, content can arrive in chunks, and terminals have separate
updates. In version 1, the first update of a tool call contains a title. Later updates replace
complete fields and cannot clear them with null.

Rules:

1. Each update is converted once, when it arrives. Only the changed fields are sent.
2. A v1 update for each chunk would repeat all earlier content. Therefore, growing content is held
   back until it has grown by a quarter or another update of the session is sent (`flush`). This
   delay limits the total size of the updates to six times the final content. Content with fewer
   than `_SMALL` characters is sent immediately.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from ...values.errors import Path
from ...values.unset import UNSET
from ..rules import LOST, JsonValue, without

# The protocol 1 values that clear fields, as null does in protocol 2, by field name.
_CLEARED: dict[str, JsonValue] = {
    "kind": "other",
    "status": "pending",
    "content": [],
    "locations": [],
}
# The fields that a protocol 1 update cannot clear.
_KEPT = ("title", "name", "rawInput", "rawOutput")
_SMALL = 4096
_AS_TEXT = "protocol 1 clients are shown the terminal's output as text"
_NOT_CLEARED = "protocol 1 updates cannot clear this field; it is unchanged"

# A function that converts a part of a message. The arguments are the name of the part's definition,
# the part, the part's path and the method.
Convert = Callable[[str, JsonValue, Path, str], JsonValue]


class ToolCalls:
    """The tool calls that were sent to the protocol 1 client.

    Attributes:
        shown: the fields of each tool call that the client has received, by id.
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
        """Create an object that has no tool calls yet.

        Args:
            state: the session's state. Updates are applied to the state before they are passed to
                this object.
            encode: a function that encodes a part of the state as JSON.
            convert: a function that converts a part of a message.
            lose: a function that reports an omitted part of a message, along with the reason and
                the method.
            send: a function that sends an update to the client.
            own: the ids of terminals that the client runs.
        """
        self.shown: dict[str, dict[str, JsonValue]] = {}
        self._state = state
        self._encode = encode
        self._convert = convert
        self._lose = lose
        self._send = send
        self._own = own
        # The converted content of each tool call. Terminals are kept unconverted, since their
        # text can still change.
        self._content: dict[str, list[JsonValue]] = {}
        self._kept_back: dict[str, None] = {}  # the tool calls with held content
        self._weights: dict[str, int] = {}  # the size of the shown content, in characters
        self._growth: dict[str, int] = {}  # the size of the held content, in characters
        self._users: dict[str, set[str]] = {}  # for each terminal, the tool calls that show it

    # --- incoming updates ----------------------------------------------------------------------

    def update(self, call_id: str, update: JsonValue, path: Path, method: str) -> None:
        """Show the changes in the update at `path` in a `method` message."""
        members = self._converted(call_id, update, path, method)
        if call_id in self.shown:
            self._show(call_id, members)
        else:
            self._show_first(call_id, members)

    def grow(self, call_id: str, item: JsonValue, path: Path, method: str) -> None:
        """Append an item at `path` in a `method` message to a tool call's content."""
        items = self._convert_content(call_id, [item], [path], method)
        self._content.setdefault(call_id, []).extend(items)
        if call_id not in self.shown:
            self._show_first(call_id, {"content": self._rendered(call_id)} if items else {})
        elif items:
            self._keep_back(call_id, _weight(item))

    def grow_terminal(self, terminal_id: str, size: int) -> bool:
        """Process a terminal's new output and return whether a tool call shows the terminal.

        `size` is the number of new bytes, or 0 if a field other than the output changed.
        """
        users = self._users.get(terminal_id, ())
        for call_id in users:
            self._keep_back(call_id, size)
            if not size:
                self._growth[call_id] += _SMALL  # to promptly show changes such as an exit
        return bool(users)

    def _keep_back(self, call_id: str, growth: int) -> None:
        self._kept_back[call_id] = None
        self._growth[call_id] = self._growth.get(call_id, 0) + growth

    def flush(self, *, everything: bool) -> None:
        """Show held content that has grown enough or, if `everything` is true, all held content."""
        for call_id in list(self._kept_back):
            weight, growth = self._weights.get(call_id, 0), self._growth.get(call_id, 0)
            if everything or weight + growth < _SMALL or growth * 4 >= weight:
                self._show(call_id, {"content": self._rendered(call_id)})

    # --- outgoing updates ----------------------------------------------------------------------

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
        """Return the protocol 1 fields of an update, including the converted content."""
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
        if "_meta" in members:  # protocol 1 clients replace the whole field
            call = self._encode(self._state.tool_calls[call_id])
            members["_meta"] = call.get("_meta") or {}
        cleared = [name for name, member in members.items() if member is None and name in _CLEARED]
        return members | {name: _CLEARED[name] for name in cleared}

    def _convert_content(
        self, call_id: str, items: Iterable[JsonValue], places: Iterable[Path], method: str
    ) -> list[JsonValue]:
        """Convert content items, except terminals, to protocol 1, omitting unsupported items."""
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
        """Return a tool call's content, with terminals as text, and stop holding it back."""
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
        """Return the text that shows a terminal: its command, its output and its exit status."""
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
    """Return the approximate number of characters in a JSON value."""
    if value.__class__ is str:
        return len(value)
    if value.__class__ is dict:
        return sum(map(_weight, value.values()))
    return sum(map(_weight, value)) if value.__class__ is list else 1
