"""Constants: the values that an enumeration lists, and a type for all other values.

An open enumeration accepts any string, so a misspelled constant is valid JSON. Type checkers report
misspellings, since strings that are not listed must have the type `Unlisted`. At run time, writers
look up constants in a `Constants` mapping, which is as fast as quoting them, and record each miss.
Writers don't know the paths of values, so after a miss, encoders are used to locate the unlisted
values; see `misses` and `unlisted_in`.
"""

from __future__ import annotations

from _thread import get_ident  # `threading` and `contextvars` would be slow to import
from collections.abc import Callable
from typing import Any, NewType, TypeAlias

from .errors import Issue, Path, pointer
from .repairs import Issues, keep_unknown, wrong
from .writing import quote

# A constant that an open enumeration does not list, such as a custom constant or a constant from a
# later protocol version. At run time, such a constant is a plain string.
Unlisted = NewType("Unlisted", str)

# The maximum number of received unlisted values to remember per enumeration, and their maximum
# length.
_MOST = 100
_LONGEST = 80


class Constants(dict[Any, str]):
    """The constants of an open enumeration, mapped to their JSON text.

    Looking up an unlisted value also returns its JSON text but records a miss unless the value is
    custom or was received.
    """

    __slots__ = ("_is_open", "_received")

    def __init__(self, texts: dict[str, str], *, is_open: bool) -> None:
        """Create the mapping.

        Args:
            texts: the JSON text of each constant.
            is_open: whether the schema itself allows other values. In an open enumeration, values
                that begin with `_` are custom values.
        """
        super().__init__(texts)
        self._is_open = is_open
        # A received value that the program forwards is not a typo. Such values are recognized by
        # identity, since an equal string in the program's code is a different object.
        self._received: dict[str, str] = {}

    def __missing__(self, value: str) -> str:
        text = quote(value)
        self._note(value, ())
        return text

    def decode(self, value: Any, issues: Issues, path: Path) -> Any:
        """Decode a constant; see `Decoder`."""
        if value.__class__ is not str:
            raise wrong(value, path, "string" if self._is_open else self)
        if value in self:
            return value
        if not self._is_open:
            keep_unknown(issues, path, value, self)
        if not issues.is_received:
            return value
        if len(value) > _LONGEST:
            return value
        if len(self._received) >= _MOST and value not in self._received:
            self._received.clear()  # values are usually forwarded soon after they are received
        return self._received.setdefault(value, value)

    def encode(self, value: Any, path: Path) -> Any:
        """Encode a constant; see `Encoder`."""
        # Values of other types are rejected later, when the encoded value is checked.
        if isinstance(value, str) and value not in self:
            self._note(value, path)
        return value

    def _note(self, value: str, path: Path) -> None:
        is_custom = self._is_open and value.startswith("_")
        if is_custom or self._received.get(value) is value:
            return
        misses.last = miss = (path, value, self)
        found = _found.get(get_ident())
        if found is not None:
            found.append(miss)


# The path of a value (empty if a writer recorded the miss), the value, and the listed constants.
_Miss: TypeAlias = tuple[Path, str, Constants]


class _Misses:
    """The most recent miss recorded by a writer in any thread."""

    last: _Miss | None = None


misses = _Misses()
# The misses that `unlisted_in` collects, by thread. Each call collects only the misses in its
# thread.
_found: dict[int, list[_Miss]] = {}


def unlisted_in(encode: Callable[[], object]) -> list[Issue]:
    """Call `encode`, which encodes an object, and return an issue for each unlisted constant."""
    thread = get_ident()
    found = _found[thread] = []
    try:
        encode()
    finally:
        del _found[thread]
    return [_issue(*miss) for miss in found]


def _issue(path: Path, value: str, listed: Constants) -> Issue:
    from difflib import get_close_matches  # imported here because importing it is slow

    near = get_close_matches(value[:_LONGEST], listed, 1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    reason = f"not one of {', '.join(listed)}{meant}"
    return Issue(pointer(path), reason, value, "unknown_kept")
