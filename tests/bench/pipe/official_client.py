"""A client of the official SDK that times its calls, as `ours_client` does."""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from acp import spawn_agent_process, text_block


class Client:
    updates = 0

    def on_connect(self, conn: Any) -> None:
        pass

    async def session_update(self, session_id: str, update: Any, **kwargs: Any) -> None:
        self.updates += 1


async def main(count: int, in_flight: int, command: list[str]) -> None:
    client = Client()
    async with spawn_agent_process(client, *command) as (agent, _):
        await agent.initialize(protocol_version=1)
        await agent.new_session(cwd="/project", mcp_servers=[])

        async def call() -> None:
            await agent.set_session_mode(session_id="s", mode_id="m")

        async def turn() -> None:
            await agent.prompt(session_id="s", prompt=[text_block("What does this do?")])

        async def repeat(act: Callable[[], Awaitable[None]]) -> None:
            for _ in range(count // in_flight):
                await act()

        times = {}
        for name, act in (("call", call), ("turn", turn)):
            await act()
            start = time.perf_counter()
            await asyncio.gather(*(repeat(act) for _ in range(in_flight)))
            times[name] = (time.perf_counter() - start) / count
        assert client.updates == count + 1
        print(json.dumps(times))


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
