"""Following a session: yields a snapshot and then the updates, for a view that can be slow.

Such a view is a page in a browser, which is opened or reloaded at any time. It applies the updates
to an empty state.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, Final, Generic, TypeVar

from ..runtime.session.client import ClientSession
from ..runtime.session.state import Change
from ..runtime.values.deferred import dataclass

U = TypeVar("U")  # a session update

# The updates that wait for a view. A snapshot replaces them if there are more: they need memory,
# and a view that is so late shows the end sooner with it.
BACKLOG: Final = 1_000


@dataclass(frozen=True, slots=True)
class Batch(Generic[U]):
    """Updates of a session.

    Attributes:
        updates: the updates, in the order of their arrival.
        is_snapshot: whether they lead from an empty state to that of the session; otherwise, they
            continue the batches before.
    """

    updates: list[U]
    is_snapshot: bool


async def follow(
    session: ClientSession[Any, U, Any], *, backlog: int = BACKLOG
) -> AsyncGenerator[Batch[U]]:
    """Yield a snapshot of a session, and then its updates in batches, without a gap or repetition.

    Other snapshots follow when the state changed without an update, such as by a response, when the
    session was brought back after a restart of the agent, or when too many updates wait.

    It ends after the last change of a session that is closed, and when the generator is closed. The
    end of the connection does not end it, since the session can come back; `launch` closes sessions
    that do not.

    Args:
        session: the session.
        backlog: the most updates that wait.
    """
    has_changed = asyncio.Event()
    updates: list[U] = []
    needs_snapshot = True

    def take(change: Change) -> None:
        nonlocal needs_snapshot
        if change.where == "questions":  # not a part of the state
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
                await has_changed.wait()  # ends with a change, or the end of the session
    finally:
        unsubscribe()
