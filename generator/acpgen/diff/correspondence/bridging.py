"""What corresponds between the two surfaces that the overlay names: rules and routes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from acpgen.common.pointers import pointer
from acpgen.common.problems import InputError, Problem
from acpgen.diff.correspondence.deriving import Deriver
from acpgen.diff.matching import match
from acpgen.ir.bridge import Bridge, Node, Route
from acpgen.ir.model import Method
from acpgen.ir.surface import Surface

FILE = "schema/overlay/bridge.toml"
_DIRECTIONS = ("to_newer", "to_older")


def build_bridge(surfaces: Iterable[Surface], decisions: Mapping[str, Any]) -> Bridge | None:
    """Build the bridge between two of some surfaces; None if they are not both there.

    Args:
        surfaces: the surfaces.
        decisions: the content of `bridge.toml`.

    Raises:
        InputError: something is new that nobody has decided on, or a decision has no use; lists
            every problem.
    """
    by_name = {surface.name: surface for surface in surfaces}
    older, newer = by_name.get(decisions["older"]), by_name.get(decisions["newer"])
    if older is None or newer is None:
        return None
    to_newer = match(older, newer).definitions
    to_older = {name: counterpart for counterpart, name in to_newer.items()}
    problems: list[Problem] = []
    derived = [
        _derive(sent, expected, names, decisions[direction], direction, problems)
        for direction, sent, expected, names in (
            (_DIRECTIONS[0], older, newer, to_newer),
            (_DIRECTIONS[1], newer, older, to_older),
        )
    ]
    routes = tuple(_routes(older, newer, decisions["methods"], problems))
    if problems:
        raise InputError(problems)
    (to_newer_rules, newer_names), (to_older_rules, older_names) = derived
    names = (newer_names, older_names)
    return Bridge(older.name, newer.name, to_newer_rules, to_older_rules, routes, names)


def _derive(
    sent: Surface,
    expected: Surface,
    counterparts: Mapping[str, str],
    decisions: Mapping[str, Any],
    direction: str,
    problems: list[Problem],
) -> tuple[dict[str, Node], dict[str, str]]:
    by_definition = {name: keys for name, keys in decisions.items() if name != "parts"}
    same = {name: keys["same"] for name, keys in by_definition.items() if "same" in keys}
    deriver = Deriver(
        sent.definitions, expected.definitions, {**counterparts, **same}, by_definition
    )
    rules = deriver.derive(decisions["parts"])
    for name, keys in by_definition.items():
        if "taken" in keys:
            deriver.check_taken(name)
    for name, reason in deriver.problems:
        problems.append(Problem(FILE, pointer(direction, name), "overlay", reason))
    for name, keys in by_definition.items():
        for key in sorted(keys.keys() - {"same"}):
            if (name, key) not in deriver.used:
                problems.append(
                    Problem(FILE, pointer(direction, name, key), "overlay", "has no use; remove it")
                )
    return rules, deriver.compared


def _routes(
    older: Surface,
    newer: Surface,
    decisions: Mapping[str, Mapping[str, Mapping[str, str]]],
    problems: list[Problem],
) -> Iterator[Route]:
    """The routes of all methods of both surfaces."""
    methods = {_key(method): method for method in newer.methods if method.wire}
    reached: set[tuple[str, str, str]] = set()
    unused = {(side, name) for side, names in decisions.items() for name in names}
    for method in older.methods:
        if method.wire is None:
            continue
        decision = decisions.get(method.side, {}).get(method.wire, {})
        unused.discard((method.side, method.wire))
        key = (method.side, method.kind, decision.get("newer", method.wire))
        counterpart = None if "absent" in decision else methods.get(key)
        if counterpart is None and "absent" not in decision:
            problems.append(_new_method(method, method.side))
            continue
        reached.add(key)
        yield _route(method, counterpart, decision)
    for key, method in methods.items():
        section = f"{method.side}_newer"
        decision = decisions.get(section, {}).get(method.wire or "", {})
        unused.discard((section, method.wire or ""))
        if key in reached:
            continue
        if "absent" not in decision:
            problems.append(_new_method(method, section))
            continue
        yield _route(None, method, decision)
    for side, name in sorted(unused):
        at = pointer("methods", side, name)
        problems.append(Problem(FILE, at, "overlay", "there is no such method; remove it"))


def _key(method: Method) -> tuple[str, str, str]:
    return method.side, method.kind, method.wire or ""


def _new_method(method: Method, section: str) -> Problem:
    at = pointer("methods", section, method.wire or "")
    reason = "the method is not in both versions; say what becomes of it, or why it is `absent`"
    return Problem(FILE, at, "overlay", reason)


def _route(older: Method | None, newer: Method | None, decision: Mapping[str, str]) -> Route:
    known = older or newer
    assert known is not None, "one of them is there"
    how = (
        "translated"
        if "translated" in decision
        else "absent" if "absent" in decision else "carried"
    )
    first, second = older or known, newer or known
    results = (first.result, second.result)
    return Route(
        side=known.side,
        kind=known.kind,
        older=older.wire if older else None,
        newer=newer.wire if newer else None,
        how=how,
        params=(first.params, second.params),
        result=None if results[0] is None or results[1] is None else (results[0], results[1]),
        reason=decision.get(how, ""),
    )
