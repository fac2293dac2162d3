"""Termination of an agent and all processes that it started, within two seconds.

    python termination.py PID

This file runs as a separate process so that the agent's processes are terminated even if the
process that started the agent is killed. The separate process waits for the end of its standard
input. The process then gives the agent's processes time to exit, terminates any remaining
processes, and finally kills them. A separate process runs for each agent. To start quickly, this
file imports only the standard library.

A process belongs to the agent if it is in the agent's session, or if its parent belongs to the
agent. Process groups and sessions that the agent creates are therefore included. Without `/proc`,
only the agent's process group can be found.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from select import select

# The time in seconds that processes are given to exit after their input ends, and after SIGTERM.
_UNTIL_TERMINATED, _UNTIL_KILLED = 1.1, 0.4
# The time limit in seconds for the separate process, which normally responds within milliseconds.
_PATIENCE = 5.0
_PAUSE = 0.02


class Termination:
    """A procedure that terminates an agent, which must be a session leader, and its processes."""

    def __init__(self, agent: int) -> None:
        """Start the separate process, which waits until `begin` is called or this process exits."""
        self._process: subprocess.Popen[bytes] | None = None
        if sys.platform == "win32":  # Windows has no process sessions
            return
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, str(agent)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,  # signals to this process's group must not reach the child
        )

    def begin(self) -> None:
        """Begin the termination and wait until the agent's processes have been found.

        Call this before closing the agent's input, because a process cannot be found after its
        parent exits. Repeated calls have no effect.
        """
        if self._process is not None:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.close()
            select([self._process.stdout], [], [], _PATIENCE)

    def wait(self) -> None:
        """Begin the termination and wait until all processes have exited."""
        self.begin()
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_PATIENCE)


class _Processes:
    def __init__(self, agent: int) -> None:
        self._agent = agent
        self._known = set[tuple[int, bytes]]()  # with start times, since IDs can be reused

    def running(self) -> list[int]:
        """Return the IDs of the running processes, with a negative ID for a process group."""
        if not os.path.exists("/proc/self/stat"):
            with suppress(OSError):  # macOS raises EPERM if only zombies are left
                os.kill(-self._agent, 0)
                return [-self._agent]
            return []
        found, children = list[int](), dict[int, list[int]]()
        starts, zombies = dict[int, bytes](), set[int]()
        for number in map(int, filter(str.isdigit, os.listdir("/proc"))):
            with suppress(OSError), open(f"/proc/{number}/stat", "rb") as file:
                # The second field, the program's name in parentheses, can contain any character.
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
        """Wait for all processes to exit, and return whether they did so in time."""
        end = time.monotonic() + seconds
        while self.running():
            if time.monotonic() > end:
                return False
            time.sleep(_PAUSE)
        return True

    def send(self, number: int) -> None:
        """Send a signal to each process."""
        for process in self.running():
            with suppress(OSError):  # the process exited or runs as another user
                os.kill(process, number)


def main(agent: int) -> None:
    """Wait for the end of standard input, then terminate and finally kill the agent's processes."""
    processes = _Processes(agent)
    while os.read(0, 1):
        pass
    processes.running()
    with suppress(OSError):  # raised if the process that started the agent was killed
        os.write(1, b"\n")
    if processes.exit_within(_UNTIL_TERMINATED):
        return
    processes.send(signal.SIGTERM)
    end = time.monotonic() + _PATIENCE
    is_over = processes.exit_within(_UNTIL_KILLED)
    while not is_over and time.monotonic() < end:  # until killed, a process can start others
        processes.send(signal.SIGKILL)
        is_over = processes.exit_within(_PAUSE)


if __name__ == "__main__":
    main(int(sys.argv[1]))
