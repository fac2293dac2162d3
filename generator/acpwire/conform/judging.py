"""Checks a program. Each probe runs against a new process of the program."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import traceback
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from acpgen.common import paths
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.overlay.requirements import Requirement

from acpwire.conform.baseline import read_baseline, with_baseline
from acpwire.conform.player import Introduction, Player, Probe, Skipped, Task, Unreached
from acpwire.conform.report import Ledger, Report, Verdict
from acpwire.json_values import locate
from acpwire.processes import as_program, cannot_start
from acpwire.surfaces import VERSIONS, load, surfaces_of

# The requirement for a valid `initialize`. If a program doesn't meet this requirement, no other
# probe is run.
INTRODUCTION = "initialize"
# The maximum number of simultaneous probes.
AT_ONCE = 4
_logger = logging.getLogger(__name__)

# Called with the name of a finished probe and the total number of probes.
OnProbe: TypeAlias = Callable[[str, int], object]


class NotSpoken(Exception):
    """Raised if a program doesn't support any of the versions to check."""

    def __init__(self, spoken: Sequence[int]) -> None:
        super().__init__(spoken)
        self.spoken = spoken


def conform(
    player: type[Player],
    task: Task,
    versions: Sequence[int],
    baseline: Path | None = None,
    on_probe: OnProbe = lambda name, count: None,
) -> Report:
    """Check a program.

    Args:
        player: the class that simulates the program's peer.
        task: the options for the check.
        versions: the protocol versions to check.
        baseline: the file of expected failures, if any.
        on_probe: called after each probe.

    Raises:
        InputError: If the program cannot be started or does not support any of the versions, if the
            baseline is not valid, or if a requirement in `task.only` is unknown.
    """
    requirements = load_overlay(paths.SCHEMA / "overlay").requirements.of(player.program)
    known = {name for demand in requirements for name in (demand.id, demand.area)}
    problems = [
        Problem("--only", "", "usage", f"unknown requirement {name!r}; use an id or an area")
        for name in task.only
        if name not in known
    ]
    if problems:
        raise InputError(problems)
    expected = read_baseline(baseline, requirements) if baseline is not None else {}
    program = task.command[0]
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            started = replace(task, command=tuple(as_program(task.command)), folder=folder)
            report = asyncio.run(judge(player, started, requirements, versions, on_probe))
    except OSError as error:
        raise cannot_start(program, error, f"the {player.program}") from error
    except NotSpoken as error:
        spoken = " and ".join(map(str, error.spoken))
        message = f"supports only protocol {spoken}; pass --protocol {error.spoken[0]}"
        raise InputError([Problem(program, "", "not-spoken", message)]) from error
    return with_baseline(replace(report, command=task.command), expected)


async def judge(
    player: type[Player],
    task: Task,
    requirements: Sequence[Requirement],
    versions: Sequence[int],
    on_probe: OnProbe = lambda name, count: None,
) -> Report:
    """Check a program in each of the given protocol versions that it supports.

    Raises:
        OSError: If the program cannot be started.
        NotSpoken: If the program does not support any of the versions.
    """
    # Import now, since an import during a probe would count toward the program's time limit.
    for version in VERSIONS:
        for name in surfaces_of(version):
            load(name)
    introductions = await asyncio.gather(*(player.introduce(task, version) for version in VERSIONS))
    said = dict(zip(VERSIONS, introductions, strict=True))
    spoken = [version for version in VERSIONS if said[version].version == version]
    if spoken and not set(spoken).intersection(versions):
        raise NotSpoken(spoken)
    judged = [version for version in versions if version in spoken] or list(versions)
    at_once = asyncio.Semaphore(AT_ONCE)
    plans = [_Plan(player, task, requirements, version, said[version]) for version in judged]
    played = [(plan, probe) for plan in plans for probe in plan.probes()]

    async def play(plan: _Plan, probe: Probe) -> None:
        async with at_once:
            await plan.play(probe, spoken)
        on_probe(probe.name, len(played))

    await asyncio.gather(*(play(plan, probe) for plan, probe in played))
    await asyncio.gather(*(player.tidy(task, plan.version, plan.ledger) for plan in plans))
    return Report(
        task.command,
        tuple(judged),
        tuple(version for version in versions if version not in judged),
        tuple(verdict for plan in plans for verdict in plan.verdicts()),
        {name: error for plan in plans for name, error in plan.ledger.errors.items()},
    )


@dataclass(slots=True)
class _Plan:
    """The requirements to check in one protocol version."""

    player: type[Player]
    task: Task
    requirements: Sequence[Requirement]
    version: int
    introduction: Introduction
    ledger: Ledger = field(default_factory=Ledger)

    def __post_init__(self) -> None:
        for demand in self.requirements:
            capability = demand.capabilities.get(self.version)
            if self.version not in demand.pages:
                reason = f"protocol {self.version} does not require it"
                self.ledger.skipped[demand.id] = reason
            elif self.introduction.version is None:
                self.ledger.unreached[demand.id] = "initialization failed"
            elif capability:  # advertised by true, an object or a nonempty list
                value, _ = locate(self.introduction.message, capability)
                if value is None or value is False or value == []:
                    self.ledger.skipped[demand.id] = f"{capability} is not advertised"

    def probes(self) -> list[Probe]:
        """Return the probes that check at least one selected requirement."""
        listed = Player.probes + self.player.probes
        if self.introduction.version is None:  # all other probes would time out
            return [probe for probe in listed if INTRODUCTION in probe.judges]
        open = {demand.id for demand in self.requirements} - self.ledger.skipped.keys()
        wanted = {demand.id for demand in self._wanted()}
        # A requirement that no probe lists is checked in every message, so every probe checks it.
        of_probes = {name for probe in listed for name in probe.judges}
        return [
            probe
            for probe in listed
            if not open.isdisjoint(probe.judges)
            and not (wanted <= of_probes and wanted.isdisjoint(probe.judges))
        ]

    def _wanted(self) -> list[Requirement]:
        only = set(self.task.only)
        demands = [demand for demand in self.requirements if self.version in demand.pages]
        return [each for each in demands if not only or only & {each.id, each.area}]

    def verdicts(self) -> list[Verdict]:
        """Return the verdicts, in the order of the requirements."""
        return [self.ledger.verdict(demand, self.version) for demand in self._wanted()]

    async def play(self, probe: Probe, spoken: Collection[int]) -> None:
        """Run a probe against a new process of the program."""
        ledger = self.ledger
        try:
            async with self.task.open(self.task.command, self.task.timeout) as wire:
                talk = wire, self.version, probe.name, ledger, self.task, spoken
                await probe.play(self.player(*talk))
        except (Unreached, Skipped) as reason:
            reasons = ledger.unreached if isinstance(reason, Unreached) else ledger.skipped
            for name in probe.judges:
                reasons.setdefault(name, str(reason))
        except Exception as error:
            _logger.exception("internal error in the probe %s; report this error", probe.name)
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            ledger.errors[probe.name] = f"internal error: {error!r} at {where}; report this error"
            for name in probe.judges:
                ledger.unreached.setdefault(name, ledger.errors[probe.name])
