"""Build the bridge between the two surfaces that the overlay names, in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from acpgen.common.problems import InputError
from acpgen.diff.bridge_rules.coverage import check_coverage
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
from acpgen.ir.model import Alias, Method, Reference, String
from acpgen.ir.queries import arms_by_tag, target
from acpgen.ir.surface import Surface


def build_bridge(surfaces: Iterable[Surface], overlay: Overlay) -> Bridge | None:
    """Build the bridge between two of some surfaces; None if they do not include both.

    Args:
        surfaces: the surfaces.
        overlay: the content of `bridge.toml`.

    Raises:
        InputError: something new has no decision, or a decision is unused;
            lists every such problem.
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
    # While a decision is missing, others can seem to be unused.
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
    """Build the conversion of messages; `methods` are those of `sent` with their counterparts."""
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
    # To a sender without a definition of a part, the part is any string.
    strings = {name: Alias(name, "", None, None, String()) for name, _ in parts}
    definitions = {**strings, **sent.definitions}
    union = sent.session_update or ""
    rules, counterparts = derive(
        definitions, expected.definitions, own, [*of_methods, *parts], {union: absent}
    )
    arms = arms_by_tag(sent.definitions.get(union))
    left_to_code = [arms[tag] for tag, reason in absent.items() if not reason]
    roots = [*(name for name, _ in of_methods), *left_to_code]
    check_coverage(sent, roots, counterparts, own)
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
    """Yield the definitions that code converts one by one, with their counterparts."""
    for name in decisions.entry("parts", own.direction) or ():
        other: str = decisions.entry("parts", own.direction, name)
        if other in expected.definitions:
            yield name, Reference(other)
        else:
            own.miss(name, f"is in `parts`, but there is no {other!r} on the other side")
