"""The agreement of two sides by `initialize`: the surface they speak, and what they advertise."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from ..values.errors import DecodeError, Issue
from .errors import INVALID_REQUEST, ConnectionClosed, RequestError, VersionMismatch
from .messages import INITIALIZE, as_integer, is_object, peek_initialize, pick_version
from .method import Kind, Method, Surface


class Agreement:
    """The surface that one side of a connection speaks.

    Attributes:
        surface: the surface; None until `initialize` has decided it.
        advertised: what the peer sent in `initialize`: its params or result; None before.
    """

    def __init__(
        self,
        side: Literal["agent", "client"],
        surface: Surface | Callable[[int], Surface],
        *,
        initialize_first: bool,
        on_issue: Callable[[Method[Any, Any], Issue], object] | None,
    ) -> None:
        """Start with a surface, or a function that chooses it; see `Connection`."""
        self.surface: Surface | None = None
        self.advertised: Any = None
        self._side = side
        self._choose: Callable[[int], Surface] | None = None
        self._methods: dict[str, Method[Any, Any]] = {}
        self._initialize_first = initialize_first and side == "agent"
        self._on_issue = on_issue
        if callable(surface):
            self._choose = surface
        else:
            self._use(surface)

    def speak(self, surface: Surface) -> None:
        """Decide on a surface, whatever version `initialize` asks for."""
        self._choose = None
        self._use(surface)

    def _use(self, surface: Surface) -> None:
        self.surface = surface
        # This side's own methods, and those of neither side: of both, or of a proxy in between.
        # If several methods have the same name, this side's own one counts.
        other = "client" if self._side == "agent" else "agent"
        shared = [table for side, table in surface.METHODS.items() if side != other]
        self._methods = {}
        for table in (*shared, surface.METHODS[self._side]):
            self._methods.update(table)

    def require(self) -> Surface:
        """Return the surface.

        Raises:
            ConnectionClosed: it is not decided yet.
        """
        if self.surface is None:
            raise ConnectionClosed("the connection is not initialized")
        return self.surface

    @property
    def version(self) -> int:
        """The protocol version; 0 if it is not decided yet."""
        return 0 if self.surface is None else self.surface.SCHEMA.protocol_version

    def has(self, name: str) -> bool:
        """Return whether this side handles a method of the schema of that name."""
        return name in self._methods

    def find(self, name: str, kind: Kind) -> Method[Any, Any] | None:
        """Return the method that a message to this side calls; None if there is none."""
        method = self._methods.get(name)
        if method is not None:
            return method if method.kind == kind else method.notification
        if name.startswith("_") and self.surface is not None:
            extension = self.surface.EXTENSIONS.get((self._side, kind))
            return extension and extension.named(name)
        return None

    # --- decoding ----------------------------------------------------------------------------

    def decode_params(self, method: Method[Any, Any], params: Any) -> Any:
        """Decode the params of a message.

        Raises:
            DecodeError: they do not match the method.
        """
        if params is None and not method.is_extension:
            params = {}  # the schema allows null or no params in a message, but not in their type
        return self._decode(method, method.params, params)

    def decode_result(self, method: Method[Any, Any], data: Any) -> Any:
        """Decode the result of a call.

        Raises:
            DecodeError: it does not match the method.
            VersionMismatch: it answers `initialize` with another version.
        """
        if method.name == INITIALIZE:
            offered = as_integer(data.get("protocolVersion")) if is_object(data) else None
            if offered is not None and offered != self.version:
                raise VersionMismatch(offered, self.version)
        try:
            result = self._decode(method, method.result, data)
        except DecodeError:
            if data is not None:
                raise
            # Many peers send null for an object without required members.
            result = self._decode(method, method.result, {})
            if self._on_issue is not None:
                self._on_issue(method, Issue("", "expected object, found null", None, "defaulted"))
        if method.name == INITIALIZE:
            self.advertised = result
        return result

    def _decode(self, method: Method[Any, Any], type_: Any, data: Any) -> Any:
        report = self._on_issue and partial(self._on_issue, method)
        return self.require().decode(type_, data, on_issue=report)

    # --- the requests of a client to an agent ------------------------------------------------

    def begin(self, message: dict[str, Any]) -> None:
        """Process the version that a request asks for, if it is `initialize`.

        Raises:
            DecodeError: it asks for no version.
            RequestError: the version is not spoken here, or `initialize` should have come first.
        """
        if self.surface is None:
            version = peek_initialize(message)
            if version is None or self._choose is None:
                raise _too_early()
            self._use(self._choose(version))
        elif message["method"] == INITIALIZE and self._side == "agent":
            # Before its params are decoded as those of this version.
            version = peek_initialize(message)
            if version is not None:
                pick_version(version, (self.version,))

    def require_initialized(self, method: Method[Any, Any]) -> None:
        """Refuse a method of the schema that comes before `initialize`.

        Raises:
            RequestError: it does.
        """
        is_early = self._initialize_first and self.advertised is None
        if is_early and method.name != INITIALIZE and not method.is_extension:
            raise _too_early()

    def undo(self, *, keep_surface: bool = False) -> None:
        """Forget a first `initialize` that was refused: the next may ask for another version.

        Args:
            keep_surface: whether other requests still need the surface for their responses.
        """
        self.advertised = None
        if self._choose is not None and not keep_surface:
            self.surface, self._methods = None, {}

    def is_spoken(self, version: Any) -> bool:
        """Return whether a version, as found in JSON, is the one of the surface."""
        return as_integer(version) == self.version


def _too_early() -> RequestError:
    return RequestError(INVALID_REQUEST, "invalid request: initialize comes first")
