"""The runtime's loggers, and a helper that logs the exceptions of callbacks.

In programs that do not configure `logging`, only `serve_stdio` prints log entries (see
`aio.stderr_log`). Printed entries are grouped by `extra={"kind": ...}` or, without a kind, by their
text without arguments. Entries with `extra={"is_usual": True}` are omitted.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

R = TypeVar("R")

# The name is taken from this module's name, since the package can be vendored under another name.
PACKAGE = __name__.rsplit(".", 3)[0]

# Without a handler, warnings would go to standard error and could corrupt a program's terminal UI.
logging.getLogger(PACKAGE).addHandler(logging.NullHandler())


def logger_of(module: str) -> logging.Logger:
    """Return the logger for a runtime module.

    Args:
        module: the `__name__` of the module.
    """
    return logging.getLogger(module)


def call_back(callback: Callable[..., R], *args: Any, what: str, log: logging.Logger) -> R | None:
    """Call a callback and return its result. If the call fails, log the exception and return None.

    Even `asyncio.CancelledError` is logged: nothing is awaited here, so the callback itself raised
    it. `what` describes the callback in the log.

    Raises:
        SystemExit: If the callback raised this exception.
        KeyboardInterrupt: If the callback raised this exception, or if the user pressed Ctrl-C.
    """
    try:
        return callback(*args)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException:
        log.exception("%s failed", what)
        return None
