"""Checks for the updates in one session and for the turns and tool calls that they belong to.

The rule by which an update changes the session state also determines which message, tool call or
state the update concerns.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from acp_bindings.runtime.session.reducers import Append, Patch, Upsert
from acp_bindings.runtime.session.turn_phases import Foreground, Habits, Progress

from acpwire.json_values import quote
from acpwire.rules.entry import Entry
from acpwire.rules.offers import Offers
from acpwire.surfaces import facts_of

# The maximum number of remembered messages and tool calls in a session.
_MOST = 10_000
# The maximum number of unfinished turns. The number is limited because each message is compared
# with every unfinished turn.
_OPEN = 1_000
_USER = "user"
_CALL = "toolCallId"
_STATE = "state"
_IDLE, _BLOCKED = "idle", "requires_action"
_CANCELLED = "cancelled"
_RUNS = ("in_progress", "completed")
_OVER = ("completed", "failed", "cancelled")


class Stream:
    """The updates of a session."""

    def __init__(self, habits: Habits, offers: Offers, *, has_past: bool) -> None:
        self.has_past = has_past  # whether earlier updates might not be recorded
        self.offers = offers
        # The line numbers of the request that closes the session and of the response.
        self.closing: int | None = None
        self.closed: int | None = None
        # The turns that end with an update, and the line numbers of these updates, by the id of the
        # prompt request.
        self.turns: dict[Any, Progress] = {}
        self.ends: dict[Any, int] = {}
        self._foreground = Foreground(habits)
        self._announced: dict[tuple[str, Any], None] = {}
        self._statuses: dict[Any, Any] = {}  # the statuses of tool calls
        self._prompts = 0  # the number of prompts without a response
        self._open: dict[Any, Progress] = {}  # the unfinished turns in `turns`
        # A description of the end of the last turn, and the turn's stop reason.
        self._ended: tuple[str, Any] | None = None
        self._state: Any = None  # the last reported state, or None if no update reported one
        self._background: set[Any] = set()  # the tool calls that continue after a turn
        self._questions: dict[Entry, Any] = {}  # the agent's pending requests and their tool calls
        self._decided: set[Any] = set()  # the tool calls whose permission requests were decided
        self._is_replaying = self._has_snapshot = False
        self._is_noted = False

    def prompt(self, request: Entry) -> None:
        """Record a prompt."""
        self._prompts += 1
        self._ended, self._is_noted = None, False
        self._decided.clear()
        if _updates_end_turns(request.surface or ""):
            if request.id in self._open:  # the client reused the id of an unfinished turn's prompt
                self._foreground.leave(self._open.pop(request.id))
            elif len(self._open) >= _OPEN:
                self._foreground.leave(self._open.pop(next(iter(self._open))))
            self._open[request.id] = progress = self._foreground.begin()
            self._keep(self.turns, request.id, progress)

    def cancel(self) -> None:
        """Record a cancellation."""
        self._foreground.cancel()

    def answer(self, response: Entry, request: Entry) -> None:
        """Record the response to a prompt."""
        self._prompts = max(0, self._prompts - 1)
        value = response.value if type(response.value) is dict else {}
        progress = self.turns.get(request.id)
        if progress is None:
            if response.surface and not self._prompts and not response.is_error:
                self._ended = f"response on line {response.line}", value.get("stopReason")
        elif response.is_error:
            self._foreground.leave(progress)
            self._open.pop(request.id, None)
        else:
            id_ = value.get("messageId")
            self._foreground.accept(progress, id_ if type(id_) is str else None)
            self._end_turns(response)

    def close(self, response: Entry) -> None:
        """Check that all turns have ended when the session is closed."""
        if self.turns:
            ok = not any(progress.is_accepted for progress in self._open.values())
            text = "arrives before the idle report that ends the cancelled turn"
            response.judge("close-cancels", ok, "/result", text)
        self._foreground.close()

    def _end_turns(self, entry: Entry) -> None:
        for id_, progress in list(self._open.items()):
            if progress.is_over:
                self._foreground.leave(self._open.pop(id_))
                self._keep(self.ends, id_, entry.line)
                reason = getattr(progress.end, "stop_reason", None)
                if reason == _CANCELLED:
                    self._ended = f"update on line {entry.line}", reason

    def ask(self, question: Entry) -> None:
        """Record a request from the agent and the tool calls that it refers to."""
        calls = set(_named(question.value))
        for name, key in calls:
            self._keep(self._announced, (name, key), None)
        self._keep(self._questions, question, {key for name, key in calls if name == _CALL})

    def decide(self, question: Entry) -> None:
        """Record the response to a request from the agent."""
        self._decided |= self._questions.pop(question, set())

    def replay(self) -> None:
        """Record a request that loads or resumes the session."""
        self.has_past = self._is_replaying = True
        self._has_snapshot = False
        self._announced.clear()
        self._statuses.clear()
        self._ended = None

    def end_replay(self, response: Entry) -> None:
        """Check the response to a request that loads or resumes the session."""
        self._is_replaying = False
        if _updates_end_turns(response.surface or "") and not response.is_error:
            text = "arrives before the agent reported its current state"
            response.judge("resume-state", self._has_snapshot, "/result", text)

    def update(self, entry: Entry, update: Any) -> None:
        """Check a decoded update, which is already known to be valid in its surface."""
        rule = _rules(entry.surface or "").get(type(update))
        if rule is None:
            return
        place = rule.place(None, update)
        if place.where == _STATE:
            self._check_state(entry)
        elif place.role is None and isinstance(rule, (Patch, Append, Upsert)) and rule.key_path:
            self._check_entry(entry, rule, place.key)
        if not self._is_replaying:
            self._feed(entry, update)
            if place.role not in (None, _USER) or entry.value["update"].get(_CALL) is not None:
                self._check_turn(entry)

    def _feed(self, entry: Entry, update: Any) -> None:
        """Apply an update to the turns, as `ReportedSession` does."""
        if not _updates_end_turns(entry.surface or ""):
            return
        session: Any = import_module(f"acp_bindings.{entry.surface}.client_session").ClientSession
        if isinstance(update, session._outputs):
            self._foreground.work("output")
        elif isinstance(update, session._idle):
            self._foreground.idle(update, update.stop_reason or None)
        elif isinstance(update, session._busy):
            self._foreground.work("busy")
            self._ended = None
        elif isinstance(update, session._inserts):
            self._foreground.insert(update.message_id)
        self._end_turns(entry)

    def _check_state(self, entry: Entry) -> None:
        update = entry.value["update"]
        self._has_snapshot, self._is_noted = True, False
        self._state = update.get(_STATE)
        if self._decided:
            entry.judged.add("resumes-running")
        if self._state != _BLOCKED:
            self._decided.clear()
        listed = update.get("background")
        self._background = {key for name, key in _named({"": listed}) if name == _CALL}

    def _check_entry(self, entry: Entry, rule: Patch | Append | Upsert, key: Any) -> None:
        name = rule.key_path[-1][1]
        if isinstance(rule, Append) or _announces(entry.surface or "", rule.collection):
            is_known = self.has_past or isinstance(rule, Upsert) or (name, key) in self._announced
            text = f"{quote(key)} was not reported by an earlier update"
            if key is not None and not isinstance(rule, Append):
                entry.judge("reported-calls", is_known, f"/params/update/{name}", text)
            elif key is not None and not is_known:
                entry.notes.append(f"the {name} {text}")
        self._keep(self._announced, (name, key), None)
        if name == _CALL and not isinstance(rule, Append):
            self._check_status(entry, key)

    def _check_status(self, entry: Entry, call: Any) -> None:
        update = entry.value["update"]
        before, status = self._statuses.get(call), update.get("status")
        if "status" in update:
            text = f"{quote(call)} was already {before}, which is final"
            ok = self._is_replaying or before not in _OVER or status == before
            entry.judge("final-status", ok, "/params/update/status", text)
        if "status" in update or before is None:
            self._keep(self._statuses, call, status or "pending")
        if status in _RUNS and call in self._decided:
            text = "the tool runs after the decision, although the state is still requires_action"
            ok = self._state != _BLOCKED or bool(self._questions)
            entry.judge("resumes-running", ok, "/params/update/status", text)
            self._decided.discard(call)

    def _check_turn(self, entry: Entry) -> None:
        if self._ended is not None:
            end, reason = self._ended
            text = f"arrives after the {end}, which ended the turn"
            if reason == _CANCELLED:
                call = entry.value["update"].get(_CALL)
                ok = type(call) is str and call in self._background
                entry.judge("updates-before-end", ok, "/params/update", text)
            elif not self._is_noted:
                self._is_noted = True
                entry.notes.append(text)
        elif self._state == _IDLE and not self._is_noted:
            self._is_noted = True
            entry.notes.append("arrives while the agent is idle, according to its last state")

    def _keep(self, kept: dict[Any, Any], key: Any, value: Any) -> None:
        kept[key] = value
        if len(kept) > _MOST:
            del kept[next(iter(kept))]
            self.has_past = True


def _named(value: dict[str, Any], depth: int = 3) -> set[tuple[str, str]]:
    """Return the names and values of all string fields in nested objects."""
    found: set[tuple[str, str]] = set()
    for inner in value.values() if depth else ():
        for each in inner if type(inner) is list else [inner]:
            if type(each) is dict:
                found |= {(name, key) for name, key in each.items() if type(key) is str}
                found |= _named(each, depth - 1)
    return found


@cache
def _rules(surface: str) -> dict[type, Any]:
    """Return the session state's rules for updates, by update class."""
    module = import_module(f"acp_bindings.{surface}.session") if surface else None
    return module.SessionState._rules if module else {}


def _updates_end_turns(surface: str) -> bool:
    """Return whether turns end with an update instead of the response to the prompt."""
    return bool(surface) and not facts_of(surface).response_ends_turn


@cache
def _announces(surface: str, collection: str) -> bool:
    """Return whether a collection's entries must be reported before updates change them."""
    rules = [rule for rule in _rules(surface).values() if isinstance(rule, (Patch, Upsert))]
    kinds = {type(rule) for rule in rules if rule.collection == collection and rule.key_path}
    return kinds == {Patch, Upsert}
