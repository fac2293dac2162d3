"""What encoders say about bad values, in the words of Python."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from .errors import DecodeError, EncodeError, Path, pointer
from .record import Record, Unknown
from .repairs import Mismatch
from .unset import UNSET

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
    """A value that is not an object of the expected class.

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


def wrong_class(value: Any, expected: str, path: Path) -> EncodeError:
    """Return the error for a value of another class than expected."""
    error = EncodeError(pointer(path), f"expected {expected}, found {type_of(value)}")
    error.misfit = Misfit(value, expected)
    return error


def not_read(error: DecodeError) -> str:
    """Return why a decoder refuses what was encoded."""
    about = error.args[2:] if isinstance(error, Mismatch) else ()
    expected, found = error.expected, error.found
    # Constants are quoted as they are: one may be a word such as "object".
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
    # The class just before `Record` is generated; those before that may be the program's.
    classes = value.__class__.__mro__
    for cls, base in pairwise(classes):
        if base is Record or base is Unknown:
            return cls.__module__.rpartition(".")[0]
    return None


def _words(text: str) -> str:
    """Return the words of decoders with the types of Python."""
    return re.sub(_JSON_TYPE, lambda match: _IN_PYTHON[match[1]], text)
