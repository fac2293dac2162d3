"""Building blocks of the generated decoders.

A decoder accepts a JSON value, a recorder for repairs and unknown values (or `STRICT`, to reject
them), and the path of the value. Decoders for objects also accept the tags that the surrounding
unions have already read.

Decoders compare `__class__` instead of calling `isinstance`, since parsed JSON contains no
instances of subclasses and True must not be treated as 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, TypeVar

from .errors import Path
from .repairs import STRICT, Issues, Mismatch, Reported, as_another, by_length, keep_unknown, wrong

T = TypeVar("T")
Tags: TypeAlias = tuple[str, ...]
Decoder: TypeAlias = Callable[[Any, Issues, Path], T]
ObjectDecoder: TypeAlias = Callable[[Any, Issues, Path, Tags], T]

# A function that creates a record without calling the constructor, which would first have to be
# compiled; see `deferred`.
new = object.__new__


def unknown(d: dict[str, Any], known: tuple[str, ...], tags: Tags) -> dict[str, Any]:
    """Return the fields that neither the record nor the surrounding unions define."""
    return {name: value for name, value in d.items() if name not in known and name not in tags}


# --- scalars ---------------------------------------------------------------------------------


def anything(value: Any, issues: Issues, path: Path) -> Any:
    """Return any JSON value unchanged."""
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
    """Decode a string of at least `min_length` characters that contains a match for `pattern`."""
    if value.__class__ is not str:
        raise wrong(value, path, "string")
    # As in Python, JSON Schema counts code points, and patterns can match anywhere.
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
    """Decode an integer within bounds. JSON Schema also allows 1.0, which is returned unchanged."""
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
    # `value - value` is 0 except for NaN and infinities. This expression needs no function call.
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
    """Decode one of `values`. If `lenient` is true, the default mode also keeps other strings."""
    # Check the class first, since True equals 1.
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
    """Decode one of `values` or a value that `decode` accepts."""
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
    """Decode an array. If an item is invalid, decoding the array fails."""
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
    """Decode an array. In the default mode, invalid items are dropped.

    Args:
        value: the value.
        issues: the recorder for repairs, or `STRICT` to reject invalid items.
        path: the path of the value.
        decode: the decoder for the items.
        min_items: the minimum number of items, including invalid items.
        needs: the class of all valid items, or a field that all valid items contain.
    """
    if value.__class__ is not list or len(value) < min_items:
        raise _wrong_array(value, path, min_items)
    kept: list[T] = []
    for index, item in enumerate(value):
        try:
            kept.append(decode(item, issues, (path, index)))
        except Mismatch as error:  # RecursionError is not caught, since it must make decoding fail
            issues.repair((path, index), item, error, "skipped")
            if needs is not None and not isinstance(issues, Reported):
                # Since no issues are collected, drop obviously invalid items without decoding them.
                hopeful: list[Any] = [*filter(_has(needs), islice(value, index + 1, None))]
                return kept + valid_items(hopeful, issues, path, decode)
    return kept


def _has(needs: str | type) -> Callable[[Any], bool]:
    if isinstance(needs, str):
        return lambda item: item.__class__ is dict and needs in item
    return lambda item: item.__class__ is needs


def strings(value: Any, issues: Issues, path: Path) -> list[str]:
    """Return an array of strings unchanged."""
    # Items are decoded one by one only to locate the error.
    return value if _has_only_strings(value) else items(value, issues, path, string)


def valid_strings(value: Any, issues: Issues, path: Path) -> list[str]:
    """Decode an array of strings. In the default mode, invalid items are dropped."""
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
    """Return an object unchanged, regardless of its fields."""
    if value.__class__ is not dict:
        raise wrong(value, path, "object")
    return value


def entries(value: Any, issues: Issues, path: Path, decode: Decoder[T]) -> dict[str, T]:
    """Decode an object that is used as a map. If a value is invalid, decoding the map fails."""
    if value.__class__ is not dict:
        raise wrong(value, path, "object")
    return {name: decode(item, issues, (path, name)) for name, item in value.items()}


def valid_entries(value: Any, issues: Issues, path: Path, decode: Decoder[T]) -> dict[str, T]:
    """Decode an object that is used as a map. In the default mode, invalid entries are dropped."""
    if value.__class__ is not dict:
        raise wrong(value, path, "object")
    kept: dict[str, T] = {}
    for name, item in value.items():
        try:
            kept[name] = decode(item, issues, (path, name))
        except Mismatch as error:
            issues.repair((path, name), item, error, "skipped")
    return kept


# --- untagged unions -------------------------------------------------------------------------


class Arm(NamedTuple):
    """One variant of an untagged union.

    Attributes:
        types: the JSON types that the variant accepts.
        keys: the fields that must be present in an object, or in the first item of an array.
        decode: the decoder for the variant.
        absent: the fields that must be absent from an object.
    """

    types: tuple[str, ...]
    keys: tuple[str, ...]
    decode: Callable[..., Any]
    absent: tuple[str, ...] = ()

    def fits(self, value: Any, kind: str) -> bool:
        """Return whether a value of JSON type `kind` can belong to this variant."""
        if kind not in self.types:
            return False
        if not (self.keys or self.absent):
            return True
        if kind == "array":  # check only the first item; an empty array fits every variant
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
    """Decode a value of an untagged union.

    The value is decoded with the first variant that accepts it without repairs. If there is no such
    variant, the first variant that accepts the value with repairs is used.

    Raises:
        DecodeError: If no variant accepts the value, or if the union is exclusive and several
            variants accept it. If no variant accepts the value, the error from the variant that
            fits best is raised.
    """
    kind = _JSON_TYPES.get(value.__class__, "")  # if empty, no variant fits the value
    candidates = [arm.decode for arm in arms if arm.fits(value, kind)]
    if not candidates:
        raise wrong(value, path, expected)
    # Only decoders for objects accept tags, so pass the argument only if there are tags.
    passed = (tags,) if tags else ()
    if len(candidates) == 1:
        return candidates[0](value, issues, path, *passed)
    # In both modes, `oneOf` counts only variants that accept the value without repairs.
    if exclusive and sum(is_valid(value, decode, *passed) for decode in candidates) > 1:
        raise wrong(value, path, expected)
    strict: list[Mismatch] = []
    # Try all variants in strict mode, and then with repairs.
    for collected in (STRICT,) if issues is STRICT else (STRICT, issues):
        before = collected.count  # needed to discard the repairs of a variant that fails
        for decode in candidates:
            try:
                return decode(value, collected, path, *passed)
            except Mismatch as error:
                if collected is STRICT:
                    strict.append(error)
                else:
                    collected.undo(before)
    raise max(strict, key=lambda error: _fit(error, path))


def _fit(error: Mismatch, path: Path) -> tuple[bool, int]:
    """Return a sort key that ranks how well a value fits a variant that rejected it.

    If a field at the top level contains a constant of another variant, the value was probably not
    meant for this variant. Otherwise, the deeper the error, the better the value fits. If several
    variants fit equally well, the first error is reported.
    """
    at, tell, *_ = error.args
    depth = 0
    while at and at != path:
        at, depth = at[0], depth + 1
    return not (tell is as_another and depth == 1), depth


def is_valid(value: Any, decode: Callable[..., Any], *tags: Tags) -> bool:
    """Return whether a value can be decoded in strict mode."""
    try:
        decode(value, STRICT, (), *tags)
    except Mismatch:
        return False
    return True
