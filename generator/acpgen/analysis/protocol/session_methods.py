"""The methods about sessions: which there are, and what sessions call them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from acpgen.analysis.protocol.index import SchemaIndex
from acpgen.ir import naming
from acpgen.ir.model import Boolean, Integer, Method, Record, Reference, Shape, String
from acpgen.ir.queries import classes_of, members_of, unwrap
from acpgen.ir.session import SessionAction, SessionCall

# The methods of a turn: who handles each, its kind and its wire name.
NEW = ("agent", "request", "session/new")
PROMPT = ("agent", "request", "session/prompt")
CANCEL = ("agent", "notification", "session/cancel")
UPDATE = ("client", "notification", "session/update")
PERMISSION = ("client", "request", "session/request_permission")
# The method that closes a session: agents that have it handle it, so it must be constructible.
CLOSE = "session/close"
# The methods that close a session.
_ENDERS = frozenset({CLOSE, "session/delete"})
# What client sessions call some methods; other names are made from the wire name.
_OWN_NAMES = {NEW[-1]: naming.CREATE, "session/list": naming.LIST}
# The requests that ask the user.
_QUESTIONS = frozenset({PERMISSION[-1], "elicitation/create"})


class SessionMethods:
    """The methods of a schema that name a session, or open, bring back or list sessions."""

    def __init__(self, index: SchemaIndex) -> None:
        self._index = index

    def _about_sessions(self) -> list[Method]:
        """The agent's requests about sessions, except the prompt."""
        return [
            method
            for method in self._index.methods
            if method.side == "agent"
            and method.result
            and (method.wire or "").startswith("session/")
            and method.wire != PROMPT[-1]
        ]

    def openers(self) -> tuple[Method, ...]:
        """Those that open a session, `session/new` first."""
        opening = (m for m in self._about_sessions() if self._is_opener(m))
        return tuple(sorted(opening, key=lambda method: method.wire != NEW[-1]))

    def _is_opener(self, method: Method) -> bool:
        return not self._index.unreadable(method.result, "sessionId")

    def _others(self) -> list[Method]:
        return [method for method in self._about_sessions() if not self._is_opener(method)]

    def loaders(self) -> tuple[Method, ...]:
        """Those that bring a session back."""
        return tuple(m for m in self._others() if self._index.has(m.params, "sessionId", "cwd"))

    def lists(self) -> tuple[Method, ...]:
        """Those that list sessions."""
        return tuple(m for m in self._others() if not self._index.has(m.params, "sessionId"))

    def closing(self) -> Method | None:
        """The method that closes a session and needs nothing else for it."""
        closing = (method for method in self._others() if method.wire == CLOSE)
        close = next(closing, None)
        if close is None or self._index.wires(close.params) != {"sessionId", "_meta"}:
            return None
        return close

    def enders(self) -> tuple[Method, ...]:
        """Return the methods that end a session."""
        return tuple(method for method in self._others() if method.wire in _ENDERS)

    def names(self, offered: Sequence[Method]) -> dict[str, str]:
        """The names of the methods that client sessions offer, by wire name."""
        names: dict[str, str] = {}
        for method in self._about_sessions():
            if method.wire in _OWN_NAMES:
                names[method.wire] = _OWN_NAMES[method.wire]
            elif method.wire is not None and method in offered:
                taken = names.values()
                names[method.wire] = naming.session_method(method.wire, method.name, taken)
        return names

    def actions(self, others: Sequence[Method], taken: Iterable[str]) -> tuple[SessionAction, ...]:
        """The calls to the agent that name a session, other than those of turns and `others`.

        Args:
            others: methods that client sessions offer in other ways.
            taken: the names of these.
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
        """The methods for a call: one, if a single member tells the classes of its params apart."""
        name = naming.session_method(wire, method.name, used)
        classes = [
            class_
            for class_ in classes_of(Reference(method.params), self._index.definitions)
            if self._names_session(class_)
        ]
        if len(classes) < 2:
            yield from (SessionAction(method, name, (class_,)) for class_ in classes)
        elif (chosen_by := self._distinction(classes)) is not None:
            # A bool is an int, too, so it is looked for first.
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
        """The only member in which classes differ, if the types of its values tell them apart."""
        definitions = self._index.definitions
        members = [
            {
                member.wire: member
                for member in members_of(definitions, name)
                if member.const is None
            }
            for name in classes
        ]
        if any(named.keys() != members[0].keys() for named in members):
            return None
        differing = [
            wire
            for wire, member in members[0].items()
            if any(named[wire].shape != member.shape for named in members)
        ]
        if len(differing) != 1:
            return None
        scalars = {self._scalar(name, differing[0]) for name in classes}
        is_clear = len(scalars) == len(classes) and None not in scalars
        return differing[0] if is_clear else None

    def _scalar(self, name: str, wire: str) -> type[Shape] | None:
        """The kind of a member's values, if Python has a class of its own for them."""
        member = self._index.member(name, wire)
        shape = unwrap(member.shape, self._index.definitions) if member else None
        return type(shape) if isinstance(shape, Boolean | String | Integer) else None

    def calls(self, senders: Iterable[str]) -> tuple[SessionCall, ...]:
        """Return the calls to the client with a session in their params, except updates.

        Args:
            senders: the names of other methods of agent sessions.
        """
        calls: list[SessionCall] = []
        for method in self._index.methods:
            if method.side == "client" and method.wire not in (None, UPDATE[-1]):
                for name, params in self._session_params(method).items():
                    taken = [*senders, *(call.name for call in calls)]
                    free = naming.session_call(method.wire or "", name, taken)
                    question = method.wire in _QUESTIONS and method.kind == "request"
                    calls.append(SessionCall(method, free, params, question))
        return tuple(calls)

    def _session_params(self, method: Method) -> dict[str, str]:
        """The classes of a method's params that name a session, by the name of the call."""
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
