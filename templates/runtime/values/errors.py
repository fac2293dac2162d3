"""What is reported: by decoding and encoding, and between peers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

# Where a value is: () at the root, else (where its container is, member name or index). A chain
# of pairs costs one small tuple a level; the pointer is only spelled out when something is wrong.
Path: TypeAlias = tuple[Any, ...]


class DecodeError(ValueError):
    """Raised when JSON is not what the schema asks for.

    Attributes:
        pointer: RFC 6901 pointer to the bad value, in wire names; empty for the whole value. A
            missing member is named by the pointer it would have.
        expected: what the schema asks for there.
        found: a short description of what is there, never the value itself.
        type_name: the type that was being decoded, which `pointer` starts from. Aliases that are
            the same type in Python, such as `str`, go by the name of the first of them.
    """

    def __init__(self, pointer: str, expected: str, found: str, type_name: str = "") -> None:
        super().__init__(pointer, expected, found, type_name)
        self.pointer = pointer
        self.expected = expected
        self.found = found
        self.type_name = type_name

    def __str__(self) -> str:
        place = f"{self.type_name} at {self.pointer}" if self.pointer else self.type_name
        line = f"{place or 'JSON'}: expected {self.expected}, found {self.found}"
        # A member's name comes from the payload and could break the line.
        return line if line.isprintable() else line.encode("unicode_escape").decode("ascii")


class EncodeError(ValueError):
    """Raised when a value cannot be written as JSON that the schema allows."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One place where the default mode went on although strict mode would have failed.

    Attributes:
        pointer: RFC 6901 pointer to the value concerned, in wire names.
        reason: what was wrong with it.
        raw: the value as it was received.
        action: `defaulted`: a fallback took its place; `skipped`: the array item was dropped;
            `unknown_kept`: it was kept as it is.
    """

    pointer: str
    reason: str
    raw: Any
    action: Literal["defaulted", "skipped", "unknown_kept"]


# Collects what was recovered from; None in strict mode, where nothing is.
Issues: TypeAlias = list[Issue] | None


def pointer(path: Path) -> str:
    """Spell out a path as an RFC 6901 pointer."""
    parts: list[str] = []
    while path:
        path, part = path
        parts.append(str(part).replace("~", "~0").replace("/", "~1"))
    return "".join(f"/{part}" for part in reversed(parts))


def describe(value: Any) -> str:
    """The JSON type of a value, which is all that an error says about it."""
    return _NAMES.get(value.__class__) or str(value.__class__.__name__)


_NAMES: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
