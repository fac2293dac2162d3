"""Sessions of a client against a scripted agent: turns, cancelling, permissions, opening."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET, DecodeError
from acp_bindings.runtime.aio import connect, memory_streams
from acp_bindings.runtime.jsonrpc.errors import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    REQUEST_CANCELLED,
    RESOURCE_NOT_FOUND,
    CapabilityError,
    ConnectionClosed,
    RequestError,
)
from package.jsonrpc.wire import ask, tell
from package.jsonrpc.wire import cancel as withdrawal
from package.session.scripted import (
    BLOCKS,
    CANCEL,
    MESSAGE,
    SESSION,
    V1,
    V1_UNSTABLE,
    V2,
    V2_UNSTABLE,
    Json,
    Script,
    Version,
    call,
    chunk,
    client,
    each_v2,
    each_version,
    failure,
    initialize,
    result,
    run,
    settle,
    state,
    text,
    update,
    used,
)

ALLOWED = {"outcome": {"outcome": "selected", "optionId": "yes"}}
REFUSED = {"outcome": {"outcome": "cancelled"}}
each_v1 = pytest.mark.parametrize("version", [V1, V1_UNSTABLE], ids=str)
COMMON = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")


async def work(session: Any, words: str = "Hi") -> list[str]:
    """Prompt, and give the texts of what comes until the end of the turn."""
    async with session.prompt(words) as turn:
        return [each.content.text async for each in turn if hasattr(each, "content")]


def texts(session: Any, role: str = "agent") -> list[str]:
    return [message.text for message in session.state.messages if message.role == role]


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
# What the session said before the prompt, and what the agent says then; the turn is over at its
# end and not before.
ORDERS = [
    ("", "response running idle"),
    ("", "response message running answer idle"),
    ("", "running response idle"),
    ("", "running idle response"),
    ("", "running message idle response"),
    ("", "message running idle response"),
    ("", "chunk running answer idle response"),
    ("", "running requires_action running response requires_action running idle"),
    # An idle that only says so again.
    ("", "response earlier running idle"),
    ("idle", "response earlier earlier running idle"),
    ("idle", "earlier response earlier running idle"),
    ("idle", "earlier response message earlier running idle"),
    ("running idle", "response running idle"),
    # Work that was under way before.
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


# --- iterating, leaving, failing -------------------------------------------------------------


@each_version
def test_iterating_yields_every_update_in_order_and_stops(version: Version) -> None:
    words = [str(number) for number in range(50)]

    async def main() -> None:
        async with client(version) as (script, session):
            script.write(chunk("before"))
            await settle()
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), *(chunk(each) for each in words[:25]))
                script.write(call("t", status="pending"), chunk("other", session="other"))
                script.write(*(chunk(each) for each in words[25:]), *version.stopped(id_))
                found = [each async for each in turn]
                assert turn.is_over
                assert [each async for each in turn] == []
            assert [each async for each in turn] == []
            with pytest.raises(StopAsyncIteration):
                await anext(turn)
            chunks = [each for each in found if hasattr(each, "content")]
            names = [each.__class__.__name__ for each in found]
            said = [each.content.text for each in chunks if each.content is not UNSET]
            assert said == words
            assert names.count("ToolCallUpdate") == 1
            assert names[0] == ("AgentMessageChunk" if version is V1 else "RunningStateUpdate")
            assert names[-1] == ("AgentMessageChunk" if version is V1 else "IdleStateUpdate")
            assert len(found) == 51 + (0 if version is V1 else 2)

    run(main())


@each_version
def test_the_state_has_changed_when_an_update_is_yielded(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session), session.prompt("Hi") as turn:
            id_ = await script.prompt()
            script.write(*version.accepted(id_), chunk("a"))
            while (await anext(turn)).__class__.__name__ != "AgentMessageChunk":
                pass
            assert texts(session) == ["a"]
            script.write(*version.stopped(id_))

    run(main())


@each_version
def test_leaving_the_loop_early_waits_for_the_end(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):

            async def finish() -> None:
                await settle()
                assert not turn.is_over
                assert not left.is_set()
                script.write(chunk("b"), *version.stopped(id_))

            left = asyncio.Event()
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), chunk("a"))
                async for _ in turn:
                    break
                finishing = asyncio.create_task(finish())
            left.set()
            assert turn.stop_reason == "end_turn"
            assert texts(session) == ["ab"]
            await finishing

    run(main())


@each_version
def test_an_exception_in_the_block_cancels_and_does_not_wait(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            turn = session.prompt("Hi")
            ids = []

            async def block() -> None:
                async with turn:
                    ids.append(await script.prompt())
                    script.write(*version.accepted(ids[0]))
                    await settle()
                    raise KeyError("mine")

            with pytest.raises(KeyError, match="mine"):
                await block()
            assert turn.is_cancelled
            assert not turn.is_over
            assert session.turns == [turn]
            assert await script.read() == CANCEL
            script.write(chunk("late"), *version.stopped(ids[0], "cancelled"))
            await settle()
            assert turn.stop_reason == "cancelled"
            assert session.turns == []
            assert texts(session) == ["late"]

    run(main())


@each_version
def test_a_task_that_is_cancelled_in_the_block_cancels_the_turn(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            working = asyncio.create_task(work(session))
            id_ = await script.prompt()
            working.cancel()
            with pytest.raises(asyncio.CancelledError):
                await working
            assert await script.read() == CANCEL
            script.write(*version.accepted(id_), *version.stopped(id_, "cancelled"))
            await settle()
            assert session.turns == []

    run(main())


@each_version
def test_an_exception_behind_the_end_of_the_turn_cancels_nothing(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):

            async def block() -> None:
                async with session.prompt("Hi") as turn:
                    id_ = await script.prompt()
                    script.write(*version.accepted(id_), *version.stopped(id_))
                    async for _ in turn:
                        pass
                    raise KeyError("mine")

            with pytest.raises(KeyError, match="mine"):
                await block()

    run(main())


@each_version
def test_an_exception_in_the_block_is_not_hidden_by_the_end_of_the_connection(
    version: Version,
) -> None:
    async def main() -> None:
        async with client(version) as (script, session):

            async def block() -> None:
                async with session.prompt("Hi"):
                    id_ = await script.prompt()
                    script.write(*version.accepted(id_))
                    await settle()
                    await script.close()
                    await session.peer.wait_ended()
                    raise KeyError("mine")

            with pytest.raises(KeyError, match="mine"):
                await block()
            await settle()
            assert session.turns == []

    run(main())


@each_version
def test_what_was_not_entered_has_no_updates(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (_, session):
            turn = session.prompt("Hi")
            with pytest.raises(RuntimeError, match="async with"):
                await anext(turn)

    run(main())


@each_version
def test_entering_twice_is_an_error(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                with pytest.raises(RuntimeError):
                    await turn.__aenter__()
                script.write(*version.accepted(id_), *version.stopped(id_))
            with pytest.raises(RuntimeError):
                await turn.__aenter__()

    run(main())


@each_version
def test_an_error_response_is_raised_by_the_iteration(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):

            async def block() -> None:
                async with session.prompt("Hi") as turn:
                    turns.append(turn)
                    script.write(chunk("a"), failure(await script.prompt(), -7, data=[1]))
                    assert (await anext(turn)).content.text == "a"
                    await anext(turn)

            turns: list[Any] = []
            with pytest.raises(RequestError) as caught:
                await block()
            assert caught.value.args == (-7, "no", [1])
            (turn,) = turns
            assert turn.is_over
            assert (turn.response, turn.ending, turn.stop_reason) == (None, None, None)
            assert session.turns == []
            with pytest.raises(RequestError):
                await anext(turn)

    run(main())


@each_version
def test_an_error_response_is_raised_by_the_exit(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):

            async def block() -> None:
                async with session.prompt("Hi"):
                    script.write(failure(await script.prompt(), -7))

            with pytest.raises(RequestError) as caught:
                await block()
            assert caught.value.code == -7
            assert session.turns == []

    run(main())


@each_version
def test_what_is_no_response_is_a_decode_error(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            working = asyncio.create_task(work(session))
            script.write({"id": await script.prompt(), "result": [1]})
            with pytest.raises(DecodeError):
                await working
            assert session.turns == []

    run(main())


@each_version
@pytest.mark.parametrize("is_accepted", [False, True])
def test_the_end_of_the_connection_is_raised_by_the_iteration(
    version: Version, is_accepted: bool
) -> None:
    async def main() -> None:
        async with client(version) as (script, session):

            async def block() -> None:
                async with session.prompt("Hi") as turn:
                    id_ = await script.prompt()
                    if is_accepted:
                        script.write(*version.accepted(id_))
                    script.write(chunk("a"))
                    await script.close()
                    async for each in turn:
                        found.append(each)

            found: list[Any] = []
            with pytest.raises(ConnectionClosed):
                await block()
            assert found[-1].content.text == "a"
            assert session.turns == []

    run(main())


@each_version
@pytest.mark.parametrize("is_accepted", [False, True])
def test_the_end_of_the_connection_is_raised_by_the_exit(
    version: Version, is_accepted: bool
) -> None:
    async def main() -> None:
        async with client(version) as (script, session):

            async def block() -> None:
                async with session.prompt("Hi"):
                    id_ = await script.prompt()
                    if is_accepted:
                        script.write(*version.accepted(id_))
                    await script.close()

            with pytest.raises(ConnectionClosed):
                await block()
            assert session.turns == []

    run(main())


@each_version
def test_a_turn_that_ends_right_before_the_connection_has_ended_well(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), chunk("a"), *version.stopped(id_))
                await script.close()
            assert turn.stop_reason == "end_turn"
            assert texts(session) == ["a"]

    run(main())


@each_version
def test_a_turn_on_a_connection_that_has_ended_cannot_be_entered(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            await script.close()
            await session.peer.wait_ended()
            turn = session.prompt("Hi")
            with pytest.raises(ConnectionClosed):
                await turn.__aenter__()
            assert session.turns == []
            assert session.state.messages == []

    run(main())


@each_version
def test_leaving_the_connection_during_a_turn_ends_it(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            turn = session.prompt("Hi")
            await turn.__aenter__()
            script.write(*version.accepted(await script.prompt()))
            await settle()
        await settle()
        assert turn.is_over
        with pytest.raises(ConnectionClosed):
            await turn.__aexit__(None, None, None)

    run(main())


# --- prompts ---------------------------------------------------------------------------------


@each_version
@pytest.mark.parametrize("kind", ["str", "list", "tuple"])
def test_a_prompt_is_text_or_blocks(version: Version, kind: str) -> None:
    surface = version.surface

    async def main() -> None:
        blocks = [surface.TextContent(text="a"), surface.ResourceLink(name="n", uri="file:///f")]
        prompts: dict[str, Any] = {"str": "a", "list": blocks, "tuple": tuple(blocks)}
        async with client(version) as (script, session):
            async with session.prompt(prompts[kind]) as turn:
                link = {"type": "resource_link", "name": "n", "uri": "file:///f"}
                expected = [text("a")] if kind == "str" else [text("a"), link]
                id_ = await script.request("session/prompt", sessionId=SESSION, prompt=expected)
                script.write(*version.accepted(id_), *version.stopped(id_))
            assert turn.prompt == blocks[: len(expected)]

    run(main())


@each_version
@pytest.mark.parametrize("prompt", ["", [], ()])
def test_a_prompt_is_not_empty(version: Version, prompt: Any) -> None:
    async def main() -> None:
        async with client(version) as (_, session):
            with pytest.raises(ValueError, match="content"):
                session.prompt(prompt)
            assert session.turns == []

    run(main())


@each_version
def test_meta_goes_with_the_prompt(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            for meta in ({"a": 1}, {}):
                async with session.prompt("Hi", meta=meta):
                    id_ = await script.request(
                        "session/prompt", sessionId=SESSION, prompt=[text("Hi")], _meta=meta
                    )
                    script.write(*version.accepted(id_), *version.stopped(id_))

    run(main())


def blocks_of(surface: Any) -> dict[str, Any]:
    """A block of each kind that has to be advertised, by the capability."""
    data = base64.b64encode(b"data").decode()
    resource = surface.TextResourceContents(uri="file:///f", text="t")
    return {
        "image": surface.ImageContent(data=data, mime_type="image/png"),
        "audio": surface.AudioContent(data=data, mime_type="audio/wav"),
        "embeddedContext": surface.EmbeddedResource(resource=resource),
    }


@each_version
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_that_are_not_advertised_are_not_sent(version: Version, name: str) -> None:
    async def main() -> None:
        others = [each for each in BLOCKS if each != name]
        async with client(version, takes=others) as (_, session):
            block = blocks_of(version.surface)[name]
            turn = session.prompt([version.surface.TextContent(text="a"), block])
            with pytest.raises(CapabilityError) as caught:
                await turn.__aenter__()
            place = {
                V1: "/agentCapabilities/promptCapabilities",
                V2: "/capabilities/session/prompt",
            }
            assert caught.value.capability == f"{place[version]}/{name}"
            assert session.turns == []
            assert session.state.messages == []
            assert turn.is_over

    run(main())


@each_version
def test_blocks_that_are_advertised_are_sent(version: Version) -> None:
    async def main() -> None:
        blocks = blocks_of(version.surface)
        async with (
            client(version, takes=blocks) as (script, session),
            session.prompt(list(blocks.values())),
        ):
            message = await script.read()
            kinds = [each["type"] for each in message["params"]["prompt"]]
            assert kinds == ["image", "audio", "resource"]
            id_ = message["id"]
            script.write(*version.accepted(id_), *version.stopped(id_))

    run(main())


@each_version
def test_only_in_version_1_the_client_adds_the_prompt_to_the_state(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            blocks = [version.surface.TextContent(text=each) for each in "ab"]
            async with session.prompt(blocks):
                id_ = await script.prompt("a", "b")
                assert texts(session, "user") == (["ab"] if version is V1 else [])
                script.write(*version.accepted(id_), chunk("c"), *version.stopped(id_))
            said = [(message.role, message.text) for message in session.state.messages]
            assert said == [("user", "ab"), ("agent", "c")][version is V2 :]

    run(main())


def test_v1_the_prompt_comes_before_the_answer_whatever_arrives_at_once() -> None:
    async def main() -> None:
        async with client(V1) as (script, session):

            async def answer() -> None:
                for number in range(2):
                    id_ = await script.prompt(f"q{number}")
                    part = update(sessionUpdate="agent_message_chunk", content=text(f"a{number}"))
                    script.write(part, result(id_, stopReason="end_turn"))

            answering = asyncio.create_task(answer())
            for number in range(2):
                async with session.prompt(f"q{number}"):
                    pass
            await answering
            said = [(message.role, message.text) for message in session.state.messages]
            assert said == [("user", "q0"), ("agent", "a0"), ("user", "q1"), ("agent", "a1")]

    run(main())


# --- cancelling ------------------------------------------------------------------------------


async def forever() -> Any:
    await asyncio.Event().wait()


class Asked:
    """A user who is asked, and does not answer."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.withdrawn: list[str] = []

    async def __call__(self, params: Any) -> Any:
        about = getattr(params, "tool_call", None) or params.subject.tool_call
        self.asked.append(about.tool_call_id)
        try:
            await forever()
        except asyncio.CancelledError:
            self.withdrawn.append(about.tool_call_id)
            raise


@each_version
def test_cancelling_says_so_first_and_then_answers_what_was_asked(version: Version) -> None:
    async def main() -> None:
        user = Asked()
        async with client(version, session_request_permission=user) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_))
                script.write(version.permission("a", "t"), version.permission("b", "u"))
                await settle()
                assert user.asked == ["t", "u"]
                await turn.cancel()
                assert await script.read() == CANCEL
                assert await script.read() == result("a", **REFUSED)
                assert await script.read() == result("b", **REFUSED)
                await settle()
                assert user.withdrawn == ["t", "u"]
                assert turn.is_cancelled
                assert not turn.is_over
                script.write(*version.stopped(id_, "cancelled"))
            assert turn.stop_reason == turn.known_stop_reason == "cancelled"

    run(main())


@each_version
def test_the_session_can_be_cancelled_itself(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            await session.cancel()
            assert await script.read() == CANCEL
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                assert not turn.is_cancelled
                await session.cancel()
                assert await script.read() == CANCEL
                assert turn.is_cancelled
                script.write(*version.accepted(id_), *version.stopped(id_, "cancelled"))

    run(main())


STATUSES = {
    "pending": "cancelled",
    "in_progress": "cancelled",
    "dreaming": "cancelled",
    "_paused": "cancelled",
    "completed": "completed",
    "failed": "failed",
}


@each_version
def test_tool_calls_that_are_not_finished_count_as_cancelled_at_once(version: Version) -> None:
    async def main() -> None:
        expected = {**STATUSES, "absent": "cancelled"}
        if version is V2:
            expected |= {"paused": "cancelled", "cancelled": "cancelled"}
        async with client(version) as (script, session), session.prompt("Hi"):
            id_ = await script.prompt()
            script.write(*version.accepted(id_), call("absent"))
            script.write(*(call(each, status=each) for each in expected if each != "absent"))
            await settle()
            await session.cancel()
            calls = session.state.tool_calls
            assert {name: each.status for name, each in calls.items()} == expected
            assert await script.read() == CANCEL
            script.write(*version.stopped(id_, "cancelled"))

    run(main())


@each_version
def test_cancelling_changes_the_state_and_not_the_updates(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            kind = "tool_call" if version is V1 else "tool_call_update"
            begin = update(sessionUpdate=kind, toolCallId="t", title="T", status="in_progress")
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), begin)
                await settle()
                await turn.cancel()
                assert await script.read() == CANCEL
                script.write(*version.stopped(id_, "cancelled"))
                (found,) = [each async for each in turn if hasattr(each, "tool_call_id")]
            assert found.status == "in_progress"
            assert session.state.tool_calls["t"].status == "cancelled"

    run(main())


@each_version
def test_updates_behind_the_cancelling_are_applied_and_yielded(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), call("t", status="in_progress"))
                await settle()
                await turn.cancel()
                assert await script.read() == CANCEL
                assert session.state.tool_calls["t"].status == "cancelled"
                script.write(call("t", status="completed"), chunk("late"))
                script.write(*version.stopped(id_, "cancelled"))
                found = [each async for each in turn]
            assert [each.status for each in found if hasattr(each, "status")][-1] == "completed"
            assert session.state.tool_calls["t"].status == "completed"
            assert texts(session) == ["late"]

    run(main())


@each_v2
def test_v2_what_goes_on_in_the_background_is_left_alone(version: Version) -> None:
    async def main() -> None:
        user = Asked()
        listed = [
            {"type": "tool_call", "toolCallId": "kept"},
            {"type": "terminal", "terminalId": "x"},
        ]
        async with client(version, session_request_permission=user) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(result(id_, messageId=MESSAGE), state("running", background=listed))
                # The list holds as long as no other one is given.
                script.write(state("requires_action"))
                script.write(call("kept", status="in_progress"), call("t", status="in_progress"))
                script.write(version.permission("a", "kept"), version.permission("b", "t"))
                await settle()
                await turn.cancel()
                assert await script.read() == CANCEL
                assert await script.read() == result("b", **REFUSED)
                calls = session.state.tool_calls
                assert (calls["kept"].status, calls["t"].status) == ("in_progress", "cancelled")
                script.write(version.permission("c", "kept"), version.permission("d", "t"))
                assert await script.read() == result("d", **REFUSED)
                await settle()
                assert user.asked == ["kept", "t", "kept"]
                assert user.withdrawn == ["t"]
                script.write(withdrawal("a"), withdrawal("c"))
                assert await script.read() == result("a", **REFUSED)
                assert await script.read() == result("c", **REFUSED)
                script.write(*version.stopped(id_, "cancelled"))
            assert calls["kept"].status == "in_progress"

    run(main())


def test_v2_an_empty_list_says_that_nothing_is_in_the_background() -> None:
    async def main() -> None:
        listed = [{"type": "tool_call", "toolCallId": "t"}]
        async with client(V2) as (script, session), session.prompt("Hi") as turn:
            id_ = await script.prompt()
            script.write(result(id_, messageId=MESSAGE), state("running", background=listed))
            script.write(call("t"), state("running", background=[]))
            await settle()
            await turn.cancel()
            assert await script.read() == CANCEL
            assert session.state.tool_calls["t"].status == "cancelled"
            script.write(*V2.stopped(id_, "cancelled"))

    run(main())


@pytest.mark.parametrize("subject", [None, {"type": "command", "command": "ls", "cwd": "/"}])
def test_v2_permissions_about_anything_else_are_answered(subject: Json) -> None:
    async def main() -> None:
        async def never(params: Any) -> Any:
            await forever()

        async with client(V2, session_request_permission=never) as (script, session):
            question = V2.permission("a")
            del question["params"]["subject"]
            if subject is not None:
                question["params"]["subject"] = subject
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*V2.accepted(id_), question)
                await settle()
                await turn.cancel()
                assert await script.read() == CANCEL
                assert await script.read() == result("a", **REFUSED)
                script.write({**question, "id": "b"})
                assert await script.read() == result("b", **REFUSED)
                script.write(*V2.stopped(id_, "cancelled"))

    run(main())


@each_version
def test_a_permission_asked_for_behind_the_cancelling_is_refused_at_once(
    version: Version,
) -> None:
    async def main() -> None:
        user = Asked()
        async with client(version, session_request_permission=user) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_))
                await turn.cancel()
                assert await script.read() == CANCEL
                script.write(version.permission("a"))
                assert await script.read() == result("a", **REFUSED)
                script.write(*version.stopped(id_, "cancelled"))
            assert user.asked == []
            # When the turn is over, the user is asked again.
            script.write(version.permission("b"))
            await settle()
            assert user.asked == ["t"]
            script.write(withdrawal("b"))
            assert await script.read() == result("b", **REFUSED)

    run(main())


@each_version
def test_a_permission_for_a_turn_that_is_not_cancelled_is_asked_for(version: Version) -> None:
    async def main() -> None:
        user = Asked()
        async with client(version, session_request_permission=user) as (script, session):
            async with session.prompt("one") as one:
                first = await script.prompt("one")
                script.write(*version.accepted(first))
                await settle()
                await one.cancel()
                assert await script.read() == CANCEL
                async with session.prompt("two") as two:
                    second = await script.prompt("two")
                    script.write(version.permission("a"))
                    await settle()
                    assert user.asked == ["t"]
                    script.write(withdrawal("a"))
                    assert await script.read() == result("a", **REFUSED)
                    script.write(*version.stopped(first, "cancelled"))
                    await settle()
                    script.write(*version.accepted(second), *version.stopped(second))
            assert (one.stop_reason, two.stop_reason) == ("cancelled", "end_turn")
            assert (one.is_cancelled, two.is_cancelled) == (True, False)

    run(main())


@each_version
def test_a_cancelled_prompt_may_be_answered_with_the_error_of_cancelling(
    version: Version,
) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                await turn.cancel()
                assert await script.read() == CANCEL
                script.write(failure(id_, REQUEST_CANCELLED))
            assert turn.stop_reason == "cancelled"
            assert turn.ending is None
            assert session.turns == []

    run(main())


@each_version
@pytest.mark.parametrize(
    ("code", "is_cancelled"), [(INTERNAL_ERROR, True), (REQUEST_CANCELLED, False)]
)
def test_any_other_error_is_raised(version: Version, code: int, is_cancelled: bool) -> None:
    async def main() -> None:
        async with client(version) as (script, session):

            async def block() -> None:
                async with session.prompt("Hi") as turn:
                    id_ = await script.prompt()
                    if is_cancelled:
                        await turn.cancel()
                        assert await script.read() == CANCEL
                    script.write(failure(id_, code))

            with pytest.raises(RequestError) as caught:
                await block()
            assert caught.value.code == code

    run(main())


@each_version
def test_cancelling_twice_does_no_harm(version: Version) -> None:
    async def main() -> None:
        user = Asked()
        async with client(version, session_request_permission=user) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), version.permission("a"))
                script.write(call("t", status="pending"))
                await settle()
                await turn.cancel()
                await turn.cancel()
                messages = [await script.read() for _ in range(3)]
                assert messages.count(CANCEL) == 2
                assert messages[0] == CANCEL
                assert result("a", **REFUSED) in messages
                script.write(*version.stopped(id_, "cancelled"))
            assert turn.stop_reason == "cancelled"

    run(main())


@each_version
def test_cancelling_behind_the_end_sends_nothing(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), call("t", status="pending"))
                script.write(*version.stopped(id_))
            await turn.cancel()
            assert not turn.is_cancelled
            assert session.state.tool_calls["t"].status == "pending"

    run(main())


@each_version
def test_an_agent_may_end_a_cancelled_turn_for_another_reason(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), *version.stopped(id_))
                await turn.cancel()
                assert await script.read() == CANCEL
            assert turn.stop_reason == "end_turn"
            assert turn.is_cancelled

    run(main())


# --- permissions -----------------------------------------------------------------------------


@each_version
def test_the_answer_of_the_user_is_sent(version: Version) -> None:
    async def main() -> None:
        surface = version.surface

        async def allow(params: Any) -> Any:
            assert params == version.question()
            return surface.decode(surface.RequestPermissionResponse, ALLOWED)

        async with client(version, session_request_permission=allow) as (script, session):
            async with session.prompt("Hi"):
                id_ = await script.prompt()
                script.write(*version.accepted(id_), version.permission("a"))
                assert await script.read() == result("a", **ALLOWED)
                script.write(*version.stopped(id_))
            script.write(version.permission("b"))
            assert await script.read() == result("b", **ALLOWED)

    run(main())


@each_version
def test_a_user_who_fails_is_an_error(version: Version) -> None:
    async def main() -> None:
        async def fail(params: Any) -> Any:
            raise RequestError(-7, "no", [1])

        async with client(version, session_request_permission=fail) as (script, _):
            script.write(version.permission("a"))
            assert await script.read() == failure("a", -7, data=[1])

    run(main())


@each_version
def test_a_client_that_does_not_ask_says_so(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, _):
            script.write(version.permission("a"))
            message = await script.read()
            assert (message["id"], message["error"]["code"]) == ("a", METHOD_NOT_FOUND)

    run(main())


@each_version
def test_a_permission_that_the_agent_takes_back_is_answered_as_cancelled(
    version: Version,
) -> None:
    async def main() -> None:
        user = Asked()
        async with client(version, session_request_permission=user) as (script, _):
            script.write(version.permission("a"), version.permission("b", "u"))
            await settle()
            script.write(withdrawal("a"))
            assert await script.read() == result("a", **REFUSED)
            await settle()
            assert user.withdrawn == ["t"]
            script.write(withdrawal("b"))
            assert await script.read() == result("b", **REFUSED)

    run(main())


@each_version
def test_a_user_who_answers_the_cancelling_with_an_error_is_not_heard(version: Version) -> None:
    async def main() -> None:
        async def fail(params: Any) -> Any:
            try:
                await forever()
            finally:
                raise ValueError("too late")

        async with client(version, session_request_permission=fail) as (script, session):
            script.write(version.permission("a"))
            await settle()
            await session.cancel()
            assert await script.read() == CANCEL
            assert await script.read() == result("a", **REFUSED)

    run(main())


@each_version
def test_the_end_of_the_connection_takes_the_question_back(version: Version) -> None:
    async def main() -> None:
        user = Asked()
        near, far = memory_streams()
        script = Script(far)

        class Client(version.client.SessionClient):  # type: ignore[misc, name-defined]
            async def session_request_permission(self, params: Any) -> Any:
                return await user(params)

        async with connect(near, Client):
            script.write(version.permission("a"))
            await settle()
            assert user.asked == ["t"]
        await settle()
        assert user.withdrawn == ["t"]

    run(main())


# --- opening, closing ------------------------------------------------------------------------


def opening(version: Version, kind: str, session: str = SESSION) -> Any:
    """The params of a method that opens a session, and the same on the wire."""
    members: Json = {"cwd": "/"}
    if kind != "new":
        members["sessionId"] = session
    if version.number == 1 and kind in ("new", "load"):
        members["mcpServers"] = []
    name = {"new": "New", "load": "Load", "resume": "Resume", "fork": "Fork"}[kind]
    surface = version.surface
    return surface.decode(getattr(surface, f"{name}SessionRequest"), members), members


@each_version
def test_updates_before_the_response_that_opens_a_session_are_part_of_it(
    version: Version,
) -> None:
    async def main() -> None:
        params, members = opening(version, "new")
        async with client(version) as (script, other):
            creating = asyncio.create_task(version.client.ClientSession.create(other.peer, params))
            id_ = await script.request("session/new", **members)
            script.write(chunk("early", session="new"))
            await settle()
            script.write(chunk("er", session="new"), result(id_, sessionId="new"))
            script.write(chunk("!", session="new"))
            session = await creating
            await settle()
            assert session.session_id == "new"
            assert session.response == version.surface.NewSessionResponse(session_id="new")
            assert texts(session) == ["earlyer!"]
            assert other.state.messages == []
            assert session.client.sessions == {SESSION: other, "new": session}

    run(main())


@pytest.mark.parametrize("version", [V1_UNSTABLE, V2_UNSTABLE], ids=str)
def test_a_fork_is_a_session_of_its_own(version: Version) -> None:
    async def main() -> None:
        params, members = opening(version, "fork")
        async with client(version) as (script, other):
            forking = asyncio.create_task(version.client.ClientSession.fork(other.peer, params))
            id_ = await script.request("session/fork", **members)
            script.write(chunk("a", session="new"), result(id_, sessionId="new"))
            session = await forking
            assert session is session.client.sessions["new"]
            assert texts(session) == ["a"]
            assert other.state.messages == []

    run(main())


BACK = [(V1, "load"), (V1, "resume"), (V2, "resume")]
each_way_back = pytest.mark.parametrize(
    ("version", "kind"), BACK, ids=[f"{version}-{kind}" for version, kind in BACK]
)


@each_way_back
def test_the_state_of_a_session_that_comes_back_begins_anew(version: Version, kind: str) -> None:
    async def main() -> None:
        params, members = opening(version, kind)
        async with client(version) as (script, before):
            script.write(chunk("old"))
            await settle()
            come_back = getattr(version.client.ClientSession, kind)
            coming = asyncio.create_task(come_back(before.peer, params))
            id_ = await script.request(f"session/{kind}", **members)
            script.write(chunk("re", role="user_message"), chunk("play"), result(id_))
            session = await coming
            assert session is not before
            assert session.client.sessions == {SESSION: session}
            name = {"load": "LoadSessionResponse", "resume": "ResumeSessionResponse"}[kind]
            assert session.response == getattr(version.surface, name)()
            assert [each.text for each in session.state.messages] == ["re", "play"]
            assert texts(before) == ["old"]
            script.write(chunk("!"))
            await settle()
            assert texts(session) == ["play!"]

    run(main())


@each_way_back
@pytest.mark.parametrize("is_known", [True, False])
def test_a_session_that_does_not_come_back_stays_as_it_was(
    version: Version, kind: str, is_known: bool
) -> None:
    async def main() -> None:
        params, members = opening(version, kind, SESSION if is_known else "other")
        async with client(version) as (script, before):
            come_back = getattr(version.client.ClientSession, kind)
            coming = asyncio.create_task(come_back(before.peer, params))
            id_ = await script.request(f"session/{kind}", **members)
            script.write(failure(id_, RESOURCE_NOT_FOUND))
            with pytest.raises(RequestError) as caught:
                await coming
            assert caught.value.code == RESOURCE_NOT_FOUND
            assert before.client.sessions == {SESSION: before}
            script.write(chunk("a"))
            await settle()
            assert texts(before) == ["a"]

    run(main())


@each_way_back
def test_giving_up_a_session_that_comes_back_leaves_the_old_one(
    version: Version, kind: str
) -> None:
    async def main() -> None:
        params, members = opening(version, kind)
        async with client(version) as (script, before):
            come_back = getattr(version.client.ClientSession, kind)
            coming = asyncio.create_task(come_back(before.peer, params))
            id_ = await script.request(f"session/{kind}", **members)
            coming.cancel()
            with pytest.raises(asyncio.CancelledError):
                await coming
            assert await script.read() == withdrawal(id_)
            assert before.client.sessions == {SESSION: before}

    run(main())


@each_version
def test_sessions_are_listed(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            surface = version.surface
            asking = version.client.ClientSession.list(
                session.peer, surface.ListSessionsRequest(cwd="/")
            )
            listing = asyncio.create_task(asking)
            id_ = await script.request("session/list", cwd="/")
            script.write(result(id_, sessions=[{"sessionId": "a", "cwd": "/"}], nextCursor="c"))
            found = await listing
            assert found == surface.ListSessionsResponse(
                sessions=[surface.SessionInfo(session_id="a", cwd="/")], next_cursor="c"
            )

    run(main())


@each_version
@pytest.mark.parametrize("is_known", [True, False])
def test_a_closed_session_is_forgotten(version: Version, is_known: bool) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            closing = asyncio.create_task(session.close())
            id_ = await script.request("session/close", sessionId=SESSION)
            assert session.client.sessions == {SESSION: session}
            script.write(result(id_) if is_known else failure(id_, RESOURCE_NOT_FOUND))
            await closing
            assert session.client.sessions == {}

    run(main())


@each_version
def test_closing_may_fail(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            closing = asyncio.create_task(session.close())
            id_ = await script.request("session/close", sessionId=SESSION)
            script.write(failure(id_, INTERNAL_ERROR))
            with pytest.raises(RequestError) as caught:
                await closing
            assert caught.value.code == INTERNAL_ERROR
            assert session.client.sessions == {SESSION: session}

    run(main())


@each_version
@pytest.mark.parametrize("says_so", [True, False])
def test_closing_cancels_what_is_under_way(version: Version, says_so: bool) -> None:
    async def main() -> None:
        user = Asked()
        async with client(version, session_request_permission=user) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), version.permission("a"))
                script.write(call("t", status="pending"))
                await settle()
                closing = asyncio.create_task(session.close())
                close = await script.request("session/close", sessionId=SESSION)
                assert await script.read() == result("a", **REFUSED)
                assert session.state.tool_calls["t"].status == "cancelled"
                if says_so or version is V1:  # in version 1 the prompt has to be answered
                    script.write(*version.stopped(id_, "cancelled"))
                script.write(result(close))
                await closing
            assert turn.stop_reason == "cancelled"
            assert turn.is_cancelled
            assert (turn.ending is None) == (version is V2 and not says_so)
            assert session.turns == []
            assert user.withdrawn == ["t"]

    run(main())


@each_version
@pytest.mark.parametrize("is_accepted", [True, False])
def test_a_prompt_that_is_answered_behind_the_closing_is_over(
    version: Version, is_accepted: bool
) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                closing = asyncio.create_task(session.close())
                close = await script.request("session/close", sessionId=SESSION)
                script.write(result(close))
                await closing
                if not is_accepted:
                    script.write(failure(id_, REQUEST_CANCELLED))
                elif version is V1:
                    script.write(result(id_, stopReason="cancelled"))
                else:
                    script.write(result(id_, messageId=MESSAGE))
                await settle()
                is_over = turn.is_over
                if not is_over:  # so that the test ends
                    turn.close()
            assert is_over
            assert turn.stop_reason == "cancelled"

    run(main())


def test_deleting_is_one_call() -> None:
    async def main() -> None:
        async with client(V1) as (script, session):
            deleting = asyncio.create_task(session.delete())
            id_ = await script.request("session/delete", sessionId=SESSION)
            script.write(result(id_))
            assert await deleting == v1.DeleteSessionResponse()

    run(main())


@each_version
def test_sessions_are_kept_apart(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, one):
            two = one.client.session("two")
            assert one.client.session("two") is two
            async with one.prompt("Hi") as first, two.prompt("Hi") as second:
                id_ = await script.prompt()
                other = await script.request("session/prompt", sessionId="two", prompt=[text("Hi")])
                if version is V2:
                    script.write(result(other, messageId="m2"))
                    running: Json = {"sessionUpdate": "state_update", "state": "running"}
                    script.write(update("two", **running))
                script.write(*version.accepted(id_), chunk("1"), chunk("2", session="two"))
                script.write(chunk("3"), *version.stopped(id_))
                await settle()
                assert first.is_over
                assert not second.is_over
                await second.cancel()
                assert await script.read() == tell("session/cancel", sessionId="two")
                assert (first.is_cancelled, second.is_cancelled) == (False, True)
                if version is V1:
                    script.write(result(other, stopReason="cancelled"))
                else:
                    idle: Json = {"sessionUpdate": "state_update", "state": "idle"}
                    script.write(update("two", **idle, stopReason="cancelled"))
            assert (first.stop_reason, second.stop_reason) == ("end_turn", "cancelled")
            assert (texts(one), texts(two)) == (["13"], ["2"])

    run(main())


@each_version
def test_sessions_need_the_handler_that_keeps_them(version: Version) -> None:
    async def main() -> None:
        near, far = memory_streams()
        script = Script(far)
        surface, sessions = version.surface, version.client

        class Client(surface.ClientHandler):  # type: ignore[misc, name-defined]
            def __init__(self, peer: Any) -> None:
                pass

        new, resumed = opening(version, "new")[0], opening(version, "resume")[0]
        async with connect(near, Client) as peer:
            await initialize(version, script, peer)
            with pytest.raises(TypeError):
                sessions.SessionClient.of(peer)
            with pytest.raises(TypeError):
                await sessions.ClientSession.create(peer, new)
            with pytest.raises(TypeError):
                await sessions.ClientSession.resume(peer, resumed)
        assert await script.rest() == []

    run(main())


@each_version
def test_sessions_need_an_initialized_connection(version: Version) -> None:
    async def main() -> None:
        near, far = memory_streams()
        script, sessions = Script(far), version.client
        new, resumed = opening(version, "new")[0], opening(version, "resume")[0]
        async with connect(near, sessions.SessionClient) as peer:
            with pytest.raises(RuntimeError):
                sessions.SessionClient.of(peer)
            with pytest.raises(RuntimeError):
                await sessions.ClientSession.create(peer, new)
            with pytest.raises(RuntimeError):
                await sessions.ClientSession.resume(peer, resumed)
            await initialize(version, script, peer)
            assert sessions.SessionClient.of(peer) is peer.handler
        assert await script.rest() == []

    run(main())


@pytest.mark.parametrize(
    ("version", "kind"), [(V1, "close"), (V1, "delete"), (V2, "delete")], ids=str
)
def test_what_the_agent_lacks_is_not_called(version: Version, kind: str) -> None:
    async def main() -> None:
        async with client(version, lacks=[kind]) as (_, session):
            with pytest.raises(CapabilityError):
                await getattr(session, kind)()
            assert session.client.sessions == {SESSION: session}

    run(main())


@each_version
def test_a_handler_may_still_take_updates(version: Version) -> None:
    async def main() -> None:
        found: list[Any] = []

        async def take(params: Any) -> None:
            found.append((params, texts(holder[0])))

        async with client(version, session_update=take) as (script, session):
            holder = [session]
            script.write(chunk("a"), chunk("b"))
            await settle()
            seen = [(params.update.content.text, state) for params, state in found]
            assert seen == [("a", ["a"]), ("b", ["ab"])]

    run(main())


def test_other_methods_of_a_handler_are_called() -> None:
    async def main() -> None:
        async def echo(method: str, params: Any) -> Any:
            return [method, params]

        async with client(V2, ext_request=echo) as (script, _):
            script.write(ask(1, "_ask", a=1))
            assert await script.read() == {"id": 1, "result": ["_ask", {"a": 1}]}

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
            await session.prompt("Hi").cancel()  # all that is written has to be read

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
