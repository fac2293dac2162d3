"""Tests that `acpgen conform` deletes its test sessions from the agent's store."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import count
from typing import Any

import pytest
from acpwire.conform.player import Task
from acpwire.conform.probes_of_agents import PlayedClient
from acpwire.conform.report import Ledger
from acpwire.surfaces import VERSIONS

from tests.acpwire.conform.agent_by_hand import Agent
from tests.acpwire.conform.here import PATIENCE, opener, report_on


def keeping() -> tuple[type[Agent], set[str]]:
    """Return an agent class and the set of session ids that its instances store."""
    kept: set[str] = set()
    counted = count()

    class Keeping(Agent):
        def new_id(self) -> str:
            session = f"s{next(counted)}"
            kept.add(session)
            return session

        def do_session_delete(self, params: Any) -> Any:
            kept.discard(params["sessionId"])
            return super().do_session_delete(params)

    return Keeping, kept


@pytest.mark.parametrize("version", VERSIONS)
def test_the_sessions_of_the_judge_are_deleted(version: int) -> None:
    agent, kept = keeping()
    report_on("agent", version, program=agent)
    assert kept == set()


@pytest.mark.parametrize("version", VERSIONS)
def test_an_id_that_the_agent_gave_twice_is_kept(version: int) -> None:
    agent, kept = keeping()
    kept.update(("once", "twice"))
    ledger = Ledger(opened=Counter({"once": 1, "twice": 2}))
    task = Task((str(version),), PATIENCE, open=opener("agent", agent, lambda: lambda data: [data]))
    asyncio.run(PlayedClient.tidy(task, version, ledger))
    assert kept == {"twice"}


@pytest.mark.parametrize("version", VERSIONS)
def test_an_agent_that_cannot_delete_sessions_is_not_asked_to(version: int) -> None:
    agent, kept = keeping()
    asked: list[Any] = []

    class Lasting(agent):  # type: ignore[misc, valid-type]
        def do_initialize(self, params: Any) -> Any:
            result = super().do_initialize(params)
            if version == 1:
                del result["agentCapabilities"]["sessionCapabilities"]["delete"]
            else:
                del result["capabilities"]["session"]["delete"]
            return result

        def do_session_delete(self, params: Any) -> Any:
            asked.append(params)
            return super().do_session_delete(params)

    report_on("agent", version, program=Lasting)
    assert len(kept) > 10
    assert [each for each in asked if each["sessionId"] in kept] == []
