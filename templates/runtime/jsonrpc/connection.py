"""`Connection`: one side of a JSON-RPC connection, without input or output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast

from ..values import jsontext
from ..values.errors import DecodeError, Issue
from ..values.unset import UNSET
from .errors import INVALID_REQUEST, PARSE_ERROR, ConnectionClosed, RequestError, VersionMismatch
from .events import Cancellation, Event, Failure, Ignored, Notification, Refused, Request, Response
from .framing import Lines, LineTooLong
from .messages import (
    CANCEL_REQUEST,
    INITIALIZE,
    RequestId,
    as_integer,
    classify,
    invalid_params,
    is_id,
    is_object,
    peek_initialize,
    pick_version,
)
from .method import Kind, Method, Surface, not_handled
from .replies import Batch, error_response, internal_error

P = TypeVar("P")
R = TypeVar("R")

MAX_LINE = 128 * 1024 * 1024


class Connection:
    """One side of a connection: turns received bytes into events, and calls into bytes to send.

    Each received request gets exactly one reply, each notification none. Not safe for threads.

    Attributes:
        side: `agent` or `client`.
        advertised: what the peer sent in `initialize`: its params or result; None before.
    """

    def __init__(
        self,
        side: Literal["agent", "client"],
        surface: Surface | Callable[[int], Surface],
        *,
        max_line: int = MAX_LINE,
        on_issue: Callable[[Method[Any, Any], Issue], object] | None = None,
    ) -> None:
        """Start as `side`.

        Args:
            side: the side that this connection is.
            surface: the surface to speak, such as the module `v1`. An agent that speaks several
                versions passes a function instead: it is called with the version that `initialize`
                asks for, and returns the surface or raises RequestError (see `pick_version`).
                Until then, any other request is refused.
            max_line: the length of the longest line to accept, in bytes.
            on_issue: called for each issue of decoding, see `decode`. It must not raise: if it
                does, the messages that arrived with the issue are lost.
        """
        self.side: Literal["agent", "client"] = side
        self.advertised: Any = None
        self._surface: Surface | None = None
        self._choose_surface: Callable[[int], Surface] | None = None
        self._methods: dict[str, Method[Any, Any]] = {}
        self._allows_null_id = True
        self._on_issue = on_issue
        self._lines = Lines(max_line)
        self._output: list[bytes] = []
        self._last_id = 0
        self._pending: dict[RequestId, Method[Any, Any]] = {}
        self._requests: dict[Request, Batch | None] = {}
        self._requests_by_id: dict[RequestId, list[Request]] = {}
        self._ended = False
        self._closed = False
        if callable(surface):
            self._choose_surface = surface
        else:
            self._use_surface(surface)

    def _use_surface(self, surface: Surface) -> None:
        self._surface = surface
        # This side's own methods, and those of neither side: of both, or of a proxy in between.
        # If several methods have the same name, this side's own one counts.
        other = "client" if self.side == "agent" else "agent"
        shared = [table for side, table in surface.METHODS.items() if side != other]
        self._methods = {}
        for table in (*shared, surface.METHODS[self.side]):
            self._methods.update(table)
        self._allows_null_id = surface.NULL_ID

    @property
    def surface(self) -> Surface | None:
        """The surface being spoken; None until `initialize` has decided it."""
        return self._surface

    @property
    def pending(self) -> Mapping[RequestId, Method[Any, Any]]:
        """The requests sent that have no response yet."""
        return MappingProxyType(self._pending)

    @property
    def requests(self) -> tuple[Request, ...]:
        """The requests received that have no response yet."""
        return tuple(self._requests)

    @property
    def has_ended(self) -> bool:
        """Whether the peer will send nothing more."""
        return self._ended

    def data_to_send(self) -> bytes:
        """Return the bytes to write now: those added since the last call."""
        data = b"".join(self._output)
        self._output.clear()
        return data

    def close(self) -> None:
        """Close at once: send no more responses, and disregard everything that still arrives."""
        self._ended = self._closed = True
        self._requests.clear()
        self._requests_by_id.clear()
        self._output.clear()

    # --- sending -----------------------------------------------------------------------------

    def request(self, method: Method[P, R], params: P) -> int:
        """Send a request.

        Returns:
            Its id, which will be that of a Response or a Failure.

        Raises:
            EncodeError: the params do not match the method; nothing is sent.
            ConnectionClosed: no response can arrive any more.
        """
        if self._ended:
            raise ConnectionClosed("the connection is closed")
        encoded = self._require_surface().encode(params, method.params)
        id_ = self._last_id + 1
        self._write({"jsonrpc": "2.0", "id": id_, "method": method.name, "params": encoded})
        self._last_id = id_
        self._pending[id_] = method
        return id_

    def notify(self, method: Method[P, None], params: P) -> None:
        """Send a notification.

        Raises:
            EncodeError: the params do not match the method; nothing is sent.
            ConnectionClosed: the connection is closed.
        """
        encoded = self._require_surface().encode(params, method.params)
        self._write({"jsonrpc": "2.0", "method": method.name, "params": encoded})

    def cancel(self, id: RequestId) -> None:
        """Tell the peer that the response to a request is no longer needed.

        A response still arrives: the result, or an error with the code REQUEST_CANCELLED. Does
        nothing if the request has its response, or the protocol cannot cancel requests.
        """
        if id in self._pending and not self._closed and CANCEL_REQUEST in self._methods:
            params = {"requestId": id}
            self._write({"jsonrpc": "2.0", "method": CANCEL_REQUEST, "params": params})

    def respond(self, request: Request, result: Any) -> None:
        """Respond to a request with its result.

        Raises:
            EncodeError: the result does not match the method; the request still needs a response.
            KeyError: the request has its response.
            ConnectionClosed: the connection is closed.
        """
        encoded = self._require_surface().encode(result, request.method.result)
        text = jsontext.write({"jsonrpc": "2.0", "id": request.id, "result": encoded})
        self._finish_request(request, text)

    def fail(self, request: Request, error: BaseException) -> None:
        """Respond to a request with an error.

        A RequestError is sent as it is, without data that is not JSON. Any other exception is sent
        as INTERNAL_ERROR, without its text.

        Raises:
            KeyError: the request has its response.
            ConnectionClosed: the connection is closed.
        """
        surface = self._require_surface()
        if not isinstance(error, RequestError):
            error = internal_error()
        self._finish_request(request, error_response(request.id, error, surface))

    def _finish_request(self, request: Request, reply: str) -> None:
        if request not in self._requests:
            raise KeyError(f"request {request.id!r} already has its response")
        batch = self._requests.pop(request)
        same_id = self._requests_by_id[request.id]
        same_id.remove(request)
        if not same_id:
            del self._requests_by_id[request.id]
        self._reply(reply, batch)
        if batch is not None:
            self._count_reply(batch)

    def _reply(self, text: str, batch: Batch | None) -> None:
        if batch is None:
            self._output.append(text.encode() + b"\n")
        else:
            batch.replies.append(text)

    def _count_reply(self, batch: Batch) -> None:
        batch.open -= 1
        if batch.open == 0 and batch.replies:
            self._reply(f"[{','.join(batch.replies)}]", None)

    def _require_surface(self) -> Surface:
        if self._closed:
            raise ConnectionClosed("the connection is closed")
        if self._surface is None:
            raise ConnectionClosed("the connection is not initialized")
        return self._surface

    def _write(self, message: dict[str, Any]) -> None:
        self._output.append(jsontext.write(message).encode() + b"\n")

    # --- receiving ---------------------------------------------------------------------------

    def receive(self, data: bytes) -> list[Event]:
        """Process received bytes, in chunks of any size.

        Returns:
            The events of the lines that these bytes complete, in order.
        """
        events: list[Event] = []
        if self._closed:
            return events
        for line in self._lines.feed(data):
            if isinstance(line, LineTooLong):
                error = RequestError(PARSE_ERROR, f"parse error: {line}")
                self._refuse(None, error, None, events)
            else:
                self._receive_line(line, events)
        return events

    def receive_eof(self) -> list[Event]:
        """Process the end of the stream. Requests received before can still get their responses.

        Returns:
            The events of a last line without a line end, and a Failure for each pending request.
        """
        events: list[Event] = []
        line = b"" if self._closed else self._lines.rest()
        if line.rstrip()[-1:] in (b"}", b"]"):
            self._receive_line(line, events)
        elif line.strip():
            events.append(Ignored("the stream ended within a line", line))
        self._ended = True
        for id_, method in self._pending.items():
            events.append(Failure(id_, method, ConnectionClosed("the connection was closed")))
        self._pending.clear()
        return events

    def _receive_line(self, line: bytes, events: list[Event]) -> None:
        try:
            message = jsontext.parse(line)
        except (ValueError, RecursionError) as problem:
            if line.strip():
                self._receive_garbage(line, jsontext.not_json(problem), events)
            return
        self._receive_message(message, None, events)

    def _receive_garbage(self, line: bytes, problem: DecodeError, events: list[Event]) -> None:
        # Text that an agent prints by accident reaches its client. It expects no reply.
        if self.side == "client" and line.lstrip()[:1] not in (b"{", b"["):
            events.append(Ignored("not JSON", line))
        else:
            error = RequestError(PARSE_ERROR, f"parse error: {problem.found}")
            self._refuse(None, error, None, events)

    def _receive_message(self, message: Any, batch: Batch | None, events: list[Event]) -> None:
        match classify(message):
            case "request":
                self._receive_request(message, batch, events)
            case "notification":
                self._receive_notification(message, events)
            case "result" | "error":
                self._receive_response(message, events)
            case "batch" if batch is None and self._allows_batches() and message:
                self._receive_batch(message, events)
            case _:
                self._receive_invalid(message, batch, events)

    def _allows_batches(self) -> bool:
        return self._surface is not None and self._surface.SCHEMA.protocol_version >= 2

    def _receive_batch(self, messages: list[Any], events: list[Event]) -> None:
        batch = Batch()
        for message in messages:
            self._receive_message(message, batch, events)
        self._count_reply(batch)

    def _receive_request(
        self, message: dict[str, Any], batch: Batch | None, events: list[Event]
    ) -> None:
        id_, name = message["id"], message["method"]
        is_first = self._surface is None
        try:
            if is_first:
                self._negotiate(message)
            elif name == INITIALIZE and self.side == "agent":
                self._check_version(message)
            if id_ is None and not self._allows_null_id:
                raise RequestError(INVALID_REQUEST, "invalid request: id must not be null")
            method = self._find_method(name, "request")
            if method is None:
                raise not_handled(name)
            params = self._decode_params(method, message)
        except (DecodeError, RequestError) as error:
            if is_first:  # a refused request decides nothing: the next may ask for another version
                self._surface, self._methods = None, {}
            refusal = invalid_params(error) if isinstance(error, DecodeError) else error
            self._refuse(id_, refusal, batch, events)
            return
        if name == INITIALIZE:
            self.advertised = params
        request = Request(id_, method, params)
        self._requests[request] = batch
        self._requests_by_id.setdefault(id_, []).append(request)
        if batch is not None:
            batch.open += 1
        events.append(request)

    def _negotiate(self, message: dict[str, Any]) -> None:
        """Choose the surface by the version that the first request asks for."""
        version = peek_initialize(message)
        if version is None or self._choose_surface is None:
            raise RequestError(INVALID_REQUEST, "invalid request: initialize comes first")
        self._use_surface(self._choose_surface(version))

    def _check_version(self, message: dict[str, Any]) -> None:
        """Refuse another version, before its params are decoded as those of this one."""
        version = peek_initialize(message)
        if version is not None:
            pick_version(version, (self._require_surface().SCHEMA.protocol_version,))

    def _receive_notification(self, message: dict[str, Any], events: list[Event]) -> None:
        method = self._find_method(message["method"], "notification")
        if method is None:
            events.append(Ignored(f"unknown notification {message['method']!r}", message))
            return
        try:
            params = self._decode_params(method, message)
        except DecodeError as error:
            events.append(Ignored(str(error), message))
            return
        is_cancel = method.name == CANCEL_REQUEST
        if is_cancel and (requests := self._requests_by_id.get(params.request_id)):
            events.append(Cancellation(tuple(requests)))
        events.append(Notification(method, params))

    def _find_method(self, name: str, kind: Kind) -> Method[Any, Any] | None:
        method = self._methods.get(name)
        if method is not None:
            return method if method.kind == kind else method.notification
        if name.startswith("_") and self._surface is not None:
            extension = self._surface.EXTENSIONS.get((self.side, kind))
            return extension and extension.named(name)
        return None

    def _decode_params(self, method: Method[Any, Any], message: dict[str, Any]) -> Any:
        params = message.get("params")
        if params is None and not method.is_extension:
            params = {}  # the schema allows null or no params in a message, but not in their type
        return self._decode(method, method.params, params)

    def _decode(self, method: Method[Any, Any], type_: Any, data: Any) -> Any:
        report = self._on_issue and partial(self._on_issue, method)
        return self._require_surface().decode(type_, data, on_issue=report)

    def _receive_response(self, message: dict[str, Any], events: list[Event]) -> None:
        id_ = message["id"]
        method = self._pending.pop(id_, None)
        if method is None:
            events.append(Ignored("a response to no pending request", message))
        elif "error" in message:
            body = message["error"]
            code = cast(int, as_integer(body["code"]))
            error = RequestError(code, body["message"], body.get("data", UNSET))
            events.append(Failure(id_, method, error))
        else:
            try:
                result = self._decode_result(method, message["result"])
            except (DecodeError, VersionMismatch) as problem:
                events.append(Failure(id_, method, problem))
            else:
                events.append(Response(id_, method, result))

    def _decode_result(self, method: Method[Any, Any], data: Any) -> Any:
        if method.name == INITIALIZE:
            offered = as_integer(data.get("protocolVersion")) if is_object(data) else None
            spoken = self._require_surface().SCHEMA.protocol_version
            if offered is not None and offered != spoken:
                raise VersionMismatch(offered, spoken)
        try:
            result = self._decode(method, method.result, data)
        except DecodeError:
            if data is not None:
                raise
            # Many peers send null for an object without required members.
            result = self._decode(method, method.result, {})
            if self._on_issue is not None:
                self._on_issue(method, Issue("", "expected object, found null", None, "defaulted"))
        if method.name == INITIALIZE:
            self.advertised = result
        return result

    def _receive_invalid(self, message: Any, batch: Batch | None, events: list[Event]) -> None:
        id_: RequestId = None
        if is_object(message):
            id_ = message.get("id") if is_id(message.get("id")) else None
            has_method = "method" in message
            if not has_method and id_ is not None and id_ in self._pending:
                method = self._pending.pop(id_)
                problem = DecodeError("", "either a result or an error", "object", method.name)
                events.append(Failure(id_, method, problem))
                return
            is_response = not has_method and ("result" in message or "error" in message)
            is_notification = type(message.get("method")) is str and "id" not in message
            if is_response or is_notification:  # neither ever gets a reply
                events.append(Ignored("not a JSON-RPC 2.0 message", message))
                return
        self._refuse(id_, RequestError(INVALID_REQUEST, "invalid request"), batch, events)

    def _refuse(
        self, id_: RequestId, error: RequestError, batch: Batch | None, events: list[Event]
    ) -> None:
        if not self._closed:
            self._reply(error_response(id_, error, self._surface), batch)
        events.append(Refused(id_, error))
