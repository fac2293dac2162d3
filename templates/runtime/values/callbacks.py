"""Calls of what users pass in or override, such as subscribers: a failure costs nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import logging  # which takes long


def call_back(callback: Callable[..., object], *args: Any, what: str, log: logging.Logger) -> None:
    """Call a callback, and log what it raises.

    Even `asyncio.CancelledError` is: no task waits here, so it comes from the callback. Only what
    ends the program is raised.

    Args:
        callback: what to call.
        args: its arguments.
        what: what it is, for the log.
        log: where its exception is logged.

    Raises:
        SystemExit: the callback raised it.
        KeyboardInterrupt: the same, or the user has pressed Ctrl-C.
    """
    try:
        callback(*args)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException:
        log.exception("%s failed", what)
