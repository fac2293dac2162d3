"""Errors and issues from decoding and encoding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

from .deferred import dataclass
from .unset import UnsetType

# The path of a value: () for the root, otherwise (path of the container, field name or index). This
# chain of pairs needs only one small tuple per level. Pointers are created only for errors.
Path: TypeAlias = tuple[Any, ...]

# The maximum length of quoted data in errors and logs, in characters.
MAX_QUOTE = 200


class DecodeError(ValueError):
    """Raised when JSON does not match the schema.

    Attributes:
        pointer: an RFC 6901 pointer to the invalid value, using wire names; empty for the entire
            value. For a missing field, this is the pointer that the field would have.
        expected: a description of the values that the schema allows at the pointer.
        found: a short description of the value at the pointer, never the value itself.
        type_name: the name of the decoded type. `pointer` is relative to a value of this type. If
            several aliases are the same Python type, such as `str`, this is the name of the first
            alias.
    """

    def __init__(self, pointer: str, expected: str, found: str, type_name: str = "") -> None:
        super().__init__(pointer, expected, found, type_name)
        self.pointer = pointer
        self.expected = expected
        self.found = found
        self.type_name = type_name

    def __str__(self) -> str:
        place = f"{self.type_name} at {cut(self.pointer)}" if self.pointer else self.type_name
        line = f"{place or 'JSON'}: expected {self.expected}, found {self.found}"
        # Field names in the pointer come from the payload and can contain line breaks.
        return printable(line)


@dataclass(slots=True, eq=False)
class Misfit:
    """A value that is not an instance of the expected class.

    Attributes:
        value: the value.
        expected: the expected class or union.
    """

    value: object
    expected: str


class EncodeError(ValueError):
    """Raised when a value cannot be encoded as JSON that the schema allows.

    Attributes:
        pointer: an RFC 6901 pointer to the invalid value in the resulting JSON, using wire names;
            empty for the entire value.
        reason: a description of the problem.
        type_name: the name of the encoded type. `pointer` is relative to a value of this type.
    """

    # The value and the expected class, if the value's class is wrong. The codec uses this to add
    # advice.
    misfit: Misfit | None = None

    def __init__(self, pointer: str, reason: str, type_name: str = "") -> None:
        super().__init__(pointer, reason, type_name)
        self.pointer = pointer
        self.reason = reason
        self.type_name = type_name

    def __str__(self) -> str:
        place = f"{self.type_name} at {cut(self.pointer)}" if self.pointer else self.type_name
        return printable(f"{place}: {self.reason}" if place else self.reason)


@dataclass(frozen=True, slots=True)
class Issue:
    """A value that default mode accepts and strict mode rejects.

    Attributes:
        pointer: an RFC 6901 pointer to the value, using wire names.
        reason: a description of the problem.
        raw: the value as received.
        action: how the value was handled. `defaulted`: the value was replaced with a fallback;
            `skipped`: the array item or map entry was dropped; `unknown_kept`: the value was kept
            unchanged; `accepted`: a malformed message was accepted. For `accepted`, the pointer is
            relative to the message, or empty if the line contains other text in addition to the
            message.
        method: the name of the method whose params or result contain the value; empty if the issue
            was not reported by a connection.
    """

    pointer: str
    reason: str
    raw: Any
    action: Literal["defaulted", "skipped", "unknown_kept", "accepted"]
    method: str = ""

    def of(self, method: str) -> Issue:
        """Return a copy of the issue with `method` set."""
        return Issue(self.pointer, self.reason, self.raw, self.action, method)


def pointer(path: Path) -> str:
    """Convert a path to an RFC 6901 pointer."""
    parts: list[str] = []
    while path:
        path, part = path
        parts.append(step(part))
    return "".join(reversed(parts))


def step(part: object) -> str:
    """Return the part of a pointer for a field name or an index."""
    return "/" + str(part).replace("~", "~0").replace("/", "~1")


def parts_of(value: Any) -> Iterable[tuple[object, Any]]:
    """Return the items of an array or object with their indexes or names.

    Other values have no items.
    """
    if value.__class__ is dict:
        entries: Iterable[tuple[object, Any]] = value.items()
        return entries
    return enumerate(value if value.__class__ is list else ())


def reason_of(problem: Exception) -> str:
    """Return an exception's message and, unless the class is a common one, its class name.

    An exception without a message is described by its class name.
    """
    name = type(problem).__name__
    try:
        text = str(problem)
    except Exception:  # `__str__` of the class failed
        return name
    if isinstance(problem, TypeError | ValueError | AttributeError):
        return text or name
    return f"{name}: {text}" if text else name


def printable(text: str) -> str:
    """Return text as one line, escaped if it contains unprintable characters."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def cut(text: str) -> str:
    """Truncate text to the maximum length of a quotation, marking the truncation with `...`."""
    return text if len(text) <= MAX_QUOTE else f"{text[:MAX_QUOTE]}..."


def quotation(value: object) -> str:
    """Format a value for errors and logs as a Python literal, truncated if it is long."""
    if not isinstance(value, str):
        return cut(repr(value))
    return repr(value) if len(value) <= MAX_QUOTE else f"{value[:MAX_QUOTE]!r}..."


def describe(value: Any) -> str:
    """Return the JSON type of a value for an error message, which must not reveal the value.

    For UNSET, return `nothing`.
    """
    return _TYPE_NAMES.get(value.__class__) or str(value.__class__.__name__)


_TYPE_NAMES: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    UnsetType: "nothing",
}


class UnknownName(AttributeError):
    """Raised when a surface does not contain a name.

    The message suggests other names. It is created only on demand, because Python also raises this
    error internally, without using the message, when it imports a submodule of the surface.
    """

    def __str__(self) -> str:
        package, name = self.args
        reason = f"module {package!r} has no attribute {name!r}"
        if name.startswith("__"):
            return reason
        from .suggestions import of_name

        meant = of_name(package, name)
        return f"{reason}; {meant}" if meant else reason
