"""The agent for the remote test conversation, built with the official Python SDK.

Usage: `remote_sdk_agent VERSION SERVER TLS`. `TLS` is a folder with a certificate, or `-` for no
TLS.
"""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from typing import Any

from tests.interop.peers.sdk import VERSION, call, schema
from tests.interop.remote import serving
from tests.interop.remote.options import folder
from tests.interop.remote.stage import Acting


class Agent:
    """An agent that passes client messages to `Acting` and implements the `Stage` interface."""

    version = VERSION

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._acting = Acting(self)

    # --- messages from the client ------------------------------------------------------------

    async def initialize(self, protocol_version: int, **_: Any) -> Any:
        return schema.InitializeResponse.model_validate(self._acting.initialize())

    async def new_session(self, cwd: str, **_: Any) -> Any:
        return schema.NewSessionResponse.model_validate(self._acting.new())

    async def load_session(self, session_id: str, **_: Any) -> Any:
        return schema.LoadSessionResponse.model_validate(await self._acting.load(session_id))

    async def resume_session(self, session_id: str, **_: Any) -> Any:
        return schema.ResumeSessionResponse.model_validate(await self._acting.load(session_id))

    async def set_session_mode(self, session_id: str, mode_id: str, **_: Any) -> Any:
        answer = self._acting.set_mode(session_id, mode_id)
        return schema.SetSessionModeResponse.model_validate(answer)

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> Any:
        answer = await self._acting.prompt(session_id, [block.text for block in prompt])
        return schema.PromptResponse.model_validate(answer)

    async def cancel(self, session_id: str, **_: Any) -> None:
        self._acting.cancel(session_id)

    # --- actions of the conversation ---------------------------------------------------------

    async def update(self, session_id: str, update: Any) -> None:
        params = {"sessionId": session_id, "update": update}
        await call(self._connection.session_update, "SessionNotification", params)

    async def ask(self, params: Any) -> Any:
        return await call(self._connection.request_permission, "RequestPermissionRequest", params)


if __name__ == "__main__":
    _, server, tls = sys.argv[1:]
    # Only one of the tested SDK versions contains this module.
    app = import_module("acp.http.asgi").create_asgi_app(Agent)
    asyncio.run(serving.serve(app, server, folder(tls)))
