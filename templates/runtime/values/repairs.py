"""Issues that decoders report for invalid values, built lazily.

A single line can contain a million bad items, which the default mode skips.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .errors import DecodeError, Issue, Path, describe, pointer
from .unset import UNSET

_Action: TypeAlias = Literal["defaulted", "skipped", "unknown_kept"]


class Mismatch(DecodeError):
    """A DecodeError as raised by decoders.

    Its arguments are the path to the bad value, a function, and the arguments of the function. The
    attributes are created from these on first access.
    """

    if TYPE_CHECKING:

        def __init__(
            self, path: Path, tell: Callable[..., tuple[str, str]], *about: object
        ) -> None: ...

    else:
        __init__ = ValueError.__init__  # accepts any arguments, and is fast

        def __getattr__(self, name: str) -> str:
            if name not in ("pointer", "expected", "found", "type_name"):
                raise AttributeError(name)
            path, tell, *about = self.args
            self.pointer, self.type_name = pointer(path), ""
            self.expected, self.found = tell(*about)
            return getattr(self, name)


class Repairs:
    """Receives the repairs of the default mode and the unknown values it keeps; ignores them here.

    Attributes:
        count: the number of recorded issues.
        is_received: whether a connection received the value, so that it contains no typos.
    """

    count = 0
    is_received = False

    def repair(self, path: Path, raw: Any, problem: Mismatch, action: _Action) -> None:
        """Record that a value was dropped."""

    def keep(self, path: Path, raw: Any, problem: Mismatch) -> None:
        """Record that an unknown value was kept."""

    def undo(self, count: int) -> None:
        """Discard all but the first `count` records."""


class Reported(Repairs):
    """Collects issues, to report them later."""

    def __init__(self, *, is_received: bool = False) -> None:
        self.is_received = is_received
        self._noted: list[tuple[Path, Any, tuple[Any, ...], _Action]] = []

    def repair(self, path: Path, raw: Any, problem: Mismatch, action: _Action) -> None:
        # The value is dropped, so issues inside it no longer count. They are the last in the list.
        while self._noted and _is_inside(self._noted[-1][0], path):
            self._noted.pop()
        self._note(path, raw, problem, action)

    def keep(self, path: Path, raw: Any, problem: Mismatch) -> None:
        self._note(path, raw, problem, "unknown_kept")

    def _note(self, path: Path, raw: Any, problem: Mismatch, action: _Action) -> None:
        # Not the error itself, which refers to the frames that it passed through.
        self._noted.append((path, raw, problem.args, action))
        self.count = len(self._noted)

    def undo(self, count: int) -> None:
        del self._noted[count:]
        self.count = count

    def report(self, on_issue: Callable[[Issue], object]) -> None:
        """Call a function with an issue for each record."""
        for path, raw, (at, tell, *about), action in self._noted:
            expected, found = tell(*about)
            inside = f" at {pointer(at)}" if at != path else ""
            reason = f"expected {expected}, found {found}{inside}"
            on_issue(Issue(pointer(path), reason, raw, action))


class _Counted(Repairs):
    # Undone repairs stay counted, since the alternative also repairs something.

    def repair(self, path: Path, raw: Any, problem: Mismatch, action: _Action) -> None:
        self.count += 1

    def keep(self, path: Path, raw: Any, problem: Mismatch) -> None:
        self.count += 1


class _Received(Repairs):
    is_received = True


class _Exact(Repairs):
    # For encoding: decoding would not restore values that it repairs.

    def repair(self, path: Path, raw: Any, problem: Mismatch, action: _Action) -> None:
        raise problem


# For callers without `on_issue`.
SILENT = Repairs()
RECEIVED = _Received()
# Keeps unknown values, but repairs nothing.
EXACT = _Exact()

# Collects repairs; None in strict mode, which makes none.
Issues: TypeAlias = Repairs | None


def counted(issues: Issues) -> Issues:
    """Return the object to pass to decoders if the number of repairs matters; see `noted`."""
    return _Counted() if issues is SILENT or issues is RECEIVED else issues


def noted(issues: Issues) -> int:
    """Return the number of repairs so far."""
    return 0 if issues is None else issues.count


def _is_inside(path: Path, outer: Path) -> bool:
    while path and path != outer:
        path = path[0]
    return path == outer


# --- errors and repairs ----------------------------------------------------------------------


def wrong(value: Any, path: Path, expected: str | Collection[str | int]) -> Mismatch:
    """Return the error for a value other than expected."""
    return Mismatch(path, plainly, expected, value)


def wrong_member(
    d: dict[str, Any], name: str, path: Path, expected: str | Collection[str | int]
) -> Mismatch:
    """Return the error for a field that is missing or other than expected."""
    return Mismatch((path, name), as_member, expected, d.get(name, UNSET))


def missing(d: Any, name: str, path: Path, expected: str) -> Mismatch:
    """Return the error for an object without a required field, or for a value of another type."""
    if d.__class__ is not dict:
        return wrong(d, path, "object")
    return wrong_member(d, name, path, expected)


def default(issues: Issues, path: Path, raw: Any, error: Mismatch, fallback: Any) -> Any:
    """Replace a field that does not decode with its fallback.

    Raises:
        DecodeError: In strict mode, the error itself.
    """
    if issues is None:
        raise error
    # An empty array that replaced a bad one can be shorter than the schema requires.
    if issues is not EXACT or not raw == fallback == []:
        issues.repair(path, raw, error, "defaulted")
    return fallback


def default_member(
    issues: Issues, d: dict[str, Any], name: str, path: Path, expected: str, fallback: Any
) -> Any:
    """Replace a field of an unexpected JSON type with its fallback.

    Raises:
        DecodeError: In strict mode.
    """
    error = wrong_member(d, name, path, expected)
    return default(issues, (path, name), d[name], error, fallback)


def keep_unknown(
    issues: Issues, path: Path, raw: Any, expected: str | Collection[str | int]
) -> None:
    """Report a string that is kept although the schema does not list it.

    Raises:
        DecodeError: In strict mode.
    """
    error = Mismatch(path, as_another, expected, raw)
    if issues is None:
        raise error
    issues.keep(path, raw, error)


def repaired(raw: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Return a raw object with one field replaced by its fallback; UNSET removes the field."""
    others = {key: item for key, item in raw.items() if key != name}
    return others if value is UNSET else {**others, name: value}


# --- expected and found ----------------------------------------------------------------------


def one_of(constants: Collection[str | int]) -> str:
    """Describe constants as in error messages."""
    listed = ", ".join(map(str, constants))
    return f"one of {listed}" if len(constants) > 1 else listed


def plainly(expected: str | Collection[str | int], value: Any) -> tuple[str, str]:
    """Describe the expected value, which can be constants, and the type of the found value."""
    return expected if isinstance(expected, str) else one_of(expected), describe(value)


def as_another(expected: str | Collection[str | int], value: Any) -> tuple[str, str]:
    """Describe the expected value, and another value of the right type."""
    listed, found = plainly(expected, value)
    return listed, f"another {found}"


def as_member(expected: str | Collection[str | int], value: Any) -> tuple[str, str]:
    """Describe a field; UNSET represents a missing one."""
    listed, found = plainly(expected, value)
    is_alike = found == listed or listed.startswith("one of ")
    return listed, f"another {found}" if is_alike and value is not UNSET else found


def by_length(min_items: int, length: int) -> tuple[str, str]:
    """Describe an array that is too short."""
    return f"array of length {min_items} or more", f"array of length {length}"
