"""Our agent for other clients: `our_agent.py MODE`.

In mode `v1`, it is the example with tools. In mode `v2`, it is the same agent, but it speaks only
protocol 2 and uses the bridge.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

sys.path[0:0] = [str(Path(__file__).resolve().parents[2] / "examples")]

from acp_bindings.runtime.aio import serve_stdio  # noqa: E402
from agent_with_tools import AgentV1, AgentV2  # noqa: E402

if __name__ == "__main__":
    is_bridged = sys.argv[1] == "v2"
    agent: type[AgentV1] | type[AgentV2] = AgentV2 if is_bridged else AgentV1
    asyncio.run(serve_stdio(agent, bridge=is_bridged))
