"""Replies to requests: error responses as text, and batches."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Any

from ..values import jsontext
from ..values.errors import EncodeError
from ..values.record import Record
from ..values.unset import UNSET
from .errors import INTERNAL_ERROR, RequestError
from .messages import RequestId
from .method import Surface

_log = logging.getLogger(__name__)


class Batch:
    """The replies to one array of messages, sent together when the last of them is there.

    Attributes:
        open: how many replies are missing; one more while the array is being read.
        replies: the text of each reply so far.
    """

    def __init__(self) -> None:
        self.open = 1
        self.replies: list[str] = []


def internal_error() -> RequestError:
    """Return the error that says no more than that something failed."""
    return RequestError(INTERNAL_ERROR, "internal error")


def error_response(id_: RequestId, error: RequestError, surface: Surface | None) -> str:
    """Write an error response. Whatever cannot be written as JSON is left out or replaced.

    Args:
        id_: the id of the request.
        error: the error; its data may be a record of the surface.
        surface: the surface that encodes records; None if it is not known yet.
    """
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    plain = {"code": INTERNAL_ERROR, "message": "internal error"}
    try:
        data = error.data
        if isinstance(data, Record) and surface is not None:
            data = surface.encode(data)
        full = body if data is UNSET else {**body, "data": data}
        return jsontext.write({"jsonrpc": "2.0", "id": id_, "error": full})
    except EncodeError as problem:  # a reply is still due
        _log.warning("an error cannot be sent as it is: %s", problem)
    # The data or the message is not JSON, or the id is a number that the backend reads only.
    for reply in ({"id": id_, "error": body}, {"id": id_, "error": plain}):
        with suppress(EncodeError):
            return jsontext.write({"jsonrpc": "2.0", **reply})
    return jsontext.write({"jsonrpc": "2.0", "id": None, "error": plain})
