"""The program that runs our agent, and code that the scenarios share.

    python peers.py OPTIONS

OPTIONS is a JSON object; see `serve`. Its field `report` names the file for a JSON report.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import sys
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, new_class
from typing import Any, TypeVar

sys.path[0:0] = [str(Path(__file__).resolve().parents[3])]

from acp_bindings.runtime import RequestError  # noqa: E402
from acp_bindings.runtime.aio import Peer, serve_stdio  # noqa: E402
from acp_bindings.runtime.aio.streams import GRACE  # noqa: E402

from tests.tools.chaos.checks import held  # noqa: E402

T = TypeVar("T")
# Prefixes of the messages that asyncio logs in debug mode when the machine is busy.
DEBUGGING = ("Executing ",)
FOREVER = 3600.0  # seconds
INFO = {"name": "chaos", "version": "1"}
INITIALIZED: dict[int, Any] = {
    1: {
        "protocolVersion": 1,
        "agentCapabilities": {"loadSession": False, "sessionCapabilities": {"close": {}}},
    },
    2: {"protocolVersion": 2, "info": INFO, "capabilities": {"session": {}}},
}


class Records(logging.Handler):
    """A log handler that keeps warnings and errors in the form `LOGGER LEVEL MESSAGE`."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.entries: list[str] = []
        self.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        if not record.getMessage().startswith(DEBUGGING):
            self.entries.append(self.format(record))

    def install(self) -> None:
        logging.getLogger().handlers[:] = [self]


def run(main: Coroutine[Any, Any, T], loop: str) -> T:
    if loop == "asyncio":
        return asyncio.run(main)
    import uvloop  # type: ignore[import-not-found, unused-ignore]

    if sys.version_info >= (3, 11):
        with asyncio.Runner(loop_factory=uvloop.new_event_loop, debug=True) as runner:
            return runner.run(main)
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    return asyncio.run(main, debug=True)


def descriptors() -> list[str]:
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            found.append(f"{name}: {os.readlink(f'/proc/self/fd/{name}')}")
        except OSError:
            continue  # the descriptor that `listdir` used, which is already closed
    return sorted(found)


def others() -> list[str]:
    """Return all tasks and threads except the current task, the main thread and child watchers."""
    tasks = [repr(task) for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    threads = [repr(each) for each in threading.enumerate() if each is not threading.main_thread()]
    return tasks + [each for each in threads if "waitpid" not in each]


# --- our agent -------------------------------------------------------------------------------


class Owner:
    """A session that counts how often it ends, and how often its resource opens and closes."""

    order: Any = MappingProxyType({})

    @property
    def counts(self) -> dict[str, int]:
        session: Any = self
        fresh = {"opened": 0, "closed": 0, "ended": 0}
        counts: dict[str, int] = REPORT["owned"].setdefault(session.session_id, fresh)
        return counts

    @asynccontextmanager
    async def resource(self) -> AsyncGenerator[None]:
        self.counts["opened"] += 1
        try:
            yield
        finally:
            self.counts["closed"] += 1

    async def ended(self) -> None:
        self.counts["ended"] += 1
        match self.order.get("ended"):
            case "fail":
                raise ValueError("no")
            case "slow":
                await asyncio.sleep(0.01)
            case "hang":
                await asyncio.Event().wait()


class Work:
    surface: Any
    peer: Peer

    def __init__(self, peer: Peer) -> None:
        super().__init__(peer)  # type: ignore[call-arg]
        self.notes: list[Any] = []
        self.ends = 0
        self._number = 0
        REPORT["agents"].append(self)

    async def initialize(self, params: Any) -> Any:
        answer = INITIALIZED[self.surface.SCHEMA.protocol_version]
        return self.surface.decode(self.surface.InitializeResponse, answer)

    async def session_new(self, params: Any) -> Any:
        self._number += 1
        agent: Any = self
        session = agent.open(f"s{self._number}")
        session.order = order = (params.meta or {}).get("order", {})
        await session.exit_stack.enter_async_context(session.resource())
        for number in range(order.get("greet", 0)):
            await session.say(f"|{order['label']}:{number};")
            if order.get("pause"):
                await asyncio.sleep(0)
        match order.get("outcome"):
            case "fail":
                raise RequestError(-7, "no session")
            case "hang":
                await asyncio.Event().wait()
        meta = {"meta": {"odd": object()}} if order.get("outcome") == "odd" else {}
        return self.surface.NewSessionResponse(session_id=session.session_id, **meta)

    async def turn(self, session: Any, params: Any) -> str | None:
        """Send numbered chunks, and call the client if the prompt requests this."""
        order = json.loads(params.prompt[0].text)
        for number in range(order["count"]):
            await session.say(f"|{order['label']}:{number};{order.get('pad', '')}")
            if order.get("pause"):
                await asyncio.sleep(0)
        if order.get("ask"):
            question = {"label": order["label"]}
            assert await self._call("_echo", question) == question
        return None

    async def ext_request(self, method: str, params: Any) -> Any:
        return await getattr(self, f"do{method}")(params)

    async def ext_notification(self, method: str, params: Any) -> None:
        if method == "_note":
            self.notes.append(params["n"])

    async def do_echo(self, params: Any) -> Any:
        return params

    async def do_slow(self, params: Any) -> None:
        await asyncio.Event().wait()

    async def do_stick(self, params: Any) -> None:
        """Run a handler that keeps running after the connection closes."""
        await STICKING[params["how"]](self)

    async def do_seen(self, params: Any) -> Any:
        return self.notes

    async def do_ask(self, params: Any) -> Any:
        return await self._call("_echo", params)

    async def do_flood(self, params: Any) -> Any:
        method = self.surface.EXTENSIONS[("client", "notification")].named("_note")
        for number in range(params["count"]):
            await self.peer.notify(method, {"n": number})
        return params["count"]

    async def _call(self, name: str, params: Any) -> Any:
        method = self.surface.EXTENSIONS[("client", "request")].named(name)
        return await self.peer.request(method, params)

    def disconnected(self) -> None:
        self.ends += 1


async def _swallow(work: Work) -> None:
    while True:
        with suppress(BaseException):
            await asyncio.sleep(FOREVER)


async def _spawn(work: Work) -> None:
    work.peer.spawn(_swallow(work))
    await asyncio.sleep(FOREVER)


async def _gather(work: Work) -> None:
    await asyncio.gather(_swallow(work), asyncio.sleep(FOREVER))


async def _retry(work: Work) -> None:
    """Call the client forever. After the connection closes, each call fails immediately."""
    while True:
        with suppress(Exception):
            await work._call("_echo", {})


async def _wait_in_thread(work: Work) -> None:
    await asyncio.to_thread(time.sleep, FOREVER)


async def _leave_thread(work: Work) -> None:
    threading.Thread(target=time.sleep, args=[FOREVER]).start()


# Handlers that keep running after the connection closes.
STICKING: dict[str, Callable[[Work], Awaitable[None]]] = {
    "swallow": _swallow,
    "spawn": _spawn,
    "gather": _gather,
    "retry": _retry,
    "wait in a thread": _wait_in_thread,
    "leave a thread": _leave_thread,
}


def agent_class(version: int) -> Any:
    module = import_module(f"acp_bindings.v{version}.agent_session")
    surface = import_module(f"acp_bindings.v{version}")
    owner: Any = type("Session", (Owner, module.AgentSession), {})
    bases = Work, module.SessionAgent[owner]
    return new_class("Agent", bases, exec_body=lambda space: space.update(surface=surface))


REPORT: dict[str, Any] = {"agents": [], "left": [], "owned": {}}


async def _serve(options: dict[str, Any]) -> None:
    version = options["version"]
    try:
        grace = options.get("grace", GRACE)
        await serve_stdio(agent_class(version), linger=options["linger"], grace=grace)
    finally:  # even if a signal terminates the agent
        await asyncio.sleep(0)
        REPORT["left"] = others()


def serve(options: dict[str, Any]) -> None:
    records = Records()
    records.install()
    if options["loop"] == "uvloop":
        run(asyncio.sleep(0), "uvloop")  # uvloop opens some descriptors once and never closes them
    before = descriptors()
    try:
        run(_serve(options), options["loop"])
    finally:
        report(options, before, records)


def report(options: dict[str, Any], before: list[str], records: Records) -> None:
    gc.collect()
    agents = REPORT["agents"]
    contents = {
        "ends": [agent.ends for agent in agents],
        "left": REPORT["left"],
        "owned": REPORT["owned"],
        "held": [held(agent.peer) for agent in agents],
        "descriptors": [len(before), len(descriptors())],
        "open": descriptors(),
        "log": records.entries,
    }
    path = options["report"]
    with open(f"{path}.part", "w", encoding="utf-8") as file:
        json.dump(contents, file)
    os.replace(file.name, path)


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))
