"""Tests that in protocol 2, only the order of messages determines when a client's turn ends."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from itertools import permutations, product
from typing import Any, get_args

import pytest
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.jsonrpc.limits import Limits
from acp_bindings.runtime.session.turn_phases import (
    PHASES,
    PHASES_WITHOUT_ECHO,
    Course,
    Event,
    Foreground,
    Habits,
    Progress,
    Table,
)

from tests.package.session.scripted import (
    MESSAGE,
    SESSION,
    V1,
    V2,
    Json,
    Script,
    Version,
    chunk,
    client,
    each_v1,
    each_v2,
    result,
    settle,
    state,
    text,
    texts,
    update,
)

COMMON = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")


# --- the end of a turn, version 1 ------------------------------------------------------------


@each_v1
@pytest.mark.parametrize("reason", [*COMMON, "error", "too_long", "_vendor"])
async def test_v1_the_response_ends_the_turn(version: Version, reason: str) -> None:
    async with client(version) as (script, session):
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            script.write(chunk("a"))
            await settle()
            assert not turn.is_over
            assert (turn.response, turn.ending, turn.stop_reason) == (None, None, None)
            assert session.turns == [turn]
            script.write(result(id_, stopReason=reason))
        assert turn.is_over
        assert session.turns == []
        assert turn.stop_reason == reason
        assert turn.known_stop_reason == (reason if reason in COMMON else None)
        assert turn.ending == version.surface.PromptResponse(stop_reason=reason)
        assert turn.ending is turn.response
        assert not turn.is_cancelled


async def test_v1_updates_behind_the_response_are_not_of_the_turn() -> None:
    async with client(V1) as (script, session):
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            script.write(chunk("a"), result(id_, stopReason="end_turn"), chunk("b"))
            assert [each.content.text async for each in turn] == ["a"]
        await settle()
        assert texts(session) == ["ab"]


# --- the end of a turn, version 2 ------------------------------------------------------------


STEPS: dict[str, Json] = {
    "running": state("running"),
    "requires_action": state("requires_action"),
    "dreaming": state("dreaming"),
    "_napping": state("_napping"),
    "unknown": state("unknown"),
    "idle": state("idle", stopReason="end_turn"),
    "earlier": state("idle", stopReason="max_tokens"),  # an idle report that doesn't end the turn
    "message": update(sessionUpdate="user_message", messageId=MESSAGE, content=[text("Hi")]),
    "chunk": update(sessionUpdate="user_message_chunk", messageId=MESSAGE, content=text("Hi")),
    "foreign": update(sessionUpdate="user_message", messageId="x", content=[text("Hi")]),
    "answer": chunk("a"),
}
BUSY = ("requires_action", "dreaming", "_napping", "unknown")  # other than running

# The agent's messages before and after the prompt. Only the last message ends the turn.
ORDERS = [
    ("", "response message running answer idle"),
    ("", "chunk running answer idle response"),
    ("", "running requires_action running response requires_action running idle"),
    # An idle report that only repeats the state.
    ("", "response earlier running idle"),
    ("idle", "response earlier earlier running idle"),
    ("idle", "earlier response earlier running idle"),
    # An agent that does not report that it is running.
    ("", "response answer idle"),
    ("idle", "earlier response message idle"),
    ("running idle", "response running idle"),
    # Work that began before the prompt.
    ("running", "earlier response running idle"),
    ("running", "earlier running response idle"),
    ("running", "earlier running idle response"),
    ("running", "running earlier response running idle"),
    ("running", "foreign earlier response running idle"),
    ("running", "earlier response message running idle"),
    # A prompt that joins the earlier work.
    ("running", "response message idle"),
    ("running", "message response idle"),
    ("running", "message idle response"),
    ("running", "chunk idle response"),
    ("running", "message running idle response"),
    ("running", "foreign response message idle"),
    *((busy, "response message idle") for busy in BUSY),
    # A prompt that is accepted during the earlier work but waits until this work ends.
    ("running", "response earlier message running answer idle"),
    ("running", "response running earlier running earlier chunk running idle"),
    *((busy, "response earlier message running idle") for busy in BUSY),
    # Idle reports that only repeat the state, here with the last stop reason.
    ("running earlier", "response message earlier running idle"),
    ("running earlier", "earlier message earlier response running answer idle"),
    *((busy, "earlier response running idle") for busy in BUSY),
    *(("", f"response {busy} idle") for busy in BUSY),
    *(("", f"{busy} response idle") for busy in BUSY),
    *(("", f"{busy} idle response") for busy in BUSY),
]


def steps(id_: Any, names: str) -> list[Json]:
    return [
        result(id_, messageId=MESSAGE) if name == "response" else STEPS[name]
        for name in names.split()
    ]


@each_v2
@pytest.mark.parametrize(("before", "after"), ORDERS)
@pytest.mark.parametrize("is_one_piece", [False, True])
async def test_v2_the_idle_that_ends_the_work_on_the_prompt_ends_the_turn(
    version: Version, before: str, after: str, is_one_piece: bool
) -> None:
    async with client(version) as (script, session):
        script.write(*steps(None, before))
        await settle()
        async with session.prompt("Hi") as turn:
            *first, last = steps(await script.prompt(), after)
            if is_one_piece:
                script.write(*first, last)
            else:
                for step in first:
                    script.write(step)
                    await settle()
                    assert not turn.is_over
                assert (turn.ending, turn.stop_reason) == (None, None)
                script.write(last)
            await settle()
            assert turn.is_over
        script.write(*steps(None, "running earlier"))  # the turn ignores these reports
        await settle()
        assert turn.response == version.surface.PromptResponse(message_id=MESSAGE)
        assert turn.ending == version.surface.IdleStateUpdate(stop_reason="end_turn")
        assert turn.stop_reason == turn.known_stop_reason == "end_turn"
        assert session.activity().stop_reason == "max_tokens"
        assert session.turns == []


@pytest.mark.parametrize("after", ["running idle response", "response earlier running idle"])
async def test_v2_work_that_ends_before_entering_is_earlier_work(after: str) -> None:
    async with client(V2) as (script, session):
        script.write(state("running"))
        await settle()
        prepared = session.prompt("Hi")
        script.write(STEPS["earlier"])
        await settle()
        async with prepared as turn:
            script.write(*steps(await script.prompt(), after))
            await settle()
            assert turn.stop_reason == "end_turn"


@each_v2
@pytest.mark.parametrize("is_accepted", [True, False])
@pytest.mark.parametrize("reason", [*COMMON, "error", "_vendor", "too_long", None])
async def test_v2_reasons_are_kept(version: Version, reason: str | None, is_accepted: bool) -> None:
    error = {"code": -7, "message": "no", "data": {"a": 1}}
    said: Json = {} if reason is None else {"stopReason": reason}
    if reason == "error":
        said["error"] = error
    async with client(version) as (script, session):
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            order = "response running" if is_accepted else "running"
            script.write(*steps(id_, order), state("idle", **said))
            if not is_accepted:
                script.write(*steps(id_, "response"))
        assert turn.stop_reason == reason
        assert turn.known_stop_reason == (reason if reason in (*COMMON, "error") else None)
        assert turn.ending is session.activity()
        assert session.turns == []
        if reason == "error":
            assert isinstance(turn.ending, version.surface.ErrorIdleStateUpdate)
            assert version.surface.encode(turn.ending.error) == error


ECHO = update(sessionUpdate="user_message", messageId="m0", content=[text("Hi")])


async def echoed(script: Script, session: Any) -> None:
    """Run a turn with an agent that echoes the prompt."""
    async with session.prompt("Hi"):
        script.write(result(await script.prompt(), messageId="m0"), ECHO)
        script.write(state("running"), state("idle", stopReason="refusal"))


@pytest.mark.parametrize(
    "order",
    [
        "response running idle",
        "running response idle",
        "running idle response",
        "response answer idle",
    ],
)
async def test_v2_an_idle_before_the_echo_ends_no_turn_of_an_agent_that_echoes(order: str) -> None:
    async with client(V2) as (script, session):
        await echoed(script, session)
        async with session.prompt("Hi") as turn:
            script.write(*steps(await script.prompt(), order))
            await settle()
            assert not turn.is_over
            script.write(*steps(None, "message running earlier"))
        assert turn.stop_reason == "max_tokens"


async def test_v2_prompts_with_responses_at_the_same_time_end_one_by_one() -> None:
    async with (
        client(V2) as (script, session),
        session.prompt("one") as one,
        session.prompt("two") as two,
    ):
        ids = await script.prompt("one"), await script.prompt("two")
        script.write(result(ids[0], messageId="m1"), result(ids[1], messageId="m2"))
        for turn, name, reason in ((one, "m1", "end_turn"), (two, "m2", "refusal")):
            members: Json = {"sessionUpdate": "user_message", "content": [text("Hi")]}
            script.write(update(messageId=name, **members), state("running"), chunk("a"))
            await settle()
            assert not turn.is_over
            script.write(state("idle", stopReason=reason), state("idle", stopReason=reason))
            await settle()
            assert turn.stop_reason == reason
            assert two.is_over == (turn is two)


@pytest.mark.parametrize("is_learned", [False, True])
async def test_v2_work_on_something_else_ends_a_turn_only_if_the_agent_never_echoes(
    is_learned: bool,
) -> None:
    async with client(V2) as (script, session):
        if is_learned:
            async with session.prompt("Hi"):
                script.write(*steps(await script.prompt(), "response running earlier"))
        script.write(state("running"))
        await settle()
        async with session.prompt("Hi") as turn:
            script.write(*steps(await script.prompt(), "response idle"))
            await settle()
            assert turn.is_over == is_learned
            if not is_learned:
                script.write(*steps(None, "message running idle"))


@pytest.mark.parametrize("order", ["response", "response running", "", "running"])
async def test_v2_a_cancelled_idle_after_a_cancel_ends_all_turns(order: str) -> None:
    async with client(V2) as (script, session):
        await echoed(script, session)
        turns = [await session.prompt("Hi").__aenter__() for _ in range(2)]
        ids = [await script.prompt() for _ in turns]
        script.write(*steps(ids[0], order))
        await session.cancel()
        assert (await script.read())["method"] == "session/cancel"
        later = await session.prompt("Hi").__aenter__()  # not cancelled
        last = await script.prompt()
        script.write(state("idle", stopReason="cancelled"))
        await settle()
        assert [turn.stop_reason for turn in turns] == ["cancelled", "cancelled"]
        assert not later.is_over
        script.write(result(last, messageId="m3"))
        script.write(update(sessionUpdate="user_message", messageId="m3"), state("running"))
        script.write(state("idle", stopReason="end_turn"))
        await later.wait()
        script.write(result(ids[1], messageId="m2"))  # a late response has no effect
        if not order.startswith("response"):
            script.write(result(ids[0], messageId="m1"))
        await settle()
        assert [turn.stop_reason for turn in [*turns, later]] == ["cancelled"] * 2 + ["end_turn"]


@pytest.mark.parametrize("reason", ["cancelled", "end_turn"])
async def test_v2_a_cancelled_turn_without_echo_and_work_ends(reason: str) -> None:
    async with client(V2) as (script, session), session.prompt("Hi") as turn:
        script.write(*steps(await script.prompt(), "response"))
        await turn.cancel()
        assert (await script.read())["method"] == "session/cancel"
        script.write(state("idle", stopReason=reason))
        await turn.wait()
        assert turn.stop_reason == reason


async def test_a_prompt_after_the_close_of_its_session_is_refused() -> None:
    async with client(V2) as (script, session):
        closing = asyncio.create_task(session.close())
        script.write(result((await script.read())["id"]))
        await closing
        assert session.is_closed
        with pytest.raises(RuntimeError, match="the session is closed; load or resume it"):
            await session.prompt("Hi").__aenter__()
        assert session.turns == []


async def test_the_end_of_the_connection_ends_turns_of_forgotten_sessions() -> None:
    async with client(V2) as (script, session):
        turn = await session.prompt("Hi").__aenter__()
        script.write(*steps(await script.prompt(), "response running"))
        await settle()
        del session.client.sessions[session.session_id]
        await script.close()
        with pytest.raises(ConnectionClosed):
            await turn.wait()


async def test_v2_two_prompts_into_the_same_work_end_with_it() -> None:
    async with (
        client(V2) as (script, session),
        session.prompt("one") as one,
        session.prompt("two") as two,
    ):
        ids = await script.prompt("one"), await script.prompt("two")
        assert session.turns == [one, two]
        script.write(result(ids[0], messageId="m1"), state("running"), chunk("a"))
        script.write(result(ids[1], messageId="m2"), chunk("b"))
        await settle()
        assert not one.is_over
        assert not two.is_over
        script.write(state("idle", stopReason="end_turn"))
        for turn in (one, two):
            found = [each async for each in turn]
            assert [each.content.text for each in found[1:-1]] == ["a", "b"]
            assert turn.stop_reason == "end_turn"
            assert turn.ending is found[-1]
    assert (one.response.message_id, two.response.message_id) == ("m1", "m2")


@pytest.mark.parametrize(
    ("is_entered_before", "says_message"), [(True, True), (False, True), (False, False)]
)
async def test_v2_a_held_prompt_ends_with_its_work(
    is_entered_before: bool, says_message: bool
) -> None:
    def accepted(id_: Any, message_id: str) -> list[Json]:
        said = update(sessionUpdate="user_message", messageId=message_id, content=[text("Hi")])
        return [result(id_, messageId=message_id), *[said] * says_message, state("running")]

    async with client(V2) as (script, session):
        one, two = session.prompt("one"), session.prompt("two")
        await one.__aenter__()
        first = await script.prompt("one")
        if is_entered_before:
            await two.__aenter__()
        script.write(*accepted(first, "m1"))
        await settle()
        if not is_entered_before:
            await two.__aenter__()
        second = await script.prompt("two")
        script.write(state("idle", stopReason="refusal"))
        await settle()
        assert one.stop_reason == "refusal"
        assert not two.is_over
        script.write(*accepted(second, "m2"))
        await settle()
        assert not two.is_over
        script.write(state("idle", stopReason="end_turn"))
        await two.wait()
        assert two.stop_reason == "end_turn"


# --- the tables of phases --------------------------------------------------------------------

UNANSWERED = {"sent", "echoed", "finished", "closed", "earlier", "begun", "stopped"}


@pytest.mark.parametrize("table", [PHASES, PHASES_WITHOUT_ECHO])
def test_a_turn_is_over_only_after_the_response(table: Table) -> None:
    """Only the response moves a turn out of the phases in `UNANSWERED`."""
    assert {then for row in table.values() for then in row.values()} <= set(table)
    for phase, event in product(table, get_args(Event)):
        answered = phase not in UNANSWERED or event == "response"
        assert (table[phase].get(event, phase) not in UNANSWERED) == answered


def test_an_update_before_the_response_takes_the_same_time_however_many_came() -> None:
    """Messages up to the next idle report share a `Course`, which receives the report once."""
    steps = 0

    class Counted(Course):
        def take(self, event: Event, report: Any = None) -> None:
            nonlocal steps
            steps += 1
            super().take(event, report)

    def accepted(message_id: str | None) -> Progress:
        foreground = Foreground(Habits())
        progress = foreground.begin()
        for number in range(5_000):
            foreground.work("busy")
            foreground.insert(str(number))
            if number % 100 == 99:
                foreground.idle(number, "end_turn")
        foreground.accept(progress, message_id)
        return progress

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("acp_bindings.runtime.session.turn_phases.Course", Counted)
        assert accepted("4950").end == 4999
        assert steps < 4 * 5_000
        # The message is forgotten as if it had never arrived.
        assert not accepted("3999").is_echoed
        assert accepted("4000").is_echoed
        assert accepted(None).is_echoed


@pytest.mark.parametrize("backlog", [0, 3])
async def test_more_than_the_backlog_before_the_response_forgets_nothing(backlog: int) -> None:
    async with client(V2) as (script, session):
        session.peer.limits = Limits(backlog=backlog)
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            early = ["running", "echo", "idle", *["running", "requires_action"] * 5]
            script.write(*(message(name, SESSION, id_) for name in [*early, "response"]))
        assert turn.stop_reason == "refusal"


# --- all orders ------------------------------------------------------------------------------


def message(name: str, session: str, id_: Any) -> Json:
    match name:
        case "response":
            return result(id_, messageId=MESSAGE)
        case "echo":
            members = {"sessionUpdate": "user_message", "content": [text("Hi")]}
            return update(session, messageId=MESSAGE, **members)
        case "elsewhere":
            return update("other", **STATE, state="idle", stopReason="end_turn")
        case "idle":
            return update(session, **STATE, state="idle", stopReason="refusal")
        case _:
            return update(session, **STATE, state=name)


STATE: Json = {"sessionUpdate": "state_update"}
NAMES = ("response", "echo", "running", "requires_action", "idle", "elsewhere", "cancel")
PERMUTATIONS = [order for length in range(1, 6) for order in permutations(NAMES, length)]


def ends(order: Sequence[str]) -> bool:
    """Return whether messages in this order end a turn. Each message occurs at most once."""
    place = {name: number for number, name in enumerate(order)}
    if "response" not in place or "idle" not in place:
        return False
    idle = place["idle"]
    never = len(order)
    is_busy = min(place.get("running", never), place.get("requires_action", never)) < idle
    echo = place.get("echo", never)
    if idle > place["response"]:
        return is_busy or echo < idle or place.get("cancel", never) < idle
    # An idle report before the response can end earlier work instead of the turn. The position of
    # the echo distinguishes these cases.
    return echo < idle or (is_busy and not idle < echo < place["response"])


async def play(script: Script, session: Any, order: Sequence[str], is_one_piece: bool) -> Any:
    turn = await session.prompt("Hi").__aenter__()
    asked = await script.read()
    piece: list[Json] = []
    for name in order:
        if name != "cancel":
            piece.append(message(name, session.session_id, asked["id"]))
        if name == "cancel" or not is_one_piece:
            script.write(*piece)
            piece.clear()
            await settle(6)
        if name == "cancel":
            session.send_cancel()
            assert (await script.read())["method"] == "session/cancel"
    script.write(*piece)
    await settle(6)
    return turn


@pytest.mark.parametrize(
    ("orders", "way"),
    [(PERMUTATIONS, "one piece"), (PERMUTATIONS[::7], "pieces"), (PERMUTATIONS[::7], "eager")],
    ids=["one piece", "pieces", "eager"],
)
async def test_only_the_order_tells_the_end(orders: list[tuple[str, ...]], way: str) -> None:
    if way == "eager":
        if sys.version_info < (3, 12):
            pytest.skip("tasks are never eager before Python 3.12")
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    async with client(V2) as (script, session):
        session.client.session("other")
        for number, order in enumerate(orders):
            session.client.habits = Habits()  # forget the agent's behavior in earlier orders
            each = session.client.session(f"s{number}")
            turn = await play(script, each, order, way != "pieces")
            assert turn.is_over == ends(order), order
            was_open = "cancel" in order and not ends(order[: order.index("cancel")])
            assert turn.is_cancelled == was_open
            if turn.is_over:
                assert turn.stop_reason == "refusal"
                assert each.turns == []
                await turn.wait()
            else:
                turn.abandon()
                await settle(6)
                left = ["session/cancel", "$/cancel_request"][: 1 + ("response" not in order)]
                assert [(await script.read())["method"] for _ in left] == left
            session.client.forget(each.session_id)
