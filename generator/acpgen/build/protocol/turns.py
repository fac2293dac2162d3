"""What the live sessions of a client and of an agent are made of, as their templates see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acpgen.build.protocol.lacks import lacking_rules, lacks
from acpgen.build.protocol.sessions import (
    CANCEL,
    NEW,
    PERMISSION,
    PROMPT,
    UPDATE,
    SessionIndex,
    chunks,
    user_message,
)
from acpgen.ir.model import Method, Surface
from acpgen.ir.queries import members_of


@dataclass(frozen=True, slots=True)
class Activity:
    """The updates that say whether the agent is busy, where a turn ends with one of them.

    Attributes:
        running: the class of those that say that it is at work.
        idle: the class of those that say that it is not, with the stop reason.
        busy: all other classes of the union.
        failed: the class of those that say that the work has failed.
        error: the class of what they say about it.
        has_background: whether they list what goes on in the background.
    """

    running: str
    idle: str
    busy: tuple[str, ...]
    failed: str
    error: str
    has_background: bool


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """The methods, classes and constants that the turn of a surface is about.

    Attributes:
        is_plain_new: whether a new session needs nothing but an id in the response.
        openers: the methods of which a new session comes; `session/new` is the first.
        loaders: the methods by which a session that there was comes back.
        lists: the methods about sessions that are about no single one.
        simple: the methods that take nothing but the session.
        names: what client sessions call these methods, by their names in JSON.
        text: the class of text blocks.
        cancelled: the class of the outcome of a permission request that was cancelled.
        stop_reasons: those that the schema lists.
        allows_custom: whether there may be others.
        activity: how a turn ends by an update; None where the response to the prompt ends it.
        usage: the classes that say what was used: of the ending, and of updates.
        reports: the latter only.
        chunks: by role, the class of chunks of messages.
        message: the class of the user's whole messages, if there is one.
        names_messages: whether each chunk must name its message.
        senders: by name, the class of updates that a method of agent sessions sends.
    """

    new: Method
    prompt: Method
    cancel: Method
    update: Method
    permission: Method
    is_plain_new: bool
    openers: tuple[Method, ...]
    loaders: tuple[Method, ...]
    lists: tuple[Method, ...]
    simple: tuple[Method, ...]
    names: Mapping[str, str]
    session_id: str
    text: str
    cancelled: str
    stop_reasons: tuple[str, ...]
    allows_custom: bool
    activity: Activity | None
    usage: tuple[str, ...]
    reports: tuple[str, ...]
    chunks: dict[str, str]
    message: str | None
    names_messages: bool
    senders: dict[str, str]

    def inserts(self) -> list[str]:
        """The classes of updates that say that a message of the user is part of it all."""
        return [*([self.message] if self.message else []), self.chunks["user"]]


def find_turns(surface: Surface) -> SessionSpec | None:
    """The parts of a surface's turns; None if its schema or the rules lack any."""
    parts = SessionIndex(surface.methods, surface.definitions)
    updates, content = surface.updates, surface.content_block
    if parts.absent or lacks(parts) or lacking_rules(parts, updates, content):
        return None
    new, prompt, cancel, update, permission = (
        parts.found[place] for place in (NEW, PROMPT, CANCEL, UPDATE, PERMISSION)
    )
    activity = None if parts.is_answered() else _activity(parts)
    ending = prompt.result if activity is None else activity.idle
    stop_reasons = parts.enumeration(ending, "stopReason")
    session_id = parts.type(prompt.params, "sessionId")
    assert stop_reasons is not None
    assert session_id is not None
    by_role = chunks(updates)
    said = [name for role, name in by_role.items() if role != "user"]
    required = [m.wire for m in members_of(parts.definitions, new.result or "") if m.required]
    reports = tuple(each.classes[0] for each in updates if each.into == "usage")
    at_end = parts.type(ending, "usage")
    return SessionSpec(
        new=new,
        prompt=prompt,
        cancel=cancel,
        update=update,
        permission=permission,
        is_plain_new=required == ["sessionId"],
        openers=tuple(parts.openers()),
        loaders=tuple(parts.loaders()),
        lists=tuple(parts.lists()),
        simple=tuple(parts.simple()),
        names=parts.method_names(),
        session_id=session_id,
        text=parts.arms(content)["text"],
        cancelled=parts.arms(parts.type(permission.result, "outcome"))["cancelled"],
        stop_reasons=tuple(str(value) for value in stop_reasons.values),
        allows_custom=stop_reasons.other is not None,
        activity=activity,
        usage=tuple(dict.fromkeys(each for each in (at_end, *reports) if each)),
        reports=reports,
        chunks=by_role,
        message=user_message(updates),
        names_messages=any(_is_required(parts, name, "messageId") for name in said),
        senders=parts.senders({*said} - {by_role["user"]}),
    )


def _activity(parts: SessionIndex) -> Activity:
    working = parts.working()
    assert working is not None
    running, idle, busy = working
    failed = parts.special(idle)["error"]
    error = parts.type(failed, "error")
    assert error is not None
    return Activity(running, idle, busy, failed, error, parts.has_background(running, idle))


def _is_required(parts: SessionIndex, name: str, wire: str) -> bool:
    member = parts.member(name, wire)
    return member is not None and member.required
