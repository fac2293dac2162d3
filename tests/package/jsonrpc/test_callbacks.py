"""What users' callbacks raise is logged, whatever it is, and costs nothing else."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, connect, memory_streams
from package.jsonrpc.aio_sides import ASK, agent, client, echo, ticks
from package.jsonrpc.loop import pair, run
from package.jsonrpc.wire import line, tell
from support import virtual_time

RAISED = [ValueError, asyncio.CancelledError, GeneratorExit]
each_error = pytest.mark.parametrize("error", RAISED, ids=lambda error: error.__name__)


@each_error
def test_received(error: type[BaseException], caplog: pytest.LogCaptureFixture) -> None:
    base = agent(ext_request=echo)

    def make(peer: Peer) -> Any:
        handler = base(peer)

        def fail(method: Any, params: Any) -> None:
            raise error

        handler.received = fail
        return handler

    async def main() -> None:
        async with pair({v1: make}) as peer:
            assert [await peer.request(ASK, number) for number in range(3)] == [0, 1, 2]

    run(main())
    assert "'_ask' cannot be processed at receipt" in caplog.text


@each_error
def test_on_response(error: type[BaseException], caplog: pytest.LogCaptureFixture) -> None:
    def fail(event: Any) -> None:
        raise error

    async def main() -> None:
        async with pair(agent(ext_request=echo)) as peer:
            assert await peer.request(ASK, 1, on_response=fail) == 1
            assert await peer.request(ASK, 2) == 2

    run(main())
    assert "the callback of a response failed" in caplog.text


@each_error
def test_disconnected(error: type[BaseException], caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        before = asyncio.all_tasks()

        async def stay(peer: Peer, method: str, params: Any) -> None:
            await asyncio.sleep(3600)

        base = client(ext_notification=stay)

        def make(peer: Peer) -> Any:
            handler = base(peer)

            def fail() -> None:
                raise error

            handler.disconnected = fail
            return handler

        near, far = memory_streams()
        async with connect(near, {v1: make}) as peer:
            far.write(line(tell("_stay")))
            await ticks()
            await far.close()
            await peer.wait_ended()
        assert asyncio.all_tasks() == before

    virtual_time.run(main(), 3.0)
    assert "disconnected failed" in caplog.text


@each_error
def test_the_handler_of_a_notification(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    handled: list[Any] = []

    async def fail(peer: Peer, method: str, params: Any) -> None:
        handled.append(params)
        raise error

    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, client(ext_notification=fail)):
            far.write(line(*(tell("_note", number=number) for number in range(3))))
            await ticks()

    run(main())
    assert [params["number"] for params in handled] == [0, 1, 2]
    assert caplog.text.count("the handler of '_note' failed") == 3
