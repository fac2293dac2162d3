"""The rules of one direction: those of all definitions that stand in each other's places.

A definition is taken to be equal in both versions until something in it is known not to be. So
definitions that refer to each other are compared again and again, until nothing new is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from acpgen.diff.correspondence.comparing.choices import compare_choices
from acpgen.diff.correspondence.comparing.context import Context, record_of
from acpgen.diff.correspondence.comparing.records import compare_records
from acpgen.diff.correspondence.comparing.scalars import closed, compare_scalars
from acpgen.diff.correspondence.comparing.unions import compare_unions, enter_union, leave_union
from acpgen.diff.correspondence.decisions import DirectionDecisions
from acpgen.ir.bridge import Code, Entries, Items, Ref, Rule
from acpgen.ir.model import (
    Alias,
    AnyJson,
    Array,
    Definition,
    Dictionary,
    Enumeration,
    Nullable,
    Record,
    Reference,
    Shape,
    TaggedUnion,
    UntaggedUnion,
)
from acpgen.ir.queries import resolve_alias

# A definition of the sender, and what stands in its place on the other side.
Pair = tuple[str, Shape]


@dataclass(frozen=True, slots=True)
class Derived:
    """The rules of one direction.

    Attributes:
        rules: the rules of definitions that are not equal, by name.
        counterparts: what stands in the place of each definition that was compared; not those that
            code takes apart.
    """

    rules: Mapping[str, Rule]
    counterparts: Mapping[str, Shape]


def derive(
    sent: Mapping[str, Definition],
    expected: Mapping[str, Definition],
    decisions: DirectionDecisions,
    roots: Iterable[Pair],
    tags: Mapping[str, Mapping[str, str]],
) -> Derived:
    """Derive the rules of definitions, and of those that they refer to.

    Args:
        sent: the definitions of the side that sends.
        expected: those of the side that receives.
        decisions: what a person has decided about this direction.
        roots: the definitions to begin with.
        tags: by union, the tags of arms that the other side lacks; see `compare_unions`.
    """
    differing: frozenset[str] = frozenset()
    starts = list(roots)
    strict = closed(expected)
    while True:
        derivation = _Derivation(sent, strict, decisions, differing, tags)
        rules = derivation.run(starts)
        if rules.keys() == differing:
            counterparts = {
                name: shape
                for name, shape in derivation.counterparts.items()
                if decisions.about(sent[name], "taken") is None
            }
            return Derived(dict(sorted(rules.items())), counterparts)
        differing = frozenset(rules)


class _Derivation:
    """One comparison of all definitions.

    Attributes:
        counterparts: what stands in the place of each definition that was compared.
    """

    def __init__(
        self,
        sent: Mapping[str, Definition],
        expected: Mapping[str, Definition],
        decisions: DirectionDecisions,
        differing: frozenset[str],
        tags: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.counterparts: dict[str, Shape] = {}
        self._sent = sent
        self._expected = expected
        self._decisions = decisions
        self._differing = differing
        self._tags = tags
        self._pending: list[str] = []
        self._inside: set[Pair] = set()  # what is compared without a rule of its own

    def run(self, roots: Iterable[Pair]) -> dict[str, Rule]:
        """Return the rules of definitions that differ, as far as is known."""
        for name, shape in roots:
            self._refer(name, shape)
        rules: dict[str, Rule | None] = {}
        while self._pending:
            name = self._pending.pop(0)
            rules[name] = self._of_definition(self._sent[name], self.counterparts[name])
        return {name: rule for name, rule in rules.items() if rule is not None}

    # --- definitions ---------------------------------------------------------------------------

    def _refer(self, name: str, expected: Shape) -> Rule | None:
        """The rule of a definition where it is referred to.

        A definition has one counterpart. Where something else stands in its place, its values get
        a rule of their own.
        """
        is_usual = name not in self._expected or expected == Reference(name)
        if is_usual and name not in self.counterparts:
            self.counterparts[name] = expected
            self._pending.append(name)
        if self.counterparts.get(name) == expected:
            return Ref(name) if name in self._differing else None
        if (name, expected) in self._inside:
            return None
        self._inside.add((name, expected))
        rule = self._of_definition(self._sent[name], expected)
        self._inside.discard((name, expected))
        return rule

    def _of_definition(self, sent: Definition, place: Shape) -> Rule | None:
        context = Context(self._sent, self._expected, self._decisions, sent, self._of_shapes)
        if context.decided("taken") is not None:
            return None  # code takes it apart
        code: str | None = context.decided("code")
        if code is not None:
            return Code(code)
        expected = self._expected.get(place.name) if isinstance(place, Reference) else None
        source = record_of(Reference(sent.name), self._sent)
        target = record_of(place, self._expected)
        match sent, expected:
            case TaggedUnion(), TaggedUnion():
                return compare_unions(context, expected, self._tags.get(sent.name, {}))
            case _, TaggedUnion() if source is not None:
                return enter_union(context, source, expected)
            case TaggedUnion(), Record() | Alias() if target is not None:
                return leave_union(context, expected, target)
            case (Record() | Alias()), _ if source is not None and target is not None:
                if source.subtypes or target.subtypes:
                    context.miss("has subtypes, for which there are no rules; name its `code`")
                return compare_records(context.of(source), target)
            case Alias(shape=shape), _:
                return self._of_shapes(context, shape, place)
            case _:
                context.miss("is of another kind on the other side; name its `code`")
                return None

    # --- shapes --------------------------------------------------------------------------------

    def _of_shapes(self, context: Context, sent: Shape, expected: Shape) -> Rule | None:
        """Return the rule for the values of a shape; see `Context.shapes`."""
        plain = resolve_alias(expected, self._expected)
        match sent, plain:
            case _, AnyJson():
                return None
            case Reference(name), _:
                if _has_rule(self._sent[name]):
                    return self._refer(name, expected)
                return self._of_shapes(context, resolve_alias(sent, self._sent), expected)
            case Nullable(inner), Nullable(target):
                return self._without_null(context, inner, target)
            case _, Nullable(target):
                return self._of_shapes(context, sent, target)
            case Array(), Array():
                least = plain.min_items or 0
                items = self._without_null(context, sent.items, plain.items)
                is_longer = least > (sent.min_items or 0)
                return Items(items, least) if items is not None or is_longer else None
            case Dictionary(), Dictionary():
                entry = self._without_null(context, sent.values, plain.values)
                return None if entry is None else Entries(entry)
            case (UntaggedUnion(), _) | (_, UntaggedUnion()):
                return compare_choices(context, sent, plain)
            case (Array() | Dictionary() | Nullable()), _:
                context.miss("has values of another kind on the other side; name their `code`")
                return None
            case _:
                return compare_scalars(context, sent, plain)

    def _without_null(self, context: Context, sent: Shape, expected: Shape) -> Rule | None:
        """The rule for values that rules expect not to be null, as those of members are."""
        rule = self._of_shapes(context, sent, expected)
        if rule is not None and isinstance(resolve_alias(sent, self._sent), Nullable):
            context.miss("has null in a list or a map whose items differ; name their `code`")
        return rule


def _has_rule(definition: Definition) -> bool:
    """Whether a definition has a rule of its own if it differs: all but plain strings and such."""
    if not isinstance(definition, Alias):
        return True
    return isinstance(definition.shape, Enumeration | UntaggedUnion | Reference)
