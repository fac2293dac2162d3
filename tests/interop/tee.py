"""Stands between a client and an agent and records their messages: `TRANSCRIPT AGENT...`.

The transcript has a JSON object on each line, `{"from": "client" | "agent", "line": text}` in the
order of the lines. A long message becomes `{"from": ..., "size": bytes, "head": message}`, where
the message has no params and no result. The last object is `{"exit": code}`, the agent's exit code
after its input had ended. Messages are passed on unchanged and at once.
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
    """The lines of both directions, in order."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []

    def add(self, side: str, line: bytes) -> None:
        """Record a line, without its line break."""
        entry: dict[str, Any] = {"from": side}
        if len(line) > LONGEST:
            entry |= {"size": len(line), "head": head(line)}
        else:
            entry["line"] = line.decode("utf-8", "backslashreplace")
        self.entries.append(entry)


def head(line: bytes) -> Any:
    """The message in a long line, without params and result; None if the line is no message."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return {name: message[name] for name in message if name not in ("params", "result")}


def pass_on(side: str, source: int, target: BinaryIO, transcript: Transcript) -> None:
    """Copy one direction until its end. A line is recorded before its last byte is sent."""
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
        pass  # the rest of the transcript shows that the other side is gone
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
