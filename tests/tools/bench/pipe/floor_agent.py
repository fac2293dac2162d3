"""The minimal asyncio agent: it reads a line and responds with a fixed one."""

import asyncio
import json
import sys


async def main() -> None:
    request = json.loads(sys.stdin.buffer.readline())
    answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"protocolVersion": 1}}
    print(json.dumps(answer), flush=True)


asyncio.run(main())
