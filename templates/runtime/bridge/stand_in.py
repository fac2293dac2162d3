"""`StandIn`: a handler of the older version that answers in place of the client.

v2 clients have no files and no terminals, which v1 agents can request. The runner of the handler
gets such requests here (`take_events`), and brings its responses back. Each request gets one
response: later ones are ignored. `close` responds to all.
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

# What advertises these methods.
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
    """The requests for a handler that stands in for the client.

    Attributes:
        methods: the names of the methods that it handles, without methods that it states to
            be absent.
        capabilities: the capabilities of the client that advertise them, as JSON.
        watched: by session and terminal, asks the handler for new output of a terminal that runs.
        shown: how many pieces of output the client was sent.
    """

    def __init__(
        self, handler: Handler | type[Handler], older: Surface, absent: frozenset[str]
    ) -> None:
        """Start without requests. The newer version lacks the `absent` methods of clients.

        Raises:
            EncodeError: If the statements of the handler do not match the schema.
            TypeError: If it is not a handler of clients of the older version.
        """
        cls = handler if isinstance(handler, type) else type(handler)
        if (getattr(cls, "surface", None), getattr(cls, "side", None)) != (older, "client"):
            version = older.SCHEMA.protocol_version
            raise TypeError(
                f"{cls.__qualname__} is no handler of clients of protocol version {version}"
            )
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
        """Return a request of the bridge's own, for `ask`."""
        method = self._older.METHODS["client"][name]
        return Request("", method, method.codec.decode(method.params, params))

    def ask(self, request: Request, then: Then, otherwise: Otherwise) -> None:
        """Hand a request to the handler. Its result is passed on as JSON."""
        self._open[request] = then, otherwise
        self._events.append(request)

    def cancel(self, request: Request) -> bool:
        """Tell the handler that a request is cancelled; return whether it has that request."""
        if request not in self._open:
            return False
        self._events.append(Cancellation((request,)))
        return True

    def tell(self, life: Opened | Closed) -> None:
        """Tell the handler that a session is open or closed."""
        self._events.append(life)
        if isinstance(life, Closed):
            for key in [key for key in self.watched if key[0] == life.session_id]:
                del self.watched[key]

    def look(self) -> None:
        """Ask the handler for new output of the terminals that run.

        Nothing here keeps time: the runner of the handler calls this from time to time.
        """
        for ask in list(self.watched.values()):
            ask()

    def close(self) -> None:
        """Cancel all requests, and answer them. No terminal is watched any more."""
        self.watched.clear()
        for request in list(self._open):
            self._events.append(Cancellation((request,)))
            self.fail(request, RequestError.request_cancelled())

    def take_events(self) -> list[ForHandler]:
        """Return what there is for the handler: the events since the last call."""
        events, self._events = self._events, []
        return events

    def respond(self, request: Request, result: Any) -> None:
        """Take the handler's result of a request; None stands for one without members."""
        if request not in self._open:
            return
        then, otherwise = self._open.pop(request)
        method = request.method
        try:
            answer = self._older.decode(method.result, {}) if result is None else result
            data: JsonValue = self._older.encode(answer, method.result)
        except (DecodeError, EncodeError) as error:
            _log.error("the result of %s cannot be sent: %s", method.name, error)
            otherwise(RequestError.internal_error())
        else:
            then(data)

    def fail(self, request: Request, error: RequestError) -> None:
        """Take the handler's error for a request."""
        if request in self._open:
            _, otherwise = self._open.pop(request)
            otherwise(error)
