"""Messages that a program cannot accept: probes of either side."""

from __future__ import annotations

from acpgen.wire.conform.conversation import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    Unreached,
    at,
    error_code,
    unless_signed_out,
)
from acpgen.wire.conform.judging import of_both as probe
from acpgen.wire.conform.player import Player
from acpgen.wire.conform.wire import Line

_PARSE_ERROR, _METHOD_NOT_FOUND = -32700, -32601


@probe("unknown-method", "unknown-extension")
async def refuses_unknown_methods(player: Player) -> None:
    await player.ready()
    for requirement, method in (
        ("unknown-method", "conform/unknown"),
        ("unknown-extension", "_conform/unknown"),
    ):
        line = await player.talk.call(method, {})
        # A program may accept every extension; a null result would hide that it does not.
        is_accepted = (
            method[0] == "_" and line is not None and at(line.message, "result") is not None
        )
        ok = error_code(line) == _METHOD_NOT_FOUND or is_accepted
        player.judge(requirement, ok, f"an error with the code {_METHOD_NOT_FOUND}", line)


@probe("invalid-params")
async def refuses_invalid_params(player: Player) -> None:
    await player.ready()
    for method, params in player.invalid_calls.items():
        line = await player.talk.call(method, params)
        unless_signed_out(line)
        ok = error_code(line) == INVALID_PARAMS
        player.judge("invalid-params", ok, f"an error with the code {INVALID_PARAMS}", line)


@probe("unknown-notification", "silent-notifications")
async def ignores_unknown_notifications(player: Player) -> None:
    await player.ready()
    since = len(player.wire.lines)
    player.talk.notify("_conform/unknown", {})
    sent = player.wire.lines[-1]
    await player.lives("unknown-notification", "an unknown notification", sent)
    judge_silence(player, since, sent)


def judge_silence(player: Player, since: int, sent: Line) -> None:
    """Judge that there was no response to a notification since some line."""
    lines = [line for line in player.wire.lines[since:] if not line.sent]
    came = next((line for line in lines if _answers_none(line)), None)
    ok, expected = came is None, "no response to a notification"
    player.judge("silent-notifications", ok, expected, came, sent)


def _answers_none(line: Line) -> bool:
    message = line.message
    return type(message) is dict and "method" not in message and message.get("id") is None


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
    """Judge whether a line leads to an error with one of some ids, and to nothing worse."""
    await player.ready()
    since = len(player.wire.lines)
    sent = player.wire.send_bytes(data)
    if not await player.lives("lives-on", "a line that is not a message", sent):
        raise Unreached("the program no longer responds")

    def is_report(line: Line) -> bool:
        return error_code(line) is not None and at(line.message, "id") in ids

    line = await player.wire.wait(is_report, since)
    expected = f"an error with the code {code} and null as its id"
    player.judge(requirement, error_code(line) == code, expected, line, sent)
