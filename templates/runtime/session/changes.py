"""Notice of changes in the state of a session, entry by entry."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Literal, TypeAlias

from ..jsonrpc.logs import call_back, logger_of
from ..values.deferred import dataclass

_log = logger_of(__name__)


ChangeKind: TypeAlias = Literal["added", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one entry of a session state.

    Attributes:
        kind: `added`, `changed` or `removed`.
        where: the attribute of the state that holds the entry, such as `messages`, `tool_calls` or
            `usage`; `timeline` for an update without a rule, `questions` for a question of the
            agent in the session, `is_closed` for the end of the session.
        key: the key of the entry there; the id of a message, None if it has none.
        entry: the entry as it is now; one that was removed as it was.
        update: the update that made the change; None if another cause did, such as a response, or
            the end of a turn, which stops its tool calls.
        is_replay: whether it is part of bringing a session back: the old state is removed, and the
            agent repeats what has happened.
    """

    kind: ChangeKind
    where: str
    key: Hashable
    entry: Any
    update: Any = None
    is_replay: bool = False


# Is called after each change. What it raises is logged.
Subscriber: TypeAlias = Callable[[Change], object]


class Subscribers:
    """Those who are told of the changes of a state.

    Attributes:
        callbacks: what to call, in the order of their subscription.
    """

    def __init__(self) -> None:
        self.callbacks: list[Subscriber] = []

    def add(self, callback: Subscriber) -> Callable[[], None]:
        """Add one, and return a function that removes it."""
        own = [callback]  # the same callback may subscribe twice

        def call(change: Change) -> None:
            for subscriber in own:
                subscriber(change)

        def remove() -> None:
            own.clear()
            if call in self.callbacks:
                self.callbacks.remove(call)

        self.callbacks.append(call)
        return remove

    def tell(self, change: Change) -> None:
        """Tell all of a change."""
        for call in list(self.callbacks):  # a copy, since one may end its subscription
            call_back(call, change, what="a subscriber of a session state", log=_log)

    def __deepcopy__(self, memo: object) -> Subscribers:
        return Subscribers()  # those of a copy are its own

    def __reduce__(self) -> tuple[type[Subscribers], tuple[()]]:
        return Subscribers, ()
