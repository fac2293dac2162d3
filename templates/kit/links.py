"""Links: persistent connections that restore an agent's sessions after reconnecting.

A task of the `Link` owns the connection. If the connection closes, the task opens another
connection after a pause and restores the open sessions, reusing the session objects. An `Access`
opens the connection: in `launching`, it starts a program, and in `reaching`, it connects to a
server.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic, TypeVar

from ..runtime.aio.peer import Peer
from ..runtime.aio.tasks import uninterrupted
from ..runtime.jsonrpc.errors import (
    AUTHENTICATION_REQUIRED,
    INTERNAL_ERROR,
    CapabilityError,
    ConnectionClosed,
    Exit,
    RequestError,
)
from ..runtime.jsonrpc.handler import advertise, introduction
from ..runtime.jsonrpc.logs import call_back, logger_of
from ..runtime.jsonrpc.method import INITIALIZE
from ..runtime.session.running_calls import activity_of
from ..runtime.values.errors import quotation
from ..runtime.values.unset import UNSET
from .forms import ends_of
from .signing_in import SigningIn

S = TypeVar("S")  # a session
L = TypeVar("L", bound="Link[Any]")

# The methods that restore a session, in order of preference. The value is true if the client must
# retain the session's state: the agent replays the updates when loading but not when resuming.
RETURNING: Final = {"session/resume": True, "session/load": False}

# The pauses between attempts to restore a session, in seconds. The agent might still be using the
# session for the previous connection, since an agent can take a minute to notice a lost connection.
PATIENCE: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)

_log = logger_of(__name__)


class LaunchError(ConnectionClosed):
    """Raised when an agent cannot be started or reached, or its connection is lost too often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartPolicy:
    """The limits for restarting an agent, or for reconnecting to one.

    Attributes:
        limit: the maximum number of consecutive restarts, or 0 to disable restarts. Without a
            limit, an agent that always crashes would use the processor forever.
        first_pause: the pause before the first restart, in seconds. Each later pause is twice as
            long as the previous one, to give the agent or its server time to recover.
        longest_pause: the maximum pause, in seconds. Pauses are limited because a user is waiting.
        settled_after: how long the agent must run before restarts are counted from zero again, in
            seconds.
        start_timeout: the maximum time for a restarted agent to respond to `initialize`, in
            seconds. The agent is already installed, so it should start quickly.
        spread: the random part of each pause, from 0 to 1. Random pauses prevent all clients of a
            server from reconnecting at the same time.
    """

    limit: int = 5
    first_pause: float = 0.5
    longest_pause: float = 30.0
    settled_after: float = 60.0
    start_timeout: float | None = 120.0
    spread: float = 0.0

    def pause(self, number: int) -> float:
        """Return the length of the pause before a restart, in seconds.

        Args:
            number: the number of consecutive restarts, including this one.
        """
        longest = min(self.first_pause * 2.0 ** min(number - 1, 64), self.longest_pause)
        return longest * (1.0 - self.spread * random.random())


@dataclass(slots=True)
class ConnectionEnd:
    """The end of a connection to an agent.

    Attributes:
        ran_for: how long the connection was usable, in seconds, or None if the agent did not start.
        error: the error that kept the agent from starting or closed the connection.
        exit: the exit status of the agent program.
    """

    ran_for: float | None = None
    error: Exception | None = None
    exit: Exit | None = None

    @property
    def reason(self) -> str:
        """The reason why the connection ended, for display."""
        if isinstance(self.error, OSError) and self.error.strerror:
            return self.error.strerror
        return str(self.error or self.exit or "the connection was closed")


class Access:
    """The base class for opening connections to an agent program or server.

    Attributes:
        name: the agent's name, for messages.
        again: the past participle that describes a new connection in messages, such as "started".
        lingers: whether the agent might still be using the previous connection and its sessions
            when the next connection is opened.
    """

    name: str
    again: ClassVar[str]
    lingers: ClassVar[bool] = False

    def connect(self, client: Any) -> AbstractAsyncContextManager[Peer]:
        """Open a connection for a client. Leaving the context closes the connection."""
        raise NotImplementedError

    async def prepare(self, held: ExitStack, timeout: float | None) -> None:
        """Wait until the first connection can be opened.

        Args:
            held: the exit stack that is closed when the agent is initialized.
            timeout: how long to wait, in seconds.

        Raises:
            LaunchError: If the wait times out.
        """

    def explained(self, error: Exception, ending: ConnectionEnd) -> Exception:
        """Return the error to raise if an agent cannot be started or reached.

        Args:
            error: the error that prevented the first connection.
            ending: the end of this connection.
        """
        raise NotImplementedError

    def is_final(self, ending: ConnectionEnd) -> bool:
        """Return whether another attempt would fail for the same reason."""
        return False


class Link(Generic[S]):
    """A persistent connection that restores an agent's open sessions after reconnecting.

    Each surface's `Link` extends this class. For a remote agent, "running" means "connected", and
    "start" means "connect".

    Attributes:
        name: the agent's id, the name of its program, or its URL.
        restarts: the number of restarts so far.
        reason: the reason why the agent last exited or was disconnected, for display, or an empty
            string.
        failure: the reason why the agent will not be restarted, or None if it is running or will be
            restarted.
        settled: an event that is set while the agent is usable or once `failure` is set.
    """

    surface: ClassVar[Any]
    # The form of the update that ends an unfinished entry, by collection of the state; see
    # `ends_of`.
    ends: ClassVar[Mapping[str, Any]]

    def __init__(
        self,
        access: Access,
        client: Any,
        signing_in: SigningIn,
        restart: RestartPolicy,
        on_change: Callable[[Any], object] | None,
    ) -> None:
        """Prepare a link, which `keep` runs."""
        self.name = access.name
        self.restarts = 0
        self.reason = ""
        self.failure: BaseException | None = None
        self.settled = asyncio.Event()
        self._access = access
        self._client = client
        self._signing_in = signing_in
        self._policy = restart
        self._on_change = on_change
        self._peer: Peer | None = None
        self._sessions: dict[str, Any] = {}
        self._wanted = asyncio.Event()  # set to reconnect, for example after a sign-in
        self._signing = asyncio.Lock()  # one sign-in dialog at a time
        self._sign_ins = 0
        self._has_signed_in = False  # during this restart

    @property
    def peer(self) -> Peer:
        """The connection to the running agent.

        Raises:
            ConnectionClosed: If the agent is not running.
        """
        peer = self._peer
        if peer is None or peer.has_ended:
            raise ConnectionClosed("the agent is not running; await `wait_running`")
        return peer

    @property
    def is_running(self) -> bool:
        """True if the agent is running and its sessions are restored."""
        return self._peer is not None and not self._peer.has_ended

    @property
    def sessions(self) -> list[S]:
        """The open sessions, oldest first. The session objects are reused after a restart."""
        self._sessions = {id: each for id, each in self._sessions.items() if not each.is_closed}
        return list(self._sessions.values())

    async def wait_running(self) -> Peer:
        """Wait until the agent is running and its sessions are restored. Return the connection.

        Raises:
            LaunchError: If the agent will not be restarted. The cause is `failure`.
        """
        while not self.is_running:
            if self.failure is not None:
                exit = getattr(self.failure, "exit", None)
                raise LaunchError(str(self.failure), exit=exit) from self.failure
            self.settled.clear()  # `settled` is still set if the connection has just closed
            await self.settled.wait()  # until the agent is usable, or the link gives up or ends
        return self.peer

    async def sign_in(self) -> None:
        """Let the user sign in, for example after a prompt failed with `AUTHENTICATION_REQUIRED`.

        Signing in through a terminal restarts the agent, which ends all open turns.

        Raises:
            SignInRequired: If the user did not sign in.
            RequestError: If the agent rejected the sign-in.
            ConnectionError: If the agent exited in the meantime or will not be restarted.
        """
        if await self._sign_in(await self.wait_running()):
            await self.restart()

    async def restart(self) -> None:
        """Restart the agent, for example after changing its settings, and wait until it is running.

        The restart ends turns but isn't treated as a crash. If the link had given up restarting the
        agent, the agent is started again, and restarts are counted from zero. In this case, load or
        resume the sessions, since they were closed when the link gave up.

        Raises:
            LaunchError: If the agent does not start, or if the link was closed.
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
        """Open a session. If the agent requires a sign-in, let the user sign in first.

        Args:
            call: the function that opens the session, such as `ClientSession.create`.
            params: the request params.

        Raises:
            SignInRequired: If the user did not sign in.
            RequestError: If the agent rejected the request.
            ConnectionError: If the agent exited in the meantime or will not be restarted.
        """
        seen = self._sign_ins
        try:
            session = await call(await self.wait_running(), params)
        except RequestError as error:
            if error.code != AUTHENTICATION_REQUIRED:
                raise
            async with self._signing:
                if self._sign_ins == seen:  # otherwise, the user has signed in for another session
                    await self.sign_in()
            session = await call(await self.wait_running(), params)
        self._sessions[session.session_id] = session
        opened: S = session
        return opened

    async def _sign_in(self, peer: Peer) -> bool:
        must_restart = await self._signing_in.sign_in(peer)
        self._sign_ins += 1
        return must_restart

    # --- the task that owns the connection ---------------------------------------------------

    async def run(self, start_timeout: float | None) -> None:
        """Keep the agent running until this task is cancelled or the first start fails.

        Args:
            start_timeout: the maximum time for the first start, in seconds, or None for no limit.
        """
        try:
            with ExitStack() as held:
                await self._access.prepare(held, start_timeout)
                ending = await self._run_once(start_timeout, on_initialized=held.close)
            if ending.ran_for is None:
                assert ending.error is not None
                raise self._access.explained(ending.error, ending)
            number, again = 0, self._access.again
            while True:
                if (ending.ran_for or 0.0) >= self._policy.settled_after:
                    number = 0
                is_final = number == self._policy.limit or self._access.is_final(ending)
                if is_final and not self._wanted.is_set():
                    self._fail(ending, number)
                    await self._wanted.wait()  # until `restart` is called or the link is closed
                if self._wanted.is_set():
                    number = 0
                else:
                    number += 1
                    self.restarts += 1
                    _log.warning("lost the agent: %s; it will be %s again", self.reason, again)
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

    async def _run_once(
        self, timeout: float | None, on_initialized: Callable[[], object] = lambda: None
    ) -> ConnectionEnd:
        """Open a connection and use it until it closes or another connection is requested."""
        loop = asyncio.get_running_loop()
        ending = ConnectionEnd()
        peer: Peer | None = None
        try:
            async with self._access.connect(self._client) as peer:
                await peer.initialize(self._introduction(peer), timeout=timeout)
                on_initialized()
                if await self._bring_back(peer):
                    self._wanted.set()
                else:
                    begun = loop.time()
                    self._has_signed_in = False
                    self._use(peer)
                    await peer.wait_ended()  # or until `restart` closes the connection
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
        assert peer.handler is not None  # None only if a function chooses the handler later
        stated = introduction(peer.handler)
        capability = self.surface.FACTS.terminal_sign_in
        if capability is None or not self._signing_in.can_run_in_terminal:
            return stated
        data = self.surface.encode(stated)
        advertise(data, capability)
        return self.surface.decode(self.surface.AGENT_METHODS[INITIALIZE].params, data)

    # --- the sessions ------------------------------------------------------------------------

    def _end_work(self, session: Any) -> None:
        """Apply updates that end unfinished work, since the agent can no longer send them."""
        facts, state, activity = self.surface.FACTS, session.state, activity_of(session.state)
        updates = ends_of(state, self.ends)
        if activity is not None and not isinstance(activity, session._idle):
            updates.append(facts.idle)
        for update in updates:
            state.apply(self.surface.decode(self.surface.TYPES[facts.updates], update))

    async def _bring_back(self, peer: Peer) -> bool:
        """Restore the sessions. Return whether the agent must be restarted after a sign-in."""
        for session in self.sessions:
            try:
                if await self._bring_back_patiently(peer, session):
                    return True
            except ConnectionClosed:
                raise
            except Exception as error:
                self._give_up(session, f"the agent did not restore it: {error}")
        return False

    async def _bring_back_patiently(self, peer: Peer, session: Any) -> bool:
        """Restore a session. Retry while the lost connection might still be using the session."""
        pauses = iter(PATIENCE if self._access.lingers else ())
        while True:
            try:
                return await self._bring_back_one(peer, session)
            except RequestError as error:
                pause = next(pauses, None)
                if error.code != INTERNAL_ERROR or pause is None:
                    raise
            await asyncio.sleep(pause)

    async def _bring_back_one(self, peer: Peer, session: Any) -> bool:
        client: Any = peer.handler
        known = self.surface.AGENT_METHODS
        methods = [known[name] for name in RETURNING if name in known]
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
        keeps_state = RETURNING[method.name]
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
        self._close(session, reason)
        _log.warning("closing session %s: %s", quotation(session.session_id), reason)

    def _close(self, session: Any, reason: str) -> None:
        session._mark_closed(reason)
        session.client.forget(session.session_id)

    def _fail(self, ending: ConnectionEnd, number: int) -> None:
        is_last = number == self._policy.limit > 0
        attempts = f", after {number} attempts in a row" if is_last else ""
        not_again = f"agent {quotation(self.name)} is not {self._access.again} again"
        self.failure = LaunchError(f"{not_again}{attempts}: {ending.reason}", exit=ending.exit)
        if self.sessions:
            _log.warning("closing %d sessions: %s", len(self.sessions), self.failure)
        self.failure.__cause__ = ending.error
        self._end_sessions()

    def _end_sessions(self) -> None:
        """Close the sessions, since the agent will not be restarted."""
        for session in self.sessions:
            self._close(session, str(self.failure))
        self.settled.set()
        self._report_change()


@asynccontextmanager
async def keep(link: L, start_timeout: float | None) -> AsyncGenerator[L]:
    """Run a link. Leaving the context closes the link's connection.

    Args:
        link: the link.
        start_timeout: the maximum time for the first start, in seconds, or None for no limit.

    Raises:
        Exception: If the agent cannot be started or reached.
    """
    running = asyncio.create_task(link.run(start_timeout))
    try:
        await link.settled.wait()  # until the first start succeeds or fails
        if link.failure is not None:
            raise link.failure
        yield link
    finally:
        running.cancel()
        await uninterrupted(asyncio.wait([running]))
