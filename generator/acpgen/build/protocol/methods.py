"""Who calls what: methods out of the envelope unions and the annotations of the definitions.

An envelope is a definition that the schema keeps out of its documentation (`x-docs-ignore`), named
after who sends it and what it is: `AgentRequest` lists the params of every request that the agent
sends, so that the client handles; `AgentResponse` the results of those that the agent handles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from acpgen.build.context import BuildContext
from acpgen.diagnostics import pointer
from acpgen.inputs import json_schema
from acpgen.inputs.document import REF_PREFIX, Document, JsonObject
from acpgen.ir import naming
from acpgen.ir.model import Method

_ENVELOPE = re.compile(r"([A-Za-z]+?)(Request|Response|Notification)")
# Who handles what is sent by whom; what any other group sends, it handles itself.
_HANDLED_BY = {"Agent": "client", "Client": "agent", "ProtocolLevel": "protocol"}


@dataclass(frozen=True, slots=True)
class _Call:
    side: str
    kind: str
    definition: str
    at: str
    null_id: bool = True


def find_methods(document: Document, ledger: BuildContext) -> tuple[Method, ...]:
    """The methods of a schema, ordered by side and name; the extensions' come last.

    What contradicts itself goes to the ledger as a problem, what is incomplete as a note.
    """
    calls, results = _read_envelopes(document, ledger)
    if not calls:
        return ()
    listed = {call.definition for call in calls} | {name for _, name in results}
    calls += _protocol_calls(document, listed)
    listed |= {call.definition for call in calls}
    annotated = [name for name, schema in document.definitions.items() if "x-method" in schema]
    for name in annotated:
        if name not in listed:
            message = "is in no envelope, so that nothing says who sends it; list it in one"
            ledger.note(pointer("$defs", name), "direction", message)
    methods = _named(_pair(document, ledger, calls, results), ledger)
    for name in sorted(
        {n for method in methods for n in naming.names_reserved_by(method.side, method.name)}
    ):
        # A reserved name is a problem of its own.
        is_defined = name in ledger.reserved or name in ledger.definitions
        if is_defined and naming.is_class_name(name):
            made = ledger.definitions.get(name)
            at = made.pointer if made else pointer("$defs", name)
            message = "is the name of something that is made for methods; rename it in the schema"
            ledger.problem(at, "name-collision", message)
    return methods


def _read_envelopes(
    document: Document, ledger: BuildContext
) -> tuple[list[_Call], dict[tuple[str, str], str]]:
    """Calls, and for each result's side and definition the envelope that lists it."""
    calls: list[_Call] = []
    results: dict[tuple[str, str], str] = {}
    for name, schema in document.definitions.items():
        if not schema.get("x-docs-ignore"):
            continue
        at = pointer("$defs", name)
        match = _ENVELOPE.fullmatch(name)
        if match is None:
            message = "is an envelope whose name does not say who sends it; end it in Request,"
            ledger.problem(at, "direction", f"{message} Response or Notification")
            continue
        sender, kind = match[1], match[2].lower()
        itself = naming.snake(sender)
        side = itself if kind == "response" else _HANDLED_BY.get(sender, itself)
        if not naming.is_side_name(side):
            message = f"makes a module {side!r}, which the surface has already; rename it"
            ledger.problem(at, "name-collision", message)
        if kind == "response":
            results |= {(side, each): at for each in _members(schema, "result")}
        else:
            null_id = _takes_null_id(schema, document.definitions)
            calls += [_Call(side, kind, each, at, null_id) for each in _members(schema, "params")]
    return calls, results


def _takes_null_id(schema: JsonObject, definitions: JsonObject) -> bool:
    """Whether the member `id` of an envelope may be null; it may if nothing is said about it."""
    stated = list(_stated(schema, "id"))
    return not stated or any("null" in json_schema.json_types(each, definitions) for each in stated)


def _stated(schema: JsonObject, member: str) -> Iterator[Any]:
    """The schemas of a member of an object, or of its alternatives."""
    for key in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(key, ()):
            yield from _stated(part, member)
    if member in schema.get("properties", {}):
        yield schema["properties"][member]


def _protocol_calls(document: Document, listed: set[str]) -> list[_Call]:
    """What the root lists beside the envelopes: notifications that either side may send."""
    definitions = document.definitions
    names = dict.fromkeys(_references({k: v for k, v in document.root.items() if k != "$defs"}))
    return [
        _Call("protocol", "notification", name, "/anyOf")
        for name in names
        if name not in listed and "x-method" in definitions[name]
    ]


def _members(schema: JsonObject, member: str) -> list[str]:
    """The definitions that a member of an object, or of its alternatives, refers to."""
    return list(dict.fromkeys(_references(list(_stated(schema, member)))))


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix(REF_PREFIX)
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)


def _pair(
    document: Document,
    ledger: BuildContext,
    calls: list[_Call],
    results: dict[tuple[str, str], str],
) -> list[Method]:
    """Put requests and their results together, by the method they are annotated with."""
    definitions = document.definitions
    answers: dict[tuple[str, str | None], str] = {}
    for (side, name), at in results.items():
        wire = definitions[name].get("x-method")
        if (side, wire) in answers:
            ledger.problem(at, "direction", f"lists two results of {wire!r}; take one of them out")
        answers[side, wire] = name
        _check_side(definitions, ledger, name, side, at)
    found: dict[tuple[str, str, str | None], Method] = {}
    for call in calls:
        wire = definitions[call.definition].get("x-method")
        _check_side(definitions, ledger, call.definition, call.side, call.at)
        if (call.side, call.kind, wire) in found:
            message = f"lists two kinds of params of {wire!r}; take one of them out"
            ledger.problem(call.at, "direction", message)
        result = answers.pop((call.side, wire), None) if call.kind == "request" else None
        if call.kind == "request" and result is None:
            message = f"lists {call.definition} ({wire!r}), but no response envelope its result"
            ledger.note(call.at, "direction", f"{message}; list it")
            continue
        method = Method(
            wire, "", call.side, call.kind, call.definition, result, null_id=call.null_id
        )
        found[call.side, call.kind, wire] = method
    for (side, wire), name in answers.items():
        message = f"is a result of {wire!r}, which nobody sends to the {side}; list the request"
        ledger.note(pointer("$defs", name), "direction", message)
    return sorted(found.values(), key=_order)


def _order(method: Method) -> tuple[bool, str, str, bool]:
    """By side and name, a request before the notification of its name, extensions last."""
    return method.wire is None, method.side, method.wire or "", method.kind != "request"


def _check_side(
    definitions: dict[str, JsonObject], ledger: BuildContext, name: str, side: str, at: str
) -> None:
    """Hold the annotation against the envelope; `both` is the agent and the client."""
    stated = definitions[name].get("x-side", side)
    agrees = stated == side or (stated == "both" and side in ("agent", "client"))
    if not agrees and not ledger.is_explained(name):
        message = f"x-side of {name} is {stated!r}, this envelope makes it {side!r}; "
        ledger.problem(at, "direction", message + "explain it in policy.toml under [directions]")


def _named(methods: list[Method], ledger: BuildContext) -> tuple[Method, ...]:
    """Give each method the name that handlers and stubs call it by."""
    named: list[Method] = []
    taken: set[tuple[str, str]] = set()
    for method in methods:
        twin = any((each.side, each.wire) == (method.side, method.wire) for each in named)
        if method.wire is None:
            name = naming.extension_name(method.kind)
        else:
            rule = naming.method_name(method.wire, twin=twin)
            used = {name for side, name in taken if side == method.side}
            name = ledger.field_name(f"{method.side}:{method.wire}", rule, used)
        at = pointer("$defs", method.params)
        if method.wire is not None and not naming.is_method_name(name):
            message = f"method {method.wire!r} cannot be a Python method; name it in names.toml as"
            ledger.problem(at, "bad-name", f"{message} {method.side}:{method.wire}")
        if (method.side, name) in taken:
            message = f"method {method.wire!r} is {name!r} in Python, as another one is; name it in"
            ledger.problem(at, "name-collision", f"{message} names.toml")
        taken.add((method.side, name))
        named.append(replace(method, name=name))
    return tuple(named)
