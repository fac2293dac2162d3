"""A relay between our client and our agent, with faults that its options specify.

    python faulty.py OPTIONS COMMAND...

OPTIONS is a JSON object with these fields:

- `seed`: the seed for the random sizes of writes
- `chunk`: the maximum size of a write, in bytes
- `pause`: the delay after each write, in seconds
- `read_size`, `read_pause`: the maximum size of a read, and the delay after it
- `close_in_after`, `close_out_after`: how many bytes to forward before the agent's input or output
  is closed

The program imports only the standard library.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any


def pass_on(source: int, target: int, options: dict[str, Any], left: int) -> None:
    """Copy bytes until the source ends or `left` bytes have been copied."""
    chance = random.Random(options.get("seed", 0))
    with suppress(BrokenPipeError):
        while left and (data := os.read(source, min(left, options.get("read_size", 1 << 16)))):
            left -= len(data)
            time.sleep(options.get("read_pause", 0))
            while data:
                done = os.write(target, data[: chance.randint(1, options.get("chunk", 1 << 16))])
                data = data[done:]
                time.sleep(options.get("pause", 0))
    os.close(source)
    os.close(target)


def main(options: dict[str, Any], command: list[str]) -> int:
    agent_in, to_agent = os.pipe()
    from_agent, agent_out = os.pipe()
    agent = subprocess.Popen(command, stdin=agent_in, stdout=agent_out)
    os.close(agent_in)
    os.close(agent_out)
    most = 1 << 60
    sent = (0, to_agent, options, options.get("close_in_after", most))
    threading.Thread(target=pass_on, args=sent, daemon=True).start()
    pass_on(from_agent, 1, options, options.get("close_out_after", most))
    return agent.wait()


if __name__ == "__main__":
    os.closerange(3, 256)  # descriptors inherited from uvloop would keep the pipes open
    sys.exit(main(json.loads(sys.argv[1]), sys.argv[2:]))
