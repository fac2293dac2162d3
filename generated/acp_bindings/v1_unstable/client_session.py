# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v1/schema.unstable.json (sha256 9f22f865ee8d6595144e0bd7ce511419783362ceac13f5f2dfbd73005d54e295).
# Do not edit it; make it again with acpgen.
"""Sessions as a client of protocol 1 sees them: prompts, their turns, cancelling."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any, ClassVar

from ..runtime.session import client as client_session
from ..runtime.session import turns
from ..runtime.aio import Peer
from ..runtime.jsonrpc.errors import RESOURCE_NOT_FOUND, RequestError
from ..runtime.jsonrpc.method import Method
from ..runtime.values.unset import UNSET
from .agent import AgentStub
from .client import ClientHandler
from .methods import (
    AGENT_SESSION_CANCEL,
    AGENT_SESSION_CLOSE,
    CLIENT_SESSION_REQUEST_PERMISSION,
    CLIENT_SESSION_UPDATE,
)
from .session import SessionState
from .types import (
    ArchiveSessionRequest,
    ArchiveSessionResponse,
    CancelNotification,
    CancelledRequestPermissionOutcome,
    CloseSessionRequest,
    ContentBlock,
    DeleteSessionRequest,
    DeleteSessionResponse,
    ForkSessionRequest,
    ForkSessionResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    LoadSessionRequest,
    LoadSessionResponse,
    NewSessionRequest,
    NewSessionResponse,
    PromptRequest,
    PromptResponse,
    RequestPermissionResponse,
    ResumeSessionRequest,
    ResumeSessionResponse,
    SessionId,
    SessionStatusRequest,
    SessionStatusResponse,
    SessionUpdate,
    TextContent,
    UnarchiveSessionRequest,
    UnarchiveSessionResponse,
    Usage,
    UsageUpdate,
    UserMessageChunk,
)


class Turn(turns.AnsweredTurn[SessionUpdate, PromptResponse, Usage | UsageUpdate]):
    """A prompt, and what the agent does about it until it answers.

    Source: ACP v1 schema, $defs/PromptRequest and $defs/PromptResponse; https://agentclientprotocol.com/protocol/v1/draft/prompt-turn
    """

    _stop_reasons: ClassVar[frozenset[str]] = frozenset(
        ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
    )
    _reports: ClassVar[tuple[type, ...]] = (UsageUpdate,)
    _chunk: ClassVar[type] = UserMessageChunk


class ClientSession(client_session.ClientSession[SessionState, SessionUpdate]):
    """A session of an agent, as its client sees it.

    Attributes:
        client: the handler of the connection.
        agent: calls the agent, for everything that has no method here.
        response: what the agent answered when the session was made or came back.
    """

    def __init__(self, client: SessionClient, session_id: SessionId) -> None:
        super().__init__(client.peer, session_id, SessionState())
        self.client = client
        self.agent = client.agent
        self.response: (
            NewSessionResponse
            | ForkSessionResponse
            | LoadSessionResponse
            | ResumeSessionResponse
            | None
        ) = None

    @staticmethod
    async def create(peer: Peer, params: NewSessionRequest) -> ClientSession:
        """Have the agent open a fresh session in a given directory.

        See `AgentStub.session_new`.

        Args:
            peer: an agent; the handler of the connection has to be a `SessionClient`.
        """
        client = SessionClient.of(peer)
        response = await client.agent.session_new(params)
        session = client.session(response.session_id)
        session.response = response
        return session

    @staticmethod
    async def fork(peer: Peer, params: ForkSessionRequest) -> ClientSession:
        """Have the agent branch off a new session that starts from another's context.

        See `AgentStub.session_fork`.

        Args:
            peer: an agent; the handler of the connection has to be a `SessionClient`.
        """
        client = SessionClient.of(peer)
        response = await client.agent.session_fork(params)
        session = client.session(response.session_id)
        session.response = response
        return session

    @staticmethod
    async def load(peer: Peer, params: LoadSessionRequest) -> ClientSession:
        """Have the agent reopen a session and send its history again.

        Its state begins with what the agent says meanwhile. See `AgentStub.session_load`.

        Args:
            peer: an agent; the handler of the connection has to be a `SessionClient`.
        """
        client = SessionClient.of(peer)
        return await client.attach(params.session_id, client.agent.session_load(params))

    @staticmethod
    async def resume(peer: Peer, params: ResumeSessionRequest) -> ClientSession:
        """Have the agent take up a session again where it was left.

        Its state begins with what the agent says meanwhile. See `AgentStub.session_resume`.

        Args:
            peer: an agent; the handler of the connection has to be a `SessionClient`.
        """
        client = SessionClient.of(peer)
        return await client.attach(params.session_id, client.agent.session_resume(params))

    @staticmethod
    async def list(peer: Peer, params: ListSessionsRequest) -> ListSessionsResponse:
        """Ask the agent which sessions it knows, page by page.

        See `AgentStub.session_list`.
        """
        return await AgentStub(peer).session_list(params)

    async def archive(self) -> ArchiveSessionResponse:
        """Have the agent hide a session from ordinary listings but keep its history.

        See `AgentStub.session_archive`.
        """
        return await self.agent.session_archive(ArchiveSessionRequest(session_id=self.session_id))

    async def close(self) -> None:
        """Have the agent end a session's work and free what the session holds.

        What is under way counts as cancelled, as after `cancel`. That the agent does not know the
        session is no error. See `AgentStub.session_close`.
        """
        params = CloseSessionRequest(session_id=self.session_id)
        self.agent.check(AGENT_SESSION_CLOSE, params)
        self.mark_cancelled()
        try:
            await self.agent.session_close(params)
        except RequestError as error:
            if error.code != RESOURCE_NOT_FOUND:
                raise
        self.client.forget(self.session_id)
        for turn in list(self.turns):
            turn.close()

    async def delete(self) -> DeleteSessionResponse:
        """Have the agent strike a session from the list of those it knows.

        See `AgentStub.session_delete`.
        """
        return await self.agent.session_delete(DeleteSessionRequest(session_id=self.session_id))

    async def status(self) -> SessionStatusResponse:
        """Ask the agent whether it has a session loaded, without touching it.

        See `AgentStub.session_status`.
        """
        return await self.agent.session_status(SessionStatusRequest(session_id=self.session_id))

    async def unarchive(self) -> UnarchiveSessionResponse:
        """Have the agent bring an archived session back into ordinary listings.

        See `AgentStub.session_unarchive`.
        """
        return await self.agent.session_unarchive(
            UnarchiveSessionRequest(session_id=self.session_id)
        )

    def prompt(
        self, prompt: str | Sequence[ContentBlock], *, meta: dict[str, Any] | None = None
    ) -> Turn:
        """Hand the agent a user message to work on in a session.

        Args:
            prompt: blocks of content; a string is one block of text.
            meta: the `_meta` of the request.

        Returns:
            The turn; entering it, with `async with`, sends the prompt.

        Raises:
            ValueError: the prompt is empty.
        """
        blocks = [TextContent(text=prompt)] if isinstance(prompt, str) else prompt
        if not prompt:
            raise ValueError("a prompt needs content")
        params = PromptRequest(
            session_id=self.session_id, prompt=[*blocks], meta=UNSET if meta is None else meta
        )
        return Turn(self, params.prompt, partial(self.agent.session_prompt, params))

    def _post_cancel(self) -> None:
        params = CancelNotification(session_id=self.session_id)
        self.peer.post(AGENT_SESSION_CANCEL, params)


class SessionClient(client_session.Sessions[ClientSession], ClientHandler):
    """A client whose sessions are put together out of their updates; extend it as `ClientHandler`.

    It is the factory of a connection's handler: `connect_stdio(command, SessionClient)`.

    Attributes:
        peer: the agent.
        agent: calls the agent.
        sessions: the sessions by their ids.
    """

    def __init__(self, peer: Peer) -> None:
        super().__init__()
        self.peer = peer
        self.agent = AgentStub(peer)

    @staticmethod
    def of(peer: Peer) -> SessionClient:
        """The handler of a connection that is ready for sessions.

        Raises:
            TypeError: it is no `SessionClient`.
            RuntimeError: the connection is not initialized.
        """
        if not isinstance(peer.handler, SessionClient):
            raise TypeError("sessions need a SessionClient as the handler of their connection")
        if peer.advertised is None:
            raise RuntimeError("sessions need an initialized connection: call initialize first")
        return peer.handler

    def _make(self, session_id: SessionId) -> ClientSession:
        return ClientSession(self, session_id)

    def handle(self, method: Method[Any, Any], params: Any) -> Coroutine[Any, Any, Any]:
        """Keep the sessions up to date; then call the Python method, see `ClientHandler`."""
        handling = super().handle(method, params)
        if method is CLIENT_SESSION_UPDATE:
            self.session_for(params.session_id).receive(params.update)
        elif method is CLIENT_SESSION_REQUEST_PERMISSION:
            cancelled = RequestPermissionResponse(outcome=CancelledRequestPermissionOutcome())
            return self.session_for(params.session_id).ask(params, handling, cancelled)
        return handling
