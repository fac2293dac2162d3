"""Measure how long an agent takes from the start of its process to the answer of `initialize`.

    python start.py COUNT LABEL=PYTHON:PROGRAM...

Each program is an agent over stdio. The programs take turns, so that drift affects all alike.
Printed is the median of each, in seconds, as JSON.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": 1, "clientCapabilities": {}},
}


def start(command: list[str]) -> float:
    """The seconds until a new process has answered."""
    line = json.dumps(INITIALIZE).encode() + b"\n"
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        agent.stdin.write(line)
        agent.stdin.flush()
        answer = agent.stdout.readline()
        seconds = time.perf_counter() - began
        agent.stdin.close()
        agent.stdout.read()
    result = json.loads(answer)["result"]
    assert result["protocolVersion"] == 1, result
    return seconds


def measure(count: int, commands: dict[str, list[str]]) -> dict[str, float]:
    """The median of each command, which runs once before without counting."""
    found: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(count + 1):
        for name, command in commands.items():
            seconds = start(command)
            if turn:
                found[name].append(seconds)
    return {name: statistics.median(times) for name, times in found.items()}


def main() -> None:
    """Measure and print."""
    count, *programs = sys.argv[1:]
    commands: dict[str, list[str]] = {}
    for each in programs:
        name, _, program = each.partition("=")
        python, _, path = program.rpartition(":")
        commands[name] = [python, "-E", "-s", "-B", path]
    print(json.dumps(measure(int(count), commands)))


if __name__ == "__main__":
    main()
