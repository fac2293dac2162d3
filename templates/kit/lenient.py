"""Lenient readers of JSON from other programs: values of the wrong type count as absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a JSON object, or an empty one for anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def items(value: Any) -> list[Any]:
    """Return a JSON array, or an empty one for anything else."""
    if not isinstance(value, list):
        return []
    return cast("list[Any]", value)  # type: ignore[redundant-cast]


def text(value: Any) -> str:
    """Return a string, or an empty one for anything else."""
    return value if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    """Return the strings of an array."""
    return [item for item in items(value) if isinstance(item, str)]


def variables(value: Any) -> dict[str, str]:
    """Return environment variables from an object, or from an array of names and values."""
    pairs: list[tuple[Any, Any]] = [*mapping(value).items()]
    pairs += [(mapping(item).get("name"), mapping(item).get("value")) for item in items(value)]
    return {name: value for name, value in pairs if text(name) and isinstance(value, str)}
