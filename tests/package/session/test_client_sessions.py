"""Tests of client sessions: opening, listing, closing, deleting, calls, and custom classes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import (
    INTERNAL_ERROR,
    REQUEST_CANCELLED,
    RESOURCE_NOT_FOUND,
    CapabilityError,
    Handler,
    RequestError,
)
from acp_bindings.runtime.aio import Peer, connect, memory_streams
from acp_bindings.v1.client_session import ClientSession as V1Session
from acp_bindings.v1.client_session import SessionClient as V1Client
from acp_bindings.v2.client_session import SessionClient as V2Client

from tests.package.jsonrpc.wire import tell
from tests.package.laws.schemas import SURFACES
from tests.package.session.scripted import (
    BACK,
    BLOCKS,
    MESSAGE,
    METHODS,
    REFUSED,
    SESSION,
    V1,
    V1_UNSTABLE,
    V2,
    V2_UNSTABLE,
    Asked,
    Json,
    Script,
    Version,
    bring_back,
    call,
    chunk,
    client,
    close,
    each_surface,
    each_version,
    entered,
    failure,
    initialize,
    logs,
    named,
    opening,
    prompted,
    result,
    settle,
    text,
    texts,
    update,
    working,
)

# --- opening and listing ---------------------------------------------------------------------


SERVER = {"name": "a", "command": "/a", "args": [], "env": []}


def with_setup(version: Version, kind: str, session: str = SESSION) -> tuple[Any, Json]:
    """Return params with directories and an MCP server, as an object and as JSON."""
    params, members = opening(version, kind, session)
    server = SERVER if version.number == 1 else {**SERVER, "type": "stdio"}
    members |= {"cwd": "/a", "additionalDirectories": ["/b"], "mcpServers": [server]}
    return version.surface.decode(type(params), members), members


def unchecked(stub: Any, method: Any, params: Any) -> None:
    """Accept any call, regardless of the agent's capabilities."""


def setup(session: Any) -> tuple[str, list[str], list[str]]:
    servers = [server.name for server in session.mcp_servers]
    return session.cwd, session.additional_directories, servers


OPENS = [(V1, "new"), (V2, "new"), (V1_UNSTABLE, "fork"), (V2_UNSTABLE, "fork")]


@pytest.mark.parametrize(("version", "kind"), OPENS, ids=str)
async def test_a_session_keeps_the_setup_of_the_request_that_opens_it(
    version: Version, kind: str, monkeypatch: Any
) -> None:
    monkeypatch.setattr(version.surface.AgentStub, "check", unchecked)
    params, members = with_setup(version, kind)
    opens = getattr(version.client.ClientSession, "create" if kind == "new" else kind)
    async with client(version) as (script, other):
        assert setup(other) == ("", [], [])
        request = getattr(other.client.agent, f"session_{kind}")
        for number, creating in enumerate((opens(other.peer, params), request(params))):
            task = asyncio.create_task(creating)
            id_ = await script.request(f"session/{kind}", **members)
            script.write(result(id_, sessionId=str(number)))
            await task
            session = other.client.sessions[str(number)]
            assert setup(session) == ("/a", ["/b"], ["a"])


@pytest.mark.parametrize(("version", "kind"), BACK)
async def test_a_session_keeps_the_setup_of_the_request_that_brings_it_back(
    version: Version, kind: str, monkeypatch: Any
) -> None:
    monkeypatch.setattr(version.surface.AgentStub, "check", unchecked)
    seen: list[Any] = []

    async def look(params: Any) -> None:
        seen.append(setup(session))

    params, members = with_setup(version, kind)
    come_back = getattr(version.client.ClientSession, kind)
    async with client(version, session_update=look) as (script, session):
        coming = asyncio.create_task(come_back(session.peer, params))
        id_ = await script.request(f"session/{kind}", **members)
        script.write(chunk("a"))
        await settle()
        script.write(failure(id_, INTERNAL_ERROR))
        with pytest.raises(RequestError):
            await coming
        assert setup(session) == ("", [], [])
        coming = asyncio.create_task(come_back(session.peer, params))
        script.write(result(await script.request(f"session/{kind}", **members)))
        assert await coming is session
        assert setup(session) == ("/a", ["/b"], ["a"])
    assert seen == [("/a", ["/b"], ["a"])]


@pytest.mark.parametrize(("version", "kind"), OPENS, ids=str)
@pytest.mark.parametrize("by_members", [True, False])
async def test_updates_before_the_response_that_opens_a_session_are_part_of_it(
    version: Version, kind: str, by_members: bool
) -> None:
    params, members = opening(version, kind)
    opens = getattr(version.client.ClientSession, "create" if kind == "new" else kind)
    answer = getattr(version.surface, f"{kind.title()}SessionResponse")
    async with client(version) as (script, other):
        coming = opens(other.peer, **named(members)) if by_members else opens(other.peer, params)
        creating = asyncio.create_task(coming)
        id_ = await script.request(f"session/{kind}", **members)
        script.write(chunk("early", session="new"))
        await settle()
        script.write(chunk("er", session="new"), result(id_, sessionId="new"))
        script.write(chunk("!", session="new"))
        session = await creating
        await settle()
        assert session.session_id == "new"
        assert session.response == answer(session_id="new")
        assert texts(session) == ["earlyer!"]
        assert other.state.messages == []
        assert session.client.sessions == {SESSION: other, "new": session}


@each_version
async def test_a_request_that_is_no_request_is_refused(version: Version) -> None:
    async with client(version) as (_, session):
        create = version.client.ClientSession.create
        both = "pass a NewSessionRequest or its fields, not both: cwd, meta"
        with pytest.raises(TypeError, match=f"^{both}$"):
            await create(session.peer, opening(version, "new")[0], cwd="/", meta=None)
        with pytest.raises(TypeError, match="cwd"):
            await create(session.peer)
        with pytest.raises(TypeError, match="cdw"):
            await create(session.peer, cwd="/", cdw="/")


@each_version
@pytest.mark.parametrize("way", ["request", "members", "nothing"])
async def test_sessions_are_listed(version: Version, way: str) -> None:
    surface = version.surface
    members = {} if way == "nothing" else {"cwd": "/"}
    requests = [surface.ListSessionsRequest(cwd="/")] if way == "request" else []
    given = {} if way == "request" else members
    async with client(version) as (script, session):
        asking = version.client.ClientSession.list_sessions(session.peer, *requests, **given)
        listing = asyncio.create_task(asking)
        id_ = await script.request("session/list", **members)
        script.write(result(id_, sessions=[{"sessionId": "a", "cwd": "/"}], nextCursor="c"))
        assert await listing == surface.ListSessionsResponse(
            sessions=[surface.SessionInfo(session_id="a", cwd="/")], next_cursor="c"
        )


# --- closing and deleting --------------------------------------------------------------------


@each_version
@pytest.mark.parametrize("error", [None, RESOURCE_NOT_FOUND, INTERNAL_ERROR])
async def test_a_session_the_agent_lacks_is_forgotten(version: Version, error: int | None) -> None:
    async with client(version) as (script, session):
        closing = asyncio.create_task(session.close())
        id_ = await script.request("session/close", sessionId=SESSION)
        assert session.client.sessions == {SESSION: session}
        script.write(result(id_) if error is None else failure(id_, error))
        if error == INTERNAL_ERROR:
            with pytest.raises(RequestError) as caught:
                await closing
            assert caught.value.code == INTERNAL_ERROR
            assert session.client.sessions == {SESSION: session}
        else:
            await closing
            assert session.client.sessions == {}


@each_version
@pytest.mark.parametrize("says_so", [True, False])
async def test_closing_cancels_what_is_under_way(version: Version, says_so: bool) -> None:
    user = Asked()
    said = version.permission("a"), call("t", status="pending")
    async with client(version, user=user) as (script, session):
        async with prompted(version, script, session, *said) as (turn, id_):
            await settle()
            closing = asyncio.create_task(session.close())
            closed = await script.request("session/close", sessionId=SESSION)
            assert await script.read() == result("a", **REFUSED)
            assert session.state.tool_calls["t"].status == "cancelled"
            if says_so or version is V1:  # protocol 1 requires a response to the prompt
                script.write(*version.stopped(id_, "cancelled"))
            script.write(result(closed))
            await closing
        assert turn.stop_reason == "cancelled"
        assert turn.is_cancelled
        assert (turn.ending is None) == (version is V2 and not says_so)
        assert session.turns == []
        assert user.withdrawn == ["t"]


@each_version
@pytest.mark.parametrize("is_accepted", [True, False])
async def test_a_prompt_answered_behind_the_closing_ends(
    version: Version, is_accepted: bool
) -> None:
    async with client(version) as (script, session):
        turn, id_ = await entered(script, session)
        await close(script, session)
        if not is_accepted:
            script.write(failure(id_, REQUEST_CANCELLED))
        elif version is V1:
            script.write(result(id_, stopReason="cancelled"))
        else:
            script.write(result(id_, messageId=MESSAGE))
        await settle()
        assert turn.is_over
        assert turn.stop_reason == "cancelled"


@pytest.mark.parametrize(
    ("version", "kind"), [(V1, "close"), (V1, "delete"), (V1, "load"), (V2, "delete")], ids=str
)
async def test_what_the_agent_lacks_is_not_called(version: Version, kind: str) -> None:
    async with client(version, lacks=[kind]) as (_, session):
        asking = bring_back(V1, kind, session) if kind == "load" else getattr(session, kind)()
        with pytest.raises(CapabilityError):
            await asking
        assert session.client.sessions == {SESSION: session}


class Unchecked1(V1Client):
    check_capabilities = False


class Unchecked2(V2Client):
    check_capabilities = False


UNCHECKED = [(V1, Unchecked1), (V2, Unchecked2)]


@pytest.mark.parametrize(("version", "factory"), UNCHECKED)
async def test_an_unchecked_client_sends_what_the_agent_lacks(
    version: Version, factory: Any
) -> None:
    surface, sessions = version.surface, version.client.ClientSession
    server = surface.McpServerHttp(name="a", url="http://a", headers=[])
    servers = [{"type": "http", "name": "a", "url": "http://a", "headers": []}]
    directories = {"additionalDirectories": ["/b"]}
    async with connected(version, factory, lacks=METHODS) as (script, peer):

        async def sends(calling: Any, method: str, answer: Json, **params: Json) -> Any:
            task = asyncio.ensure_future(calling)
            script.write(result(await script.request(method, **params), **answer))
            return await task

        given = {"cwd": "/", "additional_directories": ["/b"], "mcp_servers": [server]}
        wanted = {"cwd": "/", **directories, "mcpServers": servers}
        creating = sessions.create(peer, **given)
        session = await sends(creating, "session/new", {"sessionId": "s"}, **wanted)
        listing = sessions.list_sessions(peer)
        assert (await sends(listing, "session/list", {"sessions": []})).sessions == []
        resuming = sessions.resume(peer, session_id="s", **given)
        await sends(resuming, "session/resume", {}, sessionId="s", **wanted)
        turn = session.prompt([surface.ImageContent(data="", mime_type="image/png")])
        await turn.__aenter__()
        image = {"type": "image", "data": "", "mimeType": "image/png"}
        id_ = await script.request("session/prompt", sessionId="s", prompt=[image])
        script.write(failure(id_, INTERNAL_ERROR))
        await settle()
        assert turn.is_over
        await sends(session.delete(), "session/delete", {}, sessionId="s")
        await sends(session.close(), "session/close", {}, sessionId="s")


async def test_what_cannot_be_closed_is_not_cancelled() -> None:
    begun = call("t", status="in_progress")
    async with working(V1, begun, lacks=["close"]) as (script, session, turn, id_):
        await settle()
        with pytest.raises(CapabilityError):
            await session.close()
        assert session.state.tool_calls["t"].status == "in_progress"
        assert not turn.is_cancelled
        script.write(*V1.stopped(id_))


# --- other calls -----------------------------------------------------------------------------


@each_surface
def test_every_call_to_the_agent_that_names_a_session_has_a_method(version: Version) -> None:
    named = {"tool_call/cancel": "tool_call_cancel", "terminal/cancel": "terminal_cancel"}
    wires = [
        definition["x-method"]
        for definition in SURFACES[version.name].definitions.values()
        if definition.get("x-side") == "agent" and "sessionId" in definition.get("required", ())
        # Exclude responses that contain a session id. Also exclude requests that reopen sessions,
        # because class methods send these requests.
        and {"cwd", "configOptions"}.isdisjoint(definition["properties"])
    ]
    assert len(wires) >= 6
    for wire in wires:
        name = named.get(wire, wire.removeprefix("session/"))
        assert callable(getattr(version.client.ClientSession, name)), wire


OPTION = {"config_id": "o"}
CALLS: list[tuple[Version, str, Json, Json]] = [
    (V1, "set_mode", {"mode_id": "m", "meta": {"a": 1}}, {"modeId": "m", "_meta": {"a": 1}}),
    (V1, "set_config_option", {**OPTION, "value": True}, {"value": True, "type": "boolean"}),
    (V1, "set_config_option", {**OPTION, "value": "x"}, {"value": "x"}),
    (V2, "set_config_option", {**OPTION, "value": True}, {"value": True, "type": "boolean"}),
    (V2, "set_config_option", {**OPTION, "value": "x"}, {"value": "x", "type": "id"}),
    (V1, "delete", {}, {}),
    (V2, "tool_call_cancel", {"tool_call_id": "t"}, {"toolCallId": "t"}),
]


@pytest.mark.parametrize(("version", "name", "given", "params"), CALLS, ids=str)
async def test_a_method_is_called_with_the_id_of_the_session(
    version: Version, name: str, given: Json, params: Json
) -> None:
    method = "tool_call/cancel" if name == "tool_call_cancel" else f"session/{name}"
    answer: Json = {}
    if name == "set_config_option":
        answer, params = {"configOptions": []}, {"configId": "o", **params}
    async with client(version) as (script, session):
        calling = asyncio.create_task(getattr(session, name)(**given))
        script.write(result(await script.request(method, sessionId=SESSION, **params), **answer))
        await calling


# --- clients ---------------------------------------------------------------------------------


@each_version
async def test_sessions_are_kept_apart(version: Version) -> None:
    async with client(version) as (script, one):
        two = one.client.session("two")
        assert one.client.session("two") is two
        async with one.prompt("Hi") as first, two.prompt("Hi") as second:
            id_ = await script.prompt()
            other = await script.request("session/prompt", sessionId="two", prompt=[text("Hi")])
            changed: Json = {"sessionUpdate": "state_update"}
            if version is V2:
                script.write(result(other, messageId="m2"))
                script.write(update("two", **changed, state="running"))
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
                script.write(update("two", **changed, state="idle", stopReason="cancelled"))
        assert (first.stop_reason, second.stop_reason) == ("end_turn", "cancelled")
        assert (texts(one), texts(two)) == (["13"], ["2"])


@each_version
@pytest.mark.parametrize("is_initialized", [True, False])
async def test_sessions_need_an_initialized_connection_and_the_handler_that_keeps_them(
    version: Version, is_initialized: bool
) -> None:
    near, far = memory_streams()
    script, sessions = Script(far), version.client

    class Client(version.surface.ClientHandler):  # type: ignore[misc, name-defined]
        def __init__(self, peer: Any) -> None:
            pass

    new, resumed = opening(version, "new")[0], opening(version, "resume")[0]
    error: type[Exception] = TypeError
    text = "the connection's handler is not a SessionClient; pass a SessionClient to use sessions"
    if not is_initialized:
        error = RuntimeError
        text = "the connection is not initialized; call initialize first"
    async with connect(near, Client if is_initialized else sessions.SessionClient) as peer:
        if is_initialized:
            await initialize(version, script, peer)
        with pytest.raises(error, match=f"^{text}$"):
            sessions.SessionClient.of(peer)
        with pytest.raises(error):
            await sessions.ClientSession.create(peer, new)
        with pytest.raises(error):
            await sessions.ClientSession.resume(peer, resumed)
        if not is_initialized:
            await initialize(version, script, peer)
            assert sessions.SessionClient.of(peer) is peer.handler
    assert await script.rest() == []


@each_version
async def test_a_handler_may_still_take_updates(version: Version) -> None:
    found: list[Any] = []

    async def take(params: Any) -> None:
        found.append((params.update.content.text, texts(holder[0])))

    async with client(version, session_update=take) as (script, session):
        holder = [session]
        script.write(chunk("a"), chunk("b"))
        await settle()
        assert found == [("a", ["ab"]), ("b", ["ab"])]  # both had arrived


@logs("the callback for a response failed")
@each_version
async def test_a_mixin_can_also_follow_responses(version: Version) -> None:
    class Following(Handler):
        def sent(self, method: Any, params: Any) -> Any:
            return lambda event: followed.append(method.name)

    class Client(version.client.SessionClient, Following):  # type: ignore[misc, name-defined]
        def session(self, session_id: str) -> Any:
            if session_id == "bad":
                raise ValueError("no")
            return super().session(session_id)

    followed: list[str] = []
    async with connected(version, Client) as (script, peer):
        followed.clear()
        agent = peer.handler.agent  # type: ignore[union-attr]
        new, listed = opening(version, "new")[0], version.surface.ListSessionsRequest()
        for coming, answer in (
            (agent.session_new(new), {"sessionId": "a"}),
            (agent.session_new(new), {"sessionId": "bad"}),
            (agent.session_list(listed), {"sessions": []}),
            (agent.session_close(version.surface.CloseSessionRequest(session_id="a")), {}),
        ):
            calling = asyncio.create_task(coming)
            id_ = (await script.read())["id"]
            script.write(result(id_, **answer))
            await calling
    assert followed == ["session/new", "session/new", "session/list", "session/close"]


# --- custom classes of client sessions, and the classes that are rejected --------------------


class Noting(V1Session):
    def __init__(self, client: V1Client[Any], session_id: str) -> None:
        super().__init__(client, session_id)
        self.noted: list[str] = []
        self.state.subscribe(lambda change: self.noted.append(f"{change.kind} {change.where}"))


class Editor(V1Client[Noting]):
    pass


class Special(Editor):
    pass


@asynccontextmanager
async def connected(
    version: Version, factory: Any, lacks: Collection[str] = ()
) -> AsyncGenerator[tuple[Script, Peer]]:
    near, far = memory_streams()
    script = Script(far)
    async with connect(near, factory) as peer:
        await initialize(version, script, peer, () if lacks else BLOCKS, lacks)
        yield script, peer


@pytest.mark.parametrize("factory", [Editor, Special])
async def test_a_session_is_of_the_class_and_there_before_its_first_update(factory: Any) -> None:
    async with connected(V1, factory) as (script, peer):
        for kind, opens, session_id in (
            ("load", Noting.load, SESSION),
            ("new", Noting.create, "n"),
            ("new", V1Session.create, "m"),  # a session of a base class is also accepted
        ):
            params, members = opening(V1, kind)
            opened: Any = asyncio.create_task(opens(peer, params))
            id_ = await script.request(f"session/{kind}", **members)
            given = {} if kind == "load" else {"sessionId": session_id}
            script.write(chunk("a", session=session_id), result(id_, **given))
            session = await opened
            assert isinstance(session, Noting)
            assert session.noted == ["added messages"]
            assert texts(session) == ["a"]


async def test_a_client_with_sessions_of_another_class_is_refused() -> None:
    async with client(V1) as (_, session):
        for opens in (Noting.create, Noting.load, Noting.resume):
            with pytest.raises(TypeError) as caught:
                await opens(session.peer)  # type: ignore[call-overload]
            assert str(caught.value) == (
                "the session class of TestHandler is ClientSession, not Noting; "
                "extend SessionClient[Noting]"
            )


@pytest.mark.parametrize(
    ("version", "named"), [(V1, v1.ToolCall), (V1, "Noting"), (V2, Noting), (V2, int)]
)
def test_what_is_no_class_of_sessions_is_refused(version: Version, named: Any) -> None:
    base = version.client.SessionClient
    with pytest.raises(TypeError, match="expected a subclass of ClientSession"):
        type(base)("Wrong", (base,), {"__orig_bases__": (base[named],)})


# --- connections without sessions ------------------------------------------------------------


@pytest.mark.parametrize(("version", "other"), [(V1, V2), (V2, V1)], ids=str)
async def test_a_session_names_the_version_that_is_spoken(version: Version, other: Version) -> None:
    async with connected(version, version.client.SessionClient) as (_, peer):
        with pytest.raises(TypeError) as caught:
            other.client.SessionClient.of(peer)
    assert str(caught.value) == f"this connection speaks {version}; use {version}.ClientSession"
