"""Streams and processes of the user's own, how they end, and `Peer.close`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import ConnectionClosed, RequestError
from acp_bindings.runtime.aio import AsyncioStream, Peer, connect, connect_stdio, serve
from acp_bindings.v1 import client_session as live1
from acp_bindings.v2 import client_session as live2
from package.jsonrpc.loop import handler, pair, run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")

AGENT = Path(__file__).with_name("stdio_agent.py")
ECHO = v1.EXTENSIONS["agent", "request"].named("_echo")
CLIENT = handler(v1.ClientHandler)


async def echo(peer: Peer, method: str, params: Any) -> Any:
    return params


ECHOING = handler(v1.AgentHandler, ext_request=echo)


def program(code: str) -> list[str]:
    """The command of an agent that does something else than to answer."""
    return [sys.executable, "-c", f"import os, sys; {code}"]


# --- readers and writers ---------------------------------------------------------------------


@pytest.mark.parametrize("is_local", [True, False])
def test_a_socket_carries_a_connection(is_local: bool, tmp_path: Path) -> None:
    served: list[asyncio.Task[Any]] = []

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        served.append(task)
        await serve(AsyncioStream(reader, writer), ECHOING)

    async def main() -> None:
        path = str(tmp_path / "socket")
        if is_local:
            server = await asyncio.start_unix_server(accept, path)
            streams = await asyncio.open_unix_connection(path)
        else:
            server = await asyncio.start_server(accept, "127.0.0.1", 0)
            streams = await asyncio.open_connection(*server.sockets[0].getsockname())
        async with server:
            async with connect(AsyncioStream(*streams), CLIENT) as peer:
                assert peer.process is None
                await v1.AgentStub(peer).initialize(v1.InitializeRequest(protocol_version=1))
                assert await peer.request(ECHO, "x" * 1_000_000) == "x" * 1_000_000
            await asyncio.wait(served)
        assert streams[1].is_closing()

    run(main())


def test_a_program_that_is_already_started_can_be_the_agent() -> None:
    async def main() -> None:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(AGENT), stdin=pipe, stdout=pipe
        )
        assert process.stdin is not None
        assert process.stdout is not None
        async with connect(AsyncioStream(process.stdout, process.stdin), CLIENT) as peer:
            assert await peer.request(ECHO, [1]) == [1]
        assert await process.wait() == 0  # its input has ended

    run(main())


# --- how the agent has ended -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("sys.exit(3)", "the agent exited with status 3"),
        ("sys.exit()", "the agent exited with status 0"),
        ("os.kill(os.getpid(), 9)", "the agent was ended by SIGKILL"),
        ("os.close(1); sys.stdin.read()", "the agent has closed its output, but still runs"),
    ],
)
def test_a_call_that_fails_says_how_the_agent_has_ended(code: str, how: str) -> None:
    async def main() -> None:
        async with connect_stdio(program(f"sys.stdin.readline(); {code}"), CLIENT) as peer:
            for _ in range(2):  # while it ends, and afterwards
                with pytest.raises(ConnectionClosed) as caught:
                    await peer.request(ECHO, None)
                assert str(caught.value) == f"the connection was closed: {how}"

    run(main())


def test_captured_errors_are_told_with_the_end() -> None:
    """The last lines, cut to some length; and the agent never waits for them to be read."""
    code = (
        "sys.stderr.write('early' * 200_000 + chr(10));"
        "sys.stderr.write(''.join(f'line {n}' + chr(10) for n in range(100)));"
        "sys.stderr.write('a' * 1000 + chr(27) + 'last'); sys.exit(1)"
    )

    async def main() -> None:
        command = program(code)
        async with connect_stdio(command, CLIENT, stderr=asyncio.subprocess.PIPE) as peer:
            await peer.wait_ended()
            with pytest.raises(ConnectionClosed) as caught:
                await peer.request(ECHO, None)
        first, *lines = str(caught.value).splitlines()
        assert first.endswith("the agent exited with status 1; its standard error ended with:")
        assert lines[:-1] == [f"    'line {number}'" for number in range(91, 100)]
        assert lines[-1].endswith("aaa\\x1blast'")
        assert len(lines[-1]) < 600

    run(main())


def test_errors_may_go_elsewhere(tmp_path: Path) -> None:
    async def main() -> None:
        with (tmp_path / "log").open("wb") as log:
            async with connect_stdio(program("sys.exit('bye')"), CLIENT, stderr=log) as peer:
                await peer.wait_ended()
        assert (tmp_path / "log").read_text().strip() == "bye"

    run(main())


@pytest.mark.parametrize("own_group", [True, False])
def test_the_process_of_an_agent(own_group: bool) -> None:
    async def main() -> None:
        command = [sys.executable, str(AGENT)]
        async with connect_stdio(command, CLIENT, own_group=own_group) as peer:
            process = peer.process
            assert process is not None
            assert await peer.request(ECHO.named("_pid"), None) == process.pid
            assert (os.getsid(process.pid) == process.pid) == own_group
            assert process.returncode is None
        assert process.returncode == 0

    run(main())


def test_an_agent_that_has_ended_before_a_call_is_told() -> None:
    """Though the call could not even be sent."""

    async def main() -> None:
        stderr = asyncio.subprocess.PIPE
        async with connect_stdio(["false"], CLIENT, stderr=stderr) as peer:
            assert peer.process is not None
            await peer.process.wait()
            agent = v1.AgentStub(peer)
            with pytest.raises(ConnectionClosed, match="the agent exited with status 1"):
                await agent.initialize(v1.InitializeRequest(protocol_version=1))
            await peer.wait_ended()
            assert peer.how_ended == "the agent exited with status 1"

    run(main())


@pytest.mark.parametrize("surface", [v1, v2])
def test_a_turn_tells_how_the_agent_has_ended(surface: Any, tmp_path: Path) -> None:
    live = {v1: live1, v2: live2}[surface]
    path = tmp_path / "agent.py"
    name = surface.__name__
    path.write_text(
        "import asyncio, os\n"
        "from acp_bindings.runtime.aio import serve_stdio\n"
        f"from {name}.agent_session import SessionAgent\n"
        "class Agent(SessionAgent):\n"
        "    async def initialize(self, params):\n"
        f"        return self.surface.decode({name}.InitializeResponse, "
        "{'protocolVersion': self.surface.SCHEMA.protocol_version, 'info': {'name': 'a',"
        " 'version': '1'}, 'capabilities': {'session': {}}})\n"
        "    async def turn(self, session, params):\n"
        "        os._exit(7)\n"
        f"import {name}\n"
        "asyncio.run(serve_stdio(Agent))\n",
        encoding="utf-8",
    )

    async def main() -> None:
        async with connect_stdio([sys.executable, str(path)], live.SessionClient) as peer:
            info = {"name": "c", "version": "1"}
            asked = {"protocolVersion": surface.SCHEMA.protocol_version, "info": info}
            await peer.initialize(surface.decode(surface.InitializeRequest, asked))
            opening = surface.decode(surface.NewSessionRequest, {"cwd": "/", "mcpServers": []})
            session = await live.ClientSession.create(peer, opening)
            turn = session.prompt("Go")
            with pytest.raises(ConnectionClosed, match="the agent exited with status 7"):
                async with turn:
                    pass

    run(main())


# --- close -----------------------------------------------------------------------------------


def test_close_ends_the_connection() -> None:
    async def main() -> None:
        async with pair(ECHOING) as peer:
            assert await peer.request(ECHO, 1) == 1
            await peer.close()
            await peer.close()
            with pytest.raises(ConnectionClosed):
                await peer.request(ECHO, 1)

    run(main())


def test_a_handler_may_close() -> None:
    ended = []

    async def leave(peer: Peer, method: str, params: Any) -> None:
        try:
            await peer.close()
        finally:
            ended.append(asyncio.current_task())

    async def main() -> None:
        async with pair(handler(v1.AgentHandler, ext_request=leave)) as peer:
            with pytest.raises(RequestError, match="request cancelled"):
                await peer.request(ECHO, None)
            await peer.wait_ended()
        assert len(ended) == 1

    run(main())


def test_close_ends_the_agent() -> None:
    async def main() -> None:
        async with connect_stdio([sys.executable, str(AGENT)], CLIENT) as peer:
            assert await peer.request(ECHO, 1) == 1
            await peer.close()
            assert peer.process is not None
            assert peer.process.returncode == 0

    run(main())
