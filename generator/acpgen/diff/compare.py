"""Walk over two surfaces at once and say what has changed, and whom it breaks."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.diff.changes import Change
from acpgen.diff.fitting import Fitting
from acpgen.diff.members import compare_members
from acpgen.diff.methods import compare_methods
from acpgen.diff.pair import Pair
from acpgen.diff.shapes import compare_shapes
from acpgen.diff.unions import compare_special, compare_unions
from acpgen.diff.wording import word
from acpgen.model import Alias, Definition, Member, Record, Reference, Surface, TaggedUnion


def compare(old: Surface, new: Surface) -> list[Change]:
    """All changes from one surface to another: those of methods, then the others, by name."""
    pair = Pair.of(old, new)
    changes = [*_definitions(pair), *compare_methods(pair)]
    return sorted(changes, key=lambda change: (change.subject != "method", change.name))


def _definitions(pair: Pair) -> Iterator[Change]:
    old, new = pair.old.definitions, pair.new.definitions
    # No message holds the name of a definition.
    for name, definition in old.items():
        if name not in pair.names:
            words, at = word(definition), definition.pointer
            yield pair.change("definition", name, words, None, at, wire="internal")
    for name in new.keys() - set(pair.names.values()):
        words, at = word(new[name]), new[name].pointer
        yield pair.change("definition", name, None, words, at, wire="internal")
    for before, after in pair.names.items():
        if before != after:
            at = new[after].pointer
            yield pair.change(
                "definition", before, before, after, at, renamed=True, wire="internal"
            )
        yield from _definition(pair, after, old[before], new[after])


def _definition(pair: Pair, name: str, one: Definition, other: Definition) -> Iterator[Change]:
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
                word(one),
                word(other),
                other.pointer,
                reads=_becomes(pair.forth, one, other),
                writes=_becomes(pair.back, other, one),
            )


def _records(pair: Pair, name: str, one: Record, other: Record) -> Iterator[Change]:
    both = one.base is not None and pair.names.get(one.base) == other.base
    yield from compare_members(
        pair,
        name,
        _own(one, pair.old) if both else one.members,
        _own(other, pair.new) if both else other.members,
    )
    yield from compare_special(pair, name, one, other)


def _own(record: Record, surface: Surface) -> list[Member]:
    """The members of a record that are not those of its base, which are compared there."""
    base = surface.definitions.get(record.base or "")
    inherited = base.members if isinstance(base, Record) else ()
    return [member for member in record.members if member not in inherited]


def _becomes(fitting: Fitting, one: Definition, other: Definition) -> bool:
    """Whether values of a definition are values of one of another kind."""
    form = one.shape if isinstance(one, Alias) else Reference(one.name)
    match other:
        case Alias(shape=shape):
            return fitting.fits(form, shape)
        case TaggedUnion(default=default) if default is not None and isinstance(one, Record):
            return fitting.fits(form, default)
        case _:
            return False
