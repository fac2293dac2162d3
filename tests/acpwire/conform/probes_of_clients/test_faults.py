"""Tests that a client with a fault fails exactly the requirements that the fault violates.

The reports must explain the failures as in `explanations.toml`. Most faults also exist without a
thread. Then only the requirements that they violate are checked, which is fast.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import pytest
from acp_bindings.runtime.aio import Exit
from acp_bindings.runtime.aio.streams import AsyncioStream
from acpgen.common import paths
from acpgen.inputs.overlay.reading import load_overlay
from acpwire.conform.judging import judge
from acpwire.conform.player import Player, Task
from acpwire.conform.probes_of_clients import PlayedAgent
from acpwire.conform.report import Report
from acpwire.conform.wire import Wire, wire_over

from tests.acpwire.conform.client_by_hand import Client
from tests.acpwire.conform.client_faults import FAULTS
from tests.acpwire.conform.explanations import explanations_in, explanations_of
from tests.acpwire.conform.here import report_on

PATIENCE = 3.0  # timeout for each message from a client, in seconds
AT_ONCE = 12
# Faults in the process itself, its bytes or its timing, and a client without a fault, for which
# all requirements must be checked.
IN_A_THREAD = {
    "AnswersBatchesOneByOne",
    "HasAStatusTooEarly",
    "LeavesItsAgentRunning",
    "Logs",
    "SetsWhatIsOffered",
}
REQUIREMENTS = load_overlay(paths.SCHEMA / "overlay").requirements.of("client")


class ThreadStream(AsyncioStream):
    """A replacement for the stream to a client process. The client runs in a thread."""

    exit: Exit | None = None

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, client: Client
    ) -> None:
        super().__init__(reader, writer)
        self.process = self
        self._client = client

    def send_signal(self, signal: int) -> None:
        self._client.interrupt()

    async def read(self) -> bytes:
        data = await super().read()
        if not data:
            self.exit = Exit(0)
            self._writer.close()
        return data

    async def wait_exit(self) -> Exit:
        return self.exit or Exit()

    def end_input(self) -> None:
        """Do nothing, since the client has no user input."""

    def hurry(self, grace: float) -> None:
        """Do nothing, since the client exits when its agent does."""


@asynccontextmanager
async def open_thread(command: Sequence[str], timeout: float) -> AsyncGenerator[Wire]:
    """Start the command's faulty client in a thread."""
    fault = FAULTS[command[0]]
    ours, theirs = socket.socketpair()
    client = fault.client(fault.version, theirs.makefile("rb"), theirs.makefile("wb"))

    def run() -> None:
        with suppress(Exception), theirs:
            client.run()

    def end() -> None:
        run()
        with suppress(OSError):
            client.input.close()
        client.output.close()

    threading.Thread(target=end, daemon=True).start()
    reader, writer = await asyncio.open_connection(sock=ours)
    stream = ThreadStream(reader, writer, client)
    async with wire_over(stream, stream, timeout) as wire:
        yield wire


def failed(report: Report) -> set[str]:
    return {each.requirement.id for each in report.verdicts if each.status == "failed"}


@pytest.mark.parametrize("name", sorted(FAULTS.keys() - IN_A_THREAD))
def test_a_fault_without_a_thread_fails_what_it_breaks(name: str) -> None:
    fault = FAULTS[name]
    report = report_on("client", fault.version, program=fault.client, only=fault.breaks)
    assert failed(report) == fault.breaks
    assert report.errors == {}
    expected = explanations_of("client")
    for requirement, texts in explanations_in([report]).items():
        assert set(texts) <= set(expected[requirement])


@pytest.mark.slow
def test_each_fault_fails_what_it_breaks() -> None:
    at_once = asyncio.Semaphore(AT_ONCE)

    async def judged(name: str) -> Report:
        task = Task((name,), PATIENCE, open=open_thread)
        async with at_once:
            return await judge(PlayedAgent, task, REQUIREMENTS, [FAULTS[name].version])

    async def judge_all() -> dict[str, Report]:
        return dict(zip(FAULTS, await asyncio.gather(*map(judged, FAULTS)), strict=True))

    assert len(FAULTS) > 20
    reports = asyncio.run(judge_all())
    found = {name: failed(report) for name, report in reports.items()}
    expected = {name: set(fault.breaks) for name, fault in FAULTS.items()}
    wrong = {name: ids for name, ids in found.items() if ids != expected[name]}
    assert wrong == {}, wrong
    assert [report.errors for report in reports.values() if report.errors] == []
    assert explanations_in(reports.values()) == explanations_of("client")


def test_early_update_comes_before_the_prompt_of_a_quick_client() -> None:
    class Quick(Client):  # type: ignore[misc]
        """A client that delays its prompt by one event-loop step and fails on earlier updates."""

        def call(self, method: str, params: Any) -> None:
            call = partial(super().call, method, params)
            asyncio.get_running_loop().call_soon(call) if "prompt" in method else call()

        def show(self, update: Any) -> None:
            assert "session/prompt" in self.called
            super().show(update)

    report = report_on("client", 2, program=Quick)
    assert "early-updates" in failed(report)


def test_a_notification_does_not_introduce_a_client() -> None:
    class Notifying(Client):  # type: ignore[misc]
        def call(self, method: str, params: Any) -> None:
            self.called.append(method)
            self.send({"method": method, "params": params})

    report = report_on("client", 2, program=Notifying, only=["initialize"])
    assert failed(report) == {"initialize"}


def test_each_requirement_is_judged_and_broken_by_a_fault() -> None:
    ids = {demand.id for demand in REQUIREMENTS}
    judged = {name for probe in Player.probes + PlayedAgent.probes for name in probe.judges}
    assert judged <= ids
    assert {name for fault in FAULTS.values() for name in fault.breaks} == ids
