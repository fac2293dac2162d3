"""Compare the members of two records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from acpgen.diff.acceptance import repairs_null
from acpgen.diff.changes import Change, Label
from acpgen.diff.compare.shapes import compare_shapes
from acpgen.diff.comparison import Comparison
from acpgen.ir.model import Fallback, Member, Nullable
from acpgen.ir.queries import strip_null, takes_null, target
from acpgen.ir.wording import describe, describe_fallback


def compare_members(
    comparison: Comparison, owner: str, old: Sequence[Member], new: Sequence[Member]
) -> Iterator[Change]:
    """Compare the members of a record or of the class for other tags, called `owner`."""
    old_members = {member.wire: member for member in old}
    new_members = {member.wire: member for member in new}
    renamed = dict(_renamed(comparison, old_members, new_members))
    for wire, member in old_members.items():
        if wire in new_members:
            yield from _member(comparison, f"{owner}.{wire}", member, new_members[wire])
        elif wire in renamed:
            yield from _renamed_member(comparison, owner, member, new_members[renamed[wire]])
        else:
            # Receivers keep a member they do not know; only those that require it fail.
            yield comparison.change(
                "member",
                f"{owner}.{wire}",
                _describe(member),
                None,
                member.pointer,
                writes=not member.required,
            )
    for wire, member in new_members.items():
        if wire not in old_members and wire not in renamed.values():
            yield comparison.change(
                "member",
                f"{owner}.{wire}",
                None,
                _describe(member),
                member.pointer,
                reads=not member.required,
                python="breaking" if member.required else "compatible",
            )


def _renamed(
    comparison: Comparison, old: Mapping[str, Member], new: Mapping[str, Member]
) -> Iterator[tuple[str, str]]:
    """Removed members, and the only added ones that refer to the same definition."""
    removed = [member for wire, member in old.items() if wire not in new]
    added = [member for wire, member in new.items() if wire not in old]
    for member in removed:
        new_target = comparison.new_names.get(target(member.shape) or "")
        candidates = [
            candidate for candidate in added if new_target and target(candidate.shape) == new_target
        ]
        rivals = [rival for rival in removed if target(rival.shape) == target(member.shape)]
        if len(candidates) == len(rivals) == 1:
            yield member.wire, candidates[0].wire


def _renamed_member(
    comparison: Comparison, owner: str, old: Member, new: Member
) -> Iterator[Change]:
    # Each side takes the other's name for an unknown member.
    yield comparison.change(
        "member",
        f"{owner}.{old.wire}",
        old.wire,
        new.wire,
        new.pointer,
        renamed=True,
        reads=not new.required,
        writes=not old.required,
    )
    # Neither side decodes the other's values as this member, so other changes break no message.
    for change in _member(comparison, f"{owner}.{new.wire}", old, new):
        if change.subject != "presence":
            label: Label = "internal" if change.wire == "internal" else "compatible"
            yield replace(change, reads=True, writes=True, wire=label)


def _member(comparison: Comparison, name: str, old: Member, new: Member) -> Iterator[Change]:
    pointer = new.pointer
    if old.required != new.required:
        # Breaks Python either way: code may leave out an optional member, and relies on the value
        # of a required one.
        yield comparison.change(
            "presence",
            name,
            _presence(old),
            _presence(new),
            pointer,
            reads=old.required,
            writes=new.required,
        )
    old_null = takes_null(old.shape, comparison.old.definitions)
    new_null = takes_null(new.shape, comparison.new.definitions)
    if old_null != new_null:
        states = ("not nullable", "nullable")
        yield comparison.change(
            "nullability",
            name,
            states[old_null],
            states[new_null],
            pointer,
            reads=not old_null or repairs_null(new),
            writes=not new_null or repairs_null(old),
        )
    old_shape, new_shape = old.shape, new.shape
    both_nullable = isinstance(old_shape, Nullable) and isinstance(new_shape, Nullable)
    if old_null != new_null or both_nullable:
        old_shape, new_shape = strip_null(old_shape), strip_null(new_shape)
    yield from compare_shapes(
        comparison,
        "type",
        name,
        old_shape,
        new_shape,
        pointer,
        old_repairs=comparison.new_to_old.repairs(new.shape, old),
        new_repairs=comparison.old_to_new.repairs(old.shape, new),
    )
    yield from _keywords(comparison, name, old, new)


def _keywords(comparison: Comparison, name: str, old: Member, new: Member) -> Iterator[Change]:
    """Compare the repairs that vendor keywords ask for."""
    states = ("not set", "set")
    for keyword, before, after in (
        ("default-on-error", _fallback(old.on_error), _fallback(new.on_error)),
        ("default-on-null", _fallback(old.on_null), _fallback(new.on_null)),
        ("skip-invalid-items", states[old.skip_invalid], states[new.skip_invalid]),
    ):
        if before != after:
            subject = f"x-deserialize-{keyword}"
            yield comparison.change(subject, name, before, after, new.pointer, python="internal")


def _fallback(fallback: Fallback | None) -> str:
    return "not set" if fallback is None else describe_fallback(fallback)


def _presence(member: Member) -> str:
    return "required" if member.required else "optional"


def _describe(member: Member) -> str:
    return f"{_presence(member)} {describe(member.shape)}"
