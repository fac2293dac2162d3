"""What the generated session states are: a timeline, and entries that updates change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

from ..values.record import Record

C = TypeVar("C")
U = TypeVar("U")
R = TypeVar("R", bound=Record)
Role: TypeAlias = Literal["user", "agent", "thought"]


@dataclass(slots=True)
class Message(Generic[C]):
    """A message of a session, put together from its updates and chunks.

    Attributes:
        role: the user's, the agent's, or a thought of the agent.
        message_id: its id; None where protocol 1 gave none.
        content: its content blocks, in order.
        meta: its `_meta`; that of single chunks is not part of it.
        unknown_fields: members of its updates that the schema does not name.
    """

    role: Role
    message_id: str | None = None
    content: list[C] = field(default_factory=list[Any])
    meta: dict[str, Any] | None = None
    unknown_fields: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        """Its text blocks, joined."""
        return "".join(getattr(block, "text", "") for block in self.content)


class State(Generic[C, U]):
    """Base of the generated session states.

    To apply updates costs time linear in their size, whatever they add to.

    Attributes:
        messages: all messages, in the order of their beginnings.
    """

    # By class of updates, what they do; by collection (or role of a message), what writes it back;
    # the members that hold one update each.
    _rules: ClassVar[Mapping[type, Rule]]
    _writers: ClassVar[Mapping[str, Writer]]
    _slots: ClassVar[tuple[str, ...]]

    def __init__(self) -> None:
        self.messages: list[Message[C]] = []
        self._timeline: dict[tuple[str, Hashable], Any] = {}
        self._count = 0

    @property
    def timeline(self) -> list[Any]:
        """Messages, entries of collections and updates kept as they are, by first arrival."""
        return list(self._timeline.values())

    def apply(self, update: U) -> None:
        """Change the state as an update says, or keep the update if nothing says what it does."""
        rule = self._rules.get(update.__class__)
        if rule is None or not rule.apply(self, update):
            self._timeline["kept", self._next()] = update

    def to_updates(self) -> list[U]:
        """The fewest updates that make this state out of an empty one."""
        updates: list[Any] = []
        for place, item in self._timeline.items():
            writer = self._writers.get(place[0])
            updates += [item] if writer is None else writer.write(self, place, item)
        values = (getattr(self, name) for name in self._slots)
        return updates + [value for value in values if value is not None]

    def __eq__(self, other: Any) -> bool:
        return other.__class__ is self.__class__ and self._contents() == other._contents()

    def _contents(self) -> list[Any]:
        # The timeline in its order: dictionaries are equal whatever the order of their entries.
        values = self.__dict__.items()
        return [self.timeline, *(value for name, value in values if not name.startswith("_"))]

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.timeline!r})"

    def last_message(self, role: Role) -> Message[C] | None:
        """What came last, if that is a message of a role; it can be added to without an id."""
        last: Any = next(reversed(self._timeline.values()), None)
        return last if last.__class__ is Message and last.role == role else None

    # --- for the rules -----------------------------------------------------------------------

    def message(self, role: Role, message_id: str | None) -> Message[C]:
        """The message to add to, made if there is none.

        Without an id, that is what came last, if it is a message of that role.
        """
        if message_id is None and (last := self.last_message(role)) is not None:
            return last
        place = (str(role), self._next() if message_id is None else message_id)
        known: Message[C] | None = self._timeline.get(place)
        if known is not None:
            return known
        message = Message[C](role, message_id)
        self._timeline[place] = message
        self.messages.append(message)
        return message

    def entry(self, into: str, key: Hashable, make: Callable[[], R]) -> R:
        """An entry of a collection, made if there is none."""
        collection: dict[Hashable, R] = getattr(self, into)
        found = collection.get(key)
        if found is None:
            found = collection[key] = self._timeline[into, key] = make()
        return found

    def replace(self, into: str, key: Hashable, entry: Record) -> None:
        """Put an entry into a collection; one that was there keeps its place in the timeline."""
        getattr(self, into)[key] = self._timeline[into, key] = entry

    def remove(self, into: str, key: Hashable) -> None:
        """Take an entry out of a collection and of the timeline."""
        getattr(self, into).pop(key, None)
        self._timeline.pop((into, key), None)

    def _next(self) -> int:
        self._count += 1
        return self._count


class Rule(Protocol):
    """What one class of updates does."""

    def apply(self, state: Any, update: Any) -> bool:
        """Change the state; False if the update does not say enough and has to be kept."""
        ...


class Writer(Protocol):
    """A rule that writes back what it made."""

    def write(self, state: Any, place: Any, item: Any) -> list[Any]:
        """The updates that make something in the timeline what it is."""
        ...
