"""This package's protocol 2 agent, which responds only to `initialize`."""

import asyncio

from acp_bindings import v2
from acp_bindings.runtime.aio import serve_stdio


class Agent(v2.AgentHandler):
    async def initialize(self, params: v2.InitializeRequest) -> v2.InitializeResponse:
        info = v2.Implementation(name="agent", version="1.0")
        return v2.InitializeResponse(protocol_version=2, info=info)


asyncio.run(serve_stdio(Agent))
