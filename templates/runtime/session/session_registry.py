"""The sessions known to a client: open sessions, strays, and closed sessions.

Rules:

1. A message can refer to a session before the response that opens the session arrives. Such a
   session, called a stray, is kept. If there are more strays than `Limits.stray_sessions`, the
   oldest stray is dropped.
2. Messages don't reopen a closed session. If there are more than `Limits.closed_sessions` ids of
   closed sessions, the oldest id is forgotten.
3. The agent can reuse a closed session's id for a new session. While a request for a new session is
   pending, messages that refer to a closed session are assigned to a session in `reopening`. The
   limit for strays also applies to `reopening`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ..jsonrpc.limits import Limits

C = TypeVar("C")  # a session


class SessionRegistry(Generic[C]):
    """The sessions of one connection.

    Attributes:
        sessions: the open sessions and the strays, by id.
        strays: the ids of sessions known only from messages that refer to them, oldest first.
        closed: the ids of closed sessions, oldest first.
        reopening: the sessions created for messages that refer to a closed session, by id. They are
            kept only while a pending response can still reuse that id for a new session.
        opening: the number of pending requests for a new session.
    """

    def __init__(self, make: Callable[[str], C], limits: Callable[[], Limits]) -> None:
        self.sessions: dict[str, C] = {}
        self.strays: dict[str, None] = {}
        self.closed: dict[str, None] = {}
        self.reopening: dict[str, C] = {}
        self.opening = 0
        self._make = make
        self._limits = limits

    def open(self, session_id: str) -> C:
        """Open the session with the given id, creating it if necessary, and return it."""
        self.strays.pop(session_id, None)
        session = self.sessions.get(session_id)
        if session is None:
            session = self.reopening.pop(session_id, None)
            session = self._make(session_id) if session is None else session
            self.sessions[session_id] = session
            self.closed.pop(session_id, None)
        return session

    def named(self, session_id: str) -> C | None:
        """Add and return the session for a message with a session id that isn't in `sessions`.

        The result is None if the session was closed and no pending response can reuse its id.
        """
        session = self.reopening.get(session_id)
        if session is not None or (session_id in self.closed and not self.opening):
            return session
        # Add a stray, since updates can arrive before the response that opens their session.
        session = self._make(session_id)
        limit = self._limits().stray_sessions
        if session_id in self.closed:
            self.reopening[session_id] = session
            if len(self.reopening) > limit:
                _pop_oldest(self.reopening)
        else:
            self.sessions[session_id] = session
            self.strays[session_id] = None
            if len(self.strays) > limit:
                self.sessions.pop(_pop_oldest(self.strays), None)
        return session

    def begin(self) -> None:
        """Record that a request for a new session was sent. The new session can have any id."""
        self.opening += 1

    def end(self) -> None:
        """Record that the response to a request for a new session arrived."""
        self.opening -= 1
        # No response can reuse these ids for a new session anymore.
        if not self.opening:
            self.reopening.clear()

    def remember_closed(self, session_id: str) -> None:
        """Remember the id of a closed session so that late messages don't reopen the session."""
        self.closed[session_id] = None
        if len(self.closed) > self._limits().closed_sessions:
            _pop_oldest(self.closed)


def _pop_oldest(entries: dict[str, Any]) -> str:
    oldest = next(iter(entries))
    del entries[oldest]
    return oldest
