"""Compares two surfaces: definitions, fields, values, unions and methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from acpgen.common.pointers import pointer_parts
from acpgen.diff.acceptance import Acceptance, accepts_value, repairs_null
from acpgen.diff.changes import Action, Change, Label
from acpgen.diff.matching import key_of, match
from acpgen.ir.model import (
    Alias,
    Boolean,
    CapabilityRequirement,
    Definition,
    Enumeration,
    Fallback,
    Integer,
    Member,
    Method,
    Nullable,
    Number,
    Record,
    Reference,
    Shape,
    String,
    TaggedUnion,
    Unknown,
)
from acpgen.ir.queries import (
    arms_by_tag,
    map_inner,
    map_shapes,
    own_members,
    strip_null,
    takes_null,
    target,
)
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe, describe_fallback, title
from acpgen.schema.document import shorten

_SCALARS = (Boolean, Enumeration, Integer, Number, String)
# Whether old peers repair invalid values of a field, and whether the new side repairs them.
_Repairs = tuple[bool, bool]
_UNREPAIRED: _Repairs = (False, False)


def compare(old: Surface, new: Surface) -> list[Change]:
    """Return all changes from one surface to another, sorted by name, methods first."""
    comparison = _Comparison(_with_enumerations_in_place(old), _with_enumerations_in_place(new))
    changes = [
        *comparison.definitions(),
        *comparison.methods(),
        *comparison.unchecked(),
        *comparison.deprecations(),
    ]
    return sorted(changes, key=lambda change: (change.subject != "method", change.name))


def _with_enumerations_in_place(surface: Surface) -> Surface:
    """Replace references to generated aliases with the enumerations that the schema defines inline.

    The schema doesn't define the names of these aliases, so changes to the enumerations are
    reported as changes to the fields.
    """
    listed = {
        name: definition.shape
        for name, definition in surface.definitions.items()
        if isinstance(definition, Alias)
        and definition.definition is None
        and isinstance(definition.shape, Enumeration)
    }

    def in_place(shape: Shape) -> Shape:
        if isinstance(shape, Reference):
            return listed.get(shape.name, shape)
        return map_inner(shape, in_place)

    definitions = surface.definitions.items()
    kept = {name: map_shapes(each, in_place) for name, each in definitions if name not in listed}
    return replace(surface, definitions=kept)


class _Comparison:
    """The comparison of two surfaces. Methods such as `unions` yield the changes to these parts.

    Attributes:
        new_names: the new names of matched definitions, by old name.
        old_to_new: checks whether the new side accepts messages from old peers.
        new_to_old: checks whether old peers accept messages from the new side.
    """

    def __init__(self, old: Surface, new: Surface) -> None:
        matching = match(old, new)
        self.old = old
        self.new = new
        self.new_names = matching.definitions
        self._new_methods = matching.methods
        old_names = {after: before for before, after in self.new_names.items()}
        self.old_to_new = Acceptance(old.definitions, new.definitions, self.new_names)
        self.new_to_old = Acceptance(new.definitions, old.definitions, old_names)

    # --- changes -----------------------------------------------------------------------------

    def change(
        self,
        subject: str,
        name: str,
        before: str | None,
        after: str | None,
        pointer: str,
        reads: bool = True,
        writes: bool = True,
        *,
        renamed: bool = False,
        wire: Label | None = None,
        python: Label | None = None,
    ) -> Change:
        """Return a change. Arguments that aren't described here are attributes of `Change`.

        Args:
            renamed: whether `before` and `after` are two names for the same part.
            wire: by default, `compatible` if `reads` and `writes` are true, otherwise `breaking`.
            python: by default, `compatible` for additions, otherwise `breaking`.
        """
        action: Action = "renamed" if renamed else "changed"
        if before is None:
            action = "added"
        elif after is None:
            action = "removed"
        is_same = self.old.name == self.new.name
        return Change(
            surface=self.old.name if is_same else f"{self.old.name} → {self.new.name}",
            subject=subject,
            name=name,
            action=action,
            before=before,
            after=after,
            reads=reads,
            writes=writes,
            wire=wire or ("compatible" if reads and writes else "breaking"),
            python=python or ("compatible" if before is None else "breaking"),
            pointer=pointer,
        )

    def limit(
        self,
        subject: str,
        name: str,
        limits: tuple[bool, bool],
        words: tuple[str | None, str],
        pointer: str,
        repairs: _Repairs = _UNREPAIRED,
    ) -> Iterator[Change]:
        """Yield a change if only one side has a limit.

        `words` contains a description without the limit and a description with the limit.
        """
        old, new = limits
        if old != new:
            reads, writes = not new or repairs[1], not old or repairs[0]
            before, after = words[old], words[new]
            yield self.change(subject, name, before, after, pointer, reads, writes)

    # --- definitions -------------------------------------------------------------------------

    def definitions(self) -> Iterator[Change]:
        # Messages do not contain the names of definitions, so adding, removing or renaming a
        # definition doesn't affect the wire.
        old, new = self.old.definitions, self.new.definitions
        for name, definition in old.items():
            if name not in self.new_names:
                text, pointer = describe(definition), definition.pointer
                yield self.change("definition", name, text, None, pointer, wire="internal")
        for name in new.keys() - set(self.new_names.values()):
            text, pointer = describe(new[name]), new[name].pointer
            yield self.change("definition", name, None, text, pointer, wire="internal")
        for name, after in self.new_names.items():
            pointer = new[after].pointer
            if name != after:
                yield self.change(
                    "definition", name, name, after, pointer, renamed=True, wire="internal"
                )
            yield from self.definition(after, old[name], new[after])

    def definition(self, name: str, old: Definition, new: Definition) -> Iterator[Change]:
        match old, new:
            case Record(), Record():
                yield from self.records(name, old, new)
            case TaggedUnion(), TaggedUnion():
                yield from self.unions(name, old, new)
            case Alias(), Alias():
                yield from self.shapes("shape", name, old.shape, new.shape, new.pointer)
            case _:
                reads = self.old_to_new.accepts_definition(old, new)
                writes = self.new_to_old.accepts_definition(new, old)
                before, after = describe(old), describe(new)
                yield self.change("kind", name, before, after, new.pointer, reads, writes)

    def records(self, name: str, old: Record, new: Record) -> Iterator[Change]:
        old_members, new_members = old.members, new.members
        if old.base is not None and self.new_names.get(old.base) == new.base:
            # Changes to fields that both records inherit are reported only for the base class.
            added = [
                *own_members(old, self.old.definitions),
                *own_members(new, self.new.definitions),
            ]
            own = {member.wire for member in added if member.const is None}
            old_members = tuple(member for member in old_members if member.wire in own)
            new_members = tuple(member for member in new_members if member.wire in own)
        yield from self.members(name, old_members, new_members)
        for wire in sorted(set(old.absent) ^ set(new.absent)):
            limits = (wire in old.absent, wire in new.absent)
            pointer = new.pointer if wire in new.absent else old.pointer
            words = (None, "must be absent")
            yield from self.limit("absence", f"{name}.{wire}", limits, words, pointer)
        # Compare the subtypes, which are selected by the value of a field.
        old_tag = old.discriminator or new.discriminator
        new_tag = new.discriminator or old.discriminator
        if old_tag is None or new_tag is None:
            return
        if old_tag != new_tag:
            reads = self.old_to_new.accepts_definition(old, new)
            writes = self.new_to_old.accepts_definition(new, old)
            yield self.change("tag", name, old_tag, new_tag, new.pointer, reads, writes)
        yield from self.arms(name, old, new, (old_tag, new_tag))

    def unchecked(self) -> Iterator[Change]:
        """Compare the parts of the schema that acpgen ignores but that other peers might check."""
        old, new = self.old.unread, self.new.unread
        for at in sorted({*old, *new}):
            if old.get(at) != new.get(at):
                before, after = (
                    shorten(texts[at]) if at in texts else None for texts in (old, new)
                )
                yield self.change("part", at, before, after, at, wire="unknown", python="internal")

    def deprecations(self) -> Iterator[Change]:
        """Compare deprecations. Deprecated parts are still sent and decoded."""
        old, new = self.old.deprecations, self.new.deprecations
        for at in sorted(old ^ new):
            before, after = ("deprecated" if at in pointers else None for pointers in (old, new))
            match pointer_parts(at):
                case ["$defs", name]:
                    pass
                case ["$defs", definition, "properties", member]:
                    name = f"{definition}.{member}"
                case _:
                    name = at
            yield self.change("deprecation", name, before, after, at, python="compatible")

    # --- members -----------------------------------------------------------------------------

    def members(self, owner: str, old: Sequence[Member], new: Sequence[Member]) -> Iterator[Change]:
        """Compare the fields of `owner`, which names a record or a class for unknown tags."""
        old_members = {member.wire: member for member in old}
        new_members = {member.wire: member for member in new}
        renamed = dict(self._renamed(old_members, new_members))
        for wire, member in old_members.items():
            name = f"{owner}.{wire}"
            if wire in new_members:
                yield from self.member(name, member, new_members[wire])
            elif wire in renamed:
                yield from self.renamed_member(owner, member, new_members[renamed[wire]])
            else:
                # Old peers reject messages without the field only if they require the field.
                before, writes = _describe_member(member), not member.required
                yield self.change("field", name, before, None, member.pointer, writes=writes)
        for wire, member in new_members.items():
            if wire not in old_members and wire not in renamed.values():
                name, after = f"{owner}.{wire}", _describe_member(member)
                reads = not member.required
                label: Label = "compatible" if reads else "breaking"
                yield self.change("field", name, None, after, member.pointer, reads, python=label)

    def _renamed(
        self, old: Mapping[str, Member], new: Mapping[str, Member]
    ) -> Iterator[tuple[str, str]]:
        """Yield the old and new names of fields that were probably renamed.

        A removed and an added field are paired if they refer to the same definition and no other
        removed or added field refers to it.
        """
        removed = [member for wire, member in old.items() if wire not in new]
        added = [member for wire, member in new.items() if wire not in old]
        for member in removed:
            new_target = self.new_names.get(target(member.shape) or "")
            candidates = [each for each in added if new_target and target(each.shape) == new_target]
            rivals = [rival for rival in removed if target(rival.shape) == target(member.shape)]
            if len(candidates) == len(rivals) == 1:
                yield member.wire, candidates[0].wire

    def renamed_member(self, owner: str, old: Member, new: Member) -> Iterator[Change]:
        # Each side treats the peer's name for the field as an unknown field.
        name, reads, writes = f"{owner}.{old.wire}", not new.required, not old.required
        yield self.change(
            "field", name, old.wire, new.wire, new.pointer, reads, writes, renamed=True
        )
        # Neither side decodes the other's values as this field, so further changes to the field
        # don't break messages.
        for change in self.member(f"{owner}.{new.wire}", old, new):
            if change.subject != "presence":
                label: Label = "internal" if change.wire == "internal" else "compatible"
                yield replace(change, reads=True, writes=True, wire=label)

    def member(self, name: str, old: Member, new: Member) -> Iterator[Change]:
        # Making a field required or optional always breaks Python code, because code can omit
        # optional fields but expects required fields to have a value.
        required = (old.required, new.required)
        yield from self.limit("presence", name, required, ("optional", "required"), new.pointer)
        old_null = takes_null(old.shape, self.old.definitions)
        new_null = takes_null(new.shape, self.new.definitions)
        yield from self.limit(
            "nullability",
            name,
            (not old_null, not new_null),
            ("nullable", "not nullable"),
            new.pointer,
            repairs=(repairs_null(old), repairs_null(new)),
        )
        old_shape, new_shape = old.shape, new.shape
        both_nullable = isinstance(old_shape, Nullable) and isinstance(new_shape, Nullable)
        if old_null != new_null or both_nullable:
            old_shape, new_shape = strip_null(old_shape), strip_null(new_shape)
        repairs = (
            self.new_to_old.repairs(new.shape, old),
            self.old_to_new.repairs(old.shape, new),
        )
        yield from self.shapes("type", name, old_shape, new_shape, new.pointer, repairs)
        # Compare the repairs that vendor keywords prescribe.
        states = ("not set", "set")
        for keyword, before, after in (
            ("default-on-error", _fallback(old.on_error), _fallback(new.on_error)),
            ("default-on-null", _fallback(old.on_null), _fallback(new.on_null)),
            ("skip-invalid-items", states[old.skip_invalid], states[new.skip_invalid]),
        ):
            if before != after:
                subject = f"x-deserialize-{keyword}"
                yield self.change(subject, name, before, after, new.pointer, python="internal")

    # --- shapes ------------------------------------------------------------------------------

    def shapes(
        self,
        subject: str,
        name: str,
        old: Shape,
        new: Shape,
        pointer: str,
        repairs: _Repairs = _UNREPAIRED,
    ) -> Iterator[Change]:
        """Compare the old and new shapes of a part. `subject` is their role, such as `type`."""
        old_type, new_type = _python_type(old, self.old), _python_type(new, self.new)
        before, after = describe(old), describe(new)
        # Report this change if the Python type is the same. This is the case if only the name of an
        # alias differs or if only one side uses an alias.
        internal = self.change(
            subject, name, before, after, pointer, wire="internal", python="internal"
        )
        if (
            isinstance(old_type, Enumeration)
            and isinstance(new_type, Enumeration)
            and old_type.base.kind == new_type.base.kind
        ):
            if (
                isinstance(old, Reference)
                and isinstance(new, Reference)
                and self.new_names.get(old.name) == new.name
            ):
                return  # changes to matched definitions are reported separately
            yield from self.enumerations(name, old_type, new_type, pointer, repairs)
            if not isinstance(old, Enumeration) or not isinstance(new, Enumeration):
                yield internal
            return
        reads = self.old_to_new.accepts(old, new)
        writes = self.new_to_old.accepts(new, old)
        if reads and writes:
            if after in (before, describe(old, names=self.new_names)):
                return  # renaming the referenced definition is reported separately
            if describe(old_type) == describe(new_type):
                yield internal
                return
        is_same = describe(old_type, limits=False) == describe(new_type, limits=False)
        # Code that handles an open enumeration still works if the type becomes a string.
        is_open_to_string = (
            isinstance(old_type, Enumeration)
            and isinstance(new_type, String)
            and isinstance(old_type.base, String)
            and (old_type.other is not None or old_type.lenient)
        )
        label: Label = "compatible" if is_same or is_open_to_string else "breaking"
        reads, writes = reads or repairs[1], writes or repairs[0]
        yield self.change(subject, name, before, after, pointer, reads, writes, python=label)

    def enumerations(
        self, name: str, old: Enumeration, new: Enumeration, pointer: str, repairs: _Repairs
    ) -> Iterator[Change]:
        label: Label
        if old.other is not None and new.other is not None:
            yield from self.shapes("type", name, old.other, new.other, pointer, repairs)
        elif (old.other is None) != (new.other is None):
            old_keeps, new_keeps = (each.other is not None or each.lenient for each in (old, new))
            reads = old.other is None or self.old_to_new.accepts(old.other, new) or repairs[1]
            writes = new.other is None or self.new_to_old.accepts(new.other, old) or repairs[0]
            before, after = ("closed" if each.other is None else "open" for each in (old, new))
            label = "compatible" if old_keeps == new_keeps else "breaking"
            yield self.change("openness", name, before, after, pointer, reads, writes, python=label)
        for value in old.values:
            if value not in new.values:
                reads = accepts_value(new, value)
                # Type checkers reject strings that are no longer listed.
                label = "compatible" if reads and not isinstance(value, str) else "breaking"
                at, reads = f"{name}[{value}]", reads or repairs[1]
                yield self.change("value", at, str(value), None, pointer, reads=reads, python=label)
        for value in new.values:
            if value not in old.values:
                writes = accepts_value(old, value)
                label = "compatible" if writes else "breaking"
                at, writes = f"{name}[{value}]", writes or repairs[0]
                yield self.change(
                    "value", at, None, str(value), pointer, writes=writes, python=label
                )

    # --- unions ------------------------------------------------------------------------------

    def unions(self, name: str, old: TaggedUnion, new: TaggedUnion) -> Iterator[Change]:
        pointer = new.pointer
        if old.tag != new.tag:
            yield self.change("tag", name, old.tag, new.tag, pointer, reads=False, writes=False)
        yield from self.unlisted_tags(name, old, new)
        if old.default is not None and new.default is not None:
            yield from self.shapes("default variant", name, old.default, new.default, pointer)
        words = ("a variant without a tag", "no variant without a tag")
        limits = (old.default is None, new.default is None)
        yield from self.limit("default variant", name, limits, words, pointer)
        words = ("the first matching variant is used", "exactly one variant must match")
        limits = (old.exclusive, new.exclusive)
        yield from self.limit("exclusivity", name, limits, words, pointer)
        old_tags, new_tags = (each.unknown.ruled_out if each.unknown else () for each in (old, new))
        if old_tags != new_tags:
            was_refused = old.unknown is not None and old.unknown.refuses_ruled_out
            is_refused = new.unknown is not None and new.unknown.refuses_ruled_out
            reads = not is_refused or set(new_tags) <= set(old_tags)
            writes = not was_refused or set(old_tags) <= set(new_tags)
            before, after = (", ".join(tags) or "none" for tags in (old_tags, new_tags))
            yield self.change(
                "tags ruled out", name, before, after, pointer, reads, writes, python="compatible"
            )
        yield from self.arms(name, old, new, (old.tag, new.tag))

    def unlisted_tags(self, name: str, old: TaggedUnion, new: TaggedUnion) -> Iterator[Change]:
        """Compare how unknown tags are handled, both by the schema and in default mode."""
        # The variants that the schemas define for unknown tags.
        old_stated, new_stated = (
            None if each.unknown is None or each.unknown.synthetic else each.unknown
            for each in (old, new)
        )
        is_same_class = (old.unknown is None) == (new.unknown is None)
        if (old_stated is None) != (new_stated is None) or not is_same_class:
            reads = _accepts_unlisted(self.old_to_new, old, new)
            writes = _accepts_unlisted(self.new_to_old, new, old)
            before, after = _openness(old), _openness(new)
            label: Label = "compatible" if is_same_class else "breaking"
            yield self.change(
                "openness", name, before, after, new.pointer, reads, writes, python=label
            )
        if old_stated is None or new_stated is None:
            # Valid messages never contain unknown tags if the side has no variant for them.
            return
        members = self.members(new_stated.name, old_stated.members, new_stated.members)
        for change in chain(members, self.alternatives(old_stated, new_stated)):
            # The class for unknown tags has no attributes except the tag and the JSON.
            yield replace(change, python="internal")

    def alternatives(self, old: Unknown, new: Unknown) -> Iterator[Change]:
        """Compare the alternatives. An object with an unknown tag must match one of them."""
        subject, name = "alternatives", new.name
        if old.choice is not None and new.choice is not None:
            yield from self.shapes(subject, name, old.choice, new.choice, new.pointer)
        elif old.choice is not None:
            before = describe(old.choice)
            yield self.change(subject, name, before, None, old.pointer, writes=False)
        elif new.choice is not None:
            after = describe(new.choice)
            yield self.change(subject, name, None, after, new.pointer, reads=False)

    def arms(
        self, name: str, old: Definition, new: Definition, tags: tuple[str, str]
    ) -> Iterator[Change]:
        """Compare the union variants or record subtypes that each tag selects."""
        old_arms, new_arms = arms_by_tag(old), arms_by_tag(new)
        for tag in dict.fromkeys([*old_arms, *new_arms]):
            before, after = old_arms.get(tag), new_arms.get(tag)
            if before and after and self.new_names.get(before) == after:
                continue
            # A union without a variant for the tag sends it only as an unknown tag, if at all. A
            # record without a subtype for the tag can still send it.
            reads = _accepts_arm(self.old_to_new, old, before, tags[0], tag, new)
            writes = _accepts_arm(self.new_to_old, new, after, tags[1], tag, old)
            side, arm = (self.new, after) if after else (self.old, old_arms[tag])
            pointer = side.definitions[arm].pointer
            # An object that used to match the class for unknown tags now belongs to a known class.
            label: Label | None = "breaking" if before is None and not writes else None
            at = f"{name}[{tag}]"
            yield self.change("variant", at, before, after, pointer, reads, writes, python=label)

    # --- methods -----------------------------------------------------------------------------

    def methods(self) -> Iterator[Change]:
        old_methods = {key_of(method): method for method in self.old.methods}
        new_methods = {key_of(method): method for method in self.new.methods}
        for key, method in old_methods.items():
            if key not in self._new_methods:
                text, pointer = _describe_method(method), self._pointer(self.old, method)
                yield self.change("method", title(method), text, None, pointer, reads=False)
        for key, method in new_methods.items():
            if key not in self._new_methods.values():
                text, pointer = _describe_method(method), self._pointer(self.new, method)
                yield self.change("method", title(method), None, text, pointer)
        for old_key, new_key in self._new_methods.items():
            yield from self.method(old_methods[old_key], new_methods[new_key])

    def _pointer(self, surface: Surface, method: Method) -> str:
        return surface.definitions[method.params].pointer

    def method(self, old: Method, new: Method) -> Iterator[Change]:
        name, former, pointer = title(new), title(old), self._pointer(self.new, new)
        if old.wire != new.wire:
            yield self.change(
                "method", former, former, name, pointer, reads=False, writes=False, renamed=True
            )
        for subject, before, after in (
            ("params", old.params, new.params),
            ("result", old.result, new.result),
        ):
            # Matched methods are of the same kind, so either both have a result or neither does.
            if before is None or after is None or self.new_names.get(before) == after:
                continue
            reads = self.old_to_new.accepts(Reference(before), Reference(after))
            writes = self.new_to_old.accepts(Reference(after), Reference(before))
            yield self.change(subject, name, before, after, pointer, reads, writes)
        # The overlay lists capabilities by method name, and renamed methods might have no entry.
        if old.wire == new.wire:
            yield from self.capabilities(old, new)

    def capabilities(self, old: Method, new: Method) -> Iterator[Change]:
        """Compare the capabilities that a method and the fields of its params require."""
        old_needs, new_needs = _needs(old, self.new_names), _needs(new, {})
        new_parts = {_part(need, {}) for need in new.needs if self._is_new(need, old)}
        for part in sorted(old_needs.keys() | new_needs.keys()):
            before, after = old_needs.get(part), new_needs.get(part)
            if before != after:
                # Old peers do not advertise a newly required capability, so they no longer receive
                # these messages.
                writes = after is None or part in new_parts
                label: Label = "compatible" if writes else "breaking"
                name, pointer = f"{title(new)}{part}", self._pointer(self.new, new)
                yield self.change(
                    "capability", name, before, after, pointer, writes=writes, python=label
                )

    def _is_new(self, need: CapabilityRequirement, old: Method) -> bool:
        """Return whether the part that requires a capability is missing from the old schema."""
        if need.kind is not None:
            return need.kind not in self.new_names.values()
        params = self.old.definitions[old.params]
        return isinstance(params, Record) and need.member not in {m.name for m in params.members}


def _openness(union: TaggedUnion) -> str:
    """Describe how a union treats unknown tags."""
    if union.unknown is None:
        return "closed, without a class for unknown tags"
    return "closed" if union.unknown.synthetic else "open"


def _describe_member(member: Member) -> str:
    return f"{'required' if member.required else 'optional'} {describe(member.shape)}"


def _fallback(fallback: Fallback | None) -> str:
    return "not set" if fallback is None else describe_fallback(fallback)


def _python_type(shape: Shape, surface: Surface) -> Shape:
    """Return a shape as Python code sees it, with aliases of scalars resolved."""
    match shape:
        case Reference(name) if isinstance(alias := surface.definitions.get(name), Alias):
            return alias.shape if isinstance(strip_null(alias.shape), _SCALARS) else shape
        case Nullable(inner):
            return Nullable(strip_null(_python_type(inner, surface)))
        case _:
            return map_inner(shape, lambda inner: _python_type(inner, surface))


def _accepts_unlisted(acceptance: Acceptance, sent: TaggedUnion, expected: TaggedUnion) -> bool:
    """Return whether the expected union accepts all unknown tags that the sent union allows."""
    if sent.unknown is None:
        return True
    if sent.unknown.synthetic:
        # A variant without a tag also accepts unknown tags.
        return expected.unknown is not None or expected.default is not None
    return acceptance.accepts_unlisted(sent, expected)


def _accepts_arm(
    acceptance: Acceptance,
    sent: Definition,
    arm: str | None,
    tag: str,
    value: str,
    expected: Definition,
) -> bool:
    """Return whether a definition accepts the sent objects in which a tag has the given value."""
    if arm is None and isinstance(sent, TaggedUnion):
        return True  # never sent, or only as an unknown tag, which is compared separately
    return acceptance.accepts_arm(arm or sent.name, tag, value, expected)


def _describe_method(method: Method) -> str:
    return f"{method.kind} to the {method.side}"


def _needs(method: Method, names: Mapping[str, str]) -> dict[str, str]:
    """Return the capabilities that parts of a method require. The key "" represents the method
    itself.
    """
    capabilities = {"": method.capability.pointer} if method.capability else {}
    return capabilities | {_part(need, names): need.capability.pointer for need in method.needs}


def _part(need: CapabilityRequirement, names: Mapping[str, str]) -> str:
    kind = f"[{names.get(need.kind, need.kind)}]" if need.kind else ""
    return f".{need.member}{kind}"
