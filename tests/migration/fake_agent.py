"""Plays an agent from a script: `SCRIPT [ARGUMENT...]`.

The script is a JSON object: the answers to `initialize` and `session/new`, if they are not the
usual ones; and for each prompt what to do, in order. A message with an id is a request, whose
response is waited for. The last message has the result or the error for the prompt, after a pause
in which clients can handle the notifications before it; without it, the prompt is never answered.
The result of `initialize` has the arguments in its `_meta`.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

PAUSE = 0.1
ANSWERS: dict[str, Any] = {
    "initialize": {"result": {"protocolVersion": 1, "_meta": {"arguments": sys.argv[2:]}}},
    "session/new": {"result": {"sessionId": "s-1"}},
}


def send(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def receive() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    message: dict[str, Any] = json.loads(line)
    return message


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        script = json.load(file)
    answers = {**ANSWERS, **script.get("answers", {})}
    prompts = iter(script["prompts"])
    while True:
        message = receive()
        if "id" not in message:
            continue
        if message["method"] != "session/prompt":
            send({"id": message["id"], **answers[message["method"]]})
            continue
        for step in next(prompts):
            if "method" not in step:
                time.sleep(PAUSE)
                send({"id": message["id"], **step})
                continue
            send(step)
            while "id" in step and receive().get("id") != step["id"]:
                pass


if __name__ == "__main__":
    main(sys.argv[1])
