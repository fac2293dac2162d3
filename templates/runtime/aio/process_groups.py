"""Process groups: an agent's process and its descendants, which end together.

POSIX systems have process groups, and Windows has job objects.

A fork of this program inherits these objects and their exit handlers. It must not kill the agent of
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
        """Return whether other processes are still running after the first one exited."""
        ...

    def terminate(self) -> None:
        """Ask all processes to exit."""
        ...

    def kill(self) -> None:
        """Kill all processes immediately. After that, only `outlives` may be called."""
        ...


def group_of(transport: asyncio.SubprocessTransport, *, own: bool) -> Group:
    """Return the group of a process that was just started; just the process if not its `own`."""
    if not own:
        return Single(transport)
    if sys.platform == "win32":
        import ctypes

        process = transport.get_extra_info("subprocess")
        with suppress(OSError):  # the process has already exited, or the system refuses
            return Job(process._handle, ctypes.WinDLL("kernel32"))
        return Single(transport)
    return PosixGroup(transport.get_pid())


def options_of_own_group() -> dict[str, Any]:
    """Return the options to start a process that signals of the terminal do not reach."""
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
            if sys.platform == "win32":  # no signals there, and only one way to end a process
                self._process.kill()
            # Before Python 3.13, asyncio would first check whether the process exited. This would
            # consume its exit status before the code that waits for it.
            elif self._process.get_returncode() is None:
                os.kill(self._process.get_pid(), getattr(signal, name))


class PosixGroup:
    """A process group on POSIX systems.

    The group keeps its id while it has a member or its first process was not reaped. After that,
    another group can get the id, so no signals are sent to a group that was found empty.
    """

    def __init__(self, id_: int) -> None:
        self._id = id_
        self._is_over = False
        self._owner = os.getpid()

    def outlives(self) -> bool:
        # Signal 0 only checks. Linux also accepts it for zombies; macOS refuses, see `_send`.
        if self._send(0) and sys.platform == "linux":
            self._is_over = _are_zombies(self._id)
        return not self._is_over

    def terminate(self) -> None:
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    def _send(self, number: int) -> bool:
        """Send a signal; return whether a process received it."""
        if os.getpid() != self._owner:
            self._is_over = True
        if not self._is_over:
            try:
                os.killpg(self._id, number)
            except (ProcessLookupError, PermissionError):  # macOS: only zombies are left
                self._is_over = True
        return not self._is_over


def _are_zombies(group: int) -> bool:
    """Return whether all processes of a group are zombies: exited, but not reaped.

    In a container, they can remain: its first process should reap them, but may not do that.
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


# Arguments of kernel32 functions, and the fields of its structures in order.
_ACCOUNTING, _LIMITS = 1, 9
_ACCOUNT = "@4q4I"  # times; page faults, processes: all, active, terminated
_LIMIT = "@2qI2NIN2I6Q4N"  # times, flags, …
_KILL_ON_JOB_CLOSE = 0x2000


class Job:
    """A job object: its processes end when its handle is closed.

    This also happens when this program ends for any reason. Processes that the agent starts belong
    to it, except those started before the agent is assigned.
    """

    def __init__(self, process: int, kernel32: Any) -> None:
        """Assign a process, given by its handle, to a new job.

        Raises:
            OSError: If the process has exited, or the system refuses.
        """
        import ctypes  # imported here, as below: only Windows needs it

        self._kernel32 = kernel32
        # A handle is as large as a pointer; by default, `ctypes` treats it as an int.
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
        """Kill the processes, since Windows has no gentle way to end them."""
        if self._job is not None:
            self._kernel32.TerminateJobObject(self._job, 1)

    def kill(self) -> None:
        if self._job is not None:
            self._kernel32.CloseHandle(self._job)
            self._job = None
