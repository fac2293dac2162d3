"""The entries of a conversation: one for each message, and for each line without one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from acpwire.recording.reading import Direction
from acpwire.surfaces import OTHER, Side

EntryKind: TypeAlias = Literal[
    "request", "notification", "response", "invalid", "unreadable", "event"
]
# The sender: a side, or the direction in a log if the side that kept it is unknown.
Sender: TypeAlias = "Side | Direction | None"

OPPOSITE: dict[Sender, Sender] = {
    "client": "agent",
    "agent": "client",
    "sent": "received",
    "received": "sent",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of a message: one line of text, a pointer, and the id of a requirement."""

    pointer: str
    message: str
    requirement: str = "message-shape"


@dataclass(slots=True, eq=False)
class Entry:
    """A message of the conversation, or a line without one."""

    line: int  # from 1
    kind: EntryKind
    time: float | None = None  # in seconds since the epoch
    direction: Direction | None = None  # in a log; None without one
    sender: Side | None = None
    bridge: Side | None = None  # the side that a bridge replaced as sender or receiver
    version: int | None = None  # the protocol version that is spoken or requested
    method: str | None = None  # also of the request that it answers
    id: str | int | float | None = None
    request: Entry | None = None  # that it answers
    surface: str | None = None  # that it was checked against
    session: str | None = None  # that it is about
    # Its params, result or error; the beginning of an unreadable line; the content of an event.
    value: Any = None
    is_error: bool = False
    problems: list[Finding] = field(default_factory=list[Finding])
    judged: set[str] = field(default_factory=set[str])  # ids of requirements
    notes: list[str] = field(default_factory=list[str])  # unusual but valid details

    def judge(self, requirement: str, ok: bool, pointer: str, text: str) -> None:
        """Record whether the message meets a requirement, or the violation and its location."""
        self.judged.add(requirement)
        if not ok:
            self.problems.append(Finding(pointer, text, requirement))

    @property
    def receiver(self) -> Side | None:
        """The side that receives the message."""
        return OTHER[self.sender] if self.sender else None

    def name(self, side: Side | None) -> str | None:
        """Return the name of a side, or of the bridge that replaced it."""
        return "bridge" if side is not None and side == self.bridge else side

    @property
    def seconds(self) -> float | None:
        """For a response, the time since its request."""
        if self.request is None or self.request.time is None or self.time is None:
            return None
        return max(0.0, self.time - self.request.time)  # clocks can be set back

    @property
    def origin(self) -> Sender:
        """The sender, or the direction if it is unknown."""
        return self.sender or self.direction

    def __str__(self) -> str:
        return f"{self.method} in line {self.line}"
