"""The turns of clients that speak protocol 2, where an update ends a turn; see `turn_phases`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from .state import CANCELLED
from .turn_phases import Event, Progress
from .turns import E, G, PromptedSession, R, Turn, U

if TYPE_CHECKING:
    from typing_extensions import Self


class ReportedTurn(Turn[U, R, E, G]):
    """A turn that the response to the prompt accepts, and an update ends, as in protocol 2.

    See `turn_phases` for the update that ends it.
    """

    # The classes of updates that tell that the agent is idle.
    _idle: ClassVar[tuple[type, ...]] = ()
    # The classes of updates that tell that the agent is busy.
    _busy: ClassVar[tuple[type, ...]] = ()
    # The classes of updates that insert a message of the user into the conversation.
    _inserts: ClassVar[tuple[type[Any], ...]] = ()
    # The classes of updates that add to what the agent says or thinks.
    _outputs: ClassVar[tuple[type, ...]] = ()

    def __init__(self, session: PromptedSession, params: Any) -> None:
        super().__init__(session, params)
        self._progress = Progress(is_busy=False)

    async def __aenter__(self) -> Self:
        """See `Turn`."""
        # The agent is busy with something else: its next report of being idle is about that.
        if isinstance(self._session.activity(), self._busy):
            self._progress = Progress(is_busy=True)
        return await super().__aenter__()

    def _take(self, update: Any) -> None:
        """See `Turn`."""
        super()._take(update)
        if isinstance(update, self._outputs):
            self._step("output")
        elif isinstance(update, self._idle):
            self._step("idle", update)
        elif isinstance(update, self._busy):
            self._step("busy")
        elif isinstance(update, self._inserts):
            self._progress.insert(update.message_id)
            self._end_if_over()

    def _step(self, event: Event, update: Any = None) -> None:
        self._progress.take(event, update)
        self._end_if_over()

    def _accept(self, response: R) -> None:
        self._progress.accept(getattr(response, "message_id", None) or None)
        self._end_if_over()

    def _end_if_over(self) -> None:
        if self._progress.is_over:
            ending = self._progress.end
            self._end(ending, CANCELLED if ending is None else ending.stop_reason)

    def _close(self) -> None:
        """See `Turn`."""
        self._step("closed")
