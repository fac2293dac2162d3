"""Follow a conversation with a client: does it keep to the order, and to what is advertised?"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from acp_bindings.runtime.jsonrpc.method import INITIALIZE, Method, Surface
from acp_bindings.runtime.values.errors import DecodeError

from acpgen.wire.conform.conversation import Conversation, Message
from acpgen.wire.conform.wire import Line
from acpgen.wire.trace.surfaces import load, surfaces_of

WATCHED = ("initialize-first", "agent-capabilities", "prompt-content", "known-sessions")

_PROMPT = "session/prompt"


class Follower:
    """Judges what a message of a client says in the light of those before it."""

    def __init__(
        self, talk: Conversation, advertised: Mapping[str, Any], sessions: Collection[str]
    ) -> None:
        """Start to follow.

        Args:
            talk: the conversation.
            advertised: what the agent answers `initialize` with.
            sessions: the sessions that the agent has opened so far.
        """
        self._talk = talk
        self._advertised = advertised
        self._sessions = sessions
        self._is_initialized = False

    def follow(self, message: Message, line: Line) -> None:
        """Look at a message of the client."""
        method, params = message.get("method"), message.get("params")
        if type(method) is not str:
            return
        if method == INITIALIZE:
            if self._is_initialized:
                self._talk.judge("initialize-first", False, "initialize only once", line)
            self._is_initialized = True
            return
        is_answered = any(line.sent for line in self._talk.wire.lines)
        expected = "nothing before initialize is answered"
        self._talk.judge("initialize-first", is_answered, expected, line)
        self._check_capabilities(method, params, line)
        if type(params) is dict and "sessionId" in params:
            expected = "the id of a session that the agent has opened"
            is_known = params["sessionId"] in self._sessions
            self._talk.judge("known-sessions", is_known, expected, line)

    def _check_capabilities(self, name: str, params: Any, line: Line) -> None:
        for surface in map(load, surfaces_of(self._talk.version)):
            method = surface.AGENT_METHODS.get(name)
            if method is not None:
                refused = self._refused(surface, method, params)
                requirement = "prompt-content" if name == _PROMPT else "agent-capabilities"
                expected = f"no {refused}: the agent has not advertised it"
                self._talk.judge(requirement, refused is None, expected, line)
                return

    def _refused(self, surface: Surface, method: Method[Any, Any], params: Any) -> str | None:
        """The name of what the agent has not advertised."""
        advertised = surface.decode(surface.AGENT_METHODS[INITIALIZE].result, self._advertised)
        if method.capability is not None and not method.capability.is_advertised(advertised):
            return method.name
        try:
            decoded = surface.decode(method.params, params)
        except DecodeError:  # another requirement is about that
            return None
        refused = (need.refuses(decoded, advertised) for need in method.needs)
        return next((name for name in refused if name is not None), None)
