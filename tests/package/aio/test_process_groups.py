"""Tests of Windows job objects with a fake kernel32."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from acp_bindings.runtime.aio.process_groups import Job

JOB = 77
# The expected second argument of each function: an information class or an exit code.
EXPECTED = {"SetInformationJobObject": 9, "QueryInformationJobObject": 1, "TerminateJobObject": 1}


class Kernel32:
    """A fake kernel32 that records calls and reports a given number of active processes."""

    def __init__(self, *, accepts: bool = True) -> None:
        self.calls: list[str] = []
        self.limits = b""
        self.assigned = 0
        self.active = 1
        self.accepts = accepts

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any) -> int:
            self.calls.append(name)
            if name == "CreateJobObjectW":
                assert args == (None, None)
                return JOB
            job, *rest = args
            assert job.value == JOB
            if name in EXPECTED:
                assert rest[0] == EXPECTED[name]
            if name == "SetInformationJobObject":
                self.limits = rest[1]
                assert rest[2] == len(self.limits)
            elif name == "QueryInformationJobObject":
                assert rest[2:] == [48, None]
                rest[1].raw = struct.pack("@4q4I", 1, 2, 3, 4, 5, 6, self.active, 8)
            elif name == "AssignProcessToJobObject":
                self.assigned = rest[0].value
                return int(self.accepts)
            return 1

        return call


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
    """The limits form a 144-byte structure with the flags after two 64-bit times."""
    kernel32 = Kernel32()
    Job(123, kernel32)
    assert len(kernel32.limits) == 144
    assert struct.unpack_from("<I", kernel32.limits, 16) == (0x2000,)
    assert kernel32.limits.count(0) == 143


def test_a_process_that_cannot_be_assigned_leaves_no_handle() -> None:
    kernel32 = Kernel32(accepts=False)
    with pytest.raises(OSError, match="cannot assign"):
        Job(123, kernel32)
    assert kernel32.calls[-1] == "CloseHandle"
