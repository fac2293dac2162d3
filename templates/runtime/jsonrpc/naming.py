"""Names in handlers that look like those of methods, but that nothing calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

# What other libraries call the handlers of extensions.
_EXTENSIONS = {"ext_method": "ext_request"}
# `inspect.CO_COROUTINE`, without the import, which takes long.
_COROUTINE = 0x80


def find_mistakes(cls: type, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Find the coroutines of a class that are meant to handle a method, by their names.

    Args:
        cls: a class of handlers.
        names: the names of the Python methods that handle the methods of its side.

    Yields:
        A name of the class, and the one that it is probably meant to have.
    """
    for name, value in vars(cls).items():
        if name.startswith("_") or name in names or _is_inherited(cls, name):
            continue
        meant = _EXTENSIONS.get(name) or next((each for each in names if _is_meant(name, each)), "")
        if meant and meant not in vars(cls) and _takes_params(value):
            yield name, meant


def _takes_params(value: object) -> bool:
    """Whether a value is a coroutine function that takes more than itself."""
    code: Any = getattr(value, "__code__", None)
    if code is None or not code.co_flags & _COROUTINE:
        return False
    return bool(code.co_argcount + code.co_kwonlyargcount > 1)


def _is_inherited(cls: type, name: str) -> bool:
    return any(name in vars(base) for base in cls.__mro__[1:])


def _is_meant(name: str, method: str) -> bool:
    """Whether a name consists of the words of a method, as `new_session` does, or has a typo."""
    first, _, rest = method.partition("_")
    own, words = _words(rest), _words(name)
    return (bool(rest) and own <= words <= own | {first}) or _is_one_edit_away(name, method)


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
