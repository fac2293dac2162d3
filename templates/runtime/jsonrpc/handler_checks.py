"""Checks for handler methods that are never called or have the wrong arguments.

Without these checks, a typo, a name from another library or a missing method would go unnoticed:
messages would just be rejected or ignored. Therefore, a warning is emitted when a class
with such a mistake is defined. This module is imported when the first subclass of a generated
handler is defined, since a surface alone doesn't need it.
"""

from __future__ import annotations

import operator
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .method import INITIALIZE, Capability, Method

# Maps method names in other libraries to the corresponding names in this package.
_OTHER_NAMES = {
    "ext_method": "ext_request",
    "handle_extension_request": "ext_request",
    "handle_extension_notification": "ext_notification",
    "on_connect": "connected",
}
# Python methods removed in earlier schema revisions, with their wire names, by side.
_DROPPED = {"agent": {"session_set_model": "session/set_model"}}
_OTHER_SIDE = {"agent": "client", "client": "agent"}
# Prefixes of handler method names in other libraries.
_PREFIXES = frozenset({"on", "handle"})
# Return types that can be awaited even if the function is not `async`.
_AWAITABLE = ("Awaitable", "Coroutine", "Future", "Task")
# The values of `inspect.CO_VARARGS` and `inspect.CO_COROUTINE`. Importing `inspect` would be slow.
_VARARGS, _COROUTINE = 0x04, 0x80
# `inspect.CO_GENERATOR` and `inspect.CO_ASYNC_GENERATOR`, combined.
_GENERATOR = 0x20 | 0x200
# The names of hooks, and of modules with metaclasses, that can have frames between a class
# statement and a check.
_HOOKS = frozenset({"__init_subclass__", "__new__"})
_MODULES = frozenset({"abc", "dataclasses", "types", "typing"})


def mistakes_of(
    cls: Any,
    definers: Mapping[Method[Any, Any], type],
    stated: Callable[[], Any] | None,
    more: Mapping[str, Sequence[str]],
    replaced: Mapping[str, str],
) -> list[str]:
    """Return the mistakes in a handler class.

    Args:
        cls: the class, which extends `Handler`.
        definers: the methods of the class's side, each with the class that defines the Python
            method.
        stated: a function that returns the `initialize` params or result declared by the class, or
            None if handlers for this surface declare neither.
        more: the names of other methods that the class can define, each with its arguments.
        replaced: the names of base-class methods, each with the method to define instead.
    """
    surface, side = cls.surface, cls.side
    shared = surface.METHODS["protocol"].values()
    extensions = [method for (of, _), method in surface.EXTENSIONS.items() if of == side]
    arguments: dict[str, Sequence[str]] = dict(more)
    for method in (*definers, *shared, *extensions):
        arguments[method.handler] = ("method", "params") if method.is_extension else ("params",)
    mistakes = [*_find_hidden(cls), *_find_uncalled(cls, arguments, replaced)]
    # A misspelled method is also missing under its correct name, but one warning is enough.
    mistakes = mistakes or [*_find_missing(cls, arguments, replaced)]
    return [*mistakes, *_find_contradictions(cls, definers, stated)]


def _find_hidden(cls: Any) -> Iterator[str]:
    """Find attributes that are hidden because of the order of the base classes.

    Yield at most one warning.
    """
    bases = cls.__bases__
    hidden = [
        (owner, name, hiding)
        for owner, name, hiding in _hidden_attributes(cls)
        # If a base class extends both classes, that class has already caused the warning.
        if not any(owner in base.__mro__ and hiding in base.__mro__ for base in bases)
    ]
    if hidden:
        owner, name, hiding = hidden[0]
        owners = {owner for owner, _, _ in hidden}
        first = next(base for base in bases if hiding in base.__mro__)
        order = sorted(bases, key=lambda base: owners.isdisjoint(base.__mro__))
        more = f" and {len(hidden) - 1} more" if len(hidden) > 1 else ""
        yield (
            f"{cls.__qualname__} ignores {owner.__qualname__}.{name}{more}: {first.__qualname__} "
            f"comes first; write `class {cls.__qualname__}"
            f"({', '.join(base.__qualname__ for base in order)})`"
        )


def _hidden_attributes(cls: type) -> Iterator[tuple[type, str, type]]:
    """Find base-class attributes that an earlier class of this package hides unintentionally.

    Yields:
        The class with the attribute, the attribute's name, and the class that hides it.
    """
    for position, owner in enumerate(cls.__mro__):
        earlier = cls.__mro__[:position]
        # This package's classes override the package's own methods on purpose, except for
        # protocols, which only declare methods. Overrides in the program's classes are also fine,
        # since the program can still call the overridden method.
        by_mistake = {
            base
            for base in earlier
            if _is_generated(base) and (_is_protocol(base) or not _is_generated(owner))
        }
        if not by_mistake or _is_protocol(owner):
            continue
        for name, value in vars(owner).items():
            defining = (base for base in earlier if name in vars(base))
            hiding = next((base for base in defining if not _calls_super(vars(base)[name])), None)
            is_abstract = getattr(value, "__isabstractmethod__", False)
            if hiding in by_mistake and not is_abstract and not name.startswith("_"):
                yield owner, name, hiding


def _calls_super(value: object) -> bool:
    code: Any = getattr(value, "__code__", None)
    return code is not None and "__class__" in code.co_freevars


def _is_generated(cls: type) -> bool:
    """Return whether a class belongs to this package or is a generated extension handler."""
    package = __name__.rpartition(".runtime.")[0]
    is_handler = not {"surface", "extensions"}.isdisjoint(vars(cls))
    return is_handler or cls.__module__.startswith(f"{package}.")


def _is_protocol(cls: type) -> bool:
    return bool(vars(cls).get("_is_protocol", False))


def _find_uncalled(
    cls: Any, methods: Mapping[str, Sequence[str]], replaced: Mapping[str, str]
) -> Iterator[str]:
    """Find methods that look like handler methods but don't work. Yield a warning for each method.

    `methods` maps the handler methods for the class's side, by Python name, to their arguments.
    """
    own: Mapping[str, Any] = cls.__dict__
    for name, value in own.items():
        if name in methods:
            if not _takes(value, len(methods[name])):
                wanted = _signature(name, methods[name])
                yield f"{cls.__qualname__}.{name} has the wrong arguments; write {wanted}"
            elif not _is_awaited(value):
                yield not_async(cls, name, methods[name])
        elif not name.startswith("_") and not any(name in vars(base) for base in cls.__mro__[1:]):
            reason = _why_uncalled(cls, name, value, methods, replaced)
            if reason is not None:
                yield f"{cls.__qualname__}.{name} is never called; {reason}"


def _why_uncalled(
    cls: Any,
    name: str,
    value: object,
    methods: Mapping[str, Sequence[str]],
    replaced: Mapping[str, str],
) -> str | None:
    """Return the reason why a method that resembles a handler method isn't called, or None."""
    dropped = _DROPPED.get(cls.side, {}).items()
    gone = {method: wire for method, wire in dropped if method not in methods}
    if (old := _meant(name, value, gone, _has_words)) is not None:
        return f"{gone[old]!r} was removed from the schema"
    meant = _OTHER_NAMES.get(name) or _meant(name, value, methods, _is_meant)
    meant = replaced.get(meant or "", meant)
    if meant is not None:
        return None if meant in vars(cls) else f"did you mean {meant!r}?"
    # A method with a different name or other arguments is probably for the program's own use.
    side = _OTHER_SIDE.get(cls.side, "")
    handled = [method.handler for method in cls.surface.METHODS.get(side, {}).values()]
    if _takes(value, 1) and _meant(name, value, handled, operator.eq) is not None:
        return f"only {side}s handle this method"
    return None


def not_async(cls: type, name: str, arguments: Sequence[str]) -> str:
    """Return the error message for a method that isn't `async`."""
    code: Any = getattr(vars(cls).get(name), "__code__", None)
    if code is not None and code.co_flags & _GENERATOR:
        return f"{cls.__qualname__}.{name} yields values; write async def without yield"
    wanted = _signature(name, arguments)
    return f"{cls.__qualname__}.{name} is not async; write async def {wanted}"


def _signature(name: str, arguments: Sequence[str]) -> str:
    return f"{name}({', '.join(('self', *arguments))})"


def _find_missing(
    cls: Any, methods: Mapping[str, Sequence[str]], replaced: Mapping[str, str]
) -> Iterator[str]:
    """Find required methods that neither a class nor its bases define.

    Yield a warning for each missing method. Classes with abstract methods or type parameters are
    treated as base classes, which don't have to define all methods.
    """
    # `__abstractmethods__` cannot be used, since it isn't set yet.
    values = (getattr(cls, name, None) for name in dir(cls))
    is_abstract = any(getattr(value, "__isabstractmethod__", False) for value in values)
    if is_abstract or bool(getattr(cls, "__parameters__", ())):
        return
    for method, meant in replaced.items():
        # `owner` defines both methods. Classes before it in the MRO can override either method.
        owner = next(base for base in cls.__mro__ if "_replaced" in vars(base))
        is_written = any(getattr(cls, name) is not getattr(owner, name) for name in (method, meant))
        if not is_written:
            wanted = _signature(meant, methods[meant])
            yield f"{cls.__qualname__} does not define {meant}; write async def {wanted}"


def _find_contradictions(
    cls: Any, definers: Mapping[Method[Any, Any], type], state: Callable[[], Any] | None
) -> Iterator[str]:
    """Find advertised capabilities without methods, and methods without advertised capabilities."""
    initialize = cls.surface.METHODS["agent"].get(INITIALIZE)
    if initialize is None or cls.side not in ("agent", "client"):
        return
    if initialize in definers and _is_implemented(definers[initialize]):
        return  # the agent handles `initialize` itself
    if state is None:
        return  # on this surface, `initialize` has no capabilities
    stated, name = state(), cls.__qualname__
    by_capability: dict[Capability, list[Method[Any, Any]]] = {}
    for method in definers:
        if method.capability is not None:
            by_capability.setdefault(method.capability, []).append(method)
    for capability, methods in by_capability.items():
        present = [method for method in methods if _is_implemented(definers[method])]
        # `own` omits methods that the surface's base classes define, such as session methods.
        ours = f"{cls.surface.__name__}."
        own = [m.handler for m in present if not definers[m].__module__.startswith(ours)]
        is_off = capability.is_absent(stated)
        is_stated = not is_off and capability.is_advertised(stated)
        if own and is_off:
            yield (
                f"{name}.{own[0]} is never called, since {capability.pointer} is declared absent; "
                "advertise it, or remove the method"
            )
        elif own and capability.form == "value" and not is_stated:
            member = capability.path[-1]
            yield (
                f"{name}.{own[0]} is never called, since the class does not advertise "
                f"{capability.pointer}; set {member} in the class"
            )
        elif is_stated or (present and not is_off and capability.form != "value"):
            missing = [m.handler for m in methods if m.kind == "request" and m not in present]
            if missing:
                yield (
                    f"{name} advertises {capability.pointer} but does not define "
                    f"{' and '.join(missing)}"
                )


def _is_implemented(definer: type) -> bool:
    return "surface" not in vars(definer)  # in generated classes, methods only reject requests


def level_of_class() -> int:
    """Return the `stacklevel` for a warning about the class that is being created."""
    # Any number of hooks and metaclasses can be between the class statement and this function.
    level = 1
    frame: Any = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and (
        frame.f_code.co_name in _HOOKS or frame.f_globals.get("__name__") in _MODULES
    ):
        frame = frame.f_back
        level += 1
    return level


def _meant(
    name: str,
    value: object,
    methods: Iterable[str],
    is_near: Callable[[str, str], bool],
) -> str | None:
    """Return the method that a function probably should implement, based on its name.

    Only coroutine functions with at least one argument besides `self` are considered.
    """
    code: Any = getattr(value, "__code__", None)
    if code is None or not code.co_flags & _COROUTINE:
        return None
    if code.co_argcount + code.co_kwonlyargcount < 2:
        return None
    return next((method for method in methods if is_near(_snake(name), method)), None)


def _is_awaited(value: object) -> bool:
    """Return whether a method's result can be awaited. If this is unknown, return True."""
    code: Any = getattr(value, "__code__", None)
    # The result of a decorated function or lambda is unknown, so there is no warning.
    if code is None or code.co_flags & (_VARARGS | _COROUTINE) or code.co_name == "<lambda>":
        return True
    stated = str(getattr(value, "__annotations__", {}).get("return", ""))
    return hasattr(value, "__wrapped__") or any(name in stated for name in _AWAITABLE)


def _takes(value: object, count: int) -> bool:
    """Return whether a function accepts exactly `count` arguments besides `self`."""
    code: Any = getattr(value, "__code__", None)
    if code is None or code.co_flags & _VARARGS:
        return True
    required = code.co_kwonlyargcount - len(getattr(value, "__kwdefaults__", None) or ())
    return bool(code.co_argcount == count + 1 and required == 0)


def _is_meant(name: str, method: str) -> bool:
    """Return whether a name matches a method, apart from one missing word or a typo."""
    own, words = _words(method.partition("_")[2]), _words(name) - _PREFIXES
    lacks_one = len(words) > 1 and words <= own and len(own - words) == 1
    return lacks_one or _has_words(name, method) or _is_one_edit_away(name, method)


def _has_words(name: str, method: str) -> bool:
    """Return whether a name contains a method's words, such as `new_session` for `session_new`."""
    first, _, action = method.partition("_")
    own, words = _words(action), _words(name) - _PREFIXES
    return bool(action) and own <= words <= own | _words(first)


def _words(name: str) -> set[str]:
    """Return the words of a name, without plural endings."""
    return {word.removesuffix("s") for word in name.split("_")}


def _is_one_edit_away(name: str, other: str) -> bool:
    """Return whether changing, inserting or deleting at most one character makes names equal."""
    same = 0
    while same < min(len(name), len(other)) and name[same] == other[same]:
        same += 1
    return any(
        name[same + more :] == other[same + less :] for more, less in ((1, 1), (1, 0), (0, 1))
    )


def _snake(name: str) -> str:
    """Convert `newSession` to `new_session`."""
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name).lstrip("_")
