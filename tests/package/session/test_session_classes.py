"""Client sessions of a class of one's own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime.aio import connect, memory_streams
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
    run,
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


@pytest.mark.parametrize("factory", [Editor, Special])
def test_a_session_is_there_before_its_first_update(factory: Any) -> None:
    async def main() -> None:
        near, far = memory_streams()
        script = Script(far)
        async with connect(near, factory) as peer:
            await initialize(V1, script, peer)
            params, members = opening(V1, "load")
            loading = asyncio.create_task(Noting.load(peer, params))
            id_ = await script.request("session/load", **members)
            script.write(chunk("a"), result(id_))
            session = await loading
            assert isinstance(session, Noting)
            assert session.noted == ["added messages"]
            assert texts(session) == ["a"]

    run(main())


def test_a_new_session_is_of_the_class() -> None:
    async def main() -> None:
        near, far = memory_streams()
        script = Script(far)
        async with connect(near, Editor) as peer:
            await initialize(V1, script, peer)
            params, members = opening(V1, "new")
            creating = asyncio.create_task(Noting.create(peer, params))
            id_ = await script.request("session/new", **members)
            script.write(chunk("a", session="n"), result(id_, sessionId="n"))
            assert (await creating).noted == ["added messages"]
            again = asyncio.create_task(V1Session.create(peer, params))  # of a base is right, too
            id_ = await script.request("session/new", **members)
            script.write(result(id_, sessionId="m"))
            assert isinstance(await again, Noting)

    run(main())


def test_a_client_with_sessions_of_another_class_is_refused() -> None:
    async def main() -> None:
        async with client(V1) as (_, session):
            for opens in (Noting.create, Noting.load, Noting.resume):
                with pytest.raises(TypeError) as caught:
                    await opens(session.peer)  # type: ignore[call-overload]
                assert str(caught.value) == (
                    "the sessions of TestHandler are of the class ClientSession, not Noting: "
                    "extend SessionClient[Noting]"
                )

    run(main())


def test_no_session_is_made_for_updates_behind_the_closing() -> None:
    made: list[str] = []

    class Counted(ClientSession):
        def __init__(self, client: SessionClient[Any], session_id: str) -> None:
            super().__init__(client, session_id)
            made.append(session_id)

    class Counting(SessionClient[Counted]):
        pass

    async def main() -> None:
        near, far = memory_streams()
        script = Script(far)
        async with connect(near, Counting) as peer:
            await initialize(V2, script, peer)
            session = Counting.of(peer).session(SESSION)
            closing = asyncio.create_task(session.close())
            script.write(result(await script.request("session/close", sessionId=SESSION)))
            await closing
            script.write(chunk("late"), chunk("later"))
            await settle()

    run(main())
    assert made == [SESSION]


@pytest.mark.parametrize(
    ("version", "named"),
    [(V1, v1.ToolCall), (V1, "Noting"), (V2, Noting), (V2, int)],
)
def test_what_is_no_class_of_sessions_is_refused(version: Version, named: Any) -> None:
    base = version.client.SessionClient
    with pytest.raises(TypeError, match="must name a class that extends ClientSession"):
        type(base)("Wrong", (base,), {"__orig_bases__": (base[named],)})
