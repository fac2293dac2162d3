"""Session updates: the operations, rules and implied updates in `updates.toml`.

The operations are listed in `OPERATIONS`. Each operation is implemented by a class of the same name
(in Pascal case) in the runtime's `session.reducers`. `Operation.reducer` returns the arguments that
the generated code passes to the class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acpgen.analysis.build_context import BuildContext
from acpgen.analysis.schema_index import SchemaIndex, Unmet
from acpgen.common.pointers import pointer, pointer_parts
from acpgen.common.problems import Problem
from acpgen.ir import naming
from acpgen.ir.model import Array, Member, Method, Reference, TaggedUnion
from acpgen.ir.queries import (
    arms_by_tag,
    classes_of,
    members_along,
    members_of,
    strip_null,
    target,
)
from acpgen.ir.session import (
    ClassName,
    Collection,
    ImpliedUpdate,
    NewEntry,
    Reducer,
    Slot,
    UpdateRule,
)

FILE = "updates.toml"
MISSING_RULE = "missing-rule"  # a problem code
# The fields of updates that reducers access by fixed names.
_CONTENT = "content"
_DATA = "data"


@dataclass(frozen=True, slots=True)
class UpdateSite:
    """An update and its rule in the overlay."""

    index: SchemaIndex  # the schema
    tag: str  # the tag of the update
    update: str  # the definition of the update
    parts: Mapping[str, Any]  # the parts of the rule in the overlay

    @property
    def entry(self) -> str:
        """The class of the entry that the update creates or changes."""
        return str(self.parts.get("as", self.update))

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of the update."""
        return tuple(classes_of(Reference(self.update), self.index.definitions))

    @property
    def defaults(self) -> dict[str, Any]:
        """The initial values of an entry's fields, by Python name."""
        stated = self.parts.get("defaults", {})
        return dict(sorted((self.name_of(self.entry, wire), stated[wire]) for wire in stated))

    @property
    def collection(self) -> Collection | None:
        """The collection that the rule specifies, if any."""
        name, key = self.parts.get("collection"), self.parts.get("key")
        if name is None:
            return None
        members = key and members_along(self.index.definitions, self.update, key)
        if not members:
            return Collection(name, self.entry, (), "None")
        path = tuple((member.name, member.wire) for member in members)
        return Collection(name, self.entry, path, target(members[-1].shape) or "str")

    @property
    def place(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        """The first arguments of the reducer: the state's attribute and the path to the key."""
        collection = self.collection
        return (collection.name, collection.key_path) if collection else (self.parts["slot"], ())

    @property
    def output(self) -> str:
        """The attribute of the state that contains the output of the entries."""
        return naming.output_name(self.parts["collection"])

    def name_of(self, owner: str, wire: str) -> str:
        """Return the Python name of a field, which must exist."""
        member = self.index.member(owner, wire)
        assert member is not None, (owner, wire)
        return member.name

    def new_entry(self, defaults: Mapping[str, Any]) -> NewEntry:
        """Return the function that creates an entry from its key."""
        _, key_path = self.place
        return NewEntry(self.entry, key_path[-1][0], defaults)

    def not_new_entry(self) -> list[Unmet]:
        """Return the reasons why an entry cannot be constructed from its key and defaults."""
        _, key_path = self.place
        defaults = self.parts.get("defaults", {})
        return self.index.unconstructible(self.entry, key_path[-1][1], *defaults)

    def not_converted(self, *read: str) -> Iterator[Unmet]:
        """Yield the reasons why the update cannot be converted to an entry.

        The entry must also define the fields in `read`.
        """
        index, entry = self.index, self.entry
        required = {m.wire for m in members_of(index.definitions, self.update) if m.required}
        filled = {*required, *self.parts.get("defaults", {})}
        yield from index.unreadable(self.update)
        yield from index.unreadable(entry, *sorted(index.wires(self.update)), *read)
        for member in members_of(index.definitions, entry):
            if member.required and member.wire not in filled:
                message = f"{entry} requires {member.wire!r}, which {self.update} might not contain"
                yield index.unmet(entry, message)


# --- operations --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operation that an update can perform on the session state."""

    required: tuple[str, ...] = ()  # the required parts of a rule, in addition to `op`
    optional: tuple[str, ...] = ()  # the optional parts of a rule
    keyless: bool = False  # whether the collection can contain an entry without a key
    # If several rules can convert an entry back to updates, the rule with the lowest rank is used.
    # None if rules with this operation cannot convert entries.
    rank: int | None = None
    # Returns the reducer's requirements that the schema does not meet.
    unmet: Callable[[UpdateSite], Iterable[Unmet]] = lambda site: ()
    # Returns the arguments of the reducer, or another reducer that the rule requires. None if the
    # operation changes nothing.
    reducer: Callable[[UpdateSite], tuple[Any, ...] | Reducer] | None = None


def _set(site: UpdateSite) -> Reducer:
    # Missing fields are ignored, because the rest of the rule works without them.
    listed = [site.index.member(site.update, wire) for wire in site.parts.get("carries", ())]
    carries = tuple(member.name for member in listed if member is not None)
    return Reducer("set", (site.parts["slot"],), {"carries": carries} if carries else {})


def _unmet_by_patch(site: UpdateSite) -> Iterator[Unmet]:
    index, output = site.index, site.parts.get("output")
    yield from site.not_converted(*(["_meta"] if site.parts.get("meta") == "lasts" else []))
    if output is not None:
        yield from index.unreadable(site.update, output)
        yield from index.unconstructible(index.type(site.entry, output), _DATA)
        if not index.is_optional(site.update, output):
            message = f"{site.update} requires {output!r}, which must be optional"
            yield index.unmet(site.update, message)


def _patch(site: UpdateSite) -> Reducer:
    options: dict[str, Any] = {"defaults": site.defaults} if site.defaults else {}
    if site.parts.get("null") == "keeps":
        options["null_clears"] = False
    if site.parts.get("meta", "merges") != "merges":
        options["meta"] = site.parts["meta"]
    patch = Reducer("patch", (*site.place, ClassName(site.entry)), options)
    wire = site.parts.get("output")
    if wire is None:
        return patch
    snapshot = ClassName(site.index.type(site.entry, wire) or "")
    return Reducer("patch_output", (patch, site.name_of(site.entry, wire), snapshot, site.output))


def _unmet_by_append(site: UpdateSite) -> Iterator[Unmet]:
    yield from site.index.unreadable(site.update, _CONTENT)
    yield from site.not_new_entry()
    member = site.index.member(site.entry, site.parts["member"])
    if member is None or not isinstance(strip_null(member.shape), Array):
        message = f"{site.parts['member']!r} of {site.entry} is not a list"
        yield site.index.unmet(site.entry, message)


OPERATIONS: Mapping[str, Operation] = {
    # Replaces the fields of a message with the fields of the update, which is a complete message.
    "patch_message": Operation(
        required=("role",),
        rank=0,
        unmet=lambda site: site.index.unconstructible(site.update, "messageId", _CONTENT, "_meta"),
        reducer=lambda site: (site.parts["role"], ClassName(site.classes[0])),
    ),
    # Appends the update's content block to a message.
    "append_to_message": Operation(
        required=("role",),
        optional=("sender",),
        rank=2,
        unmet=lambda site: site.index.unconstructible(site.update, "messageId", _CONTENT),
        reducer=lambda site: (site.parts["role"], ClassName(site.classes[0])),
    ),
    # Stores the update in a slot. Fields in `carries` are copied from the previous update if the
    # update omits them.
    "set": Operation(required=("slot",), optional=("carries",), reducer=_set),
    # Stores the update as the entry for the update's key, or as the only entry if the rule has no
    # `key`.
    "upsert": Operation(
        required=("collection",),
        optional=("key", "as"),
        keyless=True,
        rank=1,
        unmet=UpdateSite.not_converted,
        reducer=lambda site: (*site.place, ClassName(site.entry), ClassName(site.classes[0])),
    ),
    # Replaces fields of an entry or a slot with the update's fields. `null` specifies whether null
    # clears or keeps a field. `meta` specifies whether the update's `_meta` is merged with the
    # previous `_meta` by top-level key (`merges`), replaces it only if the update contains `_meta`
    # (`replaces`), or always replaces it (`lasts`).
    "patch": Operation(
        optional=("collection", "slot", "key", "as", "defaults", "null", "meta", "output"),
        rank=2,
        unmet=_unmet_by_patch,
        reducer=_patch,
    ),
    # Appends the update's content to a list in an entry.
    "append": Operation(
        required=("collection", "key", "as", "member"),
        optional=("defaults",),
        unmet=_unmet_by_append,
        reducer=lambda site: (
            *site.place,
            site.new_entry(site.defaults),
            site.name_of(site.entry, site.parts["member"]),
        ),
    ),
    # Appends the update's data to the output of an entry.
    "append_output": Operation(
        required=("collection", "key", "as"),
        unmet=lambda site: [
            *site.index.unreadable(site.update, _DATA),
            *site.not_new_entry(),
        ],
        reducer=lambda site: (*site.place, site.new_entry({}), site.output),
    ),
    # Removes the entry for a key.
    "remove": Operation(required=("collection", "key"), reducer=lambda site: site.place),
    # Does not change the state. The timeline contains the update itself.
    "passthrough": Operation(),
}
# The allowed values of some rule parts.
_VALUES: Mapping[str, tuple[str, ...]] = {
    "null": ("clears", "keeps"),
    "meta": ("merges", "replaces", "lasts"),
}


# --- rules -------------------------------------------------------------------------------------


def read_updates(
    index: SchemaIndex, union: TaggedUnion | None, context: BuildContext, surface: str
) -> tuple[UpdateRule, ...]:
    """Return the overlay's rules for a surface's updates, checked against the schema."""
    stated = context.overlay.updates_of(surface)
    rules: list[UpdateRule] = []
    for arm in union.arms if union else ():
        if arm.tag not in stated:
            message = "has no rule; add one that specifies the effect of this update"
            context.note_misfit(FILE, (surface, arm.tag), message, MISSING_RULE)
            continue
        path, parts = stated[arm.tag]
        context.matched.add(path)
        site = UpdateSite(index, arm.tag, arm.target, parts)
        misfit = next(_misfits(site), None)
        if misfit is not None:
            context.note_misfit(FILE, path, f"{misfit}; fix the rule")
            continue
        rules.append(_rule(site))
        for wire in parts.get("carries", ()):
            if index.member(arm.target, wire) is None:
                message = f"{arm.target} has no field {wire!r}; fix the rule"
                context.note_misfit(FILE, path, message)
    kept: list[UpdateRule] = []
    for rule, conflict in _conflicts(rules):
        if conflict is None:
            kept.append(rule)
        else:
            context.note_misfit(FILE, stated[rule.tag][0], conflict)
    return tuple(kept)


def find_content(index: SchemaIndex, rules: Iterable[UpdateRule]) -> str | None:
    """Return the union of message content, if there are messages."""
    chunks = (rule.classes[0] for rule in rules if rule.operation == "append_to_message")
    return next((index.type(chunk, "content") for chunk in chunks), None)


def _rule(site: UpdateSite) -> UpdateRule:
    """Return the rule for an update. All requirements of the rule must be met."""
    name, parts = site.parts["op"], site.parts
    operation = OPERATIONS[name]
    reducer = operation.reducer and operation.reducer(site)
    return UpdateRule(
        operation=name,
        rank=operation.rank,
        tag=site.tag,
        classes=site.classes,
        reducer=Reducer(name, reducer) if isinstance(reducer, tuple) else reducer,
        role=parts.get("role"),
        sender=parts.get("sender"),
        collection=site.collection,
        slot=Slot(parts["slot"], site.entry) if "slot" in parts else None,
        has_output="output" in parts,
    )


def _misfits(site: UpdateSite) -> Iterator[str]:
    """Yield a rule's faults, most basic first."""
    parts, definitions, name = site.parts, site.index.definitions, site.parts.get("op", "")
    operation = OPERATIONS.get(name)
    if operation is None:
        yield f"op {parts.get('op')!r} is not one of {', '.join(OPERATIONS)}"
        return
    keys, required = parts.keys() - {"op"}, operation.required
    if not set(required) <= keys <= {*required, *operation.optional}:
        yield f"{name} requires {', '.join(required) or 'no keys'}" + (
            f" and accepts {', '.join(operation.optional)}" if operation.optional else ""
        )
    has_entry = "key" in keys or operation.keyless
    if {"collection", "slot"} <= keys or ("collection" in keys) != has_entry:
        yield "a rule must have either a collection and a key, or a slot"
    if "slot" in operation.optional and not {"collection", "slot"} & keys:
        yield f"{name} requires a collection or a slot"
    for part, values in _VALUES.items():
        if part in parts and parts[part] not in values:
            yield f"{part} {parts[part]!r} is not one of {', '.join(values)}"
    if "role" in parts and not naming.is_python_name(parts["role"]):
        yield f"role {parts['role']!r} is not a Python name"
    if "sender" in parts and not naming.is_sender_name(parts["sender"]):
        yield f"sender {parts['sender']!r} cannot be a method of an agent session"
    for part in ("collection", "slot"):
        if part in parts and not naming.is_slot_name(parts[part]):
            yield f"{part} {parts[part]!r} cannot be an attribute of a session state"
    if site.entry not in definitions:
        yield f"{site.entry!r} is not a definition"
    if "key" in parts and not members_along(definitions, site.update, parts["key"]):
        yield f"{site.update} has no field {parts['key']!r}"
    for wire in (parts.get("member"), parts.get("output"), *parts.get("defaults", {})):
        if wire is not None and site.index.member(site.entry, wire) is None:
            yield f"{site.entry} has no field {wire!r}"
    yield from (unmet.message for unmet in operation.unmet(site))


def _conflicts(rules: Sequence[UpdateRule]) -> Iterator[tuple[UpdateRule, str | None]]:
    """Yield each rule with a description of its conflict with earlier rules, if any."""
    with_output = {rule.collection.name for rule in rules if rule.has_output and rule.collection}
    collections = {rule.collection.name for rule in rules if rule.collection}
    tags: dict[str, str] = {}  # the tags, by the name of the rule's constant
    senders: dict[str, str] = {}  # the tags, by the name of the method that sends the update
    kinds: dict[str, type] = {}  # `Collection` or `Slot`, by attribute of the state
    for rule in rules:
        first = tags.setdefault(naming.rule_name(rule.tag), rule.tag)
        changed = rule.collection or rule.slot
        conflict = None
        if rule.sender and senders.setdefault(rule.sender, rule.tag) != rule.tag:
            conflict = f"shares its sender with {senders[rule.sender]!r}; rename one of them"
        if rule.role in collections:
            conflict = f"{rule.role!r} is both a role and a collection; fix one of the rules"
        if first != rule.tag:
            conflict = f"shares the name of its constant with {first!r}; rename the update's tag"
        elif rule.operation == "append_output" and changed and changed.name not in with_output:
            conflict = f"no rule stores the output of {changed.name!r}; fix the rule"
        elif changed and kinds.setdefault(changed.name, type(changed)) is not type(changed):
            conflict = f"{changed.name!r} is both a collection and a slot; fix one of the rules"
        yield rule, conflict


def without_repeated(problems: Iterable[Problem]) -> list[Problem]:
    """Omit an unstable surface's missing-rule problem if its stable surface has the same problem.

    The problem about the stable surface remains, because its rules apply to both surfaces.
    """
    listed = list(problems)
    missing = {problem.pointer for problem in listed if problem.code == MISSING_RULE}

    def is_repeated(problem: Problem) -> bool:
        if problem.code != MISSING_RULE:
            return False
        surface, tag = pointer_parts(problem.pointer)
        stable = surface.partition("_")[0]
        return stable != surface and pointer(stable, tag) in missing

    return [problem for problem in listed if not is_repeated(problem)]


# --- implied updates ---------------------------------------------------------------------------

# Used instead of a field's name to represent the update itself.
_WHOLE = "*"


def read_implied_updates(
    index: SchemaIndex,
    union: TaggedUnion | None,
    rules: Sequence[UpdateRule],
    context: BuildContext,
    surface: str,
) -> tuple[ImpliedUpdate, ...]:
    """Return the implied updates that the overlay specifies, checked against the schema."""
    arms = arms_by_tag(union)
    ruled = {rule.tag: arms[rule.tag] for rule in rules if rule.operation != "passthrough"}
    implied: list[ImpliedUpdate] = []
    for path, members in context.overlay.implied_updates_of(surface):
        *_, wire, tag = path
        method = index.method("agent", "request", wire)
        if method is None:
            continue
        context.matched.add(path)
        if not members:  # unlike in the previous version, the response implies no update
            continue
        site = _ImpliedSite(index, method, ruled.get(tag), members)
        misfit = next(site.misfits(tag), None)
        if misfit is None:
            implied.append(site.read(wire))
        else:
            context.note_misfit(FILE, path, f"{misfit}; fix the entry")
    return tuple(implied)


@dataclass(frozen=True, slots=True)
class _ImpliedSite:
    """An overlay entry about an update that a method's response implies."""

    index: SchemaIndex  # the schema
    method: Method  # the method
    update: str | None  # the definition of the update, or None if the update has no rule
    members: Mapping[str, str]  # the path to each field of the update, by wire name

    def misfits(self, tag: str) -> Iterator[str]:
        """Yield the entry's faults, most basic first."""
        if self.update is None:
            yield f"no rule specifies the effect of the update {tag!r}"
            return
        for path in self.members.values():
            owner, _, members = path.partition("/")
            if owner not in ("params", "result") or not members:
                yield f"{path!r} does not begin with params/ or result/"
            elif not self._along(path):
                yield f"the {owner} of {self.method.wire} has no field {members!r}"
        if set(self.members) == {_WHOLE}:
            along = self._along(self.members[_WHOLE])
            if not along or target(along[-1].shape) != self.update:
                yield f"{self.members[_WHOLE]!r} is not of type {self.update}"
            return
        for unmet in self.index.unconstructible(self.update, *self.members):
            yield unmet.message
        for wire, path in self.members.items():
            wanted, along = self.index.member(self.update, wire), self._along(path)
            if wanted and along and strip_null(wanted.shape) != strip_null(along[-1].shape):
                yield f"{path!r} does not have the same type as {wire!r} of {self.update}"

    def read(self, wire: str) -> ImpliedUpdate:
        """Return the implied update. The entry must be valid."""
        paths = {
            wire: (path.partition("/")[0], *(member.name for member in self._along(path)))
            for wire, path in self.members.items()
        }
        if set(self.members) == {_WHOLE}:
            return ImpliedUpdate(wire, None, {"update": paths[_WHOLE]})
        members = ((self.index.member(self.update, name), paths[name]) for name in paths)
        return ImpliedUpdate(
            wire, self.update, {member.name: path for member, path in members if member}
        )

    def _along(self, path: str) -> tuple[Member, ...]:
        """Return the fields along a path, or an empty tuple if a field is missing."""
        owner, _, wires = path.partition("/")
        name = self.method.params if owner == "params" else self.method.result
        return members_along(self.index.definitions, name or "", wires) or ()
