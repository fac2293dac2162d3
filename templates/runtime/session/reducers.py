"""Reducers: the rules that apply session updates to the state, with one class for each operation.

Rules:

1. An update that cannot be applied, for example because its key is missing, changes nothing.
   `apply` then returns False.
2. An absent field changes nothing. Null clears a field if the reducer allows it.
3. The state never shares a list or dictionary with an update: it contains a copy (`converted`,
   `copied`).
4. `replay` returns updates that recreate an entry.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import warnings
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

from ..values.deferred import dataclass
from ..values.record import Record, Unknown, members
from ..values.unset import UNSET
from .message import Message, Role, joined

R = TypeVar("R", bound=Record)
# The path to an entry's key within an update: the Python name and the JSON name of each field.
KeyPath: TypeAlias = tuple[tuple[str, str], ...]


class Store(Protocol):
    """The parts of a state that reducers use; see `State`."""

    def message(self, role: Role, message_id: str | None) -> Message[Any]: ...

    def known_message(self, role: Role, message_id: Hashable) -> Message[Any] | None: ...

    def entry(self, collection: str, key: Hashable, make: Callable[[], R]) -> R: ...

    def replace(self, collection: str, key: Hashable, entry: Record) -> None: ...

    def remove(self, collection: str, key: Hashable) -> None: ...


@dataclass(frozen=True, slots=True)
class Place:
    """The location of the entry that an update changes.

    Attributes:
        where: the attribute of the state that contains the entry.
        key: the entry's key in the attribute. None if the entry has no id or if the attribute's
            value is the entry itself.
        role: the message's role, if the entry is a message.
    """

    where: str
    key: Hashable = None
    role: Role | None = None

    def find(self, state: Store) -> Any:
        """Return the entry at this location, if any."""
        if self.role is not None:
            return state.known_message(self.role, self.key)
        value = getattr(state, self.where)
        return value.get(self.key) if value.__class__ is dict else value


class Rule(Protocol):
    """A rule for one class of updates."""

    def place(self, state: Any, update: Any) -> Place:
        """Return the location of the entry that an update changes."""
        ...

    def apply(self, state: Any, update: Any) -> bool:
        """Apply an update to the state. Return False if the update omits required data."""
        ...


@runtime_checkable
class OutputRule(Protocol):
    """A rule for updates that contain base64-encoded output."""

    def invalid_data(self, update: Any) -> tuple[str, str] | None:
        """Return the JSON pointer and the value of output that isn't valid base64, if any."""
        ...


class Replayer(Protocol):
    """A rule that can convert its entries back to updates."""

    def replay(self, state: Any, key: Any, item: Any) -> list[Any]:
        """Return the updates that recreate an item of the timeline.

        Args:
            state: the state.
            key: the item's collection or role, and the item's key within it.
            item: the item.
        """
        ...


@dataclass(frozen=True, slots=True)
class AppendToMessage:
    """A rule that appends a chunk's content block to a message.

    Attributes:
        role: the message's role.
        chunk: the class of the updates.
    """

    role: Role
    chunk: Callable[..., Any]

    def place(self, state: Any, update: Any) -> Place:
        message_id = None if update.message_id is UNSET else update.message_id
        return Place("messages", message_id, self.role)

    def apply(self, state: Store, update: Any) -> bool:
        message_id = None if update.message_id is UNSET else update.message_id
        message, block = state.message(self.role, message_id), update.content
        try:
            is_ascii = block.text.isascii()
        except AttributeError:  # the block has no text
            is_ascii = True
        if is_ascii:
            message.content.append(block)
        else:
            message.append(
                block
            )  # slower, but joins a surrogate pair that is split between two chunks
        return True

    def replay(self, state: Store, key: Any, item: Message[Any]) -> list[Any]:
        # Protocol 1 allows messages without an id, so don't add one.
        named = {} if item.message_id is None else {"message_id": item.message_id}
        return [self.chunk(content=block, **named) for block in joined(item.content)]


@dataclass(frozen=True, slots=True)
class PatchMessage:
    """A rule that replaces a message's fields with the fields that the update contains.

    New content also replaces the content from earlier chunks.

    Attributes:
        role: the message's role.
        update: the class of the updates.
    """

    role: Role
    update: Callable[..., Any]

    def place(self, state: Any, update: Any) -> Place:
        return Place("messages", update.message_id, self.role)

    def apply(self, state: Store, update: Any) -> bool:
        message = state.message(self.role, update.message_id)
        if update.content is not UNSET:
            message.content = list(update.content or ())
        if update.meta is not UNSET:
            message.meta = merged(message.meta, update.meta) or None
        if update.unknown_fields:
            message.unknown_fields = message.unknown_fields or {}
            message.unknown_fields.update(update.unknown_fields)
        return True

    def replay(self, state: Store, key: Any, item: Message[Any]) -> list[Any]:
        update = self.update(
            message_id=item.message_id,
            content=joined(item.content) or UNSET,
            meta=copied(item.meta) or UNSET,
            unknown_fields=copied(item.unknown_fields),
        )
        return [update]


@dataclass(frozen=True, slots=True)
class Set:
    """A rule that replaces the previous update.

    Attributes:
        slot: the attribute of the state that contains the last update.
        carries: the fields that are copied from the previous update if they are missing from the
            new one.
    """

    slot: str
    carries: tuple[str, ...] = ()

    def place(self, state: Any, update: Any) -> Place:
        return Place(self.slot)

    def apply(self, state: Any, update: Any) -> bool:
        # If the new update's class doesn't have a field, the default `...` prevents copying it.
        before = getattr(state, self.slot)
        carried = {
            name: getattr(before, name)
            for name in self.carries
            if is_given(getattr(before, name, None)) and not is_given(getattr(update, name, ...))
        }
        setattr(state, self.slot, dataclasses.replace(update, **carried) if carried else update)
        return True


@dataclass(frozen=True, slots=True)
class _OfEntry:
    """Base class of the rules that change one entry of a collection.

    Attributes:
        collection: the collection that contains the entry, or the slot that a `Patch` changes.
        key_path: the path to the key; empty for a slot and for entries without a key.
    """

    collection: str
    key_path: KeyPath

    def place(self, state: Any, update: Any) -> Place:
        return Place(self.collection, key_of(update, self.key_path))


@dataclass(frozen=True, slots=True)
class Upsert(_OfEntry):
    """A rule that adds or replaces an entry. The update becomes the entry for its key.

    Attributes:
        entry: the class of the entries, which defines all fields of the updates.
        update: the class of the updates.
    """

    entry: type[Record]
    update: type[Record]

    def apply(self, state: Store, update: Any) -> bool:
        key = key_of(update, self.key_path)
        if key is None and self.key_path:  # an unknown variant might have no key
            return False
        # Conversion also copies the lists, since later updates can add items to the entry's lists.
        state.replace(self.collection, key, converted(update, self.entry))
        return True

    def replay(self, state: Any, key: Any, item: Any) -> list[Any]:
        if item.__class__ is self.entry:
            with suppress(TypeError):  # required fields can be missing if a patch created the entry
                return [converted(item, self.update)]
        return [converted(item, item.__class__)]


@dataclass(frozen=True, slots=True)
class Patch(_OfEntry):
    """A rule that changes an entry or a slot by replacing the fields that the update contains.

    Attributes:
        entry: the class of the entries, which defines all fields of the updates.
        defaults: the values for fields that are missing from a new entry or are cleared. Without
            a default, such a field is UNSET.
        null_clears: whether null clears a field instead of leaving it unchanged.
        meta: how `_meta` changes. With `merges`, its top-level keys are merged with the keys of
            the update's `_meta`. With `replaces`, it is replaced with the update's `_meta`, if any.
            With `lasts`, the value is always the `_meta` of the last update.
    """

    entry: type[Record]
    defaults: Mapping[str, Any] | None = None
    null_clears: bool = True
    meta: Literal["merges", "replaces", "lasts"] = "merges"

    def apply(self, state: Store, update: Any) -> bool:
        if not self.key_path:
            if getattr(state, self.collection) is None:
                setattr(state, self.collection, self._new(update))
            else:
                self.change(getattr(state, self.collection), update)
            return True
        key = key_of(update, self.key_path)
        if key is None:
            return False
        entry = getattr(state, self.collection).get(key)
        if entry is None:
            state.replace(self.collection, key, self._new(update))
        else:
            self.change(entry, update)
        return True

    def _new(self, update: Record) -> Record:
        entry = converted(update, self.entry, **(self.defaults or {}))
        # In metadata, null removes a key of an existing entry. A new entry has no keys to remove.
        if self.meta == "merges" and getattr(entry, "meta", None):
            entry.meta = merged(None, entry.meta) or UNSET  # type: ignore[attr-defined]
        return entry

    def change(self, entry: Record, update: Record) -> None:
        """Apply an update's fields to an entry."""
        if self.meta == "lasts":
            entry.meta = UNSET  # type: ignore[attr-defined]
        for name in members(update.__class__):
            value = getattr(update, name)
            if value is UNSET:
                continue
            if value is None:
                if self.null_clears:
                    setattr(entry, name, (self.defaults or {}).get(name, UNSET))
            elif name == "meta" and self.meta == "merges":
                setattr(entry, name, merged(getattr(entry, name) or None, value) or UNSET)
            else:
                setattr(entry, name, copied(value))
        if update.unknown_fields:
            entry.unknown_fields = entry.unknown_fields or {}
            entry.unknown_fields.update(update.unknown_fields)

    def replay(self, state: Any, key: Any, item: Any) -> list[Any]:
        return [converted(item, self.entry)]


@dataclass(frozen=True, slots=True)
class Append(_OfEntry):
    """A rule that appends a chunk's content to one of an entry's lists.

    Attributes:
        entry: a function that creates the entry for a new key.
        member: the field of the entry that contains the list.
    """

    entry: Callable[[Any], Record]
    member: str

    def apply(self, state: Store, update: Any) -> bool:
        key = key_of(update, self.key_path)
        if key is None:
            return False
        entry = state.entry(self.collection, key, lambda: self.entry(key))
        # The field is UNSET or null until an update sets it.
        items: Any = getattr(entry, self.member)
        if items.__class__ is not list:
            items = []
            setattr(entry, self.member, items)
        items.append(update.content)
        return True


@dataclass(frozen=True, slots=True)
class PatchOutput:
    """A rule that changes an entry and its output, which is stored separately.

    The output is stored as bytes but is base64-encoded in updates.

    Attributes:
        patch: the rule for the other fields.
        member: the field of the update that replaces the output. Null clears the output.
        snapshot: the class of that field's value.
        outputs: the collection that contains the outputs.
    """

    patch: Patch
    member: str
    snapshot: Callable[..., Record]
    outputs: str

    def place(self, state: Any, update: Any) -> Place:
        return self.patch.place(state, update)

    def apply(self, state: Store, update: Any) -> bool:
        # Check everything first, since an update that cannot be applied must change nothing.
        key = key_of(update, self.patch.key_path)
        snapshot = getattr(update, self.member)
        data = from_base64(snapshot.data) if snapshot else b""
        if key is None or data is None:
            return False
        outputs: dict[Any, bytearray] = getattr(state, self.outputs)
        if snapshot is None:
            outputs.pop(key, None)
        elif snapshot is not UNSET:
            outputs[key] = bytearray(data)
        return self.patch.apply(state, dataclasses.replace(update, **{self.member: UNSET}))

    def invalid_data(self, update: Any) -> tuple[str, str] | None:
        snapshot = getattr(update, self.member)
        is_invalid = bool(snapshot) and from_base64(snapshot.data) is None
        return (f"/{self.member}/data", snapshot.data) if is_invalid else None

    def replay(self, state: Any, key: Any, item: Any) -> list[Any]:
        # In the timeline, the second part of the key is the entry's own key.
        data = getattr(state, self.outputs).get(key[1])
        if data is None:
            return self.patch.replay(state, key, item)
        output = self.snapshot(data=base64.b64encode(data).decode("ascii"))
        return [converted(item, self.patch.entry, **{self.member: output})]


@dataclass(frozen=True, slots=True)
class AppendOutput(_OfEntry):
    """A rule that decodes a base64-encoded chunk and appends its bytes to an entry's output.

    Attributes:
        entry: a function that creates the entry for a new key.
        outputs: the collection that contains the outputs.
    """

    entry: Callable[[Any], Record]
    outputs: str

    def apply(self, state: Store, update: Any) -> bool:
        key, data = key_of(update, self.key_path), from_base64(update.data)
        if key is None or data is None:
            return False
        state.entry(self.collection, key, lambda: self.entry(key))
        getattr(state, self.outputs).setdefault(key, bytearray()).extend(data)
        return True

    def invalid_data(self, update: Any) -> tuple[str, str] | None:
        return ("/data", update.data) if from_base64(update.data) is None else None


@dataclass(frozen=True, slots=True)
class Remove(_OfEntry):
    """A rule that removes an entry."""

    def apply(self, state: Store, update: Any) -> bool:
        key = key_of(update, self.key_path)
        if key is None:
            return False
        state.remove(self.collection, key)
        return True


# --- reading an update and writing an entry ----------------------------------------------------


def key_of(update: Any, key_path: KeyPath) -> Any:
    """Return the key of the entry that an update changes, if any."""
    value = update
    for name, wire in key_path:
        value = value.raw.get(wire) if isinstance(value, Unknown) else getattr(value, name, None)
    # An unknown variant's JSON can contain any value here, even an unhashable one.
    return value if value.__class__ in (str, int) else None


def is_given(value: object) -> bool:
    """Return whether a field has a value other than null."""
    return value is not None and value is not UNSET


def merged(stored: dict[str, Any] | None, patch: Mapping[str, Any] | None) -> dict[str, Any]:
    """Apply a patch to the top-level keys of metadata and return the result.

    A null value removes its key, and a null patch removes all keys. The stored metadata is modified
    in place, since copying it can be slow. The patch is not modified.
    """
    if patch is None:
        return {}
    if stored is None:
        stored = {}
    for name, value in patch.items():
        if value is None:
            stored.pop(name, None)
        else:
            stored[name] = value
    return stored


def converted(record: Record, cls: type[R], **defaults: Any) -> R:
    """Convert a record to another class that has the same fields. Null fields become absent.

    Lists and dictionaries are copied. Fields that the record doesn't contain have the values in
    `defaults`.

    Raises:
        TypeError: If a required field of the class is missing.
    """
    values: dict[str, Any] = dict(defaults)
    for name in members(record.__class__):
        value = getattr(record, name)
        if is_given(value):
            values[name] = copied(value)
    if record.unknown_fields:
        values["unknown_fields"] = dict(record.unknown_fields)
    return cls(**values)


def copied(value: Any) -> Any:
    """Return a value. Lists and dictionaries are copied, since rules might extend them."""
    if value.__class__ is tuple:  # constructors accept tuples, but entries need lists
        return list(value)
    return value.copy() if value.__class__ is list or value.__class__ is dict else value


def from_base64(text: str) -> bytes | None:
    """Decode base64. Return None if the text isn't valid base64."""
    try:
        return base64.b64decode(text, validate=True)  # by default, invalid characters are ignored
    except ValueError:
        return None


# --- debug mode --------------------------------------------------------------------------------


def warn_of_null(rules: Mapping[type, object]) -> None:
    """Make constructors warn if a field is None and the class's rule would clear the field."""
    for cls, rule in rules.items():
        patch = getattr(rule, "patch", rule)
        if isinstance(patch, PatchMessage) or (isinstance(patch, Patch) and patch.null_clears):
            _warn_of_null_in(cls)


def _warn_of_null_in(cls: Any) -> None:
    construct = cls.__init__

    @functools.wraps(construct)
    def __init__(self: Any, **members: Any) -> None:
        construct(self, **members)
        for name, value in members.items():
            if value is None and name != "unknown_fields":
                text = f"{cls.__qualname__}({name}=None) clears {name}; pass UNSET to keep it"
                warnings.warn(text, stacklevel=2)

    cls.__init__ = __init__
