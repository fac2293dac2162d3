# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v1/schema.unstable.json (sha256 9f22f865ee8d6595144e0bd7ce511419783362ceac13f5f2dfbd73005d54e295).
# Do not edit it; make it again with acpgen.
"""Sessions as an agent of protocol 1 has them: updates, and turns that can be cancelled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ..runtime.session import agent as agent_session
from ..runtime.session.agent import Sender
from ..runtime.aio import Peer
from ..runtime.jsonrpc.errors import RESOURCE_NOT_FOUND, RequestError
from ..runtime.jsonrpc.method import not_handled
from .agent import AgentHandler
from .client import ClientStub
from .methods import CLIENT_SESSION_UPDATE
from .session import SessionState
from .types import (
    AgentMessageChunk,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    CancelNotification,
    CloseSessionRequest,
    CloseSessionResponse,
    CompactionSummaryChunk,
    CompactionUpdate,
    ConfigOptionUpdate,
    ContentBlock,
    CurrentModeUpdate,
    NewSessionRequest,
    NewSessionResponse,
    Notice,
    Plan,
    PlanRemoved,
    PlanUpdate,
    PromptRequest,
    PromptResponse,
    SessionId,
    SessionInfoUpdate,
    SessionMessage,
    SessionMessageChunk,
    SessionNotification,
    SessionUpdate,
    SubagentUpdate,
    TextContent,
    ToolCall,
    ToolCallUpdate,
    UsageUpdate,
    UserMessageChunk,
)


class AgentSession(
    agent_session.AnsweringSession[SessionState, ContentBlock, SessionUpdate, PromptResponse]
):
    """A session of an agent: tells the client what happens in it, and does its turns.

    Source: ACP v1 schema, $defs/SessionUpdate; https://agentclientprotocol.com/protocol/v1/draft/prompt-turn

    Attributes:
        client: calls the client.
    """

    _stop_reasons: ClassVar[frozenset[str]] = frozenset(
        ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
    )
    _allows_custom: ClassVar[bool] = False

    def __init__(self, peer: Peer, session_id: SessionId) -> None:
        super().__init__(peer, session_id, SessionState())
        self.client = ClientStub(peer)

    def _post(self, update: SessionUpdate) -> None:
        params = SessionNotification(session_id=self.session_id, update=update)
        self.peer.post(CLIENT_SESSION_UPDATE, params)

    async def say(self, content: str | ContentBlock, *, message_id: str | None = None) -> None:
        """Send a part of the answer.

        Args:
            content: a block of content, or text.
            message_id: the message that it continues or begins; by default it continues the last
                entry of the timeline if that is a message of this kind;
                else it begins one.
        """
        block = TextContent(text=content) if isinstance(content, str) else content
        chunk = AgentMessageChunk(content=block)
        if message_id is not None:
            chunk.message_id = message_id
        await self.update(chunk)

    async def think(self, content: str | ContentBlock, *, message_id: str | None = None) -> None:
        """Send a part of its thoughts.

        Args:
            content: a block of content, or text.
            message_id: the message that it continues or begins; by default it continues the last
                entry of the timeline if that is a message of this kind;
                else it begins one.
        """
        block = TextContent(text=content) if isinstance(content, str) else content
        chunk = AgentThoughtChunk(content=block)
        if message_id is not None:
            chunk.message_id = message_id
        await self.update(chunk)

    user_message_chunk = Sender(UserMessageChunk)
    tool_call = Sender(ToolCall)
    tool_call_update = Sender(ToolCallUpdate)
    plan = Sender(Plan)
    plan_update = Sender(PlanUpdate)
    plan_removed = Sender(PlanRemoved)
    available_commands = Sender(AvailableCommandsUpdate)
    current_mode = Sender(CurrentModeUpdate)
    config_option = Sender(ConfigOptionUpdate)
    session_info = Sender(SessionInfoUpdate)
    usage = Sender(UsageUpdate)
    notice = Sender(Notice)
    compaction = Sender(CompactionUpdate)
    compaction_summary_chunk = Sender(CompactionSummaryChunk)
    subagent = Sender(SubagentUpdate)
    session_message = Sender(SessionMessage)
    session_message_chunk = Sender(SessionMessageChunk)

    def _insert(self, prompt: Sequence[ContentBlock]) -> None:
        for block in prompt:
            self.state.apply(UserMessageChunk(content=block))

    def _response(self, stop_reason: str) -> PromptResponse:
        return PromptResponse(stop_reason=stop_reason)


class SessionAgent(AgentHandler):
    """An agent with sessions: extend it as `AgentHandler`, and say in `turn` what it does.

    It is the factory of a connection's handler: `serve_stdio(MyAgent)`.

    Attributes:
        peer: the client.
        client: calls the client.
        sessions: the sessions by their ids.
    """

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.client = ClientStub(peer)
        self.sessions: dict[SessionId, AgentSession] = {}

    async def turn(self, session: AgentSession, params: PromptRequest) -> str | None:
        """Do what a prompt asks for: the method to override.

        It is cancelled when the client says so: `asyncio.CancelledError` is raised where it waits.

        Returns:
            Why it stopped; None for the natural end of a turn.

        Raises:
            RequestError: to say what has failed; what other exceptions say is only logged.
        """
        raise not_handled("session/prompt")

    def open(self, session_id: SessionId | None = None) -> AgentSession:
        """A new session, with a new id if none is given."""
        name = agent_session.new_id() if session_id is None else session_id
        session = self.sessions[name] = AgentSession(self.peer, name)
        return session

    def session(self, session_id: SessionId) -> AgentSession:
        """The session of an id.

        Raises:
            RequestError: there is none.
        """
        session = self.sessions.get(session_id)
        if session is None:
            raise RequestError(RESOURCE_NOT_FOUND, "session not found", {"sessionId": session_id})
        return session

    async def session_new(self, params: NewSessionRequest) -> NewSessionResponse:
        """Open a session; override it to say more, or to do something with the params."""
        return NewSessionResponse(session_id=self.open().session_id)

    async def session_prompt(self, params: PromptRequest) -> PromptResponse:
        """Do a turn, see `AgentSession.run_turn`."""
        session = self.session(params.session_id)
        return await session.run_turn(params.prompt, self.turn(session, params))

    async def session_cancel(self, params: CancelNotification) -> None:
        """Cancel what goes on in a session, see `AgentSession.cancel`."""
        if params.session_id in self.sessions:
            self.sessions[params.session_id].cancel()

    async def session_close(self, params: CloseSessionRequest) -> CloseSessionResponse:
        """End a session when what goes on in it is over; that there is none is no error."""
        session = self.sessions.pop(params.session_id, None)
        if session is not None:
            await session.end()
        return CloseSessionResponse()
