"""What encoders say about bad values, in the words of Python."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from .errors import DecodeError, EncodeError, parts_of, step
from .record import Record, Unknown
from .repairs import Mismatch
from .unset import UNSET

# The length of the longest pointer to look for: what is deeper is not records.
_LONGEST = 1000
# The JSON types in the words of decoders, and what they are called in Python.
_JSON_TYPE = r"\b(array|boolean|integer|null|number|object|string)(?=s?\b)"
_IN_PYTHON = {
    "array": "list",
    "boolean": "bool",
    "integer": "int",
    "null": "None",
    "number": "float",
    "object": "dict",
    "string": "str",
}


class Misfit:
    """A value that is no object of a class.

    Attributes:
        value: the value.
        expected: the class or union that it should be of.
    """

    def __init__(self, value: object, expected: str) -> None:
        self.value = value
        self.expected = expected


def type_of(value: object) -> str:
    """Return the class of a value, all that an error says about it; of UNSET, its name."""
    return "UNSET" if value is UNSET else str(value.__class__.__name__)


def wrong_class(value: Any, expected: str) -> EncodeError:
    """Return the error for a value of another class than expected."""
    error = refusal(f"expected {expected}, found {type_of(value)}", value)
    error.misfit = Misfit(value, expected)
    return error


def refusal(reason: str, culprit: object, pointer: str = "") -> EncodeError:
    """Return an error that knows the object it is about, so that its place can be found."""
    error = EncodeError(pointer, reason)
    error.culprit = culprit
    return error


def within(error: EncodeError, outer: object, place: str) -> EncodeError:
    """Return the error about a part of an object as one about the object.

    Args:
        error: the error.
        outer: the object.
        place: the pointer that leads to the part from there.
    """
    outer_error = refusal(error.reason, outer, place + error.pointer)
    outer_error.misfit = error.misfit
    return outer_error


def not_read(error: DecodeError) -> str:
    """Return why a decoder refuses what was encoded."""
    about = error.args[2:] if isinstance(error, Mismatch) else ()
    expected, found = error.expected, error.found
    names_constants = any(isinstance(item, tuple | dict) for item in about[:1])
    if not names_constants and not expected.startswith("one of "):
        expected = _words(expected)
    found = {"null": "NoneType", "nothing": "UNSET"}.get(found) or _words(found)
    return f"expected {expected}, found {found}"


def advice(misfit: Misfit, package: str) -> str:
    """Return what to do about a value of a wrong class, as the end of an error; empty for nothing.

    Args:
        misfit: the value.
        package: the package of the surface that the class belongs to.
    """
    surface = package.rpartition(".")[2]
    if misfit.value.__class__ is dict:
        return f"; use {surface}.decode({surface}.{misfit.expected}, ...)"
    theirs = package_of(misfit.value)
    if theirs is None or theirs == package:
        return ""
    return f" of {other_surface(theirs, package)}"


def other_surface(theirs: str, package: str) -> str:
    """Name the surface of a value and the one that it does not belong to.

    Args:
        theirs: the package of the value.
        package: the package of the surface that refuses it.
    """
    name, own = theirs.rpartition(".")[2], package.rpartition(".")[2]
    if name == own:  # of another copy of the whole package
        name, own = theirs, package
    return f"{name}; this surface is {own}"


def package_of(value: object) -> str | None:
    """Return the package of the surface that an object of the protocol belongs to."""
    classes = value.__class__.__mro__
    for cls, base in pairwise(classes):
        if base is Record or base is Unknown:
            return cls.__module__.rpartition(".")[0]
    return None


def position(containers: Iterable[Any], culprit: object) -> str:
    """Return the pointer from arrays or maps to an object in them; empty if it is not found."""
    if culprit is EncodeError.culprit:
        return ""
    pending = [("", container) for container in containers]
    seen: set[int] = set()  # what holds itself is searched once
    while pending:
        place, container = pending.pop()
        seen.add(id(container))
        for key, item in parts_of(container):
            inside = place + step(key)
            if item is culprit:
                return inside
            if id(item) not in seen and len(inside) < _LONGEST:
                pending.append((inside, item))
    return ""


def _words(text: str) -> str:
    """Return the words of decoders with the types of Python."""
    return re.sub(_JSON_TYPE, lambda match: _IN_PYTHON[match[1]], text)
