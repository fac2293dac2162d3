"""Tests that client handlers are notified when a session is opened or closed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import (
    INTERNAL_ERROR,
    RESOURCE_NOT_FOUND,
    ConnectionClosed,
    RequestError,
)
from acp_bindings.runtime.aio import connect_memory

from tests.package.session.scripted import settle

Log = list[tuple[Any, ...]]


class Agent(v2.SessionAgent):
    capabilities = v2.AgentCapabilities(
        session=v2.SessionCapabilities(
            additional_directories=v2.SessionAdditionalDirectoriesCapabilities()
        )
    )

    async def turn(self, session: Any, params: Any) -> None: ...

    async def session_delete(self, params: Any) -> None: ...


class OlderAgent(v1.SessionAgent):
    async def turn(self, session: Any, params: Any) -> None: ...

    async def session_close(self, params: Any) -> v1.CloseSessionResponse:
        return await super().session_close(params) or v1.CloseSessionResponse()

    async def session_load(self, params: Any) -> v1.LoadSessionResponse:
        if params.session_id == "unknown":
            raise RequestError.resource_not_found()
        self.open(params.session_id)
        return v1.LoadSessionResponse()


def mixin(log: Log, base: Any, name: str = "", is_async: bool = False) -> Any:
    """Return a subclass that logs when sessions are opened and closed."""

    class Plain(base):  # type: ignore[misc]
        is_base = True

        def opened(self, session_id: str, cwd: str, additional_directories: Sequence[str]) -> Any:
            log.append((name, "opened", session_id, cwd, list(additional_directories)))
            return super().opened(session_id, cwd, additional_directories)

        def closed(self, session_id: str) -> Any:
            log.append((name, "closed", session_id))
            return super().closed(session_id)

    class Async(base):  # type: ignore[misc]
        is_base = True

        async def opened(self, *arguments: Any) -> None:
            await asyncio.sleep(0)
            log.append((name, "opened", *arguments))
            if (more := super().opened(*arguments)) is not None:
                await more

        async def closed(self, *arguments: Any) -> None:
            await asyncio.sleep(0)
            log.append((name, "closed", *arguments))
            if (more := super().closed(*arguments)) is not None:
                await more

    return Async if is_async else Plain


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("base", [v2.SessionClient, v2.ClientHandler])
async def test_a_session_is_opened_and_closed_once(base: Any, is_async: bool) -> None:
    log: Log = []
    async with connect_memory(Agent, mixin(log, base, is_async=is_async)) as peer:
        await peer.initialize()
        agent = v2.AgentStub(peer)
        response = await agent.session_new(
            v2.NewSessionRequest(cwd="/w", additional_directories=["/x"])
        )
        name = response.session_id
        await agent.session_close(v2.CloseSessionRequest(session_id=name))
        await agent.session_delete(v2.DeleteSessionRequest(session_id=name))
        await settle()
        assert peer._lives is not None
        assert not peer._lives._unfinished
    assert log == [("", "opened", name, "/w", ["/x"]), ("", "closed", name)]


@pytest.mark.parametrize("is_async", [False, True])
async def test_the_end_of_the_connection_closes_sessions(is_async: bool) -> None:
    log: Log = []
    async with connect_memory(Agent, mixin(log, v2.SessionClient, is_async=is_async)) as peer:
        await peer.initialize()
        names = [(await v2.ClientSession.create(peer, cwd="/w")).session_id for _ in "ab"]
    assert sorted(log) == sorted(
        [("", "opened", name, "/w", []) for name in names]
        + [("", "closed", name) for name in names]
    )


@pytest.mark.logs("the handler for 'session/prompt' failed")
async def test_sessions_are_closed_when_handlers_have_ended() -> None:
    log: list[str] = []
    asked = asyncio.Event()

    class Asking(OlderAgent):
        async def turn(self, session: Any, params: Any) -> None:
            await session.fs_read_text_file(path="/a")

    class Client(v1.SessionClient):
        async def fs_read_text_file(self, params: Any) -> Any:
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                log.append("handler")

        def closed(self, session_id: str) -> None:
            log.append("closed")

    async with connect_memory(Asking, Client) as peer:
        await peer.initialize()
        session = await v1.ClientSession.create(peer, cwd="/w", mcp_servers=[])
        with suppress(ConnectionClosed):
            async with session.prompt("Hi"):
                await asked.wait()
                await peer.close()
    assert log == ["handler", "closed"]


async def test_the_end_of_the_connection_cancels_openings() -> None:
    log: list[str] = []

    class Client(v2.SessionClient):
        async def opened(self, *arguments: Any) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                log.append("cancelled")

        async def closed(self, session_id: str) -> None:
            log.append("closed")

    async with connect_memory(Agent, Client, grace=60) as peer:
        await peer.initialize()
        await v2.ClientSession.create(peer, cwd="/w")
    assert log == ["cancelled", "closed"]


async def test_a_session_that_is_brought_back_is_open_before_the_response() -> None:
    log: Log = []

    class Loading(OlderAgent):
        async def session_load(self, params: Any) -> v1.LoadSessionResponse:
            log.append(("loading",))
            return await super().session_load(params)

    async with connect_memory(Loading, mixin(log, v1.SessionClient)) as peer:
        await peer.initialize()
        for cwd in ("/w", "/w", "/other"):
            await v1.ClientSession.load(peer, session_id="s", cwd=cwd, mcp_servers=[])
        await peer.close()
    assert log == [
        ("", "opened", "s", "/w", []),
        ("loading",),
        ("loading",),
        ("", "opened", "s", "/other", []),
        ("loading",),
        ("", "closed", "s"),
    ]


async def test_a_session_that_does_not_come_back_is_closed() -> None:
    log: Log = []
    async with connect_memory(OlderAgent, mixin(log, v1.SessionClient)) as peer:
        await peer.initialize()
        with pytest.raises(RequestError):
            await v1.ClientSession.load(peer, session_id="unknown", cwd="/w", mcp_servers=[])
        assert log == [("", "opened", "unknown", "/w", []), ("", "closed", "unknown")]


@pytest.mark.parametrize("code", [RESOURCE_NOT_FOUND, INTERNAL_ERROR])
async def test_a_session_that_the_agent_fails_to_close_is_closed_only_if_it_is_unknown(
    code: int,
) -> None:
    log: Log = []

    class Failing(OlderAgent):
        async def session_close(self, params: Any) -> v1.CloseSessionResponse:
            raise RequestError(code, "no")

        async def session_load(self, params: Any) -> v1.LoadSessionResponse:
            raise RequestError(code, "no")

    async with connect_memory(Failing, mixin(log, v1.SessionClient)) as peer:
        await peer.initialize()
        session = await v1.ClientSession.create(peer, cwd="/w", mcp_servers=[])
        log.clear()
        name, agent = session.session_id, v1.AgentStub(peer)
        with pytest.raises(RequestError):
            await agent.session_load(
                v1.LoadSessionRequest(session_id=name, cwd="/w", mcp_servers=[])
            )
        assert log == []  # the session was open before
        with pytest.raises(RequestError):
            await agent.session_close(v1.CloseSessionRequest(session_id=name))
        assert log == ([("", "closed", name)] if code == RESOURCE_NOT_FOUND else [])


@pytest.mark.logs("opened failed", "closed failed")
@pytest.mark.parametrize("is_async", [False, True])
async def test_exceptions_are_logged(is_async: bool) -> None:
    class Plain(v2.SessionClient):
        def opened(self, *arguments: Any) -> None:
            raise ValueError("opened")

        def closed(self, session_id: str) -> None:
            raise ValueError("closed")

    class Async(v2.SessionClient):
        async def opened(self, *arguments: Any) -> None:
            raise ValueError("opened")

        async def closed(self, session_id: str) -> None:
            raise ValueError("closed")

    async with connect_memory(Agent, Async if is_async else Plain) as peer:
        await peer.initialize()
        session = await v2.ClientSession.create(peer, cwd="/w")
        await session.close()
        await settle()


@pytest.mark.logs("a handler did not finish within 0.01 seconds; dropping it")
async def test_a_call_that_swallows_its_cancellation_is_dropped() -> None:
    log: list[str] = []

    class Client(v2.SessionClient):
        async def closed(self, session_id: str) -> None:
            try:
                while True:
                    with suppress(asyncio.CancelledError):
                        await asyncio.Event().wait()
                    log.append("swallowed")
            finally:
                log.append("ended")

    async with connect_memory(Agent, Client, grace=0.01) as peer:
        await peer.initialize()
        await v2.ClientSession.create(peer, cwd="/w")
    assert log == ["swallowed", "ended"]


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("is_first", [False, True])
async def test_mixins_work_in_any_order(is_first: bool, is_async: bool) -> None:
    log: Log = []

    class Lives(mixin(log, v2.ClientHandler, is_async=is_async)):  # type: ignore[misc]
        is_base = True

        def __init__(self, peer: Any) -> None:
            super().__init__(peer)
            log.append(("made",))

        def connected(self, peer: Any) -> Any:
            log.append(("connected",))
            return super().connected(peer)

        def received(self, method: Any, params: Any) -> None:
            log.append(("received", method.name))
            super().received(method, params)

        def sent(self, method: Any, params: Any) -> Any:
            other = super().sent(method, params)

            def call(event: Any) -> None:
                log.append(("response", method.name))
                if other is not None:
                    other(event)

            return call

        def disconnected(self) -> Any:
            log.append(("disconnected",))
            return super().disconnected()

    bases: Any = (Lives, v2.SessionClient) if is_first else (v2.SessionClient, Lives)
    client: Any = type("Editor", bases, {})

    class Talker(v2.SessionAgent):
        async def turn(self, session: Any, params: Any) -> None:
            await session.say("hello")

    async with connect_memory(Talker, client) as peer:
        await peer.initialize()
        session = await v2.ClientSession.create(peer, cwd="/w")
        async with session.prompt("Hi") as turn:
            await turn.wait(timeout=20)
        assert session.state.messages[-1].text == "hello"
    kinds = [entry[1] if entry[0] == "" else entry[0] for entry in log]
    assert set(kinds) == {
        *("made", "connected", "opened", "received", "response", "disconnected", "closed")
    }
    assert kinds[:2] == ["made", "connected"]
