"""Building blocks of the generated decoders.

A decoder takes a JSON value, the object that collects repairs (None in strict mode) and the path to
the value. A decoder of an object also takes the tags that the surrounding unions read.

Types are compared by `__class__`, not with `isinstance`: JSON has no subclasses, and True is not 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, TypeVar

from .errors import Path
from .repairs import Issues, Mismatch, Reported, as_another, by_length, keep_unknown, noted, wrong

T = TypeVar("T")
Tags: TypeAlias = tuple[str, ...]
Decoder: TypeAlias = Callable[[Any, Issues, Path], T]
ObjectDecoder: TypeAlias = Callable[[Any, Issues, Path, Tags], T]

# Creates a record without its constructor, which would have to be compiled first; see `deferred`.
new = object.__new__


def unknown(d: dict[str, Any], known: tuple[str, ...], tags: Tags) -> dict[str, Any]:
    """Return the fields that neither the record nor the surrounding unions define."""
    return {name: value for name, value in d.items() if name not in known and name not in tags}


# --- scalars ---------------------------------------------------------------------------------


def anything(value: Any, issues: Issues, path: Path) -> Any:
    """Decode any JSON value, unchanged."""
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
    """Decode a string of at least `min_length` characters that contains a match of `pattern`."""
    if value.__class__ is not str:
        raise wrong(value, path, "string")
    # JSON Schema counts characters like Python and does not anchor patterns.
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
    """Decode an integer within bounds. In JSON Schema, 1.0 is an integer; it stays a float."""
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
    # The difference is 0 except for NaN and infinities, and computed without a call.
    if value.__class__ is int or (value.__class__ is float and value - value == 0):
        if minimum <= value <= maximum:
            return value
        raise wrong(value, path, _within("number", minimum, maximum))
    raise wrong(value, path, "finite number" if value.__class__ is float else "number")


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
    # The class is checked first, since True equals 1.
    if value.__class__ is not str and value.__class__ is not int and value.__class__ is not float:
        raise wrong(value, path, values)
    if value not in values:
        if not lenient or value.__class__ is not str:
            raise Mismatch(path, as_another, values, value)
        keep_unknown(issues, path, value, values)
    return value


def constant_or(
    value: Any, issues: Issues, path: Path, values: tuple[str | int, ...], decode: Decoder[Any]
) -> Any:
    """Decode one of the listed constants, or a value that `decode` accepts."""
    is_plain = value.__class__ is str or value.__class__ is int or value.__class__ is float
    return value if is_plain and value in values else decode(value, issues, path)


def nullable(decode: Decoder[T]) -> Decoder[T | None]:
    """Return a decoder that also accepts null."""

    def decode_nullable(value: Any, issues: Issues, path: Path) -> T | None:
        return None if value is None else decode(value, issues, path)

    return decode_nullable


# --- arrays and maps -------------------------------------------------------------------------


def items(
    value: Any, issues: Issues, path: Path, decode: Decoder[T], min_items: int = 0
) -> list[T]:
    """Decode an array; a single bad item fails the entire array."""
    if value.__class__ is not list or len(value) < min_items:
        raise _wrong_array(value, path, min_items)
    return [decode(item, issues, (path, index)) for index, item in enumerate(value)]


def valid_items(
    value: Any,
    issues: Issues,
    path: Path,
    decode: Decoder[T],
    min_items: int = 0,
    needs: str | type | None = None,
) -> list[T]:
    """Decode an array; the default mode drops bad items.

    `min_items` includes bad items. `needs` names a class that all good items have, or a field that
    they contain.
    """
    if value.__class__ is not list or len(value) < min_items:
        raise _wrong_array(value, path, min_items)
    kept: list[T] = []
    for index, item in enumerate(value):
        try:
            kept.append(decode(item, issues, (path, index)))
        except Mismatch as error:  # not RecursionError, which fails the entire value
            if issues is None:
                raise
            issues.repair((path, index), item, error, "skipped")
            if needs is not None and not isinstance(issues, Reported):
                # No issues are collected: drop obviously bad items without decoding them.
                hopeful: list[Any] = [*filter(_has(needs), islice(value, index + 1, None))]
                return kept + valid_items(hopeful, issues, path, decode)
    return kept


def _has(needs: str | type) -> Callable[[Any], bool]:
    if isinstance(needs, str):
        return lambda item: item.__class__ is dict and needs in item
    return lambda item: item.__class__ is needs


def strings(value: Any, issues: Issues, path: Path) -> list[str]:
    """Decode an array of strings, unchanged."""
    # Item by item only to locate the error.
    return value if _has_only_strings(value) else items(value, issues, path, string)


def valid_strings(value: Any, issues: Issues, path: Path) -> list[str]:
    """Decode an array of strings; the default mode drops bad items."""
    is_good = _has_only_strings(value)
    return value if is_good else valid_items(value, issues, path, string, needs=str)


def _has_only_strings(value: Any) -> bool:
    if value.__class__ is not list:
        return False
    for item in value:  # noqa: SIM110 - faster than a generator
        if item.__class__ is not str:
            return False
    return True


def _wrong_array(value: Any, path: Path, min_items: int) -> Mismatch:
    if value.__class__ is not list:
        return wrong(value, path, "array")
    return Mismatch(path, by_length, min_items, len(value))


def json_object(value: Any, issues: Issues, path: Path) -> dict[str, Any]:
    """Decode an object with any fields, unchanged."""
    if value.__class__ is not dict:
        raise wrong(value, path, "object")
    return value


def entries(value: Any, issues: Issues, path: Path, decode: Decoder[T]) -> dict[str, T]:
    """Decode an object used as a map; a single bad value fails the entire map."""
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
        except Mismatch as error:
            if issues is None:
                raise
            issues.repair((path, name), item, error, "skipped")
    return kept


# --- untagged unions -------------------------------------------------------------------------


class Arm(NamedTuple):
    """One variant of an untagged union.

    Attributes:
        types: the JSON types that it accepts.
        keys: the fields that must be present in the object, or in the first item of the array.
        decode: its decoder.
        absent: the fields that the object must not have.
    """

    types: tuple[str, ...]
    keys: tuple[str, ...]
    decode: Callable[..., Any]
    absent: tuple[str, ...] = ()

    def fits(self, value: Any, kind: str) -> bool:
        """Return whether a value of the JSON type `kind` can belong to this variant."""
        if kind not in self.types:
            return False
        if not (self.keys or self.absent):
            return True
        if kind == "array":  # the first item decides; an empty array can be any
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
    """Decode with the first variant that needs no repair, or else with the first that succeeds.

    Raises:
        DecodeError: If no variant fits, or the union is exclusive and several do. The error comes
            from the variant that fits best.
    """
    kind = _JSON_TYPES.get(value.__class__, "")  # no variant fits a value that isn't JSON
    candidates = [arm.decode for arm in arms if arm.fits(value, kind)]
    if not candidates:
        raise wrong(value, path, expected)
    # Only decoders of objects accept tags. Without tags, all are called alike.
    passed = (tags,) if tags else ()
    if len(candidates) == 1:
        return candidates[0](value, issues, path, *passed)
    # `oneOf` applies to data that the schema itself allows: without repairs, in any mode.
    if exclusive and sum(is_valid(value, decode, *passed) for decode in candidates) > 1:
        raise wrong(value, path, expected)
    strict: list[Mismatch] = []
    # First in strict mode, then with repairs.
    for collected in (None,) if issues is None else (None, issues):
        before = noted(collected)  # repairs of a variant that fails are discarded
        for decode in candidates:
            try:
                return decode(value, collected, path, *passed)
            except Mismatch as error:
                if collected is None:
                    strict.append(error)
                else:
                    collected.undo(before)
    raise max(strict, key=lambda error: _fit(error, path))


def _fit(error: Mismatch, path: Path) -> tuple[bool, int]:
    """Return a sort key for how well a value fits a variant that rejected it.

    Of equally good fits, the first is reported.

    A variant with another constant in a field of the value is meant for other values. Otherwise,
    the deeper the error, the more of the value was valid before it.
    """
    at, tell, *_ = error.args
    depth = 0
    while at and at != path:
        at, depth = at[0], depth + 1
    return not (tell is as_another and depth == 1), depth


def is_valid(value: Any, decode: Callable[..., Any], *tags: Tags) -> bool:
    """Return whether a value decodes in strict mode."""
    try:
        decode(value, None, (), *tags)
    except Mismatch:
        return False
    return True
