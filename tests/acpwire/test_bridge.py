"""Tests of how `acpgen bridge` forwards messages and exits."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.runtime.aio import Exit
from acp_bindings.testing import Client, Wire
from acpgen.cli.app import app
from typer.testing import CliRunner

from tests.package.jsonrpc.wire import ask, initialize, line
from tests.support import preloaded

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

PATIENCE = 60.0  # timeout in seconds
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
LOST = "acpgen bridge: session/update of the agent at '/update': the client does not advertise"


def agent(surface: str = "v2", more: str = "pass") -> list[str]:
    return [sys.executable, "-c", AGENT.format(surface=surface, more=more)]


def client(version: int, agent: Sequence[str], *options: str) -> Client:
    """Return a client that communicates with an agent through a bridge."""
    command = [*preloaded.acpgen(), "bridge", *options, "--", *agent]
    return Client(command, version=version, capabilities={}, timeout=PATIENCE)


async def started(*command: str) -> Wire:
    """Start a bridge with this process as its client."""
    return await Wire.start(
        [*preloaded.acpgen(), "bridge", *command], timeout=PATIENCE, grace=PATIENCE
    )


async def answer(wire: Wire, request: dict[str, Any]) -> Any:
    await wire.send({"jsonrpc": "2.0", **request})
    reply = (await wire.receive(lambda message: message.get("id") == request["id"])).message
    return reply.get("result", reply.get("error"))


# --- messages ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("version", "other"), [(1, "v2"), (2, "v1"), (2, "v2")])
async def test_it_stands_between_clients_and_agents(version: int, other: str) -> None:
    async with client(version, agent(other)) as speaker:
        turn = await speaker.prompt("Hi")
        turn.expect("Hello")
        assert (len(turn.typed()), turn.stop_reason) == (len(turn.updates), "end_turn")


async def test_a_client_is_shown_one_version() -> None:
    async with await started("--speak", "1", "--", *agent("v2")) as wire:
        introduction = await answer(wire, initialize(2))
        assert introduction["protocolVersion"] == 1


async def test_losses_are_told_once_beside_what_the_agent_logs() -> None:
    async with client(1, agent(more=NOTICE)) as speaker:
        await speaker.prompt("Hi")
    assert sorted(speaker.wire.stderr) == [f"{LOST} 'notices'", "at work"]


async def test_a_log_has_both_sides(tmp_path: Path) -> None:
    log = tmp_path / "acp.log"
    async with client(1, agent(), "--log", str(log)) as speaker:
        await speaker.prompt("Hi")
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


# --- exit --------------------------------------------------------------------------------------


async def test_the_end_of_the_client_ends_the_agent_whose_exit_code_passes() -> None:
    async with await started("--", *agent()) as wire:
        await answer(wire, initialize(1))
    assert await wire.wait_end() == Exit(7)


async def test_the_end_of_the_agent_fails_what_the_client_waits_for() -> None:
    async with await started("--", *agent(more="import os; os._exit(3)")) as wire:
        await answer(wire, initialize(1))
        session = await answer(wire, ask(1, "session/new", cwd="/", mcpServers=[]))
        prompt = [{"type": "text", "text": "Hi"}]
        error = await answer(wire, ask(2, "session/prompt", prompt=prompt, **session))
        assert error["code"] == -32603
        assert await wire.wait_end() == Exit(3, stderr=("at work",))


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_both(name: str) -> None:
    command, number = [*preloaded.acpgen(), "bridge", "--", *agent()], signal.Signals[name]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1, start_new_session=True) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        run.stdin.write(line(initialize(1)))
        run.stdin.flush()
        run.stdout.readline()
        run.send_signal(number)
        assert run.communicate(timeout=PATIENCE) == (b"", b"")
        assert run.returncode == 128 + number


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
def test_output_that_cannot_be_written_is_an_error() -> None:
    with open("/dev/full", "wb") as full:
        command, pipe = [*preloaded.acpgen(), "bridge", "--", *agent()], subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=full, stderr=pipe) as run:
            assert run.stdin is not None
            run.stdin.write(line(initialize(1)))
            run.stdin.flush()
            assert run.wait(PATIENCE) == 1  # although its standard input is still open
            _, errors = run.communicate()
    assert errors.endswith(b": cannot write standard output: No space left on device\n")


def test_a_program_that_cannot_be_started_is_a_problem() -> None:
    done = subprocess.run(
        [*preloaded.acpgen(), "bridge", "--", "/no/agent"],
        capture_output=True,
        text=True,
        check=False,
    )
    problem = "error[io]: /no/agent: cannot be started (no such program; check its path)"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{problem}; pass an agent program\n"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["sh", "-c", 'test "$1" = --speak && exit 5', "sh", "--speak"], 5),
        (["--", "sh", "-c", "kill -KILL $$"], 137),
    ],
    ids=["options of the agent are its own", "a signal is told as by shells"],
)
def test_the_end_of_the_agent_is_that_of_the_bridge(command: list[str], code: int) -> None:
    done = subprocess.run(
        [*preloaded.acpgen(), "bridge", *command], stdin=-3, stdout=-1, check=False
    )
    assert (done.returncode, done.stdout) == (code, b"")
