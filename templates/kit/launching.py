"""Launching: starts an agent, keeps it running, and brings its sessions back after a crash.

`launch` starts the agent of an `AgentCommand` and gives a `Link` to it. A task of the link owns the
connection: when the agent ends, it starts another one after a pause, and the open sessions continue
in the same objects.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, TypeVar

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
from ..runtime.jsonrpc.method import INITIALIZE
from ..runtime.session.running_calls import FINISHED, activity_of
from ..runtime.values.errors import quotation
from ..runtime.values.unset import UNSET
from .disk import locked
from .forms import fill
from .registry import AgentCommand
from .signing_in import AskSignIn, RunInTerminal, SigningIn
from .terminals import VARIABLES, Environment

S = TypeVar("S")  # a session
L = TypeVar("L", bound="Link[Any]")

# The variables of this program that an agent gets: those of its commands, and those with which it
# opens a browser, uses the keys of the user and reaches its server.
INHERITED: tuple[str, ...] = (
    *(*VARIABLES, "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK"),
    *("*_PROXY", "*_proxy", "NODE_EXTRA_CA_CERTS", "NVM_*", "VOLTA_HOME"),
)
# The products that contain the package runners.
_PRODUCTS: Final = {"npx": "Node.js", "bunx": "Bun", "uvx": "uv"}
# What users can do about a package that a runner does not start, by its standard error.
_REMEDIES: Final = {
    r"\bETARGET\b|\bE404\b|No matching version|no version of": (
        "there is no such version of the package, or a minimum age for packages hides it; choose "
        "another version"
    ),
    r"npm.*\b(ENOTEMPTY|EINTEGRITY)\b|[/\\]_npx[/\\]": (
        "the cache of npx can be damaged; remove the folder `_npx` in the folder that "
        "`npm config get cache` prints, and try again"
    ),
}
# The methods that bring a session back, the preferred one first, and whether the state is kept:
# loading replays the conversation, resuming does not.
_RETURNING: Final = {"session/resume": True, "session/load": False}
# How long the pauses are between two attempts to get a lock, in seconds: nothing reports its end.
_FIRST_LOOK, _LONGEST_LOOK = 0.02, 1.0

_log = logger_of(__name__)


class LaunchError(ConnectionClosed):
    """Raised when the agent does not start, or ended too often to be started again."""


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


RESTARTS: Final = RestartPolicy()


@dataclass(slots=True)
class _Ending:
    """How a process of the agent ended.

    Attributes:
        ran_for: how long it could be used, in seconds; None if it did not start.
        error: the error of its start, or of its end.
        exit: how its program ended.
    """

    ran_for: float | None = None
    error: Exception | None = None
    exit: Exit | None = None

    @property
    def reason(self) -> str:
        """Why it ended, in words."""
        if isinstance(self.error, OSError) and self.error.strerror:
            return self.error.strerror
        return str(self.error or self.exit or "the connection was closed")


class Link(Generic[S]):
    """An agent that is kept running, and its open sessions: the base of the links of the surfaces.

    Attributes:
        command: the command of the agent.
        restarts: how many times the agent was started again after it ended.
        reason: why it ended last, in words; empty before.
        failure: why the agent is not started again; None while it is.
        settled: set while the agent can be used, and while it is not started again.
    """

    # The surface, and the updates that end what an agent was doing, by the state's collection.
    surface: ClassVar[Any]
    ends: ClassVar[Mapping[str, Any]]

    def __init__(
        self,
        command: AgentCommand,
        client: Any,
        signing_in: SigningIn,
        restart: RestartPolicy,
        on_change: Callable[[Any], object] | None,
        options: Mapping[str, Any],
    ) -> None:
        """Prepare a link; `launch` makes and runs it."""
        self.command = command
        self.restarts = 0
        self.reason = ""
        self.failure: BaseException | None = None
        self.settled = asyncio.Event()
        self._client = client
        self._signing_in = signing_in
        self._policy = restart
        self._on_change = on_change
        self._options = options
        self._peer: Peer | None = None
        self._sessions: dict[str, Any] = {}
        self._wanted = asyncio.Event()  # another process, such as after a sign-in
        self._signing = asyncio.Lock()  # one dialog at a time; a user ends it
        self._sign_ins = 0
        self._has_signed_in = False  # during this restart

    @property
    def peer(self) -> Peer:
        """The connection to the agent that runs now.

        Raises:
            ConnectionClosed: If the agent does not run.
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
    def sessions(self) -> list[S]:
        """The open sessions, oldest first. After a restart, they are the same objects."""
        self._sessions = {id: each for id, each in self._sessions.items() if not each.is_closed}
        return list(self._sessions.values())

    async def wait_running(self) -> Peer:
        """Wait until the agent runs and its sessions are back, and return the connection.

        The wait ends with the restarts: after the last one, `failure` is raised.

        Raises:
            LaunchError: If the agent is not started again.
        """
        while not self.is_running:
            if self.failure is not None:
                raise LaunchError(str(self.failure), exit=getattr(self.failure, "exit", None))
            self.settled.clear()  # it can have ended a moment ago
            await self.settled.wait()  # ends with a start, the last restart, or the link
        return self.peer

    async def sign_in(self) -> None:
        """Let the user sign in, such as after a prompt failed with `AUTHENTICATION_REQUIRED`.

        After a sign-in in a terminal, the agent is started again. That ends turns.

        Raises:
            SignInRequired: If the sign-in did not take place.
            RequestError: If the agent refused.
            ConnectionError: If the agent ended meanwhile, or is not started again.
        """
        if await self._sign_in(await self.wait_running()):
            await self.restart()

    async def restart(self) -> None:
        """Start the agent again, such as after its settings changed, and wait until it runs.

        That ends turns. It does not count as a crash. An agent that ended too often is started
        again, and its restarts are counted from zero. Its sessions were closed and stay so; load
        or resume them.

        Raises:
            LaunchError: If the agent does not start, or the link was closed.
        """
        try:
            await self.wait_running()
        except LaunchError:
            if not isinstance(self.failure, LaunchError):  # the link was closed
                raise
            self.failure = None
            self._report_change()
        self._wanted.set()
        if self._peer is not None:
            await self._peer.close()
        await self.wait_running()

    # --- opening -----------------------------------------------------------------------------

    async def _open(self, call: Callable[[Peer, Any], Awaitable[Any]], params: Any) -> S:
        """Open a session. If the agent requires a sign-in, the user chooses how, and it is opened.

        Args:
            call: opens it, such as `ClientSession.create`.
            params: the params of the request.

        Raises:
            SignInRequired: If the agent requires a sign-in that did not take place.
            RequestError: If the agent refused.
            ConnectionError: If the agent ended meanwhile, or is not started again.
        """
        seen = self._sign_ins
        try:
            session = await call(await self.wait_running(), params)
        except RequestError as error:
            if error.code != AUTHENTICATION_REQUIRED:
                raise
            async with self._signing:
                if self._sign_ins == seen:  # otherwise, another session was the occasion
                    await self.sign_in()
            session = await call(await self.wait_running(), params)
        self._sessions[session.session_id] = session
        opened: S = session
        return opened

    async def _sign_in(self, peer: Peer) -> bool:
        env, cwd = self._options["env"], self._options["cwd"]
        must_restart = await self._signing_in.sign_in(peer, self.command.command, env, cwd)
        self._sign_ins += 1
        return must_restart

    # --- the task that owns the connection ---------------------------------------------------

    async def run(self, start_timeout: float | None) -> None:
        """Keep the agent running until this task is cancelled, or it does not start at all.

        Args:
            start_timeout: how long the first start can take, in seconds.
        """
        try:
            ending = await self._run_first(start_timeout)
            if ending.ran_for is None:
                raise self._explained(ending)
            number = 0
            while True:
                if (ending.ran_for or 0.0) >= self._policy.settled_after:
                    number = 0
                if not self._wanted.is_set() and number == self._policy.limit:
                    self._fail(ending)
                    await self._wanted.wait()  # ends with `restart`, or with the link
                if self._wanted.is_set():
                    number = 0
                else:
                    number += 1
                    self.restarts += 1
                    _log.warning("the agent ended: %s; starting it again", self.reason)
                    await asyncio.sleep(self._policy.pause(number))
                self._wanted.clear()
                ending = await self._run_once(self._policy.start_timeout)
        except Exception as error:
            self.failure = error
        except asyncio.CancelledError:
            self.failure = ConnectionClosed("the link was closed")
            raise
        finally:
            self._end_sessions()

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

    async def _run_once(
        self, timeout: float | None, on_initialized: Callable[[], object] = lambda: None
    ) -> _Ending:
        """Run the agent once, until it ends or another process is wanted."""
        loop = asyncio.get_running_loop()
        ending = _Ending()
        peer: Peer | None = None
        try:
            async with connect_stdio(self.command.command, self._client, **self._options) as peer:
                await peer.initialize(self._introduction(peer), timeout=timeout)
                on_initialized()
                if await self._bring_back(peer):
                    self._wanted.set()
                else:
                    begun = loop.time()
                    self._has_signed_in = False
                    self._use(peer)
                    await peer.wait_ended()  # the agent, or the connection by `restart`
                    ending.ran_for = loop.time() - begun
        except Exception as error:
            ending.error = error
        finally:
            for session in self.sessions:
                self._end_work(session)
            exit = getattr(ending.error, "exit", None)
            ending.exit = peer.exit if exit is None and peer is not None else exit
            self.reason = ending.reason
            self._use(None)
        return ending

    def _use(self, peer: Peer | None) -> None:
        is_other = peer is not self._peer
        self._peer = peer
        if peer is None:
            self.settled.clear()
        else:
            self.settled.set()
        if is_other:
            self._report_change()

    def _report_change(self) -> None:
        if self._on_change is not None:
            call_back(self._on_change, self, what="on_change", log=_log)

    def _introduction(self, peer: Peer) -> Any:
        assert peer.handler is not None  # there is a single one
        stated = introduction(peer.handler)
        capability = self.surface.FACTS.terminal_sign_in
        if capability is None or not self._signing_in.can_run_in_terminal:
            return stated
        data = self.surface.encode(stated)
        advertise(data, capability)
        return self.surface.decode(self.surface.AGENT_METHODS[INITIALIZE].params, data)

    # --- the sessions ------------------------------------------------------------------------

    def _end_work(self, session: Any) -> None:
        """Report the end of what the agent was doing: a process that it starts does not do that."""
        facts, state, activity = self.surface.FACTS, session.state, activity_of(session.state)
        updates = [
            fill(form, {"id": key})
            for collection, form in self.ends.items()
            for key, entry in getattr(state, collection).items()
            if not (getattr(entry, "exit_status", None) or getattr(entry, "status", "") in FINISHED)
        ]
        if activity is not None and not isinstance(activity, session._idle):
            updates.append(facts.idle)
        for update in updates:
            state.apply(self.surface.decode(self.surface.TYPES[facts.updates], update))

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
        return False

    async def _bring_back_one(self, peer: Peer, session: Any) -> bool:
        client: Any = peer.handler
        known = self.surface.AGENT_METHODS
        methods = [known[name] for name in _RETURNING if name in known]
        usable = (
            each
            for each in methods
            if each.capability is None or each.capability.is_advertised(peer.advertised)
        )
        method = next(usable, None)
        if method is None:
            raise CapabilityError(methods[-1].name, methods[-1].capability.pointer)
        params = method.params(
            session_id=session.session_id,
            cwd=session.cwd,
            mcp_servers=session.mcp_servers,
            additional_directories=session.additional_directories or UNSET,
        )
        keeps_state = _RETURNING[method.name]
        try:
            await client.bring_back(session, method, params, keeps_state=keeps_state)
        except RequestError as error:
            if error.code != AUTHENTICATION_REQUIRED or self._has_signed_in:
                raise
            self._has_signed_in = True
            if await self._sign_in(peer):
                return True
            await client.bring_back(session, method, params, keeps_state=keeps_state)
        return False

    def _give_up(self, session: Any, reason: str) -> None:
        session._mark_closed(reason)
        session.client.forget(session.session_id)
        _log.warning("session %s is closed: %s", quotation(session.session_id), reason)

    def _fail(self, ending: _Ending) -> None:
        again = f", after {self._policy.limit} restarts in a row" if self._policy.limit else ""
        name = quotation(self.command.name)
        self.failure = LaunchError(
            f"agent {name} is not started again{again}: {ending.reason}", exit=ending.exit
        )
        self._end_sessions()

    def _end_sessions(self) -> None:
        """Close the sessions, since the agent is not started again."""
        for session in self.sessions:
            self._give_up(session, str(self.failure))
        self.settled.set()
        self._report_change()

    def _explained(self, ending: _Ending) -> Exception:
        """Return the error of an agent that does not start, with a remedy if one is known."""
        error, runner = ending.error, self.command.runner
        if not isinstance(error, OSError):
            return error or ConnectionClosed(ending.reason)
        advice = ""
        if runner is not None and isinstance(error, FileNotFoundError):
            advice = f"; {runner} comes with {_PRODUCTS[runner]}"
        elif runner is not None and ending.exit is not None:
            lines = "\n".join(ending.exit.stderr)
            remedies = (remedy for cause, remedy in _REMEDIES.items() if re.search(cause, lines))
            advice = "".join(f"\n{remedy}" for remedy in remedies)
        name = quotation(self.command.name)
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
    """Start an agent and keep it running. Leaving the context ends it, with all its processes.

    When the agent ends by itself, turns end with an error, and the agent is started again after a
    pause. Its open sessions are resumed, or else loaded. They stay the same objects. A session that
    the agent refuses is closed, and its `closed_reason` says why. So are all of them when the agent
    is not started again, and when the context is left.

    The first start of an agent that a package runner may have to download, such as `npx`, waits
    for other programs that start the same agent: together, they could damage the runner's cache.

    Args:
        agent: the program and its arguments, or an `AgentCommand`.
        client: the handler of the connection: a class that extends `SessionClient` of the surface,
            which is called for each process of the agent; or an object, which outlives them.
        link: the class of links of the client's surface.
        env: variables to add to the environment of the agent, such as an API key. It gets no other
            variables of this program than `INHERITED`, since they can be secrets.
        cwd: the working directory of the agent; by default, that of this process.
        restart: when the agent is started again.
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
        LaunchError: If the agent does not start. The text has the last lines of its standard error.
        TypeError: If the command is a string, or `client` is not a handler of clients.
        ValueError: If the command is empty.
        VersionMismatch: If the agent speaks another protocol version.
        RequestError: If the agent refused `initialize`.
        DecodeError: If the response to `initialize` is not valid.
    """
    if not isinstance(agent, AgentCommand):
        agent = AgentCommand(command=checked_command(agent))
    if "on_stderr" not in options:
        options.setdefault("stderr", asyncio.subprocess.PIPE)
    options["env"] = Environment(INHERITED, agent.env).variables(env)
    options["cwd"] = None if cwd is None else os.fspath(cwd)
    signing_in = SigningIn(link.surface, sign_in, run_in_terminal)
    made = link(agent, client, signing_in, restart, on_change, options)
    running = asyncio.create_task(made.run(start_timeout))
    try:
        await made.settled.wait()  # ends with the first start
        if made.failure is not None:
            raise made.failure
        yield made
    finally:
        running.cancel()
        await uninterrupted(asyncio.wait([running]))


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
            await asyncio.sleep(pause)  # ends with the start of the other program, or its process
            pause = min(pause * 2, _LONGEST_LOOK)
    except OSError as error:
        _log.warning("cannot lock %s: %s; starting without a lock", path, error)


def _try_lock(path: Path, held: ExitStack) -> bool:
    with ExitStack() as stack, suppress(FileNotFoundError):
        descriptor = stack.enter_context(locked(path, os.O_CREAT))
        # Another program can have removed the file when it released the lock.
        if descriptor is not None and os.path.samestat(os.fstat(descriptor), os.stat(path)):
            held.push(stack.pop_all())
            held.enter_context(suppress(OSError))  # of the removal, before the lock ends
            held.callback(path.unlink)
            return True
    return False
