"""Messages that require a capability in the receiver's version but not in the sender's version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acpgen.analysis.capabilities import capability_of
from acpgen.diff.bridge_rules.decisions import Decisions
from acpgen.ir.bridge import Call
from acpgen.ir.model import Capability, CapabilityRequirement, Method
from acpgen.ir.queries import arms_by_tag, class_of, members_of
from acpgen.ir.surface import Surface

_HOW = ("passed", "replaced", "refused", "translated")


def find_promises(
    sent: Surface,
    expected: Surface,
    direction: str,
    decisions: Decisions,
    pairs: Iterable[tuple[Method, Method]],
) -> tuple[Call, ...]:
    """Return a `Promise` for each message that can be sent without the capability it requires.

    Args:
        sent: the surface of the sender.
        expected: the surface of the receiver.
        direction: the name of the direction in the overlay, such as `to_newer`.
        decisions: the decisions, including decisions about corresponding capabilities.
        pairs: the methods of `sent`, each with its counterpart in `expected`.

    Returns:
        The promises, sorted by key.
    """

    def follows(own: Capability | None, needed: Capability) -> bool:
        """Return whether the sender's capability implies the required capability."""
        entry = own and decisions.entry("capabilities", direction, own.pointer)
        return bool(entry == needed.pointer)

    found: dict[str, Call] = {}
    for method, counterpart in pairs:
        wire, needed = method.wire or "", counterpart.capability
        missing: list[tuple[str, str, str, Capability]] = []
        if needed is not None and not follows(method.capability, needed):
            missing.append((wire, "", "", needed))
        own = {(need.member, need.kind): need.capability for need in method.needs}
        for need in counterpart.needs:
            is_sent = need.kind is None or need.kind in sent.definitions
            if is_sent and not follows(own.get((need.member, need.kind)), need.capability):
                key = f"{wire}#{_place(need, counterpart, expected)}"
                missing.append((key, need.member, need.kind or "", need.capability))
        for key, member, kind, capability in missing:
            decided = _decision(decisions, direction, key)
            if decided is not None:
                found[key] = _promise(key, method.side, wire, member, kind, capability, *decided)
            else:
                decisions.miss(
                    f"can be sent although the receiver does not advertise {capability.pointer}; "
                    f"specify whether it is {', '.join(_HOW[:-1])} or {_HOW[-1]}",
                    *("promises", direction, key),
                )
    found.update(_of_variants(sent, expected, direction, decisions))
    return tuple(promise for _, promise in sorted(found.items()))


def _place(need: CapabilityRequirement, method: Method, surface: Surface) -> str:
    """Return the location of a requirement within params, as written in `capabilities.toml`."""
    definitions = surface.definitions
    members = members_of(definitions, method.params)
    wire = next(member.wire for member in members if member.name == need.member)
    if need.kind is None:
        return wire
    tags = {tag for union in definitions.values() for tag in arms_by_tag(union)}
    [tag] = [tag for tag in tags if class_of(definitions, method.params, wire, tag) == need.kind]
    return f"{wire}/{tag}"


def _of_variants(
    sent: Surface, expected: Surface, direction: str, decisions: Decisions
) -> Iterator[tuple[str, Call]]:
    """Yield the promises for union variants that require a capability (`needs`), by key."""
    for key, entry in (decisions.entry("promises", direction) or {}).items():
        if "needs" not in entry:
            continue
        path = ("promises", direction, key)
        name, _, tag = key.partition("/")
        decided = _decision(decisions, direction, key)
        capability = capability_of(expected.methods, expected.definitions, "client", entry["needs"])
        if tag not in arms_by_tag(sent.definitions.get(name)):
            decisions.miss(f"{name!r} has no variant {tag!r}", *path)
        elif capability is None:
            decisions.miss(f"unknown capability {entry['needs']}", *path)
        elif decided is None:
            decisions.miss("has `needs` but no decision", *path)
        else:
            yield key, _promise(key, "client", "", "", "", capability, *decided)


def _decision(decisions: Decisions, direction: str, key: str) -> tuple[str, str] | None:
    """Return how a message is handled and why, or None if there is no decision."""
    entry = decisions.entry("promises", direction, key) or {}
    return next(((how, entry[how]) for how in _HOW if how in entry), None)


def _promise(
    key: str,
    side: str,
    method: str,
    member: str,
    kind: str,
    capability: Capability,
    how: str,
    reason: str,
) -> Call:
    advertised = Call("Capability", (capability.pointer, capability.path, capability.form))
    return Call("Promise", (key, side, method, member, kind, advertised, how, reason))
