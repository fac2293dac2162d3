"""Reaching: connects to a remote agent, reconnects after an interruption, and restores sessions.

`reach` yields a `Link`, as `launch` does for a local program.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module
from typing import Any, ClassVar, Final, TypeVar
from urllib.parse import urlsplit

from ..runtime.aio.peer import Peer
from ..runtime.values.errors import quotation
from .links import Access, ConnectionEnd, LaunchError, Link, RestartPolicy, keep
from .signing_in import AskSignIn, SigningIn

L = TypeVar("L", bound="Link[Any]")

# Retry for about 15 minutes, since a network can be down for longer than a program takes to start.
RECONNECTS: Final = RestartPolicy(limit=45, spread=0.5)


class _Server(Access):
    """A remote agent."""

    again: ClassVar[str] = "connected"
    lingers: ClassVar[bool] = True

    def __init__(self, url: str, options: Mapping[str, Any]) -> None:
        parts = urlsplit(url)
        # Omit the query and the fragment, which can contain secrets.
        self.name = parts._replace(query="", fragment="").geturl()
        self._url = url
        self._options = options
        self._remote = _import_remote()

    def connect(self, client: Any) -> AbstractAsyncContextManager[Peer]:
        made: AbstractAsyncContextManager[Peer]
        made = self._remote.connect_remote(self._url, client, **self._options)
        return made

    def explained(self, error: Exception, ending: ConnectionEnd) -> Exception:
        if not isinstance(error, OSError):
            return error
        made = LaunchError(f"agent {quotation(self.name)} is not connected: {ending.reason}")
        made.__cause__ = error
        return made

    def is_final(self, ending: ConnectionEnd) -> bool:
        return isinstance(ending.error, self._remote.NotAdmitted)


@asynccontextmanager
async def reach(
    url: str,
    client: Any,
    *,
    link: type[L],
    restart: RestartPolicy = RECONNECTS,
    on_change: Callable[[L], object] | None = None,
    sign_in: AskSignIn | None = None,
    start_timeout: float | None = 120.0,
    **options: Any,
) -> AsyncGenerator[L]:
    """Connect to a remote agent and stay connected. Leaving the context closes the connection.

    If the connection is lost, the agent's turns fail with an error, and the client reconnects after
    a pause. The open sessions are resumed, or loaded if the agent can't resume sessions. The
    session objects are reused. If the agent does not restore a session, the session is closed, and
    its `closed_reason` contains the reason. All sessions are closed when the client gives up
    reconnecting or exits the context.

    Cookies that the server sets are sent when the client next connects.

    Args:
        url: the agent's URL, as for `connect_remote`.
        client: the connection handler, which is either a class that extends the surface's
            `SessionClient` and is instantiated for each connection, or an object that is used for
            all connections.
        link: the link class of the client's surface.
        restart: the limits for reconnecting. If the server rejects the client, the client does not
            reconnect.
        on_change: called with the link when the agent is usable and its sessions are restored, when
            the connection is lost, and when the client gives up reconnecting. Exceptions are
            logged.
        sign_in: an async function that lets the user choose a sign-in method if the agent requires
            a sign-in. By default, opening a session raises `SignInRequired` instead, with a list of
            the methods. Methods that run the agent program in a terminal are omitted, since the
            program isn't on this machine.
        start_timeout: the maximum time for the server to respond to the first `initialize`, in
            seconds, or None for no limit.
        options: other arguments for `connect_remote`, such as `token`. The `headers` mapping is
            read again for each connection, so changes to it take effect.

    Raises:
        LaunchError: If the server cannot be reached or rejects the client. If the server rejects
            the client, `__cause__` is a `NotAdmitted`.
        ImportError: If the extra `remote` is not installed, or if the package was vendored without
            `--remote`.
        TypeError: If `client` is not a client handler.
        ValueError: If the URL or an option is invalid.
        VersionMismatch: If the agent uses another protocol version.
        RequestError: If the agent rejected `initialize`.
        DecodeError: If the response to `initialize` isn't valid.
    """
    options.setdefault("cookies", {})
    access = _Server(url, options)
    made = link(access, client, SigningIn(link.surface, sign_in), restart, on_change)
    async with keep(made, start_timeout) as running:
        yield running


def _import_remote() -> Any:
    # Import `remote` by name, since the package can be vendored without it.
    package = __name__.rpartition(".kit.")[0]
    try:
        return import_module(f"{package}.remote")
    except ModuleNotFoundError as error:
        if error.name != f"{package}.remote":
            raise
        raise ImportError(
            f"{package} was vendored without support for remote agents; to add it, run"
            " `acpgen vendor DIR --remote`"
        ) from error
