"""The counterparts of methods and session updates in the other version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from acpgen.diff.bridge_rules.decisions import Decisions
from acpgen.ir.bridge import Call
from acpgen.ir.model import Method
from acpgen.ir.queries import arms_by_tag
from acpgen.ir.surface import Surface

_UNDECIDED = (
    "the method is new; add `newer` (its counterpart), `translated` (how code handles it) or "
    "`absent` (the reason), or an empty entry if rules suffice"
)
_UNDECIDED_UPDATE = (
    "the update is new; add `translated` (how code handles it) or `absent` (the reason), or an "
    "empty entry if rules suffice"
)


@dataclass(frozen=True, slots=True)
class MethodPair:
    """A method and its counterpart."""

    older: Method | None  # None if the older version doesn't define the method
    newer: Method | None  # None if the newer version doesn't define the method
    is_mutual: bool  # whether each method is the counterpart of the other
    decision: Mapping[str, str]  # the entry in the overlay

    def route(self) -> Call:
        """Return the `Route` call for the method."""
        older, newer = self.older, self.newer
        method = older or newer
        assert method is not None, "a pair must contain a method"
        results = tuple((each.result if each else None) or "" for each in (older, newer))
        return Call(
            "Route",
            (
                method.side,
                method.kind,
                older.wire if older else None,
                newer.wire if newer and self.is_mutual else None,
                how(self.decision),
                (older.params if older else "", newer.params if newer else ""),
                None if method.result is None else results,
                self.decision.get(how(self.decision), ""),
            ),
        )


def pair_methods(older: Surface, newer: Surface, decisions: Decisions) -> Iterator[MethodPair]:
    """Yield each method in either surface with its counterpart."""
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
            yield MethodPair(method, None, True, decision)
        elif counterpart is None or counterpart.kind != method.kind:
            message = f"the newer version has no {method.kind} {name!r}; correct the name"
            decisions.miss(message, "methods", method.side, method.wire)
        else:
            is_mutual = "becomes" not in decision
            if is_mutual:
                named.add((method.side, name))
            yield MethodPair(method, counterpart, is_mutual, decision)
    for key, method in theirs.items():
        decision = None if key in named else _decided(method, decisions)
        if decision is not None and "absent" in decision:
            yield MethodPair(None, method, True, decision)
        elif decision is not None:
            message = "does not exist in the older version; give the reason in `absent`"
            decisions.miss(message, "methods", method.side, method.wire or "")


def _decided(method: Method, decisions: Decisions) -> Mapping[str, str] | None:
    """Return the bridge rule for a method, looked up by the method's wire name."""
    path = ("methods", method.side, method.wire or "")
    decision: Mapping[str, str] | None = decisions.entry(*path)
    if decision is None:
        decisions.miss(_UNDECIDED, *path)
    return decision


def find_updates(sent: Surface, direction: str, decisions: Decisions) -> dict[str, tuple[str, str]]:
    """Return how each session update is handled and why, by tag."""
    updates: dict[str, tuple[str, str]] = {}
    for tag in arms_by_tag(sent.definitions.get(sent.session_update or "")):
        path = ("updates", direction, tag)
        decision = decisions.entry(*path)
        if decision is None:
            decisions.miss(_UNDECIDED_UPDATE, *path)
        else:
            updates[tag] = how(decision), decision.get(how(decision), "")
    return updates


def how(decision: Mapping[str, str]) -> str:
    """Return how a message is handled: "carried" (by rules), "translated" (by code) or "absent"."""
    return next((way for way in ("translated", "absent") if way in decision), "carried")
