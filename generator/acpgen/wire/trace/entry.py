"""The entries of a conversation: one for each message, and for each line that holds none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from acpgen.wire.recording.reading import Direction
from acpgen.wire.trace.envelope import EntryKind, Finding
from acpgen.wire.trace.surfaces import Side, other

# Who sends: a side, or the direction in a log if it is not known which side kept it.
Sender: TypeAlias = "Side | Direction | None"

OPPOSITE: dict[Sender, Sender] = {
    "client": "agent",
    "agent": "client",
    "sent": "received",
    "received": "sent",
}


@dataclass(slots=True, eq=False)
class Entry:
    """A message of the conversation, or a line that holds none.

    Attributes:
        line: the number of its line, from 1.
        kind: what it is.
        time: when it was seen, in seconds since the epoch; None if nothing says so.
        direction: which way it went in a log; None if it was bare.
        sender: who sent it; None if it cannot be known.
        bridge: the side in whose place a bridge sent or received it; None if there is none.
        version: the protocol version that is spoken, or asked for; None if it is not known.
        method: what it calls, or what the request called that it answers.
        id: the id of the request.
        request: for a response, what it answers.
        surface: the surface that it was checked against.
        session: the session that it is about, as it or its request names it.
        value: its params, result or error; of an unreadable line, its beginning; of an event, what
            has happened.
        is_error: whether it is a response with an error.
        problems: what is wrong with it.
        judged: the ids of the requirements that it was checked for.
        notes: what a person may want to know although it is not wrong.
    """

    line: int
    kind: EntryKind
    time: float | None = None
    direction: Direction | None = None
    sender: Side | None = None
    bridge: Side | None = None
    version: int | None = None
    method: str | None = None
    id: str | int | float | None = None
    request: Entry | None = None
    surface: str | None = None
    session: str | None = None
    value: Any = None
    is_error: bool = False
    problems: list[Finding] = field(default_factory=list[Finding])
    judged: set[str] = field(default_factory=set[str])
    notes: list[str] = field(default_factory=list[str])

    def judge(self, requirement: str, ok: bool, pointer: str, text: str) -> None:
        """Record whether the message meets a requirement, and which part violates it how."""
        self.judged.add(requirement)
        if not ok:
            self.problems.append(Finding(pointer, text, requirement))

    @property
    def receiver(self) -> Side | None:
        """The side that it was sent to."""
        return other(self.sender) if self.sender else None

    def name(self, side: Side | None) -> str | None:
        """What stood in the place of a side, as far as it is known: itself, or a bridge."""
        return "bridge" if side is not None and side == self.bridge else side

    @property
    def seconds(self) -> float | None:
        """For a response, the time since its request."""
        if self.request is None or self.request.time is None or self.time is None:
            return None
        return max(0.0, self.time - self.request.time)  # clocks can be set back

    @property
    def origin(self) -> Sender:
        """The sender as far as it is known; if it is not, the direction tells something."""
        return self.sender or self.direction

    def __str__(self) -> str:
        return f"{self.method} in line {self.line}"
