"""Find out which side recorded a log."""

from __future__ import annotations

from collections.abc import Iterable

from acp_bindings.runtime.jsonrpc.method import INITIALIZE

from acpgen.wire.recording.reading import Line
from acpgen.wire.trace.envelope import find_kind
from acpgen.wire.trace.surfaces import Side, find_receiver, other


def find_recorder(lines: Iterable[Line]) -> Side | None:
    """Find the side that kept a log by the caller of `initialize`, or else by its handlers."""
    first: Side | None = None
    for line in lines:
        for message in line.messages if line.direction else ():
            kind = find_kind(message)
            if kind != "request" and kind != "notification":
                continue
            receiver = find_receiver(message["method"], kind)
            if receiver is not None:
                recorder = other(receiver) if line.direction == "sent" else receiver
                if message["method"] == INITIALIZE:
                    return recorder
                first = first or recorder
    return first
