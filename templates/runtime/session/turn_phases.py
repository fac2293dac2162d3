"""Detecting when turns end in protocols where updates end turns, such as protocol 2.

The update reports that the agent is idle but doesn't say which prompt's turn is over. `Foreground`
decides which turns the update ends, based only on the order of the messages.

The schema defines this order (`PromptResponse`, `StateUpdate`, `IdleStateUpdate`). The response
means that the message was inserted into the session, not that the agent began to work on it. The
agent echoes the message before or after the response. The agent then works on the message and
reports that it is idle when no foreground work is left. Therefore, a turn ends with the first
idle report after the echo of its prompt; see `PHASES`.

Some agents never echo a prompt. Until a connection's agent echoes a prompt for the first time,
turns also follow the table `PHASES_WITHOUT_ECHO`, which relies on reported work. If the agent was
doing other work when it inserted the prompt, only the echo is conclusive, so the turn waits for the
echo.

After a `session/cancel`, an idle report with the stop reason `cancelled` ends all of the session's
turns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from ..values.deferred import dataclass
from .state import CANCELLED

Phase: TypeAlias = Literal[
    "sent",  # no response yet; no echo yet
    "echoed",  # no response yet; the message was echoed
    "finished",  # no response yet; the agent is idle again after the echo
    "closed",  # no response yet; the session was closed
    "accepted",  # the response arrived; no echo yet
    "working",  # the response and the echo arrived
    "over",
]
# The phases of a turn if the agent has not echoed a prompt yet.
PhaseWithoutEcho: TypeAlias = Literal[
    "sent",  # no response yet; no work that might relate to this prompt was reported
    "earlier",  # no response yet; the agent is doing other work
    "begun",  # no response yet; the agent is working, maybe on this prompt
    "stopped",  # no response yet; the agent is idle and may have finished this prompt
    "accepted",  # the response arrived; no work that might relate to this prompt was reported
    "working",  # the response arrived; the agent is working
    "behind",  # the response arrived while the agent was doing other work
    "doubtful",  # the other work ended; the turn is over if the agent never echoes prompts
    "over",
]
Event: TypeAlias = Literal[
    "response",  # the response arrives
    "echo",  # the echo of the prompt arrives
    "other",  # another user message arrives
    "busy",  # the agent reports that it is working or waiting for the user
    "output",  # a chunk of the agent's message or thought arrives
    "idle",  # the agent reports that it is idle
    "closed",  # the client closes the session
]
Table: TypeAlias = Mapping[str, Mapping[Event, str]]

# The next phase for each event. Events that are not listed don't change the phase.
PHASES: Table = {
    "sent": {"response": "accepted", "echo": "echoed", "closed": "closed"},
    "echoed": {"response": "working", "idle": "finished", "closed": "closed"},
    "finished": {"response": "over"},
    "closed": {"response": "over"},
    "accepted": {"echo": "working", "closed": "over"},
    "working": {"idle": "over", "closed": "over"},
    "over": {},
}
PHASES_WITHOUT_ECHO: Table = {
    "sent": {"response": "accepted", "other": "earlier", "busy": "begun", "output": "begun"},
    "earlier": {"response": "behind", "idle": "sent"},
    "begun": {"response": "working", "other": "earlier", "idle": "stopped"},
    "stopped": {"response": "over"},
    # "idle" is not listed: without reported work, an idle report only repeats the state.
    "accepted": {"busy": "working", "output": "working"},
    "working": {"idle": "over"},
    "behind": {"idle": "doubtful"},
    "doubtful": {},
    "over": {},
}

# The possible phases of a turn after the idle report that ends it.
_ENDED: Final = ("stopped", "finished", "doubtful", "over")
# The maximum number of user messages to remember until the response identifies one of them.
_MESSAGES: Final = 1_000
# The maximum number of remembered turns that ended without an echo.
_LEFT: Final = 10


@dataclass(slots=True, eq=False)
class Course:
    """The progress of one turn through the phases in a table.

    Attributes:
        table: a mapping from phases and events to the next phase.
        phase: the current phase.
        end: the idle report that ended the turn, or None if it has not arrived.
    """

    table: Table
    phase: str
    end: Any = None

    def take(self, event: Event, report: Any = None) -> None:
        """Process an event. For the event "idle", `report` is the idle report."""
        phase = self.table[self.phase].get(event, self.phase)
        if event == "idle" and phase != self.phase and phase in _ENDED:
            self.end = report
        self.phase = phase


@dataclass(slots=True, eq=False)
class Habits:
    """The observed behavior of a connection's agent.

    Attributes:
        echoes: whether the agent echoes prompts; None if this is still unknown.
    """

    echoes: bool | None = None


class Progress:
    """The progress of one turn.

    Before the response, each echoed message might be the prompt's message. Messages that arrive
    between two idle reports share a course so that processing an event takes constant time. If
    there are too many messages, the oldest message is forgotten.

    Attributes:
        message_id: the id of the prompt's message, or None if the response has not arrived or
            contains no id.
        is_accepted: whether the response to the prompt arrived.
        is_echoed: whether the message was echoed; not known before the response.
        is_cancelled: whether the client cancelled the session after sending the prompt.
        is_over: whether the turn is over.
        end: the idle report that ended the turn, or None if it has not arrived or the session was
            closed.
    """

    def __init__(self, *, is_busy: bool) -> None:
        self.message_id: str | None = None
        self.is_accepted = False
        self.is_echoed = False
        self.is_cancelled = False
        self.is_over = False
        self.end: Any = None
        self._course = Course(PHASES, "sent")
        self._without_echo = Course(PHASES_WITHOUT_ECHO, "earlier" if is_busy else "sent")
        # The courses of the messages that were echoed before the response, by id.
        self._candidates: dict[str, Course] = {}
        self._latest: Course | None = None  # the course of messages since the last idle report

    @property
    def may_be_echoed(self) -> bool:
        """True if the response can still identify a message that has already been echoed."""
        return not self.is_accepted and bool(self._candidates)

    def accept(self, message_id: str | None) -> None:
        """Process the response. If it contains no message id, use the first echoed message."""
        self.message_id = message_id
        self.is_accepted = True
        first = next(iter(self._candidates.values()), None)
        own = first if message_id is None else self._candidates.get(message_id)
        if own is not None:
            self.is_echoed = True
            self._course = own
        self._candidates.clear()
        self._without_echo.take("response")
        self._take("response")

    def insert(self, message_id: str) -> None:
        """Process a user message or a chunk of it."""
        if not self.is_accepted:
            self._remember(message_id)
            self._without_echo.take("other")
        elif self.message_id in (None, message_id):
            self.is_echoed = True
            self._take("echo")

    def _remember(self, message_id: str) -> None:
        if message_id in self._candidates:
            return
        if self._latest is None:
            self._latest = Course(PHASES, self._course.phase)
            self._latest.take("echo")
        self._candidates[message_id] = self._latest
        if len(self._candidates) > _MESSAGES:
            del self._candidates[next(iter(self._candidates))]

    def work(self, event: Literal["busy", "output"]) -> None:
        """Process an update that shows that the agent is working on this prompt or other work."""
        self._without_echo.take(event)

    def idle(self, report: Any) -> None:
        """Process a report that the agent became idle."""
        if self._latest is not None:
            self._latest.take("idle", report)
            self._latest = None
        self._without_echo.take("idle", report)
        self._take("idle", report)

    def close(self) -> None:
        """Handle the client closing the session."""
        if self._latest is not None:
            self._latest.take("closed")
        self._take("closed")

    def _take(self, event: Event, report: Any = None) -> None:
        self._course.take(event, report)
        if self._course.phase == "over":
            self.finish(self._course.end)

    def finish_without_echo(self, *, echoes: bool | None, report: Any = None) -> None:
        """End the turn if previous reports or a new idle report show that it is over."""
        course = self._without_echo
        if course.phase == "over" or (course.phase == "doubtful" and echoes is False):
            self.finish(course.end)
        elif course.phase == "accepted" and self.is_cancelled and report is not None:
            self.finish(report)  # the agent reports no work on cancelled prompts

    def finish(self, report: Any) -> None:
        """End the turn with an idle report, or with None if the session was closed."""
        if not self.is_over:
            self.is_over = True
            self.end = report


class Foreground:
    """The agent's foreground work in a session, and the turns that wait for its end.

    Attributes:
        is_busy: whether the agent reported that it is working or waiting for the user.
    """

    def __init__(self, habits: Habits) -> None:
        """Start in the idle state, like a new session."""
        self.is_busy = False
        self._habits = habits
        self._was_busy = False
        self._has_output = False  # whether output has arrived since the last idle report
        self._open: list[Progress] = []
        # The last turns that ended before their prompts were echoed, since echoes can arrive late.
        self._left: deque[Progress] = deque(maxlen=_LEFT)

    def begin(self) -> Progress:
        """Start tracking a turn when its prompt is sent."""
        progress = Progress(is_busy=self.is_busy)
        self._open.append(progress)
        return progress

    def accept(self, progress: Progress, message_id: str | None) -> None:
        """Process the response to a prompt."""
        progress.accept(message_id)
        self._learn(is_echo=progress.is_echoed)

    def leave(self, progress: Progress) -> None:
        """Stop tracking a turn that is over or was abandoned."""
        if progress in self._open:
            self._open.remove(progress)
            if not progress.is_echoed:
                self._left.append(progress)

    def insert(self, message_id: str) -> None:
        """Process a user message or a chunk of it."""
        followed = [*self._open, *self._left]
        for progress in followed:
            progress.insert(message_id)
        self._learn(is_echo=any(progress.is_echoed for progress in followed))

    def work(self, event: Literal["busy", "output"]) -> None:
        """Process a busy report or a chunk of the agent's output."""
        if event == "busy":
            self.is_busy = self._was_busy = True
        else:
            self._has_output = True
        for progress in self._open:
            progress.work(event)

    def idle(self, report: Any, stop_reason: str | None) -> None:
        """Process a report that the agent is idle. End the turns that are over."""
        # A repeated idle report doesn't end a turn, even if it repeats the last stop reason. If an
        # agent never reports that it is busy, a stop reason marks the end of its work.
        has_worked = self.is_busy or self._has_output
        is_repeated = not has_worked and (self._was_busy or not stop_reason)
        self.is_busy = self._has_output = False
        for progress in self._open:
            if progress.is_cancelled and stop_reason == CANCELLED:
                progress.finish(report)
            elif not is_repeated:
                progress.idle(report)
        self._learn(report=None if is_repeated else report)

    def cancel(self) -> None:
        """Handle the client cancelling the session, including all of its turns."""
        for progress in self._open:
            progress.is_cancelled = True

    def close(self) -> None:
        """Handle the client closing the session."""
        for progress in self._open:
            progress.close()

    def _learn(self, *, is_echo: bool = False, report: Any = None) -> None:
        """Record whether the agent echoes prompts, and end turns that are over without an echo."""
        if is_echo:
            self._habits.echoes = True
        # If an echoed message might belong to a pending prompt, it is too early to decide.
        if self._habits.echoes or any(progress.may_be_echoed for progress in self._open):
            return
        for progress in self._open:
            if not progress.is_over:
                progress.finish_without_echo(echoes=self._habits.echoes, report=report)
                if progress.is_over and not progress.is_echoed:
                    self._habits.echoes = False
