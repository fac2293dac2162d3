"""The agent of the conversation with acp_bindings, protocol 1."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from acp_bindings import v1
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Peer
from acp_bindings.v1.methods import CLIENT_EXT_REQUEST

from .stage import AGENT, OPTIONS, PLAN, SESSION, Acting


class Stage:
    """See `stage.Stage`."""

    error = RequestError

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._client = v1.ClientStub(peer)

    async def think(self, text: str) -> None:
        await self._update(v1.AgentThoughtChunk(content=v1.TextContent(text=text)))

    async def say(self, text: str) -> None:
        await self._update(v1.AgentMessageChunk(content=v1.TextContent(text=text)))

    async def start_tool(self) -> None:
        await self._update(
            v1.ToolCall(
                tool_call_id="call-1",
                title="Reading",
                kind="read",
                status="pending",
                raw_input={"path": "main.py", "lines": [1, 2.5]},
                meta={"interop": True},
            )
        )

    async def finish_tool(self) -> None:
        content = v1.Content(content=v1.TextContent(text="42 lines"))
        await self._update(
            v1.ToolCallUpdate(tool_call_id="call-1", status="completed", content=[content])
        )

    async def plan(self) -> None:
        entries = [
            v1.PlanEntry(content=content, priority=priority, status=status)
            for content, priority, status in PLAN
        ]
        await self._update(v1.Plan(entries=entries))

    async def ask(self, title: str, tool_call: str) -> str:
        options = [v1.PermissionOption(option_id=i, name=name, kind=k) for i, name, k in OPTIONS]
        response = await self._client.session_request_permission(
            v1.RequestPermissionRequest(
                session_id=SESSION,
                tool_call=v1.ToolCallUpdate(tool_call_id=tool_call, title=title),
                options=options,
            )
        )
        outcome = response.outcome
        return outcome.option_id if isinstance(outcome, v1.SelectedPermissionOutcome) else "none"

    async def request(self, method: str, params: Any) -> Any:
        if method.startswith("_"):
            return await self._client.ext_request(method, params)
        # A stub has no way to call what does not exist.
        return await self._peer.request(replace(CLIENT_EXT_REQUEST, name=method), params)

    async def notify(self, method: str, params: Any) -> None:
        await self._client.ext_notification(method, params)

    async def _update(self, update: v1.SessionUpdate) -> None:
        await self._client.session_update(v1.SessionNotification(session_id=SESSION, update=update))


class Agent(v1.AgentHandler):
    """Hands on to `Acting` what the conversation is about."""

    def __init__(self, peer: Peer) -> None:
        self._acting = Acting(Stage(peer))

    async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
        return v1.InitializeResponse(
            protocol_version=1,
            agent_capabilities=v1.AgentCapabilities(
                load_session=False,
                prompt_capabilities=v1.PromptCapabilities(embedded_context=True),
            ),
            agent_info=v1.Implementation(name=AGENT, version="1.0.0"),
            auth_methods=[],
        )

    async def session_new(self, params: v1.NewSessionRequest) -> v1.NewSessionResponse:
        print("this must not get between the messages", params.cwd)
        return v1.NewSessionResponse(session_id=SESSION)

    async def session_prompt(self, params: v1.PromptRequest) -> v1.PromptResponse:
        texts = [block.text for block in params.prompt if isinstance(block, v1.TextContent)]
        self._acting.check(texts)
        return v1.PromptResponse(stop_reason=await self._acting.perform(texts))

    async def session_cancel(self, params: v1.CancelNotification) -> None:
        self._acting.cancelled.set()

    async def ext_request(self, method: str, params: v1.ExtRequest) -> v1.ExtResponse:
        return await self._acting.extension_request(method, params)

    async def ext_notification(self, method: str, params: v1.ExtNotification) -> None:
        await self._acting.extension_notification(method, params)
