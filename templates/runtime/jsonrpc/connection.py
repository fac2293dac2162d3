"""JSON-RPC 2.0 as ACP uses it, without input or output: bytes in, events out; bytes out.

    connection = Connection("agent", v1)
    for event in connection.receive(data):
        ...
    transport.write(connection.data_to_send())

What needs no decision is answered here: unknown methods, bad params, lines that are no messages.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast

from ..values import jsontext
from ..values.errors import DecodeError, EncodeError, Issue
from ..values.record import Record
from ..values.unset import UNSET
from .errors import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ConnectionClosed,
    RequestError,
    VersionMismatch,
)
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

P = TypeVar("P")
R = TypeVar("R")

MAX_LINE = 128 * 1024 * 1024

_log = logging.getLogger(__name__)


class _Batch:
    """Replies to one array, which go out together when the last of them is there."""

    def __init__(self) -> None:
        self.open = 0
        self.replies: list[str] = []


class Connection:
    """One side of a connection: frames, parses, checks, decodes; encodes and keeps accounts.

    Every request that comes is answered exactly once, a notification never. Not safe for threads.
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
            surface: what is spoken, such as the module `v1`; or, for an agent that speaks several
                versions, a function that is called with the version `initialize` asks for and
                gives the surface, or raises a RequestError (see `pick_version`). Until then, any
                other request is refused.
            max_line: the longest line to accept, in bytes.
            on_issue: called for each difference that the default mode of decoding made; it must
                not raise, or what came with it is lost.
        """
        self.side: Literal["agent", "client"] = side
        self.advertised: Any = None
        """What the other side said in `initialize`: its params or result, once it has."""
        self._surface: Surface | None = None
        self._choose: Callable[[int], Surface] | None = None
        self._methods: dict[str, Method[Any, Any]] = {}
        self._null_id = True
        self._on_issue = on_issue
        self._lines = Lines(max_line)
        self._output: list[bytes] = []
        self._last_id = 0
        self._pending: dict[RequestId, Method[Any, Any]] = {}
        self._requests: dict[Request, _Batch | None] = {}
        self._by_id: dict[RequestId, list[Request]] = {}
        self._ended = False
        self._closed = False
        if callable(surface):
            self._choose = surface
        else:
            self._speak(surface)

    def _speak(self, surface: Surface) -> None:
        self._surface = surface
        # Its own methods, and those of neither side: of both, or of one in between. Where one name
        # is several methods, it is the side's own.
        other = "client" if self.side == "agent" else "agent"
        shared = [table for side, table in surface.METHODS.items() if side != other]
        self._methods = {}
        for table in (*shared, surface.METHODS[self.side]):
            self._methods.update(table)
        self._null_id = surface.NULL_ID

    @property
    def surface(self) -> Surface | None:
        """What is spoken; None until `initialize` has decided it."""
        return self._surface

    @property
    def pending(self) -> Mapping[RequestId, Method[Any, Any]]:
        """Our requests that have not been answered."""
        return MappingProxyType(self._pending)

    @property
    def requests(self) -> tuple[Request, ...]:
        """Requests of the other side that have not been answered."""
        return tuple(self._requests)

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come from the other side."""
        return self._ended

    def data_to_send(self) -> bytes:
        """What has to be written now; each call gives what was added since the one before."""
        data = b"".join(self._output)
        self._output.clear()
        return data

    def close(self) -> None:
        """Give up: what is still to be answered will not be, what still comes is not looked at."""
        self._ended = self._closed = True
        self._requests.clear()
        self._by_id.clear()
        self._output.clear()

    # --- sending -----------------------------------------------------------------------------

    def request(self, method: Method[P, R], params: P) -> int:
        """Send a request.

        Returns:
            Its id, which a Response or a Failure will name.

        Raises:
            EncodeError: the params are not of the method's type.
            ConnectionClosed: no answer can come any more.
        """
        if self._ended:
            raise ConnectionClosed("the connection is closed")
        encoded = self._spoken().encode(params, method.params)
        id_ = self._last_id + 1
        self._write({"jsonrpc": "2.0", "id": id_, "method": method.name, "params": encoded})
        self._last_id = id_
        self._pending[id_] = method
        return id_

    def notify(self, method: Method[P, None], params: P) -> None:
        """Send a notification.

        Raises:
            EncodeError: the params are not of the method's type.
            ConnectionClosed: the connection was closed.
        """
        encoded = self._spoken().encode(params, method.params)
        self._write({"jsonrpc": "2.0", "method": method.name, "params": encoded})

    def cancel(self, id: RequestId) -> None:
        """Tell the other side that the answer to one of our requests is no longer wanted.

        The answer comes nevertheless: the result, or an error with the code REQUEST_CANCELLED.
        """
        if id in self._pending and not self._closed and CANCEL_REQUEST in self._methods:
            params = {"requestId": id}
            self._write({"jsonrpc": "2.0", "method": CANCEL_REQUEST, "params": params})

    def respond(self, request: Request, result: Any) -> None:
        """Answer a request with its result.

        Raises:
            EncodeError: it is no result of that method; the request still waits for its answer.
            KeyError: the request was answered before.
            ConnectionClosed: the connection was closed.
        """
        encoded = self._spoken().encode(result, request.method.result)
        text = jsontext.write({"jsonrpc": "2.0", "id": request.id, "result": encoded})
        self._answer(request, text)

    def fail(self, request: Request, error: BaseException) -> None:
        """Answer a request with an error.

        A RequestError is sent as it is, but for data that is no JSON, which is left out; of any
        other exception only that there was one.

        Raises:
            KeyError: the request was answered before.
            ConnectionClosed: the connection was closed.
        """
        self._spoken()
        if not isinstance(error, RequestError):
            error = RequestError(INTERNAL_ERROR, "internal error")
        self._answer(request, self._error_text(request.id, error))

    def _answer(self, request: Request, text: str) -> None:
        if request not in self._requests:
            raise KeyError(f"request {request.id!r} was answered before")
        batch = self._requests.pop(request)
        same_id = self._by_id[request.id]
        same_id.remove(request)
        if not same_id:
            del self._by_id[request.id]
        self._reply(text, batch)
        if batch is not None:
            self._finish(batch)

    def _reply(self, text: str, batch: _Batch | None) -> None:
        if batch is None:
            self._output.append(text.encode() + b"\n")
        else:
            batch.replies.append(text)

    def _finish(self, batch: _Batch) -> None:
        batch.open -= 1
        if batch.open == 0 and batch.replies:
            self._reply(f"[{','.join(batch.replies)}]", None)

    def _error_text(self, id_: RequestId, error: RequestError) -> str:
        body: dict[str, Any] = {"code": error.code, "message": error.message}
        plain = {"code": INTERNAL_ERROR, "message": "internal error"}
        try:
            data = {} if error.data is UNSET else {"data": self._error_data(error.data)}
            return jsontext.write({"jsonrpc": "2.0", "id": id_, "error": {**body, **data}})
        except EncodeError as problem:  # an answer is due all the same
            _log.warning("an error cannot be sent as it is: %s", problem)
        # The data is no JSON; or the message is none; or the id is a number that can only be read.
        for answer in ({"id": id_, "error": body}, {"id": id_, "error": plain}):
            with suppress(EncodeError):
                return jsontext.write({"jsonrpc": "2.0", **answer})
        return jsontext.write({"jsonrpc": "2.0", "id": None, "error": plain})

    def _error_data(self, data: Any) -> Any:
        typed = isinstance(data, Record) and self._surface is not None
        return self._spoken().encode(data) if typed else data

    def _spoken(self) -> Surface:
        if self._closed:
            raise ConnectionClosed("the connection is closed")
        if self._surface is None:
            raise ConnectionClosed("the connection is not initialized")
        return self._surface

    def _write(self, message: dict[str, Any]) -> None:
        self._output.append(jsontext.write(message).encode() + b"\n")

    # --- receiving ---------------------------------------------------------------------------

    def receive(self, data: bytes) -> list[Event]:
        """Take bytes as they come, in chunks of any size.

        Returns:
            What happened, in the order of the lines that the bytes completed.
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
        """Take note that nothing more will come; what came can still be answered.

        Returns:
            What a last line without an end led to, and a Failure for each pending request.
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
        # What an agent prints by mistake reaches its client, and nobody waits for an answer to it.
        if self.side == "client" and line.lstrip()[:1] not in (b"{", b"["):
            events.append(Ignored("not JSON", line))
        else:
            error = RequestError(PARSE_ERROR, f"parse error: {problem.found}")
            self._refuse(None, error, None, events)

    def _receive_message(self, message: Any, batch: _Batch | None, events: list[Event]) -> None:
        match classify(message):
            case "request":
                self._receive_request(message, batch, events)
            case "notification":
                self._receive_notification(message, events)
            case "result" | "error":
                self._receive_answer(message, events)
            case "batch" if batch is None and self._takes_batches() and message:
                self._receive_batch(message, events)
            case _:
                self._receive_invalid(message, batch, events)

    def _takes_batches(self) -> bool:
        return self._surface is not None and self._surface.SCHEMA.protocol_version >= 2

    def _receive_batch(self, messages: list[Any], events: list[Event]) -> None:
        batch = _Batch()
        batch.open = 1  # until all of it is read
        for message in messages:
            self._receive_message(message, batch, events)
        self._finish(batch)

    def _receive_request(
        self, message: dict[str, Any], batch: _Batch | None, events: list[Event]
    ) -> None:
        id_, name = message["id"], message["method"]
        chooses = self._surface is None
        try:
            if chooses:
                self._initialize(message)
            elif name == INITIALIZE and self.side == "agent":
                self._check_version(message)
            if id_ is None and not self._null_id:
                raise RequestError(INVALID_REQUEST, "invalid request: id must not be null")
            method = self._find(name, "request")
            if method is None:
                raise not_handled(name)
            params = self._decode_params(method, message)
        except (DecodeError, RequestError) as error:
            if chooses:  # what is refused decides nothing: the next try may be in another version
                self._surface, self._methods = None, {}
            refusal = invalid_params(error) if isinstance(error, DecodeError) else error
            self._refuse(id_, refusal, batch, events)
            return
        if name == INITIALIZE:
            self.advertised = params
        request = Request(id_, method, params)
        self._requests[request] = batch
        self._by_id.setdefault(id_, []).append(request)
        if batch is not None:
            batch.open += 1
        events.append(request)

    def _initialize(self, message: dict[str, Any]) -> None:
        version = peek_initialize(message)
        if version is None or self._choose is None:
            raise RequestError(INVALID_REQUEST, "invalid request: initialize comes first")
        self._speak(self._choose(version))

    def _check_version(self, message: dict[str, Any]) -> None:
        """Refuse a version that is not spoken here, before its params are taken for ours."""
        version = peek_initialize(message)
        if version is not None:
            pick_version(version, (self._spoken().SCHEMA.protocol_version,))

    def _receive_notification(self, message: dict[str, Any], events: list[Event]) -> None:
        method = self._find(message["method"], "notification")
        if method is None:
            events.append(Ignored(f"unknown notification {message['method']!r}", message))
            return
        try:
            params = self._decode_params(method, message)
        except DecodeError as error:
            events.append(Ignored(str(error), message))
            return
        if method.name == CANCEL_REQUEST and (requests := self._by_id.get(params.request_id)):
            events.append(Cancellation(tuple(requests)))
        events.append(Notification(method, params))

    def _find(self, name: str, kind: Kind) -> Method[Any, Any] | None:
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
            params = {}  # the envelopes allow params to be null or absent, the types do not
        return self._decode(method, method.params, params)

    def _decode(self, method: Method[Any, Any], type_: Any, data: Any) -> Any:
        report = self._on_issue and partial(self._on_issue, method)
        return self._spoken().decode(type_, data, on_issue=report)

    def _receive_answer(self, message: dict[str, Any], events: list[Event]) -> None:
        id_ = message["id"]
        method = self._pending.pop(id_, None)
        if method is None:
            events.append(Ignored("an answer to no request of ours", message))
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
            spoken = self._spoken().SCHEMA.protocol_version
            if offered is not None and offered != spoken:
                raise VersionMismatch(offered, spoken)
        try:
            result = self._decode(method, method.result, data)
        except DecodeError:
            if data is not None:
                raise
            # Many peers answer with null where the schema has an object without required members.
            result = self._decode(method, method.result, {})
            if self._on_issue is not None:
                self._on_issue(method, Issue("", "expected object, found null", None, "defaulted"))
        if method.name == INITIALIZE:
            self.advertised = result
        return result

    def _receive_invalid(self, message: Any, batch: _Batch | None, events: list[Event]) -> None:
        id_: RequestId = None
        if is_object(message):
            id_ = message.get("id") if is_id(message.get("id")) else None
            is_call = "method" in message
            if not is_call and id_ is not None and id_ in self._pending:
                method = self._pending.pop(id_)
                problem = DecodeError("", "either a result or an error", "object", method.name)
                events.append(Failure(id_, method, problem))
                return
            answers = not is_call and ("result" in message or "error" in message)
            notifies = type(message.get("method")) is str and "id" not in message
            if answers or notifies:
                events.append(Ignored("no message of JSON-RPC 2.0", message))
                return
        self._refuse(id_, RequestError(INVALID_REQUEST, "invalid request"), batch, events)

    def _refuse(
        self, id_: RequestId, error: RequestError, batch: _Batch | None, events: list[Event]
    ) -> None:
        if not self._closed:
            self._reply(self._error_text(id_, error), batch)
        events.append(Refused(id_, error))
