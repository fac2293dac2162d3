"""Lenient access to JSON from other programs: values of the wrong type are treated as missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def mapping(value: Any) -> Mapping[str, Any]:
    """Return the value if it is a JSON object, otherwise an empty object."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def items(value: Any) -> list[Any]:
    """Return the value if it is a JSON array, otherwise an empty array."""
    if not isinstance(value, list):
        return []
    return cast("list[Any]", value)  # type: ignore[redundant-cast]


def text(value: Any) -> str:
    """Return the value if it is a string, otherwise an empty string."""
    return value if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    """Return the strings in an array, ignoring other items."""
    return [item for item in items(value) if isinstance(item, str)]


def variables(value: Any) -> dict[str, str]:
    """Return environment variables from an object, or from an array of name-value objects."""
    pairs: list[tuple[Any, Any]] = [*mapping(value).items()]
    pairs += [(mapping(item).get("name"), mapping(item).get("value")) for item in items(value)]
    return {name: value for name, value in pairs if text(name) and isinstance(value, str)}
