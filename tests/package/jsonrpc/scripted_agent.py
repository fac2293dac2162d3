"""An agent that serves one connection, whose other side is written and read by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import ModuleType
from typing import Any

from acp_bindings.runtime import INTERNAL_ERROR, REQUEST_CANCELLED
from acp_bindings.runtime.aio import memory_streams, serve
from package.jsonrpc.loop import handler
from package.jsonrpc.wire import ask, tell
from package.session.scripted import Script, failure

GIVE_UP = 3600.0

CLOSE = ask(1, "session/close", sessionId="s")
CANCEL = tell("session/cancel", sessionId="s")


async def served(
    *agents: Any, initialized: bool = True, **options: Any
) -> tuple[Script, asyncio.Task[None]]:
    """An agent that serves, and the script of its other side, initialized or not."""
    near, far = memory_streams()
    script, serving = Script(near), asyncio.create_task(serve(far, *agents, **options))
    if initialized:
        await script.initialize(agents[0].surface.SCHEMA.protocol_version)
    return script, serving


def agent(surface: ModuleType, **methods: Callable[..., Any]) -> Any:
    return handler(surface.AgentHandler, **methods)


WITHDRAWN = failure(1, REQUEST_CANCELLED, "request cancelled")
FAILED = failure(1, INTERNAL_ERROR, "internal error")
