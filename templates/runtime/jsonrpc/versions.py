"""The protocol version of a response to `initialize`, even if the response misstates it.

Some agents repeat the requested version even if they speak another one. The fields of their
response reveal the actual version. Only clients need this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..values.errors import DecodeError
from .errors import VersionMismatch
from .messages import as_version, found_version, is_object
from .method import INITIALIZE, VERSION, Surface


def read_version(data: Any, surfaces: Mapping[int, Surface], spoken: int) -> tuple[int, str | None]:
    """Return the protocol version of a result of `initialize`.

    If the result is not valid in the version that it names, its version is the highest other one
    in which it is valid and that defines at least as many of its fields. Without the second
    condition, a damaged result would pass as valid in a version that requires few fields.

    Args:
        data: the result, as JSON.
        surfaces: the surfaces to consider, by version.
        spoken: the version for the error.

    Returns:
        The version, and the reason why the result misstates it, or None.

    Raises:
        VersionMismatch: If the result names no version, or another version, or does not match any.
    """
    value = data.get(VERSION) if is_object(data) else None
    named = as_version(value)
    if named is None:
        reason = f"expected integer at /{VERSION}, found {found_version(data)}"
        raise VersionMismatch(None, spoken, f"the agent offers no protocol version: {reason}")
    if named not in surfaces:
        raise VersionMismatch(named, spoken)
    problem = mismatch(surfaces[named], data)
    if problem is None:
        return named, "expected integer, found string" if isinstance(value, str) else None
    defined = _count_fields(surfaces[named], data)
    for version in sorted(surfaces.keys() - {named}, reverse=True):
        surface = surfaces[version]
        if _count_fields(surface, data) >= defined and mismatch(surface, data) is None:
            return version, f"the response matches version {version}, not {named}: {problem}"
    raise unmatched(named, spoken, problem) from problem


def mismatch(surface: Surface, data: dict[str, Any]) -> DecodeError | None:
    """Return the error if a surface rejects a result of `initialize`, ignoring its version."""
    method = surface.METHODS["agent"][INITIALIZE]
    try:
        method.codec.decode(method.result, {**data, VERSION: surface.SCHEMA.protocol_version})
    except DecodeError as problem:
        return problem
    return None


def unmatched(named: int, spoken: int, problem: DecodeError) -> VersionMismatch:
    """Return the error for a result that does not match the version that it names."""
    offer = f"the agent offers protocol version {named}"
    return VersionMismatch(named, spoken, f"{offer}, but its response does not match: {problem}")


def _count_fields(surface: Surface, data: dict[str, Any]) -> int:
    """Return how many fields of a result of `initialize` a surface defines."""
    method = surface.METHODS["agent"][INITIALIZE]
    return len(data.keys() & method.codec.fields_of(method.result))
