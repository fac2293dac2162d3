"""Measure the memory of decoded updates and session states in the current environment.

    python weights.py --contender official-0.12.1

Printed are bytes as JSON. Counted is what Python allocates and keeps, the state or the values
alone: not the text that they are decoded from.
"""

from __future__ import annotations

import argparse
import gc
import json
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from messages import MESSAGES, Message
from state import CALLS, CHUNKS, CONTENDERS, update
from worker import CONTENDERS as WORKERS
from worker import weigh_message

COPIES = 100
UPDATES = 10_000
# The SDK's accumulator takes time in the square of the number of chunks, so they are few.
STATES = {CALLS: UPDATES, CHUNKS: 1_000}


def texts(kinds: Sequence[str], count: int) -> Iterator[str]:
    """Notifications of a session, of each kind in turn."""
    for number in range(count):
        value = update(kinds[number % len(kinds)], number)
        yield json.dumps({"sessionId": "sess_1", "update": value}, separators=(",", ":"))


def weigh(act: Callable[[Sequence[str]], object], lines: Sequence[str]) -> int:
    """The bytes that the result of a function takes."""
    act(lines[:10])  # what it keeps for itself does not count
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    result = act(lines)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result is not None
    return after - before


def weigh_values(contender: str) -> dict[str, float]:
    """The bytes of each message of protocol 1, decoded."""
    operations = WORKERS[contender].operations

    def size(message: Message) -> float:
        found: float = weigh_message(message, operations(message), COPIES)["bytes"]
        return found

    return {each.name: size(each) for each in MESSAGES if each.protocol == "v1"}


def weigh_sessions(contender: str) -> dict[str, float]:
    """The bytes of the updates of a session, and of the state that they lead to."""
    side = CONTENDERS[contender]("v1")

    def decoded(lines: Sequence[str]) -> list[Any]:
        return [side.decode(line) for line in lines]

    mixed = list(texts((CHUNKS, CALLS), UPDATES))
    found: dict[str, float] = {f"{UPDATES:,} updates": weigh(decoded, mixed)}
    for what, count in STATES.items():
        lines = list(texts((what,), count))
        found[f"state after {count:,} {what}"] = weigh(side.text, lines)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Weigh what one contender keeps in memory.")
    parser.add_argument("--contender", choices=CONTENDERS, required=True)
    contender = parser.parse_args().contender
    print(json.dumps(weigh_values(contender) | weigh_sessions(contender)))


if __name__ == "__main__":
    main()
