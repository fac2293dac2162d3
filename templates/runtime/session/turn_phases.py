"""The end of a turn that an update ends, as in protocol 2.

That update reports that the agent is idle. It doesn't name a prompt, so `Foreground` decides which
turns it ends, using only the order of the messages.

The schema fixes that order (`PromptResponse`, `StateUpdate`, `IdleStateUpdate`). The response means
that the message was inserted into the conversation, not that work on it began. The agent echoes the
message, before or after the response. It then works on it and reports to be idle when no
foreground work is left. So a turn ends with the first idle report after the echo of its
prompt; see `PHASES`.

Some agents never echo a prompt. Until the agent of a connection echoes one, its turns also follow
the table `PHASES_WITHOUT_ECHO`, which depends on the reported work. If the agent was doing other
work when it inserted the prompt, only the echo is conclusive, and the turn waits for it.

After a `session/cancel`, an idle report with the reason `cancelled` ends all turns of the session.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from ..values.deferred import dataclass
from .state import CANCELLED

Phase: TypeAlias = Literal[
    "sent",  # no response yet; the message was not echoed
    "echoed",  # no response yet; the message is in the conversation
    "finished",  # no response yet; the agent is idle again after the echo
    "closed",  # no response yet; the session was closed
    "accepted",  # the prompt has its response; the message was not echoed
    "working",  # the prompt has its response and its echo
    "over",
]
# The phases of a turn if the agent has not echoed any prompt yet.
PhaseWithoutEcho: TypeAlias = Literal[
    "sent",  # no response yet; the agent has not reported any work since
    "earlier",  # no response yet; the agent works on something else
    "begun",  # no response yet; the agent works, perhaps on this prompt
    "stopped",  # no response yet; the agent is idle again, perhaps after this prompt
    "accepted",  # the prompt has its response; the agent has not reported any work since
    "working",  # the prompt has its response, and the agent works
    "behind",  # the prompt has its response; the agent was doing other work then
    "doubtful",  # that work ended; over if the agent never echoes
    "over",
]
Event: TypeAlias = Literal[
    "response",  # the prompt is inserted
    "echo",  # the prompt's message arrives
    "other",  # another user message arrives
    "busy",  # the agent reports that it is working, or waiting for the user
    "output",  # a part of the agent's message or thought arrives
    "idle",  # the agent reports that it is idle
    "closed",  # the client closes the session
]
Table: TypeAlias = Mapping[str, Mapping[Event, str]]

# The next phase. An event that is not listed doesn't change the phase.
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
    # "idle" is not listed: such a report repeats the state, since the agent reported no work.
    "accepted": {"busy": "working", "output": "working"},
    "working": {"idle": "over"},
    "behind": {"idle": "doubtful"},
    "doubtful": {},
    "over": {},
}

# The possible phases after the idle report that ends the turn.
_ENDED: Final = ("stopped", "finished", "doubtful", "over")
# How many user messages are remembered until the response names one of them.
_MESSAGES: Final = 1_000
# How many turns without an echo are remembered after their end.
_LEFT: Final = 10


@dataclass(slots=True, eq=False)
class Course:
    """The course of a turn through a table of phases.

    Attributes:
        table: the table.
        phase: the current phase.
        end: the idle report that ends the turn; None before.
    """

    table: Table
    phase: str
    end: Any = None

    def take(self, event: Event, report: Any = None) -> None:
        """Process an event. The event "idle" comes with its report."""
        phase = self.table[self.phase].get(event, self.phase)
        if event == "idle" and phase != self.phase and phase in _ENDED:
            self.end = report
        self.phase = phase


@dataclass(slots=True, eq=False)
class Habits:
    """The observed behavior of a connection's agent.

    Attributes:
        echoes: whether it echoes prompts; None until a turn shows it.
    """

    echoes: bool | None = None


class Progress:
    """The progress of one turn.

    Before the response, each echoed message can be the prompt's. Messages share one course until
    the agent becomes idle, so processing an event takes constant time. If there are too many
    messages, the oldest is forgotten.

    Attributes:
        message_id: the id of the prompt's message; None before the response, and if that has none.
        is_accepted: whether the prompt has its response.
        is_echoed: whether the message was echoed. Before the response, the message is unknown.
        is_cancelled: whether the client cancelled the session after the prompt was sent.
        is_over: whether the turn is over.
        end: the idle report that ended the turn; None until then, and if the session was closed.
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
        # The courses of the messages echoed before the response, by id.
        self._candidates: dict[str, Course] = {}
        self._latest: Course | None = None  # since the last idle report

    @property
    def may_be_echoed(self) -> bool:
        """True if the response can still name a message that was already echoed."""
        return not self.is_accepted and bool(self._candidates)

    def accept(self, message_id: str | None) -> None:
        """Process the response. If it doesn't name a message, the first echoed message counts."""
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
        """Process a user message or a part of it."""
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
        """Process a sign of work on this prompt or on something else."""
        self._without_echo.take(event)

    def idle(self, report: Any) -> None:
        """Process a report that the agent became idle."""
        if self._latest is not None:
            self._latest.take("idle", report)
            self._latest = None
        self._without_echo.take("idle", report)
        self._take("idle", report)

    def close(self) -> None:
        """Process the closing of the session by the client."""
        if self._latest is not None:
            self._latest.take("closed")
        self._take("closed")

    def _take(self, event: Event, report: Any = None) -> None:
        self._course.take(event, report)
        if self._course.phase == "over":
            self.finish(self._course.end)

    def finish_without_echo(self, *, echoes: bool | None, report: Any = None) -> None:
        """End the turn if it is over according to the reported work or a new idle report."""
        course = self._without_echo
        if course.phase == "over" or (course.phase == "doubtful" and echoes is False):
            self.finish(course.end)
        elif course.phase == "accepted" and self.is_cancelled and report is not None:
            self.finish(report)  # the agent no longer reports work on a cancelled prompt

    def finish(self, report: Any) -> None:
        """End the turn with an idle report, or with None if the session was closed."""
        if not self.is_over:
            self.is_over = True
            self.end = report


class Foreground:
    """The foreground work of the agent in one session, and the turns that wait for its end.

    Attributes:
        is_busy: whether the agent reported that it is working, or waiting for the user.
    """

    def __init__(self, habits: Habits) -> None:
        """Start idle, like a new session."""
        self.is_busy = False
        self._habits = habits
        self._was_busy = False
        self._has_output = False  # since the last idle report
        self._open: list[Progress] = []
        # The last turns that ended before their echo. The echo can still arrive.
        self._left: deque[Progress] = deque(maxlen=_LEFT)

    def begin(self) -> Progress:
        """Start to follow a turn when its prompt is sent."""
        progress = Progress(is_busy=self.is_busy)
        self._open.append(progress)
        return progress

    def accept(self, progress: Progress, message_id: str | None) -> None:
        """Process the response to a prompt."""
        progress.accept(message_id)
        self._learn(is_echo=progress.is_echoed)

    def leave(self, progress: Progress) -> None:
        """Stop following a turn: it is over, or was abandoned."""
        if progress in self._open:
            self._open.remove(progress)
            if not progress.is_echoed:
                self._left.append(progress)

    def insert(self, message_id: str) -> None:
        """Process a user message or a part of it."""
        followed = [*self._open, *self._left]
        for progress in followed:
            progress.insert(message_id)
        self._learn(is_echo=any(progress.is_echoed for progress in followed))

    def work(self, event: Literal["busy", "output"]) -> None:
        """Process a report that the agent is busy, or a part of its output."""
        if event == "busy":
            self.is_busy = self._was_busy = True
        else:
            self._has_output = True
        for progress in self._open:
            progress.work(event)

    def idle(self, report: Any, stop_reason: str | None) -> None:
        """Process a report that the agent is idle, and end the turns that it ends."""
        # A repeated report doesn't end a turn, even if it repeats the last stop reason. Some agents
        # never report that they are busy; then, a stop reason marks the end of work.
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
        """Process the cancellation of the session and all its turns by the client."""
        for progress in self._open:
            progress.is_cancelled = True

    def close(self) -> None:
        """Process the closing of the session by the client."""
        for progress in self._open:
            progress.close()

    def _learn(self, *, is_echo: bool = False, report: Any = None) -> None:
        """Learn whether the agent echoes prompts, and end the turns that end without an echo."""
        if is_echo:
            self._habits.echoes = True
        # If a message can be the echo of another prompt, it is too early to decide.
        if self._habits.echoes or any(progress.may_be_echoed for progress in self._open):
            return
        for progress in self._open:
            if not progress.is_over:
                progress.finish_without_echo(echoes=self._habits.echoes, report=report)
                if progress.is_over and not progress.is_echoed:
                    self._habits.echoes = False
