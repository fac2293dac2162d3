"""Atomic replacement and locking of files that several programs share."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ..runtime.jsonrpc.logs import logger_of

_log = logger_of(__name__)

# The suffix of a file that is being written.
TEMPORARY: Final = ".new"
# The last byte that can be locked, past the end of any file. On Windows, only this byte is locked,
# so that other programs can still read the file.
_LOCKED_BYTE: Final = 2**31 - 2


def replace_file(path: Path, parts: Iterable[bytes], ending: str = TEMPORARY) -> None:
    """Replace or create a file that only this user can access.

    Even if the call is interrupted, the file contains either the old or the new content.

    Args:
        path: the file.
        parts: the new content.
        ending: the suffix of a temporary file in the same folder. Programs that can write the file
            at the same time must use different suffixes.
    """
    temporary = path.with_name(path.name + ending)
    try:
        with open(temporary, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if sys.platform != "win32":  # folders cannot be opened on Windows
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def locked(path: Path, flags: int) -> Generator[int | None]:
    """Open a file and lock it while the context manager is active.

    The system releases the lock when the process exits, even if the process is killed. If the file
    system doesn't support locks, a warning is logged.

    Args:
        path: the file.
        flags: additional flags for `os.open`. The file is always opened for reading and writing.

    Returns:
        The open file, or None if it is already locked.

    Raises:
        OSError: If the file cannot be opened.
    """
    descriptor = os.open(path, flags | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o600)
    try:
        if not _lock(descriptor):
            yield None
            return
        try:
            yield descriptor
        finally:
            _unlock(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        _log.warning("cannot lock a file; using it without a lock: %s", error)
    return True


def _unlock(descriptor: int) -> None:
    if sys.platform == "win32":  # closing the file might not release the lock immediately
        import msvcrt

        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
