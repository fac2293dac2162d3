"""The end of a turn, as a client sees it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from package.session.client_turns import prompted, texts
from package.session.scripted import (
    MESSAGE,
    V1,
    V2,
    Json,
    Version,
    chunk,
    client,
    each_v1,
    each_v2,
    logs,
    result,
    settle,
    state,
    stray,
    text,
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
    "earlier": state("idle", stopReason="max_tokens"),  # an idle that is not the end
    "message": update(sessionUpdate="user_message", messageId=MESSAGE, content=[text("Hi")]),
    "chunk": update(sessionUpdate="user_message_chunk", messageId=MESSAGE, content=text("Hi")),
    "foreign": update(sessionUpdate="user_message", messageId="x", content=[text("Hi")]),
    "answer": chunk("a"),
}
BUSY = ("requires_action", "dreaming", "_napping", "unknown")  # other than running

# The agent's messages before the prompt and after it; the turn is over at the end of the latter
# and not before.
ORDERS = [
    ("", "response message running answer idle"),
    ("", "chunk running answer idle response"),
    ("", "running requires_action running response requires_action running idle"),
    # An idle that only repeats the state.
    ("", "response earlier running idle"),
    ("idle", "response earlier earlier running idle"),
    ("idle", "earlier response earlier running idle"),
    # An agent that does not say that it is running.
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
    # A prompt that is inserted into it.
    ("running", "response idle"),
    ("running", "response message idle"),
    ("running", "message response idle"),
    ("running", "message idle response"),
    ("running", "chunk idle response"),
    ("running", "message running idle response"),
    ("running", "response running idle"),
    ("running", "foreign response message idle"),
    *((busy, "response idle") for busy in BUSY),
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
        script.write(*steps(None, "running earlier"))  # which the turn does not hear of
        await settle()
        assert turn.response == version.surface.PromptResponse(message_id=MESSAGE)
        assert turn.ending == version.surface.IdleStateUpdate(stop_reason="end_turn")
        assert turn.stop_reason == turn.known_stop_reason == "end_turn"
        assert session.activity().stop_reason == "max_tokens"
        assert session.turns == []


@pytest.mark.parametrize("after", ["running idle response", "response earlier running idle"])
async def test_v2_work_that_ends_between_making_and_entering_a_turn_is_earlier_work(
    after: str,
) -> None:
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


@logs(stray("other"))
async def test_v2_a_slow_handler_of_another_session_does_not_change_what_ends_a_turn() -> None:
    gate = asyncio.Event()

    async def take(params: Any) -> None:
        if params.session_id == "other":
            await gate.wait()

    async with client(V2, session_update=take) as (script, session):
        script.write(state("running"))
        await settle()
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            said = update(sessionUpdate="user_message", messageId=MESSAGE)
            script.write(chunk("a", session="other"), *steps(id_, "response"), said)
            script.write(*steps(id_, "idle"))
            await settle()
            gate.set()
            await settle()
            assert turn.is_over


@each_v2
@pytest.mark.parametrize("order", ["response running", "running response", "running"])
async def test_v2_an_error_is_a_stop_reason(version: Version, order: str) -> None:
    error = {"code": -7, "message": "no", "data": {"a": 1}}
    async with client(version) as (script, session):
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            script.write(*steps(id_, order), state("idle", stopReason="error", error=error))
            if "response" not in order:
                script.write(*steps(id_, "response"))
        assert turn.stop_reason == turn.known_stop_reason == "error"
        assert isinstance(turn.ending, version.surface.ErrorIdleStateUpdate)
        assert version.surface.encode(turn.ending.error) == error
        assert session.turns == []


@each_v2
@pytest.mark.parametrize("reason", [*COMMON, "error", "_vendor", "too_long", None])
async def test_v2_stop_reasons_are_kept(version: Version, reason: str | None) -> None:
    async with client(version) as (script, session):
        async with prompted(version, script, session) as (turn, _):
            script.write(state("idle", **({} if reason is None else {"stopReason": reason})))
        assert turn.is_over
        assert turn.stop_reason == reason
        assert turn.known_stop_reason == (reason if reason in (*COMMON, "error") else None)
        assert turn.ending is session.activity()


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
async def test_v2_a_prompt_that_is_held_ends_with_its_own_work(
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
