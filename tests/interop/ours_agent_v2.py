"""The agent of the conversation with acp_bindings, protocol 2."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from acp_bindings import v2
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Peer
from acp_bindings.v2.methods import CLIENT_EXT_REQUEST

from .stage import AGENT, OPTIONS, PLAN, SESSION, Acting


class Stage:
    """See `stage.Stage`."""

    error = RequestError

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._client = v2.ClientStub(peer)
        self._message = 0

    async def think(self, text: str) -> None:
        content = v2.TextContent(text=text)
        await self.update(v2.AgentThoughtChunk(message_id="thought-1", content=content))

    async def say(self, text: str) -> None:
        content = v2.TextContent(text=text)
        await self.update(v2.AgentMessageChunk(message_id="message-1", content=content))

    async def start_tool(self) -> None:
        await self.update(
            v2.ToolCallUpdate(
                tool_call_id="call-1",
                title="Reading",
                kind="read",
                status="pending",
                raw_input={"path": "main.py", "lines": [1, 2.5]},
                meta={"interop": True},
            )
        )

    async def finish_tool(self) -> None:
        content = v2.Content(content=v2.TextContent(text="42 lines"))
        await self.update(
            v2.ToolCallUpdate(tool_call_id="call-1", status="completed", content=[content])
        )

    async def plan(self) -> None:
        entries = [
            v2.PlanEntry(content=content, priority=priority, status=status)
            for content, priority, status in PLAN
        ]
        await self.update(v2.PlanUpdate(plan=v2.PlanItems(plan_id="plan-1", entries=entries)))

    async def ask(self, title: str, tool_call: str) -> str:
        options = [v2.PermissionOption(option_id=i, name=name, kind=k) for i, name, k in OPTIONS]
        subject = v2.ToolCallPermissionSubject(
            tool_call=v2.ToolCallUpdate(tool_call_id=tool_call, title=title)
        )
        response = await self._client.session_request_permission(
            v2.RequestPermissionRequest(
                session_id=SESSION, title=title, subject=subject, options=options
            )
        )
        outcome = response.outcome
        return outcome.option_id if isinstance(outcome, v2.SelectedPermissionOutcome) else "none"

    async def request(self, method: str, params: Any) -> Any:
        if method.startswith("_"):
            return await self._client.ext_request(method, params)
        # A stub has no way to call what does not exist.
        return await self._peer.request(replace(CLIENT_EXT_REQUEST, name=method), params)

    async def notify(self, method: str, params: Any) -> None:
        await self._client.ext_notification(method, params)

    async def update(self, update: v2.SessionUpdate) -> None:
        await self._client.session_update(
            v2.UpdateSessionNotification(session_id=SESSION, update=update)
        )


class Agent(v2.AgentHandler):
    """Hands on to `Acting` what the conversation is about."""

    def __init__(self, peer: Peer) -> None:
        self._stage = Stage(peer)
        self._acting = Acting(self._stage)
        self._prompts: list[asyncio.Task[None]] = []

    async def initialize(self, params: v2.InitializeRequest) -> v2.InitializeResponse:
        return v2.InitializeResponse(
            protocol_version=2,
            capabilities=v2.AgentCapabilities(
                session=v2.SessionCapabilities(
                    prompt=v2.PromptCapabilities(
                        embedded_context=v2.PromptEmbeddedContextCapabilities()
                    )
                )
            ),
            info=v2.Implementation(name=AGENT, version="1.0.0"),
        )

    async def session_new(self, params: v2.NewSessionRequest) -> v2.NewSessionResponse:
        print("this must not get between the messages", params.cwd)
        return v2.NewSessionResponse(session_id=SESSION)

    async def session_prompt(self, params: v2.PromptRequest) -> v2.PromptResponse:
        texts = [block.text for block in params.prompt if isinstance(block, v2.TextContent)]
        self._acting.check(texts)
        # The response says that the message was taken; the work goes on after it.
        self._prompts.append(asyncio.create_task(self._work(texts)))
        return v2.PromptResponse(message_id=f"prompt-{len(self._prompts)}")

    async def _work(self, texts: list[str]) -> None:
        await self._stage.update(v2.RunningStateUpdate())
        stop = await self._acting.perform(texts)
        await self._stage.update(v2.IdleStateUpdate(stop_reason=stop))

    async def session_cancel(self, params: v2.CancelSessionNotification) -> None:
        self._acting.cancelled.set()

    async def ext_request(self, method: str, params: v2.ExtRequest) -> v2.ExtResponse:
        return await self._acting.extension_request(method, params)

    async def ext_notification(self, method: str, params: v2.ExtNotification) -> None:
        await self._acting.extension_notification(method, params)
