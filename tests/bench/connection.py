"""Measure `Connection` alone, and print seconds per message as JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from acp_bindings import v1
from acp_bindings.runtime.jsonrpc import Connection, Notification, Request, Response
from messages import CHUNK, MESSAGES

COUNT = 2_000
BATCHES = 5
BAD_ITEMS = "a line of 2 MB with bad items"
LONG = 2_000_000


def updates() -> Callable[[], None]:
    [text] = [each.text for each in MESSAGES if (each.protocol, each.name) == ("v1", CHUNK)]
    message = {"jsonrpc": "2.0", "method": "session/update", "params": json.loads(text)}
    line = json.dumps(message).encode() + b"\n"
    connection = Connection("client", v1)

    def act() -> None:
        [event] = connection.receive(line)
        assert event.__class__ is Notification

    return act


def requests() -> Callable[[], None]:
    message = {"jsonrpc": "2.0", "id": 1, "method": "session/set_mode"}
    line = json.dumps({**message, "params": {"sessionId": "s", "modeId": "m"}}).encode() + b"\n"
    connection = Connection("agent", v1)
    result = v1.SetSessionModeResponse()

    def act() -> None:
        [event] = connection.receive(line)
        assert event.__class__ is Request
        connection.respond(event, result)
        assert connection.data_to_send()

    return act


def calls() -> Callable[[], None]:
    connection = Connection("client", v1)
    method = v1.AGENT_METHODS["session/set_mode"]
    params = v1.SetSessionModeRequest(session_id="s", mode_id="m")

    def act() -> None:
        number = connection.request(method, params)
        assert connection.data_to_send()
        [event] = connection.receive(b'{"jsonrpc":"2.0","id":%d,"result":{}}\n' % number)
        assert event.__class__ is Response

    return act


def bad_items() -> Callable[[], None]:
    """A client takes a long line of items that the schema says to skip."""
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


def measure(act: Callable[[], None], count: int) -> float:
    best = float("inf")
    for _ in range(BATCHES):
        start = time.perf_counter()
        for _ in range(count):
            act()
        best = min(best, (time.perf_counter() - start) / count)
    return best


ACTS = {
    "an update received": updates,
    "a request received and answered": requests,
    "a request sent and its answer received": calls,
}

if __name__ == "__main__":
    found = {what: measure(make(), COUNT) for what, make in ACTS.items()}
    print(json.dumps({**found, BAD_ITEMS: measure(bad_items(), 1)}))
