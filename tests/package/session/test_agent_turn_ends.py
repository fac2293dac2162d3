"""Tests that an agent reports the end of a turn exactly once, regardless of later errors."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime import INTERNAL_ERROR, RequestError
from acp_bindings.runtime.aio import Peer, memory_streams

from tests.package.jsonrpc.wire import ask, initialize, line, tell
from tests.package.session.legal_agent import (
    CANCELLED,
    PLAYED,
    Conversation,
    Prompt,
    Report,
    actions,
)
from tests.package.session.scripted import (
    SESSION,
    V1,
    V2,
    Json,
    Version,
    Waiting,
    agent,
    begin,
    ended,
    handler,
    logs,
    nothing,
    prompt,
    raising,
    returning,
    serving,
    settle,
    text,
)
from tests.support import virtual_time

INTERNAL = {"code": INTERNAL_ERROR, "message": "internal error"}


class Odd(BaseException):
    """An exception that isn't a subclass of `Exception`."""


# Exceptions that don't extend `Exception`, including exceptions from pytest and generators.
ODD: list[BaseException] = [Odd(), pytest.fail.Exception("no"), GeneratorExit()]


@logs("a turn failed")
@pytest.mark.parametrize("error", ODD, ids=lambda error: type(error).__name__)
async def test_v2_a_turn_ends_whatever_its_work_raises(error: BaseException) -> None:
    async with agent(V2, raising(error)) as (script, session):
        await begin(V2, script)
        assert await script.updates(1) == [idle("error", error=INTERNAL)]
        await settle()
        assert not session.has_turns


def idle(reason: str, **members: Json) -> Json:
    return {"sessionUpdate": "state_update", "state": "idle", "stopReason": reason, **members}


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()], ids=repr)
async def test_v2_the_end_is_sent_before_the_program_ends(error: BaseException) -> None:
    session: Any = None

    async def serve(written: list[bytes]) -> None:
        nonlocal session
        near, far = memory_streams()
        peer = Peer(far, "agent", handler(v2.SessionAgent, turn=raising(error)))
        served: Any = peer.handler
        session = served.open(SESSION)
        far.write = written.append  # type: ignore[method-assign]
        running = asyncio.create_task(peer.run(0))
        near.write(line(initialize(2, "initialize"), prompt(1)))
        await running

    written: list[bytes] = []
    with pytest.raises(type(error)):
        await asyncio.to_thread(asyncio.run, serve(written))
    assert b"".join(written).count(b'"idle"') == 1
    assert session.state.state.stop_reason == "error"


# --- updates that cannot be sent -----------------------------------------------------------------


@logs("a turn failed")
async def test_v2_a_turn_ends_if_its_prompt_cannot_be_echoed() -> None:
    async with agent(V2, nothing) as (script, session):
        block: Any = v2.TextContent(text=object())  # type: ignore[arg-type]
        await session.run_turn([block], session.agent.turn(session, None))
        assert await script.updates(1) == [idle("error", error=INTERNAL)]


class Failing(v2.AgentSession):
    """A session that raises an error before or after it sends updates of certain types."""

    kinds: tuple[type, ...] = ()
    is_sent = False

    async def update(self, update: Any, *, meta: Any = None) -> None:
        if not isinstance(update, self.kinds) or self.is_sent:
            await super().update(update, meta=meta)
        if isinstance(update, self.kinds):
            raise LookupError("no")


class Dropping(v2.AgentSession):
    """A session that doesn't send state updates."""

    async def update(self, update: Any, *, meta: Any = None) -> None:
        if not isinstance(update, (v2.IdleStateUpdate, v2.RunningStateUpdate)):
            await super().update(update, meta=meta)


class Replacing(v2.AgentSession):
    """A session that always reports that the agent is running."""

    async def update(self, update: Any, *, meta: Any = None) -> None:
        if isinstance(update, v2.IdleStateUpdate):
            update = v2.RunningStateUpdate()
        await super().update(update, meta=meta)


SENDING = "'update' failed to send the end of a turn; sending it directly"


async def end_of(session_class: type[v2.AgentSession], turns: int = 1) -> list[Json]:
    """Run turns in a session of this class and return its state updates."""

    class Agent(v2.SessionAgent[session_class]):  # type: ignore[valid-type]
        async def turn(self, session: Any, params: Any) -> str:
            return "refusal"

    async with serving(V2, Agent) as script:
        script.write(ask(2, "session/new", cwd="/"))
        session_id = (await script.read())["result"]["sessionId"]
        for number in range(turns):
            script.write(prompt(3 + number, session=session_id))
            await settle()
        await script.close()
        found = await script.rest()
    updates = [message["params"]["update"] for message in found if "method" in message]
    return [each for each in updates if each["sessionUpdate"] == "state_update"]


@logs("a turn failed")
@pytest.mark.parametrize("kind", [v2.UserMessage, v2.RunningStateUpdate])
async def test_v2_a_turn_ends_if_an_overridden_update_fails(kind: type) -> None:
    failing = type("Failing", (Failing,), {"kinds": (kind,)})
    assert (await end_of(failing))[-1] == idle("error", error=INTERNAL)


@logs(SENDING)
@pytest.mark.parametrize("is_sent", [False, True])
async def test_v2_a_turn_ends_once_if_an_overridden_update_fails_at_the_end(is_sent: bool) -> None:
    members = {"kinds": (v2.IdleStateUpdate,), "is_sent": is_sent}
    ends = await end_of(type("Failing", (Failing,), members))
    assert ends == [{"sessionUpdate": "state_update", "state": "running"}, idle("refusal")]


async def test_v2_turns_end_if_an_overridden_update_drops_reports() -> None:
    assert await end_of(Dropping, turns=2) == [idle("refusal")] * 2


async def test_v2_a_turn_ends_if_an_overridden_update_replaces_the_end() -> None:
    running = {"sessionUpdate": "state_update", "state": "running"}
    assert await end_of(Replacing) == [running, running, idle("refusal")]


# --- the end of the connection -------------------------------------------------------------------


async def test_v2_a_session_is_idle_after_its_connection_ended_during_a_turn() -> None:
    served = v2.SessionAgent()
    served.turn = Waiting()  # type: ignore[method-assign]
    session = served.open(SESSION)
    async with serving(V2, served) as script:
        await begin(V2, script)
    assert isinstance(session.state.state, v2.IdleStateUpdate)
    async with serving(V2, served) as script:
        script.write(ask(2, "session/resume", sessionId=SESSION, cwd="/"))
        assert await script.updates(1) == [idle("cancelled")]


# --- turns within turns --------------------------------------------------------------------------


@pytest.mark.parametrize("version", [V1, V2], ids=str)
async def test_a_turn_within_the_work_of_a_turn_of_its_session_is_refused(version: Version) -> None:
    problems: list[str] = []

    async def turn(session: Any, params: Any) -> None:
        if problems:
            return
        problems.append("")
        with pytest.raises(RuntimeError) as info:
            await session.run_turn(params.prompt, turn(session, params))
        problems.append(str(info.value))

    async with agent(version, turn) as (script, session):
        await begin(version, script)
        await ended(version, script, 1)
        assert problems[1].startswith(
            "run_turn cannot be awaited in the work of a turn of session 's'"
        )
        assert not session.has_turns


def test_a_turn_that_the_work_of_a_turn_awaits_in_a_task_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def turn(session: Any, params: Any) -> None:
        if params.prompt[0].text == "Hi":
            inner = session.run_turn([v2.TextContent(text="inner")], nothing(session, params))
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.create_task(inner), 60)

    async def main() -> None:
        async with agent(V2, turn) as (script, session):
            await begin(V2, script)
            await ended(V2, script, 1)
            await settle()
            assert not session.has_turns

    virtual_time.run(main(), within=100)
    assert [record.getMessage() for record in caplog.records] == [
        "a turn of session 's' has waited for 5 seconds for the turn that started it; if the "
        "earlier turn awaits the new one, both wait forever"
    ]


async def test_the_work_of_a_turn_can_queue_another_turn() -> None:
    async def turn(session: Any, params: Any) -> None:
        inner = session.run_turn([v2.TextContent(text="again")], nothing(session, params))
        session.agent.spawn(inner)

    async with agent(V2, turn) as (script, _):
        await begin(V2, script)
        await ended(V2, script, 1)
        [echo, running, end] = await script.updates(3)
        assert (echo["content"], running["state"]) == ([text("again")], "running")
        assert end == idle("end_turn")


# --- random works --------------------------------------------------------------------------------


async def say(session: Any, params: Any) -> str:
    await session.say("a")
    return "max_tokens"


def failing(make: Callable[[], BaseException]) -> Callable[[Any, Any], Awaitable[Any]]:
    """Return work that raises a new exception each time, since a reused traceback would grow."""

    async def fail(session: Any, params: Any) -> None:
        raise make()

    return fail


WORKS: list[Callable[[Any, Any], Awaitable[Any]]] = [
    nothing,
    say,
    returning("refusal"),
    Waiting(),
    Waiting(say),
    Waiting(failing(ValueError)),
    failing(lambda: RequestError(-7, "no")),
    failing(ValueError),
    failing(Odd),
]


class Observed:
    """A check that the messages to a client obey the rules in `legal_agent`."""

    def __init__(self) -> None:
        self.conversation = Conversation()
        self.by_message: dict[str, Prompt] = {}
        self.by_id: dict[Any, Prompt] = {}

    def take(self, message: Json) -> None:
        if "id" in message:
            asked = self.by_id[message["id"]]
            if "error" in message:
                assert message["error"]["code"] == -32800
                self.conversation.refuse(asked)
            else:
                self.by_message[message["result"]["messageId"]] = asked
                self.conversation.respond(asked)
            return
        update = message["params"]["update"]
        match update["sessionUpdate"]:
            case "user_message":
                self.conversation.echo(self.by_message[update["messageId"]])
            case "state_update":
                self.conversation.report(Report(update["state"], update.get("stopReason")))
            case _:
                self.conversation.output()


async def random_turns(seed: int) -> Conversation:
    """Perform random client actions and check that the agent's messages obey the rules."""
    entropy, observed = random.Random(seed), Observed()
    conversation = observed.conversation

    async def turn(session: Any, params: Any) -> Any:
        return await entropy.choice(WORKS)(session, params)

    async with serving(V2, handler(v2.SessionAgent, turn=turn)) as script:
        script.write(ask("new", "session/new", cwd="/"))
        session_id = (await script.read())["result"]["sessionId"]
        for action in [*actions(entropy, prompts=3), *["cancel", "agent"] * 3]:
            if action == "prompt":
                asked = conversation.prompt()
                observed.by_id[asked.number] = asked
                script.write(prompt(asked.number, session=session_id))
            elif action == "cancel":
                conversation.cancel()
                script.write(tell("session/cancel", sessionId=session_id))
            else:
                await settle(entropy.choice([1, 5, 30]))
        await settle()
        script.write(ask("end", "session/list"))
        while (message := await script.read()).get("id") != "end":
            observed.take(message)
    conversation.check_end()
    return conversation


def test_an_agent_is_legal_whatever_its_turns_do(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "acp_bindings")  # formatting thousands of errors is slow
    counts: Counter[str] = Counter()

    async def main() -> None:
        for seed in range(PLAYED):
            for asked in (await random_turns(seed)).prompts:
                counts["refused" if asked.end is None else str(asked.end.reason)] += 1

    asyncio.run(main())
    kinds = ("refused", CANCELLED, "error", "max_tokens", "end_turn")
    assert min(counts[kind] for kind in kinds) > PLAYED // 300
