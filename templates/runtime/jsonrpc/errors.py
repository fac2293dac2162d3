"""Protocol errors: the error codes of JSON-RPC and ACP, and the exceptions for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..values.deferred import dataclass
from ..values.errors import MAX_QUOTE, cut, quotation
from ..values.surrogates import escape_halves
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


class RequestError(Exception):
    """An error response.

    Raised in the caller of a request when the response is an error. Handlers raise this exception
    to respond with an error. There is a class method for each code in the schema's `ErrorCode`.
    These methods accept data, which is UNSET by default, and a message, which replaces the default
    message.

    Attributes:
        code: one of the constants of this module, or any other integer.
        message: one short sentence. If the message or the data is long, the text of the exception
            contains only its beginning.
        data: details as JSON, or UNSET if there are none.
        method: the name of the method that failed, or an empty string if the error was created on
            this side.
    """

    method = ""
    # An object that identifies the connection that received the error, or None if the error was
    # created on this side.
    source: object = None
    # A hint on how to solve the problem. It is appended to the text.
    advice = ""

    def __init__(self, code: int, message: str, data: Any = UNSET) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        # Truncated, since the peer controls the length of the message and the data.
        is_bare = self.data is UNSET or self.data is None
        data = "" if is_bare else f": {str(self.data)[:MAX_QUOTE]}"
        advice = f"; {self.advice}" if self.advice else ""
        # Lone surrogates are escaped, since printing them would fail.
        return escape_halves(f"{cut(self.message)} ({quotation(self.code)}){data}{advice}")

    def as_failed_call(self) -> RequestError:
        """Return the error for a request whose handler received this error from the peer."""
        how = f"{cut(self.message)} ({quotation(self.code)})"
        return self.internal_error(message=f"the call to {quotation(self.method)} failed: {how}")

    @classmethod
    def parse_error(cls, data: Any = UNSET, message: str = "parse error") -> RequestError:
        """Make an error with the code PARSE_ERROR, for a message that is not valid JSON."""
        return cls(PARSE_ERROR, message, data)

    @classmethod
    def invalid_request(cls, data: Any = UNSET, message: str = "invalid request") -> RequestError:
        """Make an error with the code INVALID_REQUEST, for an invalid or premature request."""
        return cls(INVALID_REQUEST, message, data)

    @classmethod
    def method_not_found(cls, data: Any = UNSET, message: str = "method not found") -> RequestError:
        """Make an error with the code METHOD_NOT_FOUND, for a method without a handler."""
        return cls(METHOD_NOT_FOUND, message, data)

    @classmethod
    def invalid_params(cls, data: Any = UNSET, message: str = "invalid params") -> RequestError:
        """Make an error with the code INVALID_PARAMS, for params that don't match the method."""
        return cls(INVALID_PARAMS, message, data)

    @classmethod
    def internal_error(cls, data: Any = UNSET, message: str = "internal error") -> RequestError:
        """Make an error with the code INTERNAL_ERROR, for a failure on this side."""
        return cls(INTERNAL_ERROR, message, data)

    @classmethod
    def request_cancelled(
        cls, data: Any = UNSET, message: str = "request cancelled"
    ) -> RequestError:
        """Make an error with the code REQUEST_CANCELLED, for a request cancelled by its sender."""
        return cls(REQUEST_CANCELLED, message, data)

    @classmethod
    def authentication_required(
        cls, data: Any = UNSET, message: str = "authentication required"
    ) -> RequestError:
        """Make an error with the code AUTHENTICATION_REQUIRED, for a user who must sign in."""
        return cls(AUTHENTICATION_REQUIRED, message, data)

    @classmethod
    def resource_not_found(
        cls, data: Any = UNSET, message: str = "resource not found"
    ) -> RequestError:
        """Make an error with the code RESOURCE_NOT_FOUND, for example for a missing file."""
        return cls(RESOURCE_NOT_FOUND, message, data)

    @classmethod
    def unsupported_protocol_version(
        cls, data: Any = UNSET, message: str = "unsupported protocol version"
    ) -> RequestError:
        """Make an error with the code UNSUPPORTED_PROTOCOL_VERSION."""
        return cls(UNSUPPORTED_PROTOCOL_VERSION, message, data)

    # The name of this method in most SDKs.
    auth_required = authentication_required


class CapabilityError(Exception):
    """Raised when a call requires a capability that the peer did not advertise.

    A stub created with `check_capabilities=False` does not raise this exception.

    Attributes:
        method: the name of the method. If part of the params requires the capability, the name is
            followed by `with` and the field or class of that part.
        capability: a JSON pointer to the capability in the client's `initialize` params or the
            agent's `initialize` result.
    """

    def __init__(self, method: str, capability: str) -> None:
        super().__init__(method, capability)
        self.method = method
        self.capability = capability

    def __str__(self) -> str:
        return f"{self.method} requires {self.capability}, which the peer did not advertise"


@dataclass(slots=True, frozen=True)
class Exit:
    """The outcome of running a program. `str` returns a description.

    Attributes:
        code: the exit status, or None if the program was terminated by a signal or closed its
            output but is still running.
        signal: the name of the signal that terminated the program, such as "SIGKILL", or None if
            the program was not terminated by a signal.
        stderr: the last lines of the program's standard error, truncated. The tuple is empty if
            standard error was not captured.
    """

    code: int | None = None
    signal: str | None = None
    stderr: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.signal is not None:
            end = f"was terminated by {self.signal}"
        elif self.code is not None:
            end = f"exited with status {self.code}"
        else:
            return "the agent closed its output but is still running"
        return f"the agent {end}{quoted_stderr(self.stderr)}"


def quoted_stderr(lines: Sequence[str]) -> str:
    """Return a clause for an error message that quotes lines of a program's standard error."""
    quoted = "".join(f"\n    {line!r}" for line in lines)
    return f"; its standard error ended with:{quoted}" if quoted else ""


class ConnectionClosed(ConnectionError):
    """Raised when a connection is already closed, or when it closes before a response arrives.

    Attributes:
        exit: how the peer's program exited, or None if its exit did not close the connection.
    """

    def __init__(self, *args: object, exit: Exit | None = None) -> None:
        super().__init__(*args)
        self.exit = exit


class LimitExceeded(Exception):
    """Raised when this side already stores too much data for the peer; see `Limits`."""


class VersionMismatch(Exception):
    """Raised when `initialize` does not result in a protocol version that both sides speak.

    Attributes:
        offered: the version in the agent's response, or None if the response contains no version.
        spoken: the version that this connection speaks.
        reason: a description of the problem, or an empty string if the agent simply offers another
            version.
    """

    # A hint on how to connect despite the mismatch. It is appended to the text.
    advice = ""

    def __init__(self, offered: int | None, spoken: int, reason: str = "") -> None:
        super().__init__(offered, spoken, reason)
        self.offered = offered
        self.spoken = spoken
        self.reason = reason

    def __str__(self) -> str:
        offer = f"the agent offers protocol version {quotation(self.offered)}"
        text = self.reason or f"{offer}, but this connection speaks {self.spoken}"
        return f"{text}; {self.advice}" if self.advice else text
