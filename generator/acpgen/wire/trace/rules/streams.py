"""The updates of one session: whose message a chunk continues, which tool calls there are, turns.

What an update is about follows from the rule by which it changes the state of a session.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from acp_bindings.runtime.session.reducers import Append, Patch, Upsert

from acpgen.wire.trace.entry import Entry
from acpgen.wire.trace.envelope import Finding
from acpgen.wire.trace.excerpts import quote

# How many messages and tool calls of a session are remembered.
_MOST = 10_000
_USER = "user"
_OUTPUTS = ("agent", "thought")
_STATE = "state"
_IDLE = "idle"
_CANCELLED = "cancelled"


class Stream:
    """The updates of a session.

    Attributes:
        has_past: whether there were updates that the recording does not show.
    """

    def __init__(self, *, has_past: bool) -> None:
        self.has_past = has_past
        self._roles: dict[Any, str] = {}
        self._announced: dict[tuple[str, Any], None] = {}
        self._turns = 0  # prompts without a response
        # The line of the response that ended the last turn, and the stop reason in it.
        self._ended: tuple[int, Any] | None = None
        self._is_busy: bool | None = None  # None where no update tells
        self._is_noted = False

    def prompt(self) -> None:
        """Take note of a prompt."""
        self._turns += 1
        self._ended, self._is_noted = None, False

    def answer(self, response: Entry) -> None:
        """Take note of the response to a prompt."""
        self._turns = max(0, self._turns - 1)
        surface = response.surface
        is_over = not self._turns and not response.is_error and type(response.value) is dict
        if surface and is_over and not _states(surface):
            self._ended = response.line, response.value.get("stopReason")

    def announce(self, params: Any) -> None:
        """Take note of the entries, such as tool calls, that a question of the agent tells of."""
        for value in params.values():
            if type(value) is dict:
                for name, key in value.items():
                    if type(key) is str:
                        self._keep(self._announced, (name, key), None)

    def update(self, entry: Entry, update: Any) -> None:
        """Check an update.

        Args:
            entry: its entry, which has been checked against a surface and gets the problems.
            update: the update as decoded.
        """
        rule = _rules(entry.surface or "").get(type(update))
        if rule is None:
            return
        place = rule.place(None, update)
        if place.where == _STATE:
            self._is_busy, self._is_noted = entry.value["update"].get(_STATE) != _IDLE, False
        elif place.role is not None:
            entry.problems += self._check_role(place.key, place.role)
        elif isinstance(rule, (Patch, Append, Upsert)) and rule.key_path:
            self._check_entry(entry, rule, place.key)
        if place.role in _OUTPUTS or _announces(entry.surface or "", place.where):
            self._check_turn(entry)

    def _check_role(self, message: Any, role: str) -> Iterator[Finding]:
        if message is None:
            return
        before = self._roles.get(message)
        if before is None:
            self._keep(self._roles, message, role)
        elif (before == _USER) != (role == _USER):
            text = f"{quote(message)} is the id of a message of the {before}"
            yield Finding("/params/update/messageId", text)

    def _check_entry(self, entry: Entry, rule: Patch | Append | Upsert, key: Any) -> None:
        name = rule.key_path[-1][1]
        if isinstance(rule, Append) or _announces(entry.surface or "", rule.collection):
            is_known = self.has_past or isinstance(rule, Upsert) or (name, key) in self._announced
            if key is not None and not is_known:
                text = f"{quote(key)} was not announced by an update before"
                if isinstance(rule, Append):
                    entry.notes.append(f"the {name} {text}")
                else:
                    entry.problems.append(Finding(f"/params/update/{name}", text))
        self._keep(self._announced, (name, key), None)

    def _check_turn(self, entry: Entry) -> None:
        if self._ended is not None:
            line, reason = self._ended
            text = f"comes after the response in line {line}, which ended the turn"
            if reason == _CANCELLED:
                entry.problems.append(Finding("/params/update", text))
            elif not self._is_noted:
                self._is_noted = True
                entry.notes.append(text)
        elif self._is_busy is False and not self._is_noted:
            self._is_noted = True
            entry.notes.append("comes while the agent is idle, as it has told")

    def _keep(self, kept: dict[Any, Any], key: Any, value: Any) -> None:
        kept[key] = value
        if len(kept) > _MOST:
            del kept[next(iter(kept))]
            self.has_past = True


@cache
def _rules(surface: str) -> dict[type, Any]:
    """The rule of each class of updates, see `SessionState`."""
    if not surface:
        return {}
    rules: dict[type, Any] = import_module(f"acp_bindings.{surface}.session").SessionState._rules
    return rules


@cache
def _states(surface: str) -> bool:
    """Whether updates tell what the agent is doing."""
    return any(getattr(rule, "slot", None) == _STATE for rule in _rules(surface).values())


@cache
def _announces(surface: str, collection: str) -> bool:
    """Whether one kind of update announces the entries of a collection, and others change them."""
    rules = [rule for rule in _rules(surface).values() if isinstance(rule, (Patch, Upsert))]
    kinds = {type(rule) for rule in rules if rule.collection == collection and rule.key_path}
    return kinds == {Patch, Upsert}
