"""Time agents over stdio from the start of their process to the response to `initialize`."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Agent:
    command: tuple[str, ...]  # starts it
    protocol: int = 1  # the protocol version that is requested and expected

    @property
    def request(self) -> bytes:
        params: dict[str, object] = {"protocolVersion": self.protocol}
        if self.protocol == 2:
            params["info"] = {"name": "client", "version": "1.0"}
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        return json.dumps(message).encode() + b"\n"


def time_start(agent: Agent) -> float:
    """Return the seconds until a new process responds."""
    line = agent.request
    began = time.perf_counter()
    with subprocess.Popen(agent.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line)
        process.stdin.flush()
        answer = process.stdout.readline()
        seconds = time.perf_counter() - began
        process.stdin.close()
        process.stdout.read()
    assert answer, f"no answer from {agent.command[-1]}"
    version = json.loads(answer).get("result", {}).get("protocolVersion")
    assert version == agent.protocol, f"{agent.command[-1]} answered {answer!r}"
    return seconds


def time_starts(agents: Mapping[str, Agent], rounds: int) -> dict[str, list[float]]:
    """Return the times of each agent. They take turns, so that drift affects all alike."""
    found: dict[str, list[float]] = {name: [] for name in agents}
    for agent in agents.values():
        time_start(agent)  # from now on, its files are cached
    for _ in range(rounds):
        for name, agent in agents.items():
            found[name].append(time_start(agent))
    return found
