"""The sessions of a surface: read once into a `SessionSpec`, or a list of what the schema lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from acpgen.analysis.protocol.agent_defaults import read_agent_defaults
from acpgen.analysis.protocol.index import SchemaIndex, Unmet
from acpgen.analysis.protocol.session_methods import (
    CANCEL,
    NEW,
    PERMISSION,
    PROMPT,
    UPDATE,
    SessionMethods,
)
from acpgen.ir import naming
from acpgen.ir.model import (
    Enumeration,
    Method,
    Record,
    TaggedUnion,
)
from acpgen.ir.queries import handshake, members_of
from acpgen.ir.session import (
    USER,
    Activity,
    SessionSpec,
    UpdateRule,
)

_TURN = (NEW, PROMPT, CANCEL, UPDATE, PERMISSION)
# The stop reasons that the runtime reports by itself.
_OWN_REASONS = frozenset({"cancelled", "end_turn"})
# The roles of prompts and of the answers to them. More can exist.
_ROLES = (USER, "agent")


@dataclass(frozen=True, slots=True)
class Sessions:
    """The result of reading the sessions of a surface.

    Attributes:
        spec: the sessions; None if there are none, or something is unmet.
        unmet: what the schema lacks.
        unmet_rules: what the rules for updates lack, if the schema itself lacks nothing.
        without_default: by wire name, why agents have no default for methods that they need.
    """

    spec: SessionSpec | None = None
    unmet: tuple[Unmet, ...] = ()
    unmet_rules: tuple[str, ...] = ()
    without_default: Mapping[str, list[Unmet]] = field(default_factory=dict)


def find_updates_union(index: SchemaIndex) -> TaggedUnion | None:
    """The union of session updates, if the schema has one."""
    method = index.method(*UPDATE)
    name = index.type(method.params, "update") if method else None
    union = index.definitions.get(name or "")
    return union if isinstance(union, TaggedUnion) else None


def read_sessions(index: SchemaIndex, rules: Sequence[UpdateRule], content: str | None) -> Sessions:
    """Read the sessions of a surface.

    Args:
        index: the schema.
        rules: the rules for its session updates.
        content: the union that the content of messages is made of.
    """
    turn = {place: method for place in _TURN if (method := index.method(*place))}
    absent = [place for place in _TURN if place not in turn]
    if not turn:
        return Sessions()  # the schema is not about sessions
    if absent:
        listed = ", no ".join(f"{kind} {wire}" for _, kind, wire in absent)
        return Sessions(unmet=(index.unmet(None, f"there is no {listed}"),))
    reader = _Reader(index, turn, rules, content)
    spec = reader.read()
    if reader.unmet:
        return Sessions(unmet=tuple(dict.fromkeys(reader.unmet)))
    if reader.unmet_rules:
        return Sessions(unmet_rules=tuple(dict.fromkeys(reader.unmet_rules)))
    return Sessions(spec, without_default=reader.without_default)


class _Reader:
    """Reads the parts of a `SessionSpec`.

    Each part is read once; one that is missing is noted, and read as an empty name.

    Attributes:
        unmet: what the schema lacks.
        unmet_rules: what the rules for updates lack.
        without_default: by wire name, why agents have no default for methods that they need.
    """

    def __init__(
        self,
        index: SchemaIndex,
        turn: Mapping[tuple[str, str, str], Method],
        rules: Sequence[UpdateRule],
        content: str | None,
    ) -> None:
        self.unmet: list[Unmet] = []
        self.unmet_rules: list[str] = []
        self.without_default: Mapping[str, list[Unmet]] = {}
        self._index = index
        self._turn = turn
        self._rules = rules
        self._content = content

    def read(self) -> SessionSpec:
        """Read all parts; the result is usable only if nothing is unmet."""
        index = self._index
        new, prompt, cancel, update, permission = (self._turn[place] for place in _TURN)
        initialize = handshake(index.methods)
        if initialize is not None:
            self._read_from(initialize.params, "protocolVersion")
            self._read_from(initialize.result, "protocolVersion")
        self._read_from(new.result, "sessionId")
        self._read_from(prompt.params, "_meta")
        self._construct(prompt.params, "sessionId", "prompt")
        self._construct(cancel.params, "sessionId")
        self._construct(update.params, "sessionId", "update")
        self._read_from(update.params, "_meta")
        self._read_from(permission.params, "sessionId")
        self._construct(permission.result, "outcome")
        outcomes = index.type(permission.result, "outcome")
        cancelled = self._arm(outcomes, "cancelled")
        selected = self._arm(outcomes, "selected", "optionId")
        text = self._arm(index.items(prompt.params, "prompt"), "text", "text")
        activity = self._activity(prompt.result)
        ending = activity.idle if activity else prompt.result
        reasons = self._stop_reasons(ending)
        session_id = self._type(prompt.params, "sessionId")
        methods = SessionMethods(index)
        openers, loaders, lists = methods.openers(), methods.loaders(), methods.lists()
        close = self._close(methods.closing())
        names = methods.names([*openers, *loaders, *lists])
        chunks = self._chunks()
        message = self._message(activity, chunks)
        self._check_tool_calls()
        reports = self._usage_reports()
        at_end = index.type(ending, "usage")
        required = [m.wire for m in members_of(index.definitions, new.result) if m.required]
        agents = {name for role, name in chunks.items() if role != USER}
        speaking = {rule.sender: rule.role for rule in self._rules if rule.sender and rule.role}
        spoken = {chunks[role] for role in speaking.values() if role in chunks}
        calls = methods.calls(speaking)
        is_plain_new = required == ["sessionId"]
        handled = [prompt, *([close] if close else []), *([new] if is_plain_new else [])]
        defaults, self.without_default = read_agent_defaults(index, new, self._rules, handled)
        return SessionSpec(
            new=new,
            prompt=prompt,
            cancel=cancel,
            update=update,
            permission=permission,
            close=close,
            is_plain_new=is_plain_new,
            openers=openers,
            loaders=loaders,
            enders=methods.enders(),
            lists=lists,
            names=names,
            actions=methods.actions([*openers, *loaders, *lists], names.values()),
            session_id=session_id,
            mcp_server=index.items(new.params, "mcpServers"),
            text=text,
            cancelled=cancelled,
            selected=selected,
            stop_reason=index.type(ending, "stopReason") or "str",
            stop_reasons=tuple(map(str, reasons.values)) if reasons else (),
            allows_custom=reasons is not None and reasons.other is not None,
            activity=activity,
            usage=tuple(dict.fromkeys(report for report in (at_end, *reports) if report)),
            reports=reports,
            chunks=chunks,
            message=message,
            speaking=speaking,
            names_messages=any(index.is_required(name, "messageId") for name in agents),
            calls=calls,
            senders=self._senders(spoken, [*speaking, *(call.name for call in calls)]),
            defaults=defaults,
        )

    # --- requirements ------------------------------------------------------------------------

    def _need(self, unmet: Iterable[Unmet]) -> None:
        self.unmet += unmet

    def _read_from(self, name: str | None, *wires: str) -> None:
        self._need(self._index.unreadable(name, *wires))

    def _construct(self, name: str | None, *wires: str) -> None:
        self._need(self._index.unconstructible(name, *wires))

    def _type(self, name: str | None, wire: str) -> str:
        """The definition that a member refers to."""
        definition = self._index.type(name, wire)
        if definition is None:
            message = f"{wire!r} of {name} does not refer to a definition"
            self._need([self._index.unmet(name, message)])
        return definition or ""

    def _arm(self, union: str | None, tag: str, *wires: str) -> str:
        """The class of an arm that can be constructed from these members."""
        arm = self._index.arms(union).get(tag)
        if arm is None:
            message = f"{union or 'a union'} has no arm {tag!r}"
            self._need([self._index.unmet(union, message)])
            return ""
        self._construct(arm, *wires)
        return arm

    # --- how a turn ends ---------------------------------------------------------------------

    def _activity(self, response: str | None) -> Activity | None:
        """The updates that end a turn; None where the response to the prompt does."""
        index = self._index
        if index.has(response, "stopReason"):
            self._construct(response, "stopReason")
            return None
        self._construct(response, "messageId")
        classes = self._running_and_idle()
        if classes is None:
            message = (
                f"neither {response} has a member 'stopReason', nor an arm of an update that has"
                " an arm 'running' as well"
            )
            self._need([index.unmet(response, message)])
            return None
        running, idle, busy, waiting = classes
        states = [running, idle, *index.subtypes(idle).values(), *([waiting] if waiting else [])]
        has_background = all(index.is_optional(name, "background") for name in states)
        background = ["background"] if has_background else []
        reason = ["stopReason"] if index.is_optional(idle, "stopReason") else []
        self._construct(running, *background)
        self._construct(idle, *background, *reason)
        if waiting is not None:
            self._construct(waiting, *background)
        failed = index.subtypes(idle).get("error")
        if failed is None:
            message = f"{idle} has no arm for the stop reason 'error', with a member 'error'"
            self._need([index.unmet(idle, message)])
            return Activity(running, idle, busy, "", "", waiting, has_background)
        self._construct(failed, "error", *background)
        error = index.type(failed, "error")
        self._construct(error, "code", "message", "data")
        return Activity(running, idle, busy, failed, error or "", waiting, has_background)

    def _running_and_idle(self) -> tuple[str, str, tuple[str, ...], str | None] | None:
        """The classes for work that goes on, that has ended, that has not ended, and that waits."""
        index, union = self._index, find_updates_union(self._index)
        for arm in union.arms if union else ():
            inner = index.definitions.get(arm.target)
            states = index.arms(arm.target)
            for tag, idle in states.items():
                if "running" in states and index.has(idle, "stopReason"):
                    busy = [name for other, name in states.items() if other != tag]
                    if isinstance(inner, TaggedUnion) and inner.unknown is not None:
                        busy.append(inner.unknown.name)
                    return states["running"], idle, tuple(busy), states.get("requires_action")
        return None

    def _stop_reasons(self, ending: str | None) -> Enumeration | None:
        reasons = self._index.enumeration(ending, "stopReason")
        missing = _OWN_REASONS.difference(reasons.values if reasons else ())
        if missing and self._index.has(ending, "stopReason"):
            message = f"'stopReason' of {ending} does not list {', '.join(sorted(missing))}"
            self._need([self._index.unmet(ending, message)])
        return reasons

    def _close(self, closing: Method | None) -> Method | None:
        if closing is not None:
            self._construct(closing.params, "sessionId")
            self._construct(closing.result)
        return closing

    # --- messages and updates ----------------------------------------------------------------

    def _chunks(self) -> dict[str, str]:
        """The class of message chunks, by role."""
        chunks = (rule for rule in self._rules if rule.operation == "append_to_message")
        classes = {rule.role: rule.classes[0] for rule in chunks if rule.role}
        missing = [role for role in _ROLES if role not in classes]
        self.unmet_rules += [f"no rule for chunks of the role {role}" for role in missing]
        prompted = self._index.items(self._turn[PROMPT].params, "prompt")
        if not missing and self._content != prompted:
            message = f"messages are made of {self._content}, prompts of {prompted}"
            self.unmet_rules.append(message)
        return classes

    def _message(self, activity: Activity | None, chunks: Mapping[str, str]) -> str | None:
        """The class of the user's whole messages."""
        whole = (r for r in self._rules if r.operation == "patch_message" and r.role == USER)
        message = next((rule.classes[0] for rule in whole), None)
        if activity is not None:
            if message is None:
                self.unmet_rules.append(f"no rule for whole messages of the role {USER}")
            if not any(self._sets_state(rule, activity.idle) for rule in self._rules):
                self.unmet_rules.append(f"no rule that sets 'state' to {activity.idle}")
        elif USER in chunks:
            unmet = self._index.unconstructible(chunks[USER], "messageId", "content")
            self.unmet_rules += [lack.message for lack in unmet]
        return message

    def _check_tool_calls(self) -> None:
        for rule in self._rules:
            calls = rule.collection
            if calls and calls.name == "tool_calls" and not self._index.has(calls.entry, "status"):
                message = f"{calls.entry} has no member 'status', which cancelling changes"
                self.unmet_rules.append(message)

    def _usage_reports(self) -> tuple[str, ...]:
        """The classes of the updates that report usage."""
        rules = (rule for rule in self._rules if rule.slot and rule.slot.name == "usage")
        return tuple(rule.classes[0] for rule in rules)

    def _sets_state(self, rule: UpdateRule, idle: str) -> bool:
        slot = rule.slot.name if rule.slot else None
        return rule.operation == "set" and slot == "state" and idle in rule.classes

    # --- senders of agent sessions ---------------------------------------------------------------

    def _senders(self, spoken: set[str], others: Sequence[str]) -> dict[str, str]:
        """The senders of agent sessions: the class of the update that each sends, by its name.

        Args:
            spoken: the classes that are sent in other ways.
            others: the names of the other methods of agent sessions.
        """
        union = find_updates_union(self._index)
        if union is None:
            params = self._turn[UPDATE].params
            message = f"'update' of {params} is not a tagged union"
            self._need([self._index.unmet(params, message)])
            return {}
        tags = self._index.arms(union.name)
        senders: dict[str, str] = {}
        for tag, name in tags.items():
            states = self._index.arms(name)
            for state, arm in states.items() or [(tag, name)]:
                # What is one of several classes has no constructor; `update` sends it.
                is_class = isinstance(self._index.definitions[arm], Record)
                if is_class and arm not in spoken:
                    taken = {*senders, *others}
                    senders[naming.sender_name(state, states or tags, arm, taken)] = arm
        return senders
