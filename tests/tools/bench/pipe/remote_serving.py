"""A uvicorn server that prints its URL and serves an application until standard input closes."""

import asyncio
import resource
import socket
import sys
from typing import Any

import uvicorn


def allow_many_sockets() -> None:
    """Raise this process's limit on open sockets to the system's maximum."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def serve(app: Any) -> None:
    allow_many_sockets()
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, backlog=2048)
    server = uvicorn.Server(config)
    # With the protocol number `IPPROTO_TCP` instead of 0, asyncio sends small messages immediately.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(2048)  # from now on, connections wait for the server to start
        serving = asyncio.create_task(server.serve([listening]))
        print(f"http://127.0.0.1:{listening.getsockname()[1]}/acp", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        server.should_exit = True
        await serving
