"""Updates that an agent sends: all kinds, message ids, background work."""

from __future__ import annotations

import asyncio
import functools
import inspect
import re
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime import ConnectionClosed, EncodeError, RequestError
from package.laws.instances import Choices, generate
from package.laws.schemas import SURFACES
from package.session.agent_work import nothing, said
from package.session.scripted import (
    ALL,
    CANCEL,
    V2,
    V2_UNSTABLE,
    Json,
    Version,
    agent,
    begun,
    each_surface,
    each_v2,
    each_version,
    ended,
    prompt,
    run,
    settle,
    text,
)

# --- senders ---------------------------------------------------------------------------------


def senders(version: Version) -> dict[str, type]:
    """The classes of the updates that methods of an agent's session send, by their names."""
    found: dict[str, type] = {}
    for name, method in vars(version.agent.AgentSession).items():
        named = re.match(r"Send a `(\w+)`\.", getattr(method, "__doc__", None) or "")
        if named:
            found[name] = getattr(version.surface, named[1])
    assert len(found) > 5
    return found


@functools.cache
def drawn(version: Version) -> dict[type, list[Any]]:
    """Updates of each class, drawn from the schema."""
    surface = version.surface
    found: dict[type, list[Any]] = {}
    for first in range(256):
        for second in (0, 1, 2, 3, 5):
            choices = Choices(bytes((first, second, 4, 4, second, 4)))
            value = generate(SURFACES[version.name], "SessionUpdate", choices).value
            update = surface.decode(surface.SessionUpdate, value)
            found.setdefault(update.__class__, []).append(update)
    return found


SENDERS = [(version, name) for version in ALL for name in senders(version)]
each_sender = pytest.mark.parametrize(
    ("version", "name"), SENDERS, ids=[f"{version}-{name}" for version, name in SENDERS]
)


@each_surface
def test_every_kind_of_update_has_a_sender(version: Version) -> None:
    surface = version.surface
    classes = set(senders(version).values())
    chunks = {surface.AgentMessageChunk, surface.AgentThoughtChunk}  # `say` and `think`
    unknown = {each for each in drawn(version) if each.__name__.startswith(("Unknown", "Unrec"))}
    if version is V2_UNSTABLE:  # where the schema lists a state called "unknown"
        unknown.remove(surface.UnknownStateUpdate)
    errors = {getattr(surface, "ErrorIdleStateUpdate", None)}  # sent when the work raises
    assert classes == set(drawn(version)) - chunks - unknown - errors


@each_sender
def test_a_sender_sends_the_update_that_it_is_named_after(version: Version, name: str) -> None:
    surface = version.surface

    async def main() -> None:
        async with agent(version) as (script, session):
            updates = drawn(version)[senders(version)[name]]
            assert len(updates) >= 3
            for update in updates[:20]:
                members = {each: getattr(update, each) for each in update.__dataclass_fields__}
                await getattr(session, name)(**members)
                (found,) = await script.updates(1)
                assert found == surface.encode(update, surface.SessionUpdate)
                tag = found["sessionUpdate"]
                assert name in (tag, tag.removesuffix("_update"), found.get("state"))
                if tag == "state_update":
                    assert found["state"] == name
            expected = version.client.SessionState()
            for update in updates[:20]:
                expected.apply(update)
            assert session.state == expected

    run(main())


@each_sender
def test_a_sender_has_the_parameters_of_its_class(version: Version, name: str) -> None:
    """In the order of the class, with its types, and the unknown members at last."""
    sender = inspect.signature(getattr(version.agent.AgentSession, name))
    made = inspect.signature(senders(version)[name])
    _, *parameters = sender.parameters.values()
    assert sorted(map(str, parameters)) == sorted(map(str, made.parameters.values()))
    assert {each.kind for each in parameters} == {inspect.Parameter.KEYWORD_ONLY}
    assert parameters[-1].name == "unknown_fields"


@each_version
def test_meta_may_be_of_the_update_or_of_its_notification(version: Version) -> None:
    async def main() -> None:
        async with agent(version) as (script, session):
            await session.say("a", meta={"a": 1})
            await session.think("b", meta={"b": 2})
            await session.usage(used=1, size=2, meta={"c": 3})
            found = [update["_meta"] for update in await script.updates(3)]
            assert found == [{"a": 1}, {"b": 2}, {"c": 3}]
            update = version.surface.UsageUpdate(used=1, size=2)
            await session.update(update, meta={"d": 4})
            params = (await script.read())["params"]
            assert params.pop("_meta") == {"d": 4}
            assert "_meta" not in params["update"]

    run(main())


@each_surface
def test_updates_may_also_be_sent_whole(version: Version) -> None:
    async def main() -> None:
        async with agent(version) as (script, session):
            raw = {"sessionUpdate": "_vendor", "a": [1]}
            await session.update(version.surface.decode(version.surface.SessionUpdate, raw))
            assert await script.updates(1) == [raw]

    run(main())


@each_version
def test_an_update_that_cannot_be_sent_is_not_part_of_the_state(version: Version) -> None:
    async def main() -> None:
        async with agent(version) as (script, session):
            wrong = version.surface.TextContent(text="a", meta={"a": object()})
            with pytest.raises(EncodeError):
                await session.say(wrong)
            assert session.state.messages == []
            await session.say("a")
            assert await said(script) == "a"

    run(main())


@each_version
def test_updates_may_be_sent_outside_of_turns(version: Version) -> None:
    async def main() -> None:
        async with agent(version, nothing) as (script, session):
            await session.say("before")
            assert await said(script) == "before"
            await session.session_info(title="t")
            info = {"sessionUpdate": "session_info_update", "title": "t"}
            assert await script.updates(1) == [info]
            script.write(prompt(1))
            await begun(version, script, 1)
            await ended(version, script, 1)
            await session.say("behind")
            assert await said(script) == "behind"

    run(main())


def test_v2_work_may_go_on_outside_of_turns() -> None:
    async def main() -> None:
        async with agent(V2) as (script, session):
            await session.running()
            await session.say("a")
            await session.requires_action()
            await session.idle(stop_reason="_done")
            update = {"sessionUpdate": "state_update"}
            first, answer, third, last = await script.updates(4)
            assert first == {**update, "state": "running"}
            assert answer["content"] == text("a")
            assert third == {**update, "state": "requires_action"}
            assert last == {**update, "state": "idle", "stopReason": "_done"}
            assert not session.is_working

    run(main())


@each_version
def test_updates_on_a_connection_that_has_ended(version: Version) -> None:
    async def main() -> None:
        async with agent(version) as (script, session):
            await script.close()
            await session.peer.wait_ended()
            with pytest.raises(ConnectionClosed):
                await session.say("a")

    run(main())


# --- messages --------------------------------------------------------------------------------


WAYS = {"say": "agent_message_chunk", "think": "agent_thought_chunk"}


@each_surface
@pytest.mark.parametrize("way", WAYS)
def test_what_is_said_is_text_or_a_block(version: Version, way: str) -> None:
    async def main() -> None:
        link = version.surface.ResourceLink(name="n", uri="file:///f")
        async with agent(version) as (script, session):
            send = getattr(session, way)
            await send("a")
            await send(link)
            await send("", message_id="m")
            updates = await script.updates(3)
            assert {each["sessionUpdate"] for each in updates} == {WAYS[way]}
            block = {"type": "resource_link", "name": "n", "uri": "file:///f"}
            assert [each["content"] for each in updates] == [text("a"), block, text("")]
            ids = [each.get("messageId") for each in updates]
            assert ids[2] == "m"
            if version.number == 1:
                assert ids[:2] == [None, None]
            else:
                assert ids[0] == ids[1] not in (None, "", "m")

    run(main())


async def ids_of(version: Version, *calls: tuple[str, Json]) -> list[str]:
    """The ids of the messages that calls on a session send."""
    async with agent(version) as (script, session):
        found = []
        for way, members in calls:
            await getattr(session, way)(**members)
            (update,) = await script.updates(1)
            if way in WAYS:
                found.append(update["messageId"])
        return found


SAY: tuple[str, Json] = ("say", {"content": "a"})
THINK: tuple[str, Json] = ("think", {"content": "a"})
USAGE: tuple[str, Json] = ("usage", {"used": 1, "size": 2})
INFO: tuple[str, Json] = ("session_info", {"title": "t"})
CALL: tuple[str, Json] = ("tool_call", {"tool_call_id": "t"})
RUNNING: tuple[str, Json] = ("running", {})
USER: tuple[str, Json] = ("user_message", {"message_id": "u"})


def named(message_id: str) -> tuple[str, Json]:
    return ("say", {"content": "a", "message_id": message_id})


@each_v2
@pytest.mark.parametrize(
    ("calls", "shape"),
    [
        ([SAY, SAY, SAY], "aaa"),
        ([THINK, THINK], "aa"),
        ([THINK, SAY], "ab"),
        ([THINK, THINK, SAY, SAY, THINK], "aabbc"),
        ([SAY, USAGE, SAY, INFO, RUNNING, SAY], "aaa"),
        ([SAY, CALL, SAY], "ab"),
        ([SAY, USER, SAY], "ab"),
        ([CALL, SAY, CALL, SAY], "aa"),
        ([named("m"), SAY, SAY], "mmm"),
        ([SAY, named("m"), SAY], "amm"),
        ([named("m"), named("n"), SAY], "mnn"),
        ([named("m"), THINK, SAY], "mab"),
    ],
)
def test_v2_adjacent_chunks_of_a_kind_are_one_message(
    version: Version, calls: list[tuple[str, Json]], shape: str
) -> None:
    async def main() -> None:
        found = await ids_of(version, *calls)
        given = {"m": "m", "n": "n"}
        fresh = [each for each in found if each not in given]
        letters = dict(zip(dict.fromkeys(fresh), "abc", strict=False))
        assert "".join((given | letters)[each] for each in found) == shape

    run(main())


def test_v2_a_chunk_continues_the_last_entry_of_the_timeline() -> None:
    async def main() -> None:
        assert (await ids_of(V2, named("m"), named("n"), named("m"), SAY))[-1] == "n"
        assert (await ids_of(V2, named("m"), THINK, named("m"), SAY))[-1] not in ("m", None)

    run(main())


# --- background work -------------------------------------------------------------------------


def test_v2_each_state_says_again_what_goes_on_in_the_background() -> None:
    background = [v2.BackgroundToolCall(tool_call_id="t")]
    listed = [{"type": "tool_call", "toolCallId": "t"}]

    async def turn(session: Any, params: Any) -> None:
        if params.prompt[0].text == "none":
            await session.running(background=[])
        if params.prompt[0].text == "fail":
            raise RequestError(-7, "no")

    async def main() -> None:
        async with agent(V2, turn) as (script, session):

            async def states(id_: int, words: str, count: int) -> list[Json]:
                script.write(prompt(id_, words))
                assert (await script.read())["id"] == id_
                assert (await script.updates(1))[0]["sessionUpdate"] == "user_message"
                found = await script.updates(count)
                assert {each.pop("sessionUpdate") for each in found} == {"state_update"}
                return found

            assert await states(1, "Hi", 2) == [
                {"state": "running"},
                {"state": "idle", "stopReason": "end_turn"},
            ]
            await session.idle(background=background)
            await script.updates(1)
            assert await states(2, "Hi", 2) == [
                {"state": "running", "background": listed},
                {"state": "idle", "stopReason": "end_turn", "background": listed},
            ]
            assert await states(3, "fail", 2) == [
                {"state": "running", "background": listed},
                {
                    "state": "idle",
                    "stopReason": "error",
                    "error": {"code": -7, "message": "no"},
                    "background": listed,
                },
            ]
            assert await states(4, "none", 3) == [
                {"state": "running", "background": listed},
                {"state": "running", "background": []},
                {"state": "idle", "stopReason": "end_turn", "background": []},
            ]

    run(main())


def test_v2_what_goes_on_in_the_background_is_said_at_the_end_of_a_cancelled_turn() -> None:
    async def turn(session: Any, params: Any) -> None:
        await session.running(background=[v2.BackgroundToolCall(tool_call_id="t")])
        await session.requires_action()
        await asyncio.Event().wait()

    async def main() -> None:
        async with agent(V2, turn) as (script, _):
            script.write(prompt(1))
            await begun(V2, script, 1)
            await script.updates(2)
            await settle()
            script.write(CANCEL)
            (idle,) = await script.updates(1)
            listed = [{"type": "tool_call", "toolCallId": "t"}]
            assert (idle["stopReason"], idle["background"]) == ("cancelled", listed)

    run(main())
