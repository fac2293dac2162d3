"""The agent of the conversation with the official Python SDK, protocol 1."""

from __future__ import annotations

import asyncio
from typing import Any

from acp import RequestError, run_agent, schema

from interop.stage import AGENT, OPTIONS, PLAN, SESSION, Acting


def text_block(text: str) -> schema.TextContentBlock:
    """A block with that text."""
    return schema.TextContentBlock(type="text", text=text)


class Stage:
    """See `stage.Stage`."""

    error = RequestError

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def think(self, text: str) -> None:
        await self._update(
            schema.AgentThoughtChunk(session_update="agent_thought_chunk", content=text_block(text))
        )

    async def say(self, text: str) -> None:
        await self._update(
            schema.AgentMessageChunk(session_update="agent_message_chunk", content=text_block(text))
        )

    async def start_tool(self) -> None:
        await self._update(
            schema.ToolCallStart(
                session_update="tool_call",
                tool_call_id="call-1",
                title="Reading",
                kind="read",
                status="pending",
                raw_input={"path": "main.py", "lines": [1, 2.5]},
                field_meta={"interop": True},
            )
        )

    async def finish_tool(self) -> None:
        content = schema.ContentToolCallContent(type="content", content=text_block("42 lines"))
        await self._update(
            schema.ToolCallProgress(
                session_update="tool_call_update",
                tool_call_id="call-1",
                status="completed",
                content=[content],
            )
        )

    async def plan(self) -> None:
        entries = [schema.PlanEntry(content=c, priority=p, status=s) for c, p, s in PLAN]
        await self._update(schema.AgentPlanUpdate(session_update="plan", entries=entries))

    async def ask(self, title: str, tool_call: str) -> str:
        response = await self._connection.request_permission(
            session_id=SESSION,
            tool_call=schema.ToolCallUpdate(tool_call_id=tool_call, title=title),
            options=[
                schema.PermissionOption(option_id=i, name=name, kind=k) for i, name, k in OPTIONS
            ],
        )
        outcome = response.outcome
        return outcome.option_id if isinstance(outcome, schema.AllowedOutcome) else "none"

    async def request(self, method: str, params: Any) -> Any:
        if method.startswith("_"):
            return await self._connection.ext_method(method[1:], params)
        # The SDK offers no other way to call what does not exist.
        return await self._connection._conn.send_request(method, params)

    async def notify(self, method: str, params: Any) -> None:
        await self._connection.ext_notification(method[1:], params)

    async def _update(self, update: Any) -> None:
        await self._connection.session_update(session_id=SESSION, update=update)


class Agent:
    """Hands on to `Acting` what the conversation is about."""

    def on_connect(self, connection: Any) -> None:
        self._acting = Acting(Stage(connection))

    async def initialize(
        self,
        protocol_version: int,
        client_capabilities: Any = None,
        client_info: Any = None,
        **kwargs: Any,
    ) -> schema.InitializeResponse:
        return schema.InitializeResponse(
            protocol_version=1,
            agent_capabilities=schema.AgentCapabilities(
                prompt_capabilities=schema.PromptCapabilities(embedded_context=True)
            ),
            agent_info=schema.Implementation(name=AGENT, version="1.0.0"),
        )

    async def new_session(
        self, cwd: str, mcp_servers: Any = None, **kwargs: Any
    ) -> schema.NewSessionResponse:
        return schema.NewSessionResponse(session_id=SESSION)

    async def prompt(self, session_id: str, prompt: list[Any], **kwargs: Any) -> Any:
        texts = [block.text for block in prompt if isinstance(block, schema.TextContentBlock)]
        self._acting.check(texts)
        return schema.PromptResponse(stop_reason=await self._acting.perform(texts))

    async def cancel(self, session_id: str, **kwargs: Any) -> None:
        self._acting.cancelled.set()

    async def ext_method(self, method: str, params: dict[str, Any]) -> Any:
        return await self._acting.extension_request(f"_{method}", params)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        await self._acting.extension_notification(f"_{method}", params)


if __name__ == "__main__":
    asyncio.run(run_agent(Agent()))
