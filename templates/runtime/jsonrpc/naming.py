"""Methods of handlers that nothing calls, or not as they expect, as after a move from elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

# What other libraries call something else.
_OTHER_NAMES = {
    "ext_method": "ext_request",
    "handle_extension_request": "ext_request",
    "handle_extension_notification": "ext_notification",
    "on_connect": "__init__",
}
# What earlier revisions of the schema had, by side: the Python methods, and what they handled.
_GONE = {"agent": {"session_set_model": "session/set_model"}}
# Words with which other libraries begin the names of handlers.
_PREFIXES = frozenset({"on", "handle"})
# What a function may return that is awaited, though it is not `async` itself.
_AWAITABLE = ("Awaitable", "Coroutine", "Future", "Task")
# `inspect.CO_VARARGS` and `CO_COROUTINE`, without the import, which takes long.
_VARARGS, _COROUTINE = 0x04, 0x80
# What runs between a class statement and `__init_subclass__`: hooks and metaclasses, such as those
# of these modules.
_HOOKS = frozenset({"__init_subclass__", "__new__"})
_MODULES = frozenset({"abc", "dataclasses", "types", "typing"})


def find_mistakes(
    cls: type, side: str, methods: Mapping[str, Sequence[str]], replaced: Mapping[str, str]
) -> Iterator[str]:
    """Find the methods of a class of handlers that are meant to handle something, but do not.

    Args:
        cls: the class.
        side: its side.
        methods: the Python methods that handle the methods of its side: the arguments that each is
            called with.
        replaced: those of them that a base class has, each with the method to write instead.

    Yields:
        What is wrong, and the name or arguments that are probably meant.
    """
    for name, value in vars(cls).items():
        if name in methods:
            wanted = f"{name}({', '.join(('self', *methods[name]))})"
            if not _takes(value, len(methods[name])):
                yield f"{cls.__qualname__}.{name} takes other arguments: write {wanted}"
            elif not _is_awaited(value):
                yield f"{cls.__qualname__}.{name} is not async: write async def {wanted}"
        elif not name.startswith("_") and not _is_inherited(cls, name):
            gone = {each: wire for each, wire in _GONE.get(side, {}).items() if each not in methods}
            if (found := _meant(name, value, gone, _has_words)) is not None:
                reason = f"the schema has no {gone[found]} any more"
                yield f"nothing calls {cls.__qualname__}.{name}: {reason}"
                continue
            meant = _OTHER_NAMES.get(name) or _meant(name, value, methods, _is_meant)
            meant = replaced.get(meant or "", meant)
            if meant is not None and meant not in vars(cls):
                yield f"nothing calls {cls.__qualname__}.{name}: the method is called {meant}"


def find_missing(
    cls: type, methods: Mapping[str, Sequence[str]], replaced: Mapping[str, str]
) -> Iterator[str]:
    """Find the methods that a class of handlers has to write, and neither it nor a base does.

    A class that is to be extended, since it has abstract methods or type parameters, need not.

    Args:
        cls: the class.
        methods: see `find_mistakes`.
        replaced: the methods that a base class has, each with the method to write instead.

    Yields:
        What is missing.
    """
    for method, meant in replaced.items():
        base = next(each for each in reversed(cls.__mro__) if meant in vars(each))
        is_written = any(getattr(cls, name) is not getattr(base, name) for name in (method, meant))
        is_generic = bool(getattr(cls, "__parameters__", ()))
        if not (is_written or is_generic or _is_abstract(cls)):
            wanted = f"{meant}({', '.join(('self', *methods[meant]))})"
            yield f"{cls.__qualname__} has no {meant}: write async def {wanted}"


def level_of_class() -> int:
    """Return the `stacklevel` of a warning about the class that calls this as it is made."""
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
    methods: Mapping[str, object],
    is_near: Callable[[str, str], bool],
) -> str | None:
    """The method that a coroutine function with params is meant to be, by its name."""
    code: Any = getattr(value, "__code__", None)
    if code is None or not code.co_flags & _COROUTINE:
        return None
    if code.co_argcount + code.co_kwonlyargcount < 2:
        return None
    return next((each for each in methods if is_near(_snake(name), each)), None)


def _is_awaited(value: object) -> bool:
    """Whether what a method returns can be awaited, as far as it tells."""
    code: Any = getattr(value, "__code__", None)
    if code is None or code.co_flags & (_VARARGS | _COROUTINE) or code.co_name == "<lambda>":
        return True
    stated = str(getattr(value, "__annotations__", {}).get("return", ""))
    return hasattr(value, "__wrapped__") or any(name in stated for name in _AWAITABLE)


def _is_abstract(cls: type) -> bool:
    """Whether a class has abstract methods; the class itself does not know it yet."""
    return any(
        getattr(getattr(cls, name, None), "__isabstractmethod__", False) for name in dir(cls)
    )


def _takes(value: object, count: int) -> bool:
    """Whether a function takes itself and that many arguments, and has no place for more."""
    code: Any = getattr(value, "__code__", None)
    if code is None or code.co_flags & _VARARGS:
        return True
    required = code.co_kwonlyargcount - len(getattr(value, "__kwdefaults__", None) or ())
    return bool(code.co_argcount == count + 1 and required == 0)


def _is_inherited(cls: type, name: str) -> bool:
    return any(name in vars(base) for base in cls.__mro__[1:])


def _is_meant(name: str, method: str) -> bool:
    """Whether a name has the words of a method, perhaps without one of several, or a typo."""
    own, words = _words(method.partition("_")[2]), _words(name) - _PREFIXES
    lacks_one = len(words) > 1 and words <= own and len(own - words) == 1
    return lacks_one or _has_words(name, method) or _is_one_edit_away(name, method)


def _has_words(name: str, method: str) -> bool:
    """Whether a name consists of the words of a method, as `new_session` does."""
    first, _, rest = method.partition("_")
    own, words = _words(rest), _words(name) - _PREFIXES
    return bool(rest) and own <= words <= own | _words(first)


def _words(name: str) -> set[str]:
    """The words of a name, each without the ending of a plural."""
    return {word.removesuffix("s") for word in name.split("_")}


def _is_one_edit_away(name: str, other: str) -> bool:
    """Whether one character more, less or other makes one name the other."""
    if abs(len(name) - len(other)) > 1 or name == other:
        return False
    same = 0
    while same < min(len(name), len(other)) and name[same] == other[same]:
        same += 1
    return any(
        name[same + more :] == other[same + less :] for more, less in ((1, 1), (1, 0), (0, 1))
    )


def _snake(name: str) -> str:
    """`newSession` -> `new_session`."""
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name).lstrip("_")
