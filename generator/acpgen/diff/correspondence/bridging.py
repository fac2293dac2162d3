"""What corresponds between the two surfaces that the overlay names, in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from acpgen.common.problems import InputError
from acpgen.diff.correspondence.coverage import check_coverage
from acpgen.diff.correspondence.decisions import Decisions, DirectionDecisions, Overlay
from acpgen.diff.correspondence.deriving import Pair, derive
from acpgen.diff.correspondence.methods import find_pairs, find_routes, find_updates
from acpgen.diff.correspondence.promises import find_promises
from acpgen.ir.bridge import Bridge, Direction, Route
from acpgen.ir.model import Alias, Reference, Shape, String
from acpgen.ir.queries import arms_by_tag, target
from acpgen.ir.surface import Surface

TO_NEWER, TO_OLDER = "to_newer", "to_older"


def build_bridge(surfaces: Iterable[Surface], overlay: Overlay) -> Bridge | None:
    """Build the bridge between two of some surfaces; None if they are not both there.

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
    routes = tuple(find_routes(older, newer, decisions))
    pairs = list(find_pairs(older, newer, routes, decisions))
    there = [(one, other) for one, other, _ in pairs]
    back = [(other, one) for one, other, is_mutual in pairs if is_mutual]
    promises = {
        TO_NEWER: find_promises(older, newer, TO_NEWER, decisions, there),
        TO_OLDER: find_promises(newer, older, TO_OLDER, decisions, back),
    }
    to_newer = _direct(older, newer, decisions, (TO_NEWER, TO_OLDER), routes)
    to_older = _direct(newer, older, decisions, (TO_OLDER, TO_NEWER), routes)
    # While a decision is missing, others can seem to be unused.
    if problems := decisions.missing or decisions.unused():
        raise InputError(problems)
    return Bridge(older.name, newer.name, to_newer, to_older, routes, promises)


def _direct(
    sent: Surface,
    expected: Surface,
    decisions: Decisions,
    directions: tuple[str, str],
    routes: Iterable[Route],
) -> Direction:
    """What becomes of what one surface says.

    Args:
        sent: the surface that sends.
        expected: the one that receives.
        decisions: what a person has decided.
        directions: the sections of this direction and of the other one.
        routes: what becomes of methods.
    """
    direction, _ = directions
    own = DirectionDecisions(decisions, *directions)
    updates = find_updates(sent, direction, decisions)
    listed = arms_by_tag(expected.definitions.get(expected.session_update or ""))
    absent = {
        tag: update.reason if update.how == "absent" else ""
        for tag, update in updates.items()
        if update.how != "carried" and tag not in listed
    }
    of_methods = list(_of_methods(routes, is_older=direction == TO_NEWER))
    parts = list(_parts(expected, decisions, own))
    only_there = {name: _string(name) for name, _ in parts if name not in sent.definitions}
    definitions = {**sent.definitions, **only_there}
    union = sent.session_update or ""
    derived = derive(definitions, expected.definitions, own, [*of_methods, *parts], {union: absent})
    arms = arms_by_tag(sent.definitions.get(union))
    left_to_code = [arms[tag] for tag, reason in absent.items() if not reason]
    roots = [*(name for name, _ in of_methods), *left_to_code]
    check_coverage(sent, roots, derived.counterparts, own)
    return Direction(derived.rules, _names(derived.counterparts, expected), updates)


def _names(counterparts: Mapping[str, Shape], expected: Surface) -> dict[str, str]:
    """The definitions among those that were compared, each with the one in its place."""
    names = {name: target(shape) for name, shape in counterparts.items()}
    return {
        name: other
        for name, other in sorted(names.items())
        if other is not None and other in expected.definitions
    }


def _of_methods(routes: Iterable[Route], *, is_older: bool) -> Iterator[Pair]:
    """The params and results of methods, with those that take their places.

    Args:
        routes: what becomes of methods.
        is_older: whether the older version sends them.
    """
    for route in routes:
        if route.how == "absent" or (route.newer is None and not is_older):
            continue
        for pair in (route.params, route.result):
            if pair is not None:
                older, newer = pair
                yield (older, Reference(newer)) if is_older else (newer, Reference(older))


def _parts(expected: Surface, decisions: Decisions, own: DirectionDecisions) -> Iterator[Pair]:
    """The definitions that code converts one by one, with those that take their places."""
    for name in decisions.entry("parts", own.direction) or ():
        other: str = decisions.entry("parts", own.direction, name)
        if other in expected.definitions:
            yield name, Reference(other)
        else:
            own.miss_at(name, f"is in `parts`, but there is no {other!r} on the other side")


def _string(name: str) -> Alias:
    """A part that the sender has no definition of: to it, it is any string."""
    return Alias(name, "", None, None, String())
