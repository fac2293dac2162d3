"""Tests of the scenes with a small agent that uses the scripted model, with and without faults."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.tools.reality import playing
from tests.tools.reality.commands import wrapped
from tests.tools.reality.comparing import violations
from tests.tools.reality.model.server import serving
from tests.tools.reality.playing import Played, play
from tests.tools.reality.results import NOT_OFFERED, PLAYED

pytestmark = pytest.mark.slow

AGENT = ROOT / "tests" / "tools" / "reality" / "model_agent.py"
HONEST = {
    **dict.fromkeys(("text", "allowed", "denied", "cancelled", "edit", "stopped"), PLAYED),
    "mcp": "the MCP server was not asked for its tools",
    **dict.fromkeys(("modes", "options", "list", "load"), NOT_OFFERED),
}


@pytest.fixture(autouse=True)
def without_mcp(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the MCP server, which this agent never starts."""
    monkeypatch.setattr(playing, "MCP_TIMEOUT", 0.01)


def played_with(folder: Path, mode: str, *fault: str) -> tuple[Played, set[str]]:
    """Play all scenes. Return the result and the violations in the recordings."""
    with serving(folder / "model.jsonl") as server:
        logs = [folder / "first.log", folder / "second.log"]
        command = [sys.executable, str(AGENT), server.url, *fault]
        commands = {log: wrapped(command, log) for log in logs}
        played = asyncio.run(play(commands, mode, server, folder, {}, "", ""))
    return played, set().union(*map(violations, logs))


def test_an_honest_agent_plays_each_scene_in_protocol_1(tmp_path: Path) -> None:
    played, found = played_with(tmp_path, "v1")
    assert played.outcomes == HONEST
    assert played.problems | found == set()


def test_an_honest_agent_plays_each_scene_with_the_bridge(tmp_path: Path) -> None:
    played, found = played_with(tmp_path, "v2")
    differs = {name for name in HONEST if played.outcomes[name] != HONEST[name]}
    assert differs <= {"list", "load"}  # the bridge supports only parts of these scenes
    assert {each for each in played.problems | found if not each.startswith("loss: ")} == set()


@pytest.mark.parametrize(
    ("fault", "scene", "outcome"),
    [
        ("runs denied", "denied", "the tool ran"),
        ("stays pending", "allowed", "its tool calls stay ['pending']"),
        ("no diff", "edit", "it shows no diff"),
    ],
)
def test_a_fault_is_noticed(fault: str, scene: str, outcome: str, tmp_path: Path) -> None:
    played, _ = played_with(tmp_path, "v1", fault)
    assert played.outcomes[scene] == outcome


def test_a_violation_of_the_protocol_is_noticed(tmp_path: Path) -> None:
    _, found = played_with(tmp_path, "v1", "goes back")
    assert {each.split(": ")[:2] == ["agent", "session/update"] for each in found} == {True}
