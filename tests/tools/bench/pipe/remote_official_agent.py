"""The agent built with the official SDK, run by an ASGI server."""

import asyncio
from importlib import import_module
from typing import Any

from official_agent import Agent
from remote_serving import serve


def make(connection: Any) -> Agent:
    agent = Agent()
    agent.on_connect(connection)
    return agent


# Only one version of the SDK contains this module.
asyncio.run(serve(import_module("acp.http.asgi").create_asgi_app(make)))
