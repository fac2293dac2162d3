"""`Bridge`: connects a client and an agent, regardless of which versions they speak.

The bridge receives bytes from both ends and returns bytes to send to both ends.

Rules:

1. The client's `initialize` determines the client's version. The agent's response determines the
   agent's version.
2. Until that response arrives, the client's other messages wait in order, up to `Limits.requests`
   and `Limits.requests_bytes`. Above these limits, requests receive an error, and notifications are
   rejected.
3. If the two versions are equal, all other messages are forwarded byte for byte. Otherwise, a
   translator converts these messages: `V1ClientTranslator` or `V2ClientTranslator`, depending on
   the client's version.
4. A failed `initialize` can be retried. A repeated `initialize` receives the same response as the
   first.
5. A bug in a translator affects only one message. If that message is a request, it receives an
   error (`_take`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from ..jsonrpc.connection import Connection
from ..jsonrpc.errors import (
    UNSUPPORTED_PROTOCOL_VERSION,
    ConnectionClosed,
    Exit,
    LimitExceeded,
    RequestError,
    VersionMismatch,
)
from ..jsonrpc.events import (
    Cancellation,
    Event,
    Failure,
    Ignored,
    Notification,
    Refused,
    Request,
    Response,
)
from ..jsonrpc.handler import Handler
from ..jsonrpc.limits import DEFAULT, MAX_LINE, Limits
from ..jsonrpc.logs import logger_of
from ..jsonrpc.messages import (
    CANCEL_REQUEST,
    RequestId,
    is_object,
    peek_initialize,
    pick_version,
)
from ..jsonrpc.method import INITIALIZE, Surface
from ..jsonrpc.observing import Loss
from ..values import jsontext
from ..values.errors import DecodeError, EncodeError, Issue, quotation
from .exchange import End, EndName, Exchange, Losses, Otherwise, Then
from .rules import JsonValue
from .stand_in import StandIn
from .translating import Correspondence, Translator
from .v1_client_v2_agent.translator import V1ClientTranslator
from .v2_client_v1_agent.translator import V2ClientTranslator

_log = logger_of(__name__)


class Bridge:
    """A sans-I/O bridge between a client and an agent.

    Attributes:
        client: the end that is connected to the client.
        agent: the end that is connected to the agent.
        is_translating: whether the two ends speak different versions, or None until this is known.
        mismatch: the error if the agent offers no version that the bridge supports, otherwise None.
        stand_in: the object that sends requests to `handler`, or None if there is no handler.
            Responding to a request can produce bytes to send.
    """

    def __init__(
        self,
        correspondence: Correspondence,
        *,
        shown: Collection[int] | None = None,
        spoken: Collection[int] | None = None,
        max_line: int = MAX_LINE,
        limits: Limits = DEFAULT,
        near: EndName | None = None,
        on_issue: Callable[[Issue], object] | None = None,
        on_loss: Callable[[Loss], object] | None = None,
        on_rejection: Callable[[Refused | Ignored], object] | None = None,
        handler: Handler | type[Handler] | None = None,
    ) -> None:
        """Create a bridge that has not received any bytes.

        Args:
            correspondence: the two versions and the rules that convert between them.
            shown: the versions that clients can use; by default, both.
            spoken: the versions that the agent is known to speak; by default, the bridge asks the
                agent. If a client requests one of these versions and the bridge does not support
                it, messages are forwarded unchanged.
            max_line: the maximum length of a message, in bytes.
            limits: the limits on resources, for each end.
            near: the end that runs in this program, if any. Calls from this program have the same
                limits as without a bridge.
            on_issue: called for each decoding issue; see `decode`.
            on_loss: called for each part of a message that cannot be carried over.
            on_rejection: called for each rejected message.
            handler: a protocol 1 client handler. When a protocol 1 agent sends requests that
                protocol 2 does not define, this handler replaces the protocol 2 client. The bridge
                does not call the handler; see `stand_in`.

        Raises:
            TypeError: If `handler` is not a client handler for the older version.
        """
        self.is_translating: bool | None = None
        self.mismatch: VersionMismatch | None = None
        older, newer = correspondence.older, correspondence.newer
        self._surfaces = {surface.SCHEMA.protocol_version: surface for surface in (older, newer)}
        self._correspondence = correspondence
        self._limits = limits
        self._max_line = max_line
        self._spoken = spoken
        self._on_rejection = on_rejection
        self._losses = Losses(on_loss)
        self._translator: Translator | None = None
        self._introduction: Request | None = None
        self._repeated: list[Request] = []  # repeated `initialize` requests without a response
        # The client's lines that wait for the agent's response, and a callback that handles the
        # end of the client's input.
        self._held: list[bytes] = []
        self._held_size = 0
        self._held_end: Callable[[], None] | None = None
        self._agreed: JsonValue = None  # the agent's response, as sent to the client
        tables = {
            older.SCHEMA.protocol_version: correspondence.to_newer,
            newer.SCHEMA.protocol_version: correspondence.to_older,
        }

        def choose(version: int) -> Surface:
            return self._surfaces[pick_version(version, self._surfaces if shown is None else shown)]

        self.client = End(
            "client",
            Connection(
                "agent",
                choose,
                max_line=max_line,
                limits=_limits_of_calls(limits) if near == "client" else limits,
                initialize_first=True,
                on_issue=on_issue,
                refuse_absent=False,
                log_unlisted=False,
            ),
            tables,
        )
        self.agent = End(
            "agent",
            Connection(
                "client",
                self._surfaces.__getitem__,
                max_line=max_line,
                limits=_limits_of_calls(limits) if near == "agent" else limits,
                on_issue=on_issue,
                refuse_absent=False,
                log_unlisted=False,
            ),
            tables,
        )
        self._exchange = Exchange(self.client, self.agent, self._losses)
        absent = correspondence.only_of("client", is_older=True)
        self.stand_in = None if handler is None else StandIn(handler, older, absent)

    @property
    def is_holding(self) -> bool:
        """True if messages from the client are waiting for the agent's response to `initialize`."""
        return bool(self._held) or self._held_end is not None

    @property
    def _is_asking(self) -> bool:
        return self._introduction is not None and self.is_translating is None

    def call(
        self, end: End, name: str, params: JsonValue, then: Then, otherwise: Otherwise
    ) -> RequestId | None:
        """Call a method of one end on behalf of the other end; see `Translator.call`."""
        assert self._translator is not None, "the two ends speak different versions"
        return self._translator.call(end, name, params, then, otherwise)

    def give_up(self, end: End, id_: RequestId) -> None:
        """Cancel a call made with `call`."""
        given_up = end.connection.cancel(id_)
        if given_up is not None:
            self._exchange.take_answer(end, given_up)

    # --- bytes -------------------------------------------------------------------------------

    def receive(self, end: End, data: bytes) -> None:
        """Process bytes received from an end."""
        if end.begun or end.is_cut or self.is_translating is None:
            data = self._receive_early(end, data)
        if self.is_translating:
            self._take(end, end.connection.receive(data))
        elif data:
            self._exchange.other(end).pass_on(data)
        if self.is_holding and not self._is_asking:
            self._release()
        if self._translator is not None:
            self._translator.flush()

    def _receive_early(self, end: End, data: bytes) -> bytes:
        """Process complete lines until the versions are known and return the remaining bytes.

        The remaining bytes begin with any incomplete line received earlier, since that line might
        have to be forwarded unchanged.
        """
        if end.is_cut:
            _, newline, data = data.partition(b"\n")
            end.is_cut = not newline
        end.begun += data
        if self.is_translating is None and b"\n" not in data and len(end.begun) <= self._max_line:
            return b""
        data, start = bytes(end.begun), 0
        end.begun.clear()
        while self.is_translating is None and (stop := data.find(b"\n", start) + 1):
            self._receive_early_line(end, data[start:stop])
            start = stop
        rest = data[start:]
        if self.is_translating is not None:
            return rest
        if len(rest) > self._max_line:
            # Reject the line now, even if earlier messages are waiting, instead of buffering it.
            self._take(end, end.connection.receive(rest + b"\n"))
            end.is_cut = True
        else:
            end.begun += rest
        return b""

    def _receive_early_line(self, end: End, line: bytes) -> None:
        """Process a line or add it to the waiting lines."""
        has_room = (
            len(self._held) < self._limits.requests
            and self._held_size <= self._limits.requests_bytes
        )
        introduction = _parse_introduction(line) if end is self.client else None
        is_early = end is self.client and self._is_asking and introduction is None
        if introduction is not None and self._is_direct(introduction):
            self.is_translating = False
            self.agent.pass_on(line)
        elif is_early and has_room:
            self._held.append(line)
            self._held_size += len(line)
        else:
            self._take(end, end.connection.receive(line))

    def _is_direct(self, introduction: dict[str, Any]) -> bool:
        """Return whether a client's `initialize` requests a version not supported by the bridge."""
        if self._introduction is not None:
            return False
        try:
            asked = peek_initialize(introduction)
        except DecodeError:
            return False
        known = {*self._surfaces, *(self._spoken or ())}
        return asked is not None and pick_version(asked, known) not in self._surfaces

    def _release(self) -> None:
        """Process the waiting lines, in order, and then the end of the client's input."""
        lines, self._held, self._held_size = self._held, [], 0
        held_end, self._held_end = self._held_end, None
        if self.is_translating is False:
            self.agent.pass_on(b"".join(lines))
        else:
            for line in lines:
                self._receive_early_line(self.client, line)
        if held_end is not None:
            held_end()

    def data_to_send(self, end: End) -> bytes:
        """Return the bytes added since the last call, to be written to an end."""
        return end.data_to_send()

    def receive_eof(
        self, end: End, how: str = "", exit: Exit | None = None, *, answered: bool = True
    ) -> None:
        """Process EOF from an end.

        Args:
            end: the end that closed its output.
            how: how the input ended; see `Connection.receive_eof`.
            exit: how the end's program exited.
            answered: whether the other end's pending requests receive an error. Pass False if the
                other end is notified in a different way, with more details.
        """
        if self.is_translating is False:
            self._exchange.other(end).pass_on(bytes(end.begun))
            end.begun.clear()
            return
        if end is self.client and self._is_asking and (self._held or end.begun):
            self._held_end = partial(self.receive_eof, end, how, exit, answered=answered)
            return
        events = end.connection.receive(bytes(end.begun))
        events += end.connection.receive_eof(how, exit)
        if not answered:
            events = [event for event in events if not _is_for_the_end(event)]
        end.begun.clear()
        self._take(end, events)
        if self.is_holding and not self._is_asking:
            self._release()
        if self._translator is not None and answered:
            self._translator.end(end)
        elif self._translator is not None:
            self._translator.flush()

    # --- events ------------------------------------------------------------------------------

    def _take(self, end: End, events: list[Event]) -> None:
        for event in events:
            otherwise = None
            if isinstance(event, (Response, Failure)):
                _, otherwise = end.calls.get(event.id, (None, None))
            try:
                self._take_one(end, event)
            except Exception:  # a bug here must affect only one message, not the connection
                _log.exception("cannot forward a message from the %s", end.name)
                if isinstance(event, Request):
                    if event is self._introduction:
                        self._introduction = None  # the client can try again
                    self._exchange.fail(end, event, RequestError.internal_error())
                elif otherwise is not None:
                    otherwise(RequestError.internal_error())

    def _take_one(self, end: End, event: Event) -> None:
        if isinstance(event, (Refused, Ignored)):
            if self._on_rejection is not None:
                self._on_rejection(event)
            if self._translator is not None and isinstance(event, Ignored):
                self._translator.take_ignored(end, event)
        elif isinstance(event, (Response, Failure)):
            self._exchange.take_answer(end, event)
        elif isinstance(event, Request) and event.method.name == INITIALIZE:
            self._introduce(event)
        elif self._translator is None:
            self._refuse_early(end, event)
        elif isinstance(event, Request):
            self._translator.take_request(end, event)
        elif isinstance(event, Cancellation):
            self._translator.take_cancellation(end, event.requests)
        elif event.method.name == CANCEL_REQUEST:
            params = end.encode(event.params, event.method.params)
            self._exchange.lose_others(end, CANCEL_REQUEST, params, (), ("requestId",))
        else:
            self._translator.take_notification(end, event)

    def _refuse_early(self, end: End, event: Event) -> None:
        """Reject a message that precedes the response to `initialize` and cannot be queued."""
        problem = "too many messages are waiting for the response to initialize"
        if isinstance(event, Request):
            self._exchange.fail(end, event, RequestError.internal_error(message=problem))
        elif isinstance(event, Notification) and self._on_rejection is not None:
            reason = f"{quotation(event.method.name)}: {problem}"
            self._on_rejection(Ignored(reason, {"method": event.method.name}, "invalid"))

    def _introduce(self, request: Request) -> None:
        """Forward the client's `initialize`. The params contain the fields of both versions."""
        if self._introduction is None:
            self._introduction, self.mismatch = request, None
            version = self.client.version
            if self._spoken is not None and version not in self._spoken:
                [version] = [known for known in self._surfaces if known != version]
            self._ask(request, request.params, version)
        elif request.params != self._introduction.params:
            again = RequestError.invalid_request(message="already initialized")
            self._exchange.fail(self.client, request, again)
        elif self.is_translating is None:  # the client stopped waiting and is retrying
            self._repeated.append(request)
        else:
            self._exchange.respond(self.client, request, self._agreed)

    def _ask(self, request: Request, params: Any, version: int) -> None:
        """Request a version from the agent. The agent can respond with a different version."""
        [other] = [spoken for spoken in self._surfaces if spoken != self.client.version]
        older = self._correspondence.older.SCHEMA.protocol_version
        kind = V1ClientTranslator if self.client.version == older else V2ClientTranslator
        translator = kind(self._exchange, self._limits, self._correspondence, self.stand_in)
        surface = self._surfaces[other]
        self._losses.hold()  # until it is known whether the two ends speak different versions
        said = translator.introduce(self.client, self.client.encode(params, type(params)))
        translated = surface.decode(surface.METHODS["agent"][INITIALIZE].params, said)

        def then(result: JsonValue) -> None:
            self._agree(request, translator, result)

        def otherwise(error: BaseException) -> None:
            is_refused = getattr(error, "code", None) == UNSUPPORTED_PROTOCOL_VERSION
            if is_refused and version == self.client.version:
                self._ask(request, params, other)
                return
            if isinstance(error, VersionMismatch):
                error = VersionMismatch(error.offered, self.client.version, error.reason)
                self.mismatch = error
            self._introduction = None  # the client can try again
            for each in self._introductions(request):
                self._exchange.fail(self.client, each, error)

        try:
            id_ = self.agent.connection.initialize(params, translated, version=version)
        except (ConnectionClosed, EncodeError, LimitExceeded) as error:
            otherwise(error)
        else:
            self.agent.calls[id_] = then, otherwise

    def _agree(self, request: Request, translator: Translator, result: JsonValue) -> None:
        self.is_translating = self.agent.version != self.client.version
        self._losses.release(told=self.is_translating)
        if self.is_translating:
            self._translator = translator
            result = translator.introduce(self.agent, result)
        self._agreed = result
        for each in self._introductions(request):
            self._exchange.respond(self.client, each, result)

    def _introductions(self, request: Request) -> list[Request]:
        """Remove the repeated `initialize` requests and return them, followed by `request`."""
        repeated, self._repeated = self._repeated, []
        return [*repeated, request]


def _parse_introduction(line: bytes) -> dict[str, Any] | None:
    """Return the `initialize` request in a line, or None if the line contains another message."""
    try:
        message = jsontext.parse(line)
    except (ValueError, RecursionError):
        return None
    return message if is_object(message) and message.get("method") == INITIALIZE else None


def _limits_of_calls(limits: Limits) -> Limits:
    """Return the limits for the connection to an end that runs in this program.

    Calls from this program arrive at the bridge as requests, so the limits are swapped.
    """
    return Limits(
        requests=limits.calls + limits.cancelled_calls,
        requests_bytes=sys.maxsize,
        calls=limits.requests,
        cancelled_calls=limits.cancelled_calls,
    )


def _is_for_the_end(event: Event) -> bool:
    """Return whether an event reports that a call failed because the connection closed."""
    return isinstance(event, Failure) and isinstance(event.error, ConnectionClosed)
