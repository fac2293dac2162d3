"""The agent and the editor over a WebSocket, and the stream that carries them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime.aio import connect, serve
from examples.driving import HERE, TIMEOUT, lines, running
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as listen
from websockets.exceptions import InvalidStatus

PROGRAM = [sys.executable, str(HERE / "websocket.py")]


@pytest.fixture
def server(tmp_path: Path) -> Generator[str]:
    with running([*PROGRAM, "serve", "0"], tmp_path) as program:
        yield "ws:" + program.wait_for_line("ws:")


@pytest.fixture
def stream_class(monkeypatch: pytest.MonkeyPatch) -> type[Any]:
    """The stream of the example, whose modules import each other by their plain names."""
    monkeypatch.syspath_prepend(str(HERE))
    found: type[Any] = import_module("websocket").WebSocketStream
    return found


@pytest.mark.parametrize("version", [1, 2])
def test_editor_and_agent_talk_over_a_websocket(version: int, server: str, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    # Longer than what fits into a frame by default, or into a buffer.
    (folder / "long.txt").write_text("word " * 500_000 + "end\n", "utf-8")
    with running([*PROGRAM, "connect", server, str(version)], folder) as program:
        program.type("write new.txt text", "1", "read long.txt")
        assert program.end() == 0
    printed = lines(program.output)
    assert "✓ Write new.txt [completed]" in printed
    assert any(line.endswith("word word end") for line in printed)
    assert printed.count("✓ Read long.txt [completed]") == 1
    assert (folder / "new.txt").read_text("utf-8") == "text\n"


def test_cancelling_works_over_a_websocket(server: str, tmp_path: Path) -> None:
    with running([*PROGRAM, "connect", server], tmp_path) as program:
        program.type("run echo started; exec sleep 1000", "1")
        program.wait_for("\nstarted\n")
        program.interrupt()
        program.wait_for("[cancelled]\n> ")
        assert program.end() == 0


def test_web_pages_cannot_connect(server: str) -> None:
    async def main() -> None:
        with pytest.raises(InvalidStatus, match="403"):
            async with open_socket(server, additional_headers={"Origin": "http://page.test"}):
                pass

    asyncio.run(main())


@asynccontextmanager
async def sockets() -> AsyncGenerator[tuple[ClientConnection, ServerConnection]]:
    accepted: asyncio.Queue[ServerConnection] = asyncio.Queue()

    async def accept(socket: ServerConnection) -> None:
        await accepted.put(socket)
        await socket.wait_closed()

    # What nobody reads is soon too much: one message, and few bytes.
    options: dict[str, Any] = {
        "max_size": None,
        "max_queue": 1,
        "write_limit": 1,
        "compression": None,
    }
    async with listen(accept, "127.0.0.1", 0, **options) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with open_socket(f"ws://127.0.0.1:{port}", proxy=None, **options) as near:
            yield near, await asyncio.wait_for(accepted.get(), TIMEOUT)


Test = Callable[[Any, ServerConnection], Coroutine[Any, Any, None]]


def over_a_socket(test: Test) -> Callable[[type[Any]], None]:
    """Run a test with a stream over one end of a WebSocket, and with the other end."""

    def run(stream_class: type[Any]) -> None:
        async def main() -> None:
            async with sockets() as (near, far):
                await test(stream_class(near), far)

        asyncio.run(main())

    return run


@over_a_socket
async def test_each_line_is_one_text_message_and_back(stream: Any, far: ServerConnection) -> None:
    stream.write(b'{"a":1}\n{"b"')
    stream.write(b':"\xc3')
    stream.write(b'\xa9"}\n{"c":3}')
    await stream.drain()
    assert [await far.recv(), await far.recv()] == ['{"a":1}', '{"b":"é"}']
    await far.send('{\n  "d": "é"\n}')
    assert await stream.read() == '{   "d": "é" }\n'.encode()
    await far.send("")  # is not the end
    assert await stream.read() == b"\n"
    await far.close()
    assert await stream.read() == b""


@over_a_socket
async def test_writing_waits_for_a_reader(stream: Any, far: ServerConnection) -> None:
    line = b"x" * 1_000_000
    stream.write((line + b"\n") * 50)
    draining = asyncio.create_task(stream.drain())
    done, _ = await asyncio.wait([draining], timeout=0.5)
    assert not done
    for _ in range(50):
        assert len(await far.recv()) == len(line)
    await asyncio.wait_for(draining, TIMEOUT)


@over_a_socket
async def test_writing_to_a_closed_socket_fails(stream: Any, far: ServerConnection) -> None:
    await far.close()
    stream.write(b"{}\n")
    with pytest.raises(BrokenPipeError):
        await stream.drain()
    await stream.close()


@over_a_socket
async def test_what_was_written_arrives_before_the_end(stream: Any, far: ServerConnection) -> None:
    stream.write(b"{}\n" * 100)
    closing = asyncio.create_task(stream.close())
    assert [message async for message in far] == ["{}"] * 100
    await closing


@over_a_socket
async def test_the_end_of_the_client_ends_the_agent(stream: Any, far: ServerConnection) -> None:
    serving = asyncio.create_task(serve(type(stream)(far), v1.AgentHandler))
    async with connect(stream, v1.ClientHandler):
        pass
    await asyncio.wait_for(serving, TIMEOUT)
