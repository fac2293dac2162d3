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
