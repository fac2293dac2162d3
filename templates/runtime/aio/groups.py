"""The processes of an agent: the started process and its descendants.

A fork of this program inherits these objects and their exit handlers. It must not end the agent of
its parent, so a group only sends signals in the process that created it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from typing import Any, Protocol


class Group(Protocol):
    """Processes that end together."""

    def outlives(self) -> bool:
        """Return whether some of them still run, once the first one has ended."""
        ...

    def terminate(self) -> None:
        """Ask all of them to end."""
        ...

    def kill(self) -> None:
        """End all of them at once. After that, only `outlives` may be called."""
        ...


def group_of(transport: asyncio.SubprocessTransport, *, own: bool) -> Group:
    """Return the group of a process that was just started.

    Args:
        transport: the process.
        own: whether it was started with `options_of_own_group`; otherwise, its group is itself.
    """
    if not own:
        return Single(transport)
    if sys.platform == "win32":
        import ctypes

        from .jobs import Job

        process = transport.get_extra_info("subprocess")
        with suppress(OSError):  # the process has ended already, or the system refuses
            return Job(process._handle, ctypes.WinDLL("kernel32"))
        return Single(transport)
    return PosixGroup(transport.get_pid())


def options_of_own_group() -> dict[str, Any]:
    """Return the options that start a process which the signals of the terminal do not reach."""
    if sys.platform == "win32":
        from subprocess import CREATE_NEW_PROCESS_GROUP

        return {"creationflags": CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


class Single:
    """One process, without those that it starts."""

    def __init__(self, process: asyncio.SubprocessTransport) -> None:
        self._process = process
        self._owner = os.getpid()

    def outlives(self) -> bool:
        """See `Group`."""
        return False

    def terminate(self) -> None:
        """See `Group`."""
        self._send("SIGTERM")

    def kill(self) -> None:
        """See `Group`."""
        self._send("SIGKILL")

    def _send(self, name: str) -> None:
        if os.getpid() != self._owner:
            return
        with suppress(ProcessLookupError):
            if sys.platform == "win32":  # has no signals, and one way to end a process
                self._process.kill()
            # Before Python 3.13, asyncio would look first whether the process has ended, and so
            # take its exit status away from whoever waits for it.
            elif self._process.get_returncode() is None:
                os.kill(self._process.get_pid(), getattr(signal, name))


class PosixGroup:
    """A process group of POSIX.

    Its id belongs to it as long as it has a member, or its first process was not waited for. After
    that, another group may get it: so nothing is sent to a group that was found to be empty.
    """

    def __init__(self, id_: int) -> None:
        self._id = id_
        self._is_over = False
        self._owner = os.getpid()

    def outlives(self) -> bool:
        """See `Group`."""
        # Signal 0 only asks. Linux takes it for zombies, too; macOS refuses, see `_send`.
        if self._send(0) and sys.platform == "linux":
            self._is_over = _are_zombies(self._id)
        return not self._is_over

    def terminate(self) -> None:
        """See `Group`."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """See `Group`."""
        self._send(signal.SIGKILL)

    def _send(self, number: int) -> bool:
        """Send a signal; return whether there is a process that gets it."""
        if os.getpid() != self._owner:
            self._is_over = True
        if not self._is_over:
            try:
                os.killpg(self._id, number)
            except (ProcessLookupError, PermissionError):  # macOS: only zombies are left
                self._is_over = True
        return not self._is_over


def _are_zombies(group: int) -> bool:
    """Return whether all processes of a group are zombies: ended, but nobody waits for them.

    In a container, they may stay: its first process should wait for them, but may not know that.
    """
    number = b"%d" % group
    with suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                # The name of the program comes first, in parentheses, and may contain any.
                state, _, id_, *_ = file.read().rpartition(b")")[2].split()
                if id_ == number and state not in (b"Z", b"X"):
                    return False
        return True
    return False
