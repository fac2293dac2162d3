"""Changes of methods, and of the capabilities that they need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from acpgen.diff.changes import Change
from acpgen.diff.comparison import Comparison
from acpgen.diff.matching import key_of
from acpgen.ir.model import CapabilityRequirement, Method, Record, Reference
from acpgen.ir.wording import title


def compare_methods(pair: Comparison) -> Iterator[Change]:
    """Changes of all methods."""
    before = {key_of(method): method for method in pair.old.methods}
    after = {key_of(method): method for method in pair.new.methods}
    pairs = pair.matching.methods
    for key, method in before.items():
        if key not in pairs:
            at = pair.old.definitions[method.params].pointer
            yield pair.change("method", title(method), _words(method), None, at, reads=False)
    for key, method in after.items():
        if key not in pairs.values():
            at = pair.new.definitions[method.params].pointer
            yield pair.change("method", title(method), None, _words(method), at)
    for key, other in pairs.items():
        yield from _method(pair, before[key], after[other])


def _method(pair: Comparison, one: Method, other: Method) -> Iterator[Change]:
    was, name, at = title(one), title(other), pair.new.definitions[other.params].pointer
    if one.wire != other.wire:
        yield pair.change("method", was, was, name, at, renamed=True, reads=False, writes=False)
    for subject, before, after in (
        ("params", one.params, other.params),
        ("result", one.result, other.result),
    ):
        # Methods of one kind both have a result, or neither has.
        if before is not None and after is not None and pair.names.get(before) != after:
            reads = pair.forth.fits(Reference(before), Reference(after))
            writes = pair.back.fits(Reference(after), Reference(before))
            yield pair.change(subject, name, before, after, at, reads=reads, writes=writes)
    if one.wire != other.wire:
        return  # what the overlay says about capabilities goes by the name
    before_needs, after_needs = _needs(one, pair.names), _needs(other, {})
    new = {_what(need, {}) for need in other.needs if _is_new(pair, need, one)}
    for what in sorted(before_needs.keys() | after_needs.keys()):
        needed, needs = before_needs.get(what), after_needs.get(what)
        if needed != needs:
            # An old peer does not advertise what is asked for now, so that nothing is sent to it.
            breaks = needs is not None and what not in new
            yield pair.change(
                "capability",
                f"{name}{what}",
                needed,
                needs,
                at,
                writes=not breaks,
                python="breaking" if breaks else "compatible",
            )


def _words(method: Method) -> str:
    return f"{method.kind} to the {method.side}"


def _needs(method: Method, names: Mapping[str, str]) -> dict[str, str]:
    """What a method needs, by what it is needed for: all of it, or a part of the params.

    Args:
        names: what definitions are to be called instead.
    """
    found = {"": method.capability.pointer} if method.capability else {}
    return found | {_what(need, names): need.capability.pointer for need in method.needs}


def _what(need: CapabilityRequirement, names: Mapping[str, str]) -> str:
    kind = f"[{names.get(need.kind, need.kind)}]" if need.kind else ""
    return f".{need.member}{kind}"


def _is_new(pair: Comparison, need: CapabilityRequirement, method: Method) -> bool:
    """Whether what needs a capability was not there before, so that nobody can be sending it."""
    if need.kind is not None:
        return need.kind not in pair.names.values()
    params = pair.old.definitions[method.params]
    return isinstance(params, Record) and need.member not in {m.name for m in params.members}
