"""`Connection`: one side of a JSON-RPC connection, without input or output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeVar, cast

from ..values import jsontext
from ..values.errors import DecodeError, EncodeError, Issue, cut, quotation
from ..values.unset import UNSET
from .agreement import Agreement, by_version
from .errors import ConnectionClosed, Exit, RequestError, VersionMismatch
from .events import (
    Cancellation,
    Event,
    Failure,
    Ignored,
    Notification,
    Refused,
    Request,
    Response,
    stray,
)
from .framing import Lines, LineTooLong, is_whole, may_recover, recover
from .introducing import INITIALIZE
from .limits import DEFAULT, MAX_LINE, Limits
from .messages import (
    CANCEL_REQUEST,
    RequestId,
    as_integer,
    classify,
    error_response,
    invalid_params,
    is_id,
    is_object,
    quoted,
)
from .method import Extension, Method, Surface
from .observing import Observer, observe_with
from .pending import Batch, Calls, Requests

P = TypeVar("P")
R = TypeVar("R")


class Connection:
    """One side of a connection: turns received bytes into events, and calls into bytes to send.

    Each received request gets exactly one reply, each notification none. Not safe for threads.

    Attributes:
        side: `agent` or `client`.
        how_ended: how the stream has ended, as `receive_eof` was told; empty if nothing is known.
        exit: how the program of the peer has ended, as `receive_eof` was told.
    """

    def __init__(
        self,
        side: Literal["agent", "client"],
        surface: Surface | Callable[[int], Surface],
        *,
        max_line: int = MAX_LINE,
        limits: Limits = DEFAULT,
        initialize_first: bool = False,
        on_issue: Callable[[Issue], object] | None = None,
        observe: Observer | None = None,
    ) -> None:
        """Start as `side`.

        Args:
            side: the side that this connection is.
            surface: the surface to speak, such as the module `v1`. A side that speaks several
                versions passes a function instead, which returns the surface or raises
                RequestError. For an agent, it is called with the version that `initialize` asks for
                (see `pick_version`); for a client, with the one of `initialize` that the agent
                answers. Until then, any other request is refused.
            max_line: the length of the longest line to accept, in bytes.
            limits: how much to keep for the peer.
            initialize_first: whether an agent refuses requests of the protocol, other than
                extensions, before `initialize`.
            on_issue: called for each issue of decoding, see `decode`. What it raises is logged.
            observe: called for each line that is sent or received. What it raises is logged.
        """
        self.side: Literal["agent", "client"] = side
        self._agreement = Agreement(
            side, surface, initialize_first=initialize_first, on_issue=on_issue
        )
        self._observe = observe
        self._lines = Lines(max_line)
        self._size = 0  # of the line being processed, as long as none of its messages has it
        self._limits = limits
        self._output: list[bytes] = []
        self._source = object()  # of the errors that it receives
        self._calls = Calls(limits)
        self._requests = Requests(limits)
        self._ended = False
        self.how_ended = ""
        self.exit: Exit | None = None
        self._closed = False

    @property
    def surface(self) -> Surface | None:
        """The surface being spoken; None until `initialize` has decided it."""
        return self._agreement.surface

    @property
    def advertised(self) -> Any:
        """What the peer sent in `initialize`: its params or result; None before."""
        return self._agreement.advertised

    def speak(self, surface: Surface) -> None:
        """Speak a surface from now on, whatever version `initialize` asks for."""
        self._agreement.speak(surface)

    def extend(self, extensions: Iterable[Extension]) -> None:
        """Handle the methods of these extensions of the surface, too, and of no others."""
        self._agreement.extend(extensions)

    @property
    def pending(self) -> Mapping[RequestId, Method[Any, Any]]:
        """The requests sent that have no response yet."""
        return self._calls.pending

    @property
    def requests(self) -> tuple[Request, ...]:
        """The requests received that have no response yet."""
        return self._requests.open

    @property
    def has_ended(self) -> bool:
        """Whether the peer will send nothing more."""
        return self._ended

    def data_to_send(self) -> bytes:
        """Return the bytes to write now: those added since the last call."""
        if not self._output:
            return b""
        data = b"".join(self._output)
        self._output.clear()
        return data

    def closed_error(self, text: str = "the connection was closed") -> ConnectionClosed:
        """Make the error of what the end of the connection prevents, which says how it ended."""
        how = f": {self.how_ended}" if self.how_ended else ""
        return ConnectionClosed(f"{text}{how}", exit=self.exit)

    def close(self) -> None:
        """Close at once: send no more responses, and disregard everything that still arrives."""
        self._ended = self._closed = True
        self._requests.clear()
        self._output.clear()

    # --- sending -----------------------------------------------------------------------------

    def request(self, method: Method[P, R], params: P) -> int:
        """Send a request.

        Returns:
            Its id, which will be that of a Response or a Failure.

        Raises:
            EncodeError: the params do not match the method; nothing is sent.
            ConnectionClosed: no response can arrive any more.
            LimitExceeded: too many requests have no response yet.
        """
        if self._ended:
            raise self.closed_error()
        self.require_surface()
        return self._call(method, method.codec.dumps(params, method.params))

    def initialize(self, *requests: Any) -> int:
        """Send `initialize` for several protocol versions at once.

        The request asks for the highest of them and has the members of all. The version that the
        agent answers decides the surface.

        Args:
            requests: the params of each surface, of which no two have the same version.

        Returns:
            Its id, which will be that of a Response or a Failure.

        Raises:
            EncodeError: some params do not match their surface; nothing is sent.
            TypeError: something is not the params of `initialize`.
            ValueError: two have the same version, or none has the one that is spoken already.
            ConnectionClosed: no response can arrive any more.
            LimitExceeded: too many requests have no response yet.
        """
        if self._ended:
            raise self.closed_error()
        given = by_version(requests)
        versions = [self._agreement.version] if self.surface else sorted(given, reverse=True)
        if not given.keys() >= set(versions) or not versions:
            if not versions:
                raise ValueError("initialize has no params; pass those of each surface to ask for")
            missing = f"initialize has no params for protocol version {versions[0]}, spoken here"
            raise ValueError(f"{missing}; pass those of its surface")
        members: dict[str, Any] = {}
        for version in versions:  # what several of them have is that of the highest
            surface, request = given[version]
            params = surface.encode(request, surface.METHODS["agent"][INITIALIZE].params)
            members = {**params, **members}
        members["protocolVersion"] = versions[0]
        self._agreement.asked = versions
        method = given[versions[0]][0].METHODS["agent"][INITIALIZE]
        return self._call(method, jsontext.write(members))

    def _call(self, method: Method[Any, Any], params: str) -> int:
        id_ = self._calls.next_id()
        name = quoted(method.name)
        text = f'{{"jsonrpc":"2.0","id":{id_},"method":{name},"params":{params}}}'
        self._send(text.encode())
        self._calls.add(id_, method)
        return id_

    def notify(self, method: Method[P, None], params: P) -> None:
        """Send a notification.

        Raises:
            EncodeError: the params do not match the method; nothing is sent.
            ConnectionClosed: the connection is closed.
        """
        self.require_surface()
        self._notify(method.name, method.codec.dumps(params, method.params))

    def cancel(self, id: RequestId) -> Failure | None:
        """Tell the peer that the response to a request is no longer needed.

        A response still arrives: the result, or an error with the code REQUEST_CANCELLED. Does
        nothing if the request has its response. Sends nothing if the protocol cannot cancel
        requests.

        Returns:
            The failure of a request that was cancelled before and is given up for this one, if
            there are too many: its response will be a stray one.
        """
        if id not in self._calls.pending:
            return None
        if not self._closed and self._agreement.has(CANCEL_REQUEST):
            self._notify(CANCEL_REQUEST, jsontext.write({"requestId": id}))
        self._calls.cancel(id)
        given_up = self._calls.give_up()
        return given_up and Failure(*given_up, RequestError.request_cancelled())

    def _notify(self, method: str, params: str) -> None:
        text = f'{{"jsonrpc":"2.0","method":{quoted(method)},"params":{params}}}'
        self._send(text.encode())

    def respond(self, request: Request, result: Any) -> None:
        """Respond to a request with its result.

        Args:
            request: the request.
            result: its result; None for an object without members.

        Raises:
            EncodeError: the result does not match the method, or that of `initialize` names a
                version that this connection does not speak; the request still needs a response.
            KeyError: the request has its response.
            ConnectionClosed: the connection is closed.
        """
        self.require_surface()
        method = request.method
        if result is None and not method.is_extension:
            result = self._agreement.empty_result(method)
        text = method.codec.dumps(result, method.result)
        is_initialize = method.name == INITIALIZE
        if is_initialize:
            self._check_version(jsontext.loads(text)["protocolVersion"])
        # An id is a number or a string, as it was received.
        id_ = request.id if request.id.__class__ is int else jsontext.write(request.id)
        self._finish_request(request, f'{{"jsonrpc":"2.0","id":{id_},"result":{text}}}')
        if is_initialize:
            self._agreement.advertised = request.params

    def _check_version(self, answered: Any) -> None:
        if not self._agreement.is_spoken(answered):
            spoken = f"this connection speaks version {self._agreement.version}"
            raise EncodeError("/protocolVersion", f"{answered!r}, but {spoken}")

    def fail(self, request: Request, error: BaseException) -> None:
        """Respond to a request with an error.

        A RequestError is sent as `as_own` returns it, without data that is not JSON. Any other
        exception is sent as INTERNAL_ERROR, without its text. A first `initialize` that is refused
        has no effect.

        Raises:
            KeyError: the request has its response.
            ConnectionClosed: the connection is closed.
        """
        surface = self.require_surface()
        if not isinstance(error, RequestError):
            error = RequestError.internal_error()
        error = self.as_own(error)
        self._finish_request(request, error_response(request.id, error, surface))
        if request.method.name == INITIALIZE and self.advertised is request.params:
            self._agreement.undo(keep_surface=bool(self._requests or self._calls.pending))

    def has_received(self, error: BaseException) -> bool:
        """Return whether an error is the peer's answer to a request of this side."""
        return isinstance(error, RequestError) and error.source is self._source

    def as_own(self, error: RequestError) -> RequestError:
        """Return an error as one of this side, which says what call of it has failed, and how.

        The peer never gets its own error back, of whatever code: it would take
        AUTHENTICATION_REQUIRED for a demand to sign in, and REQUEST_CANCELLED for the answer to a
        cancelling of its own. An error that another connection has received is passed on, as
        bridges need it.
        """
        return error.as_failed_call() if self.has_received(error) else error

    def _finish_request(self, request: Request, reply: str) -> None:
        batch = self._requests.remove(request)
        if batch is None:
            self._send(reply.encode())
        else:
            self._reply(reply, batch)
            self._count_reply(batch)

    def _reply(self, text: str, batch: Batch | None) -> None:
        """Send a reply, or keep it with those of its batch."""
        reply = text.encode()
        if batch is None:
            self._send(reply)
        else:
            batch.replies.append(reply)
            self._requests.keep(batch, len(reply))

    def _send(self, line: bytes) -> None:
        self._output.append(line + b"\n")
        if self._observe is not None:
            observe_with(self._observe, "sent", line)

    def _count_reply(self, batch: Batch) -> None:
        batch.open -= 1
        if batch.open == 0:
            self._requests.forget(batch)
            if batch.replies:
                self._send(b"[%b]" % b",".join(batch.replies))

    def require_surface(self) -> Surface:
        """Return the surface that is spoken.

        Raises:
            ConnectionClosed: the connection is closed, or not initialized yet.
        """
        surface = self._agreement.surface
        if self._closed:
            raise self.closed_error()
        if surface is None:
            raise ConnectionClosed("the connection is not initialized")
        return surface

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
            self._receive_line(line, events)
        return events

    def receive_eof(self, how: str = "", exit: Exit | None = None) -> list[Event]:
        """Process the end of the stream. Requests received before can still get their responses.

        Args:
            how: how the stream has ended, for the errors of calls; empty if nothing is known.
            exit: how the program of the peer has ended, for them; None if nothing is known.

        Returns:
            The events of a last line without a line end, and a Failure for each pending request.
        """
        events: list[Event] = []
        line = b"" if self._closed else self._lines.rest()
        if isinstance(line, LineTooLong) or is_whole(line):
            self._receive_line(line, events)
        elif line.strip():
            events.append(Ignored("the stream ended within a line", line, "cut_off"))
        self._ended = True
        self.how_ended = how or self.how_ended
        self.exit = exit or self.exit
        for id_, method in self._calls.take_all():
            events.append(Failure(id_, method, self.closed_error()))
        return events

    def _receive_line(self, line: bytes | LineTooLong, events: list[Event]) -> None:
        if isinstance(line, LineTooLong):
            if self._observe is not None:
                observe_with(self._observe, "received", line.ends)
            self._receive_unreadable(line.ends, str(line), events, is_stray=False)
            return
        if not line or line.isspace():
            return
        try:
            message = jsontext.parse(line)
        except (ValueError, RecursionError) as problem:
            if self._observe is not None:
                observe_with(self._observe, "received", line)
            # Text that an agent prints by accident reaches its client. It expects no reply.
            is_stray = self.side == "client" and not may_recover(line)
            reason = cut(jsontext.not_json(problem).found)
            self._receive_unreadable(line, reason, events, is_stray=is_stray)
            return
        if self._observe is not None:
            observe_with(self._observe, "received", line, message)
        self._size = len(line)
        self._receive_message(message, None, events)

    def _receive_unreadable(
        self, line: bytes, problem: str, events: list[Event], *, is_stray: bool
    ) -> None:
        """Settle what a line that is not JSON calls or answers, as far as that can be read."""
        before = len(events)
        messages = recover(line)
        name = messages[0].get("method") if messages else None
        where = "" if name is None else f", in {quotation(name)}"
        error = RequestError.parse_error(message=f"parse error: {problem}{where}")
        batch = Batch() if self._allows_batches() and line.lstrip()[:1] == b"[" else None
        for message in messages:
            id_, is_response = message.get("id"), "result" in message or "error" in message
            if "method" in message:
                if id_ is not None and len(messages) <= self._limits.batch:
                    self._refuse(id_, error, batch, events)
            elif not self._fail_call(id_, "JSON text", problem, events) and is_response:
                events.append(Ignored(f"a response that is not JSON: {problem}", line, "stray"))
        if batch is not None:
            self._count_reply(batch)
        if is_stray:
            events.append(Ignored(f"not JSON: {problem}", line, "not_json"))
        elif len(events) == before:
            self._refuse(None, error, None, events)

    def _fail_call(self, id_: Any, expected: str, found: str, events: list[Event]) -> bool:
        """Report that the only answer to a call cannot be used; return whether it is pending."""
        method = self._calls.take(id_)
        if method is not None:
            events.append(Failure(id_, method, DecodeError("", expected, found, method.name)))
        return method is not None

    def _receive_message(self, message: Any, batch: Batch | None, events: list[Event]) -> None:
        match classify(message):
            case "request":
                self._receive_request(message, batch, events)
            case "notification":
                self._receive_notification(message, events)
            case "result" | "error":
                self._receive_response(message, events)
            case "batch" if batch is None and message:
                self._receive_batch(message, events)
            case _:
                self._receive_invalid(message, batch, events)

    def _allows_batches(self) -> bool:
        return self._agreement.version >= 2

    def _receive_batch(self, messages: list[Any], events: list[Event]) -> None:
        if not self._allows_batches():
            self._refuse_batch(messages, "a batch, which this version does not have", events)
        elif len(messages) > self._limits.batch:
            self._refuse_batch(messages, f"a batch of {len(messages)} messages", events)
        else:
            batch, size = Batch(), self._size
            for message in messages:
                self._receive_message(message, batch, events)
            self._requests.keep(batch, size)
            self._count_reply(batch)

    def _refuse_batch(self, messages: list[Any], found: str, events: list[Event]) -> None:
        for message in messages:
            if is_object(message) and "method" not in message and is_id(message.get("id", ...)):
                self._fail_call(message["id"], "a single message", found, events)
        error = RequestError.invalid_request(message=f"invalid request: {found}")
        self._refuse(None, error, None, events)

    def _receive_request(
        self, message: dict[str, Any], batch: Batch | None, events: list[Event]
    ) -> None:
        id_, agreement = message["id"], self._agreement
        is_first = agreement.surface is None
        try:
            method = agreement.admit(message)
            self._requests.require_room()
            params = agreement.decode_params(method, message.get("params"))
        except (DecodeError, RequestError) as error:
            if is_first:
                agreement.undo()
            refusal = invalid_params(error) if isinstance(error, DecodeError) else error
            self._refuse(id_, refusal, batch, events)
            return
        if agreement.advertised is None and method.name == INITIALIZE:
            agreement.advertised = params
        request = Request(id_, method, params, self._size)
        self._size = 0
        self._requests.add(request, batch)
        events.append(request)

    def _receive_notification(self, message: dict[str, Any], events: list[Event]) -> None:
        method = self._agreement.find(message["method"], "notification")
        if method is None:
            reason = f"unknown notification {quotation(message['method'])}"
            events.append(Ignored(reason, message, "unknown"))
            return
        try:
            params = self._agreement.decode_params(method, message.get("params"))
        except DecodeError as error:
            reason = f"{quotation(method.name)}: {error}"
            events.append(Ignored(reason, message, "invalid"))
            return
        is_cancel = method.name == CANCEL_REQUEST
        if is_cancel and (requests := self._requests.cancel(params.request_id)):
            events.append(Cancellation(requests))
        events.append(Notification(method, params, self._size))
        self._size = 0

    def _receive_response(self, message: dict[str, Any], events: list[Event]) -> None:
        id_ = message["id"]
        method = self._calls.take(id_)
        if method is None:
            events.append(stray(message))
        elif (body := message.get("error")) is not None:
            code = cast(int, as_integer(body["code"]))
            error = RequestError(code, body["message"], body.get("data", UNSET))
            error.method, error.source = method.name, self._source
            events.append(Failure(id_, method, error))
        else:
            try:
                result = self._agreement.decode_result(method, message["result"])
            except (DecodeError, RequestError, VersionMismatch) as problem:
                events.append(Failure(id_, method, problem))
            else:
                events.append(Response(id_, method, result))

    def _receive_invalid(self, message: Any, batch: Batch | None, events: list[Event]) -> None:
        id_: RequestId = None
        if is_object(message):
            id_ = message.get("id") if is_id(message.get("id")) else None
            has_method = "method" in message
            outcome = message.get("result"), message.get("error")
            reason, found = "not a JSON-RPC 2.0 message", "object"
            if not has_method and None not in outcome:
                found = "an object that has both a result and an error"
                reason = f"{reason}, but {found}"
            expected = "either a result or an error"
            if not has_method and self._fail_call(id_, expected, found, events):
                return
            is_response = not has_method and ("result" in message or "error" in message)
            is_notification = type(message.get("method")) is str and "id" not in message
            if is_response or is_notification:  # neither ever gets a reply
                events.append(Ignored(reason, message, "not_a_message"))
                return
        self._refuse(id_, RequestError.invalid_request(), batch, events)

    def _refuse(
        self, id_: RequestId, error: RequestError, batch: Batch | None, events: list[Event]
    ) -> None:
        if not self._closed:
            self._reply(error_response(id_, error, self.surface), batch)
        events.append(Refused(id_, error))
