"""How a turn ends for the client, and the usage it reports."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime.jsonrpc.errors import (
    CapabilityError,
)
from package.jsonrpc.wire import cancel as withdrawal
from package.session.client_turns import REFUSED, forever, texts
from package.session.scripted import (
    CANCEL,
    MESSAGE,
    SESSION,
    V1,
    V1_UNSTABLE,
    V2,
    V2_UNSTABLE,
    Json,
    Version,
    call,
    chunk,
    client,
    each_v2,
    each_version,
    result,
    run,
    settle,
    state,
    text,
    update,
    used,
)

each_v1 = pytest.mark.parametrize("version", [V1, V1_UNSTABLE], ids=str)
COMMON = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")


# --- the end of a turn, version 1 ------------------------------------------------------------


@each_v1
@pytest.mark.parametrize("reason", [*COMMON, "error", "too_long", "_vendor"])
def test_v1_the_response_ends_the_turn(version: Version, reason: str) -> None:
    async def main() -> None:
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

    run(main())


def test_v1_updates_behind_the_response_are_not_of_the_turn() -> None:
    async def main() -> None:
        async with client(V1) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(chunk("a"), result(id_, stopReason="end_turn"), chunk("b"))
                assert [each.content.text async for each in turn] == ["a"]
            await settle()
            assert texts(session) == ["ab"]

    run(main())


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
    ("", "response running idle"),
    ("", "response message running answer idle"),
    ("", "running response idle"),
    ("", "running idle response"),
    ("", "running message idle response"),
    ("", "message running idle response"),
    ("", "chunk running answer idle response"),
    ("", "running requires_action running response requires_action running idle"),
    # An idle that only repeats the state.
    ("", "response earlier running idle"),
    ("idle", "response earlier earlier running idle"),
    ("idle", "earlier response earlier running idle"),
    ("idle", "earlier response message earlier running idle"),
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
def test_v2_the_idle_that_ends_the_work_on_the_prompt_ends_the_turn(
    version: Version, before: str, after: str
) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            script.write(*steps(None, before))
            await settle()
            async with session.prompt("Hi") as turn:
                *first, last = steps(await script.prompt(), after)
                for step in first:
                    script.write(step)
                    await settle()
                    assert not turn.is_over
                assert (turn.ending, turn.stop_reason) == (None, None)
                script.write(last)
                await settle()
                assert turn.is_over
            assert turn.response == version.surface.PromptResponse(message_id=MESSAGE)
            assert turn.ending == version.surface.IdleStateUpdate(stop_reason="end_turn")
            assert turn.stop_reason == turn.known_stop_reason == "end_turn"
            assert session.turns == []

    run(main())


@each_v2
@pytest.mark.parametrize(("before", "after"), ORDERS)
def test_v2_the_same_in_one_piece(version: Version, before: str, after: str) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            script.write(*steps(None, before))
            await settle()
            async with session.prompt("Hi") as turn:
                script.write(*steps(await script.prompt(), after))
                await settle()
                assert turn.is_over
            assert turn.stop_reason == "end_turn"

    run(main())


def test_v2_the_first_idle_behind_the_response_is_the_end() -> None:
    async def main() -> None:
        async with client(V2) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*steps(id_, "response running idle running earlier"))
                await settle()
            assert turn.stop_reason == "end_turn"
            assert session.activity().stop_reason == "max_tokens"

    run(main())


def test_v2_work_that_ends_between_making_and_entering_a_turn_is_earlier_work() -> None:
    async def main() -> None:
        async with client(V2) as (script, session):
            script.write(state("running"))
            await settle()
            prepared = session.prompt("Hi")
            script.write(STEPS["earlier"])
            await settle()
            async with prepared as turn:
                id_ = await script.prompt()
                script.write(*steps(id_, "running idle response"))
                await settle()
                is_over = turn.is_over
                if not is_over:  # so that the test ends
                    script.write(*steps(id_, "running idle"))
            assert is_over

    run(main())


def test_v2_an_idle_snapshot_does_not_end_a_turn_that_was_made_during_earlier_work() -> None:
    async def main() -> None:
        async with client(V2) as (script, session):
            script.write(state("running"))
            await settle()
            prepared = session.prompt("Hi")
            script.write(STEPS["earlier"])
            await settle()
            async with prepared as turn:
                id_ = await script.prompt()
                script.write(*steps(id_, "response earlier running idle"))
            assert turn.stop_reason == "end_turn"

    run(main())


def test_v2_a_slow_handler_of_another_session_does_not_change_what_ends_a_turn() -> None:
    async def main() -> None:
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
                is_over = turn.is_over
                if not is_over:  # so that the test ends
                    script.write(*steps(id_, "running idle"))
            assert is_over

    run(main())


@each_v2
@pytest.mark.parametrize("order", ["response running", "running response", "running"])
def test_v2_an_error_is_a_stop_reason(version: Version, order: str) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                error = {"code": -7, "message": "no", "data": {"a": 1}}
                script.write(*steps(id_, order), state("idle", stopReason="error", error=error))
                if "response" not in order:
                    script.write(*steps(id_, "response"))
            assert turn.stop_reason == turn.known_stop_reason == "error"
            assert isinstance(turn.ending, version.surface.ErrorIdleStateUpdate)
            assert turn.ending.error == version.surface.Error(
                code=-7, message="no", data=turn.ending.error.data
            )
            assert session.turns == []

    run(main())


@each_v2
@pytest.mark.parametrize("reason", [*COMMON, "error", "_vendor", "too_long", None])
def test_v2_stop_reasons_are_kept(version: Version, reason: str | None) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                said = {} if reason is None else {"stopReason": reason}
                script.write(*version.accepted(id_), state("idle", **said))
            assert turn.is_over
            assert turn.stop_reason == reason
            assert turn.known_stop_reason == (reason if reason in (*COMMON, "error") else None)
            assert turn.ending is session.activity()

    run(main())


def test_v2_two_prompts_into_the_same_work_end_with_it() -> None:
    async def main() -> None:
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

    run(main())


def test_v2_the_second_of_two_prompts_at_once_may_be_held() -> None:
    def inserted(message_id: str) -> Json:
        return update(sessionUpdate="user_message", messageId=message_id, content=[text("Hi")])

    async def main() -> None:
        async with (
            client(V2) as (script, session),
            session.prompt("one") as one,
            session.prompt("two") as two,
        ):
            first, second = await script.prompt("one"), await script.prompt("two")
            script.write(result(first, messageId="m1"), inserted("m1"), state("running"))
            script.write(state("idle", stopReason="refusal"))
            await settle()
            assert one.stop_reason == "refusal"
            assert not two.is_over
            script.write(result(second, messageId="m2"), inserted("m2"), state("running"))
            await settle()
            is_over = two.is_over
            script.write(state("idle", stopReason="end_turn"))
        assert not is_over
        assert two.stop_reason == "end_turn"

    run(main())


def test_v2_a_prompt_held_behind_work_under_way_ends_with_its_own_work() -> None:
    async def main() -> None:
        async with client(V2) as (script, session):
            async with session.prompt("one") as one:
                first = await script.prompt("one")
                script.write(result(first, messageId="m1"), state("running"))
                await settle()
                async with session.prompt("two") as two:
                    second = await script.prompt("two")
                    script.write(state("idle", stopReason="refusal"))
                    await settle()
                    assert one.stop_reason == "refusal"
                    assert not two.is_over
                    script.write(result(second, messageId="m2"), state("running"))
                    await settle()
                    assert not two.is_over
                    script.write(state("idle", stopReason="end_turn"))
            assert two.stop_reason == "end_turn"

    run(main())


# --- usage -----------------------------------------------------------------------------------


@each_version
def test_usage_is_what_was_last_said_in_the_turn(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            script.write(used(1))
            await settle()
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                assert turn.usage is None
                script.write(*version.accepted(id_), *version.stopped(id_))
            assert turn.usage is None
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), used(2), chunk("a"), used(3))
                script.write(*version.stopped(id_))
            assert turn.usage == version.surface.UsageUpdate(used=3, size=100)

    run(main())


@pytest.mark.parametrize("version", [V1_UNSTABLE, V2_UNSTABLE], ids=str)
@pytest.mark.parametrize("is_null", [True, False])
def test_usage_is_what_the_ending_says_if_it_does(version: Version, is_null: bool) -> None:
    async def main() -> None:
        usage = {"totalTokens": 9, "inputTokens": 5, "outputTokens": 4}
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), used(2))
                script.write(*version.stopped(id_, usage=None if is_null else usage))
            if is_null:
                assert turn.usage == version.surface.UsageUpdate(used=2, size=100)
            else:
                assert turn.usage == version.surface.Usage(
                    total_tokens=9, input_tokens=5, output_tokens=4
                )

    run(main())


def test_v2_usage_of_a_turn_keeps_what_its_updates_left_out() -> None:
    async def main() -> None:
        async with client(V2) as (script, session):
            cost = {"amount": 1.5, "currency": "EUR"}
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*V2.accepted(id_))
                script.write(update(sessionUpdate="usage_update", used=1, size=9, cost=cost))
                script.write(used(2), *V2.stopped(id_))
            assert turn.usage == v2.UsageUpdate(
                used=2, size=100, cost=v2.Cost(amount=1.5, currency="EUR")
            )

    run(main())


@each_version
def test_cancelling_a_turn_that_was_not_entered_sends_nothing(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (_, session):
            await session.prompt("Hi").cancel()  # everything that is written must be read

    run(main())


@each_version
def test_a_session_cannot_come_back_during_a_turn(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session), session.prompt("Hi"):
            id_ = await script.prompt()
            params = version.surface.ResumeSessionRequest(session_id=SESSION, cwd="/")
            with pytest.raises(RuntimeError, match="wait for its end"):
                await version.client.ClientSession.resume(session.peer, params)
            assert session.client.sessions == {SESSION: session}
            script.write(*version.accepted(id_), *version.stopped(id_))

    run(main())


def test_what_cannot_be_closed_is_not_cancelled() -> None:
    async def main() -> None:
        async with client(V1, lacks=["close"]) as (script, session), session.prompt("Hi") as turn:
            id_ = await script.prompt()
            script.write(call("t", status="in_progress"))
            await settle()
            with pytest.raises(CapabilityError):
                await session.close()
            assert session.state.tool_calls["t"].status == "in_progress"
            assert not turn.is_cancelled
            script.write(*V1.accepted(id_), *V1.stopped(id_))

    run(main())


def test_v2_permission_for_a_command_in_the_background_stays_open() -> None:
    async def main() -> None:
        async def never(params: Any) -> Any:
            await forever()

        listed = [{"type": "tool_call", "toolCallId": "kept"}]
        question = V2.permission("a")
        question["params"]["subject"] = {
            "type": "command",
            "command": "ls",
            "cwd": "/",
            "toolCallId": "kept",
        }
        async with (
            client(V2, session_request_permission=never) as (script, session),
            session.prompt("Hi") as turn,
        ):
            id_ = await script.prompt()
            script.write(result(id_, messageId=MESSAGE), state("running", background=listed))
            script.write(question)
            await settle()
            await turn.cancel()
            assert await script.read() == CANCEL
            await settle()
            script.write(withdrawal("a"))
            assert await script.read() == result("a", **REFUSED)
            script.write(*V2.stopped(id_, "cancelled"))

    run(main())
