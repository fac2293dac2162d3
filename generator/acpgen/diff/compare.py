"""Walk over two surfaces at once and say what has changed, and whom it breaks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from acpgen.diff.changes import Action, Change, Label
from acpgen.diff.fitting import Fitting
from acpgen.diff.matching import Matching, key_of, match
from acpgen.diff.wording import word
from acpgen.model import (
    Alias,
    Arm,
    Array,
    Boolean,
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
    Surface,
    TaggedUnion,
)


def compare(old: Surface, new: Surface) -> list[Change]:
    """All changes from one surface to another, by name."""
    comparison = _Comparison(old, new, match(old, new))
    changes = [*comparison.definitions(), *comparison.methods()]
    return sorted(changes, key=lambda change: (change.subject != "method", change.name))


class _Comparison:
    def __init__(self, old: Surface, new: Surface, matching: Matching) -> None:
        self._old = old
        self._new = new
        self._names = names = matching.definitions
        self._pairs = matching.methods
        self._where = old.name if old.name == new.name else f"{old.name} → {new.name}"
        back = {after: before for before, after in names.items()}
        self._forth = Fitting(old.definitions, new.definitions, names)
        self._back = Fitting(new.definitions, old.definitions, back)

    # --- definitions -------------------------------------------------------------------------

    def definitions(self) -> Iterator[Change]:
        """Changes of types."""
        old, new = self._old.definitions, self._new.definitions
        for name, definition in old.items():
            if name not in self._names:
                yield self._gone("definition", name, word(definition), definition.pointer)
        for name in new.keys() - set(self._names.values()):
            yield self._come("definition", name, word(new[name]), new[name].pointer)
        for before, after in self._names.items():
            one, other = old[before], new[after]
            if before != after:
                yield self._change("definition", before, "renamed", before, after, other.pointer)
            yield from self._definition(after, one, other)

    def _definition(self, name: str, one: Definition, other: Definition) -> Iterator[Change]:
        match one, other:
            case Record(), Record():
                yield from self._members(name, one, other)
                yield from self._arms(name, one.special, other.special, is_open=True)
            case TaggedUnion(), TaggedUnion():
                yield from self._union(name, one, other)
            case Alias(), Alias():
                yield from self._shape("shape", name, one.shape, other.shape, other.pointer)
            case _:
                reads, writes = _becomes(self._forth, one, other), _becomes(self._back, other, one)
                yield self._change(
                    "kind",
                    name,
                    "changed",
                    word(one),
                    word(other),
                    other.pointer,
                    reads=reads,
                    writes=writes,
                    python="breaking",
                )

    # --- records -----------------------------------------------------------------------------

    def _members(self, owner: str, one: Record, other: Record) -> Iterator[Change]:
        both = one.base is not None and self._names.get(one.base) == other.base
        yield from self._between(
            owner,
            _own(one, self._old) if both else one.members,
            _own(other, self._new) if both else other.members,
        )

    def _between(
        self, owner: str, one: Sequence[Member], other: Sequence[Member]
    ) -> Iterator[Change]:
        """Changes of the members of what is called `owner`."""
        before = {member.wire: member for member in one}
        after = {member.wire: member for member in other}
        renamed = dict(self._renamed_members(before, after))
        for wire, member in before.items():
            name = f"{owner}.{wire}"
            if wire in after:
                yield from self._member(name, member, after[wire])
            elif wire in renamed:
                yield self._change(
                    "member",
                    name,
                    "renamed",
                    wire,
                    renamed[wire],
                    after[renamed[wire]].pointer,
                    # Under its other name, it is an unknown member to whoever reads it.
                    reads=not after[renamed[wire]].required,
                    writes=not member.required,
                )
                yield from self._member(f"{owner}.{renamed[wire]}", member, after[renamed[wire]])
            else:
                # Who reads the message keeps it among the unknown fields; who needs it fails.
                yield self._gone(
                    "member",
                    name,
                    _member_words(member),
                    member.pointer,
                    writes=not member.required,
                )
        for wire, member in after.items():
            if wire not in before and wire not in renamed.values():
                yield self._come(
                    "member",
                    f"{owner}.{wire}",
                    _member_words(member),
                    member.pointer,
                    reads=not member.required,
                    python="breaking" if member.required else "compatible",
                )

    def _renamed_members(
        self, before: Mapping[str, Member], after: Mapping[str, Member]
    ) -> Iterator[tuple[str, str]]:
        """Members that are gone, and the only new ones that hold the very same definition."""
        gone = [member for wire, member in before.items() if wire not in after]
        come = [member for wire, member in after.items() if wire not in before]
        for member in gone:
            target = self._names.get(_referred(member.shape) or "")
            twins = [each for each in come if target and _referred(each.shape) == target]
            rivals = [each for each in gone if _referred(each.shape) == _referred(member.shape)]
            if len(twins) == len(rivals) == 1:
                yield member.wire, twins[0].wire

    def _member(self, name: str, one: Member, other: Member) -> Iterator[Change]:
        at = other.pointer
        if one.required != other.required:
            words = ("optional", "required")
            yield self._change(
                "presence",
                name,
                "changed",
                words[one.required],
                words[other.required],
                at,
                reads=one.required,
                writes=other.required,
                # What was optional may be left out by code, what was required is read by code.
                python="breaking",
            )
        was, is_now = self._forth.takes_null(one.shape), self._back.takes_null(other.shape)
        if was != is_now:
            words = ("not null", "or null")
            yield self._change(
                "nullability",
                name,
                "changed",
                words[was],
                words[is_now],
                at,
                reads=not was or _is_mended(other),
                writes=not is_now or _is_mended(one),
                python="breaking",
            )
        shapes = one.shape, other.shape
        if was != is_now or all(isinstance(shape, Nullable) for shape in shapes):
            shapes = _inner(one.shape), _inner(other.shape)
        yield from self._shape(
            "type",
            name,
            *shapes,
            at,
            mended=(_is_mended(one, bad=True), _is_mended(other, bad=True)),
        )
        for keyword, before, after in (
            ("default-on-error", _repair(one.on_error), _repair(other.on_error)),
            ("default-on-null", _repair(one.on_null), _repair(other.on_null)),
            ("skip-invalid-items", _WORDS[one.skip_invalid], _WORDS[other.skip_invalid]),
        ):
            if before != after:
                yield self._change(
                    f"x-deserialize-{keyword}",
                    name,
                    "changed",
                    before,
                    after,
                    at,
                    wire="compatible",
                    python="internal",
                )

    # --- unions and enumerations -------------------------------------------------------------

    def _union(self, name: str, one: TaggedUnion, other: TaggedUnion) -> Iterator[Change]:
        if one.tag != other.tag:
            yield self._change(
                "tag", name, "changed", one.tag, other.tag, other.pointer, reads=False, writes=False
            )
        yield from self._openness(name, one, other)
        if (one.default is None) != (other.default is None):
            words = ("no arm without a tag", "an arm without a tag")
            yield self._change(
                "default arm",
                name,
                "changed",
                words[one.default is not None],
                words[other.default is not None],
                other.pointer,
                reads=one.default is None,
                writes=other.default is None,
                python="breaking",
            )
        elif one.default is not None and other.default is not None:
            yield from self._shape("default arm", name, one.default, other.default, other.pointer)
        was_open, is_open = one.unknown is not None, other.unknown is not None
        yield from self._arms(name, one.arms, other.arms, is_open=was_open, stays_open=is_open)

    def _openness(self, name: str, one: TaggedUnion, other: TaggedUnion) -> Iterator[Change]:
        """What has become of the arm for other tags: what the schema says, and what is done."""
        before, after = one.unknown, other.unknown
        words = ("closed", "open")
        was_open = before is not None and not before.kept
        is_open = after is not None and not after.kept
        if was_open != is_open or (before is None) != (after is None):
            # What has no tag that is listed may also go to an arm without a tag.
            yield self._change(
                "openness",
                name,
                "changed",
                words[was_open],
                words[is_open],
                other.pointer,
                reads=after is not None or other.default is not None,
                writes=before is not None or one.default is not None,
                python="breaking" if (before is None) != (after is None) else "compatible",
            )
        if before is None or after is None:
            return
        for change in self._between(after.name, before.members, after.members):
            # Such an object has no attributes but its tag and the JSON.
            yield replace(change, python="internal")

    def _arms(
        self,
        name: str,
        one: tuple[Arm, ...],
        other: tuple[Arm, ...],
        *,
        is_open: bool,
        stays_open: bool = True,
    ) -> Iterator[Change]:
        before = {arm.tag: arm.target for arm in one}
        after = {arm.tag: arm.target for arm in other}
        for tag, target in before.items():
            at = self._old.definitions[target].pointer
            if tag not in after:
                yield self._gone(
                    "arm", f"{name}[{tag}]", target, at, reads=stays_open, python="breaking"
                )
            elif self._names.get(target) != after[tag]:
                yield self._change(
                    "arm",
                    f"{name}[{tag}]",
                    "changed",
                    target,
                    after[tag],
                    at,
                    reads=False,
                    writes=False,
                )
        for tag, target in after.items():
            if tag not in before:
                at = self._new.definitions[target].pointer
                # To code that matches, what used to be unknown is now something else.
                yield self._come(
                    "arm",
                    f"{name}[{tag}]",
                    target,
                    at,
                    writes=is_open,
                    python="compatible" if is_open else "breaking",
                )

    def _values(self, name: str, one: Enumeration, other: Enumeration, at: str) -> Iterator[Change]:
        was_open = one.other is not None
        is_open = other.other is not None
        if was_open != is_open:
            words = ("closed", "open")
            takes_others = (was_open or one.keep, is_open or other.keep)
            yield self._change(
                "openness",
                name,
                "changed",
                words[was_open],
                words[is_open],
                at,
                reads=takes_others[1],
                writes=takes_others[0],
                python="compatible" if takes_others[0] == takes_others[1] else "breaking",
            )
        elif one.other is not None and other.other is not None:
            yield from self._shape("type", name, one.other, other.other, at)
        if one.base.__class__ is not other.base.__class__:
            yield self._change(
                "type", name, "changed", word(one), word(other), at, reads=False, writes=False
            )
            return
        for value in one.values:
            if value not in other.values:
                kept = is_open or other.keep
                label: Label = "compatible" if kept else "breaking"
                yield self._gone("value", f"{name}[{value}]", None, at, reads=kept, python=label)
        for value in other.values:
            if value not in one.values:
                label = "compatible" if was_open or one.keep else "breaking"
                yield self._come(
                    "value",
                    f"{name}[{value}]",
                    None,
                    at,
                    writes=was_open or one.keep,
                    python=label,
                )

    # --- shapes ------------------------------------------------------------------------------

    def _shape(
        self,
        subject: str,
        name: str,
        one: Shape,
        other: Shape,
        at: str,
        *,
        mended: tuple[bool, bool] = (False, False),
    ) -> Iterator[Change]:
        """What has become of a shape; `mended`: whether either side repairs what is bad there."""
        if isinstance(one, Enumeration) and isinstance(other, Enumeration):
            yield from self._values(name, one, other, at)
            return
        forth, back = self._forth.fits(one, other), self._back.fits(other, one)
        before, after = word(one), word(other)
        if forth and back and before == after:
            return
        if forth and back and self._is_same(one, other):
            return  # what it refers to has another name now, which is a change of its own
        bases = self._base(one, self._old), self._base(other, self._new)
        is_same = word(bases[0], limits=False) == word(bases[1], limits=False)
        if forth and back and word(bases[0]) == word(bases[1]):
            # It only has a name now, or another one: to Python, too, it is what it was.
            yield self._change(
                subject, name, "changed", before, after, at, wire="internal", python="internal"
            )
            return
        yield self._change(
            subject,
            name,
            "changed",
            before,
            after,
            at,
            reads=forth or mended[1],
            writes=back or mended[0],
            python="compatible" if is_same or _is_just_text(one, other) else "breaking",
        )

    def _base(self, shape: Shape, surface: Surface) -> Shape:
        """What a shape is to Python code: an alias of a scalar is nothing but that scalar."""
        alias = surface.definitions.get(shape.name) if isinstance(shape, Reference) else None
        is_scalar = isinstance(alias, Alias) and isinstance(_inner(alias.shape), _SCALARS)
        return alias.shape if isinstance(alias, Alias) and is_scalar else shape

    def _is_same(self, one: Shape, other: Shape) -> bool:
        """Whether two shapes differ in the names of what they refer to only."""
        return word(one, names=self._names) == word(other)

    # --- methods -----------------------------------------------------------------------------

    def methods(self) -> Iterator[Change]:
        """Changes of methods and of what they need."""
        before = {key_of(method): method for method in self._old.methods}
        after = {key_of(method): method for method in self._new.methods}
        for key, method in before.items():
            if key not in self._pairs:
                at = self._old.definitions[method.params].pointer
                words = f"{method.kind} to the {method.side}"
                yield self._gone("method", _title(method), words, at, reads=False)
        for key, method in after.items():
            if key not in self._pairs.values():
                at = self._new.definitions[method.params].pointer
                yield self._come(
                    "method", _title(method), f"{method.kind} to the {method.side}", at
                )
        for key, other in self._pairs.items():
            yield from self._method(before[key], after[other])

    def _method(self, one: Method, other: Method) -> Iterator[Change]:
        name, at = _title(other), self._new.definitions[other.params].pointer
        if one.wire != other.wire:
            yield self._change(
                "method",
                _title(one),
                "renamed",
                _title(one),
                name,
                at,
                reads=False,
                writes=False,
            )
        for subject, before, after in (
            ("params", one.params, other.params),
            ("result", one.result, other.result),
        ):
            if before != after and self._names.get(before or "") != after:
                yield self._change(
                    subject, name, "changed", before, after, at, reads=False, writes=False
                )
        yield from self._capabilities(name, one, other, at)

    def _capabilities(self, name: str, one: Method, other: Method, at: str) -> Iterator[Change]:
        before, after = _needs(one), _needs(other)
        for what in sorted(before.keys() | after.keys()):
            if before.get(what) != after.get(what):
                # More is refused than before, or what must be advertised is another thing.
                label: Label = "breaking" if what in after else "compatible"
                yield self._change(
                    "capability",
                    f"{name}{what}",
                    "changed",
                    before.get(what),
                    after.get(what),
                    at,
                    wire=label,
                    python=label,
                )

    # --- changes -----------------------------------------------------------------------------

    def _gone(
        self,
        subject: str,
        name: str,
        before: str | None,
        at: str,
        *,
        reads: bool = True,
        writes: bool = True,
        python: Label = "breaking",
    ) -> Change:
        return self._change(
            subject, name, "removed", before, None, at, reads=reads, writes=writes, python=python
        )

    def _come(
        self,
        subject: str,
        name: str,
        after: str | None,
        at: str,
        *,
        reads: bool = True,
        writes: bool = True,
        python: Label = "compatible",
    ) -> Change:
        return self._change(
            subject, name, "added", None, after, at, reads=reads, writes=writes, python=python
        )

    def _change(
        self,
        subject: str,
        name: str,
        action: Action,
        before: str | None,
        after: str | None,
        at: str,
        *,
        reads: bool = True,
        writes: bool = True,
        wire: Label | None = None,
        python: Label = "breaking",
    ) -> Change:
        if wire is None:
            wire = "compatible" if reads and writes else "breaking"
        if subject == "definition":
            wire = "internal"
        return Change(
            self._where, subject, name, action, before, after, reads, writes, wire, python, at
        )


def _own(record: Record, surface: Surface) -> list[Member]:
    """The members of a record that are not those of its base, which are compared there."""
    base = surface.definitions.get(record.base or "")
    inherited = base.members if isinstance(base, Record) else ()
    return [member for member in record.members if member not in inherited]


_SCALARS = (Boolean, Integer, Number, String)
_WORDS = ("not set", "set")


def _repair(fallback: Fallback | None) -> str:
    if fallback is None:
        return "not set"
    return "absent" if fallback.absent else json.dumps(fallback.value)


def _title(method: Method) -> str:
    return method.wire or f"extension {method.kind}"


def _needs(method: Method) -> dict[str, str]:
    """What a method needs, by what it is needed for: all of it, or a part of the params."""
    found = {"": method.capability.pointer} if method.capability else {}
    for need in method.needs:
        found[f".{need.member}{f'[{need.kind}]' if need.kind else ''}"] = need.capability.pointer
    return found


def _member_words(member: Member) -> str:
    return f"{'required' if member.required else 'optional'} {word(member.shape)}"


def _inner(shape: Shape) -> Shape:
    return shape.shape if isinstance(shape, Nullable) else shape


def _referred(shape: Shape) -> str | None:
    inner = _inner(shape)
    return inner.name if isinstance(inner, Reference) else None


def _is_mended(member: Member, *, bad: bool = False) -> bool:
    """Whether null, or any other bad value, is repaired where it is not allowed."""
    if bad:
        skips = member.skip_invalid and isinstance(_inner(member.shape), Array)
        return member.on_error is not None or skips
    return member.on_null is not None or member.on_error is not None


def _is_just_text(one: Shape, other: Shape) -> bool:
    """Whether an open enumeration has become any string: code that knows its values goes on."""
    if not isinstance(one, Enumeration) or not isinstance(other, String):
        return False
    return isinstance(one.base, String) and (one.other is not None or one.keep)


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
