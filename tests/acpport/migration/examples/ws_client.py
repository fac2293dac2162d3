"""A client over WebSocket. First start the server: `python http_server.py`."""

import asyncio

from acp_bindings.remote import connect_remote
from http_client import ExampleClient, talk


async def main() -> None:
    async with connect_remote("ws://localhost:8000/acp", ExampleClient) as peer:
        await talk(peer, "hello over websocket")


if __name__ == "__main__":
    asyncio.run(main())
