"""What the live sessions of a client and of an agent are made of, as their templates see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from acpgen import naming
from acpgen.model import Alias, Enumeration, Method, Nullable, Record, Shape, Surface, TaggedUnion
from acpgen.ways import members_of, target

# The class of an update that says what the agent is doing, by the tag of its arm.
_Arms: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True)
class Activity:
    """The updates that say whether the agent is busy, where a turn ends with one of them.

    Attributes:
        running: the class of those that say that it is at work.
        idle: the class of those that say that it is not, with the stop reason.
        busy: all other classes of the union.
        failed: the class of those that say that the work has failed, if there is one.
        error: the class of what they say about it.
        has_background: whether they list what goes on in the background.
    """

    running: str
    idle: str
    busy: tuple[str, ...]
    failed: str | None
    error: str | None
    has_background: bool


@dataclass(frozen=True, slots=True)
class Turns:
    """The methods, classes and constants that the turn of a surface is about.

    Attributes:
        is_plain_new: whether a new session needs nothing but an id in the response.
        openers: the methods of which a new session comes; `session/new` is the first.
        loaders: the methods by which a session that there was comes back.
        lists: the methods about sessions that are about no single one.
        simple: the methods that take nothing but the session.
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


def find_turns(surface: Surface) -> Turns | None:
    """The parts of a surface's turns; None if its schema lacks any that it takes."""
    finder = _Finder(surface)
    return finder.turns() if surface.session_update and surface.content_block else None


class _Finder:
    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._definitions = surface.definitions

    def turns(self) -> Turns | None:
        new, prompt = self._method("agent", "session/new"), self._method("agent", "session/prompt")
        cancel, update = self._method("agent", "session/cancel"), self._method(
            "client", "session/update"
        )
        permission = self._method("client", "session/request_permission")
        text = self._arms(self._surface.content_block).get("text")
        if not (new and prompt and cancel and update and permission and text):
            return None
        outcome = self._type(permission.result, "outcome")
        cancelled = self._arms(outcome).get("cancelled")
        session_id = self._type(prompt.params, "sessionId")
        chunks = {
            update.role: update.classes[0]
            for update in self._surface.updates
            if update.operation == "message_chunk" and update.role
        }
        activity = None
        ending = prompt.result
        if not self._has(prompt.result, "stopReason"):
            activity = self._activity()
            ending = activity.idle if activity else None
        stop_reasons = self._enumeration(ending, "stopReason")
        if not (cancelled and session_id and len(chunks) == 3 and stop_reasons):
            return None
        reports = tuple(u.classes[0] for u in self._surface.updates if u.into == "usage")
        at_end = self._type(ending, "usage")
        about = [
            m for m in self._surface.methods if m.side == "agent" and m.result and _is_about(m)
        ]
        opening = [m for m in about if self._has(m.result, "sessionId")]
        return Turns(
            new=new,
            prompt=prompt,
            cancel=cancel,
            update=update,
            permission=permission,
            is_plain_new=[
                m.wire for m in members_of(self._definitions, new.result or "") if m.required
            ]
            == ["sessionId"],
            openers=tuple(sorted(opening, key=lambda method: method is not new)),
            loaders=tuple(
                m for m in about if self._has(m.params, "sessionId", "cwd") and m not in opening
            ),
            lists=tuple(m for m in about if not self._has(m.params, "sessionId") and m is not new),
            simple=tuple(m for m in about if self._names(m.params) == {"sessionId", "_meta"}),
            session_id=session_id,
            text=text,
            cancelled=cancelled,
            stop_reasons=tuple(str(value) for value in stop_reasons.values),
            allows_custom=stop_reasons.other is not None,
            activity=activity,
            usage=tuple(dict.fromkeys(each for each in (at_end, *reports) if each)),
            reports=reports,
            chunks=chunks,
            message=next(
                (
                    update.classes[0]
                    for update in self._surface.updates
                    if update.operation == "message" and update.role == "user"
                ),
                None,
            ),
            names_messages=any(
                member.required and member.wire == "messageId"
                for member in members_of(self._definitions, chunks["agent"])
            ),
            senders=self._senders(set(chunks.values()) - {chunks["user"]}),
        )

    def _activity(self) -> Activity | None:
        """The union of updates one arm of which has the stop reason."""
        for union in self._unions_of_updates():
            arms = {arm.tag: arm.target for arm in union.arms}
            for tag, idle in arms.items():
                if self._has(idle, "stopReason") and "running" in arms:
                    busy = [name for each, name in arms.items() if each != tag]
                    busy += [union.unknown.name] if union.unknown else []
                    failed = self._special(idle).get("error")
                    error = self._type(failed, "error")
                    return Activity(
                        running=arms["running"],
                        idle=idle,
                        busy=tuple(busy),
                        failed=failed if error else None,
                        error=error,
                        has_background=self._has(idle, "background"),
                    )
        return None

    def _unions_of_updates(self) -> list[TaggedUnion]:
        arms = self._arms(self._surface.session_update).values()
        found = [self._definitions[name] for name in arms]
        return [each for each in found if isinstance(each, TaggedUnion)]

    def _senders(self, spoken: set[str]) -> dict[str, str]:
        """Updates by the names of their senders; what `say` and `think` send is not among them."""
        tags = self._arms(self._surface.session_update)
        found: dict[str, str] = {}
        for tag, name in tags.items():
            arms = self._arms(name)  # of an arm that is a union itself
            if arms:
                found |= {naming.sender_name(each, arms): arm for each, arm in arms.items()}
            elif name not in spoken:
                found[naming.sender_name(tag, tags)] = name
        return found

    # --- the schema --------------------------------------------------------------------------

    def _method(self, side: str, wire: str) -> Method | None:
        found = (m for m in self._surface.methods if (m.side, m.wire) == (side, wire))
        return next(found, None)

    def _arms(self, name: str | None) -> _Arms:
        union = self._definitions.get(name or "")
        arms = union.arms if isinstance(union, TaggedUnion) else ()
        return {arm.tag: arm.target for arm in arms}

    def _special(self, name: str) -> _Arms:
        record = self._definitions.get(name)
        arms = record.special if isinstance(record, Record) else ()
        return {arm.tag: arm.target for arm in arms}

    def _names(self, name: str | None) -> set[str]:
        return {member.wire for member in members_of(self._definitions, name or "")}

    def _has(self, name: str | None, *wires: str) -> bool:
        return self._names(name) >= set(wires)

    def _shape(self, name: str | None, wire: str) -> Shape | None:
        members = members_of(self._definitions, name or "")
        return next((member.shape for member in members if member.wire == wire), None)

    def _type(self, name: str | None, wire: str) -> str | None:
        shape = self._shape(name, wire)
        return target(shape) if shape is not None else None

    def _enumeration(self, name: str | None, wire: str) -> Enumeration | None:
        shape = self._shape(name, wire)
        if isinstance(shape, Nullable):
            shape = shape.shape
        alias = self._definitions.get(self._type(name, wire) or "")
        if isinstance(alias, Alias):
            shape = alias.shape
        return shape if isinstance(shape, Enumeration) else None


def _is_about(method: Method) -> bool:
    """Whether a method is about sessions, beside what goes on in them."""
    return (method.wire or "").startswith("session/") and method.wire != "session/prompt"
