"""The sessions that a client knows: open ones, strays, and closed ones.

Rules:

1. A message can name a session before the response that opens it arrives. Such a stray is kept; of
   more than `Limits.stray_sessions`, the oldest is dropped.
2. Messages do not bring a closed session back. Of more than `Limits.closed_sessions` ids, the
   oldest is forgotten.
3. The agent can give the id of a closed session to a new one. While a pending response can still
   reuse its id, the closed session is kept in `reopening`, which has the same limit as strays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ..jsonrpc.limits import Limits

C = TypeVar("C")  # a session


class Registry(Generic[C]):
    """The sessions of one connection.

    Attributes:
        sessions: the open sessions and the strays, by id.
        strays: the ids of sessions that only messages named, in order.
        closed: the ids of closed sessions, in order.
        reopening: closed sessions that messages name while a response can still give their id to
            a new session.
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
        """Open and return the session with an id."""
        self.strays.pop(session_id, None)
        session = self.sessions.get(session_id)
        if session is None:
            session = self.reopening.pop(session_id, None)
            session = self._make(session_id) if session is None else session
            self.sessions[session_id] = session
            self.closed.pop(session_id, None)
        return session

    def named(self, session_id: str) -> C | None:
        """Return the session for a message that names none of `sessions`, and add it.

        Returns None if the session was closed and its id cannot be reused.
        """
        session = self.reopening.get(session_id)
        if session is not None or (session_id in self.closed and not self.opening):
            return session
        # Keep a stray, since updates can arrive before the response that opens it.
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
        """Record a request for a new session, which can have any id."""
        self.opening += 1

    def end(self) -> None:
        """Record the response to a request for a new session."""
        self.opening -= 1
        # No response can give these ids to a new session anymore.
        if not self.opening:
            self.reopening.clear()

    def remember_closed(self, session_id: str) -> None:
        """Remember that a session was closed, so that late messages do not open it again."""
        self.closed[session_id] = None
        if len(self.closed) > self._limits().closed_sessions:
            _pop_oldest(self.closed)


def _pop_oldest(entries: dict[str, Any]) -> str:
    oldest = next(iter(entries))
    del entries[oldest]
    return oldest
