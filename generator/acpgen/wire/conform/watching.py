"""Look at each message that a program sends, in the light of those before it."""

from __future__ import annotations

from acpgen.wire.conform.conversation import Conversation
from acpgen.wire.conform.wire import Line
from acpgen.wire.recording import reading
from acpgen.wire.trace.conversation import Checker
from acpgen.wire.trace.entry import Entry
from acpgen.wire.trace.surfaces import Side, other

_WHOLE = "a JSON object in UTF-8, and then a line break"


class Watcher:
    """Judges the messages of one conversation, as they come, by the rules of `acpgen trace`."""

    def __init__(self, talk: Conversation, sender: Side) -> None:
        """Start to watch.

        Args:
            talk: the conversation, which hears of each message afterwards.
            sender: the side of the program.
        """
        self._talk = talk
        self._checker = Checker(None, {False: other(sender)}, begins=True, is_single=True)
        talk.stream = self._checker.stream

    def see(self, line: Line) -> None:
        """Follow a line; judge it if the program printed it."""
        read = reading.Line(
            len(self._talk.wire.lines),
            line.message,
            line.time,
            "sent" if line.sent else "received",
            line.problem,
        )
        entries = self._checker.read(read)
        if line.sent:
            return
        for entry in entries:
            self._judge(entry, line)
        for entry, message in zip(entries, read.messages, strict=False):  # a batch may be empty
            broken = {problem.requirement for problem in entry.problems}
            if broken.isdisjoint({"json-lines", "message-shape"}):
                self._talk.hear(message)

    def _judge(self, entry: Entry, line: Line) -> None:
        for name in entry.judged:
            self._talk.note(name)
        for problem in entry.problems:
            where = f"at {problem.pointer}: " if problem.pointer else ""
            is_line = problem.requirement == "json-lines"
            expected = _WHOLE if is_line else f"a message without this: {where}{problem.message}"
            self._talk.judge(problem.requirement, False, expected, line)
