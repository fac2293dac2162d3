"""Messages that the sender's version allows without a capability that the receiver's requires."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from acpgen.analysis.capabilities import capability_of
from acpgen.diff.correspondence.decisions import Decisions
from acpgen.ir.bridge import Promise, PromiseHow
from acpgen.ir.model import Capability, CapabilityRequirement, Method
from acpgen.ir.queries import arms_by_tag, class_of, members_of
from acpgen.ir.surface import Surface

_HOW: tuple[PromiseHow, ...] = get_args(PromiseHow)


def find_promises(
    sent: Surface,
    expected: Surface,
    direction: str,
    decisions: Decisions,
    pairs: Iterable[tuple[Method, Method]],
) -> tuple[Promise, ...]:
    """Find the messages that can be sent although the receiver lacks their capability.

    Args:
        sent: The surface that sends.
        expected: The surface that receives.
        direction: The section of the direction.
        decisions: The decisions, including those about capabilities that correspond.
        pairs: The methods of `sent`, each with its counterpart in `expected`.
    """
    found = [
        *_of_methods(sent, expected, direction, decisions, pairs),
        *_of_variants(sent, expected, direction, decisions),
    ]
    return tuple(sorted(found, key=lambda promise: promise.key))


def _of_methods(
    sent: Surface,
    expected: Surface,
    direction: str,
    decisions: Decisions,
    pairs: Iterable[tuple[Method, Method]],
) -> Iterator[Promise]:
    """Yield the promises that follow from the capabilities that methods need."""

    def follows(own: Capability | None, needed: Capability) -> bool:
        entry = None if own is None else decisions.entry("capabilities", direction, own.pointer)
        return bool(entry == needed.pointer)

    for method, counterpart in pairs:
        needed = counterpart.capability
        if needed is not None and not follows(method.capability, needed):
            yield from _decided(method, None, method.wire or "", needed, direction, decisions)
        own = {(need.member, need.kind): need.capability for need in method.needs}
        for need in counterpart.needs:
            is_sent = need.kind is None or need.kind in sent.definitions
            if is_sent and not follows(own.get((need.member, need.kind)), need.capability):
                key = f"{method.wire}#{_place(need, counterpart, expected)}"
                yield from _decided(method, need, key, need.capability, direction, decisions)


def _place(need: CapabilityRequirement, method: Method, surface: Surface) -> str:
    """Return the place of a requirement in params, as `capabilities.toml` writes it."""
    definitions = surface.definitions
    members = members_of(definitions, method.params)
    wire = next(member.wire for member in members if member.name == need.member)
    if need.kind is None:
        return wire
    tags = {tag for union in definitions.values() for tag in arms_by_tag(union)}
    [tag] = [tag for tag in tags if class_of(definitions, method.params, wire, tag) == need.kind]
    return f"{wire}/{tag}"


def _decided(
    method: Method,
    need: CapabilityRequirement | None,
    key: str,
    capability: Capability,
    direction: str,
    decisions: Decisions,
) -> Iterator[Promise]:
    """Yield the promise of a method or of a part of its params, if it is decided on."""
    entry = decisions.entry("promises", direction, key)
    how = _how(entry)
    if how is None:
        decisions.miss(
            f"can be sent although the receiver does not advertise {capability.pointer}; say how "
            f"it is {', '.join(_HOW[:-1])} or {_HOW[-1]}",
            "promises",
            direction,
            key,
        )
        return
    yield Promise(
        key=key,
        side=method.side,
        method=method.wire or "",
        member=need.member if need else "",
        kind=(need.kind if need else None) or "",
        capability=capability,
        how=how,
        reason=entry[how],
    )


def _of_variants(
    sent: Surface, expected: Surface, direction: str, decisions: Decisions
) -> Iterator[Promise]:
    """Yield the promises of variants, which no method needs a capability for."""
    for key, entry in (decisions.entry("promises", direction) or {}).items():
        if "needs" not in entry:
            continue
        path = ("promises", direction, key)
        name, _, tag = key.partition("/")
        how = _how(decisions.entry(*path))
        capability = capability_of(expected.methods, expected.definitions, "client", entry["needs"])
        if tag not in arms_by_tag(sent.definitions.get(name)):
            decisions.miss(f"{name!r} has no variant {tag!r}", *path)
        elif capability is None:
            decisions.miss(f"unknown capability {entry['needs']}", *path)
        elif how is None:
            decisions.miss("has `needs`, but no decision", *path)
        else:
            yield Promise(key, "client", "", "", "", capability, how, entry[how])


def _how(entry: Mapping[str, str] | None) -> PromiseHow | None:
    """Return the decision of an entry; None if it has none."""
    return next((how for how in _HOW if how in (entry or {})), None)
