"""Negotiation with `initialize`, which determines the surface and the advertised capabilities.

A side that supports several versions has no surface at first, so it accepts only `initialize`. The
`initialize` request selects the surface. If the request is rejected, the selection is undone. Once
a connection is initialized, messages are rejected if they require a capability that this side
declared absent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Literal, cast

from ..values.errors import DecodeError, EncodeError, Issue, describe, quotation
from .errors import RequestError, VersionMismatch
from .handler import not_advertised, not_handled
from .logs import call_back, logger_of
from .messages import (
    as_version,
    found_version,
    invalid_params,
    is_object,
    peek_initialize,
    pick_version,
)
from .method import (
    INITIALIZE,
    VERSION,
    Capability,
    CapabilityRequirement,
    Extension,
    Kind,
    Method,
    Surface,
)

_log = logger_of(__name__)


class Agreement:
    """The result of negotiation, for one side of a connection.

    Attributes:
        surface: the surface in use, or None until `initialize` selects it.
        advertised: the peer's `initialize` params or result, or None until they are received.
        asked: the surfaces and params of the client's last `initialize` request, by protocol
            version.
    """

    def __init__(
        self,
        side: Literal["agent", "client"],
        surface: Surface | Callable[[int], Surface],
        *,
        initialize_first: bool,
        on_issue: Callable[[Issue], object] | None,
        refuse_absent: bool,
        is_known: Callable[[CapabilityRequirement], bool] | None,
    ) -> None:
        self.surface: Surface | None = None
        self.advertised: Any = None
        self.asked: Mapping[int, tuple[Surface, Any]] = {}
        self._side = side
        self._choose: Callable[[int], Surface] | None = None
        self._methods: dict[str, Method[Any, Any]] = {}
        self._extensions: tuple[Extension, ...] = ()
        self._introduction: Any = None  # this side's `initialize` params or result
        # The capabilities that this side declares absent. `_absent` contains the capabilities that
        # methods require. `_unsupported` contains the capabilities that params fields require.
        self._absent: dict[str, Capability] = {}
        self._unsupported: dict[Method[Any, Any], list[CapabilityRequirement]] = {}
        self._refuses_absent = refuse_absent
        self._is_known = is_known
        self._initialize_first = initialize_first and side == "agent"
        self._accepted: set[str] = set()  # the logged reasons for accepting malformed messages
        self._on_issue: Callable[[Issue], object] | None = None
        if on_issue is not None:
            self._on_issue = partial(call_back, on_issue, what="the callback for issues", log=_log)
        if callable(surface):
            self._choose = surface
        else:
            self._use(surface)

    def speak(self, surface: Surface) -> None:
        """Use a surface, regardless of the version that `initialize` requests."""
        self._choose = None
        self._use(surface)

    def extend(self, extensions: Iterable[Extension]) -> None:
        """Handle the methods of these extensions, which replace any extensions passed earlier."""
        # The surface might already be in use or be selected later.
        self._extensions = tuple(extensions)
        if self.surface is not None:
            self._use(self.surface)

    def introduce(self, introduction: Any) -> None:
        """Reject messages from now on if they require a capability that this side declares absent.

        Args:
            introduction: this side's `initialize` params or result.
        """
        if self._refuses_absent and self.surface is not None:
            self._introduction = introduction
            self._use(self.surface)

    def _use(self, surface: Surface) -> None:
        self.surface = surface
        # This side handles its own methods and the methods that belong to neither side (shared
        # methods and a proxy's methods). If several methods have the same name, this side's own
        # method takes precedence.
        other = "client" if self._side == "agent" else "agent"
        shared = [table for side, table in surface.METHODS.items() if side != other]
        self._methods = {}
        added = [extension.METHODS.get(self._side, {}) for extension in self._extensions]
        for table in (*shared, surface.METHODS[self._side], *added):
            self._methods.update(table)
        self._absent, self._unsupported = {}, {}
        if self._introduction is not None:
            self._remove_absent()

    def _remove_absent(self) -> None:
        # Done only once per connection so that receiving messages stays fast.
        for name, method in self._methods.items():
            if method.capability is not None and method.capability.is_absent(self._introduction):
                self._absent[name] = method.capability
            for each in filter(None, (method, method.notification)):
                needs = [n for n in each.needs if n.capability.is_absent(self._introduction)]
                if needs:
                    self._unsupported[each] = needs
        for name in self._absent:
            del self._methods[name]

    @property
    def version(self) -> int:
        """The protocol version, or 0 until it is negotiated."""
        return 0 if self.surface is None else self.surface.SCHEMA.protocol_version

    def has(self, name: str) -> bool:
        """Return whether the schema defines a method with this name for this side."""
        return name in self._methods

    def reason_for_absence(self, name: str) -> str:
        """Return the reason why a method is absent, or an empty string if the reason is unknown."""
        if name not in self._absent:
            return ""
        pointer = self._absent[name].pointer
        return f"{name} needs {pointer}, which the {self._side} did not advertise"

    def find(self, name: str, kind: Kind) -> Method[Any, Any] | None:
        """Return the method that a message with this name and kind calls, or None."""
        method = self._methods.get(name)
        if method is not None:
            return method if method.kind == kind else method.notification
        if name in self._absent:
            return None
        # Names that begin with "_" belong to extensions; see "Extensibility" in the protocol.
        if name.startswith("_") and self.surface is not None:
            extension = self.surface.EXTENSIONS.get((self._side, kind))
            return extension and extension.named(name)
        return None

    # --- decoding ----------------------------------------------------------------------------

    def decode_params(self, method: Method[Any, Any], params: Any) -> Any:
        """Decode the params of a message.

        Raises:
            DecodeError: If the params do not match the method.
            RequestError: If the params require a capability that this side declares absent.
        """
        if params is None and not method.is_extension:
            params = {}  # params can be null or missing in messages, but not in the schema's types
        if method.name == INITIALIZE:
            return self._decode_introduction(method, params)
        # Like `_decode`, but inlined to save a call for each received message.
        report = self._on_issue and partial(_report, self._on_issue, method.name)
        decoded = method.codec.receive(method.params, params, report)
        if self._unsupported:
            self._refuse_unsupported(method, decoded)
        return decoded

    def _decode_introduction(self, method: Method[Any, Any], params: Any) -> Any:
        """Decode the params of `initialize`. The version can be a string."""
        value = params.get(VERSION) if is_object(params) else None
        if not isinstance(value, str):
            return self._decode(method, method.params, params)
        decoded = self._decode(method, method.params, {**params, VERSION: as_version(value)})
        self.accept("expected integer, found string", value, INITIALIZE, f"/params/{VERSION}")
        return decoded

    def _refuse_unsupported(self, method: Method[Any, Any], params: Any) -> None:
        for need in self._unsupported.get(method, ()):
            is_refused = need.refuses(params, self._introduction) is not None
            if is_refused and (self._is_known is None or self._is_known(need)):
                raise not_advertised(self._side, need.capability)

    def decode_result(self, method: Method[Any, Any], data: Any) -> Any:
        """Decode the result of a call.

        Raises:
            DecodeError: If the result does not match the method.
            VersionMismatch: If an `initialize` result contains a version that this side does not
                support.
            RequestError: If the surface cannot be used.
        """
        if method.name != INITIALIZE:
            try:
                return self._decode(method, method.result, data)
            except DecodeError:
                if data is not None:
                    raise
            return self._decode_null(method)
        # Imported here, since agents don't need this module.
        from .versions import read_version, unmatched

        surfaces = {version: surface for version, (surface, _) in self.asked.items()}
        is_first = self.surface is None
        if self.surface is not None:
            surfaces[self.version] = self.surface
        spoken = self.version or max(surfaces)
        version, reason = read_version(data, surfaces, spoken)
        if is_first:
            assert self._choose is not None, "a connection without a surface can choose one"
            self._use(self._choose(version))
        elif version != spoken:
            raise VersionMismatch(version, spoken)
        if any(method is _introduction(surface) for surface in surfaces.values()):
            method = _introduction(cast(Surface, self.surface))  # for the negotiated version
        try:
            self.advertised = self._decode(method, method.result, {**data, VERSION: version})
        except DecodeError as problem:
            if is_first:  # undone, since the program can call `initialize` again
                self.undo()
            raise unmatched(version, spoken, problem) from problem
        if reason is not None:
            self.accept(reason, data[VERSION], INITIALIZE, f"/result/{VERSION}")
        if self.version in self.asked:
            self.introduce(self.asked[self.version][1])
        return self.advertised

    def _decode_null(self, method: Method[Any, Any]) -> Any:
        """Decode null, which many peers send instead of an object without required fields."""
        result = self._decode(method, method.result, {})
        if self._on_issue is not None:
            reason = "expected object, found null"
            self._on_issue(Issue("", reason, None, "defaulted", method.name))
        return result

    def empty_result(self, method: Method[Any, Any]) -> Any:
        """Return an empty result, for a handler that returns None.

        Raises:
            EncodeError: If the result has required fields.
        """
        try:
            return self._decode(method, method.result, {})
        except DecodeError as error:
            problem = f"the handler for {method.name!r} returned None instead of a result: {error}"
            raise EncodeError("", problem) from None

    def accept(self, reason: str, raw: Any, method: str, pointer: str = "") -> None:
        """Report that a malformed message was accepted.

        Without a callback for issues, each reason is logged once, so there must be only a few
        different reasons.
        """
        if self._on_issue is not None:
            self._on_issue(Issue(pointer, reason, raw, "accepted", method))
        elif reason not in self._accepted:
            self._accepted.add(reason)
            about = f" of {quotation(method)}" if method else ""
            _log.warning("accepted a message%s: %s: %s", about, reason, quotation(raw))

    def _decode(self, method: Method[Any, Any], type_: Any, data: Any) -> Any:
        report = self._on_issue and partial(_report, self._on_issue, method.name)
        return method.codec.receive(type_, data, report)

    # --- received requests -------------------------------------------------------------------

    def admit(self, message: dict[str, Any]) -> Method[Any, Any]:
        """Return the method that a request calls. The first `initialize` selects the surface.

        Raises:
            RequestError: If this side doesn't handle the method, if the request must be preceded by
                `initialize`, if the requested version is missing or not supported, or if the id is
                null, which some versions do not allow.
        """
        name, surface = message["method"], self.surface
        if surface is None:
            surface = self._agree(message)
        elif name == INITIALIZE and self._side == "agent":
            # Checked before the params are decoded according to the version in use.
            pick_version(cast(int, _requested(message)), (self.version,))
        if message["id"] is None and not surface.NULL_ID:
            raise RequestError.invalid_request(message="invalid request: id must not be null")
        method = self.find(name, "request")
        if method is None:
            if reason := self.reason_for_absence(name):
                data = {"capability": self._absent[name].pointer}
                raise RequestError.method_not_found(data, f"method not found: {reason}")
            raise not_handled(name)
        # Extensions are accepted before `initialize`; see the `initialize_first` argument of
        # `Connection`.
        is_early = self._initialize_first and self.advertised is None
        if is_early and name != INITIALIZE and not name.startswith("_"):
            raise _too_early()
        return method

    def _agree(self, message: dict[str, Any]) -> Surface:
        version = _requested(message)
        if version is None or self._choose is None or self._side == "client":
            raise _too_early()
        surface = self._choose(version)
        self._use(surface)
        return surface

    def undo(self, *, keep_surface: bool = False) -> None:
        """Undo a rejected first `initialize` so that a second one can request another version.

        Args:
            keep_surface: whether to retain the surface because other requests are still pending.
        """
        self.advertised = None
        if self._choose is not None and not keep_surface:
            self.surface, self._methods = None, {}


def by_version(requests: Iterable[Any]) -> dict[int, tuple[Surface, Any]]:
    """Return `initialize` requests with their surfaces, by protocol version.

    Args:
        requests: an `InitializeRequest` for each version.

    Raises:
        TypeError: If an argument is not an `InitializeRequest`.
        ValueError: If two arguments are for the same version.
    """
    by_number: dict[int, tuple[Surface, Any]] = {}
    for request in requests:
        # The class is defined in a module of the surface's package.
        surface: Any = sys.modules.get(type(request).__module__.rpartition(".")[0])
        methods = getattr(surface, "METHODS", {}).get("agent", {})
        if INITIALIZE not in methods or not isinstance(request, methods[INITIALIZE].params):
            kind = describe(request) if isinstance(request, dict) else type(request).__name__
            raise TypeError(
                f"expected a request such as v1.InitializeRequest(…) for initialize, found {kind}"
            )
        version = surface.SCHEMA.protocol_version
        if version in by_number:
            raise ValueError(f"two initialize requests for version {version}; pass only one")
        by_number[version] = (surface, request)
    return by_number


def _introduction(surface: Surface) -> Method[Any, Any]:
    return surface.METHODS["agent"][INITIALIZE]


def _requested(message: dict[str, Any]) -> int | None:
    """Return the version that `initialize` requests, or None for any other message.

    Raises:
        RequestError: If the request contains no version. The error message mentions the protocol's
            name, since the client might use another protocol.
    """
    try:
        return peek_initialize(message)
    except DecodeError as error:
        found = found_version(message.get("params"))
        expected = "a version of the Agent Client Protocol, such as 1"
        text = f"invalid params: expected {expected}, found {found}"
        raise invalid_params(error, text) from error


def _too_early() -> RequestError:
    return RequestError.invalid_request(message="invalid request: initialize comes first")


def _report(on_issue: Callable[[Issue], object], method: str, issue: Issue) -> None:
    on_issue(issue.of(method))
