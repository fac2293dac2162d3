"""What the client says to messages that it cannot take."""

from __future__ import annotations

from acpgen.wire.conform.client.agent import PERMISSION, Agent, probe
from acpgen.wire.conform.conversation import Unreached, error_code
from acpgen.wire.conform.wire import Line

_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600
_METHOD_NOT_FOUND, _INVALID_PARAMS = -32601, -32602


@probe("unknown-method", "unknown-extension")
async def refuses_unknown_methods(agent: Agent) -> None:
    await agent.prompted()
    for requirement, method in (
        ("unknown-method", "conform/unknown"),
        ("unknown-extension", "_conform/unknown"),
    ):
        line = await agent.talk.call(method, {})
        ok = error_code(line) == _METHOD_NOT_FOUND
        # A client may take every extension.
        ok = ok or (method[0] == "_" and line is not None and "result" in line.message)
        agent.judge(requirement, ok, f"an error with the code {_METHOD_NOT_FOUND}", line)


@probe("invalid-params")
async def refuses_invalid_params(agent: Agent) -> None:
    await agent.prompted()
    line = await agent.talk.call(PERMISSION, {**agent.question(), "options": "no list"})
    ok = error_code(line) == _INVALID_PARAMS
    agent.judge("invalid-params", ok, f"an error with the code {_INVALID_PARAMS}", line)


@probe("unknown-notification", "silent-notifications")
async def ignores_unknown_notifications(agent: Agent) -> None:
    await agent.prompted()
    since = len(agent.wire.lines)
    agent.talk.notify("_conform/unknown", {})
    sent = agent.wire.lines[-1]
    await agent.lives("unknown-notification", "a notification that nobody knows", sent)
    _judge_silence(agent, since, sent)


@probe("invalid-notification", "silent-notifications")
async def survives_invalid_notifications(agent: Agent) -> None:
    await agent.prompted()
    since = len(agent.wire.lines)
    agent.talk.notify("session/update", {"sessionId": agent.session, "update": "no object"})
    sent = agent.wire.lines[-1]
    await agent.lives("invalid-notification", "an update that is no object", sent)
    _judge_silence(agent, since, sent)


def _judge_silence(agent: Agent, since: int, sent: Line) -> None:
    """Judge that nothing was said to a notification."""
    lines = [line for line in agent.wire.lines[since:] if not line.sent]
    came = next((line for line in lines if _answers_none(line)), None)
    agent.judge("silent-notifications", came is None, "no response to a notification", came, sent)


def _answers_none(line: Line) -> bool:
    message = line.message
    return type(message) is dict and "method" not in message and message.get("id") is None


@probe("unknown-response")
async def survives_unknown_responses(agent: Agent) -> None:
    await agent.prompted()
    for id in (987_654_321, "conform-unknown"):
        sent = agent.wire.send({"jsonrpc": "2.0", "id": id, "result": {}})
        await agent.lives("unknown-response", "a response that nobody waits for", sent)


@probe("parse-error", "lives-on")
async def reports_what_is_no_json(agent: Agent) -> None:
    await _reports(agent, "parse-error", b'{"jsonrpc": "2.0", "id": "half', _PARSE_ERROR)


@probe("invalid-request", "lives-on")
async def reports_what_is_no_message(agent: Agent) -> None:
    data = b'{"jsonrpc": "2.0", "id": "wrong", "method": 7, "params": {}}'
    await _reports(agent, "invalid-request", data, _INVALID_REQUEST)


async def _reports(agent: Agent, requirement: str, data: bytes, code: int) -> None:
    """Judge whether a line leads to an error, and to nothing worse."""
    await agent.prompted()
    since = len(agent.wire.lines)
    sent = agent.wire.send_bytes(data)
    if not await agent.lives("lives-on", "a line that is no message", sent):
        raise Unreached("the client does not live on")
    line = await agent.wire.wait(_is_report, since)
    ok = error_code(line) == code
    agent.judge(requirement, ok, f"an error with the code {code}", line, sent)


def _is_report(line: Line) -> bool:
    message = line.message
    return type(message) is dict and message.get("id") in (None, "wrong") and "error" in message
