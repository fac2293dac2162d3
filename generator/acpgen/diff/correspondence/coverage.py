"""Check that nothing new goes unnoticed in what code takes apart.

Rules come from a comparison, which finds what is new. Code does not: so the overlay lists all that
a definition has that code takes apart, and what it lists is compared with the schema.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from acpgen.diff.correspondence.decisions import DirectionDecisions
from acpgen.ir.model import Alias, Definition, Enumeration, Record, Reference, Shape, TaggedUnion
from acpgen.ir.queries import references
from acpgen.ir.surface import Surface

_NEITHER = (
    "no rule is made for it; name it in `parts`, or list in `taken` what code takes of it: its "
    "members, tags or constants"
)


def check_coverage(
    sent: Surface,
    roots: Iterable[str],
    compared: Collection[str],
    decisions: DirectionDecisions,
) -> None:
    """Check that each definition is compared, or known to code down to its members.

    Args:
        sent: the surface that sends.
        roots: the definitions to begin with.
        compared: the definitions that were compared with a counterpart.
        decisions: what a person has decided about the direction.
    """
    definitions = sent.definitions
    pending = list(roots)
    for name in compared:
        if name in definitions:
            pending += _left_to_code(definitions[name], decisions)
    seen: set[str] = set()
    while pending:
        name = pending.pop(0)
        if name in seen:
            continue
        seen.add(name)
        definition = definitions[name]
        if name in compared:
            continue
        taken: list[str] | None = decisions.about(definition, "taken")
        names = _names(definition, sent)
        if taken is None and names:
            decisions.miss(definition, _NEITHER)
            continue
        if taken is not None and not _goes_by_union(definition, sent, decisions):
            _compare(definition, names, taken, decisions)
        pending += _inside(definition)


def _left_to_code(definition: Definition, decisions: DirectionDecisions) -> Iterator[str]:
    """The definitions within a compared one that code takes, since it has a function for them."""
    implied = decisions.about(definition, "implied") or ()
    codes = decisions.about(definition, "code_of") or ()
    return _inside(definition, only={*implied, *codes})


def _goes_by_union(definition: Definition, sent: Surface, decisions: DirectionDecisions) -> bool:
    """Whether what is taken of an arm without a definition of its own stands with its union."""
    owner = definition.owner if isinstance(definition, Record) else None
    return owner is not None and decisions.about(sent.definitions[owner], "taken") is not None


def _compare(
    definition: Definition, names: set[str], taken: list[str], decisions: DirectionDecisions
) -> None:
    for name in sorted(names.difference(taken)):
        advice = "teach the code in templates/runtime/bridge, and list it in `taken`"
        decisions.miss(definition, f"{name!r} is new; {advice}")
    for name in taken:
        if name not in names:
            decisions.miss(definition, f"{name!r} is not there any more; remove it from `taken`")


def _names(definition: Definition, sent: Surface) -> set[str]:
    """What a definition has: members, tags or constants.

    The arms of a union that have no definitions of their own are part of it.
    """
    match definition:
        case Record(members=members, subtypes=arms):
            names = {member.wire for member in members if member.wire != "_meta"}
        case TaggedUnion(arms=arms):
            names = set()
        case Alias(shape=Enumeration(values=values)):
            return set(map(str, values))
        case Alias():
            return set()
    for arm in arms:
        names.add(arm.tag)
        record = sent.definitions[arm.target]
        if isinstance(record, Record) and record.owner == definition.name:
            names |= _names(record, sent)
    return names


def _inside(definition: Definition, only: Collection[str] | None = None) -> Iterator[str]:
    """The definitions that a definition refers to.

    Args:
        definition: the definition.
        only: the members or tags to look at; None for all of them.
    """
    named: list[tuple[str, Shape]] = []
    match definition:
        case Record(members=members, subtypes=arms):
            named += [(member.wire, member.shape) for member in members]
            named += [(arm.tag, Reference(arm.target)) for arm in arms]
        case TaggedUnion(arms=arms, default=default):
            named += [(arm.tag, Reference(arm.target)) for arm in arms]
            named += [("", default)] if default is not None else []
        case Alias(shape=shape):
            named.append(("", shape))
    for name, shape in named:
        if only is None or name in only:
            yield from references(shape)
