"""Handlers of the wrong side are refused."""

from __future__ import annotations

from types import ModuleType

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime.aio import connect, memory_streams, serve
from package.jsonrpc.scripted_agent import FAILED, agent, served
from package.jsonrpc.wire import each_version, initialize
from package.session.scripted import run


@each_version
def test_an_agent_with_the_handler_of_a_client_is_refused(surface: ModuleType) -> None:
    async def main() -> None:
        near, far = memory_streams()
        with pytest.raises(
            TypeError,
            match="this side is the agent, but ClientHandler handles the calls of the other",
        ):
            await serve(far, surface.ClientHandler)
        assert await near.read() == b""

    run(main())


@each_version
def test_a_client_with_the_handler_of_an_agent_is_refused(surface: ModuleType) -> None:
    async def main() -> None:
        near, far = memory_streams()
        with pytest.raises(
            TypeError,
            match="this side is the client, but AgentHandler handles the calls of the other",
        ):
            await connect(near, surface.AgentHandler).__aenter__()
        assert await far.read() == b""

    run(main())


def test_an_agent_of_versions_with_the_handler_of_a_client_answers_that_it_failed() -> None:
    async def main() -> None:
        factory = {v2: lambda peer: v2.ClientHandler()}
        script, serving = await served(agent(v1), factory, initialized=False)
        script.write(initialize(2, 1))
        assert await script.read() == FAILED
        await script.close()
        await serving

    run(
        main(),
        "the handler for protocol version 2 cannot be made",
        "refused a message (id 1): internal error (-32603)",
    )
