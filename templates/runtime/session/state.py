"""The base class of the generated session states: a timeline that updates add to and change."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Mapping
from typing import Any, ClassVar, Final, Generic, Literal, Protocol, TypeVar

from ..values.deferred import dataclass
from ..values.record import Record
from .changes import Change, Subscriber, Subscribers
from .message import Message, Role

# The status of a cancelled tool call.
CANCELLED: Final = "cancelled"

C = TypeVar("C")
U = TypeVar("U")
R = TypeVar("R", bound=Record)


class State(Generic[C, U]):
    """Base class of the generated session states.

    Applying an update takes time linear in its size, however large the state is.

    Attributes:
        messages: all messages, in the order in which they began.
    """

    # The rule of each class of updates.
    _rules: ClassVar[Mapping[type, Rule]]
    # The rule that writes the entries of each collection, or the messages of each role.
    _writers: ClassVar[Mapping[str, Writer]]
    # The members that hold the last update of a class each.
    _slots: ClassVar[tuple[str, ...]]
    # The members that hold output as bytes.
    _outputs: ClassVar[tuple[str, ...]] = ()
    # The status to report for tool calls that the client has marked as cancelled, if the schema
    # has no such status.
    _cancelled_as: ClassVar[str | None] = None

    def __init__(self) -> None:
        self.messages: list[Message[C]] = []
        self._timeline: dict[tuple[str, Hashable], Any] = {}
        self._count = 0
        self._subscribers: Subscribers | None = None  # until there is one

    @property
    def timeline(self) -> list[Any]:
        """Messages, entries and updates without a rule, in the order of their first arrival."""
        return list(self._timeline.values())

    def apply(self, update: U) -> None:
        """Change the state as an update says. An update without a rule is added to the timeline."""
        rule = self._rules.get(update.__class__)
        if self._subscribers is not None:
            self._apply_and_tell(self._subscribers, rule, update)
        elif rule is None or not rule.apply(self, update):
            self._timeline["passthrough", self._next()] = update

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Be told of each change: which entry, and whether it was added, changed or removed.

        Args:
            callback: called at once after each change, before any handler of the update. What it
                raises is logged.

        Returns:
            A function that ends the subscription.
        """
        if self._subscribers is None:
            self._subscribers = Subscribers()
        return self._subscribers.add(callback)

    def tell(self, where: str, key: Hashable, entry: Any) -> None:
        """Tell the subscribers that an entry was changed by other means than an update."""
        if self._subscribers is not None:
            self._subscribers.tell(Change("changed", where, key, entry))

    def _apply_and_tell(self, told: Subscribers, rule: Rule | None, update: Any) -> None:
        place = None if rule is None else rule.place(self, update)
        before = None if place is None else place.find(self)
        if rule is None or not rule.apply(self, update):
            number = self._next()
            self._timeline["passthrough", number] = update
            told.tell(Change("added", "timeline", number, update))
            return
        after = None if place is None else place.find(self)
        if place is not None and after is not None:
            kind: Literal["added", "changed"] = "added" if before is None else "changed"
            told.tell(Change(kind, place.where, place.key, after))
        elif place is not None and before is not None:
            told.tell(Change("removed", place.where, place.key, before))

    def to_updates(self) -> list[U]:
        """Return the fewest updates that turn an empty state into this one."""
        updates: list[Any] = []
        for key, item in self._timeline.items():
            writer = self._writers.get(key[0])
            written = [item] if writer is None else writer.write(self, key, item)
            updates += map(self._reported, written) if key[0] == "tool_calls" else written
        values = (getattr(self, name) for name in self._slots)
        return updates + [value for value in values if value is not None]

    def _reported(self, update: Any) -> Any:
        if self._cancelled_as is None or getattr(update, "status", None) != CANCELLED:
            return update
        return dataclasses.replace(update, status=self._cancelled_as)

    def trim(self) -> None:
        """Forget everything but the slots and the kind of the last item of the timeline."""
        *before, last = self._timeline or (None,)
        for collection, key in before:
            del self._timeline[collection, key]
            getattr(self, collection, {}).pop(key, None)
        del self.messages[:-1]
        item: Any = self._timeline.get(last) if last is not None else None
        if item.__class__ is Message:
            item.content.clear()
        else:
            self.messages.clear()
        for name in self._outputs:
            getattr(self, name).clear()

    def __eq__(self, other: Any) -> bool:
        return other.__class__ is self.__class__ and self._contents() == other._contents()

    def _contents(self) -> list[Any]:
        # The timeline as a list, since dictionaries are equal whatever their order.
        values = self.__dict__.items()
        return [self.timeline, *(value for name, value in values if not name.startswith("_"))]

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.timeline!r})"

    def last_message(self, role: Role) -> Message[C] | None:
        """Return the last item of the timeline if it is a message of this role, else None.

        Chunks without an id belong to that message.
        """
        last: Any = next(reversed(self._timeline.values()), None)
        return last if last.__class__ is Message and last.role == role else None

    # --- for the rules -----------------------------------------------------------------------

    def message(self, role: Role, message_id: str | None) -> Message[C]:
        """Return the message of an id, or add it. Without an id, see `last_message`."""
        if message_id is None and (last := self.last_message(role)) is not None:
            return last
        key = (str(role), self._next() if message_id is None else message_id)
        known: Message[C] | None = self._timeline.get(key)
        if known is not None:
            return known
        message = Message[C](role, message_id)
        self._timeline[key] = message
        self.messages.append(message)
        return message

    def known_message(self, role: Role, message_id: Hashable) -> Message[C] | None:
        """Return the message of an id, or without one see `last_message`; None if there is none."""
        if message_id is None:
            return self.last_message(role)
        known: Message[C] | None = self._timeline.get((role, message_id))
        return known

    def entry(self, collection: str, key: Hashable, make: Callable[[], R]) -> R:
        """Return an entry of a collection, or add the one that `make` returns."""
        entries: dict[Hashable, R] = getattr(self, collection)
        found = entries.get(key)
        if found is None:
            found = entries[key] = self._timeline[collection, key] = make()
        return found

    def replace(self, collection: str, key: Hashable, entry: Record) -> None:
        """Set an entry of a collection; it takes the place of the one before in the timeline."""
        getattr(self, collection)[key] = self._timeline[collection, key] = entry

    def remove(self, collection: str, key: Hashable) -> None:
        """Remove an entry from a collection and from the timeline."""
        getattr(self, collection).pop(key, None)
        self._timeline.pop((collection, key), None)

    def _next(self) -> int:
        self._count += 1
        return self._count


@dataclass(frozen=True, slots=True)
class Place:
    """Where a state holds what an update is about.

    Attributes:
        where: the attribute of the state.
        key: the key of the entry there; None if it is the attribute itself, or a message without
            an id.
        role: the role of a message.
    """

    where: str
    key: Hashable = None
    role: Role | None = None

    def find(self, state: State[Any, Any]) -> Any:
        """Return what is there; None if nothing is."""
        if self.role is not None:
            return state.known_message(self.role, self.key)
        value = getattr(state, self.where)
        return value if self.key is None else value.get(self.key)


class Rule(Protocol):
    """The effect of one class of updates."""

    def place(self, state: Any, update: Any) -> Place:
        """Return the place of what an update is about."""
        ...

    def apply(self, state: Any, update: Any) -> bool:
        """Change the state; return False if the update lacks what that takes."""
        ...


class Writer(Protocol):
    """A rule that can write its entries as updates."""

    def write(self, state: Any, key: Any, item: Any) -> list[Any]:
        """Return the updates that recreate an item of the timeline.

        Args:
            state: the state.
            key: the key of the item in the timeline: its collection or role, and its own key.
            item: the message or entry.
        """
        ...
