"""Tests that an agent's messages about a session follow the response that opens the session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime import INTERNAL_ERROR, REQUEST_CANCELLED, LimitExceeded, RequestError
from acp_bindings.runtime.aio import connect_memory
from acp_bindings.runtime.jsonrpc import Limits

from tests.package.jsonrpc.wire import ask, cancel
from tests.package.session.scripted import (
    SESSION,
    V1,
    V1_UNSTABLE,
    V2,
    V2_UNSTABLE,
    Json,
    Script,
    Version,
    agent,
    each_surface,
    each_version,
    failure,
    handler,
    logs,
    nothing,
    opening,
    prompt,
    result,
    settle,
)

New = Callable[..., Coroutine[Any, Any, str]]
OPENERS = [(V1, "new"), (V2, "new"), (V1_UNSTABLE, "fork"), (V2_UNSTABLE, "fork")]
each_opener = pytest.mark.parametrize(
    ("version", "kind"), OPENERS, ids=[f"{version}-{kind}" for version, kind in OPENERS]
)
LOADERS = [(V1, "load"), (V1, "resume"), (V2, "resume")]
FAILED = "the handler for 'session/new' failed"


@asynccontextmanager
async def opener(
    version: Version, new: New, kind: str = "new"
) -> AsyncGenerator[tuple[Script, Any]]:
    """Connect an agent that calls `new` to open a session. Yield the same values as `agent`.

    `new` receives the agent and returns the session's id.
    """
    served: list[Any] = []

    async def handle(params: Any) -> Any:
        name = {"new": "NewSessionResponse", "fork": "ForkSessionResponse"}[kind]
        return getattr(version.surface, name)(session_id=await new(served[0]))

    methods: Any = {f"session_{kind}": handle}
    async with agent(version, **methods) as (script, session):
        served.append(session.agent)
        yield script, session


def request(version: Version, id_: Any = 1, kind: str = "new") -> Json:
    return ask(id_, f"session/{kind}", **opening(version, kind)[1])


async def said(script: Script, session: str = "mine") -> str:
    """Read an agent message in this session and return its text."""
    message = await script.read()
    assert message["params"]["sessionId"] == session, message
    words: str = message["params"]["update"]["content"]["text"]
    return words


# --- notifications ---------------------------------------------------------------------------


@each_opener
async def test_updates_of_a_new_session_follow_its_response(version: Version, kind: str) -> None:
    async def new(served: Any) -> str:
        session = served.open("mine")
        for words in ("a", "b"):
            await session.say(words)
        assert session.state.messages[0].text == "ab"
        return "mine"

    async with opener(version, new, kind) as (script, session):
        script.write(request(version, kind=kind))
        assert await script.read() == result(1, sessionId="mine")
        assert [await said(script) for _ in range(2)] == ["a", "b"]
        await session.agent.session("mine").say("c")
        assert await said(script) == "c"


@each_version
@pytest.mark.parametrize("way", ["stub", "client", "notify", "post", "json"])
async def test_every_way_to_send_a_notification_waits(version: Version, way: str) -> None:
    surface = version.surface

    async def new(served: Any) -> str:
        session = served.open("mine")
        more = {"message_id": "m"} if version is V2 else {}
        chunk = surface.AgentMessageChunk(content=surface.TextContent(text=way), **more)
        method = surface.CLIENT_METHODS["session/update"]
        params = method.params(session_id="mine", update=chunk)
        if way == "stub":
            await served.client.session_update(params)
        elif way == "client":
            await session.client.session_update(params)
        elif way == "notify":
            await served.peer.notify(method, params)
        elif way == "post":
            served.peer.post(method, params)
        else:
            await served.peer.notify(method.name, surface.encode(params))
        return "mine"

    async with opener(version, new) as (script, _):
        script.write(request(version))
        assert await script.read() == result(1, sessionId="mine")
        assert await said(script) == way


@each_version
async def test_updates_of_a_task_of_the_handler_wait_until_the_response(version: Version) -> None:
    async def new(served: Any) -> str:
        session = served.open("mine")

        async def work() -> None:
            await session.say("early")
            for _ in range(20):
                await asyncio.sleep(0)
            await session.say("late")

        served.spawn(work())
        await asyncio.sleep(0)
        return "mine"

    async with opener(version, new) as (script, _):
        script.write(request(version))
        assert await script.read() == result(1, sessionId="mine")
        assert [await said(script) for _ in range(2)] == ["early", "late"]


@each_version
async def test_a_session_that_was_opened_before_waits_for_its_response(version: Version) -> None:
    async def new(served: Any) -> str:
        await pool[0].say("a")
        return "mine"

    async with opener(version, new) as (script, session):
        pool = [session.agent.open("mine")]
        await pool[0].say("outside of a request")
        assert await said(script) == "outside of a request"
        script.write(request(version))
        assert await script.read() == result(1, sessionId="mine")
        assert await said(script) == "a"
        script.write(request(version, 2))  # now the client has received the session's id
        assert await said(script) == "a"
        assert await script.read() == result(2, sessionId="mine")


@each_version
async def test_other_sessions_do_not_wait(version: Version) -> None:
    async def new(served: Any) -> str:
        served.open("mine")
        await served.session(SESSION).say("other")
        return "mine"

    async with opener(version, new) as (script, _):
        script.write(prompt(0))  # shows that the client has received the other session's id
        while not ("idle" in str(message := await script.read()) or "stopReason" in str(message)):
            pass
        script.write(request(version))
        assert await said(script, SESSION) == "other"
        assert await script.read() == result(1, sessionId="mine")


@each_surface
async def test_a_replay_precedes_its_response(version: Version) -> None:
    async def back(params: Any) -> Any:
        session = served[0].open("mine")
        await session.say("a")

    served: list[Any] = []
    kinds = [kind for each, kind in LOADERS if each.number == version.number]
    methods: Any = {f"session_{kind}": back for kind in kinds}
    async with agent(version, **methods) as (script, session):
        served.append(session.agent)
        for kind in kinds:
            params = opening(version, kind, "mine")[1]
            script.write(ask(1, f"session/{kind}", **params))
            assert await said(script) == "a"
            assert await script.read() == result(1)


@each_version
async def test_updates_that_wait_have_a_limit(version: Version) -> None:
    async def new(served: Any) -> str:
        session = served.open("mine")
        for number in range(3):
            await session.say(str(number))
        with pytest.raises(LimitExceeded, match=r"3 notifications .* for .* 'session/new'"):
            await session.say("3")
        assert session.state.messages[0].text == "012"
        return "mine"

    served: list[Any] = []

    async def handle(params: Any) -> Any:
        return version.surface.NewSessionResponse(session_id=await new(served[0]))

    class Client(version.surface.SessionClient):  # type: ignore[name-defined, misc]
        texts: tuple[str, ...] = ()

        async def session_update(self, params: Any) -> None:
            self.texts += (params.update.content.text,)

    class Agent(version.surface.SessionAgent):  # type: ignore[name-defined, misc]
        turn = staticmethod(nothing)
        session_new = staticmethod(handle)

        def __init__(self, peer: Any) -> None:
            super().__init__(peer)
            served.append(self)

    limits = Limits(backlog=3)
    async with connect_memory(Agent, Client, limits=limits) as peer:
        await peer.initialize()
        await version.surface.ClientSession.create(peer, cwd="/", mcp_servers=[])
        await settle()
        client: Any = peer.handler
        assert client.texts == ("0", "1", "2")


async def greet(agent_version: Version, client_version: Version) -> None:
    """Check that a message sent while an agent opens a session arrives after the response."""
    seen: list[str] = []

    class Agent(agent_version.surface.SessionAgent):  # type: ignore[name-defined, misc]
        turn = staticmethod(nothing)

        async def session_new(self, params: Any) -> Any:
            session = self.open("mine")
            await session.say("Welcome")
            return agent_version.surface.NewSessionResponse(session_id="mine")

    class Client(client_version.surface.SessionClient):  # type: ignore[name-defined, misc]
        async def session_update(self, params: Any) -> None:
            assert self.sessions[params.session_id].response is not None
            seen.append(params.update.content.text)

    bridge = agent_version is not client_version
    async with connect_memory(Agent, Client, bridge=bridge) as peer:
        await peer.initialize()
        create = client_version.surface.ClientSession.create
        session = await create(peer, cwd="/", mcp_servers=[])
        await settle()
        assert session.state.messages[0].text == "Welcome"
    assert seen == ["Welcome"]


@each_version
async def test_a_client_knows_the_session_when_its_updates_arrive(version: Version) -> None:
    await greet(version, version)


async def test_a_newer_client_of_a_bridge_knows_the_session() -> None:
    await greet(V1, V2)


@logs(
    "rejected a message (id 1): unsupported protocol version (-32022): "
    "{'requested': 1, 'supported': [2]}"
)
async def test_an_older_client_of_a_bridge_knows_the_session() -> None:
    await greet(V2, V1)


# --- requests --------------------------------------------------------------------------------


@each_opener
async def test_a_request_about_a_new_session_is_refused(version: Version, kind: str) -> None:
    async def new(served: Any) -> str:
        session = served.open("mine")
        method = version.surface.CLIENT_METHODS["session/request_permission"]
        about = version.question()
        about.session_id = "mine"
        refusal = f"does not know the session 'mine' before the response to 'session/{kind}'"
        with pytest.raises(RuntimeError, match=refusal):
            await session.client.session_request_permission(about)
        with pytest.raises(RuntimeError, match=refusal):
            await served.client.session_request_permission(about)
        with pytest.raises(RuntimeError, match=refusal):
            await served.peer.request(method.name, version.surface.encode(about))
        return "mine"

    async with opener(version, new, kind) as (script, _):
        script.write(request(version, kind=kind))
        assert await script.read() == result(1, sessionId="mine")


# --- failures --------------------------------------------------------------------------------


@each_opener
async def test_a_failure_discards_the_session_and_its_updates(version: Version, kind: str) -> None:
    async def new(served: Any) -> str:
        await served.open("mine").say("lost")
        raise RequestError(-7, "no")

    async with opener(version, new, kind) as (script, session):
        script.write(request(version, kind=kind))
        assert await script.read() == failure(1, -7, "no")
        await settle()
        assert list(session.agent.sessions) == [SESSION]
        await session.agent.open("mine").say("new")  # the id can be used again
        assert await said(script) == "new"


async def test_a_failure_without_a_connection_discards_the_session() -> None:
    class Failing(v2.SessionAgent):
        async def session_new(self, params: v2.NewSessionRequest) -> v2.NewSessionResponse:
            self.open("mine")
            raise RequestError(-7, "no")

        async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None: ...

    served = Failing()
    with pytest.raises(RequestError):
        await served.handle(v2.methods.AGENT_SESSION_NEW, v2.NewSessionRequest(cwd="/"))
    assert served.sessions == {}


@each_version
async def test_a_cancelled_request_discards_the_session(version: Version) -> None:
    async def new(served: Any) -> str:
        await served.open("mine").say("lost")
        await asyncio.Event().wait()
        return "mine"

    async with opener(version, new) as (script, session):
        script.write(request(version))
        await settle()
        script.write(cancel(1))
        assert (await script.read())["error"]["code"] == REQUEST_CANCELLED
        await settle()
        assert list(session.agent.sessions) == [SESSION]


@logs(FAILED)
@each_version
async def test_a_response_that_cannot_be_written_discards_the_session(version: Version) -> None:
    async def handle(params: Any) -> Any:
        await served[0].open("mine").say("lost")
        return version.surface.NewSessionResponse(session_id="mine", meta={"a": object()})

    served: list[Any] = []
    async with agent(version, session_new=handle) as (script, session):
        served.append(session.agent)
        script.write(request(version))
        assert await script.read() == failure(1, INTERNAL_ERROR, "internal error")
        await settle()
        assert list(session.agent.sessions) == [SESSION]


@pytest.mark.parametrize(("version", "kind"), LOADERS)
async def test_a_session_that_cannot_be_brought_back_is_not_open(
    version: Version, kind: str
) -> None:
    async def back(params: Any) -> Any:
        served[0].open(params.session_id)
        raise RequestError(-7, "no")

    served: list[Any] = []
    methods: Any = {f"session_{kind}": back}
    async with agent(version, **methods) as (script, session):
        served.append(session.agent)
        for name in ("mine", SESSION):  # only the second session is already open
            script.write(ask(1, f"session/{kind}", **opening(version, kind, name)[1]))
            assert await script.read() == failure(1, -7, "no")
        await settle()
        assert list(session.agent.sessions) == [SESSION]


@each_version
async def test_a_session_that_ends_while_it_is_opened_is_not_open(version: Version) -> None:
    async def new(served: Any) -> str:
        await served.open("mine").say("lost")
        await served.end_session("mine")
        return "mine"

    async with opener(version, new) as (script, session):
        script.write(request(version))
        error = (await script.read())["error"]
        assert error["message"] == "the session ended while it was being opened"
        assert list(session.agent.sessions) == [SESSION]


# --- the setup of a session ------------------------------------------------------------------

SERVER = {"name": "a", "command": "/a", "args": [], "env": []}


@each_version
async def test_a_handler_finds_the_setup_of_the_session_that_it_opens(version: Version) -> None:
    async def new(served: Any) -> str:
        session = served.open("mine")
        assert (session.cwd, session.additional_directories) == ("/a", ["/b"])
        [server] = session.mcp_servers
        assert (server.name, server.command) == ("a", "/a")
        session.cwd = "/real"
        return "mine"

    async with opener(version, new) as (script, session):
        server = SERVER if version is V1 else {**SERVER, "type": "stdio"}
        directories = {"cwd": "/a", "additionalDirectories": ["/b"]}
        session.agent._refuses_unadvertised = False
        script.write(ask(1, "session/new", mcpServers=[server], **directories))
        assert await script.read() == result(1, sessionId="mine")
        assert session.agent.session("mine").cwd == "/real"


@pytest.mark.parametrize("version", [V1_UNSTABLE, V2_UNSTABLE], ids=str)
async def test_a_fork_leaves_the_setup_of_its_source(version: Version) -> None:
    async def fork(served: Any) -> str:
        served.open("mine")
        return "mine"

    async with opener(version, fork, "fork") as (script, session):
        session.cwd = "/source"
        script.write(ask(1, "session/fork", sessionId=SESSION, cwd="/fork", mcpServers=[]))
        assert await script.read() == result(1, sessionId="mine")
        assert (session.cwd, session.agent.session("mine").cwd) == ("/source", "/fork")


async def test_handlers_of_several_openings_do_not_mix() -> None:
    async def new(params: Any) -> Any:
        session = served.open(params.cwd[1:])
        await session.say(params.cwd)
        for _ in range(int(params.cwd[1:])):
            await asyncio.sleep(0)
        return V1.surface.NewSessionResponse(session_id=session.session_id)

    served = handler(V1.surface.SessionAgent, turn=nothing, session_new=new)()
    async with connect_memory(served, V1.surface.SessionClient) as peer:
        await peer.initialize()
        create = V1.surface.ClientSession.create
        names = ("3", "0", "5", "1")
        creating = [create(peer, cwd=f"/{name}", mcp_servers=[]) for name in names]
        sessions = await asyncio.gather(*creating)
        await settle()
        assert [each.session_id for each in sessions] == list(names)
        assert [each.state.messages[0].text for each in sessions] == ["/3", "/0", "/5", "/1"]
