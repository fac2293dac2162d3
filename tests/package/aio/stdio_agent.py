"""An agent program that tests control through extension requests."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from typing import Any

from acp_bindings import v1
from acp_bindings.runtime.aio import serve_stdio


class TestAgent(v1.AgentHandler):
    async def ext_request(self, method: str, params: Any) -> Any:
        return await getattr(self, method.lstrip("_"))(params)

    async def echo(self, params: Any) -> Any:
        return params

    async def pid(self, params: Any) -> int:
        return os.getpid()

    async def print(self, params: Any) -> None:
        print(f"{params} by print")
        sys.stdout.flush()
        os.write(1, f"{params} by write\n".encode())
        command = [sys.executable, "-c", f"print('{params} by child')"]
        subprocess.run(command, check=True)

    async def input(self, params: Any) -> str:
        return sys.stdin.read()


async def main() -> None:
    # Avoid warnings about slow steps, since tests check all text on standard error.
    asyncio.get_running_loop().slow_callback_duration = 60.0
    await serve_stdio(TestAgent, linger=30.0)


if __name__ == "__main__":
    print("printed early")
    logging.basicConfig(format="%(message)s")
    asyncio.run(main())
