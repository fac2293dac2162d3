"""Random programs for two peers, whose handlers call, notify and wait for each other.

Handlers can also close the connection. Every program is constructed so that it must end. A handler
can wait only for units that don't wait for handlers in its own queue. The units and their waits
form an acyclic graph:

- A node is a request's handler, a task, or an entire queue of notification handlers. A queue is a
  single node because each of its handlers can wait for earlier handlers.
- An edge leads from a node to each request that it sends, and to each task or unit that it awaits.

All other waits are internal to the library: for the order of messages, for buffer space, and for
responses. The library must end these waits.
"""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from acp_bindings import v1
from acp_bindings.runtime import ConnectionClosed, RequestError
from acp_bindings.runtime.aio import (
    AsyncioStream,
    Peer,
    Stream,
    connect,
    handling,
    memory_streams,
    serve,
)
from acp_bindings.runtime.jsonrpc import Limits
from acp_bindings.v1 import client_session

from tests.tools.chaos.checks import check
from tests.tools.chaos.scenarios import GUARD

Side: TypeAlias = Literal["agent", "client"]
SESSIONS = ("a", "b", None)
WHAT = ("sleep", "call", "call", "task", "spawn", "wait", "cancel", *["notify"] * 3)
SLEEPS = (0, 0, 0.001, 1, 7, 30)
MOST = 40  # units of a program
DEEPEST = 4

# --- programs --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    what: str  # `sleep`, `call`, `turn`, `notify`, `task`, `spawn`, `wait`, `cancel` or `close`
    number: int = 0  # the number of the unit that the step concerns
    seconds: float = 0  # how long to sleep
    is_awaited: bool = False  # whether the step awaits its task


@dataclass
class Unit:
    number: int
    side: Side
    session: str | None  # the session of its message
    kind: Literal["request", "notification", "task"]
    steps: list[Step] = field(default_factory=list)

    @property
    def node(self) -> object:
        """The unit's node in the graph of waits. For a notification, it is the handler's queue."""
        return (self.side, self.session) if self.kind == "notification" else self.number


class Maker:
    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._waits: dict[object, set[object]] = {}
        # The program's units, by number. Unit 0 is the client's main task.
        self.units: dict[int, Unit] = {}
        self.limits = Limits(backlog=self._chance.choice([0, 1, 3, 10_000]))
        self.room = self._chance.choice([1, 300, 1 << 16])
        self.closes = self._chance.random() < 0.2
        self._make("client", None, "task", 0)

    def _make(self, side: Side, session: str | None, kind: Any, depth: int) -> Unit:
        unit = Unit(len(self.units), side, session, kind)
        self.units[unit.number] = unit
        longest = 8 if depth == 0 else 4
        for _ in range(self._chance.randint(0 if depth else 4, longest)):
            step = self._step(unit, depth)
            if step is not None:
                unit.steps.append(step)
        return unit

    def _step(self, unit: Unit, depth: int) -> Step | None:
        chance = self._chance
        other: Side = "client" if unit.side == "agent" else "agent"
        what = chance.choice(WHAT)
        if self.closes and chance.random() < 0.03:
            return Step("close")
        if what == "sleep" or depth == DEEPEST or len(self.units) >= MOST:
            return Step("sleep", seconds=chance.choice(SLEEPS))
        if what in ("wait", "cancel"):
            number = chance.choice(list(self.units))
            target = self.units[number]
            is_possible = target.side == unit.side and number != unit.number
            if what == "cancel" and is_possible and target.kind == "task" and number:
                return Step("cancel", number)
            return Step("wait", number) if is_possible and self._may_wait(unit, target) else None
        if what == "notify":
            session = chance.choice(SESSIONS)
            return Step("notify", self._make(other, session, "notification", depth + 1).number)
        if what == "call":
            asked = self._make_awaited(unit, other, chance.choice(SESSIONS), "request", depth)
            is_turn = unit.side == "client" and asked.session is not None and chance.random() < 0.4
            return Step("turn" if is_turn else "call", asked.number)
        is_awaited = chance.random() < 0.4
        if is_awaited:
            task = self._make_awaited(unit, unit.side, None, "task", depth)
        else:
            task = self._make(unit.side, None, "task", depth + 1)
        return Step(what, task.number, is_awaited=is_awaited)

    def _make_awaited(
        self, unit: Unit, side: Side, session: str | None, kind: Any, depth: int
    ) -> Unit:
        """Make a unit that `unit` waits for, and add this wait to the graph."""
        self._waits.setdefault(unit.node, set()).add(len(self.units))
        return self._make(side, session, kind, depth + 1)

    def _may_wait(self, unit: Unit, target: Unit) -> bool:
        """Add a wait to the graph and return True, unless it would create a cycle."""
        if unit.node == target.node or unit.node in self._reached({target.node}):
            return False
        self._waits.setdefault(unit.node, set()).add(target.node)
        return True

    def _reached(self, nodes: Iterable[object]) -> set[object]:
        pending, seen = list(nodes), set(nodes)
        while pending:
            for node in self._waits.get(pending.pop(), ()):
                if node not in seen:
                    seen.add(node)
                    pending.append(node)
        return seen


# --- running ---------------------------------------------------------------------------------

# The params types of session requests, by the side that handles them.
_REQUESTS: dict[str, list[Any]] = {
    "agent": [v1.PromptRequest, v1.SetSessionModeRequest, v1.LoadSessionRequest],
    "client": [v1.ReadTextFileRequest, v1.ReleaseTerminalRequest],
}
_MEMBERS: dict[Any, dict[str, Any]] = {
    v1.PromptRequest: {"prompt": []},
    v1.SetSessionModeRequest: {"mode_id": "m"},
    v1.LoadSessionRequest: {"cwd": "/", "mcp_servers": []},
    v1.ReadTextFileRequest: {"path": "/"},
    v1.ReleaseTerminalRequest: {"terminal_id": "t"},
}
_RESULTS: dict[Any, Any] = {
    v1.PromptRequest: v1.PromptResponse(stop_reason="end_turn"),
    v1.ReadTextFileRequest: v1.ReadTextFileResponse(content=""),
}
_METHODS = {
    method.params: method
    for side in ("agent", "client")
    for method in v1.METHODS[side].values()
    if method.params in (*_MEMBERS, v1.CancelNotification, v1.SessionNotification)
}


class Run:
    def __init__(self, program: Maker, pace: float = 1.0) -> None:
        self.program = program
        # The numbers of sent notifications, in order, by queue.
        self.sent: dict[object, list[int]] = {}
        # The numbers of notifications whose handlers have started, in order, by queue.
        self.handled: dict[object, list[int]] = {}
        self._pace = pace
        self._peers: dict[str, Peer] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._asked: list[int] = []  # the requests whose handlers have started
        loop = asyncio.get_running_loop()
        self._ended = {number: loop.create_future() for number in program.units}

    async def main(self, near: Stream, far: Stream) -> None:
        limits = self.program.limits
        agent, client = self._handler("agent"), self._handler("client")
        serving = asyncio.create_task(serve(far, agent, limits=limits))
        serving.add_done_callback(lambda _: [self._end(number) for number in self._ended])
        async with connect(near, client, limits=limits) as peer:
            request = v1.InitializeRequest(protocol_version=1)
            await peer.request(v1.AGENT_METHODS["initialize"], request)
            await self.run(0)
            if not self.program.closes:
                await self._quiet()
        await serving
        for task in list(self._tasks.values()):
            with suppress(asyncio.CancelledError, ConnectionClosed, RequestError):
                await task
        if not self.program.closes:
            check(self.handled == self.sent, f"handled {self.handled} of {self.sent}")

    async def _quiet(self) -> None:
        while begun := [n for n in self._begun if not self._ended[n].done()]:
            await asyncio.wait([self._ended[number] for number in begun])

    @property
    def _begun(self) -> list[int]:
        sent = [number for numbers in self.sent.values() for number in numbers]
        return [*sent, *self._asked, *self._tasks]

    def _handler(self, side: Side) -> Any:
        run = self

        async def notified(self: Any, params: Any) -> None:
            number = _number(params)
            lane = run.program.units[number].node
            run.handled.setdefault(lane, []).append(number)
            await run.run(number)

        async def asked(self: Any, params: Any) -> Any:
            run._asked.append(_number(params))
            await run.run(_number(params))
            return _RESULTS.get(type(params))

        async def extended(self: Any, method: str, params: Any) -> Any:
            if method == "_tell":
                await notified(self, params)
            else:
                await asked(self, params)

        async def initialize(self: Any, params: Any) -> Any:
            return v1.InitializeResponse(protocol_version=1)

        base: Any = v1.AgentHandler if side == "agent" else client_session.SessionClient
        members: dict[str, Any] = {"ext_request": extended, "ext_notification": extended}
        for params in _REQUESTS[side]:
            members[_METHODS[params].handler] = asked
        if side == "agent":
            members.update(session_cancel=notified, initialize=initialize)
        else:  # a client with terminals must define all terminal methods
            terminals = (m.handler for name, m in v1.CLIENT_METHODS.items() if "terminal/" in name)
            members.update(dict.fromkeys(terminals, asked), session_update=notified)

        def make(peer: Peer) -> Any:
            run._peers[side] = peer
            return type("Random", (base,), members)(peer)

        return {v1: make}

    async def run(self, number: int) -> None:
        unit = self.program.units[number]
        try:
            for step in unit.steps:
                with suppress(ConnectionClosed, RequestError):
                    await self._do(unit, step)
        finally:
            self._end(number)

    async def _do(self, unit: Unit, step: Step) -> None:
        peer = self._peers[unit.side]
        if step.what == "sleep":
            await asyncio.sleep(step.seconds * self._pace)
        elif step.what == "close":
            await peer.close()
        elif step.what in ("call", "turn"):
            await self._call(peer, self.program.units[step.number], step.what == "turn")
        elif step.what == "notify":
            await self._notify(peer, self.program.units[step.number])
        elif step.what == "cancel":
            if step.number in self._tasks:
                self._tasks[step.number].cancel()
        elif step.what == "wait":
            if step.number in self._begun:
                await asyncio.wait([self._ended[step.number]])
        else:
            work = self.run(step.number)
            task = asyncio.create_task(work) if step.what == "task" else peer.spawn(work)
            self._tasks[step.number] = task
            task.add_done_callback(lambda _: self._end(step.number))
            if step.is_awaited:
                await asyncio.wait([task])

    def _end(self, number: int) -> None:
        """Record that a unit has ended or, because the connection closed, will never begin."""
        if not self._ended[number].done():
            self._ended[number].set_result(None)

    async def _call(self, peer: Peer, asked: Unit, is_turn: bool) -> None:
        meta = {"unit": asked.number}
        if asked.session is None:
            method = v1.EXTENSIONS[(asked.side, "request")].named("_ask")
            await peer.request(method, meta)
        elif is_turn:
            handler: Any = peer.handler
            async with handler.session(asked.session).prompt("Hi", meta=meta):
                pass
        else:
            kinds = _REQUESTS[asked.side]
            kind = kinds[asked.number % len(kinds)]
            params = kind(session_id=asked.session, meta=meta, **_MEMBERS[kind])
            await peer.request(_METHODS[kind], params)

    async def _notify(self, peer: Peer, told: Unit) -> None:
        meta = {"unit": told.number}
        params: Any = meta
        if told.session is None:
            method = v1.EXTENSIONS[(told.side, "notification")].named("_tell")
        elif told.side == "agent":
            method = _METHODS[v1.CancelNotification]
            params = v1.CancelNotification(session_id=told.session, meta=meta)
        else:
            method = _METHODS[v1.SessionNotification]
            chunk = v1.AgentMessageChunk(content=v1.TextContent(text="x"))
            params = v1.SessionNotification(session_id=told.session, update=chunk, meta=meta)
        peer.post(method, params)
        self.sent.setdefault(told.node, []).append(told.number)
        await peer.drain()


def _number(params: Any) -> int:
    number: int = (params if isinstance(params, dict) else params.meta)["unit"]
    return number


async def run(seed: int) -> int:
    program = Maker(seed)
    await Run(program).main(*memory_streams(program.room))
    return len(program.units)


async def run_fast(seed: int, *, over_sockets: bool) -> None:
    """Run a seed's program with short sleeps and a short time limit for slow handlers."""
    patience, handling.PATIENCE = handling.PATIENCE, 0.02
    try:
        program = Maker(seed)
        ends: tuple[Stream, Stream] = memory_streams(program.room)
        if over_sockets:
            near, far = socket.socketpair()
            ends = await _open(near), await _open(far)
        run = asyncio.create_task(Run(program, pace=0.004).main(*ends))
        done, _ = await asyncio.wait([run], timeout=GUARD)
        check(done, f"the program of seed {seed} hangs")
        run.result()
    finally:
        handling.PATIENCE = patience


async def _open(end: socket.socket) -> AsyncioStream:
    end.setblocking(False)
    return AsyncioStream(*await asyncio.open_connection(sock=end))
