"""`Translator`: the base class of both directions of a bridge.

Rules:

1. The generated route of a method says whether it is converted by rules only, needs the code of a
   translator, or has no counterpart. Without a counterpart, requests get an error, and each message
   is reported as a loss. Extensions are forwarded unchanged.
2. A part of a message that needs a capability in the receiver's version only is a promise
   (`rules.Promise`). If the receiver lacks the capability, the part is reported, and its message is
   refused if the promise says so.
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
        to_newer: the rules for the definitions of the older version.
        to_older: the rules for the definitions of the newer version.
        routes: the conversion of each method.
        promises: messages that can be sent although the receiver lacks a capability, by direction.
    """

    older: Surface
    newer: Surface
    to_newer: Table
    to_older: Table
    routes: tuple[Route, ...]
    promises: Mapping[str, tuple[Promise, ...]]

    def only_of(self, side: str, *, is_older: bool) -> frozenset[str]:
        """Return the methods that a side handles in only one version."""
        absent = [r for r in self.routes if r.side == side and r.how == "absent"]
        names = (route.older if is_older else route.newer for route in absent)
        return frozenset(name for name in names if name is not None)


class Translator:
    """Base class of the translators."""

    # The names of the methods of this class that handle requests and notifications, by the sending
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
        # By end, the index of its version in pairs of the older and the newer version.
        self._indices = {self.client.name: 1 - is_older, self.agent.name: int(is_older)}
        self._routes: dict[tuple[str, str], Route] = {}
        for route in correspondence.routes:
            sender = self.client if route.side == "agent" else self.agent
            name = (route.older, route.newer)[self._indices[sender.name]]
            if name is not None:
                self._routes[sender.name, name] = route
        # By the sending end and the method.
        self._promises: dict[tuple[str, str], list[Promise]] = {}
        for sender in (self.client, self.agent):
            direction = ("to_newer", "to_older")[self._indices[sender.name]]
            for promise in correspondence.promises[direction]:
                if promise.side != sender.name and promise.how != "translated":
                    self._promises.setdefault((sender.name, promise.method), []).append(promise)

    def introduce(self, end: End, introduction: JsonValue) -> JsonValue:
        """Convert an end's params or result of `initialize` to the other version."""
        raise NotImplementedError

    def flush(self) -> None:
        """Send updates that were held back to be joined with others."""

    def end(self, end: End) -> None:
        """Handle the end of a connection and respond to pending requests of the other end."""
        raise NotImplementedError

    def take_request(self, end: End, request: Request) -> None:
        """Process a request of an end."""
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
        """Process a notification of an end."""
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
        """Report promises of a message that need a capability the other end lacks."""
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
        """Report that a message of an end is dropped, since its method has no counterpart."""
        route = self._routes.get((end.name, name))
        self.exchange.lose(end, name, (), _ABSENT if route is None else route.reason)

    def call(
        self, end: End, name: str, params: JsonValue, then: Then, otherwise: Otherwise
    ) -> RequestId | None:
        """Call a method of an end that has no counterpart in the version of the other end.

        Returns:
            Its id at that end; None if it was not sent.

        Raises:
            CapabilityError: If the end did not advertise the capability that it needs.
            ValueError: If it is not such a method.
        """
        known = self._correspondence.only_of(end.name, is_older=not self._indices[end.name])
        method = end.connection.require_surface().METHODS[end.name].get(name)
        if name not in known or method is None or method.kind != "request":
            raise ValueError(
                f"{quotation(name)} is not a request that exists only in protocol {end.version}; "
                f"pass one of {', '.join(sorted(known))}"
            )
        advertised, capability = end.connection.advertised, method.capability
        if capability is not None and not capability.is_advertised(advertised):
            raise CapabilityError(name, capability.pointer)
        return self.exchange.call(end, name, params, then, otherwise)

    def take_ignored(self, end: End, ignored: Ignored) -> None:
        """Report a notification of an end if its version does not define the method."""
        if ignored.kind == "unknown":
            self._lose_method(end, ignored.raw["method"])

    def take_cancellation(self, end: End, requests: Collection[Request]) -> None:
        """Cancel requests at the request of their sender."""
        for request in requests:
            if not self.exchange.cancel(request):
                self.cancel(end, request)

    def cancel(self, end: End, request: Request) -> None:
        """Cancel a request of an end that has no pending call."""
        self.exchange.fail(end, request, RequestError.request_cancelled())

    def _name_there(self, end: End, route: Route) -> str:
        """Return the name of a method at the other end."""
        name = (route.older, route.newer)[1 - self._indices[end.name]]
        assert name is not None, "what is carried has a name in both versions"
        return name


def _lacks(end: End, promise: Promise) -> str:
    return f"the {end.name} does not advertise {promise.capability.pointer}"


def _needs(method: str, end: End, promise: Promise) -> RequestError:
    """Return the error for a request that needs a capability that an end doesn't advertise."""
    text = f"method not found: {method}: {promise.reason}: {_lacks(end, promise)}"
    return RequestError.method_not_found({"capability": promise.capability.pointer}, text)
