"""The events in a recording, between the messages: each a line of JSON with `time` and `event`.

started     the first line of a conversation; `command` is the agent's, `side` the
            side in whose place the recorder stands
continued   the recording continues here after `file`, which was full; as many lines as
            `repeated` says follow once more, so that this file can be understood alone
skipped     traffic before this line is not in the recording; `direction`, `bytes` and `lines`,
            as far as they are known
unchecked   the messages before this line were recorded, but not checked: `messages` is their number
problem     a problem found in a message: `line`, `pointer`, `text`
ended       the conversation ended; `exit` is the exit code of the agent, or `signal` its signal
"""

from __future__ import annotations

from typing import Any, Final

STARTED: Final = "started"
CONTINUED: Final = "continued"
SKIPPED: Final = "skipped"
UNCHECKED: Final = "unchecked"
PROBLEM: Final = "problem"
ENDED: Final = "ended"


def describe(event: str, about: dict[str, Any]) -> str:
    """Describe an event in one line."""
    if event == STARTED:
        command = about.get("command")
        words = map(str, command) if type(command) is list else []
        return f"the conversation starts: {' '.join(words)}"
    if event == CONTINUED:
        return f"the recording continues after {about.get('file')}"
    if event == SKIPPED:
        size, lines, direction = map(about.get, ("bytes", "lines", "direction"))
        where = f" that were {direction}" if direction else ""
        return f"{size} bytes{f' ({lines} lines)' if lines else ''}{where} are missing here"
    if event == UNCHECKED:
        return f"the {about.get('messages')} messages before were not checked as they passed"
    if event == ENDED:
        ending, code = about.get("signal"), about.get("exit")
        how = ending if ending else "reason unknown" if code is None else f"exit code {code}"
        return f"the conversation ended: {how}"
    return event
