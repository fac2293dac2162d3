"""Coverage-guided fuzzing of the connection, with atheris: `fuzz_connection.py -max_total_time=60`.

The first bytes of an input choose the side, the surface and the form; the rest is either fed as
it is, or decides, piece by piece, a conversation of nearly valid messages.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import atheris

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "generated"), str(ROOT / "tests")]

with atheris.instrument_imports(include=["acp_bindings"]):
    from package.jsonrpc.invariants import SIDES, SURFACES, check_connection

NAMES = sorted(
    {name for s in SURFACES for table in (s.AGENT_METHODS, s.CLIENT_METHODS) for name in table}
    | {"$/cancel_request", "_ask", "_", "nope", ""}
)
INFO = {"name": "test", "version": "1"}
VALUES: list[Any] = [
    None,
    *(True, 0, 1, 2, -1, 1.0, 1.5, 2**63, 10**30),
    *("", "1", "s", "2.0", "end_turn", "ä😀"),
    *([], [None], {}, {"code": 1, "message": "m"}),
    {"protocolVersion": 1, "info": INFO},
    {"protocolVersion": 2, "info": INFO},
    {"requestId": 1},
    {"sessionId": "s"},
    {"sessionId": "s", "prompt": [{"type": "text", "text": "t"}]},
    {"sessionId": "s", "update": {"sessionUpdate": "plan", "entries": []}},
    {"cwd": "/", "mcpServers": []},
]
MEMBERS = ("jsonrpc", "id", "method", "params", "result", "error")


def message(data: Any) -> Any:
    """A message with some of the known members, most of them with valid values."""
    made: dict[str, Any] = {"jsonrpc": "2.0"}
    chosen = data.ConsumeIntInRange(0, 255)
    for bit, name in enumerate(MEMBERS):
        if chosen >> bit & 1:
            names = NAMES if name == "method" else VALUES
            made[name] = data.PickValueInList(names)
    if chosen & 0b1100_0000 == 0b1100_0000:
        made[data.ConsumeUnicodeNoSurrogates(4)] = data.PickValueInList(VALUES)
    return made


def line(data: Any) -> bytes:
    """A line: a message, an array of them, or anything."""
    match data.ConsumeIntInRange(0, 4):
        case 0:
            return bytes(data.ConsumeBytes(data.ConsumeIntInRange(0, 40)))
        case 1:
            entries = [message(data) for _ in range(data.ConsumeIntInRange(0, 4))]
            return json.dumps([*entries, *([5] if data.ConsumeBool() else [])]).encode()
        case _:
            return json.dumps(message(data), ensure_ascii=False).encode()


def cut(data: Any, conversation: bytes) -> list[bytes]:
    """The same bytes in pieces."""
    size = data.ConsumeIntInRange(1, 64)
    if size == 64:
        return [conversation]
    return [conversation[i : i + size] for i in range(0, len(conversation), size)]


def test_one_input(given: bytes) -> None:
    data = atheris.FuzzedDataProvider(given)
    side = data.PickValueInList(list(SIDES))
    surface = data.PickValueInList([*SURFACES, None])
    calls = data.ConsumeIntInRange(0, 3)
    end = data.PickValueInList([b"\n", b"\r\n"])
    if data.ConsumeBool():
        found = [line(data) for _ in range(data.ConsumeIntInRange(1, 6))]
        conversation = end.join(found) + (end if data.ConsumeBool() else b"")
        chunks = cut(data, conversation)
    else:
        chunks = [bytes(data.ConsumeBytes(data.remaining_bytes()))]
    check_connection(
        side, surface, chunks, calls, lambda below: data.ConsumeIntInRange(0, below - 1)
    )


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()
