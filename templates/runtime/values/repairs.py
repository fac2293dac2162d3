"""Errors and issues that decoders report for invalid values.

Errors and issues are created lazily, since a single line can contain a million invalid items that
the default mode drops.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .errors import DecodeError, Issue, Path, describe, pointer
from .unset import UNSET

_Action: TypeAlias = Literal["defaulted", "skipped", "unknown_kept"]


class Mismatch(DecodeError):
    """A lazy form of `DecodeError`, raised by decoders.

    The arguments are the path of the invalid value, a function that describes the error, and the
    arguments of that function. The attributes are computed from these arguments on first access.
    """

    if TYPE_CHECKING:

        def __init__(
            self, path: Path, tell: Callable[..., tuple[str, str]], *about: object
        ) -> None: ...

    else:
        __init__ = ValueError.__init__  # this constructor is fast and accepts any arguments

        def __getattr__(self, name: str) -> str:
            if name not in ("pointer", "expected", "found", "type_name"):
                raise AttributeError(name)
            path, tell, *about = self.args
            self.pointer, self.type_name = pointer(path), ""
            self.expected, self.found = tell(*about)
            return getattr(self, name)


class Issues:
    """A recorder of repairs and of unknown values that are kept. This base class records nothing.

    Attributes:
        count: the number of recorded issues.
        is_received: whether a connection received the value. Unlisted constants in such values are
            remembered.
    """

    count = 0
    is_received = False

    def repair(self, path: Path, raw: Any, problem: Mismatch, action: _Action) -> None:
        """Record that a value was dropped or replaced."""

    def keep(self, path: Path, raw: Any, problem: Mismatch) -> None:
        """Record that an unknown value was kept."""

    def undo(self, count: int) -> None:
        """Discard all recorded issues except the first `count`."""


class Reported(Issues):
    """A recorder that collects issues so that they can be reported later."""

    def __init__(self, *, is_received: bool = False) -> None:
        self.is_received = is_received
        self._noted: list[tuple[Path, Any, tuple[Any, ...], _Action]] = []

    def repair(self, path: Path, raw: Any, problem: Mismatch, action: _Action) -> None:
        # The value is dropped, so remove the issues inside it from the end of the list.
        while self._noted and _is_inside(self._noted[-1][0], path):
            self._noted.pop()
        self._note(path, raw, problem, action)

    def keep(self, path: Path, raw: Any, problem: Mismatch) -> None:
        self._note(path, raw, problem, "unknown_kept")

    def _note(self, path: Path, raw: Any, problem: Mismatch, action: _Action) -> None:
        # Don't store the error itself, since its traceback would keep stack frames alive.
        self._noted.append((path, raw, problem.args, action))
        self.count = len(self._noted)

    def undo(self, count: int) -> None:
        del self._noted[count:]
        self.count = count

    def report(self, on_issue: Callable[[Issue], object]) -> None:
        """Call `on_issue` with each recorded issue."""
        for path, raw, (at, tell, *about), action in self._noted:
            expected, found = tell(*about)
            inside = f" at {pointer(at)}" if at != path else ""
            reason = f"expected {expected}, found {found}{inside}"
            on_issue(Issue(pointer(path), reason, raw, action))


class _Counted(Issues):
    # `undo` does not need to decrease the count, since the variant that is tried next also needs
    # repairs.

    def repair(self, path: Path, raw: Any, problem: Mismatch, action: _Action) -> None:
        self.count += 1

    def keep(self, path: Path, raw: Any, problem: Mismatch) -> None:
        self.count += 1


class _Received(Issues):
    is_received = True


class _Exact(Issues):
    # A recorder for checking encoded values. It rejects repairs, because a repaired value would
    # differ from the value that was encoded.

    def repair(self, path: Path, raw: Any, problem: Mismatch, action: _Action) -> None:
        raise problem


class _Strict(_Exact):
    def keep(self, path: Path, raw: Any, problem: Mismatch) -> None:
        raise problem


# The recorder for callers that don't pass `on_issue`.
SILENT = Issues()
RECEIVED = _Received()
# The recorder for strict mode, which allows neither repairs nor unknown values.
STRICT = _Strict()
# A recorder that allows unknown values but no repairs.
EXACT = _Exact()


def counted(issues: Issues) -> Issues:
    """Return a recorder that counts issues, for callers that read `count`."""
    return _Counted() if issues is SILENT or issues is RECEIVED else issues


def _is_inside(path: Path, outer: Path) -> bool:
    while path and path != outer:
        path = path[0]
    return path == outer


# --- errors and repairs ----------------------------------------------------------------------


def wrong(value: Any, path: Path, expected: str | Collection[str | int]) -> Mismatch:
    """Return the error for an unexpected value."""
    return Mismatch(path, plainly, expected, value)


def wrong_member(
    d: dict[str, Any], name: str, path: Path, expected: str | Collection[str | int]
) -> Mismatch:
    """Return the error for a field that is missing or has an unexpected value."""
    return Mismatch((path, name), as_member, expected, d.get(name, UNSET))


def missing(d: Any, name: str, path: Path, expected: str) -> Mismatch:
    """Return the error for an object without a required field, or for a value of another type."""
    if d.__class__ is not dict:
        return wrong(d, path, "object")
    return wrong_member(d, name, path, expected)


def default(issues: Issues, path: Path, raw: Any, error: Mismatch, fallback: Any) -> Any:
    """Record that an invalid field is replaced with its fallback, and return the fallback.

    Raises:
        DecodeError: The given error, if decoding is strict.
    """
    # The fallback for an invalid array is empty even if the schema requires items. Encoding must
    # accept such a repaired array.
    if issues is not EXACT or not raw == fallback == []:
        issues.repair(path, raw, error, "defaulted")
    return fallback


def default_member(
    issues: Issues, d: dict[str, Any], name: str, path: Path, expected: str, fallback: Any
) -> Any:
    """Record that a field of an unexpected JSON type is replaced, and return the fallback.

    Raises:
        DecodeError: If decoding is strict.
    """
    error = wrong_member(d, name, path, expected)
    return default(issues, (path, name), d[name], error, fallback)


def keep_unknown(
    issues: Issues, path: Path, raw: Any, expected: str | Collection[str | int]
) -> None:
    """Record that a string is kept although the schema does not list it.

    Raises:
        DecodeError: If decoding is strict.
    """
    issues.keep(path, raw, Mismatch(path, as_another, expected, raw))


def repaired(raw: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Return a copy of a raw object with one field replaced, or removed if `value` is UNSET."""
    others = {key: item for key, item in raw.items() if key != name}
    return others if value is UNSET else {**others, name: value}


# --- expected and found ----------------------------------------------------------------------


def one_of(constants: Collection[str | int]) -> str:
    """Describe constants for an error message."""
    listed = ", ".join(map(str, constants))
    return f"one of {listed}" if len(constants) > 1 else listed


def plainly(expected: str | Collection[str | int], value: Any) -> tuple[str, str]:
    """Describe the expected type or constants and the type of the value that was found."""
    return expected if isinstance(expected, str) else one_of(expected), describe(value)


def as_another(expected: str | Collection[str | int], value: Any) -> tuple[str, str]:
    """Describe the expected value and a wrong value of the same type."""
    listed, found = plainly(expected, value)
    return listed, f"another {found}"


def as_member(expected: str | Collection[str | int], value: Any) -> tuple[str, str]:
    """Describe a field's expected value and its actual value (UNSET if the field is missing)."""
    listed, found = plainly(expected, value)
    is_alike = found == listed or listed.startswith("one of ")
    return listed, f"another {found}" if is_alike and value is not UNSET else found


def by_length(min_items: int, length: int) -> tuple[str, str]:
    """Describe an array that is too short."""
    return f"array of length {min_items} or more", f"array of length {length}"
