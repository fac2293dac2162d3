"""The loggers of the runtime. They print nothing in programs that have not set up `logging`."""

from __future__ import annotations

import logging

# The package may be vendored under another name: this is PACKAGE.runtime.jsonrpc.logs.
_PACKAGE = __name__.rsplit(".", 3)[0]

# Without any handler, warnings would appear on standard error, where a program may draw its screen.
logging.getLogger(_PACKAGE).addHandler(logging.NullHandler())


def logger_of(module: str) -> logging.Logger:
    """Return the logger of a module of the runtime.

    Args:
        module: its `__name__`.
    """
    return logging.getLogger(module)
