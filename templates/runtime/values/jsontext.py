"""JSON text: parsing and writing with the standard library or a backend selected by the user."""

from __future__ import annotations

import json
import json.encoder
import math
from collections.abc import Callable, Iterable
from typing import Any

from .errors import DecodeError, EncodeError, Path, parts_of, pointer, reason_of, step
from .surrogates import escape_halves

_WHITESPACE = " \t\n\r"
# The maximum depth that `find_unwritable` searches.
_DEPTH = 100


def _parse_float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("number out of range")
    return value


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not valid JSON")


def _make_encoder() -> Callable[[Any, int], Iterable[str]]:
    """Return a reusable C encoder. `json.dumps` would create an encoder for each call."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # as in PyPy
        encoder: Any = json.JSONEncoder(
            ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
        )
        return lambda value, indent: encoder.iterencode(value)

    def refuse(value: Any) -> Any:
        raise TypeError(f"{value.__class__.__name__} is not a JSON type")

    quote = json.encoder.encode_basestring
    encode: Callable[[Any, int], Iterable[str]] = make(
        None, refuse, quote, None, ":", ",", False, False, False
    )
    return encode


_decoder: Any = json.JSONDecoder(parse_float=_parse_float, parse_constant=_refuse_constant)
# The bare C scanner, which takes only half as long as `json.loads`.
_scan: Callable[[str, int], tuple[Any, int]] = _decoder.scan_once
_encode = _make_encoder()


def loads(text: str | bytes | bytearray) -> Any:
    """Parse one JSON value with the standard library.

    Raises:
        DecodeError: If the text is not valid JSON (RFC 8259), contains a number outside the range
            of a double, or is nested too deeply for the parser.
    """
    try:
        if not isinstance(text, str):
            text = text.decode("utf-8")
        # The scanner rejects leading whitespace, which is rare, so skip it only if scanning fails.
        try:
            value, end = _scan(text, 0)
        except StopIteration:
            value, end = _scan(text, len(text) - len(text.lstrip(_WHITESPACE)))
        if end != len(text) and text[end:].strip(_WHITESPACE):
            raise not_json(f"text after the value, at character {end}")
    except (StopIteration, ValueError, RecursionError) as error:
        raise not_json(error) from None
    return value


def scan(text: str, start: int) -> tuple[Any, int]:
    """Parse the JSON value at a position with the standard library.

    Returns:
        The value and the position of its end.

    Raises:
        DecodeError: If there is no JSON value at that position.
    """
    try:
        return _scan(text, start)
    except (StopIteration, ValueError, RecursionError) as error:
        raise not_json(error) from None


def not_json(problem: Exception | str) -> DecodeError:
    """Return the error for text that a parser rejected."""
    match problem:
        case DecodeError():
            return problem
        case StopIteration():
            found = f"no value at character {problem.value}"
        case json.JSONDecodeError():
            reason = problem.msg[:1].lower() + problem.msg[1:]
            reason = reason.removesuffix(" at").removesuffix(" starting")
            found = f"invalid text at character {problem.pos} ({reason})"
        case UnicodeError():
            found = "text that is not valid Unicode"
        case RecursionError():
            found = "a value nested too deeply"
        case _:
            found = str(problem)
    return DecodeError("", "JSON text", found)


def dumps(value: Any) -> str:
    r"""Write a JSON value as one line of text, using the standard library.

    Half of a surrogate pair is written as an escape, such as `\ud83d`.

    Raises:
        EncodeError: If the value contains NaN, an infinity or an object that JSON cannot represent,
            is nested too deeply for the encoder, or raises an exception when it is read.
    """
    try:
        return escape_halves("".join(_encode(value, 0)))
    except MemoryError:
        raise
    except Exception as error:  # subclasses of JSON types can raise any exception
        raise not_writable(error) from None


def find_unwritable(value: Any) -> str:
    """Return a pointer to the first part of a value that cannot be written.

    If the value is nested too deeply, the pointer is empty, since no single part is at fault.
    """
    place: list[str] = []
    is_found = True
    while is_found and len(place) < _DEPTH:
        is_found = False
        for name, part in parts_of(value):
            try:
                write(part)
            except EncodeError:
                place.append(step(name))
                value, is_found = part, True
                break
    return "".join(place) if len(place) < _DEPTH else ""


def as_read(value: Any, path: Path = ()) -> Any:
    """Return the result of writing a value as text and parsing the text.

    Tuples are converted to lists, and instances of subclasses are converted to JSON types.

    Raises:
        EncodeError: If a field name is not a string.
    """
    if is_array(value):
        return [as_read(item, (path, index)) for index, item in enumerate(value)]
    if is_object(value):
        for name in value:
            if not isinstance(name, str):
                raise EncodeError(pointer(path), f"the name {name!r} is not a string")
        return {str.__str__(name): as_read(item, (path, name)) for name, item in value.items()}
    # Call the base types' methods, since subclasses such as enumerations override these methods.
    match value:
        case bool():
            return value
        case str():
            return str.__str__(value)
        case int():
            return int.__index__(value)
        case float():
            return float.__float__(value)
        case _:
            return value


def is_array(value: Any) -> bool:
    """Return whether a value is written as an array."""
    return isinstance(value, list | tuple)


def is_object(value: Any) -> bool:
    """Return whether a value is written as an object."""
    return isinstance(value, dict)


def not_writable(problem: Exception) -> EncodeError:
    """Return the error for a value that an encoder rejected."""
    if isinstance(problem, RecursionError):
        return EncodeError("", "nested too deeply to be written")
    return EncodeError("", reason_of(problem))


# The functions that surfaces and connections call. `set_json` replaces these functions.
parse: Callable[[Any], Any] = loads
write: Callable[[Any], str] = dumps
# Whether the standard library writes JSON text. Values with a writer are then written directly.
is_standard = True


def set_json(
    *,
    loads: Callable[[Any], Any] | None = None,
    dumps: Callable[[Any], str | bytes] | None = None,
) -> None:
    """Select the JSON backend for the entire process. Without arguments, use the standard library.

    Text with half of a surrogate pair is supported only if the backend supports it. `orjson` can
    neither read nor write such text, so messages that contain it are rejected.

    Args:
        loads: a function that parses text (str, bytes or bytearray), such as `orjson.loads`. The
            function must raise ValueError for invalid JSON, including trailing text, NaN and
            numbers that are out of range.
        dumps: a function that writes a value as one line of text, such as `orjson.dumps`. Values
            that JSON cannot represent (NaN, typed objects) are rejected even if this function
            accepts them.
    """
    global parse, write, is_standard
    parse = loads or _LOADS
    write = checked(dumps) if dumps else _DUMPS
    is_standard = dumps is None


# Other names for use in `set_json`, where `loads` and `dumps` are parameters.
_LOADS, _DUMPS = loads, dumps


def checked(dumps: Callable[[Any], str | bytes]) -> Callable[[Any], str]:
    """Wrap an encoder so that it rejects the same values as `dumps`."""

    def write_checked(value: Any) -> str:
        try:
            written = dumps(value)
            text = written if isinstance(written, str) else written.decode("utf-8")
            if any(trace in text for trace in _TRACES):
                _check_json(value)
            return escape_halves(text)
        except MemoryError:
            raise
        except Exception as error:
            raise not_writable(error) from None

    return write_checked


# Fast encoders write NaN as null and typed objects in their own format. Searching a value for NaN
# and typed objects is slow, so it is done only if the text contains one of these strings.
_TRACES = ("null", "NaN", "Infinity", "UNSET", "unknown_fields")


def _check_json(value: Any) -> None:
    # This function is not recursive, since Python limits the recursion depth.
    pending = [value]
    while pending:
        part = parts = pending.pop()
        if isinstance(part, dict):
            pending.extend(parts.values())
        elif isinstance(part, (list, tuple)):
            pending.extend(parts)
        elif isinstance(part, float):
            if not math.isfinite(part):
                raise ValueError("NaN and infinities are not valid JSON")
        elif part is not None and not isinstance(part, (str, int)):
            raise TypeError(f"{part.__class__.__name__} is not a JSON type")
