"""`Translator`: the base class of the translators in both directions.

Rules:

1. The generated route of a method specifies whether the method is converted by rules only, needs
   translator code, or has no counterpart. Messages without a counterpart are reported as losses,
   and requests also get an error. Extension methods are forwarded unchanged.
2. If only the receiver's version requires a capability for a part of a message, a promise
   (`rules.Promise`) applies to this part. If the receiver lacks the capability, the part is
   reported as a loss. If the promise's `how` is `refused`, the message is also rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, ClassVar

from ..jsonrpc.errors import CapabilityError, RequestError
from ..jsonrpc.events import Ignored, Notification, Request
from ..jsonrpc.handler import not_handled
from ..jsonrpc.limits import Limits
from ..jsonrpc.messages import RequestId
from ..values.deferred import dataclass
from ..values.errors import quotation
from .exchange import End, Exchange, Otherwise, Then
from .rules import JsonValue, Table
from .stand_in import StandIn

if TYPE_CHECKING:
    from ..jsonrpc.method import Surface
    from .rules import Promise, Route

_ABSENT = "the other protocol version does not define this method"


@dataclass(frozen=True, slots=True)
class Correspondence:
    """The correspondence between two versions.

    Attributes:
        older: the surface of the older version.
        newer: the surface of the newer version.
        to_newer: the rules that convert the older version's definitions.
        to_older: the rules that convert the newer version's definitions.
        routes: the conversion of each method.
        promises: the promises for each direction, `to_newer` and `to_older`.
    """

    older: Surface
    newer: Surface
    to_newer: Table
    to_older: Table
    routes: tuple[Route, ...]
    promises: Mapping[str, tuple[Promise, ...]]

    def only_of(self, side: str, *, is_older: bool) -> frozenset[str]:
        """Return the methods of a side that only the older or only the newer version defines."""
        absent = [r for r in self.routes if r.side == side and r.how == "absent"]
        names = (route.older if is_older else route.newer for route in absent)
        return frozenset(name for name in names if name is not None)


class Translator:
    """Base class of the translators."""

    # The names of this class's methods that handle requests and notifications, keyed by the sending
    # end and the protocol method.
    _requests: ClassVar[Mapping[tuple[str, str], str]] = {}
    _notifications: ClassVar[Mapping[tuple[str, str], str]] = {}

    def __init__(
        self,
        exchange: Exchange,
        limits: Limits,
        correspondence: Correspondence,
        stand_in: StandIn | None = None,
    ) -> None:
        self.exchange = exchange
        self.stand_in = stand_in
        self.limits = limits
        self.client = exchange.client
        self.agent = exchange.agent
        self._correspondence = correspondence
        is_older = self.client.version == correspondence.older.SCHEMA.protocol_version
        # For each end, the index of its version in (older, newer) pairs.
        self._indices = {self.client.name: 1 - is_older, self.agent.name: int(is_older)}
        self._routes: dict[tuple[str, str], Route] = {}
        for route in correspondence.routes:
            sender = self.client if route.side == "agent" else self.agent
            name = (route.older, route.newer)[self._indices[sender.name]]
            if name is not None:
                self._routes[sender.name, name] = route
        # Each key consists of the name of the sending end and the method.
        self._promises: dict[tuple[str, str], list[Promise]] = {}
        for sender in (self.client, self.agent):
            direction = ("to_newer", "to_older")[self._indices[sender.name]]
            for promise in correspondence.promises[direction]:
                if promise.side != sender.name and promise.how != "translated":
                    self._promises.setdefault((sender.name, promise.method), []).append(promise)

    def introduce(self, end: End, introduction: JsonValue) -> JsonValue:
        """Convert the client's `initialize` params or the agent's result for the other end."""
        raise NotImplementedError

    def flush(self) -> None:
        """Send held content that has grown enough since it was last sent."""

    def end(self, end: End) -> None:
        """Process the closing of a connection and respond to the other end's pending requests."""
        raise NotImplementedError

    def take_request(self, end: End, request: Request) -> None:
        """Process a request from an end."""
        name = request.method.name
        route = self._routes.get((end.name, name))
        refused = [each for each in self._report_promises(end, request) if each.how == "refused"]
        if name.startswith("_"):
            self.exchange.carry(end, request, name, None)
        elif refused:
            self.exchange.fail(end, request, _needs(name, self.exchange.other(end), refused[0]))
        elif (take := self._requests.get((end.name, name))) is not None:
            handle: Callable[[Request], None] = getattr(self, take)
            handle(request)
        elif route is None or route.how != "carried" or route.result is None:
            self._lose_method(end, name)
            self.exchange.fail(end, request, not_handled(name))
        else:
            here = self._indices[end.name]
            rules = route.params[here], route.result[1 - here]
            self.exchange.carry(end, request, self._name_there(end, route), rules)

    def take_notification(self, end: End, notification: Notification) -> None:
        """Process a notification from an end."""
        name = notification.method.name
        route = self._routes.get((end.name, name))
        self._report_promises(end, notification)
        if name.startswith("_"):
            self.exchange.carry_notification(end, notification, name, None)
        elif (take := self._notifications.get((end.name, name))) is not None:
            handle: Callable[[Notification], None] = getattr(self, take)
            handle(notification)
        elif route is None or route.how != "carried":
            self._lose_method(end, name)
        else:
            rule = route.params[self._indices[end.name]]
            self.exchange.carry_notification(end, notification, self._name_there(end, route), rule)

    def _report_promises(self, end: End, message: Request | Notification) -> list[Promise]:
        """Report and return a message's promises that require unadvertised capabilities."""
        promises = self._promises.get((end.name, message.method.name))
        if promises is None:
            return []
        other = self.exchange.other(end)
        advertised = other.connection.advertised
        broken = [
            promise
            for promise in promises
            if promise.is_used(message.params) and not promise.capability.is_advertised(advertised)
        ]
        for promise in broken:
            reason = f"{promise.reason}: {_lacks(other, promise)}"
            session_id = getattr(message.params, "session_id", None)
            self.exchange.lose(end, message.method.name, promise.path, reason, session_id)
        return broken

    def _lose_method(self, end: End, name: str) -> None:
        """Report that a message is dropped because its method has no counterpart."""
        route = self._routes.get((end.name, name))
        self.exchange.lose(end, name, (), _ABSENT if route is None else route.reason)

    def call(
        self, end: End, name: str, params: JsonValue, then: Then, otherwise: Otherwise
    ) -> RequestId | None:
        """Call a method that only the version of `end` defines.

        Returns:
            The id of the request at that end, or None if the request was not sent.

        Raises:
            CapabilityError: If the end did not advertise the capability that the method requires.
            ValueError: If `name` is not a request method that only that version defines.
        """
        known = self._correspondence.only_of(end.name, is_older=not self._indices[end.name])
        method = end.connection.require_surface().METHODS[end.name].get(name)
        if name not in known or method is None or method.kind != "request":
            raise ValueError(
                f"{quotation(name)} is not a request specific to protocol {end.version}; "
                f"pass one of {', '.join(sorted(known))}"
            )
        advertised, capability = end.connection.advertised, method.capability
        if capability is not None and not capability.is_advertised(advertised):
            raise CapabilityError(name, capability.pointer)
        return self.exchange.call(end, name, params, then, otherwise)

    def take_ignored(self, end: End, ignored: Ignored) -> None:
        """Report an ignored notification if the sender's version does not define its method."""
        if ignored.kind == "unknown":
            self._lose_method(end, ignored.raw["method"])

    def take_cancellation(self, end: End, requests: Collection[Request]) -> None:
        """Process the cancellation of requests by their sender."""
        for request in requests:
            if not self.exchange.cancel(request):
                self.cancel(end, request)

    def cancel(self, end: End, request: Request) -> None:
        """Cancel a request that was received from an end but not forwarded."""
        self.exchange.fail(end, request, RequestError.request_cancelled())

    def _name_there(self, end: End, route: Route) -> str:
        """Return the other end's name for a method."""
        name = (route.older, route.newer)[1 - self._indices[end.name]]
        assert name is not None, "a forwarded method has a name in both versions"
        return name


def _lacks(end: End, promise: Promise) -> str:
    return f"the {end.name} does not advertise {promise.capability.pointer}"


def _needs(method: str, end: End, promise: Promise) -> RequestError:
    """Return the error for a request that requires a capability not advertised by `end`."""
    text = f"method not found: {method}: {promise.reason}: {_lacks(end, promise)}"
    return RequestError.method_not_found({"capability": promise.capability.pointer}, text)
