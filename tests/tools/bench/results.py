"""The measurements of one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

# The keys of measurements, from general to specific:
# ("time", contender, protocol, message, operation), ("memory", contender, protocol, what),
# ("import", what), ("start", agent), ("rest", agent), ("generate",), ("generate", "processor"),
# ("check",), ("connection", what), ("pipe", client and agent, "call" or "turn", how many in
# flight), ("pipe", "raw"), ("state", contender, protocol, kind of updates, form, how many),
# ("read",), ("remote", transport, whose, "call" or "turn", how many in flight),
# ("many", transport, whose server, "seconds" or "bytes", how many connections).
Key: TypeAlias = tuple[str, ...]

CHUNK = "text chunk"
TOOL_CALL = "tool call with a diff"
SESSIONS = "200 sessions"
AT_ONCE = 50
# A client and an agent that use no library. They show how fast a round trip can be in Python.
BARE = "only asyncio and json"

# The transports of remote connections, and the numbers of connections to open.
TRANSPORTS = ("websocket", "http")
MANY = (200, 1_000)

STATE_CHUNKS = "chunks of one message"
STATE_CALLS = "updates of 100 tool calls"
STATE_FORMS = ("decoded", "JSON text")
STATE_READ = "text read"
# The number of updates of each kind to compare. The time that the SDK needs for chunks grows
# quadratically, so 100,000 chunks would take hours.
STATE_AGAINST = {STATE_CHUNKS: 2_000, STATE_CALLS: 10_000}

UNCHECKED = "encode, unchecked"
BAD_ITEMS = "a line of 2 MB with bad items"
BRIDGED, UNBRIDGED = "100 turns with ten updates through a bridge", "100 turns without"
SESSION_UPDATES = "10,000 updates of a session"

TYPESCRIPT = "typescript-2.4.0"
# The official SDK for each protocol version: a release for v1, a release candidate for v2.
OFFICIAL = {"v1": "official-0.12.1", "v2": "official-1.0.0rc3"}
SDK_IMPORT = "acp.schema, SDK 0.12.1"
TITLES = {
    "ours": "ours",
    "ours-orjson": "ours, orjson",
    "official-0.12.1": "SDK 0.12.1",
    "official-1.0.0rc3": "SDK 1.0.0rc3",
    TYPESCRIPT: "TypeScript SDK 2.4.0",
    "json": "plain json",
}


@dataclass(frozen=True)
class Results:
    date: str  # the day, ISO 8601
    machine: Mapping[str, str]  # facts about the machine, by name
    versions: Mapping[str, Mapping[str, str]]  # package versions, by contender
    values: Mapping[Key, float]  # seconds or bytes, by measurement
    # The typical deviation of a round's value from the measurement's median, as a fraction.
    spread: float = 0.0
    rounds: int = 1  # the number of rounds
    missing: frozenset[str] = frozenset()  # the contenders that could not be measured

    def ratio(self, ours: Key, theirs: Key | None) -> float | None:
        """Return one value divided by another, or None if either wasn't measured."""
        if ours not in self.values or (theirs is not None and theirs not in self.values):
            return None
        return self.values[ours] / (self.values[theirs] if theirs is not None else 1.0)


def time_key(contender: str, protocol: str, message: str, operation: str) -> Key:
    return ("time", contender, protocol, message, operation)


def state_key(contender: str, what: str, form: str) -> Key:
    return ("state", contender, "v1", what, form, str(STATE_AGAINST[what]))
