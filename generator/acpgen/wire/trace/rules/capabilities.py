"""What each side has advertised in `initialize`, and what a message needs of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from acp_bindings.runtime.jsonrpc.method import INITIALIZE, Method
from acp_bindings.runtime.values.errors import DecodeError

from acpgen.wire.trace.envelope import Finding
from acpgen.wire.trace.surfaces import Side, find_method, load


class Capabilities:
    """The capabilities of both sides, as far as they are known."""

    def __init__(self) -> None:
        self._introductions: dict[Side, Any] = {}
        self._decoded: dict[tuple[Side, str], Any] = {}

    def forget(self) -> None:
        """Return to the beginning: neither side has introduced itself."""
        self._introductions.clear()
        self._decoded.clear()

    def introduce(self, side: Side, value: Any) -> None:
        """Take note of the params or the result of `initialize`."""
        self._introductions[side] = value

    def check(
        self, receiver: Side, method: Method[Any, Any], surface: str, params: Any
    ) -> Iterator[Finding]:
        """Find what a call needs and the side that is called has not advertised.

        Args:
            receiver: the side that is called.
            method: what is called.
            surface: the name of the surface that has it.
            params: the params as decoded; None if they cannot be.
        """
        advertised = self._advertised(receiver, surface)
        if advertised is None:
            return
        capability = method.capability
        if capability is not None and not capability.is_advertised(advertised):
            text = f"needs {capability.pointer}, which the {receiver} has not advertised"
            yield Finding("/method", text)
            return
        for need in method.needs if params is not None else ():
            refused = need.refuses(params, advertised)
            if refused is not None:
                pointer = need.capability.pointer
                text = f"{refused} needs {pointer}, which the {receiver} has not advertised"
                yield Finding("/params", text)

    def _advertised(self, side: Side, surface: str) -> Any:
        """What a side has advertised, as a surface has it; None if that is not known."""
        if side not in self._introductions:
            return None
        key = side, surface
        if key not in self._decoded:
            self._decoded[key] = _decode(side, surface, self._introductions[side])
        return self._decoded[key]


def _decode(side: Side, surface: str, value: Any) -> Any:
    method = find_method(INITIALIZE, "request", "agent", surface)
    if method is None:
        return None
    type_: Any = method.result if side == "agent" else method.params
    try:
        return load(surface).decode(type_, value)
    except DecodeError:  # told where it was sent
        return None
