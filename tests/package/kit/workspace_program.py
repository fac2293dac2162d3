"""An agent program for either version that uses a workspace and asks for permission."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from acp_bindings.runtime.aio import serve_stdio

surface: Any = import_module(f"acp_bindings.{sys.argv[1]}")


class Agent(surface.SessionAgent):  # type: ignore[misc]
    async def turn(self, session: Any, params: Any) -> None:
        async with session.tool("Look", kind="read") as tool:
            await tool.ask()
            if surface.SCHEMA.protocol_version == 1:
                path = str(Path(session.cwd, "notes"))
                response = await session.fs_read_text_file(path=path)
                await tool.show(response.content)
        await session.say(f"{tool.status}: {tool.result}")


asyncio.run(serve_stdio(Agent))
