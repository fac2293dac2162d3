"""A function that runs an ASGI application under a server until standard input is closed.

The function prints the application's URL as the first line on standard output. This module does not
import our library, so that agents built with the official SDK can use it in their environment.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from pathlib import Path
from typing import Any

# The maximum message size, which is larger than any test message. Both servers use it by default.
MAX_MESSAGE = 16 << 20
# The maximum time that a stopping server waits for open streams, in seconds.
GRACE = 3


async def serve(app: Any, server: str, tls: Path | None) -> None:
    """Serve an application.

    Args:
        app: the application.
        server: `hypercorn` or `uvicorn`.
        tls: the folder with `cert.pem` and `key.pem`, or None for no TLS.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def wait_for_the_end() -> None:
        sys.stdin.read()
        loop.call_soon_threadsafe(stop.set)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        print(f"http{'s' if tls else ''}://127.0.0.1:{port}/acp", flush=True)
        threading.Thread(target=wait_for_the_end, daemon=True).start()
        run = {"hypercorn": with_hypercorn, "uvicorn": with_uvicorn}[server]
        await run(app, listener, tls, stop)


async def with_hypercorn(
    app: Any, listener: socket.socket, tls: Path | None, stop: asyncio.Event
) -> None:
    from hypercorn.asyncio import serve as run
    from hypercorn.config import Config

    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.graceful_timeout = GRACE
    config.websocket_max_message_size = MAX_MESSAGE
    if tls:
        config.certfile, config.keyfile = str(tls / "cert.pem"), str(tls / "key.pem")
    await run(app, config, shutdown_trigger=stop.wait)


async def with_uvicorn(
    app: Any, listener: socket.socket, tls: Path | None, stop: asyncio.Event
) -> None:
    import uvicorn

    config = uvicorn.Config(
        app,
        log_level="warning",
        timeout_graceful_shutdown=GRACE,
        ws_max_size=MAX_MESSAGE,
        ssl_certfile=tls / "cert.pem" if tls else None,
        ssl_keyfile=tls / "key.pem" if tls else None,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    await asyncio.wait([asyncio.create_task(stop.wait()), serving], return_when="FIRST_COMPLETED")
    server.should_exit = True
    await serving
