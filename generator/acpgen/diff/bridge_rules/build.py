"""Builds the bridge, in both directions, between the two surfaces specified in the overlay."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from acpgen.common.problems import InputError
from acpgen.diff.bridge_rules.decisions import (
    TO_NEWER,
    TO_OLDER,
    Decisions,
    DirectionDecisions,
    Overlay,
)
from acpgen.diff.bridge_rules.derivation import Pair, derive
from acpgen.diff.bridge_rules.methods import find_updates, pair_methods
from acpgen.diff.bridge_rules.promises import find_promises
from acpgen.ir.bridge import Bridge, Call, Direction
from acpgen.ir.model import (
    Alias,
    Definition,
    Enumeration,
    Method,
    Record,
    Reference,
    Shape,
    String,
    TaggedUnion,
)
from acpgen.ir.queries import arms_by_tag, references, target
from acpgen.ir.surface import Surface

_NEITHER = (
    "has no rule; add it to `parts`, or list in `taken` the fields, tags or constants that code "
    "handles"
)


def build_bridge(surfaces: Iterable[Surface], overlay: Overlay) -> Bridge | None:
    """Build the bridge between the overlay's two surfaces, or return None if either is missing.

    Raises:
        InputError: If a decision is missing or unused. The error lists every problem.
    """
    by_name = {surface.name: surface for surface in surfaces}
    older, newer = by_name.get(overlay.get("older", "")), by_name.get(overlay.get("newer", ""))
    if older is None or newer is None:
        return None
    decisions = Decisions(overlay)
    pairs = list(pair_methods(older, newer, decisions))
    there = [(pair.older, pair.newer) for pair in pairs if pair.older and pair.newer]
    back = [
        (pair.newer, pair.older) for pair in pairs if pair.older and pair.newer and pair.is_mutual
    ]
    promises = {
        TO_NEWER: find_promises(older, newer, TO_NEWER, decisions, there),
        TO_OLDER: find_promises(newer, older, TO_OLDER, decisions, back),
    }
    to_newer = _direction(older, newer, decisions, TO_NEWER, there)
    to_older = _direction(newer, older, decisions, TO_OLDER, back)
    # If some decisions are missing, other decisions can appear to be unused.
    if problems := decisions.missing or decisions.unused():
        raise InputError(problems)
    routes = tuple(pair.route() for pair in pairs)
    return Bridge(older.name, newer.name, to_newer, to_older, routes, promises)


def _direction(
    sent: Surface,
    expected: Surface,
    decisions: Decisions,
    direction: str,
    methods: Sequence[tuple[Method, Method]],
) -> Direction:
    """Build the conversion of messages in one direction.

    `methods` contains the methods in `sent`, each with its counterpart in `expected`.
    """
    own = DirectionDecisions(decisions, direction)
    updates = find_updates(sent, direction, decisions)
    listed = arms_by_tag(expected.definitions.get(expected.session_update or ""))
    absent = {
        tag: reason if how == "absent" else ""
        for tag, (how, reason) in updates.items()
        if how != "carried" and tag not in listed
    }
    of_methods: list[Pair] = []
    for method, other in methods:
        of_methods.append((method.params, Reference(other.params)))
        if method.result is not None and other.result is not None:
            of_methods.append((method.result, Reference(other.result)))
    parts = list(_parts(expected, decisions, own))
    # A definition in `parts` that does not exist in the sender's version is treated as an alias for
    # strings.
    strings = {name: Alias(name, "", None, None, String()) for name, _ in parts}
    definitions = {**strings, **sent.definitions}
    union = sent.session_update or ""
    rules, counterparts = derive(
        definitions, expected.definitions, own, [*of_methods, *parts], {union: absent}
    )
    arms = arms_by_tag(sent.definitions.get(union))
    left_to_code = [arms[tag] for tag, reason in absent.items() if not reason]
    roots = [*(name for name, _ in of_methods), *left_to_code]
    _check_coverage(sent, roots, counterparts, own)
    names = {name: target(shape) for name, shape in sorted(counterparts.items())}
    return Direction(
        rules,
        {name: other for name, other in names.items() if other and other in expected.definitions},
        {
            tag: Call("Update", (how, reason) if reason else (how,))
            for tag, (how, reason) in updates.items()
        },
    )


def _parts(expected: Surface, decisions: Decisions, own: DirectionDecisions) -> Iterator[Pair]:
    """Yield the definitions listed in `parts`, with their counterparts."""
    for name in decisions.entry("parts", own.direction) or ():
        other: str = decisions.entry("parts", own.direction, name)
        if other in expected.definitions:
            yield name, Reference(other)
        else:
            message = (
                f"is in `parts`, but the other version does not define {other!r}; fix the entry"
            )
            own.miss(name, message)


# --- definitions that code handles in parts ----------------------------------------------------


def _check_coverage(
    sent: Surface, roots: Iterable[str], compared: Collection[str], decisions: DirectionDecisions
) -> None:
    """Check that every definition reachable from `roots` is compared or converted by bridge code.

    Deriving the rules reveals additions to the compared definitions, but not to definitions that
    bridge code converts in parts. Therefore, the overlay lists all parts that the code converts,
    and this function compares the list with the schema.
    """
    definitions = sent.definitions
    pending = list(roots)
    for name in compared:
        if name in definitions:
            # Bridge code that converts a field also converts the definitions that it refers to.
            implied = decisions.about(definitions[name], "implied") or ()
            codes = decisions.about(definitions[name], "code_of") or ()
            pending += _references_in(definitions[name], only={*implied, *codes})
    seen = set(compared)
    while pending:
        name = pending.pop(0)
        if name in seen:
            continue
        seen.add(name)
        definition = definitions[name]
        taken: list[str] | None = decisions.about(definition, "taken")
        names = _names_in(definition, sent)
        if taken is None and names:
            decisions.miss(definition, _NEITHER)
            continue
        owner = definition.owner if isinstance(definition, Record) else None
        # The entry for a union also lists the parts of variants without their own definition.
        is_listed_there = owner and decisions.about(definitions[owner], "taken") is not None
        if taken is not None and not is_listed_there:
            for new in sorted(names.difference(taken)):
                advice = "handle it in templates/runtime/bridge, and list it in `taken`"
                decisions.miss(definition, f"{new!r} is new; {advice}")
            for old in taken:
                if old not in names:
                    advice = "remove it from `taken`"
                    decisions.miss(definition, f"{old!r} no longer exists; {advice}")
        pending += _references_in(definition)


def _names_in(definition: Definition, sent: Surface) -> set[str]:
    """Return the fields, tags or constants of a definition and of its inline variants."""
    names: set[str] = set()
    match definition:
        case Record(members=members):
            names = {member.wire for member in members if member.wire != "_meta"}
        case Alias(shape=Enumeration(values=values)):
            names = set(map(str, values))
        case _:
            pass
    for tag, arm in arms_by_tag(definition).items():
        names.add(tag)
        record = sent.definitions[arm]
        if isinstance(record, Record) and record.owner == definition.name:
            names |= _names_in(record, sent)
    return names


def _references_in(definition: Definition, only: Collection[str] | None = None) -> Iterator[str]:
    """Yield the definitions that a definition refers to.

    If `only` is given, follow only the references in these fields and tags.
    """
    named: list[tuple[str, Shape]]
    named = [(tag, Reference(arm)) for tag, arm in arms_by_tag(definition).items()]
    match definition:
        case Record(members=members):
            named = [*((member.wire, member.shape) for member in members), *named]
        case TaggedUnion(default=shape) | Alias(shape=shape) if shape is not None:
            named.append(("", shape))
        case _:
            pass
    for name, shape in named:
        if only is None or name in only:
            yield from references(shape)
