"""Our agent for third-party clients. Usage: `our_agent.py MODE`.

Mode `v1` runs the example agent with tools. Mode `v2` runs the same agent, but it speaks only
protocol 2 and uses the bridge for protocol 1 clients.
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
