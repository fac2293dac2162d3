"""Builds a `SessionSpec` and notes the requirements that a surface doesn't meet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from acpgen.analysis.build_context import BuildContext
from acpgen.analysis.schema_index import SchemaIndex, Unmet
from acpgen.ir import naming
from acpgen.ir.model import (
    Boolean,
    Enumeration,
    Integer,
    Method,
    Record,
    Reference,
    Shape,
    String,
    TaggedUnion,
)
from acpgen.ir.queries import classes_of, find_definition, handshake, members_of, unwrap
from acpgen.ir.session import (
    USER,
    Activity,
    AgentDefaults,
    SessionAction,
    SessionCall,
    SessionPage,
    SessionResume,
    SessionSpec,
    UpdateRule,
)

# The methods that a turn requires: the handling side, the kind and the wire name of each.
NEW = ("agent", "request", "session/new")
PROMPT = ("agent", "request", "session/prompt")
CANCEL = ("agent", "notification", "session/cancel")
UPDATE = ("client", "notification", "session/update")
PERMISSION = ("client", "request", "session/request_permission")
# The method that only closes a session. If the schema defines this method, agents with sessions
# handle it.
CLOSE = "session/close"
# All methods that close a session.
_ENDERS = frozenset({CLOSE, "session/delete"})
# The names of client session methods whose names aren't derived from the wire name.
_OWN_NAMES = {NEW[-1]: naming.CREATE, "session/list": naming.LIST}
# The requests that ask the user a question.
_QUESTIONS = frozenset({PERMISSION[-1], "elicitation/create"})
_TURN = (NEW, PROMPT, CANCEL, UPDATE, PERMISSION)
# The stop reasons that the runtime itself reports.
_OWN_REASONS = frozenset({"cancelled", "end_turn"})
# The required message roles, for prompts and for the agent's messages.
_ROLES = (USER, "agent")


def find_updates_union(index: SchemaIndex) -> TaggedUnion | None:
    """Return the union of session updates, if the schema defines one."""
    method = index.method(*UPDATE)
    name = index.type(method.params, "update") if method else None
    union = find_definition(index.definitions, name)
    return union if isinstance(union, TaggedUnion) else None


def read_sessions(
    index: SchemaIndex,
    rules: Sequence[UpdateRule],
    content: str | None,
    context: BuildContext,
    surface: str,
) -> SessionSpec | None:
    """Return the `SessionSpec` of a surface, or None if the surface cannot have sessions.

    Notes about missing parts of the schema, missing update rules, and methods without the usual
    default implementation are recorded in the context.

    Args:
        index: the schema.
        rules: the update rules.
        content: the name of the union for message content.
        context: the context of the build.
        surface: the name of the surface.
    """
    turn = {place: method for place in _TURN if (method := index.method(*place))}
    absent = [place for place in _TURN if place not in turn]
    if not turn:
        return None  # the schema does not define sessions
    reader = _Reader(index, turn, rules, content)
    if absent:
        listed = ", ".join(f"{kind} {wire}" for _, kind, wire in absent)
        reader.unmet.append(index.unmet(None, f"the schema does not define {listed}"))
    spec = None if absent else reader.read()
    without = "so agent and client sessions are omitted"
    if reader.unmet:
        advice = "fix the schema, or adapt acpgen.analysis.sessions"
        for unmet in dict.fromkeys(reader.unmet):
            context.note(unmet.pointer, "unsupported", f"{unmet.message}, {without}; {advice}")
        return None
    if reader.unmet_rules:
        for message in dict.fromkeys(reader.unmet_rules):
            context.note_misfit("updates.toml", (surface,), f"{message}, {without}; fix the rules")
        return None
    version = surface.partition("_")[0]
    advice = f"give a reason in policy.toml under /without_default/{version}, or fix the schema"
    for wire, lacks in reader.without_default.items():
        for lack in [] if context.is_without_default(version, wire) else lacks:
            problem = f"{wire!r} has no default: {lack.message}, so agents with sessions must"
            context.note(lack.pointer, "unsupported", f"{problem} define it; {advice}")
    return spec


class _Reader:
    """A reader that finds the parts of a `SessionSpec` and records unmet requirements.

    Missing parts are replaced with empty names so that the other parts can still be read.
    """

    def __init__(
        self,
        index: SchemaIndex,
        turn: Mapping[tuple[str, str, str], Method],
        rules: Sequence[UpdateRule],
        content: str | None,
    ) -> None:
        self.unmet: list[Unmet] = []  # requirements that the schema does not meet
        self.unmet_rules: list[str] = []  # requirements that the update rules do not meet
        # The reasons why required methods have no default implementation, by wire name.
        self.without_default: dict[str, list[Unmet]] = {}
        self._index = index
        self._turn = turn
        self._rules = rules
        self._content = content
        # The session requests that the agent handles, except the prompt.
        self._about = [
            method
            for method in index.methods
            if method.side == "agent"
            and method.result
            and (method.wire or "").startswith("session/")
            and method.wire != PROMPT[-1]
        ]

    def read(self) -> SessionSpec:
        """Read all parts. The result is valid only if all requirements are met."""
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
        activity = self._activity(prompt.result)
        ending = activity.idle if activity else prompt.result
        reasons = self._stop_reasons(ending)
        session_id = index.type(prompt.params, "sessionId")
        if session_id is None:
            lack = f"'sessionId' of {prompt.params} does not refer to a definition"
            self._need(prompt.params, lack)
        # The methods that open a session, `session/new` first.
        opening = (m for m in self._about if not index.unreadable(m.result, "sessionId"))
        openers = tuple(sorted(opening, key=lambda method: method.wire != NEW[-1]))
        others = [method for method in self._about if method not in openers]
        loaders = tuple(m for m in others if index.has(m.params, "sessionId", "cwd"))
        lists = tuple(m for m in others if not index.has(m.params, "sessionId"))
        close = self._close(others)
        offered = [*openers, *loaders, *lists]
        names = self._names(offered)
        chunks = self._chunks()
        for rule in self._rules:
            calls = rule.collection
            if calls and calls.name == "tool_calls" and not index.has(calls.entry, "status"):
                lack = f"{calls.entry} has no field 'status', which cancellation must set"
                self.unmet_rules.append(lack)
        reports = tuple(
            rule.classes[0] for rule in self._rules if rule.slot and rule.slot.name == "usage"
        )
        at_end = index.type(ending, "usage")
        agents = {name for role, name in chunks.items() if role != USER}
        speaking = {rule.sender: rule.role for rule in self._rules if rule.sender and rule.role}
        spoken = {chunks[role] for role in speaking.values() if role in chunks}
        client_calls = self._calls(speaking)
        needed = [m.wire for m in members_of(index.definitions, new.result) if m.required]
        is_plain_new = needed == ["sessionId"]
        handled = [prompt, *([close] if close else []), *([new] if is_plain_new else [])]
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
            enders=tuple(method for method in others if method.wire in _ENDERS),
            lists=lists,
            names=names,
            actions=self._actions(offered, names.values()),
            session_id=session_id or "",
            mcp_server=index.items(new.params, "mcpServers"),
            text=self._arm(index.items(prompt.params, "prompt"), "text", "text"),
            cancelled=self._arm(outcomes, "cancelled"),
            selected=self._arm(outcomes, "selected", "optionId"),
            stop_reason=index.type(ending, "stopReason") or "str",
            stop_reasons=tuple(map(str, reasons.values)) if reasons else (),
            allows_custom=reasons is not None and reasons.other is not None,
            activity=activity,
            usage=tuple(dict.fromkeys(report for report in (at_end, *reports) if report)),
            reports=reports,
            chunks=chunks,
            message=self._message(activity),
            speaking=speaking,
            names_messages=any(index.is_required(name, "messageId") for name in agents),
            calls=client_calls,
            senders=self._senders(spoken, [*speaking, *(call.name for call in client_calls)]),
            defaults=self._defaults(new, handled),
        )

    # --- requirements ------------------------------------------------------------------------

    def _need(self, name: str | None, message: str) -> None:
        self.unmet.append(self._index.unmet(name, message))

    def _read_from(self, name: str | None, *wires: str) -> None:
        self.unmet += self._index.unreadable(name, *wires)

    def _construct(self, name: str | None, *wires: str) -> None:
        self.unmet += self._index.unconstructible(name, *wires)

    def _arm(self, union: str | None, tag: str, *wires: str) -> str:
        """Return the class of a variant, which must be constructible from the given fields."""
        arm = self._index.arms(union).get(tag)
        if arm is None:
            self._need(union, f"{union or 'a union'} has no variant {tag!r}")
            return ""
        self._construct(arm, *wires)
        return arm

    # --- the end of a turn -------------------------------------------------------------------

    def _activity(self, response: str | None) -> Activity | None:
        """Return the updates that end turns, or None if responses to prompts end turns."""
        index = self._index
        if index.has(response, "stopReason"):
            self._construct(response, "stopReason")
            return None
        self._construct(response, "messageId")
        classes = self._running_and_idle()
        if classes is None:
            message = (
                f"{response} has no field 'stopReason', and no update has both a variant with that"
                " field and a variant 'running'"
            )
            self._need(response, message)
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
            message = f"{idle} has no variant for the stop reason 'error'"
            self._need(idle, message)
            return Activity(running, idle, busy, "", "", waiting, has_background)
        self._construct(failed, "error", *background)
        error = index.type(failed, "error")
        self._construct(error, "code", "message", "data")
        return Activity(running, idle, busy, failed, error or "", waiting, has_background)

    def _running_and_idle(self) -> tuple[str, str, tuple[str, ...], str | None] | None:
        """Return the classes that report the state of the agent, if the schema defines them.

        The result contains the class for a running agent, the class for an idle agent, all classes
        except the idle one, and the class for an agent that waits for the user, if any.
        """
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
            self._need(ending, message)
        return reasons

    def _chunks(self) -> dict[str, str]:
        """Return the classes for message chunks, by role."""
        chunks = (rule for rule in self._rules if rule.operation == "append_to_message")
        classes = {rule.role: rule.classes[0] for rule in chunks if rule.role}
        missing = [role for role in _ROLES if role not in classes]
        self.unmet_rules += [f"no rule for chunks of the role {role}" for role in missing]
        prompted = self._index.items(self._turn[PROMPT].params, "prompt")
        if not missing and self._content != prompted:
            message = f"messages contain {self._content}, but prompts contain {prompted}"
            self.unmet_rules.append(message)
        return classes

    def _message(self, activity: Activity | None) -> str | None:
        """Return the class for the user's complete messages, if there is one."""
        whole = (r for r in self._rules if r.operation == "patch_message" and r.role == USER)
        message = next((rule.classes[0] for rule in whole), None)
        if activity is not None:
            if message is None:
                self.unmet_rules.append(f"no rule for complete messages of the role {USER}")
            setters = (rule for rule in self._rules if rule.operation == "set")
            states = [r.classes for r in setters if r.slot and r.slot.name == "state"]
            if not any(activity.idle in classes for classes in states):
                self.unmet_rules.append(f"no rule sets 'state' to {activity.idle}")
        return message

    def _senders(self, spoken: set[str], others: Sequence[str]) -> dict[str, str]:
        """Return the agent session's methods that send one update, each with the update's class.

        Args:
            spoken: the classes that other methods send.
            others: the names of the session's other methods.
        """
        union = find_updates_union(self._index)
        if union is None:
            params = self._turn[UPDATE].params
            self._need(params, f"'update' of {params} is not a tagged union")
            return {}
        tags = self._index.arms(union.name)
        senders: dict[str, str] = {}
        for tag, name in tags.items():
            states = self._index.arms(name)
            for state, arm in states.items() or [(tag, name)]:
                # Variants with several classes have no single constructor, so they have no sender.
                # To send such variants, programs call the agent session's `update`.
                is_class = isinstance(self._index.definitions[arm], Record)
                if is_class and arm not in spoken:
                    taken = {*senders, *others}
                    senders[naming.sender_name(state, states or tags, arm, taken)] = arm
        return senders

    def _close(self, others: Sequence[Method]) -> Method | None:
        """Return the method that closes a session, if it has no params except the session's id."""
        close = next((method for method in others if method.wire == CLOSE), None)
        if close is None or self._index.wires(close.params) != {"sessionId", "_meta"}:
            return None
        self._construct(close.params, "sessionId")
        self._construct(close.result)
        return close

    def _names(self, offered: Sequence[Method]) -> dict[str, str]:
        """Return the client session's names for agent methods, by wire name."""
        names: dict[str, str] = {}
        for method in self._about:
            if method.wire in _OWN_NAMES:
                names[method.wire] = _OWN_NAMES[method.wire]
            elif method.wire is not None and method in offered:
                taken = names.values()
                names[method.wire] = naming.session_method(method.wire, method.name, taken)
        return names

    def _actions(self, others: Sequence[Method], taken: Iterable[str]) -> tuple[SessionAction, ...]:
        """Return the other calls to the agent that include a session id.

        Calls for turns, `session/close` and the methods in `others` are excluded.
        """
        done = {PROMPT[-1], CANCEL[-1], CLOSE, *(method.wire for method in others)}
        used = set(taken)
        actions: list[SessionAction] = []
        for method in self._index.methods:
            if method.side != "agent" or method.wire is None or method.wire in done:
                continue
            for action in self._as_actions(method, method.wire, used):
                used.add(action.name)
                actions.append(action)
        return tuple(actions)

    def _as_actions(self, method: Method, wire: str, used: set[str]) -> Iterator[SessionAction]:
        """Yield the client session's methods for a call.

        If one field distinguishes the classes of the params, there is one method. Otherwise, there
        is one method for each class.
        """
        name = naming.session_method(wire, method.name, used)
        classes = [
            class_
            for class_ in classes_of(Reference(method.params), self._index.definitions)
            if self._names_session(class_)
        ]
        if len(classes) < 2:
            yield from (SessionAction(method, name, (class_,)) for class_ in classes)
        elif (chosen_by := self._distinction(classes)) is not None:
            # In Python, a bool is also an int, so check for booleans first.
            ranked = sorted(
                classes, key=lambda class_: self._scalar(class_, chosen_by) is not Boolean
            )
            yield SessionAction(method, name, tuple(ranked), chosen_by)
        else:
            for longer, params in self._session_params(method).items():
                arm = longer.removeprefix(method.name)
                yield SessionAction(
                    method, naming.session_method(wire + arm, longer, used), (params,)
                )

    def _distinction(self, classes: Sequence[str]) -> str | None:
        """Return the field whose type distinguishes classes that are otherwise equal, if any."""
        definitions = self._index.definitions
        members = [
            {each.wire: each for each in members_of(definitions, name) if each.const is None}
            for name in classes
        ]
        first, *others = members
        if any(named.keys() != first.keys() for named in others):
            return None
        differing = [
            wire
            for wire, member in first.items()
            if any(named[wire].shape != member.shape for named in others)
        ]
        if len(differing) != 1:
            return None
        scalars = {self._scalar(name, differing[0]) for name in classes}
        is_clear = len(scalars) == len(classes) and None not in scalars
        return differing[0] if is_clear else None

    def _scalar(self, name: str, wire: str) -> type[Shape] | None:
        """Return the kind of a field's values if they are booleans, strings or integers."""
        member = self._index.member(name, wire)
        shape = unwrap(member.shape, self._index.definitions) if member else None
        return type(shape) if isinstance(shape, Boolean | String | Integer) else None

    def _calls(self, senders: Iterable[str]) -> tuple[SessionCall, ...]:
        """Return the calls to the client that include a session id, except updates."""
        calls: list[SessionCall] = []
        for method in self._index.methods:
            if method.side == "client" and method.wire and method.wire != UPDATE[-1]:
                for name, params in self._session_params(method).items():
                    taken = [*senders, *(call.name for call in calls)]
                    free = naming.session_call(method.wire, name, taken)
                    question = method.wire in _QUESTIONS and method.kind == "request"
                    calls.append(SessionCall(method, free, params, question))
        return tuple(calls)

    def _session_params(self, method: Method) -> dict[str, str]:
        """Return a method's params classes that contain a session id, by call name."""
        if self._names_session(method.params):
            return {method.name: method.params}
        params: dict[str, str] = {}
        for tag, arm in self._index.arms(method.params).items():
            classes = classes_of(Reference(arm), self._index.definitions)
            naming_one = [class_ for class_ in classes if self._names_session(class_)]
            if len(naming_one) == 1:
                params[f"{method.name}_{naming.snake(tag)}"] = naming_one[0]
        return params

    def _names_session(self, name: str) -> bool:
        is_record = isinstance(self._index.definitions.get(name), Record)
        return is_record and self._index.is_required(name, "sessionId")

    # --- defaults of agents ------------------------------------------------------------------

    def _defaults(self, new: Method, handled: Collection[Method]) -> AgentDefaults:
        """Return the default implementations that agents with sessions need.

        Agents need defaults for all requests that require the same capability as `new`. Requests in
        `handled` are excluded because the templates already implement them.
        """
        index = self._index
        page: SessionPage | None = None
        resume: SessionResume | None = None
        options: list[Method] = []
        for method in index.methods:
            is_needed = method.capability is not None and method.capability == new.capability
            if method.wire is None or method.kind != "request" or not is_needed:
                continue
            if method in handled:
                continue
            lacks: list[Unmet] = []
            if method.wire == "session/list":
                entry = index.items(method.result, "sessions")
                lacks += index.unreadable(method.params, "cwd", "cursor")
                lacks += index.unconstructible(method.result, "sessions", "nextCursor")
                lacks += index.unconstructible(entry, "sessionId", "cwd")
                page = None if lacks else self._page(method, entry or "")
            elif method.wire == "session/resume":
                replay = index.type(method.params, "replayFrom")
                start = index.arms(replay).get("start")
                lacks += index.unreadable(method.params, "sessionId", "replayFrom")
                if not lacks and start is None:
                    lacks.append(
                        index.unmet(replay, f"{replay or 'replayFrom'} has no variant 'start'")
                    )
                lacks += index.unconstructible(method.result)
                resume = SessionResume(method, start) if start and not lacks else None
            elif index.has(method.params, "sessionId", "configId"):
                options.append(method)
            else:
                lacks.append(index.unmet(method.params, "the generator cannot implement it"))
            if lacks:
                self.without_default[method.wire] = lacks
        return AgentDefaults(page, resume, tuple(options))

    def _page(self, method: Method, entry: str) -> SessionPage:
        has, slots = self._index.has, [rule.slot for rule in self._rules if rule.slot]
        info = next((slot.entry for slot in slots if slot.name == "info"), None)
        has_title = has(entry, "title") and has(info, "title")
        return SessionPage(method, entry, has(entry, "additionalDirectories"), has_title)
