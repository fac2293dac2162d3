"""What the live sessions of a client and of an agent are made of, as their templates see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acpgen import naming
from acpgen.model import Definition, Method, Surface, TaggedUnion, Update
from acpgen.parts import Lack, Parts
from acpgen.ways import members_of


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
class Turns:
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


# --- finding -------------------------------------------------------------------------------------

# What a turn takes: who handles it, whether it is a request, its name in JSON.
_NEW = ("agent", "request", "session/new")
_PROMPT = ("agent", "request", "session/prompt")
_CANCEL = ("agent", "notification", "session/cancel")
_UPDATE = ("client", "notification", "session/update")
_PERMISSION = ("client", "request", "session/request_permission")
_CLOSE = "session/close"
# The stop reasons that the runtime gives itself.
_OWN_REASONS = {"cancelled", "end_turn"}
_ROLES = ("user", "agent", "thought")
_MEMBER = "update"


def find_union(parts: Parts) -> TaggedUnion | None:
    """The union of session updates."""
    method = parts.method(*_UPDATE)
    union = parts.definitions.get(parts.type(method.params, _MEMBER) or "") if method else None
    return union if isinstance(union, TaggedUnion) else None


def find_turns(surface: Surface) -> Turns | None:
    """The parts of a surface's turns; None if its schema or the rules lack any."""
    finder = _Finder(surface.methods, surface.definitions)
    if not finder.is_complete or finder.lacking_rules(surface.updates, surface.content_block):
        return None
    return finder.turns(surface.updates, surface.content_block)


def lacks(methods: Sequence[Method], definitions: Mapping[str, Definition]) -> list[Lack]:
    """What a schema lacks for the turns of sessions; nothing if it is about no sessions at all."""
    return _Finder(methods, definitions).lacks


def lacking_rules(
    methods: Sequence[Method],
    definitions: Mapping[str, Definition],
    updates: Sequence[Update],
    content: str | None,
) -> list[str]:
    """What the rules for session updates lack for turns, where the schema itself lacks nothing."""
    finder = _Finder(methods, definitions)
    return finder.lacking_rules(updates, content) if finder.is_complete else []


def clashes(methods: Sequence[Method], definitions: Mapping[str, Definition]) -> list[Lack]:
    """Methods of sessions that are left out, since their names are those of others."""
    finder = _Finder(methods, definitions)
    return finder.clashes() if finder.is_complete else []


class _Finder:
    def __init__(self, methods: Sequence[Method], definitions: Mapping[str, Definition]) -> None:
        self._parts = Parts(methods, definitions)
        places = (_NEW, _PROMPT, _CANCEL, _UPDATE, _PERMISSION)
        found = {place: self._parts.method(*place) for place in places}
        self._method = {place: method for place, method in found.items() if method is not None}
        absent = [f"{kind} {wire}" for (_, kind, wire), method in found.items() if method is None]
        self.is_complete = False
        self.lacks: list[Lack] = []
        if not absent:
            self.lacks = self._find_lacks()
            self.is_complete = not self.lacks
        elif self._method:
            self.lacks = [self._parts.lack(None, f"there is no {', no '.join(absent)}")]

    # --- what is missing ---------------------------------------------------------------------

    def _find_lacks(self) -> list[Lack]:
        parts = self._parts
        prompt, permission = self._method[_PROMPT], self._method[_PERMISSION]
        outcome = parts.type(permission.result, "outcome")
        found = [
            *parts.unread(self._method[_NEW].result, "sessionId"),
            *parts.unread(prompt.params, "_meta"),
            *parts.unmade(prompt.params, "sessionId", "prompt"),
            *parts.unmade(self._method[_CANCEL].params, "sessionId"),
            *parts.unmade(self._method[_UPDATE].params, "sessionId", _MEMBER),
            *parts.unread(permission.params, "sessionId"),
            *parts.unmade(permission.result, "outcome"),
            *self._arm_lacks(outcome, "cancelled"),
            *self._arm_lacks(parts.items(prompt.params, "prompt"), "text", "text"),
            *self._ending_lacks(),
        ]
        if parts.type(prompt.params, "sessionId") is None:
            message = f"'sessionId' of {prompt.params} refers to no definition"
            found.append(parts.lack(prompt.params, message))
        if find_union(parts) is None:
            update = self._method[_UPDATE].params
            found.append(parts.lack(update, f"{_MEMBER!r} of {update} is no union with tags"))
        for method in self._simple():
            found += parts.unmade(method.params, "sessionId")
            if method.wire == _CLOSE:
                found += parts.unmade(method.result)
        return list(dict.fromkeys(found))

    def _arm_lacks(self, union: str | None, tag: str, *wires: str) -> list[Lack]:
        arm = self._parts.arms(union).get(tag)
        if arm is not None:
            return self._parts.unmade(arm, *wires)
        return [self._parts.lack(union, f"{union or 'some union'} has no arm {tag!r}")]

    def _ending_lacks(self) -> list[Lack]:
        parts, result = self._parts, self._method[_PROMPT].result
        if self._is_answered():
            return [*parts.unmade(result, "stopReason"), *self._reason_lacks(result)]
        found = parts.unmade(result, "messageId")
        working = self._working()
        if working is None:
            message = (
                f"neither {result} has a member 'stopReason', nor an arm of an update that has an"
                " arm 'running', too"
            )
            return [*found, parts.lack(result, message)]
        running, idle, _ = working
        background = ["background"] if self._has_background(running, idle) else []
        found += parts.unmade(running, *background)
        found += [*parts.unmade(idle, *background, *self._optional(idle, "stopReason"))]
        return [*found, *self._reason_lacks(idle), *self._failure_lacks(idle, background)]

    def _optional(self, name: str, wire: str) -> list[str]:
        """A member that may be left out, in a list, or nothing."""
        return [wire] if self._parts.is_optional(name, wire) else []

    def _reason_lacks(self, ending: str | None) -> list[Lack]:
        reasons = self._parts.enumeration(ending, "stopReason")
        listed: set[object] = set(reasons.values) if reasons else set()
        missing = ", ".join(sorted(_OWN_REASONS - listed))
        message = f"'stopReason' of {ending} does not list {missing}"
        return [self._parts.lack(ending, message)] if missing else []

    def _failure_lacks(self, idle: str, background: list[str]) -> list[Lack]:
        failed = self._parts.special(idle).get("error")
        if failed is None:
            message = f"{idle} has no arm for the stop reason 'error', with a member 'error'"
            return [self._parts.lack(idle, message)]
        about = self._parts.type(failed, "error")
        return [
            *self._parts.unmade(failed, "error", *background),
            *self._parts.unmade(about, "code", "message", "data"),
        ]

    def lacking_rules(self, updates: Sequence[Update], content: str | None) -> list[str]:
        """What the rules lack; the schema lacks nothing."""
        parts, chunks = self._parts, self._chunks(updates)
        found = [f"no rule for chunks of the role {role}" for role in _ROLES if role not in chunks]
        prompted = parts.items(self._method[_PROMPT].params, "prompt")
        if not found and content != prompted:
            found.append(f"messages are made of {content}, prompts of {prompted}")
        if self._is_answered():
            found += [lack.message for lack in self._user_chunk_lacks(chunks)]
        else:
            found += self._lacking_reports(updates)
        for update in updates:
            if update.into == "tool_calls" and not parts.has(update.entry, "status"):
                found.append(f"{update.entry} has no member 'status', which cancelling changes")
        return list(dict.fromkeys(found))

    def _user_chunk_lacks(self, chunks: Mapping[str, str]) -> list[Lack]:
        return self._parts.unmade(chunks["user"], "content") if "user" in chunks else []

    def _lacking_reports(self, updates: Sequence[Update]) -> list[str]:
        found: list[str] = []
        if self._message(updates) is None:
            found.append("no rule for whole messages of the role user")
        idle = self._activity().idle
        if not any(
            u.into == "state" and u.operation == "set" and idle in u.classes for u in updates
        ):
            found.append(f"no rule that sets 'state' to {idle}")
        return found

    def clashes(self) -> list[Lack]:
        """Methods that are left out for their names."""
        made = self._names()
        found = [
            self._parts.lack(
                method.params,
                f"client sessions have something else that is called as {method.wire!r} would be;"
                f" call AgentStub.{method.name}, or name {method.side}:{method.wire} in names.toml",
            )
            for method in self._about()
            if self._is_offered(method) and method.wire not in made
        ]
        senders = set(self._senders(set()).values())
        for name in self._updates():
            if name not in senders:
                message = f"agent sessions have something else that is called as {name} would be"
                found.append(self._parts.lack(name, f"{message}; call their `update` with one"))
        return found

    # --- what there is -----------------------------------------------------------------------

    def turns(self, updates: Sequence[Update], content: str | None) -> Turns:
        """All parts; nothing is missing."""
        parts = self._parts
        new, prompt, permission = (self._method[each] for each in (_NEW, _PROMPT, _PERMISSION))
        chunks, names = self._chunks(updates), self._names()
        activity = None if self._is_answered() else self._activity()
        ending = prompt.result if activity is None else activity.idle
        stop_reasons = parts.enumeration(ending, "stopReason")
        session_id = parts.type(prompt.params, "sessionId")
        assert stop_reasons is not None
        assert session_id is not None
        reports = tuple(u.classes[0] for u in updates if u.into == "usage")
        at_end = parts.type(ending, "usage")

        def offered(methods: list[Method]) -> tuple[Method, ...]:
            return tuple(method for method in methods if method.wire in names)

        return Turns(
            new=new,
            prompt=prompt,
            cancel=self._method[_CANCEL],
            update=self._method[_UPDATE],
            permission=permission,
            is_plain_new=[
                m.wire for m in members_of(parts.definitions, new.result or "") if m.required
            ]
            == ["sessionId"],
            openers=tuple(sorted(offered(self._openers()), key=lambda method: method is not new)),
            loaders=offered(self._loaders()),
            lists=offered(self._lists()),
            simple=offered(self._simple()),
            names=names,
            session_id=session_id,
            text=parts.arms(content)["text"],
            cancelled=parts.arms(parts.type(permission.result, "outcome"))["cancelled"],
            stop_reasons=tuple(str(value) for value in stop_reasons.values),
            allows_custom=stop_reasons.other is not None,
            activity=activity,
            usage=tuple(dict.fromkeys(each for each in (at_end, *reports) if each)),
            reports=reports,
            chunks=chunks,
            message=self._message(updates),
            names_messages=any(
                member is not None and member.required
                for member in (parts.member(chunks[each], "messageId") for each in _ROLES[1:])
            ),
            senders=self._senders(set(chunks.values()) - {chunks["user"]}),
        )

    def _is_answered(self) -> bool:
        """Whether the response to a prompt ends its turn."""
        return self._parts.has(self._method[_PROMPT].result, "stopReason")

    def _chunks(self, updates: Sequence[Update]) -> dict[str, str]:
        """By role, the class of chunks of messages."""
        return {u.role: u.classes[0] for u in updates if u.operation == "message_chunk" and u.role}

    def _message(self, updates: Sequence[Update]) -> str | None:
        whole = (u for u in updates if u.operation == "message" and u.role == "user")
        return next((update.classes[0] for update in whole), None)

    # --- how turns end -----------------------------------------------------------------------

    def _working(self) -> tuple[str, str, tuple[str, ...]] | None:
        """Of the updates that say what the agent does: that it works, that it is idle, others."""
        for union in self._unions_of_updates():
            arms = {arm.tag: arm.target for arm in union.arms}
            for tag, idle in arms.items():
                if self._parts.has(idle, "stopReason") and "running" in arms:
                    busy = [name for each, name in arms.items() if each != tag]
                    busy += [union.unknown.name] if union.unknown else []
                    return arms["running"], idle, tuple(busy)
        return None

    def _activity(self) -> Activity:
        working = self._working()
        assert working is not None
        running, idle, busy = working
        failed = self._parts.special(idle)["error"]
        error = self._parts.type(failed, "error")
        assert error is not None
        return Activity(running, idle, busy, failed, error, self._has_background(running, idle))

    def _has_background(self, running: str, idle: str) -> bool:
        each = (running, idle, *self._parts.special(idle).values())
        return all(self._parts.is_optional(name, "background") for name in each)

    def _unions_of_updates(self) -> list[TaggedUnion]:
        union = find_union(self._parts)
        arms = [self._parts.definitions.get(arm.target) for arm in union.arms] if union else []
        return [each for each in arms if isinstance(each, TaggedUnion)]

    # --- methods of sessions -----------------------------------------------------------------

    def _about(self) -> list[Method]:
        """What an agent is asked about sessions, beside what goes on in them."""
        return [
            method
            for method in self._parts.methods
            if method.side == "agent"
            and method.result
            and (method.wire or "").startswith("session/")
            and method.wire != _PROMPT[-1]
        ]

    def _openers(self) -> list[Method]:
        return [m for m in self._about() if not self._parts.unread(m.result, "sessionId")]

    def _loaders(self) -> list[Method]:
        openers = self._openers()
        return [
            method
            for method in self._about()
            if self._parts.has(method.params, "sessionId", "cwd") and method not in openers
        ]

    def _lists(self) -> list[Method]:
        openers = self._openers()
        return [
            method
            for method in self._about()
            if not self._parts.has(method.params, "sessionId") and method not in openers
        ]

    def _simple(self) -> list[Method]:
        openers = self._openers()
        return [
            method
            for method in self._about()
            if self._parts.names(method.params) == {"sessionId", "_meta"} and method not in openers
        ]

    def _is_offered(self, method: Method) -> bool:
        each = (self._openers(), self._loaders(), self._lists(), self._simple())
        return any(method in methods for methods in each)

    def _names(self) -> dict[str, str]:
        """By name in JSON, what client sessions call their methods."""
        found: dict[str, str] = {}
        for method in self._about():
            if method.wire is not None and self._is_offered(method):
                is_new = method.wire == _NEW[-1]
                taken = found.values()
                name = naming.session_method(method.wire, method.name, taken, is_new=is_new)
                if name is not None:
                    found[method.wire] = name
        return found

    # --- senders -----------------------------------------------------------------------------

    def _updates(self) -> list[str]:
        """The classes of all updates; of an arm that is a union itself, those of its arms."""
        union = find_union(self._parts)
        found: list[str] = []
        for arm in union.arms if union else ():
            found += self._parts.arms(arm.target).values() or [arm.target]
        return found

    def _senders(self, spoken: set[str]) -> dict[str, str]:
        """Updates by the names of their senders; what `say` and `think` send is not among them."""
        union = find_union(self._parts)
        tags = self._parts.arms(union.name if union else None)
        found: dict[str, str] = {}
        for tag, name in tags.items():
            arms = self._parts.arms(name)
            for each, arm in arms.items() or [(tag, name)]:
                sender = naming.sender_name(each, arms or tags)
                # Of two of one name the first has it.
                if naming.is_member_name(sender) and arm not in spoken:
                    found.setdefault(sender, arm)
        return found
