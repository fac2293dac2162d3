"""Files shared by several programs: replaced atomically, and locked."""

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
# Windows refuses to read a locked byte. This one is past the end, the last that can be locked.
_LOCKED_BYTE: Final = 2**31 - 2


def replace_file(path: Path, parts: Iterable[bytes], ending: str = TEMPORARY) -> None:
    """Write a file for this user only. An interruption leaves the old or the new content.

    Args:
        path: the file.
        parts: the new content.
        ending: the suffix of the temporary file next to it. Programs that can write the file at
            the same time need different ones.
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

    A lock ends with its process, even if that is killed. If the file system does not support locks,
    a warning is logged.

    Args:
        path: the file.
        flags: the flags for `os.open`, besides those for reading and writing.

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
    if sys.platform == "win32":  # closing the file can release it later
        import msvcrt

        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
