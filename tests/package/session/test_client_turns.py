"""Turns of a client: the prompt, and iterating over updates, leaving, failing."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest
from acp_bindings.runtime import UNSET, CapabilityError, ConnectionClosed, DecodeError, RequestError
from package.session.client_turns import iterate, prompted, texts
from package.session.scripted import (
    BLOCKS,
    CANCEL,
    SESSION,
    V1,
    V2,
    Version,
    call,
    chunk,
    client,
    each_version,
    failure,
    result,
    run,
    settle,
    stray,
    text,
    update,
)

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

    run(main(), stray("other"))


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
            async with prompted(version, script, session, chunk("a")) as (turn, id_):
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
                async with prompted(version, script, session):
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
            working = asyncio.create_task(iterate(session, []))
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


def test_an_accepted_turn_says_that_the_connection_ended_first() -> None:
    async def main() -> None:
        async with client(V2) as (script, session):
            turn = session.prompt("Hi")
            await turn.__aenter__()
            script.write(*V2.accepted(await script.prompt()))
            await script.close()
            with pytest.raises(ConnectionClosed) as caught:
                await turn.__aexit__(None, None, None)
            assert str(caught.value) == "the connection ended before the turn did"

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
def test_a_single_block_is_a_prompt(version: Version) -> None:
    async def main() -> None:
        block = version.surface.TextContent(text="Hi")
        async with client(version) as (script, session), session.prompt(block) as turn:
            id_ = await script.prompt("Hi")
            script.write(*version.accepted(id_), *version.stopped(id_))
            await turn.wait(timeout=10)

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
            parents = {
                V1: "/agentCapabilities/promptCapabilities",
                V2: "/capabilities/session/prompt",
            }
            assert caught.value.capability == f"{parents[version]}/{name}"
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
            prompt = [("user", "ab")] if version is V1 else []
            assert said == [*prompt, ("agent", "c")]

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
