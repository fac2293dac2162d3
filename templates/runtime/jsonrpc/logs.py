"""The loggers of the runtime, and calls whose exceptions are only logged.

The loggers don't print in programs that did not configure `logging`. Only `serve_stdio` prints, see
`aio.stderr_log`. It groups entries by `extra={"kind": ...}`, or else by their text without
arguments, and omits entries with `extra={"is_usual": True}`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

R = TypeVar("R")

# The package can be vendored under another name: this is PACKAGE.runtime.jsonrpc.logs.
PACKAGE = __name__.rsplit(".", 3)[0]

# Without a handler, warnings would go to standard error, where a program might draw its screen.
logging.getLogger(PACKAGE).addHandler(logging.NullHandler())


def logger_of(module: str) -> logging.Logger:
    """Return the logger of a module of the runtime.

    Args:
        module: its `__name__`.
    """
    return logging.getLogger(module)


def call_back(callback: Callable[..., R], *args: Any, what: str, log: logging.Logger) -> R | None:
    """Call a callback and return its result. If it raises, log the exception and return None.

    This includes `asyncio.CancelledError`: nothing is awaited here, so the callback itself raised
    it. `what` names the callback in the log.

    Raises:
        SystemExit: If the callback raised it.
        KeyboardInterrupt: If the callback raised it, or the user pressed Ctrl-C.
    """
    try:
        return callback(*args)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException:
        log.exception("%s failed", what)
        return None
