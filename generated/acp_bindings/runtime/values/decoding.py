# Made by acpgen 0.1.0 from templates/runtime/values/decoding.py.
# Do not edit it; make it again with acpgen.

"""What the generated decoders are made of.

A decoder takes the JSON value, the list that collects issues (None in strict mode) and the path
to the value; one of an object also takes the tags that its unions have already looked at.

Types are compared by `__class__`, not with `isinstance`: JSON has no subclasses, and True is not 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, TypeVar

from .errors import DecodeError, Issue, Issues, Path, describe, pointer
from .unset import UNSET

T = TypeVar("T")
Tags: TypeAlias = tuple[str, ...]
Decoder: TypeAlias = Callable[[Any, Issues, Path], T]
ObjectDecoder: TypeAlias = Callable[[Any, Issues, Path, Tags], T]

new = object.__new__


# --- errors and repairs ----------------------------------------------------------------------


def wrong(value: Any, path: Path, expected: str) -> DecodeError:
    """The error for a value that is not what was expected."""
    return DecodeError(pointer(path), expected, describe(value))


def wrong_member(d: dict[str, Any], name: str, path: Path, expected: str) -> DecodeError:
    """The error for a member that is missing or not what was expected."""
    found = describe(d[name]) if name in d else "nothing"
    if found == expected or expected.startswith("one of "):
        found = f"another {found}" if name in d else found
    return DecodeError(pointer((path, name)), expected, found)


def missing(d: Any, name: str, path: Path, expected: str) -> DecodeError:
    """The error for an object without a member it must have, or for what is no object at all."""
    if d.__class__ is not dict:
        return wrong(d, path, "object")
    return wrong_member(d, name, path, expected)


def default(issues: Issues, path: Path, raw: Any, error: DecodeError, fallback: Any) -> Any:
    """Put a fallback in the place of a member that does not decode.

    Raises:
        DecodeError: in strict mode, the error itself.
    """
    _recover(issues, path, raw, error, "defaulted")
    return fallback


def default_member(
    issues: Issues, d: dict[str, Any], name: str, path: Path, expected: str, fallback: Any
) -> Any:
    """Put a fallback in the place of a member that is not of the JSON type expected.

    Raises:
        DecodeError: in strict mode.
    """
    error = wrong_member(d, name, path, expected)
    return default(issues, (path, name), d[name], error, fallback)


def keep_unknown(issues: Issues, path: Path, raw: Any, expected: str) -> None:
    """Note that a string which the schema does not list is kept.

    Raises:
        DecodeError: in strict mode.
    """
    error = DecodeError(pointer(path), expected, f"another {describe(raw)}")
    if issues is None:
        raise error
    issues.append(Issue(error.pointer, _reason(error, error.pointer), raw, "unknown_kept"))


def repaired(raw: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """An object that is kept as it is but for one member, which a fallback took the place of."""
    rest = {key: item for key, item in raw.items() if key != name}
    return rest if value is UNSET else {**rest, name: value}


def _recover(issues: Issues, path: Path, raw: Any, error: DecodeError, action: Any) -> None:
    if issues is None:
        raise error
    at = pointer(path)
    # What was recovered from inside the value went with the value. Those issues are the last ones.
    while issues and (issues[-1].pointer == at or issues[-1].pointer.startswith(at + "/")):
        issues.pop()
    issues.append(Issue(at, _reason(error, at), raw, action))


def _reason(error: DecodeError, at: str) -> str:
    inside = f" at {error.pointer}" if error.pointer != at else ""
    return f"expected {error.expected}, found {error.found}{inside}"


def unknown(d: dict[str, Any], known: tuple[str, ...], tags: Tags) -> dict[str, Any]:
    """The members that neither the record nor the unions around it name."""
    return {name: value for name, value in d.items() if name not in known and name not in tags}


# --- scalars ---------------------------------------------------------------------------------


def anything(value: Any, issues: Issues, path: Path) -> Any:
    """Any JSON value, as it is."""
    return value


def null(value: Any, issues: Issues, path: Path) -> None:
    """null."""
    if value is not None:
        raise wrong(value, path, "null")


def boolean(value: Any, issues: Issues, path: Path) -> bool:
    """true or false."""
    if value.__class__ is not bool:
        raise wrong(value, path, "boolean")
    return value


def string(
    value: Any, issues: Issues, path: Path, min_length: int = 0, pattern: str | None = None
) -> str:
    """A string of at least `min_length` characters that `pattern` is found in."""
    if value.__class__ is not str:
        raise wrong(value, path, "string")
    if len(value) < min_length:
        raise wrong(value, path, f"string of length {min_length} or more")
    if pattern is not None and re.search(pattern, value) is None:
        raise wrong(value, path, f"string that matches {pattern}")
    return value


def integer(
    value: Any,
    issues: Issues,
    path: Path,
    minimum: float = float("-inf"),
    maximum: float = float("inf"),
) -> Any:
    """An integer within bounds. 1.0 is one, too, by the rules of JSON Schema, and stays 1.0."""
    if value.__class__ is int or (value.__class__ is float and value.is_integer()):
        if minimum <= value <= maximum:
            return value
        raise wrong(value, path, _within("integer", minimum, maximum))
    raise wrong(value, path, "integer")


def number(
    value: Any,
    issues: Issues,
    path: Path,
    minimum: float = float("-inf"),
    maximum: float = float("inf"),
) -> float:
    """A number within bounds; neither NaN nor an infinity is one."""
    if value.__class__ is int or (value.__class__ is float and value - value == 0):
        if minimum <= value <= maximum:
            return value
        raise wrong(value, path, _within("number", minimum, maximum))
    raise wrong(value, path, "number")


def _within(kind: str, minimum: float, maximum: float) -> str:
    if maximum == float("inf"):
        return f"{kind} of {minimum} or more"
    if minimum == float("-inf"):
        return f"{kind} of {maximum} or less"
    return f"{kind} from {minimum} to {maximum}"


def enumerated(
    value: Any,
    issues: Issues,
    path: Path,
    values: tuple[str | int, ...],
    expected: str,
    lenient: bool,
) -> Any:
    """One of the listed constants; with `lenient`, the default mode lets other strings through."""
    if value.__class__ is not str and value.__class__ is not int and value.__class__ is not float:
        raise wrong(value, path, expected)
    if value not in values:
        if not lenient or value.__class__ is not str:
            raise DecodeError(pointer(path), expected, f"another {describe(value)}")
        keep_unknown(issues, path, value, expected)
    return value


def constant_or(
    value: Any, issues: Issues, path: Path, values: tuple[str | int, ...], decode: Decoder[Any]
) -> Any:
    """One of the listed constants, or whatever else is allowed."""
    is_plain = value.__class__ is str or value.__class__ is int or value.__class__ is float
    return value if is_plain and value in values else decode(value, issues, path)


def nullable(decode: Decoder[T]) -> Decoder[T | None]:
    """The decoder for what another one takes, or null."""

    def decode_nullable(value: Any, issues: Issues, path: Path) -> T | None:
        return None if value is None else decode(value, issues, path)

    return decode_nullable


# --- arrays and maps -------------------------------------------------------------------------


def items(
    value: Any, issues: Issues, path: Path, decode: Decoder[T], min_items: int = 0
) -> list[T]:
    """An array; one bad item makes all of it bad."""
    _check_array(value, path, min_items)
    return [decode(item, issues, (path, index)) for index, item in enumerate(value)]


def valid_items(
    value: Any, issues: Issues, path: Path, decode: Decoder[T], min_items: int = 0
) -> list[T]:
    """An array; the default mode drops bad items."""
    _check_array(value, path, min_items)
    kept: list[T] = []
    for index, item in enumerate(value):
        try:
            kept.append(decode(item, issues, (path, index)))
        except DecodeError as error:
            _recover(issues, (path, index), item, error, "skipped")
    return kept


def _check_array(value: Any, path: Path, min_items: int) -> None:
    if value.__class__ is not list:
        raise wrong(value, path, "array")
    if len(value) < min_items:
        raise DecodeError(
            pointer(path), f"array of length {min_items} or more", f"array of length {len(value)}"
        )


def json_object(value: Any, issues: Issues, path: Path) -> dict[str, Any]:
    """An object with any members, as it is."""
    if value.__class__ is not dict:
        raise wrong(value, path, "object")
    return value


def entries(value: Any, issues: Issues, path: Path, decode: Decoder[T]) -> dict[str, T]:
    """An object used as a map."""
    if value.__class__ is not dict:
        raise wrong(value, path, "object")
    return {name: decode(item, issues, (path, name)) for name, item in value.items()}


def valid_entries(value: Any, issues: Issues, path: Path, decode: Decoder[T]) -> dict[str, T]:
    """An object used as a map; the default mode drops bad entries."""
    if value.__class__ is not dict:
        raise wrong(value, path, "object")
    kept: dict[str, T] = {}
    for name, item in value.items():
        try:
            kept[name] = decode(item, issues, (path, name))
        except DecodeError as error:
            _recover(issues, (path, name), item, error, "skipped")
    return kept


# --- untagged unions -------------------------------------------------------------------------


class Arm(NamedTuple):
    """One alternative of an untagged union.

    Attributes:
        types: the JSON types it takes.
        keys: members that must be present: in the object, or in the array's first item.
        decode: its decoder.
    """

    types: tuple[str, ...]
    keys: tuple[str, ...]
    decode: Callable[..., Any]

    def fits(self, value: Any, kind: str) -> bool:
        """Whether a value of JSON type `kind` could be of this arm."""
        if kind not in self.types:
            return False
        if not self.keys:
            return True
        if kind == "array":
            return not value or (
                value[0].__class__ is dict and all(k in value[0] for k in self.keys)
            )
        return all(key in value for key in self.keys)


_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def decode_untagged(
    value: Any,
    issues: Issues,
    path: Path,
    arms: tuple[Arm, ...],
    expected: str,
    exclusive: bool,
    tags: Tags = (),
) -> Any:
    """The first arm that fits without a repair, else the first that fits with one.

    Raises:
        DecodeError: no arm fits, or several do and the union is exclusive.
    """
    kind = _KINDS.get(value.__class__, "")
    candidates = [arm.decode for arm in arms if arm.fits(value, kind)]
    if not candidates or (exclusive and len(candidates) > 1):
        raise wrong(value, path, expected)
    rest = (tags,) if tags else ()
    if len(candidates) == 1:
        return candidates[0](value, issues, path, *rest)
    first: DecodeError | None = None
    for collected in (None,) if issues is None else (None, issues):
        mark = len(collected or ())
        for decode in candidates:
            try:
                return decode(value, collected, path, *rest)
            except DecodeError as error:
                first = first or error
                if collected is not None:
                    del collected[mark:]
    assert first is not None
    raise first
