"""Tests of remote conversations of our agent with SDK clients and of our client with SDK agents.

Each conversation runs once, between two processes, and each test checks one aspect of its outcome.
`combinations.py` lists the combinations, and `conversation.py` defines the steps.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import pytest

from tests.interop.conversation import digest
from tests.interop.remote.combinations import COMBINATIONS, EXCLUSIONS, Combination, Exclusion
from tests.interop.remote.conversation import DOWN, ODD, STEPS, UP
from tests.interop.remote.stage import AGENT, HISTORY, MODES, OPTIONS, TALK, TITLE
from tests.interop.running import Outcome

DONE = {"stop": "end_turn"}


@functools.cache
def digests() -> dict[str, str]:
    return {"up": digest(UP), "down": digest(DOWN)}


def expected(combination: Combination) -> dict[str, Any]:
    """Return the expected report for each step."""
    asked = [{"title": TITLE, "options": [option["name"] for option in OPTIONS]}]
    return {
        "initialize": {"version": combination.version, "agent": AGENT},
        "new": {"session": "session-1", "modes": list(MODES)},
        "turn": {**DONE, "texts": TALK},
        "permission": {**DONE, "texts": [f"allow{ODD}"], "asked": asked},
        "mode": {**DONE, "texts": ["write"]},
        "cancel": {"stop": "cancelled", "texts": ["waiting"]},
        "two": {
            f"session-{number}": {**DONE, "texts": [f"I am session-{number}"]} for number in (1, 2)
        },
        "load": HISTORY,
        "after_load": {**DONE, "texts": TALK},
        "resume": {**DONE, "texts": TALK},
        "up": {**DONE, "texts": [digests()["up"]]},
        "down": {**DONE, "texts": [digests()["down"]]},
    }


def test_steps(name: str, remote: Outcome) -> None:
    wanted = expected(COMBINATIONS[name])
    failed = {each for each in STEPS if remote.report.get(each) != wanted[each]}
    assert failed == COMBINATIONS[name].failing_steps().keys(), (remote.report, remote.log)


def test_both_end_well(remote: Outcome) -> None:
    assert (remote.client_exit, remote.agent_exit) == (0, 0), remote.log


def test_nothing_is_left_of_our_client(ours: Outcome) -> None:
    assert ours.report["tasks"] == []


def test_our_client_has_no_issues(ours: Outcome) -> None:
    assert ours.report["issues"] == []


def test_steps_have_expectations() -> None:
    assert tuple(expected(next(iter(COMBINATIONS.values())))) == STEPS


@pytest.mark.parametrize("exclusion", EXCLUSIONS, ids=lambda exclusion: exclusion.alone)
def test_excluded_steps_fail_between_the_peers_alone(exclusion: Exclusion) -> None:
    alone = COMBINATIONS[exclusion.alone]
    assert "ours" not in (alone.client[0], alone.agent[0])
    assert re.fullmatch(exclusion.combinations, alone.name)
    assert set(exclusion.steps) <= set(STEPS)
