"""What an agent with sessions does by itself: list them, go on with them, refuse the rest."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime.aio import connect_memory, memory_streams, serve
from package.jsonrpc.wire import ask
from package.session.agent_work import Waiting
from package.session.scripted import (
    CANCEL,
    SESSION,
    V2,
    Script,
    Version,
    agent,
    begun,
    each_v2,
    each_version,
    ended,
    handler,
    prompt,
    run,
    settle,
)


async def nothing(session: Any, params: Any) -> None: ...


async def answer_of(script: Script, method: str, **params: Any) -> Any:
    """What a request is answered with: its result, or its error."""
    script.write(ask("q", f"session/{method}", **params))
    message = await script.read()
    assert message.pop("id") == "q"
    return message.get("result", message.get("error"))


# --- the list --------------------------------------------------------------------------------


@each_v2
def test_sessions_are_listed_with_their_directories_and_titles(version: Version) -> None:
    async def main() -> None:
        async with agent(version, nothing) as (script, session):
            opened = (await answer_of(script, "new", cwd="/b"))["sessionId"]
            session.cwd = "/a"
            second = session.agent.sessions[opened]
            second.additional_directories = ["/c"]
            await second.session_info(title="Tea")
            await script.read()
            directories = {"cwd": "/b", "additionalDirectories": ["/c"]}
            entry = {"sessionId": opened, **directories, "title": "Tea"}
            first = {"sessionId": SESSION, "cwd": "/a"}
            assert await answer_of(script, "list") == {"sessions": [first, entry]}
            assert await answer_of(script, "list", cwd="/b") == {"sessions": [entry]}
            assert await answer_of(script, "list", cwd="/x") == {"sessions": []}

    run(main())


def test_a_long_list_comes_in_pages() -> None:
    async def main() -> None:
        async with agent(V2, nothing) as (script, session):
            served = session.agent
            names = [SESSION, *(served.open(f"s{number}").session_id for number in range(249))]
            pages, cursor = [], {}
            while True:
                page = await answer_of(script, "list", **cursor)
                pages.append([entry["sessionId"] for entry in page["sessions"]])
                if "nextCursor" not in page:
                    break
                cursor = {"cursor": page["nextCursor"]}
                del served.sessions[pages[-1][-1]]  # a cursor stays good when its session is closed
            assert [len(page) for page in pages] == [100, 100, 50]
            assert [name for page in pages for name in page] == names

    run(main())


@pytest.mark.parametrize("cursor", ["x", "", "0", "-1", "2", "9" * 5000, "¹"])
def test_a_cursor_that_no_page_has_told_is_refused(cursor: str) -> None:
    async def main() -> None:
        async with agent(V2, nothing) as (script, _):
            answer = await answer_of(script, "list", cursor=cursor)
            if cursor:
                assert (answer["code"], answer["message"]) == (-32602, "unknown cursor")
            else:
                assert "sessions" in answer

    run(main())


# --- going on --------------------------------------------------------------------------------


@each_v2
@pytest.mark.parametrize("replays", [True, False])
def test_an_open_session_goes_on(version: Version, replays: bool) -> None:
    async def main() -> None:
        async with agent(version, nothing) as (script, session):
            await session.say("Hello")
            await script.updates(1)
            start = {"replayFrom": {"type": "start"}} if replays else {}
            params = {"sessionId": SESSION, "cwd": "/there", **start}
            script.write(ask("q", "session/resume", **params))
            updates = await script.updates(1 + replays)
            kinds = ["agent_message"] * replays + ["state_update"]
            assert [each["sessionUpdate"] for each in updates] == kinds
            assert updates[-1]["state"] == "idle"
            assert await script.read() == {"id": "q", "result": {}}
            assert session.cwd == "/there"

    run(main())


@each_v2
def test_a_session_that_nobody_opened_does_not_go_on(version: Version) -> None:
    async def main() -> None:
        async with agent(version, nothing) as (script, _):
            answer = await answer_of(script, "resume", sessionId="x", cwd="/")
            assert (answer["code"], answer["message"]) == (-32002, "session not found")

    run(main())


def test_the_state_of_a_busy_session_is_reported() -> None:
    async def main() -> None:
        work = Waiting()
        async with agent(V2, work) as (script, session):
            script.write(prompt(1))
            await begun(V2, script, 1)
            await settle()
            await session.report_state()
            [update] = await script.updates(1)
            assert update == {"sessionUpdate": "state_update", "state": "running"}
            script.write(CANCEL)
            await ended(V2, script, 1, "cancelled")

    run(main())


def test_what_the_state_knows_is_told_again() -> None:
    async def main() -> None:
        async with agent(V2, nothing) as (script, session):
            commands = [v2.Command(name="tea", description="Make tea.")]
            await session.available_commands(available_commands=commands)
            await script.updates(1)
            script.write(ask("q", "session/resume", sessionId=SESSION, cwd="/"))
            await script.updates(1)
            told = [{"type": "command", "name": "tea", "description": "Make tea."}]
            assert await script.read() == {"id": "q", "result": {"availableCommands": told}}

    run(main())


def test_responses_of_the_agent_count_for_its_state() -> None:
    async def set_mode(params: Any) -> None: ...

    async def main() -> None:
        near, far = memory_streams()
        served = handler(v1.SessionAgent, turn=nothing, session_set_mode=set_mode)()
        script, serving = Script(near), asyncio.create_task(serve(far, served, linger=0))
        await script.initialize(1)
        opened = await answer_of(script, "new", cwd="/", mcpServers=[])
        assert await answer_of(script, "set_mode", modeId="ask", **opened) == {}
        mode = served.session(opened["sessionId"]).state.current_mode
        assert mode == v1.CurrentModeUpdate(current_mode_id="ask")
        await script.close()
        await serving

    run(main())


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "params", "name", "kind"),
    [
        ("prompt", {"prompt": [{"type": "hologram"}]}, "ContentBlock", "hologram"),
        ("resume", {"cwd": "/", "replayFrom": {"type": "moon"}}, "ReplayFrom", "moon"),
        ("resume", {"cwd": "/", "mcpServers": [{"type": "x"}]}, "McpServer", "x"),
        (
            "set_config_option",
            {"configId": "a", "type": "color", "value": 1},
            "SetSessionConfigOptionRequest",
            "color",
        ),
    ],
)
def test_unknown_kinds_are_refused(method: str, params: Any, name: str, kind: str) -> None:
    async def main() -> None:
        async with agent(V2, nothing) as (script, _):
            answer = await answer_of(script, method, sessionId=SESSION, **params)
            message = f"invalid params: {name} of a kind that the agent does not handle"
            assert answer == {"code": -32602, "message": message, "data": {"found": kind}}

    run(main())


def test_unknown_kinds_that_the_agent_handles_reach_it() -> None:
    prompts: list[Any] = []

    async def keep(session: Any, params: Any) -> None:
        prompts.append(params.prompt)

    async def main() -> None:
        async with agent(V2, keep) as (script, session):
            session.agent.accepts = (v2.UnknownContentBlock,)
            block = {"type": "hologram", "depth": 3}
            script.write(ask(1, "session/prompt", sessionId=SESSION, prompt=[block]))
            await script.read()
            await script.updates(3)
            assert prompts == [[v2.UnknownContentBlock(tag="hologram", raw=block)]]

    run(main())


class Plain(v2.SessionAgent):
    """An agent that states nothing but the images that it takes."""

    capabilities = v2.AgentCapabilities(
        session=v2.SessionCapabilities(
            prompt=v2.PromptCapabilities(image=v2.PromptImageCapabilities())
        )
    )

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None: ...


IMAGE = {"type": "image", "data": "", "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": "", "mimeType": "audio/wav"}


@pytest.mark.parametrize(
    ("method", "params", "capability"),
    [
        ("prompt", {"prompt": [IMAGE]}, None),
        ("prompt", {"prompt": [AUDIO]}, "prompt/audio"),
        ("new", {"cwd": "/", "additionalDirectories": ["/b"]}, "additionalDirectories"),
        (
            "new",
            {"cwd": "/", "mcpServers": [{"type": "http", "name": "a", "url": "b"}]},
            "mcp/http",
        ),
    ],
)
def test_what_was_not_advertised_is_refused(method: str, params: Any, capability: Any) -> None:
    async def main() -> None:
        near, far = memory_streams()
        script, serving = Script(near), asyncio.create_task(serve(far, Plain, linger=0))
        await script.initialize(2)
        opened = await answer_of(script, "new", cwd="/")
        answer = await answer_of(script, method, **{**opened, **params})
        if capability is None:
            assert "messageId" in answer
        else:
            pointer = f"/capabilities/session/{capability}"
            message = f"invalid params: the agent did not advertise {pointer}"
            assert (answer["code"], answer["message"]) == (-32602, message)
        await script.close()
        await serving
        await script.rest()

    run(main())


def test_an_option_that_the_agent_does_not_have_is_refused() -> None:
    async def main() -> None:
        async with agent(V2, nothing) as (script, _):
            params = {"sessionId": SESSION, "configId": "model", "type": "id", "value": "x"}
            answer = await answer_of(script, "set_config_option", **params)
            message = "invalid params: unknown option"
            assert answer == {"code": -32602, "message": message, "data": {"configId": "model"}}

    run(main())


# --- prompts during a turn -------------------------------------------------------------------


@each_version
def test_a_second_prompt_may_be_refused(version: Version) -> None:
    async def main() -> None:
        work = Waiting()
        async with agent(version, work) as (script, session):
            session.agent.queue_prompts = False
            script.write(prompt(1))
            await begun(version, script, 1)
            script.write(prompt(2))
            error = {"code": -32600, "message": "the session has a running turn"}
            assert await script.read() == {"id": 2, "error": error}
            script.write(CANCEL)
            await ended(version, script, 1, "cancelled")

    run(main())


# --- without a connection, and with several --------------------------------------------------


class Counting(v2.SessionAgent):
    """An agent that has something of its own, and may live without a connection."""

    def __init__(self, services: list[str]) -> None:
        super().__init__()
        self.services = services

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        self.services.append(session.cwd)
        await session.say(params.prompt[0])


def test_an_agent_can_be_used_without_a_connection() -> None:
    async def main() -> None:
        served = Counting([])
        opened = await served.session_new(v2.NewSessionRequest(cwd="/a"))
        session = served.session(opened.session_id)
        await session.say("before")
        params = v2.PromptRequest(session_id=session.session_id, prompt=[v2.TextContent(text="b")])
        await served.session_prompt(params)
        while session.is_working:
            await asyncio.sleep(0)
        assert [message.text for message in session.state.messages] == ["before", "b", "b"]
        assert served.services == ["/a"]
        with pytest.raises(RuntimeError, match="has no connection yet: pass it to serve"):
            _ = session.client

    run(main())


def test_an_agent_may_outlive_its_connection() -> None:
    async def main() -> None:
        served = Counting([])
        ids: list[str] = []
        for number in range(2):
            async with connect_memory(served, v2.SessionClient) as peer:
                await peer.initialize()
                if not number:
                    new = v2.NewSessionRequest(cwd="/a")
                    ids.append((await v2.AgentStub(peer).session_new(new)).session_id)
                session = await v2.ClientSession.resume(
                    peer, v2.ResumeSessionRequest(session_id=ids[0], cwd="/a")
                )
                async with session.prompt(str(number)):
                    pass
        texts = [message.text for message in served.session(ids[0]).state.messages]
        assert texts == ["0", "0", "1", "1"]

    run(main())


def test_an_agent_has_one_connection_at_a_time() -> None:
    async def main() -> None:
        served = Counting([])
        async with connect_memory(served, v2.SessionClient):
            await settle()
            _, far = memory_streams()
            with pytest.raises(RuntimeError, match="has a connection: pass its class to serve"):
                await serve(far, served)

    run(main())


# --- directories -----------------------------------------------------------------------------


def test_a_session_keeps_the_directories_of_the_request_that_opens_it() -> None:
    class Opening(v1.SessionAgent):
        capabilities = v1.AgentCapabilities(
            session_capabilities=v1.SessionCapabilities(
                additional_directories=v1.SessionAdditionalDirectoriesCapabilities()
            )
        )

        async def session_new(self, params: v1.NewSessionRequest) -> v1.NewSessionResponse:
            return v1.NewSessionResponse(session_id=self.open("mine").session_id)

        async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None: ...

    served = Opening()

    async def main() -> None:
        near, far = memory_streams()
        script, serving = Script(near), asyncio.create_task(serve(far, served, linger=0))
        await script.initialize(1)
        directories = {"cwd": "/a", "additionalDirectories": ["/b"]}
        assert await answer_of(script, "new", mcpServers=[], **directories) == {"sessionId": "mine"}
        await script.close()
        await serving

    run(main())
    session = served.session("mine")
    assert (session.cwd, session.additional_directories) == ("/a", ["/b"])
