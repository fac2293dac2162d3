"""Whatever a program sends leads to verdicts: never to an error of the judge, or to a hang."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from acp_bindings.runtime.aio import Exit
from acpgen.common import paths
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.overlay.requirements import RequiredOf
from acpgen.wire.conform import judging
from acpgen.wire.conform.agent import AGENT
from acpgen.wire.conform.client import CLIENT
from acpgen.wire.conform.judging import NotSpoken, Probe, Probes, Side, Task, judge
from acpgen.wire.conform.verdicts import Report
from acpgen.wire.conform.wire import Wire, wire_over
from acpgen.wire.trace.surfaces import VERSIONS
from conform.agent import Agent
from conform.client import Client

PATIENCE = 0.05  # seconds; a program in this process answers before
SIDES: dict[RequiredOf, Side] = {"agent": AGENT, "client": CLIENT}
REQUIREMENTS = load_overlay(paths.SCHEMA / "overlay").requirements
VALUES: list[Any] = [None, True, 0, -1, 2**70, 1.5, "", "ü", "\ud800", [], [[]], {}, {"a": 1}, [{}]]
LINES = [b"", b"\xff", b"[]", b"[1, {}]", b"null", b'{"id": 1', b"[" * 5_000, b'"' + b"x" * 9_000]

# Changes a message: returns the lines to print instead.
Change = Callable[[bytes], list[bytes]]


class Stream:
    """A stream to a program in this process, which prints what it is told to."""

    def __init__(self, take: Callable[[bytes], object], change: Change) -> None:
        self.process = self
        self.exit: Exit | None = None
        self._take, self._change = take, change
        self._printed = asyncio.Queue[bytes]()

    def send_signal(self, signal: int) -> None:
        """Ignore it."""

    def hurry(self, grace: float) -> None:
        self.end_input()

    def print(self, data: bytes) -> None:
        for line in self._change(data.rstrip(b"\n")):
            self._printed.put_nowait(line + b"\n")

    async def read(self) -> bytes:
        return await self._printed.get()

    def write(self, data: bytes) -> None:
        try:
            for line in data.splitlines(keepends=True):
                self._take(line)
        except Exception:  # the program has its mistakes, too
            self.end_input()

    async def drain(self) -> None:
        """There is always room."""

    def end_input(self) -> None:
        self.exit = Exit(0)
        self._printed.put_nowait(b"")

    async def wait_exit(self) -> Exit:
        return self.exit or Exit()

    async def close(self) -> None:
        """There is nothing to close."""


def opener(side: RequiredOf, changes: Callable[[], Change]) -> judging.Open:
    """Return what starts the program by hand of a side, with changes to what it prints."""

    @asynccontextmanager
    async def open_here(command: Sequence[str], timeout: float) -> AsyncGenerator[Wire]:
        if side == "agent":
            agent = Agent()
            stream = Stream(agent.take_line, changes())
            agent.print = stream.print
        else:
            client = Client(int(command[0]), None, None)
            stream = Stream(client.take, changes())
            client.write = lambda message: stream.print(json.dumps(message).encode())
            client.introduce()
        async with wire_over(stream, timeout) as wire:  # type: ignore[arg-type]
            yield wire

    return open_here


def report_on(side: RequiredOf, changes: Callable[[], Change], version: int) -> Report:
    task = Task((str(version),), PATIENCE, ("tool",), open=opener(side, changes))
    judged = judge(SIDES[side], task, REQUIREMENTS.of(side), [version])
    return asyncio.run(asyncio.wait_for(judged, 60))


def mutated(value: Any, chance: random.Random) -> Any:
    """Return JSON with another value at some place, or without it."""
    if type(value) in (dict, list) and value and chance.random() < 0.85:
        items = dict(value) if type(value) is dict else dict(enumerate(value))
        key = chance.choice(list(items))
        if chance.random() < 0.15:
            del items[key]
        else:
            items[key] = mutated(items[key], chance)
        return items if type(value) is dict else list(items.values())
    return chance.choice(VALUES)


def mutating(chance: random.Random) -> Callable[[], Change]:
    """Return changes of some of the messages of each conversation."""

    def change(data: bytes) -> list[bytes]:
        if chance.random() > 0.25:
            return [data]
        if chance.random() < 0.2:
            return chance.choice([[], [data, data], [chance.choice(LINES), data]])
        return [json.dumps(mutated(json.loads(data), chance)).encode()]

    return lambda: change


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("side", SIDES)
def test_random_changes_lead_to_verdicts(
    side: RequiredOf, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "AT_ONCE", 50)
    for seed in range(5):
        chance = random.Random(f"{side} {version} {seed}")
        try:
            report = report_on(side, mutating(chance), version)
        except NotSpoken:  # it seemed to speak another version
            continue
        assert report.errors == {}, seed
        assert {"failed", "not reached"} & {each.status for each in report.verdicts}


def test_agent_that_repeats_the_version_and_answers_in_another_one() -> None:
    def change(data: bytes) -> list[bytes]:
        return [data.replace(b'"configId"', b'"id"')]

    report = report_on("agent", lambda: change, 2)
    assert report.errors == {}
    assert {"set-option", "valid-results"} & {
        each.requirement.id for each in report.verdicts if each.status == "failed"
    }


def test_error_of_a_probe_is_reported_and_ends_nothing_else() -> None:
    async def play(player: Any) -> None:
        await player.initialize()
        raise LookupError("a mistake of the judge")

    broken = Probe("broken", ("meta",), play)
    probes = Probes([*AGENT.probes.listed, broken])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AGENT, "probes", probes)
        report = report_on("agent", lambda: lambda data: [data], 1)
    assert list(report.errors) == ["broken"]
    assert "LookupError('a mistake of the judge')" in report.errors["broken"]
    assert not report.conforms
    assert {each.requirement.id for each in report.verdicts if each.status == "failed"} == set()
