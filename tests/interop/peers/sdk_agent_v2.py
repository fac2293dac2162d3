"""The agent of the conversation with the official Python SDK, its experimental protocol 2."""

from __future__ import annotations

import asyncio
from typing import Any

from acp import RequestError
from acp.experimental.v2 import run_agent, schema

from interop.stage import AGENT, OPTIONS, PLAN, SESSION, Acting


class Stage:
    """See `stage.Stage`."""

    error = RequestError

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def think(self, text: str) -> None:
        content = schema.TextContentBlock(type="text", text=text)
        await self.update(
            schema.AgentThoughtChunk(
                session_update="agent_thought_chunk", message_id="thought-1", content=content
            )
        )

    async def say(self, text: str) -> None:
        content = schema.TextContentBlock(type="text", text=text)
        await self.update(
            schema.AgentMessageChunk(
                session_update="agent_message_chunk", message_id="message-1", content=content
            )
        )

    async def start_tool(self) -> None:
        await self.update(
            schema.SessionToolCallUpdate(
                session_update="tool_call_update",
                tool_call_id="call-1",
                title="Reading",
                kind="read",
                status="pending",
                raw_input={"path": "main.py", "lines": [1, 2.5]},
                field_meta={"interop": True},
            )
        )

    async def finish_tool(self) -> None:
        content = schema.ContentToolCallContent(
            type="content", content=schema.TextContentBlock(type="text", text="42 lines")
        )
        await self.update(
            schema.SessionToolCallUpdate(
                session_update="tool_call_update",
                tool_call_id="call-1",
                status="completed",
                content=[content],
            )
        )

    async def plan(self) -> None:
        entries = [schema.PlanEntry(content=c, priority=p, status=s) for c, p, s in PLAN]
        plan = schema.PlanUpdateItems(type="items", plan_id="plan-1", entries=entries)
        await self.update(schema.SessionPlanUpdate(session_update="plan_update", plan=plan))

    async def ask(self, title: str, tool_call: str) -> str:
        response = await self._connection.request_permission(
            session_id=SESSION,
            title=title,
            subject=schema.ToolCallPermissionSubjectVariant(
                type="tool_call",
                tool_call=schema.ToolCallUpdate(tool_call_id=tool_call, title=title),
            ),
            options=[
                schema.PermissionOption(option_id=i, name=name, kind=k) for i, name, k in OPTIONS
            ],
        )
        outcome = response.outcome
        if isinstance(outcome, schema.SelectedPermissionOutcomeVariant):
            return outcome.option_id
        return "none"

    async def request(self, method: str, params: Any) -> Any:
        if method.startswith("_"):
            return await self._connection.send_extension_request(method, params)
        # The SDK offers no other way to call what does not exist.
        return await self._connection._conn.send_request(method, params)

    async def notify(self, method: str, params: Any) -> None:
        await self._connection.send_extension_notification(method, params)

    async def update(self, update: Any) -> None:
        await self._connection.session_update(session_id=SESSION, update=update)


class Agent:
    """Hands on to `Acting` what the conversation is about."""

    def on_connect(self, connection: Any) -> None:
        self._stage = Stage(connection)
        self._acting = Acting(self._stage)
        self._prompts: list[asyncio.Task[None]] = []

    async def initialize(
        self, protocol_version: int, info: Any, capabilities: Any = None, **kwargs: Any
    ) -> schema.InitializeResponse:
        return schema.InitializeResponse(
            protocol_version=2,
            info=schema.Implementation(name=AGENT, version="1.0.0"),
            capabilities=schema.AgentCapabilities(session=schema.SessionCapabilities()),
        )

    async def new_session(self, cwd: str, **kwargs: Any) -> schema.NewSessionResponse:
        return schema.NewSessionResponse(session_id=SESSION)

    async def prompt(
        self, session_id: str, prompt: list[Any], **kwargs: Any
    ) -> schema.PromptResponse:
        texts = [block.text for block in prompt if isinstance(block, schema.TextContentBlock)]
        self._acting.check(texts)
        self._prompts.append(asyncio.create_task(self._work(texts)))
        return schema.PromptResponse(message_id=f"prompt-{len(self._prompts)}")

    async def _work(self, texts: list[str]) -> None:
        await self._stage.update(
            schema.RunningSessionStateUpdate(session_update="state_update", state="running")
        )
        stop = await self._acting.perform(texts)
        await self._stage.update(
            schema.IdleSessionStateUpdate(
                session_update="state_update", state="idle", stop_reason=stop
            )
        )

    async def cancel_session(self, session_id: str, **kwargs: Any) -> None:
        self._acting.cancelled.set()

    async def handle_extension_request(self, method: str, params: Any) -> Any:
        return await self._acting.extension_request(method, params)

    async def handle_extension_notification(self, method: str, params: Any) -> None:
        await self._acting.extension_notification(method, params)


if __name__ == "__main__":
    asyncio.run(run_agent(Agent()))
