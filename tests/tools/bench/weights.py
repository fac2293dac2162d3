"""A benchmark of the memory that decoded messages and sessions occupy. It prints JSON.

    python weights.py --contender official-0.12.1

The results include the memory that Python retains for decoded values or for a state, but not the
text from which they were decoded.
"""

from __future__ import annotations

import argparse
import gc
import json
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from messages import MESSAGES, Message
from state import CALLS, CHUNKS, update
from state import CONTENDERS as STATES
from worker import CONTENDERS, Operations, verify

COPIES = 100
UPDATES = 10_000
# The SDK's accumulator takes quadratic time for chunks, so only a few chunks are applied.
APPLIED = {CALLS: UPDATES, CHUNKS: 1_000}


def weigh(act: Callable[[], object]) -> int:
    """Return the number of bytes that the result of `act` occupies."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        result = act()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert result is not None
    return after - before


def weigh_message(message: Message, operations: Operations) -> float:
    # This also fills the library's caches, so that they aren't measured.
    verify(message, operations)
    names = dict(operations.names, text=message.text, kept=[None] * COPIES)
    decode_all = f"[{operations.expressions['decode']} for _ in kept]"
    return weigh(eval(f"lambda: {decode_all}", names)) / COPIES


def updates_of_session(kinds: Sequence[str], count: int) -> Iterator[str]:
    for number in range(count):
        value = update(kinds[number % len(kinds)], number)
        yield json.dumps({"sessionId": "sess_1", "update": value}, separators=(",", ":"))


def weigh_session(contender: str, count: int) -> Iterator[tuple[str, float]]:
    """Yield the sizes of a session's decoded updates and of its state after each type of update."""
    side = STATES[contender]("v1")

    def decoded(lines: Sequence[str]) -> list[Any]:
        return [side.decode(line) for line in lines]

    mixed = list(updates_of_session((CHUNKS, CALLS), count))
    decoded(mixed[:10])
    yield f"{count:,} updates of a session", weigh(lambda: decoded(mixed))
    for what, most in APPLIED.items():
        lines = list(updates_of_session((what,), min(count, most)))
        side.text(lines[:10])
        yield f"state after {len(lines):,} {what}", weigh(lambda lines=lines: side.text(lines))


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure one contender's memory.")
    parser.add_argument("--contender", choices=CONTENDERS, required=True)
    parser.add_argument("--updates", type=int, default=UPDATES, help="updates per session")
    options = parser.parse_args()
    contender = CONTENDERS[options.contender]
    found = [
        (each.protocol, each.name, weigh_message(each, contender.operations(each)))
        for each in MESSAGES
        if each.protocol in contender.protocols
    ]
    if options.contender in STATES:
        sizes = weigh_session(options.contender, options.updates)
        found += [("v1", what, size) for what, size in sizes]
    names = ("protocol", "what", "bytes")
    print(json.dumps([dict(zip(names, row, strict=True)) for row in found]))


if __name__ == "__main__":
    main()
