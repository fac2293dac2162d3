"""A client built with the official SDK that times its calls like `ours_client`."""

import asyncio
import sys
from typing import Any

from acp import spawn_agent_process
from acp.schema import TextContentBlock
from timing import time_acts


class Client:
    updates = 0

    def on_connect(self, conn: Any) -> None:
        pass

    async def session_update(self, session_id: str, update: Any, **kwargs: Any) -> None:
        self.updates += 1


async def talk(client: Client, agent: Any, count: int, in_flight: int) -> None:
    await agent.initialize(protocol_version=1)
    await agent.new_session(cwd="/project", mcp_servers=[])

    async def call() -> None:
        await agent.set_session_mode(session_id="s", mode_id="m")

    async def turn() -> None:
        block = TextContentBlock(type="text", text="What does this do?")
        await agent.prompt(session_id="s", prompt=[block])

    await time_acts({"call": call, "turn": turn}, count, in_flight)
    assert client.updates == count + 1


async def main(count: int, in_flight: int, command: list[str]) -> None:
    client = Client()
    async with spawn_agent_process(client, *command) as (agent, _):
        await talk(client, agent, count, in_flight)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
