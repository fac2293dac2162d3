"""An agent and a client for the sample extension `acme`.

Importing this module generates the extension's package.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from acp_bindings import v2
from acp_bindings.runtime.aio import Peer, connect_memory

from tests.acpgen.extensions.packages import package

acme = package("acme")
INFO = v2.Implementation(name="test", version="1")
INDEX = acme.IndexRequest(session_id="s", paths=[])
OPEN = v2.InitializeRequest(protocol_version=2, info=INFO)


class Agent(acme.AgentHandler):  # type: ignore[misc, name-defined]
    """An agent that handles index requests and reports its progress."""

    able: Any = {}  # noqa: RUF012

    def __init__(self, peer: Peer) -> None:
        self.client = acme.ClientStub(peer)

    async def initialize(self, params: v2.InitializeRequest) -> v2.InitializeResponse:
        able = v2.AgentCapabilities(meta={"acme": {"index": self.able}})
        return v2.InitializeResponse(protocol_version=2, info=INFO, capabilities=able)

    async def acme_index(self, params: Any) -> Any:
        step = v2.Cost(amount=0.5, currency="EUR")
        done = acme.IndexedNotification(session_id=params.session_id, steps=[step])
        await self.client.acme_indexed(done)
        update = acme.unrefine(acme.Progress(percent=40))
        note = v2.UpdateSessionNotification(session_id=params.session_id, update=update)
        await self.client.session_update(note)
        return acme.IndexResponse(files=len(params.paths))

    async def acme_forget(self, params: Any) -> Any:
        return None

    async def ext_request(self, method: str, params: Any) -> Any:
        return {"asked": method}


class Client(acme.ClientHandler, v2.ClientHandler):  # type: ignore[misc, name-defined]
    def __init__(self) -> None:
        self.heard: list[Any] = []

    async def acme_indexed(self, params: Any) -> None:
        self.heard.append(params)

    async def acme_ping(self, params: v2.CancelSessionNotification) -> Any:
        return "full"

    async def session_update(self, params: v2.UpdateSessionNotification) -> None:
        self.heard.append(acme.refine(params.update))


@asynccontextmanager
async def talking(agent: Any = Agent, client: Any = None) -> AsyncIterator[Any]:
    """Connect an agent to a client, initialize the connection, and yield a stub for the agent."""
    async with connect_memory(agent, client or Client()) as peer:
        stub = acme.AgentStub(peer)
        await stub.initialize(OPEN)
        yield stub
