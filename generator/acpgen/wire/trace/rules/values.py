"""Rules for single values that the schema's structure does not express, such as absolute paths."""

from __future__ import annotations

import base64
import binascii
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import PurePosixPath, PureWindowsPath
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from acp_bindings.runtime import Unlisted
from acp_bindings.runtime.values.record import Record, Unknown, members

from acpgen.common import paths
from acpgen.inputs.overlay.requirements import Form, build_requirements
from acpgen.wire.trace.envelope import Finding
from acpgen.wire.trace.quoting import quote

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # the same parser, before it joined the standard library

_CUSTOM: Final = "custom-values"
# Members with the words of another vocabulary, here JSON Schema, where no underscore is required.
_FOREIGN: Final = ("StringPropertySchema/format",)


def is_absolute(path: str) -> bool:
    """Return whether a path is absolute on any system."""
    return PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()


def is_base64(text: str) -> bool:
    """Return whether text is valid base64, with its padding."""
    try:
        base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return False
    return True


_FORMS: Mapping[Form, tuple[Callable[[str], bool], str]] = {
    "absolute-path": (is_absolute, "an absolute path"),
    "base64": (is_base64, "base64"),
}


class Values:
    """Checks the values of a decoded message.

    Attributes:
        findings: the values that violate a requirement.
        judged: the ids of the requirements that some value was checked for.
    """

    def __init__(self, version: int) -> None:
        self.findings: list[Finding] = []
        self.judged: set[str] = set()
        self._forms = _forms(version)

    def check(self, value: Any, pointer: str) -> None:
        """Check a value and the values in it.

        Args:
            value: the value as decoded.
            pointer: its pointer in the message.
        """
        pending = [(value, pointer)]  # no recursion: free-form values can be nested deeply
        while pending:
            inner, place = pending.pop()
            if isinstance(inner, Unknown):
                self._judge(_CUSTOM, inner.is_extension, place, _custom(inner.tag))
            elif isinstance(inner, Record):
                for name in members(type(inner)):
                    item, at = getattr(inner, name), f"{place}/{wire_name(name)}"
                    self._check_member(type(inner), name, item, at)
                    pending.append((item, at))
            elif type(inner) is list:
                pending += [(item, f"{place}/{index}") for index, item in enumerate(inner)]
            elif type(inner) is dict and any(isinstance(each, Record) for each in inner.values()):
                pending += [(item, f"{place}/{key}") for key, item in inner.items()]

    def _check_member(self, owner: type, name: str, value: Any, place: str) -> None:
        entry = self._forms.get(f"{owner.__name__}/{wire_name(name)}")
        listed = _open_members(owner).get(name)
        for text in value if type(value) is list else [value]:
            if type(text) is not str:
                continue
            if entry is not None:
                requirement, form = entry
                fits, words = _FORMS[form]
                self._judge(
                    requirement, fits(text), place, f"expected {words}, found {quote(text)}"
                )
            if listed is not None:
                ok = text in listed or text.startswith("_")
                self._judge(_CUSTOM, ok, place, _custom(text))

    def _judge(self, requirement: str, ok: bool, pointer: str, text: str) -> None:
        self.judged.add(requirement)
        if not ok:
            self.findings.append(Finding(pointer, text, requirement))


def _custom(value: str) -> str:
    return f"the schema does not list {quote(value)}; custom values begin with an underscore"


@cache
def _forms(version: int) -> Mapping[str, tuple[str, Form]]:
    """Return the requirement and the form of each member that must have one, by its place."""
    table = tomllib.loads((paths.SCHEMA / "overlay" / "requirements.toml").read_text("utf-8"))
    return {
        member: (demand.id, demand.form)
        for demand in build_requirements(table).demands
        if demand.form is not None
        for member in demand.members.get(version, ())
    }


@cache
def _open_members(owner: type) -> Mapping[str, frozenset[str]]:
    """Return the listed values of the members where other values are possible."""
    hints = get_type_hints(owner)
    found: dict[str, frozenset[str]] = {}
    for name in members(owner):
        arms = list(_arms(hints[name]))
        literals = [arm for arm in arms if get_origin(arm) is Literal]
        is_open = literals and Unlisted in arms and f"{owner.__name__}/{name}" not in _FOREIGN
        if is_open:
            found[name] = frozenset(value for arm in literals for value in get_args(arm))
    return found


def _arms(hint: Any) -> Iterator[Any]:
    if get_origin(hint) in (Union, UnionType, list):
        for arm in get_args(hint):
            yield from _arms(arm)
    else:
        yield hint


@cache
def wire_name(name: str) -> str:
    """Return the name of a member in JSON."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
