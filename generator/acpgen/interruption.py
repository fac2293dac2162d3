"""Ctrl-C: it ends a command at once, until something is written; then the command completes."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

EXIT_CODE = 130  # as shells report a process that SIGINT ended

_wrote = threading.Event()


def end() -> NoReturn:
    """Say in one line that the command was interrupted, and exit.

    Raises:
        SystemExit: always.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # pressed again, it would end in a traceback
    what = "all files were written" if _wrote.is_set() else "nothing written"
    print(f"interrupted, {what}", file=sys.stderr)
    raise SystemExit(EXIT_CODE)


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
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)
