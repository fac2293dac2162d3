"""Helpers for asyncio tests, which fail on pending tasks and unretrieved exceptions."""

from __future__ import annotations

import asyncio
import functools
import gc
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, ParamSpec, TypeAlias, TypeVar

from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, connect, memory_streams, serve
from acp_bindings.runtime.jsonrpc.handler import Handler

from tests.package.jsonrpc.wire import introduction
from tests.support import virtual_time

P = ParamSpec("P")
T = TypeVar("T")
Main: TypeAlias = Coroutine[Any, Any, None]
# Prefixes of asyncio's messages about slow steps, about running processes that it kills, and about
# killed processes whose exit its threads notice only after the loop was closed.
HARMLESS = ("Executing ", "Close running child process", "Loop <")
GUARD = 60.0  # timeout for each test, in seconds


class Records(logging.Handler):
    """A log handler that keeps warnings and errors, except harmless ones from asyncio."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if not message.startswith(HARMLESS):
            self.messages.append(message)


@contextmanager
def nothing_unnoticed() -> Generator[None]:
    """Fail if asyncio reports pending tasks or exceptions that were never retrieved."""
    records = Records()
    logger = logging.getLogger("asyncio")
    logger.addHandler(records)
    gc.freeze()  # not undone, so that other tests' objects aren't scanned again
    try:
        yield
        gc.collect()
    finally:
        logger.removeHandler(records)
    assert not records.messages, records.messages


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a test."""
    with nothing_unnoticed():
        return asyncio.run(asyncio.wait_for(main, GUARD))


def within(seconds: float) -> Callable[[Callable[P, Main]], Callable[P, None]]:
    """Return a decorator that limits the virtual time of asynchronous tests."""

    def decorate(test: Callable[P, Main]) -> Callable[P, None]:
        @functools.wraps(test)
        def running(*args: P.args, **options: P.kwargs) -> None:
            virtual_time.run(test(*args, **options), within=seconds)

        return running

    return decorate


@asynccontextmanager
async def pair(
    agent: Any,
    client: Callable[[Peer], Any] | None = None,
    *,
    room: int = 1 << 16,
    initialized: bool = True,
    **options: Any,
) -> AsyncGenerator[Peer]:
    """Connect an agent and a client in this process, and yield the client's peer.

    Args:
        agent: the factory for the agent's handler.
        client: the factory for the client's handler.
        room: the capacity of the streams, in bytes.
        initialized: whether the client initializes the connection.
        options: options for `serve`, which runs the agent.
    """
    near, far = memory_streams(room)
    serving = asyncio.create_task(serve(far, agent, **options))
    try:
        async with connect(near, client or handler(v1.ClientHandler)) as peer:
            if initialized:
                assert peer.handler is not None
                surface = peer.handler.surface
                method = surface.METHODS["agent"]["initialize"]
                await peer.request(method, introduction(surface, "params"))
            yield peer
    finally:
        await serving


def handler(base: type[Handler], **methods: Callable[..., Any]) -> Any:
    """Return a handler class with these methods. The first argument of each method is the peer.

    An agent has a default `initialize`, unless `initialize` is one of the methods.
    """

    def bound(function: Callable[..., Any]) -> Callable[..., Any]:
        async def method(self: Any, *args: Any) -> Any:
            return await function(self.peer, *args)

        return method

    def __init__(self: Any, peer: Peer) -> None:
        self.peer = peer

    async def agree(peer: Peer, params: Any) -> Any:
        return introduction(base.surface, "result")

    if base.side == "agent":
        methods.setdefault("initialize", agree)
    members = {name: bound(function) for name, function in methods.items()}
    return type("TestHandler", (base,), {"__init__": __init__, **members})
