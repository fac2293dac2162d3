"""Validation of params and results against the schema, as in strict mode."""

from __future__ import annotations

import difflib
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from acp_bindings.runtime.jsonrpc.method import Kind, Method, Surface
from acp_bindings.runtime.values.errors import DecodeError, Issue

from acpwire.json_values import locate, quote, shorten
from acpwire.rules.entry import Entry, Finding
from acpwire.rules.values import Values
from acpwire.surfaces import Side, VersionSurfaces, find_method, load, surfaces_of

Part: TypeAlias = Literal["params", "result"]

_METHODS = "known-methods"
_LONGEST = 80  # the maximum length of a name that is compared with known method names


@dataclass(frozen=True, slots=True)
class Call:
    """The method of a message with its kind and receiver. Responses use their request's method."""

    method: str
    kind: Kind
    receiver: Side | None  # None if unknown

    @property
    def is_extension(self) -> bool:
        """True if this is an extension method, which the schema doesn't define."""
        return self.method.startswith("_")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of checking params or a result against the schema."""

    surface: str | None = None  # the surface used for the check, or None if there were several
    problems: tuple[Finding, ...] = ()
    judged: frozenset[str] = frozenset()  # the ids of the checked requirements
    notes: tuple[str, ...] = ()  # schema violations that all implementations accept
    method: Method[Any, Any] | None = None
    decoded: Any = None

    def record(self, entry: Entry) -> None:
        """Add the result to the message's entry."""
        entry.surface = self.surface
        entry.problems += self.problems
        entry.judged |= self.judged
        entry.notes += self.notes


def check(candidates: tuple[VersionSurfaces, ...], call: Call, part: Part, value: Any) -> Verdict:
    """Check params or a result.

    The value is valid if one of the surfaces allows it.

    Args:
        candidates: the surfaces of each version that might be in use.
        call: the call that the value belongs to.
        part: whether the value is the call's params or its result.
        value: the JSON value to check.
    """
    if call.is_extension:
        return Verdict()
    verdicts = [_check_version(names, call, part, value) for names in candidates]
    if len(verdicts) < 2:
        return verdicts[0] if verdicts else Verdict()
    best = _best(verdicts)
    if not best.problems:
        return Verdict(None, (), best.judged, best.notes)
    problems = tuple(
        replace(problem, message=f"{verdict.surface}: {problem.message}")
        for verdict in verdicts
        for problem in verdict.problems
    )
    return Verdict(None, problems, best.judged)


def _check_version(names: VersionSurfaces, call: Call, part: Part, value: Any) -> Verdict:
    verdicts: list[Verdict] = []
    for name in names:
        method = find_method(call.method, call.kind, call.receiver, name)
        if method is None:
            continue
        verdict = _check_surface(name, method, part, value)
        if not verdict.problems and not verdict.notes:
            return verdict
        verdicts.append(verdict)
    if verdicts:
        return _best(verdicts)
    # The result of an unknown method cannot be checked.
    if part == "result":
        return Verdict()
    problem = Finding("/method", _missing(names, call), _METHODS)
    return Verdict(names[0], (problem,), frozenset({_METHODS}))


def _best(verdicts: list[Verdict]) -> Verdict:
    """Return the best verdict: one without problems or, failing that, one with a decoded value."""
    return min(
        verdicts, key=lambda each: (bool(each.problems), each.decoded is None, len(each.notes))
    )


def _check_surface(name: str, method: Method[Any, Any], part: Part, value: Any) -> Verdict:
    surface = load(name)
    type_: Any = method.params if part == "params" else method.result
    # The schema allows absent or null params, but the class for the params does not.
    subject = {} if value is None and part == "params" else value
    requirement = f"valid-{part.rstrip('s')}s"
    judged = frozenset({_METHODS, requirement} if part == "params" else {requirement})
    try:
        decoded = surface.decode(type_, subject, strict=True)
    except DecodeError as error:
        if value is None and part == "result":
            with suppress(DecodeError):
                surface.decode(type_, {}, strict=True)
                note = "the result is null instead of an object"
                return Verdict(name, (), judged, (note,), method)
        found = list[Finding]()
        for problem in _refusals(surface, type_, subject, error):
            culprit, is_there = locate(value, problem.pointer)
            is_scalar = is_there and culprit is not None and type(culprit) not in (dict, list)
            text = f"{problem.message}: {quote(culprit)}" if is_scalar else problem.message
            found.append(Finding(f"/{part}{problem.pointer}", text, requirement))
        return Verdict(name, tuple(found), judged, method=method)
    values = Values(surface.SCHEMA.protocol_version)
    values.check(decoded, f"/{part}")
    return Verdict(
        name, tuple(values.findings), judged | values.judged, method=method, decoded=decoded
    )


def _refusals(surface: Surface, type_: Any, value: Any, first: DecodeError) -> list[Finding]:
    """Return all problems or, if the default mode rejects the value, the first in each mode."""
    issues: list[Issue] = []
    try:
        surface.decode(type_, value, on_issue=issues.append)
    except DecodeError as error:
        return list(dict.fromkeys((_of_error(first), _of_error(error))))
    return [Finding(issue.pointer, issue.reason) for issue in issues] or [_of_error(first)]


def _of_error(error: DecodeError) -> Finding:
    return Finding(error.pointer, f"expected {error.expected}, found {error.found}")


def _missing(names: VersionSurfaces, call: Call) -> str:
    """Explain why no surface defines a call's method."""
    name, kind = call.method, call.kind
    for surface in names:
        if find_method(name, kind, None, surface):
            return f"the {call.receiver} does not handle {name}"
        other: Kind = "notification" if kind == "request" else "request"
        if find_method(name, other, None, surface):
            return f"{name} is a {other}, found a {kind}"
    if len(names) == 1:
        for surface in surfaces_of(load(names[0]).SCHEMA.protocol_version):
            if find_method(name, kind, call.receiver, surface):
                return f"no such method in {names[0]}; {surface} defines it"
    known = {method for side in load(names[-1]).METHODS.values() for method in side}
    near = difflib.get_close_matches(shorten(name, _LONGEST), known, n=1)
    return f"no such method; did you mean {near[0]}?" if near else "no such method"
