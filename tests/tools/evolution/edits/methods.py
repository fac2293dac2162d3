"""Edits to methods: their params, results and envelopes, and the sides that handle them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from tests.tools.evolution.draft import Draft, NothingToEdit, Schema, make_member, pick, ref

# The prefixes of the request and response envelopes, by the side that handles the method.
SENDERS = {"agent": ("Client", "Agent"), "client": ("Agent", "Client")}


def _entries(draft: Draft, envelope: str) -> list[Schema]:
    pending: list[Any] = [draft.definitions.get(envelope, {})]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            arms = each.get("anyOf", ())
            if arms and "properties" not in each and all("allOf" in arm for arm in arms):
                return arms
            pending += each.values()
        elif isinstance(each, list):
            pending += each
    return []


def _enter(draft: Draft, envelope: str, keyword: str, name: str) -> None:
    entry = {"title": name, "allOf": [ref(name)]}
    entries = _entries(draft, envelope)
    if entries:
        entries.insert(0, entry)
        return
    members: Schema = {"id": {"allOf": [ref("RequestId")]}, "method": {"type": "string"}}
    inner = {"anyOf": [{"anyOf": [entry]}, {"type": "null"}]}
    draft.definitions[envelope] = {
        "type": "object",
        "properties": {**members, keyword: inner},
        "required": ["id", "method"],
        "x-docs-ignore": True,
    }


def _enter_request(draft: Draft, side: str, name: str, *, is_result: bool) -> None:
    sender, handler = SENDERS[side]
    if is_result:
        _enter(draft, f"{handler}Response", "result", name)
    else:
        _enter(draft, f"{sender}Request", "params", name)


def _leave_envelopes(draft: Draft, name: str) -> None:
    for envelope in draft.envelopes():
        entries = _entries(draft, envelope)
        rest = [entry for entry in entries if entry["allOf"] != [ref(name)]]
        if entries and not rest:
            raise NothingToEdit
        entries[:] = rest


def _new(draft: Draft, chance: Random, name: str, side: str, wire: str) -> str:
    made = draft.fresh(name)
    draft.definitions[made] = {
        "type": "object",
        "properties": {"sessionId": {"type": "string"}, "detail": make_member(draft, chance)},
        "required": ["sessionId"],
        "x-side": side,
        "x-method": wire,
    }
    return made


def add_request(draft: Draft, chance: Random) -> str:
    side = chance.choice(list(SENDERS))
    wire = chance.choice(("session/checkpoint", "x", "terminal/a-b_c", "$/ping", "class/def"))
    params = _new(draft, chance, "CheckpointRequest", side, wire)
    result = _new(draft, chance, "CheckpointResponse", side, wire)
    _enter_request(draft, side, params, is_result=False)
    _enter_request(draft, side, result, is_result=True)
    return f"add the request {wire} to the {side}: {params}, {result}"


def add_notification(draft: Draft, chance: Random) -> str:
    side = chance.choice(list(SENDERS))
    wire = chance.choice(("session/tick", "tick", "fs/did_change"))
    name = _new(draft, chance, "TickNotification", side, wire)
    _enter(draft, f"{SENDERS[side][0]}Notification", "params", name)
    return f"add the notification {wire} to the {side}: {name}"


def add_notification_without_params(draft: Draft, chance: Random) -> str:
    side = chance.choice(list(SENDERS))
    name = draft.fresh("WakeNotification")
    draft.definitions[name] = {"type": "object", "x-side": side, "x-method": "session/wake"}
    _enter(draft, f"{SENDERS[side][0]}Notification", "params", name)
    return f"add the notification session/wake without params to the {side}: {name}"


def add_request_with_same_types(draft: Draft, chance: Random) -> str:
    wire, names = pick(chance, ((w, n) for w, n in _methods(draft) if len(n) == 2))
    side = draft.definitions[names[0]]["x-side"]
    if side not in SENDERS:
        raise NothingToEdit
    for name in names:
        copied = draft.fresh(f"Second{name}")
        draft.definitions[copied] = {**draft.definitions[name], "x-method": f"{wire}_second"}
        _enter_request(draft, side, copied, is_result=name.endswith("Response"))
    return f"add the request {wire}_second, a copy of {wire}"


def add_direction(draft: Draft, chance: Random) -> str:
    side = chance.choice(("proxy", "editor", "registry"))
    word = side.capitalize()
    wire = f"{side}/announce"
    params = _new(draft, chance, f"{word}AnnounceRequest", side, wire)
    result = _new(draft, chance, f"{word}AnnounceResponse", side, wire)
    told = _new(draft, chance, f"{word}ToldNotification", side, f"{side}/told")
    _enter(draft, f"{word}Request", "params", params)
    _enter(draft, f"{word}Response", "result", result)
    _enter(draft, f"{word}Notification", "params", told)
    return f"add the side {side} with the request {wire} and the notification {side}/told"


def _methods(draft: Draft) -> Iterator[tuple[str, list[str]]]:
    found: dict[tuple[str, str], list[str]] = {}
    for name in draft.types():
        schema = draft.definitions[name]
        if "x-method" in schema:
            found.setdefault((schema["x-method"], schema.get("x-side", "")), []).append(name)
    return ((wire, names) for (wire, _), names in found.items())


def remove_method(draft: Draft, chance: Random) -> str:
    wire, names = pick(
        chance,
        (
            (wire, names)
            for wire, names in _methods(draft)
            if all(len(draft.references_to(name)) <= 1 for name in names)
        ),
    )
    for name in names:
        _leave_envelopes(draft, name)
        if not draft.references_to(name):
            del draft.definitions[name]
    return f"remove the method {wire}: {', '.join(names)}"


def rename_method(draft: Draft, chance: Random) -> str:
    wire, names = pick(chance, _methods(draft))
    new = chance.choice((f"{wire}_v2", f"acp/{wire}", wire.replace("/", "."), f"_{wire}"))
    for name in names:
        draft.definitions[name]["x-method"] = new
    return f"rename the method {wire} to {new}"


def change_direction(draft: Draft, chance: Random) -> str:
    wire, names = pick(
        chance,
        (
            (wire, names)
            for wire, names in _methods(draft)
            if len(names) == 2
            and all(draft.definitions[name].get("x-side") in SENDERS for name in names)
        ),
    )
    old = draft.definitions[names[0]]["x-side"]
    new = "client" if old == "agent" else "agent"
    for name in names:
        _leave_envelopes(draft, name)
        draft.definitions[name]["x-side"] = new
        _enter_request(draft, new, name, is_result=name.endswith("Response"))
    return f"let the {new} handle {wire}, not the {old}"


def forget_method(draft: Draft, chance: Random) -> str:
    wire, names = pick(chance, _methods(draft))
    for name in names:
        draft.definitions[name].pop("x-method", None)
        draft.definitions[name].pop("x-side", None)
    return f"leave out x-method and x-side of {wire}"


def forget_all_methods(draft: Draft, chance: Random) -> str:
    for schema in draft.definitions.values():
        schema.pop("x-method", None)
        schema.pop("x-side", None)
    return "leave out x-method and x-side everywhere"


def rename_envelopes(draft: Draft, chance: Random) -> str:
    suffix = chance.choice(("Message", "Envelope"))
    for name in draft.envelopes():
        draft.rename(name, f"{name}{suffix}")
    return f"rename the envelopes: ...{suffix}"


def wrap_envelopes(draft: Draft, chance: Random) -> str:
    made: list[str] = []
    for side in ("Agent", "Client"):
        names = [name for name in draft.envelopes() if name.startswith(side)]
        if not names:
            raise NothingToEdit
        name = draft.fresh(f"{side}OutgoingMessage")
        draft.definitions[name] = {
            "type": "object",
            "properties": {"jsonrpc": {"type": "string", "enum": ["2.0"]}},
            "required": ["jsonrpc"],
            "anyOf": [{"title": each, "allOf": [ref(each)]} for each in names],
            "x-docs-ignore": True,
        }
        made.append(name)
    return f"add the envelopes {', '.join(made)}"


def drop_document_union(draft: Draft, chance: Random) -> str:
    if not {"anyOf", "oneOf"} & draft.root.keys():
        raise NothingToEdit
    for keyword in ("anyOf", "oneOf"):
        draft.root.pop(keyword, None)
    return "leave out the alternatives of the document"
