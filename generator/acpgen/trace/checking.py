"""Check the params and results of messages against the schema, as strict mode does."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from acp_bindings.runtime.jsonrpc.method import Kind, Method, Surface
from acp_bindings.runtime.values.errors import DecodeError, Issue

from acpgen.trace.envelope import Finding
from acpgen.trace.excerpts import locate, quote, shorten
from acpgen.trace.surfaces import Ladder, Side, find_method, ladder, load

Part: TypeAlias = Literal["params", "result"]

# Longer names of methods are compared by their beginning.
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Call:
    """What a message calls, or answers.

    Attributes:
        method: the name of the method.
        kind: how it is called.
        receiver: the side that is called; None if it is not known.
    """

    method: str
    kind: Kind
    receiver: Side | None

    @property
    def is_extension(self) -> bool:
        """Whether the schema leaves the method to those who call it."""
        return self.method.startswith("_")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What checking has found.

    Attributes:
        surface: the name of the surface that was checked against; None if there is no single one.
        problems: what violates its schema.
        notes: what it does not allow, and everybody puts up with.
    """

    surface: str | None = None
    problems: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


def check(ladders: tuple[Ladder, ...], call: Call, part: Part, value: Any) -> Verdict:
    """Check params or a result.

    What one of the versions in question allows is right. Within a version, so is what only the
    unstable surface allows.
    """
    if call.is_extension:
        return Verdict()
    verdicts = [_check_version(each, call, part, value) for each in ladders]
    if len(verdicts) == 1:
        return verdicts[0]
    for verdict in verdicts:
        if not verdict.problems:
            return Verdict(None, (), verdict.notes)
    return Verdict(
        None,
        tuple(
            Finding(each.pointer, f"{verdict.surface}: {each.message}")
            for verdict in verdicts
            for each in verdict.problems
        ),
    )


def _check_version(names: Ladder, call: Call, part: Part, value: Any) -> Verdict:
    refused: Verdict | None = None
    for name in names:
        method = find_method(call.method, call.kind, call.receiver, name)
        if method is None:
            continue
        verdict = _check_surface(name, method, part, value)
        if not verdict.problems:
            return verdict
        refused = refused or verdict
    if refused is not None:
        return refused
    # The response to an unknown method has nothing to be checked against.
    return Verdict() if part == "result" else Verdict(names[0], (_explain_missing(names, call),))


def _check_surface(name: str, method: Method[Any, Any], part: Part, value: Any) -> Verdict:
    surface = load(name)
    if part == "params":
        # The schema allows messages without params, or null, though not in the type of the params.
        problems = _refusals(surface, method.params, {} if value is None else value)
    else:
        problems = _refusals(surface, method.result, value)
        if problems and value is None and not _refusals(surface, method.result, {}):
            return Verdict(name, notes=("the result is null instead of an object",))
    return Verdict(name, tuple(_described(each, part, value) for each in problems))


def _refusals(surface: Surface, type_: Any, value: Any) -> list[Finding]:
    """What strict mode refuses: more than the first problem, where the default mode goes on."""
    try:
        surface.decode(type_, value, strict=True)
    except DecodeError as error:
        first = _of_error(error)
    else:
        return []
    issues: list[Issue] = []
    try:
        surface.decode(type_, value, on_issue=issues.append)
    except DecodeError as error:
        return list(dict.fromkeys((first, _of_error(error))))
    return [Finding(each.pointer, each.reason) for each in issues] or [first]


def _of_error(error: DecodeError) -> Finding:
    return Finding(error.pointer, f"expected {error.expected}, found {error.found}")


def _described(problem: Finding, part: Part, value: Any) -> Finding:
    """A problem with the pointer from the message, and with the value if it is a scalar."""
    found, is_there = locate(value, problem.pointer)
    is_telling = is_there and found is not None and type(found) not in (dict, list)
    shown = f": {quote(found)}" if is_telling else ""
    return Finding(f"/{part}{problem.pointer}", f"{problem.message}{shown}")


def _explain_missing(names: Ladder, call: Call) -> Finding:
    """Say why a surface does not have what a message calls."""
    name, kind = call.method, call.kind
    for surface in names:
        if find_method(name, kind, None, surface):
            return Finding("/method", f"the {call.receiver} does not handle {name}")
        other: Kind = "notification" if kind == "request" else "request"
        if find_method(name, other, None, surface):
            return Finding("/method", f"{name} is a {other}, found a {kind}")
    if len(names) == 1:
        for surface in ladder(load(names[0]).SCHEMA.protocol_version):
            if find_method(name, kind, call.receiver, surface):
                return Finding("/method", f"no such method in {names[0]}; {surface} has it")
    known = [each for side in load(names[-1]).METHODS.values() for each in side]
    near = difflib.get_close_matches(shorten(name, _LONGEST), known, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return Finding("/method", f"no such method{meant}")
