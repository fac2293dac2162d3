"""A bridge between a client and an agent that exchange JSON messages under a test's control.

The bridge's output is decoded strictly, according to the receiver's protocol version.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from acp_bindings.bridge import CORRESPONDENCE
from acp_bindings.runtime.bridge.bridge import Bridge
from acp_bindings.runtime.bridge.exchange import End
from acp_bindings.runtime.jsonrpc.observing import Loss

Json = dict[str, Any]


class Side:
    """The client or agent at one end of the bridge.

    Attributes:
        on_send: called with each message that this side sends.
        received: the requests and notifications that have arrived but haven't been taken yet.
        answers: the results and errors that have arrived, by request id.
    """

    def __init__(self, wire: Wire, end: End) -> None:
        self.on_send: Callable[[Json], object] = lambda message: None
        self.received: list[Json] = []
        self.answers: dict[int, Json] = {}
        self._wire = wire
        self._end = end
        self._last_id = 0
        self._calls: dict[int, str] = {}  # the methods of pending sent requests, by id
        self._open: dict[Any, str] = {}  # the methods of received requests, by id

    def request(self, method: str, /, **params: Any) -> int:
        """Send a request and return its id."""
        self._last_id += 1
        self._calls[self._last_id] = method
        self._send({"id": self._last_id, "method": method, "params": params})
        return self._last_id

    def notify(self, method: str, /, **params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def answer(self, request: Json, result: Json) -> None:
        """Send the result for a request."""
        self._send({"id": request["id"], "result": result})

    def refuse(
        self, request: Json, code: int = -32603, message: str = "no", **members: Any
    ) -> None:
        """Send an error response to a request."""
        self._send({"id": request["id"], "error": {"code": code, "message": message, **members}})

    def update(self, **update: Any) -> None:
        """Send a `session/update` notification for the session `s`."""
        self.notify("session/update", sessionId="s", update=update)

    def _send(self, message: Mapping[str, Any]) -> None:
        self.on_send(dict(message))
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        self._wire.bridge.receive(self._end, line)
        self._wire.collect()

    def take(self, method: str | None = None) -> Json:
        """Remove and return the first message that arrived, optionally with a given method."""
        message = next(m for m in self.received if method in (None, m.get("method")))
        self.received.remove(message)
        return message

    def updates(self) -> list[Json]:
        """Remove and return the updates that have arrived."""
        taken = [m for m in self.received if m.get("method") == "session/update"]
        self.received = [m for m in self.received if m not in taken]
        return [message["params"]["update"] for message in taken]

    def collect(self) -> None:
        """Read and check the bridge's output for this side."""
        for line in self._wire.bridge.data_to_send(self._end).splitlines():
            message = json.loads(line)
            self._check(message)
            self._wire.on_message(self._end.name, message)
            if "method" in message:
                self.received.append(message)

    def _check(self, message: Json) -> None:
        surface: Any = self._end.connection.surface
        if "method" not in message:
            method = self._calls.pop(message["id"])
            assert message["id"] not in self.answers
            self.answers[message["id"]] = message.get("result", message.get("error"))
            if "result" in message and not method.startswith("_") and surface is not None:
                side = "agent" if self._end.name == "client" else "client"
                known = surface.METHODS[side][method]
                surface.decode(known.result, message["result"], strict=True)
        elif surface is not None and not message["method"].startswith(("_", "$")):
            known = surface.METHODS[self._end.name][message["method"]]
            surface.decode(known.params, message["params"], strict=True)


class Wire:
    """A bridge between a client and an agent.

    Attributes:
        losses: the reported losses, in order.
        on_message: called with the receiver's name and each message that arrives.
    """

    def __init__(self, **options: Any) -> None:
        """Create a bridge with the given options."""
        self.losses: list[Loss] = []
        self.on_message: Callable[[str, Json], object] = lambda name, message: None
        self.bridge = Bridge(CORRESPONDENCE, on_loss=self.losses.append, **options)
        self.client = Side(self, self.bridge.client)
        self.agent = Side(self, self.bridge.agent)

    def collect(self) -> None:
        """Read the bridge's output for both sides."""
        self.client.collect()
        self.agent.collect()

    def lost(self) -> list[str]:
        """Return the pointers of the reported losses and clear the losses."""
        pointers = [loss.pointer for loss in self.losses]
        self.losses.clear()
        return pointers
