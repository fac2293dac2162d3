"""The sessions that a client knows: open ones, strays, and closed ones.

Rules:

1. A message can name a session before the response that opens it arrives. Such a stray is kept; of
   more than `Limits.stray_sessions`, the oldest is dropped.
2. Messages do not bring a closed session back. Of more than `Limits.closed_sessions` ids, the
   oldest is forgotten.
3. The agent can give the id of a closed session to a new one. While a response may do that, the
   session is kept in `reopening`, with the limit of strays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ..jsonrpc.limits import Limits

C = TypeVar("C")  # a session


class Registry(Generic[C]):
    """The sessions of one connection.

    Attributes:
        sessions: the open ones and the strays, by id.
        strays: the ids of those that only messages have named, in order.
        closed: the ids of those that were closed, in order.
        reopening: of these, the sessions that messages name while a response may give their id to
            a new session.
        opening: how many requests for a new session have no response yet.
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
        """Return the session of an id, which is open from now on."""
        self.strays.pop(session_id, None)
        session = self.sessions.get(session_id)
        if session is None:
            session = self.reopening.pop(session_id, None)
            session = self._make(session_id) if session is None else session
            self.sessions[session_id] = session
            self.closed.pop(session_id, None)
        return session

    def named(self, session_id: str) -> C | None:
        """Return the session for a message that names none of `sessions`.

        It is added, unless it was closed and cannot come back: then, this returns None.
        """
        session = self.reopening.get(session_id)
        if session is not None or (session_id in self.closed and not self.opening):
            return session
        # A stray is kept, as updates may come before the response that opens their session.
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
        """Take note that a new session was asked for: any id may be its own."""
        self.opening += 1

    def end(self) -> None:
        """Take note that the response is there."""
        self.opening -= 1
        # No response can give these ids to a new session any more.
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
