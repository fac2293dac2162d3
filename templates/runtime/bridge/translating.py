"""`Translator`: what both directions of a bridge have in common.

The generated routes say of each method whether it is carried over by rules alone, needs the code of
a translator, or has nothing that takes its place. Extensions pass as they are.
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

_ABSENT = "the other protocol version has no such method"


@dataclass(frozen=True, slots=True)
class Correspondence:
    """What corresponds between two versions.

    Attributes:
        older: the surface of the older version.
        newer: the surface of the newer version.
        to_newer: the rules for the definitions of the older version.
        to_older: the rules for the definitions of the newer version.
        routes: what becomes of each method.
        promises: messages that can be sent although the receiver lacks a capability, by direction.
    """

    older: Surface
    newer: Surface
    to_newer: Table
    to_older: Table
    routes: tuple[Route, ...]
    promises: Mapping[str, tuple[Promise, ...]]

    def only_of(self, side: str, *, is_older: bool) -> frozenset[str]:
        """Return the methods of a side in one version that have no counterpart in the other one.

        Args:
            side: the side that handles them.
            is_older: whether its version is the older one.
        """
        absent = [r for r in self.routes if r.side == side and r.how == "absent"]
        names = (route.older if is_older else route.newer for route in absent)
        return frozenset(name for name in names if name is not None)

    def only_older(self) -> frozenset[str]:
        """Return the methods of clients that nothing takes the place of in the newer version."""
        return self.only_of("client", is_older=True)


class Translator:
    """Base class of the translators."""

    # The names of the methods here that take requests and notifications of an end, by the end that
    # sends them and the name of the protocol's method.
    _requests: ClassVar[Mapping[tuple[str, str], str]] = {}
    _notifications: ClassVar[Mapping[tuple[str, str], str]] = {}

    def __init__(
        self,
        exchange: Exchange,
        limits: Limits,
        correspondence: Correspondence,
        stand_in: StandIn | None = None,
    ) -> None:
        """Start with nothing known.

        Args:
            exchange: the two ends.
            limits: how much to keep for them.
            correspondence: the two versions.
            stand_in: what stands in for a newer client that has not what an older agent asks for.
        """
        self.exchange = exchange
        self.stand_in = stand_in
        self.limits = limits
        self.client = exchange.client
        self.agent = exchange.agent
        self._correspondence = correspondence
        older = correspondence.older.SCHEMA.protocol_version
        self._routes: dict[tuple[str, str], Route] = {}
        for route in correspondence.routes:
            sender = self.client if route.side == "agent" else self.agent
            name = route.older if self._version_of(sender) == older else route.newer
            if name is not None:
                self._routes[sender.name, name] = route
        # By the end that sends and the method.
        self._promises: dict[tuple[str, str], list[Promise]] = {}
        for sender in (self.client, self.agent):
            direction = "to_newer" if self._version_of(sender) == older else "to_older"
            for promise in correspondence.promises[direction]:
                if promise.side != sender.name and promise.how != "translated":
                    self._promises.setdefault((sender.name, promise.method), []).append(promise)

    def _version_of(self, end: End) -> int:
        """The version of an end. Before the agent has answered, its version is the other one."""
        if end is self.client:
            return self.client.version
        correspondence, client = self._correspondence, self.client.version
        surfaces = (correspondence.older, correspondence.newer)
        [other] = [s for s in surfaces if s.SCHEMA.protocol_version != client]
        return other.SCHEMA.protocol_version

    def introduce(self, end: End, introduction: JsonValue) -> JsonValue:
        """Return what one side says of itself in `initialize` as the other version says it.

        Args:
            end: the end that says it: the client its params, the agent its result.
            introduction: the params, or the result.
        """
        raise NotImplementedError

    def flush(self) -> None:
        """Send what was kept back, so that updates of one thing may flow together."""

    def end(self, end: End) -> None:
        """Take note that an end is gone, and answer what the other one still waits for."""
        raise NotImplementedError

    def take_request(self, end: End, request: Request) -> None:
        """Take a request of an end."""
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
            here, there = self._sides(end)
            rules = route.params[here], route.result[there]
            self.exchange.carry(end, request, self._name_there(end, route), rules)

    def take_notification(self, end: End, notification: Notification) -> None:
        """Take a notification of an end."""
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
            here, _ = self._sides(end)
            rule = route.params[here]
            self.exchange.carry_notification(end, notification, self._name_there(end, route), rule)

    def _report_promises(self, end: End, message: Request | Notification) -> list[Promise]:
        """Report parts that the other end does not advertise but this end's version always allows.

        Args:
            end: the end that sent the message.
            message: the message.

        Returns:
            The reported promises.
        """
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

        Args:
            end: the end that handles it.
            name: the method.
            params: its params, as JSON.
            then: called with its result, as JSON.
            otherwise: called with the error.

        Returns:
            Its id at that end; None if it was not sent.

        Raises:
            CapabilityError: If the end did not advertise the capability that it needs.
            ValueError: If it is not such a method.
        """
        older = self._correspondence.older.SCHEMA.protocol_version
        known = self._correspondence.only_of(end.name, is_older=end.version == older)
        method = end.connection.require_surface().METHODS[end.name].get(name)
        if name not in known or method is None or method.kind != "request":
            raise ValueError(
                f"{quotation(name)} is not a request that only protocol {end.version} has; "
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
        """Take the wish of an end that some of its requests be cancelled."""
        for request in requests:
            if not self.exchange.cancel(request):
                self.cancel(end, request)

    def cancel(self, end: End, request: Request) -> None:
        """Cancel a request of an end that has led to no call, or to one that is over."""
        self.exchange.fail(end, request, RequestError.request_cancelled())

    def route(self, end: End, name: str) -> Route:
        """Return what becomes of a method that an end calls."""
        return self._routes[end.name, name]

    def _sides(self, end: End) -> tuple[int, int]:
        """Where a pair of names has that of an end's version, and that of the other one."""
        older = self._correspondence.older.SCHEMA.protocol_version
        return (0, 1) if self._version_of(end) == older else (1, 0)

    def _name_there(self, end: End, route: Route) -> str:
        """The name of a method at the other end."""
        _, there = self._sides(end)
        name = (route.older, route.newer)[there]
        assert name is not None, "what is carried has a name in both versions"
        return name


def _lacks(end: End, promise: Promise) -> str:
    return f"the {end.name} does not advertise {promise.capability.pointer}"


def _needs(method: str, end: End, promise: Promise) -> RequestError:
    """Return the error for a request that an end does not advertise the capability for."""
    text = f"method not found: {method}: {promise.reason}: {_lacks(end, promise)}"
    return RequestError.method_not_found({"capability": promise.capability.pointer}, text)
