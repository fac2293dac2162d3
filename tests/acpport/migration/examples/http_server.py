"""An echo agent over Streamable HTTP and WebSocket: `python http_server.py`.

Then run `python http_client.py` or `python ws_client.py` in another terminal.
"""

import asyncio
from typing import Any

from acp_bindings import v1
from acp_bindings.remote import remote_app
from hypercorn.asyncio import serve  # pyright: ignore[reportUnknownVariableType]
from hypercorn.config import Config


class EchoAgent(v1.SessionAgent):
    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
        for block in params.prompt:
            text = block.text if isinstance(block, v1.TextContent) else ""
            await session.say(f"echo: {text}")


async def main() -> None:
    config = Config()
    config.bind = ["localhost:8000"]
    config.alpn_protocols = ["h2", "http/1.1"]
    print("Serving ACP agent on http://localhost:8000/acp (HTTP + WS)")
    app: Any = remote_app(EchoAgent)  # Hypercorn's type differs
    await serve(app, config)


if __name__ == "__main__":
    asyncio.run(main())
