"""A program that records the messages between a client and an agent.

Usage: `tee.py TRANSCRIPT AGENT...`. Each line of the transcript is a JSON object. A message is
recorded as `{"from": "client" | "agent", "line": text}`. A long message is recorded without its
params or result, as `{"from": ..., "size": bytes, "head": message}`. The last object contains
only the field `exit`, the agent's exit code. Each message is forwarded unchanged immediately after
it is recorded, so that the transcript is complete even if the client kills its agent.

Some clients send SIGTERM right after their last message. In that case, `tee` forwards the earlier
messages, closes the agent's input, and gives the agent a moment to exit.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
from typing import Any, BinaryIO, TextIO

LONGEST = 1 << 16
CHUNK = 1 << 18
# How long an agent can keep running after SIGTERM, in seconds.
DELAY = 0.5


def entry(side: str, line: bytes) -> dict[str, Any]:
    """Return the transcript entry for a line."""
    if len(line) <= LONGEST:
        return {"from": side, "line": line.decode("utf-8", "backslashreplace")}
    message = json.loads(line)
    head = {name: message[name] for name in message if name not in ("params", "result")}
    return {"from": side, "size": len(line), "head": head}


def write(transcript: TextIO, record: dict[str, Any]) -> None:
    transcript.write(json.dumps(record, ensure_ascii=False) + "\n")


def pass_on(side: str, sources: list[int], target: BinaryIO, transcript: TextIO) -> None:
    """Copy the first source until it ends, or until it is empty and another source is readable."""
    source, parts = sources[0], list[bytes]()
    try:
        while source in select.select(sources, [], [])[0] and (chunk := os.read(source, CHUNK)):
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                write(transcript, entry(side, b"".join([*parts, end])))
                parts = []
            if rest:
                parts.append(rest)
            target.write(chunk)
            target.flush()
    except BrokenPipeError:
        pass  # the peer exited, as the rest of the transcript shows
    if parts:
        write(transcript, entry(side, b"".join(parts)))
    target.close()


def main(path: str, command: list[str]) -> int:
    stopped, stop = os.pipe()
    end = threading.Timer(DELAY, os._exit, [128 + signal.SIGTERM])
    end.daemon = True

    def stop_soon(*_: object) -> None:
        os.write(stop, b"\n")
        end.start()

    signal.signal(signal.SIGTERM, stop_soon)
    agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert agent.stdin is not None
    assert agent.stdout is not None
    with open(path, "w", encoding="utf-8", buffering=1) as transcript:
        to_agent = ("client", [0, stopped], agent.stdin, transcript)
        threading.Thread(target=pass_on, args=to_agent, daemon=True).start()
        with open(1, "wb") as output:
            pass_on("agent", [agent.stdout.fileno()], output, transcript)
        code = agent.wait()
        write(transcript, {"exit": code})
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
