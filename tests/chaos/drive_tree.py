"""Scenarios in which the agent is a tree of processes, whatever side is ours."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from acp_bindings import v1, v2
from acp_bindings.runtime.aio import Exit, connect_stdio
from chaos import drive_agent, drive_client
from chaos.checks import check, check_report
from chaos.drive_client import Client1, Client2, Work, ended
from chaos.raw_client import Talk
from chaos.scenarios import GUARD, Plan, Scenario
from chaos.tree_part import LETTERS
from chaos.trees import EPITAPHS, Members, Tree

# What a machine that is busy may add to any time.
SLACK = 10.0
# Of standard error: how many lines are kept, characters of each, and of a line that is passed on.
KEPT, WIDTH, LONGEST = 10, 500, 1 << 16


class Raised(Exception):
    """What ends the context of a connection."""


# --- our side is the client ------------------------------------------------------------------


class Closing:
    """A client that closes the connection in the next handler, once it is told to."""

    close_with: float | None = None

    async def session_update(self, params: Any) -> None:
        await super().session_update(params)  # type: ignore[misc]
        if self.close_with is not None:
            await self.peer.close(grace=self.close_with)  # type: ignore[attr-defined]


CLIENTS = {1: type("Closing1", (Closing, Client1), {}), 2: type("Closing2", (Closing, Client2), {})}


class Run:
    """A connection of our client to a tree, from its start to its end."""

    def __init__(self, scenario: Scenario, plan: Plan, folder: Path, loop: str) -> None:
        self.lines: list[str] = []  # the lines of standard error that were passed on
        self._plan = plan
        self._tree: Tree = plan.tree
        self._leave = plan.leave
        self._surface: ModuleType = {1: v1, 2: v2}[scenario.version]
        self._factory: Any = CLIENTS[scenario.version]
        self._members = Members(str(folder))
        report = {"version": scenario.version, "report": str(folder / "report"), "loop": loop}
        is_raw = plan.other == "raw"
        command = drive_client.RAW if is_raw else drive_client.OURS
        self._agent = [*command, json.dumps(plan.faults if is_raw else report)]
        self._errors = folder / "errors"
        self._told = asyncio.Event()  # to leave the context
        self._began: float | None = None  # to leave it
        self._peer: Any = None
        self._work: Work | None = None
        self._working: asyncio.Task[None] | None = None

    def _take_line(self, line: str) -> None:
        self.lines.append(line)
        if self._leave["stderr"] == "raising":
            raise Raised(line)

    async def _connect(self) -> None:
        options: dict[str, Any] = {"stderr": subprocess.DEVNULL}
        with self._errors.open("wb") as file:
            match self._leave["stderr"]:
                case "pipe":
                    options = {"stderr": subprocess.PIPE}
                case "lines" | "raising":
                    options = {"on_stderr": self._take_line}
                case "file":
                    options = {"stderr": file}
            async with connect_stdio(
                self._tree.command(self._agent),
                self._factory,
                grace=self._leave["grace"],
                own_group=self._leave["own_group"],
                env=self._members.env,
                **options,
            ) as peer:
                self._peer = peer
                self._work = Work(self._plan, self._surface, peer)
                self._working = asyncio.create_task(self._work.run())
                self._working.add_done_callback(lambda _: self._told.set())
                await self._told.wait()
                self._begin_to_leave()
                if self._leave["how"] == "raise":
                    raise Raised

    def _begin_to_leave(self) -> None:
        self._began = self._began or time.monotonic()

    async def main(self) -> None:
        connection = asyncio.create_task(self._connect())
        disturbing = asyncio.create_task(self._disturb())
        leaving = asyncio.create_task(self._end(connection))
        try:
            done, _ = await asyncio.wait([connection], timeout=2 * GUARD)
            check(done, "the connection does not end")
            self._check_time()
            with suppress(asyncio.CancelledError, Raised):
                connection.result()
            if self._peer is not None:
                await self._check_peer()
            self._check_gone()
        finally:
            self._members.kill()
            for task in (disturbing, leaving):
                task.cancel()
            await asyncio.wait([disturbing, leaving])
        for task in (disturbing, leaving):
            if not task.cancelled():
                task.result()

    def _check_time(self) -> None:
        if self._began is not None:
            grace = max(self._leave["grace"], self._leave["close_grace"])
            passed = time.monotonic() - self._began
            check(passed < 3 * grace + 2 + SLACK, f"to leave took {passed:.1f} s")

    async def _disturb(self) -> None:
        for each in self._plan.signals:
            await asyncio.sleep(each.after)
            self._members.signal(each.place, each.name)

    async def _end(self, connection: asyncio.Task[None]) -> None:
        leave, grace = self._leave, self._leave["close_grace"]
        if leave["how"] == "end":
            return
        await asyncio.sleep(leave["after"])
        self._begin_to_leave()
        peer = self._peer
        if leave["how"].startswith("cancel") or peer is None:
            connection.cancel()
            if leave["how"] == "cancel_twice":
                await asyncio.sleep(leave["again"])
                connection.cancel()
        elif leave["how"] == "close":
            await ended(peer.close(grace=grace), "close")
        elif leave["how"] == "close_twice":
            closing = asyncio.create_task(peer.close())
            await asyncio.sleep(leave["again"])
            await ended(peer.close(grace=grace), "close")
            await ended(closing, "close")
        elif leave["how"] == "close_spawned":
            peer.spawn(peer.close(grace=grace))
        elif leave["how"] == "close_in_handler":
            peer.handler.close_with = grace
            await asyncio.sleep(leave["again"])
        self._told.set()

    async def _check_peer(self) -> None:
        """Check the end of the connection, which may be under way if its context was cancelled."""
        peer, work = self._peer, self._work
        assert work is not None
        assert self._working is not None
        await ended(peer.close(), "the end of the connection")
        await ended(self._working, "the work")
        for _ in range(10):  # tasks that are about to end
            await asyncio.sleep(0)
        work.check_held()
        check(work.client.ends == 1, f"disconnected {work.client.ends} times")
        check(peer.process.returncode is not None, "the program was not waited for")
        exit = peer.exit
        check(exit is not None and (exit.code is None) != (exit.signal is None), f"exit {exit}")
        for each in (exit, *(error.exit for error in work.closed)):
            self._check_exit(each)
        if self._leave["stderr"] in ("lines", "raising"):
            check(all(len(line) <= LONGEST and "\n" not in line for line in self.lines), "a line")
            kept = tuple(line[-WIDTH:] for line in self.lines[-KEPT:])
            check(exit.stderr == kept, f"kept {exit.stderr} of {self.lines[-KEPT:]}")

    def _check_exit(self, exit: Exit | None) -> None:
        if exit is not None:
            check(exit.code is None or exit.signal is None, f"exit {exit}")
            check(len(exit.stderr) <= KEPT, f"{len(exit.stderr)} lines are kept")
            check(all(len(line) <= WIDTH for line in exit.stderr), "a long line is kept")
            is_piped = self._leave["stderr"] in ("pipe", "lines", "raising")
            check(is_piped or not exit.stderr, f"kept {exit.stderr}")

    def _check_gone(self) -> None:
        if not self._leave["own_group"] or any(each["apart"] for each in self._tree.helpers):
            self._members.kill()  # nobody else ends them
        self._members.check_gone(SLACK)


# --- our side is the agent -------------------------------------------------------------------


def drive_agent_tree(scenario: Scenario, plan: Plan, folder: Path, loop: str) -> None:
    talk = Talk(scenario.version, plan.faults)
    talk.write(plan.work)
    agent = drive_agent.Agent(plan, folder, loop)
    members = Members(str(folder))
    with agent.errors.open("wb") as errors:
        process = subprocess.Popen(
            plan.tree.command(agent.command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=members.env,
        )
    wire = drive_agent.Wire(process, talk, plan.faults, may_be_cut=bool(plan.signals))
    try:
        signals = drive_agent.signalled(
            plan, lambda signal: members.signal(signal.place, signal.name)
        )
        is_gone = every(0.1, agent_is_gone(members, agent.command))
        wire.pump(lambda: signals() and (wire.is_finished or is_gone()), "the conversation")
        is_early = wire.has_ended
        wire.end()
        wire.pump(every(0.05, lambda: not members.pids(agent.command)), "the end of the agent")
        members.check_gone(GUARD, agent.command)
        status = process.wait(GUARD)
        members.kill()  # others hold the pipes
        wire.pump(lambda: wire.has_ended, "the end")
    finally:
        members.kill()
        process.kill()
        process.wait()
        wire.end()
        process.stdout.close()
    members.check_gone(SLACK)
    lines = agent.errors.read_bytes().split(b"\n")
    said = [words for line in lines if (words := line.strip(LETTERS))]
    check(all(line in EPITAPHS for line in said), f"on standard error: {said}")
    has_report = agent.report.exists()
    check(has_report or plan.is_lossy, "no report")
    report = check_report(agent.report, plan.logs) if has_report else {"notes": []}
    if plan.is_lossy:
        check(not talk.disorder(), f"{talk.disorder()}")
        drive_agent.check_notes(report, talk, all_of_them=False)
        return
    check(not is_early, "the agent ended early")
    check(not talk.problems(), f"{talk.problems()[:5]}")
    drive_agent.check_notes(report, talk, all_of_them=True)
    check(status == 0, f"the tree ended with {status}")


def agent_is_gone(members: Members, command: list[str]) -> Callable[[], bool]:
    """Return a function that tells whether an agent has run, and does so no longer."""
    was_seen, end = False, time.monotonic() + SLACK

    def is_gone() -> bool:
        nonlocal was_seen
        if members.pids(command):
            was_seen = True
            return False
        return was_seen or time.monotonic() > end or not members.pids()

    return is_gone


def every(seconds: float, ask: Callable[[], bool]) -> Callable[[], bool]:
    """Return a function that asks from time to time, and otherwise returns False."""
    due = time.monotonic() + seconds

    def asked() -> bool:
        nonlocal due
        if time.monotonic() < due:
            return False
        due = time.monotonic() + seconds
        return ask()

    return asked
