"""A minimal asyncio agent for calls and turns.

It doesn't validate messages and starts a task for each request.
"""

import asyncio
import sys

from bare_lines import Message, open_input, open_output

UPDATE = {
    "sessionUpdate": "agent_message_chunk",
    "content": {"type": "text", "text": "Reading the file"},
}


async def main() -> None:
    send = await open_output(sys.stdout.buffer)

    async def respond(request: Message) -> None:
        result = {}
        if request["method"] == "session/prompt":
            params = {"sessionId": request["params"]["sessionId"], "update": UPDATE}
            send({"method": "session/update", "params": params})
            result["stopReason"] = "end_turn"
        send({"id": request["id"], "result": result})

    tasks = set()

    def take(request: Message) -> None:
        task = asyncio.create_task(respond(request))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    await (await open_input(sys.stdin.buffer, take))


asyncio.run(main())
