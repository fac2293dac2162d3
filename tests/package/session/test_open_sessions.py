"""The sessions that an agent has open: no more than the limit, each once; and how they end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings.runtime import INTERNAL_ERROR, RequestError
from acp_bindings.runtime.aio import Peer, memory_streams
from acp_bindings.runtime.jsonrpc import Limits
from package.jsonrpc.wire import ask
from package.session.agent_work import Turn, Waiting, raising
from package.session.client_turns import opening
from package.session.scripted import (
    CANCEL,
    SESSION,
    V1,
    Json,
    Script,
    Version,
    agent,
    agreeing,
    begun,
    each_version,
    ended,
    failure,
    handler,
    logs,
    prompt,
    result,
    settle,
    state,
)


@each_version
async def test_a_session_beyond_the_limit_is_refused(version: Version) -> None:
    async with agent(version) as (script, session):
        session.peer.limits = Limits(sessions=2)
        new = ask(1, "session/new", **opening(version, "new")[1])
        script.write(new)
        opened = (await script.read())["result"]["sessionId"]
        script.write({**new, "id": 2})
        message = "2 sessions are open, which is the limit `sessions`"
        assert await script.read() == failure(2, INTERNAL_ERROR, message)
        script.write(ask(3, "session/close", sessionId=opened), {**new, "id": 4})
        assert await script.read() == result(3)
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
    async with agent(version, Waiting()) as (script, session):
        script.write(prompt(1))
        await begun(version, script, 1)
        await settle()
        assert session.peer.handler.open(SESSION) is session
        assert session.is_working
        script.write(CANCEL)
        await ended(version, script, 1, "cancelled")


@logs("the handler of 'session/new' failed")
@each_version
async def test_a_session_that_was_not_opened_is_an_error_of_the_agent(
    version: Version, caplog: Any
) -> None:
    async def promise(params: Any) -> Any:
        return version.surface.NewSessionResponse(session_id="new")

    async with agent(version, session_new=promise) as (script, session):
        new = ask(1, "session/new", **opening(version, "new")[1])
        script.write(new)
        assert await script.read() == failure(1, INTERNAL_ERROR, "internal error")
        session.peer.handler.open("new")
        script.write({**new, "id": 2})
        assert await script.read() == result(2, sessionId="new")
    (record,) = caplog.records
    text = "session_new did not open the session 'new': call self.open('new')"
    assert str(record.exc_info[1]) == text


# --- turns that end the program: the client is told of a failure before ----------------------

each_exit = pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])


def told(version: Version, kind: type[BaseException], turn: Turn, *messages: Json) -> list[Json]:
    """What a client that sends these messages is told by a program that ends so."""
    near, far = memory_streams()
    script = Script(near)

    async def main() -> None:
        methods: Any = {"initialize": agreeing(version), "turn": turn}
        peer = Peer(far, "agent", handler(version.agent.SessionAgent, **methods))
        serving = asyncio.create_task(peer.run())
        await script.initialize(version.number)
        served: Any = peer.handler
        served.open("s")
        for message in messages:
            script.write(message)
            await settle()
        await serving

    with pytest.raises(kind):
        asyncio.run(main())
    return asyncio.run(script.rest())


@each_version
@each_exit
@pytest.mark.parametrize("is_cancelled", [True, False])
def test_the_client_is_told_before_the_program_ends(
    version: Version, kind: type[BaseException], is_cancelled: bool
) -> None:
    ending = raising(kind())
    if is_cancelled:
        messages = told(version, kind, Waiting(ending), prompt(1), CANCEL)
    else:
        messages = told(version, kind, ending, prompt(1))
    error = {"code": INTERNAL_ERROR, "message": "internal error"}
    failed = {"id": 1, "error": error}
    if version is not V1:
        failed = state("idle", stopReason="error", error=error)
    assert messages[-1] == failed
    assert len(messages) == (1 if version is V1 else 4)


def test_v1_other_turns_are_cancelled() -> None:
    async def turn(session: Any, params: Any) -> str | None:
        if params.session_id == "s":
            session.peer.handler.open("other")
            await asyncio.Event().wait()
        raise SystemExit

    messages = told(V1, SystemExit, turn, prompt(1), prompt(2, session="other"))
    assert {each["id"]: each["error"]["code"] for each in messages} == {1: -32800, 2: -32603}
