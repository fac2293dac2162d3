"""The resident memory of a process."""

from pathlib import Path


def resident(pid: int) -> int:
    """Return the resident memory of a process, in bytes."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    [size] = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
    return int(size) * 1024
