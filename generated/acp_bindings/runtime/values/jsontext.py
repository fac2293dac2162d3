# Made by acpgen 0.1.0 from templates/runtime/values/jsontext.py.
# Do not edit it; make it again with acpgen.

"""JSON text: the standard library's scanner and encoder bound once, or a backend of the user's."""

from __future__ import annotations

import json
import json.encoder
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from .errors import DecodeError, EncodeError

_SPACE = " \t\n\r"
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("number out of range")
    return value


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _make_scanner() -> Callable[[str, int], tuple[Any, int]]:
    """The C scanner by itself: `json.loads` spends as long around it as in it."""
    decoder: Any = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse)
    scan: Callable[[str, int], tuple[Any, int]] = decoder.scan_once
    return scan


def _make_encoder() -> Callable[[Any, int], Iterable[str]]:
    """The C encoder by itself: `json.dumps` makes a new one at each call."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        encoder: Any = json.JSONEncoder(
            ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
        )
        return lambda value, indent: encoder.iterencode(value)

    def refuse(value: Any) -> Any:
        raise TypeError(f"{value.__class__.__name__} is not JSON")

    quote = json.encoder.encode_basestring
    encode: Callable[[Any, int], Iterable[str]] = make(
        None, refuse, quote, None, ":", ",", False, False, False
    )
    return encode


_scan = _make_scanner()
_encode = _make_encoder()


def loads(text: str | bytes | bytearray) -> Any:
    """Parse one JSON value with the standard library.

    Raises:
        DecodeError: it is not JSON (RFC 8259), holds a lone surrogate or a number that is no
            finite double, or is nested too deeply for the parser.
    """
    try:
        if not isinstance(text, str):
            text = text.decode("utf-8")
        try:
            value, end = _scan(text, 0)
        except StopIteration:
            value, end = _scan(text, len(text) - len(text.lstrip(_SPACE)))
        if end != len(text) and text[end:].strip(_SPACE):
            raise not_json(f"text after the value, at character {end}")
        if not text.isascii():
            text.encode()
        # Looking for one character is fast, for two it is not; few texts have an escape.
        if "\\" in text and _SURROGATE_ESCAPE.search(text):
            "".join(_encode(value, 0)).encode()
    except (StopIteration, ValueError, RecursionError) as error:
        raise not_json(error) from None
    return value


def not_json(problem: Exception | str) -> DecodeError:
    """The error for text that a parser refuses."""
    match problem:
        case DecodeError():
            return problem
        case StopIteration():
            found = f"no value at character {problem.value}"
        case json.JSONDecodeError():
            found = f"{problem.msg} at character {problem.pos}"
        case UnicodeError():
            found = "text that is not Unicode"
        case RecursionError():
            found = "a value nested too deeply"
        case _:
            found = str(problem)
    return DecodeError("", "JSON text", found)


def dumps(value: Any) -> str:
    """Write one JSON value as one line of text with the standard library.

    Raises:
        EncodeError: it holds NaN, an infinity, a lone surrogate or what is not JSON at all, or is
            nested too deeply for the encoder.
    """
    try:
        text = "".join(_encode(value, 0))
        if not text.isascii():
            text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise not_writable(error) from None
    return text


def not_writable(problem: Exception) -> EncodeError:
    """The error for a value that an encoder refuses."""
    if isinstance(problem, UnicodeError):
        return EncodeError("text with a lone surrogate is not JSON")
    if isinstance(problem, RecursionError):
        return EncodeError("nested too deeply to be written")
    return EncodeError(str(problem))


# What the surfaces call; `set_json` puts others in their place.
parse: Callable[[Any], Any] = loads
write: Callable[[Any], str] = dumps


def set_json(
    *,
    loads: Callable[[Any], Any] | None = None,
    dumps: Callable[[Any], str | bytes] | None = None,
) -> None:
    """Choose the JSON text backend of the whole process; without arguments, the standard library.

    Args:
        loads: text (str, bytes or bytearray) to value, such as `orjson.loads`. It must raise
            ValueError for what is not JSON: trailing text, NaN, numbers out of range, lone
            surrogates.
        dumps: value to text in one line, such as `orjson.dumps`. What it writes in ways of its own
            (NaN, typed objects) is looked for here.
    """
    global parse, write
    parse = loads or _LOADS
    write = checked(dumps) if dumps else _DUMPS


_LOADS, _DUMPS = loads, dumps


def checked(dumps: Callable[[Any], str | bytes]) -> Callable[[Any], str]:
    """Hold a foreign encoder to the rules of `dumps`."""

    def write_checked(value: Any) -> str:
        try:
            written = dumps(value)
            text = written if isinstance(written, str) else written.decode("utf-8")
            if any(trace in text for trace in _TRACES):
                _check_json(value)
            if not text.isascii():
                text.encode()
            if "\\" in text and _SURROGATE_ESCAPE.search(text):
                "".join(_encode(value, 0)).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise not_writable(error) from None
        return text

    return write_checked


# Fast encoders write null for NaN, and typed objects in a way of their own. Looking for either in a
# value is slow, looking for what they leave in the text is not.
_TRACES = ("null", "NaN", "Infinity", "UNSET", "unknown_fields")


def _check_json(value: Any) -> None:
    pending = [value]
    while pending:
        each = parts = pending.pop()
        if isinstance(each, dict):
            pending.extend(parts.values())
        elif isinstance(each, (list, tuple)):
            pending.extend(parts)
        elif isinstance(each, float):
            if not math.isfinite(each):
                raise ValueError("NaN and infinities are not JSON")
        elif each is not None and not isinstance(each, (str, int)):
            raise TypeError(f"{each.__class__.__name__} is not JSON")
