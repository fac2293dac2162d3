"""Read the envelopes: which params and results the schema lists, and who handles them.

Envelopes are the definitions that `acpgen.schema.envelopes` finds, and the messages that the
document itself describes. A message with `result` lists results; another one lists params, of a
request if it has an `id` or is called so. `AgentRequest` and its like say by their names who sends
them; of any other envelope, the side that handles it is what most definitions state as `x-side`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from acpgen.analysis.context import BuildContext
from acpgen.common.pointers import pointer
from acpgen.ir import naming
from acpgen.schema.envelopes import is_list
from acpgen.schema.nodes import Node

_NAME = re.compile(r"([A-Za-z]+?)(Request|Response|Notification)")
# Who handles what each sender sends.
_HANDLED_BY = {"Agent": "client", "Client": "agent", "ProtocolLevel": "protocol"}
_BOTH = "both"
_PROTOCOL = "protocol"
_NO_MEMBERS: Mapping[str, Node] = {}


@dataclass(frozen=True, slots=True)
class Call:
    """Params that an envelope lists.

    Attributes:
        side: who handles the call.
        kind: `request` or `notification`.
        params: the definition of the params.
        at: the pointer to the envelope.
        null_id: whether the id of the request may be null.
    """

    side: str
    kind: str
    params: str
    at: str
    null_id: bool = True


@dataclass(frozen=True, slots=True)
class Listed:
    """The contents of all envelopes of a schema.

    Attributes:
        calls: the params that they list.
        results: the pointer to the envelope that lists a result, by side and definition.
    """

    calls: tuple[Call, ...]
    results: dict[tuple[str, str], str]

    def names(self) -> set[str]:
        """The definitions that are listed."""
        return {call.params for call in self.calls} | {name for _, name in self.results}


def read_envelopes(context: BuildContext) -> Listed:
    """Read all envelopes; contradictions become problems of the context."""
    return EnvelopeReader(context).read()


class EnvelopeReader:
    """Reads the envelopes of one schema."""

    def __init__(self, context: BuildContext) -> None:
        self._definitions = context.schemas
        self._root = context.root
        self._context = context
        self._envelopes = [name for name in self._definitions if name not in context.reserved]
        self._calls: dict[tuple[str, str, str], Call] = {}
        self._results: dict[tuple[str, str], str] = {}

    def read(self) -> Listed:
        """Read all envelopes."""
        held: set[str] = set()  # the lists that messages hold
        for name in self._envelopes:
            for message in _messages(self._definitions[name]):
                held |= self._read_message(message, name)
        for message in _messages(self._root):
            self._read_message(message, "")
        for name in self._envelopes:
            if name not in held and is_list(self._definitions[name]):
                self._read_list(name)
        if self._calls:
            self._read_root()
        return Listed(tuple(self._calls.values()), self._results)

    def _read_message(self, message: Mapping[str, Node], envelope: str) -> set[str]:
        """Read one message; returns the lists that it holds."""
        content, takes_null = message.get("params"), _takes_null(message)
        if "result" in message:
            kind, content = "response", message["result"]
        elif "id" in message:
            kind = "request"
        else:
            kind = _kind(envelope) or "notification"
        names = dict.fromkeys(content.references() if content else ())
        self._enter(kind, self._expanded(names), envelope, takes_null)
        return {name for name in names if name in self._envelopes}

    def _read_list(self, name: str) -> None:
        """Read a list of params or results that no message holds."""
        names, kind = self._expanded({name: None}), _kind(name)
        if kind is not None:
            self._enter(kind, names, name, True)
        elif any(self._definitions[listed].method is not None for listed in names):
            message = "is in no message, so that it may list params or results; put it into one"
            self._context.note(pointer("$defs", name), "direction", message)

    def _read_root(self) -> None:
        """Read the notifications that only the document refers to: either side sends them."""
        listed = Listed(tuple(self._calls.values()), self._results).names()
        for name in dict.fromkeys(self._root.references()):
            if name not in listed and self._definitions[name].method is not None:
                call = Call(_PROTOCOL, "notification", name, "/anyOf")
                self._calls[_PROTOCOL, "notification", name] = call

    def _expanded(self, names: dict[str, None]) -> list[str]:
        """The definitions that names stand for, with each list replaced by its items."""
        expanded: dict[str, None] = {}
        pending = list(names)[::-1]
        while pending:
            name = pending.pop()
            if name not in expanded:
                expanded[name] = None
                if name in self._envelopes:
                    pending += list(self._definitions[name].references())[::-1]
        return [name for name in expanded if name not in self._envelopes]

    def _enter(self, kind: str, names: list[str], envelope: str, takes_null: bool) -> None:
        at = pointer("$defs", envelope) if envelope else ""
        side = _side(envelope, kind) or self._stated_side(names) or _own_side(envelope)
        if side is None:
            return
        if not naming.is_side_name(side):
            message = f"needs a module {side!r}, and every surface has one already; rename it"
            self._context.problem(at, "name-collision", message)
        for name in self._with_method(names, at):
            if kind == "response":
                self._results.setdefault((side, name), at)
            else:
                call = Call(side, kind, name, at, takes_null)
                self._calls.setdefault((side, kind, name), call)

    def _with_method(self, names: list[str], at: str) -> list[str]:
        """The definitions that name a method, and the one that stands for extensions.

        That one accepts anything, if several name none; the others are left out, with a note.
        """
        nameless = [name for name in names if self._definitions[name].method is None]
        left_out = {
            name
            for name in nameless
            if len(nameless) > 1 and not self._definitions[name].accepts_anything
        }
        for name in sorted(left_out):
            message = f"lists {name}, which has no x-method: it is left out; add its method"
            self._context.note(at, "direction", message)
        return [name for name in names if name not in left_out]

    def _stated_side(self, names: list[str]) -> str | None:
        """The side that handles what an envelope lists; None if nothing there says so."""
        stated = [self._definitions[name].side for name in names]
        sides = Counter(side for side in stated if side not in (None, _BOTH))
        if sides:
            return str(sides.most_common(1)[0][0])
        return _PROTOCOL if _BOTH in stated else None


def _takes_null(message: Mapping[str, Node]) -> bool:
    """Whether the id of a request may be null; it may where nothing is said about it."""
    return "id" not in message or message["id"].is_nullable


def _kind(envelope: str) -> str | None:
    """The kind of message that an envelope is by its name."""
    match = _NAME.fullmatch(envelope)
    return match[2].lower() if match else None


def _side(envelope: str, kind: str) -> str | None:
    """The side that handles what an envelope lists, if its name says that a known side sends it."""
    match = _NAME.fullmatch(envelope)
    if match is None or match[1] not in _HANDLED_BY:
        return None
    return naming.snake(match[1]) if kind == "response" else _HANDLED_BY[match[1]]


def _own_side(envelope: str) -> str | None:
    """The side that an envelope is named after, which handles its own methods."""
    match = _NAME.fullmatch(envelope)
    return naming.snake(match[1]) if match else None


def _messages(node: Node, around: Mapping[str, Node] = _NO_MEMBERS) -> Iterator[Mapping[str, Node]]:
    """The members of each JSON-RPC message of an envelope, the union around it included."""
    members = {**around, **node.properties}
    if members.keys() & {"method", "params", "result"}:
        yield members
        return
    for arm in node.arms:
        yield from _messages(arm, members)
