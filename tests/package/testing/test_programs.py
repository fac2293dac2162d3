"""Tests of scripts that run as processes, and of the pytest fixtures."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from acp_bindings.runtime.aio import log_to
from acp_bindings.runtime.aio.child_process import open_child
from acp_bindings.testing import Agent, Client, Ended

PLAY = [sys.executable, "-m", "acp_bindings.testing"]
AGENT = """
from acp_bindings.testing import Agent, crash
print("this must not reach the client")
agent = Agent("Hello!", crash(3))
"""
CLIENT = """
async def client(client):
    (await client.prompt("Hi")).expect("Bye!")
"""
TESTS = """
import sys

import pytest
from acp_bindings import v2

class Echo(v2.SessionAgent):
    async def turn(self, session, params):
        await session.say(params.prompt[0])

@pytest.fixture(params=[Echo, [sys.executable, "-m", "acp_bindings.testing", "agent.py"]])
def acp_agent(request):
    return request.param

@pytest.mark.acp(version=2)
def test_plain(acp_client):
    acp_client.prompt("Hello!").expect("Hello!")

@pytest.mark.acp(version=2)
async def test_coroutine(acp_async_client):
    async with acp_async_client as client:
        (await client.prompt("Hello!")).expect("Hello!")

def test_unused(acp_async_client):
    pass

@pytest.mark.xfail(strict=True, reason="only plugins for coroutine tests run it")
async def test_another_coroutine():
    pass

def test_failure(acp_client):
    acp_client.prompt("Hello!").expect("Bye!")
"""
# A program that imports the plugin and prints the modules that this import loads.
UNUSED = """
import sys, pytest
before = set(sys.modules)
import acp_bindings.testing.plugin
print(*sorted(set(sys.modules) - before))
"""
UNDEFINED = "def test_it(acp_client): pass\n"


async def test_a_script_is_an_agent_in_any_language(tmp_path: Path) -> None:
    (script := tmp_path / "agent.py").write_text(AGENT)
    async with Client([*PLAY, str(script), "--log", str(tmp_path / "log")]) as client:
        (await client.prompt("Hi")).expect("Hello!")
        with pytest.raises(Ended, match="exited with status 3"):
            await client.prompt("Hi")
    assert len((tmp_path / "log").read_text().splitlines()) > 6


FAULTS = {
    "crash()": ("the agent exited with status 1", 5),
    "half_line()": ("the agent exited with status 1", 6),
    "close()": ("the agent closed its output but is still running", 5),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_of_a_script_is_one_of_a_process(fault: str, tmp_path: Path) -> None:
    (script := tmp_path / "agent.py").write_text(
        f"from acp_bindings.testing import Agent, close, crash, half_line\nagent = Agent({fault})"
    )
    end, count = FAULTS[fault]
    async with Client([*PLAY, str(script)]) as client:
        with pytest.raises(Ended) as caught:
            await client.prompt("Hi")
    first, *lines = str(caught.value).splitlines()
    assert first == f"the connection closed: {end}; the last lines:"
    assert len(lines) == count
    if fault == "half_line()":
        assert lines[-1] == '  ← {"jsonrpc": "2.0", "'


async def test_a_script_is_a_client_whose_failure_is_told(tmp_path: Path) -> None:
    (script := tmp_path / "client.py").write_text(CLIENT)
    agent = Agent("Hello!")
    stream = await open_child([*PLAY, script], stderr=asyncio.subprocess.PIPE)
    await agent.play(stream)
    exit = await stream.wait_exit()
    assert exit.code == 1
    assert "expected 'Bye!', got 'Hello!'" in "".join(exit.stderr)


@pytest.mark.parametrize("side", [[], ["--side", "agent"]])
async def test_a_recording_is_an_agent(side: list[str], tmp_path: Path) -> None:
    log = tmp_path / "talk.jsonl"
    with log.open("w") as file:
        agent, observe = Agent("Hello!"), log_to(file)
        async with agent.stream() as stream, Client(stream, observe=observe) as client:
            await client.prompt("Hi")
    async with Client([*PLAY, *side, str(log)]) as client:
        (await client.prompt("Ho")).expect("Hello!")
        exit = await client.wire.wait_end()
        assert exit is not None
        assert exit.code == 1
        assert "recorded 'Hi', got 'Ho'" in "".join(exit.stderr)


async def test_a_recording_is_a_client(tmp_path: Path) -> None:
    log = tmp_path / "talk.jsonl"
    with log.open("w") as file:
        agent = Agent("Hello!")
        async with agent.stream() as stream, Client(stream, observe=log_to(file)) as client:
            await client.prompt("Hi")
    stream = await open_child([*PLAY, "--side", "client", log], stderr=asyncio.subprocess.PIPE)
    await (agent := Agent("Hello!")).play(stream)
    assert (await stream.wait_exit()).code == 0
    assert [prompt.text for prompt in agent.prompts] == ["Hi"]


def test_a_script_that_is_none_is_told(tmp_path: Path) -> None:
    (script := tmp_path / "agent.py").write_text("x = 1")
    done = subprocess.run([*PLAY, script], input="", capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    problem = "defines neither `agent` (an Agent) nor a coroutine function `client`\n"
    assert done.stderr.endswith(problem)


def test_the_plugin_loads_nothing_before_a_test_uses_it() -> None:
    done = subprocess.run([sys.executable, "-c", UNUSED], capture_output=True, text=True)
    home = "acp_bindings.testing"
    assert done.stdout.split() == ["acp_bindings", home, f"{home}.plugin"]


def test_the_fixtures_serve_plain_tests_and_coroutines(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "test_undefined.py").write_text(UNDEFINED)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "6 passed" in done.stdout
    assert "2 failed" in done.stdout
    assert "/content/text: expected 'Bye!', got 'Hello!'" in done.stdout
    assert "1 error" in done.stdout
    assert "define it to return the agent under test" in done.stdout
