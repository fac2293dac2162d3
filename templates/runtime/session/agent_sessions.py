"""The sessions of an agent: opening them, listing them, and keeping them between connections.

Rules:

1. The client learns of a new session from the response to the request that opens it. Until this
   response is sent, messages about the session are held back. If the request fails, all sessions
   that its handler opened are ended (`_Opening`).
2. At most `Limits.sessions` sessions can be open. The sessions are listed in the order in which
   they were opened, in pages of `_PAGE` sessions.
3. A request that contains values of an unknown kind or requires an unadvertised capability is
   rejected, and its handler is not called (`handle`).
4. When the connection closes, its sessions end. If the agent keeps the sessions, only their
   resources are freed. The connection is closed only after these steps (`_end_connection`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any, ClassVar, Final, Generic, TypeAlias, TypeVar, cast

from ..aio.peer import Peer
from ..aio.streams import GRACE
from ..jsonrpc.errors import RequestError
from ..jsonrpc.handler import Handler, not_advertised
from ..jsonrpc.limits import DEFAULT
from ..jsonrpc.method import INITIALIZE, Method
from ..values.record import Record, Unknown, members
from ..values.unset import UNSET, UnsetType
from .agent import AgentSession
from .classes import require_initialized
from .copying import deep_copy
from .ending import Ending, Step
from .message import new_id

A = TypeVar("A")  # the result of a handler
S = TypeVar("S", bound="AgentSession[Any, Any, Any, Any, Any, Any]")

_Session: TypeAlias = AgentSession[Any, Any, Any, Any, Any, Any]

# The number of sessions on one page of a list.
_PAGE: Final = 100


# The session request being handled, by the current task or by the handler that started it.
_current: ContextVar[_Opening | None] = ContextVar("_current", default=None)


class _Opening:
    """The processing of a request that opens, loads or resumes a session.

    Attributes:
        is_over: whether the response was sent.
        agent: the agent.
    """

    def __init__(self, agent: AgentSessions[Any], params: Any, *, is_new: bool) -> None:
        self.is_over = False
        self.agent = agent
        self._params = params
        self._is_new = is_new
        self._made: list[_Session] = []
        self._named: list[_Session] = []
        self._before: _Opening | None = None
        self._request = agent.peer.handled_request if agent.has_peer else None
        if self._request is not None:
            agent.peer.when_responded(self._request, self.end)

    @property
    def has_response(self) -> bool:
        """True if a response will be sent to the request, so that `end` will be called."""
        return self._request is not None

    def __enter__(self) -> None:
        self._before = _current.get()
        _current.set(self)

    def __exit__(self, *_: object) -> None:
        # Don't use `reset`, which fails if a dropped handler is closed in another context.
        _current.set(self._before)

    def add_made(self, session: _Session) -> None:
        """Add a session that the handler opened."""
        session.settle_in(self._params)
        self._made.append(session)
        self.name(session)

    def has_made(self, session_id: str) -> bool:
        """Return whether the handler opened the session with this id."""
        return any(session.session_id == session_id for session in self._made)

    def name(self, session: _Session) -> None:
        """Mark a session as known, and hold back its messages if the request opens the session."""
        session.is_known = True
        if self._is_new:
            self._named.append(session)
            if self._request is not None:
                self.agent.peer.hold(self._request, session.session_id)

    def end(self, is_result: bool) -> None:
        """Mark the request as complete once its response is sent.

        If the response is an error, end the new sessions.
        """
        self.is_over = True
        named, self._named = self._named, []
        made, self._made = self._made, []
        if not is_result:
            for session in named:
                session.is_known = False
            for session in made:
                self.agent.drop(session)


class AgentSessions(Handler, Generic[S]):
    """Base class of the generated agents that manage sessions.

    An agent can be used without a connection. Updates then only change the state. An agent can also
    have several connections, one after another.

    Attributes:
        sessions: the open sessions, by id.
        keep_sessions: whether sessions stay open for a later connection when the connection closes;
            see `AgentSession.ended`. By default, they stay open if the connection was created with
            an agent object, as in `serve(stream, agent)`, and end if it was created with the agent
            class.
        keep_state: whether sessions retain their entire state, for `replay`, or only the parts that
            the next update depends on.
        queue_prompts: whether a prompt that arrives during a turn waits for the turn to end.
            Otherwise, the prompt is rejected.
        accepts: the classes of unknown values that the agent can process, such as
            `v2.UnknownContentBlock`. Requests that contain other unknown values are rejected.
        check_capabilities: whether the stub `client` and the sessions reject calls if the client
            didn't advertise the required capability; see `Stub`.
    """

    keep_sessions: bool | None = None
    keep_state: bool = True
    queue_prompts: bool = True
    accepts: tuple[type[Unknown], ...] = ()
    check_capabilities: bool = True
    # The method that starts a turn, then the methods that open sessions, the methods that load or
    # resume sessions, and the methods that close or delete sessions.
    _prompt: ClassVar[Method[Any, Any]]
    _openers: ClassVar[tuple[Method[Any, Any], ...]] = ()
    _loaders: ClassVar[tuple[Method[Any, Any], ...]] = ()
    _enders: ClassVar[tuple[Method[Any, Any], ...]] = ()
    # Whether the protocol requires agents to reject requests for unadvertised capabilities.
    _refuses_unadvertised: ClassVar[bool] = False

    def __init__(self, peer: Peer | None = None) -> None:
        """Create an agent that has no sessions yet.

        Args:
            peer: the connection to the client; None if the agent is connected later or not at all.
        """
        super().__init__(peer)
        self.sessions: dict[str, S] = {}
        self._peer = peer
        self._is_connected = False
        self._introduced: Any = None  # the `initialize` result
        self._opened = 0  # the number of sessions opened so far
        self._tasks: set[asyncio.Task[None]] = set()
        self._endings: set[Ending] = set()

    # --- the connection ----------------------------------------------------------------------

    @property
    def has_peer(self) -> bool:
        """True if the agent has or had a connection."""
        return self._peer is not None

    @property
    def peer(self) -> Peer:
        """The connection to the client.

        Raises:
            RuntimeError: If the agent has no connection.
        """
        if self._peer is None:
            raise RuntimeError("the agent has no connection; pass it to serve or serve_stdio")
        return self._peer

    def connected(self, peer: Any) -> Awaitable[None] | None:
        """Begin a connection. An agent can have several connections, one after another.

        Raises:
            RuntimeError: If the agent already has a connection.
            TypeError: If a subclass does not call the `__init__` of this class.
        """
        require_initialized(self, "_peer")
        if self._is_connected and self._peer is not peer:
            raise RuntimeError(
                "the agent already has a connection; for several connections, pass its class"
            )
        self._peer = peer
        self._is_connected = True
        for session in self.sessions.values():
            session.begin_connection()
        peer.at_end(partial(self._end_connection, peer))
        return super().connected(peer)

    def disconnected(self) -> Awaitable[None] | None:
        self._is_connected = False
        self._introduced = None
        return super().disconnected()

    # --- stored sessions ---------------------------------------------------------------------

    def recorded(self, session: S, update: Any) -> None:
        """Record a change to a session's state, for example in a file. Override this method.

        `AgentSession.recorded` calls this method.

        Args:
            session: the session.
            update: the update that makes the change. The program can modify the update after this
                method returns, so keep a copy of the update instead of the update itself.
        """

    def restore(self, session_id: str) -> Any:
        """Return a session's stored state. Override this method, which can be `async`.

        If a client requests a session that is not open, this method is called before the request's
        handler, such as `session_resume`. If this method returns a state, the session is already
        open with this state when the handler is called. By default, no sessions are stored.

        Args:
            session_id: the session's id, as sent by the client.

        Returns:
            The recorded updates, in order, or a `SessionState`; None if the session isn't stored.
        """
        return None

    @property
    def is_recording(self) -> bool:
        """True if `recorded` is overridden."""
        base: Any = AgentSessions
        return type(self).recorded is not base.recorded

    @property
    def is_restoring(self) -> bool:
        """True if `restore` is overridden."""
        base: Any = AgentSessions
        return type(self).restore is not base.restore

    async def _restore(self, session_id: str) -> None:
        stored = self.restore(session_id)
        if hasattr(stored, "__await__"):
            stored = await stored
        if stored is None:
            return
        is_open = session_id in self.sessions  # another request might have opened it
        session = self.open(session_id)
        if not is_open:
            session.bring_back(stored)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task. The task is cancelled when the agent's connection, if any, closes."""
        if self._peer is not None:
            return self._peer.spawn(work)
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # --- sessions ----------------------------------------------------------------------------

    def open(self, session_id: str | None = None) -> S:
        """Open a session. If a session with this id is already open, return it unchanged.

        Args:
            session_id: the session's id; by default, a new id.

        Raises:
            RequestError: If too many sessions are open; see `Limits`.
            TypeError: If a subclass of this class, or of the session class, doesn't call the
                `__init__` of its base class.
        """
        require_initialized(self, "_peer")
        name = new_id() if session_id is None else session_id
        if name not in self.sessions:
            limit = (DEFAULT if self._peer is None else self._peer.limits).sessions
            if len(self.sessions) >= limit:
                text = f"{limit} sessions are already open (limit `sessions`); close one"
                raise RequestError.internal_error(message=text)
            session = self._make(name)
            require_initialized(session, "agent", "agent, session_id")
            self._opened += 1
            session.number = self._opened
            self.sessions[name] = session
            if (opening := self._opening()) is not None:
                opening.add_made(session)
        return self.sessions[name]

    def hold_back(self, session: _Session) -> None:
        """Hold back a session's messages if the current task is opening the session."""
        if (opening := self._opening()) is not None:
            opening.name(session)

    def _opening(self) -> _Opening | None:
        """Return the session request that the current task handles, unless it has a response."""
        opening = _current.get()
        if opening is None or opening.is_over or opening.agent is not self:
            return None
        return opening

    def _make(self, session_id: str) -> S:
        raise NotImplementedError

    def session(self, session_id: str) -> S:
        """Return the open session with the given id.

        Raises:
            RequestError: If there is no such session.
        """
        session = self.sessions.get(session_id)
        if session is None:
            raise RequestError.resource_not_found({"sessionId": session_id}, "session not found")
        return session

    async def end_session(self, session_id: str) -> None:
        """Cancel a session's turns and end the session; see `AgentSession.ended`.

        Unknown sessions are ignored.
        """
        session = self.sessions.get(session_id)
        if session is not None:
            self.drop(session)
            await session.end()

    def drop(self, session: _Session, *, is_lost: bool = False) -> None:
        """Remove a session and start ending it.

        Args:
            session: the session.
            is_lost: whether the connection closed.
        """
        if self.sessions.get(session.session_id) is session:
            del self.sessions[session.session_id]
        session.begin_end(is_lost=is_lost)

    def make_ending(self, session: _Session, steps: Sequence[Step]) -> Ending:
        """Create the object that ends a session.

        The connection stays open until the session has ended.
        """
        grace = GRACE if self._peer is None else self._peer.grace
        ending = Ending(
            session.session_id, steps, grace, self._is_worth_logging, self._endings.discard
        )
        self._endings.add(ending)
        return ending

    def _is_worth_logging(self, error: BaseException) -> bool:
        return self._peer is None or self._peer.is_worth_logging(error)

    async def _end_connection(self, peer: Peer) -> None:
        """When the connection closes, end its sessions, or free the resources of kept sessions."""
        keeps = peer.is_given_object if self.keep_sessions is None else self.keep_sessions
        # If the agent's next connection has already begun, the sessions belong to that connection.
        for session in list(self.sessions.values()) if self._peer is peer else ():
            if keeps:
                session.begin_release()
            else:
                self.drop(session, is_lost=True)
        # Ending one session can cause others to end.
        while endings := [ending for ending in self._endings if ending.is_in_this_loop]:
            for ending in endings:
                ending.hurry(peer.grace)
            await asyncio.wait([ending.task for ending in endings])

    def page(
        self, cwd: str | UnsetType | None = UNSET, cursor: str | UnsetType | None = UNSET
    ) -> tuple[Sequence[S], str | UnsetType]:
        """Return a page of the open sessions, in the order in which they were opened.

        Args:
            cwd: the working directory of the sessions to list; by default, all sessions are listed.
            cursor: the cursor returned with the previous page; by default, the first page is
                returned.

        Returns:
            The sessions, and the cursor for the next page if there is one.

        Raises:
            RequestError: If the cursor wasn't returned with an earlier page.
        """
        # A cursor is the number of the last session listed, so it stays valid when sessions end.
        listed = [s for s in self.sessions.values() if not cwd or s.cwd == cwd]
        first = 0
        if cursor:
            # The client can send any text, even thousands of digits.
            is_ours = cursor.isascii() and cursor.isdecimal() and len(cursor) < 20
            if not is_ours or not 0 < int(cursor) <= self._opened:
                raise RequestError.invalid_params({"cursor": cursor}, "unknown cursor")
            first = int(cursor)
        after = [session for session in listed if session.number > first]
        page = after[:_PAGE]
        return page, str(page[-1].number) if len(after) > _PAGE else UNSET

    # --- handling ----------------------------------------------------------------------------

    def handle(self, method: Method[Any, Any], params: Any) -> Coroutine[Any, Any, Any]:
        """Call the Python method for a message. From this call on, a prompt can be cancelled.

        Raises:
            RequestError: If the params contain values of an unknown kind or require an unadvertised
                capability, or if a prompt arrives during a turn and `queue_prompts` is false.
        """
        if method.kind == "request" and method.name != INITIALIZE:
            self._refuse_unknown(params)
            self._refuse_unadvertised(method, params)
        if method in self._openers or method in self._loaders:
            return self._open(method, params)
        session = self._named_by(params)
        if session is None:
            handling = super().handle(method, params)
            return self._introduce(handling) if method.name == INITIALIZE else handling
        session.is_known = True
        if method is self._prompt:
            if session.has_turns and not self.queue_prompts:
                raise RequestError.invalid_request(message="the session has a running turn")
            return session.announce(super().handle(method, params))
        handling = super().handle(method, params)
        if method in self._enders:
            return self._end(session, handling)
        if session.state.has_implied_updates(method.name):
            return self._note(session, method, params, handling)
        return handling

    def _refuse_unknown(self, params: Any) -> None:
        for value in _parts(params):
            if isinstance(value, Unknown) and not isinstance(value, self.accepts):
                name = type(value).__name__.removeprefix("Unknown")
                text = f"invalid params: the agent does not support this kind of {name}"
                raise RequestError.invalid_params({"found": value.tag}, text)

    def _refuse_unadvertised(self, method: Method[Any, Any], params: Any) -> None:
        if self._introduced is None or not self._refuses_unadvertised:
            return
        for need in method.needs:
            is_refused = need.refuses(params, self._introduced) is not None
            if is_refused and (self._peer is None or self._peer.defines(need)):
                raise not_advertised(self.side, need.capability)

    def _named_by(self, params: Any) -> S | None:
        """Return the open session that the params refer to, if any."""
        return self.sessions.get(getattr(params, "session_id", None))  # type: ignore[arg-type]

    async def _introduce(self, handling: Coroutine[Any, Any, A]) -> A:
        """Store the `initialize` result, since it can advertise less than the class supports."""
        self._introduced = result = await handling
        return result

    async def _open(self, method: Method[Any, Any], params: Any) -> Any:
        """Process a request that opens, loads or resumes a session."""
        opening = _Opening(self, params, is_new=method in self._openers)
        is_done = False
        try:
            before = self._named_by(params)
            if before is not None:
                before.is_known = True
                if method in self._loaders:
                    before.settle_in(params)  # done first: the handler might need the setup
            with opening:
                if before is None and method in self._loaders and self.is_restoring:
                    await self._restore(params.session_id)
                result = await super().handle(method, params)
            session_id: Any = getattr(result, "session_id", None)
            session_id = session_id or getattr(params, "session_id", None)
            if session_id is None:
                wanted = f"return a {cast(type, method.result).__name__}"
                remedy = "await it" if hasattr(result, "__await__") else wanted
                raise TypeError(f"{method.handler} returned {type(result).__name__}; {remedy}")
            if not isinstance(session_id, str):
                problem = f"session_id must be a string, not {type(session_id).__name__}"
                raise TypeError(f"{method.handler}: {problem}; pass session.session_id")
            session = self.sessions.get(session_id)
            if session is None and opening.has_made(session_id):
                text = "the session ended while it was being opened"
                raise RequestError.internal_error({"sessionId": session_id}, text)
            if session is None:
                problem = f"{method.handler} did not open the session {session_id!r}"
                raise LookupError(f"{problem}; call self.open({session_id!r})")
            if session is not before and not opening.has_made(session_id):
                session.settle_in(params)
            session.take_response(method.name, params, deep_copy(result))
            is_done = True
            return result
        finally:
            if not opening.has_response:
                opening.end(is_done)

    async def _note(
        self, session: S, method: Method[Any, Any], params: Any, handling: Coroutine[Any, Any, A]
    ) -> A:
        """Apply the parts of the session's state that the handler's result contains."""
        result = await handling
        session.take_response(method.name, params, deep_copy(result))
        return result

    async def _end(self, session: S, handling: Coroutine[Any, Any, A]) -> A:
        """Await a request's handler and end the session unless the handler has already done so."""
        result = await handling
        self.drop(session)
        await session.end()
        return result


def _parts(params: Any) -> list[Any]:
    """Return the params, the values of their fields, and the items of those values."""
    parts = [params]
    for name in members(params.__class__) if isinstance(params, Record) else ():
        value = getattr(params, name)
        if value.__class__ is list or value.__class__ is tuple:
            parts += value
        elif value is not UNSET:
            parts.append(value)
    return parts
