"""Messages about sessions that the peer does not know yet.

The response to a request can name a new session. Until it is sent, the peer drops updates of that
session, and a request about it might never get a response. So notifications wait for the response,
and requests are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..values.errors import quotation
from .envelope import session_id_of
from .errors import LimitExceeded
from .limits import Limits


class Held:
    """The notifications about a session, until the response that names the session is sent.

    Attributes:
        opener: the name of the method that the response belongs to.
        lines: the notifications in order, each with its method and its params.
        size: their length in bytes.
    """

    def __init__(self, opener: str) -> None:
        self.opener = opener
        self.lines: list[tuple[bytes, str, Any]] = []
        self.size = 0


class Holding:
    """The sessions that the peer does not know yet, and the notifications about them.

    Attributes:
        sessions: the notifications, by session.
    """

    def __init__(self, limits: Limits, send: Callable[[bytes, None, str, Any], None]) -> None:
        """Start without sessions.

        Args:
            limits: how much to keep for a session.
            send: sends a line; called with its id, its method and its params as well.
        """
        self._limits = limits
        self._send = send
        self.sessions: dict[str, Held] = {}

    def begin(self, session_id: str, opener: str) -> bool:
        """Hold back messages about a session; return whether this begins with the call."""
        if session_id in self.sessions:
            return False
        self.sessions[session_id] = Held(opener)
        return True

    def end(self, session_id: str, is_known: bool) -> None:
        """Send the notifications about a session.

        Args:
            session_id: the session.
            is_known: whether the peer knows it; otherwise, the notifications are discarded.
        """
        held = self.sessions.pop(session_id, None)
        if held is not None and is_known:
            for line, method, params in held.lines:
                self._send(line, None, method, params)

    def keep(self, method: str, params: Any, line: bytes) -> bool:
        """Keep a notification if the peer does not know its session; return whether that is so.

        Args:
            method: its method.
            params: its params.
            line: the notification.

        Raises:
            LimitExceeded: If too many notifications about the session wait, or too large ones.
        """
        session_id = session_id_of(params)
        held = None if session_id is None else self.sessions.get(session_id)
        if held is None:
            return False
        size, limits = held.size + len(line), self._limits
        if len(held.lines) >= limits.backlog or size > limits.backlog_bytes:
            waiting = f"{len(held.lines)} notifications with {held.size} bytes wait"
            raise LimitExceeded(f"{waiting} for the response to {quotation(held.opener)}")
        held.lines.append((line, method, params))
        held.size = size
        return True

    def refuse(self, method: str, params: Any) -> None:
        """Refuse a request that might never get a response.

        Raises:
            RuntimeError: If the peer does not know its session.
        """
        session_id = session_id_of(params)
        held = None if session_id is None else self.sessions.get(session_id)
        if held is not None:
            opener = quotation(held.opener)
            raise RuntimeError(
                f"cannot send {quotation(method)}: the client does not know the session "
                f"{quotation(session_id)} before the response to {opener}; send it later, such as "
                "in a turn"
            )

    def clear(self) -> None:
        """Discard everything."""
        self.sessions.clear()
