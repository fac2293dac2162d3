"""Scenarios in which our client runs in this process and an agent runs in another process."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from acp_bindings import v1, v2
from acp_bindings.runtime import ConnectionClosed, LimitExceeded, RequestError
from acp_bindings.runtime.aio import Peer, connect_stdio
from acp_bindings.runtime.jsonrpc import Limits
from acp_bindings.runtime.values.surrogates import has_halves
from acp_bindings.v1.client_session import SessionClient as V1Client
from acp_bindings.v2.client_session import SessionClient as V2Client

from tests.tools.chaos.checks import (
    Broken,
    check,
    check_nothing_held,
    check_report,
    check_within,
    held,
)
from tests.tools.chaos.peers import INFO
from tests.tools.chaos.scenarios import GUARD, Plan, Scenario

HERE = Path(__file__).parent
OURS = [sys.executable, "-X", "dev", "-W", "error", str(HERE / "peers.py")]
FAULTY = [sys.executable, "-I", "-S", str(HERE / "faulty.py")]
RAW = [sys.executable, "-I", "-S", str(HERE / "raw_agent.py")]
WRAP = [sys.executable, "-m", "acpgen", "wrap", "--log"]
NUMBER = re.compile(r"\|(\w+):(\d+);")


class Client:
    """The parts of our client that both versions share. It records updates and notes."""

    def __init__(self, peer: Peer) -> None:
        super().__init__(peer)  # type: ignore[call-arg]
        self.notes: list[Any] = []
        self.handled: dict[str, list[str]] = {}
        self.ends = 0
        self.lag = self.nags = 0.0  # how long handlers sleep, and how often they call the agent
        self._chance = random.Random(0)

    async def linger(self) -> None:
        if self.lag:
            await asyncio.sleep(self.lag)
        if self._chance.random() < self.nags:
            client: Any = self
            method = client.surface.EXTENSIONS[("agent", "request")].named("_echo")
            with suppress(ConnectionClosed, LimitExceeded, RequestError):
                await client.peer.request(method, {})

    async def session_update(self, params: Any) -> None:
        await self.linger()
        text = getattr(getattr(params.update, "content", None), "text", None)
        if text is not None:
            self.handled.setdefault(params.session_id, []).append(text)

    async def ext_request(self, method: str, params: Any) -> Any:
        return params

    async def ext_notification(self, method: str, params: Any) -> None:
        await self.linger()
        if method == "_note":
            self.notes.append(params["n"])

    def disconnected(self) -> None:
        super().disconnected()  # type: ignore[misc]
        self.ends += 1


class Client1(Client, V1Client):
    pass


class Client2(Client, V2Client):
    pass


class Work:
    def __init__(self, plan: Plan, surface: ModuleType, peer: Peer) -> None:
        self.plan = plan
        self.surface = surface
        self.peer = peer
        self.client: Any = peer.handler
        self.sessions: list[Any] = []
        self.locks: list[asyncio.Lock] = []
        self.opened = asyncio.Event()
        self.sent: list[int] = []
        self.floods = 0
        self.most: Counter[str] = Counter()  # the maximum value of each entry in `held`
        self.visits = 0
        self.client.lag, self.client.nags = plan.faults.get("lag", 0), plan.faults.get("nags", 0)
        self.turns: dict[str, int] = {}  # how many updates each turn yielded, by label
        self.sticking: list[asyncio.Task[Any]] = []  # calls pending until the connection closes
        self.greeted: list[tuple[Any, str, int]] = []  # (session, label, number of early updates)

    async def call(self, name: str, params: Any) -> Any:
        method = self.surface.EXTENSIONS[("agent", "request")].named(name)
        return await ended(self.peer.request(method, params), name)

    async def open(self) -> None:
        surface, module = self.surface, import_module(f"{self.surface.__name__}.client_session")
        version = surface.SCHEMA.protocol_version
        params: Any = {"protocolVersion": version}
        if version == 2:
            params["info"] = INFO
        request = surface.decode(surface.InitializeRequest, params)
        await ended(surface.AgentStub(self.peer).initialize(request), "initialize")
        for _ in range(3):
            new = surface.NewSessionRequest(cwd="/", mcp_servers=[])
            creating = module.ClientSession.create(self.peer, new)
            self.sessions.append(await ended(creating, "session/new"))
            self.locks.append(asyncio.Lock())

    async def run(self) -> None:
        tasks: list[asyncio.Task[None]] = []
        try:
            await self.open()
            self.opened.set()
            for step in self.plan.work:
                if step["do"] == "note":
                    await self.do_note(step)
                else:
                    tasks.append(asyncio.create_task(getattr(self, f"do_{step['do']}")(step)))
                if step["yield"]:
                    await asyncio.sleep(0.001)
        except Exception as error:
            self.excuse(error)
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if result is not None:
                self.excuse(result)
        try:
            if not self.plan.is_lossy or (self.plan.limits and not self.has_ended):
                await self.check_all()
        except ConnectionClosed as error:
            self.excuse(error)
        self.check_states()

    @property
    def has_ended(self) -> bool:
        return self.peer._connection.has_ended

    def excuse(self, error: BaseException) -> None:
        """Raise a call's error unless the plan permits it."""
        if isinstance(error, ConnectionClosed):
            check(self.plan.is_lossy, "the connection ended early")
        elif isinstance(error, Broken) or not any(each in str(error) for each in self.plan.errors):
            raise error

    async def do_note(self, step: Any) -> None:
        method = self.surface.EXTENSIONS[("agent", "notification")].named("_note")
        telling = self.peer.notify(method, {"n": step["n"]})
        self.sent.append(step["n"])
        await ended(telling, "a notification")

    async def do_echo(self, step: Any) -> None:
        params = {"n": step["n"], "pad": step["pad"]}
        check(await self.call("_echo", params) == params, "another echo")

    async def do_ask(self, step: Any) -> None:
        params = {"n": step["n"]}
        check(await self.call("_ask", params) == params, "another answer")

    async def do_flood(self, step: Any) -> None:
        check(await self.call("_flood", {"count": step["count"]}) == step["count"], "another count")
        self.floods += step["count"]

    async def do_burst(self, step: Any) -> None:
        calls = [self.call("_echo", {"n": n}) for n in range(step["count"])]
        for result in await asyncio.gather(*calls, return_exceptions=True):
            if isinstance(result, BaseException):
                self.excuse(result)

    async def do_visit(self, step: Any) -> None:
        self.visits += 1
        session_id, method = f"v{self.visits}", self.surface.METHODS["agent"]["session/close"]
        params = self.surface.CloseSessionRequest(session_id=session_id)
        await ended(self.client.detach(session_id, method, params), "session/close")

    async def do_stick(self, step: Any) -> None:
        method = self.surface.EXTENSIONS[("agent", "request")].named("_stick")
        sticking = self.peer.request(method, {"how": step["how"]})
        self.sticking.append(asyncio.create_task(sticking))

    async def do_slow(self, step: Any) -> None:
        task = asyncio.create_task(self.call("_slow", {}))
        await asyncio.sleep(step["after"])
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def do_open(self, step: Any) -> None:
        """Open a session whose first updates arrive before the response.

        The agent can fail, and the step can cancel the request or close the session.
        """
        label = f"o{step['n']}"
        meta = {"order": {"label": label, **step["order"]}}
        new = self.surface.NewSessionRequest(cwd="/", mcp_servers=[], meta=meta)
        module = import_module(f"{self.surface.__name__}.client_session")
        task = asyncio.create_task(module.ClientSession.create(self.peer, new))
        if step["after"] is not None:
            await asyncio.sleep(step["after"])
            task.cancel()
        try:
            session = await ended(task, "session/new")
        except asyncio.CancelledError:
            check(step["after"] is not None, "session/new was cancelled without being given up")
            return
        except RequestError as error:
            may_fail = self.plan.is_lossy or step["order"]["outcome"] != "ok"
            check(may_fail, f"a session could not be opened: {error}")
            return
        check(step["order"]["outcome"] == "ok", "a session was opened in spite of a failure")
        check(session.response is not None, "a session without a response")
        if step["close"]:
            await ended(session.close(), "session/close")
        else:
            self.greeted.append((session, label, step["order"]["greet"]))

    async def do_turn(self, step: Any) -> None:
        """Send a prompt, and check the updates that the turn yields and the handler receives."""
        label = f"t{step['n']}"
        order = {"label": label, **{k: step[k] for k in ("count", "pad", "ask", "pause")}}
        session, seen, last = self.sessions[step["session"]], 0, -1
        async with self.locks[step["session"]]:
            try:
                async with session.prompt(json.dumps(order)) as turn:
                    async for update in ended_each(turn, may_drop=bool(self.plan.limits)):
                        text = getattr(getattr(update, "content", None), "text", "")
                        if text.startswith(f"|{label}:"):
                            number = int(text[len(label) + 2 :].partition(";")[0])
                            is_next = number > last if self.plan.limits else number == last + 1
                            check(is_next, f"{text[:20]} comes after {last}")
                            last, seen = number, seen + 1
                    await ended(turn.wait(), "the end of a turn")
                # After its input is closed, the agent fails or cancels its turns but can still
                # respond.
                lost = ("error", "cancelled") if self.plan.is_lossy else ()
                reasons = ("end_turn", *lost)
                check(turn.stop_reason in reasons, f"stop reason {turn.stop_reason}")
                if not self.plan.limits:
                    is_whole = seen == step["count"] or turn.stop_reason in lost
                    check(is_whole, f"{label}: {seen} of {step['count']} updates")
                    handled = numbers(self.client.handled.get(session.session_id, []))
                    check(len(handled.get(label, [])) == seen, "a turn ended before its handlers")
            finally:
                self.turns[label] = seen

    async def check_all(self) -> None:
        await self.settle()
        check(await self.call("_seen", {}) == self.sent, "notes were lost")
        check(len(self.client.notes) == self.floods, "notes of the agent were lost")
        for session, label, count in self.greeted:
            expected = {label: list(range(count))} if count else {}
            handled = numbers(self.client.handled.get(session.session_id, []))
            state = numbers([each.text for each in session.state.messages])
            check(handled == state == expected, f"state {state}, handler {handled} of {expected}")
        if self.plan.other == "raw":
            for _ in range(200):
                counts = await self.call("_counts", {})
                check(all(n < 0 for n in counts["wrong"].values()), f"doubled: {counts}")
                if not counts["wrong"]:
                    return
                await asyncio.sleep(0.02)
            check(False, f"not answered: {counts}")

    async def settle(self) -> None:
        """Wait until another call is allowed and all received messages are handled."""
        end = time.monotonic() + GUARD
        while not self.has_ended:
            holding = held(self.peer)
            if not holding["lanes"] and holding["calls"] < self.peer.limits.calls:
                return
            check(time.monotonic() < end, f"still held: {holding}")
            await asyncio.sleep(0.005)

    def check_states(self) -> None:
        """Check that states and handlers received the same updates, once and in order.

        If the connection closes early, handlers can miss the last updates. Neither states nor
        handlers receive lines that exceed the size limit.
        """
        may_be_less = self.has_ended and bool(self.plan.limits)
        for session in self.sessions:
            texts = [each.text for each in session.state.messages if each.role == "agent"]
            if not self.plan.is_lossy:
                check(not any(map(has_halves, texts)), "halves of characters were not joined")
            state = numbers(texts)
            handled = numbers(self.client.handled.get(session.session_id, []))
            if may_be_less:
                state = {
                    label: found[: len(handled.get(label, ()))] for label, found in state.items()
                }
                state = {label: found for label, found in state.items() if found}
            check(state == handled, f"state {state}, handler {handled}"[:500])
            for label, found in state.items():
                if self.plan.limits:
                    check(found == sorted(set(found)), f"{label}: {found}")
                else:
                    check(found == list(range(len(found))), f"{label}: {found}")
                if not self.plan.is_lossy:
                    check(len(found) == self.turns[label], f"{label}: {len(found)}")

    def observe(self, event: Any) -> None:
        self.most |= held(self.peer)

    def check_held(self) -> None:
        check_within(self.most, self.peer.limits)
        check_nothing_held(held(self.peer))


def numbers(texts: list[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for label, number in NUMBER.findall("".join(texts)):
        found.setdefault(label, []).append(int(number))
    return found


async def ended(work: Awaitable[Any], name: str) -> Any:
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait([task], timeout=GUARD)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise
    if not done:
        task.cancel()
        check(False, f"{name} hangs")
    return task.result()


async def ended_each(turn: Any, *, may_drop: bool) -> Any:
    """Yield a turn's updates, which must arrive in time.

    Updates can be missing only if `may_drop` is true.
    """
    while True:
        try:
            yield await ended(turn.__anext__(), "an update")
        except StopAsyncIteration:
            return
        except LimitExceeded:
            check(may_drop, "updates were dropped")


async def send_signals(plan: Plan, pid: int, opened: asyncio.Event) -> None:
    """Send the plan's signals unless the process has already exited."""
    if not plan.is_early:
        await opened.wait()
    with suppress(ProcessLookupError):
        for each in plan.signals:
            await asyncio.sleep(each.after)
            os.kill(pid, each.number)


async def drive(scenario: Scenario, plan: Plan, folder: Path, loop: str) -> None:
    surface: ModuleType = {1: v1, 2: v2}[scenario.version]
    factory: Any = {1: Client1, 2: Client2}[scenario.version]
    report = folder / "report"
    version = plan.faults["version"]
    options: dict[str, Any] = {"version": version, "report": str(report), "loop": loop}
    options["linger"] = 0.3 if plan.is_lossy else 30.0
    options["grace"] = plan.grace
    grace = 0.2 if plan.ends_badly else GUARD
    faults = json.dumps(plan.faults)
    if plan.status is not None:
        options["grace"] = 0.3
    ours = [*OURS, json.dumps(options)]
    command = [*RAW, faults] if plan.other == "raw" else [*FAULTY, faults, *ours]
    if plan.status is not None:  # without the relay, which would receive the signals
        command = ours
    if plan.is_wrapped:
        command = [*WRAP, str(folder / "acp.log"), "--", *command]
    works: list[Work] = []
    async with connect_stdio(
        command,
        factory,
        grace=grace,
        limits=Limits(**plan.limits),
        max_line=plan.max_line,
        observe=lambda event: [work.observe(event) for work in works],
        bridge=plan.is_bridged,
        # `acpgen wrap` prints the agent's protocol violations to standard error.
        stderr=subprocess.DEVNULL if plan.is_wrapped else None,
    ) as peer:
        process = peer.process
        work = Work(plan, surface, peer)
        works.append(work)
        signals = asyncio.create_task(send_signals(plan, process.pid, work.opened))
        try:
            await work.run()
        finally:
            work.opened.set()
            await signals
            if plan.ends_badly:
                os.kill(process.pid, signal.SIGSTOP)
    check(work.client.ends == 1, f"disconnected {work.client.ends} times")
    work.check_held()
    check(process.returncode is not None, "the agent was not waited for")
    await asyncio.gather(*work.sticking, return_exceptions=True)
    if plan.status is not None:
        check(process.returncode == plan.status, f"the agent ended with {process.returncode}")
    if not plan.is_lossy and not plan.ends_badly:
        check(process.returncode == 0, f"the agent ended with {process.returncode}")
    if plan.other == "ours" and process.returncode == 0:
        check_report(report, plan.logs)
