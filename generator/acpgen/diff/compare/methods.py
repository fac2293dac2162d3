"""Compare the methods of two surfaces, and the capabilities they require."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from acpgen.diff.changes import Change
from acpgen.diff.comparison import Comparison
from acpgen.diff.matching import key_of
from acpgen.ir.model import CapabilityRequirement, Method, Record, Reference
from acpgen.ir.wording import title


def compare_methods(comparison: Comparison) -> Iterator[Change]:
    """Compare all methods."""
    old_methods = {key_of(method): method for method in comparison.old.methods}
    new_methods = {key_of(method): method for method in comparison.new.methods}
    new_keys = comparison.matching.methods
    for key, method in old_methods.items():
        if key not in new_keys:
            name, pointer = title(method), comparison.old.definitions[method.params].pointer
            yield comparison.change("method", name, _describe(method), None, pointer, reads=False)
    for key, method in new_methods.items():
        if key not in new_keys.values():
            name, pointer = title(method), comparison.new.definitions[method.params].pointer
            yield comparison.change("method", name, None, _describe(method), pointer)
    for old_key, new_key in new_keys.items():
        yield from _method(comparison, old_methods[old_key], new_methods[new_key])


def _method(comparison: Comparison, old: Method, new: Method) -> Iterator[Change]:
    name, pointer = title(new), comparison.new.definitions[new.params].pointer
    is_renamed = old.wire != new.wire
    if is_renamed:
        yield comparison.change(
            "method",
            title(old),
            title(old),
            name,
            pointer,
            renamed=True,
            reads=False,
            writes=False,
        )
    for subject, before, after in (
        ("params", old.params, new.params),
        ("result", old.result, new.result),
    ):
        # Matched methods are of one kind: both have a result, or neither has.
        if before is not None and after is not None and comparison.new_names.get(before) != after:
            reads = comparison.old_to_new.accepts(Reference(before), Reference(after))
            writes = comparison.new_to_old.accepts(Reference(after), Reference(before))
            yield comparison.change(
                subject, name, before, after, pointer, reads=reads, writes=writes
            )
    if not is_renamed:  # the overlay states capabilities by the names of methods
        yield from _capabilities(comparison, old, new)


def _capabilities(comparison: Comparison, old: Method, new: Method) -> Iterator[Change]:
    """Compare the capabilities that a method and the members of its params require."""
    old_needs, new_needs = _needs(old, comparison.new_names), _needs(new, {})
    new_parts = {_part(need, {}) for need in new.needs if _is_new(comparison, need, old)}
    for part in sorted(old_needs.keys() | new_needs.keys()):
        before, after = old_needs.get(part), new_needs.get(part)
        if before != after:
            # Old peers do not advertise a capability that is newly required, so nothing is sent to
            # them any more.
            breaks = after is not None and part not in new_parts
            yield comparison.change(
                "capability",
                f"{title(new)}{part}",
                before,
                after,
                comparison.new.definitions[new.params].pointer,
                writes=not breaks,
                python="breaking" if breaks else "compatible",
            )


def _describe(method: Method) -> str:
    return f"{method.kind} to the {method.side}"


def _needs(method: Method, names: Mapping[str, str]) -> dict[str, str]:
    """The capabilities a method requires, by the part that requires them; "" is the method itself.

    Args:
        names: other names to use for definitions.
    """
    capabilities = {"": method.capability.pointer} if method.capability else {}
    return capabilities | {_part(need, names): need.capability.pointer for need in method.needs}


def _part(need: CapabilityRequirement, names: Mapping[str, str]) -> str:
    kind = f"[{names.get(need.kind, need.kind)}]" if need.kind else ""
    return f".{need.member}{kind}"


def _is_new(comparison: Comparison, need: CapabilityRequirement, old: Method) -> bool:
    """Whether the old schema lacks the part that requires a capability, so that nobody sends it."""
    if need.kind is not None:
        return need.kind not in comparison.new_names.values()
    params = comparison.old.definitions[old.params]
    return isinstance(params, Record) and need.member not in {m.name for m in params.members}
