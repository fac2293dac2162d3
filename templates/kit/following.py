"""`follow`: yields a session's snapshot and then its updates to a view, which can be slow.

An example of a view is a browser page that can be opened or reloaded at any time. A view begins
with an empty state and applies the updates to that state.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, Final, Generic, TypeVar

from ..runtime.session.client import ClientSession
from ..runtime.session.state import Change
from ..runtime.values.deferred import dataclass

U = TypeVar("U")  # a session update

# The maximum number of updates that wait for a view. If more updates are waiting, a snapshot
# replaces all of them. A snapshot needs less memory and lets a slow view catch up sooner.
BACKLOG: Final = 1_000


@dataclass(frozen=True, slots=True)
class Batch(Generic[U]):
    """Consecutive session updates.

    Attributes:
        updates: the updates, in the order of their arrival.
        is_snapshot: whether the updates build the session's state from an empty state. Otherwise,
            the updates continue the previous batches.
    """

    updates: list[U]
    is_snapshot: bool


async def follow(
    session: ClientSession[Any, U, Any], *, backlog: int = BACKLOG
) -> AsyncGenerator[Batch[U]]:
    """Yield a snapshot of a session and then its updates in batches, without gaps or duplicates.

    Another snapshot follows if the state changes without an update (for example, through a
    response), if the session is restored after a restart of the agent, or if too many updates are
    waiting.

    Iteration ends after the last change to a closed session, or when the generator is closed. If
    only the connection closes, iteration continues, since the session can be restored. `launch`
    closes the sessions that cannot be restored.

    Args:
        session: the session.
        backlog: the maximum number of updates that wait for the view.
    """
    has_changed = asyncio.Event()
    updates: list[U] = []
    needs_snapshot = True

    def take(change: Change) -> None:
        nonlocal needs_snapshot
        if change.where == "questions":  # questions are not part of the state
            return
        has_changed.set()
        if change.where == "is_closed":
            return
        if change.update is None or len(updates) >= backlog:
            needs_snapshot = True
            updates.clear()
        elif not needs_snapshot:
            updates.append(change.update)

    unsubscribe = session.state.subscribe(take)
    try:
        while True:
            if needs_snapshot or updates:
                now = session.state.to_updates() if needs_snapshot else updates
                batch = Batch(now, needs_snapshot)
                updates, needs_snapshot = [], False
                yield batch
            elif session.is_closed:
                return
            else:
                has_changed.clear()
                await has_changed.wait()  # closing the session is also a change
    finally:
        unsubscribe()
