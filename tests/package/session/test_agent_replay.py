"""An agent that replays a session to a client."""

from __future__ import annotations

import asyncio
from typing import Any

from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, memory_streams
from package.jsonrpc.wire import ask
from package.session.agent_work import Waiting, message, said
from package.session.scripted import (
    CANCEL,
    SESSION,
    V1,
    V2,
    Json,
    Script,
    Version,
    agent,
    agreeing,
    begun,
    each_v2,
    each_version,
    ended,
    idle,
    prompt,
    result,
    run,
    settle,
    text,
)


@each_version
def test_a_replay_rebuilds_the_state(version: Version) -> None:
    surface = version.surface

    async def turn(session: Any, params: Any) -> str:
        await session.think("hm")
        await session.think("...")
        await session.say("yes")
        await session.say(surface.ResourceLink(name="n", uri="file:///f"))
        await session.tool_call(tool_call_id="t", title="T", status="in_progress")
        update = {"tool_call_id": "t", "status": "completed"}
        await (session.tool_call_update if version is V1 else session.tool_call)(**update)
        await session.usage(used=1, size=2)
        return "refusal"

    async def main() -> None:
        async with agent(version, turn) as (script, session):
            for id_ in range(2):
                script.write(prompt(id_, "a", "b"))
                await begun(version, script, id_, "a", "b")
                await script.updates(7)
                await ended(version, script, id_, "refusal")
            await settle()
            await session.replay()
            expected = session.state.to_updates()
            found = await script.updates(len(expected))
            rebuilt = version.client.SessionState()
            for update in found:
                rebuilt.apply(surface.decode(surface.SessionUpdate, update))
            assert rebuilt == session.state
            assert [each["sessionUpdate"] for each in found].count("state_update") == (
                0 if version is V1 else 1
            )

    run(main())


def test_v1_the_replay_of_a_new_session_is_empty() -> None:
    async def main() -> None:
        async with agent(V1) as (_, session):
            await session.replay()

    run(main())


@each_v2
def test_v2_a_replay_always_says_what_goes_on(version: Version) -> None:
    async def main() -> None:
        async with agent(version) as (script, session):
            update = {"sessionUpdate": "state_update"}
            for _ in range(2):
                await session.replay()
                assert await script.updates(1) == [{**update, "state": "idle"}]
            await session.running()
            await session.replay()
            assert await script.updates(2) == [{**update, "state": "running"}] * 2

    run(main())


@each_v2
def test_v2_a_replay_during_a_turn_says_that_it_is_running(version: Version) -> None:
    async def main() -> None:
        async with agent(version, Waiting()) as (script, session):
            script.write(prompt(1))
            message_id = await begun(version, script, 1)
            await session.replay()
            user, busy = await script.updates(2)
            assert user == {
                "sessionUpdate": "user_message",
                "messageId": message_id,
                "content": [text("Hi")],
            }
            assert busy == {"sessionUpdate": "state_update", "state": "running"}
            script.write(CANCEL)
            await ended(version, script, 1, "cancelled")

    run(main())


@each_version
def test_a_replay_is_not_mixed_up_with_what_is_said_meanwhile(version: Version) -> None:
    surface = version.surface

    async def main() -> None:
        gate = asyncio.Event()

        async def turn(session: Any, params: Any) -> None:
            await session.say("a")
            await gate.wait()
            for _ in range(10):
                await session.say("b")

        async with agent(version, turn) as (script, session):
            for number in range(10):
                await session.user_message_chunk(
                    message_id=f"u{number}", content=surface.TextContent(text="q")
                )
            await script.updates(10)
            script.write(prompt(1))
            await begun(version, script, 1)
            assert await said(script) == "a"
            rebuilt = version.client.SessionState()
            gate.set()
            await session.replay()
            await settle()
            while not rebuilt_ends(version, update := await script.read()):
                params = update["params"]["update"]
                rebuilt.apply(surface.decode(surface.SessionUpdate, params))
            if version is V2:
                params = update["params"]["update"]
                rebuilt.apply(surface.decode(surface.SessionUpdate, params))
            assert rebuilt.messages[-1].text == "abbbbbbbbbb"
            assert rebuilt == session.state

    def rebuilt_ends(version: Version, message: Json) -> bool:
        if version is V1:
            return "id" in message
        return bool(message["params"]["update"].get("state") == "idle")

    run(main())


def test_v1_a_session_that_is_loaded_is_replayed_before_the_response() -> None:
    async def main() -> None:
        near, far = memory_streams()
        script = Script(near)

        class Agent(V1.agent.SessionAgent):  # type: ignore[misc, name-defined]
            async def session_load(self, params: Any) -> Any:
                await self.session(params.session_id).replay()
                return v1.LoadSessionResponse()

            initialize = staticmethod(agreeing(V1))
            turn = staticmethod(idle)

        peer = Peer(far, "agent", Agent)
        served: Any = peer.handler
        running = asyncio.create_task(peer.run(0))
        await script.initialize(1)
        await served.open(SESSION).say("a")
        assert await script.updates(1) == [message("a")]
        script.write(ask(1, "session/load", sessionId=SESSION, cwd="/", mcpServers=[]))
        assert await script.updates(1) == [message("a")]
        assert await script.read() == result(1)
        await script.close()
        await running

    run(main())
