"""Rules for single values that the schema cannot express, such as absolute paths."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath, PureWindowsPath
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from acp_bindings.runtime import Unlisted
from acp_bindings.runtime.values.record import Record, Unknown, members
from acpgen.common import paths, toml
from acpgen.inputs.overlay.requirements import Form, build_requirements

from acpwire.json_values import quote
from acpwire.rules.entry import Finding
from acpwire.surfaces import VERSIONS, surfaces_of

_CUSTOM: Final = "custom-values"
# Fields that allow custom values without underscores, since JSON Schema, not ACP, defines their
# values.
_FOREIGN: Final = ("StringPropertySchema/format",)
# The keys in `_meta` that are reserved for W3C Trace Context, with patterns for their values.
_RESERVED: Final = {
    "traceparent": re.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-.+"),
    "tracestate": re.compile(".*"),
    "baggage": re.compile(".*"),
}


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except ValueError:
        return False
    return True


_NO_RULE: tuple[str, Form | None, str] = ("", None, "")
_FORMS: Mapping[Form | None, tuple[Callable[[str], object], str]] = {
    "absolute-path": (
        lambda path: PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute(),
        "an absolute path",
    ),
    "base64": (_is_base64, "base64"),
    "command-name": (
        re.compile(r"(?!/)\S(.*\S)?").fullmatch,  # users type a name between "/" and the input
        "a name without a leading slash or surrounding spaces",
    ),
}


class Values:
    """A checker for the values in a decoded message."""

    def __init__(self, version: int) -> None:
        self.findings: list[Finding] = []
        self.judged: set[str] = set()
        self._forms = _forms(version)

    def check(self, value: Any, pointer: str) -> None:
        """Check the value at a JSON pointer in the message and all values nested in it."""
        pending = [(value, pointer)]  # not recursive, since values can be deeply nested
        while pending:
            inner, place = pending.pop()
            if isinstance(inner, Unknown):
                self._judge(_CUSTOM, inner.is_extension, place, _custom(inner.tag))
            elif isinstance(inner, Record):
                self._check_names(inner, place)
                for name in members(type(inner)):
                    item, at = getattr(inner, name), f"{place}/{wire_name(name)}"
                    self._check_member(type(inner), name, item, at)
                    pending.append((item, at))
            elif type(inner) is list:
                pending += [(item, f"{place}/{index}") for index, item in enumerate(inner)]
            elif type(inner) is dict and any(isinstance(each, Record) for each in inner.values()):
                pending += [(item, f"{place}/{key}") for key, item in inner.items()]

    def _check_names(self, record: Record, place: str) -> None:
        unknown = set(record.unknown_fields or ()) - _fields(type(record).__name__)
        custom = ", ".join(map(quote, sorted(unknown)))
        text = f"the schema has no field {custom}; custom data belongs in _meta"
        self._judge("custom-fields", not custom, place, text)
        meta: Any = getattr(record, "meta", None)
        for key, form in _RESERVED.items() if type(meta) is dict else ():
            if key in meta:
                ok = type(meta[key]) is str and form.fullmatch(meta[key]) is not None
                text = f"expected {key} in the W3C Trace Context format, found {quote(meta[key])}"
                self._judge("trace-context", ok, f"{place}/_meta/{key}", text)

    def _check_member(self, owner: type, name: str, value: Any, place: str) -> None:
        requirement, form, key = self._forms.get(f"{owner.__name__}/{wire_name(name)}", _NO_RULE)
        listed = _open_members(owner).get(name)
        values = value if type(value) is list else [value]
        if form == "distinct":
            records = [item for item in values if isinstance(item, Record)]
            ids = [
                getattr(item, each)
                for item in records
                for each in members(type(item))
                if wire_name(each) == key
            ]
            again = [quote(id) for id in dict.fromkeys(ids) if id is not None and ids.count(id) > 1]
            text = f"expected a different {key} for each item, found {', '.join(again)} again"
            self._judge(requirement, not again, place, text)
        for text in values:
            if type(text) is not str:
                continue
            if form in _FORMS:
                fits, words = _FORMS[form]
                found = f"expected {words}, found {quote(text)}"
                self._judge(requirement, bool(fits(text)), place, found)
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
def _forms(version: int) -> Mapping[str, tuple[str, Form | None, str]]:
    """Return the fields whose values must have a particular form.

    Returns:
        A mapping from each field, as `Class/field`, to the requirement's id, the form, and the key
        whose values must be distinct.
    """
    table = toml.loads((paths.SCHEMA / "overlay" / "requirements.toml").read_text("utf-8"))
    rules: dict[str, tuple[str, Form | None, str]] = {}
    for demand in build_requirements(table).demands:
        for member in demand.members.get(version, ()) if demand.form else ():
            owner, name, *key = member.split("/")
            rules[f"{owner}/{name}"] = demand.id, demand.form, "".join(key)
    return rules


@cache
def _fields(type_name: str) -> frozenset[str]:
    """Return the fields that a type has in any version, since a program might send any of them."""
    surfaces = [
        import_module(f"acp_bindings.{name}.types") for v in VERSIONS for name in surfaces_of(v)
    ]
    types = [getattr(surface, type_name, None) for surface in surfaces]
    records = [each for each in types if isinstance(each, type) and issubclass(each, Record)]
    return frozenset(wire_name(name) for each in records for name in members(each))


@cache
def _open_members(owner: type) -> Mapping[str, frozenset[str]]:
    """Return the known values of each field that also allows custom values."""
    hints = get_type_hints(owner)
    found: dict[str, frozenset[str]] = {}
    for name in members(owner):
        arms = list(_arms(hints[name]))
        literals = [arm for arm in arms if get_origin(arm) is Literal]
        if literals and Unlisted in arms and f"{owner.__name__}/{name}" not in _FOREIGN:
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
    """Return a field's name in JSON."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
