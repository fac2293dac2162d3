"""The turns of clients where an update ends a turn, as in protocol 2; see `turn_phases`."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from ..aio.peer import Peer
from .client import ClientSession, Q, S, U
from .state import CANCELLED
from .turn_phases import Foreground, Habits, Progress
from .turns import E, G, PromptedSession, R, T, Turn, deliver


class _Session(PromptedSession, Protocol):
    """The part of its session that such a turn uses."""

    foreground: Foreground

    def end_turns(self) -> None: ...


class ReportedTurn(Turn[U, R, E, G, T]):
    """A turn that the response to the prompt accepts, and an update ends, as in protocol 2.

    See `turn_phases` for the update that ends it.
    """

    _progress: Progress

    def __init__(self, session: _Session, params: Any) -> None:
        super().__init__(session, params)
        self._foreground = session.foreground
        self._end_turns = session.end_turns

    def _begin(self) -> None:
        self._progress = self._foreground.begin()

    def _accept(self, response: R) -> None:
        self._foreground.accept(self._progress, getattr(response, "message_id", None) or None)
        self._end_turns()

    def end_if_over(self) -> None:
        """End the turn if it is over."""
        if self._progress.is_over:
            ending = self._progress.end
            self._end(ending, CANCELLED if ending is None else ending.stop_reason)

    def _end(
        self,
        ending: E | None = None,
        stop_reason: Any = None,
        error: BaseException | None = None,
    ) -> None:
        super()._end(ending, stop_reason, error)
        if self not in self._session.abandoned:
            self._foreground.leave(self._progress)


class ReportedSession(ClientSession[S, U, Q]):
    """Base class of the client sessions where an update ends a turn, as in protocol 2.

    Attributes:
        foreground: the foreground work of the agent, which ends the turns.
    """

    # The classes of updates that report that the agent is busy.
    _busy: ClassVar[tuple[type, ...]] = ()
    # The classes of updates that insert a message of the user into the conversation.
    _inserts: ClassVar[tuple[type[Any], ...]] = ()
    # The classes of updates that add to a message or thought of the agent.
    _outputs: ClassVar[tuple[type, ...]] = ()

    def __init__(self, peer: Peer, session_id: str, state: S, habits: Habits) -> None:
        """Start idle.

        Args:
            peer: the agent.
            session_id: the id of the session.
            state: the state of the session.
            habits: the behavior of the agent, for all sessions of the connection.
        """
        super().__init__(peer, session_id, state)
        self.foreground = Foreground(habits)

    def _move(self, client: Any) -> None:
        super()._move(client)
        self.foreground = Foreground(client.habits)

    def _deliver(self, update: Any) -> None:
        deliver([*self.turns], update)
        if isinstance(update, self._outputs):
            self.foreground.work("output")
        elif isinstance(update, self._busy):
            self.foreground.work("busy")
        elif isinstance(update, self._idle):
            self.foreground.idle(update, update.stop_reason or None)
            self.end_turns()
        elif isinstance(update, self._inserts):
            self.foreground.insert(update.message_id)
            self.end_turns()

    def _mark_cancelled(self) -> None:
        super()._mark_cancelled()
        self.foreground.cancel()

    def _mark_closed(self, reason: str = "") -> None:
        super()._mark_closed(reason)
        self.foreground.close()
        self.end_turns()

    def end_turns(self) -> None:
        """End the turns that the messages so far say are over."""
        for turn in [*self.abandoned, *self.turns]:
            if isinstance(turn, ReportedTurn):
                turn.end_if_over()
