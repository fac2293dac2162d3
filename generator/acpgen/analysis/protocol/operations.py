"""The operations of session updates, a class for each.

A class says which parts its rule has in the overlay, what it requires of the schema, and what the
rule holds. `templates/session/operations.jinja` has a macro for each, and the runtime's
`session.reducers` the reducer that the macro constructs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, TypedDict

from acpgen.analysis.protocol.index import SchemaIndex, Unmet
from acpgen.ir.model import Array, Reference
from acpgen.ir.queries import classes_of, members_of, resolve_path, strip_null
from acpgen.ir.session import Collection, Output, Slot, UpdateRule

# Members of updates that reducers read by these names.
_CONTENT = "content"
_DATA = "data"

Defaults: TypeAlias = tuple[tuple[str, Any], ...]


class Common(TypedDict):
    """The fields that rules of all operations have."""

    tag: str
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UpdateSite:
    """An update, and its rule in the overlay.

    Attributes:
        index: the schema.
        tag: the tag of the update.
        update: its definition.
        parts: the parts of the rule in the overlay.
    """

    index: SchemaIndex
    tag: str
    update: str
    parts: Mapping[str, Any]

    @property
    def entry(self) -> str:
        """The class that the update becomes, or changes."""
        return str(self.parts.get("as", self.update))

    def common(self) -> Common:
        """The parts of every rule."""
        classes = classes_of(Reference(self.update), self.index.definitions)
        return Common(tag=self.tag, classes=tuple(classes))

    def collection(self) -> Collection | None:
        """The collection that the rule names."""
        if "collection" not in self.parts:
            return None
        if "key" not in self.parts:
            return Collection(self.parts["collection"], self.entry, (), "None")
        key_path = resolve_path(self.index.definitions, self.update, self.parts["key"]) or ()
        key_type = self._type_at(self.update, self.parts["key"]) or "str"
        return Collection(self.parts["collection"], self.entry, key_path, key_type)

    def slot(self) -> Slot | None:
        """The slot that the rule names."""
        return Slot(self.parts["slot"], self.entry) if "slot" in self.parts else None

    def output(self) -> Output | None:
        """The output that the rule names."""
        if "output" not in self.parts:
            return None
        wire = self.parts["output"]
        return Output(self.name_of(self.entry, wire), self.index.type(self.entry, wire) or "")

    def defaults(self) -> Defaults:
        """The values that members of an entry have at first, by Python name."""
        stated = self.parts.get("defaults", {})
        return tuple(sorted((self.name_of(self.entry, wire), stated[wire]) for wire in stated))

    def name_of(self, owner: str, wire: str) -> str:
        """The Python name of a member, which must exist."""
        member = self.index.member(owner, wire)
        assert member is not None, (owner, wire)
        return member.name

    def new_entry(self) -> list[Unmet]:
        """Why an entry cannot be constructed from its key and its defaults."""
        key = self.parts["key"].split("/")[-1]
        return self.index.unconstructible(self.entry, key, *self.parts.get("defaults", {}))

    def converted_entry(self, *read: str) -> Iterator[Unmet]:
        """Why the update cannot be converted to an entry, or the reducer cannot read members."""
        index, entry = self.index, self.entry
        required = {m.wire for m in members_of(index.definitions, self.update) if m.required}
        filled = {*required, *self.parts.get("defaults", {})}
        yield from index.unreadable(self.update)
        yield from index.unreadable(entry, *sorted(index.wires(self.update)), *read)
        for member in members_of(index.definitions, entry):
            if member.required and member.wire not in filled:
                message = f"{entry} requires {member.wire!r}, which {self.update} may lack"
                yield index.unmet(entry, message)

    def _type_at(self, owner: str, path: str) -> str | None:
        """The definition of the member at the end of a path of wire names."""
        name: str | None = owner
        for wire in path.split("/"):
            name = self.index.type(name, wire)
        return name


class Operation(UpdateRule):
    """Base of the operations.

    Attributes:
        required: the parts that its rule must have, besides `op`.
        optional: the parts that it may have.
        keyless: whether its collection may have an entry without a key.
    """

    required: ClassVar[tuple[str, ...]] = ()
    optional: ClassVar[tuple[str, ...]] = ()
    keyless: ClassVar[bool] = False

    @classmethod
    def unmet(cls, site: UpdateSite) -> Iterator[Unmet]:
        """The requirements of the reducer that the schema does not meet."""
        yield from ()

    @classmethod
    def read(cls, site: UpdateSite) -> Operation:
        """The rule for an update whose requirements are met."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchMessage(Operation):
    """A whole message of a role: the members that it has replace the earlier ones."""

    operation = "patch_message"
    rank = 0
    required = ("role",)

    @classmethod
    def unmet(cls, site: UpdateSite) -> Iterator[Unmet]:
        yield from site.index.unconstructible(site.update, "messageId", _CONTENT, "_meta")

    @classmethod
    def read(cls, site: UpdateSite) -> Operation:
        return cls(**site.common(), role=site.parts["role"])


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendToMessage(Operation):
    """A block that is appended to a message of a role."""

    operation = "append_to_message"
    rank = 2
    required = ("role",)
    optional = ("sender",)

    @classmethod
    def unmet(cls, site: UpdateSite) -> Iterator[Unmet]:
        yield from site.index.unconstructible(site.update, "messageId", _CONTENT)

    @classmethod
    def read(cls, site: UpdateSite) -> Operation:
        parts = site.parts
        return cls(**site.common(), role=parts["role"], sender=parts.get("sender"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Set(Operation):
    """The last update, kept as it is; it takes over the members of `carries` that it lacks."""

    operation = "set"
    required = ("slot",)
    optional = ("carries",)

    carries: tuple[str, ...]

    @classmethod
    def read(cls, site: UpdateSite) -> Operation:
        # A member that is missing cannot be taken over; the rest of the rule works without it.
        listed = [site.index.member(site.update, wire) for wire in site.parts.get("carries", ())]
        carries = tuple(member.name for member in listed if member is not None)
        return cls(**site.common(), slot=site.slot(), carries=carries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upsert(Operation):
    """The update becomes the entry of its key, or the one without, in place of any earlier one."""

    operation = "upsert"
    rank = 1
    required = ("collection",)
    optional = ("key", "as")
    keyless = True

    @classmethod
    def unmet(cls, site: UpdateSite) -> Iterator[Unmet]:
        yield from site.converted_entry()

    @classmethod
    def read(cls, site: UpdateSite) -> Operation:
        return cls(**site.common(), collection=site.collection())


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch(Operation):
    """Members that the update carries replace those of an entry, or of a slot.

    Attributes:
        defaults: what members are at first, by Python name.
        null_clears: whether null clears a member; else it changes nothing.
        meta: whether `_meta` `merges` by top-level key, `replaces` the one before, or `lasts`: it
            is always that of the last update.
    """

    operation = "patch"
    rank = 2
    optional = ("collection", "slot", "key", "as", "defaults", "null", "meta", "output")

    defaults: Defaults
    null_clears: bool
    meta: str

    @classmethod
    def unmet(cls, site: UpdateSite) -> Iterator[Unmet]:
        index, parts = site.index, site.parts
        yield from site.converted_entry(*(["_meta"] if parts.get("meta") == "lasts" else []))
        if "output" in parts:
            yield from index.unreadable(site.update, parts["output"])
            yield from index.unconstructible(index.type(site.entry, parts["output"]), _DATA)
            if not index.is_optional(site.update, parts["output"]):
                message = f"{site.update} requires {parts['output']!r}, which must be optional"
                yield index.unmet(site.update, message)

    @classmethod
    def read(cls, site: UpdateSite) -> Operation:
        return cls(
            **site.common(),
            collection=site.collection(),
            slot=site.slot(),
            output=site.output(),
            defaults=site.defaults(),
            null_clears=site.parts.get("null", "clears") == "clears",
            meta=site.parts.get("meta", "merges"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Append(Operation):
    """The update's content is appended to a list of an entry.

    Attributes:
        member: the list, by Python name.
        defaults: what members of a new entry are, by Python name.
    """

    operation = "append"
    required = ("collection", "key", "as", "member")
    optional = ("defaults",)

    member: str
    defaults: Defaults

    @classmethod
    def unmet(cls, site: UpdateSite) -> Iterator[Unmet]:
        yield from site.index.unreadable(site.update, _CONTENT)
        yield from site.new_entry()
        member = site.index.member(site.entry, site.parts["member"])
        if member is None or not isinstance(strip_null(member.shape), Array):
            message = f"{site.parts['member']!r} of {site.entry} is not a list"
            yield site.index.unmet(site.entry, message)

    @classmethod
    def read(cls, site: UpdateSite) -> Operation:
        return cls(
            **site.common(),
            collection=site.collection(),
            member=site.name_of(site.entry, site.parts["member"]),
            defaults=site.defaults(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendOutput(Operation):
    """The update's data is appended to the output of an entry."""

    operation = "append_output"
    required = ("collection", "key", "as")

    @classmethod
    def unmet(cls, site: UpdateSite) -> Iterator[Unmet]:
        yield from site.index.unreadable(site.update, _DATA)
        yield from site.new_entry()

    @classmethod
    def read(cls, site: UpdateSite) -> Operation:
        return cls(**site.common(), collection=site.collection())


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove(Operation):
    """The entry of a key is removed."""

    operation = "remove"
    required = ("collection", "key")

    @classmethod
    def read(cls, site: UpdateSite) -> Operation:
        return cls(**site.common(), collection=site.collection())


@dataclass(frozen=True, slots=True, kw_only=True)
class PassThrough(Operation):
    """The update changes nothing: it stands in the timeline as it is."""

    operation = "passthrough"

    @classmethod
    def read(cls, site: UpdateSite) -> Operation:
        return cls(**site.common())


OPERATIONS: Mapping[str, type[Operation]] = {
    operation.operation: operation
    for operation in (
        PatchMessage,
        AppendToMessage,
        Set,
        Upsert,
        Patch,
        Append,
        AppendOutput,
        Remove,
        PassThrough,
    )
}
# The values that some parts of rules may have.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "null": ("clears", "keeps"),
    "meta": ("merges", "replaces", "lasts"),
}
