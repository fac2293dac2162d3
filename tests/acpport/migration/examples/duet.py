"""A session between the client and the agent in this directory."""

import asyncio
import sys
from pathlib import Path

from acp_bindings import v1
from acp_bindings.runtime.aio import connect_stdio
from client import ExampleClient, interactive_loop

ROOT = Path(__file__).resolve().parent


async def main() -> int:
    command, kept = [sys.executable, str(ROOT / "agent.py")], asyncio.subprocess.PIPE
    async with connect_stdio(command, ExampleClient, stderr=kept) as peer:
        await peer.initialize(v1.InitializeRequest(protocol_version=1))
        session = await v1.ClientSession.create(peer, cwd=str(ROOT), mcp_servers=[])
        await interactive_loop(session)
    return (peer.process and peer.process.returncode) or 0


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
