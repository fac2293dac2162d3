"""Ctrl-C: it ends a command at once, until something is written; then the command completes."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

from acpgen.commands.running import signals

EXIT_CODE = 130  # as shells report a process that SIGINT ended


def led_to(error: BaseException) -> bool:
    """Whether an error is a Ctrl-C, or came up while one was handled.

    One that arrives while the main thread begins to wait for another thread lets the lock of the
    wait raise a RuntimeError in its place.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__context__
    return cause is not None


def end() -> NoReturn:
    """Say in one line that the command was interrupted, and exit.

    Raises:
        SystemExit: always.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # pressed again, it would end in a traceback
    outcome = "all files were written" if signals.has_written() else "nothing written"
    print(f"interrupted, {outcome}", file=sys.stderr)
    raise SystemExit(EXIT_CODE)
