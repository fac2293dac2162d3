"""Compare two surfaces: every definition and every method."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.common.pointers import pointer_parts
from acpgen.diff.changes import Change
from acpgen.diff.compare.members import compare_members
from acpgen.diff.compare.methods import compare_methods
from acpgen.diff.compare.shapes import compare_shapes
from acpgen.diff.compare.unions import compare_subtypes, compare_unions
from acpgen.diff.comparison import Comparison
from acpgen.diff.in_place import with_enumerations_in_place
from acpgen.ir.model import Alias, Definition, Record, TaggedUnion
from acpgen.ir.queries import own_members
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe
from acpgen.schema.document import shorten


def compare(old: Surface, new: Surface) -> list[Change]:
    """Find all changes from one surface to another: methods first, each part by name."""
    comparison = Comparison.of(with_enumerations_in_place(old), with_enumerations_in_place(new))
    changes = [
        *_definitions(comparison),
        *compare_methods(comparison),
        *_unchecked(comparison),
        *_deprecations(comparison),
    ]
    return sorted(changes, key=lambda change: (change.subject != "method", change.name))


def _definitions(comparison: Comparison) -> Iterator[Change]:
    # Names of definitions do not occur in messages: such changes are internal to the wire.
    old, new = comparison.old.definitions, comparison.new.definitions
    for name, definition in old.items():
        if name not in comparison.new_names:
            text, pointer = describe(definition), definition.pointer
            yield comparison.change("definition", name, text, None, pointer, wire="internal")
    for name in new.keys() - set(comparison.new_names.values()):
        text, pointer = describe(new[name]), new[name].pointer
        yield comparison.change("definition", name, None, text, pointer, wire="internal")
    for old_name, new_name in comparison.new_names.items():
        if old_name != new_name:
            yield comparison.change(
                "definition",
                old_name,
                old_name,
                new_name,
                new[new_name].pointer,
                renamed=True,
                wire="internal",
            )
        yield from _definition(comparison, new_name, old[old_name], new[new_name])


def _unchecked(comparison: Comparison) -> Iterator[Change]:
    """Compare the parts of the schema that no rule reads: other peers can check them."""
    old, new = comparison.old.unread, comparison.new.unread
    for at in sorted({*old, *new}):
        if old.get(at) != new.get(at):
            before, after = (shorten(texts[at]) if at in texts else None for texts in (old, new))
            yield comparison.change(
                "part", at, before, after, at, wire="unknown", python="internal"
            )


def _deprecations(comparison: Comparison) -> Iterator[Change]:
    """Compare deprecations. Deprecated parts are still sent and read."""
    old, new = comparison.old.deprecations, comparison.new.deprecations
    for at in sorted(old ^ new):
        before, after = ("deprecated" if at in pointers else None for pointers in (old, new))
        yield comparison.change(
            "deprecation",
            _name_at(at),
            before,
            after,
            at,
            wire="compatible",
            python="compatible",
        )


def _name_at(at: str) -> str:
    """Return the name of a definition or a member by its pointer; otherwise, the pointer."""
    match pointer_parts(at):
        case ["$defs", definition]:
            return definition
        case ["$defs", definition, "properties", member]:
            return f"{definition}.{member}"
        case _:
            return at


def _definition(
    comparison: Comparison, name: str, old: Definition, new: Definition
) -> Iterator[Change]:
    match old, new:
        case Record(), Record():
            yield from _records(comparison, name, old, new)
        case TaggedUnion(), TaggedUnion():
            yield from compare_unions(comparison, name, old, new)
        case Alias(), Alias():
            yield from compare_shapes(comparison, "shape", name, old.shape, new.shape, new.pointer)
        case _:
            yield comparison.change(
                "kind",
                name,
                describe(old),
                describe(new),
                new.pointer,
                reads=comparison.old_to_new.accepts_definition(old, new),
                writes=comparison.new_to_old.accepts_definition(new, old),
            )


def _records(comparison: Comparison, name: str, old: Record, new: Record) -> Iterator[Change]:
    old_members, new_members = old.members, new.members
    if old.base is not None and comparison.new_names.get(old.base) == new.base:
        # Changes of members that both inherit are reported once, for the base.
        own = _own_names(old, comparison.old) | _own_names(new, comparison.new)
        old_members = tuple(member for member in old_members if member.wire in own)
        new_members = tuple(member for member in new_members if member.wire in own)
    yield from compare_members(comparison, name, old_members, new_members)
    for wire in sorted(set(old.absent) ^ set(new.absent)):
        is_new = wire in new.absent
        yield comparison.change(
            "absence",
            f"{name}.{wire}",
            None if is_new else "must be absent",
            "must be absent" if is_new else None,
            new.pointer if is_new else old.pointer,
            reads=not is_new,
            writes=is_new,
        )
    yield from compare_subtypes(comparison, name, old, new)


def _own_names(record: Record, surface: Surface) -> set[str]:
    """The names of the members that a record adds to its base or changes, except its tag."""
    own = own_members(record, surface.definitions)
    return {member.wire for member in own if member.const is None}
