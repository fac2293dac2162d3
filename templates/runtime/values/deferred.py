"""`dataclass`: a variant of `dataclasses.dataclass` that creates the methods on first use.

The standard decorator compiles the methods of each class and imports `inspect`. This would take
most of the time needed to import a surface, although a program uses only a few of the classes and
decoding uses none of the methods. Instead, this decorator adds a descriptor for each method. When
one of the descriptors is accessed, the standard library creates all methods of the class.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

__all__ = ["dataclass", "fields_of"]

T = TypeVar("T")

# The number of objects that can be created with an uncompiled constructor in the time that it takes
# to compile the constructor.
_WORTHWHILE = 100


class _Plan:
    """The data that a dataclass is created from.

    The annotations and defaults include inherited fields and are in the order of the fields.
    """

    __slots__ = ("annotations", "constructed", "defaults", "options")

    def __init__(
        self, options: dict[str, bool], annotations: dict[str, Any], defaults: dict[str, Any]
    ) -> None:
        self.options = options
        self.annotations = annotations
        self.defaults = defaults
        self.constructed = 0


_PLANS: dict[type, _Plan] = {}


def deferred_dataclass(**options: bool) -> Callable[[type[T]], type[T]]:
    """Return a decorator that converts a class to a dataclass.

    There are two differences from the standard library: if a base class is not a dataclass, its
    annotated fields come last, and default factories are not supported.

    Args:
        options: the arguments of `dataclasses.dataclass`, which must include `slots=True`.
    """
    names = _names(**options)

    def decorate(cls: type[T]) -> type[T]:
        namespace = dict(vars(cls))
        own: dict[str, Any] = namespace.get("__annotations__", {})
        annotations: dict[str, Any] = {}
        defaults: dict[str, Any] = {}
        last: list[str] = []
        # Go from the farthest base class to the nearest, excluding `object` and the class itself.
        for base in cls.__mro__[-2:0:-1]:
            if base in _PLANS:
                annotations |= _PLANS[base].annotations
                defaults |= _PLANS[base].defaults
            else:
                last += vars(base).get("__annotations__", ())
        namespace["__slots__"] = tuple([name for name in own if name not in annotations])
        annotations |= own
        for name in last:
            annotations[name] = annotations.pop(name)
        for name in own:
            if name in namespace:
                defaults[name] = namespace.pop(name)
        # Also replace None: without a docstring, `__doc__` is None. If the class defines `__eq__`,
        # `__hash__` is None.
        for name in names:
            if namespace.get(name) is None:
                namespace[name] = _Deferred()
        # A class with slots must not define the following attributes.
        namespace.pop("__dict__", None)
        namespace.pop("__weakref__", None)
        # Create a new class, as the standard library does, since slots cannot be added to an
        # existing class.
        result = cast("type[T]", type(cls.__name__, cls.__bases__, namespace))
        result.__qualname__ = cls.__qualname__
        _PLANS[result] = _Plan(options, annotations, defaults)
        return result

    return decorate


@cache  # nearly all classes have the same options
def _names(
    *, repr: bool = True, eq: bool = True, frozen: bool = False, **others: bool
) -> list[str]:
    """Return the names of attributes that the standard library adds to a class."""
    names = ["__doc__", "__init__", "__match_args__", "__dataclass_fields__"]
    names.append("__dataclass_params__")
    if sys.version_info >= (3, 13):
        names.append("__replace__")
    if repr:
        names.append("__repr__")
    if eq:
        names.append("__eq__")
    if frozen:
        names += ["__setattr__", "__delattr__", "__getstate__", "__setstate__"]
    if frozen and eq:
        names.append("__hash__")
    return names


def fields_of(cls: type) -> tuple[Collection[str], Mapping[str, Any]]:
    """Return the field names of a dataclass, in order, and the defaults of its optional fields.

    This function does not create the methods. The class itself must be decorated, not only a base
    class.
    """
    plan = _PLANS[cls]
    return plan.annotations, plan.defaults


class _Deferred:
    """A descriptor for an attribute of a dataclass. The first lookup creates the attribute."""

    __slots__ = ("cls", "name")

    def __set_name__(self, cls: type, name: str) -> None:
        self.cls = cls
        self.name = name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if vars(self.cls)[self.name] is self:
            if self.name == "__init__" and isinstance(instance, self.cls):
                plan = _PLANS[self.cls]
                if plan.constructed < _WORTHWHILE:
                    plan.constructed += 1
                    return partial(self._construct, instance)
            _complete(self.cls)
        method: Any = vars(self.cls)[self.name]
        bind: Any = getattr(method.__class__, "__get__", None)
        return method if bind is None else bind(method, instance, owner)

    def _construct(self, instance: object, /, *args: Any, **kwargs: Any) -> None:
        """Initialize an object as the constructor would, but without compiling the constructor."""
        plan = _PLANS[self.cls]
        names = list(plan.annotations)
        values = {**plan.defaults, **dict(zip(names, args, strict=False)), **kwargs}
        wrong = len(args) > (0 if plan.options.get("kw_only") else len(names))
        for name in kwargs:
            if name not in plan.annotations:
                raise _unknown_argument(self.cls, names, name)
        # If the arguments are wrong, the real constructor raises the appropriate error.
        if wrong or values.keys() != set(names) or not kwargs.keys().isdisjoint(names[: len(args)]):
            _complete(self.cls)
            self.cls.__init__(instance, *args, **kwargs)  # type: ignore[misc]
            return
        set_attribute = object.__setattr__ if plan.options.get("frozen") else setattr
        for name in names:
            set_attribute(instance, name, values[name])


def _unknown_argument(cls: type, names: list[str], name: str) -> TypeError:
    """Return the error for an unknown argument, with a suggestion.

    Constructors that are already compiled raise Python's own error instead.
    """
    from .suggestions import of_argument

    reason = f"{cls.__qualname__}.__init__() got an unexpected keyword argument {name!r}"
    meant = of_argument(cls, names, name)
    return TypeError(f"{reason}; {meant}" if meant else reason)


def _complete(cls: type) -> None:
    """Create a class with the same fields using the standard library, and copy its methods."""
    import dataclasses

    plan = _PLANS[cls]
    # The class's module is not in `sys.modules` if it was removed or is being reloaded.
    module = cls.__module__ if cls.__module__ in sys.modules else __name__
    namespace = {"__module__": module, "__qualname__": cls.__qualname__}
    if not isinstance(vars(cls)["__doc__"], _Deferred):
        namespace["__doc__"] = vars(cls)["__doc__"]
    fields = {**plan.defaults, "__annotations__": plan.annotations}
    model = type(cls.__name__, (), {**namespace, **fields})
    slotted: type = dataclasses.dataclass(**plan.options)(model)
    for name, attribute in list(vars(cls).items()):
        if isinstance(attribute, _Deferred):
            method = vars(slotted)[name]
            # If a method refers to its class, as in frozen classes, make it refer to this class.
            for cell in getattr(method, "__closure__", None) or ():
                if cell.cell_contents in (model, slotted):
                    cell.cell_contents = cls
            setattr(cls, name, method)


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = deferred_dataclass
