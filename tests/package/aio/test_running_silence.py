"""The inactivity timeout applies only to agents with pending requests."""

from __future__ import annotations

import asyncio
import inspect
import sys
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.aio import Peer, connect, connect_memory, connect_stdio
from acp_bindings.runtime.aio.running import _LOOKS
from acp_bindings.runtime.jsonrpc import Limits

from tests.package.aio.processes import NEVER, running, tree
from tests.package.aio.sides import ASK, ASK_CLIENT, Gate, agent, begin, client, connected
from tests.package.jsonrpc.wire import ask, tell
from tests.package.session import scripted
from tests.package.session.scripted import Version, each_version, logs, settle

pytestmark = logs  # tests must list all messages that they log

LIMIT = NEVER  # too long to expire during a test, so tests run the timer's check themselves
SAID = f"the agent was silent for {LIMIT:g} seconds"
BUSY = "; its standard error ended with:\n    'busy'"
GIVEN_UP = f"closing the connection: {SAID}"


async def look(peer: Peer, times: int = 2 * _LOOKS) -> None:
    """Run the timer's check `times` times, without other activity in between."""
    await settle()
    for _ in range(times):
        silence = peer._silence
        assert silence is not None
        timer, silence._timer = silence._timer, None
        if timer is not None and not timer.cancelled():
            timer.cancel()
            silence._look()
        await settle()


def is_watched(peer: Peer) -> bool:
    timer = None if peer._silence is None else peer._silence._timer
    return timer is not None and not timer.cancelled()


@logs(GIVEN_UP)
async def test_a_call_that_gets_no_answer_fails() -> None:
    async with connected() as (peer, _):
        asking = asyncio.create_task(peer.request(ASK, None))
        await look(peer, _LOOKS - 1)
        assert not asking.done()
        await look(peer, 1)
        with pytest.raises(ConnectionClosed, match=SAID) as caught:
            await asking
        assert caught.value.exit is None
        assert peer.how_ended == SAID
        await peer.wait_ended()
        with pytest.raises(ConnectionClosed, match=SAID):
            await peer.request(ASK, None)


@pytest.mark.parametrize("bridge", [True, v1.ClientHandler])
@logs(GIVEN_UP)
async def test_an_agent_behind_a_bridge_may_not_be_silent(bridge: Any) -> None:
    async with connected(v2.ClientHandler, bridge=bridge) as (peer, wire):
        call, id_ = await begin(wire, peer.initialize())
        wire.write({"id": id_, "result": {"protocolVersion": 1}})
        await call
        method = v2.EXTENSIONS["agent", "request"].named("_ask")
        asking = asyncio.create_task(peer.request(method, None))
        await look(peer)
        with pytest.raises(ConnectionClosed, match=SAID):
            await asking


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
@logs(GIVEN_UP + BUSY)
async def test_the_process_of_a_silent_agent_ends() -> None:
    code = "print('busy', file=sys.stderr, flush=True); answer(pids()); time.sleep(3600)"
    heard = asyncio.Event()
    async with tree(code, on_stderr=lambda _: heard.set(), grace=0.05) as (peer, pids):
        await heard.wait()
        asking = asyncio.create_task(peer.request(ASK, None))
        await look(peer)
        with pytest.raises(ConnectionClosed, match=SAID) as caught:
            await asking
        assert str(caught.value) == f"the connection was closed: {SAID}{BUSY}"
        await peer.close()
        assert not running(pids)


async def test_one_timer_watches_all_calls_and_stops_when_nothing_is_owed() -> None:
    async with connected() as (peer, wire):
        assert not is_watched(peer)
        calls = [(await begin(wire, peer.request(ASK, None)))[0] for _ in range(4)]
        assert peer._silence is not None
        timer = peer._silence._timer
        wire.write({"id": 1, "result": None})
        await settle()
        assert peer._silence._timer is timer
        wire.write({"id": 2, "result": None}, {"id": 3, "result": None})
        calls[3].cancel()  # the response is no longer awaited
        await asyncio.wait(calls)
        await wire.read()
        await look(peer)
        assert not is_watched(peer)
        assert peer.how_ended == ""
        again, _ = await begin(wire, peer.request(ASK, None))
        assert is_watched(peer)
    assert not is_watched(peer)
    with pytest.raises(ConnectionClosed):
        await again


async def test_whatever_arrives_starts_the_time_anew() -> None:
    async with connected(limits=Limits()) as (peer, wire):
        asking, id_ = await begin(wire, peer.request(ASK, None))
        for _ in range(3):
            await look(peer, _LOOKS - 1)
            wire.stream.write(b" ")  # the beginning of a message
            await look(peer, 1)
        wire.write({"id": id_, "result": None})
        await asking


@logs(GIVEN_UP)
async def test_an_agent_that_waits_for_an_answer_may_be_silent() -> None:
    gate = Gate()
    async with connected(client(ext_request=gate)) as (peer, wire):
        asking = asyncio.create_task(peer.request(ASK, None))
        wire.write(ask(1))
        await look(peer)
        gate.go_on.set()
        await look(peer, _LOOKS - 1)
        assert not asking.done()
        await look(peer, 1)  # the agent was silent for the full time
        with pytest.raises(ConnectionClosed, match=SAID):
            await asking


async def test_an_agent_that_this_side_does_not_read_is_not_silent() -> None:
    """The agent is not considered silent while a backlog of messages pauses reading."""
    gate = Gate()
    made = client(ext_notification=gate)
    async with connected(made, limits=Limits(backlog=2)) as (peer, wire):
        asking, id_ = await begin(wire, peer.request(ASK, None))
        wire.write(*[tell()] * 9)
        await look(peer)
        gate.go_on.set()
        wire.write({"id": id_, "result": None})
        await asking


async def test_there_may_be_no_limit() -> None:
    async with connected(silence=None) as (peer, wire):
        asking, id_ = await begin(wire, peer.request(ASK, None))
        assert not is_watched(peer)
        wire.write({"id": id_, "result": None})
        await asking


async def test_an_agent_lets_its_client_think() -> None:
    async def ask_client(peer: Peer, method: str, params: Any) -> Any:
        asking = asyncio.create_task(peer.request(ASK_CLIENT, None))
        await settle()
        return [is_watched(peer), await asking]

    async def answer(peer: Peer, method: str, params: Any) -> bool:
        await settle()
        return is_watched(peer)

    sides = agent(ext_request=ask_client), client(ext_request=answer)
    async with connect_memory(*sides) as peer:
        await peer.initialize()
        assert await peer.request(ASK, None) == [False, True]


@each_version
async def test_a_turn_is_owed_until_it_is_over(version: Version) -> None:
    async with scripted.client(version) as (script, session):
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            script.write(*version.accepted(id_))
            await look(session.peer, _LOOKS - 1)
            assert is_watched(session.peer)
            assert not turn.is_over
            script.write(*version.stopped(id_))
        assert not session.peer.owed
        await look(session.peer)
        assert not is_watched(session.peer)


@each_version
@logs(GIVEN_UP)
async def test_a_silent_turn_fails(version: Version) -> None:
    async with scripted.client(version) as (script, session), session.prompt("Hi") as turn:
        id_ = await script.prompt()
        script.write(*version.accepted(id_))
        await look(session.peer, _LOOKS + 1)  # the response restarted the timer
        with pytest.raises(ConnectionClosed, match=SAID):
            await turn.wait()
        assert not session.peer.owed
        turn._error = None  # otherwise, exiting the context would raise the error


@pytest.mark.parametrize("function", [connect, connect_stdio, Peer])
def test_the_default_is_an_hour(function: Any) -> None:
    assert inspect.signature(function).parameters["silence"].default == LIMIT == 3600.0


def test_programs_have_five_seconds_for_each_step() -> None:
    assert inspect.signature(connect_stdio).parameters["grace"].default == 5.0
