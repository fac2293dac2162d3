"""The base class of the generated session states, with a timeline of messages and other entries.

Rules:

1. A state depends only on the updates that were applied to it. Each class of updates has a rule
   (see `reducers`). An update that has no rule or contains invalid data is added to the timeline
   unchanged (`apply`).
2. An entry never changes its position in the timeline.
3. The time to apply an update depends on the update's size, but not on the size of the state.
4. Subscribers are notified of each change immediately, in order. Exceptions from subscribers are
   logged.
5. `to_updates` returns the fewest updates that recreate the state.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, Literal, TypeAlias, TypeVar, cast

from ..jsonrpc.debugging import is_debugging
from ..jsonrpc.logs import call_back, logger_of
from ..values.deferred import dataclass
from ..values.record import Record
from ..values.unset import UNSET
from .message import Message, Role
from .reducers import OutputRule, Replayer, Rule, warn_of_null

_log = logger_of(__name__)

# The stop reason of a cancelled turn and the status of a cancelled tool call.
CANCELLED: Final = "cancelled"

C = TypeVar("C")  # a content block
U = TypeVar("U")  # a session update
T = TypeVar("T")  # an item of the timeline
R = TypeVar("R", bound=Record)

# A part of a response, described as the update that would report the part: the update's class and,
# for each of its fields, the path to the value. A path begins with `params` or `result`, followed
# by attribute names. If the class is None, `update` contains the path to a complete update. The
# type is a tuple, since defining a class would slow down the import.
ImpliedUpdate: TypeAlias = tuple[Callable[..., Any] | None, Mapping[str, tuple[str, ...]]]
ChangeKind: TypeAlias = Literal["added", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class Change:
    """A change to one entry of a session state.

    Attributes:
        kind: `added`, `changed` or `removed`.
        where: the attribute of the state that contains the entry, such as `messages`, `tool_calls`
            or `usage`; `timeline` for an update without a rule, `questions` for a permission
            request or an elicitation, or `is_closed` for the closing of the session.
        key: the entry's key in that attribute. The key of a message is its id or None.
        entry: the current entry, or the removed entry.
        update: the update that made the change; None for other causes, such as a response, or for
            a tool call that stopped running because its turn ended.
        is_replay: whether the change is part of loading or resuming a session, during which the old
            state is removed and the agent replays the history.
    """

    kind: ChangeKind
    where: str
    key: Hashable
    entry: Any
    update: Any = None
    is_replay: bool = False


Subscriber: TypeAlias = Callable[[Change], object]


class Subscribers:
    """The subscribers of a state, in the order in which they subscribed."""

    def __init__(self) -> None:
        self._callbacks: list[Subscriber] = []

    def add(self, callback: Subscriber) -> Callable[[], None]:
        """Add a subscriber and return a function that removes it."""
        own = [callback]  # a callback can be subscribed twice

        def call(change: Change) -> None:
            for subscriber in own:
                subscriber(change)

        def remove() -> None:
            own.clear()
            if call in self._callbacks:
                self._callbacks.remove(call)

        self._callbacks.append(call)
        return remove

    def tell(self, change: Change) -> None:
        """Notify all subscribers of a change."""
        for call in list(self._callbacks):  # copied, since callbacks can unsubscribe
            call_back(call, change, what="a subscriber of a session state", log=_log)

    def __deepcopy__(self, memo: object) -> Subscribers:
        return Subscribers()  # a copied state has no subscribers

    def __reduce__(self) -> tuple[type[Subscribers], tuple[()]]:
        return Subscribers, ()


class State(Generic[C, U, T]):
    """Base class of the generated session states.

    Attributes:
        messages: all messages, in the order in which they began.
    """

    # The rule for each class of updates.
    _rules: ClassVar[Mapping[type, Rule]]
    # The rule that recreates the entries of each collection, or the messages of each role.
    _replayers: ClassVar[Mapping[str, Replayer]]
    # The attributes that each contain the last update of one class.
    _slots: ClassVar[tuple[str, ...]]
    # The attributes that contain output as bytes.
    _outputs: ClassVar[tuple[str, ...]] = ()
    # The parts of the state that responses contain, by method name.
    _implied_updates: ClassVar[Mapping[str, tuple[ImpliedUpdate, ...]]] = {}
    # The status to report for tool calls that the client marked as cancelled, if the schema defines
    # no such status.
    _cancelled_as: ClassVar[str | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if is_debugging(None):
            warn_of_null(cls._rules)

    def __init__(self) -> None:
        self.messages: list[Message[C]] = []
        # The items of the timeline, by collection or role, and key.
        self._timeline: dict[tuple[str, Hashable], Any] = {}
        self._count = 0
        self._complete: object = None  # a message that doesn't accept more chunks
        self._subscribers: Subscribers | None = None  # None without subscribers
        self._is_replay = False

    @property
    def timeline(self) -> list[T]:
        """Messages, other entries, and updates without a rule, in order of first arrival."""
        return list(self._timeline.values())

    def apply(self, update: U) -> bool:
        """Apply an update to the state. Return whether the update's rule changed the state.

        An update that has no rule or contains invalid data, such as output that isn't base64, is
        added to the timeline.
        """
        rule = self._rules.get(update.__class__)
        if self._subscribers is not None:
            return self._apply_and_tell(self._subscribers, rule, update, update)
        if rule is not None and rule.apply(self, update):
            return True
        self._timeline["passthrough", self._next()] = update
        return False

    def invalid_data(self, update: U) -> tuple[str, str] | None:
        """Return the JSON pointer and the value of output that isn't valid base64, if any."""
        rule = self._rules.get(update.__class__)
        return rule.invalid_data(update) if isinstance(rule, OutputRule) else None

    def has_rule(self, update: object) -> bool:
        """Return whether an update has a rule. Other updates are only added to the timeline."""
        return update.__class__ in self._rules

    def is_in_timeline(self, update: object) -> bool:
        """Return whether an update adds or changes an item of the timeline."""
        rule = self._rules.get(update.__class__)
        return rule is None or rule.place(self, update).where not in self._slots

    def insert_message(self, chunks: Sequence[U]) -> Message[C]:
        """Apply chunks as a complete message. Later chunks without an id are not added to it."""
        self._complete = self._last()
        for chunk in chunks:
            self.apply(chunk)
        message: Any = self._last()
        self._complete = message
        return cast("Message[C]", message)

    def name_message(
        self, message: Message[C], message_id: str | None, update: U | None = None
    ) -> None:
        """Set or remove a message's id. The message keeps its position in the timeline.

        Nothing changes if another message has this id or the state doesn't contain the message.
        Subscribers receive the update that contains the id.
        """
        key = (str(message.role), self._next() if message_id is None else message_id)
        items = self._timeline.items()
        old = next((old for old, item in reversed(items) if item is message), None)
        if old is None or key in self._timeline:
            return
        if self._last() is message:  # the usual case, which takes constant time
            del self._timeline[old]
            self._timeline[key] = message
        else:
            self._timeline = {key if each == old else each: item for each, item in items}
        message.message_id = message_id
        self.tell("changed", "messages", message_id, message, update)

    def apply_response(self, method: str, params: Any, result: Any) -> None:
        """Apply the parts of the state that a response contains, such as the current mode.

        Client sessions call this method when the response arrives. Agent sessions call this method
        when the handler returns.

        Args:
            method: the JSON name of the method.
            params: the request params.
            result: the result in the response.
        """
        for update in self.implied_updates(method, params, result):
            if self._subscribers is not None:
                rule = self._rules.get(update.__class__)
                self._apply_and_tell(self._subscribers, rule, update, None)
            else:
                self.apply(update)

    def implied_updates(self, method: str, params: Any, result: Any) -> list[U]:
        """Return the parts of the state that a response contains, as updates."""
        implied = self._implied_updates.get(method, ())
        updates = (_read_implied_update(each, params, result) for each in implied)
        return [update for update in updates if update is not None]

    def has_implied_updates(self, method: str) -> bool:
        """Return whether the response to a request contains a part of the state."""
        return method in self._implied_updates

    def has(self, update: U) -> bool:
        """Return whether a slot of the state, such as the current mode, contains this update."""
        return any(getattr(self, name) == update for name in self._slots)

    def known_members(self, method: str) -> dict[str, Any]:
        """Return response fields with values from the state: the inverse of `apply_response`.

        The keys of the result are Python names, but `method` is a JSON name.
        """
        slots = (getattr(self, name) for name in self._slots)
        # Ignore longer paths, since they refer to parts of a larger object.
        last: dict[Any, Any] = {update.__class__: update for update in slots}
        return {
            path[0]: getattr(last[update], name)
            for update, members in self._implied_updates.get(method, ())
            if update in last
            for name, (start, *path) in members.items()
            if start == "result" and len(path) == 1
        }

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Subscribe to changes to the state.

        Args:
            callback: called immediately after each change, before any handler for the update.
                Exceptions from the callback are logged.

        Returns:
            A function that cancels the subscription.
        """
        if self._subscribers is None:
            self._subscribers = Subscribers()
        return self._subscribers.add(callback)

    def tell(
        self, kind: ChangeKind, where: str, key: Hashable, entry: Any, update: U | None = None
    ) -> None:
        """Notify the subscribers of a change that wasn't made by a rule; see `Change`."""
        if self._subscribers is not None:
            self._subscribers.tell(Change(kind, where, key, entry, update, self._is_replay))

    def begin_replay(self) -> dict[str, Any]:
        """Clear the state. Return the previous contents, for `end_replay`.

        Subscribers remain subscribed and are notified of each removed entry. Changes until
        `end_replay` is called are marked as part of a replay.
        """
        self._is_replay = True
        return self._exchange(self.__class__().__dict__)

    def end_replay(self, before: Mapping[str, Any] | None = None) -> None:
        """End a replay. After a failure, pass `begin_replay`'s result to restore the contents."""
        if before is not None:
            self._exchange(before)
            for where, key, entry in self._entries():
                self.tell("added", where, key, entry)
        self._is_replay = False

    def _exchange(self, contents: Mapping[str, Any]) -> dict[str, Any]:
        """Replace the contents, report removed entries, and return the old contents."""
        removed = list(self._entries())
        own = ("_subscribers", "_is_replay")
        before = {name: value for name, value in self.__dict__.items() if name not in own}
        self.__dict__.update((name, value) for name, value in contents.items() if name not in own)
        for where, key, entry in removed:
            self.tell("removed", where, key, entry)
        return before

    def _entries(self) -> Iterator[tuple[str, Hashable, Any]]:
        """Yield the location, key and value of each entry, as in `Change`."""
        for (kind, key), entry in self._timeline.items():
            if entry.__class__ is Message:
                yield "messages", entry.message_id, entry
            else:
                yield ("timeline" if kind == "passthrough" else kind), key, entry
        for name in self._slots:
            value = getattr(self, name)
            if value is not None:
                yield name, None, value

    def _apply_and_tell(
        self, told: Subscribers, rule: Rule | None, update: Any, cause: object
    ) -> bool:
        # Call this method only if there are subscribers, since finding the entry before and after
        # the change takes time.
        place = None if rule is None else rule.place(self, update)
        before = None if place is None else place.find(self)
        if rule is None or not rule.apply(self, update):
            number = self._next()
            self._timeline["passthrough", number] = update
            told.tell(Change("added", "timeline", number, update, cause, self._is_replay))
            return False
        after = None if place is None else place.find(self)
        if place is not None and after is not None:
            kind: ChangeKind = "added" if before is None else "changed"
            # A chunk without an id can continue a message that has an id.
            key = place.key if place.role is None else after.message_id
            told.tell(Change(kind, place.where, key, after, cause, self._is_replay))
        elif place is not None and before is not None:
            told.tell(Change("removed", place.where, place.key, before, cause, self._is_replay))
        return True

    def to_updates(self) -> list[U]:
        """Return the fewest updates that recreate this state from an empty state."""
        updates: list[Any] = []
        for key, item in self._timeline.items():
            replayer = self._replayers.get(key[0])
            replayed = [item] if replayer is None else replayer.replay(self, key, item)
            updates += map(self._reported, replayed) if key[0] == "tool_calls" else replayed
        values = (getattr(self, name) for name in self._slots)
        return updates + [value for value in values if value is not None]

    def _reported(self, update: Any) -> Any:
        if self._cancelled_as is None or getattr(update, "status", None) != CANCELLED:
            return update
        return dataclasses.replace(update, status=self._cancelled_as)

    def trim(self) -> None:
        """Clear the state except for the slots and the timeline's last item.

        If the last item is a message, its content is also cleared.
        """
        # The last item determines whether the next chunk without an id begins a new message.
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
        # Compare the timeline as a list, since comparing dictionaries ignores their order.
        values = self.__dict__.items()
        return [self.timeline, *(value for name, value in values if not name.startswith("_"))]

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.timeline!r})"

    def last_message(self, role: Role | None = None) -> Message[C] | None:
        """Return the last item of the timeline if it is an incomplete message, else None.

        Chunks without an id continue this message. `insert_message` creates complete messages.

        Args:
            role: the role that the message must have; None for any role.
        """
        last = self._last()
        is_open = last.__class__ is Message and last is not self._complete
        return last if is_open and role in (None, last.role) else None

    # --- for reducers: the methods of `Store` --------------------------------------------------

    def message(self, role: Role, message_id: str | None) -> Message[C]:
        """Return the message with this id or, if no id is given, `last_message`.

        If there is no such message, add one.
        """
        known = self.known_message(role, message_id)
        if known is not None:
            return known
        key = (str(role), self._next() if message_id is None else message_id)
        message: Message[C] = Message(role, message_id)  # `Message[C](…)` takes twice as long
        self._timeline[key] = message
        self.messages.append(message)
        return message

    def known_message(self, role: Role, message_id: Hashable) -> Message[C] | None:
        """Return the message with this id, if any. If no id is given, return `last_message`."""
        if message_id is None:
            return self.last_message(role)
        known: Message[C] | None = self._timeline.get((role, message_id))
        return known

    def entry(self, collection: str, key: Hashable, make: Callable[[], R]) -> R:
        """Return an entry of a collection. If the entry is missing, add the result of `make`."""
        entries: dict[Hashable, R] = getattr(self, collection)
        entry = entries.get(key)
        if entry is None:
            entry = entries[key] = self._timeline[collection, key] = make()
        return entry

    def replace(self, collection: str, key: Hashable, entry: Record) -> None:
        """Set an entry of a collection and replace the previous entry in the timeline."""
        getattr(self, collection)[key] = self._timeline[collection, key] = entry

    def remove(self, collection: str, key: Hashable) -> None:
        """Remove an entry from a collection and from the timeline."""
        getattr(self, collection).pop(key, None)
        self._timeline.pop((collection, key), None)

    def _last(self) -> Any:
        return next(reversed(self._timeline.values()), None)

    def _next(self) -> int:
        self._count += 1
        return self._count


def _read_implied_update(implied: ImpliedUpdate, params: Any, result: Any) -> Any:
    """Return part of a response as an update, or None if the part is missing."""
    update, members = implied
    values: dict[str, Any] = {}
    for name, (start, *path) in members.items():
        value = params if start == "params" else result
        for attribute in path:
            value = getattr(value, attribute, None)
        if value is None or value is UNSET:
            return None
        values[name] = value
    return values["update"] if update is None else update(**values)
