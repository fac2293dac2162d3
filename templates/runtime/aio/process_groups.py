"""Process groups: the processes of an agent, the started one and its descendants, end together.

POSIX systems have process groups, and Windows has job objects.

A fork of this program inherits these objects and their exit handlers. It must not end the agent of
its parent, so a group only sends signals in the process that created it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import struct
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
    """Return the group of a process that was just started: itself, unless it has its `own`."""
    if not own:
        return Single(transport)
    if sys.platform == "win32":
        import ctypes

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
        return False

    def terminate(self) -> None:
        self._send("SIGTERM")

    def kill(self) -> None:
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
        # Signal 0 only asks. Linux takes it for zombies, too; macOS refuses, see `_send`.
        if self._send(0) and sys.platform == "linux":
            self._is_over = _are_zombies(self._id)
        return not self._is_over

    def terminate(self) -> None:
        self._send(signal.SIGTERM)

    def kill(self) -> None:
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


# Arguments of the functions of kernel32, and the members of its structures in the order there.
_ACCOUNTING, _LIMITS = 1, 9
_ACCOUNT = "@4q4I"  # times; page faults, processes: all, active, terminated
_LIMIT = "@2qI2NIN2I6Q4N"  # times, flags, …
_KILL_ON_JOB_CLOSE = 0x2000


class Job:
    """A job object: the processes that it holds end when its handle is closed.

    That happens when this program ends, too, however it does. What the agent starts belongs to it,
    except in the moment before the agent is assigned.
    """

    def __init__(self, process: int, kernel32: Any) -> None:
        """Assign a process to a new job, by its handle and the library kernel32.

        Raises:
            OSError: the process has ended, or the system refuses.
        """
        import ctypes  # as below: other systems do without

        self._kernel32 = kernel32
        # A handle has the size of a pointer; by default, `ctypes` takes it for an int.
        kernel32.CreateJobObjectW.restype = ctypes.c_void_p
        job = kernel32.CreateJobObjectW(None, None)
        self._job: ctypes.c_void_p | None = ctypes.c_void_p(job)
        limits = struct.pack(_LIMIT, 0, 0, _KILL_ON_JOB_CLOSE, *[0] * 16)
        if not (
            kernel32.SetInformationJobObject(self._job, _LIMITS, limits, len(limits))
            and kernel32.AssignProcessToJobObject(self._job, ctypes.c_void_p(process))
        ):
            self.kill()
            raise OSError("the process cannot be assigned to a job object")

    def outlives(self) -> bool:
        import ctypes

        size = struct.calcsize(_ACCOUNT)
        account = ctypes.create_string_buffer(size)
        if self._job is None or not self._kernel32.QueryInformationJobObject(
            self._job, _ACCOUNTING, account, size, None
        ):
            return False
        active: int = struct.unpack(_ACCOUNT, account.raw)[6]
        return active > 0

    def terminate(self) -> None:
        """See `Group`. There is no gentle way."""
        if self._job is not None:
            self._kernel32.TerminateJobObject(self._job, 1)

    def kill(self) -> None:
        if self._job is not None:
            self._kernel32.CloseHandle(self._job)
            self._job = None
