"""Read what the overlay says of responses that carry session state, and check it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from acpgen.analysis.protocol.index import SchemaIndex
from acpgen.analysis.protocol.updates import FILE
from acpgen.common.pointers import pointer
from acpgen.common.problems import Problem
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.ir.model import Member, Method, TaggedUnion
from acpgen.ir.queries import arms_by_tag, resolve_path, strip_null, target
from acpgen.ir.session import Seed, UpdateRule

# Stands for the update itself, in place of the name of a member.
_WHOLE = "*"


@dataclass(frozen=True, slots=True)
class Seeds:
    """What the responses of a surface say of the state.

    Attributes:
        seeds: an entry for each update that a response amounts to.
        matched: the overlay's entries that had a use.
        notes: entries that the schema does not meet.
    """

    seeds: tuple[Seed, ...] = ()
    matched: frozenset[tuple[str, ...]] = frozenset()
    notes: tuple[Problem, ...] = ()


def read_seeds(
    index: SchemaIndex,
    union: TaggedUnion | None,
    rules: Sequence[UpdateRule],
    overlay: Overlay,
    surface: str,
) -> Seeds:
    """Read what responses say of the state of a session.

    Args:
        index: the schema.
        union: the union of session updates, if there is one.
        rules: the rules for its updates.
        overlay: the overlay with the entries.
        surface: the surface's name.
    """
    arms = arms_by_tag(union)
    ruled = {rule.tag: arms[rule.tag] for rule in rules if rule.operation != "passthrough"}
    seeds: list[Seed] = []
    matched: set[tuple[str, ...]] = set()
    notes: list[Problem] = []
    for path, members in overlay.seeds_of(surface):
        *_, wire, tag = path
        method = index.method("agent", "request", wire)
        if method is None:
            continue
        matched.add(path)
        if not members:  # it has no such entry, unlike the previous version
            continue
        site = _Site(index, method, ruled.get(tag), members)
        misfit = next(site.misfits(tag), None)
        if misfit is None:
            seeds.append(site.read(wire))
        else:
            notes.append(Problem(FILE, pointer(*path), "overlay", f"{misfit}; fix the entry"))
    return Seeds(tuple(seeds), frozenset(matched), tuple(notes))


@dataclass(frozen=True, slots=True)
class _Site:
    """A method, and what its entry in the overlay says.

    Attributes:
        index: the schema.
        method: the method.
        update: the definition of the update; None if it has no rule.
        members: the path to each of its members, by wire name.
    """

    index: SchemaIndex
    method: Method
    update: str | None
    members: Mapping[str, str]

    def misfits(self, tag: str) -> Iterator[str]:
        """The faults of the entry, the most basic first."""
        if self.update is None:
            yield f"no rule says what the update {tag!r} does"
            return
        for path in self.members.values():
            owner, _, members = path.partition("/")
            if owner not in ("params", "result") or not members:
                yield f"{path!r} does not begin with params/ or result/"
            elif self._end(path) is None:
                yield f"the {owner} of {self.method.wire} has no member {members!r}"
        if set(self.members) == {_WHOLE}:
            if self._type(self.members[_WHOLE]) != self.update:
                yield f"{self.members[_WHOLE]!r} is not a {self.update}"
            return
        yield from (
            unmet.message for unmet in self.index.unconstructible(self.update, *self.members)
        )
        for wire, path in self.members.items():
            wanted, source = self.index.member(self.update, wire), self._end(path)
            if wanted and source and strip_null(wanted.shape) != strip_null(source.shape):
                yield f"{path!r} is not of the type of {wire!r} of {self.update}"

    def read(self, wire: str) -> Seed:
        """The entry, once it has no faults."""
        if set(self.members) == {_WHOLE}:
            return Seed(wire, None, {"update": self._names(self.members[_WHOLE])})
        paths: dict[str, tuple[str, ...]] = {}
        for name, path in self.members.items():
            member = self.index.member(self.update, name)
            assert member is not None, name
            paths[member.name] = self._names(path)
        return Seed(wire, self.update, paths)

    def _names(self, path: str) -> tuple[str, ...]:
        """The attributes that a path leads through."""
        owner, _, members = path.partition("/")
        steps = resolve_path(self.index.definitions, self._owner(owner), members) or ()
        return (owner, *(name for name, _ in steps))

    def _owner(self, owner: str) -> str:
        return (self.method.params if owner == "params" else self.method.result) or ""

    def _end(self, path: str) -> Member | None:
        """The member at the end of a path."""
        start, *wires = path.split("/")
        name: str | None = self._owner(start)
        member: Member | None = None
        for wire in wires:
            member = self.index.member(name, wire)
            name = target(member.shape) if member else None
        return member

    def _type(self, path: str) -> str | None:
        member = self._end(path)
        return target(member.shape) if member else None
