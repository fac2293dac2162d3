"""Probes for agents and clients: valid messages in unusual forms, and invalid messages."""

from __future__ import annotations

import json
from typing import Any

from acpwire.conform.player import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    Player,
    Unreached,
    unless_signed_out,
)
from acpwire.conform.wire import Line
from acpwire.json_values import at, items

probe = Player.probe
_PARSE_ERROR, _METHOD_NOT_FOUND = -32700, -32601
_LARGE = 2**40
_BEYOND_ASCII = "ид-\u2028-😀"
_MEGABYTE = 1 << 20


@probe("number-ids", "string-ids")
async def answers_with_any_id(player: Player) -> None:
    await player.ready()
    method, params = player.answered
    if not await player.call(method, params):
        raise Unreached(f"no response to {method}")
    for requirement, ids in (("number-ids", (0, _LARGE)), ("string-ids", ("7", _BEYOND_ASCII))):
        for id in ids:
            since = len(player.wire.lines)
            line = await player.call(method, params, id)
            printed = [line for line in player.wire.lines[since:] if not line.sent]
            received = printed[-1] if not line and printed else line
            expected = f"a response with the id {json.dumps(id, ensure_ascii=False)}"
            if not player.judge(requirement, bool(line), expected, received):
                break


@probe("json-forms")
async def reads_any_form(player: Player) -> None:
    def vary(message: Any) -> bytes:
        parts = [f'"{name}" :\t{_odd_value(value)}' for name, value in message.items()]
        return f" {{ {' ,'.join(reversed(parts))}}}\t".encode("ascii")

    await player.varies("json-forms", "reordered fields, unusual whitespace and escapes", vary)


def _odd_value(value: Any) -> str:
    """Return unusual JSON for an object, an array or a nonempty string."""
    if type(value) is dict:
        parts = [f"{_odd_value(name)}: {_odd_value(item)}" for name, item in value.items()]
        return f"{{{', '.join(reversed(parts))} }}"
    if type(value) is list:
        return f"[ {', '.join(map(_odd_value, value))} ]"
    return f'"\\u{ord(value[0]):04x}{json.dumps(value[1:])[1:]}'.replace("/", "\\/")


@probe("long-lines")
async def reads_long_lines(player: Player) -> None:
    def vary(message: Any) -> bytes:
        space, text = " " * (_MEGABYTE // 2), json.dumps(message)
        meta = f'"_meta": {{"acpgen.conform/long": "{"é" * 1000}"}}'
        return f"{text[:-1]}{space},{space}{meta}}}".encode()

    await player.varies("long-lines", "a line of one megabyte", vary)


@probe("meta")
async def takes_meta(player: Player) -> None:
    await player.takes("meta", {"_meta": {"acpgen.conform/note": [1, None]}})


@probe("unknown-members")
async def takes_unknown_members(player: Player) -> None:
    await player.takes("unknown-members", {"conformUnknown": {"a": [1]}})


@probe("batches")
async def answers_batches(player: Player) -> None:
    await player.ready()
    method, params = player.answered
    ids = ["first", "second"]
    batch = [{"jsonrpc": "2.0", "id": id, "method": method, "params": params} for id in ids]
    since = len(player.wire.lines)
    sent = player.wire.send(batch)
    line = await player.wire.wait(
        lambda line: type(line.message) is list or _is_error(line, None), since
    )
    answered = line.message
    ok = sorted(str(each.get("id")) for each in items({"all": answered}, "all")) == ids
    expected = "an array of two responses"
    if player.may_refuse_batches:
        ok = ok or (type(answered) is dict and line.error_code == INVALID_REQUEST)
        expected += f", or an error with the code {INVALID_REQUEST}"
    player.judge("batches", ok, expected, line, sent)


def _is_error(line: Line, *ids: str | None) -> bool:
    """Return whether a line is an error response with one of the ids.

    The id None matches null, but not a missing id.
    """
    return line.error_code is not None and line.message.get("id", ...) in ids


@probe("unknown-method", "unknown-extension")
async def refuses_unknown_methods(player: Player) -> None:
    await player.ready()
    for requirement, method in (
        ("unknown-method", "conform/unknown"),
        ("unknown-extension", "_conform/unknown"),
    ):
        line = await player.call(method, {})
        # A program may accept every extension method, but then it must return a result that isn't
        # null.
        ok = method[0] == "_" and at(line.message, "result") is not None
        player.judge_error(requirement, _METHOD_NOT_FOUND, line, ok=ok)


@probe("invalid-params")
async def refuses_invalid_params(player: Player) -> None:
    await player.ready()
    for method, params in player.invalid_calls.items():
        line = await player.call(method, params)
        unless_signed_out(line)
        player.judge_error("invalid-params", INVALID_PARAMS, line)


@probe("unknown-notification", "silent-notifications")
async def ignores_unknown_notifications(player: Player) -> None:
    await player.ready()
    since = len(player.wire.lines)
    player.notify("_conform/unknown", {})
    sent = player.wire.lines[-1]
    await player.lives("unknown-notification", "an unknown notification", sent)
    judge_silence(player, since, sent)


def judge_silence(player: Player, since: int, sent: Line) -> None:
    """Check that no line from index `since` onward is a response to a notification."""
    lines = [line for line in player.wire.lines[since:] if not line.sent]
    received = next((line for line in lines if line.answers(None)), None)
    ok, expected = received is None, "no response to a notification"
    player.judge("silent-notifications", ok, expected, received, sent)


@probe("parse-error", "lives-on")
async def reports_invalid_json(player: Player) -> None:
    await _reports(player, "parse-error", b'{"jsonrpc": "2.0", "id": "half', _PARSE_ERROR, None)


@probe("invalid-request", "lives-on")
async def reports_invalid_messages(player: Player) -> None:
    data = b'{"jsonrpc": "2.0", "id": "wrong", "method": 7, "params": {}}'
    await _reports(player, "invalid-request", data, INVALID_REQUEST, None, "wrong")


async def _reports(
    player: Player, requirement: str, data: bytes, code: int, *ids: str | None
) -> None:
    await player.ready()
    since = len(player.wire.lines)
    sent = player.wire.send_bytes(data)
    if not await player.lives("lives-on", "a line that is not a message", sent):
        raise Unreached("the program no longer responds")
    line = await player.wire.wait(lambda line: _is_error(line, *ids), since)
    expected = f"an error with the code {code} and null as its id"
    player.judge(requirement, line.error_code == code, expected, line, sent)
