"""Admission of clients, based on origins, the addresses of both sides, a token and a callback.

Admission must be strict, since a connection starts an agent that can run commands for the user. Any
web page that the user opens can connect to a server on this machine. Behind a proxy, every client
has the proxy's address.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from inspect import isawaitable
from ipaddress import ip_address
from typing import Any, Final, TypeAlias

from ..runtime.values.deferred import dataclass
from .routing import CONNECTION_ID, METHODS, SESSION_ID, HttpRefused

# The WebSocket subprotocol of this transport, and the prefix of a subprotocol that contains a
# token. Web pages send the token in a subprotocol because they cannot set WebSocket headers.
SUBPROTOCOL: Final = "acp"
TOKEN_SUBPROTOCOL: Final = "acp.bearer."

# Headers that proxies add. A request to a loopback address without these headers is local.
_FORWARDED = ("forwarded", "via", "x-real-ip")
_FORWARDED_PREFIX = "x-forwarded-"

_HOST = re.compile(r"(?:\[([^\]]*)\]|([^:,\[\]]+))(?::\d*)?")

_PREFLIGHT = (
    ("access-control-allow-methods", ", ".join(METHODS)),
    (
        "access-control-allow-headers",
        f"authorization, content-type, {CONNECTION_ID}, {SESSION_ID}, acp-protocol-version",
    ),
    ("access-control-max-age", "600"),
)


@dataclass(frozen=True, slots=True)
class Visitor:
    """The sender of a request, passed to `admit`.

    Attributes:
        headers: the headers, by lower-case name. The values of repeated headers are joined with
            commas.
        client: the address of the client or a proxy, or None if it has no address, as with a Unix
            socket.
        server: the address at which the request was received, or None if unknown.
        scheme: the scheme, such as "https" or "wss".
        query: the query of the URL, without the question mark.
        subprotocols: the subprotocols that a WebSocket client offers, in order.
    """

    headers: Mapping[str, str]
    client: str | None = None
    server: str | None = None
    scheme: str = "http"
    query: str = ""
    subprotocols: Sequence[str] = ()

    @property
    def token(self) -> str | None:
        """The bearer token from the `Authorization` header or an offered subprotocol, or None."""
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return token.strip()
        for offered in self.subprotocols:
            if offered.startswith(TOKEN_SUBPROTOCOL):
                return offered.removeprefix(TOKEN_SUBPROTOCOL)
        return None

    @property
    def subprotocol(self) -> str | None:
        """The offered subprotocol to select, or None."""
        if SUBPROTOCOL in self.subprotocols:
            return SUBPROTOCOL
        known = (each for each in self.subprotocols if each.startswith(TOKEN_SUBPROTOCOL))
        return next(known, None)

    @property
    def is_local(self) -> bool:
        """True if the request was certainly sent from this machine to a loopback host."""
        is_forwarded = any(
            name in _FORWARDED or name.startswith(_FORWARDED_PREFIX) for name in self.headers
        )
        names = (self.client, self.server, _host_of(self.headers.get("host", "")))
        return not is_forwarded and all(map(_is_loopback, names))


# A function that decides whether to admit a visitor. The function returns information about the
# user, or a false value to reject the visitor.
Admit: TypeAlias = "Callable[[Visitor], Any | Awaitable[Any]]"


class Trust:
    """The rules that determine which clients an application serves."""

    def __init__(self, token: str | None, admit: Admit | None, origins: Iterable[str]) -> None:
        """Check and store the arguments of an application.

        Args:
            token: as for `remote_app`.
            admit: as for `remote_app`.
            origins: as for `remote_app`.

        Raises:
            TypeError: If `origins` is a string.
            ValueError: If the token is empty, or if any web page could use the agent without a
                token.
        """
        if isinstance(origins, str):
            raise TypeError(f"origins is a string; pass a list: [{origins!r}]")
        if token is not None and not token.strip():
            raise ValueError("the token is empty; pass None for an application without a token")
        self._token = None if token is None else token.encode()
        self._admit = admit
        self._origins: Collection[str] = {each.lower().rstrip("/") for each in origins}
        self._is_guarded = token is not None or admit is not None
        if "*" in self._origins and not self._is_guarded:
            raise ValueError("origins contains '*', so any page could use the agent; pass a token")

    async def admit(self, visitor: Visitor) -> Any:
        """Return the information about the user who sent a request.

        Raises:
            HttpRefused: If the user is not admitted.
        """
        self.check_origin(visitor)
        if self._token is not None:
            token = (visitor.token or "").encode()
            if not hmac.compare_digest(token, self._token):
                raise HttpRefused(401, "the token is missing or wrong")
        if self._admit is None:
            return None
        user = self._admit(visitor)
        if isawaitable(user):
            user = await user
        if not user:
            raise HttpRefused(403, "the user is not admitted; sign in as another user")
        return user

    def check_origin(self, visitor: Visitor) -> None:
        """Check that a visitor is allowed to send requests, regardless of its token.

        Raises:
            HttpRefused: If the origin is not listed, or if the visitor is not local and the server
                uses neither a token nor `admit`.
        """
        origin = visitor.headers.get("origin")
        if origin is not None and not self._allows(origin):
            raise HttpRefused(403, "the origin is not allowed; list it in the server's `origins`")
        if not self._is_guarded and not visitor.is_local:
            raise HttpRefused(
                403, "only clients on the server's machine are served; give the server a token"
            )

    def cors(self, visitor: Visitor, method: str) -> list[tuple[str, str]]:
        """Return the CORS headers that allow a page with a listed origin to read the response."""
        origin = visitor.headers.get("origin")
        headers = [("vary", "Origin")] if self._origins else []
        if origin is None or not self._allows(origin):
            return headers
        headers.append(("access-control-allow-origin", origin))
        if "*" not in self._origins:
            # Allow the cookies that load balancers set.
            headers.append(("access-control-allow-credentials", "true"))
        if method == "OPTIONS":
            return [*headers, *_PREFLIGHT]
        return [*headers, ("access-control-expose-headers", CONNECTION_ID)]

    def _allows(self, origin: str) -> bool:
        return "*" in self._origins or origin.lower() in self._origins


def _host_of(header: str) -> str | None:
    """Return the host in a Host header without the port, or None if the header is invalid."""
    found = _HOST.fullmatch(header)
    return found and (found[1] or found[2])


def _is_loopback(host: str | None) -> bool:
    if host is None:
        return False
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
