"""Constants: the values that enumerations list, and the type of all other values.

An open enumeration accepts any string, so a misspelled constant is valid JSON. Type checkers report
it, since other strings have the type `Unlisted`. Writers look up constants in a `Constants`, which
is as fast as quoting them, and record each miss. Encoders, which know the paths, then find the
values: see `misses` and `unlisted_in`.
"""

from __future__ import annotations

from _thread import get_ident  # `threading` and `contextvars` would be slow to import
from collections.abc import Callable
from typing import Any, NewType, TypeAlias

from .errors import Issue, Path, pointer
from .repairs import Issues, keep_unknown, wrong
from .writing import quote

# A constant that an open enumeration does not list, such as a custom one or one from a later
# protocol version. At run time, it is a plain string.
Unlisted = NewType("Unlisted", str)

# Maximum number of unknown values remembered per enumeration, and their maximum length.
_MOST = 100
_LONGEST = 80


class Constants(dict[Any, str]):
    """The constants that an open enumeration lists, each with its JSON text.

    A lookup returns the text of a constant. For an unlisted value, it also returns the text and
    records a miss, unless the value is custom or was received.
    """

    __slots__ = ("_is_open", "_received")

    def __init__(self, texts: dict[str, str], *, is_open: bool) -> None:
        """Set the constants with their JSON texts.

        If the schema itself allows other values, values that begin with `_` are custom.
        """
        super().__init__(texts)
        self._is_open = is_open
        # A received value that a program forwards is not a typo. The forwarded value is the same
        # object, while an equal value in the program's code is another object.
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
        if issues is None or not issues.is_received:
            return value
        if len(value) > _LONGEST:
            return value
        if len(self._received) >= _MOST and value not in self._received:
            self._received.clear()  # recent values matter most, since they are forwarded soon
        return self._received.setdefault(value, value)

    def encode(self, value: Any, path: Path) -> Any:
        """Encode a constant; see `Encoder`."""
        # Values of other types are left to the full check.
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


# The path of a value, if an encoder found it, the value, and the listed constants.
_Miss: TypeAlias = tuple[Path, str, Constants]


class _Misses:
    """The most recent miss recorded by a writer in any thread."""

    last: _Miss | None = None


misses = _Misses()
# The misses that `unlisted_in` collects, by thread, since encoders finish in one thread.
_found: dict[int, list[_Miss]] = {}


def unlisted_in(encode: Callable[[], object]) -> list[Issue]:
    """Return an issue for each encoded value that its enumeration does not list.

    Args:
        encode: encodes an object.
    """
    thread = get_ident()
    found = _found[thread] = []
    try:
        encode()
    finally:
        del _found[thread]
    return [_issue(*miss) for miss in found]


def _issue(path: Path, value: str, listed: Constants) -> Issue:
    from difflib import get_close_matches  # here, since importing it is slow

    near = get_close_matches(value[:_LONGEST], listed, 1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    reason = f"not one of {', '.join(listed)}{meant}"
    return Issue(pointer(path), reason, value, "unknown_kept")
