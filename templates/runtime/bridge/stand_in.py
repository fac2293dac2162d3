"""`StandIn`: the requests for a fallback handler, which handles them in place of the client.

v2 clients don't support requests of v1 agents for files and terminals. The runner of the handler
gets such requests here (`take_events`) and returns its responses. Each request gets one response;
later responses are ignored. `close` responds to all pending requests.
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

# The capabilities that advertise these methods.
_CAPABILITIES = ("fs", "terminal")


@dataclass(frozen=True, slots=True)
class Opened:
    """A session is open.

    Attributes:
        session_id: its id.
        cwd: its working directory.
        additional_directories: the other directories that it works in.
    """

    session_id: str
    cwd: str
    additional_directories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Closed:
    """A session is closed."""

    session_id: str


ForHandler: TypeAlias = Request | Cancellation | Opened | Closed


class StandIn:
    """The requests for a fallback handler.

    Attributes:
        methods: the names of the methods that it handles, except those declared absent.
        capabilities: the client capabilities that advertise these methods, as JSON.
        watched: callbacks that request new output of a running terminal from the handler, by
            session and terminal.
        shown: the number of output chunks sent to the client.
    """

    def __init__(
        self, handler: Handler | type[Handler], older: Surface, absent: frozenset[str]
    ) -> None:
        """Initialize without requests. `absent` are the client methods that protocol 2 lacks.

        Raises:
            EncodeError: If the statements of the handler do not match the schema.
            TypeError: If it is not a client handler of the older version.
        """
        cls = handler if isinstance(handler, type) else type(handler)
        if (getattr(cls, "surface", None), getattr(cls, "side", None)) != (older, "client"):
            version = older.SCHEMA.protocol_version
            raise TypeError(f"{cls.__qualname__} is not a client handler of protocol {version}")
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
        """Return a new request made by the bridge, for `ask`."""
        method = self._older.METHODS["client"][name]
        return Request("", method, method.codec.decode(method.params, params))

    def ask(self, request: Request, then: Then, otherwise: Otherwise) -> None:
        """Pass a request to the handler. `then` gets the result as JSON."""
        self._open[request] = then, otherwise
        self._events.append(request)

    def cancel(self, request: Request) -> bool:
        """Cancel a request of the handler; return whether the handler has that request."""
        if request not in self._open:
            return False
        self._events.append(Cancellation((request,)))
        return True

    def tell(self, life: Opened | Closed) -> None:
        """Notify the handler that a session is open or closed."""
        self._events.append(life)
        if isinstance(life, Closed):
            for key in [key for key in self.watched if key[0] == life.session_id]:
                del self.watched[key]

    def look(self) -> None:
        """Request new output of the running terminals from the handler.

        The runner of the handler calls this periodically, since this class has no timers.
        """
        for ask in list(self.watched.values()):
            ask()

    def close(self) -> None:
        """Cancel all requests, respond to them and stop watching terminals."""
        self.watched.clear()
        for request in list(self._open):
            self._events.append(Cancellation((request,)))
            self.fail(request, RequestError.request_cancelled())

    def take_events(self) -> list[ForHandler]:
        """Return the events for the handler since the last call."""
        events, self._events = self._events, []
        return events

    def respond(self, request: Request, result: Any) -> None:
        """Process the handler's result of a request. None represents an empty object."""
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
