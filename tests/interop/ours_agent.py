"""The agent written with acp_bindings, for both protocol versions: `initialize` selects one."""

import asyncio

from acp_bindings.runtime.aio import serve_stdio

from . import ours_agent_v1, ours_agent_v2

if __name__ == "__main__":
    asyncio.run(serve_stdio(ours_agent_v1.Agent, ours_agent_v2.Agent))
