"""Turns that end the program: the client is told of a failure before."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings.runtime.aio import Peer, memory_streams
from package.session.agent_work import Turn, Waiting, raising
from package.session.scripted import (
    CANCEL,
    V1,
    Json,
    Script,
    Version,
    agreeing,
    each_version,
    failure,
    handler,
    prompt,
    settle,
    state,
)

EXITS = pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])


def told(version: Version, kind: type[BaseException], turn: Turn, *messages: Json) -> list[Json]:
    """What a client is told by a program that ends so, after `initialize`.

    Args:
        version: spoken by both.
        kind: how the program ends.
        turn: the work of the agent.
        messages: what the client sends, each in a step of its own.
    """
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


def failed(version: Version) -> Json:
    """The failure of a prompt with the id 1."""
    if version is V1:
        return failure(1, -32603, "internal error")
    error = {"code": -32603, "message": "internal error"}
    return state("idle", stopReason="error", error=error)


@each_version
@EXITS
def test_the_client_is_told_before_the_program_ends(
    version: Version, kind: type[BaseException]
) -> None:
    messages = told(version, kind, raising(kind()), prompt(1))
    assert messages[-1] == failed(version)
    assert len(messages) == (1 if version is V1 else 4)


@each_version
@EXITS
def test_work_that_is_cancelled_may_end_the_program(
    version: Version, kind: type[BaseException]
) -> None:
    messages = told(version, kind, Waiting(raising(kind())), prompt(1), CANCEL)
    assert messages[-1] == failed(version)


def test_v1_other_turns_are_cancelled() -> None:
    async def turn(session: Any, params: Any) -> str | None:
        if params.session_id == "s":
            session.peer.handler.open("other")
            await asyncio.Event().wait()
        raise SystemExit

    messages = told(V1, SystemExit, turn, prompt(1), prompt(2, session="other"))
    assert {each["id"]: each["error"]["code"] for each in messages} == {1: -32800, 2: -32603}
