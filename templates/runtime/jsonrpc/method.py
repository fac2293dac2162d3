"""A surface's methods, and the capabilities that calls require."""

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

# The method that negotiates the protocol version and capabilities.
INITIALIZE: Final = "initialize"
# The field of the `initialize` params and result that contains the protocol version.
VERSION: Final = "protocolVersion"


@dataclass(frozen=True, slots=True)
class Capability:
    """A capability that a peer can advertise in `initialize`.

    Attributes:
        pointer: the JSON pointer to the capability in the `initialize` params or result.
        path: the path to the capability in the typed params or result, as attribute names or, in
            free-form JSON such as `_meta`, as field names.
        form: the kind of value that advertises the capability: an object, `true`, or a value chosen
            by the program.
    """

    pointer: str
    path: tuple[str, ...]
    form: Literal["object", "boolean", "value"] = "object"

    def is_advertised(self, advertised: object) -> bool:
        """Return whether the `initialize` params or result advertises the capability.

        A boolean must be true, a list must not be empty, and an object must be present.
        """
        value: Any = advertised
        for name in self.path:
            is_json = value.__class__ is dict  # free-form JSON has no attributes
            value = value.get(name) if is_json else getattr(value, name, None)
        return value.__class__ is dict or bool(value)  # an empty object is sufficient

    def is_absent(self, advertised: object) -> bool:
        """Return whether the `initialize` params or result declares the capability absent.

        A capability is declared absent if its value is null, false or an empty list, or if an
        enclosing object is null or false. A capability that is merely omitted isn't declared
        absent.
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
    """A capability that is required by a field of params, or by certain items in that field.

    Attributes:
        member: the Python name of the field.
        capability: the capability that the receiver must have advertised.
        kind: the class of the items that require the capability, or None if any use of the field
            requires it.
    """

    member: str
    capability: Capability
    kind: type | None = None

    @property
    def names(self) -> tuple[str, str | None]:
        """The names of the field and the class, for comparing the requirements of two versions."""
        return self.member, None if self.kind is None else self.kind.__name__

    def refuses(self, params: object, advertised: object) -> str | None:
        """Return the field or class that must not be sent, or None if the params are allowed."""
        value: Any = getattr(params, self.member, None)
        if self.kind is not None and value:
            value = [item for item in value if isinstance(item, self.kind)]
        # An absent, null or empty field is treated as unused.
        if not value or self.capability.is_advertised(advertised):
            return None
        return self.member if self.kind is None else self.kind.__name__


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Method(Generic[P, R]):
    """A protocol method, which is either a request or a notification.

    Attributes:
        name: the name in JSON.
        side: the side that handles the method, where `protocol` means either side.
        kind: `request` or `notification`.
        params: the type of the params, to be passed to `decode`.
        result: the type of the result, or None for a notification.
        handler: the name of the corresponding Python method in handlers and stubs.
        codec: the codec for the params and the result.
        capability: the capability that the handling side must have advertised, or None if the
            method requires no capability.
        needs: the capabilities required by fields of the params.
        notification: for a request, the notification with the same name and side, if any.
        is_extension: whether this object represents all methods that the schema does not define.
        ends_updates: whether the response concludes a sequence of updates about its session. The
            caller receives the response after the handlers for these updates finish.
        life: the method's effect on a session: `opens`, `restores` or `ends`, or None if it has no
            such effect.
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
        """Return a representation with the fields that identify the method."""
        return f"Method(name={self.name!r}, side={self.side!r}, kind={self.kind!r})"

    def named(self, name: str) -> Method[P, R]:
        """Return the extension method with the given name.

        Raises:
            ValueError: If the name is not valid for an extension method because it does not begin
                with an underscore.
        """
        if not (self.is_extension and name.startswith("_")):
            raise ValueError(f"{name!r} is not the name of an extension; begin it with '_'")
        return _renamed(self, name)


def table(*methods: Method[Any, Any]) -> Mapping[str, Method[Any, Any]]:
    """Return a read-only table of methods by name."""
    return MappingProxyType({method.name: method for method in methods})


class Surface(Protocol):
    """The interface through which connections use a surface, such as the module `v1`."""

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
    """Return a method with an arbitrary name and untyped params and result; see `Peer.request`."""
    return _renamed(surface.EXTENSIONS[side, kind], name)


def _renamed(method: Method[P, R], name: str) -> Method[P, R]:
    from dataclasses import replace  # imported here, since importing it is slow

    return replace(method, name=name)


def surface_of(module: str) -> Surface:
    """Return the surface that contains the module with this `__name__`.

    While the surface is being imported, it can still be incomplete.
    """
    return cast(Surface, sys.modules[module.rpartition(".")[0]])


def name_of(surface: Surface) -> str:
    """Return the name of a surface, such as `v1`."""
    module = cast(ModuleType, surface)
    return module.__name__.rpartition(".")[2]


class Extension(Protocol):
    """The interface through which connections use an extension."""

    @property
    def METHODS(self) -> Mapping[Side, Mapping[str, Method[Any, Any]]]: ...


def extension_of(module: str) -> Extension:
    """Return the extension that contains a module; see `surface_of`."""
    return cast(Extension, sys.modules[module.rpartition(".")[0]])
