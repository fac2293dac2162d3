"""An agent that plays `scene.json` from its working directory; see `Scene` for the format.

It returns its command-line arguments in the `_meta` of the `initialize` result.
"""

import asyncio
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio.stdio import open_stdio
from acp_bindings.testing import Agent, Call, Step, answer, fail, pause, send, silence, step

# A placeholder for the id of the most recent terminal. The client chooses the id.
TERMINAL = "<terminal>"
terminals = [TERMINAL]
# The time in seconds to wait before each response so that clients can handle notifications.
PAUSE = 0.1


@step
async def ask(call: Call, message: Any) -> None:
    params = {
        name: terminals[-1] if value == TERMINAL else value
        for name, value in message["params"].items()
    }
    with suppress(RequestError):
        result = await call.party.request(message["method"], params)
        if "terminalId" in (result or {}):
            terminals.append(result["terminalId"])


def steps(message: dict[str, Any]) -> list[Step]:
    if "method" in message:
        return [ask(message) if "id" in message else send(message)]
    return [pause(PAUSE), fail(**message["error"]) if "error" in message else answer(**message)]


async def main() -> None:
    scene = json.loads(Path("scene.json").read_text("utf-8"))
    introduction = {"protocolVersion": 1, "_meta": {"arguments": sys.argv[1:]}}
    answers = {"initialize": {"result": introduction}, **scene["answers"]}
    turns = [[step for message in turn for step in steps(message)] for turn in scene["prompts"]]
    agent = Agent(
        *(turn or silence() for turn in turns),
        answers={method: steps(message) for method, message in answers.items()},
    )
    await agent.play(await open_stdio())


asyncio.run(main())
