"""Process groups: an agent's process and its descendants, which are stopped together.

A group is a process group on POSIX systems and a job object on Windows.

If this program forks, the child process inherits the group objects and exit handlers but must not
kill the parent's agent. Therefore, a group sends signals only in the process that created it.
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
    """Processes that are stopped together."""

    def outlives(self) -> bool:
        """Return whether other processes are still running after the first process has exited."""
        ...

    def terminate(self) -> None:
        """Ask all processes to exit."""
        ...

    def kill(self) -> None:
        """Kill all processes immediately. After this call, only `outlives` may be called."""
        ...


def group_of(transport: asyncio.SubprocessTransport, *, own: bool) -> Group:
    """Return the group of a newly started process.

    Args:
        transport: the transport of the process.
        own: whether the process was started in its own group. Otherwise, the result contains only
            the process.
    """
    if not own:
        return Single(transport)
    if sys.platform == "win32":
        import ctypes

        process = transport.get_extra_info("subprocess")
        with suppress(OSError):  # the process has already exited, or cannot be assigned
            return Job(process._handle, ctypes.WinDLL("kernel32"))
        return Single(transport)
    return PosixGroup(transport.get_pid())


def options_of_own_group() -> dict[str, Any]:
    """Return the options for starting a process that receives no signals from the terminal."""
    if sys.platform == "win32":
        from subprocess import CREATE_NEW_PROCESS_GROUP

        return {"creationflags": CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


class Single:
    """A single process, without its children."""

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
            if sys.platform == "win32":  # Windows has no signals, so processes can only be killed
                self._process.kill()
            # Before Python 3.13, asyncio would first check whether the process has exited. The
            # check would consume the exit status that other code is waiting for.
            elif self._process.get_returncode() is None:
                os.kill(self._process.get_pid(), getattr(signal, name))


class PosixGroup:
    """A process group on POSIX systems.

    The group id is reserved until the group is empty and its first process has been reaped. After
    that, the system can assign the same id to another group. Therefore, no signals are sent once
    the group is known to be empty.
    """

    def __init__(self, id_: int) -> None:
        self._id = id_
        self._is_over = False
        self._owner = os.getpid()

    def outlives(self) -> bool:
        # Signal 0 only checks whether a process exists. On Linux, this includes zombies. On macOS,
        # the call raises an exception if only zombies are left; see `_send`.
        if self._send(0) and sys.platform == "linux":
            self._is_over = _are_zombies(self._id)
        return not self._is_over

    def terminate(self) -> None:
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    def _send(self, number: int) -> bool:
        """Send a signal and return whether a process received it."""
        if os.getpid() != self._owner:
            self._is_over = True
        if not self._is_over:
            try:
                os.killpg(self._id, number)
            except (ProcessLookupError, PermissionError):  # raised on macOS if only zombies remain
                self._is_over = True
        return not self._is_over


def _are_zombies(group: int) -> bool:
    """Return whether all processes of a group are zombies (have exited but not been reaped).

    Zombies can remain in a container if its first process doesn't reap them.
    """
    number = b"%d" % group
    with suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                # The program name comes first, in parentheses, and can contain parentheses.
                state, _, id_, *_ = file.read().rpartition(b")")[2].split()
                if id_ == number and state not in (b"Z", b"X"):
                    return False
        return True
    return False


# Arguments of kernel32 functions, and the layout of the structures that they use.
_ACCOUNTING, _LIMITS = 1, 9
_ACCOUNT = "@4q4I"  # times; page faults; numbers of all, active and terminated processes
_LIMIT = "@2qI2NIN2I6Q4N"  # times, flags and other limits
_KILL_ON_JOB_CLOSE = 0x2000


class Job:
    """A job object on Windows. When its handle is closed, all processes of the job are killed.

    The system also closes the handle when this program exits for any reason. Processes that the
    agent starts belong to the job, except processes started before the agent was assigned to the
    job.
    """

    def __init__(self, process: int, kernel32: Any) -> None:
        """Create a job and assign a process to it.

        Args:
            process: the handle of the process.
            kernel32: the Windows library `kernel32`.

        Raises:
            OSError: If the process has exited or cannot be assigned.
        """
        import ctypes  # imported here, since only Windows needs it

        self._kernel32 = kernel32
        # A handle is as large as a pointer, but `ctypes` assumes an int by default.
        kernel32.CreateJobObjectW.restype = ctypes.c_void_p
        job = kernel32.CreateJobObjectW(None, None)
        self._job: ctypes.c_void_p | None = ctypes.c_void_p(job)
        limits = struct.pack(_LIMIT, 0, 0, _KILL_ON_JOB_CLOSE, *[0] * 16)
        if not (
            kernel32.SetInformationJobObject(self._job, _LIMITS, limits, len(limits))
            and kernel32.AssignProcessToJobObject(self._job, ctypes.c_void_p(process))
        ):
            self.kill()
            raise OSError("cannot assign the process to a job object")

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
        """Kill the processes, since Windows cannot ask them to exit."""
        if self._job is not None:
            self._kernel32.TerminateJobObject(self._job, 1)

    def kill(self) -> None:
        if self._job is not None:
            self._kernel32.CloseHandle(self._job)
            self._job = None
