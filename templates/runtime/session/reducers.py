"""What session updates do: the rules that the generated session states are made of."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar

from ..values.record import Record, Unknown
from ..values.unset import UNSET
from .state import Message, Role, State

R = TypeVar("R", bound=Record)
# The way to a member: the name in Python and in JSON of each on it.
Way: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class AddToMessage:
    """A chunk: its block is appended to its message."""

    role: Role
    chunk: Callable[..., Any]

    def apply(self, state: State[Any, Any], update: Any) -> bool:
        """See `Rule`."""
        message_id = update.message_id if is_given(update.message_id) else None
        state.message(self.role, message_id).content.append(update.content)
        return True

    def write(self, state: State[Any, Any], place: Any, item: Message[Any]) -> list[Any]:
        """See `Rule`."""
        named = {} if item.message_id is None else {"message_id": item.message_id}
        return [self.chunk(content=block, **named) for block in item.content]


@dataclass(frozen=True, slots=True)
class PatchMessage:
    """A whole message: what it carries replaces what there was, chunks included."""

    role: Role
    update: Callable[..., Any]

    def apply(self, state: State[Any, Any], update: Any) -> bool:
        """See `Rule`."""
        message = state.message(self.role, update.message_id)
        if update.content is not UNSET:
            message.content = list(update.content or ())
        if update.meta is not UNSET:
            message.meta = merged(message.meta, update.meta) or None
        if update.unknown_fields:
            message.unknown_fields = {**(message.unknown_fields or {}), **update.unknown_fields}
        return True

    def write(self, state: State[Any, Any], place: Any, item: Message[Any]) -> list[Any]:
        """See `Rule`."""
        update = self.update(
            message_id=item.message_id,
            content=list(item.content) or UNSET,
            meta=item.meta or UNSET,
            unknown_fields=item.unknown_fields,
        )
        return [update]


@dataclass(frozen=True, slots=True)
class Set:
    """The update replaces the one before it.

    Attributes:
        slot: the member of the state that holds it.
        carries: members that an update without them takes over from the one before.
    """

    slot: str
    carries: tuple[str, ...] = ()

    def apply(self, state: Any, update: Any) -> bool:
        """See `Rule`."""
        before = getattr(state, self.slot)
        carried = {
            name: getattr(before, name)
            for name in self.carries
            if is_given(getattr(before, name, None)) and not is_given(getattr(update, name, ...))
        }
        setattr(state, self.slot, dataclasses.replace(update, **carried) if carried else update)
        return True


@dataclass(frozen=True, slots=True)
class Upsert:
    """The update becomes the entry of its key, whatever that was before.

    Attributes:
        into: the collection.
        way: to the key.
        entry: the class of entries, which has the members of the update.
        update: the class of updates.
    """

    into: str
    way: Way
    entry: type[Record]
    update: type[Record]

    def apply(self, state: State[Any, Any], update: Any) -> bool:
        """See `Rule`."""
        key = key_of(update, self.way)
        if key is None:
            return False
        state.replace(self.into, key, converted(update, self.entry))
        return True

    def write(self, state: Any, place: Any, item: Any) -> list[Any]:
        """See `Rule`."""
        try:
            return [converted(item, self.update)]
        except TypeError:  # it was only patched so far, and lacks what this update must have
            return [converted(item, item.__class__)]


@dataclass(frozen=True, slots=True)
class Patch:
    """The update changes those members of an entry, or of a slot, that it carries.

    Attributes:
        into: the collection, or the slot.
        way: to the key; empty for a slot.
        entry: the class of entries, which has the members of the update.
        defaults: what members are at first and when they are cleared; else they are absent.
        null_clears: whether null clears a member; else it changes nothing.
        meta: whether `_meta` is patched by top-level key, is replaced by another one, or is always
            that of the last update.
    """

    into: str
    way: Way
    entry: type[Record]
    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])
    null_clears: bool = True
    meta: Literal["merges", "replaces", "lasts"] = "merges"

    def apply(self, state: State[Any, Any], update: Any) -> bool:
        """See `Rule`."""
        if not self.way:
            if getattr(state, self.into) is None:
                setattr(state, self.into, self._new(update))
            else:
                self.change(getattr(state, self.into), update)
            return True
        key = key_of(update, self.way)
        if key is None:
            return False
        entry = getattr(state, self.into).get(key)
        if entry is None:
            state.replace(self.into, key, self._new(update))
        else:
            self.change(entry, update)
        return True

    def _new(self, update: Record) -> Record:
        entry = converted(update, self.entry, **self.defaults)
        if self.meta == "merges" and getattr(entry, "meta", None):
            entry.meta = merged(None, entry.meta) or UNSET  # type: ignore[attr-defined]
        return entry

    def change(self, entry: Record, update: Record) -> None:
        """Change an entry."""
        if self.meta == "lasts":
            entry.meta = UNSET  # type: ignore[attr-defined]
        for name in members(update.__class__):
            value = getattr(update, name)
            if value is UNSET:
                continue
            if value is None:
                if self.null_clears:
                    setattr(entry, name, self.defaults.get(name, UNSET))
            elif name == "meta" and self.meta == "merges":
                setattr(entry, name, merged(getattr(entry, name) or None, value) or UNSET)
            else:
                # A list is copied: what is appended later must not reach the update.
                setattr(entry, name, _own(value))
        if update.unknown_fields:
            entry.unknown_fields = {**(entry.unknown_fields or {}), **update.unknown_fields}

    def write(self, state: Any, place: Any, item: Any) -> list[Any]:
        """See `Rule`."""
        return [converted(item, self.entry)]


@dataclass(frozen=True, slots=True)
class Append:
    """A chunk: its content is appended to a list of an entry.

    Attributes:
        into: the collection.
        way: to the key.
        entry: makes the entry of a key that is new.
        member: the list.
    """

    into: str
    way: Way
    entry: Callable[[Any], Record]
    member: str

    def apply(self, state: State[Any, Any], update: Any) -> bool:
        """See `Rule`."""
        key = key_of(update, self.way)
        if key is None:
            return False
        entry = state.entry(self.into, key, lambda: self.entry(key))
        items: Any = getattr(entry, self.member)
        if items.__class__ is not list:
            items = []
            setattr(entry, self.member, items)
        items.append(update.content)
        return True


@dataclass(frozen=True, slots=True)
class PatchOutput:
    """A patch whose entries have output, in base64, that is kept as bytes beside them.

    Attributes:
        patch: the rule for everything else.
        member: the member of the update that replaces all output, or clears it.
        snapshot: the class of that member.
        outputs: the collection of output.
    """

    patch: Patch
    member: str
    snapshot: Callable[..., Record]
    outputs: str

    def apply(self, state: State[Any, Any], update: Any) -> bool:
        """See `Rule`."""
        key = key_of(update, self.patch.way)
        snapshot = getattr(update, self.member)
        data = to_bytes(snapshot.data) if snapshot else b""
        if key is None or data is None:
            return False
        outputs: dict[Any, bytearray] = getattr(state, self.outputs)
        if snapshot is None:
            outputs.pop(key, None)
        elif snapshot is not UNSET:
            outputs[key] = bytearray(data)
        return self.patch.apply(state, dataclasses.replace(update, **{self.member: UNSET}))

    def write(self, state: Any, place: Any, item: Any) -> list[Any]:
        """See `Rule`."""
        data = getattr(state, self.outputs).get(place[1])
        if data is None:
            return self.patch.write(state, place, item)
        output = self.snapshot(data=base64.b64encode(data).decode("ascii"))
        return [converted(item, self.patch.entry, **{self.member: output})]


@dataclass(frozen=True, slots=True)
class AppendOutput:
    """A chunk of bytes, in base64: it is appended to the output of an entry.

    Attributes:
        into: the collection.
        way: to the key.
        entry: makes the entry of a key that is new.
        outputs: the collection of output.
    """

    into: str
    way: Way
    entry: Callable[[Any], Record]
    outputs: str

    def apply(self, state: State[Any, Any], update: Any) -> bool:
        """See `Rule`."""
        key, data = key_of(update, self.way), to_bytes(update.data)
        if key is None or data is None:
            return False
        state.entry(self.into, key, lambda: self.entry(key))
        getattr(state, self.outputs).setdefault(key, bytearray()).extend(data)
        return True


@dataclass(frozen=True, slots=True)
class Remove:
    """The entry of that key is no more."""

    into: str
    way: Way

    def apply(self, state: State[Any, Any], update: Any) -> bool:
        """See `Rule`."""
        key = key_of(update, self.way)
        if key is None:
            return False
        state.remove(self.into, key)
        return True


# --- values ----------------------------------------------------------------------------------


def key_of(update: Any, way: Way) -> Any:
    """The value at the end of a way; None if there is none."""
    value = update
    for name, wire in way:
        value = value.raw.get(wire) if isinstance(value, Unknown) else getattr(value, name, None)
    return value if value.__class__ in (str, int) else None


def is_given(value: object) -> bool:
    """Whether a member is neither absent nor null."""
    return value is not None and value is not UNSET


def merged(stored: dict[str, Any] | None, patch: Mapping[str, Any] | None) -> dict[str, Any]:
    """Metadata patched by top-level key: null removes a key, null for all of it everything."""
    if patch is None:
        return {}
    both = {**(stored or {}), **patch}
    return {name: value for name, value in both.items() if value is not None}


def converted(record: Record, cls: type[R], **defaults: Any) -> R:
    """A record of another class with the same members, without those that are null or absent.

    Lists are copied: what is appended to one must not reach the other.

    Raises:
        TypeError: the record lacks a member that the class must have.
    """
    values = dict(defaults)
    for name in members(record.__class__):
        value = getattr(record, name)
        if is_given(value):
            values[name] = _own(value)
    unknown = record.unknown_fields
    return cls(**values, unknown_fields=dict(unknown) if unknown else None)


def _own(value: Any) -> Any:
    return value.copy() if value.__class__ is list else value


def to_bytes(data: str) -> bytes | None:
    """Decode base64; None if it is none."""
    try:
        return base64.b64decode(data, validate=True)
    except ValueError:
        return None


_MEMBERS: dict[type, tuple[str, ...]] = {}


def members(cls: type) -> tuple[str, ...]:
    """The names of the members of a record's class."""
    names = _MEMBERS.get(cls)
    if names is None:
        found = (each.name for each in dataclasses.fields(cls))
        names = _MEMBERS[cls] = tuple(name for name in found if name != "unknown_fields")
    return names
