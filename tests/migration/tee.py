"""Stands between a client and an agent: `TRANSCRIPT AGENT...`.

Writes each message to the transcript before it passes it on, so that nothing is lost when the
client kills its agent. A line of the transcript is `{"from": "client" | "agent", "message": ...}`.

Some clients send SIGTERM right after their last message: then it passes on what was sent before,
and ends the input of the agent.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import IO, TextIO

# How long an agent may go on after SIGTERM, in seconds.
DELAY = 0.5


def lines(source: int, stopped: int) -> Iterator[bytes]:
    """Read lines until the end, or until nothing is left once `stopped` can be read."""
    rest = b""
    while source in select.select([source, stopped], [], [])[0]:
        read = os.read(source, 1 << 16)
        if not read:
            return
        *whole, rest = (rest + read).split(b"\n")
        yield from (line + b"\n" for line in whole)


def pass_on(side: str, source: Iterable[bytes], target: IO[bytes], transcript: TextIO) -> None:
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
    with open(path, "a", encoding="utf-8", buffering=1) as transcript:
        to_agent = ("client", lines(sys.stdin.fileno(), stopped), agent.stdin, transcript)
        threading.Thread(target=pass_on, args=to_agent, daemon=True).start()
        pass_on("agent", agent.stdout, sys.stdout.buffer, transcript)
    return agent.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
