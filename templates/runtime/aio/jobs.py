"""Job objects, the process groups of Windows."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

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
        """Assign a process to a new job.

        Args:
            process: the handle of the process.
            kernel32: the library of that name.

        Raises:
            OSError: the process has ended, or the system refuses.
        """
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
        """See `Group`."""
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
        """See `Group`."""
        if self._job is not None:
            self._kernel32.CloseHandle(self._job)
            self._job = None
