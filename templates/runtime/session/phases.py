"""The phases of a turn that a response accepts and an update ends, as in protocol 2.

What ends such a turn is the agent's report that it is idle. That report names no prompt, and it may
arrive before the response: `next_phase` tells which one belongs to the prompt, from the order in
which messages arrive, and from nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

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
