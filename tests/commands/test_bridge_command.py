"""`acpgen bridge`: a process between a client and an agent, and how it ends."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime.aio import Exit, Peer, connect_stdio
from acpgen.cli.app import app
from acpgen.commands.wire.bridge import exit_code
from package.jsonrpc.wire import ask, initialize, line
from typer.testing import CliRunner

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

PATIENCE = 60.0  # seconds; the tests fail by then, they do not measure
BRIDGE = [sys.executable, "-m", "acpgen", "bridge"]
AGENT = """
import asyncio, sys
from acp_bindings import {surface} as surface
from acp_bindings.runtime.aio import serve_stdio
class Agent(surface.SessionAgent):
    async def turn(self, session, params):
        print("at work", file=sys.stderr, flush=True)
        await session.say("Hello")
        {more}
asyncio.run(serve_stdio(Agent))
sys.exit(7)
"""
NOTICE = 'for _ in "ab": await session.notice(severity="warning", title="careful")'
LOST = "acpgen bridge: session/update of the agent at '/update': the client has not advertised"


def agent(surface: str = "v2", more: str = "pass") -> list[str]:
    return [sys.executable, "-c", AGENT.format(surface=surface, more=more)]


@asynccontextmanager
async def bridged(
    surface: Any, agent: Sequence[str], *options: str, lines: list[str] | None = None
) -> AsyncGenerator[tuple[Peer, Any]]:
    """A client of a surface, connected by a bridge to an agent; yields its peer and a session."""
    command = [*BRIDGE, *options, "--", *agent]
    on_stderr = None if lines is None else lines.append
    async with connect_stdio(command, surface.SessionClient, on_stderr=on_stderr) as peer:
        await peer.initialize()
        more = {"mcp_servers": []} if surface is v1 else {}
        yield peer, await surface.ClientSession.create(peer, cwd="/", **more)


async def said(session: Any) -> str:
    """What the agent answers to a prompt."""
    async with session.prompt("Hi") as turn:
        await turn.wait(timeout=PATIENCE)
    [message] = [each for each in session.state.messages if each.role == "agent"]
    [block] = message.content
    return str(block.text)


@asynccontextmanager
async def started(*command: str) -> AsyncGenerator[asyncio.subprocess.Process]:
    """A bridge, of which this process is the client."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *BRIDGE, *command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def write(process: asyncio.subprocess.Process, *messages: Any) -> None:
    assert process.stdin is not None
    process.stdin.write(line(*messages))
    await process.stdin.drain()


async def read(process: asyncio.subprocess.Process) -> Any:
    assert process.stdout is not None
    return json.loads(await asyncio.wait_for(process.stdout.readline(), PATIENCE))


async def rest(process: asyncio.subprocess.Process) -> tuple[int | None, list[Any], str]:
    """The exit code, the messages that were left, and standard error."""
    out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    return process.returncode, [json.loads(each) for each in out.splitlines()], err.decode()


# --- between -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("client", "other"), [(v1, "v2"), (v2, "v1"), (v2, "v2")])
async def test_it_stands_between_clients_and_agents(client: Any, other: str) -> None:
    async with bridged(client, agent(other)) as (_, session):
        assert await said(session) == "Hello"


async def test_a_client_is_shown_one_version() -> None:
    async with started("--speak", "1", "--", *agent("v2")) as process:
        await write(process, initialize(2))
        assert (await read(process))["result"]["protocolVersion"] == 1


async def test_losses_are_told_once_beside_what_the_agent_logs() -> None:
    lines: list[str] = []
    async with bridged(v1, agent(more=NOTICE), lines=lines) as (_, session):
        await said(session)
    assert sorted(lines) == [f"{LOST} 'notices'", "at work"]


async def test_a_log_has_both_sides(tmp_path: Path) -> None:
    log = tmp_path / "acp.log"
    async with bridged(v1, agent(), "--log", str(log)) as (_, session):
        await said(session)
    result = CliRunner().invoke(app, ["trace", str(log), "--json"])
    assert result.exit_code == 0, result.output
    entries = json.loads(result.output)["entries"]
    spoken = {(entry["from"], entry["to"]): entry["version"] for entry in entries}
    assert spoken == {
        ("client", "bridge"): 1,
        ("bridge", "client"): 1,
        ("bridge", "agent"): 2,
        ("agent", "bridge"): 2,
    }


# --- ends --------------------------------------------------------------------------------------


async def test_the_end_of_the_client_ends_the_agent_whose_exit_code_passes() -> None:
    async with bridged(v1, agent()) as (peer, session):
        await said(session)
    assert peer.exit == Exit(7)


async def test_the_end_of_the_agent_fails_what_the_client_waits_for() -> None:
    more = "import os; os._exit(3)"
    async with started("--", *agent(more=more)) as process:
        await write(process, initialize(1))
        await read(process)
        await write(process, ask(1, "session/new", cwd="/", mcpServers=[]))
        session = (await read(process))["result"]["sessionId"]
        prompt = [{"type": "text", "text": "Hi"}]
        await write(process, ask(2, "session/prompt", sessionId=session, prompt=prompt))
        code, messages, err = await rest(process)
        assert (code, err) == (3, "at work\n")
        assert [each["error"]["code"] for each in messages if each.get("id") == 2] == [-32603]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
async def test_a_signal_ends_both(name: str) -> None:
    async with started("--", *agent()) as process:
        await write(process, initialize(1))
        await read(process)
        number = signal.Signals[name]
        process.send_signal(number)
        assert await rest(process) == (128 + number, [], "")


async def test_an_agent_that_a_signal_ends_is_told_as_by_shells() -> None:
    async with started("--", "sh", "-c", "kill -KILL $$") as process:
        code, messages, _ = await rest(process)
        assert (code, messages) == (137, [])


def test_a_program_that_cannot_be_started_is_a_problem() -> None:
    done = subprocess.run([*BRIDGE, "--", "/no/agent"], capture_output=True, text=True, check=False)
    problem = "error io at /no/agent#: cannot be started (No such file or directory)"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{problem}; give the program of an agent\n"


def test_options_of_the_agent_are_its_own() -> None:
    done = subprocess.run(
        [*BRIDGE, "sh", "-c", 'test "$1" = --speak && exit 5', "sh", "--speak"],
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 5


@pytest.mark.parametrize(
    ("exit", "code"),
    [(Exit(0), 0), (Exit(4), 4), (Exit(signal="SIGTERM"), 143), (Exit(signal="signal 40"), 168)],
)
def test_exit_codes(exit: Exit, code: int) -> None:
    assert exit_code(exit) == code
