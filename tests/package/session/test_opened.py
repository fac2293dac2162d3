"""An agent that promises a session which it did not open."""

from __future__ import annotations

import asyncio
from typing import Any

from acp_bindings.runtime.aio import Peer, memory_streams
from package.jsonrpc.wire import ask
from package.session.scripted import (
    SESSION,
    Json,
    Script,
    Version,
    agreeing,
    each_version,
    failure,
    idle,
    result,
    run,
)


async def answer(version: Version, new: Any) -> Json:
    """The answer of an agent to a request for a new session, which a method handles so."""
    near, far = memory_streams()
    script = Script(near)

    class Agent(version.agent.SessionAgent):  # type: ignore[misc, name-defined]
        initialize = staticmethod(agreeing(version))
        turn = staticmethod(idle)
        session_new = new

    peer = Peer(far, "agent", Agent)
    running = asyncio.create_task(peer.run(0))
    await script.initialize(version.number)
    script.write(ask(1, "session/new", cwd="/", mcpServers=[]))
    found = await script.read()
    await script.close()
    await running
    return found


@each_version
@logs("the handler of 'session/new' failed")
async def test_a_session_that_was_not_opened_is_an_error_of_the_agent(version: Version) -> None:
    async def promise(self: Any, params: Any) -> Any:
        return version.surface.NewSessionResponse(session_id="s")

    expected = failure(1, -32603, "internal error")
    assert await answer(version, promise) == expected


@each_version
def test_the_log_says_what_to_call(version: Version, caplog: Any) -> None:
    async def promise(self: Any, params: Any) -> Any:
        return version.surface.NewSessionResponse(session_id="s")

    run(answer(version, promise), "the handler of 'session/new' failed")
    (record,) = caplog.records
    text = "session_new did not open the session 's': call self.open('s')"
    assert str(record.exc_info[1]) == text


@each_version
async def test_a_session_that_was_opened_is_answered(version: Version) -> None:
    async def new(self: Any, params: Any) -> Any:
        session = self.open(SESSION)
        return version.surface.NewSessionResponse(session_id=session.session_id)

    assert await answer(version, new) == result(1, sessionId=SESSION)
