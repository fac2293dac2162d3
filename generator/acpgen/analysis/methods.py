"""Builds methods: reads params from envelopes, pairs them with results and adds names.

Envelopes are the definitions that `acpgen.schema.envelopes` finds, and the messages that the
document itself describes. A message with `result` lists results. Any other message lists params.
The params belong to a request if the message has an `id` or if the envelope's name indicates a
request. Otherwise, they belong to a notification. Envelope names such as `AgentRequest` identify
the sender.
For any other envelope, the handling side is the most common `x-side` of the listed definitions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from acpgen.analysis.build_context import BuildContext
from acpgen.common.pointers import pointer
from acpgen.ir import naming
from acpgen.ir.model import Method
from acpgen.schema.envelopes import is_list
from acpgen.schema.nodes import Node

_NAME = re.compile(r"([A-Za-z]+?)(Request|Response|Notification)")
# Maps each sender to the side that handles its messages.
_HANDLED_BY = {"Agent": "client", "Client": "agent", "ProtocolLevel": "protocol"}
_BOTH = "both"
_PROTOCOL = "protocol"
_NO_MEMBERS: Mapping[str, Node] = {}


def find_methods(context: BuildContext) -> tuple[Method, ...]:
    """Return the methods of a schema, ordered by side and name, with extension methods last.

    Contradictions and incomplete parts are recorded in the context.
    """
    if not any(node.method is not None for node in context.schemas.values()):
        message = "no definition has x-method, so only types are generated; add x-method"
        context.note("/$defs", "direction", message)
        return ()
    envelopes = _Envelopes(context)
    if not envelopes.calls:
        return ()
    listed = envelopes.listed()
    for name, node in context.schemas.items():
        if node.method is not None and name not in listed:
            message = "is not in an envelope, so its sender is unknown; add it to an envelope"
            context.note(node.at, "direction", message)
    classes = context.classes
    methods = tuple(
        replace(
            method,
            params=classes[method.params],
            result=method.result and classes[method.result],
        )
        for method in _named(_paired(context, envelopes), context)
    )
    check_reserved(methods, context)
    return methods


def check_reserved(methods: tuple[Method, ...], context: BuildContext) -> None:
    """Report definitions whose name is also generated for a method's constant or class."""
    reserved = {name for m in methods for name in naming.names_reserved_by(m.side, m.name)}
    for name in sorted(reserved):
        # A name that is not a valid class name is reported separately.
        definition = context.definitions.get(name)
        if definition is not None and naming.is_class_name(name):
            advice = context.renaming(name, definition.definition)
            message = f"clashes with a generated name; {advice}"
            context.problem(definition.pointer, "name-collision", message)


# --- envelopes ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Call:
    """The params of a call, as listed by an envelope."""

    side: str  # the side that handles the call
    kind: str  # `request` or `notification`
    params: str  # the definition of the params
    at: str  # the pointer to the envelope
    null_id: bool = True  # whether the id of the request may be null


class _Envelopes:
    """The contents of all envelopes in a schema.

    Attributes:
        calls: the params that envelopes list, by side, kind and definition.
        results: pointers to the envelopes that list results, by side and definition.
    """

    def __init__(self, context: BuildContext) -> None:
        self.calls: dict[tuple[str, str, str], _Call] = {}
        self.results: dict[tuple[str, str], str] = {}
        self._definitions = context.schemas
        self._context = context
        self._envelopes = [name for name in self._definitions if name not in context.reserved]
        held: set[str] = set()  # the names of lists that are part of messages
        for name in self._envelopes:
            for message in _messages(self._definitions[name]):
                held |= self._read_message(message, name)
        for message in _messages(context.root):
            self._read_message(message, "")
        for name in self._envelopes:
            if name not in held and is_list(self._definitions[name]):
                self._read_list(name)
        if self.calls:  # no envelope lists notifications that both sides can send
            listed = self.listed()
            for name in dict.fromkeys(context.root.references()):
                if name not in listed and self._definitions[name].method is not None:
                    call = (_PROTOCOL, "notification", name)
                    self.calls[call] = _Call(*call, "/anyOf")

    def listed(self) -> set[str]:
        """Return the definitions that envelopes list as params or results."""
        return {call.params for call in self.calls.values()} | {name for _, name in self.results}

    def _read_message(self, message: Mapping[str, Node], envelope: str) -> set[str]:
        """Read one message and return the names of the lists in its params or result."""
        content = message.get("params")
        # A request's id can be null unless the schema forbids it.
        null_id = "id" not in message or message["id"].is_nullable
        if "result" in message:
            kind, content = "response", message["result"]
        elif "id" in message:
            kind = "request"
        else:
            kind = _kind(envelope) or "notification"
        names = dict.fromkeys(content.references() if content else ())
        self._enter(kind, self._expanded(names), envelope, null_id)
        return {name for name in names if name in self._envelopes}

    def _read_list(self, name: str) -> None:
        """Read a list of params or results that isn't part of a message."""
        names, kind = self._expanded({name: None}), _kind(name)
        if kind is not None:
            self._enter(kind, names, name, True)
        elif any(self._definitions[listed].method is not None for listed in names):
            message = "is not in a message, so its kind is unknown; use it in a message"
            self._context.note(pointer("$defs", name), "direction", message)

    def _expanded(self, names: dict[str, None]) -> list[str]:
        """Return the names of definitions, with lists replaced by the definitions in them."""
        expanded: dict[str, None] = {}
        pending = list(names)[::-1]
        while pending:
            name = pending.pop()
            if name not in expanded:
                expanded[name] = None
                if name in self._envelopes:
                    pending += list(self._definitions[name].references())[::-1]
        return [name for name in expanded if name not in self._envelopes]

    def _enter(self, kind: str, names: list[str], envelope: str, null_id: bool) -> None:
        at = pointer("$defs", envelope) if envelope else ""
        side = _sending_side(envelope, kind) or self._stated_side(names)
        if side is None and (match := _NAME.fullmatch(envelope)):
            side = naming.snake(match[1])  # a side such as `proxy` handles its own envelopes
        if side is None:
            return
        if not naming.is_side_name(side):
            message = f"clashes with the module {side!r} in every surface; rename the side"
            self._context.problem(at, "name-collision", message)
        for name in self._with_method(names, at):
            if kind == "response":
                self.results.setdefault((side, name), at)
            else:
                call = _Call(side, kind, name, at, null_id)
                self.calls.setdefault((side, kind, name), call)

    def _with_method(self, names: list[str], at: str) -> list[str]:
        """Return the definitions with an `x-method`, and the definition for extension methods.

        The definition for extension methods has no `x-method`. If several definitions have no
        `x-method`, the definition that accepts every value is for extension methods, and the others
        are omitted with a note.
        """
        nameless = [name for name in names if self._definitions[name].method is None]
        left_out = {
            name
            for name in nameless
            if len(nameless) > 1 and not self._definitions[name].accepts_anything
        }
        for name in sorted(left_out):
            message = f"lists {name}, which has no x-method and is omitted; add x-method"
            self._context.note(at, "direction", message)
        return [name for name in names if name not in left_out]

    def _stated_side(self, names: list[str]) -> str | None:
        """Return the most common `x-side` of an envelope's definitions, if any."""
        stated = [self._definitions[name].side for name in names]
        sides = Counter(side for side in stated if side not in (None, _BOTH))
        if sides:
            return str(sides.most_common()[0][0])
        return _PROTOCOL if _BOTH in stated else None


def _kind(envelope: str) -> str | None:
    """Return the kind of message that the name of an envelope indicates, if any."""
    match = _NAME.fullmatch(envelope)
    return match[2].lower() if match else None


def _sending_side(envelope: str, kind: str) -> str | None:
    """Return the side that handles an envelope's methods, derived from the envelope's name.

    The result is None if the name does not identify a known sender.
    """
    match = _NAME.fullmatch(envelope)
    if match is None or match[1] not in _HANDLED_BY:
        return None
    return naming.snake(match[1]) if kind == "response" else _HANDLED_BY[match[1]]


def _messages(node: Node, around: Mapping[str, Node] = _NO_MEMBERS) -> Iterator[Mapping[str, Node]]:
    """Yield the fields of each JSON-RPC message in an envelope, including messages in unions."""
    members = {**around, **node.properties}
    if members.keys() & {"params", "result"}:
        yield members
        return
    for arm in node.arms:
        yield from _messages(arm, members)


# --- pairing -----------------------------------------------------------------------------------


def _paired(context: BuildContext, envelopes: _Envelopes) -> list[Method]:
    """Pair requests with the results that have the same `x-method`."""
    results = _results_by_method(context, envelopes)
    methods: dict[tuple[str, str, str | None], Method] = {}
    for call in envelopes.calls.values():
        wire = context.schemas[call.params].method
        _check_side(context, call.params, call.side, call.at)
        if (call.side, call.kind, wire) in methods:
            message = f"lists two params definitions for {wire!r}; remove one of them"
            context.contradiction(call.at, message)
            continue
        result = results.pop((call.side, wire), None) if call.kind == "request" else None
        if call.kind == "request" and result is None:
            message = f"lists {call.params} ({wire!r}), but no response envelope lists its result"
            context.note(call.at, "direction", f"{message}; list it")
        else:
            methods[call.side, call.kind, wire] = Method(
                wire, "", call.side, call.kind, call.params, result, null_id=call.null_id
            )
    for (side, wire), name in results.items():
        message = (
            f"is a result of {wire!r}, but no envelope lists that request for the {side};"
            " list the request"
        )
        context.note(pointer("$defs", name), "direction", message)
    return sorted(
        methods.values(),
        # A request precedes the notification with the same name. Extension methods are last.
        key=lambda each: (each.wire is None, each.side, each.wire or "", each.kind != "request"),
    )


def _results_by_method(
    context: BuildContext, envelopes: _Envelopes
) -> dict[tuple[str, str | None], str]:
    """Return the name of each result's definition, by side and the method's wire name."""
    results: dict[tuple[str, str | None], str] = {}
    for (side, name), at in envelopes.results.items():
        wire = context.schemas[name].method
        if (side, wire) in results:
            message = f"lists two result definitions for {wire!r}; remove one of them"
            context.contradiction(at, message)
            continue
        results[side, wire] = name
        _check_side(context, name, side, at)
    return results


def _check_side(context: BuildContext, name: str, side: str, at: str) -> None:
    """Compare the `x-side` of a definition with the side of its envelope."""
    stated = context.schemas[name].side or side
    # `both` means the agent and the client.
    agrees = stated == side or (stated == "both" and side in ("agent", "client"))
    if not agrees and not context.is_explained(name):
        message = (
            f"x-side of {name} is {stated!r}, but its envelope implies {side!r}; explain the"
            " difference in policy.toml under [directions]"
        )
        context.contradiction(at, message)


def _named(methods: list[Method], context: BuildContext) -> tuple[Method, ...]:
    """Choose the Python name of each method."""
    named: list[Method] = []
    for method in methods:
        siblings = [other for other in named if other.side == method.side]
        key, at = f"{method.side}:{method.wire}", pointer("$defs", method.params)
        if method.wire is None:
            name = naming.extension_name(method.kind)
        else:
            is_twin = any(other.wire == method.wire for other in siblings)
            rule = naming.method_name(method.wire, twin=is_twin)
            name = context.method_name(key, rule, {other.name for other in siblings})
            if not naming.is_method_name(name):
                message = f"method {method.wire!r} has no valid Python name"
                context.problem(at, "bad-name", f"{message}; add a name for {key} to names.toml")
        if any(other.name == name for other in siblings):
            message = (
                f"method {method.wire!r} has the same Python name as another method, {name!r};"
                f" add a name for {key} to names.toml"
            )
            context.problem(at, "name-collision", message)
        named.append(replace(method, name=name))
    return tuple(named)
