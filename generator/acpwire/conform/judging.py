"""Judge a program: play all probes of a side, each with a process of its own."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import traceback
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from acpgen.inputs.overlay.requirements import RequiredOf, Requirement

from acpwire.conform.conversation import Conversation, Skipped, Unreached
from acpwire.conform.player import Player
from acpwire.conform.verdicts import Ledger, Report, Verdict
from acpwire.conform.wire import Open, open_wire
from acpwire.trace.quoting import locate
from acpwire.trace.surfaces import VERSIONS, load, surfaces_of

# The requirement that a program introduces itself. Without that, nothing else is judged.
INTRODUCTION = "initialize"
# How many programs run at once.
AT_ONCE = 4
_logger = logging.getLogger(__name__)

Play: TypeAlias = Callable[[Any], Awaitable[None]]
# Called with the name of a probe that was played, and the number of all.
OnProbe: TypeAlias = Callable[[str, int], object]


@dataclass(frozen=True, slots=True)
class Probe:
    """A small conversation that shows whether requirements are met."""

    name: str
    judges: tuple[str, ...]  # the ids of requirements
    play: Play


@dataclass(slots=True)
class Probes:
    """The probes of a side."""

    listed: list[Probe] = field(default_factory=list[Probe])

    def __call__(self, *judges: str) -> Callable[[Play], Play]:
        """Make a function a probe that judges requirements, by id."""

        def register(play: Play) -> Play:
            self.listed.append(Probe(play.__name__, judges, play))
            return play

        return register


def of_both(*judges: str) -> Callable[[Play], Play]:
    """Make a function a probe of either side."""
    return lambda play: OF_AGENTS(*judges)(OF_CLIENTS(*judges)(play))


OF_AGENTS, OF_CLIENTS = Probes(), Probes()


@dataclass(frozen=True, slots=True)
class Task:
    """The options of a judgment."""

    command: tuple[str, ...]
    timeout: float  # how long to wait for each line, in seconds
    prompts: tuple[str, ...] = ()  # texts that make an agent use its tools
    only: Collection[str] = ()  # ids or areas of requirements; empty for all
    open: Open = open_wire
    folder: str = tempfile.gettempdir()  # the working directory of sessions


@dataclass(frozen=True, slots=True)
class Introduction:
    """A program's introduction in `initialize`."""

    version: int | None  # the version that it requests; None if it is unusable
    message: Mapping[str, Any]  # the result of an agent, the params of a client


class NotSpoken(Exception):
    """Raised if a program speaks only versions that it is not to be judged in."""

    def __init__(self, spoken: Sequence[int]) -> None:
        super().__init__(spoken)
        self.spoken = spoken


async def _leave(task: Task, version: int, ledger: Ledger) -> None:
    """Leave what a program keeps."""


@dataclass(slots=True)
class Side:
    """What is particular to the programs of a side."""

    name: RequiredOf
    introduce: Callable[[Task, int], Awaitable[Introduction]]
    player: Callable[[Conversation, Task, Collection[int]], Player]
    probes: Probes
    tidy: Callable[[Task, int, Ledger], Awaitable[None]] = _leave  # called after all probes


async def judge(
    side: Side,
    task: Task,
    requirements: Sequence[Requirement],
    versions: Sequence[int],
    on_probe: OnProbe = lambda name, count: None,
) -> Report:
    """Judge a program in protocol versions.

    Of several versions, those that it does not speak are left out, unless it speaks none.

    Raises:
        OSError: the program cannot be started.
        NotSpoken: it speaks only versions that it is not to be judged in.
    """
    for version in VERSIONS:  # an import while a program answers would look like its silence
        for name in surfaces_of(version):
            load(name)
    introductions = await asyncio.gather(*(side.introduce(task, version) for version in VERSIONS))
    said = dict(zip(VERSIONS, introductions, strict=True))
    spoken = [version for version in VERSIONS if said[version].version == version]
    if spoken and not set(spoken).intersection(versions):
        raise NotSpoken(spoken)
    judged = [version for version in versions if version in spoken] or list(versions)
    at_once = asyncio.Semaphore(AT_ONCE)
    plans = [_Plan(side, task, requirements, version, said[version]) for version in judged]
    played = [(plan, probe) for plan in plans for probe in plan.probes()]

    async def play(plan: _Plan, probe: Probe) -> None:
        async with at_once:
            await _play(plan, probe, spoken)
        on_probe(probe.name, len(played))

    await asyncio.gather(*(play(plan, probe) for plan, probe in played))
    await asyncio.gather(*(side.tidy(task, plan.version, plan.ledger) for plan in plans))
    return Report(
        task.command,
        tuple(judged),
        tuple(version for version in versions if version not in judged),
        tuple(verdict for plan in plans for verdict in plan.verdicts()),
        {name: error for plan in plans for name, error in plan.ledger.errors.items()},
    )


class _Plan:
    """What to judge in one protocol version."""

    def __init__(
        self,
        side: Side,
        task: Task,
        requirements: Sequence[Requirement],
        version: int,
        introduction: Introduction,
    ) -> None:
        self.side, self.task, self.version = side, task, version
        self.ledger = Ledger()
        self._is_introduced = introduction.version is not None
        self._demands = [demand for demand in requirements if version in demand.pages]
        for demand in requirements:
            capability = demand.capabilities.get(version)
            if version not in demand.pages:
                self.ledger.skipped[demand.id] = f"protocol {version} does not require it"
            elif not self._is_introduced:
                self.ledger.unreached[demand.id] = "the program has not introduced itself"
            elif capability and not _advertises(introduction.message, capability):
                self.ledger.skipped[demand.id] = f"{capability} is not advertised"

    def probes(self) -> list[Probe]:
        """The probes that judge something."""
        if not self._is_introduced:  # that would be waited for in every conversation
            return [probe for probe in self.side.probes.listed if INTRODUCTION in probe.judges]
        open = {demand.id for demand in self._demands} - self.ledger.skipped.keys()
        wanted = {demand.id for demand in self._wanted()}
        # Other requirements are judged in every conversation; see `Conversation`.
        of_probes = {name for probe in self.side.probes.listed for name in probe.judges}
        return [
            probe
            for probe in self.side.probes.listed
            if not open.isdisjoint(probe.judges)
            and not (wanted <= of_probes and wanted.isdisjoint(probe.judges))
        ]

    def _wanted(self) -> list[Requirement]:
        only = set(self.task.only)
        return [each for each in self._demands if not only or only & {each.id, each.area}]

    def verdicts(self) -> list[Verdict]:
        """The verdicts, in the order of the requirements."""
        return [self.ledger.verdict(demand, self.version) for demand in self._wanted()]


async def _play(plan: _Plan, probe: Probe, spoken: Collection[int]) -> None:
    ledger = plan.ledger
    try:
        async with plan.task.open(plan.task.command, plan.task.timeout) as wire:
            talk = Conversation(wire, plan.version, plan.side.name, probe.name, ledger)
            await probe.play(plan.side.player(talk, plan.task, spoken))
    except (Unreached, Skipped) as reason:
        reasons = ledger.unreached if isinstance(reason, Unreached) else ledger.skipped
        for name in probe.judges:
            reasons.setdefault(name, str(reason))
    except Exception as error:
        _logger.exception("internal error in the probe %s; report it", probe.name)
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        ledger.errors[probe.name] = f"internal error: {error!r} at {where}; report it"
        for name in probe.judges:
            ledger.unreached.setdefault(name, ledger.errors[probe.name])


def _advertises(message: Mapping[str, Any], capability: str) -> bool:
    """Whether something advertises a capability: by true, or by an object or list."""
    value, _ = locate(message, capability)
    return value is not None and value is not False and value != []
