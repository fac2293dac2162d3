"""Helpers to write messages by hand and to read the messages from a connection."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any, Literal

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime.jsonrpc import Connection, Event, Ignored, Refused, Request, pick_version

SURFACES: tuple[ModuleType, ...] = (v1, v1_unstable, v2, v2_unstable)
each_surface = pytest.mark.parametrize(
    "surface", SURFACES, ids=lambda surface: surface.__name__.rpartition(".")[2]
)
each_version = pytest.mark.parametrize("surface", [v1, v2], ids=("v1", "v2"))
each_side = pytest.mark.parametrize("side", ["agent", "client"])

# A request that each side handles in each version.
CALLS = {
    "agent": ("session/close", {"sessionId": "s"}),
    "client": (
        "elicitation/create",
        {
            "mode": "form",
            "message": "?",
            "sessionId": "s",
            "requestedSchema": {"type": "object", "properties": {}},
        },
    ),
}


def line(*messages: Any) -> bytes:
    """Return messages with the JSON-RPC version, one per line."""
    return b"".join(json.dumps(marked(message)).encode() + b"\n" for message in messages)


def batch(*messages: Any) -> bytes:
    """Return messages as one array; values other than objects stay unchanged."""
    return json.dumps([marked(message) for message in messages]).encode() + b"\n"


def marked(message: Any) -> Any:
    return {"jsonrpc": "2.0", **message} if isinstance(message, dict) else message


def ask(id_: Any, method: str = "_ask", **params: Any) -> dict[str, Any]:
    """Return a request."""
    return {"id": id_, "method": method, "params": params}


def tell(method: str = "_tell", **params: Any) -> dict[str, Any]:
    """Return a notification."""
    return {"method": method, "params": params}


def cancel(id_: Any) -> dict[str, Any]:
    """Return the notification that cancels a request."""
    return tell("$/cancel_request", requestId=id_)


def initialize(version: Any, id_: Any = 0) -> dict[str, Any]:
    """Return an `initialize` request that every version accepts."""
    info = {"name": "test", "version": "1"}
    return ask(id_, "initialize", protocolVersion=version, info=info, capabilities={})


def introduction(surface: Any, which: Literal["params", "result"]) -> Any:
    """Return the params or the result of `initialize`, without capabilities."""
    members = initialize(surface.SCHEMA.protocol_version)["params"]
    return surface.decode(getattr(surface.METHODS["agent"]["initialize"], which), members)


def sent(connection: Connection) -> list[Any]:
    """Return the messages that a connection has written, one per line."""
    data = connection.data_to_send()
    assert data == b"" or data.endswith(b"\n")
    return [json.loads(text) for text in data.splitlines()]


def reply(connection: Connection) -> Any:
    """Return the only message that a connection has written."""
    (message,) = sent(connection)
    assert message["jsonrpc"] == "2.0"
    return message


def error(connection: Connection) -> tuple[Any, int]:
    """Return the id and code of the only error response that a connection has written."""
    message = reply(connection)
    assert set(message) == {"jsonrpc", "id", "error"}
    return message["id"], message["error"]["code"]


def only(events: list[Event]) -> Any:
    """Return the only event."""
    (event,) = events
    return event


def requested(connection: Connection, message: Any) -> Request:
    """Return the event of a request that a connection has received."""
    event = only(connection.receive(line(message)))
    assert isinstance(event, Request)
    return event


def refused(connection: Connection, data: bytes) -> tuple[Any, int]:
    """Return the id and code of the only refusal (an event and a reply) that bytes cause."""
    event = only(connection.receive(data))
    assert isinstance(event, Refused)
    body = reply(connection)
    assert set(body) == {"jsonrpc", "id", "error"}
    found = (body["id"], body["error"]["code"], body["error"]["message"])
    assert (event.id, event.error.code, event.error.message) == found
    return found[:2]


def ignored(connection: Connection, data: bytes) -> Ignored:
    """Return the only event of bytes that are ignored and get no response."""
    event = only(connection.receive(data))
    assert isinstance(event, Ignored)
    assert connection.data_to_send() == b""
    return event


def calling(side: Any, surface: ModuleType = v1, count: int = 1, **options: Any) -> Connection:
    """Return a connection with pending requests; their ids are 1, 2 and so on."""
    connection = Connection(side, surface, **options)
    for _ in range(count):
        connection.request(extension(surface, other(side)), None)
    connection.data_to_send()
    return connection


def choosing() -> Connection:
    """Return an agent for both versions; `initialize` chooses one."""
    surfaces: dict[int, Any] = {1: v1, 2: v2}
    return Connection("agent", lambda version: surfaces[pick_version(version, surfaces)])


def extension(surface: ModuleType, side: str, kind: str = "request") -> Any:
    """Return the method `_ask`, as an extension of a side."""
    return surface.EXTENSIONS[(side, kind)].named("_ask")


def other(side: str) -> str:
    return "client" if side == "agent" else "agent"
