"""The sessions of an agent: opened, listed in pages, kept from one connection to the next."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar

from ..aio.peer import Peer
from ..jsonrpc.errors import RequestError
from ..jsonrpc.handler import Handler
from ..jsonrpc.limits import DEFAULT
from ..jsonrpc.method import INITIALIZE, Method
from ..values.record import Unknown
from ..values.unset import UNSET, UnsetType
from .agent import AgentSession, new_id

A = TypeVar("A")  # what a handler returns
S = TypeVar("S", bound="AgentSession[Any, Any, Any, Any, Any]")

# How many sessions a page of the list has.
_PAGE: Final = 100


class AgentSessions(Handler, Generic[S]):
    """Base class of the generated agents with sessions.

    An agent may be used without a connection (updates then only change the state), and may have one
    connection after another; its sessions stay.

    Attributes:
        sessions: the sessions, by id.
        keep_state: whether sessions keep their state, for `replay`; otherwise, only what the next
            update depends on.
        queue_prompts: whether a prompt that arrives during a turn waits for its end; otherwise it
            is refused.
        accepts: the classes of unknown kinds that the agent can handle all the same, such as
            `v2.UnknownContentBlock`; requests with others are refused.
    """

    keep_state: bool = True
    queue_prompts: bool = True
    accepts: tuple[type[Unknown], ...] = ()
    # The method that starts a turn, and those that open a session or bring one back.
    _prompt: ClassVar[Method[Any, Any]]
    _openers: ClassVar[tuple[Method[Any, Any], ...]] = ()
    # Whether the protocol demands to refuse what the agent did not advertise.
    _refuses_unadvertised: ClassVar[bool] = False

    def __init__(self, peer: Peer | None = None) -> None:
        """Start without sessions.

        Args:
            peer: the client; None for an agent that is connected later, or never.
        """
        self.sessions: dict[str, S] = {}
        self._peer = peer
        self._is_connected = False
        self._introduced: Any = None  # what `initialize` has told the client
        self._opened = 0  # how many sessions were opened so far
        self._tasks: set[asyncio.Task[None]] = set()

    # --- the connection ----------------------------------------------------------------------

    @property
    def has_peer(self) -> bool:
        """Whether the agent has a connection, or had one."""
        return self._peer is not None

    @property
    def peer(self) -> Peer:
        """The client.

        Raises:
            RuntimeError: the agent has no connection.
        """
        if self._peer is None:
            raise RuntimeError("the agent has no connection yet: pass it to serve or serve_stdio")
        return self._peer

    def connected(self, peer: Any) -> None:
        """See `Handler`.

        Raises:
            RuntimeError: the agent has another connection.
        """
        if self._is_connected and self._peer is not peer:
            raise RuntimeError("the agent has a connection: pass its class to serve several")
        self._peer = peer
        self._is_connected = True

    def disconnected(self) -> None:
        """See `Handler`."""
        self._is_connected = False
        self._introduced = None

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task; it lives no longer than the connection, if there is one."""
        if self._peer is not None:
            return self._peer.spawn(work)
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # --- sessions ----------------------------------------------------------------------------

    def open(self, session_id: str | None = None) -> S:
        """Open a session, or return the open one with that id, as it is.

        Args:
            session_id: the id; a new one by default.

        Raises:
            RequestError: too many sessions are open, see `Limits`.
        """
        name = new_id() if session_id is None else session_id
        if name not in self.sessions:
            limit = (DEFAULT if self._peer is None else self._peer.limits).sessions
            if len(self.sessions) >= limit:
                text = f"{limit} sessions are open, which is the limit `sessions`"
                raise RequestError.internal_error(message=text)
            self._opened += 1
            session = self.sessions[name] = self._make(name)
            session.number = self._opened
        return self.sessions[name]

    def _make(self, session_id: str) -> S:
        raise NotImplementedError

    def session(self, session_id: str) -> S:
        """Return the session with an id.

        Raises:
            RequestError: there is none.
        """
        session = self.sessions.get(session_id)
        if session is None:
            raise RequestError.resource_not_found({"sessionId": session_id}, "session not found")
        return session

    async def end_session(self, session_id: str) -> None:
        """Cancel the turns of a session and forget it. An unknown session is no error."""
        session = self.sessions.pop(session_id, None)
        if session is not None:
            await session.end()

    def page(
        self, cwd: str | UnsetType | None = UNSET, cursor: str | UnsetType | None = UNSET
    ) -> tuple[Sequence[S], str | UnsetType]:
        """Return a page of the sessions, in the order in which they were opened.

        Args:
            cwd: the working directory of the sessions to list; by default, all.
            cursor: where the page begins, as an earlier page has told; by default, at the start.

        Returns:
            The sessions, and the cursor of the next page, if there is one.

        Raises:
            RequestError: the cursor is not one of an earlier page.
        """
        # A cursor is the number of the last session told: it stays good when sessions end.
        listed = [s for s in self.sessions.values() if not cwd or s.cwd == cwd]
        first = 0
        if cursor:
            # The client may send any text, even thousands of digits.
            is_ours = cursor.isascii() and cursor.isdecimal() and len(cursor) < 20
            if not is_ours or not 0 < int(cursor) <= self._opened:
                raise RequestError.invalid_params({"cursor": cursor}, "unknown cursor")
            first = int(cursor)
        after = [session for session in listed if session.number > first]
        page = after[:_PAGE]
        return page, str(page[-1].number) if len(after) > _PAGE else UNSET

    # --- handling ----------------------------------------------------------------------------

    def handle(self, method: Method[Any, Any], params: Any) -> Coroutine[Any, Any, Any]:
        """Call the Python method; from now on, a prompt can be cancelled.

        Raises:
            RequestError: the params have something of a kind that the agent does not handle, or
                that it did not advertise; or a prompt has to wait, and may not.
        """
        if method.kind == "request" and method.name != INITIALIZE:
            self._refuse_unknown(params)
            self._refuse_unadvertised(method, params)
        session = self.sessions.get(getattr(params, "session_id", ""))
        if method is self._prompt and session is not None:
            if session.has_turns and not self.queue_prompts:
                raise RequestError.invalid_request(message="the session has a running turn")
            return session.announce(super().handle(method, params))
        # Now, so that the handler finds the directories; those of a new session follow in `_note`.
        if session is not None and method in self._openers:
            session.settle_in(params)
        handling = super().handle(method, params)
        is_about = session is not None and session.state.is_seeded_by(method.name)
        if is_about or method in self._openers or method.name == INITIALIZE:
            return self._note(method, params, handling)
        return handling

    def _refuse_unknown(self, params: Any) -> None:
        for value in _parts(params):
            if isinstance(value, Unknown) and not isinstance(value, self.accepts):
                name = type(value).__name__.removeprefix("Unknown")
                text = f"invalid params: {name} of a kind that the agent does not handle"
                raise RequestError.invalid_params({"found": value.tag}, text)

    def _refuse_unadvertised(self, method: Method[Any, Any], params: Any) -> None:
        if self._introduced is None or not self._refuses_unadvertised:
            return
        for need in method.needs:
            if need.refuses(params, self._introduced) is not None:
                pointer = need.capability.pointer
                text = f"invalid params: the agent did not advertise {pointer}"
                raise RequestError.invalid_params({"capability": pointer}, text)

    async def _note(
        self, method: Method[Any, Any], params: Any, handling: Coroutine[Any, Any, A]
    ) -> A:
        """Take note of the result of a handler: what it advertises, or says of a session."""
        result = await handling
        # What the handler returned, since it may advertise less than the class has.
        if method.name == INITIALIZE:
            self._introduced = result
            return result
        session_id: str | None = getattr(result, "session_id", None)
        session_id = session_id or getattr(params, "session_id", None)
        if session_id is None:
            expected: Any = method.result
            found = type(result).__name__
            raise TypeError(f"{method.handler} returned {found}; return a {expected.__name__}")
        session = self.sessions.get(session_id)
        if session is None:
            problem = f"{method.handler} did not open the session {session_id!r}"
            raise LookupError(f"{problem}: call self.open({session_id!r})")
        if method in self._openers:
            session.settle_in(params)
        session.state.seed(method.name, params, result)
        return result


def _parts(params: Any) -> Iterator[Any]:
    """The params, the values of their members, and the items of those."""
    yield params
    for cls in type(params).__mro__:
        for name in vars(cls).get("__slots__", ()):
            value = getattr(params, name)
            yield value
            if isinstance(value, list):
                yield from value
