"""Job objects, with a kernel32 of the test's own."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import pytest
from acp_bindings.runtime.aio.jobs import Job


class Kernel32:
    """Job objects without processes: keeps the names of the calls, and how many are active."""

    def __init__(self, *, accepts: bool = True) -> None:
        self.calls: list[str] = []
        self.limits = b""
        self.assigned = 0
        self.active = 2
        self.accepts = accepts

    def __getattr__(self, name: str) -> Any:
        method = vars(Kernel32)[f"_{name}"]

        def call(*args: Any) -> Any:
            self.calls.append(name)
            return method(self, *args)

        return call

    def _CreateJobObjectW(self, attributes: None, name: None) -> int:
        return 77

    def _SetInformationJobObject(self, job: Any, kind: int, data: bytes, size: int) -> int:
        assert (job.value, kind, size) == (77, 9, len(data))
        self.limits = data
        return 1

    def _AssignProcessToJobObject(self, job: Any, process: ctypes.c_void_p) -> int:
        assert job.value == 77
        self.assigned = process.value or 0
        return int(self.accepts)

    def _QueryInformationJobObject(
        self, job: Any, kind: int, data: Any, size: int, length: None
    ) -> int:
        assert (job.value, kind, size) == (77, 1, 48)
        data.raw = struct.pack("@4q4I", 1, 2, 3, 4, 5, 6, self.active, 8)
        return 1

    def _TerminateJobObject(self, job: Any, status: int) -> int:
        assert (job.value, status) == (77, 1)
        return 1

    def _CloseHandle(self, job: Any) -> int:
        assert job.value == 77
        return 1


def test_a_job_ends_its_processes() -> None:
    kernel32 = Kernel32()
    job = Job(123, kernel32)
    assert kernel32.assigned == 123
    assert job.outlives()
    kernel32.active = 0
    assert not job.outlives()
    kernel32.calls.clear()
    job.terminate()
    for _ in range(2):
        job.kill()
    job.terminate()
    assert not job.outlives()
    assert kernel32.calls == ["TerminateJobObject", "CloseHandle"]


@pytest.mark.skipif(struct.calcsize("P") != 8, reason="the layout of 64 bits")
def test_the_limits_are_laid_out_as_in_the_header() -> None:
    """The flags come after two times of 64 bits, in a structure of 144 bytes."""
    kernel32 = Kernel32()
    Job(123, kernel32)
    assert len(kernel32.limits) == 144
    assert struct.unpack_from("<I", kernel32.limits, 16) == (0x2000,)
    assert kernel32.limits.count(0) == 143


def test_a_process_that_cannot_be_assigned_leaves_no_handle() -> None:
    kernel32 = Kernel32(accepts=False)
    with pytest.raises(OSError, match="cannot be assigned"):
        Job(123, kernel32)
    assert kernel32.calls[-1] == "CloseHandle"
