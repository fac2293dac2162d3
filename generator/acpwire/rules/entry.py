"""The entries of a recording: one for each message, and one for each line without a message."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from acpwire.recording.reading import Direction
from acpwire.surfaces import OTHER, Side

EntryKind: TypeAlias = Literal[
    "request", "notification", "response", "invalid", "unreadable", "event"
]
# A message's sender, or its direction if the recording side is unknown.
Sender: TypeAlias = "Side | Direction | None"

OPPOSITE: dict[Sender, Sender] = {
    "client": "agent",
    "agent": "client",
    "sent": "received",
    "received": "sent",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem in a message: a JSON pointer, a line of text, and the violated requirement's id."""

    pointer: str
    message: str
    requirement: str = "message-shape"


@dataclass(slots=True, eq=False)
class Entry:
    """A message in a recording, or a line that contains no message."""

    line: int  # the line number, starting from 1
    kind: EntryKind
    time: float | None = None  # in seconds since the epoch
    direction: Direction | None = None  # None if the recording doesn't contain directions
    sender: Side | None = None
    bridge: Side | None = None  # the side that a bridge acts as: the sender or the receiver
    version: int | None = None  # the negotiated or requested protocol version
    method: str | None = None  # for a response, the method of its request
    id: str | int | float | None = None
    request: Entry | None = None  # for a response, its request
    surface: str | None = None  # the surface that the message was checked against
    session: str | None = None  # the id of the message's session
    # The params, result or error of a message, the beginning of an unreadable line, or the
    # description of an event.
    value: Any = None
    is_error: bool = False
    problems: list[Finding] = field(default_factory=list[Finding])
    judged: set[str] = field(default_factory=set[str])  # the ids of the checked requirements
    notes: list[str] = field(default_factory=list[str])  # remarks on unusual but valid messages

    def judge(self, requirement: str, ok: bool, pointer: str, text: str) -> None:
        """Record that a requirement was checked and, unless `ok`, that it was violated.

        Args:
            requirement: the id of the requirement.
            ok: whether the message meets the requirement.
            pointer: the location of the violation in the message, as a JSON pointer.
            text: a description of the violation.
        """
        self.judged.add(requirement)
        if not ok:
            self.problems.append(Finding(pointer, text, requirement))

    @property
    def receiver(self) -> Side | None:
        """The side that receives the message."""
        return OTHER[self.sender] if self.sender else None

    def name(self, side: Side | None) -> str | None:
        """Return the name of a side, or "bridge" if a bridge acts as this side."""
        return "bridge" if side is not None and side == self.bridge else side

    @property
    def seconds(self) -> float | None:
        """The time between the request and this response, in seconds, or None if it is unknown."""
        if self.request is None or self.request.time is None or self.time is None:
            return None
        return max(0.0, self.time - self.request.time)  # the clock might have been set back

    @property
    def origin(self) -> Sender:
        """The sender, or the direction if the sender is unknown."""
        return self.sender or self.direction

    def __str__(self) -> str:
        return f"{self.method} on line {self.line}"
