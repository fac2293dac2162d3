# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v2/schema.json (sha256 d0bf493103243b057c069d54c659106129f4ee732e939bb83b5eea7c106b3997).
# Do not edit it; make it again with acpgen.
"""Sessions as an agent of protocol 2 has them: updates, and turns that can be cancelled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ..runtime.session import agent as agent_session
from ..runtime.session.agent import Sender
from ..runtime.aio import Peer
from ..runtime.jsonrpc.errors import RESOURCE_NOT_FOUND, RequestError
from ..runtime.jsonrpc.method import not_handled
from ..runtime.values.unset import UNSET
from .agent import AgentHandler
from .client import ClientStub
from .methods import CLIENT_SESSION_UPDATE
from .session import SessionState
from .types import (
    AgentMessage,
    AgentMessageChunk,
    AgentThought,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    CancelSessionNotification,
    CloseSessionRequest,
    CloseSessionResponse,
    CompactionSummaryChunk,
    CompactionUpdate,
    ConfigOptionUpdate,
    ContentBlock,
    Error,
    ErrorIdleStateUpdate,
    IdleStateUpdate,
    NewSessionRequest,
    NewSessionResponse,
    Notice,
    PlanUpdate,
    PromptRequest,
    PromptResponse,
    RequiresActionStateUpdate,
    RunningStateUpdate,
    SessionId,
    SessionInfoUpdate,
    SessionUpdate,
    TerminalOutputChunk,
    TerminalUpdate,
    TextContent,
    ToolCallContentChunk,
    ToolCallUpdate,
    UpdateSessionNotification,
    UsageUpdate,
    UserMessage,
    UserMessageChunk,
)


class AgentSession(
    agent_session.ReportingSession[SessionState, ContentBlock, SessionUpdate, PromptResponse]
):
    """A session of an agent: tells the client what happens in it, and does its turns.

    Source: ACP v2 schema, $defs/SessionUpdate; https://agentclientprotocol.com/protocol/v2/prompt-lifecycle

    Attributes:
        client: calls the client.
    """

    _stop_reasons: ClassVar[frozenset[str]] = frozenset(
        ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"]
    )
    _allows_custom: ClassVar[bool] = True
    _ends: ClassVar[tuple[type, ...]] = (IdleStateUpdate,)

    def __init__(self, peer: Peer, session_id: SessionId) -> None:
        super().__init__(peer, session_id, SessionState())
        self.client = ClientStub(peer)

    def _post(self, update: SessionUpdate) -> None:
        params = UpdateSessionNotification(session_id=self.session_id, update=update)
        self.peer.post(CLIENT_SESSION_UPDATE, params)

    async def say(self, content: str | ContentBlock, *, message_id: str | None = None) -> None:
        """Send a part of the answer.

        Args:
            content: a block of content, or text.
            message_id: the message that it continues or begins; by default it continues the last
                entry of the timeline if that is a message of this kind, and the agent was not idle since;
                else it begins one.
        """
        block = TextContent(text=content) if isinstance(content, str) else content
        name = self._continued("agent") if message_id is None else message_id
        await self.update(AgentMessageChunk(message_id=name, content=block))

    async def think(self, content: str | ContentBlock, *, message_id: str | None = None) -> None:
        """Send a part of its thoughts.

        Args:
            content: a block of content, or text.
            message_id: the message that it continues or begins; by default it continues the last
                entry of the timeline if that is a message of this kind, and the agent was not idle since;
                else it begins one.
        """
        block = TextContent(text=content) if isinstance(content, str) else content
        name = self._continued("thought") if message_id is None else message_id
        await self.update(AgentThoughtChunk(message_id=name, content=block))

    user_message_chunk = Sender(UserMessageChunk)
    user_message = Sender(UserMessage)
    agent_message = Sender(AgentMessage)
    agent_thought = Sender(AgentThought)
    running = Sender(RunningStateUpdate)
    idle = Sender(IdleStateUpdate)
    requires_action = Sender(RequiresActionStateUpdate)
    tool_call_content_chunk = Sender(ToolCallContentChunk)
    tool_call = Sender(ToolCallUpdate)
    terminal = Sender(TerminalUpdate)
    terminal_output_chunk = Sender(TerminalOutputChunk)
    plan = Sender(PlanUpdate)
    available_commands = Sender(AvailableCommandsUpdate)
    config_option = Sender(ConfigOptionUpdate)
    session_info = Sender(SessionInfoUpdate)
    usage = Sender(UsageUpdate)
    notice = Sender(Notice)
    compaction = Sender(CompactionUpdate)
    compaction_summary_chunk = Sender(CompactionSummaryChunk)

    def _response(self, message_id: str) -> PromptResponse:
        return PromptResponse(message_id=message_id)

    def _inserted(self, message_id: str, prompt: Sequence[ContentBlock]) -> UserMessage:
        return UserMessage(message_id=message_id, content=list(prompt))

    def _busy(self) -> RunningStateUpdate:
        return RunningStateUpdate(background=self._background())

    def _idle(self, stop_reason: str | None) -> IdleStateUpdate:
        return IdleStateUpdate(stop_reason=stop_reason or UNSET, background=self._background())

    def _failed(self, error: RequestError) -> ErrorIdleStateUpdate:
        about = Error(code=error.code, message=error.message, data=error.data)
        return ErrorIdleStateUpdate(error=about, background=self._background())


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

    async def session_cancel(self, params: CancelSessionNotification) -> None:
        """Cancel what goes on in a session, see `AgentSession.cancel`."""
        if params.session_id in self.sessions:
            self.sessions[params.session_id].cancel()

    async def session_close(self, params: CloseSessionRequest) -> CloseSessionResponse:
        """End a session when what goes on in it is over; that there is none is no error."""
        session = self.sessions.pop(params.session_id, None)
        if session is not None:
            await session.end()
        return CloseSessionResponse()
