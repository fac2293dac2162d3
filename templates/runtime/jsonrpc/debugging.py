"""Debug mode, which sends and logs more information than is suitable in production."""

from __future__ import annotations

import os
from typing import Any

from .errors import RequestError
from .handler import Handler
from .method import Method

# The environment variable that enables debug mode, unless its value is empty or 0.
VARIABLE = "ACP_DEBUG"


def is_debugging(debug: bool | None) -> bool:
    """Return whether debug mode is on.

    Args:
        debug: the setting passed by the program, or None to use the environment variable.
    """
    return os.environ.get(VARIABLE, "") not in ("", "0") if debug is None else debug


def explained(error: BaseException) -> RequestError:
    """Return an internal error that contains an exception's traceback."""
    import traceback  # imported here, since few programs need it

    text = "".join(traceback.format_exception(error))
    return RequestError.internal_error({"traceback": text})


def is_handled(handler: Handler, method: Method[Any, Any]) -> bool:
    """Return whether a handler defines a method for a notification, or overrides `received`."""
    cls = handler.__class__
    if cls.received is not Handler.received:
        return True
    owner = next((base for base in cls.__mro__ if method.handler in vars(base)), None)
    return owner is not None and "surface" not in vars(owner)
