"""The minimal asyncio client, which times its calls like `ours_client`."""

import asyncio
import subprocess
import sys
from typing import Any

from bare_lines import Message, open_input, open_output
from timing import time_acts


async def main(count: int, in_flight: int, command: list[str]) -> None:
    pending: list[asyncio.Future[Any] | None] = []
    updates = 0

    def take(message: Message) -> None:
        nonlocal updates
        if "method" in message:
            updates += 1
            return
        future = pending[message["id"]]
        pending[message["id"]] = None
        assert future is not None
        future.set_result(message["result"])

    async def request(method: str, params: Message) -> Any:
        future = asyncio.get_running_loop().create_future()
        pending.append(future)
        send({"id": len(pending) - 1, "method": method, "params": params})
        return await future

    async def call() -> None:
        await request("session/set_mode", {"sessionId": "s", "modeId": "m"})

    async def turn() -> None:
        block = {"type": "text", "text": "What does this do?"}
        await request("session/prompt", {"sessionId": "s", "prompt": [block]})

    agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    with agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        send = await open_output(agent.stdin)
        await open_input(agent.stdout, take)
        await time_acts({"call": call, "turn": turn}, count, in_flight)
        assert updates == count + 1


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
