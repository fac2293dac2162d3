"""The tool calls that the agent is working on.

An agent might never finish a tool call, so the status alone doesn't show whether it is running.
Rules:

1. An unfinished call is running if it is background work or has been reported since the current
   work began.
2. In protocol 1, the current work is the oldest open turn. In protocol 2, the work lasts until
   the agent reports that it is idle.
3. Subscribers of the state are notified when an unfinished call stops running.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from .state import CANCELLED, State

# The final statuses of tool calls.
FINISHED: Final = frozenset({"completed", "failed", CANCELLED})


def activity_of(state: State[Any, Any, Any]) -> object:
    """Return the last update that reported whether the agent is busy, if any."""
    return getattr(state, "state", None)


def background_of(state: State[Any, Any, Any]) -> set[str]:
    """Return the ids of the tool calls that the agent reported as background work."""
    # Background work is not necessarily a tool call.
    listed = getattr(activity_of(state), "background", None) or ()
    return {item.tool_call_id for item in listed if hasattr(item, "tool_call_id")}


class RunningCalls:
    """The tool calls that the agent is working on in a client session."""

    def __init__(
        self, state: State[Any, Any, Any], turns: Sequence[object], idle: tuple[type, ...]
    ) -> None:
        self._state = state
        self._turns = turns
        self._idle = idle
        self._activity: object = None  # the activity after the last update
        self._foreground: set[str] = set()
        self._background: set[str] = set()

    def __contains__(self, tool_call_id: object) -> bool:
        is_worked_on = tool_call_id in self._foreground or tool_call_id in self._background
        return is_worked_on and self._is_unfinished(tool_call_id)

    def take(self, update: object) -> None:
        """Process an update that was applied to the state."""
        activity = activity_of(self._state)
        if activity is not self._activity:
            self._activity = activity
            is_idle = isinstance(activity, self._idle)
            self._set(() if is_idle else self._foreground, background_of(self._state))
        elif (self._turns or self._is_busy()) and isinstance(
            tool_call_id := getattr(update, "tool_call_id", None), str
        ):
            self._foreground.add(tool_call_id)
            if len(self._foreground) > len(self._calls()):  # possible if `keep_state` is false
                self._foreground.intersection_update(self._calls())

    def begin(self) -> None:
        """Determine the running calls from the replayed state."""
        self._activity = activity_of(self._state)
        self._set(self._calls() if self._is_busy() else (), background_of(self._state))

    def end_turn(self) -> None:
        """Process the end of the oldest open turn."""
        if self._activity is None:  # in protocol 2, an update ends the work
            self._set((), set())

    def end(self) -> None:
        """Stop tracking all calls because the session or the connection was closed."""
        self._set((), set())

    def _set(self, foreground: Collection[str], background: set[str]) -> None:
        before = self._foreground | self._background
        self._foreground, self._background = set(foreground), background
        for tool_call_id in sorted(before - self._foreground - background) if before else ():
            if self._is_unfinished(tool_call_id):
                call = self._calls()[tool_call_id]
                self._state.tell("changed", "tool_calls", tool_call_id, call)

    def _is_busy(self) -> bool:
        activity = activity_of(self._state)
        return activity is not None and not isinstance(activity, self._idle)

    def _is_unfinished(self, tool_call_id: Any) -> bool:
        call = self._calls().get(tool_call_id)
        return call is not None and call.status not in FINISHED

    def _calls(self) -> dict[str, Any]:
        calls: dict[str, Any] = getattr(self._state, "tool_calls", {})
        return calls
