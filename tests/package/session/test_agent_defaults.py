"""Tests of the default behavior of `SessionAgent`: session lists, resuming and rejections."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND, RequestError
from acp_bindings.runtime.aio import Peer, connect, connect_memory, memory_streams, serve
from acp_bindings.runtime.jsonrpc import Limits
from acp_bindings.v1 import agent_session as live1
from acp_bindings.v2 import agent_session as live2

from tests.package.jsonrpc.wire import ask
from tests.package.session.scripted import (
    CANCEL,
    SESSION,
    V1,
    V2,
    Json,
    Script,
    Turn,
    Version,
    Waiting,
    agent,
    agreeing,
    answer_of,
    begun,
    each_surface,
    each_v2,
    each_version,
    ended,
    failure,
    handler,
    logs,
    nothing,
    opening,
    prompt,
    raising,
    result,
    serving,
    settle,
    state,
)

# --- ids ---------------------------------------------------------------------------------------


@each_surface
async def test_sessions_are_opened_by_ids_or_get_one(version: Version) -> None:
    async with agent(version) as (_, session):
        served = session.agent
        ids = {served.open().session_id for _ in range(3)} | {served.open(None).session_id}
        assert len(ids) == 4
        assert all(ids)
        assert {served.session(each).session_id for each in ids} == ids
        assert served.open(SESSION) is served.session(SESSION) is session
        with pytest.raises(RequestError) as caught:
            served.session("none")
        assert caught.value.code == RESOURCE_NOT_FOUND


# --- the list --------------------------------------------------------------------------------


@each_v2
async def test_sessions_are_listed_with_their_directories_and_titles(version: Version) -> None:
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
        assert await answer_of(script, "list", cursor="") == {"sessions": [first, entry]}
        assert await answer_of(script, "list", cwd="/b") == {"sessions": [entry]}
        assert await answer_of(script, "list", cwd="/x") == {"sessions": []}


async def test_a_long_list_comes_in_pages() -> None:
    async with agent(V2, nothing) as (script, session):
        served = session.agent
        names = [SESSION, *(served.open(f"s{number}").session_id for number in range(299))]
        pages: list[list[str]] = []
        cursor: Json = {}
        while True:
            page = await answer_of(script, "list", **cursor)
            pages.append([entry["sessionId"] for entry in page["sessions"]])
            if "nextCursor" not in page:
                break
            cursor = {"cursor": page["nextCursor"]}
            if len(pages) == 1:  # a cursor stays valid after its session is removed
                del served.sessions[pages[0][-1]]
        assert [len(page) for page in pages] == [100, 100, 100]  # the last page is full
        assert [name for page in pages for name in page] == names


# --- going on --------------------------------------------------------------------------------


@each_v2
@pytest.mark.parametrize("replays", [True, False])
async def test_an_open_session_goes_on(version: Version, replays: bool) -> None:
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


async def test_what_the_state_knows_is_told_again() -> None:
    async with agent(V2, nothing) as (script, session):
        commands = [v2.Command(name="tea", description="Make tea.")]
        await session.available_commands(available_commands=commands)
        await script.updates(1)
        script.write(ask("q", "session/resume", sessionId=SESSION, cwd="/"))
        await script.updates(1)
        told = [{"type": "command", "name": "tea", "description": "Make tea."}]
        assert await script.read() == {"id": "q", "result": {"availableCommands": told}}


async def test_responses_of_the_agent_count_for_its_state() -> None:
    async def set_mode(params: Any) -> None: ...

    served = handler(v1.SessionAgent, turn=nothing, session_set_mode=set_mode)()
    async with serving(V1, served) as script:
        opened = await answer_of(script, "new", cwd="/", mcpServers=[])
        assert await answer_of(script, "set_mode", modeId="ask", **opened) == {}
        mode = served.session(opened["sessionId"]).state.current_mode
        assert mode == v1.CurrentModeUpdate(current_mode_id="ask")


# --- refused requests ------------------------------------------------------------------------


async def test_unknown_kinds_that_the_agent_handles_reach_it() -> None:
    prompts: list[Any] = []

    async def keep(session: Any, params: Any) -> None:
        prompts.append(params.prompt)

    async with agent(V2, keep) as (script, session):
        session.agent.accepts = (v2.UnknownContentBlock,)
        block = {"type": "hologram", "depth": 3}
        script.write(ask(1, "session/prompt", sessionId=SESSION, prompt=[block]))
        await script.read()
        await script.updates(3)
        assert prompts == [[v2.UnknownContentBlock(tag="hologram", raw=block)]]


class Plain(v2.SessionAgent):
    capabilities = v2.AgentCapabilities(
        session=v2.SessionCapabilities(
            prompt=v2.PromptCapabilities(image=v2.PromptImageCapabilities())
        )
    )

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None: ...


INVALID, UNKNOWN = "invalid params: ", "the agent does not support this kind of"
LACKS = f"{INVALID}the agent did not advertise "
SERVER = {"type": "http", "name": "a", "url": "b"}
AUDIO = {"type": "audio", "data": "", "mimeType": "audio/wav"}
OPTION = {"configId": "a", "type": "id", "value": "x"}
NOT_FOUND = {"sessionId": "x"}
REFUSED: list[tuple[str, Json, str, Json]] = [
    *(
        ("list", {"cursor": cursor}, "unknown cursor", {"cursor": cursor})
        for cursor in ("x", "0", "-1", "2", "9" * 5000, "¹")
    ),
    ("resume", {"sessionId": "x"}, "session not found", NOT_FOUND),
    ("set_config_option", OPTION, f"{INVALID}unknown option", {"configId": "a"}),
    *(
        (method, params, f"{INVALID}{UNKNOWN} {name}", {"found": "x"})
        for method, params, name in (
            ("prompt", {"prompt": [{"type": "x"}]}, "ContentBlock"),
            ("resume", {"replayFrom": {"type": "x"}}, "ReplayFrom"),
            ("resume", {"mcpServers": [{"type": "x"}]}, "McpServer"),
            ("set_config_option", {**OPTION, "type": "x"}, "SetSessionConfigOptionRequest"),
        )
    ),
    *(
        (method, params, f"{LACKS}{capability}", {"capability": capability})
        for method, params, capability in (
            ("prompt", {"prompt": [AUDIO]}, "/capabilities/session/prompt/audio"),
            (
                "new",
                {"additionalDirectories": ["/b"]},
                "/capabilities/session/additionalDirectories",
            ),
            ("new", {"mcpServers": [SERVER]}, "/capabilities/session/mcp/http"),
        )
    ),
]


@pytest.mark.parametrize(("method", "params", "problem", "data"), REFUSED)
async def test_what_is_unknown_or_was_not_advertised_is_refused(
    method: str, params: Json, problem: str, data: Json
) -> None:
    async with serving(V2, Plain) as script:
        opened = await answer_of(script, "new", cwd="/")
        answer = await answer_of(script, method, **{**opened, "cwd": "/", **params})
        code = RESOURCE_NOT_FOUND if data is NOT_FOUND else INVALID_PARAMS
        assert (answer["code"], answer["message"]) == (code, problem)
        assert answer["data"] == data
        image = {"type": "image", "data": "", "mimeType": "image/png"}
        assert "messageId" in await answer_of(script, "prompt", prompt=[image], **opened)


# --- without a connection, and with several --------------------------------------------------


async def repeat(session: Any, params: Any) -> None:
    await session.say(params.prompt[0])


def repeating() -> Any:
    return handler(v2.SessionAgent, turn=repeat)()


async def test_an_agent_can_be_used_without_a_connection() -> None:
    served = repeating()
    opened = await served.session_new(v2.NewSessionRequest(cwd="/a"))
    session = served.session(opened.session_id)
    await session.say("before")
    params = v2.PromptRequest(session_id=session.session_id, prompt=[v2.TextContent(text="b")])
    await served.session_prompt(params)
    while session.is_working:
        await asyncio.sleep(0)
    assert [message.text for message in session.state.messages] == ["before", "b", "b"]
    problem = "the agent has no connection; pass it to serve or serve_stdio"
    with pytest.raises(RuntimeError, match=f"^{problem}$"):
        _ = session.client


async def test_both_sides_may_outlive_their_connection_of_which_they_have_one_at_a_time() -> None:
    served = repeating()
    kept: v2.SessionClient[Any] = v2.SessionClient()
    with pytest.raises(RuntimeError, match=r"^the client has no connection; pass it to connect$"):
        _ = kept.agent
    for words in ("0", "1"):
        async with connect_memory(served, kept) as peer:
            await peer.initialize()
            assert kept.sessions == {}
            if words == "0":
                opened = await v2.AgentStub(peer).session_new(v2.NewSessionRequest(cwd="/a"))
            params = v2.ResumeSessionRequest(session_id=opened.session_id, cwd="/a")
            session = await v2.ClientSession.resume(peer, params)
            async with session.prompt(words):
                pass
            assert kept.sessions == {session.session_id: session}
            near, far = memory_streams()
            with pytest.raises(
                RuntimeError, match="already has a connection; for several connections, pass its"
            ):
                await serve(far, served)
            with pytest.raises(
                RuntimeError, match="the client already has a connection; for several connections"
            ):
                await connect(near, kept).__aenter__()
    texts = [message.text for message in served.session(opened.session_id).state.messages]
    assert texts == ["0", "0", "1", "1"]


async def test_a_session_keeps_the_directories_of_the_request_that_opens_it() -> None:
    async def new(params: Any) -> Any:
        return v1.NewSessionResponse(session_id=served.open("mine").session_id)

    served = handler(v1.SessionAgent, turn=nothing, session_new=new)()
    async with serving(V1, served) as script:
        directories = {"cwd": "/a", "additionalDirectories": ["/b"]}
        assert await answer_of(script, "new", mcpServers=[], **directories) == {"sessionId": "mine"}
    session = served.session("mine")
    assert (session.cwd, session.additional_directories) == ("/a", ["/b"])


# --- custom sessions -------------------------------------------------------------------------


class Session1(live1.AgentSession):
    def __init__(self, agent: live1.SessionAgent[Any], session_id: v1.SessionId) -> None:
        super().__init__(agent, session_id)
        self.count = 0


class Session2(live2.AgentSession):
    """Another one."""


class Agent1(live1.SessionAgent[Session1]):
    async def turn(self, session: Session1, params: v1.PromptRequest) -> None:
        session.count += 1
        await session.say(str(session.count))


class Mixin:
    """A second base class."""


class Later(Mixin, Agent1): ...


@pytest.mark.parametrize(
    ("factory", "expected"),
    [
        (Agent1, Session1),
        (Later, Session1),
        (live1.SessionAgent, live1.AgentSession),
        (live2.SessionAgent, live2.AgentSession),
        (live2.SessionAgent[Session2], Session2),
    ],
)
def test_sessions_are_of_the_class_that_is_named(factory: Any, expected: type) -> None:
    async def main() -> Any:
        return Peer(memory_streams()[0], "agent", factory).handler

    assert type(asyncio.run(main()).open("s")) is expected


@pytest.mark.parametrize("named", [int, "Session1", live2.AgentSession])
def test_only_a_class_of_sessions_can_be_named(named: Any) -> None:
    base: Any = live1.SessionAgent
    made = type(base)(
        "Mistaken", (base,), {"__orig_bases__": (base[named],), "turn": staticmethod(nothing)}
    )
    with pytest.raises(TypeError, match="expected a subclass of AgentSession"):
        made().open("s")


# --- the sessions that an agent has open: no more than the limit, each once; and how they end ---


@each_version
async def test_a_session_beyond_the_limit_is_refused(version: Version) -> None:
    async with agent(version) as (script, session):
        session.peer.limits = Limits(sessions=2)
        new = ask(1, "session/new", **opening(version, "new")[1])
        script.write(new)
        opened = (await script.read())["result"]["sessionId"]
        script.write({**new, "id": 2})
        message = "2 sessions are already open (limit `sessions`); close one"
        assert await script.read() == failure(2, INTERNAL_ERROR, message)
        script.write(ask(3, "session/close", sessionId=opened), {**new, "id": 4})
        assert await script.read() == result(3)
        assert "result" in await script.read()


@each_version
async def test_an_open_session_can_be_opened_at_the_limit(version: Version) -> None:
    async with agent(version) as (_, session):
        session.peer.limits = Limits(sessions=1)
        assert session.peer.handler.open(SESSION) is session
        with pytest.raises(RequestError, match="1 sessions are already open"):
            session.peer.handler.open()


@each_version
async def test_a_session_that_is_opened_again_keeps_its_turn(version: Version) -> None:
    async with agent(version, Waiting()) as (script, session):
        script.write(prompt(1))
        await begun(version, script, 1)
        await settle()
        assert session.peer.handler.open(SESSION) is session
        assert session.is_working
        script.write(CANCEL)
        await ended(version, script, 1, "cancelled")


@logs("the handler for 'session/new' failed")
@each_version
async def test_a_session_must_have_been_opened(version: Version, caplog: Any) -> None:
    async def promise(params: Any) -> Any:
        return version.surface.NewSessionResponse(session_id="new")

    async with agent(version, session_new=promise) as (script, session):
        new = ask(1, "session/new", **opening(version, "new")[1])
        script.write(new)
        assert await script.read() == failure(1, INTERNAL_ERROR, "internal error")
        session.peer.handler.open("new")
        script.write({**new, "id": 2})
        assert await script.read() == result(2, sessionId="new")
    (record,) = caplog.records
    text = "session_new did not open the session 'new'; call self.open('new')"
    assert str(record.exc_info[1]) == text


# --- turns that end the program: the client gets the error first ----------------------

each_exit = pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])


def told(version: Version, kind: type[BaseException], turn: Turn, *messages: Json) -> list[Json]:
    near, far = memory_streams()
    script = Script(near)

    async def main() -> None:
        methods: Any = {"initialize": agreeing(version), "turn": turn}
        peer = Peer(far, "agent", handler(version.agent.SessionAgent, **methods))
        serving = asyncio.create_task(peer.run())
        await script.initialize(version.number)
        served: Any = peer.handler
        served.open("s")
        for message in messages:
            script.write(message)
            await settle()
        await serving

    with pytest.raises(kind):
        asyncio.run(main())
    return asyncio.run(script.rest())


@each_version
@each_exit
@pytest.mark.parametrize("is_cancelled", [True, False])
def test_the_client_is_told_before_the_program_ends(
    version: Version, kind: type[BaseException], is_cancelled: bool
) -> None:
    ending = raising(kind())
    if is_cancelled:
        messages = told(version, kind, Waiting(ending), prompt(1), CANCEL)
    else:
        messages = told(version, kind, ending, prompt(1))
    error = {"code": INTERNAL_ERROR, "message": "internal error"}
    failed = {"id": 1, "error": error}
    if version is not V1:
        failed = state("idle", stopReason="error", error=error)
    assert messages[-1] == failed
    assert len(messages) == (1 if version is V1 else 4)


@each_version
def test_an_exit_is_not_logged(version: Version, caplog: pytest.LogCaptureFixture) -> None:
    told(version, SystemExit, raising(SystemExit(3)), prompt(1))
    gc.collect()  # asyncio logs unretrieved exceptions when tasks are garbage-collected
    assert caplog.records == []


def test_v1_other_turns_are_cancelled() -> None:
    async def turn(session: Any, params: Any) -> str | None:
        if params.session_id == "s":
            session.peer.handler.open("other")
            await asyncio.Event().wait()
        raise SystemExit

    messages = told(V1, SystemExit, turn, prompt(1), prompt(2, session="other"))
    assert {each["id"]: each["error"]["code"] for each in messages} == {1: -32800, 2: -32603}
