"""The sessions that an agent has open: no more than the limit, and each once."""

from __future__ import annotations

import pytest
from acp_bindings.runtime import INTERNAL_ERROR, RequestError
from acp_bindings.runtime.jsonrpc import Limits
from package.jsonrpc.wire import ask
from package.session.agent_work import Waiting
from package.session.client_turns import opening
from package.session.scripted import (
    CANCEL,
    SESSION,
    Version,
    agent,
    begun,
    each_version,
    ended,
    prompt,
    run,
    settle,
)


@each_version
async def test_a_session_beyond_the_limit_is_refused(version: Version) -> None:
    async with agent(version) as (script, session):
        session.peer.limits = Limits(sessions=2)
        new = ask(1, "session/new", **opening(version, "new")[1])
        script.write(new)
        opened = (await script.read())["result"]["sessionId"]
        script.write({**new, "id": 2})
        error = (await script.read())["error"]
        assert error["code"] == INTERNAL_ERROR
        assert error["message"] == "2 sessions are open, which is the limit `sessions`"
        script.write(ask(3, "session/close", sessionId=opened), {**new, "id": 4})
        assert await script.read() == {"id": 3, "result": {}}
        assert "result" in await script.read()


@each_version
async def test_an_open_session_can_be_opened_at_the_limit(version: Version) -> None:
    async with agent(version) as (_, session):
        session.peer.limits = Limits(sessions=1)
        assert session.peer.handler.open(SESSION) is session
        with pytest.raises(RequestError, match="1 sessions are open"):
            session.peer.handler.open()


@each_version
async def test_a_session_that_is_opened_again_keeps_its_turn(version: Version) -> None:
    work = Waiting()
    async with agent(version, work) as (script, session):
        script.write(prompt(1))
        await begun(version, script, 1)
        await settle()
        assert session.peer.handler.open(SESSION) is session
        assert session.is_working
        script.write(CANCEL)
        await ended(version, script, 1, "cancelled")
