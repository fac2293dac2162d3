"""An agent that owes something and says nothing is given up; any other is not."""

from __future__ import annotations

import asyncio
import inspect
import sys
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.aio import Peer, connect, connect_memory, connect_stdio, memory_streams
from acp_bindings.runtime.aio.silence import _LOOKS
from acp_bindings.runtime.jsonrpc import Limits
from package.jsonrpc.loop import handler
from package.jsonrpc.processes import CLIENT, ECHO, NEVER, running, tree
from package.jsonrpc.wire import ask, line, tell
from package.session import scripted
from package.session.scripted import Version, each_version, run, settle

LIMIT = NEVER  # tests look by hand
SAID = f"the agent has been silent for {LIMIT:g} seconds"
BUSY = "; its standard error ended with:\n    'busy'"
GIVEN_UP = f"the connection is given up: {SAID}"


async def look(peer: Peer, times: int = 2 * _LOOKS) -> None:
    """Let the timer look this often, as when nothing else happens for that time."""
    for _ in range(times):
        silence = peer._silence
        timer, silence._timer = silence._timer, None
        if timer is not None and not timer.cancelled():
            timer.cancel()
            silence._look()
        await settle()


def is_watched(peer: Peer) -> bool:
    timer = peer._silence._timer
    return timer is not None and not timer.cancelled()


def test_a_call_that_gets_no_answer_fails() -> None:
    async def main() -> None:
        near, _ = memory_streams()
        async with connect(near, CLIENT) as peer:
            asking = asyncio.create_task(peer.request(ECHO, None))
            await settle()
            await look(peer, _LOOKS - 1)
            assert not asking.done()
            await look(peer, 1)
            with pytest.raises(ConnectionClosed, match=SAID) as caught:
                await asking
            assert caught.value.exit is None
            assert peer.how_ended == SAID
            await peer.wait_ended()
            with pytest.raises(ConnectionClosed, match=SAID):
                await peer.request(ECHO, None)

    run(main(), GIVEN_UP)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
def test_the_process_of_a_silent_agent_ends() -> None:
    async def main() -> None:
        code = "print('busy', file=sys.stderr, flush=True); answer(pids()); time.sleep(3600)"
        heard = asyncio.Event()
        async with tree(code, on_stderr=lambda _: heard.set(), grace=0.05) as (peer, pids):
            await heard.wait()
            asking = asyncio.create_task(peer.request(ECHO, None))
            await settle()
            await look(peer)
            with pytest.raises(ConnectionClosed, match=SAID) as caught:
                await asking
            assert str(caught.value) == f"the connection was closed: {SAID}{BUSY}"
            await peer.close()
            assert not running(pids)

    run(main(), GIVEN_UP + BUSY)


def test_one_timer_watches_all_calls_and_stops_when_nothing_is_owed() -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, CLIENT) as peer:
            assert not is_watched(peer)
            asking = [asyncio.create_task(peer.request(ECHO, None)) for _ in range(3)]
            await settle()
            timer = peer._silence._timer
            far.write(line({"id": 1, "result": None}))
            await settle()
            assert peer._silence._timer is timer
            far.write(line({"id": 2, "result": None}, {"id": 3, "result": None}))
            await asyncio.wait(asking)
            await look(peer)
            assert not is_watched(peer)
            again = asyncio.create_task(peer.request(ECHO, None))
            await settle()
            assert is_watched(peer)
            far.write(line({"id": 4, "result": None}))
            await again
        assert not is_watched(peer)

    run(main())


def test_whatever_arrives_starts_the_time_anew() -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, CLIENT, limits=Limits()) as peer:
            asking = asyncio.create_task(peer.request(ECHO, None))
            await settle()
            for _ in range(3):
                await look(peer, _LOOKS - 1)
                far.write(b" ")  # the beginning of anything
                await settle()
                await look(peer, 1)
            far.write(line({"id": 1, "result": None}))
            await asking

    run(main())


def test_an_agent_that_waits_for_an_answer_may_be_silent() -> None:
    async def main() -> None:
        go_on = asyncio.Event()

        async def think(peer: Peer, method: str, params: Any) -> None:
            await go_on.wait()

        near, far = memory_streams()
        async with connect(near, handler(v1.ClientHandler, ext_request=think)) as peer:
            asking = asyncio.create_task(peer.request(ECHO, None))
            far.write(line(ask(1)))
            await settle()
            await look(peer)
            go_on.set()
            await settle()
            await look(peer, _LOOKS - 1)
            assert not asking.done()
            await look(peer, 1)  # now it is its own turn
            with pytest.raises(ConnectionClosed, match=SAID):
                await asking

    run(main(), GIVEN_UP)


def test_an_agent_that_this_side_does_not_read_is_not_silent() -> None:
    """Reading pauses while too many messages wait for handlers."""

    async def main() -> None:
        go_on = asyncio.Event()

        async def slow(peer: Peer, method: str, params: Any) -> None:
            await go_on.wait()

        near, far = memory_streams()
        client = handler(v1.ClientHandler, ext_notification=slow)
        async with connect(near, client, limits=Limits(backlog=2)) as peer:
            asking = asyncio.create_task(peer.request(ECHO, None))
            far.write(line(*[tell()] * 9))
            await settle()
            await look(peer)
            go_on.set()
            far.write(line({"id": 1, "result": None}))
            await asking

    run(main())


def test_a_call_that_nobody_waits_for_is_not_owed() -> None:
    async def main() -> None:
        near, _ = memory_streams()
        async with connect(near, CLIENT) as peer:
            asking = asyncio.create_task(peer.request(ECHO, None))
            await settle()
            asking.cancel()
            await asyncio.wait([asking])
            await look(peer)
            assert not is_watched(peer)
            assert peer.how_ended == ""

    run(main())


def test_there_may_be_no_limit() -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, CLIENT, silence=None) as peer:
            asking = asyncio.create_task(peer.request(ECHO, None))
            await settle()
            assert not is_watched(peer)
            far.write(line({"id": 1, "result": None}))
            await asking

    run(main())


def test_an_agent_lets_its_client_think() -> None:
    peers: list[Peer] = []

    async def ask_client(peer: Peer, method: str, params: Any) -> Any:
        peers.append(peer)
        return await peer.request(v1.EXTENSIONS["client", "request"].named("_ask"), None)

    async def answer(peer: Peer, method: str, params: Any) -> str:
        assert not is_watched(peers[0])
        assert is_watched(peer)
        return "yes"

    async def main() -> None:
        agent = handler(v1.AgentHandler, ext_request=ask_client)
        async with connect_memory(agent, handler(v1.ClientHandler, ext_request=answer)) as peer:
            await peer.initialize()
            assert await peer.request(ECHO, None) == "yes"

    run(main())


@each_version
def test_a_turn_is_owed_until_it_is_over(version: Version) -> None:
    async def main() -> None:
        async with scripted.client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_))
                await settle()
                await look(session.peer, _LOOKS - 1)
                assert is_watched(session.peer)
                assert not turn.is_over
                script.write(*version.stopped(id_))
            assert not session.peer.owed
            await look(session.peer)
            assert not is_watched(session.peer)

    run(main())


@each_version
def test_a_silent_turn_fails(version: Version) -> None:
    async def main() -> None:
        async with scripted.client(version) as (script, session):
            turn = session.prompt("Hi")
            async with turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_))
                await settle()
                await look(session.peer, _LOOKS + 1)  # the answer has started the time anew
                with pytest.raises(ConnectionClosed, match=SAID):
                    await turn.wait()
                assert not session.peer.owed
                turn._error = None  # for leaving the block

    run(main(), GIVEN_UP)


@pytest.mark.parametrize("function", [connect, connect_stdio, Peer])
def test_the_default_is_an_hour(function: Any) -> None:
    assert inspect.signature(function).parameters["silence"].default == LIMIT == 3600.0
