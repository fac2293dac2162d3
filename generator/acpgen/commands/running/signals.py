"""Hold Ctrl-C off while files are written, and from processes that are started."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_wrote = threading.Event()


def has_written() -> bool:
    """Whether files were written."""
    return _wrote.is_set()


@contextmanager
def writing() -> Iterator[None]:
    """Ignore Ctrl-C while files are written, so that they are written as a whole."""
    with ignored():
        yield
        _wrote.set()


@contextmanager
def ignored() -> Iterator[None]:
    """Ignore Ctrl-C inside the context."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


@contextmanager
def kept_from_children() -> Iterator[None]:
    """Keep Ctrl-C from the processes that are started inside the context.

    A terminal sends it to them, too, and each would print a traceback. They inherit the mask for
    good; a signal for this process arrives at the end of the context.
    """
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker  # slow, and seldom needed

    resource_tracker.ensure_running()  # started later, by multiprocessing, it would undo the mask
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)
