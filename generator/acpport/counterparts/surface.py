"""A surface of the generated package, with its types, fields and methods."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Collection, Mapping, Sequence
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from acp_bindings import runtime
from acp_bindings.runtime import Record, Unknown, Unlisted, UnsetType
from acp_bindings.runtime.jsonrpc.method import Method

from acpport.counterparts.names import Row, defaults, find, rows

# The side that handles a group of methods.
Side: TypeAlias = Literal["agent", "client"]
SIDES: tuple[Side, ...] = ("agent", "client")
# The SDK class that defines each side's methods, and the classes in this package that handle and
# call them.
INTERFACE = {"agent": "Agent", "client": "Client"}
HANDLER = {"agent": "AgentHandler", "client": "ClientHandler"}
STUB = {"agent": "AgentStub", "client": "ClientStub"}
OTHER: dict[Side, Side] = {"agent": "client", "client": "agent"}
STABLE, UNSTABLE = "v1", "v1_unstable"


@dataclasses.dataclass(frozen=True, slots=True)
class Member:
    """A field of a class.

    Attributes:
        name: the field's name in Python.
        types: the types of the field's values, except `UnsetType`.
        is_optional: whether the field can be absent.
    """

    name: str
    types: tuple[Any, ...]
    is_optional: bool

    @property
    def has_falsy_values(self) -> bool:
        """True if the field can have falsy values, such as 0 or an empty list."""
        return any(
            type_ not in (None, NoneType, Unlisted)
            and get_origin(type_) is not Literal
            and not is_record(type_)
            for type_ in self.types
        )

    @property
    def is_json(self) -> bool:
        """True if the field accepts any JSON value."""
        return any(Any in (type_, *get_args(type_)) for type_ in self.types)

    def takes(self, type_: Any) -> bool:
        """Return whether the field accepts values of a class, such as `list`."""
        return any(arm is Any or type_ in (arm, get_origin(arm)) for arm in self.types)


class Surface:
    """A surface of the package.

    Attributes:
        name: the surface's name, such as `v1_unstable`.
        lacking: the requested names that only the unstable surface defines.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.lacking: set[str] = set()
        self._module: Any = importlib.import_module(f"acp_bindings.{name}")
        self._unstable: Any = importlib.import_module(f"acp_bindings.{UNSTABLE}")
        self._types = _types(name)
        self._members: dict[str, dict[str, Member]] = {}

    # --- types -------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Return whether the surface defines a type.

        If only the unstable surface defines the type, record its name in `lacking`.
        """
        if name in self._types:
            return True
        if name in _types(UNSTABLE):
            self.lacking.add(name)
        return False

    def type_of(self, key: str) -> str | None:
        """Return the name of the type that replaces an SDK class, or None if there is none."""
        if self.has(key):
            return key
        row = find(key)
        if row is None or len(row.here) != 1 or row.call or not self.has(row.here[0]):
            return None
        return row.here[0]

    def python_type(self, name: str) -> Any:
        """Return the class with this name, or None if there is none."""
        type_ = self._types.get(name)
        return type_ if isinstance(type_, type) else None

    def is_class(self, name: str) -> bool:
        """Return whether a type is a class with fields instead of a union or an alias."""
        return dataclasses.is_dataclass(self._types[name])

    def name_of(self, type_: Any) -> str:
        """Return the name of a type in the surface."""
        if isinstance(type_, type):
            return type_.__name__
        return next(name for name, each in self._types.items() if each == type_)

    def types(self, name: str) -> tuple[Any, ...]:
        """Return the classes in a type: a union's variants, or the type itself."""
        return tuple(arms_of(self._types[name])) if name in self._types else ()

    # --- fields ------------------------------------------------------------------------------

    def members(self, name: str) -> dict[str, Member]:
        """Return the fields of a class, or of all variants of a union, by Python name."""
        if name not in self._members:
            classes = filter(is_record, arms_of(self._types[name]))
            self._members[name] = {each.name: each for cls in classes for each in _members(cls)}
        return self._members[name]

    def wire_names(self, name: str) -> dict[str, str]:
        """Return the Python names of fields by the JSON names that old SDK versions accept."""
        words = {member: member.split("_") for member in self.members(name)}
        return {
            first + "".join(word.capitalize() for word in rest): member
            for member, (first, *rest) in words.items()
        }

    def member_types(self, name: str, member: str) -> tuple[Any, ...]:
        """Return the types of a field, including `UnsetType` if the field can be absent."""
        found = self.members(name).get(member) if name in self._types else None
        if found is None:
            return ()
        return (*found.types, UnsetType) if found.is_optional else found.types

    @cached_property
    def optional_members(self) -> frozenset[str]:
        """The names of all fields that can be absent in at least one class."""
        every = (member for name in self._types for member in self.members(name).values())
        return frozenset(member.name for member in every if member.is_optional)

    # --- tagged unions -----------------------------------------------------------------------

    @cached_property
    def unions(self) -> dict[str, dict[str, Mapping[str, str | None]]]:
        """The classes and tags of each tagged union, by the Python name of the tag field."""
        found: dict[str, dict[str, Mapping[str, str | None]]] = {}
        for each in importlib.import_module(f"acp_bindings.{self.name}.codec").CODEC.definitions:
            if each.tag is not None and each.arms is not None and each.name in self._types:
                arms = {cls.__name__: tag for cls, (tag, _) in each.arms.items()}
                found.setdefault(_snake(each.tag), {})[each.name] = arms
        return found

    def union_of(self, types: Collection[Any]) -> str | None:
        """Return the tagged union of exactly these classes, or None if there is none."""
        names = {getattr(each, "__name__", "") for each in types}
        for unions in self.unions.values():
            for union, arms in unions.items():
                known = {each for each in arms if not issubclass(self._types[each], Unknown)}
                if len(names) > 1 and names == known:
                    return union
        return None

    # --- methods -----------------------------------------------------------------------------

    def method(self, side: Side, name: str) -> SdkMethod | None:
        """Return the SDK method with this name that a side handles, or None if there is none."""
        return self._methods[side].get(_snake(name))

    @cached_property
    def _methods(self) -> dict[Side, dict[str, SdkMethod]]:
        found: dict[Side, dict[str, SdkMethod]] = {side: {} for side in SIDES}
        for side in SIDES:
            prefix, handler = f"{INTERFACE[side]}.", f"{HANDLER[side]}."
            for row in rows():
                name = row.sdk.removeprefix(prefix)
                if name == row.sdk:
                    continue
                here = [each.removeprefix(handler) for each in row.here if each.startswith(handler)]
                found[side][name] = SdkMethod(name, row, here[0] if here else "", self, side)
        return found

    def handled(self, side: Side, handler: str) -> Method[Any, Any] | None:
        """Return the protocol method that a Python method handles, or None if there is none."""
        for module in (self._module, self._unstable):
            table = {"agent": module.AGENT_METHODS, "client": module.CLIENT_METHODS}[side]
            for method in table.values():
                if method.handler == handler and not method.is_extension:
                    if module is not self._module:
                        self.lacking.add(handler)
                        return None
                    found: Method[Any, Any] = method
                    return found
        return None


@dataclasses.dataclass(frozen=True)
class SdkMethod:
    """An SDK method and its counterpart in `acp_bindings`.

    Attributes:
        name: the method's name in the SDK.
        row: the method's row in the table of counterparts.
        handler: the method's name in `acp_bindings` handlers, or an empty string if the schema no
            longer contains the method.
        surface: the surface to use.
        side: the side that handles the method.
    """

    name: str
    row: Row
    handler: str
    surface: Surface
    side: Side

    @property
    def is_extension(self) -> bool:
        """True if the method handles or calls all extension methods."""
        return self.handler in ("ext_request", "ext_notification")

    @cached_property
    def method(self) -> Method[Any, Any] | None:
        """The protocol method, or None if the surface does not define it."""
        return self.surface.handled(self.side, self.handler) if self.handler else None

    @property
    def params(self) -> str:
        """The name of the params type."""
        assert self.method is not None, "the surface must define the method"
        return self.surface.name_of(self.method.params)

    @property
    def result(self) -> str:
        """The name of the result type."""
        assert self.method is not None, "the surface must define the request"
        return self.surface.name_of(self.method.result)

    @property
    def parameters(self) -> set[str]:
        """The names of the method's parameters in all SDK versions."""
        return {name for order in self.row.params for name in order}

    def required(self) -> set[str]:
        """Return the parameters that are required in all SDK versions."""
        members = self.surface.members(self.params)
        listed = set.intersection(*map(set, self.row.params)) if self.row.params else set()
        needed = {name for name in listed if name not in members or not members[name].is_optional}
        return needed - defaults().keys()

    def order(self, given: Sequence[tuple[str, Any]]) -> tuple[str, ...] | None:
        """Return the parameter names of positional arguments, or None if they are ambiguous.

        The order of parameters differs between SDK versions. The arguments' names and classes
        determine which order a call uses.

        Args:
            given: for each argument, the name of the passed variable or attribute (empty for other
                expressions) and the class of the value (None if unknown).
        """
        count, members = len(given), self.surface.members(self.params)
        fitting = [
            order
            for order in {order[:count] for order in self.row.params if len(order) >= count}
            if all(
                type_ is None or name not in members or members[name].takes(type_)
                for name, (_, type_) in zip(order, given, strict=True)
            )
        ]
        named = [sum(map(str.__eq__, order, (name for name, _ in given))) for order in fitting]
        best = [order for order, same in zip(fitting, named, strict=True) if same == max(named)]
        return best[0] if len(best) == 1 else None


@cache
def _types(surface: str) -> dict[str, Any]:
    """Return the types of a surface by name."""
    types = importlib.import_module(f"acp_bindings.{surface}.types")
    own = importlib.import_module(f"acp_bindings.{surface}").__all__
    return {
        name: getattr(types, name)
        for name in own
        if hasattr(types, name) and not hasattr(runtime, name)
    }


@cache
def _members(cls: Any) -> tuple[Member, ...]:
    hints = get_type_hints(cls)
    fields: tuple[dataclasses.Field[Any], ...] = dataclasses.fields(cls)
    return tuple(
        Member(
            field.name,
            tuple(arm for arm in arms_of(hints[field.name]) if arm is not UnsetType),
            field.default is not dataclasses.MISSING,
        )
        for field in fields
        if field.name != "unknown_fields"
    )


def is_record(type_: Any) -> bool:
    """Return whether a type is a record class of the protocol."""
    return isinstance(type_, type) and issubclass(type_, Record)


def arms_of(type_: Any) -> list[Any]:
    """Return the variants of a union and of its nested unions.

    For any other type, return a list that contains only this type.
    """
    if get_origin(type_) in (Union, UnionType):
        return [arm for each in get_args(type_) for arm in arms_of(each)]
    return [type_]


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
