"""The turns of clients that speak protocol 2, where an update ends a turn; see `turn_phases`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from .state import CANCELLED
from .turn_phases import Course, Courses, Event
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
        self._courses = Courses("sent")  # until the response names the message of the prompt
        self._course: Course | None = None
        self._message_id: str | None = None

    async def __aenter__(self) -> Self:
        """See `Turn`."""
        # The agent is busy with something else: its next report of being idle is about that.
        if isinstance(self._session.activity(), self._busy):
            self._courses = Courses("earlier")
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
            if self._course is None:
                self._courses.insert(update.message_id)
            else:
                is_own = self._message_id is None or update.message_id == self._message_id
                self._step("inserted" if is_own else "other")

    def _step(self, event: Event, update: Any = None) -> None:
        if self._course is None:
            self._courses.take(event, update)
        else:
            self._course.take(event, update)
            self._end_with(self._course)

    def _accept(self, response: R) -> None:
        self._message_id = getattr(response, "message_id", None) or None
        self._course = self._courses.answer(self._message_id)
        self._end_with(self._course)

    def _end_with(self, course: Course) -> None:
        """End the turn if it is over."""
        if course.phase == "over":
            ending = course.end
            self._end(ending, CANCELLED if ending is None else ending.stop_reason)

    def _close(self) -> None:
        """See `Turn`."""
        self._step("closed")
