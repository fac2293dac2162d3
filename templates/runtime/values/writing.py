"""Building blocks of the generated writers, which write JSON text directly from objects.

Writers are a fast path: they never write values that the schema forbids, but they don't support all
values that the schema allows. A writer can raise any exception, such as a KeyError for a subclass
of a union's class. The value is then encoded instead, and the result is decoded to check it. If
this check fails, its error is reported.
"""

from __future__ import annotations

import json.encoder
import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from . import jsontext
from .decoding import Decoder
from .encoding import Json
from .record import Record
from .repairs import EXACT

if TYPE_CHECKING:
    from typing import Protocol  # unused at run time, since creating a protocol class is slow

    from .encoding import ObjectEncoder

    class RecordWriter(Protocol):
        """A writer for an object. `head` is the text before the object's first field."""

        def __call__(self, o: Any, head: str = "{") -> str: ...


# The text that `json` writes for names that are not strings. Searching the text is faster than
# searching the value.
_LITERAL_NAME = re.compile(r'"(?:-?\d[^"]*|true|false|null)":')
# A function that writes an object. The second argument is the text before the object's first
# field: "{" and the tags of the surrounding unions.
TextWriter: TypeAlias = Callable[[Any, str], str]

# This function leaves non-ASCII text unchanged. In CPython, the function is implemented in C.
quote: Callable[[str], str] = json.encoder.encode_basestring


class NotWritten(Exception):
    """Raised by a writer for a value that it does not support."""


def any_json(value: Any) -> str:
    """Write free-form JSON."""
    text = jsontext.dumps(value)
    if value.__class__ is not str and _LITERAL_NAME.search(text):
        jsontext.as_read(value)  # rejects names that are not strings; `json` converts some of them
    return text


def judged_text(data: Any, decode: Decoder[Any]) -> str:
    """Write JSON after checking that a decoder accepts it without repairs."""
    decode(data, EXACT, ())
    return any_json(data)


def boolean_text(value: bool) -> str:
    """Write a boolean."""
    if value is True:
        return "true"
    if value is False:
        return "false"
    raise NotWritten


def integer_text(value: float, minimum: float = -math.inf, maximum: float = math.inf) -> str:
    """Write an integer within bounds. The value can also be a float such as 1.0."""
    if not minimum <= value <= maximum:
        raise NotWritten
    if value.__class__ is int or (value.__class__ is float and value.is_integer()):
        return repr(value)
    raise NotWritten


def number_text(value: float) -> str:
    """Write a number."""
    if value.__class__ is int or (value.__class__ is float and math.isfinite(value)):
        return repr(value)
    raise NotWritten


def object_text(value: Json) -> str:
    """Write an object of free-form JSON."""
    if value.__class__ is not dict:
        raise NotWritten
    return any_json(value)


def array_text(write: Callable[[Any], str], values: list[Any]) -> str:
    """Write an array, using `write` for its items."""
    if values.__class__ is not list:
        raise NotWritten
    if len(values) == 1:  # the most common case, for which `join` is not needed
        return f"[{write(values[0])}]"
    return "[" + ",".join(map(write, values)) + "]"


def filled_text(min_items: int, write: Callable[[Any], str], values: list[Any]) -> str:
    """Write an array of at least `min_items` items."""
    if len(values) < min_items:
        raise NotWritten
    return array_text(write, values)


def map_text(write: Callable[[Any], str], values: dict[str, Any]) -> str:
    """Write a map, using `write` for its values."""
    if values.__class__ is not dict:
        raise NotWritten
    entries = [f"{quote(name)}:{write(value)}" for name, value in values.items()]
    return "{" + ",".join(entries) + "}"


def nullable_text(write: Callable[[Any], str]) -> Callable[[Any], str]:
    """Return a writer for values that can be null."""
    return lambda value: "null" if value is None else write(value)


def unknown_text(value: Record, known: tuple[str, ...], head: str = "{") -> str:
    """Write the unknown fields of a record, each preceded by a comma.

    `head` is the text before the object's first field. This text contains the tags.
    """
    fields: Any = value.unknown_fields
    # An unknown field with the name of a tag would be a duplicate.
    tags = _tags(head)
    if fields.__class__ is not dict or any(name in known or name in tags for name in fields):
        raise NotWritten
    return "," + any_json(fields)[1:-1] if fields else ""


def complete(head: str, members: str) -> str:
    """Return the complete text of an object.

    Args:
        head: the text before the first field that is added.
        members: the text of the added fields, each preceded by a comma.
    """
    return head + members[1:] + "}" if members else head.rstrip(",") + "}"


def through(encode: ObjectEncoder, decode: Decoder[Any]) -> RecordWriter:
    """Return a writer that encodes a value and uses a decoder to check the result."""

    def write(o: Any, head: str = "{") -> str:
        return judged_text(encode(o, (), _tags(head)), decode)

    return write


def _tags(head: str) -> Json:
    """Return the tags in `head`, the text before the first field that a writer adds."""
    tags: Json = {} if head == "{" else jsontext.loads(head.rstrip(",") + "}")
    return tags
