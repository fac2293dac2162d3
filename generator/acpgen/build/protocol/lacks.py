"""What live sessions would need, and a schema or the rules for its updates do not have."""

from __future__ import annotations

from collections.abc import Sequence

from acpgen.build.protocol.index import Unmet
from acpgen.build.protocol.sessions import (
    CANCEL,
    NEW,
    PERMISSION,
    PROMPT,
    UPDATE,
    UPDATE_MEMBER,
    SessionIndex,
    chunks,
    user_message,
)
from acpgen.ir.model import UpdateRule

# The one of the methods about a session alone whose response is made here, too.
_CLOSE = "session/close"
# The stop reasons that the runtime gives itself.
_OWN_REASONS = {"cancelled", "end_turn"}
_ROLES = ("user", "agent", "thought")


def lacks(parts: SessionIndex) -> list[Unmet]:
    """What a schema lacks for the turns of sessions; nothing if it is about no sessions at all."""
    if not parts.absent:
        return list(dict.fromkeys(_lacks(parts)))
    if not parts.found:
        return []
    absent = ", no ".join(f"{kind} {wire}" for _, kind, wire in parts.absent)
    return [parts.lack(None, f"there is no {absent}")]


def lacking_rules(parts: SessionIndex, updates: Sequence[UpdateRule], content: str | None) -> list[str]:
    """What the rules for session updates lack, where the schema itself lacks nothing.

    Args:
        updates: the rules.
        content: the union that the content of messages is made of.
    """
    if parts.absent or lacks(parts):
        return []
    by_role = chunks(updates)
    found = [f"no rule for chunks of the role {role}" for role in _ROLES if role not in by_role]
    prompted = parts.items(parts.found[PROMPT].params, "prompt")
    if not found and content != prompted:
        found.append(f"messages are made of {content}, prompts of {prompted}")
    if not parts.is_answered():
        found += _lacking_reports(parts, updates)
    elif "user" in by_role:
        found += [lack.message for lack in parts.unconstructible(by_role["user"], "content")]
    for update in updates:
        if update.into == "tool_calls" and not parts.has(update.entry, "status"):
            found.append(f"{update.entry} has no member 'status', which cancelling changes")
    return list(dict.fromkeys(found))


def _lacking_reports(parts: SessionIndex, updates: Sequence[UpdateRule]) -> list[str]:
    """What the rules lack where the end of a turn is reported, as its beginning is."""
    found: list[str] = []
    if user_message(updates) is None:
        found.append("no rule for whole messages of the role user")
    working = parts.working()
    idle = working[1] if working else None
    if not any(u.into == "state" and u.operation == "set" and idle in u.classes for u in updates):
        found.append(f"no rule that sets 'state' to {idle}")
    return found


def _lacks(parts: SessionIndex) -> list[Unmet]:
    """What is missing where all methods are there."""
    new, prompt, cancel, update, permission = (
        parts.found[place] for place in (NEW, PROMPT, CANCEL, UPDATE, PERMISSION)
    )
    found = [
        *parts.unreadable(new.result, "sessionId"),
        *parts.unreadable(prompt.params, "_meta"),
        *parts.unconstructible(prompt.params, "sessionId", "prompt"),
        *parts.unconstructible(cancel.params, "sessionId"),
        *parts.unconstructible(update.params, "sessionId", UPDATE_MEMBER),
        *parts.unreadable(permission.params, "sessionId"),
        *parts.unconstructible(permission.result, "outcome"),
        *_arm(parts, parts.type(permission.result, "outcome"), "cancelled"),
        *_arm(parts, parts.items(prompt.params, "prompt"), "text", "text"),
        *_ending(parts, prompt.result),
    ]
    if parts.type(prompt.params, "sessionId") is None:
        message = f"'sessionId' of {prompt.params} refers to no definition"
        found.append(parts.lack(prompt.params, message))
    if parts.union() is None:
        message = f"{UPDATE_MEMBER!r} of {update.params} is no union with tags"
        found.append(parts.lack(update.params, message))
    for method in parts.simple():
        found += parts.unconstructible(method.params, "sessionId")
        if method.wire == _CLOSE:
            found += parts.unconstructible(method.result)
    return found


def _arm(parts: SessionIndex, union: str | None, tag: str, *wires: str) -> list[Unmet]:
    """What keeps the arm of a tag from being made of these members."""
    arm = parts.arms(union).get(tag)
    if arm is not None:
        return parts.unconstructible(arm, *wires)
    return [parts.lack(union, f"{union or 'some union'} has no arm {tag!r}")]


def _ending(parts: SessionIndex, result: str | None) -> list[Unmet]:
    """What is missing of the end of a turn; `result` is that of the prompt."""
    if parts.is_answered():
        return [*parts.unconstructible(result, "stopReason"), *_reasons(parts, result)]
    found = parts.unconstructible(result, "messageId")
    working = parts.working()
    if working is None:
        message = (
            f"neither {result} has a member 'stopReason', nor an arm of an update that has an"
            " arm 'running', too"
        )
        return [*found, parts.lack(result, message)]
    running, idle, _ = working
    background = ["background"] if parts.has_background(running, idle) else []
    reason = ["stopReason"] if parts.is_optional(idle, "stopReason") else []
    return [
        *found,
        *parts.unconstructible(running, *background),
        *parts.unconstructible(idle, *background, *reason),
        *_reasons(parts, idle),
        *_failure(parts, idle, background),
    ]


def _reasons(parts: SessionIndex, ending: str | None) -> list[Unmet]:
    reasons = parts.enumeration(ending, "stopReason")
    listed: set[object] = set(reasons.values) if reasons else set()
    missing = ", ".join(sorted(_OWN_REASONS - listed))
    message = f"'stopReason' of {ending} does not list {missing}"
    return [parts.lack(ending, message)] if missing else []


def _failure(parts: SessionIndex, idle: str, background: list[str]) -> list[Unmet]:
    failed = parts.special(idle).get("error")
    if failed is None:
        message = f"{idle} has no arm for the stop reason 'error', with a member 'error'"
        return [parts.lack(idle, message)]
    about = parts.type(failed, "error")
    return [
        *parts.unconstructible(failed, "error", *background),
        *parts.unconstructible(about, "code", "message", "data"),
    ]
