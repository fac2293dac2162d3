"""`Connection`: one side of a JSON-RPC connection, without input or output.

This module sends; its base class turns what arrives into events (`receiving`). Both share what is
open, the calls of this side and the requests of the other (`pending`), and the surface that the two
have agreed on (`agreement`).

How it ends:

1. At the end of the stream (`receive_eof`), a last line without a line end may still answer a call.
   Then each call without a response fails. Requests received before can still get their responses.
2. When it is closed (`close`), nothing more is sent, and what arrives is disregarded.
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

# How many unlisted constants are logged for a connection, and the maximum length of a value.
_UNLISTED, _LONGEST = 100, 80

_log = logger_of(__name__)


class Connection(Receiver):
    """One side of a connection: turns received bytes into events, and calls into bytes to send.

    Each received request gets exactly one reply, each notification none. Not safe for threads.

    Attributes:
        side: `agent` or `client`.
        how_ended: how the stream has ended, as `receive_eof` was told; empty if nothing is known.
        error_of_end: the class of the errors that say so.
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
        refuse_absent: bool = True,
        is_known: Callable[[CapabilityRequirement], bool] | None = None,
        log_unlisted: bool = True,
        has_envelopes: bool = False,
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
            on_issue: called for each issue of decoding, see `decode`, and for each message that is
                read although its form is wrong. Without it, these are logged once for each reason.
                What it raises is logged.
            observe: called for each line that is sent or received. What it raises is logged.
            refuse_absent: whether to refuse messages that need a capability which this side stated
                to be absent in `initialize`. A bridge leaves that to the sides that it connects.
            is_known: returns whether the peer's version defines a capability that params need. If
                it does not, the params are not refused. By default, every capability is known.
            log_unlisted: Whether to log the constants that this side sends and the schema does not
                list, except custom values and values that were received. A bridge sends only what
                others wrote.
            has_envelopes: whether `messages_to_send` takes what it sends, not `data_to_send`.
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
        """Report that a message was read although part of it is invalid; see `Agreement.accept`."""
        self._agreement.accept(reason, raw, method, pointer)

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
        return tuple(self._requests.batches)

    @property
    def has_ended(self) -> bool:
        """Whether the peer will send nothing more."""
        return self._ended

    @property
    def queue(self) -> list[Any]:
        """The lines to write, for a transport that takes them from there itself."""
        return self._outgoing.queue

    def data_to_send(self) -> bytes:
        """Return the bytes to write now: those added since the last call."""
        data = b"".join(self._outgoing.queue)
        self._outgoing.queue.clear()
        return data

    def messages_to_send(self) -> list[Message]:
        """Return the messages to write now: those added since the last call."""
        if not self._outgoing.has_envelopes:
            return []
        messages = self._outgoing.queue.copy()
        self._outgoing.queue.clear()
        return messages

    def closed_error(self, text: str = "the connection was closed") -> ConnectionClosed:
        """Return an error that says how the connection has ended."""
        how = f": {self.how_ended}" if self.how_ended else ""
        return self.error_of_end(f"{text}{how}", exit=self.exit)

    def close(self) -> None:
        """Close at once: send no more responses, and disregard everything that still arrives."""
        # The calls stay: `receive_eof` fails them, and whoever waits is told by `aio.calling`.
        self._ended = self._is_closed = True
        self._requests.close()
        self._outgoing.clear()

    # --- sending -----------------------------------------------------------------------------

    def request(self, method: Method[P, R], params: P) -> int:
        """Send a request.

        Returns:
            Its id, which will be that of a Response or a Failure.

        Raises:
            EncodeError: the params do not match the method; nothing is sent.
            ConnectionClosed: no response can arrive any more.
            LimitExceeded: too many requests have no response yet.
            RuntimeError: If it is about a session that is held back, see `hold`.
        """
        if self._ended:  # no response can arrive; a notification may still be read
            raise self.closed_error()
        surface = self.require_surface()
        if self._outgoing.held:
            self._outgoing.refuse_held(method.name, params)
        text = method.codec.dumps(params, method.params, self._on_unlisted)
        id_ = self._call(method, text, params)
        if method.name == INITIALIZE:
            self._agreement.asked = {self._agreement.version: (surface, params)}
        return id_

    def refuse_held(self, method: str, params: Any) -> None:
        """Refuse a request about a session that is held back, see `hold`.

        Raises:
            RuntimeError: If it is.
        """
        self._outgoing.refuse_held(method, params)

    def initialize(self, *requests: Any, version: int | None = None) -> int:
        """Send `initialize` for several protocol versions at once.

        The request asks for one of them and has the members of all. The version that the agent
        answers decides the surface.

        Args:
            requests: the params of each surface, of which no two have the same version.
            version: the version to ask for; by default, the highest of them.

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
        by_number = by_version(requests)
        # Once a surface is spoken, no other version can be agreed on.
        versions = [self._agreement.version] if self.surface else sorted(by_number, reverse=True)
        versions.sort(key=lambda known: known != version)
        if not by_number.keys() >= set(versions) or not versions:
            if not versions:
                raise ValueError("initialize has no params; pass those of each surface to ask for")
            missing = f"initialize has no params for protocol version {versions[0]}, spoken here"
            raise ValueError(f"{missing}; pass those of its surface")
        members: dict[str, Any] = {}
        for version in versions:  # what several of them have is that of the first
            surface, request = by_number[version]
            type_ = surface.METHODS["agent"][INITIALIZE].params
            params = surface.encode(request, type_, on_issue=self._on_unlisted)
            members = {**params, **members}
        members[VERSION] = versions[0]
        self._agreement.asked = {version: by_number[version] for version in versions}
        method = by_number[versions[0]][0].METHODS["agent"][INITIALIZE]
        return self._call(method, jsontext.write(members), None)

    def _call(self, method: Method[Any, Any], params: str, value: Any) -> int:
        name = quoted(method.name)  # first: a request that cannot be sent takes no id
        id_ = self._calls.add(method)
        # By hand, since the params are text already.
        text = f'{{"jsonrpc":"2.0","id":{id_},"method":{name},"params":{params}}}'
        self._outgoing.send(text.encode(), id_, method.name, value, False)
        return id_

    def notify(self, method: Method[P, None], params: P) -> None:
        """Send a notification.

        Raises:
            EncodeError: the params do not match the method; nothing is sent.
            ConnectionClosed: the connection is closed.
            LimitExceeded: If it is about a session that is held back, see `hold`, and too many of
                these notifications wait.
        """
        self.require_surface()
        line = _notification(
            method.name, method.codec.dumps(params, method.params, self._on_unlisted)
        )
        self._outgoing.notify(line, method.name, params)

    def hold(self, request: Request, session_id: str) -> None:
        """Hold back messages about a session until the response to a request names it.

        The notifications are sent right after the response, in order, or discarded if it is an
        error. Until then, requests about the session are refused.

        Args:
            request: the request; if it has its response, messages are not held back.
            session_id: the id of the session.
        """
        if self.is_open(request) and self._outgoing.hold(session_id, request.method.name):
            self._requests.when_sent(request, partial(self._outgoing.release, session_id))

    def is_open(self, request: Request) -> bool:
        """Return whether a request of the peer has no response yet."""
        return request in self._requests.batches

    def when_responded(self, request: Request, callback: Callable[[bool], None]) -> None:
        """Call back right after the response to a request is sent.

        Args:
            request: the request, which has no response yet.
            callback: called with whether the response is a result; not called if the
                connection is closed before.
        """
        self._requests.when_sent(request, callback)

    def cancel(self, id: RequestId) -> Failure | None:
        """Tell the peer that the response to a request is no longer needed.

        A response still arrives: the result, or an error with the code REQUEST_CANCELLED. Does
        nothing if the request has its response. Sends nothing if the protocol cannot cancel
        requests.

        Returns:
            If too many cancelled requests have no response, the failure of the oldest, which is
            given up: its response will be a stray one.
        """
        if id not in self._calls.pending:
            return None
        if not self._is_closed and self._agreement.has(CANCEL_REQUEST):
            line = _notification(CANCEL_REQUEST, jsontext.write({"requestId": id}))
            self._outgoing.send(line, None, CANCEL_REQUEST, None, False)
        given_up = self._calls.cancel(id)
        return given_up and Failure(*given_up, RequestError.request_cancelled())

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
        # Whatever can fail comes before `finish`: until then, the request can still get an error.
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
        # An id is a number or a string, as it was received.
        id_ = request.id if request.id.__class__ is int else jsontext.write(request.id)
        reply = f'{{"jsonrpc":"2.0","id":{id_},"result":{text}}}'
        self._requests.finish(request, reply, is_result=True)
        # A second `initialize` counts once it is answered; the first one counts since its receipt.
        if is_initialize:
            self._agreement.advertised = request.params
            self._agreement.introduce(result)

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
        if not isinstance(error, RequestError):  # whose text may hold what the peer must not see
            error = RequestError.internal_error()
        error = self.as_own(error)
        reply = error_response(request.id, error, surface)
        self._requests.finish(request, reply, is_result=False)
        # Of this very request: a later `initialize` that is refused leaves the first one in force.
        if request.method.name == INITIALIZE and self.advertised is request.params:
            self._agreement.undo(keep_surface=bool(self._requests.batches or self._calls.pending))

    def has_received(self, error: BaseException) -> bool:
        """Return whether an error is the peer's answer to a request of this side."""
        return isinstance(error, RequestError) and error.source is self.source

    def as_own(self, error: RequestError) -> RequestError:
        """Return an error as one of this side, which says what call of it has failed, and how.

        The peer never gets its own error back, of whatever code: it would take
        AUTHENTICATION_REQUIRED for a demand to sign in, and REQUEST_CANCELLED for the answer to a
        cancelling of its own. An error that another connection has received is passed on, as
        bridges need it.
        """
        return error.as_failed_call() if self.has_received(error) else error

    def require_surface(self) -> Surface:
        """Return the surface that is spoken.

        Raises:
            ConnectionClosed: the connection is closed, or not initialized yet.
        """
        surface = self._agreement.surface
        if self._is_closed:
            raise self.closed_error()
        if surface is None:
            raise ConnectionClosed("the connection is not initialized")
        return surface

    def receive_eof(self, how: str = "", exit: Exit | None = None) -> list[Event]:
        """Process the end of the stream. Requests received before can still get their responses.

        Args:
            how: how the stream has ended, for the errors of calls; empty if nothing is known.
            exit: how the program of the peer has ended, for them; None if nothing is known.

        Returns:
            The events of a last line without a line end, and a Failure for each pending request.
        """
        events = self._take_rest()  # first: it may answer a call, which then does not fail
        self._ended = True
        # Called again, this may know less than before.
        self.how_ended = how or self.how_ended
        self.exit = exit or self.exit
        for id_, method in self._calls.take_all():
            events.append(Failure(id_, method, self.closed_error()))
        return events


def _notification(method: str, params: str) -> bytes:
    """Return the line of a notification, with its params as JSON text."""
    return f'{{"jsonrpc":"2.0","method":{quoted(method)},"params":{params}}}'.encode()


class UnlistedLog:
    """The log of the constants that a connection sends and the schema does not list.

    Each value of a field is logged once. Most of them are misspelt. They are still sent, since a
    later schema could list them.
    """

    def __init__(self) -> None:
        self._logged: set[tuple[str, str]] = set()

    def add(self, issue: Issue) -> None:
        """Log a value, unless that was done or there are too many.

        Args:
            issue: The issue that encoding reported.
        """
        value: str = issue.raw
        shown = repr(value) if len(value) <= _LONGEST else f"{value[:_LONGEST]!r}..."
        names = [part for part in issue.pointer.split("/") if part and not part.isdecimal()]
        field = names[-1] if names else "value"
        if (field, shown) in self._logged or len(self._logged) >= _UNLISTED:
            return
        self._logged.add((field, shown))
        _log.warning("%s %s is %s", field, shown, issue.reason, extra={"kind": f"unlisted {field}"})
