"""The counterpart to `remote_ours_client`, built with the official SDK."""

import asyncio
import sys
from importlib import import_module
from typing import Any

import acp
from official_client import Client, talk


async def open_stream(transport: str, url: str) -> Any:
    # Only one version of the SDK contains these modules.
    if transport == "websocket":
        return await import_module("acp.ws").create_websocket_stream(url.replace("http", "ws", 1))
    return import_module("acp.http").create_http_stream(url)


async def main(count: int, in_flight: int, transport: str, url: str) -> None:
    client = Client()
    connection: Any = acp.connect_to_agent(client, await open_stream(transport, url))
    await talk(client, connection, count, in_flight)
    await connection.close()


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
