"""Launching: starts an agent, restarts it after a crash, and restores its sessions.

`launch` starts the agent that an `AgentCommand` describes and yields a `Link` to it.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

from ..runtime.aio import connect_stdio
from ..runtime.aio.endpoints import checked_command
from ..runtime.aio.peer import Peer
from ..runtime.jsonrpc.logs import logger_of
from ..runtime.values.errors import quotation
from .agent_registry import AgentCommand
from .disk import locked
from .links import Access, ConnectionEnd, LaunchError, Link, RestartPolicy, keep
from .signing_in import AskSignIn, Program, RunInTerminal, SigningIn
from .terminals import VARIABLES, Environment

L = TypeVar("L", bound="Link[Any]")

# The variables that an agent inherits from this program. The agent needs these variables to run
# commands, open a browser, use the user's keys, and connect to its server.
INHERITED: tuple[str, ...] = (
    *(*VARIABLES, "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK"),
    *("*_PROXY", "*_proxy", "NODE_EXTRA_CA_CERTS", "NVM_*", "VOLTA_HOME"),
)
# The products that include the package runners, by runner.
_PRODUCTS: Final = {"npx": "Node.js", "bunx": "Bun", "uvx": "uv"}
# Advice for users if a runner cannot start a package. Each key is a pattern to find in the runner's
# standard error.
_REMEDIES: Final = {
    r"\bETARGET\b|\bE404\b|No matching version|no version of": (
        "the package version does not exist, or it is hidden by a minimum package age; choose "
        "another version"
    ),
    r"npm.*\b(ENOTEMPTY|EINTEGRITY)\b|[/\\]_npx[/\\]": (
        "the cache of npx might be damaged; remove the folder `_npx` in the folder that "
        "`npm config get cache` prints, and try again"
    ),
}
# The initial and the maximum pause between attempts to acquire a lock, in seconds. The system
# doesn't notify programs that wait for a lock.
_FIRST_LOOK, _LONGEST_LOOK = 0.02, 1.0

_log = logger_of(__name__)


RESTARTS: Final = RestartPolicy()


class _Program(Access):
    """An agent program, which is started for each connection."""

    again: ClassVar[str] = "started"

    def __init__(self, command: AgentCommand, options: Mapping[str, Any]) -> None:
        self.name = command.name
        self._command = command
        self._options = options

    def connect(self, client: Any) -> AbstractAsyncContextManager[Peer]:
        return connect_stdio(self._command.command, client, **self._options)

    async def prepare(self, held: ExitStack, timeout: float | None) -> None:
        if self._command.runner is not None:
            name = self._command.id or " ".join(self._command.command)
            try:
                await asyncio.wait_for(_lock_start(name, held), timeout)
            except asyncio.TimeoutError:
                raise LaunchError(
                    f"agent {quotation(name)} does not start: another program is still starting it "
                    f"after {timeout:g} seconds; try again"
                ) from None

    def explained(self, error: Exception, ending: ConnectionEnd) -> Exception:
        if not isinstance(error, OSError):
            return error
        advice, runner = "", self._command.runner
        if runner is not None and isinstance(error, FileNotFoundError):
            advice = f"; install {_PRODUCTS[runner]}, which includes {runner}"
        elif runner is not None and ending.exit is not None:
            lines = "\n".join(ending.exit.stderr)
            remedies = (remedy for cause, remedy in _REMEDIES.items() if re.search(cause, lines))
            advice = "".join(f"\n{remedy}" for remedy in remedies)
        name = quotation(self.name)
        made = LaunchError(
            f"agent {name} does not start: {ending.reason}{advice}", exit=ending.exit
        )
        made.__cause__ = error
        return made


@asynccontextmanager
async def launch(
    agent: AgentCommand | Sequence[str | os.PathLike[str]],
    client: Any,
    *,
    link: type[L],
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    restart: RestartPolicy = RESTARTS,
    on_change: Callable[[L], object] | None = None,
    sign_in: AskSignIn | None = None,
    run_in_terminal: RunInTerminal | None = None,
    start_timeout: float | None = None,
    **options: Any,
) -> AsyncGenerator[L]:
    """Start an agent and keep it running. Leaving the context stops the agent and its processes.

    If the agent exits, its turns fail with an error, and it is restarted after a pause. The agent's
    open sessions are resumed or, if the agent doesn't support that, loaded. The session objects are
    reused. If the agent refuses to restore a session, the session is closed, and its
    `closed_reason` contains the reason. All sessions are closed when `launch` gives up restarting
    the agent and when the context is left.

    A package runner, such as `npx`, might have to download the agent first. Simultaneous downloads
    could damage the runner's cache, so the first start waits while other programs are starting the
    same agent.

    Args:
        agent: the command to run (the program and its arguments), or an `AgentCommand`.
        client: the connection handler, which is either a class that extends the surface's
            `SessionClient` and is instantiated for each process of the agent, or an object that is
            used for all of its processes.
        link: the link class of the client's surface.
        env: variables to add to the agent's environment, such as an API key. From this program's
            environment, the agent inherits only the variables in `INHERITED`, since other variables
            can contain secrets.
        cwd: the agent's working directory; by default, this process's working directory.
        restart: the limits for restarting the agent.
        on_change: called with the link when the agent is running and its sessions are restored,
            when the agent exits, and when it will not be restarted. Exceptions are logged.
        sign_in: an async function that lets the user choose a sign-in method if the agent requires
            a sign-in. By default, opening a session raises `SignInRequired` instead, with a list of
            the methods.
        run_in_terminal: a function that runs the agent's sign-in command in a terminal. By default,
            this program's terminal is used if there is one.
        start_timeout: the maximum time for the first start, in seconds. By default, there is no
            limit, since the agent might have to be downloaded.
        options: other arguments for `connect_stdio`, such as `on_stderr` and `bridge`.

    Raises:
        LaunchError: If the agent does not start. The message includes the last lines of the agent's
            standard error.
        TypeError: If the command is a string, or if `client` is not a client handler.
        ValueError: If the command is empty.
        VersionMismatch: If the agent uses another protocol version.
        RequestError: If the agent rejected `initialize`.
        DecodeError: If the response to `initialize` isn't valid.
    """
    if not isinstance(agent, AgentCommand):
        agent = AgentCommand(command=checked_command(agent))
    if "on_stderr" not in options:
        options.setdefault("stderr", asyncio.subprocess.PIPE)
    place: dict[str, Any] = {
        "env": Environment(INHERITED, agent.env).variables(env),
        "cwd": None if cwd is None else os.fspath(cwd),
    }
    program = Program(agent.command, **place, run=run_in_terminal)
    signing_in = SigningIn(link.surface, sign_in, program)
    access = _Program(agent, {**options, **place})
    async with keep(link(access, client, signing_in, restart, on_change), start_timeout) as made:
        yield made


# --- the lock of the first start -------------------------------------------------------------


async def _lock_start(name: str, held: ExitStack) -> None:
    """Acquire the lock for starting an agent, waiting while other programs hold it.

    The lock is released when `held` closes. The locked file exists only while programs hold the
    lock or wait for it. On Windows, the file might remain, since open files cannot be removed. If
    the file cannot be created, a warning is logged, and no lock is used.
    """
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    path = Path(base or "~/.cache").expanduser() / "acp-bindings" / f"{digest}.lock"
    pause = _FIRST_LOOK
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        while not _try_lock(path, held):
            await asyncio.sleep(pause)  # until the other program releases the lock
            pause = min(pause * 2, _LONGEST_LOOK)
    except OSError as error:
        _log.warning("cannot lock %s: %s; starting without a lock", path, error)


def _try_lock(path: Path, held: ExitStack) -> bool:
    with ExitStack() as stack, suppress(FileNotFoundError):
        descriptor = stack.enter_context(locked(path, os.O_CREAT))
        # Another program might have removed the file when it released the lock.
        if descriptor is not None and os.path.samestat(os.fstat(descriptor), os.stat(path)):
            held.push(stack.pop_all())
            held.enter_context(suppress(OSError))  # removing the file can fail
            held.callback(path.unlink)
            return True
    return False
