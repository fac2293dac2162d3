"""Trees of processes: programs around an agent, and how to find what is left of them."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chaos.checks import check

PART = [sys.executable, "-I", "-S", str(Path(__file__).parent / "tree_part.py")]
MARK = "CHAOS_TREE"
# Shells that run the command that follows.
SHELLS = {
    "becoming": 'exec "$0" "$@"',
    "waiting": '"$0" "$@"; exit $?',
    "deaf": 'trap "" TERM; "$0" "$@"; exit $?',
    "behind": 'exec 3<&0; "$0" "$@" <&3 3<&- & wait $!',
}
# What a shell writes to its standard error when a signal has ended the command.
EPITAPHS = (b"Killed", b"Terminated", b"Hangup")
NEVER = 3600.0


@dataclass(frozen=True)
class Tree:
    """Programs around an agent."""

    # The programs in front of it, from the outside: of `SHELLS`, or ways of `tree_part`.
    layers: list[str]
    # The options of the processes beside it.
    helpers: list[dict[str, Any]] = field(default_factory=list)

    def command(self, command: list[str]) -> list[str]:
        helpers = self.helpers
        for layer in reversed(self.layers):
            if layer in SHELLS:
                command = ["sh", "-c", SHELLS[layer], *command]
            else:
                command = [*PART, json.dumps({"way": layer, "helpers": helpers}), *command]
                helpers = []
        return command


def choose_tree(chance: random.Random, *, may_leave: bool, may_escape: bool) -> Tree:
    ways = ["exec", "wait", "leave"] if may_leave else ["exec", "wait"]
    layers = [chance.choice([*SHELLS, *ways]) for _ in range(chance.choice([1, 1, 2]))]
    helpers = [_helper(chance, may_escape) for _ in range(chance.choice([0, 1, 1, 2, 3]))]
    if helpers and not set(layers) & set(ways):
        layers.append(chance.choice(ways))
    return Tree(layers, helpers)


def _helper(chance: random.Random, may_escape: bool) -> dict[str, Any]:
    saying = ["nothing"] * 3 + ["lines", "half", "bytes", "long", "flood", "endless"]
    return {
        "holds": [each for each in (0, 1, 2) if chance.random() < 0.5],
        "deaf": chance.random() < 0.4,
        "apart": may_escape and chance.random() < 0.15,
        "forks": chance.choice([0, 0, 1, 3]),
        "says": chance.choice(saying),
        "seconds": chance.choice([0.01, 0.1, 0.5, NEVER, NEVER]),
    }


class Members:
    """The processes of a tree, found by a mark in their environment."""

    def __init__(self, name: str) -> None:
        self.env = {**os.environ, MARK: name}
        self._entry = f"{MARK}={name}".encode()

    def pids(self, command: list[str] | None = None) -> list[int]:
        """Return the processes that run, or only those that run a command; the first is first."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            with suppress(OSError):
                entries = Path("/proc", name, "environ").read_bytes().split(b"\0")
                if self._entry in entries and (command is None or _runs(name, command)):
                    found.append(int(name))
        return sorted(found)

    def signal(self, place: float, name: str) -> None:
        """Send a signal to a process of the tree, by its place from 0 to 1 in the order of ids.

        All of them are continued, since the place of the one that was stopped may be another now.
        """
        pids = self.pids()
        place = int(place * len(pids))
        for pid in pids if name == "CONT" else pids[place : place + 1]:
            send(pid, name)

    def kill(self) -> None:
        """Kill all of them, even if they fork meanwhile."""
        while pids := self.pids():
            for pid in pids:
                send(pid, "KILL")

    def check_gone(self, seconds: float, command: list[str] | None = None) -> None:
        """Check that the processes, or those that run a command, end within some time."""
        end = time.monotonic() + seconds
        while pids := self.pids(command):
            if time.monotonic() >= end:
                left = [_command(str(pid))[:6] for pid in pids]
                self.kill()
                check(False, f"processes are left: {left}")
            time.sleep(0.01)


def send(pid: int, name: str) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, getattr(signal, f"SIG{name}"))


def _command(pid: str) -> list[str]:
    with suppress(OSError):
        return os.fsdecode(Path("/proc", pid, "cmdline").read_bytes()).split("\0")[:-1]
    return []


def _runs(pid: str, command: list[str]) -> bool:
    return _command(pid) == command
