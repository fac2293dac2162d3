"""Tests of the agent with a client for each protocol version."""

import sys
from pathlib import Path

import pytest
from acp_bindings.testing import BlockingClient

AGENT = [sys.executable, str(Path(__file__).with_name("agent.py"))]
VERSIONS = [pytest.param(n, marks=pytest.mark.acp(version=n), id=f"v{n}") for n in (1, 2)]


@pytest.fixture(params=VERSIONS)
def acp_agent() -> list[str]:
    return AGENT


def test_it_answers(acp_client: BlockingClient) -> None:
    acp_client.prompt("Hello").expect("You said: Hello")


def test_it_asks_before_it_writes(acp_client: BlockingClient, tmp_path: Path) -> None:
    acp_client.new_session(cwd=str(tmp_path))
    turn = acp_client.prompt("note Buy milk")
    turn.expect({"status": "pending"}, {"status": "completed"}, "I added it to your notes.")
    assert (tmp_path / "notes.txt").read_text("utf-8") == "Buy milk\n"


@pytest.mark.acp(permission="reject_once")
def test_it_keeps_what_it_may_not_change(acp_client: BlockingClient, tmp_path: Path) -> None:
    acp_client.new_session(cwd=str(tmp_path))
    turn = acp_client.prompt("note Buy milk")
    turn.expect({"status": "failed"}, "I did not change your notes: the user refused this.")
    assert not (tmp_path / "notes.txt").exists()
