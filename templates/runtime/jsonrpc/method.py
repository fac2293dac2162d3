"""Tables of the methods of a surface, and the capabilities that calls need."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, Protocol, TypeAlias, TypeVar, cast

from ..values.codec import Codec, SchemaInfo
from ..values.deferred import dataclass
from ..values.unset import UNSET

if TYPE_CHECKING:
    from typing_extensions import TypeForm

P = TypeVar("P")
R = TypeVar("R")
Side: TypeAlias = str
Kind: TypeAlias = Literal["request", "notification"]

# The method by which both sides introduce themselves.
INITIALIZE: Final = "initialize"
# The field of its params and result with the protocol version.
VERSION: Final = "protocolVersion"


@dataclass(frozen=True, slots=True)
class Capability:
    """A capability that a peer can advertise in `initialize`.

    Attributes:
        pointer: its pointer in the JSON of the initialize params or result.
        path: the names of the attributes that lead to it in the typed params or result; in
            free-form JSON such as `_meta`, the names of fields.
        form: the value that advertises it: an object, `true`, or a value chosen by the program.
    """

    pointer: str
    path: tuple[str, ...]
    form: Literal["object", "boolean", "value"] = "object"

    def is_advertised(self, advertised: object) -> bool:
        """Return whether the params or result of `initialize` advertise it.

        A boolean must be true, a list must not be empty, a marker object must be present.
        """
        value: Any = advertised
        for name in self.path:
            is_json = value.__class__ is dict  # free-form JSON has no attributes
            value = value.get(name) if is_json else getattr(value, name, None)
        return value.__class__ is dict or bool(value)  # an empty object advertises by its presence

    def is_absent(self, advertised: object) -> bool:
        """Return whether the params or result of `initialize` state that it is absent.

        Null, false and an empty list state that; null and false also for an object around it. A
        capability that is left out is not stated.
        """
        value: Any = advertised
        for name in self.path:
            is_json = value.__class__ is dict
            value = value.get(name, UNSET) if is_json else getattr(value, name, UNSET)
            if value is None or value is False:
                return True
        return value.__class__ is list and not value


@dataclass(frozen=True, slots=True)
class CapabilityRequirement:
    """A capability that a field of params needs, or items of one class in that field.

    Attributes:
        member: the name of the field in Python.
        capability: the capability that the peer must have advertised.
        kind: the class of the items; None if the field itself needs the capability.
    """

    member: str
    capability: Capability
    kind: type | None = None

    @property
    def names(self) -> tuple[str, str | None]:
        """The names of the field and the class, which match across two versions."""
        return self.member, None if self.kind is None else self.kind.__name__

    def refuses(self, params: object, advertised: object) -> str | None:
        """Return the name of the field or class that must not be sent; None if all may be."""
        # An absent, null or empty field is not in use.
        value: Any = getattr(params, self.member, None)
        if not value or self.capability.is_advertised(advertised):
            return None
        if self.kind is None:
            return self.member
        for item in value:
            if isinstance(item, self.kind):
                return self.kind.__name__
        return None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Method(Generic[P, R]):
    """A request or notification of the protocol.

    Attributes:
        name: its name in JSON.
        side: the side that handles it; `protocol` means either side.
        kind: `request` or `notification`.
        params: the type of its params, to be passed to `decode`.
        result: the type of its result; None for a notification.
        handler: the name of its Python method in handlers and stubs.
        codec: the codec for its params and result.
        capability: the capability that the handling side must have advertised; None for none.
        needs: the capabilities that fields of its params need.
        notification: for a request, the notification with the same name and side, if any.
        is_extension: whether it represents all methods that the schema does not define.
        ends_updates: whether its response ends a sequence of updates of its session. The handlers
            of the updates finish before the caller gets the response.
        life: whether it `opens` a session, `restores` it or `ends` it; None otherwise.
    """

    name: str
    side: Side
    kind: Kind
    params: TypeForm[P]
    result: TypeForm[R]
    handler: str
    codec: Codec
    capability: Capability | None = None
    needs: tuple[CapabilityRequirement, ...] = ()
    notification: Method[Any, None] | None = None
    is_extension: bool = False
    ends_updates: bool = False
    life: Literal["opens", "restores", "ends"] | None = None

    def __repr__(self) -> str:
        """Show the fields that identify the method."""
        return f"Method(name={self.name!r}, side={self.side!r}, kind={self.kind!r})"

    def named(self, name: str) -> Method[P, R]:
        """Return the extension method with that name.

        Raises:
            ValueError: If the name does not begin with an underscore, as required for extensions.
        """
        if not (self.is_extension and name.startswith("_")):
            raise ValueError(f"{name!r} is not the name of an extension; begin it with '_'")
        return _renamed(self, name)


def table(*methods: Method[Any, Any]) -> Mapping[str, Method[Any, Any]]:
    """Return a read-only table of methods by name."""
    return MappingProxyType({method.name: method for method in methods})


class Surface(Protocol):
    """The part of a surface, such as the module `v1`, that connections use."""

    @property
    def SCHEMA(self) -> SchemaInfo: ...
    @property
    def TYPES(self) -> Mapping[str, Any]: ...
    @property
    def AGENT_METHODS(self) -> Mapping[str, Method[Any, Any]]: ...
    @property
    def CLIENT_METHODS(self) -> Mapping[str, Method[Any, Any]]: ...
    @property
    def PROTOCOL_METHODS(self) -> Mapping[str, Method[Any, Any]]: ...
    @property
    def METHODS(self) -> Mapping[Side, Mapping[str, Method[Any, Any]]]: ...
    @property
    def NULL_ID(self) -> bool: ...
    @property
    def BATCHES(self) -> bool: ...
    @property
    def EXTENSIONS(self) -> Mapping[tuple[Side, Kind], Method[Any, Any]]: ...
    @property
    def decode(self) -> Callable[..., Any]: ...
    @property
    def encode(self) -> Callable[..., Any]: ...


def raw_method(surface: Surface, side: Side, kind: Kind, name: str) -> Method[Any, Any]:
    """Return a method with any name, whose params and result are JSON; see `Peer.request`."""
    return _renamed(surface.EXTENSIONS[side, kind], name)


def _renamed(method: Method[P, R], name: str) -> Method[P, R]:
    from dataclasses import replace  # here, since it is slow

    return replace(method, name=name)


def surface_of(module: str) -> Surface:
    """Return the surface of a module, by its `__name__`. It can still be incomplete."""
    return cast(Surface, sys.modules[module.rpartition(".")[0]])


def name_of(surface: Surface) -> str:
    """Return the name of a surface, such as `v1`."""
    module = cast(ModuleType, surface)
    return module.__name__.rpartition(".")[2]


class Extension(Protocol):
    """The part of an extension that connections use: its methods."""

    @property
    def METHODS(self) -> Mapping[Side, Mapping[str, Method[Any, Any]]]: ...


def extension_of(module: str) -> Extension:
    """Return the extension of a module, like `surface_of`."""
    return cast(Extension, sys.modules[module.rpartition(".")[0]])
