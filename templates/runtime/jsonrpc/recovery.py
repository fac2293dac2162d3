"""Recovery: reads parts of lines that aren't valid JSON.

A peer can send text that cannot be parsed, such as invalid UTF-8, a number that is out of range, a
value that is nested too deeply or a line that is too long. If the line contains a request, the peer
is still waiting for the response. If the line contains the response to a call, no other response
will arrive.

A program can also print text on the same line as a message. The message is read if its beginning
and end are unambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from ..values import jsontext
from ..values.deferred import dataclass
from ..values.errors import DecodeError
from .messages import classify, is_id, is_meant

# The number of bytes to read at the beginning and at the end of a line. Reading more would delay
# other messages.
HEAD, TAIL = 1 << 20, 1 << 12
# The maximum number of brackets and strings to read at the beginning.
_MAX_TOKENS = 100_000
# The maximum length of an id or method name to read, in bytes.
_MAX_VALUE = 1 << 10
# A string, with or without a closing quote. Requiring the quote would take quadratic time.
_STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"?'
_SCALAR = rb"(" + _STRING + rb"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|null)"
_TOKEN = re.compile(rb"[\[\]{}]|" + _STRING, re.DOTALL)
_MEMBER = re.compile(rb"\s*:\s*(?:" + _SCALAR + rb"(?=[\s,}\]]|$))?", re.DOTALL)
# An `id` that is the last field of an object at the end of a line. Within strings, the quotes
# around `id` are escaped, so they don't match.
_LAST_ID = re.compile(rb',\s*"id"\s*:\s*' + _SCALAR + rb"\s*}\s*$")
_OPENING, _CLOSING = (b"[", b"{"), (b"]", b"}")
# A translation table for `is_whole` that replaces irrelevant characters with blanks.
_MARKS = bytes(byte if byte in b'"[]{}\\' else ord(" ") for byte in range(256))
# The beginning of a line that starts with a message or batch, not with a log line or other text.
_START = re.compile(rb"\s*(?:\[\s*)?\{\s*(?:[\"}]|$)")
# The beginning of a message or batch after other text, which can also contain brackets.
_MESSAGE = r'(?:\[\s*)?\{\s*"(?:jsonrpc|id|method|params|result|error)"\s*:'
_BEGINNING, _BEGINNING_IN_BYTES = re.compile(_MESSAGE, re.ASCII), re.compile(_MESSAGE.encode())
_NEXT = re.compile(rf"[ \t\r]*({_MESSAGE})", re.ASCII)


def ends_of(line: bytes) -> bytes:
    """Return the parts of an overlong line that `recover` reads.

    These parts are the beginning and, if the line can contain a message, the end.
    """
    return line[:HEAD] + line[max(HEAD, len(line) - TAIL) :] if may_recover(line) else line[:HEAD]


def is_whole(line: bytes) -> bool:
    """Return whether a line contains a complete object or array, as opposed to a truncated one.

    The line can be long and contain arbitrary data. Individual tokens are not checked, since that
    would take seconds.
    """
    if line.rstrip()[-1:] not in _CLOSING:
        return False
    # Once escaped backslashes are removed, each backslash before a quote escapes the quote. From
    # here on, "'" represents an escaped quote. Consecutive escaped quotes are merged. This doesn't
    # affect the result but reduces the number of parts.
    marks = line.replace(b"\\\\", b"").translate(_MARKS)
    marks = marks.replace(b'\\"', b"'").translate(None, b" \\").replace(b'""', b"")
    while b"''" in marks:
        marks = marks.replace(b"''", b"'")
    depth, is_text = 0, False
    for start in range(0, len(marks), HEAD):
        # An escaped quote is always within a string. Therefore, each part between two escaped
        # quotes begins and ends within a string.
        parts = (b'"' * (not is_text) + marks[start : start + HEAD]).split(b"'")
        odd = [part.count(b'"') % 2 for part in parts]
        text = b"".join([part + b'"' * more for part, more in zip(parts, odd, strict=True)])
        outside = b"".join(text.split(b'"')[1::2])
        depth += sum(map(outside.count, _OPENING)) - sum(map(outside.count, _CLOSING))
        is_text = not odd[-1]
    return depth <= 0


@dataclass(slots=True)
class _Object:
    """An object in a line that isn't valid JSON.

    Attributes:
        message: the readable fields; see `recover`.
        names: the names of all fields.
    """

    message: dict[str, Any]
    names: set[str]


@dataclass(frozen=True, slots=True)
class Embedded:
    """The messages of a line that also contains other text, or that contains several messages.

    Attributes:
        messages: the messages and batches, as parsed JSON.
        found: a description of the additional content of the line.
        text: the text before or after the messages; if there is no such text, the entire line.
    """

    messages: list[Any]
    found: str
    text: str


def embedded(line: bytes) -> Embedded | None:
    """Read the messages of a line that isn't valid JSON because it contains other text.

    The running time is linear in the length of the line.

    Returns:
        The messages and the text before or after them. None if the line is ambiguous: it contains
        text both before and after the messages, or an invalid part that begins like a message.
    """
    begin = _find_beginning(line)
    if begin is None:
        return None
    before = line[:begin].strip(b" \t\r")
    # A line that begins with an object can be a log line that quotes a message.
    if _START.match(before) and not is_whole(before):
        return None
    # The text after the messages may contain any bytes.
    rest = line[begin:].decode("utf-8", "surrogateescape")
    messages: list[Any] = []
    end = 0
    while following := _NEXT.match(rest, end):
        try:
            message, end = jsontext.scan(rest, following.start(1))
        except DecodeError:
            return None
        messages.append(message)
    after = rest[end:].strip(" \t\r")
    is_quoted = before and after
    if is_quoted or _BEGINNING.search(after) or not all(map(_is_valid, messages)):
        return None
    try:
        rest[:end].encode()
    except UnicodeEncodeError:  # a message contains bytes that are not UTF-8
        return None
    if before:
        return Embedded(messages, "text before it", before.decode("utf-8", "replace"))
    if after:
        text = after.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return Embedded(messages, "text after it", text)
    if len(messages) > 1:
        return Embedded(messages, "several", rest)
    return None  # a single message, without other text, that the JSON backend rejected


def _is_valid(message: Any) -> bool:
    parts = message if message.__class__ is list else [message]
    return all(classify(part) not in ("batch", "invalid") for part in parts)


def _find_beginning(line: bytes | bytearray) -> int | None:
    begin = _BEGINNING_IN_BYTES.search(line, 0, HEAD)
    return begin and begin.start()


def may_recover(line: bytes | bytearray) -> bool:
    """Return whether a line that isn't valid JSON contains the beginning of a message."""
    return _START.match(line) is not None or _find_beginning(line) is not None


def recover(line: bytes) -> list[dict[str, Any]] | None:
    """Read as much as possible of the message or batch on a line that isn't valid JSON.

    In a long line, only the beginning and the end are read, since they usually contain the ids.

    Returns:
        For each message, an object that contains the fields `jsonrpc`, `id` and `method` if they
        are readable. If a message has a `result` or `error`, the object contains that field with
        the value None. If the line doesn't appear to contain a message, the return value is None.
    """
    begin = 0 if _START.match(line) else _find_beginning(line)
    if begin is None:
        return None
    objects, is_complete = _read(line[begin : begin + HEAD])
    # If other text precedes an object, the object is a message only if it has a `jsonrpc` field.
    is_kept = _names_protocol if begin else is_meant
    messages = [each.message for each in objects if is_kept(each.names)]
    # Some peers write the id last, so it can be at the end of a line that was not fully read.
    if len(messages) == 1 and "id" not in messages[0] and not (is_complete and len(line) <= HEAD):
        last = _LAST_ID.search(line[-TAIL:])
        if last is not None:
            _store(messages[0], "id", last[1])
    return messages if messages or not (begin or objects) else None


def _names_protocol(names: Collection[str]) -> bool:
    return "jsonrpc" in names


def _read(line: bytes) -> tuple[list[_Object], bool]:
    """Return a line's or batch's objects. The flag is true if the line was read completely."""
    level = 2 if line.lstrip()[:1] == b"[" else 1  # the nesting depth of a message's fields
    depth = 0
    objects: list[_Object] = []
    current = _Object({}, set())
    is_complete = True
    for count, token in enumerate(_TOKEN.finditer(line)):
        text = token[0]
        if text in _OPENING:
            depth += 1
        elif text in _CLOSING:
            if depth == level and current.names:
                objects.append(current)
                current = _Object({}, set())
            depth -= 1
        elif depth == level and (member := _MEMBER.match(line, token.end())):
            name = text[1:-1].decode("ascii", "replace")
            current.names.add(name)
            _store(current.message, name, member[1])
        if count == _MAX_TOKENS:  # a line full of brackets would delay other messages
            is_complete = False
            break
    return [*objects, current] if current.names else objects, is_complete


def _store(message: dict[str, Any], name: str, text: bytes | None) -> None:
    if name in ("result", "error"):
        message[name] = None
    elif name in ("jsonrpc", "id", "method") and text is not None and len(text) <= _MAX_VALUE:
        try:
            value = jsontext.loads(text)
        except DecodeError:
            return
        if is_id(value) if name == "id" else type(value) is str:
            message[name] = value
