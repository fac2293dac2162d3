"""The loggers of the runtime, and calls whose failure is only logged.

The loggers don't print in programs that did not set up `logging`. Only `serve_stdio` prints, see
`aio.stderr_log`. It groups entries by `extra={"kind": ...}`, or else by their text without
arguments, and leaves out those with `extra={"is_usual": True}`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

R = TypeVar("R")

# The package may be vendored under another name: this is PACKAGE.runtime.jsonrpc.logs.
PACKAGE = __name__.rsplit(".", 3)[0]

# Without any handler, warnings would appear on standard error, where a program may draw its screen.
logging.getLogger(PACKAGE).addHandler(logging.NullHandler())


def logger_of(module: str) -> logging.Logger:
    """Return the logger of a module of the runtime.

    Args:
        module: its `__name__`.
    """
    return logging.getLogger(module)


def call_back(callback: Callable[..., R], *args: Any, what: str, log: logging.Logger) -> R | None:
    """Call a callback, and log what it raises, where `what` names it; return its result, or None.

    That includes `asyncio.CancelledError`: nothing is awaited here, so it is the callback's own.
    Only what ends the program is raised.

    Raises:
        SystemExit: the callback raised it.
        KeyboardInterrupt: the same, or the user has pressed Ctrl-C.
    """
    try:
        return callback(*args)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException:
        log.exception("%s failed", what)
        return None
