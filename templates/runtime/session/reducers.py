"""Reducers: the rules by which session updates change the state, one class for each operation."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Literal

from ..values.deferred import dataclass
from ..values.record import Record, members
from ..values.unset import UNSET
from .message import Message, Role, joined
from .output import from_base64
from .patching import KeyPath, converted, copied, is_given, key_of, merged
from .state import Place, State


@dataclass(frozen=True, slots=True)
class AppendToMessage:
    """A chunk: append its content block to its message.

    Attributes:
        role: the role of the message.
        chunk: the class of the update.
    """

    role: Role
    chunk: Callable[..., Any]

    def place(self, state: Any, update: Any) -> Place:
        """See `Rule`."""
        message_id = update.message_id if is_given(update.message_id) else None
        return Place("messages", message_id, self.role)

    def apply(self, state: State[Any, Any, Any], update: Any) -> bool:
        """See `Rule`."""
        message_id = update.message_id if is_given(update.message_id) else None
        message, block = state.message(self.role, message_id), update.content
        try:
            is_ascii = block.text.isascii()
        except AttributeError:  # a block without text
            is_ascii = True
        if is_ascii:
            message.content.append(block)
        else:
            message.append(block)  # takes longer, for text that can begin within a character
        return True

    def replay(self, state: State[Any, Any, Any], key: Any, item: Message[Any]) -> list[Any]:
        """See `Replayer`."""
        # Protocol 1 knows messages without an id: an absent one must stay absent.
        named = {} if item.message_id is None else {"message_id": item.message_id}
        return [self.chunk(content=block, **named) for block in joined(item.content)]


@dataclass(frozen=True, slots=True)
class PatchMessage:
    """A whole message: replace the members that the update carries, including chunks.

    Attributes:
        role: the role of the message.
        update: the class of the update.
    """

    role: Role
    update: Callable[..., Any]

    def place(self, state: Any, update: Any) -> Place:
        """See `Rule`."""
        return Place("messages", update.message_id, self.role)

    def apply(self, state: State[Any, Any, Any], update: Any) -> bool:
        """See `Rule`."""
        message = state.message(self.role, update.message_id)
        if update.content is not UNSET:
            message.content = list(update.content or ())
        if update.meta is not UNSET:
            message.meta = merged(message.meta, update.meta) or None
        if update.unknown_fields:
            message.unknown_fields = message.unknown_fields or {}
            message.unknown_fields.update(update.unknown_fields)
        return True

    def replay(self, state: State[Any, Any, Any], key: Any, item: Message[Any]) -> list[Any]:
        """See `Replayer`."""
        update = self.update(
            message_id=item.message_id,
            content=joined(item.content) or UNSET,
            meta=copied(item.meta) or UNSET,
            unknown_fields=copied(item.unknown_fields),
        )
        return [update]


@dataclass(frozen=True, slots=True)
class Set:
    """Keep the last update.

    Attributes:
        slot: the member of the state that holds it.
        carries: the members that are copied from the update before if an update lacks them.
    """

    slot: str
    carries: tuple[str, ...] = ()

    def place(self, state: Any, update: Any) -> Place:
        """See `Rule`."""
        return Place(self.slot)

    def apply(self, state: Any, update: Any) -> bool:
        """See `Rule`."""
        # `...` counts as given: an update whose class has no such member carries nothing.
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
    """Base of the reducers that change one entry of a collection.

    Attributes:
        collection: the collection; for `Patch` also the slot.
        key_path: the path to the key; empty for a slot, and for the entry without a key.
    """

    collection: str
    key_path: KeyPath

    def place(self, state: Any, update: Any) -> Place:
        """See `Rule`."""
        return Place(self.collection, key_of(update, self.key_path))


@dataclass(frozen=True, slots=True)
class Upsert(_OfEntry):
    """Add or replace an entry: the update becomes the entry of its key.

    Attributes:
        entry: the class of the entries, which has the members of the update.
        update: the class of the update.
    """

    entry: type[Record]
    update: type[Record]

    def apply(self, state: State[Any, Any, Any], update: Any) -> bool:
        """See `Rule`."""
        key = key_of(update, self.key_path)
        if key is None and self.key_path:  # of an unlisted variant, the key is not certain
            return False
        # Converted and so copied: a later update may add to the lists of the entry.
        state.replace(self.collection, key, converted(update, self.entry))
        return True

    def replay(self, state: Any, key: Any, item: Any) -> list[Any]:
        """See `Replayer`."""
        if item.__class__ is self.entry:
            with suppress(TypeError):  # patches made it, and it lacks what this update requires
                return [converted(item, self.update)]
        return [converted(item, item.__class__)]


@dataclass(frozen=True, slots=True)
class Patch(_OfEntry):
    """Change an entry, or a slot: replace the members that the update carries.

    Attributes:
        entry: the class of the entries, which has the members of the update.
        defaults: the values of members at first and when cleared; others are UNSET.
        null_clears: whether null clears a member; otherwise null changes nothing.
        meta: how `_meta` changes. `merges`: each top-level key by itself; `replaces`: as a whole,
            if the update carries it; `lasts`: it is always that of the last update.
    """

    entry: type[Record]
    defaults: Mapping[str, Any] | None = None
    null_clears: bool = True
    meta: Literal["merges", "replaces", "lasts"] = "merges"

    def apply(self, state: State[Any, Any, Any], update: Any) -> bool:
        """See `Rule`."""
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
        # Null would remove a key of an entry; a new one has none to remove.
        if self.meta == "merges" and getattr(entry, "meta", None):
            entry.meta = merged(None, entry.meta) or UNSET  # type: ignore[attr-defined]
        return entry

    def change(self, entry: Record, update: Record) -> None:
        """Replace the members of an entry that an update carries."""
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
        """See `Replayer`."""
        return [converted(item, self.entry)]


@dataclass(frozen=True, slots=True)
class Append(_OfEntry):
    """A chunk: append its content to a list of an entry.

    Attributes:
        entry: makes the entry of a new key.
        member: the member of the entry that is the list.
    """

    entry: Callable[[Any], Record]
    member: str

    def apply(self, state: State[Any, Any, Any], update: Any) -> bool:
        """See `Rule`."""
        key = key_of(update, self.key_path)
        if key is None:
            return False
        entry = state.entry(self.collection, key, lambda: self.entry(key))
        # The member may be UNSET, or null, if no update has given it so far.
        items: Any = getattr(entry, self.member)
        if items.__class__ is not list:
            items = []
            setattr(entry, self.member, items)
        items.append(update.content)
        return True


@dataclass(frozen=True, slots=True)
class PatchOutput:
    """Change an entry that has output. The output, base64 in the update, is kept apart as bytes.

    Attributes:
        patch: the rule for the other members.
        member: the member of the update that replaces the output, or clears it with null.
        snapshot: the class of that member.
        outputs: the collection of outputs.
    """

    patch: Patch
    member: str
    snapshot: Callable[..., Record]
    outputs: str

    def place(self, state: Any, update: Any) -> Place:
        """See `Rule`."""
        return self.patch.place(state, update)

    def apply(self, state: State[Any, Any, Any], update: Any) -> bool:
        """See `Rule`."""
        # All is checked first: an update that cannot be applied changes nothing.
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
        """See `OutputRule`."""
        snapshot = getattr(update, self.member)
        is_invalid = bool(snapshot) and from_base64(snapshot.data) is None
        return (f"/{self.member}/data", snapshot.data) if is_invalid else None

    def replay(self, state: Any, key: Any, item: Any) -> list[Any]:
        """See `Replayer`."""
        # The second part of the key in the timeline is the key of the entry.
        data = getattr(state, self.outputs).get(key[1])
        if data is None:
            return self.patch.replay(state, key, item)
        output = self.snapshot(data=base64.b64encode(data).decode("ascii"))
        return [converted(item, self.patch.entry, **{self.member: output})]


@dataclass(frozen=True, slots=True)
class AppendOutput(_OfEntry):
    """A chunk of output, in base64: append its bytes to the output of an entry.

    Attributes:
        entry: makes the entry of a new key.
        outputs: the collection of outputs.
    """

    entry: Callable[[Any], Record]
    outputs: str

    def apply(self, state: State[Any, Any, Any], update: Any) -> bool:
        """See `Rule`."""
        key, data = key_of(update, self.key_path), from_base64(update.data)
        if key is None or data is None:
            return False
        state.entry(self.collection, key, lambda: self.entry(key))
        getattr(state, self.outputs).setdefault(key, bytearray()).extend(data)
        return True

    def invalid_data(self, update: Any) -> tuple[str, str] | None:
        """See `OutputRule`."""
        return ("/data", update.data) if from_base64(update.data) is None else None


@dataclass(frozen=True, slots=True)
class Remove(_OfEntry):
    """Remove an entry."""

    def apply(self, state: State[Any, Any, Any], update: Any) -> bool:
        """See `Rule`."""
        key = key_of(update, self.key_path)
        if key is None:
            return False
        state.remove(self.collection, key)
        return True
