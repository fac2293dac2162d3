"""Functions that classify parsed JSON-RPC 2.0 messages and format error responses."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Any, Literal, TypeAlias

from ..values import jsontext
from ..values.errors import DecodeError, EncodeError, cut, describe, quotation
from ..values.record import Record
from ..values.unset import UNSET
from ..values.writing import quote
from .errors import INTERNAL_ERROR, RequestError
from .logs import logger_of
from .method import INITIALIZE, VERSION, Surface

_log = logger_of(__name__)

RequestId: TypeAlias = str | int | None
MessageKind: TypeAlias = Literal["request", "notification", "result", "error", "batch", "invalid"]

CANCEL_REQUEST = "$/cancel_request"
_MEMBERS = frozenset(("jsonrpc", "id", "method", "params", "result", "error"))
# The maximum length of a string to read as a number: the length of a signed 64-bit integer.
_MAX_DIGITS = 20


def classify(message: Any) -> MessageKind:
    """Return the kind of JSON-RPC 2.0 message that parsed JSON represents.

    This function never raises an exception.

    Params are not checked, since their type depends on the method. A response may contain both a
    result and an error if one of them is null, since many peers write null for an absent field.
    """
    if type(message) is not dict:
        return "batch" if type(message) is list else "invalid"
    fields: dict[str, Any] = message  # pyright: ignore[reportUnknownVariableType]
    dialect = fields.get("jsonrpc")
    if type(dialect) is not str or dialect != "2.0":
        return "invalid"
    has_id = "id" in fields
    if has_id and type(fields["id"]) is not int and not is_id(fields["id"]):
        return "invalid"
    has_result, has_error = "result" in fields, "error" in fields
    if "method" in fields:
        if type(fields["method"]) is not str or has_result or has_error:
            return "invalid"
        return "request" if has_id else "notification"
    if not has_id:
        return "invalid"
    if not has_error or fields["error"] is None:
        return "result" if has_result else "invalid"
    is_error = fields.get("result") is None and _is_error(fields["error"])
    return "error" if is_error else "invalid"


def is_object(value: Any) -> bool:
    """Return whether a value is a JSON object.

    This function uses `type`, since the `__class__` attribute of other objects can lie or raise an
    exception.
    """
    return type(value) is dict


def is_id(value: Any) -> bool:
    """Return whether a JSON value can be the id of a request."""
    if type(value) is int or type(value) is str:
        return True
    return value is None or as_integer(value) is not None


def as_integer(value: Any) -> int | None:
    """Return a JSON value as an integer, or None if it is not an integer.

    A float such as 1.0 is an integer, as in JSON Schema.
    """
    if type(value) is float and value.is_integer():
        return int(value)
    return value if type(value) is int else None


def as_version(value: Any) -> int | None:
    """Return a JSON value as a protocol version, or None if it is not a version.

    A string of digits is also accepted, since some peers send strings.
    """
    # The schema limits versions to 16 bits, so longer numbers are not versions.
    if type(value) is str and value.isascii() and value.isdigit() and len(value) <= 5:
        return int(value)
    return as_integer(value)


def is_meant(names: Collection[str]) -> bool:
    """Return whether an object with these field names is intended as a message.

    A log line in JSON can also contain an `id`, a `method` or an `error`. However, it has no
    `jsonrpc` field, and some of its fields have other names.
    """
    return "jsonrpc" in names or _MEMBERS.issuperset(names)


def has_outcome(message: dict[str, Any]) -> bool:
    """Return whether an object contains a result or an error, as only responses do."""
    return "result" in message or "error" in message


def number_of(text: str) -> int | None:
    """Return the integer that a string represents in JSON, or None for other strings."""
    if len(text) > _MAX_DIGITS or not text.isascii():
        return None
    try:
        return as_integer(jsontext.loads(text))
    except DecodeError:
        return None


def quoted(text: str) -> str:
    """Encode a string as JSON.

    Raises:
        EncodeError: If the JSON backend cannot write the string.
    """
    return quote(text) if text.isascii() else jsontext.write(text)


def _is_error(value: Any) -> bool:
    if not is_object(value) or type(value.get("message")) is not str:
        return False
    return as_integer(value.get("code")) is not None


def peek_initialize(message: Any) -> int | None:
    """Return the protocol version that an `initialize` request specifies.

    This function doesn't need a surface, so a server for several surfaces can call it to choose a
    surface.

    Args:
        message: the message, as parsed JSON.

    Returns:
        The version, or None if the message is not an `initialize` request. In the message, the
        version can also be a string of digits.

    Raises:
        DecodeError: If the version is missing or not an integer. The error's pointer is relative to
            the params.
    """
    if classify(message) != "request" or message["method"] != INITIALIZE:
        return None
    params = message.get("params")
    if not is_object(params):
        raise DecodeError("", "object", describe(params), INITIALIZE)
    value = params.get(VERSION, UNSET)
    version = as_version(value)
    if version is None:
        raise DecodeError(f"/{VERSION}", "integer", describe(value), INITIALIZE)
    return version


def found_version(data: Any) -> str:
    """Return a description of the protocol version in params or a result, for an error message."""
    value = data.get(VERSION, UNSET) if is_object(data) else UNSET
    return quotation(value) if isinstance(value, str) else describe(value)


def pick_version(requested: int, supported: Iterable[int]) -> int:
    """Return the highest supported version that is not higher than the requested version.

    Requests for versions below 1 are treated like requests for version 1, as the version 1
    specification requires.

    Raises:
        RequestError: If all supported versions are too high. The code is
            UNSUPPORTED_PROTOCOL_VERSION.
    """
    offered = sorted(supported)
    fitting = [version for version in offered if version <= max(requested, 1)]
    if not fitting:
        data = {"requested": requested, "supported": offered}
        raise RequestError.unsupported_protocol_version(data)
    return fitting[-1]


def invalid_params(error: DecodeError, message: str = "invalid params") -> RequestError:
    """Return the error to send for params that cannot be decoded."""
    data = {"pointer": cut(error.pointer), "expected": error.expected, "found": error.found}
    return RequestError.invalid_params(data, message)


def error_response(id_: RequestId, error: RequestError, surface: Surface | None) -> str:
    """Return an error response as text, omitting parts that cannot be written as JSON.

    `surface` is used to encode data that is a record. Until a version is negotiated, `surface` is
    None.
    """
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    plain = {"code": INTERNAL_ERROR, "message": "internal error"}
    try:
        data = error.data
        if isinstance(data, Record) and surface is not None:
            data = surface.encode(data)
        full = body if data is UNSET else {**body, "data": data}
        return jsontext.write({"jsonrpc": "2.0", "id": id_, "error": full})
    except EncodeError as problem:  # a reply is still required
        _log.warning("replacing an error that cannot be sent: %s", cut(str(problem)))
    # The data or the message cannot be written as JSON, or the id can be read but not written by
    # the JSON backend.
    for reply in ({"id": id_, "error": body}, {"id": id_, "error": plain}):
        with suppress(EncodeError):
            return jsontext.write({"jsonrpc": "2.0", **reply})
    return jsontext.write({"jsonrpc": "2.0", "id": None, "error": plain})
