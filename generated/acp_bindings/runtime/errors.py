# Made by acpgen 0.1.0 from templates/runtime/errors.py.
# Do not edit it; make it again with acpgen.

"""What is reported: by decoding and encoding, and between peers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from .unset import UNSET

# Where a value is: () at the root, else (where its container is, member name or index). A chain
# of pairs costs one small tuple a level; the pointer is only spelled out when something is wrong.
Path: TypeAlias = tuple[Any, ...]


class DecodeError(ValueError):
    """Raised when JSON is not what the schema asks for.

    Attributes:
        pointer: RFC 6901 pointer to the bad value, in wire names; empty for the whole value. A
            missing member is named by the pointer it would have.
        expected: what the schema asks for there.
        found: a short description of what is there, never the value itself.
        type_name: the type that was being decoded, which `pointer` starts from. Aliases that are
            the same type in Python, such as `str`, go by the name of the first of them.
    """

    def __init__(self, pointer: str, expected: str, found: str, type_name: str = "") -> None:
        super().__init__(pointer, expected, found, type_name)
        self.pointer = pointer
        self.expected = expected
        self.found = found
        self.type_name = type_name

    def __str__(self) -> str:
        place = f"{self.type_name} at {self.pointer}" if self.pointer else self.type_name
        line = f"{place or 'JSON'}: expected {self.expected}, found {self.found}"
        # A member's name comes from the payload and could break the line.
        return line if line.isprintable() else line.encode("unicode_escape").decode("ascii")


class EncodeError(ValueError):
    """Raised when a value cannot be written as JSON that the schema allows."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One place where the default mode went on although strict mode would have failed.

    Attributes:
        pointer: RFC 6901 pointer to the value concerned, in wire names.
        reason: what was wrong with it.
        raw: the value as it was received.
        action: `defaulted`: a fallback took its place; `skipped`: the array item was dropped;
            `unknown_kept`: it was kept as it is.
    """

    pointer: str
    reason: str
    raw: Any
    action: Literal["defaulted", "skipped", "unknown_kept"]


# Collects what was recovered from; None in strict mode, where nothing is.
Issues: TypeAlias = list[Issue] | None


def pointer(path: Path) -> str:
    """Spell out a path as an RFC 6901 pointer."""
    parts: list[str] = []
    while path:
        path, part = path
        parts.append(str(part).replace("~", "~0").replace("/", "~1"))
    return "".join(f"/{part}" for part in reversed(parts))


def describe(value: Any) -> str:
    """The JSON type of a value, which is all that an error says about it."""
    return _NAMES.get(value.__class__) or str(value.__class__.__name__)


_NAMES: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


# --- between peers ---------------------------------------------------------------------------

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
REQUEST_CANCELLED: Final = -32800
AUTHENTICATION_REQUIRED: Final = -32000
RESOURCE_NOT_FOUND: Final = -32002
UNSUPPORTED_PROTOCOL_VERSION: Final = -32022


# How much of an error's data is part of its text, in characters.
_SHOWN = 200


class RequestError(Exception):
    """An error response: raised where a request was made, and by a handler to send one.

    Attributes:
        code: one of the constants of `jsonrpc`, or any other integer (`ErrorCode` in the schema).
        message: one short sentence.
        data: JSON that says more; UNSET for none.
    """

    def __init__(self, code: int, message: str, data: Any = UNSET) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        data = "" if self.data is UNSET else f": {str(self.data)[:_SHOWN]}"
        return f"{self.message} ({self.code}){data}"


class CapabilityError(Exception):
    """Raised when a call needs what the other side did not advertise.

    Attributes:
        method: what was to be called.
        capability: a pointer into the initialize params (of a client) or result (of an agent).
    """

    def __init__(self, method: str, capability: str) -> None:
        super().__init__(method, capability)
        self.method = method
        self.capability = capability

    def __str__(self) -> str:
        return f"{self.method} needs {self.capability}, which the other side did not advertise"


class ConnectionClosed(ConnectionError):
    """Raised when the connection ended before the answer came, or is no longer there to use."""


class VersionMismatch(Exception):
    """Raised when the agent answers `initialize` with a protocol version of another surface.

    Attributes:
        offered: the version that the agent would speak.
        spoken: the version of this connection.
    """

    def __init__(self, offered: int, spoken: int) -> None:
        super().__init__(offered, spoken)
        self.offered = offered
        self.spoken = spoken

    def __str__(self) -> str:
        offer = f"the agent offers protocol version {self.offered}"
        return f"{offer}, this connection speaks {self.spoken}"
