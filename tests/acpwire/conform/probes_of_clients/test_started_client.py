"""Tests of `acpgen conform --client` with conforming clients and with unusable commands."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from acpgen.cli.app import app
from acpgen.common import paths
from acpgen.inputs.overlay.reading import load_overlay
from acpwire.conform.judging import judge
from acpwire.conform.player import Task
from acpwire.conform.probes_of_clients import PlayedAgent
from acpwire.conform.probes_of_clients.sample_updates import updates
from acpwire.conform.probes_of_clients.started_client import (
    AgentChannel,
    Connection,
    opener,
    with_agent,
)
from acpwire.rules.schema import Call, check
from acpwire.surfaces import VERSIONS
from typer.testing import CliRunner, Result

from tests.examples.driving import IMPORTED
from tests.support import preloaded
from tests.support.guides import write_files
from tests.support.paths import EXAMPLES, PROGRAMS

pytestmark = pytest.mark.slow

BY_HAND = [sys.executable, "-I", "-S", str(Path(__file__).parents[1] / "client_by_hand.py")]
PATIENCE = 60.0


def conform(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["conform", "--timeout", "20", *arguments])


@pytest.mark.parametrize("version", VERSIONS)
def test_client_by_hand_conforms(version: int) -> None:
    command = [*BY_HAND, str(version), "{agent...}"]
    done = conform("--client", "--protocol", str(version), "--json", "--", *command)
    data = json.loads(done.stdout)
    others = {each["id"]: each for each in data["verdicts"] if each["status"] != "passed"}
    assert (others, done.exit_code) == ({}, 0)
    assert data["counts"]["passed"] > 40


def write_example(name: str, folder: Path) -> Path:
    """Write an example client that starts the agent named in its command-line arguments."""
    text = (EXAMPLES / name).read_text("utf-8").replace("import asyncio", "import asyncio, sys", 1)
    text, count = re.subn(r'\["python", "agent.*?"\]', "sys.argv[1:]", text)
    assert count == 1
    (folder / name).write_text(text, "utf-8")
    return folder / name


def write_viewer(name: str, folder: Path) -> Path:
    """Write the client from the guide about clients."""
    write_files("client.md", folder)
    return folder / name


@pytest.mark.parametrize(
    ("name", "program", "typed", "versions"),
    [
        ("client.py", write_example, (), (1,)),
        ("client_v2.py", write_example, (), (2,)),
        ("viewer.py", write_viewer, ("hello", "1"), (2,)),
        ("editor.py", lambda name, folder: PROGRAMS / name, ("hello", "1"), (2,)),
    ],
    ids=["bridged", "v2", "viewer", "editor"],
)
def test_example_conforms(
    name: str,
    program: Callable[[str, Path], Path],
    typed: tuple[str, ...],
    versions: tuple[int, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    command = preloaded.command(sys.executable, IMPORTED, str(program(name, tmp_path)))
    task = Task((*command, "{agent...}"), PATIENCE, open=opener(typed))
    requirements = load_overlay(paths.SCHEMA / "overlay").requirements.of("client")
    report = asyncio.run(judge(PlayedAgent, task, requirements, versions))
    assert [each for each in report.verdicts if each.status not in ("passed", "skipped")] == []
    assert report.versions == versions


@pytest.mark.parametrize("version", VERSIONS)
def test_updates_are_those_of_the_schema(version: int) -> None:
    call = Call("session/update", "notification", "client")
    for update in updates(version):
        params = {"sessionId": "s", "update": update}
        assert check(((f"v{version}",),), call, "params", params).problems == ()
    assert len(list(updates(version))) > 20


def test_the_agent_is_one_word_or_more() -> None:
    command = ["client", "{agent...}", "--agent={agent}", "{other}"]
    agent = ["a b", "c"]
    [client, *words, quoted, other] = with_agent(command, agent)
    assert (client, words, other) == ("client", agent, "{other}")
    assert quoted in ("--agent='a b' c", '--agent="a b" c')


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--client", "--", "my-client"],
            "no placeholder for the agent's command; add {agent} or {agent...}",
        ),
        (["--client", "--", "no-such-program", "{agent}"], "pass the client program"),
        (
            ["--client", "--prompt", "x", "--", "a", "{agent}"],
            "use --stdin to write to the client's standard input",
        ),
        (["--stdin", "x", "--", "my-agent"], "requires --client; add --client"),
    ],
)
def test_what_cannot_be_judged_is_an_error(arguments: list[str], message: str) -> None:
    done = conform(*arguments)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())


class FakeClient:
    """A client process that prints nothing and runs until it is closed."""

    def __init__(self) -> None:
        self.process = self
        self.is_closed = False
        self._over = asyncio.Event()

    async def read(self) -> bytes:
        await self._over.wait()
        return b""

    async def wait(self) -> None:
        await self._over.wait()

    async def close(self) -> None:
        self.is_closed = True
        self._over.set()


async def connected() -> tuple[AgentChannel, Any, socket.socket]:
    """Return a channel to an agent, its client, and the agent's socket."""
    ours, theirs = socket.socketpair()
    theirs.settimeout(5.0)
    client: Any = FakeClient()
    agent: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
    agent.set_result(await asyncio.open_connection(sock=ours))
    return AgentChannel(client, agent), client, theirs


async def test_closing_a_channel_ends_the_agent_and_then_the_client() -> None:
    channel, client, theirs = await connected()
    channel.write(b"{}\n")
    await channel.close()
    assert client.is_closed
    with theirs:
        assert await asyncio.to_thread(theirs.recv, 100) == b"{}\n"
        assert await asyncio.to_thread(theirs.recv, 100) == b""  # end of the agent's input
    channel.write(b"late")  # dropped without an error


async def test_the_end_of_the_clients_messages_ends_the_agent() -> None:
    channel, _, theirs = await connected()
    with theirs:
        theirs.sendall(b"one")
        assert await channel.read() == b"one"
        channel.write(b"two")
        assert await asyncio.to_thread(theirs.recv, 100) == b"two"
        theirs.shutdown(socket.SHUT_WR)
        assert await channel.read() == b""
        assert await asyncio.to_thread(theirs.recv, 100) == b""  # end of the agent's input
    await channel.close()


async def test_a_client_that_exits_without_an_agent_ends_the_channel() -> None:
    client: Any = FakeClient()
    agent: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
    channel = AgentChannel(client, agent)
    reading = asyncio.create_task(channel.read())
    await asyncio.sleep(0)
    channel.write(b"dropped")
    client._over.set()
    assert await asyncio.wait_for(reading, 5.0) == b""
    await channel.close()
    assert agent.cancelled()
