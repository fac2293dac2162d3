"""A client over WebSocket; start the server first: `python http_server.py`."""

import asyncio

from http_client import talk
from remote import websocket_stream


async def main() -> None:
    async with websocket_stream("ws://localhost:8000/acp") as stream:
        await talk(stream, "hello over websocket")


if __name__ == "__main__":
    asyncio.run(main())
