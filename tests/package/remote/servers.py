"""ASGI servers on local sockets."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import uvicorn
from hypercorn.asyncio import serve
from hypercorn.config import Config

SERVERS = ("hypercorn", "uvicorn")


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Return the paths of a certificate for 127.0.0.1 and its key, creating both if necessary."""
    file, key = folder / "certificate.pem", folder / "key.pem"
    if not file.exists():
        making = ["openssl", "req", "-x509", "-nodes", "-days", "2", "-batch", "-newkey", "ec"]
        making += ["-pkeyopt", "ec_paramgen_curve:P-256", "-subj", "/CN=localhost"]
        making += ["-addext", "subjectAltName=IP:127.0.0.1", "-out", str(file), "-keyout", str(key)]
        subprocess.run(making, check=True, capture_output=True)
    return file, key


@asynccontextmanager
async def serving(app: Any, server: str, **options: Any) -> AsyncGenerator[int]:
    """Serve an application on a port of 127.0.0.1 and yield the port.

    Args:
        app: the application.
        server: the server to run, one of `SERVERS`.
        options: settings for the server.
    """
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        running = _hypercorn if server == "hypercorn" else _uvicorn
        async with running(app, listening, **options):
            yield port


@asynccontextmanager
async def _hypercorn(app: Any, listening: socket.socket, **options: Any) -> AsyncGenerator[None]:
    config = Config()
    config.bind = [f"fd://{os.dup(listening.fileno())}"]  # hypercorn closes the given descriptor
    config.graceful_timeout = 1
    config.websocket_max_message_size = 64 << 20
    for name, value in options.items():
        setattr(config, name, value)
    stop = asyncio.Event()
    task = asyncio.create_task(serve(app, config, shutdown_trigger=stop.wait))
    try:
        if config.certfile is None:
            await _wait_listening(listening)
        yield
    finally:
        stop.set()
        await task


@asynccontextmanager
async def _uvicorn(app: Any, listening: socket.socket, **options: Any) -> AsyncGenerator[None]:
    config = uvicorn.Config(
        app,
        log_level="error",
        ws_max_size=64 << 20,
        timeout_graceful_shutdown=1,
        **options,
    )
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext  # type: ignore[method-assign,assignment]
    task = asyncio.create_task(server.serve([listening]))
    try:
        await _wait_listening(listening)
        yield
    finally:
        server.should_exit = True
        await task


async def _wait_listening(listening: socket.socket) -> None:
    """Wait until the server responds."""
    port = listening.getsockname()[1]
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        if await reader.read(1):
            writer.close()
            return
