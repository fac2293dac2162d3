"""Stands between a client and an agent and writes down what they say: `TRANSCRIPT AGENT...`.

The transcript has a JSON object on each line, `{"from": "client" | "agent", "line": text}` in the
order of the lines. Of a long message there is `{"from": ..., "size": bytes, "head": message}`, the
message being without params and result. The last object is `{"exit": code}`: how the agent ended
after its input had ended. Nothing of what is said is changed or held back.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import Any, BinaryIO

LONGEST = 1 << 16
CHUNK = 1 << 18


class Transcript:
    """The lines of both directions, in their order."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []

    def add(self, side: str, line: bytes) -> None:
        """Take a line, without its end."""
        entry: dict[str, Any] = {"from": side}
        if len(line) > LONGEST:
            entry |= {"size": len(line), "head": head(line)}
        else:
            entry["line"] = line.decode("utf-8", "backslashreplace")
        self.entries.append(entry)


def head(line: bytes) -> Any:
    """What kind of message a long line is; None when it is none."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return {name: message[name] for name in message if name not in ("params", "result")}


def pass_on(side: str, source: int, target: BinaryIO, transcript: Transcript) -> None:
    """Copy one direction until its end. A line is written down before its last byte is sent."""
    parts: list[bytes] = []
    try:
        while chunk := os.read(source, CHUNK):
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                transcript.add(side, b"".join([*parts, end]))
                parts = []
            if rest:
                parts.append(rest)
            target.write(chunk)
            target.flush()
    except BrokenPipeError:
        pass  # that the other one is gone shows in the rest of the transcript
    if parts:
        transcript.add(side, b"".join(parts))


def main(path: str, command: list[str]) -> int:
    """Run the agent until its end."""
    transcript = Transcript()
    agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert agent.stdin is not None
    assert agent.stdout is not None

    def pass_to_agent(target: BinaryIO) -> None:
        pass_on("client", 0, target, transcript)
        target.close()

    threading.Thread(target=pass_to_agent, args=[agent.stdin], daemon=True).start()
    with open(1, "wb", closefd=False) as output:
        pass_on("agent", agent.stdout.fileno(), output, transcript)
    code = agent.wait()
    with open(path, "w", encoding="utf-8") as file:
        for entry in [*transcript.entries, {"exit": code}]:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
