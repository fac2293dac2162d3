"""Tests of the README's and examples' agents and clients with peers that use official SDKs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.interop.environments import TESTS
from tests.interop.running import javascript, printed, sdk_example
from tests.support.paths import EXAMPLES

PRINTED = "Hello, agent!\n[end_turn]\n"


@pytest.mark.parametrize("version", [1, 2])
def test_our_client_of_both_versions_with_an_agent_in_typescript(
    version: int, tmp_path: Path
) -> None:
    assert greeted(javascript(f"echo_v{version}.mjs"), tmp_path) == PRINTED


def test_our_client_of_both_versions_with_the_echo_agent_in_python(tmp_path: Path) -> None:
    """The agent implements protocol 1 but repeats the version that the client requests."""
    assert greeted(sdk_example("0.12.1", "echo_agent.py"), tmp_path) == PRINTED


def greeted(agent: list[str], folder: Path) -> str:
    """Run the example client for both versions with an agent, and return the output."""
    text, own = (EXAMPLES / "client.py").read_text("utf-8"), '["python", "agent.py"]'
    assert text.count(own) == 1
    client = folder / "client.py"
    client.write_text(text.replace(own, repr(agent)), "utf-8")
    return printed([sys.executable, str(client)])


@pytest.mark.parametrize("version", [1, 2])
def test_our_agent_of_both_versions_with_a_client_in_typescript(version: int) -> None:
    agent = [sys.executable, str(EXAMPLES / "agent.py")]
    assert printed([*javascript("greeter.mjs"), str(version), *agent]) == PRINTED


SPEAKS_2_ALONE = """
import asyncio, sys
sys.path.insert(0, {folder!r})
from acp_bindings.runtime.aio import serve_stdio
from agent_with_tools import AgentV2
asyncio.run(serve_stdio(AgentV2, bridge=True))
"""


def test_acpx_drives_the_coding_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODER_SESSIONS", str(tmp_path / "sessions"))
    agent = f"{sys.executable} {TESTS / 'examples' / 'coder.py'}"
    options = ["--cwd", str(tmp_path), "--approve-all", "--agent", agent]
    acpx = [*javascript("acpx/dist/cli.js"), *options, "exec"]
    shown = printed([*acpx, "/write notes.txt three"])
    assert (tmp_path / "notes.txt").read_text("utf-8") == "three\n"
    assert "[tool] Write notes.txt (completed)" in shown
    shown = printed([*acpx, "/run echo $((6 * 7))"])
    assert "[tool] echo $((6 * 7)) (completed)" in shown
    assert "42" in shown.splitlines()
    assert "[done] end_turn" in shown


def test_acpx_which_speaks_protocol_1_drives_an_agent_of_protocol_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_SESSIONS", str(tmp_path / "sessions"))
    agent, told = tmp_path / "agent.py", tmp_path / "notes.txt"
    agent.write_text(SPEAKS_2_ALONE.format(folder=str(TESTS / "examples")), "utf-8")
    options = ["--cwd", str(tmp_path), "--approve-all", "--agent", f"{sys.executable} {agent}"]
    asked = "write notes.txt three then run echo $((6 * 7))"
    shown = printed([*javascript("acpx/dist/cli.js"), *options, "exec", asked])
    assert told.read_text("utf-8") == "three\n"
    lines = [line.strip() for line in shown.splitlines()]
    done = ["[tool] Write notes.txt (completed)", "[tool] echo $((6 * 7)) (completed)", "42"]
    assert [lines.count(line) for line in [*done, "[done] end_turn"]] == [1] * 4, shown
