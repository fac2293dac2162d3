"""Walk over two surfaces at once and say what has changed, and whom it breaks."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.diff.changes import Change
from acpgen.diff.compare.members import compare_members
from acpgen.diff.compare.methods import compare_methods
from acpgen.diff.compare.shapes import compare_shapes
from acpgen.diff.compare.unions import compare_special, compare_unions
from acpgen.diff.comparison import Comparison
from acpgen.ir.model import Alias, Definition, Record, TaggedUnion
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe


def compare(old: Surface, new: Surface) -> list[Change]:
    """All changes from one surface to another: those of methods, then the others, by name."""
    pair = Comparison.of(old, new)
    changes = [*_definitions(pair), *compare_methods(pair)]
    return sorted(changes, key=lambda change: (change.subject != "method", change.name))


def _definitions(pair: Comparison) -> Iterator[Change]:
    old, new = pair.old.definitions, pair.new.definitions
    # No message holds the name of a definition.
    for name, definition in old.items():
        if name not in pair.names:
            words, at = describe(definition), definition.pointer
            yield pair.change("definition", name, words, None, at, wire="internal")
    for name in new.keys() - set(pair.names.values()):
        words, at = describe(new[name]), new[name].pointer
        yield pair.change("definition", name, None, words, at, wire="internal")
    for before, after in pair.names.items():
        if before != after:
            at = new[after].pointer
            yield pair.change(
                "definition", before, before, after, at, renamed=True, wire="internal"
            )
        yield from _definition(pair, after, old[before], new[after])


def _definition(
    pair: Comparison, name: str, one: Definition, other: Definition
) -> Iterator[Change]:
    match one, other:
        case Record(), Record():
            yield from _records(pair, name, one, other)
        case TaggedUnion(), TaggedUnion():
            yield from compare_unions(pair, name, one, other)
        case Alias(), Alias():
            yield from compare_shapes(pair, "shape", name, one.shape, other.shape, other.pointer)
        case _:
            yield pair.change(
                "kind",
                name,
                describe(one),
                describe(other),
                other.pointer,
                reads=pair.forth.becomes(one, other),
                writes=pair.back.becomes(other, one),
            )


def _records(pair: Comparison, name: str, one: Record, other: Record) -> Iterator[Change]:
    before, after = one.members, other.members
    if one.base is not None and pair.names.get(one.base) == other.base:
        # What both take over from their bases, or no longer do, is said of these.
        own = _own(one, pair.old) | _own(other, pair.new)
        before, after = (
            tuple(member for member in members if member.wire in own) for members in (before, after)
        )
    yield from compare_members(pair, name, before, after)
    yield from compare_special(pair, name, one, other)


def _own(record: Record, surface: Surface) -> set[str]:
    """The members of a record that its base has not, or not so, but for its tag."""
    base = surface.definitions.get(record.base or "")
    inherited = base.members if isinstance(base, Record) else ()
    own = (member for member in record.members if member not in inherited)
    return {member.wire for member in own if member.const is None}
