"""The agreement of two sides by `initialize`: the surface they speak, and what they advertise.

A side that speaks several versions has no surface at first, so nothing but `initialize` can be
understood. That decides the surface; if it is refused, the decision is undone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Any, Literal, cast

from ..values.errors import DecodeError, EncodeError, Issue, describe, quotation
from ..values.unset import UNSET
from .errors import RequestError, VersionMismatch
from .handler import not_handled
from .logs import call_back, logger_of
from .messages import as_integer, is_object, peek_initialize, pick_version
from .method import INITIALIZE, Extension, Kind, Method, Surface

_log = logger_of(__name__)


class Agreement:
    """The surface that one side of a connection speaks.

    Attributes:
        surface: the surface; None until `initialize` has decided it.
        advertised: what the peer sent in `initialize`: its params or result; None before.
        asked: the versions that this client has asked for, if its surface is not decided.
    """

    def __init__(
        self,
        side: Literal["agent", "client"],
        surface: Surface | Callable[[int], Surface],
        *,
        initialize_first: bool,
        on_issue: Callable[[Issue], object] | None,
    ) -> None:
        """Start with a surface, or a function that chooses it; see `Connection`."""
        self.surface: Surface | None = None
        self.advertised: Any = None
        self.asked: Collection[int] = ()
        self._side = side
        self._choose: Callable[[int], Surface] | None = None
        self._methods: dict[str, Method[Any, Any]] = {}
        self._extensions: tuple[Extension, ...] = ()
        self._initialize_first = initialize_first and side == "agent"
        self._accepted: set[str] = set()  # the reasons that were logged
        self._on_issue: Callable[[Issue], object] | None = None
        if on_issue is not None:
            self._on_issue = partial(call_back, on_issue, what="the callback for issues", log=_log)
        if callable(surface):
            self._choose = surface
        else:
            self._use(surface)

    def speak(self, surface: Surface) -> None:
        """Decide on a surface, whatever version `initialize` asks for."""
        self._choose = None
        self._use(surface)

    def extend(self, extensions: Iterable[Extension]) -> None:
        """Handle the methods of these extensions, too."""
        # The surface may be spoken already, or decided later.
        self._extensions = tuple(extensions)
        if self.surface is not None:
            self._use(self.surface)

    def _use(self, surface: Surface) -> None:
        self.surface = surface
        # This side's own methods, and those of neither side: of both, or of a proxy in between.
        # If several methods have the same name, this side's own one counts.
        other = "client" if self._side == "agent" else "agent"
        shared = [table for side, table in surface.METHODS.items() if side != other]
        self._methods = {}
        added = [extension.METHODS.get(self._side, {}) for extension in self._extensions]
        for table in (*shared, surface.METHODS[self._side], *added):
            self._methods.update(table)

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
        # Names that begin with "_" are those of extensions; see "Extensibility" in the protocol.
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
            RequestError: the surface cannot be used.
        """
        if method.name != INITIALIZE:
            return self._decode_result(method, data)
        offered = as_integer(data.get("protocolVersion")) if is_object(data) else None
        is_first = self.surface is None
        # Before decoding: the version decides what to decode the result as.
        if is_first:
            method = self._accept(offered, data)
        elif offered is not None and offered != self.version:
            raise VersionMismatch(offered, self.version)
        try:
            self.advertised = self._decode_result(method, data)
        except DecodeError:
            if is_first:  # the program may call `initialize` again
                self.undo()
            raise
        return self.advertised

    def _accept(self, offered: int | None, data: Any) -> Method[Any, Any]:
        """Speak the version that an agent answers; return its `initialize`."""
        if offered is None:
            value = data.get("protocolVersion", UNSET) if is_object(data) else data
            found = "nothing" if value is UNSET else describe(value)
            raise DecodeError("/protocolVersion", "integer", found, INITIALIZE)
        if offered not in self.asked:
            raise VersionMismatch(offered, max(self.asked))
        assert self._choose is not None, "an undecided surface is chosen"
        surface = self._choose(offered)
        self._use(surface)
        return surface.METHODS["agent"][INITIALIZE]

    def _decode_result(self, method: Method[Any, Any], data: Any) -> Any:
        try:
            return self._decode(method, method.result, data)
        except DecodeError:
            if data is not None:
                raise
            # Many peers send null for an object without required members.
            result = self._decode(method, method.result, {})
            if self._on_issue is not None:
                reason = "expected object, found null"
                self._on_issue(Issue("", reason, None, "defaulted", method.name))
            return result

    def empty_result(self, method: Method[Any, Any]) -> Any:
        """Return the result without members: that of a handler that returns None.

        Raises:
            EncodeError: the result needs members.
        """
        try:
            return self._decode(method, method.result, {})
        except DecodeError as error:
            problem = f"the handler of {method.name!r} returned None instead of its result: {error}"
            raise EncodeError("", problem) from None

    def accept(self, reason: str, raw: Any, method: str, pointer: str = "") -> None:
        """Report that a message is read although its form is wrong.

        Args:
            reason: One of a few sentences. Without a callback for issues, each is logged once.
            raw: The wrong part.
            method: The method of the message; empty if it is not known.
            pointer: Where the part is in the message; empty if it is outside of it.
        """
        if self._on_issue is not None:
            self._on_issue(Issue(pointer, reason, raw, "accepted", method))
        elif reason not in self._accepted:
            self._accepted.add(reason)
            about = f" of {quotation(method)}" if method else ""
            _log.warning("accepted a message%s: %s: %s", about, reason, quotation(raw))

    def _decode(self, method: Method[Any, Any], type_: Any, data: Any) -> Any:
        report = self._on_issue and partial(_report, self._on_issue, method.name)
        return method.codec.decode(type_, data, on_issue=report)

    # --- the requests of a client to an agent ------------------------------------------------

    def admit(self, message: dict[str, Any]) -> Method[Any, Any]:
        """Return the method that a request calls, once its version is decided if it is the first.

        Raises:
            DecodeError: it is an `initialize` that asks for no version.
            RequestError: nothing here handles it, or not before `initialize`; the version is not
                spoken here; the id is null, which this version does not allow.
        """
        name, surface = message["method"], self.surface
        if surface is None:
            surface = self._agree(message)
        elif name == INITIALIZE and self._side == "agent":
            # Before its params are decoded as those of this version.
            pick_version(cast(int, peek_initialize(message)), (self.version,))
        if message["id"] is None and not surface.NULL_ID:
            raise RequestError.invalid_request(message="invalid request: id must not be null")
        method = self.find(name, "request")
        if method is None:
            raise not_handled(name)
        # Extensions are let through, see `initialize_first` of `Connection`.
        is_early = self._initialize_first and self.advertised is None
        if is_early and name != INITIALIZE and not name.startswith("_"):
            raise _too_early()
        return method

    def _agree(self, message: dict[str, Any]) -> Surface:
        version = peek_initialize(message)
        if version is None or self._choose is None or self._side == "client":
            raise _too_early()
        surface = self._choose(version)
        self._use(surface)
        return surface

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


def by_version(requests: Iterable[Any]) -> dict[int, tuple[Surface, Any]]:
    """Return the params for `initialize`, each with its surface, by protocol version.

    Raises:
        TypeError: something is not the params of `initialize`.
        ValueError: two are of the same version.
    """
    by_number: dict[int, tuple[Surface, Any]] = {}
    for request in requests:
        # Its class knows its module, and that is in the package of the surface.
        surface: Any = sys.modules.get(type(request).__module__.rpartition(".")[0])
        methods = getattr(surface, "METHODS", {}).get("agent", {})
        if INITIALIZE not in methods or not isinstance(request, methods[INITIALIZE].params):
            kind = describe(request) if isinstance(request, dict) else type(request).__name__
            raise TypeError(
                f"initialize takes requests such as v1.InitializeRequest(…), not {kind}"
            )
        version = surface.SCHEMA.protocol_version
        if version in by_number:
            raise ValueError(f"initialize has two requests for version {version}; choose one")
        by_number[version] = (surface, request)
    return by_number


def _too_early() -> RequestError:
    return RequestError.invalid_request(message="invalid request: initialize comes first")


def _report(on_issue: Callable[[Issue], object], method: str, issue: Issue) -> None:
    on_issue(issue.of(method))
