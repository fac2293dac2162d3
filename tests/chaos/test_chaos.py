"""A short run of the scenarios, and a conversation that is cut at every byte."""

from __future__ import annotations

import asyncio
import itertools
import logging
import subprocess
import sys
from collections.abc import Callable, Coroutine, Generator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from chaos import cutting, programs
from chaos.scenarios import KINDS, ROLES, VERSIONS, Scenario, plan_of, scenarios
from support import virtual_time

HERE = Path(__file__).parent
DEV = ["-X", "dev", "-W", "error"]
# Every so many bytes, a whole peer reads in two pieces; a connection does at every byte.
STRIDE = 23
each_version = pytest.mark.parametrize("version", VERSIONS)
needs_signals = pytest.mark.skipif(sys.platform != "linux", reason="needs signals and /proc")

Replay = Callable[[int, Sequence[bytes]], Coroutine[Any, Any, cutting.Outcome]]


# --- scenarios -------------------------------------------------------------------------------


def run(*arguments: str) -> str:
    """Run scenarios of one seed in a process of their own, and return what it prints."""
    command = [sys.executable, *DEV, str(HERE / "run_chaos.py"), "--work", "--count", "1"]
    command += ["--seconds", "600", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr
    return ended.stdout


@needs_signals
@each_version
@pytest.mark.parametrize("role", ROLES)
def test_nothing_hangs_and_nothing_is_lost(role: str, version: int) -> None:
    assert f"{len(KINDS)} scenarios passed" in run("--role", role, "--version", str(version))


@needs_signals
@pytest.mark.skipif(find_spec("uvloop") is None, reason="uvloop is not installed")
def test_the_same_with_uvloop() -> None:
    kinds = [part for kind in ("kill", "half", "storm") for part in ("--kind", kind)]
    assert "12 scenarios passed, loop uvloop" in run("--loop", "uvloop", *kinds)


def test_a_plan_follows_from_its_seed() -> None:
    every = [plan_of(each) for each in scenarios(7)]
    assert every == [plan_of(each) for each in scenarios(7)]
    assert all(plan_of(each) != plan for each, plan in zip(scenarios(8), every, strict=True))


@needs_signals
def test_a_failure_is_told_with_its_seed() -> None:
    """A scenario that cannot succeed: the agent hangs, and nothing is allowed to be lost."""
    code = """
import sys
sys.path.insert(0, sys.argv[1])
from chaos import run_chaos, scenarios
def closing(chance, scenario):
    faults = {"close_out_after": 100}
    return scenarios.Plan([], faults=faults, logs=scenarios.NOISE)
scenarios.KINDS["kill"] = closing
sys.exit(run_chaos.main(["--work", "--kind", "kill", "--role", "client", "--seed", "5"]))
"""
    command = [sys.executable, "-c", code, str(HERE.parent)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 1, ended.stdout
    assert str(Scenario("kill", "client", 1, 5)) in ended.stdout
    assert "--seed 5 --kind kill --role client --version 1" in ended.stdout


def test_programs_whose_handlers_wait_for_one_another_end() -> None:
    units = [virtual_time.run(programs.run(seed), within=2_000) for seed in range(300)]
    assert sum(units) > 6_000


# --- cutting ---------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Log nothing: the garbage between the messages is no news here."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def number_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give sessions and messages the same ids each time."""
    numbers = itertools.count()
    for name in ("agent", "agent_reporting", "agent_sessions"):
        monkeypatch.setattr(
            f"acp_bindings.runtime.session.{name}.new_id", lambda: f"id{next(numbers)}"
        )


def recorded(version: int, side: str) -> bytes:
    # An agent that has read everything at once cannot ask back.
    data = asyncio.run(cutting.record(version, ask=side == "client"))
    return data[0 if side == "agent" else 1]


def cuts(data: bytes) -> list[list[bytes]]:
    """The data in pieces: cut at each line end, at two of them, and within lines."""
    ends = [place + 1 for place, byte in enumerate(data) if byte == 10]
    pairs = [[data[:i], data[i:j], data[j:]] for i, j in itertools.combinations(ends, 2)]
    return pairs + [[data[:i], data[i:]] for i in range(0, len(data), STRIDE)]


@each_version
@pytest.mark.parametrize("side", ROLES)
def test_events_are_the_same_wherever_bytes_are_cut(side: str, version: int) -> None:
    data = recorded(version, side)
    whole = cutting.events(side, version, [data])
    assert len(whole[0]) > 10
    for place in range(len(data)):
        pieces = [data[:place], data[place:]]
        assert cutting.events(side, version, pieces) == whole, f"cut at {place}"
    for size in (1, 2, 3, 10):
        pieces = [data[place : place + size] for place in range(0, len(data), size)]
        assert cutting.events(side, version, pieces) == whole, f"pieces of {size}"


@each_version
def test_every_call_ends_wherever_the_stream_ends(version: int) -> None:
    data = recorded(version, "client")
    for place in range(len(data)):
        found, _ = cutting.events("client", version, [data[:place]])
        ends = sorted(each[1] for each in found if each[0] in ("Response", "Failure"))
        assert ends == [1, 2, 3, 4, 5, 6], f"the stream ends at {place}"


@each_version
@pytest.mark.parametrize(
    ("side", "replay"), [("agent", cutting.agent_outcome), ("client", cutting.client_outcome)]
)
def test_results_and_states_are_the_same_wherever_bytes_are_cut(
    side: str, replay: Replay, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = recorded(version, side)

    async def outcome(pieces: Sequence[bytes]) -> cutting.Outcome:
        number_ids(monkeypatch)
        return await replay(version, pieces)

    async def main() -> None:
        whole = await outcome([data])
        assert "|a:2;" in whole.state
        for pieces in cuts(data):
            assert await outcome(pieces) == whole, pieces

    asyncio.run(main())
