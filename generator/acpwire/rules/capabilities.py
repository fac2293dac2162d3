"""The capabilities that each side advertises in `initialize` and that messages require."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from acp_bindings.runtime.jsonrpc.method import INITIALIZE, Method
from acp_bindings.runtime.values.errors import DecodeError

from acpwire.json_values import locate
from acpwire.rules.entry import Entry
from acpwire.surfaces import Side, load

PROMPT: Final = "session/prompt"


class Capabilities:
    """The capabilities of both sides, as far as they are known."""

    def __init__(self) -> None:
        self._introductions: dict[Side, Any] = {}
        self._decoded: dict[tuple[Side, str], Any] = {}

    def forget(self) -> None:
        """Discard the capabilities of both sides."""
        self._introductions.clear()
        self._decoded.clear()

    def introduce(self, side: Side, value: Any) -> None:
        """Record a side's `initialize` params or result, which contain its capabilities."""
        self._introductions[side] = value

    def check(self, call: Entry, method: Method[Any, Any], params: Any) -> None:
        """Check that the receiver of a call advertised the required capabilities."""
        receiver, surface = call.receiver, call.surface
        advertised = self._advertised(receiver, surface) if receiver and surface else None
        if advertised is None:
            return
        missing = f"which the {receiver} did not advertise"
        requirement, needed = f"{receiver}-capabilities", method.capability
        if needed is not None and not needed.is_advertised(advertised):
            call.judge(requirement, False, "/method", f"needs {needed.pointer}, {missing}")
            return
        if call.method == PROMPT:
            requirement = "prompt-content"
        call.judged.add(requirement)
        for need in method.needs if params is not None else ():
            refused = need.refuses(params, advertised)
            text = f"{refused} needs {need.capability.pointer}, {missing}"
            call.judge(requirement, refused is None, "/params", text)

    def client_has(self, capability: str) -> bool:
        """Return whether the client advertised a capability.

        If the client's capabilities are unknown, return true.

        Args:
            capability: a JSON pointer into the `initialize` params.
        """
        if "client" not in self._introductions:
            return True
        value, _ = locate(self._introductions["client"], capability)
        return value is not None

    def _advertised(self, side: Side, surface: str) -> Any:
        """Return a side's `initialize` params or result, or None if it is missing or invalid."""
        if side not in self._introductions:
            return None
        key = side, surface
        if key not in self._decoded:
            method = load(surface).METHODS["agent"][INITIALIZE]
            type_: Any = method.result if side == "agent" else method.params
            self._decoded[key] = None
            with suppress(DecodeError):  # already reported for the `initialize` message
                self._decoded[key] = load(surface).decode(type_, self._introductions[side])
        return self._decoded[key]
