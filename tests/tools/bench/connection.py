"""A benchmark of `Connection` without a transport, which prints the seconds as JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from acp_bindings import v1
from acp_bindings.runtime.jsonrpc import Connection, Response

BATCHES = 5
BAD_ITEMS = "a line of 2 MB with bad items"
LONG = 2_000_000


def bad_items() -> Callable[[], None]:
    """Return a function that makes a client read and skip a long line of invalid items."""
    kinds = ("0", "{}", '{"a":1}', '{"sessionId":0}')
    repeated = LONG // sum(len(each) + 1 for each in kinds)
    items = ",".join(each for each in kinds for _ in range(repeated))
    connection = Connection("client", v1)
    method = v1.AGENT_METHODS["session/list"]

    def act() -> None:
        number = connection.request(method, v1.ListSessionsRequest())
        assert connection.data_to_send()
        line = f'{{"jsonrpc":"2.0","id":{number},"result":{{"sessions":[{items}]}}}}\n'
        [event] = connection.receive(line.encode())
        assert event.__class__ is Response

    return act


def measure(act: Callable[[], None]) -> float:
    best = float("inf")
    for _ in range(BATCHES):
        start = time.perf_counter()
        act()
        best = min(best, time.perf_counter() - start)
    return best


if __name__ == "__main__":
    print(json.dumps({BAD_ITEMS: measure(bad_items())}))
