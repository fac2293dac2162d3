"""Stands between a client and an agent: `TRANSCRIPT AGENT...`.

Writes each message to the transcript before it passes it on, so that nothing is lost when the
client kills its agent. A line of the transcript is `{"from": "client" | "agent", "message": ...}`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from typing import IO, TextIO

# How long it goes on after SIGTERM, since some clients send it right after their last message.
DELAY = 0.5


def pass_on(side: str, source: IO[bytes], target: IO[bytes], transcript: TextIO) -> None:
    """Copy one direction until its end, which it passes on."""
    for line in source:
        entry = {"from": side, "message": json.loads(line)}
        transcript.write(json.dumps(entry) + "\n")
        try:
            target.write(line)
            target.flush()
        except BrokenPipeError:
            break
    target.close()


def main(path: str, *command: str) -> int:
    """Run the agent until its end."""
    end = threading.Timer(DELAY, os._exit, [128 + signal.SIGTERM])
    signal.signal(signal.SIGTERM, lambda *_: end.start())
    agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert agent.stdin is not None
    assert agent.stdout is not None
    with open(path, "a", encoding="utf-8", buffering=1) as transcript:
        to_agent = ("client", sys.stdin.buffer, agent.stdin, transcript)
        threading.Thread(target=pass_on, args=to_agent, daemon=True).start()
        pass_on("agent", agent.stdout, sys.stdout.buffer, transcript)
    return agent.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
