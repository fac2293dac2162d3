"""Tests that links to remote agents restore sessions after the connection is lost."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.kit import links
from acp_bindings.kit.links import LaunchError, Link, RestartPolicy
from acp_bindings.kit.reaching import RECONNECTS
from acp_bindings.kit.signing_in import SignInMethod, SignInRequired
from acp_bindings.remote import NotAdmitted, RemoteLimits, remote_app
from acp_bindings.runtime import ConnectionClosed, RequestError

from tests.package.remote.network import Network, network

QUICK = RestartPolicy(first_pause=0.01, longest_pause=0.05, limit=200)
GUARD = 30.0  # timeout in seconds for each wait, so that failing tests don't wait forever

each_version = pytest.mark.parametrize("surface", [v1, v2], ids=["v1", "v2"])
each_transport = pytest.mark.parametrize("transport", ["websocket", "http"])


def kit_of(surface: Any) -> Any:
    return import_module(f"{surface.__name__}.kit")


class Pause:
    """A point at which agents wait until the test lets them continue."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    async def wait(self) -> None:
        self.reached.set()
        await self.opened.wait()

    async def wait_reached(self) -> None:
        await asyncio.wait_for(self.reached.wait(), GUARD)
        self.reached.clear()


class Turns:
    """A mixin whose turns echo the text and can wait or ask for permission."""

    pause: Pause

    async def turn(self, session: Any, params: Any) -> None:
        text = params.prompt[0].text
        await session.say(f"heard {text}")
        if text == "wait":
            await self.pause.wait()
        elif text == "ask":
            async with session.tool("Edit") as tool:
                await tool.ask()


def stored(surface: Any, folder: Path, pause: Pause | None = None) -> Any:
    """Return an agent class that saves sessions in a folder."""
    kit = kit_of(surface)

    class Stored(Turns, kit.StoredAgent):  # type: ignore[misc, name-defined]
        store = kit.SessionStore(folder)

    if pause is not None:
        Stored.pause = pause
    return Stored


@asynccontextmanager
async def reached(
    net: Network, surface: Any, client: Any = None, **options: Any
) -> AsyncGenerator[Link[Any]]:
    kit = kit_of(surface)
    options = {"restart": QUICK, **options}
    async with kit.reach(net.url, client or surface.SessionClient, **options) as link:
        yield link


async def opened(link: Link[Any]) -> Any:
    return await link.open(cwd="/", mcp_servers=[])  # type: ignore[attr-defined]


async def prompt(session: Any, text: str) -> None:
    async with session.prompt(text) as turn:
        await turn.wait(timeout=GUARD)


async def back(link: Link[Any], restarts: int = 1) -> None:
    """Wait until the link is connected again."""
    while link.restarts < restarts:
        await asyncio.sleep(0.005)
    await asyncio.wait_for(link.wait_running(), GUARD)


def spoken(session: Any) -> list[tuple[str, str]]:
    return [
        (str(message.role), "".join(block.text for block in message.content))
        for message in session.state.messages
    ]


# --- the server ends -------------------------------------------------------------------------


@each_version
@each_transport
async def test_a_restart_between_turns_keeps_the_session_once(
    surface: Any, transport: str, tmp_path: Path
) -> None:
    agent = stored(surface, tmp_path)
    async with (
        network(lambda: remote_app(agent)) as net,
        reached(net, surface, transport=transport) as link,
    ):
        session = await opened(link)
        state, first = session.state, link.peer
        await prompt(session, "one")
        await net.restart()
        await back(link)
        assert link.peer is not first
        assert link.sessions == [session]
        assert session.state is state
        await prompt(session, "two")
        assert spoken(session) == [
            ("user", "one"),
            ("agent", "heard one"),
            ("user", "two"),
            ("agent", "heard two"),
        ]


@each_version
@each_transport
async def test_a_restart_in_a_turn_ends_it_with_what_is_known(
    surface: Any, transport: str, tmp_path: Path
) -> None:
    pause = Pause()
    agent = stored(surface, tmp_path, pause)
    async with (
        network(lambda: remote_app(agent)) as net,
        reached(net, surface, transport=transport) as link,
    ):
        session = await opened(link)
        turn = asyncio.create_task(prompt(session, "wait"))
        await pause.wait_reached()
        while ("agent", "heard wait") not in spoken(session):
            await asyncio.sleep(0.005)
        await net.restart()
        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(turn, GUARD)
        await back(link)
        assert not session.turns
        assert ("agent", "heard wait") in spoken(session)
        await prompt(session, "two")
        assert spoken(session).count(("agent", "heard wait")) == 1


@each_version
@each_transport
async def test_a_restart_in_a_permission_request_withdraws_it(
    surface: Any, transport: str, tmp_path: Path
) -> None:
    asked, withdrawn = asyncio.Event(), asyncio.Event()

    class Client(surface.SessionClient):  # type: ignore[misc, name-defined]
        async def session_request_permission(self, params: Any) -> Any:
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                withdrawn.set()

    agent = stored(surface, tmp_path)
    async with (
        network(lambda: remote_app(agent)) as net,
        reached(net, surface, Client, transport=transport) as link,
    ):
        session = await opened(link)
        turn = asyncio.create_task(prompt(session, "ask"))
        await asyncio.wait_for(asked.wait(), GUARD)
        await net.restart()
        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(turn, GUARD)
        await asyncio.wait_for(withdrawn.wait(), GUARD)
        await back(link)
        await prompt(session, "two")
        [call] = session.state.tool_calls.values()
        assert call.status == "failed"


@each_transport
async def test_a_restart_while_a_session_is_loaded_does_not_double_it(transport: str) -> None:
    pause = Pause()

    class Agent(v1.SessionAgent):
        async def turn(self, session: Any, params: Any) -> None:
            await session.say("hello")

        async def session_load(self, params: Any) -> Any:
            session = self.open(params.session_id)
            for text in ("one", "two"):
                await session.say(text, message_id=text)
                if text == "one":
                    await pause.wait()
            return v1.LoadSessionResponse()

    async with (
        network(lambda: remote_app(Agent)) as net,
        reached(net, v1, transport=transport) as link,
    ):
        session = await opened(link)
        await prompt(session, "hi")
        await net.restart()
        await pause.wait_reached()
        await net.restart()
        await pause.wait_reached()
        pause.opened.set()
        await back(link, 2)
        assert spoken(session) == [("agent", "one"), ("agent", "two")]
        await prompt(session, "hi")
        assert link.sessions == [session]


def returning(*methods: str) -> Any:
    """Return an agent class that restores sessions with the given methods."""

    class Agent(v1.SessionAgent):
        async def turn(self, session: Any, params: Any) -> None:
            await session.say("hello")

    async def session_load(self: Any, params: Any) -> Any:
        await self.open(params.session_id).say("loaded")
        return v1.LoadSessionResponse()

    async def session_resume(self: Any, params: Any) -> Any:
        self.open(params.session_id)
        return v1.ResumeSessionResponse()

    given = {"session_load": session_load, "session_resume": session_resume}
    return type("Returning", (Agent,), {name: given[name] for name in methods})


@each_transport
@pytest.mark.parametrize(
    ("methods", "expected"),
    [
        (["session_resume"], [("user", "hi"), ("agent", "hello")]),
        (["session_load"], [("agent", "loaded")]),
        (["session_load", "session_resume"], [("user", "hi"), ("agent", "hello")]),
    ],
)
async def test_an_agent_resumes_or_loads(methods: list[str], expected: Any, transport: str) -> None:
    async with (
        network(lambda: remote_app(returning(*methods))) as net,
        reached(net, v1, transport=transport) as link,
    ):
        session = await opened(link)
        await prompt(session, "hi")
        await net.restart()
        await back(link)
        assert spoken(session) == expected


async def test_sessions_of_an_agent_that_cannot_bring_them_back_are_closed() -> None:
    async with network(lambda: remote_app(returning())) as net, reached(net, v1) as link:
        session = await opened(link)
        await net.restart()
        await back(link)
        assert session.is_closed
        assert "did not advertise" in session.closed_reason
        assert link.sessions == []
        await prompt(await opened(link), "hi")


# --- the network ends ------------------------------------------------------------------------


@each_version
@each_transport
async def test_an_agent_object_keeps_its_sessions_over_connections(
    surface: Any, transport: str
) -> None:
    ended: list[str] = []

    class Session(surface.AgentSession):  # type: ignore[misc, name-defined]
        async def ended(self) -> None:
            ended.append(self.session_id)

    class Agent(surface.SessionAgent[Session]):  # type: ignore[misc, name-defined]
        async def turn(self, session: Any, params: Any) -> None:
            session.count = getattr(session, "count", 0) + 1
            await session.say(str(session.count))

        async def session_resume(self, params: Any) -> Any:
            self.session(params.session_id)
            return surface.ResumeSessionResponse()

    agent = Agent()
    # Over HTTP, the server can detect a lost client only by the absence of listeners.
    limits = RemoteLimits(listener_timeout=0.2, keep_sessions=0.3)
    app = remote_app(agent, limits=limits, linger=0)
    async with network(lambda: app) as net:
        async with reached(net, surface, transport=transport) as link:
            session = await opened(link)
            await prompt(session, "count")
            net.cut()
            await back(link)
            await prompt(session, "count")
            assert [text for role, text in spoken(session) if role == "agent"] == ["1", "2"]
            assert ended == []
        while not ended:
            await asyncio.sleep(0.01)
        assert ended == [session.session_id]


@each_transport
async def test_cookies_lead_to_the_same_worker(transport: str) -> None:
    """A load balancer can set a cookie in its first response to recognize the client."""
    app = remote_app(returning("session_resume"))

    async def balanced(scope: Any, receive: Any, send: Any) -> None:
        async def send_with_cookie(event: Any) -> None:
            if event["type"] in ("http.response.start", "websocket.accept"):
                headers = [*event.get("headers", ()), (b"set-cookie", b"worker=w1; Path=/")]
                event = {**event, "headers": headers}
            await send(event)

        await app(scope, receive, send_with_cookie)

    balanced.aclose = app.aclose  # type: ignore[attr-defined]
    async with (
        network(lambda: balanced) as net,
        reached(net, v1, transport=transport) as link,
    ):
        await opened(link)
        del net.headers[:]
        net.cut()
        await back(link)
        assert {headers.get("cookie") for headers in net.headers} == {"worker=w1"}


async def test_a_server_that_is_away_is_tried_again_after_growing_pauses() -> None:
    pauses: list[float] = []

    class Policy(RestartPolicy):
        def pause(self, number: int) -> float:
            pauses.append(super().pause(number))
            return 0.0

    policy = Policy(limit=4)
    changes: list[bool] = []

    def note(link: Link[Any]) -> None:
        changes.append(link.is_running)

    async with network(lambda: remote_app(returning("session_resume"))) as net:
        options: dict[str, Any] = {"restart": policy, "on_change": note}
        async with reached(net, v1, **options) as link:
            session = await opened(link)
            net.is_down = True
            net.cut()
            while link.failure is None:
                await asyncio.sleep(0.005)
            with pytest.raises(LaunchError, match="not connected again, after 4 attempts"):
                await asyncio.wait_for(link.wait_running(), GUARD)
            assert pauses == [0.5, 1.0, 2.0, 4.0]
            assert net.url in str(link.failure)
            assert session.is_closed
            net.is_down = False
            await asyncio.wait_for(link.restart(), GUARD)
            await prompt(await opened(link), "hi")
    assert changes[0] is True
    assert changes[-1] is False


def test_pauses_of_many_clients_differ() -> None:
    pauses = {RECONNECTS.pause(3) for _ in range(20)}
    assert len(pauses) > 1
    assert all(1.0 <= pause <= 2.0 for pause in pauses)
    assert RECONNECTS.pause(1000) <= RECONNECTS.longest_pause


@each_transport
async def test_leaving_during_a_pause_ends_the_link(transport: str) -> None:
    policy = RestartPolicy(first_pause=3600.0, longest_pause=3600.0)
    async with network(lambda: remote_app(returning("session_resume"))) as net:
        async with reached(net, v1, transport=transport, restart=policy) as link:
            session = await opened(link)
            net.cut()
            while not link.restarts:
                await asyncio.sleep(0.005)
            assert not link.is_running
        assert session.closed_reason == "the link was closed"


@each_version
async def test_a_session_that_the_agent_still_uses_comes_back_when_it_is_free(
    surface: Any, tmp_path: Path
) -> None:
    """The server notices a lost connection later than the client."""
    pause = Pause()
    app = remote_app(stored(surface, tmp_path, pause))
    async with network(lambda: app) as net, reached(net, surface) as link:
        session = await opened(link)
        turn = asyncio.create_task(prompt(session, "wait"))
        await pause.wait_reached()
        net.cut()  # the server lets the turn continue for a while
        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(turn, GUARD)
        await back(link)
        assert link.sessions == [session]
        pause.opened.set()
        await prompt(session, "two")


async def test_a_session_that_stays_refused_is_closed_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(links, "PATIENCE", (0.0, 0.0))
    attempts: list[str] = []

    class Agent(returning()):  # type: ignore[misc]
        async def session_resume(self, params: Any) -> Any:
            attempts.append(params.session_id)
            raise RequestError.internal_error(message="the disk is full")

    async with network(lambda: remote_app(Agent)) as net, reached(net, v1) as link:
        session = await opened(link)
        await net.restart()
        await back(link)
        assert attempts == [session.session_id] * 3
        assert "the disk is full" in session.closed_reason
        assert link.sessions == []


# --- admitted clients ------------------------------------------------------------------------


@each_transport
async def test_a_wrong_token_is_not_tried_again(transport: str) -> None:
    async with network(lambda: remote_app(returning(), token="right")) as net:
        with pytest.raises(LaunchError, match="401") as caught:
            async with reached(net, v1, transport=transport, token="wrong"):
                pass
        assert isinstance(caught.value.__cause__, NotAdmitted)
        assert len(net.headers) == 1


@pytest.mark.parametrize("bridge", [False, True])
@each_transport
async def test_a_token_that_is_no_longer_valid_ends_the_link(
    transport: str, bridge: bool, caplog: pytest.LogCaptureFixture
) -> None:
    tokens = iter(["first", "second"])
    headers = {"Authorization": "Bearer first"}
    agent = returning("session_resume")
    surface = v2 if bridge else v1
    options: dict[str, Any] = {"transport": transport, "headers": headers, "bridge": bridge}
    async with (
        network(lambda: remote_app(agent, token=next(tokens))) as net,
        reached(net, surface, **options) as link,
    ):
        session = await opened(link)
        with caplog.at_level(logging.ERROR):
            await net.restart()
            while link.failure is None:
                await asyncio.sleep(0.005)
            with pytest.raises(LaunchError, match="401"):
                await asyncio.wait_for(link.wait_running(), GUARD)
        assert link.restarts == 1
        assert isinstance(link.failure.__cause__, NotAdmitted)  # type: ignore[union-attr]
        assert "401" in session.closed_reason
        headers["Authorization"] = "Bearer second"  # the next connection reads the headers again
        await asyncio.wait_for(link.restart(), GUARD)
        await prompt(await opened(link), "hi")


async def test_a_server_that_refuses_by_admit_is_not_tried_again() -> None:
    app = remote_app(returning(), admit=lambda visitor: None)
    async with network(lambda: app) as net:
        for transport in ("websocket", "http", None):
            with pytest.raises(LaunchError, match="403") as caught:
                async with reached(net, v1, transport=transport):
                    pass
            assert isinstance(caught.value.__cause__, NotAdmitted)


async def test_an_unreachable_server_is_named_without_its_query() -> None:
    async with network(lambda: remote_app(returning())) as net:
        net.is_down = True
        net.url += "?key=secret"
        with pytest.raises(LaunchError, match="is not connected") as caught:
            async with reached(net, v1):
                pass
        assert net.url.partition("?")[0] in str(caught.value)
        assert "secret" not in str(caught.value)


@each_version
async def test_a_sign_in_in_a_terminal_is_not_offered(surface: Any) -> None:
    id_ = surface.FACTS.sign_in[2]
    ways = [
        {id_: "browser", "name": "In the browser", "type": "agent"},
        {id_: "tty", "name": "Here", "type": "terminal", "args": ["login"]},
    ]
    signed_in: list[str] = []
    seen: list[Any] = []

    class Agent(surface.SessionAgent):  # type: ignore[misc, name-defined]
        async def turn(self, session: Any, params: Any) -> None: ...

        async def initialize(self, params: Any) -> Any:
            seen.append(surface.encode(params))
            base: Any = super()
            data = surface.encode(await base.initialize(params))
            return surface.decode(surface.InitializeResponse, {**data, "authMethods": ways})

        async def session_new(self, params: Any) -> Any:
            if not signed_in:
                raise surface.RequestError.auth_required()
            return surface.NewSessionResponse(session_id=self.open().session_id)

        async def authenticate(self, params: Any) -> Any:
            signed_in.append("authenticate")

        async def auth_login(self, params: Any) -> Any:
            signed_in.append("auth/login")
            return surface.LoginAuthResponse()

    offered: list[SignInMethod] = []

    async def choose(methods: Any) -> Any:
        offered.extend(methods)
        return methods[0]

    async with network(lambda: remote_app(Agent)) as net:
        async with reached(net, surface) as link:
            with pytest.raises(SignInRequired) as caught:
                await opened(link)
            assert [method.id for method in caught.value.methods] == ["browser"]
        async with reached(net, surface, sign_in=choose) as link:
            await opened(link)
        assert [method.id for method in offered] == ["browser"]
        assert len(signed_in) == 1
        assert "terminal" not in str(seen[-1].get("clientCapabilities", seen[-1]).get("auth"))


# --- the package -----------------------------------------------------------------------------


async def test_an_invalid_url_is_an_error() -> None:
    kit = kit_of(v2)
    with pytest.raises(ValueError, match="invalid URL"):
        async with kit.reach("example.org/acp", v2.SessionClient):
            pass


async def test_a_package_that_was_vendored_without_remote_agents_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "acp_bindings.remote", None)
    with pytest.raises(ImportError, match="`acpgen vendor DIR --remote`"):
        async with kit_of(v2).reach("https://example.org", v2.SessionClient):
            pass
