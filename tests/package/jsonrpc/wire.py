"""Helpers that build messages and read the messages that a connection has written."""

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

# A request that each side handles in both versions.
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
    """Return messages as lines of JSON, with the `jsonrpc` field added."""
    return b"".join(json.dumps(marked(message)).encode() + b"\n" for message in messages)


def batch(*messages: Any) -> bytes:
    """Return messages as one JSON array, with the `jsonrpc` field added to objects."""
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
    """Return an `initialize` request that is valid in every version."""
    info = {"name": "test", "version": "1"}
    return ask(id_, "initialize", protocolVersion=version, info=info, capabilities={})


def introduction(surface: Any, which: Literal["params", "result"]) -> Any:
    """Return typed params or a typed result for `initialize`, without capabilities."""
    members = initialize(surface.SCHEMA.protocol_version)["params"]
    return surface.decode(getattr(surface.METHODS["agent"]["initialize"], which), members)


def sent(connection: Connection) -> list[Any]:
    """Parse and return the messages that a connection has written."""
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
    (event,) = events
    return event


def requested(connection: Connection, message: Any) -> Request:
    """Receive a request and return its event."""
    event = only(connection.receive(line(message)))
    assert isinstance(event, Request)
    return event


def refused(connection: Connection, data: bytes) -> tuple[Any, int]:
    """Receive data that must be rejected, and return the id and code of the error response."""
    event = only(connection.receive(data))
    assert isinstance(event, Refused)
    body = reply(connection)
    assert set(body) == {"jsonrpc", "id", "error"}
    found = (body["id"], body["error"]["code"], body["error"]["message"])
    assert (event.id, event.error.code, event.error.message) == found
    return found[:2]


def ignored(connection: Connection, data: bytes) -> Ignored:
    """Receive data that must be ignored without a response, and return the event."""
    event = only(connection.receive(data))
    assert isinstance(event, Ignored)
    assert connection.data_to_send() == b""
    return event


def calling(side: Any, surface: ModuleType = v1, count: int = 1, **options: Any) -> Connection:
    """Return a connection with pending requests, which have the ids 1, 2 and so on."""
    connection = Connection(side, surface, **options)
    for _ in range(count):
        connection.request(extension(surface, other(side)), None)
    connection.data_to_send()
    return connection


def choosing() -> Connection:
    """Return an agent connection that supports both versions until `initialize` selects one."""
    surfaces: dict[int, Any] = {1: v1, 2: v2}
    return Connection("agent", lambda version: surfaces[pick_version(version, surfaces)])


def extension(surface: ModuleType, side: str, kind: str = "request") -> Any:
    """Return the extension method `_ask` that a side handles."""
    return surface.EXTENSIONS[(side, kind)].named("_ask")


def other(side: str) -> str:
    return "client" if side == "agent" else "agent"
