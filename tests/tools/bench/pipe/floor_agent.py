"""The minimal asyncio agent: it responds to one line and waits for the end of its input."""

import asyncio
import json
import sys


async def main() -> None:
    request = json.loads(sys.stdin.buffer.readline())
    answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"protocolVersion": 1}}
    print(json.dumps(answer), flush=True)
    sys.stdin.buffer.read()


asyncio.run(main())
