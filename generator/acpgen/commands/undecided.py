"""Notes about optional overlay entries that a new schema might need.

Missing names, summaries and update rules are not included, because generation fails without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from acpgen.common.pointers import pointer
from acpgen.common.problems import Problem
from acpgen.diff.matching import key_of
from acpgen.inputs.overlay.decisions import IMPLIED_UPDATES
from acpgen.inputs.overlay.requirements import SIDES, Requirements
from acpgen.ir.model import Alias, Definition, Enumeration, Method, TaggedUnion
from acpgen.ir.queries import members_of
from acpgen.ir.surface import Surface

# An overlay file, the path of an entry within its surface or section, and the text of the note.
_Question: TypeAlias = tuple[str, tuple[str, ...], str]


def find_undecided(
    old: Mapping[str, Surface], new: Mapping[str, Surface], requirements: Requirements
) -> list[Problem]:
    """Return notes about overlay entries that additions to a schema might need."""
    undecided: dict[tuple[str, ...], Problem] = {}
    for name, surface in sorted(new.items()):
        version = name.partition("_")[0]
        for file, path, message in _questions(old.get(name), surface):
            scope = {"pages.toml": version, "policy.toml": "closed"}.get(file, name)
            keys = (
                (IMPLIED_UPDATES, scope, *path[1:])
                if path[0] == IMPLIED_UPDATES
                else (scope, *path)
            )
            problem = Problem(f"schema/overlay/{file}", pointer(*keys), "decide", message)
            # An entry for a stable surface also applies to the unstable one, so one note suffices.
            undecided.setdefault((file, version, *path), problem)
        if name == version:
            for problem in _untested(old.get(name), surface, requirements):
                undecided["requirements.toml", problem.pointer] = problem
    return sorted(set(undecided.values()))


def _untested(old: Surface | None, new: Surface, requirements: Requirements) -> Iterator[Problem]:
    """Yield a note for each new method of a stable surface that no requirement covers."""
    known = {key_of(method) for method in old.methods} if old else set()
    version = int(new.name.removeprefix("v"))
    for method in new.methods:
        wire = method.wire
        if wire is None or key_of(method) in known:
            continue
        for side in SIDES:
            if requirements.of(side) and not requirements.covers(side, version, wire):
                message = (
                    "the method is new; add it to a requirement, or explain here why it has none"
                )
                place = pointer("untested", side, new.name, wire)
                yield Problem("schema/overlay/requirements.toml", place, "decide", message)


def _questions(old: Surface | None, new: Surface) -> Iterator[_Question]:
    methods = {key_of(method): method for method in old.methods} if old else {}
    for method in new.methods:
        before = methods.get(key_of(method))
        if before is None and method.wire is not None and method.page is None:
            message = "the method is new; add an entry if the specification has a page about it"
            yield "pages.toml", (method.wire,), message
        if before is not None and old is not None:
            added = _members(new, method.params) - _members(old, before.params)
            decided = {need.member for need in method.needs}
            for member in members_of(new.definitions, method.params):
                if member.wire in added and member.name not in decided:
                    place = (method.side, f"{method.wire}#{member.wire}")
                    message = "the field is new; add an entry if it needs a capability"
                    yield "capabilities.toml", place, message
        known = _members(old, before.result) if old and before and before.result else None
        yield from _about_result(method, new, known)
    rules = {rule.tag: rule for rule in old.updates} if old else {}
    for rule in new.updates:
        if old is not None and rule.tag in rules:
            known = _members(old, *rules[rule.tag].classes)
            for wire in sorted(_members(new, *rule.classes) - known):
                message = (
                    f"the update has a new field {wire!r}; add it to the rule if it belongs there,"
                    " and to kit.toml if the kit sends it"
                )
                yield "updates.toml", (rule.tag,), message
    for name, definition in new.definitions.items():
        if (old is None or name not in old.definitions) and _is_closed(definition):
            message = (
                "is new and accepts unknown values; close it if an unknown value can grant"
                " permission"
            )
            yield "policy.toml", (definition.definition or name,), message


def _about_result(method: Method, surface: Surface, known: set[str] | None) -> Iterator[_Question]:
    """Yield notes about new response fields, which might affect the session state.

    `known` contains the fields that the previous schema defines. It is None for a new method, which
    needs no notes if the overlay contains an entry for any of the method's fields.
    """
    if method.side != "agent" or method.wire is None or method.result is None:
        return
    if "sessionId" not in _members(surface, method.params, method.result):
        return
    paths = [
        path
        for implied in surface.implied_updates
        if implied.method == method.wire
        for path in implied.members.values()
    ]
    if known is None and paths:
        return
    for member in members_of(surface.definitions, method.result):
        is_decided = any(path[:2] == ("result", member.name) for path in paths)
        if member.wire not in {"sessionId", "_meta", *(known or ())} and not is_decided:
            message = (
                f"{member.wire!r} in {method.result} is new; add an entry if it affects"
                " the session state"
            )
            yield "updates.toml", (IMPLIED_UPDATES, method.wire), message


def _members(surface: Surface, *names: str) -> set[str]:
    """Return the wire names of the fields in the given definitions."""
    return {member.wire for name in names for member in members_of(surface.definitions, name)}


def _is_closed(definition: Definition) -> bool:
    """Return whether default mode, but not strict mode, accepts unlisted values."""
    match definition:
        case Alias(shape=Enumeration(lenient=lenient)):
            return lenient
        case TaggedUnion(unknown=unknown):
            return unknown is not None and unknown.synthetic
        case _:
            return False
