"""Receiving: converts bytes to lines, lines to messages, and messages to events.

A line contains one message or a batch of messages. Each message is parsed, classified, matched with
its method or with the call that it responds to, and decoded. Invalid data never raises an exception
and is handled as follows:

1. The response to an invalid request is an error (`Refused`).
2. An invalid response makes the corresponding call fail, since no other response will arrive.
3. Other invalid messages are ignored and reported (`Ignored`), since JSON-RPC does not allow
   replies to notifications or responses.
4. For a line that isn't a message, such as a log line, agents send an error response, as JSON-RPC
   requires. Clients only report such a line, since it is probably text that the agent printed by
   accident.
5. A malformed message is accepted if its meaning is clear, and the defect is reported as an issue
   (`accepted`).
6. Requests, batches and lines that exceed a limit are rejected.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, cast

from ..values import jsontext
from ..values.errors import DecodeError, cut, describe, quotation
from ..values.unset import UNSET
from .agreement import Agreement
from .envelope import Message
from .errors import RequestError, VersionMismatch
from .events import (
    Cancellation,
    Event,
    Failure,
    Ignored,
    Notification,
    Refused,
    Request,
    Response,
)
from .limits import Limits
from .messages import (
    CANCEL_REQUEST,
    RequestId,
    as_integer,
    classify,
    error_response,
    has_outcome,
    invalid_params,
    is_id,
    is_meant,
    is_object,
)
from .method import INITIALIZE
from .observing import Observer, observe_with
from .pending import BatchReplies, Calls, Outgoing, Requests
from .recovery import HEAD, TAIL, Embedded, embedded, ends_of, is_whole, may_recover, recover

# A byte-order mark at the beginning of a stream is ignored.
_MARK = b"\xef\xbb\xbf"
_NO_MESSAGE = "not a JSON-RPC 2.0 message"


class LineTooLong(Exception):
    """A line that exceeds the limit. This exception is returned as a value and never raised.

    Attributes:
        limit: the maximum length of a line, in bytes.
        ends: the beginning of the line and, if needed by `recover`, its end.
    """

    def __init__(self, limit: int, ends: bytes) -> None:
        super().__init__(limit, ends)
        self.limit = limit
        self.ends = ends

    def __str__(self) -> str:
        return f"a line of more than {self.limit} bytes"


class Lines:
    """A buffer that splits bytes into lines, in time linear in the number of bytes."""

    def __init__(self, max_line: int) -> None:
        self._max = max_line
        # A single buffer is used, since a list of tiny chunks would use much more memory than the
        # line.
        self._line = bytearray()
        self._size = 0
        self._is_reported = False  # whether an error for the current line has been returned
        self._is_first = True

    def feed(self, data: bytes) -> list[bytes | LineTooLong]:
        """Add bytes and return the completed lines.

        Returns:
            The lines without their line endings, with an error in place of each overlong line.
        """
        complete = data.split(b"\n")
        begun = complete.pop()
        lines: list[bytes | LineTooLong] = []
        # The first branch handles the usual case, in which the lines begin in this data and no line
        # is too long. The first line of a stream is excluded, since it can begin with a byte-order
        # mark.
        if not self._size and len(data) <= self._max and not self._is_first:
            lines.extend(complete)
        else:
            for part in complete:
                self._add(part, lines)
                if not self._is_reported:
                    lines.append(self.rest())
                self._reset()
        if begun:
            self._add(begun, lines)
        return lines

    def rest(self) -> bytes | LineTooLong:
        """Return the unterminated last line of the stream, which can be empty."""
        line, size = bytes(self._line), self._size
        self._reset()
        return line if size <= self._max or not line else LineTooLong(self._max, line)

    def _add(self, part: bytes, lines: list[bytes | LineTooLong]) -> None:
        was_too_long = self._size > self._max
        self._size += len(part)
        if self._is_reported:
            return
        self._line += part
        if self._is_first and self._line.startswith(_MARK):
            del self._line[: len(_MARK)]
            self._size -= len(_MARK)
            self._is_first = False
        if self._size <= self._max:
            return
        # Keep only the beginning and the end of the line, since `recover` doesn't read the rest.
        # The size still includes all bytes.
        del self._line[HEAD : max(HEAD, len(self._line) - TAIL)]
        if not was_too_long and not may_recover(self._line):  # the end isn't needed
            lines.append(LineTooLong(self._max, bytes(self._line)))
            self._line.clear()
            self._is_reported = True

    def _reset(self) -> None:
        self._line.clear()
        self._size = 0
        self._is_reported = self._is_first = False


class Receiver:
    """The receiving half of a connection, which converts lines to events.

    Attributes:
        side: `agent` or `client`.
        source: an object that identifies the connection. Each received `RequestError` refers to it.
    """

    def __init__(
        self,
        side: Literal["agent", "client"],
        agreement: Agreement,
        limits: Limits,
        max_line: int,
        observe: Observer | None,
        *,
        has_envelopes: bool,
    ) -> None:
        self.side: Literal["agent", "client"] = side
        self.source = object()  # not the connection itself, since an error can outlive it
        self._agreement = agreement
        self._outgoing = Outgoing(limits, observe, has_envelopes=has_envelopes)
        self._calls = Calls(limits)
        self._requests = Requests(limits, self._outgoing)
        self._limits = limits
        self._max_line = max_line
        self._observe = observe
        self._lines = Lines(max_line)
        self._size = 0  # the size of the current line; 0 once it has been assigned to a message
        self._is_closed = False

    def receive(self, data: bytes) -> list[Event]:
        """Process a chunk of received bytes, which can have any size.

        Returns:
            The events for the lines completed by these bytes, in order.
        """
        events: list[Event] = []
        if not self._is_closed:
            for line in self._lines.feed(data):
                if isinstance(line, LineTooLong):
                    self._take_too_long(line, events)
                else:
                    self._take(line, events)
        return events

    def receive_messages(self, messages: Iterable[Message]) -> list[Event]:
        """Process messages that were received through a message transport.

        Returns:
            The events for these messages, in order.
        """
        events: list[Event] = []
        if self._is_closed:
            return events
        for message in messages:
            text = message.text
            if len(text) > self._max_line:
                self._take_too_long(LineTooLong(self._max_line, ends_of(text)), events)
            else:
                self._take(text, events, message.value)
        return events

    def _take_rest(self) -> list[Event]:
        """Process an unterminated last line and return its events."""
        events: list[Event] = []
        line = b"" if self._is_closed else self._lines.rest()
        if isinstance(line, LineTooLong):
            self._take_too_long(line, events)
        elif is_whole(line) or embedded(line):
            self._take(line, events)
        elif line.strip():
            events.append(Ignored("the stream ended within a line", line, "cut_off"))
        return events

    def _take_too_long(self, line: LineTooLong, events: list[Event]) -> None:
        if self._observe is not None:
            observe_with(self._observe, "received", line.ends)
        self._take_unreadable(line.ends, str(line), events, is_cut=True)

    def _take(self, line: bytes, events: list[Event], message: Any = UNSET) -> None:
        """Add the events of a line to `events`. `message` is the line's parsed JSON, if known."""
        try:
            message = jsontext.parse(line) if message is UNSET else message
        except (ValueError, RecursionError) as problem:
            if not line.strip():
                return  # a blank line
            if self._observe is not None:
                observe_with(self._observe, "received", line)
            found = embedded(line)
            if found is not None:
                self._size = len(line)
                self._take_embedded(found, events)
            else:
                self._take_unreadable(line, cut(jsontext.not_json(problem).found), events)
            return
        if self._observe is not None:
            observe_with(self._observe, "received", line, message)
        self._size = len(line)
        self._take_message(message, None, events)

    def _take_message(self, message: Any, batch: BatchReplies | None, events: list[Event]) -> None:
        match classify(message):
            case "request":
                self._take_request(message, batch, events)
            case "notification":
                self._take_notification(message, events)
            case "result" | "error":
                self._take_response(message, events)
            case "batch" if batch is None and message:
                self._take_batch(message, events)
            case _:
                self._take_invalid(message, batch, events)

    def _take_request(
        self, message: dict[str, Any], batch: BatchReplies | None, events: list[Event]
    ) -> None:
        id_, agreement = message["id"], self._agreement
        requests, limits = self._requests, self._limits
        is_first = agreement.surface is None
        try:
            method = agreement.admit(message)
            # The limits are checked before decoding, which is the slowest step. The total size can
            # exceed its limit by one line.
            if len(requests.batches) >= limits.requests or requests.size > limits.requests_bytes:
                raise requests.too_many()
            params = agreement.decode_params(method, message.get("params"))
        except (DecodeError, RequestError) as error:
            if is_first:  # the next `initialize` can request another version
                agreement.undo()
            refusal = invalid_params(error) if isinstance(error, DecodeError) else error
            self._refuse(id_, refusal, batch, events)
            return
        if agreement.advertised is None and method.name == INITIALIZE:
            # This attribute is set before the handler runs, since the handler can use it. If the
            # request is rejected, `fail` resets the attribute.
            agreement.advertised = params
        request = Request(id_, method, params, self._size)
        self._size = 0
        requests.add(request, batch)
        events.append(request)

    def _take_notification(self, message: dict[str, Any], events: list[Event]) -> None:
        method = self._agreement.find(message["method"], "notification")
        if method is None:
            reason = self._agreement.reason_for_absence(message["method"])
            reason = reason or f"unknown notification {quotation(message['method'])}"
            events.append(Ignored(reason, message, "unknown"))
            return
        try:
            params = self._agreement.decode_params(method, message.get("params"))
        except (DecodeError, RequestError) as error:
            reason = f"{quotation(method.name)}: {error}"
            events.append(Ignored(reason, message, "invalid"))
            return
        # A cancellation is also passed to the handler as a notification.
        if method.name == CANCEL_REQUEST and (requests := self._cancelled(params.request_id)):
            events.append(Cancellation(requests))
        events.append(Notification(method, params, self._size))
        self._size = 0

    def _cancelled(self, id_: RequestId) -> tuple[Request, ...]:
        """Return the requests that a cancellation refers to."""
        requests = self._requests.cancel(id_)
        if not requests and (requests := self._requests.cancel_spelled(id_)):
            reason = _other_type(requests[0].id, id_)
            self._agreement.accept(reason, id_, CANCEL_REQUEST, "/params/requestId")
        return requests

    def _take_response(self, message: dict[str, Any], events: list[Event]) -> None:
        # Even if the result is invalid, the call is complete, since no other response will arrive.
        id_ = message["id"]
        method = self._calls.take(id_)
        if method is None and (spelled := self._calls.spelled(id_)) is not None:
            name = self._calls.pending[spelled].name
            self._agreement.accept(_other_type(spelled, id_), id_, name, "/id")
            self._take_response({**message, "id": spelled}, events)
        elif method is None:
            events.append(_stray(message))
        elif (body := message.get("error")) is not None:
            code = cast(int, as_integer(body["code"]))
            error = RequestError(code, body["message"], body.get("data", UNSET))
            error.method, error.source = method.name, self.source
            events.append(Failure(id_, method, error))
        else:
            try:
                result = self._agreement.decode_result(method, message["result"])
            except (DecodeError, RequestError, VersionMismatch) as problem:
                events.append(Failure(id_, method, problem))
            else:
                events.append(Response(id_, method, result))

    def _take_batch(self, messages: list[Any], events: list[Event]) -> None:
        if not self._allows_batches():
            self._refuse_batch(messages, "a batch, which this version does not support", events)
        elif len(messages) > self._limits.batch:
            self._refuse_batch(messages, f"a batch of {len(messages)} messages", events)
        else:
            batch, size = BatchReplies(), self._size
            for message in messages:
                self._take_message(message, batch, events)
            self._requests.keep(batch, size)
            # `open` starts at 1 to prevent early replies from completing the batch. The following
            # call subtracts this extra 1.
            self._requests.count_reply(batch)

    def _allows_batches(self) -> bool:
        surface = self._agreement.surface
        return surface is not None and surface.BATCHES

    def _take_embedded(self, found: Embedded, events: list[Event]) -> None:
        """Process the messages of a line that also contains other text."""
        message = found.messages[0]
        first: dict[str, Any] = message if is_object(message) else message[0]
        id_ = first.get("id")
        spelled = self._calls.spelled(id_)
        call = self._calls.pending.get(id_ if spelled is None else spelled)
        method = first.get("method") or ("" if call is None else call.name)
        reason = f"expected one message on a line, found {found.found}"
        self._agreement.accept(reason, found.text, method)
        for message in found.messages:
            self._take_message(message, None, events)

    # --- invalid data ------------------------------------------------------------------------

    def _take_unreadable(
        self, line: bytes, problem: str, events: list[Event], *, is_cut: bool = False
    ) -> None:
        """Process a line that isn't valid JSON.

        If the line contains recognizable responses, the corresponding calls fail. Recognizable
        requests are rejected.
        """
        before = len(events)
        # If the line contains the response to a call, no other response will arrive, so the call
        # must fail now.
        recovered = recover(line)
        # Clients send no reply to text that the agent printed by accident.
        is_stray = self.side == "client" and recovered is None and not is_cut
        messages = recovered or []
        name = messages[0].get("method") if messages else None
        where = "" if name is None else f", in {quotation(name)}"
        error = RequestError.parse_error(message=f"parse error: {problem}{where}")
        batch = BatchReplies() if self._allows_batches() and line.lstrip()[:1] == b"[" else None
        for message in messages:
            id_, is_response = message.get("id"), has_outcome(message)
            if "method" in message:
                # For a batch that is too large, a single error response is sent below.
                if id_ is not None and len(messages) <= self._limits.batch:
                    self._refuse(id_, error, batch, events)
            elif is_response or "jsonrpc" in message:  # the outcome might be in the unreadable part
                is_pending = self._fail_call(id_, "JSON text", problem, events)
                if is_response and not is_pending:
                    reason = f"response that is not valid JSON: {problem}"
                    events.append(Ignored(reason, line, "stray"))
        if batch is not None:
            self._requests.count_reply(batch)
        if is_stray:
            events.append(Ignored(f"not JSON: {problem}", line, "not_json"))
        elif len(events) == before:
            # JSON-RPC 2.0, section 5: if the id cannot be read, the response has the id null.
            self._refuse(None, error, None, events)

    def _refuse_batch(self, messages: list[Any], found: str, events: list[Event]) -> None:
        """Reject a batch with one error. If it contains responses, the matching calls fail."""
        for message in messages:
            if _is_response(message) and is_id(message.get("id")):
                self._fail_call(message.get("id"), "a single message", found, events)
        if self.side == "client" and not any(map(_is_intended, messages)):
            events.append(Ignored(_NO_MESSAGE, messages, "not_a_message"))
            return
        error = RequestError.invalid_request(message=f"invalid request: {found}")
        self._refuse(None, error, None, events)

    def _take_invalid(self, message: Any, batch: BatchReplies | None, events: list[Event]) -> None:
        """Process JSON that isn't a message, according to the kind of message that it resembles."""
        is_request = _is_intended(message) and "method" in message
        is_response = _is_response(message)
        id_: RequestId = None
        reason, found = _NO_MESSAGE, "object"
        if (is_request or is_response) and is_id(message.get("id")):
            id_ = message.get("id")
        if is_response:
            # A response with a result and an error is contradictory unless one of them is null; see
            # `classify`.
            if None not in (message.get("result"), message.get("error")):
                found = "an object with both a result and an error"
                reason = f"{reason}, but {found}"
            if self._fail_call(id_, "either a result or an error", found, events):
                return
        is_notification = is_request and type(message["method"]) is str and "id" not in message
        is_printed = self.side == "client" and not is_request
        if is_response or is_notification or is_printed:  # no reply is sent
            events.append(Ignored(reason, message, "not_a_message"))
        else:
            self._refuse(id_, RequestError.invalid_request(), batch, events)

    def _fail_call(self, id_: Any, expected: str, found: str, events: list[Event]) -> bool:
        """Make a call fail because of an unusable response. Return whether it was pending."""
        spelled = self._calls.spelled(id_)
        id_ = id_ if spelled is None else spelled
        method = self._calls.take(id_)
        if method is not None:
            events.append(Failure(id_, method, DecodeError("", expected, found, method.name)))
        return method is not None

    def _refuse(
        self, id_: RequestId, error: RequestError, batch: BatchReplies | None, events: list[Event]
    ) -> None:
        # `add` and `finish` aren't used, since the message never became an open request.
        self._requests.reply(id_, error_response(id_, error, self._agreement.surface), batch)
        events.append(Refused(id_, error))


def _stray(message: dict[str, Any]) -> Ignored:
    """Return the event for a response that doesn't belong to a pending request."""
    id_, error = message["id"], message.get("error")
    if id_ is None and error is not None:
        problem = f"{quotation(error['message'])} ({quotation(error['code'])})"
        return Ignored(f"the peer could not read a message: {problem}", message, "error")
    reason = f"response without a pending request, id {quotation(id_)}"
    return Ignored(reason, message, "stray")


def _is_intended(value: Any) -> bool:
    """Return whether a JSON value is intended as a message, rather than as a log line."""
    return is_object(value) and is_meant(value)


def _is_response(value: Any) -> bool:
    """Return whether a JSON value is intended as a response."""
    return _is_intended(value) and has_outcome(value) and "method" not in value


def _other_type(expected: RequestId, found: RequestId) -> str:
    return f"wrong type of request id: expected {describe(expected)}, found {describe(found)}"
