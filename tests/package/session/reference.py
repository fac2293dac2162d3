"""A slow and simple reference implementation of session states, which uses plain JSON.

It follows the descriptions in the schema, keeps every update and computes each result from all
updates. It shares no code with the generated package.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any, TypeAlias

Json: TypeAlias = Any
# The subject of an update, as its kind and key. The key of a slot is None. If a message has no id
# or an update is kept unchanged, the key is the number of the update.
Subject: TypeAlias = tuple[str, Any]

ROLES = {
    "user_message": "user",
    "user_message_chunk": "user",
    "agent_message": "agent",
    "agent_message_chunk": "agent",
    "agent_thought": "thought",
    "agent_thought_chunk": "thought",
}
# The kind of entry that each type of update changes, and the path to the entry's id.
ENTRIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "tool_call": ("tool_calls", ("toolCallId",)),
    "tool_call_update": ("tool_calls", ("toolCallId",)),
    "tool_call_content_chunk": ("tool_calls", ("toolCallId",)),
    "terminal_update": ("terminals", ("terminalId",)),
    "terminal_output_chunk": ("terminals", ("terminalId",)),
    "plan": ("plans", ()),
    "plan_update": ("plans", ("plan", "planId")),
    "plan_removed": ("plans", ("planId",)),
    "compaction_update": ("compactions", ("compactionId",)),
    "compaction_summary_chunk": ("compactions", ("compactionId",)),
    "subagent_update": ("subagents", ("sessionId",)),
    "session_message": ("session_messages", ("messageId",)),
    "session_message_chunk": ("session_messages", ("messageId",)),
}
# Updates to session-wide values, which are not in the timeline.
SLOTS = {
    "current_mode_update": "current_mode",
    "available_commands_update": "available_commands",
    "config_option_update": "config_options",
    "session_info_update": "info",
    "usage_update": "usage",
    "state_update": "state",
}
COLLECTIONS = tuple(dict.fromkeys(kind for kind, _ in ENTRIES.values()))
# The fields that the descriptions define as patches, by type of update. The protocol does not
# define the effect of other fields, so their last values are kept.
PATCHED = {
    "tool_call_update": (
        "name title kind status content locations rawInput rawOutput capabilities _meta"
    ),
    "terminal_update": "command cwd output exitStatus size capabilities _meta",
    "compaction_update": "status summary error _meta",
    "subagent_update": "title description capabilities state cwd additionalDirectories _meta",
    "session_message": (
        "senderSessionId recipientSessionId senderMessageId recipientMessageId content _meta"
    ),
    "session_info_update": "title updatedAt _meta",
}
# The initial values of fields. Null resets a field to its initial value.
TOOL_CALL = {"kind": "other", "status": "pending"}
# The states of the stable schemas, and "unknown", which only the unstable schemas define. No
# stable example contains it.
STATES = ("running", "idle", "requires_action", "unknown")


@dataclass(frozen=True)
class Reference:
    """The state of a session, computed from its updates.

    Attributes:
        version: the protocol version.
        updates: all updates, in order of arrival.
    """

    version: int
    updates: list[Json]

    # --- queries ---------------------------------------------------------------------------------

    def timeline(self) -> list[tuple[str, Any, Json]]:
        return [
            (kind, key if kind in COLLECTIONS or isinstance(key, str) else None, self.item(subject))
            for subject in self.order()
            for kind, key in [subject]
        ]

    def slots(self) -> dict[str, Json]:
        known = [name for name in SLOTS.values() if (name, None) in self.subjects()]
        return {name: self.item((name, None)) for name in known}

    def terminal_output(self) -> dict[str, bytes]:
        found = {key: self.output((kind, key)) for kind, key in self.order() if kind == "terminals"}
        return {key: output for key, output in found.items() if output is not None}

    # --- the subjects of updates -----------------------------------------------------------------

    def subjects(self) -> list[Subject]:
        return self._walk()[0]

    def order(self) -> list[Subject]:
        """Return the timeline's subjects, ordered by their first updates, without removed plans."""
        return self._walk()[1]

    def _walk(self) -> tuple[list[Subject], list[Subject]]:
        subjects: list[Subject] = []
        order: list[Subject] = []
        for number, update in enumerate(self.updates):
            subject = _subject(number, update, order)
            subjects.append(subject)
            if update["sessionUpdate"] == "plan_removed":
                order = [each for each in order if each != subject]
            elif subject[0] not in SLOTS.values() and subject not in order:
                order.append(subject)
        return subjects, order

    def about(self, subject: Subject) -> list[Json]:
        """Return all updates about a subject, or only the updates since it was last removed."""
        found: list[Json] = []
        for update, other in zip(self.updates, self.subjects(), strict=True):
            if other == subject:
                found = [] if update["sessionUpdate"] == "plan_removed" else [*found, update]
        return found

    # --- the combined updates of one subject -----------------------------------------------------

    def item(self, subject: Subject) -> Json:
        kind, updates = subject[0], self.about(subject)
        if kind in ROLES.values():
            return self.message(subject)
        if kind == "tool_calls":
            return self.tool_call(updates)
        if kind == "terminals":
            return self.terminal(updates)
        if kind == "compactions":
            start = {"status": "in_progress"}
            return self.appended(updates, "compaction_summary_chunk", "summary", start)
        if kind == "session_messages":
            return self.appended(updates, "session_message_chunk", "content", {})
        if kind == "subagents":
            return self.patched(updates, {})
        if kind == "info":
            return self.patched(updates, {})
        if kind == "state":
            return _state(updates)
        if kind == "usage" and self.version == 2:
            return _usage(updates)
        if kind == "plans":
            # According to the descriptions, null has the same effect as omitting the field.
            return {n: v for n, v in bare(updates[-1]).items() if (n, v) != ("_meta", None)}
        if kind == "kept":
            return updates[-1]
        return bare(updates[-1])

    def message(self, subject: Subject) -> Json:
        content: list[Json] = []
        meta: Json = None
        others: dict[str, Json] = {}
        for update in self.about(subject):
            if update["sessionUpdate"].endswith("_chunk"):
                content = [*content, update["content"]]
                continue
            if "content" in update:
                content = update["content"] or []
            if "_meta" in update:
                meta = self.metadata(meta, update["_meta"])
            for name in update.keys() - {"sessionUpdate", "messageId", "content", "_meta"}:
                others[name] = update[name]
        role, key = subject
        message_id = key if isinstance(key, str) else None
        return {"role": role, "messageId": message_id, "content": content, "_meta": meta, **others}

    def tool_call(self, updates: list[Json]) -> Json:
        start = TOOL_CALL if self.version == 2 else {}
        call: dict[str, Json] = dict(start)
        for update in updates:
            match update["sessionUpdate"]:
                case "tool_call":
                    members = bare(update).items()
                    known = PATCHED["tool_call_update"].split()
                    call = {n: v for n, v in members if v is not None or n not in known}
                case "tool_call_content_chunk":
                    call = _appended(call, update, "toolCallId", "content")
                case _:
                    call = self.patch(call, update, start)
        return call

    def terminal(self, updates: list[Json]) -> Json:
        terminal: dict[str, Json] = {}
        for update in updates:
            if update["sessionUpdate"] == "terminal_update":
                others = {name: value for name, value in update.items() if name != "output"}
                terminal = self.patch(terminal, others, {})
            else:
                terminal["terminalId"] = update["terminalId"]
        return terminal

    def output(self, subject: Subject) -> bytes | None:
        output: bytes | None = None
        for update in self.about(subject):
            if update["sessionUpdate"] == "terminal_output_chunk":
                output = (output or b"") + base64.b64decode(update["data"])
            elif "output" in update:
                snapshot = update["output"]
                output = None if snapshot is None else base64.b64decode(snapshot["data"])
        return output

    def appended(self, updates: list[Json], chunk: str, member: str, start: Json) -> Json:
        """Return an entry with a list field, `member`.

        Each chunk adds an item to the list and creates the entry if necessary.
        """
        entry: dict[str, Json] = {}
        for update in updates:
            if update["sessionUpdate"] == chunk:
                [key] = ENTRIES[chunk][1]
                entry = _appended(entry or dict(start), update, key, member)
            else:
                entry = self.patch(entry, update, {})
        return entry

    def patched(self, updates: list[Json], defaults: Json) -> Json:
        entry: dict[str, Json] = {}
        for update in updates:
            entry = self.patch(entry, update, defaults)
        return entry

    def patch(self, entry: dict[str, Json], update: Json, defaults: Json) -> dict[str, Json]:
        """Apply a patch.

        Omitted fields stay unchanged, null clears a field, and other values replace it. In
        protocol 1, null also leaves the fields of a tool call unchanged.
        """
        keeps = self.version == 1 and update["sessionUpdate"] == "tool_call_update"
        known = PATCHED[update["sessionUpdate"]].split()
        made = dict(entry)
        for name, value in bare(update).items():
            if name not in known:
                made[name] = value
            elif name == "_meta" and value is not None:
                made[name] = self.metadata(entry.get(name), value)
            elif value is not None:
                made[name] = value
            elif not keeps:
                made.pop(name, None)
                if name in defaults:
                    made[name] = defaults[name]
        return made

    def metadata(self, stored: Json, given: Json) -> Json:
        if given is None or self.version == 1:
            return given
        both = {**(stored or {}), **given}
        return {name: value for name, value in both.items() if value is not None}


def _subject(number: int, update: Json, order: list[Subject]) -> Subject:
    """Return the subject of an update. `order` lists the previous subjects in the timeline."""
    tag = update["sessionUpdate"]
    if tag in ROLES:
        role = ROLES[tag]
        message_id = update.get("messageId")
        if message_id is not None:
            return role, message_id
        # A chunk without an id continues the last entry if it is a message with the same role.
        return order[-1] if order and order[-1][0] == role else (role, number)
    if tag in ENTRIES:
        kind, path = ENTRIES[tag]
        key: Json = update if path else None  # a plan without an id is the only plan
        for step in path:
            key = key[step]
        return kind, key
    return (SLOTS[tag], None) if tag in SLOTS else ("kept", number)


def _state(updates: list[Json]) -> Json:
    """Return the last state, with the background work that was last reported.

    If `background` is omitted or null, the update does not report on background work. An unknown
    state is returned unchanged, since its fields can't be interpreted.
    """
    last = updates[-1]
    if last["state"] in STATES and last.get("background") is None:
        for update in reversed(updates):
            if update["state"] not in STATES:
                break
            if update.get("background") is not None:
                return bare({**last, "background": update["background"]})
    return bare(last)


def _usage(updates: list[Json]) -> Json:
    """Return the last usage, with the cost that was last set.

    Only the cost is a patch: omitting it leaves it unchanged, and null clears it. The metadata
    isn't a patch: if it is omitted or null, the usage has no metadata.
    """
    usage = {n: v for n, v in bare(updates[-1]).items() if n in ("used", "size", "_meta")}
    if usage.get("_meta", ...) is None:
        del usage["_meta"]
    for update in updates:
        for name in update.keys() - {"sessionUpdate", "used", "size", "cost", "_meta"}:
            usage[name] = update[name]
        if update.get("cost") is not None:
            usage["cost"] = update["cost"]
        elif "cost" in update:
            usage.pop("cost", None)
    return usage


def _appended(entry: Json, chunk: Json, key: str, member: str) -> dict[str, Json]:
    items = [*(entry.get(member) or ()), chunk["content"]]
    return {**entry, key: chunk[key], member: items}


def bare(update: Json) -> dict[str, Json]:
    return {name: value for name, value in update.items() if name != "sessionUpdate"}
