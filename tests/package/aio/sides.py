"""Helpers for both sides of a connection: handlers, methods, and streams for tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from acp_bindings import v1
from acp_bindings.runtime.aio import MemoryStream, Peer, connect, memory_streams, serve

from tests.package.aio.loop import handler
from tests.package.session.scripted import Script

ASK = v1.EXTENSIONS[("agent", "request")].named("_ask")
ASK_CLIENT = v1.EXTENSIONS[("client", "request")].named("_ask")
TELL = v1.EXTENSIONS[("agent", "notification")].named("_tell")
CANCEL = v1.AGENT_METHODS["session/cancel"]
PROMPT = v1.AGENT_METHODS["session/prompt"]


def agent(surface: Any = v1, **methods: Callable[..., Awaitable[Any]]) -> Any:
    return handler(surface.AgentHandler, **methods)


def client(**methods: Callable[..., Awaitable[Any]]) -> Any:
    return handler(v1.ClientHandler, **methods)


def prompt(session: str = "s") -> v1.PromptRequest:
    return v1.PromptRequest(session_id=session, prompt=[])


def stop(session: str = "s") -> v1.CancelNotification:
    return v1.CancelNotification(session_id=session)


DONE = v1.PromptResponse(stop_reason="end_turn")


async def echo(peer: Peer, method: str, params: Any) -> Any:
    return params


async def done(peer: Peer, params: Any) -> Any:
    return DONE


async def stuck(peer: Peer, *args: Any) -> Any:
    await asyncio.Event().wait()


def raising(error: BaseException) -> Callable[..., Coroutine[Any, Any, Any]]:
    async def fail(*args: Any) -> Any:
        raise error

    return fail


class Gate:
    """A handler that waits until it is released, and records the params of handled messages."""

    def __init__(self, result: Any = None) -> None:
        self.result = result
        self.handled: list[Any] = []
        self.started, self.go_on, self.cancelled = (asyncio.Event() for _ in range(3))

    async def __call__(self, peer: Peer, *args: Any) -> Any:
        self.started.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        self.handled.append(args[-1])
        return self.result


async def ticks(count: int = 20) -> None:
    """Let all other tasks run for `count` steps."""
    for _ in range(count):
        await asyncio.sleep(0)


class Wire(Script):
    """The peer's end of a stream, which tests read from and write to."""

    @property
    def stream(self) -> MemoryStream:
        return self._stream

    async def ask(self, message: Any) -> Any:
        """Send a request and return its result or error."""
        self.write(message)
        reply = await self.read()
        return reply["error"] if "error" in reply else reply["result"]


async def served(
    *agents: Any, initialized: bool = True, **options: Any
) -> tuple[Wire, asyncio.Task[None]]:
    """Serve an agent, and return the client's end of its stream and the task that serves it."""
    near, far = memory_streams()
    wire, serving = Wire(near), asyncio.create_task(serve(far, *agents, **options))
    if initialized:
        await wire.initialize(getattr(agents[0], "surface", v1).SCHEMA.protocol_version)
    return wire, serving


@asynccontextmanager
async def serving(*agents: Any, **options: Any) -> AsyncGenerator[Wire]:
    """Serve an agent until the context exits, and yield the client's end of its stream."""
    wire, task = await served(*agents, **options)
    yield wire
    await wire.stream.close()
    await task


@asynccontextmanager
async def connected(
    *made: Any, room: int = 1 << 16, **options: Any
) -> AsyncGenerator[tuple[Peer, Wire]]:
    """Connect a client, and yield its peer and the agent's end of the stream."""
    near, far = memory_streams(room)
    async with connect(near, *(made or [client()]), **options) as peer:
        yield peer, Wire(far)
    await far.close()


async def begin(wire: Wire, call: Coroutine[Any, Any, Any]) -> tuple[asyncio.Task[Any], Any]:
    """Start a call, and return its task and the id of its request."""
    task = asyncio.create_task(call)
    return task, (await wire.read())["id"]


GIVE_UP = 3600.0
