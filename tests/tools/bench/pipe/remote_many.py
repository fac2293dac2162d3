"""Many connections, with a turn on each.

Usage: `remote_many.py COUNT TRANSPORT URL PID`

The printed JSON contains the time until all turns ended, in seconds. It also contains the
additional memory, in bytes per connection, that process PID uses while all connections are open.
"""

import asyncio
import json
import sys
import time
from contextlib import AsyncExitStack
from typing import Any

from acp_bindings import v1
from acp_bindings.remote import connect_remote
from remote_serving import allow_many_sockets
from resident import resident

# The number of connections that open at the same time.
AT_ONCE = 50


class Client(v1.ClientHandler):
    async def session_update(self, params: v1.SessionNotification) -> None:
        pass


async def main(count: int, transport: Any, url: str, pid: int) -> None:
    allow_many_sockets()
    starting = asyncio.Semaphore(AT_ONCE)
    async with AsyncExitStack() as stack:

        async def open_one() -> None:
            async with starting:
                connecting = connect_remote(url, Client(), transport=transport)
                agent = v1.AgentStub(await stack.enter_async_context(connecting))
                await agent.initialize(v1.InitializeRequest(protocol_version=1))
                await agent.session_new(v1.NewSessionRequest(cwd="/project", mcp_servers=[]))
                block = v1.TextContent(text="What does this do?")
                await agent.session_prompt(v1.PromptRequest(session_id="s", prompt=[block]))

        await open_one()  # exclude modules and caches, which exist only once
        before, start = resident(pid), time.perf_counter()
        await asyncio.gather(*[open_one() for _ in range(count)])
        seconds = time.perf_counter() - start
        more = (resident(pid) - before) / count
        print(json.dumps({"seconds": seconds, "bytes": more}))


asyncio.run(main(int(sys.argv[1]), *sys.argv[2:4], int(sys.argv[4])))
