"""The agents and clients of the README, with the official TypeScript SDK as the peer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.paths import EXAMPLES

from interop import environments
from interop.environments import Unavailable

PRINTED = "Hello, agent!\n[end_turn]\n"


def peer(program: str) -> list[str]:
    """The command of a program in JavaScript."""
    try:
        return environments.command("node", program)
    except Unavailable as error:
        if environments.required():
            raise
        pytest.skip(str(error))


def printed(command: list[str]) -> str:
    done = subprocess.run(
        command,
        env=environments.variables(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("version", [1, 2])
def test_our_client_of_both_versions_with_an_agent_in_typescript(
    version: int, tmp_path: Path
) -> None:
    text, own = (EXAMPLES / "client.py").read_text("utf-8"), '["python", "agent.py"]'
    assert text.count(own) == 1
    client = tmp_path / "client.py"
    client.write_text(text.replace(own, repr(peer(f"echo_v{version}.mjs"))), "utf-8")
    assert printed([sys.executable, str(client)]) == PRINTED


@pytest.mark.parametrize("version", [1, 2])
def test_our_agent_of_both_versions_with_a_client_in_typescript(version: int) -> None:
    agent = [sys.executable, str(EXAMPLES / "agent.py")]
    assert printed([*peer("greeter.mjs"), str(version), *agent]) == PRINTED
