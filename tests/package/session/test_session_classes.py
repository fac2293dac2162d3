"""Client sessions of a class of one's own, and what sessions are refused to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, connect, memory_streams
from acp_bindings.v1.client_session import ClientSession as V1Session
from acp_bindings.v1.client_session import SessionClient as V1Client
from acp_bindings.v2.client_session import ClientSession, SessionClient
from package.session.client_turns import opening, texts
from package.session.scripted import (
    SESSION,
    V1,
    V2,
    Script,
    Version,
    chunk,
    client,
    initialize,
    result,
    settle,
)


class Noting(V1Session):
    """Notes the changes of its state, from the first."""

    def __init__(self, client: V1Client[Any], session_id: str) -> None:
        super().__init__(client, session_id)
        self.noted: list[str] = []
        self.state.subscribe(lambda change: self.noted.append(f"{change.kind} {change.where}"))


class Editor(V1Client[Noting]):
    pass


class Special(Editor):
    pass


@asynccontextmanager
async def connected(version: Version, factory: Any) -> AsyncGenerator[tuple[Script, Peer]]:
    """A client of a class, which is initialized, and the script of its agent."""
    near, far = memory_streams()
    script = Script(far)
    async with connect(near, factory) as peer:
        await initialize(version, script, peer)
        yield script, peer


@pytest.mark.parametrize("factory", [Editor, Special])
async def test_a_session_is_of_the_class_and_there_before_its_first_update(factory: Any) -> None:
    async with connected(V1, factory) as (script, peer):
        for kind, opens, session_id in (
            ("load", Noting.load, SESSION),
            ("new", Noting.create, "n"),
            ("new", V1Session.create, "m"),  # of a base is right, too
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
                "the sessions of TestHandler are of the class ClientSession, not Noting: "
                "extend SessionClient[Noting]"
            )


async def test_no_session_is_made_for_updates_behind_the_closing() -> None:
    made: list[str] = []

    class Counted(ClientSession):
        def __init__(self, client: SessionClient[Any], session_id: str) -> None:
            super().__init__(client, session_id)
            made.append(session_id)

    class Counting(SessionClient[Counted]):
        pass

    async with connected(V2, Counting) as (script, peer):
        session = Counting.of(peer).session(SESSION)
        closing = asyncio.create_task(session.close())
        script.write(result(await script.request("session/close", sessionId=SESSION)))
        await closing
        script.write(chunk("late"), chunk("later"))
        await settle()
    assert made == [SESSION]


@pytest.mark.parametrize(
    ("version", "named"),
    [(V1, v1.ToolCall), (V1, "Noting"), (V2, Noting), (V2, int)],
)
def test_what_is_no_class_of_sessions_is_refused(version: Version, named: Any) -> None:
    base = version.client.SessionClient
    with pytest.raises(TypeError, match="must name a class that extends ClientSession"):
        type(base)("Wrong", (base,), {"__orig_bases__": (base[named],)})


# --- where there are no sessions -------------------------------------------------------------


@pytest.mark.parametrize(("version", "other"), [(V1, V2), (V2, V1)], ids=str)
async def test_a_session_of_another_version_names_the_one_that_is_spoken(
    version: Version, other: Version
) -> None:
    async with connected(version, version.client.SessionClient) as (_, peer):
        with pytest.raises(TypeError) as caught:
            other.client.SessionClient.of(peer)
    assert str(caught.value) == f"this connection speaks {version}: use {version}.ClientSession"


@pytest.mark.parametrize(
    ("factories", "error", "text"),
    [
        (
            [v1.ClientHandler],
            TypeError,
            "sessions need a SessionClient as the handler of their connection",
        ),
        (
            [V1Client, SessionClient],
            RuntimeError,
            "sessions need an initialized connection: call initialize first",
        ),
    ],
)
async def test_a_session_needs_a_version_and_a_handler_that_keeps_sessions(
    factories: Any, error: type[Exception], text: str
) -> None:
    async with connect(memory_streams()[0], *factories) as peer:
        with pytest.raises(error) as caught:
            V1Client.of(peer)
    assert str(caught.value) == text
