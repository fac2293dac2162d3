"""Building blocks of the generated decoders.

A decoder takes a JSON value, the list that collects issues (None in strict mode) and the path to
the value. A decoder of an object also takes the tags that the unions around it have read.

Types are compared by `__class__`, not with `isinstance`: JSON has no subclasses, and True is not 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
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
    """Return the error for a value other than expected."""
    return DecodeError(pointer(path), expected, describe(value))


def wrong_member(d: dict[str, Any], name: str, path: Path, expected: str) -> DecodeError:
    """Return the error for a member that is missing or other than expected."""
    found = describe(d[name]) if name in d else "nothing"
    if found == expected or expected.startswith("one of "):
        found = f"another {found}" if name in d else found
    return DecodeError(pointer((path, name)), expected, found)


def one_of(constants: Collection[str | int]) -> str:
    """Name constants as error messages do."""
    listed = ", ".join(map(str, constants))
    return f"one of {listed}" if len(constants) > 1 else listed


def missing(d: Any, name: str, path: Path, expected: str) -> DecodeError:
    """Return the error for an object without a required member, or for a value of another type."""
    if d.__class__ is not dict:
        return wrong(d, path, "object")
    return wrong_member(d, name, path, expected)


def default(issues: Issues, path: Path, raw: Any, error: DecodeError, fallback: Any) -> Any:
    """Replace a member that does not decode by its fallback.

    Raises:
        DecodeError: in strict mode, the error itself.
    """
    _recover(issues, path, raw, error, "defaulted")
    return fallback


def default_member(
    issues: Issues, d: dict[str, Any], name: str, path: Path, expected: str, fallback: Any
) -> Any:
    """Replace a member of an unexpected JSON type by its fallback.

    Raises:
        DecodeError: in strict mode.
    """
    error = wrong_member(d, name, path, expected)
    return default(issues, (path, name), d[name], error, fallback)


def keep_unknown(issues: Issues, path: Path, raw: Any, expected: str) -> None:
    """Report a string that the schema does not list, and that is kept.

    Raises:
        DecodeError: in strict mode.
    """
    error = DecodeError(pointer(path), expected, f"another {describe(raw)}")
    if issues is None:
        raise error
    issues.append(Issue(error.pointer, _reason(error, error.pointer), raw, "unknown_kept"))


def repaired(raw: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Return a raw object with one member replaced by its fallback; UNSET removes the member."""
    rest = {key: item for key, item in raw.items() if key != name}
    return rest if value is UNSET else {**rest, name: value}


def _recover(issues: Issues, path: Path, raw: Any, error: DecodeError, action: Any) -> None:
    if issues is None:
        raise error
    at = pointer(path)
    # The value is dropped, so issues inside it no longer count. They are the last in the list.
    while issues and (issues[-1].pointer == at or issues[-1].pointer.startswith(at + "/")):
        issues.pop()
    issues.append(Issue(at, _reason(error, at), raw, action))


def _reason(error: DecodeError, at: str) -> str:
    inside = f" at {error.pointer}" if error.pointer != at else ""
    return f"expected {error.expected}, found {error.found}{inside}"


def unknown(d: dict[str, Any], known: tuple[str, ...], tags: Tags) -> dict[str, Any]:
    """Return the members that neither the record nor the unions around it name."""
    return {name: value for name, value in d.items() if name not in known and name not in tags}


# --- scalars ---------------------------------------------------------------------------------


def anything(value: Any, issues: Issues, path: Path) -> Any:
    """Decode any JSON value; it stays as it is."""
    return value


def null(value: Any, issues: Issues, path: Path) -> None:
    """Decode null."""
    if value is not None:
        raise wrong(value, path, "null")


def boolean(value: Any, issues: Issues, path: Path) -> bool:
    """Decode true or false."""
    if value.__class__ is not bool:
        raise wrong(value, path, "boolean")
    return value


def string(
    value: Any, issues: Issues, path: Path, min_length: int = 0, pattern: str | None = None
) -> str:
    """Decode a string of at least `min_length` characters in which `pattern` is found."""
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
    """Decode an integer within bounds. JSON Schema counts 1.0 as an integer; it stays a float."""
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
    """Decode a finite number within bounds."""
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
    lenient: bool,
) -> Any:
    """Decode one of the listed constants; with `lenient`, the default mode keeps other strings."""
    if value.__class__ is not str and value.__class__ is not int and value.__class__ is not float:
        raise wrong(value, path, one_of(values))
    if value not in values:
        if not lenient or value.__class__ is not str:
            raise DecodeError(pointer(path), one_of(values), f"another {describe(value)}")
        keep_unknown(issues, path, value, one_of(values))
    return value


def constant_or(
    value: Any, issues: Issues, path: Path, values: tuple[str | int, ...], decode: Decoder[Any]
) -> Any:
    """Decode one of the listed constants, or else what `decode` accepts."""
    is_plain = value.__class__ is str or value.__class__ is int or value.__class__ is float
    return value if is_plain and value in values else decode(value, issues, path)


def nullable(decode: Decoder[T]) -> Decoder[T | None]:
    """Make a decoder that also accepts null."""

    def decode_nullable(value: Any, issues: Issues, path: Path) -> T | None:
        return None if value is None else decode(value, issues, path)

    return decode_nullable


# --- arrays and maps -------------------------------------------------------------------------


def items(
    value: Any, issues: Issues, path: Path, decode: Decoder[T], min_items: int = 0
) -> list[T]:
    """Decode an array; one bad item fails the whole array."""
    if value.__class__ is not list or len(value) < min_items:
        raise _wrong_array(value, path, min_items)
    return [decode(item, issues, (path, index)) for index, item in enumerate(value)]


def valid_items(
    value: Any, issues: Issues, path: Path, decode: Decoder[T], min_items: int = 0
) -> list[T]:
    """Decode an array; the default mode drops bad items."""
    if value.__class__ is not list or len(value) < min_items:
        raise _wrong_array(value, path, min_items)
    kept: list[T] = []
    for index, item in enumerate(value):
        try:
            kept.append(decode(item, issues, (path, index)))
        except DecodeError as error:
            _recover(issues, (path, index), item, error, "skipped")
    return kept


def strings(value: Any, issues: Issues, path: Path) -> list[str]:
    """Decode an array of strings, which stays as it is."""
    return value if _has_only_strings(value) else items(value, issues, path, string)


def valid_strings(value: Any, issues: Issues, path: Path) -> list[str]:
    """Decode an array of strings; the default mode drops bad items."""
    return value if _has_only_strings(value) else valid_items(value, issues, path, string)


def _has_only_strings(value: Any) -> bool:
    if value.__class__ is not list:
        return False
    for item in value:  # noqa: SIM110 - faster than a generator
        if item.__class__ is not str:
            return False
    return True


def _wrong_array(value: Any, path: Path, min_items: int) -> DecodeError:
    if value.__class__ is not list:
        return wrong(value, path, "array")
    expected, found = f"array of length {min_items} or more", f"array of length {len(value)}"
    return DecodeError(pointer(path), expected, found)


def json_object(value: Any, issues: Issues, path: Path) -> dict[str, Any]:
    """Decode an object with any members; it stays as it is."""
    if value.__class__ is not dict:
        raise wrong(value, path, "object")
    return value


def entries(value: Any, issues: Issues, path: Path, decode: Decoder[T]) -> dict[str, T]:
    """Decode an object used as a map; one bad value fails the whole map."""
    if value.__class__ is not dict:
        raise wrong(value, path, "object")
    return {name: decode(item, issues, (path, name)) for name, item in value.items()}


def valid_entries(value: Any, issues: Issues, path: Path, decode: Decoder[T]) -> dict[str, T]:
    """Decode an object used as a map; the default mode drops bad entries."""
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
        types: the JSON types it accepts.
        keys: the members that must be present in the object, or in the first item of the array.
        decode: its decoder.
        absent: the members that the object must not have.
    """

    types: tuple[str, ...]
    keys: tuple[str, ...]
    decode: Callable[..., Any]
    absent: tuple[str, ...] = ()

    def fits(self, value: Any, kind: str) -> bool:
        """Return whether a value of the JSON type `kind` may belong to this arm."""
        if kind not in self.types:
            return False
        if not (self.keys or self.absent):
            return True
        if kind == "array":
            return not value or (
                value[0].__class__ is dict and all(k in value[0] for k in self.keys)
            )
        if self.absent and any(key in value for key in self.absent):
            return False
        return all(key in value for key in self.keys)


_JSON_TYPES: dict[type, str] = {
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
    """Decode with the first arm that needs no repair, or else with the first that succeeds.

    Raises:
        DecodeError: no arm fits, or the union is exclusive and several arms do.
    """
    kind = _JSON_TYPES.get(value.__class__, "")
    candidates = [arm.decode for arm in arms if arm.fits(value, kind)]
    if not candidates:
        raise wrong(value, path, expected)
    rest = (tags,) if tags else ()
    if len(candidates) == 1:
        return candidates[0](value, issues, path, *rest)
    if exclusive and sum(is_valid(value, decode, *rest) for decode in candidates) > 1:
        raise wrong(value, path, expected)
    first: DecodeError | None = None
    # First in strict mode, then with repairs.
    for collected in (None,) if issues is None else (None, issues):
        before = len(collected or ())
        for decode in candidates:
            try:
                return decode(value, collected, path, *rest)
            except DecodeError as error:
                first = first or error
                if collected is not None:
                    del collected[before:]
    assert first is not None
    raise first


def is_valid(value: Any, decode: Callable[..., Any], *rest: Tags) -> bool:
    """Return whether a value decodes in strict mode."""
    try:
        decode(value, None, (), *rest)
    except DecodeError:
        return False
    return True
