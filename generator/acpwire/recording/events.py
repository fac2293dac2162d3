"""The events in a recording. Each event is a line of JSON with `time` and `event`.

started     the first line of a recording; `command` is the command that starts the agent, and
            directions are as seen from `side`
continued   the recording continues here because `file` is full; the next `repeated` lines are
            copies of earlier lines that are needed to understand this file on its own
skipped     traffic before this line was not recorded; `direction`, `bytes` and `lines` describe
            it, as far as they are known
unchecked   the last `messages` messages before this line were recorded but not checked
problem     a problem in a message, with `line`, `pointer`, `text` and `requirement`
ended       the last line of a recording; `exit` is the agent's exit code, null if it is unknown,
            or `signal` is the signal that terminated the agent
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
        return f"the recording begins: {' '.join(words)}"
    if event == CONTINUED:
        return f"the recording continues after {about.get('file')}"
    if event == SKIPPED:
        size, lines, direction = map(about.get, ("bytes", "lines", "direction"))
        where = f" that were {direction}" if direction else ""
        return f"{size} bytes{f' ({lines} lines)' if lines else ''}{where} were not recorded"
    if event == UNCHECKED:
        return f"the previous {about.get('messages')} messages were not checked when recorded"
    if event == ENDED:
        ending, code = about.get("signal"), about.get("exit")
        how = ending if ending else "reason unknown" if code is None else f"exit code {code}"
        return f"the recording ends: {how}"
    return event
