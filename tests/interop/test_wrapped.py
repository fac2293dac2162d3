"""Tests of conversations through `acpgen wrap`: forwarded messages and reported problems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from acpwire.recording.reading import read_lines
from acpwire.rules.checker import follow
from acpwire.rules.entry import Entry

from tests.interop import combinations
from tests.interop.environments import Unavailable, command
from tests.interop.running import Outcome, hold, usable, wrapped
from tests.interop.turns import outcomes

TURNS = ["typescript-agent-v1", "typescript-client-v2"]
OTHERS = ["python-1.0.0rc3-v2-client"]


def lines(path: Path) -> list[tuple[str, Any]]:
    """Return the messages, grouped by sender."""
    entries = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    sent = [(entry["from"], entry.get("line", entry)) for entry in entries if "from" in entry]
    return sorted(sent, key=lambda each: each[0])


def hold_wrapped(name: str, folder: Path) -> Outcome:
    is_turn = name in outcomes.COMBINATIONS
    combination = (outcomes if is_turn else combinations).COMBINATIONS[name]
    more = [str(combination.version), "converse"] if is_turn else []
    try:
        client, agent = command(*combination.client), command(*combination.agent)
    except Unavailable as reason:
        return Outcome(unavailable=str(reason))
    return hold([*client, *more], wrapped(agent, folder), folder)


@pytest.mark.parametrize("name", TURNS + OTHERS)
def test_what_passes_is_the_same_and_right(name: str, tmp_path: Path) -> None:
    outcome = usable(name, hold_wrapped(name, tmp_path))
    assert (outcome.client_exit, outcome.agent_exit) == (0, 0), outcome.log
    assert lines(tmp_path / "transcript.jsonl") == lines(tmp_path / "beyond.jsonl")
    entries: list[Entry] = []
    for path in tmp_path.glob("wrap.log*"):  # one recording for each connection
        with path.open("rb") as file:
            entries += follow(read_lines(file)).entries
    assert len(entries) > 10
    problems = [(entry.line, each) for entry in entries for each in entry.problems]
    assert name in OTHERS or problems == []
    told = [line for line in outcome.log.splitlines() if line.startswith("acpgen wrap: problem")]
    assert bool(told) is bool(problems), outcome.log
