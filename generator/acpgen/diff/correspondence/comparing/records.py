"""Rules for objects: the members of one class, and those of the class on the other side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acpgen.diff.correspondence.comparing.context import Context
from acpgen.ir.bridge import Code, Members, Rule
from acpgen.ir.model import Definition, Member, Nullable, Record, Shape
from acpgen.ir.queries import resolve_alias, takes_null


def compare_records(
    context: Context,
    expected: Record,
    *,
    tag: tuple[str, str] | None = None,
    implied: frozenset[str] = frozenset(),
    foreign: frozenset[str] = frozenset(),
) -> Members | None:
    """Return the rule for the objects of the class at hand.

    Args:
        context: the comparison of that class.
        expected: the class on the other side.
        tag: a tag that its objects have there only, with its value.
        implied: tags that they have here only.
        foreign: members that they must not have there besides.
    """
    sent = context.current
    assert isinstance(sent, Record), "the caller has looked"
    return _Objects(context, sent, expected, tag, implied, foreign).rule()


class _Objects:
    """The comparison of two classes."""

    def __init__(
        self,
        context: Context,
        sent: Record,
        expected: Record,
        tag: tuple[str, str] | None,
        implied: frozenset[str],
        foreign: frozenset[str],
    ) -> None:
        self._context = context
        self._sent = sent
        self._renamed: Mapping[str, str] = context.decided_both_ways(expected, "renamed") or {}
        self._lost: Mapping[str, str] = context.decided("lost") or {}
        self._codes: Mapping[str, str] = context.decided("code_of") or {}
        self._added: Mapping[str, Any] = context.decided("added") or {}
        self._tag = dict([tag]) if tag is not None else {}
        self._tags = implied
        self._implied = implied | frozenset(context.decided("implied") or ())
        self._foreign = foreign | frozenset(expected.absent)
        self._targets = {member.wire: member for member in expected.members}

    def rule(self) -> Members | None:
        pairs = list(self._pairs())
        fields = {
            member.wire: rule
            for member, target in pairs
            if (rule := self._of_member(member, target)) is not None
        }
        not_null = {member.wire for member, target in pairs if self._loses_null(member, target)}
        self._check(pairs)
        own = {member.wire for member in self._sent.members}
        # Any object may have `_meta`, also where a schema does not say so.
        foreign = {*self._targets, *self._foreign, *self._tag} - {*own, "_meta"}
        renamed = {
            member.wire: target.wire for member, target in pairs if member.wire != target.wire
        }
        rule = Members(
            fields=fields,
            renamed=renamed,
            lost={wire: reason for wire, reason in self._lost.items() if wire in own},
            foreign=frozenset(foreign),
            required=frozenset(
                member.wire
                for member, target in pairs
                if target.required
                and target.wire not in self._added
                and member.wire in {*fields, *not_null}
            ),
            not_null=frozenset(not_null),
            implied=self._implied,
            added={**self._tag, **self._added},
        )
        return None if rule == Members() else rule

    def _pairs(self) -> list[tuple[Member, Member]]:
        """The members that both sides have."""
        pairs: list[tuple[Member, Member]] = []
        for member in self._sent.members:
            target = self._targets.get(self._renamed.get(member.wire, member.wire))
            if member.wire in self._lost or member.wire in self._implied:
                continue
            if target is not None:
                pairs.append((member, target))
            elif member.wire != "_meta":  # which travels as an unknown member
                self._context.miss(
                    f"member {member.wire!r} is not on the other side; say what it is called there "
                    "in `renamed`, or why it is `lost`"
                )
        return pairs

    def _of_member(self, sent: Member, expected: Member) -> Rule | None:
        code = self._codes.get(sent.wire)
        if code is not None:
            return Code(code)
        context = self._context
        return context.shapes(
            _not_null(sent.shape, context.sent), _not_null(expected.shape, context.expected)
        )

    def _loses_null(self, sent: Member, expected: Member) -> bool:
        """Whether a member may be null on the sender's side only."""
        return takes_null(sent.shape, self._context.sent) and not takes_null(
            expected.shape, self._context.expected
        )

    def _check(self, pairs: list[tuple[Member, Member]]) -> None:
        """Check that the objects have what the other side requires, and what decisions name."""
        own = {member.wire for member in self._sent.members} | self._tags
        named = [*self._lost, *self._codes, *self._implied, *self._renamed]
        self._context.check_names("member", own, named)
        self._context.check_names("member of the other side", self._targets, self._added)
        certain = {target.wire for member, target in pairs if member.required}
        for wire, target in self._targets.items():
            is_there = wire in certain or wire in self._added or wire in self._tag
            if target.required and not is_there:
                self._context.miss(
                    f"the other side requires {wire!r}; say what stands for it in `added`"
                )


def _not_null(shape: Shape, definitions: Mapping[str, Definition]) -> Shape:
    """A shape without null, which members take care of, also if it stands in an alias."""
    inner = resolve_alias(shape, definitions)
    return inner.shape if isinstance(inner, Nullable) else shape
