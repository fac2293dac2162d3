"""Tests that run some of the chaos scenarios."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.support import virtual_time
from tests.support.paths import ROOT
from tests.tools.chaos import programs
from tests.tools.chaos.scenarios import KINDS, VERSIONS, Scenario, plan_of, scenarios

CHAOS = ROOT / "tests" / "tools" / "chaos"
DEV = ["-X", "dev", "-W", "error"]
needs_signals = pytest.mark.skipif(sys.platform != "linux", reason="needs signals and /proc")


def run(*arguments: str) -> str:
    """Run the scenarios of one seed in a new process and return the process's output."""
    command = [sys.executable, *DEV, str(CHAOS / "run_chaos.py"), "--work", "--count", "1"]
    command += ["--seconds", "600", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.slow
@needs_signals
@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_hangs_and_nothing_is_lost(version: int) -> None:
    half = list(KINDS)[version % 2 :: 2]  # `make chaos` runs all kinds with both versions
    kinds = [part for kind in half for part in ("--kind", kind)]
    assert f"{len(half)} scenarios passed" in run("--version", str(version), *kinds)


@pytest.mark.slow
@needs_signals
@pytest.mark.skipif(find_spec("uvloop") is None, reason="uvloop is not installed")
def test_the_same_with_uvloop() -> None:
    kinds = [part for kind in ("kill", "storm") for part in ("--kind", kind)]
    assert "4 scenarios passed, loop uvloop" in run("--loop", "uvloop", *kinds)


def test_a_plan_follows_from_its_seed() -> None:
    every = [plan_of(each) for each in scenarios(7)]
    assert every == [plan_of(each) for each in scenarios(7)]
    assert all(plan_of(each) != plan for each, plan in zip(scenarios(8), every, strict=True))


@needs_signals
def test_a_failure_is_told_with_its_seed() -> None:
    """The scenario cannot succeed: the agent hangs, and no failed calls are allowed."""
    code = """
import sys
sys.path.insert(0, sys.argv[1])
from tests.tools.chaos import run_chaos, scenarios
def closing(chance, scenario):
    faults = {"close_out_after": 100}
    return scenarios.Plan([], faults=faults, logs=scenarios.NOISE)
scenarios.KINDS["kill"] = closing
sys.exit(run_chaos.main(["--work", "--kind", "kill", "--seed", "5"]))
"""
    command = [sys.executable, "-c", code, str(ROOT)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 1, ended.stdout
    assert str(Scenario("kill", 1, 5)) in ended.stdout
    assert "--seed 5 --kind kill --version 1" in ended.stdout


def test_programs_whose_handlers_wait_for_one_another_end() -> None:
    units = [virtual_time.run(programs.run(seed), within=2_000) for seed in range(300)]
    assert sum(units) > 6_000
