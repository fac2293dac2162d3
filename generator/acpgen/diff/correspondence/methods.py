"""What becomes of each method, and of each kind of session update."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from acpgen.diff.correspondence.decisions import Decisions
from acpgen.ir.bridge import How, Route, Update
from acpgen.ir.model import Method
from acpgen.ir.queries import arms_by_tag
from acpgen.ir.surface import Surface

_UNDECIDED = (
    "is new; say what it is called in the newer version in `newer`, what `translated` it by code, "
    "or why it is `absent`; an empty entry stands for what rules alone carry over"
)


def find_routes(older: Surface, newer: Surface, decisions: Decisions) -> Iterator[Route]:
    """Yield what becomes of each method of either surface."""
    theirs = {(method.side, method.wire): method for method in newer.methods if method.wire}
    named: set[tuple[str, str | None]] = set()
    for method in older.methods:
        if method.wire is None:
            continue
        decision = _decided(method, decisions)
        if decision is None:
            continue
        name = decision.get("newer") or decision.get("becomes") or method.wire
        counterpart = theirs.get((method.side, name))
        if "absent" in decision:
            yield _route(method, None, decision)
        elif counterpart is None or counterpart.kind != method.kind:
            path = ("methods", method.side, method.wire)
            decisions.miss(f"there is no {method.kind} {name!r} in the newer version", *path)
        else:
            if "becomes" not in decision:
                named.add((method.side, name))
            yield _route(method, counterpart, decision)
    for key, method in theirs.items():
        if key in named:
            continue
        decision = _decided(method, decisions)
        if decision is not None and "absent" in decision:
            yield _route(None, method, decision)
        elif decision is not None:
            path = ("methods", method.side, method.wire or "")
            decisions.miss("is not in the older version; say why it is `absent`", *path)


def find_pairs(
    older: Surface, newer: Surface, routes: Iterable[Route], decisions: Decisions
) -> Iterator[tuple[Method, Method, bool]]:
    """Yield each method of the older surface with its counterpart in the newer one.

    The third item is whether the older method is also the counterpart of the newer one.
    """
    methods = {(method.side, method.wire): method for method in older.methods}
    theirs = {(method.side, method.wire): method for method in newer.methods}
    for route in routes:
        if route.how != "absent" and route.older is not None:
            decision = decisions.entry("methods", route.side, route.older)
            name = route.newer or decision["becomes"]
            pair = methods[route.side, route.older], theirs[route.side, name]
            yield *pair, route.newer is not None


def find_updates(sent: Surface, direction: str, decisions: Decisions) -> dict[str, Update]:
    """Return what becomes of each kind of session update of a surface, by tag."""
    union = sent.definitions.get(sent.session_update or "")
    updates: dict[str, Update] = {}
    for tag in arms_by_tag(union):
        path = ("updates", direction, tag)
        decision = decisions.entry(*path)
        if decision is None:
            decisions.miss(
                "the update is new; say what `translated` it by code, or why it is `absent`; an "
                "empty entry stands for what rules alone carry over",
                *path,
            )
        else:
            how = _how(decision)
            updates[tag] = Update(how, decision.get(how, ""))
    return updates


def _decided(method: Method, decisions: Decisions) -> Mapping[str, str] | None:
    """What is decided about a method, by the name that it has."""
    path = ("methods", method.side, method.wire or "")
    decision: Mapping[str, str] | None = decisions.entry(*path)
    if decision is None:
        decisions.miss(f"the method {_UNDECIDED}", *path)
    return decision


def _how(decision: Mapping[str, str]) -> How:
    if "translated" in decision:
        return "translated"
    return "absent" if "absent" in decision else "carried"


def _route(older: Method | None, newer: Method | None, decision: Mapping[str, str]) -> Route:
    method = older or newer
    assert method is not None, "one of them is there"
    how = _how(decision)
    results = (older.result if older else None, newer.result if newer else None)
    return Route(
        side=method.side,
        kind=method.kind,
        older=older.wire if older else None,
        newer=newer.wire if newer and "becomes" not in decision else None,
        how=how,
        params=(older.params if older else "", newer.params if newer else ""),
        result=None if method.result is None else (results[0] or "", results[1] or ""),
        reason=decision.get(how, ""),
    )
