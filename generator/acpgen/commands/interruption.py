"""Ctrl-C handling: commands are aborted immediately, except while files are being written."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from acpgen.common.exit_codes import INTERRUPTED

_wrote = threading.Event()


def led_to(error: BaseException) -> bool:
    """Return whether an error is a KeyboardInterrupt or was raised while one was being handled.

    If Ctrl-C is pressed just as the main thread starts waiting for another thread, the lock used
    for waiting can raise a RuntimeError.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__context__
    return cause is not None


def end() -> NoReturn:
    """Report the interruption on one line and exit."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C would print a traceback
    outcome = "all files were written" if _wrote.is_set() else "nothing written"
    print(f"interrupted, {outcome}", file=sys.stderr)
    raise SystemExit(INTERRUPTED)


@contextmanager
def writing() -> Iterator[None]:
    """Ignore Ctrl-C inside the context so that all files are written."""
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
    """Block Ctrl-C for the processes that are started inside the context.

    The terminal also sends SIGINT to these processes, and each would print a traceback. The
    processes inherit the signal mask and never unblock the signal. If Ctrl-C is pressed inside the
    context, this process receives the signal when the context exits.
    """
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker  # a slow import, rarely needed

    # Starting the tracker unblocks the signal, so start it before blocking the signal.
    resource_tracker.ensure_running()
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)
