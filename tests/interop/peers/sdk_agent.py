"""The agent for the test conversation, built with the official Python SDK.

Usage: `sdk_agent VERSION`.
"""

from __future__ import annotations

import asyncio
from typing import Any

from acp import RequestError

from tests.interop.peers.sdk import VERSION, Extended, acp, call, schema
from tests.interop.stage import SESSION, Acting, initialized

NOTIFICATION = "SessionNotification" if VERSION == 1 else "UpdateSessionNotification"


class Agent(Extended):
    """An agent that passes client messages to `Acting` and implements the `Stage` interface."""

    error = RequestError
    version = VERSION

    def __init__(self) -> None:
        self._acting = Acting(self)

    # --- messages from the client ----------------------------------------------------------------

    async def initialize(self, protocol_version: int, **_: Any) -> Any:
        return schema.InitializeResponse.model_validate(initialized(VERSION))

    async def new_session(self, cwd: str, **_: Any) -> Any:
        return schema.NewSessionResponse(session_id=SESSION)

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> Any:
        answer = await self._acting.prompt([block.text for block in prompt])
        return schema.PromptResponse.model_validate(answer)

    async def cancel(self, session_id: str, **_: Any) -> None:
        self._acting.cancelled.set()

    cancel_session = cancel

    async def on_request(self, method: str, params: Any) -> Any:
        return await self._acting.extension_request(method, params)

    async def on_notification(self, method: str, params: Any) -> None:
        await self._acting.extension_notification(method, params)

    # --- actions of the conversation -------------------------------------------------------------

    async def update(self, update: Any) -> None:
        await call(
            self.connection.session_update, NOTIFICATION, {"sessionId": SESSION, "update": update}
        )

    async def ask(self, params: Any) -> Any:
        return await call(self.connection.request_permission, "RequestPermissionRequest", params)


if __name__ == "__main__":
    asyncio.run(acp.run_agent(Agent()))
