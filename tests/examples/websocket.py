"""The agent with tools on a server, and the editor as its client.

python websocket.py serve 8765
python websocket.py connect http://127.0.0.1:8765/acp
"""

import asyncio
import sys
from typing import Any

from acp_bindings.remote import remote_app
from acp_bindings.v2 import kit
from agent_with_tools import AgentV1, AgentV2
from editor import ClientV2, converse, open_session
from hypercorn.asyncio import serve  # pyright: ignore[reportUnknownVariableType]
from hypercorn.config import Config
from screen import Screen


async def serve_agent(port: str) -> None:
    app: Any = remote_app(AgentV1, AgentV2)  # the packages' types for an ASGI app differ
    config = Config.from_mapping(bind=f"127.0.0.1:{port}", websocket_max_message_size=1 << 27)
    await serve(app, config)


async def connect(url: str) -> None:
    screen = Screen()
    async with kit.reach(url, ClientV2, permissions=kit.Permissions(ask=screen.choose)) as link:
        await converse(await open_session(link, None), screen)


if __name__ == "__main__":
    role, where = sys.argv[1:]
    asyncio.run(serve_agent(where) if role == "serve" else connect(where))
