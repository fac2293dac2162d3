"""Launching: starts an agent, keeps it running, and brings its sessions back after a crash.

`launch` starts the agent of an `AgentCommand` and gives a `Link` to it. A task of the link owns the
connection: when the agent ends, it starts another one after a pause, and the open sessions continue
in the same objects. Nothing is downloaded here; `npx` and `uvx` do that when they start an agent.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import platform as machine
import re
import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

from ..runtime.aio import connect_stdio
from ..runtime.aio.ending import uninterrupted
from ..runtime.aio.endpoints import checked_command
from ..runtime.aio.peer import Peer
from ..runtime.jsonrpc.errors import (
    AUTHENTICATION_REQUIRED,
    CapabilityError,
    ConnectionClosed,
    Exit,
    RequestError,
)
from ..runtime.jsonrpc.handler import advertise, introduction
from ..runtime.jsonrpc.logs import call_back, logger_of
from ..runtime.jsonrpc.method import INITIALIZE, Method
from ..runtime.values.errors import quotation
from ..runtime.values.unset import UNSET
from .disk import locked
from .lenient import items, mapping, text, texts, variables
from .signing_in import AskSignIn, RunInTerminal, SigningIn
from .terminals import VARIABLES, Environment

R = TypeVar("R")

# The variables of this program that an agent gets: those of its commands, and those with which it
# opens a browser, uses the keys of the user and reaches its server.
INHERITED: tuple[str, ...] = (
    *(*VARIABLES, "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK"),
    *("*_PROXY", "*_proxy", "NODE_EXTRA_CA_CERTS", "NVM_*", "VOLTA_HOME"),
)
# The programs that download a package before they run it, with the name of their product.
_RUNNERS = {"npx": "Node.js", "bunx": "Bun", "uvx": "uv"}
# The endings of the URLs of archives; other files are executables.
_ARCHIVE = re.compile(r"\.(zip|tar\.gz|tgz|tar\.bz2|tbz2)$", re.IGNORECASE)
_SHORT = {"tgz": "tar.gz", "tbz2": "tar.bz2"}
_SYSTEMS = {"linux": "linux", "darwin": "darwin", "win32": "windows"}
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
# The methods that bring a session back, the preferred one first, and whether the state is kept:
# loading replays the conversation, resuming does not.
_RETURNING = (("session/resume", True), ("session/load", False))
# How long the pauses are between two attempts to get a lock, in seconds: nothing tells of its end.
_FIRST_LOOK, _LONGEST_LOOK = 0.02, 1.0

_log = logger_of(__name__)


class LaunchError(ConnectionError):
    """Raised when the agent does not start, or has ended too often to be started again.

    Attributes:
        exit: how its program ended; None if it was not started.
    """

    def __init__(self, text: str, exit: Exit | None = None) -> None:
        super().__init__(text)
        self.exit = exit


class NotInstalled(LaunchError):
    """Raised for an agent that has to be installed first.

    Attributes:
        url: the archive or executable.
        archive: its kind: "zip", "tar.gz", "tar.bz2" or "executable".
    """

    def __init__(self, text: str, url: str, archive: str) -> None:
        super().__init__(text)
        self.url = url
        self.archive = archive


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartPolicy:
    """The limits of starting an agent again after it ended.

    Attributes:
        limit: how many times in a row. An agent that always crashes would otherwise use the
            processor forever. 0 for never.
        first_pause: how long to wait before the first time, in seconds. The pause doubles each
            time, so that the agent, or its server, can recover.
        longest_pause: the longest pause, in seconds: a user waits for it.
        settled_after: how long an agent must run, in seconds, before its next end counts as the
            first one.
        start_timeout: how long a restarted agent can take to answer `initialize`, in seconds. It is
            installed by then, so it should be quick.
    """

    limit: int = 5
    first_pause: float = 0.5
    longest_pause: float = 30.0
    settled_after: float = 60.0
    start_timeout: float | None = 120.0

    def pause(self, number: int) -> float:
        """Return how long to wait before a restart, in seconds.

        Args:
            number: the number of the restart in its row, from 1.
        """
        return min(self.first_pause * 2.0 ** min(number - 1, 64), self.longest_pause)


RESTARTS = RestartPolicy()


@dataclass(frozen=True, slots=True)
class Restart:
    """A restart that is about to take place.

    Attributes:
        number: its number in a row, from 1.
        pause: how long the link waits before it, in seconds.
        reason: why the agent ended, or did not start.
        exit: how its program ended; None if that is unknown.
    """

    number: int
    pause: float
    reason: str
    exit: Exit | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCommand:
    """The program of an agent.

    Attributes:
        command: the program and its arguments.
        env: variables to add to its environment.
        id: its id in a registry; empty without. It names the agent in records and messages.
        version: its version in the registry; empty without.
    """

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    id: str = ""
    version: str = ""

    @property
    def name(self) -> str:
        """The id, or the name of the program."""
        return self.id or os.path.basename(self.command[0])

    @property
    def runner(self) -> str | None:
        """The package runner that starts the agent, such as "npx"; None without."""
        name = re.split(r"[/\\]", self.command[0])[-1].lower()
        name = re.sub(r"\.(cmd|exe|bat)$", "", name)
        return name if name in _RUNNERS else None

    @classmethod
    def from_registry(
        cls,
        registry: Mapping[str, Any] | str | os.PathLike[str],
        id: str,
        *,
        kind: str | None = None,
        executable: str | None = None,
        folder: str | os.PathLike[str] | None = None,
        platform: str | None = None,
    ) -> AgentCommand:
        """Return the command of an agent in a registry, with its version pinned.

        Unknown fields of the registry are ignored, as are entries of other agents. Of several
        distributions, the first usable one is taken: `npx`, `uvx`, then `binary`.

        Args:
            registry: the content of `registry.json`, or the path of that file.
            id: the id of the agent.
            kind: the distribution to take: "npx", "uvx" or "binary".
            executable: for `uvx`, the program of the package, if its name differs.
            folder: for `binary`, the folder of the installed agent.
            platform: for `binary`, such as "linux-x86_64"; by default, that of this system.

        Raises:
            KeyError: the registry does not contain the agent.
            ValueError: the entry has no usable distribution, or its command leaves `folder`; or the
                file is not JSON.
            NotInstalled: the agent is a binary, and `folder` is not given. The text says what to
                install.
            OSError: the file cannot be read.
        """
        if not isinstance(registry, Mapping):
            registry = json.loads(Path(registry).read_text("utf-8"))
        entries = map(mapping, items(mapping(registry).get("agents")))
        entry = next((each for each in entries if each.get("id") == id), None)
        if entry is None:
            raise KeyError(f"no agent {id!r} in the registry; check its id")
        version = text(entry.get("version"))
        offers = mapping(entry.get("distribution"))
        for each in ("npx", "uvx", "binary") if kind is None else (kind,):
            chosen = mapping(offers.get(each))
            if each == "binary":
                chosen = mapping(chosen.get(platform or _platform()))
                words = _binary(chosen, id, folder) if chosen else []
            else:
                words = _packaged(each, text(chosen.get("package")), version, executable)
            if words:
                line = (*words, *texts(chosen.get("args")))
                return cls(command=line, env=variables(chosen.get("env")), id=id, version=version)
        wanted = f"as {kind!r}" if kind else f"for {platform or _platform()}"
        offered = ", ".join(sorted(offers)) or "nothing"
        raise ValueError(
            f"agent {id!r} is not offered {wanted}, only as: {offered}; choose another"
        )


# Called before a restart.
OnRestart: TypeAlias = Callable[[Restart], object]
# Called with the link when its agent runs, or no longer runs.
OnChange: TypeAlias = Callable[["Link"], object]


class Link:
    """An agent that is kept running, and its open sessions.

    Attributes:
        command: the command of the agent.
        restarts: how many times the agent was started again after it ended.
        failure: why the agent is not started again; None before.
        settled: set when the agent can be used, or is not started again.
    """

    def __init__(
        self,
        command: AgentCommand,
        client: Any,
        surface: Any,
        signing_in: SigningIn,
        restart: RestartPolicy,
        on_restart: OnRestart | None,
        on_change: OnChange | None,
        options: Mapping[str, Any],
    ) -> None:
        """Prepare a link; `launch` makes and runs it."""
        self.command = command
        self.restarts = 0
        self.failure: BaseException | None = None
        self._client = client
        self._surface = surface
        self._signing_in = signing_in
        self._policy = restart
        self._on_restart = on_restart
        self._on_change = on_change
        self._options = options
        self._peer: Peer | None = None
        self._sessions: dict[str, Any] = {}
        self._sign_ins = 0
        self._signing = asyncio.Lock()  # one dialog at a time; a person ends it
        self.settled = asyncio.Event()
        self._wanted = asyncio.Event()  # another process, such as after a sign-in
        self._signed_in_for: Any = None  # the session for which, during this restart

    @property
    def peer(self) -> Peer:
        """The connection to the agent that runs now.

        Raises:
            ConnectionClosed: the agent does not run.
        """
        peer = self._peer
        if peer is None or peer.has_ended:
            raise ConnectionClosed("the agent does not run; await `wait_running`")
        return peer

    @property
    def is_running(self) -> bool:
        """Whether the agent runs and its sessions are back."""
        return self._peer is not None and not self._peer.has_ended

    @property
    def info(self) -> Mapping[str, Any]:
        """The name and version of the agent, as it reports them, in JSON; empty if it does not."""
        field = self._surface.FACTS.infos.get("agent")
        return mapping(self._surface.encode(self.peer.advertised).get(field))

    @property
    def sessions(self) -> list[Any]:
        """The open sessions, oldest first. After a restart, they are the same objects."""
        self._sessions = {id: each for id, each in self._sessions.items() if not each.is_closed}
        return list(self._sessions.values())

    async def wait_running(self) -> Peer:
        """Wait until the agent runs and its sessions are back, and return the connection.

        The wait ends with the restarts: after the last one, `failure` is raised.

        Raises:
            LaunchError: the agent is not started again.
        """
        while not self.is_running:
            if self.failure is not None:
                raise LaunchError(str(self.failure), getattr(self.failure, "exit", None))
            if self._peer is not None:  # it has ended a moment ago
                self._use(None)
            await self.settled.wait()
        return self.peer

    async def open(self, *params: Any, **members: Any) -> Any:
        """Open a session; see `ClientSession.create` of the surface.

        If the agent requires a sign-in, the user chooses how, and the session is opened then.

        Args:
            params: the params of the request, or
            members: their fields.

        Returns:
            The session, of the class that the client names. It stays open over restarts.

        Raises:
            SignInRequired: the agent requires a sign-in that did not take place.
            RequestError: the agent refused.
            ConnectionClosed: the agent ended meanwhile, or is not started again.
        """
        return await self._open("create", params, members)

    async def load(self, *params: Any, **members: Any) -> Any:
        """Load a session with its conversation; see `open`, and `load` of the surface's sessions.

        Raises:
            TypeError: the protocol version does not have that; use `resume`.
        """
        return await self._open("load", params, members)

    async def resume(self, *params: Any, **members: Any) -> Any:
        """Resume a session; see `open`, and `resume` of the surface's sessions.

        Raises:
            TypeError: the protocol version does not have that; use `load`.
        """
        return await self._open("resume", params, members)

    async def sign_in(self) -> None:
        """Let the user sign in, such as after a prompt failed with `AUTHENTICATION_REQUIRED`.

        After a sign-in in a terminal, the agent is started again. That ends turns.

        Raises:
            SignInRequired: the sign-in did not take place.
            RequestError: the agent refused.
            ConnectionClosed: the agent ended meanwhile, or is not started again.
        """
        peer = await self.wait_running()
        if await self._sign_in(peer):
            await self.restart()

    async def restart(self) -> None:
        """Start the agent again, such as after its settings changed, and wait until it runs.

        That ends turns. It does not count as a crash.

        Raises:
            LaunchError: the agent does not start, or ended too often and is not started again: see
                `failure`. Then leave `launch`, and launch it again.
        """
        await self.wait_running()
        self._use(None)
        self._wanted.set()
        await self.wait_running()

    # --- opening -----------------------------------------------------------------------------

    async def _open(self, name: str, params: Sequence[Any], members: Mapping[str, Any]) -> Any:
        call = getattr(self._surface.ClientSession, name, None)
        if call is None:
            version = self._surface.SCHEMA.protocol_version
            raise TypeError(f"protocol {version} has no `{name}`; use another way to open it")
        seen = self._sign_ins
        try:
            session = await call(await self.wait_running(), *params, **members)
        except RequestError as error:
            if error.code != AUTHENTICATION_REQUIRED:
                raise
            async with self._signing:
                if self._sign_ins == seen:  # otherwise, another session was the occasion
                    await self.sign_in()
            session = await call(await self.wait_running(), *params, **members)
        self._sessions[session.session_id] = session
        return session

    async def _sign_in(self, peer: Peer) -> bool:
        env, cwd = self._options["env"], self._options["cwd"]
        must_restart = await self._signing_in.sign_in(peer, self.command.command, env, cwd)
        self._sign_ins += 1
        return must_restart

    # --- the task that owns the connection ---------------------------------------------------

    async def run(self, start_timeout: float | None) -> None:
        """Keep the agent running until this task is cancelled, or it ended too often.

        Args:
            start_timeout: how long the first start can take, in seconds.
        """
        try:
            ending = await self._run_first(start_timeout)
            if not ending.is_initialized:
                self.failure = self._explained(ending)
                return
            number = 0
            while True:
                if ending.is_wanted or ending.ran_for >= self._policy.settled_after:
                    number = 0
                if not ending.is_wanted:
                    if number == self._policy.limit:
                        self._fail(ending)
                        return
                    number += 1
                    await self._pause(number, ending)
                ending = await self._run_once(self._policy.start_timeout)
        except Exception as error:
            self.failure = error
        finally:
            if self.failure is None:
                self.failure = ConnectionClosed("the link was closed")
            self.settled.set()
            self._report_change()

    async def _run_first(self, timeout: float | None) -> _Ending:
        with ExitStack() as held:
            if self.command.runner is not None:
                name = self.command.id or " ".join(self.command.command)
                try:
                    await asyncio.wait_for(_lock_start(name, held), timeout)
                except asyncio.TimeoutError:
                    raise LaunchError(
                        f"agent {quotation(name)} does not start: another program still starts it, "
                        f"after {timeout:g} seconds; try again"
                    ) from None
            return await self._run_once(timeout, on_initialized=held.close)

    async def _pause(self, number: int, ending: _Ending) -> None:
        self.restarts += 1
        pause = self._policy.pause(number)
        _log.warning("the agent ended: %s; starting it again in %g s", ending.reason, pause)
        if self._on_restart is not None:
            restart = Restart(number, pause, ending.reason, ending.exit)
            call_back(self._on_restart, restart, what="on_restart", log=_log)
        await asyncio.sleep(pause)

    async def _run_once(
        self, timeout: float | None, on_initialized: Callable[[], object] | None = None
    ) -> _Ending:
        """Run the agent once, until it ends or another process is wanted."""
        loop = asyncio.get_running_loop()
        ending = _Ending()
        peer: Peer | None = None
        try:
            async with _connected(self.command, self._client, self._options) as peer:
                await peer.initialize(self._introduction(peer), timeout=timeout)
                ending.is_initialized = True
                if on_initialized is not None:
                    on_initialized()
                ending.is_wanted = await self._bring_back(peer)
                if not ending.is_wanted:
                    begun = loop.time()
                    self._signed_in_for = None
                    self._use(peer)
                    ending.is_wanted = await self._wait(peer)
                    self._use(None)
                    ending.ran_for = loop.time() - begun
        except Exception as error:
            ending.error = error
        finally:
            self._use(None)
        exit = getattr(ending.error, "exit", None)
        ending.exit = peer.exit if exit is None and peer is not None else exit
        return ending

    def _use(self, peer: Peer | None) -> None:
        is_other = peer is not self._peer
        self._peer = peer
        self._wanted.clear()
        if peer is None:
            self.settled.clear()
        else:
            self.settled.set()
        if is_other:
            self._report_change()

    def _report_change(self) -> None:
        if self._on_change is not None:
            call_back(self._on_change, self, what="on_change", log=_log)

    async def _wait(self, peer: Peer) -> bool:
        """Wait for the end of the agent; return whether another process is wanted instead."""
        waits = [asyncio.ensure_future(each) for each in (peer.wait_ended(), self._wanted.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        return self._wanted.is_set()

    def _introduction(self, peer: Peer) -> Any:
        assert peer.handler is not None  # there is a single one
        stated = introduction(peer.handler)
        capability = self._surface.FACTS.terminal_sign_in
        if capability is None or not self._signing_in.can_run_in_terminal:
            return stated
        params = self._surface.AGENT_METHODS[INITIALIZE].params
        data = self._surface.encode(stated)
        advertise(data, capability)
        return self._surface.decode(params, data)

    async def _bring_back(self, peer: Peer) -> bool:
        """Bring the sessions back; return whether that takes another process, after a sign-in."""
        for session in self.sessions:
            try:
                if await self._bring_back_one(peer, session):
                    return True
            except ConnectionClosed:
                raise
            except Exception as error:
                self._give_up(session, f"the agent did not bring it back: {error}")
                cast("Any", peer.handler).forget(session.session_id)
        return False

    async def _bring_back_one(self, peer: Peer, session: Any) -> bool:
        method, keeps_state = self._returning(peer)
        params = cast("Any", method.params)(
            session_id=session.session_id,
            cwd=session.cwd,
            mcp_servers=session.mcp_servers,
            additional_directories=session.additional_directories or UNSET,
        )
        client = cast("Any", peer.handler)
        try:
            await client.bring_back(session, method, params, keeps_state=keeps_state)
        except RequestError as error:
            if error.code != AUTHENTICATION_REQUIRED or self._signed_in_for is session:
                raise
            self._signed_in_for = session
            if await self._sign_in(peer):
                return True
            await client.bring_back(session, method, params, keeps_state=keeps_state)
        return False

    def _returning(self, peer: Peer) -> tuple[Method[Any, Any], bool]:
        """Return the method that brings a session back, and whether the state is kept meanwhile.

        Raises:
            CapabilityError: the agent has none.
        """
        known = self._surface.AGENT_METHODS
        methods = [(known[name], keeps) for name, keeps in _RETURNING if name in known]
        for method, keeps in methods:
            if method.capability is None or method.capability.is_advertised(peer.advertised):
                return method, keeps
        method, _ = methods[-1]
        raise CapabilityError(method.name, method.capability.pointer)

    def _give_up(self, session: Any, reason: str) -> None:
        session.closed_reason = reason
        session.is_closed = True
        _log.warning("session %s is closed: %s", quotation(session.session_id), reason)

    def _fail(self, ending: _Ending) -> None:
        again = f", after {self._policy.limit} restarts in a row" if self._policy.limit else ""
        self.failure = LaunchError(
            f"agent {quotation(self.command.name)} is not started again{again}: {ending.reason}",
            ending.exit,
        )
        for session in self.sessions:
            self._give_up(session, str(self.failure))

    def _explained(self, ending: _Ending) -> Exception:
        """Return the error of an agent that does not start."""
        error, runner = ending.error, self.command.runner
        if not isinstance(error, OSError):
            assert error is not None
            return error
        is_missing = isinstance(error, FileNotFoundError) and runner is not None
        advice = f"; {runner} comes with {_RUNNERS[runner or '']}" if is_missing else ""
        name = quotation(self.command.name)
        made = LaunchError(f"agent {name} does not start: {ending.reason}{advice}", ending.exit)
        made.__cause__ = error
        return made


@dataclass(slots=True)
class _Ending:
    """How a process of the agent ended.

    Attributes:
        is_initialized: whether it answered `initialize`.
        is_wanted: whether the link ended it, to start another one.
        ran_for: how long it could be used, in seconds.
        error: the error of its start, or of its end.
        exit: how its program ended.
    """

    is_initialized: bool = False
    is_wanted: bool = False
    ran_for: float = 0.0
    error: Exception | None = None
    exit: Exit | None = None

    @property
    def reason(self) -> str:
        """Why it ended, in words."""
        if isinstance(self.error, OSError) and self.error.strerror:
            return self.error.strerror
        return str(self.error or self.exit or "the connection was closed")


@asynccontextmanager
async def _connected(
    command: AgentCommand, client: Any, options: Mapping[str, Any]
) -> AsyncGenerator[Peer]:
    """Start the agent, and end it and all of its tasks even if this task is cancelled again."""
    connection = connect_stdio(command.command, client, **options)
    peer = await connection.__aenter__()
    try:
        yield peer
    finally:
        await uninterrupted(connection.__aexit__(None, None, None))


@asynccontextmanager
async def launch(
    agent: AgentCommand | Sequence[str | os.PathLike[str]],
    client: Any,
    *,
    surface: Any,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    restart: RestartPolicy = RESTARTS,
    on_restart: OnRestart | None = None,
    on_change: OnChange | None = None,
    sign_in: AskSignIn | None = None,
    run_in_terminal: RunInTerminal | None = None,
    start_timeout: float | None = None,
    **options: Any,
) -> AsyncGenerator[Link]:
    """Start an agent and keep it running. Leaving the context ends it, with all its processes.

    When the agent ends by itself, turns end with an error, and the agent is started again after a
    pause. Its open sessions are resumed, or else loaded. They stay the same objects. A session that
    the agent refuses is closed, and its `closed_reason` says why.

    The first start of an agent that a package runner may have to download, such as `npx`, waits
    for other programs that start the same agent: together, they could damage the runner's cache.

    Args:
        agent: the program and its arguments, or an `AgentCommand`.
        client: the handler of the connection: a class that extends `SessionClient` of the surface,
            which is called for each process of the agent; or an object, which outlives them.
        surface: the surface of the client, such as the module `v2`.
        env: variables to add to the environment of the agent, such as an API key. It gets no other
            variables of this program than `INHERITED`, since they can be secrets.
        cwd: the working directory of the agent; by default, that of this process.
        restart: when the agent is started again.
        on_restart: called before each restart. What it raises is logged.
        on_change: called with the link when its agent runs and the sessions are back, when the
            agent ended, and when it is not started again. What it raises is logged.
        sign_in: lets the user choose a way to sign in when the agent requires that. By default,
            opening a session then raises `SignInRequired`, which lists the ways.
        run_in_terminal: runs a command of the agent in a terminal, for a sign-in. By default, this
            program's own terminal is used, if it has one.
        start_timeout: how long the first start can take, in seconds; None for as long as it takes,
            since the agent may have to be downloaded.
        options: other arguments of `connect_stdio`, such as `on_stderr` and `bridge`.

    Raises:
        LaunchError: the agent does not start. The text has the last lines of its standard error.
        TypeError: the command is a string, or `client` is not a handler of clients.
        ValueError: the command is empty.
        VersionMismatch: the agent speaks another protocol version.
        RequestError: the agent refused `initialize`.
        DecodeError: the response to `initialize` is not valid.
    """
    if not isinstance(agent, AgentCommand):
        agent = AgentCommand(command=checked_command(agent))
    if "on_stderr" not in options:
        options.setdefault("stderr", asyncio.subprocess.PIPE)
    options["env"] = Environment(INHERITED, agent.env).variables(env)
    options["cwd"] = None if cwd is None else os.fspath(cwd)
    signing_in = SigningIn(surface, sign_in, run_in_terminal=run_in_terminal)
    link = Link(agent, client, surface, signing_in, restart, on_restart, on_change, options)
    running = asyncio.create_task(link.run(start_timeout))
    try:
        await link.settled.wait()
        if link.failure is not None:
            raise link.failure
        yield link
    finally:
        running.cancel()
        await uninterrupted(asyncio.wait([running]))


# --- registries ------------------------------------------------------------------------------


def _packaged(runner: str, package: str, version: str, executable: str | None) -> list[str]:
    """Return the command of a package; empty without a package. A missing version is added."""
    if not package:
        return []
    is_pinned = re.search(r".@|[=<>~!]", package) is not None
    if runner == "npx":
        pinned = package if is_pinned or not version else f"{package}@{version}"
        return ["npx", "--yes", pinned]  # otherwise, it waits for the answer to a prompt
    name = re.split(r"[\[@=<>~! ]", package)[0]
    if "@" in package:  # what `--from` does not accept
        package = re.sub(r"@(?=\d)", "==", package).removesuffix("@latest")
    elif not is_pinned and version:
        package = f"{package}=={version}"
    return ["uvx", "--from", package, executable or name]


def _binary(offer: Mapping[str, Any], id: str, folder: str | os.PathLike[str] | None) -> list[str]:
    """Return the command of an installed binary.

    Raises:
        ValueError: the command leaves the folder.
        NotInstalled: there is no folder.
    """
    url, command = text(offer.get("archive")), text(offer.get("cmd"))
    ending = _ARCHIVE.search(url)
    kind = ending[1].lower() if ending else "executable"
    archive = _SHORT.get(kind, kind)
    if folder is None:
        raise NotInstalled(
            f"agent {quotation(id)} is not installed; install {archive} {quotation(url)}, "
            "and pass its `folder`",
            url,
            archive,
        )
    root = os.path.realpath(folder)
    path = os.path.realpath(os.path.join(root, command))
    if not command or os.path.commonpath([root, path]) != root or path == root:
        raise ValueError(f"the command {command!r} of agent {id!r} is not in its folder")
    return [path]


def _platform() -> str:
    """Return the name of this system, as registries have it."""
    name = machine.machine().lower()
    return f"{_SYSTEMS.get(sys.platform, sys.platform)}-{_MACHINES.get(name, name)}"


# --- the lock of the first start -------------------------------------------------------------


async def _lock_start(name: str, held: ExitStack) -> None:
    """Wait until no other program starts an agent; leaving `held` lets another one start it.

    The lock is on a file that exists only while programs hold or await it. Windows removes no open
    file, so it stays there. Without a usable folder, this only logs that there is no lock.
    """
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    path = Path(base or "~/.cache").expanduser() / "acp-bindings" / f"{digest}.lock"
    pause = _FIRST_LOOK
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        while not _try_lock(path, held):
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_LOOK)
    except OSError as error:
        _log.warning("cannot lock %s: %s; starting without a lock", path, error)


def _try_lock(path: Path, held: ExitStack) -> bool:
    with ExitStack() as stack, suppress(FileNotFoundError):
        descriptor = stack.enter_context(locked(path, os.O_CREAT))
        # Another program can have removed the file when it released the lock.
        if descriptor is not None and os.path.samestat(os.fstat(descriptor), os.stat(path)):
            held.push(stack.pop_all())
            held.callback(_remove, path)
            return True
    return False


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
