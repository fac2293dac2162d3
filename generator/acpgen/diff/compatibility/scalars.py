"""Which strings, numbers and constants a scalar shape accepts."""

from __future__ import annotations

import re

from acpgen.ir.model import (
    AnyJson,
    Array,
    Boolean,
    Dictionary,
    Enumeration,
    Integer,
    Null,
    Nullable,
    Number,
    Reference,
    Scalar,
    Shape,
    String,
    UntaggedUnion,
)


def accepts_scalar(sent: Scalar, expected: Shape) -> bool:
    """Whether every value of one scalar shape decodes as another, in default mode."""
    match sent, expected:
        case (Null(), Null()) | (Boolean(), Boolean()):
            return True
        case Enumeration(values, _, other), _:
            accepts_others = other is None or accepts_scalar(other, expected)
            return accepts_others and all(accepts_value(expected, value) for value in values)
        case String() | Integer(), Enumeration(_, base, other, lenient):
            if lenient and isinstance(base, String) and isinstance(sent, String):
                return True
            return other is not None and accepts_scalar(sent, other)
        case String(), String():
            is_long = (expected.min_length or 0) <= (sent.min_length or 0)
            return is_long and expected.pattern in (None, sent.pattern)
        case Integer() | Number(), Integer() | Number():
            is_kind = isinstance(sent, Integer) or isinstance(expected, Number)
            return is_kind and _is_within(sent, expected)
        case _:
            return False


def accepts_value(shape: Shape, value: str | int) -> bool:
    """Whether a constant decodes as a scalar shape, in default mode."""
    match shape:
        case Enumeration(values, base, other, lenient):
            is_kept = lenient and isinstance(base, String) and isinstance(value, str)
            is_other = other is not None and accepts_value(other, value)
            return value in values or is_kept or is_other
        case String():
            return isinstance(value, str) and _matches(shape, value)
        case Integer() | Number():
            return isinstance(value, int) and _is_within(Integer(value, value), shape)
        case AnyJson():
            return True
        case Null() | Boolean() | Array() | Dictionary():
            return False
        case Reference() | Nullable() | UntaggedUnion():
            return False


def _matches(shape: String, value: str) -> bool:
    is_long = len(value) >= (shape.min_length or 0)
    return is_long and (shape.pattern is None or re.search(shape.pattern, value) is not None)


def _is_within(sent: Integer | Number, expected: Integer | Number) -> bool:
    """Whether the bounds of one number lie within the bounds of another."""
    low, high = expected.minimum, expected.maximum
    is_above = low is None or (sent.minimum is not None and sent.minimum >= low)
    is_below = high is None or (sent.maximum is not None and sent.maximum <= high)
    return is_above and is_below
