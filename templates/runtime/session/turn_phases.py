"""The phases of a turn that a response accepts and an update ends, as in protocol 2.

What ends such a turn is the agent's report that it is idle. That report names no prompt, and it may
arrive before the response: `next_phase` tells which one belongs to the prompt, from the order in
which messages arrive, and from nothing else.

Only the response tells which message of the user is that of the prompt. Until then, the turn has a
course for each message that it may be; `Courses` has them all, and the response picks one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

Phase: TypeAlias = Literal[
    "sent",  # no response yet; nothing of the prompt was seen
    "earlier",  # no response yet; the agent is busy with something else
    "begun",  # no response yet; the agent works, perhaps on this prompt
    "inserted",  # no response yet; the message is in the conversation
    "stopped",  # no response yet; the agent is idle again, perhaps after this prompt
    "finished",  # no response yet; the agent is idle again after the message was inserted
    "closed",  # no response yet; the session was closed
    "accepted",  # the agent has responded, but shows no work
    "working",  # the agent has responded and works
    "over",
]
Event: TypeAlias = Literal[
    "response",  # the prompt is accepted
    "inserted",  # the message of the prompt is inserted into the conversation
    "other",  # another message of the user is inserted
    "busy",  # the agent reports that it runs, or that it needs the user
    "output",  # a part of the agent's message or thought
    "idle",  # the agent reports that it is idle
    "closed",  # this side closes the session
]

# The next phase; where an event is not listed, the phase stays.
TRANSITIONS: Mapping[Phase, Mapping[Event, Phase]] = {
    "sent": {
        "response": "accepted",
        "inserted": "inserted",
        "other": "earlier",
        "busy": "begun",
        "output": "begun",
        "closed": "closed",
    },
    "earlier": {
        "response": "working",
        "inserted": "inserted",
        "idle": "sent",
        "closed": "closed",
    },
    "begun": {
        "response": "working",
        "inserted": "inserted",
        "other": "earlier",
        "idle": "stopped",
        "closed": "closed",
    },
    "inserted": {
        "response": "working",
        "idle": "finished",
        "closed": "closed",
    },
    # A message that is inserted now shows that the work before was on something else.
    "stopped": {"response": "over", "inserted": "inserted"},
    "finished": {"response": "over"},
    "closed": {"response": "over"},
    # A report of being idle, not listed here, is about earlier work: the agent shows no other yet.
    "accepted": {
        "inserted": "working",
        "busy": "working",
        "output": "working",
        "closed": "over",
    },
    "working": {"idle": "over", "closed": "over"},
    "over": {},
}


def next_phase(phase: Phase, event: Event) -> Phase:
    """Return the phase that follows when an event arrives."""
    return TRANSITIONS[phase].get(event, phase)


def may_end(phase: Phase, event: Event) -> bool:
    """Return whether an event may be the report that ends the turn."""
    return event == "idle" and TRANSITIONS[phase].get(event) in ("stopped", "finished", "over")


class Course:
    """The course of a turn, for one message as that of the prompt.

    Attributes:
        phase: its phase.
        end: the report that ends it; before the response, the report that may turn out to end it.
    """

    def __init__(self, phase: Phase) -> None:
        self.phase: Phase = phase
        self.end: Any = None

    def take(self, event: Event, report: Any = None) -> None:
        """Take note of an event.

        Args:
            event: the event.
            report: the update that it is.
        """
        if may_end(self.phase, event):
            self.end = report
        self.phase = next_phase(self.phase, event)
        if self.phase == "inserted":
            self.end = None  # the agent was idle before the message, not after it


# How many messages are remembered that may be that of the prompt.
_MESSAGES: Final = 1_000


class Courses:
    """The courses that a turn may have taken before its response, one for each inserted message.

    Messages between which no report comes have the same course, so an event takes the same time
    however many there are. Of too many messages, the oldest is forgotten.
    """

    def __init__(self, phase: Phase) -> None:
        """Start with no message inserted."""
        self._other = Course(phase)  # of a message that was not inserted so far
        self._latest: Course | None = None  # of the messages inserted since the last report
        self._first: Course | None = None
        self._by_message: dict[str, Course] = {}

    def insert(self, message_id: str) -> None:
        """Take note that a message of the user was inserted, or a part of it."""
        if message_id not in self._by_message:
            if self._latest is None:
                self._latest = Course(self._other.phase)
                self._latest.take("inserted")
                self._first = self._first or self._latest
            self._by_message[message_id] = self._latest
            if len(self._by_message) > _MESSAGES:
                del self._by_message[next(iter(self._by_message))]
        self._other.take("other")

    def take(self, event: Event, report: Any = None) -> None:
        """Take note of any other event but the response; see `Course`."""
        self._other.take(event, report)
        if self._latest is not None:
            self._latest.take(event, report)
            if self._latest.phase != "inserted":
                self._latest = None

    def answer(self, message_id: str | None) -> Course:
        """Return the course of the turn, now that the prompt has its response.

        Args:
            message_id: the id of its message; without one, it is the first that was inserted.
        """
        named = self._first if message_id is None else self._by_message.get(message_id)
        course = named or self._other
        course.take("response")
        return course


class Progress:
    """How far one turn has come: in all its courses until the response, in one of them after it.

    Attributes:
        message_id: the id of the message of the prompt; None before the response, and without one.
    """

    def __init__(self, *, is_busy: bool) -> None:
        """Start as the prompt is sent.

        Args:
            is_busy: whether the agent works on something else.
        """
        self.message_id: str | None = None
        self._courses = Courses("earlier" if is_busy else "sent")
        self._course: Course | None = None

    @property
    def is_accepted(self) -> bool:
        """Whether the prompt has its response."""
        return self._course is not None

    @property
    def is_over(self) -> bool:
        """Whether the turn is over."""
        return self._course is not None and self._course.phase == "over"

    @property
    def end(self) -> Any:
        """The report that has ended the turn; None if it was closed, and before its end."""
        return self._course.end if self._course is not None and self.is_over else None

    def accept(self, message_id: str | None) -> None:
        """Take note of the response.

        Args:
            message_id: the id of the prompt's message; None if the response names none.
        """
        self.message_id = message_id
        self._course = self._courses.answer(message_id)

    def insert(self, message_id: str) -> None:
        """Take note that a message of the user was inserted, or a part of it."""
        if self._course is None:
            self._courses.insert(message_id)
        else:
            is_own = self.message_id is None or message_id == self.message_id
            self._course.take("inserted" if is_own else "other")

    def take(self, event: Event, report: Any = None) -> None:
        """Take note of any other event; see `Course`."""
        (self._courses if self._course is None else self._course).take(event, report)
