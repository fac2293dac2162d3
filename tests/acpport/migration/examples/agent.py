"""An agent that echoes each prompt and logs each call."""

import asyncio
import logging
from itertools import count
from typing import Any

from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, serve_stdio


class ExampleAgent(v1.SessionAgent):
    """An agent that numbers new sessions and opens unknown sessions on demand."""

    info = v1.Implementation(name="example-agent", title="Example Agent", version="0.1.0")

    def __init__(self, peer: Peer) -> None:
        super().__init__(peer)
        self.ids = map(str, count())

    def session(self, session_id: str) -> v1.AgentSession:
        return self.sessions.get(session_id) or self.open(session_id)

    async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
        logging.info("Received initialize request")
        return await super().initialize(params)

    async def authenticate(self, params: v1.AuthenticateRequest) -> None:
        logging.info("Received authenticate request %s", params.method_id)

    async def session_new(self, params: v1.NewSessionRequest) -> v1.NewSessionResponse:
        logging.info("Received new session request")
        return v1.NewSessionResponse(session_id=self.open(next(self.ids)).session_id)

    async def session_load(self, params: v1.LoadSessionRequest) -> None:
        logging.info("Received load session request %s", params.session_id)
        self.session(params.session_id)

    async def session_set_mode(self, params: v1.SetSessionModeRequest) -> None:
        ids = params.session_id, params.mode_id
        logging.info("Received set session mode request %s -> %s", *ids)

    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
        logging.info("Received prompt request for session %s", session.session_id)
        await session.say("Client sent:")
        for block in params.prompt:
            await session.say(block)

    async def session_cancel(self, params: v1.CancelNotification) -> None:
        logging.info("Received cancel notification for session %s", params.session_id)
        await super().session_cancel(params)

    async def ext_request(self, method: str, params: Any) -> Any:
        logging.info("Received extension method call: %s", method.removeprefix("_"))
        return {"example": "response"}

    async def ext_notification(self, method: str, params: Any) -> None:
        logging.info("Received extension notification: %s", method.removeprefix("_"))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(serve_stdio(ExampleAgent))
