"""Detection of an agent's protocol version, even if its response specifies the wrong version.

Some agents repeat the requested version although they speak another version. In such cases, the
fields of the response reveal the actual version. Only clients need this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..values.errors import DecodeError
from .errors import VersionMismatch
from .messages import as_version, found_version, is_object
from .method import INITIALIZE, VERSION, Surface


def read_version(data: Any, surfaces: Mapping[int, Surface], spoken: int) -> tuple[int, str | None]:
    """Return the protocol version that an `initialize` result actually conforms to.

    If the result is invalid in the version that it specifies, this function tries the other
    versions, highest first. Another version is accepted if the result is valid in that
    version and that version defines at least as many of the result's fields as the specified
    version does. Without the second condition, a malformed result would be accepted in a version
    that requires few fields.

    Args:
        data: the result, as JSON.
        surfaces: the surfaces to consider, by version.
        spoken: the version that this connection speaks, for the error message.

    Returns:
        The actual version and a description of the problem. The description is None if the result
        specifies the correct version.

    Raises:
        VersionMismatch: If the result specifies no version or an unsupported version, or if it is
            not valid in any version.
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
    """Return the error if a surface rejects an `initialize` result, ignoring its version field."""
    method = surface.METHODS["agent"][INITIALIZE]
    try:
        method.codec.decode(method.result, {**data, VERSION: surface.SCHEMA.protocol_version})
    except DecodeError as problem:
        return problem
    return None


def unmatched(named: int, spoken: int, problem: DecodeError) -> VersionMismatch:
    """Return the error for a result that is invalid in the version that it specifies."""
    offer = f"the agent offers protocol version {named}"
    reason = f"{offer}, but its response is not valid in that version: {problem}"
    return VersionMismatch(named, spoken, reason)


def _count_fields(surface: Surface, data: dict[str, Any]) -> int:
    """Return the number of a result's fields that a surface defines for `initialize`."""
    method = surface.METHODS["agent"][INITIALIZE]
    return len(data.keys() & method.codec.fields_of(method.result))
