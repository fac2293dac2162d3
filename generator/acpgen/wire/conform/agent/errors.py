"""What the agent says to messages that it cannot take."""

from __future__ import annotations

from acpgen.wire.conform.agent.client import Client, has_result, probe
from acpgen.wire.conform.conversation import Unreached, error_code
from acpgen.wire.conform.wire import Line

_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600
_METHOD_NOT_FOUND, _INVALID_PARAMS = -32601, -32602


@probe("unknown-method", "unknown-extension")
async def refuses_unknown_methods(client: Client) -> None:
    await client.initialize()
    for requirement, method in (
        ("unknown-method", "conform/unknown"),
        ("unknown-extension", "_conform/unknown"),
    ):
        line = await client.talk.call(method, {})
        # An agent may take every extension.
        ok = error_code(line) == _METHOD_NOT_FOUND or (method[0] == "_" and has_result(line))
        client.judge(requirement, ok, f"an error with the code {_METHOD_NOT_FOUND}", line)


@probe("unknown-notification", "silent-notifications")
async def ignores_unknown_notifications(client: Client) -> None:
    await client.initialize()
    since = len(client.wire.lines)
    client.talk.notify("_conform/unknown", {})
    sent = client.wire.lines[-1]
    line = await client.next_answer()
    expected = "a response to the next request"
    client.judge("unknown-notification", line is not None, expected, line, sent)
    judge_silence(client, since)


def judge_silence(client: Client, since: int) -> None:
    """Judge that nothing was said to notifications that were sent after some lines."""
    answers = [line for line in client.wire.lines[since:] if not line.sent and _answers_none(line)]
    came = answers[0] if answers else None
    sent = client.wire.lines[since]
    client.judge("silent-notifications", not answers, "no response to a notification", came, sent)


def _answers_none(line: Line) -> bool:
    message = line.message
    return type(message) is dict and "method" not in message and message.get("id") is None


@probe("invalid-params")
async def refuses_invalid_params(client: Client) -> None:
    await client.initialize()
    for method, params in (
        ("session/new", {"cwd": 7, "mcpServers": []}),
        ("session/prompt", {"prompt": "no list, no session"}),
    ):
        line = await client.talk.call(method, params)
        ok = error_code(line) == _INVALID_PARAMS
        client.judge("invalid-params", ok, f"an error with the code {_INVALID_PARAMS}", line)


@probe("parse-error", "lives-on")
async def reports_what_is_no_json(client: Client) -> None:
    await _reports(client, "parse-error", b'{"jsonrpc": "2.0", "id": "half', _PARSE_ERROR)


@probe("invalid-request", "lives-on")
async def reports_what_is_no_message(client: Client) -> None:
    data = b'{"jsonrpc": "2.0", "id": "wrong", "method": 7, "params": {}}'
    await _reports(client, "invalid-request", data, _INVALID_REQUEST)


async def _reports(client: Client, requirement: str, data: bytes, code: int) -> None:
    """Judge whether a line leads to an error, and to nothing worse."""
    await client.initialize()
    since = len(client.wire.lines)
    sent = client.wire.send_bytes(data)
    answer = await client.next_answer()
    expected = "a response to the next request"
    if not client.judge("lives-on", answer is not None, expected, answer, sent):
        raise Unreached("the agent does not live on")
    line = await client.wire.wait(_is_report, since)
    ok = error_code(line) == code
    client.judge(requirement, ok, f"an error with the code {code}", line, sent)


def _is_report(line: Line) -> bool:
    message = line.message
    return type(message) is dict and message.get("id") in (None, "wrong") and "error" in message
