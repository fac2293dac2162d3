"""The handling of a request that opens a session, or brings one back.

The client learns of a new session from the response. Until that is sent, the agent's messages about
the session are held back; see `Connection.hold`. If the request fails, the session ends.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .agent import AgentSession
    from .agent_sessions import AgentSessions

# The opening that the current task handles, or that the handler which started the task handles.
_current: ContextVar[Opening | None] = ContextVar("_current", default=None)


class Opening:
    """The handling of one request.

    Attributes:
        agent: the agent that handles the request.
        is_over: whether the request has its response.
    """

    def __init__(self, agent: AgentSessions[Any], params: Any, *, is_new: bool) -> None:
        """Start without sessions.

        Args:
            agent: the agent that handles the request.
            params: the params of the request.
            is_new: whether the response names a new session.
        """
        self.is_over = False
        self.agent = agent
        self._params = params
        self._is_new = is_new
        self._made: list[AgentSession[Any, Any, Any, Any, Any, Any]] = []
        self._named: list[AgentSession[Any, Any, Any, Any, Any, Any]] = []
        self._before: Opening | None = None
        self._request = agent.peer.handled_request if agent.has_peer else None
        if self._request is not None:
            agent.peer.when_responded(self._request, self.end)

    @property
    def has_response(self) -> bool:
        """Whether the request gets a response, which ends the opening."""
        return self._request is not None

    def __enter__(self) -> None:
        """Make this the opening that the current task handles."""
        self._before = _current.get()
        _current.set(self)

    def __exit__(self, *_: object) -> None:
        # Not `reset`: a handler that is dropped is closed in another context.
        _current.set(self._before)

    def add_made(self, session: AgentSession[Any, Any, Any, Any, Any, Any]) -> None:
        """Add a session that the handler has just opened."""
        session.settle_in(self._params)
        self._made.append(session)
        self.name(session)

    def has_made(self, session_id: str) -> bool:
        """Return whether the handler opened a session with this id."""
        return any(session.session_id == session_id for session in self._made)

    def name(self, session: AgentSession[Any, Any, Any, Any, Any, Any]) -> None:
        """Hold back messages about a session that the client does not know yet."""
        session.is_known = True
        if self._is_new:
            self._named.append(session)
            if self._request is not None:
                self.agent.peer.hold(self._request, session.session_id)

    def end(self, is_result: bool) -> None:
        """End the opening with the response; without a result, its sessions end."""
        self.is_over = True
        named, self._named = self._named, []
        made, self._made = self._made, []
        if not is_result:
            for session in named:
                session.is_known = False
            for session in made:
                self.agent.drop(session)


def opening_of(agent: AgentSessions[Any]) -> Opening | None:
    """Return the opening of an agent that the current task handles, until its response is sent."""
    opening = _current.get()
    if opening is None or opening.is_over or opening.agent is not agent:
        return None
    return opening
