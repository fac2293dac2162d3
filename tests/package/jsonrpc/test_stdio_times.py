"""The end of a connection takes as long as it was told, whatever the agent does."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.aio import (
    AsyncioStream,
    Peer,
    connect,
    connect_memory,
    connect_stdio,
    endpoints,
    memory_streams,
    serve,
)
from package.jsonrpc.loop import handler, run
from package.jsonrpc.processes import CLIENT, ECHO, NEVER, running, tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")

GRACE = 0.1
# What the documentation of `connect_stdio` promises; and what a slow machine adds.
SUM = 3 * GRACE + 2.0
SLACK = 5.0
STUBBORN = {
    "ignores everything": "deafen(); answer(pids(deaf=True)); time.sleep(3600)",
    "closes its output": "deafen(); answer(pids(deaf=True)); os.close(1); time.sleep(3600)",
    "leaves heirs of the pipes": "answer(pids(deaf=True)); answer()",
    "leaves others": "answer(pids(deaf=True, **nothing)); answer()",
    "floods its output": (
        "deafen(); answer(pids(deaf=True)); data = b'x' * 9999 + bytes([10])\n"
        "while True: os.write(1, data)"
    ),
    "floods its errors": (
        "deafen(); answer(pids(deaf=True)); data = b'x' * 9999 + bytes([10])\n"
        "while True: os.write(2, data)"
    ),
    "leaves the group": "answer(pids(start_new_session=True)); answer()",
}


async def swallow(peer: Peer, method: str, params: Any) -> None:
    """Not end when cancelled."""
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()


@pytest.mark.parametrize("way", ["leave", "exception", "cancel", "close"])
@pytest.mark.parametrize("what", STUBBORN)
def test_leaving_takes_no_longer_than_its_sum(what: str, way: str) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        lines: list[str] = []
        began = 0.0
        pids: list[int] = []

        async def use() -> None:
            nonlocal began
            async with tree(STUBBORN[what], grace=GRACE, on_stderr=lines.append) as (peer, ids):
                pids.extend(ids)
                with suppress(asyncio.TimeoutError, ConnectionClosed):
                    await asyncio.wait_for(peer.request(ECHO, None), 0.02)
                began = loop.time()
                if way == "exception":
                    raise LookupError("mine")
                if way == "cancel":
                    asyncio.current_task().cancel()  # type: ignore[union-attr]
                    await asyncio.sleep(0)
                if way == "close":
                    await peer.close()

        errors = {"exception": LookupError, "cancel": asyncio.CancelledError}
        using = asyncio.create_task(use())
        await asyncio.wait([using])
        if way in errors:
            with pytest.raises(errors[way]):
                using.result()
        else:
            using.result()
        assert loop.time() - began < SUM + SLACK
        if what == "leaves the group":
            assert running(pids) == pids[1:]
            os.killpg(pids[1], signal.SIGKILL)
        else:
            assert not running(pids)

    run(main())


def test_the_sum_is_that_of_the_documentation() -> None:
    words = " ".join((connect_stdio.__doc__ or "").split())
    assert "at most three times `grace`" in words
    assert "and two seconds (for being killed" in words
    assert endpoints.GRACE == 5.0


# --- close(grace=…) --------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["ignores everything", "floods its output", "closes its output"])
def test_no_grace_kills_at_once(what: str) -> None:
    async def main() -> None:
        async with tree(STUBBORN[what], grace=NEVER) as (peer, pids):
            await peer.close(grace=0)
            assert not running(pids)
            assert peer.exit is not None
            assert peer.exit.signal == "SIGKILL"

    run(main())


def test_no_grace_ends_an_end_that_takes_long() -> None:
    async def main() -> None:
        async with tree(STUBBORN["ignores everything"], grace=NEVER) as (peer, pids):
            closing = asyncio.create_task(peer.close())
            await asyncio.sleep(0.01)
            assert running(pids) == pids
            await peer.close(grace=0)
            await closing
            assert not running(pids)

    run(main())


def test_a_shorter_grace_holds_for_each_step() -> None:
    async def main() -> None:
        async with tree("answer(pids()); time.sleep(3600)", grace=NEVER) as (peer, pids):
            await peer.close(grace=0.05)
            assert not running(pids)
            assert peer.exit is not None
            assert peer.exit.signal == "SIGTERM"

    run(main())


@pytest.mark.parametrize("grace", [0, 0.01])
def test_no_handler_is_waited_for_longer(grace: float, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        started = asyncio.Event()

        async def stubborn(peer: Peer, method: str, params: Any) -> None:
            started.set()
            await swallow(peer, method, params)

        async def ask(peer: Peer, method: str, params: Any) -> None:
            await peer.request(v1.EXTENSIONS["client", "request"].named("_ask"), None)

        agent = handler(v1.AgentHandler, ext_request=ask)
        client = handler(v1.ClientHandler, ext_request=stubborn)
        async with connect_memory(agent, client, grace=NEVER) as peer:
            await peer.initialize()
            asking = asyncio.create_task(peer.request(ECHO, None))
            await started.wait()
            await peer.close(grace=grace)
            with pytest.raises(ConnectionClosed):
                await asking
        assert "is dropped" in caplog.text

    run(main())


@pytest.mark.parametrize("grace", [0, 0.01])
def test_handlers_that_may_finish_are_waited_for_no_longer(
    grace: float, caplog: pytest.LogCaptureFixture
) -> None:
    """After the end of the input."""

    async def main() -> None:
        peers: list[Peer] = []
        started = asyncio.Event()

        async def stubborn(peer: Peer, method: str, params: Any) -> None:
            peers.append(peer)
            started.set()
            await swallow(peer, method, params)

        near, far = memory_streams()
        agent = handler(v1.AgentHandler, ext_request=stubborn)
        serving = asyncio.create_task(serve(far, agent, linger=NEVER, grace=NEVER))
        async with connect(near, CLIENT) as peer:
            asking = asyncio.create_task(peer.request(ECHO, None))
            await started.wait()
        with pytest.raises(ConnectionClosed):
            await asking
        await peers[0].wait_ended()
        await peers[0].close(grace=grace)
        await serving
        assert "is dropped" in caplog.text

    run(main())


def test_a_socket_that_is_not_read_is_closed_at_once() -> None:
    async def main() -> None:
        accepted = asyncio.Event()

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await accepted.wait()
            writer.close()

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        async with server, connect(AsyncioStream(reader, writer), CLIENT) as peer:
            stream: Any = peer._stream
            stream._grace = NEVER
            stream.write(b"x" * 50_000_000)
            assert writer.transport.get_write_buffer_size()
            await peer.close(grace=0)
            accepted.set()

    run(main())
