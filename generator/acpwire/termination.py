"""Termination of an agent and of all processes that it started, within two seconds.

    python ending.py PID

A separate process terminates them, so that it also happens when the process that started the agent
is killed. It waits for the end of its standard input. Then the processes get time to exit, are
terminated, and finally are killed. It runs from this file without any other package because one
starts with each agent.

A process belongs to the agent if it is in the agent's session, or if its parent belongs to the
agent. A process group or session that the agent starts is therefore included. Systems without
`/proc` only provide the agent's process group.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from select import select

# How long processes can take to exit after the end of their input, and after SIGTERM, in seconds.
_UNTIL_TERMINATED, _UNTIL_KILLED = 1.1, 0.4
# How long to wait for the separate process, which is a matter of milliseconds, in seconds.
_PATIENCE = 5.0
_PAUSE = 0.02


class Termination:
    """The termination of an agent that leads a session."""

    def __init__(self, agent: int) -> None:
        """Start the process that waits for `begin`, or for the end of this process."""
        self._process: subprocess.Popen[bytes] | None = None
        if sys.platform == "win32":  # no sessions
            return
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, str(agent)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,  # signals to the group of this process must not reach it
        )

    def begin(self) -> None:
        """Begin unless that happened before; return when the agent's processes are known.

        Close the agent's input only afterwards: a process that loses its parent is not found later.
        """
        if self._process is not None:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.close()
            select([self._process.stdout], [], [], _PATIENCE)

    def wait(self) -> None:
        """Begin, and wait until all processes exited or were killed."""
        self.begin()
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_PATIENCE)


class _Processes:
    def __init__(self, agent: int) -> None:
        self._agent = agent
        self._known = set[tuple[int, bytes]]()  # IDs can be reused, so they need their start times

    def running(self) -> list[int]:
        """Return the IDs of the running processes; a negative ID represents a group."""
        if not os.path.exists("/proc/self/stat"):
            with suppress(OSError):  # macOS: EPERM if only zombies are left
                os.kill(-self._agent, 0)
                return [-self._agent]
            return []
        found, children = list[int](), dict[int, list[int]]()
        starts, zombies = dict[int, bytes](), set[int]()
        for number in map(int, filter(str.isdigit, os.listdir("/proc"))):
            with suppress(OSError), open(f"/proc/{number}/stat", "rb") as file:
                # The program's name comes first, in parentheses, and can contain any character.
                fields = file.read().rpartition(b")")[2].split()
                starts[number] = fields[19]
                children.setdefault(int(fields[1]), []).append(number)
                if int(fields[3]) == self._agent or (number, fields[19]) in self._known:
                    found.append(number)
                if fields[0] in (b"Z", b"X"):
                    zombies.add(number)
        members = set[int]()
        while found:
            number = found.pop()
            if number not in members:
                members.add(number)
                found += children.get(number, ())
        self._known.update((number, starts[number]) for number in members)
        return list(members - zombies)

    def exit_within(self, seconds: float) -> bool:
        """Wait for all processes to exit; return whether they did."""
        end = time.monotonic() + seconds
        while self.running():
            if time.monotonic() > end:
                return False
            time.sleep(_PAUSE)
        return True

    def send(self, number: int) -> None:
        """Send a signal to each process."""
        for process in self.running():
            with suppress(OSError):  # it exited, or runs as another user
                os.kill(process, number)


def main(agent: int) -> None:
    """Wait for the end of standard input, and then for the processes; terminate, then kill them."""
    processes = _Processes(agent)
    while os.read(0, 1):
        pass
    processes.running()
    with suppress(OSError):  # the process that started the agent was killed
        os.write(1, b"\n")
    if processes.exit_within(_UNTIL_TERMINATED):
        return
    processes.send(signal.SIGTERM)
    end = time.monotonic() + _PATIENCE
    is_over = processes.exit_within(_UNTIL_KILLED)
    while not is_over and time.monotonic() < end:  # some can start others meanwhile
        processes.send(signal.SIGKILL)
        is_over = processes.exit_within(_PAUSE)


if __name__ == "__main__":
    main(int(sys.argv[1]))
