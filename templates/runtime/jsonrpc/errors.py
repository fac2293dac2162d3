"""Errors between peers: the codes of JSON-RPC and ACP, and the exceptions that carry them."""

from __future__ import annotations

from typing import Any, Final

from ..values.unset import UNSET

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
REQUEST_CANCELLED: Final = -32800
AUTHENTICATION_REQUIRED: Final = -32000
RESOURCE_NOT_FOUND: Final = -32002
UNSUPPORTED_PROTOCOL_VERSION: Final = -32022


# The length to which the text of an error cuts its data, in characters.
_MAX_DATA_LENGTH = 200


class RequestError(Exception):
    """An error response: raised to the caller of a request, and raised by handlers to send one.

    Attributes:
        code: one of the constants of `jsonrpc`, or any other integer (`ErrorCode` in the schema).
        message: one short sentence.
        data: JSON with details; UNSET for none.
    """

    def __init__(self, code: int, message: str, data: Any = UNSET) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        data = "" if self.data is UNSET else f": {str(self.data)[:_MAX_DATA_LENGTH]}"
        return f"{self.message} ({self.code}){data}"


class CapabilityError(Exception):
    """Raised when a call needs a capability that the other side did not advertise.

    Attributes:
        method: the name of the method, and the member of its params that needs the capability, if
            it is not the method itself.
        capability: a pointer into the initialize params (of a client) or result (of an agent).
    """

    def __init__(self, method: str, capability: str) -> None:
        super().__init__(method, capability)
        self.method = method
        self.capability = capability

    def __str__(self) -> str:
        return f"{self.method} needs {self.capability}, which the other side did not advertise"


class ConnectionClosed(ConnectionError):
    """Raised when the connection ends before a response arrives, or has already ended."""


class LimitExceeded(Exception):
    """Raised when this side keeps too much for the other side already; see `Limits`."""


class VersionMismatch(Exception):
    """Raised when the agent answers `initialize` with the protocol version of another surface.

    Attributes:
        offered: the version that the agent offers.
        spoken: the version that this connection speaks.
    """

    def __init__(self, offered: int, spoken: int) -> None:
        super().__init__(offered, spoken)
        self.offered = offered
        self.spoken = spoken

    def __str__(self) -> str:
        offer = f"the agent offers protocol version {self.offered}"
        return f"{offer}, this connection speaks {self.spoken}"
