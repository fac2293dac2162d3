"""The agents and clients of the README, with the official TypeScript SDK as the peer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.paths import EXAMPLES

from interop.running import javascript, printed

PRINTED = "Hello, agent!\n[end_turn]\n"


@pytest.mark.parametrize("version", [1, 2])
def test_our_client_of_both_versions_with_an_agent_in_typescript(
    version: int, tmp_path: Path
) -> None:
    text, own = (EXAMPLES / "client.py").read_text("utf-8"), '["python", "agent.py"]'
    assert text.count(own) == 1
    client = tmp_path / "client.py"
    client.write_text(text.replace(own, repr(javascript(f"echo_v{version}.mjs"))), "utf-8")
    assert printed([sys.executable, str(client)]) == PRINTED


@pytest.mark.parametrize("version", [1, 2])
def test_our_agent_of_both_versions_with_a_client_in_typescript(version: int) -> None:
    agent = [sys.executable, str(EXAMPLES / "agent.py")]
    assert printed([*javascript("greeter.mjs"), str(version), *agent]) == PRINTED
