"""`Connection`: one side of a JSON-RPC connection, without I/O.

`Connection` sends messages. The base class in `receiving` converts received data to events. The two
classes share the open requests of both sides (`pending`) and the negotiated surface (`agreement`).

A connection ends in two steps:

1. At the end of the stream (`receive_eof`), an unterminated last line is processed, since it might
   be a response. After that, all calls without a response fail. Responses to requests that were
   received earlier can still be sent.
2. After `close`, nothing more is sent, and all received data is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Literal, TypeVar

from ..values import jsontext
from ..values.errors import EncodeError, Issue
from .agreement import Agreement, by_version
from .envelope import Message
from .errors import ConnectionClosed, Exit, RequestError
from .events import Event, Failure, Request
from .limits import DEFAULT, MAX_LINE, Limits
from .logs import logger_of
from .messages import CANCEL_REQUEST, RequestId, as_integer, error_response, quoted
from .method import INITIALIZE, VERSION, CapabilityRequirement, Extension, Method, Surface
from .observing import Observer
from .receiving import Receiver

P = TypeVar("P")
R = TypeVar("R")

# The maximum number of unknown constants logged per connection, and the maximum length of a value.
_UNLISTED, _LONGEST = 100, 80

_log = logger_of(__name__)


class Connection(Receiver):
    """One side of a connection, which converts received bytes to events and encodes calls.

    Exactly one reply is sent for each received request, and none for notifications. This class is
    not thread-safe.

    Attributes:
        side: `agent` or `client`.
        how_ended: a description of how the stream ended, as passed to `receive_eof`, or an empty
            string if unknown.
        error_of_end: the exception class for calls that fail because the connection ended.
        exit: the exit of the peer's program, as passed to `receive_eof`.
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
        refuse_absent: bool = True,
        is_known: Callable[[CapabilityRequirement], bool] | None = None,
        log_unlisted: bool = True,
        has_envelopes: bool = False,
    ) -> None:
        """Create one side of a connection.

        Args:
            side: the role of this side.
            surface: the surface to use, such as the module `v1`. If this side supports several
                versions, this is a function that returns the surface or raises RequestError. On the
                agent's side, the function is called with the version that `initialize` requests
                (see `pick_version`). On the client's side, the function is called with the version
                that the agent selected. Until `initialize` selects a surface, all other requests
                are rejected.
            max_line: the maximum length of a received line, in bytes.
            limits: limits on the data stored for the peer.
            initialize_first: whether an agent rejects other requests before `initialize`. Extension
                requests are always accepted.
            on_issue: called for each decoding issue (see `decode`) and for each malformed message
                that is accepted. By default, accepted messages are logged once for each reason.
                The callback's exceptions are logged.
            observe: called for each line sent or received. The callback's exceptions are logged.
            refuse_absent: whether to reject messages that require a capability that this side
                declared absent in `initialize`. In a bridge, this is false, because the connected
                sides reject such messages.
            is_known: a function that returns whether the peer's version defines a capability that
                params require. If the version doesn't define the capability, the params are not
                rejected. By default, all capabilities are known.
            log_unlisted: whether to log constants sent by this side that the schema does not list,
                except custom values and values that were received. In a bridge, this is false,
                because a bridge only forwards values.
            has_envelopes: whether the caller uses `messages_to_send` instead of `data_to_send`.
        """
        agreement = Agreement(
            side,
            surface,
            initialize_first=initialize_first,
            on_issue=on_issue,
            refuse_absent=refuse_absent,
            is_known=is_known,
        )
        super().__init__(side, agreement, limits, max_line, observe, has_envelopes=has_envelopes)
        self._on_unlisted = UnlistedLog().add if log_unlisted else None
        self._ended = False
        self.how_ended = ""
        self.error_of_end = ConnectionClosed
        self.exit: Exit | None = None

    def report_accepted(self, reason: str, raw: Any, method: str, pointer: str) -> None:
        """Report that a message was accepted although part of it is invalid; see `Agreement`."""
        self._agreement.accept(reason, raw, method, pointer)

    @property
    def surface(self) -> Surface | None:
        """The surface in use, or None until `initialize` selects it."""
        return self._agreement.surface

    @property
    def advertised(self) -> Any:
        """The peer's `initialize` params or result, or None until they are received."""
        return self._agreement.advertised

    def speak(self, surface: Surface) -> None:
        """Use a surface from now on, regardless of the version that `initialize` requests."""
        self._agreement.speak(surface)

    def extend(self, extensions: Iterable[Extension]) -> None:
        """Handle the methods of these extensions, which replace any extensions passed earlier."""
        self._agreement.extend(extensions)

    @property
    def pending(self) -> Mapping[RequestId, Method[Any, Any]]:
        """The methods of sent requests that have no response yet, by request id."""
        return self._calls.pending

    @property
    def requests(self) -> tuple[Request, ...]:
        """The received requests that have no response yet."""
        return tuple(self._requests.batches)

    @property
    def has_ended(self) -> bool:
        """True if nothing more can be received from the peer."""
        return self._ended

    @property
    def queue(self) -> list[Any]:
        """The lines or messages to write. The caller must remove them from this list."""
        return self._outgoing.queue

    def data_to_send(self) -> bytes:
        """Return the bytes added since the last call, to be written to the stream."""
        data = b"".join(self._outgoing.queue)
        self._outgoing.queue.clear()
        return data

    def messages_to_send(self) -> list[Message]:
        """Return the messages added since the last call, to be written to the stream."""
        if not self._outgoing.has_envelopes:
            return []
        messages = self._outgoing.queue.copy()
        self._outgoing.queue.clear()
        return messages

    def closed_error(self, text: str = "the connection was closed") -> ConnectionClosed:
        """Return an error whose text also describes how the connection ended."""
        how = f": {self.how_ended}" if self.how_ended else ""
        return self.error_of_end(f"{text}{how}", exit=self.exit)

    def close(self) -> None:
        """Close the connection immediately. Nothing more is sent, and received data is ignored."""
        # Calls remain open until `receive_eof` makes them fail or `aio.calling` notifies their
        # callers.
        self._ended = self._is_closed = True
        self._requests.close()
        self._outgoing.clear()

    # --- sending -----------------------------------------------------------------------------

    def request(self, method: Method[P, R], params: P) -> int:
        """Send a request.

        Returns:
            The request id, which is also the id of the `Response` or `Failure`.

        Raises:
            EncodeError: If the params do not match the method. Nothing is sent.
            ConnectionClosed: If responses can no longer arrive.
            LimitExceeded: If too many requests have no response yet.
            RuntimeError: If messages about the request's session are being held back; see `hold`.
        """
        if self._ended:  # no response can arrive, though the peer might still read notifications
            raise self.closed_error()
        surface = self._agreement.surface
        if surface is None:
            raise self._unusable()
        if self._outgoing.held:
            self._outgoing.refuse_held(method.name, params)
        text = method.codec.dumps(params, method.params, self._on_unlisted)
        id_ = self._call(method, text, params)
        if method.name == INITIALIZE:
            self._agreement.asked = {self._agreement.version: (surface, params)}
        return id_

    def refuse_held(self, method: str, params: Any) -> None:
        """Check that a request is not about a session whose messages are held back; see `hold`.

        Raises:
            RuntimeError: If messages about the request's session are being held back.
        """
        self._outgoing.refuse_held(method, params)

    def initialize(self, *requests: Any, version: int | None = None) -> int:
        """Send an `initialize` request that offers several protocol versions.

        The request specifies one version, but its params combine the fields of all given requests.
        The version in the agent's response selects the surface.

        Args:
            requests: an `InitializeRequest` for each version.
            version: the version to request; by default, the highest version.

        Returns:
            The request id, which is also the id of the `Response` or `Failure`.

        Raises:
            EncodeError: If a request does not match its surface. Nothing is sent.
            TypeError: If an argument is not an `InitializeRequest`.
            ValueError: If two requests are for the same version, or if a version is already in use
                and no request is for that version.
            ConnectionClosed: If responses can no longer arrive.
            LimitExceeded: If too many requests have no response yet.
        """
        if self._ended:
            raise self.closed_error()
        by_number = by_version(requests)
        # Once a surface is in use, no other version can be negotiated.
        versions = [self._agreement.version] if self.surface else sorted(by_number, reverse=True)
        versions.sort(key=lambda known: known != version)
        if not by_number.keys() >= set(versions) or not versions:
            if not versions:
                raise ValueError(
                    "no params for initialize; pass an InitializeRequest for each surface"
                )
            missing = f"no params for protocol version {versions[0]}, which is in use"
            raise ValueError(f"{missing}; pass an InitializeRequest for it")
        members: dict[str, Any] = {}
        for version in versions:  # for a shared field, the value from the first version is used
            surface, request = by_number[version]
            type_ = surface.METHODS["agent"][INITIALIZE].params
            params = surface.encode(request, type_, on_issue=self._on_unlisted)
            members = {**params, **members}
        members[VERSION] = versions[0]
        self._agreement.asked = {version: by_number[version] for version in versions}
        method = by_number[versions[0]][0].METHODS["agent"][INITIALIZE]
        return self._call(method, jsontext.write(members), None)

    def _call(self, method: Method[Any, Any], params: str, value: Any) -> int:
        name = quoted(method.name)  # done first, since a request that cannot be sent gets no id
        id_ = self._calls.add(method)
        # The message is assembled as text, since the params are already text.
        text = f'{{"jsonrpc":"2.0","id":{id_},"method":{name},"params":{params}}}'
        self._outgoing.send(text.encode(), id_, method.name, value, False)
        return id_

    def notify(self, method: Method[P, None], params: P) -> None:
        """Send a notification.

        Raises:
            EncodeError: If the params do not match the method. Nothing is sent.
            ConnectionClosed: If the connection is closed.
            LimitExceeded: If too many messages about the notification's session are being held
                back; see `hold`.
        """
        if self._is_closed or self._agreement.surface is None:
            raise self._unusable()
        line = _notification(
            method.name, method.codec.dumps(params, method.params, self._on_unlisted)
        )
        self._outgoing.notify(line, method.name, params)

    def hold(self, request: Request, session_id: str) -> None:
        """Hold back messages about a new session until the response with its id is sent.

        Notifications are sent in order, right after the response, or discarded if the response is
        an error. Until the response is sent, requests about the session are rejected.

        Args:
            request: the request that creates the session. If the request already has a response,
                messages are not held back.
            session_id: the id of the session.
        """
        if self.is_open(request) and self._outgoing.hold(session_id, request.method.name):
            self._requests.when_sent(request, partial(self._outgoing.release, session_id))

    def is_open(self, request: Request) -> bool:
        """Return whether a request from the peer is still waiting for a response."""
        return request in self._requests.batches

    def when_responded(self, request: Request, callback: Callable[[bool], None]) -> None:
        """Call a function right after the response to a request is sent.

        Args:
            request: the pending request.
            callback: called with True if the response is a result, and with False if it is an
                error. It is not called if the connection is closed first.
        """
        self._requests.when_sent(request, callback)

    def cancel(self, id: RequestId) -> Failure | None:
        """Notify the peer that the response to a request is no longer needed.

        The peer still responds, either with the result or with a REQUEST_CANCELLED error. If the
        response has already arrived, this method does nothing. If the protocol doesn't support
        cancellation, nothing is sent.

        Returns:
            A failure for the oldest cancelled request if too many cancelled requests are pending.
            That request is abandoned, and its response will be treated as stray. Otherwise, None.
        """
        if id not in self._calls.pending:
            return None
        if not self._is_closed and self._agreement.has(CANCEL_REQUEST):
            line = _notification(CANCEL_REQUEST, jsontext.write({"requestId": id}))
            self._outgoing.send(line, None, CANCEL_REQUEST, None, False)
        given_up = self._calls.cancel(id)
        return given_up and Failure(*given_up, RequestError.request_cancelled())

    def respond(self, request: Request, result: Any) -> None:
        """Respond to a request with a result.

        Args:
            request: the request.
            result: the result, or None for an object without fields.

        Raises:
            EncodeError: If the result does not match the method, or if an `initialize` result
                contains a version that this connection does not speak. The request still needs a
                response.
            KeyError: If the request already has a response.
            ConnectionClosed: If the connection is closed.
        """
        if self._is_closed or self._agreement.surface is None:
            raise self._unusable()
        # Steps that can fail precede `finish`, so the caller can still respond with an error.
        method = request.method
        if result is None and not method.is_extension:
            result = self._agreement.empty_result(method)
        text = method.codec.dumps(result, method.result, self._on_unlisted)
        is_initialize = method.name == INITIALIZE
        if is_initialize:
            answered = jsontext.loads(text)[VERSION]
            if as_integer(answered) != (spoken := self._agreement.version):
                problem = f"{answered!r}, but this connection speaks version {spoken}"
                raise EncodeError(f"/{VERSION}", problem)
        # The response contains the id exactly as it was received.
        id_ = request.id if request.id.__class__ is int else jsontext.write(request.id)
        reply = f'{{"jsonrpc":"2.0","id":{id_},"result":{text}}}'
        self._requests.finish(request, reply, is_result=True)
        # The first `initialize` takes effect when it is received. A later one takes effect when its
        # response is sent.
        if is_initialize:
            self._agreement.advertised = request.params
            self._agreement.introduce(result)

    def fail(self, request: Request, error: BaseException) -> None:
        """Respond to a request with an error.

        A RequestError is converted by `as_own` and sent without data that cannot be written as
        JSON. Any other exception is sent as INTERNAL_ERROR, without its text. If the first
        `initialize` is rejected, it has no effect.

        Raises:
            KeyError: If the request already has a response.
            ConnectionClosed: If the connection is closed.
        """
        surface = self.require_surface()
        if not isinstance(error, RequestError):  # the exception's text might be confidential
            error = RequestError.internal_error()
        error = self.as_own(error)
        reply = error_response(request.id, error, surface)
        self._requests.finish(request, reply, is_result=False)
        # If a later `initialize` is rejected, the first one remains in effect.
        if request.method.name == INITIALIZE and self.advertised is request.params:
            self._agreement.undo(keep_surface=bool(self._requests.batches or self._calls.pending))

    def has_received(self, error: BaseException) -> bool:
        """Return whether an error is the peer's response to a request from this side."""
        return isinstance(error, RequestError) and error.source is self.source

    def as_own(self, error: RequestError) -> RequestError:
        """Convert an error received from the peer to an error of this side.

        The result describes which call failed and why. The peer's own errors are never sent back,
        regardless of their codes: the peer would interpret AUTHENTICATION_REQUIRED as a request to
        sign in, and REQUEST_CANCELLED as the response to its own cancellation. Errors from other
        connections are returned unchanged, since bridges forward them.
        """
        return error.as_failed_call() if self.has_received(error) else error

    def require_surface(self) -> Surface:
        """Return the surface in use.

        Raises:
            ConnectionClosed: If the connection is closed or not initialized yet.
        """
        surface = self._agreement.surface
        if self._is_closed or surface is None:
            raise self._unusable()
        return surface

    def _unusable(self) -> ConnectionClosed:
        """Return the error for a message sent before a surface is selected or after `close`."""
        if self._is_closed:
            return self.closed_error()
        return ConnectionClosed("the connection is not initialized")

    def receive_eof(self, how: str = "", exit: Exit | None = None) -> list[Event]:
        """Process the end of the stream. Responses to earlier requests can still be sent.

        Args:
            how: how the stream ended, for use in error messages; an empty string if unknown.
            exit: the exit of the peer's program, for errors, or None if unknown.

        Returns:
            The events from an unterminated last line, if any, and a `Failure` for each pending
            request.
        """
        events = self._take_rest()  # done first, since the last line can contain a response
        self._ended = True
        # A second call might pass less information.
        self.how_ended = how or self.how_ended
        self.exit = exit or self.exit
        for id_, method in self._calls.take_all():
            events.append(Failure(id_, method, self.closed_error()))
        return events


def _notification(method: str, params: str) -> bytes:
    """Return the line for a notification. `params` is JSON text."""
    return f'{{"jsonrpc":"2.0","method":{quoted(method)},"params":{params}}}'.encode()


class UnlistedLog:
    """The log of sent constants that the schema does not list.

    Each unknown value of a field is logged only once. Most of these values are typos, but they are
    sent regardless, since a later schema could list them.
    """

    def __init__(self) -> None:
        self._logged: set[tuple[str, str]] = set()

    def add(self, issue: Issue) -> None:
        """Log a value, unless it was logged already or too many values were logged.

        Args:
            issue: the issue reported by the encoder.
        """
        value: str = issue.raw
        shown = repr(value) if len(value) <= _LONGEST else f"{value[:_LONGEST]!r}..."
        names = [part for part in issue.pointer.split("/") if part and not part.isdecimal()]
        field = names[-1] if names else "value"
        if (field, shown) in self._logged or len(self._logged) >= _UNLISTED:
            return
        self._logged.add((field, shown))
        _log.warning("%s %s is %s", field, shown, issue.reason, extra={"kind": f"unlisted {field}"})
