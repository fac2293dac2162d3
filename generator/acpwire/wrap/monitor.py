"""The process that records and checks the messages that `acpgen wrap` forwards.

    python -m acpwire.wrap.monitor OPTIONS

OPTIONS is a JSON object. The monitor reads frames from standard input (see `copies`), writes the
recording, and prints a line on standard error for each protocol violation. If the monitor falls
behind, it stops checking, continues recording, and then reports the number of unchecked messages.
The monitor also stops checking one second after the agent's exit so that the recording is completed
soon.
"""

from __future__ import annotations

import json
import re
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from acp_bindings.runtime.jsonrpc.method import INITIALIZE
from acp_bindings.runtime.jsonrpc.receiving import Lines, LineTooLong
from acpgen.common.display import printable
from acpgen.common.pointers import located

from acpwire.recording import events
from acpwire.recording.reading import Direction, Line, line_of
from acpwire.recording.writing import Recording
from acpwire.rules.checker import Checker
from acpwire.rules.entry import Entry, Finding
from acpwire.wrap.copies import ENDED, SKIPPED, Frame, confirm, read_frames, warn

# The maximum length of a line that is recorded and checked completely, in bytes.
_LONGEST = 1 << 25
# Checks are suspended when more than `_BUSY` bytes are waiting to be processed, and resume when at
# most `_CAUGHT_UP` bytes are waiting.
_BUSY, _CAUGHT_UP = 1 << 24, 1 << 17
# Messages are still checked for this many seconds after the last frame is read.
_CHECKED = 1.0
# The maximum number of printed problems of each kind, and the maximum number of kinds.
_TELLINGS, _KINDS = 3, 50
_NUMBERS = re.compile(r"\d+")


class Monitor:
    """A monitor that records and checks the messages between a client and an agent."""

    def __init__(
        self, recording: Recording | None, longest: int, report: Callable[[str], object]
    ) -> None:
        """Prepare the monitor before the first byte is forwarded.

        Args:
            recording: the recording to write, if any.
            longest: the maximum length of a line that is checked completely, in bytes.
            report: called with each line to print.
        """
        self._recording = recording
        self._checker = Checker(None, {False: "client"}, begins=True, is_single=True)
        self._lines: dict[Direction, Lines] = {"sent": Lines(longest), "received": Lines(longest)}
        self._longest = longest
        self._report = report
        self._is_cut: dict[Direction, bool] = {"sent": False, "received": False}
        self._count = 0
        self._seen = time.time()  # when the last bytes were forwarded
        self._introduction: tuple[Direction, Any] | None = (
            None  # the caller of `initialize` and the request's id
        )
        self._unchecked = 0  # the number of messages not checked since the monitor fell behind
        self._is_behind = False
        self._told: Counter[str] = Counter()

    def take(self, frame: Frame, backlog: int = 0, *, hurries: bool = False) -> None:
        """Process a frame.

        Args:
            frame: the next frame.
            backlog: the number of bytes in frames that are waiting to be processed.
            hurries: whether the recording must be finished soon, without checks if necessary.
        """
        self._seen = frame.time
        direction, data = frame.direction, frame.data
        if frame.kind == ENDED:
            self._finish(data)
            return
        if frame.kind == SKIPPED:
            self._skip(direction, *data)
            return
        self._is_behind = backlog > (_CAUGHT_UP if self._is_behind or hurries else _BUSY)
        if self._is_cut[direction]:  # skip the rest of a line if its beginning was dropped
            _, end, data = data.partition(b"\n")
            self._is_cut[direction] = not end
        for line in self._lines[direction].feed(data):
            self._take_line(direction, line)

    def _skip(self, direction: Direction, size: int, lines: int) -> None:
        begun = self._lines[direction].rest()
        size += len(begun) if isinstance(begun, bytes) else self._longest
        self._is_cut[direction] = True
        self._record(events.SKIPPED, direction=direction, bytes=size, lines=lines)
        self._checker.doubt()
        missing = f"{lines} lines ({size} bytes) {direction}"
        warn(f"too many messages in a short time; {missing} were not recorded or checked")

    def _finish(self, about: dict[str, Any]) -> None:
        for direction, lines in self._lines.items():
            self._take_line(direction, lines.rest())
        self._catch_up()
        untold = sum(self._told.values()) - sum(min(n, _TELLINGS) for n in self._told.values())
        if untold:
            self._report(f"{untold} more problems like these")
        self._record(events.ENDED, **about)
        if self._recording is not None:
            self._recording.close()

    def _take_line(self, direction: Direction, content: bytes | LineTooLong) -> None:
        size = None
        if isinstance(content, LineTooLong):
            content, size = content.ends, self._longest
        if not content.strip():
            return
        line = line_of(0, content, self._seen, direction, size=size)
        self._count += 1
        if self._recording is not None:
            repeats = self._is_introduction(line)
            self._recording.message(line, content, repeats=repeats)
            self._count = self._recording.lines
        if self._is_behind:
            self._unchecked += 1
            return
        self._catch_up()
        for entry in self._checker.read(replace(line, number=self._count)):
            for problem in entry.problems:
                self._tell(entry, problem)
            entry.value = None  # to save memory while the checker keeps pending requests

    def _is_introduction(self, line: Line) -> bool:
        """Return whether a line is the `initialize` request or its response."""
        message, direction = line.message, line.direction
        if type(message) is not dict or direction is None:
            return False
        if message.get("method") == INITIALIZE and "id" in message:
            assert self._recording is not None
            self._recording.begin_connection()
            self._introduction = direction, message["id"]
            return True
        if "method" in message or self._introduction is None:
            return False
        caller, id_ = self._introduction
        return direction != caller and message.get("id") == id_

    def _catch_up(self) -> None:
        if self._unchecked:
            self._report(f"too many messages in a short time; {self._unchecked} were not checked")
            self._record(events.UNCHECKED, messages=self._unchecked)
            self._checker.doubt()
            self._unchecked = 0

    def _tell(self, entry: Entry, problem: Finding) -> None:
        about = {"line": entry.line, "pointer": problem.pointer, "text": problem.message}
        self._record(events.PROBLEM, **about, requirement=problem.requirement)
        pointer = _NUMBERS.sub("", problem.pointer)
        kind = f"{entry.kind} {entry.method} {problem.requirement} {pointer}"
        if len(self._told) >= _KINDS and kind not in self._told:
            kind = ""  # all further kinds are counted together
        self._told[kind] += 1
        if self._told[kind] > _TELLINGS:
            return
        what = f"{problem.requirement}: {entry.sender} → {entry.receiver}"
        who = f"{what} {entry.method or entry.kind}"
        more = "; similar problems are only counted" if self._told[kind] == _TELLINGS else ""
        place = located(str(entry.line), problem.pointer)
        text = f"problem at {place}: {problem.message} ({who}){more}"
        self._report(printable(text))

    def _record(self, event: str, **about: Any) -> None:
        if self._recording is not None:
            self._recording.event(event, time=self._seen, **about)


class _Frames:
    """The frames from standard input. A thread reads the frames as they arrive."""

    def __init__(self) -> None:
        self._read_bytes, self._taken_bytes = 0, 0  # each attribute is changed by only one thread
        self._frames: SimpleQueue[Frame] = SimpleQueue()
        self._over: float | None = None  # when the last frame was read
        # By default, the reading thread would wait too long while messages are being checked.
        sys.setswitchinterval(0.0005)
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def backlog(self) -> int:
        """The number of bytes waiting to be processed."""
        return self._read_bytes - self._taken_bytes

    @property
    def hurries(self) -> bool:
        """True if the recording must be finished soon, without checks if necessary."""
        return self._over is not None and time.monotonic() > self._over + _CHECKED

    def __iter__(self) -> Iterator[Frame]:
        while True:
            frame = self._frames.get()
            self._taken_bytes += frame.counts[0]
            yield frame
            if frame.kind == ENDED:
                return

    def _read(self) -> None:
        last = None
        for last in read_frames():
            self._read_bytes += last.counts[0]
            self._frames.put(last)
            if last.kind == ENDED:  # Python aborts at exit if a thread is still reading
                break
        self._over = time.monotonic()
        if last is None or last.kind != ENDED:  # the forwarding process was killed
            self._frames.put(Frame(ENDED, "received", time.time(), {"exit": None}))


def main(options: dict[str, Any]) -> None:
    """Record and check all frames."""
    frames = _Frames()
    recording = None
    if options["log"] is not None:
        path, size = Path(options["log"]), options["max_size"]
        recording = Recording(path, size, options["keep"], warn)
        started = {name: options[name] for name in ("time", "command")}
        recording.event(events.STARTED, **started, side="client")
    longest = min(_LONGEST, options["max_size"])
    report = (lambda text: None) if options["quiet"] else warn
    monitor = Monitor(recording, longest, report)
    for frame in frames:
        monitor.take(frame, frames.backlog, hurries=frames.hurries)
        confirm()


if __name__ == "__main__":
    if sys.platform == "win32":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    main(json.loads(sys.argv[1]))
