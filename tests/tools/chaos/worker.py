"""The worker process: runs scenarios and checks that none of them leaks resources."""

from __future__ import annotations

import argparse
import asyncio
import atexit
import faulthandler
import gc
import os
import random
import shutil
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from tests.tools.chaos import drive_client, peers, programs, remote
from tests.tools.chaos.checks import Broken, check, check_log
from tests.tools.chaos.scenarios import GUARD, KINDS, VERSIONS, Plan, Scenario, plan_of

# The time limit for a scenario, in seconds. The process then prints its stack traces and exits.
STUCK = 10 * GUARD


class Unraised:
    """A record of exceptions in destructors and threads, which Python reports but can't raise."""

    def __init__(self) -> None:
        self.found: list[str] = []
        sys.unraisablehook = self._keep
        threading.excepthook = self._keep

    def _keep(self, args: Any) -> None:
        self.found.append(f"{args.exc_value!r} in {getattr(args, 'object', args)!r}")


class Runner:
    def __init__(self, loop: str) -> None:
        warnings.simplefilter("error")
        self.records = peers.Records()  # the log of the current scenario
        self.records.install()
        self._unraised = Unraised()
        self._loop = loop
        self._folder = Path(tempfile.mkdtemp())  # the folder that all scenarios share
        atexit.register(shutil.rmtree, self._folder)
        if loop == "uvloop":
            peers.run(asyncio.sleep(0), "uvloop")  # uvloop never closes some descriptors
        gc.freeze()  # otherwise, each `gc.collect` would traverse all modules

    def run(self, scenario: Scenario) -> None:
        plan = plan_of(scenario)
        self.records.entries.clear()
        gc.collect()
        before = peers.descriptors()
        with tempfile.TemporaryDirectory() as name:
            if plan.other == "remote":
                peers.run(self._remote(scenario, plan), self._loop)
            elif plan.other == "program":
                peers.run(self._program(scenario), self._loop)
            else:
                peers.run(self._client(scenario, plan, Path(name)), self._loop)
        gc.collect()
        check_log(self.records.entries, plan.logs)
        check(not self._unraised.found, f"not raised: {self._unraised.found}")
        after = peers.descriptors()
        check(len(before) == len(after), f"descriptors: {before}, now {after}")
        check(_has_no_children(), "a process was not waited for")

    async def _program(self, scenario: Scenario) -> None:
        chance = random.Random(str(scenario))
        await programs.run_fast(chance.randrange(1 << 32), over_sockets=chance.random() < 0.5)
        await self._check_tasks()

    async def _client(self, scenario: Scenario, plan: Plan, folder: Path) -> None:
        await drive_client.drive(scenario, plan, folder, self._loop)
        await self._check_tasks()

    async def _remote(self, scenario: Scenario, plan: Plan) -> None:
        await remote.drive(scenario, plan, self._folder)
        await self._check_tasks()

    async def _check_tasks(self) -> None:
        for _ in range(10):  # let tasks that are about to finish run a few more steps
            await asyncio.sleep(0)
        left = peers.others()
        check(not left, f"left: {left}")


def _has_no_children() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


def chosen(options: argparse.Namespace) -> Iterator[Scenario]:
    """Yield the scenarios to run, in order. Without `--count`, the iterator never ends."""
    seeds = range(options.seed, options.seed + options.count) if options.count else None
    for seed in seeds or count(options.seed):
        for kind in options.kind or KINDS:
            for version in options.version or VERSIONS:
                yield Scenario(kind, version, seed)


def work(options: argparse.Namespace) -> int:
    runner = Runner(options.loop)
    counts: dict[str, int] = {}
    end = time.monotonic() + options.seconds
    status = 0
    for scenario in chosen(options):
        if time.monotonic() >= end:
            break
        faulthandler.dump_traceback_later(STUCK, exit=True)
        try:
            runner.run(scenario)
        except Exception as error:
            tell_failure(scenario, options, error, runner.records.entries)
            status = 1
            break
        name = f"{scenario.kind} v{scenario.version}"
        counts[name] = counts.get(name, 0) + 1
    faulthandler.cancel_dump_traceback_later()
    for name, number in counts.items():
        print(f"{name:20} {number:6}")
    total, python = sum(counts.values()), sys.version.split()[0]
    print(f"{total} scenarios passed, loop {options.loop}, Python {python}", flush=True)
    return status


def tell_failure(
    scenario: Scenario, options: argparse.Namespace, error: Exception, logged: list[str]
) -> None:
    if not isinstance(error, Broken):
        traceback.print_exception(type(error), error, error.__traceback__, file=sys.stdout)
    text = str(error)
    if len(text) > 4000:
        text = f"{text[:1000]} ... {text[-3000:]}"
    print(f"FAILED: {scenario}: {text}")
    print(f"its plan, without the work: {replace(plan_of(scenario), work=[])}")
    for entry in logged[:5]:
        print(f"logged: {entry}"[:2000])
    print(
        f"repeat: python tests/tools/chaos/run_chaos.py --count 1 --loop {options.loop}"
        f" --seed {scenario.seed} --kind {scenario.kind}"
        f" --version {scenario.version}"
    )
