"""The URL of a remote agent, with the headers and cookies to send."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterable, Mapping, MutableMapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

from ..runtime.jsonrpc.errors import ConnectionClosed

# The HTTP statuses that indicate that the server does not admit the client.
NOT_ADMITTED: Final = (401, 403)

# The default path of an endpoint.
PATH: Final = "/acp"

_SECURE = {"http": False, "https": True, "ws": False, "wss": True}
# The characters allowed in a header name, and the characters not allowed in a header value.
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
# The headers that only the transport can set.
_OWN = frozenset({"connection", "content-length", "host", "transfer-encoding", "upgrade"})
# The maximum number of the server's cookies to store, and the maximum length of a cookie.
_COOKIES, _COOKIE = 50, 4096


class NotAdmitted(ConnectionClosed):
    """Raised when the server does not admit the client, for example if the token is invalid.

    Another attempt with the same token will also fail.
    """


class Endpoint:
    """The URL of a remote agent, with the headers and cookies to send.

    Attributes:
        is_secure: whether the connection uses TLS.
        host: the host.
        port: the port.
        authority: the host and port as written in the URL.
        target: the path and query.
        headers: the headers to send with each request, by lower-case name.
        cookies: the cookies to send with each request, including cookies that the server set.
        tls: the TLS settings, or None if TLS is not used.
    """

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        cookies: MutableMapping[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
        token: str | None = None,
    ) -> None:
        """Check and store the URL, headers and cookies.

        Args:
            url: the URL, with the scheme http, https, ws or wss. The default path is `PATH`.
            headers: additional headers to send.
            cookies: cookies to send. The mapping is updated when the server sets cookies. This
                mapping can be passed to the next connection.
            tls: TLS settings; by default, `ssl.create_default_context()`.
            token: a token to send as `Authorization: Bearer`.

        Raises:
            ValueError: If an argument is invalid.
        """
        parts = urlsplit(url)
        if parts.scheme not in _SECURE or not parts.hostname:
            raise ValueError(f"invalid URL {url!r}; begin with 'http://', 'https://' or 'ws://'")
        if parts.username is not None:  # "" if the URL contains only a password
            raise ValueError("the URL contains credentials; pass `token` or `headers` instead")
        if not url.isascii() or _CONTROL.search(url) or " " in url:
            remedy = "percent-encode spaces, control characters and non-ASCII characters"
            raise ValueError(f"invalid URL {url!r}; {remedy}")
        self.is_secure = _SECURE[parts.scheme]
        self.host = parts.hostname
        self.port = parts.port or (443 if self.is_secure else 80)
        self.authority = parts.netloc
        self.target = (parts.path or PATH) + (f"?{parts.query}" if parts.query else "")
        if tls is not None and not self.is_secure:
            raise ValueError(f"`tls` is set, but {url!r} does not use TLS; use 'https://'")
        self.tls = (tls or ssl.create_default_context()) if self.is_secure else None
        self.headers = {name.lower(): value for name, value in (headers or {}).items()}
        if token is not None:
            if "authorization" in self.headers:
                raise ValueError("`token` and an 'Authorization' header are set; pass one of them")
            self.headers["authorization"] = f"Bearer {token}"
        for name, value in self.headers.items():
            if not _NAME.fullmatch(name) or name in _OWN:
                raise ValueError(f"invalid header {name!r}; remove it")
            if _CONTROL.search(value) or not value.isascii():
                # The error must not contain the value, which can be secret.
                raise ValueError(
                    f"invalid value for header {name!r}; use only printable ASCII characters"
                )
        self.cookies: MutableMapping[str, str] = {} if cookies is None else cookies
        for name, value in self.cookies.items():
            if not _NAME.fullmatch(name) or _CONTROL.search(value) or not _is_cookie_value(value):
                raise ValueError(f"invalid cookie {name!r}; remove it")

    @property
    def websocket_url(self) -> str:
        """The WebSocket URL."""
        return f"{'wss' if self.is_secure else 'ws'}://{self.authority}{self.target}"

    def __str__(self) -> str:
        """Return the URL without the query, which can contain secrets."""
        path = self.target.partition("?")[0]
        return f"{'https' if self.is_secure else 'http'}://{self.authority}{path}"

    def request_headers(self) -> dict[str, str]:
        """Return the headers for the next request, including cookies."""
        headers = dict(self.headers)
        cookies = [f"{name}={value}" for name, value in self.cookies.items()]
        if "cookie" in headers:
            cookies.insert(0, headers["cookie"])
        if cookies:
            headers["cookie"] = "; ".join(cookies)
        return headers

    def keep_cookies(self, values: Iterable[str]) -> None:
        """Store the cookies from `Set-Cookie` headers and remove expired ones."""
        for value in values:
            pair, *attributes = value.split(";")
            name, _, content = (part.strip() for part in pair.partition("="))
            if not _NAME.fullmatch(name) or len(pair) > _COOKIE or not _is_cookie_value(content):
                continue
            if any(map(_is_past, attributes)):
                self.cookies.pop(name, None)
            elif name in self.cookies or len(self.cookies) < _COOKIES:
                self.cookies[name] = content


def _is_cookie_value(value: str) -> bool:
    return value.isascii() and not _CONTROL.search(value) and ";" not in value


def _is_past(attribute: str) -> bool:
    """Return whether a cookie attribute marks the cookie as expired."""
    name, _, value = (part.strip().lower() for part in attribute.partition("="))
    if name == "max-age":
        return value == "0" or value.startswith("-")
    if name != "expires":
        return False
    try:
        end = parsedate_to_datetime(value)
    except ValueError:
        return False
    now = datetime.now(timezone.utc)
    return (end if end.tzinfo else end.replace(tzinfo=timezone.utc)) <= now
