"""Read the overlay's rules for session updates, and check them against the schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acpgen.analysis.protocol.index import SchemaIndex
from acpgen.analysis.protocol.operations import CHOICES, OPERATIONS, UpdateSite
from acpgen.common.pointers import pointer, pointer_parts
from acpgen.common.problems import Problem
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.ir import naming
from acpgen.ir.model import TaggedUnion
from acpgen.ir.queries import resolve_path
from acpgen.ir.session import UpdateRule

FILE = "schema/overlay/updates.toml"
MISSING_RULE = "missing-rule"  # the code of a problem


def without_repeated(problems: Iterable[Problem]) -> list[Problem]:
    """Leave out rules that both an unstable surface and its stable surface lack.

    A rule of the stable surface serves both.
    """
    listed = list(problems)
    missing = {problem.pointer for problem in listed if problem.code == MISSING_RULE}
    repeated: set[str] = set()
    for at in missing:
        surface, tag = pointer_parts(at)
        stable = surface.partition("_")[0]
        if stable != surface and pointer(stable, tag) in missing:
            repeated.add(at)
    return [
        problem
        for problem in listed
        if problem.code != MISSING_RULE or problem.pointer not in repeated
    ]


@dataclass(frozen=True, slots=True)
class Updates:
    """The rules that a schema meets.

    Attributes:
        rules: a rule for each kind of update that has one.
        content: the union that messages are made of, if there are messages.
        matched: the overlay's entries that had a use.
        notes: updates without a rule, and rules that the schema does not meet.
    """

    rules: tuple[UpdateRule, ...] = ()
    content: str | None = None
    matched: frozenset[tuple[str, ...]] = frozenset()
    notes: tuple[Problem, ...] = ()


def read_updates(
    index: SchemaIndex, union: TaggedUnion | None, overlay: Overlay, surface: str
) -> Updates:
    """Read the rules for the updates of a surface.

    Args:
        index: the schema.
        union: the union of session updates, if there is one.
        overlay: the overlay with the rules.
        surface: the surface's name.
    """
    if union is None:
        return Updates()
    stated = overlay.updates_of(surface)
    matched: set[tuple[str, ...]] = set()
    notes: list[Problem] = []
    rules: list[UpdateRule] = []
    for arm in union.arms:
        if arm.tag not in stated:
            message = "has no rule; add one that says what this update does"
            notes.append(Problem(FILE, pointer(surface, arm.tag), MISSING_RULE, message))
            continue
        path, parts = stated[arm.tag]
        matched.add(path)
        site = UpdateSite(index, arm.tag, arm.target, parts)
        misfit = next(_misfits(site), None)
        if misfit is not None:
            notes.append(_problem(path, f"{misfit}; fix the rule"))
            continue
        rules.append(OPERATIONS[parts["op"]].read(site))
        for wire in parts.get("carries", ()):
            if index.member(arm.target, wire) is None:
                message = f"{arm.target} has no member {wire!r}; fix the rule"
                notes.append(_problem(path, message))
    kept, conflicts = _without_conflicts(rules, stated)
    content = _content(index, kept)
    return Updates(tuple(kept), content, frozenset(matched), (*notes, *conflicts))


def _misfits(site: UpdateSite) -> Iterator[str]:
    """The faults of a rule, the most basic first."""
    parts, definitions = site.parts, site.index.definitions
    operation = OPERATIONS.get(parts.get("op", ""))
    if operation is None:
        yield f"op {parts.get('op')!r} is none of {', '.join(OPERATIONS)}"
        return
    keys, required = parts.keys() - {"op"}, operation.required
    if not set(required) <= keys <= {*required, *operation.optional}:
        yield f"{operation.operation} takes {', '.join(required) or 'nothing'}" + (
            f", and perhaps {', '.join(operation.optional)}" if operation.optional else ""
        )
    has_entry = "key" in keys or operation.keyless
    if {"collection", "slot"} <= keys or ("collection" in keys) != has_entry:
        yield "a rule has either a collection and a key, or a slot"
    if "slot" in operation.optional and not {"collection", "slot"} & keys:
        yield f"{operation.operation} takes a collection or a slot"
    for part, choices in CHOICES.items():
        if part in parts and parts[part] not in choices:
            yield f"{part} {parts[part]!r} is none of {', '.join(choices)}"
    if "role" in parts and not naming.is_python_name(parts["role"]):
        yield f"role {parts['role']!r} is not a name in Python"
    if "sender" in parts and not naming.is_sender_name(parts["sender"]):
        yield f"sender {parts['sender']!r} cannot be a method of an agent session"
    for part in ("collection", "slot"):
        if part in parts and not naming.is_slot_name(parts[part]):
            yield f"{part} {parts[part]!r} cannot be an attribute of a session state"
    if site.entry not in definitions:
        yield f"{site.entry!r} is not a definition"
    if "key" in parts and resolve_path(definitions, site.update, parts["key"]) is None:
        yield f"{site.update} has no member {parts['key']!r}"
    for wire in (parts.get("member"), parts.get("output"), *parts.get("defaults", {})):
        if wire is not None and site.index.member(site.entry, wire) is None:
            yield f"{site.entry} has no member {wire!r}"
    yield from (unmet.message for unmet in operation.unmet(site))


def _without_conflicts(
    rules: Sequence[UpdateRule], stated: Mapping[str, tuple[tuple[str, ...], Mapping[str, Any]]]
) -> tuple[list[UpdateRule], list[Problem]]:
    """The rules that do not conflict with earlier ones, and problems about the others."""
    notes: list[Problem] = []
    kept: list[UpdateRule] = []
    with_output = {rule.collection.name for rule in rules if rule.output and rule.collection}
    collections = {rule.collection.name for rule in rules if rule.collection}
    tags: dict[str, str] = {}  # by constant
    senders: dict[str, str] = {}  # tags, by the method that sends the update
    kinds: dict[str, type] = {}  # collection or slot, by attribute of the state
    for rule in rules:
        first = tags.setdefault(naming.rule_name(rule.tag), rule.tag)
        target = rule.collection or rule.slot
        conflict = None
        if rule.sender and senders.setdefault(rule.sender, rule.tag) != rule.tag:
            conflict = (
                f"shares its sender with {senders[rule.sender]!r}; name one of them otherwise"
            )
        if rule.role in collections:
            conflict = f"{rule.role!r} is both a role and a collection; fix one of the rules"
        if first != rule.tag:
            conflict = f"shares the name of its constant with {first!r}; rename it in the schema"
        elif rule.operation == "append_output" and target and target.name not in with_output:
            conflict = f"no rule keeps the output of {target.name!r}; fix the rule"
        elif target and kinds.setdefault(target.name, type(target)) is not type(target):
            conflict = f"{target.name!r} is both a collection and a slot; fix one of the rules"
        if conflict is None:
            kept.append(rule)
        else:
            notes.append(_problem(stated[rule.tag][0], conflict))
    return kept, notes


def _content(index: SchemaIndex, rules: Sequence[UpdateRule]) -> str | None:
    """The union that the content of messages is made of."""
    chunks = (rule for rule in rules if rule.operation == "append_to_message")
    return next((index.type(rule.classes[0], "content") for rule in chunks), None)


def _problem(path: tuple[str, ...], message: str) -> Problem:
    return Problem(FILE, pointer(*path), "overlay", message)
