"""Errors and issues of decoding and encoding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

from .deferred import dataclass
from .unset import UnsetType

# The position of a value: () at the root, else (position of its container, field name or index). A
# chain of pairs costs one small tuple per level; the pointer is only built for an error.
Path: TypeAlias = tuple[Any, ...]

# The maximum length of quotations from the peer in errors and logs, in characters.
MAX_QUOTE = 200


class DecodeError(ValueError):
    """Raised when JSON does not match the schema.

    Attributes:
        pointer: RFC 6901 pointer to the bad value, in wire names; empty for the entire value. For
            a missing field, the pointer it would have.
        expected: a description of the values that the schema allows there.
        found: a short description of the value there, never the value itself.
        type_name: the type being decoded, where `pointer` starts. If several aliases are the same
            type in Python, such as `str`, the name of the first one.
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
        # The name of a field comes from the payload and can contain line breaks.
        return printable(line)


@dataclass(slots=True, eq=False)
class Misfit:
    """A value that is not an object of the expected class.

    Attributes:
        value: the value.
        expected: the expected class or union.
    """

    value: object
    expected: str


class EncodeError(ValueError):
    """Raised when a value cannot be encoded as JSON that the schema allows.

    Attributes:
        pointer: RFC 6901 pointer to the bad value in the resulting JSON, in wire names; empty for
            the entire value.
        reason: a description of the problem.
        type_name: the type being encoded, where `pointer` starts.
    """

    # The value of a wrong class, if that is the problem, until advice is added to the error.
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
    """A value that the default mode accepts and strict mode rejects.

    Attributes:
        pointer: RFC 6901 pointer to the value, in wire names.
        reason: a description of the problem.
        raw: the value as received.
        action: `defaulted`: a fallback replaced the value; `skipped`: the item of an array or the
            entry of a map was dropped; `unknown_kept`: the value was kept unchanged; `accepted`: a
            malformed message was accepted. Then the pointer starts at the message, and is empty for
            a line with other text besides the message.
        method: the name of the method whose params or result contain the value; empty unless a
            connection reports it.
    """

    pointer: str
    reason: str
    raw: Any
    action: Literal["defaulted", "skipped", "unknown_kept", "accepted"]
    method: str = ""

    def of(self, method: str) -> Issue:
        """Return the same issue, attributed to a method."""
        return Issue(self.pointer, self.reason, self.raw, self.action, method)


def pointer(path: Path) -> str:
    """Return a path as an RFC 6901 pointer."""
    parts: list[str] = []
    while path:
        path, part = path
        parts.append(step(part))
    return "".join(reversed(parts))


def step(part: object) -> str:
    """Return the part of a pointer that leads to a field or item."""
    return "/" + str(part).replace("~", "~0").replace("/", "~1")


def parts_of(value: Any) -> Iterable[tuple[object, Any]]:
    """Return the items of an array or map with their indexes or names; nothing for other values."""
    if value.__class__ is dict:
        entries: Iterable[tuple[object, Any]] = value.items()
        return entries
    return enumerate(value if value.__class__ is list else ())


def reason_of(problem: Exception) -> str:
    """Return the text of an exception, after its class name unless the class is a common one."""
    name = type(problem).__name__
    try:
        is_usual = isinstance(problem, TypeError | ValueError | AttributeError)
        return str(problem) if is_usual else f"{name}: {problem}"
    except Exception:  # raised by a class whose `__str__` fails
        return name


def printable(text: str) -> str:
    """Return text as one line, with escapes if it has line breaks or other control characters."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def cut(text: str) -> str:
    """Return text truncated to the maximum length of a quotation, ending with dots if shortened."""
    return text if len(text) <= MAX_QUOTE else f"{text[:MAX_QUOTE]}..."


def quotation(value: object) -> str:
    """Return a value as quoted in errors and logs: a literal, truncated if it is long."""
    if not isinstance(value, str):
        return cut(repr(value))
    return repr(value) if len(value) <= MAX_QUOTE else f"{value[:MAX_QUOTE]!r}..."


def describe(value: Any) -> str:
    """Return the JSON type of a value, which is all that errors reveal; for UNSET, `nothing`."""
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
    """The error for a name that a surface does not have.

    Its text, which suggests other names, is only created on demand, since an import of a module of
    the surface first looks up the attribute with that name.
    """

    def __str__(self) -> str:
        package, name = self.args
        reason = f"module {package!r} has no attribute {name!r}"
        if name.startswith("__"):
            return reason
        from .suggestions import of_name

        meant = of_name(package, name)
        return f"{reason}; {meant}" if meant else reason
