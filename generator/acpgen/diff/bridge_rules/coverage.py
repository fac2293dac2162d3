"""Check that new parts of definitions that code takes apart are noticed.

Rules are derived by comparison, which finds everything new. Code has no such check. So the overlay
lists every part of a definition that code takes apart, and this list is compared with the schema.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from acpgen.diff.bridge_rules.decisions import DirectionDecisions
from acpgen.ir.model import Alias, Definition, Enumeration, Record, Reference, Shape, TaggedUnion
from acpgen.ir.queries import arms_by_tag, references
from acpgen.ir.surface import Surface

_NEITHER = (
    "no rule is made for it; name it in `parts`, or list in `taken` what code takes of it: its "
    "members, tags or constants"
)


def check_coverage(
    sent: Surface, roots: Iterable[str], compared: Collection[str], decisions: DirectionDecisions
) -> None:
    """Check that each definition is compared, or known to code down to its members.

    Args:
        sent: the surface that sends.
        roots: the definitions to begin with.
        compared: the definitions that were compared with a counterpart.
        decisions: the decisions about the direction.
    """
    definitions = sent.definitions
    pending = list(roots)
    for name in compared:
        if name in definitions:
            # A rule that is code has the definitions within to itself.
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
        # The entry of a union also lists what its arms without their own definition have.
        is_listed_there = owner and decisions.about(definitions[owner], "taken") is not None
        if taken is not None and not is_listed_there:
            for new in sorted(names.difference(taken)):
                advice = "teach the code in templates/runtime/bridge, and list it in `taken`"
                decisions.miss(definition, f"{new!r} is new; {advice}")
            for old in taken:
                if old not in names:
                    advice = "remove it from `taken`"
                    decisions.miss(definition, f"{old!r} is not there any more; {advice}")
        pending += _references_in(definition)


def _names_in(definition: Definition, sent: Surface) -> set[str]:
    """Return the members, tags or constants of a definition and of its arms without definitions."""
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
    """Yield the definitions that a definition refers to, or only some of its members and tags."""
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
