"""The base class of the generated stubs, and the interface that they use to call the peer."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

from .errors import CapabilityError
from .method import INITIALIZE, Method

P = TypeVar("P")
R = TypeVar("R")


class Caller(Protocol):
    """The interface that stubs use to call the peer: a connection or a substitute."""

    async def request(self, method: Method[P, R], params: P, /) -> R:
        """Send a request and wait for its result."""
        ...

    async def notify(self, method: Method[P, None], params: P, /) -> None:
        """Send a notification."""
        ...


class Stub:
    """Base class of the generated stubs, which call the peer's methods."""

    def __init__(
        self, caller: Caller, advertised: object = None, *, check_capabilities: bool = True
    ) -> None:
        """Create a stub.

        Args:
            caller: the connection, or another object that sends the calls.
            advertised: the peer's `initialize` params if it is a client, or its `initialize` result
                if it is an agent. By default, the caller's `advertised` attribute is used or, if
                `initialize` is called through this stub, the result of that call. Until the value
                is known, no calls are rejected.
            check_capabilities: whether to reject calls that require a capability that the peer did
                not advertise. If false, such calls are sent, and the peer might reject them.
        """
        self._caller = caller
        self._advertised = advertised
        self._checks_capabilities = check_capabilities

    @property
    def advertised(self) -> Any:
        """The peer's `initialize` params or result, or None until they are received."""
        return self._advertised or getattr(self._caller, "advertised", None)

    def _request(self, method: Method[P, R], params: P) -> Coroutine[Any, Any, R]:
        if method.capability is not None or method.needs:
            self.check(method, params)
        call = self._caller.request(method, params)
        return self._remember(call) if method.name == INITIALIZE else call

    async def _remember(self, call: Coroutine[Any, Any, R]) -> R:
        self._advertised = result = await call
        return result

    def _notify(self, method: Method[P, None], params: P) -> Coroutine[Any, Any, None]:
        if method.capability is not None or method.needs:
            self.check(method, params)
        return self._caller.notify(method, params)

    def check(self, method: Method[Any, Any], params: Any) -> None:
        """Check that the peer advertised the capabilities that a call requires.

        All calls do this automatically. A stub created with `check_capabilities=False` does not
        check anything.

        Raises:
            CapabilityError: If the peer did not advertise a required capability.
        """
        if not self._checks_capabilities:
            return
        advertised = self.advertised
        if advertised is None:  # for example, `initialize` hasn't been called yet
            return
        if method.capability is not None and not method.capability.is_advertised(advertised):
            raise CapabilityError(method.name, method.capability.pointer)
        for need in method.needs:
            refused = need.refuses(params, advertised)
            if refused is not None:
                raise CapabilityError(f"{method.name} with {refused}", need.capability.pointer)
