"""Measurements of agents over stdio: the time to respond to `initialize`, and the idle memory."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from tests.tools.bench.pipe.resident import resident

# The time after which an agent is considered idle, in seconds.
SETTLING = 0.2


@dataclass(frozen=True)
class Agent:
    command: tuple[str, ...]  # starts it
    protocol: int = 1  # the version that is requested and must be in the response

    @property
    def request(self) -> bytes:
        params: dict[str, object] = {"protocolVersion": self.protocol}
        if self.protocol == 2:
            params["info"] = {"name": "client", "version": "1.0"}
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        return json.dumps(message).encode() + b"\n"


@contextmanager
def _started(agent: Agent) -> Iterator[tuple[int, float]]:
    """Start an agent. Yield its process id and its response time in seconds."""
    line = agent.request
    began = time.perf_counter()
    with subprocess.Popen(agent.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line)
        process.stdin.flush()
        answer = process.stdout.readline()
        seconds = time.perf_counter() - began
        try:
            yield process.pid, seconds
        finally:
            process.stdin.close()
            process.stdout.read()
    assert answer, f"no answer from {agent.command[-1]}"
    version = json.loads(answer).get("result", {}).get("protocolVersion")
    assert version == agent.protocol, f"{agent.command[-1]} answered {answer!r}"


def time_start(agent: Agent) -> float:
    with _started(agent) as (_, seconds):
        return seconds


def weigh_at_rest(agent: Agent) -> int:
    """Return the memory that a new agent process uses while it is idle, in bytes."""
    with _started(agent) as (pid, _):
        time.sleep(SETTLING)
        return resident(pid)


def time_starts(agents: Mapping[str, Agent], rounds: int) -> dict[str, list[float]]:
    """Start the agents alternately so that drift affects all equally, and return their times."""
    found: dict[str, list[float]] = {name: [] for name in agents}
    for agent in agents.values():
        time_start(agent)  # caches the agent's files before the measurements
    for _ in range(rounds):
        for name, agent in agents.items():
            found[name].append(time_start(agent))
    return found
