"""Steps that deliberately violate the protocol.

A fault that precedes other steps in the script occurs before the response. A fault that follows
`end()` or `answer()` occurs after the response. A fault that never returns replaces the response.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from .party import Call
from .steps import step


@step
async def silence(call: Call) -> None:
    """Stop handling this request and never respond to it."""
    await asyncio.Event().wait()


@step
async def crash(call: Call, code: int = 1) -> None:
    """Exit with a code if the script runs in a separate process, or else close the connection."""
    if call.party.exit is not None:
        call.party.exit(code)
    await call.party.hang_up()


@step
async def close(call: Call) -> None:
    """Close the connection. A separate process keeps running until it is terminated."""
    call.party.lives_on = True
    await call.party.hang_up()


@step
async def garbage(call: Call, line: bytes = b'{"jsonrpc": "2.0", oops') -> None:
    """Send a line that isn't valid JSON."""
    await call.party.wire.send(line)


@step
async def half_line(call: Call) -> None:
    """Send half of a response, then do the same as `crash`."""
    line = json.dumps({"jsonrpc": "2.0", "id": call.id, "result": {}}).encode()
    await call.party.wire.send_bytes(line[: len(line) // 2])
    await crash().run(call)


@step
async def wrong_id(call: Call, result: Any = None, id_: Any = "unknown") -> None:
    """Send a response with the id of a request that was never sent."""
    await call.party.send({"id": id_, "result": {} if result is None else result})


@step
async def again(call: Call) -> None:
    """Send the response again."""
    await call.answer(call.result)
