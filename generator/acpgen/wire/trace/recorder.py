"""Find out which side recorded a log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acp_bindings.runtime.jsonrpc.method import INITIALIZE, Kind

from acpgen.wire.recording.reading import Direction, Line
from acpgen.wire.trace.envelope import find_kind
from acpgen.wire.trace.surfaces import Side, find_receiver, other


def find_recorder(lines: Iterable[Line]) -> Side | None:
    """Find the side that kept a log, by who calls `initialize`, or else what it handles."""
    first: Side | None = None
    for direction, method, kind in _calls(lines):
        receiver = find_receiver(method, kind)
        if receiver is None:
            continue
        recorder = other(receiver) if direction == "sent" else receiver
        if method == INITIALIZE:
            return recorder
        first = first or recorder
    return first


def _calls(lines: Iterable[Line]) -> Iterator[tuple[Direction, str, Kind]]:
    for line in lines:
        for message in line.messages if line.direction else ():
            kind = find_kind(message)
            if line.direction and (kind == "request" or kind == "notification"):
                yield line.direction, message["method"], kind
