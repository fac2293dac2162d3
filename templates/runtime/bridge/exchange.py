"""`Exchange`: the two connections of a bridge and the calls forwarded between them.

Rules:

1. A request from one end is forwarded to the other end as a call with a separate id. The response
   to that call is sent back as the response to the request.
2. Each request receives exactly one response, which is an error if the other end's connection
   closes. Further responses are ignored (`respond`, `fail`).
3. Cancelling a request cancels the call made for it. The response to that call is still sent back.
4. If the other version cannot express a message, the message or each lost part is reported as a
   `Loss` (`convert`, `lose`).
5. Each kind of loss is logged once, for up to `_KINDS` kinds. Every loss is reported to `on_loss`.
   No warning is logged for a lost capability. Instead, each lost message that depends on the
   capability is logged.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..jsonrpc.connection import Connection
from ..jsonrpc.errors import ConnectionClosed, LimitExceeded, RequestError, VersionMismatch
from ..jsonrpc.events import Failure, Notification, Request, Response
from ..jsonrpc.logs import call_back, logger_of
from ..jsonrpc.messages import RequestId
from ..jsonrpc.method import INITIALIZE, Method, raw_method
from ..jsonrpc.observing import Loss
from ..values.errors import DecodeError, EncodeError, Path, cut, pointer, printable, quotation
from .rules import LOST, Conversion, JsonValue, Table, filled

_log = logger_of(__name__)

_NO_PLACE = "the other protocol version has no corresponding field"
_KINDS = 1_000
# The pointers to capabilities, such as `/agentCapabilities/auth` and `/update/capabilities`.
_CAPABILITY = re.compile(r"/\w*capabilities(/|$)", re.IGNORECASE)

EndName: TypeAlias = Literal["agent", "client"]
# A callback for the result of a call, as JSON.
Then: TypeAlias = Callable[[JsonValue], None]
# A callback for the error of a call.
Otherwise: TypeAlias = Callable[[BaseException], None]


class Losses:
    """A loss reporter that calls a callback and logs each kind of loss once."""

    def __init__(self, on_loss: Callable[[Loss], object] | None) -> None:
        self._on_loss = on_loss
        self._logged: set[tuple[str, str, str]] = set()
        self._held: list[Loss] | None = None

    def hold(self) -> None:
        """Hold back losses from now on and discard losses that were held back earlier."""
        self._held = []

    def release(self, *, told: bool) -> None:
        """Stop holding back losses.

        The held losses are reported if `told` is true, and discarded otherwise.
        """
        held, self._held = self._held or (), None
        for loss in held if told else ():
            self.add(loss)

    def add(self, loss: Loss) -> None:
        """Report a loss, or hold it back; see `hold`."""
        if self._held is not None:
            self._held.append(loss)
            return
        # Limit the length: a reason can quote the payload, and the sender chooses the method name.
        level = logging.INFO if _CAPABILITY.search(loss.pointer) else logging.WARNING
        kind = (logging.getLevelName(level), cut(loss.method), cut(loss.reason))
        if kind not in self._logged and len(self._logged) < _KINDS:
            self._logged.add(kind)
            # A pointer can contain text chosen by the sender.
            place = f" at {quotation(loss.pointer)}" if loss.pointer else ""
            _, method, reason = map(printable, kind)
            text = "%s of the %s%s: %s"
            _log.log(level, text, method, loss.side, place, reason, extra={"kind": kind})
        if self._on_loss is not None:
            call_back(self._on_loss, loss, what="the callback for losses", log=_log)


@dataclass(eq=False)
class End:
    """One end of a bridge: the connection to the agent or to the client.

    Attributes:
        name: the side at this end.
        connection: the connection to this end.
        tables: for each version that this end can speak, the rules that convert this end's
            messages to the other version.
        calls: the callbacks for the response to each request sent to this end, by request id.
        begun: an incomplete line received before the versions were known.
        is_cut: whether the beginning of an overlong line was rejected and the rest must be dropped.
    """

    name: EndName
    connection: Connection
    tables: Mapping[int, Table]
    calls: dict[RequestId, tuple[Then, Otherwise]] = field(default_factory=dict[Any, Any])
    begun: bytearray = field(default_factory=bytearray)
    is_cut: bool = False
    _passed_on: list[bytes] = field(default_factory=list[bytes])

    @property
    def version(self) -> int:
        """The protocol version spoken at this end."""
        return self.connection.require_surface().SCHEMA.protocol_version

    @property
    def table(self) -> Table:
        """The rules that convert messages from this end to the other end's version."""
        return self.tables[self.version]

    def encode(self, value: Any, type_: Any) -> JsonValue:
        """Convert a value received from this end back to JSON, including unknown fields."""
        return self.connection.require_surface().encode(value, type_)

    def pass_on(self, data: bytes) -> None:
        """Forward bytes from the other end to this end unchanged."""
        self._passed_on.append(data)

    def data_to_send(self) -> bytes:
        """Return the bytes added since the last call, to be written to this end."""
        data = self.connection.data_to_send()
        if self._passed_on:
            data = b"".join([data, *self._passed_on])
            self._passed_on.clear()
        return data


class Exchange:
    """The two ends of a bridge, and the calls and notifications sent to them.

    Attributes:
        client: the client's end.
        agent: the agent's end.
    """

    def __init__(self, client: End, agent: End, losses: Losses) -> None:
        self.client = client
        self.agent = agent
        self._losses = losses
        # Maps each forwarded request to the receiving end and to the id of the call to that end.
        self._passed_on: dict[Request, tuple[End, RequestId]] = {}
        self._senders: dict[tuple[End, RequestId], Request] = {}  # the reverse mapping

    def other(self, end: End) -> End:
        """Return the opposite end of the bridge."""
        return self.agent if end is self.client else self.client

    # --- converting --------------------------------------------------------------------------

    def convert(
        self,
        end: End,
        rule: str,
        value: JsonValue,
        method: str,
        session_id: str | None,
        path: Path = (),
    ) -> JsonValue:
        """Use a rule to convert part of a message from an end, and report losses.

        The result is `LOST` if the other version cannot express the part.
        """

        def lose(place: Path, reason: str) -> None:
            self.lose(end, method, place, reason, session_id)

        return Conversion(end.table, lose).convert(rule, value, path)

    def convert_items(
        self,
        end: End,
        rule: str,
        items: Iterable[JsonValue],
        method: str,
        session_id: str | None,
        path: Path,
    ) -> list[JsonValue]:
        """Convert the items of an array, omitting items that are `LOST`; see `convert`."""
        converted = [
            self.convert(end, rule, item, method, session_id, (path, number))
            for number, item in enumerate(items)
        ]
        return [item for item in converted if item is not LOST]

    def lose(
        self, end: End, method: str, path: Path, reason: str, session_id: str | None = None
    ) -> None:
        """Report that the part at `path` in a message does not reach the other end."""
        self._losses.add(Loss(method, pointer(path), reason, end.name, session_id))

    def lose_others(
        self,
        end: End,
        method: str,
        value: JsonValue,
        path: Path,
        known: Collection[str],
        session_id: str | None = None,
    ) -> None:
        """Report the fields of an object that are not carried over, such as `_meta`.

        The `known` fields are not reported, since they are carried over or have no meaning in the
        other version. `value` can be null.
        """
        for name in filled(value or {}, *known):
            self.lose(end, method, (path, name), _NO_PLACE, session_id)

    # --- calls -------------------------------------------------------------------------------

    def call(
        self,
        end: End,
        name: str,
        params: JsonValue,
        then: Then,
        otherwise: Otherwise,
        on_behalf_of: Request | None = None,
    ) -> RequestId | None:
        """Send a request to one end of the bridge and return its id, or None if it was not sent.

        The params and the result are JSON for that end's protocol version. `otherwise` is called
        with any error, including an error that prevents sending. Cancelling the request
        `on_behalf_of` also cancels the new request.
        """
        try:
            method = self._method(end, "request", name)
            decoded = method.codec.decode(method.params, params)
            id_ = end.connection.request(method, decoded)
        except (DecodeError, EncodeError, ConnectionClosed, LimitExceeded) as error:
            otherwise(error)
            return None
        end.calls[id_] = then, otherwise
        if on_behalf_of is not None:
            self._passed_on[on_behalf_of] = end, id_
            self._senders[end, id_] = on_behalf_of
        return id_

    def notify(self, end: End, name: str, params: JsonValue) -> None:
        """Send a notification to one end of the bridge, unless its connection is closed."""
        try:
            end.connection.notify(self._method(end, "notification", name, is_raw=True), params)
        except ConnectionClosed:
            pass
        except EncodeError as error:  # unexpected, since the params are already JSON
            _log.error("cannot forward %s: %s", quotation(name), error)

    def _method(
        self, end: End, kind: Literal["request", "notification"], name: str, is_raw: bool = False
    ) -> Method[Any, Any]:
        surface = end.connection.require_surface()
        known = surface.METHODS[end.name].get(name) or surface.METHODS["protocol"].get(name)
        if is_raw or known is None:
            return raw_method(surface, end.name, kind, name)
        return known

    def respond(self, end: End, request: Request, result: JsonValue) -> None:
        """Respond to a request from an end with JSON for that end's protocol version."""
        try:
            method = request.method
            end.connection.respond(request, method.codec.decode(method.result, result))
        except (DecodeError, EncodeError) as error:
            name = quotation(request.method.name)
            _log.error("cannot forward the result of %s: %s", name, error)
            self.fail(end, request, RequestError.internal_error())
        except (KeyError, ConnectionClosed):
            pass  # already responded, or the connection is closed

    def fail(self, end: End, request: Request, error: BaseException) -> None:
        """Respond to a request from an end with an error, such as the error of a forwarded call."""
        with suppress(KeyError, ConnectionClosed):  # already responded, or the connection is closed
            end.connection.fail(request, as_answer(error))

    def refuse(self, end: End, request: Request, message: str = "") -> None:
        """Respond to a request from an end with the error "invalid params".

        By default, the message says that the other version cannot express the request.
        """
        message = message or cannot_say(request.method.name)
        self.fail(end, request, RequestError.invalid_params(message=message))

    def passing_error(self, end: End, request: Request) -> Otherwise:
        """Return a callback that accepts an error and sends it as the response to a request."""
        return lambda error: self.fail(end, request, error)

    def take_answer(self, end: End, event: Response | Failure) -> None:
        """Process the response to a request that was sent to an end."""
        then, otherwise = end.calls.pop(event.id, (None, None))
        request = self._senders.pop((end, event.id), None)
        if request is not None:
            del self._passed_on[request]
        if isinstance(event, Failure):
            if otherwise is not None:
                otherwise(event.error)
        elif then is not None:
            # An `initialize` result uses the version that it specifies, not the requested version.
            is_first = event.method.name == INITIALIZE
            then(end.encode(event.result, None if is_first else event.method.result))

    def cancel(self, request: Request) -> bool:
        """Cancel the call made for a request and return whether there was one."""
        if request not in self._passed_on:
            return False
        end, id_ = self._passed_on[request]
        given_up = end.connection.cancel(id_)
        if given_up is not None:
            self.take_answer(end, given_up)
        return True

    def named_by(self, id_: RequestId, end: End) -> RequestId | None:
        """Return the sender's id for a forwarded request, given the receiver's id for the request.

        Return None if the request already has a response.
        """
        request = self._senders.get((end, id_))
        return None if request is None else request.id

    # --- forwarding --------------------------------------------------------------------------

    def carry(
        self,
        end: End,
        request: Request,
        name: str,
        rules: tuple[str, str] | None,
        on_result: Callable[[], None] | None = None,
    ) -> None:
        """Forward a request from `end` to the other end, and forward the response back.

        Args:
            end: the end that sent the request.
            request: the request.
            name: the name of the method at the other end.
            rules: the rules for the params and for the result. For an extension method, pass None
                to forward the params and result unchanged.
            on_result: called before a result is sent back.
        """
        other, sent = self.other(end), request.method.name
        params = end.encode(request.params, request.method.params)
        session_id = session_of(params)
        if rules is not None:
            params = self.convert(end, rules[0], params, sent, session_id)
        if params is LOST:
            self.refuse(end, request)
            return

        def then(result: JsonValue) -> None:
            if rules is not None:
                result = self.convert(other, rules[1], result, name, session_id)
            if result is LOST:
                error = RequestError.internal_error(message=cannot_say(name))
                self.fail(end, request, error)
            else:
                if on_result is not None:
                    on_result()
                self.respond(end, request, result)

        self.call(other, name, params, then, self.passing_error(end, request), request)

    def carry_notification(
        self, end: End, notification: Notification, name: str, rule: str | None
    ) -> None:
        """Forward a notification; see `carry`."""
        method = notification.method
        params = end.encode(notification.params, method.params)
        if rule is not None:
            params = self.convert(end, rule, params, method.name, session_of(params))
        if params is not LOST:
            self.notify(self.other(end), name, params)


def session_of(params: JsonValue) -> str | None:
    """Return the session id in the params, if any."""
    session_id = params.get("sessionId") if params.__class__ is dict else None
    return session_id if session_id.__class__ is str else None


def cannot_say(method: str) -> str:
    """Return the error message for a method that the other version cannot express."""
    return f"{method}: the other protocol version cannot express this message"


def as_answer(error: BaseException) -> BaseException:
    """Convert a call's error to an error response for the request that caused the call."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, EncodeError):  # the params are invalid in the other version
        return RequestError.invalid_params(message=str(error))
    if isinstance(error, VersionMismatch):
        return RequestError.unsupported_protocol_version(message=str(error))
    if isinstance(error, (ConnectionClosed, LimitExceeded)):
        return RequestError.internal_error(message=str(error))
    return RequestError.internal_error(message=f"unusable response: {error}")
