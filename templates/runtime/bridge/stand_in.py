"""`StandIn`: requests that a fallback handler handles instead of the client.

v2 clients don't support the requests for files and terminals that v1 agents send. The code that
runs the fallback handler fetches these requests with `take_events` and passes the handler's
responses to `respond` or `fail`. Only the first response to a request is used. `close` responds to
all pending requests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ..jsonrpc.errors import RequestError
from ..jsonrpc.events import Cancellation, Request
from ..jsonrpc.handler import Handler, introduction, is_implemented, methods_of
from ..jsonrpc.logs import logger_of
from ..jsonrpc.method import Surface
from ..values.deferred import dataclass
from ..values.errors import DecodeError, EncodeError
from .exchange import Otherwise, Then
from .rules import JsonValue

_log = logger_of(__name__)

# The client capabilities for files and terminals.
_CAPABILITIES = ("fs", "terminal")


@dataclass(frozen=True, slots=True)
class Opened:
    """A notification that a session was opened.

    Attributes:
        session_id: the session's id.
        cwd: the session's working directory.
        additional_directories: the session's additional directories.
    """

    session_id: str
    cwd: str
    additional_directories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Closed:
    """A notification that a session was closed."""

    session_id: str


ForHandler: TypeAlias = Request | Cancellation | Opened | Closed


class StandIn:
    """The requests for a fallback handler.

    Attributes:
        methods: the names of the methods that the handler implements, except methods that it
            declares as unsupported.
        capabilities: the client capabilities that advertise these methods, as JSON.
        watched: the callbacks that request the new output of running terminals from the
            handler. The keys are pairs of a session id and a terminal id.
        shown: the number of output chunks sent to the client.
    """

    def __init__(
        self, handler: Handler | type[Handler], older: Surface, absent: frozenset[str]
    ) -> None:
        """Create an object that has no pending requests.

        Args:
            handler: the fallback handler.
            older: the surface of the older version.
            absent: the client methods that only the older version defines.

        Raises:
            EncodeError: If the capabilities that the handler declares do not match the schema.
            TypeError: If `handler` is not a client handler for the older version.
        """
        cls = handler if isinstance(handler, type) else type(handler)
        if (getattr(cls, "surface", None), getattr(cls, "side", None)) != (older, "client"):
            version = older.SCHEMA.protocol_version
            raise TypeError(f"{cls.__qualname__} is not a client handler for protocol {version}")
        stated = introduction(handler)
        handled = [method for method in methods_of(cls) if is_implemented(cls, method)]
        self.methods = absent & {
            method.name
            for method in handled
            if method.capability is None or not method.capability.is_absent(stated)
        }
        said: JsonValue = older.encode(stated, type(stated)).get("clientCapabilities") or {}
        self.capabilities: JsonValue = {name: said[name] for name in _CAPABILITIES if name in said}
        self.watched: dict[tuple[str, str], Callable[[], None]] = {}
        self.shown = 0
        self._older = older
        self._events: list[ForHandler] = []
        self._open: dict[Request, tuple[Then, Otherwise]] = {}

    def request(self, name: str, params: JsonValue) -> Request:
        """Create a request on behalf of the bridge, to be passed to `ask`."""
        method = self._older.METHODS["client"][name]
        return Request("", method, method.codec.decode(method.params, params))

    def ask(self, request: Request, then: Then, otherwise: Otherwise) -> None:
        """Pass a request to the handler.

        `then` is called with the result as JSON, or `otherwise` with the error.
        """
        self._open[request] = then, otherwise
        self._events.append(request)

    def cancel(self, request: Request) -> bool:
        """Cancel a request passed to the handler and return whether it was still pending."""
        if request not in self._open:
            return False
        self._events.append(Cancellation((request,)))
        return True

    def tell(self, life: Opened | Closed) -> None:
        """Notify the handler that a session was opened or closed."""
        self._events.append(life)
        if isinstance(life, Closed):
            for key in [key for key in self.watched if key[0] == life.session_id]:
                del self.watched[key]

    def look(self) -> None:
        """Request the running terminals' new output from the handler.

        The code that runs the handler must call this method periodically, since this class has no
        timers.
        """
        for ask in list(self.watched.values()):
            ask()

    def close(self) -> None:
        """Cancel all requests, respond to them with an error and stop watching terminals."""
        self.watched.clear()
        for request in list(self._open):
            self._events.append(Cancellation((request,)))
            self.fail(request, RequestError.request_cancelled())

    def take_events(self) -> list[ForHandler]:
        """Return the handler events that were added since the last call."""
        events, self._events = self._events, []
        return events

    def respond(self, request: Request, result: Any) -> None:
        """Process the handler's result for a request. None represents an empty object."""
        if request not in self._open:
            return
        then, otherwise = self._open.pop(request)
        method = request.method
        try:
            answer = self._older.decode(method.result, {}) if result is None else result
            data: JsonValue = self._older.encode(answer, method.result)
        except (DecodeError, EncodeError) as error:
            _log.error("cannot send the result of %s: %s", method.name, error)
            otherwise(RequestError.internal_error())
        else:
            then(data)

    def fail(self, request: Request, error: RequestError) -> None:
        """Process the handler's error for a request."""
        if request in self._open:
            _, otherwise = self._open.pop(request)
            otherwise(error)
