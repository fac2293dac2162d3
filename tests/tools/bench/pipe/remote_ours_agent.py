"""Our agent, run by an ASGI server."""

import asyncio

from acp_bindings.remote import RemoteLimits, remote_app
from ours_agent import Agent
from remote_serving import serve

asyncio.run(serve(remote_app(Agent, limits=RemoteLimits(connections=2_000))))
