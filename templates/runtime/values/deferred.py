"""`dataclass`: like `dataclasses.dataclass`, but completes a class on first use.

The standard decorator compiles methods for each class and imports `inspect`. That would take most
of the time to import a surface, though a program uses few of its classes, and decoding uses none
of these methods. So each class gets a descriptor for each method. When one is looked up, the
standard library creates all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

__all__ = ["dataclass", "fields_of"]

T = TypeVar("T")

# Compiling the constructor of a class takes as long as creating this many objects without it.
_WORTHWHILE = 100


class _Plan:
    """The fields that a dataclass is created from: its own fields and its bases', in order."""

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
    """Return a decorator that turns a class into a dataclass; it needs `slots=True`.

    Unlike in the standard library, fields annotated by a base that isn't a dataclass come last, and
    there are no default factories.

    Args:
        options: the arguments of `dataclasses.dataclass`.
    """
    names = _names(**options)

    def decorate(cls: type[T]) -> type[T]:
        namespace = dict(vars(cls))
        own: dict[str, Any] = namespace.get("__annotations__", {})
        annotations: dict[str, Any] = {}
        defaults: dict[str, Any] = {}
        last: list[str] = []
        # From the farthest base to the nearest, without `object` and the class itself.
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
        # Even if None: a class has it as `__doc__` without a docstring, and as `__hash__` if it
        # defines `__eq__`.
        for name in names:
            if namespace.get(name) is None:
                namespace[name] = _Deferred()
        # Classes with slots don't have these.
        namespace.pop("__dict__", None)
        namespace.pop("__weakref__", None)
        # A new class, as in the standard library: slots cannot be added to an existing one.
        result = cast("type[T]", type(cls.__name__, cls.__bases__, namespace))
        result.__qualname__ = cls.__qualname__
        _PLANS[result] = _Plan(options, annotations, defaults)
        return result

    return decorate


@cache  # nearly all classes have the same options
def _names(
    *, repr: bool = True, eq: bool = True, frozen: bool = False, **others: bool
) -> list[str]:
    """Return the attributes that the standard library adds, except those the class defines."""
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
    """Return the field names of a dataclass, in order, and the defaults of optional fields.

    This creates no methods. The class itself must be decorated, not only a base.
    """
    plan = _PLANS[cls]
    return plan.annotations, plan.defaults


class _Deferred:
    """An attribute of a dataclass that is created on first lookup."""

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
        """Initialize an object like the constructor; with wrong arguments, call the constructor."""
        plan = _PLANS[self.cls]
        names = list(plan.annotations)
        values = {**plan.defaults, **dict(zip(names, args, strict=False)), **kwargs}
        wrong = len(args) > (0 if plan.options.get("kw_only") else len(names))
        for name in kwargs:
            if name not in plan.annotations:
                raise _unknown_argument(self.cls, names, name)
        # The real constructor raises the right error for such arguments.
        if wrong or values.keys() != set(names) or not kwargs.keys().isdisjoint(names[: len(args)]):
            _complete(self.cls)
            self.cls.__init__(instance, *args, **kwargs)  # type: ignore[misc]
            return
        set_attribute = object.__setattr__ if plan.options.get("frozen") else setattr
        for name in names:
            set_attribute(instance, name, values[name])


def _unknown_argument(cls: type, names: list[str], name: str) -> TypeError:
    """Return the error for a misspelled argument. A compiled constructor leaves it to Python."""
    from .suggestions import of_argument

    reason = f"{cls.__qualname__}.__init__() got an unexpected keyword argument {name!r}"
    meant = of_argument(cls, names, name)
    return TypeError(f"{reason}; {meant}" if meant else reason)


def _complete(cls: type) -> None:
    """Let the standard library create a class with the same fields, and copy the additions."""
    import dataclasses

    plan = _PLANS[cls]
    # A module that was removed or is being reloaded cannot be found.
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
            # Methods that refer to the class, such as in frozen classes, must refer to this one.
            for cell in getattr(method, "__closure__", None) or ():
                if cell.cell_contents in (model, slotted):
                    cell.cell_contents = cls
            setattr(cls, name, method)


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = deferred_dataclass
