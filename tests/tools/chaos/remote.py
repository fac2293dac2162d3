"""Scenarios over WebSocket and HTTP, with both sides and a relay in this process.

The relay forwards bytes. These fields of the plan's `faults` configure it:

- `how`: the fault that the relay injects
- `cut`, `side`: how many bytes the relay forwards before the fault, and in which direction; "up" is
  the direction to the server
- `strike`: how many steps the client performs before the fault, as an alternative to `cut`
- `chunk`: the maximum number of bytes that the relay forwards at a time
- `pause`: the maximum delay before each chunk, in seconds
"""

from __future__ import annotations

import asyncio
import random
import re
import socket
import ssl
import struct
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from acp_bindings import v1, v2
from acp_bindings.remote import RemoteLimits, connect_remote, http, remote_app, websocket, wire
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.jsonrpc import Limits

from tests.package.remote.servers import make_certificate, serving
from tests.tools.chaos import drive_client, peers
from tests.tools.chaos.checks import check, check_nothing_held, held
from tests.tools.chaos.scenarios import GUARD, Plan, Scenario

# Timeouts in seconds: for a connection without a listener, and for a silent peer.
TIMEOUT, SILENCE = 0.5, 1.0
LIMITS = RemoteLimits(listener_timeout=TIMEOUT, keep_alive=0.1)
_RESET = struct.pack("ii", 1, 0)  # for SO_LINGER
# The number of bytes sent in each direction in a fault-free session, by transport and version.
_LENGTHS: dict[tuple[str, int], dict[str, int]] = {}


class Relay:
    """A relay between the client and the server.

    Attributes:
        counts: the number of bytes that it forwarded in each direction.
        has_struck: whether it has injected the plan's fault.
    """

    def __init__(self, plan: Plan, end_server: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self.port = 0
        self.counts = {"up": 0, "down": 0}
        self.has_struck = False
        self._plan = plan
        self._end_server = end_server
        self._faults = plan.faults
        self._chance = random.Random(plan.faults["seed"])
        self._target = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._is_refusing = False
        self._thawed = asyncio.Event()
        self._thawed.set()

    @asynccontextmanager
    async def running(self, target: int) -> AsyncGenerator[None]:
        self._target = target
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            server.close()
            await self.end()

    async def end(self) -> None:
        """Reset all connections, as if the other machine had disappeared."""
        self._is_refusing = True
        self._thawed.set()
        self._reset(self._writers)
        if self._tasks:
            _, left = await asyncio.wait(self._tasks, timeout=GUARD)
            check(not left, f"the relay hangs: {left}")

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def strike(self, near: tuple[asyncio.StreamWriter, ...] = ()) -> None:
        """Inject the plan's fault once. Some faults affect only the writers in `near`."""
        if self.has_struck:
            return
        self.has_struck = self._plan.is_lossy = True
        how = self._faults["how"]
        if how == "end":
            self.spawn(self._end_server())
        elif how == "freeze":
            self._thawed.clear()
        else:
            self._is_refusing = how == "die"
            struck = near if how.startswith("one") and near else tuple(self._writers)
            if how.endswith("close"):
                for writer in struck:
                    writer.close()
            else:
                self._reset(struck)

    def _reset(self, writers: Any) -> None:
        for writer in [*writers]:
            connected = writer.get_extra_info("socket")
            with suppress(OSError):
                connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            writer.transport.abort()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self.spawn(self._relay(reader, writer))

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        mine = [writer]
        try:
            if self._is_refusing:
                return
            far_reader, far = await asyncio.open_connection("127.0.0.1", self._target)
            mine.append(far)
            self._writers.add(far)
            ends = writer, far
            up = self._pass_on("up", reader, far, ends)
            await asyncio.gather(up, self._pass_on("down", far_reader, writer, ends))
        finally:
            self._writers.difference_update(mine)
            for each in mine:
                each.close()
            for each in mine:
                with suppress(OSError):
                    await each.wait_closed()

    async def _pass_on(
        self,
        side: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        ends: tuple[asyncio.StreamWriter, ...],
    ) -> None:
        faults = self._faults
        with suppress(OSError, RuntimeError):  # uvloop raises RuntimeError for closed transports
            while data := await reader.read(faults.get("chunk", 1 << 16)):
                if "pause" in faults:
                    await asyncio.sleep(self._chance.random() * faults["pause"])
                await self._thawed.wait()
                left = faults["cut"] - self.counts[side] if faults.get("side") == side else None
                if left is not None and left < len(data) and not self.has_struck:
                    data = data[:left]
                    writer.write(data)
                    self.counts[side] += left
                    self.strike(ends)
                    continue
                self.counts[side] += len(data)
                writer.write(data)
                await writer.drain()
        if not self.has_struck and writer.can_write_eof():
            with suppress(OSError, RuntimeError):
                writer.write_eof()
        else:
            writer.close()


class Work(drive_client.Work):
    """The client's work, with counts of the notes that were sent and acknowledged."""

    def __init__(self, plan: Plan, surface: ModuleType, peer: Any, relay: Relay) -> None:
        super().__init__(plan, surface, peer)
        self.told = self.acknowledged = 0
        self._relay = relay
        self._strike = plan.faults.get("strike")

    def _count(self) -> None:
        """Count a step. Inject the fault when the planned number of steps is exceeded."""
        if self._strike is not None:
            self._strike -= 1
            if self._strike < 0:
                self._relay.strike()

    async def do_note(self, step: Any) -> None:
        self._count()
        await super().do_note(step)
        self.told += 1

    async def do_echo(self, step: Any) -> None:
        self._count()
        told = self.told
        await super().do_echo(step)
        self.acknowledged = max(self.acknowledged, told)

    async def do_turn(self, step: Any) -> None:
        self._count()
        await super().do_turn(step)

    def excuse(self, error: BaseException) -> None:
        """Raise a call's error unless a closed connection or stream could have caused it."""
        if isinstance(error, RequestError):
            check(self.plan.is_lossy, f"a request failed: {error}")
        elif isinstance(error, OSError):
            check(self.plan.is_lossy, f"the connection ended: {error!r}")
        else:
            super().excuse(error)

    async def check_all(self) -> None:
        """Wait for updates on the streams of new sessions, and check that everything arrived."""
        for session, label, count in self.greeted:
            end = time.monotonic() + GUARD
            texts = self.client.handled.setdefault(session.session_id, [])
            while len(drive_client.numbers(texts).get(label, [])) < count:
                check(time.monotonic() < end, f"updates of {label} were lost")
                await asyncio.sleep(0.005)
        await super().check_all()

    def check_agent(self, agent: Any) -> None:
        """Check that notes arrived once and in order, and that no acknowledged note is missing."""
        count = len(agent.notes)
        check(agent.notes == self.sent[:count], f"notes {agent.notes} of {self.sent}")
        check(count >= self.acknowledged, f"{count} notes, but {self.acknowledged} acknowledged")


class Watched:
    """A wrapper around an ASGI application that records its errors."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.errors: list[Exception] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await self._app(scope, receive, send)
        except Exception as error:
            self.errors.append(error)
            raise


@contextmanager
def hastened(*, notices_silence: bool) -> Iterator[None]:
    """Shorten the client's timeouts and the delays between its retries."""
    values: dict[tuple[ModuleType, str], Any] = {
        (http, "DELAYS"): (0.01, 0.02, 0.05, 0.1, 0.2),
        (http, "HEARING"): SILENCE,
        (http, "ENDING"): 0.2,
        (http, "DELETING"): 0.2,
    }
    if notices_silence:
        for name in ("POSTING", "SILENCE"):
            values[http, name] = SILENCE
        values[wire, "CONNECTING"] = SILENCE
        values |= {(websocket, "PING"): SILENCE / 4, (websocket, "PONG"): SILENCE}
        values[websocket, "OPENING"] = SILENCE
    patches = [patch.object(module, name, value) for (module, name), value in values.items()]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()


async def drive(scenario: Scenario, plan: Plan, folder: Path) -> None:
    """Run a scenario, with `cut` taken modulo the length of a fault-free session."""
    faults = plan.faults
    if "cut" in faults:
        key = faults["transport"], faults["version"]
        if key not in _LENGTHS:
            whole = {name: faults[name] for name in ("transport", "version", "seed")}
            relay = await _drive(scenario, Plan(plan.work, "remote", whole, logs=plan.logs), folder)
            _LENGTHS[key] = relay.counts
        faults["cut"] %= _LENGTHS[key][faults["side"]]
    await _drive(scenario, plan, folder)


async def _drive(scenario: Scenario, plan: Plan, folder: Path) -> Relay:
    faults = plan.faults
    surface: ModuleType = {1: v1, 2: v2}[scenario.version]
    client: Any = {1: drive_client.Client1, 2: drive_client.Client2}[scenario.version]
    agents: list[Any] = peers.REPORT["agents"]
    agents.clear()
    app = remote_app(peers.agent_class(faults["version"]), limits=LIMITS, grace=0.2)
    watched = Watched(app)
    relay = Relay(plan, app.aclose)
    is_secure = faults["transport"] in ("http/2", "websocket over TLS")
    served: dict[str, Any] = {}
    options: dict[str, Any] = {"transport": re.split("[ /]", faults["transport"])[0]}
    if is_secure:
        file, key = make_certificate(folder)
        served = {"certfile": str(file), "keyfile": str(key)}
        options["tls"] = ssl.create_default_context(cafile=str(file))
    works: list[Work] = []
    server = "hypercorn" if is_secure or faults["seed"] % 2 else "uvicorn"
    if server == "hypercorn":
        served["errorlog"] = None
    # With such a short timeout, the client can abandon a connection that is only slow.
    may_freeze = plan.is_lossy = faults.get("how") == "freeze"
    with hastened(notices_silence=may_freeze):
        try:
            async with serving(watched, server, **served) as target, relay.running(target):
                url = f"{'https' if is_secure else 'http'}://127.0.0.1:{relay.port}/acp"
                talking = _talk(url, client, plan, surface, relay, works, options)
                await drive_client.ended(talking, "the client")
                await relay.end()
                await _wait_ended(app)
        except Exception as error:
            # Hypercorn raises KeyError for streams that are already closed.
            failures = getattr(error, "exceptions", [error])
            if not relay.has_struck or not all(isinstance(each, KeyError) for each in failures):
                raise
    check(not watched.errors, f"the application failed: {watched.errors}")
    check(len(agents) <= 1, "there are two agents")
    for agent in agents:
        check(agent.ends == 1, f"disconnected {agent.ends} times")
        check_nothing_held(held(agent.peer))
        for work in works:
            work.check_agent(agent)
    for work in works:
        check(work.client.ends == 1, f"disconnected {work.client.ends} times")
        check_nothing_held(held(work.peer))
    agents.clear()
    return relay


async def _talk(
    url: str,
    client: Any,
    plan: Plan,
    surface: ModuleType,
    relay: Relay,
    works: list[Work],
    options: dict[str, Any],
) -> None:
    grace = 0.2 if "how" in plan.faults else GUARD
    if plan.faults.get("how") == "freeze":  # nothing else limits the wait for `initialize`
        options["silence"] = SILENCE
    try:
        async with connect_remote(
            url, client, grace=grace, limits=Limits(**plan.limits), **options
        ) as peer:
            work = Work(plan, surface, peer, relay)
            works.append(work)
            await work.run()
    except OSError as error:  # raised when the connection can't be opened
        check(plan.is_lossy, f"the connection failed: {error!r}")


async def _wait_ended(app: Any) -> None:
    """Wait until the application has detected that all of its connections are closed."""
    end = time.monotonic() + GUARD
    while app._connections or app._tasks:
        check(time.monotonic() < end, f"the application keeps {app._connections}")
        await asyncio.sleep(0.005)
