"""Measures round trips over a pipe without parsing, and prints the time in seconds as JSON.

Usage: `raw.py COUNT`
"""

import json
import os
import subprocess
import sys
import time

MESSAGE = b"x" * 100


def echo() -> None:
    while data := os.read(0, 1 << 16):
        os.write(1, data)


def main(count: int) -> None:
    command = [sys.executable, "-I", __file__]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert child.stdin is not None
    assert child.stdout is not None
    there, back = child.stdin.fileno(), child.stdout.fileno()
    os.write(there, MESSAGE)
    os.read(back, 1 << 16)
    start = time.perf_counter()
    for _ in range(count):
        os.write(there, MESSAGE)
        os.read(back, 1 << 16)
    seconds = (time.perf_counter() - start) / count
    child.stdin.close()
    child.wait()
    print(json.dumps(seconds))


if len(sys.argv) > 1:
    main(int(sys.argv[1]))
else:
    echo()
