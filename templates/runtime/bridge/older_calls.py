"""The tool calls of a session of the newer version, as an older client is shown them.

The newer version patches tool calls, streams their content and shows terminals beside them. The
older one has a first update with a title, later ones that replace whole members, and no null. So
each update is applied to the state, and the members that it has changed are shown as they are now.

Content that grows by chunks would be sent again and again as a whole. It is kept back until it has
grown by a quarter, or something else of the session is told: then all that is sent together is at
most six times the final content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..values.errors import Path
from .rules import LOST, JsonValue

# What stands for a member that null clears, as far as the older version has something.
_CLEARED: dict[str, JsonValue] = {
    "kind": "other",
    "status": "pending",
    "content": [],
    "locations": [],
}
# The members that an older update cannot clear.
_KEPT = ("title", "name", "rawInput", "rawOutput")
# Content of less than this is shown at once, in characters.
_SMALL = 4096

# Converts a part of an update, by the name of its definition and its place.
Convert = Callable[[str, JsonValue, Path], JsonValue]


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
        lose: Callable[[Path, str], None],
        send: Callable[[JsonValue], None],
    ) -> None:
        """Start with none.

        Args:
            state: the state of the session, which has each update already.
            encode: returns a tool call of the state as JSON.
            convert: converts a part of an update.
            lose: tells of a part that is lost.
            send: sends an update.
        """
        self.shown: dict[str, dict[str, JsonValue]] = {}
        self._state = state
        self._encode = encode
        self._convert = convert
        self._lose = lose
        self._send = send
        self._kept_back: dict[str, None] = {}  # calls whose content has grown since it was shown
        self._weights: dict[str, int] = {}  # of the content shown, in characters
        self._growth: dict[str, int] = {}
        self._users: dict[str, set[str]] = {}  # the tool calls that show a terminal

    # --- what arrives --------------------------------------------------------------------------

    def update(self, call_id: str, update: JsonValue, path: Path) -> None:
        """Show what an update has changed.

        Args:
            call_id: the id of the tool call.
            update: the update, which the state has.
            path: its place in its message.
        """
        if call_id in self.shown:
            changed = [name for name in update if name not in ("sessionUpdate", "toolCallId")]
            self._show(call_id, changed, path)
            for name in _KEPT:
                if update.get(name, LOST) is None and self.shown[call_id].get(name) is not None:
                    self._lose((path, name), "an older update cannot clear it; it stays as it was")
        else:
            self._show_first(call_id, path)

    def grow(self, call_id: str, item: JsonValue, path: Path) -> None:
        """Take note of an item that was appended to the content of a tool call."""
        if call_id not in self.shown:
            self._show_first(call_id, path)
        else:
            self._keep_back(call_id, _weight(item))

    def grow_terminal(self, terminal_id: str, size: int) -> bool:
        """Take note of new output of a terminal; return whether a tool call shows it.

        Args:
            terminal_id: the terminal.
            size: how much it has grown, in bytes; 0 if something else has changed.
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

    def flush(self, *, everything: bool) -> bool:
        """Show content that was kept back; return whether none is any more.

        Args:
            everything: also what has grown by little.
        """
        for call_id in list(self._kept_back):
            weight, growth = self._weights.get(call_id, 0), self._growth.get(call_id, 0)
            if everything or weight + growth < _SMALL or growth * 4 >= weight:
                self._show(call_id, ["content"], ((), "update"))
        return not self._kept_back

    # --- what is shown -------------------------------------------------------------------------

    def _show_first(self, call_id: str, path: Path) -> None:
        call = self._encode(self._state.tool_calls[call_id])
        names = [name for name in call if name != "toolCallId"]
        members = self._converted(call_id, call, names, path)
        title = members.pop("title", None) or members.get("name") or members.get("kind", "other")
        shown = {"toolCallId": call_id, "title": title, **members}
        self.shown[call_id] = shown
        self._send({"sessionUpdate": "tool_call", **shown})

    def _show(self, call_id: str, names: Iterable[str], path: Path) -> None:
        call = self._encode(self._state.tool_calls[call_id])
        cleared = {name: value for name, value in _CLEARED.items() if name not in call}
        members = self._converted(call_id, {**cleared, **call}, names, path)
        if members:
            self.shown[call_id].update(members)
            self._send({"sessionUpdate": "tool_call_update", "toolCallId": call_id, **members})

    def _converted(
        self, call_id: str, call: JsonValue, names: Iterable[str], path: Path
    ) -> dict[str, JsonValue]:
        """The given members of a tool call, as the older version has them."""
        members = {name: call[name] for name in names if name in call}
        if "content" in members:
            self._kept_back.pop(call_id, None)
            members["content"] = self._with_terminals(call_id, members["content"])
            self._weights[call_id] = _weight(members["content"])
            self._growth[call_id] = 0
        converted: dict[str, JsonValue] = self._convert(
            "ToolCallUpdate", {"toolCallId": call_id, **members}, path
        )
        del converted["toolCallId"]
        return converted

    def _with_terminals(self, call_id: str, content: Iterable[JsonValue]) -> list[JsonValue]:
        """Content with the output of terminals in their places, as text."""
        items: list[JsonValue] = []
        for item in content:
            if item.get("type") != "terminal":
                items.append(item)
                continue
            terminal_id = item["terminalId"]
            self._users.setdefault(terminal_id, set()).add(call_id)
            text = {"type": "text", "text": self._terminal_text(terminal_id)}
            items.append({**item, "type": "content", "content": text})
            del items[-1]["terminalId"]
        return items

    def _terminal_text(self, terminal_id: str) -> str:
        """What a terminal shows: its command, its output, and how it has ended."""
        terminal = self._state.terminals.get(terminal_id)
        if terminal is None:
            return ""
        lines = [f"$ {terminal.command}\n"] if terminal.command else []
        output = self._state.terminal_output.get(terminal_id, b"")
        lines.append(output.decode("utf-8", "replace"))
        status = terminal.exit_status
        if status:
            how = f"signal {status.signal}" if status.signal else f"status {status.exit_code}"
            lines.append(f"\n[ended with {how}]")
        return "".join(lines)


def _weight(value: JsonValue) -> int:
    """About how many characters a value has as JSON."""
    if value.__class__ is str:
        return len(value)
    if value.__class__ is dict:
        return sum(map(_weight, value.values()))
    return sum(map(_weight, value)) if value.__class__ is list else 1
